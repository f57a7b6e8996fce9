// Where in the program a Watch says that something was made.
#include <algorithm>

#include "core/train/watch.h"

namespace nns::train {

namespace {

std::string_view file_of(const python::Frame& frame) { return frame.code->tree->source().name(); }

}  // namespace

// What nnscope brings along is called "<torch.nn.functional>"; so may the program be that is run: "<gpt>".
const python::Frame* Watch::own_frame() {
  const python::Frame* const top = python::Machine::of(interpreter_).frame();
  if (top == nullptr || top->code == own_code_) return top;
  const python::Frame* outermost = top;
  while (outermost->back != nullptr) outermost = outermost->back;
  for (const python::Frame* at = top; at != nullptr; at = at->back) {
    if (!file_of(*at).starts_with('<') || file_of(*at) == file_of(*outermost)) return at;
  }
  return top;
}

void Watch::forget_lines() {
  lines_.clear();
  own_code_ = nullptr;
}

void Watch::node_made(const ops::Node& node) {
  const python::Frame* const frame = own_frame();
  if (frame == nullptr) return;
  const std::uint32_t instruction = frame->instruction();
  if (!lines_.empty() && lines_.back().instruction == instruction && lines_.back().code.get() == frame->code) return;
  // A program that makes no steps, and never goes backward, makes nodes all the same.
  constexpr std::size_t kMostLines = 1U << 16U;
  if (lines_.size() == kMostLines) lines_.erase(lines_.begin(), lines_.begin() + kMostLines / 2);
  lines_.push_back({node.sequence, Ref<python::Code>(frame->code), instruction});
  if (frame == python::Machine::of(interpreter_).frame()) own_code_ = frame->code;
}

SourcePlace Watch::place_now() {
  const python::Frame* const frame = own_frame();
  if (frame == nullptr) return {};
  return {std::string(file_of(*frame)), frame->code->line_of(frame->instruction())};
}

SourcePlace Watch::place_of(const ops::Node& node) const {
  const auto after = std::upper_bound(lines_.begin(), lines_.end(), node.sequence,
                                      [](std::uint64_t sequence, const Line& one) { return sequence < one.first; });
  if (after == lines_.begin()) return {};
  const Line& line = *std::prev(after);
  return {std::string(line.code->tree->source().name()), line.code->line_of(line.instruction)};
}

NotFinite Watch::made_by(const ops::Node& node, Phase phase, bool is_nan) const {
  NotFinite found{is_nan, phase, module_of(node), {}, std::string(node.type().name())};
  found.path = path_of(found.module);
  found.place = place_of(node);
  return found;
}

}  // namespace nns::train
