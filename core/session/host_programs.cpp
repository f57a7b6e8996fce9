// The programs of a Host.
#include <fmt/format.h>

#include "core/lesson/lesson.h"
#include "core/session/document_encoder.h"
#include "core/session/host_state.h"
#include "core/session/program_job.h"
#include "core/session/source_code.h"

namespace nns::session {

using live::text_of;

ProgramDocumentRoom Host::State::room_of(std::uint32_t id, std::uint64_t request) {
  return {.add =
              [this, id, request](ProgramOrigin origin) {
                OpenProgram& opened = programs[id];
                opened.siblings = origin.siblings;
                origin.is_stop_waiting = [this] { return is_cancel_waiting(); };
                opened.program = make_program(std::move(origin));
                opened.request = request;
                return opened.program.get();
              },
          .read_lesson = read_lesson,
          .record = [this, id](std::string text) { begin_recording(id, std::move(text)); },
          .publish = [this, id](const Job* job) { return publish(id, job); }};
}

void Host::State::open_program(const wire::OpenSource& command) {
  const std::uint32_t id = next_document++;
  start(make_open_program_job(command.request(), id, command.source(), std::string(text_of(command.name())),
                              std::string(text_of(command.url())), sources, room_of(id, command.request())));
}

OpenProgram* Host::State::idle_program(std::uint64_t request, std::uint32_t id) {
  const auto found = programs.find(id);
  if (found == programs.end()) {
    send(job_failed(request, not_there(fmt::format("document {} is no program", id))));
    return nullptr;
  }
  if (found->second.program->is_running() || !documents.contains(id)) {
    send(job_failed(request, {.found = "the program is still running",
                              .expected = "its end, or stop it first",
                              .where = fmt::format("document {}", id),
                              .offset = std::nullopt}));
    return nullptr;
  }
  return &found->second;
}

void Host::State::start_program(std::uint64_t request, std::uint32_t id, const std::string& name) {
  start(make_program_job(request, id, name, *programs.at(id).program, room_of(id, request)));
}

void Host::State::run_text(const wire::RunText& command) {
  const std::uint32_t id = command.document();
  const OpenProgram* const opened = idle_program(command.request(), id);
  if (opened == nullptr) return;
  const std::string text(text_of(command.text()));
  send(program_output(id, {OutputKind::Typed, text + "\n"}));
  opened->program->run_typed(text);
  start_program(command.request(), id, documents.at(id)->title);
}

void Host::State::inspect_call(const wire::InspectCall& command) {
  const std::uint32_t id = command.document();
  OpenProgram* const opened = idle_program(command.request(), id);
  if (opened == nullptr) return;
  CallQuestion question{std::string(text_of(command.model())), {}, command.with_values()};
  for (const flatbuffers::String* input : *command.inputs()) question.inputs.emplace_back(text_of(input));
  opened->program->inspect_call(question);
  start(make_call_job(command.request(), id, std::move(question.model), *opened->program));
}

void Host::State::look_through(const wire::CheckSource& command) {
  if (check_source == nullptr) {
    return send(job_failed(command.request(), not_there("no program can be looked through here")));
  }
  const std::string text(text_of(command.text()));
  send(source_looks(command.request(), check_source(text), pack_source(text_of(command.name()), text)));
}

void Host::State::run_source(const wire::RunSource& command) {
  const std::uint32_t id = command.document();
  if (make_program == nullptr || (id != 0 && !programs.contains(id))) {
    return send(job_failed(command.request(), not_there(fmt::format("document {} is no program", id))));
  }
  start_source(command.request(), id, std::string(text_of(command.name())), std::string(text_of(command.text())));
}

void Host::State::open_shared(const wire::OpenShared& command) {
  if (make_program == nullptr) {
    return send(job_failed(command.request(), not_there("no program can be run here")));
  }
  auto unpacked = unpack_source(text_of(command.code()));
  if (!unpacked.ok()) return send(job_failed(command.request(), unpacked.error()));
  start_source(command.request(), 0, unpacked->name, std::move(unpacked->text));
}

/// Document 0: a new one.
void Host::State::start_source(std::uint64_t request, std::uint32_t id, const std::string& name, std::string text,
                               const lesson::Lesson* lesson) {
  const bool is_new = id == 0;
  if (is_new) id = next_document++;
  end_jobs(id, nullptr);
  OpenProgram& opened = programs[id];
  if (is_new) opened.request = request;
  opened.program = make_program(
      {.name = name, .siblings = opened.siblings, .document = id, .training = nullptr, .is_stop_waiting = [this] {
         return is_cancel_waiting();
       }});
  // What hangs on the program that is gone must be told anew, even if it looks the same.
  opened.told.clear();
  send(program_source(id, name, text));
  if (lesson != nullptr) {
    send(lesson_message(id, *lesson));
    begin_recording(id, std::move(text));
  } else {
    opened.program->run_file(std::move(text));
  }
  if (is_new) {
    if (const auto told = publish(id, nullptr); !told.ok()) {
      programs.erase(id);
      return send(job_failed(request, told.error()));
    }
  }
  start_program(request, id, name);
}

void Host::State::start_lesson(std::uint64_t request, const Sample& sample) {
  if (read_lesson == nullptr) return send(job_failed(request, lessons_are_not_opened()));
  auto read = read_lesson(sample.text, sample.name);
  if (!read.ok()) return send(job_failed(request, read.error()));
  start_source(request, 0, lesson_program_name(sample.name), read->program, &*read);
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
  tell_trace(id);
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
