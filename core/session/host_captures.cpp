// What a compiler makes of a Host's programs, and files that tell of that.
#include <fmt/format.h>

#include "core/live/commands.h"
#include "core/session/document_encoder.h"
#include "core/session/host_state.h"

namespace nns::session {

using live::text_of;

void Host::State::capture_program(const wire::CaptureProgram& command) {
  const std::uint32_t id = command.document();
  OpenProgram* const opened = idle_program(command.request(), id);
  if (opened == nullptr) return;
  CaptureQuestion question;
  if (command.has_text()) question.text = std::string(text_of(command.text()));
  question.call = std::string(text_of(command.call()));
  for (const flatbuffers::String* input : *command.inputs()) question.inputs.emplace_back(text_of(input));
  for (const wire::Setting* setting : *command.settings()) {
    question.settings.emplace_back(text_of(setting->key()), text_of(setting->value()));
  }
  opened->program->capture(std::move(question));
  start(make_capture_job(command.request(), id, documents.at(id)->title, *opened->program,
                         room_of(id, command.request())));
}

void Host::State::open_trace_log(const wire::OpenSource& command) {
  const std::uint64_t request = command.request();
  const bool is_file = command.url()->size() == 0;
  start(open_log(request, command.source(), std::string(text_of(command.name())), std::string(text_of(command.url())),
                 sources,
                 [this, request, is_file](std::unique_ptr<checkpoint::Checkpoint> document,
                                          const std::function<live::Bytes(std::uint32_t)>& tell) {
                   const std::uint64_t head = is_file ? hash_of_head(*document) : 0;
                   send(tell(next_document));
                   return add_document(request, wire::DocumentKind::Capture, std::move(document), head);
                 }));
}

void Host::State::read_package(const wire::ReadPackage& command) {
  if (package_reader == nullptr) {
    return send(job_failed(command.request(), not_there("programs of torch.export are not read here")));
  }
  start(package_reader(command.request(), command.document(), command.source(), std::string(text_of(command.name())),
                       std::string(text_of(command.url())), sources));
}

}  // namespace nns::session
