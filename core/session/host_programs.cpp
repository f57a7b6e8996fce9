// The programs of a Host.
#include <fmt/format.h>

#include "core/session/document_encoder.h"
#include "core/session/host_state.h"
#include "core/session/program_job.h"

namespace nns::session {

using live::text_of;

void Host::State::open_program(const wire::OpenSource& command) {
  const std::uint32_t id = next_document++;
  const std::uint64_t request = command.request();
  const ProgramDocumentRoom room = {.add =
                                        [this, id, request](ProgramOrigin origin) {
                                          OpenProgram& opened = programs[id];
                                          opened.program = make_program(std::move(origin));
                                          opened.request = request;
                                          return opened.program.get();
                                        },
                                    .publish = [this, id](const Job* job) { return publish(id, job); }};
  start(make_open_program_job(request, id, command.source(), std::string(text_of(command.name())),
                              std::string(text_of(command.url())), sources, room));
}

void Host::State::run_text(const wire::RunText& command) {
  const std::uint32_t id = command.document();
  const auto found = programs.find(id);
  if (found == programs.end()) {
    return send(job_failed(command.request(), not_there(fmt::format("document {} has no console", id))));
  }
  RunningProgram& program = *found->second.program;
  const auto shown = documents.find(id);
  if (program.is_running() || shown == documents.end()) {
    return send(job_failed(command.request(), {.found = "the program is still running",
                                               .expected = "its end, or stop it first",
                                               .where = fmt::format("document {}", id),
                                               .offset = std::nullopt}));
  }
  send(program_output(id, {OutputKind::Typed, std::string(text_of(command.text())) + "\n"}));
  program.run_typed(std::string(text_of(command.text())));
  start(make_program_job(command.request(), id, shown->second->title, program,
                         {.add = nullptr, .publish = [this, id](const Job* job) { return publish(id, job); }}));
}

void Host::State::complete_text(const wire::CompleteText& command) {
  const auto found = programs.find(command.document());
  if (found == programs.end()) {
    return send(
        job_failed(command.request(), not_there(fmt::format("document {} has no console", command.document()))));
  }
  send(completions(command.request(), command.document(),
                   found->second.program->complete(std::string(text_of(command.text())))));
}

base::Result<void> Host::State::publish(std::uint32_t id, const Job* job) {
  OpenProgram& opened = programs.at(id);
  NNS_TRY_ASSIGN(auto document, opened.program->document());
  DocumentHeader header = {.id = id,
                           .version = 0,
                           .request = opened.request,
                           .kind = wire::DocumentKind::Program,
                           .head = 0,
                           .has_console = true};
  NNS_TRY_ASSIGN(live::Bytes bytes, encode_document(*document, header));
  if (bytes == opened.told) return {};
  header.version = opened.version + 1;
  NNS_TRY_ASSIGN(live::Bytes message, encode_document(*document, header));
  opened.told = std::move(bytes);
  opened.version = header.version;
  end_jobs(id, job);
  documents.insert_or_assign(id, std::move(document));
  send(std::move(message));
  return {};
}

}  // namespace nns::session
