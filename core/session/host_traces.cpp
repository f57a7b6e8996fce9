// Recordings of a Host's programs.
#include <fmt/format.h>

#include "core/session/host_state.h"
#include "core/session/trace_messages.h"

namespace nns::session {

using live::text_of;

void Host::State::record_program(const wire::RecordProgram& command) {
  const std::uint32_t id = command.document();
  OpenProgram* const opened = idle_program(command.request(), id);
  if (opened == nullptr) return;
  std::optional<std::string> text;
  if (command.has_text()) text = std::string(text_of(command.text()));
  send_output(*opened->program, id, [this](live::Bytes message) { send(std::move(message)); });
  begin_recording(id, std::move(text));
  start_program(command.request(), id, documents.at(id)->title);
}

void Host::State::begin_recording(std::uint32_t id, std::optional<std::string> text) {
  OpenProgram& opened = programs.at(id);
  opened.program->record_file(std::move(text), trace_limits);
  ++opened.recording;
  opened.files_told = 0;
  opened.is_trace_told = false;
  // Viewers hear of it before what it writes.
  tell_trace(id);
}

void Host::State::tell_trace(std::uint32_t id) {
  OpenProgram& opened = programs.at(id);
  const trace::Trace* const trace = opened.program->trace();
  if (trace == nullptr || opened.is_trace_told) return;
  const TraceKey key = {id, opened.recording};
  for (; opened.files_told < trace->files().size(); ++opened.files_told) {
    send(trace_file(key, *trace, static_cast<trace::FileId>(opened.files_told)));
  }
  opened.is_trace_told = !opened.program->is_running();
  send(trace_state(key, *trace, opened.is_trace_told));
}

void Host::State::move_in_trace(const wire::MoveInTrace& command) {
  const auto found = programs.find(command.document());
  const trace::Trace* const trace = found == programs.end() ? nullptr : found->second.program->trace();
  if (trace == nullptr || trace->size() == 0) {
    return send(
        job_failed(command.request(), not_there(fmt::format("document {} has no recording", command.document()))));
  }
  send(trace_moment({command.document(), found->second.recording}, *trace, command));
}

}  // namespace nns::session
