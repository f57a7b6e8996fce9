#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/live/document_view.h"
#include "core/live/protocol_generated.h"
#include "ui/model/graph_drawing.h"

/// What a compiler made of modules, as lists and a drawing: which frame, graph, node and line are looked at.
namespace nns::model {

enum class CapturePart : std::uint8_t { Frames, Graph, Nodes, Source, Guards, Modules };
inline constexpr std::size_t kCaptureParts = 6;
std::string_view capture_part_name(CapturePart part);

/// A line of one of the lists.
struct CaptureLine {
  enum class Kind : std::uint8_t { Plain, Frame, Break, Note, Reason, Code, Cut };
  Kind kind = Kind::Plain;
  std::uint32_t frame = 0;
  std::uint32_t index = 0;  ///< node, guard, module; of Code the line in the file, from 1
  std::string text;         ///< of lines that are words: what they say
};
inline constexpr std::size_t kCaptureColumns = 4;

class CaptureView {
 public:
  /// Takes over another capture; what is looked at stays where it is still there. Null: none.
  /// Must hold: `capture` stays until the next show().
  void show(const live::wire::Capture* capture);
  const live::wire::Capture* capture() const { return capture_; }
  bool is_empty() const { return capture_ == nullptr || capture_->frames()->size() == 0; }

  std::uint32_t frame_number() const { return frame_; }
  /// Null: there is none.
  const live::wire::CaptureFrame* frame() const;
  void choose_frame(std::uint32_t frame);
  std::uint32_t graph_number() const { return graph_; }
  const live::wire::CaptureGraph* graph() const;
  void choose_graph(std::uint32_t graph);
  /// "dynamo_output_graph › cond_true_0".
  std::string graph_title() const;
  /// The graph that a node stands for.
  std::optional<std::uint32_t> body_of(std::uint32_t node) const;
  /// The graph that has a node which stands for the shown one, and that node.
  struct Around {
    std::uint32_t graph = 0;
    std::uint32_t node = 0;
  };
  std::optional<Around> around() const { return around_; }
  /// UINT32_MAX: none.
  std::uint32_t node() const { return node_; }
  void choose_node(std::uint32_t node);
  GraphDrawing& drawing() { return drawing_; }
  const GraphDrawing& drawing() const { return drawing_; }

  /// "[0/1] forward · net.py:18 · compiled · 5 nodes · 1 break".
  std::string frame_title(std::uint32_t frame) const;
  /// The number behind the name of a part; empty: none.
  std::string count_text(CapturePart part) const;
  std::span<const CaptureLine> lines(CapturePart part) const { return lines_[static_cast<std::size_t>(part)]; }
  static std::array<std::string_view, kCaptureColumns> titles(CapturePart part);
  /// The cells of a line: of words only the first.
  std::array<std::string, kCaptureColumns> cells(CapturePart part, const CaptureLine& line) const;
  /// What is to be said of a line beyond its cells: why a module became what it did.
  std::string remark(CapturePart part, const CaptureLine& line) const;
  /// All of the chosen node: call, shape, modules around it, place.
  std::string node_text(std::uint32_t node) const;
  /// "model.py:12"; empty: not known.
  std::string place_text(std::uint32_t file, std::uint32_t line) const;

  /// The file that is shown: that of the chosen node, or of the frame. UINT32_MAX: none is known.
  std::uint32_t file() const { return file_; }
  /// How many nodes of the graph a line of the file asked for.
  std::uint32_t nodes_of_line(std::uint32_t line) const;
  /// The first of them.
  std::optional<std::uint32_t> node_of_line(std::uint32_t line) const;
  std::uint32_t line_of_node(std::uint32_t node) const;
  std::uint32_t index_of_line(std::uint32_t line) const;

  /// The path below the frame's own module of what surrounds a node ("blocks.0.up"); empty: that module itself.
  std::string module_path(std::uint32_t node) const;
  /// Of a line of the list of modules likewise.
  std::string module_path(const CaptureLine& line) const;
  /// Nodes that belong to the module at `path` of the program, or below it, are marked. Empty: none.
  void mark_module(std::string_view path);
  bool is_marked(std::uint32_t node) const { return node < marked_.size() && marked_[node] != 0; }
  std::uint32_t marked_count() const { return marked_count_; }

 private:
  void rebuild();
  std::optional<Around> find_around() const;
  void rebuild_source();
  void rebuild_marks();

  const live::wire::Capture* capture_ = nullptr;
  std::uint32_t frame_ = 0;
  std::uint32_t graph_ = 0;
  std::uint32_t node_ = UINT32_MAX;
  std::uint32_t file_ = UINT32_MAX;
  std::optional<Around> around_;
  GraphDrawing drawing_;
  std::array<std::vector<CaptureLine>, kCaptureParts> lines_;
  std::vector<std::uint32_t> nodes_of_line_;       ///< of the file, by line
  std::vector<std::uint32_t> first_node_of_line_;  ///< likewise
  std::string marked_path_;
  std::vector<std::uint8_t> marked_;
  std::uint32_t marked_count_ = 0;
};

/// "L['self']._modules['blocks']._modules['0'].up" as a path below the frame's module: "blocks.0.up".
std::string source_path(std::string_view source);

}  // namespace nns::model
