#include "ui/model/capture_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/live/message.h"
#include "ui/model/format.h"
#include "ui/model/plural.h"

namespace nns::model {

namespace wire = live::wire;
using live::text_of;

namespace {

constexpr std::uint32_t kNoCapture = UINT32_MAX;
constexpr std::uint32_t kMostLines = 1'000'000;
constexpr std::string_view kDot = " \u00B7 ";

using Kind = CaptureLine::Kind;

constexpr std::array<std::string_view, 4> kActions = {"the frame is split", "the rest runs plainly",
                                                      "the frame runs plainly", "the frame is traced again"};
constexpr std::array<std::string_view, 6> kOps = {"placeholder", "get_attr",    "call_function",
                                                  "call_method", "call_module", "output"};

// Why a module stands for itself in this way. Behaviour: torch/_dynamo/variables/builder.py, wrap_module.
struct Why {
  std::string_view variable, why;
};
constexpr std::array<Why, 4> kWhys = {{
    {"NNModuleVariable",
     "One instance: compiled for this very module, which becomes a call_module node; guards hold its identity. Only "
     "with inline_inbuilt_nn_modules=False, or for modules that are not unspecialised"},
    {"UnspecializedNNModuleVariable",
     "Any instance: a class of the program, whose forward is followed as Python; parameters are inputs of the graph"},
    {"UnspecializedBuiltinNNModuleVariable",
     "Any instance: a class of torch.nn, followed as Python because inline_inbuilt_nn_modules is on"},
    {"FSDPManagedNNModuleVariable", "FSDP manages it: never one instance, and its guards may be skipped"},
}};

std::string seconds_text(double seconds) {
  constexpr double kMilli = 1e3, kMicro = 1e6;
  if (seconds >= 1) return value_text(seconds) + " s";
  if (seconds >= 1e-3) return value_text(seconds * kMilli) + " ms";
  return value_text(seconds * kMicro) + " \u00B5s";
}

}  // namespace

std::string_view capture_part_name(CapturePart part) {
  constexpr std::array<std::string_view, kCaptureParts> kNames = {"Frames", "Graph",  "Nodes",
                                                                  "Source", "Guards", "Modules"};
  return kNames[static_cast<std::size_t>(part)];
}

std::string source_path(std::string_view source) {
  std::string path;
  // The frame's own name of the whole goes first: "L['self']".
  if (source.starts_with("L[") || source.starts_with("G[")) {
    source.remove_prefix(std::min(source.find(']'), source.size() - 1) + 1);
  }
  while (!source.empty()) {
    std::string_view name;
    if (source.front() == '[') {
      const std::size_t end = std::min(source.find(']'), source.size());
      name = source.substr(1, end - 1);
      if (name.size() >= 2 && (name.front() == '\'' || name.front() == '"')) name = name.substr(1, name.size() - 2);
      source.remove_prefix(std::min(end + 1, source.size()));
    } else {
      if (source.front() == '.') source.remove_prefix(1);
      name = source.substr(0, source.find_first_of(".["));
      source.remove_prefix(name.size());
    }
    if (name.empty() || name == "_modules" || name == "_parameters" || name == "_buffers") continue;
    path.append(path.empty() ? "" : ".").append(name);
  }
  return path;
}

const wire::CaptureFrame* CaptureView::frame() const {
  return capture_ == nullptr || frame_ >= capture_->frames()->size() ? nullptr : capture_->frames()->Get(frame_);
}

const wire::CaptureGraph* CaptureView::graph() const {
  const wire::CaptureFrame* const shown = frame();
  return shown == nullptr || graph_ >= shown->graphs()->size() ? nullptr : shown->graphs()->Get(graph_);
}

void CaptureView::show(const wire::Capture* capture) {
  if (capture == capture_) return;
  capture_ = capture;
  drawing_.show(nullptr);
  frame_ = graph_ = 0;
  node_ = kNoCapture;
  if (capture != nullptr && capture->first_new() < capture->frames()->size()) frame_ = capture->first_new();
  rebuild();
}

void CaptureView::choose_frame(std::uint32_t frame) {
  if (capture_ == nullptr || frame >= capture_->frames()->size() || frame == frame_) return;
  frame_ = frame;
  graph_ = 0;
  node_ = kNoCapture;
  rebuild();
}

void CaptureView::choose_graph(std::uint32_t graph) {
  if (frame() == nullptr || graph >= frame()->graphs()->size() || graph == graph_) return;
  graph_ = graph;
  node_ = kNoCapture;
  rebuild();
}

void CaptureView::choose_node(std::uint32_t node) {
  if (graph() == nullptr || node >= graph()->op()->size()) return;
  node_ = node;
  const std::uint32_t file = graph()->file()->Get(node);
  if (file == kNoCapture || file == file_) return;
  file_ = file;
  rebuild_source();
}

std::optional<std::uint32_t> CaptureView::body_of(std::uint32_t node) const {
  const wire::CaptureGraph* const shown = graph();
  if (shown == nullptr || node >= shown->body()->size()) return std::nullopt;
  const std::uint32_t body = shown->body()->Get(node);
  return body < frame()->graphs()->size() ? std::optional(body) : std::nullopt;
}

std::optional<CaptureView::Around> CaptureView::find_around() const {
  const wire::CaptureFrame* const shown = frame();
  // An inner graph stands behind the one around it.
  for (std::uint32_t at = graph_; shown != nullptr && at-- > 0;) {
    const auto& bodies = *shown->graphs()->Get(at)->body();
    for (std::uint32_t node = 0; node < bodies.size(); ++node) {
      if (bodies.Get(node) == graph_) return Around{at, node};
    }
  }
  return std::nullopt;
}

std::string CaptureView::graph_title() const {
  const std::string_view stage = text_of(graph()->stage());
  if (!around_) return std::string(stage);
  // An inner stage is the outer one, a space and the name of the node.
  std::string title;
  for (const char c : stage) c == ' ' ? title.append(" \u203A ") : title.append(1, c);
  return title;
}

void CaptureView::rebuild() {
  for (auto& lines : lines_) lines.clear();
  const wire::CaptureGraph* const shown = graph();
  drawing_.show(shown);
  around_ = find_around();
  file_ = kNoCapture;
  if (capture_ == nullptr) return;
  const auto list = [&](CapturePart part) -> std::vector<CaptureLine>& {
    return lines_[static_cast<std::size_t>(part)];
  };
  // Each frame, then why it was compiled again and where it broke.
  auto& frames = list(CapturePart::Frames);
  for (std::uint32_t at = 0; at < capture_->frames()->size(); ++at) {
    const wire::CaptureFrame& one = *capture_->frames()->Get(at);
    frames.push_back({Kind::Frame, at, at, {}});
    // Of a log the tree of its document has them.
    for (const wire::MetadataEntry* fact : *one.facts()) {
      if (capture_->is_log()) break;
      frames.push_back({Kind::Note, at, 0, fmt::format("{}: {}", text_of(fact->key()), text_of(fact->value()))});
    }
    for (const wire::CaptureReason* reason : *one.reasons()) {
      const std::string of =
          reason->of()->size() == 0 ? std::string() : fmt::format(" not [{}]:", text_of(reason->of()));
      frames.push_back({Kind::Reason, at, 0, fmt::format("compiled again,{} {}", of, text_of(reason->guard()))});
    }
    for (const wire::CaptureBreak* cut : *one.breaks()) {
      std::uint32_t line = 0;
      std::string place;
      if (cut->stack()->size() > 0) {
        const wire::CaptureLine& last = *cut->stack()->Get(cut->stack()->size() - 1);
        line = last.line();
        place = place_text(last.file(), last.line());
      }
      frames.push_back({Kind::Break, at, line,
                        fmt::format("{}{}{}: {}", place, place.empty() ? "" : ", ",
                                    kActions[static_cast<std::size_t>(cut->action())], text_of(cut->type()))});
      if (cut->explanation()->size() > 0)
        frames.push_back({Kind::Note, at, line, std::string(text_of(cut->explanation()))});
      for (const flatbuffers::String* hint : *cut->hints()) {
        frames.push_back({Kind::Note, at, line, fmt::format("Hint: {}", text_of(hint))});
      }
      for (const flatbuffers::String* next : *cut->then()) {
        frames.push_back({Kind::Note, at, line, fmt::format("Then: {}", text_of(next))});
      }
    }
  }
  const wire::CaptureFrame* const now = frame();
  if (now == nullptr) return;
  for (std::uint32_t at = 0; shown != nullptr && at < shown->op()->size(); ++at) {
    list(CapturePart::Nodes).push_back({Kind::Plain, frame_, at, {}});
  }
  // Which of its guards did not hold later comes first.
  for (std::uint32_t at = frame_ + 1; at < capture_->frames()->size(); ++at) {
    for (const wire::CaptureReason* reason : *capture_->frames()->Get(at)->reasons()) {
      if (text_of(reason->of()) != text_of(now->compile_id()) || reason->of()->size() == 0) continue;
      list(CapturePart::Guards)
          .push_back({Kind::Reason, at, 0,
                      fmt::format("did not hold for [{}]: {}", text_of(capture_->frames()->Get(at)->compile_id()),
                                  text_of(reason->guard()))});
    }
  }
  for (std::uint32_t at = 0; at < now->guards()->size(); ++at) {
    list(CapturePart::Guards).push_back({Kind::Plain, frame_, at, {}});
  }
  for (std::uint32_t at = 0; at < now->modules()->size(); ++at) {
    list(CapturePart::Modules).push_back({Kind::Plain, frame_, at, {}});
  }
  // The file of the function; else the first that a node of it names.
  file_ = now->file();
  for (std::uint32_t at = 0; file_ == kNoCapture && shown != nullptr && at < shown->file()->size(); ++at) {
    file_ = shown->file()->Get(at);
  }
  rebuild_source();
  rebuild_marks();
}

void CaptureView::rebuild_source() {
  auto& lines = lines_[static_cast<std::size_t>(CapturePart::Source)];
  lines.clear();
  nodes_of_line_.clear();
  first_node_of_line_.clear();
  if (file_ == kNoCapture) return;
  const wire::CaptureGraph* const shown = graph();
  for (std::uint32_t node = 0; shown != nullptr && node < shown->op()->size(); ++node) {
    const std::uint32_t line = shown->line()->Get(node);
    if (shown->file()->Get(node) != file_ || line == 0 || line > kMostLines) continue;
    if (line >= nodes_of_line_.size()) {
      nodes_of_line_.resize(line + 1, 0);
      first_node_of_line_.resize(line + 1, kNoCapture);
    }
    const bool is_input = shown->op()->Get(node) == static_cast<std::uint8_t>(wire::NodeOp::Placeholder);
    if (is_input) continue;
    if (nodes_of_line_[line]++ == 0) first_node_of_line_[line] = node;
  }
  const wire::CaptureFile& file = *capture_->files()->Get(file_);
  std::string_view rest = text_of(file.text());
  const auto& numbers = *file.numbers();
  for (std::uint32_t at = 0; at < kMostLines; ++at) {
    if (numbers.size() > 0 && at >= numbers.size()) break;
    const std::size_t end = rest.find('\n');
    const std::uint32_t number = numbers.size() > 0 ? numbers.Get(at) : at + 1;
    lines.push_back({Kind::Code, frame_, number, std::string(rest.substr(0, end))});
    // Breaks of this frame cut the source behind their lines.
    for (const wire::CaptureBreak* cut : *frame()->breaks()) {
      if (cut->stack()->size() == 0) continue;
      const wire::CaptureLine& last = *cut->stack()->Get(cut->stack()->size() - 1);
      if (last.line() != number || last.file() != file_) continue;
      lines.push_back({Kind::Cut, frame_, number,
                       fmt::format("{}: {}", text_of(cut->type()), kActions[static_cast<std::size_t>(cut->action())])});
      if (cut->explanation()->size() > 0) {
        lines.push_back({Kind::Note, frame_, number, std::string(text_of(cut->explanation()))});
      }
      for (const flatbuffers::String* hint : *cut->hints()) {
        lines.push_back({Kind::Note, frame_, number, fmt::format("Hint: {}", text_of(hint))});
      }
    }
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
}

std::string CaptureView::frame_title(std::uint32_t number) const {
  const wire::CaptureFrame& one = *capture_->frames()->Get(number);
  std::string title;
  if (one.compile_id()->size() > 0) title = fmt::format("[{}] ", text_of(one.compile_id()));
  title += text_of(one.name());
  const auto add = [&](std::string_view text) {
    if (!text.empty()) title.append(kDot).append(text);
  };
  add(place_text(one.file(), one.line()));
  add(text_of(one.outcome()));
  add(text_of(one.why()));
  if (one.graphs()->size() > 0) add(plural(one.graphs()->Get(0)->op()->size(), "node"));
  if (one.breaks()->size() > 0) add(plural(one.breaks()->size(), "break"));
  if (one.timings()->size() > 0) add(seconds_text(one.timings()->Get(0)->seconds()));
  return title;
}

std::string CaptureView::count_text(CapturePart part) const {
  const wire::CaptureFrame* const shown = frame();
  if (shown == nullptr) return {};
  std::size_t count = 0;
  switch (part) {
    case CapturePart::Frames:
      count = capture_->frames()->size();
      break;
    case CapturePart::Nodes:
      count = graph() == nullptr ? 0 : graph()->op()->size();
      break;
    case CapturePart::Guards:
      count = shown->guards()->size();
      break;
    case CapturePart::Modules:
      count = shown->modules()->size();
      break;
    default:
      break;
  }
  return count == 0 ? std::string() : thousands(count);
}

std::array<std::string_view, kCaptureColumns> CaptureView::titles(CapturePart part) {
  switch (part) {
    case CapturePart::Nodes:
      return {"Name", "Target", "Arguments", "Shape"};
    case CapturePart::Guards:
      return {"Guard", "Of", "Asked for at", "Condition"};
    case CapturePart::Modules:
      return {"Variable", "Module", "Class", "Reached by"};
    default:
      return {};
  }
}

std::array<std::string, kCaptureColumns> CaptureView::cells(CapturePart part, const CaptureLine& line) const {
  if (line.kind == Kind::Frame) return {frame_title(line.frame)};
  if (line.kind != Kind::Plain) return {line.text};
  const auto text = [](const flatbuffers::String* of) { return std::string(text_of(of)); };
  switch (part) {
    case CapturePart::Nodes: {
      const wire::CaptureGraph& shown = *graph();
      return {text(shown.name()->Get(line.index)), text(shown.target()->Get(line.index)),
              text(shown.arguments()->Get(line.index)), text(shown.example()->Get(line.index))};
    }
    case CapturePart::Guards: {
      const wire::CaptureGuard& guard = *frame()->guards()->Get(line.index);
      return {text(guard.kind()), text(guard.of()), place_text(guard.file(), guard.line()), text(guard.text())};
    }
    case CapturePart::Modules: {
      const wire::CaptureModule& module = *frame()->modules()->Get(line.index);
      return {text(module.variable()), text(module.of()), text(module.class_name()), text(module.source())};
    }
    default:
      return {};
  }
}

std::string CaptureView::remark(CapturePart part, const CaptureLine& line) const {
  if (line.kind != Kind::Plain) return line.text;
  if (part == CapturePart::Nodes) return node_text(line.index);
  if (part != CapturePart::Modules) return {};
  for (const Why& row : kWhys) {
    if (row.variable == text_of(frame()->modules()->Get(line.index)->variable())) return std::string(row.why);
  }
  return {};
}

std::string CaptureView::node_text(std::uint32_t node) const {
  const wire::CaptureGraph& shown = *graph();
  std::uint32_t users = 0;
  for (const std::uint32_t input : *shown.inputs()) users += input == node ? 1 : 0;
  std::string text = fmt::format("{}: {} {}", text_of(shown.name()->Get(node)), kOps[shown.op()->Get(node)],
                                 text_of(shown.target()->Get(node)));
  if (shown.arguments()->Get(node)->size() > 0) text += fmt::format("({})", text_of(shown.arguments()->Get(node)));
  if (shown.example()->Get(node)->size() > 0) text += fmt::format(" \u2192 {}", text_of(shown.example()->Get(node)));
  if (const auto body = body_of(node)) {
    text.append(kDot).append("a graph of ").append(plural(frame()->graphs()->Get(*body)->op()->size(), "node"));
  }
  text.append(kDot).append(plural(users, "user"));
  std::string around;
  for (std::uint32_t at = shown.stack()->Get(node); at != kNoCapture; at = shown.stacks()->Get(at)->parent()) {
    const std::string_view whole = text_of(shown.stacks()->Get(at)->class_name());
    around = fmt::format("{}{}{}", whole.substr(whole.rfind('.') + 1), around.empty() ? "" : " \u203A ", around);
  }
  if (!around.empty()) text.append(kDot).append(around);
  const std::string place = place_text(shown.file()->Get(node), shown.line()->Get(node));
  if (!place.empty()) text.append(kDot).append(place);
  return text;
}

std::string CaptureView::place_text(std::uint32_t file, std::uint32_t line) const {
  if (file == kNoCapture || line == 0) return {};
  const std::string_view name = text_of(capture_->files()->Get(file)->name());
  return fmt::format("{}:{}", name.substr(name.rfind('/') + 1), line);
}

std::uint32_t CaptureView::nodes_of_line(std::uint32_t line) const {
  return line < nodes_of_line_.size() ? nodes_of_line_[line] : 0;
}

std::optional<std::uint32_t> CaptureView::node_of_line(std::uint32_t line) const {
  if (nodes_of_line(line) == 0) return std::nullopt;
  return first_node_of_line_[line];
}

std::uint32_t CaptureView::line_of_node(std::uint32_t node) const {
  if (graph() == nullptr || node >= graph()->op()->size() || graph()->file()->Get(node) != file_) return 0;
  return graph()->line()->Get(node);
}

std::uint32_t CaptureView::index_of_line(std::uint32_t line) const {
  const auto& source = lines_[static_cast<std::size_t>(CapturePart::Source)];
  const auto found =
      std::find_if(source.begin(), source.end(), [&](const CaptureLine& one) { return one.index == line; });
  return found == source.end() ? kNoCapture : static_cast<std::uint32_t>(found - source.begin());
}

std::string CaptureView::module_path(std::uint32_t node) const {
  const std::uint32_t stack = graph()->stack()->Get(node);
  return stack == kNoCapture ? std::string() : source_path(text_of(graph()->stacks()->Get(stack)->name()));
}

std::string CaptureView::module_path(const CaptureLine& line) const {
  return source_path(text_of(frame()->modules()->Get(line.index)->of()));
}

void CaptureView::mark_module(std::string_view path) {
  if (path == marked_path_) return;
  marked_path_ = path;
  rebuild_marks();
}

void CaptureView::rebuild_marks() {
  marked_.clear();
  marked_count_ = 0;
  const wire::CaptureGraph* const shown = graph();
  if (shown == nullptr || marked_path_.empty()) return;
  // A program's path begins with its name of the whole: "net.blocks.0" is "blocks.0" of the frame. In a package both
  // are one.
  std::vector<std::uint8_t> is_inside(shown->stacks()->size(), 0);
  for (std::uint32_t at = 0; at < is_inside.size(); ++at) {
    const wire::CaptureStack& entry = *shown->stacks()->Get(at);
    const std::string path = source_path(text_of(entry.name()));
    const bool is_end = !path.empty() && marked_path_.size() > path.size() && marked_path_.ends_with(path) &&
                        marked_path_[marked_path_.size() - path.size() - 1] == '.';
    const bool is_it = is_end || (!path.empty() && marked_path_ == path);
    is_inside[at] = is_it || (entry.parent() != kNoCapture && is_inside[entry.parent()] != 0) ? 1 : 0;
  }
  marked_.assign(shown->op()->size(), 0);
  for (std::uint32_t node = 0; node < marked_.size(); ++node) {
    const std::uint32_t stack = shown->stack()->Get(node);
    if (stack == kNoCapture || is_inside[stack] == 0) continue;
    marked_[node] = 1;
    ++marked_count_;
  }
}

}  // namespace nns::model
