#include "core/live/trace_view.h"

#include <fmt/format.h>

#include <utility>

namespace nns::live {

bool TraceView::begin(std::uint32_t recording, std::uint64_t written) {
  if (recording < recording_) return false;
  if (recording > recording_) {
    const std::uint64_t version = version_;
    *this = TraceView();
    recording_ = recording;
    version_ = version;
    output_begin_ = written;
  }
  ++version_;
  return true;
}

const TraceView::File* TraceView::file(std::uint32_t id) const {
  const auto found = files_.find(id);
  return found == files_.end() ? nullptr : &found->second;
}

std::optional<std::uint32_t> TraceView::file_with_name(std::string_view name) const {
  for (const auto& [id, file] : files_) {
    if (file.name == name) return id;
  }
  return std::nullopt;
}

void TraceView::add(const wire::TraceState& state, std::uint64_t written) {
  if (!begin(state.recording(), written)) return;
  events_ = state.events();
  is_complete_ = state.is_complete();
  is_full_ = state.is_full();
  left_out_ = state.left_out();
  bytes_ = state.bytes();
  overview_.assign(state.overview()->begin(), state.overview()->end());
}

void TraceView::add(const wire::TraceFile& file, std::uint64_t written) {
  if (!begin(file.recording(), written)) return;
  files_[file.file()] = {std::string(text_of(file.name())), std::string(text_of(file.text())), file.is_library()};
}

base::Result<void> TraceView::add_moment(Message message, std::uint64_t written) {
  const wire::TraceMoment& moment = *message.as<wire::TraceMoment>();
  if (moment.recording() < recording_) return {};
  // Places in sources are used as they are.
  for (const wire::TraceFrame* frame : *moment.frames()) {
    const File* const of = file(frame->file());
    if (of != nullptr && (frame->begin() > frame->end() || frame->end() > of->text.size())) {
      return base::Error{.found = fmt::format("a frame at bytes {} to {}", frame->begin(), frame->end()),
                         .expected = fmt::format("inside the {} bytes of {}", of->text.size(), of->name),
                         .where = "stream",
                         .offset = std::nullopt};
    }
  }
  begin(moment.recording(), written);
  moment_ = std::move(message);
  return {};
}

}  // namespace nns::live
