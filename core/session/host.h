#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/budget.h"
#include "core/base/byte_source.h"
#include "core/base/result.h"
#include "core/checkpoint/checkpoint.h"
#include "core/lesson/lesson.h"
#include "core/live/endpoint.h"
#include "core/session/running_program.h"
#include "core/session/samples.h"
#include "core/session/source_check.h"
#include "core/trace/trace.h"

namespace nns::session {

/// What a platform gives a Host: how to get at the bytes that a viewer names.
class SourceProvider {
 public:
  virtual ~SourceProvider() = default;
  struct Opened {
    std::shared_ptr<base::ByteSource> source;  ///< null: a folder, whose files are `siblings`
    std::shared_ptr<checkpoint::FileSet> siblings;
  };
  /// The file or folder registered as `source`, or the one at `url`. Nothing while it is on its way.
  virtual std::optional<base::Result<Opened>> open(std::uint64_t source, const std::string& name,
                                                   const std::string& url) = 0;
};

class Job;
/// What a log of TORCH_TRACE became: its document, and what is told of it once that has a number.
using TraceLogOpened = std::function<base::Result<void>(std::unique_ptr<checkpoint::Checkpoint> document,
                                                        std::function<live::Bytes(std::uint32_t number)> tell)>;
/// Makes the job that opens such a log: make_open_trace_log_job(). A Host that opens none links nothing of it.
using TraceLogOpener = std::unique_ptr<Job> (*)(std::uint64_t request, std::uint64_t source, std::string name,
                                                std::string url, std::shared_ptr<SourceProvider> sources,
                                                TraceLogOpened opened);

/// Makes the job that reads a package of torch.export: make_read_package_job(). It answers with a Capture of
/// `document`.
using PackageReader = std::unique_ptr<Job> (*)(std::uint64_t request, std::uint32_t document, std::uint64_t source,
                                               std::string name, std::string url,
                                               std::shared_ptr<SourceProvider> sources);

/// What a Host can open beside files of models.
struct Abilities {
  std::vector<Sample> samples;
  ProgramMaker programs;  ///< null: a file of source is not opened as a program
  /// The number of the first document. Hosts that serve one viewer together have ranges of their own.
  std::uint32_t first_document = 1;
  /// How much a recording of a program may hold.
  trace::Limits trace_limits{};
  SourceChecker check_source = nullptr;        ///< null: texts of programs are not looked through
  lesson::LessonReader read_lesson = nullptr;  ///< null: lessons are not opened
  TraceLogOpener open_trace_log = nullptr;     ///< null: logs of TORCH_TRACE are not opened
  PackageReader read_package = nullptr;        ///< null: programs of torch.export are not read
  /// recipe_list(), which reads programs; null: what can be set in trainings that are built in is not told.
  live::Bytes (*recipes)() = nullptr;
};
/// Every sample, and programs of Python.
Abilities all_abilities();

/// Serves one viewer: carries out its commands in slices and answers through `endpoint`.
/// What is opened is a document: a checkpoint, a sample model, or a program, which runs. Each request that takes time
/// is a job: it tells its progress at most 20 times a second and ends in exactly one Job message that says Finished,
/// Failed or Cancelled. A command that asks about what is not there fails its request; bytes that are no command fail
/// request 0. Threads: one; every call returns within about the budget.
class Host {
 public:
  /// Says hello at once.
  Host(std::unique_ptr<live::Endpoint> endpoint, std::shared_ptr<SourceProvider> sources,
       Abilities abilities = all_abilities());
  ~Host();
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  /// Takes waiting commands, then works on jobs until the budget is spent: the newest gets three slices of four, the
  /// others take turns in the fourth.
  /// True if there is more to do now; false: call again when a message came (or, if waiting(), after a moment).
  bool run(const base::Budget& budget);
  /// A job waits for bytes on their way.
  bool waiting() const;
  /// False once the viewer is gone: there is nobody to work for.
  bool is_connected() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace nns::session
