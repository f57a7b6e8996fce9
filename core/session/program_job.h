#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/session/host.h"
#include "core/session/jobs.h"
#include "core/session/running_program.h"

namespace nns::session {

/// What the file of a program is to be.
inline constexpr const char* kPythonFile = "a file of Python source";
/// As a lesson's program is called: that of conv1.md is conv1.py.
std::string lesson_program_name(std::string_view lesson);
/// Of a host without a reader of lessons.
base::Error lessons_are_not_opened();

/// Sends what a program wrote since the last time.
void send_output(RunningProgram& program, std::uint32_t document, const Job::Send& send);

/// What a program's job does to the document that shows it.
struct ProgramDocumentRoom {
  /// The program of a file that has come; it is the host's.
  std::function<RunningProgram*(ProgramOrigin origin)> add;
  /// Null: lessons are not opened.
  lesson::LessonReader read_lesson = nullptr;
  /// Begins a recording of that text.
  std::function<void(std::string text)> record = nullptr;
  /// Tells the document if it has changed.
  std::function<base::Result<void>(const Job* job)> publish;
};

/// Opens a source as a program and runs its text: what it writes is sent as it comes, the document at the beginning,
/// at most once a second while it runs, and at the end.
std::unique_ptr<Job> make_open_program_job(std::uint64_t request, std::uint32_t document, std::uint64_t source,
                                           std::string name, std::string url, std::shared_ptr<SourceProvider> sources,
                                           ProgramDocumentRoom room);
/// Runs what a program has begun, likewise. `name`: of the program.
std::unique_ptr<Job> make_program_job(std::uint64_t request, std::uint32_t document, std::string name,
                                      RunningProgram& program, ProgramDocumentRoom room);
/// Goes on with the capture that the program has begun, then tells it and the document.
std::unique_ptr<Job> make_capture_job(std::uint64_t request, std::uint32_t document, std::string name,
                                      RunningProgram& program, ProgramDocumentRoom room);
/// Goes on with the call that the program was asked to tell of.
std::unique_ptr<Job> make_call_job(std::uint64_t request, std::uint32_t document, std::string model,
                                   RunningProgram& program);

}  // namespace nns::session
