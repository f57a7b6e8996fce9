#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/live/endpoint.h"
#include "core/live/message.h"
#include "core/live/training_commands.h"
#include "core/session/host.h"
#include "core/session/jobs.h"
#include "core/session/program_job.h"
#include "core/session/recording_document.h"

/// What a Host is made of: for its own files only.
namespace nns::session {

namespace wire = live::wire;

struct RunningJob {
  std::unique_ptr<Job> job;
  bool is_waiting = false;
  bool is_held = false;
  base::Budget::Clock::time_point told_at;
  Job::Progress told;
};

/// A program that is open, and how it was told last.
struct OpenProgram {
  std::unique_ptr<RunningProgram> program;
  std::uint64_t request = 0;  ///< that opened it
  std::shared_ptr<checkpoint::FileSet> siblings;
  std::uint32_t version = 0;
  live::Bytes told;             ///< its document as version 0
  std::uint32_t recording = 0;  ///< how many there were
  std::size_t files_told = 0;   ///< of the newest
  bool is_trace_told = false;   ///< to its end
};

/// "What was asked for is not there", as an error.
inline base::Error not_there(std::string found) {
  return {.found = std::move(found), .expected = {}, .where = {}, .offset = std::nullopt};
}

struct Host::State {
  std::unique_ptr<live::Endpoint> endpoint;
  std::shared_ptr<SourceProvider> sources;
  std::vector<Sample> samples;
  ProgramMaker make_program;
  trace::Limits trace_limits;
  SourceChecker check_source;
  lesson::LessonReader read_lesson = nullptr;
  TraceLogOpener open_log = nullptr;
  PackageReader package_reader = nullptr;
  live::Bytes (*list_recipes)() = nullptr;
  std::map<std::uint32_t, std::unique_ptr<checkpoint::Checkpoint>> documents;
  /// Of the documents that have a console. They go before their documents do.
  std::map<std::uint32_t, OpenProgram> programs;
  std::map<std::uint32_t, OpenRecording> recordings;
  std::uint32_t next_document = 1;
  std::vector<RunningJob> jobs;  // oldest first
  std::uint64_t turn = 0;
  /// Commands that came while a job could not return; they are carried out next.
  std::deque<live::Bytes> early;
  /// The request of the job that works; 0: none does.
  std::uint64_t working = 0;

  void send(live::Bytes message) { endpoint->send(std::move(message)); }
  std::vector<RunningJob>::iterator find_job(std::uint64_t request);
  void hold(std::uint64_t request, bool held);
  void start(std::unique_ptr<Job> job);
  void take_commands();
  void carry_out(const live::Message& message);
  void open_sample(const wire::OpenSample& command);
  void close_document(std::uint32_t id);
  void inspect(const wire::Inspect& command);
  void inspect_tensor(const wire::InspectTensor& command);
  // The values of the part of a tensor that a command names; otherwise the request fails. `name` becomes the tensor's.
  template <class Command>
  std::optional<checkpoint::ElementSource> part_of(const Command& command, std::string& name);
  void request_tile(const wire::RequestTile& command);
  void request_diff(const wire::RequestDiff& command);
  void request_diff_tile(const wire::RequestDiffTile& command);
  void inspect_view(const wire::InspectView& command);
  void find_value(const wire::FindValue& command);
  void request_values(const wire::RequestValues& command);
  void read_tensor_file(const wire::ReadTensorFile& command);
  void request_model_statistics(const wire::RequestModelStatistics& command);
  void cancel(std::uint64_t request);
  // Whether the job that works is to be cancelled: asked by a program inside of a call that cannot return.
  bool is_cancel_waiting();
  // Ends what reads that document, but for one job.
  void end_jobs(std::uint32_t document, const Job* but);
  // host_programs.cpp
  void open_program(const wire::OpenSource& command);
  // Where the program of a document finds its place, and how the document is told.
  ProgramDocumentRoom room_of(std::uint32_t id, std::uint64_t request);
  // The program, if it is open and nothing runs in it; otherwise the request fails.
  OpenProgram* idle_program(std::uint64_t request, std::uint32_t id);
  // Starts the job of what the program has begun.
  void start_program(std::uint64_t request, std::uint32_t id, const std::string& name);
  void run_text(const wire::RunText& command);
  void complete_text(const wire::CompleteText& command);
  // host_traces.cpp
  void record_program(const wire::RecordProgram& command);
  // Begins a recording of this text, or of that which the program has.
  void begin_recording(std::uint32_t id, std::optional<std::string> text);
  void move_in_trace(const wire::MoveInTrace& command);
  // Tells how far the newest recording is.
  void tell_trace(std::uint32_t id);
  void open_recording(const wire::OpenSource& command);
  void seek_recording(const wire::SeekRecording& command);
  // host_training.cpp
  void start_training(const wire::StartTraining& command);
  void start_training(std::uint64_t request, live::StartOfTraining how);
  void tell_recipes(const wire::RequestRecipes& command);
  // Carries out what is said to the training of a program; false: the message is no such command.
  bool command_training(const live::Message& message);
  void inspect_call(const wire::InspectCall& command);
  // host_captures.cpp
  void capture_program(const wire::CaptureProgram& command);
  void open_trace_log(const wire::OpenSource& command);
  void read_package(const wire::ReadPackage& command);
  void look_through(const wire::CheckSource& command);
  void run_source(const wire::RunSource& command);
  void open_shared(const wire::OpenShared& command);
  // With a lesson it is recorded.
  void start_source(std::uint64_t request, std::uint32_t id, const std::string& name, std::string text,
                    const lesson::Lesson* lesson = nullptr);
  void start_lesson(std::uint64_t request, const Sample& sample);
  // Tells the program's document if it is another than was told last; `job` is what runs it.
  base::Result<void> publish(std::uint32_t id, const Job* job);
  base::Result<void> add_document(std::uint64_t request, wire::DocumentKind kind,
                                  std::unique_ptr<checkpoint::Checkpoint> document, std::uint64_t head = 0);
  // The document, if it is open and has that tensor; otherwise the request fails.
  checkpoint::Checkpoint* with_tensor(std::uint64_t request, std::uint32_t document, std::uint32_t tensor);
  std::size_t choose();
  void step(std::size_t index, const base::Budget& budget);
  void tell_progress(RunningJob& running);
  void send_progress(RunningJob& running, Job::Progress progress);
};

}  // namespace nns::session
