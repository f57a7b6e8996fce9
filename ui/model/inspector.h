#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/live/mirror.h"
#include "ui/model/slice_view.h"

/// What the inspector shows of the chosen row. Plain data: make it when the Mirror's version or the choice changes.
namespace nns::model {

/// One line of the registries panel.
struct AttributeLine {
  std::uint8_t depth = 0;
  live::wire::AttributePlace place = live::wire::AttributePlace::Dict;
  std::string name;
  std::string type;
  std::string text;
  std::string why;                  ///< the rule of Module.__setattr__ that put it here; empty where it is plain
  std::uint32_t node = UINT32_MAX;  ///< row of the tree that shows the value, if any
  std::uint32_t entries = 0;        ///< lines one level below that follow
};
/// "attribute", "registry", "parameter", "buffer", "module", "hook", "item".
const char* place_text(live::wire::AttributePlace place);

struct HookLine {
  std::string kind;
  std::string callable;
  std::uint64_t id = 0;
  std::uint32_t position = 0;  ///< in firing order, from 1
  bool with_kwargs = false;
  bool always_call = false;
};
/// One hook dictionary with something in it; its hooks in firing order.
struct HookList {
  std::string dictionary;
  std::vector<HookLine> hooks;
};

struct ObjectView {
  std::string path;  ///< of the row; the document's title for the root
  std::string class_name;
  bool inferred = false;           ///< made up from names and shapes: the file holds no such object
  bool is_class_inferred = false;  ///< its class, too; false if the file says that one
  bool is_module = false;
  bool training = false;
  std::string repr;
  std::vector<std::string> mro;
  std::vector<AttributeLine> attributes;
  std::vector<HookList> hooks;
  std::uint32_t hook_count = 0;
  std::vector<std::uint32_t> also_at;  ///< other rows that show the same object
};
ObjectView view_object(const live::DocumentView& document, const live::wire::ObjectDetails& details);

/// A label and its value; `exact` is the text for the clipboard if it differs.
struct FactLine {
  std::string label;
  std::string value;
  std::string exact;
  std::uint32_t tensor = UINT32_MAX;  ///< another tensor that the line leads to
};

struct TensorView {
  std::string name;
  std::vector<FactLine> facts;  ///< shape, dtype, elements, bytes, strides, storage, offset, file, byte range, sharing
  bool has_values = false;
};
TensorView view_tensor(const live::DocumentView& document, const live::wire::TensorFacts& facts);

struct HistogramBar {
  double low = 0;
  double high = 0;
  std::uint64_t count = 0;
  float height = 0;      ///< of the tallest bar, 0 to 1
  float log_height = 0;  ///< the same on a logarithmic scale: a bar with one value is still seen
};
struct QuantileLine {
  std::string label;  ///< "1%", "50% (median)"
  double value = 0;
  std::string text;
};
struct StatisticsView {
  std::vector<FactLine> facts;  ///< count, min, max, mean, std, |max|, sum, zeros, NaN, infinite, dead lines, outliers
  std::vector<HistogramBar> histogram;
  std::vector<QuantileLine> quantiles;
  std::string quantile_note;  ///< "exact", or how far off they may be
  bool has_problem = false;   ///< NaN or infinite values
};
/// Of the part of a tensor that `slice` is; indices are the whole tensor's.
StatisticsView view_statistics(const live::wire::TensorStatistics& statistics, const base::TensorSlice& slice,
                               const SliceView& view);

}  // namespace nns::model
