#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/live/protocol_generated.h"

namespace nns::model {

/// Names and objects of a moment as boxes with arrows between them: names on the left, what they lead to on the right
/// of that, each object once however many names it has. Units: design units.
struct ObjectDrawing {
  struct Row {
    std::string key;
    std::string value;              ///< empty where an arrow says it
    std::uint32_t to = UINT32_MAX;  ///< the box that the arrow leads to
    bool has_changed = false;
  };
  struct Box {
    std::uint32_t object = UINT32_MAX;  ///< UINT32_MAX: a frame
    live::wire::TraceObjectKind kind = live::wire::TraceObjectKind::Other;
    bool is_frame = false;
    bool has_changed = false;
    std::string title;
    std::vector<Row> rows;
    std::string left_out;           ///< the last line, if something is not shown
    std::uint32_t shares_with = 0;  ///< of tensors on one storage: the number of that group, from 1
    float x = 0, y = 0, width = 0, height = 0;
  };
  std::vector<Box> boxes;
  float width = 0, height = 0;
  bool has_more = false;
};

/// How large things are drawn, in design units.
struct DrawingMetrics {
  float letter = 7;
  float row = 20;
  float head = 24;
  float gap_x = 56;
  float gap_y = 14;
  float padding = 8;
  std::size_t most_letters = 30;  ///< of a key or a value
};

ObjectDrawing draw_objects(const live::wire::TraceMoment& moment, const DrawingMetrics& metrics = {});

}  // namespace nns::model
