#include "core/session/program_job.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <utility>

#include "core/lesson/lesson.h"
#include "core/session/source_text.h"

namespace nns::session {

namespace {

using Clock = base::Budget::Clock;

// The document is looked at again while a program runs, as long as that takes little of its time.
constexpr auto kBetweenDocuments = std::chrono::seconds(1);
constexpr int kLeastShare = 20;

class ProgramJob final : public Job {
 public:
  ProgramJob(std::uint64_t request, std::uint32_t document, std::string name, RunningProgram* program,
             ProgramDocumentRoom room)
      : Job(request, document), name_(std::move(name)), program_(program), room_(std::move(room)) {}

  /// What the compiler made of it is told at the end.
  void tell_capture() { tells_capture_ = true; }

  /// The program is still to be opened.
  void open(std::uint64_t source, std::string url, std::shared_ptr<SourceProvider> sources) {
    source_ = source;
    url_ = std::move(url);
    sources_ = std::move(sources);
  }

  base::Result<JobStep> step(const base::Budget& budget, const Send& send) override {
    if (program_ == nullptr) {
      NNS_TRY_ASSIGN(const bool is_there, begin(send));
      if (!is_there) return JobStep::Waiting;
      NNS_TRY(room_.publish(this));
      published_at_ = Clock::now();
      return JobStep::Working;
    }
    const bool is_over = program_->step(budget);
    send_output(*program_, document(), send);
    ProgramTraining* const training = program_->training();
    if (training != nullptr) training->tell(send, is_over);
    const JobStep more = training != nullptr && training->is_paused() ? JobStep::Waiting : JobStep::Working;
    const Clock::time_point now = Clock::now();
    if (!is_over && now < published_at_ + pause_) return more;
    NNS_TRY(room_.publish(this));
    published_at_ = Clock::now();
    pause_ = std::max<Clock::duration>(kBetweenDocuments, kLeastShare * (published_at_ - now));
    if (is_over && tells_capture_) send(program_->take_capture(request()));
    return is_over ? JobStep::Done : more;
  }

  void cancel(const Send& send) override {
    if (program_ == nullptr) return;
    program_->stop();
    send_output(*program_, document(), send);
    if (program_->training() != nullptr) program_->training()->tell(send, true);
    // A document that cannot be told any more stays as it was; what was asked for was the end.
    static_cast<void>(room_.publish(this));
  }

  base::Result<void> hold(const Send& /*send*/) override {
    return program_ == nullptr ? base::Result<void>() : room_.publish(this);
  }

  void rest(const Send& send) override {
    if (program_ != nullptr && program_->training() != nullptr) program_->training()->tell(send, false);
  }

  Progress progress() const override {
    return {fmt::format("{} {}", tells_capture_ ? "Capturing" : "Running", name_), 0, 0};
  }

 private:
  base::Result<bool> begin(const Send& send) {
    auto found = open_file(*sources_, source_, name_, url_, kPythonFile);
    if (!found) return false;
    NNS_TRY_ASSIGN(SourceProvider::Opened opened, std::move(*found));
    NNS_TRY_ASSIGN(std::string text, read_source_text(*opened.source));
    std::optional<lesson::Lesson> lesson;
    if (lesson::is_lesson(name_)) {
      if (room_.read_lesson == nullptr) return lessons_are_not_opened();
      NNS_TRY_ASSIGN(lesson, room_.read_lesson(text, name_));
      name_ = lesson_program_name(name_);
      text = lesson->program;
    }
    program_ = room_.add({.name = name_, .siblings = std::move(opened.siblings), .document = document()});
    send(program_source(document(), name_, text));
    if (lesson) {
      send(lesson_message(document(), *lesson));
      room_.record(std::move(text));
    } else {
      program_->run_file(std::move(text));
    }
    return true;
  }

  std::string name_;
  RunningProgram* program_;
  ProgramDocumentRoom room_;
  bool tells_capture_ = false;
  std::uint64_t source_ = 0;
  std::string url_;
  std::shared_ptr<SourceProvider> sources_;
  Clock::time_point published_at_;
  Clock::duration pause_ = kBetweenDocuments;
};

class CallJob final : public Job {
 public:
  CallJob(std::uint64_t request, std::uint32_t document, std::string model, RunningProgram& program)
      : Job(request, document), model_(std::move(model)), program_(program) {}

  base::Result<JobStep> step(const base::Budget& budget, const Send& send) override {
    const bool is_over = program_.step(budget);
    if (!is_over) {
      send_output(program_, document(), send);
      return JobStep::Working;
    }
    auto found = program_.take_call(request());
    send_output(program_, document(), send);
    NNS_TRY_ASSIGN(live::Bytes message, std::move(found));
    send(std::move(message));
    return JobStep::Done;
  }

  void cancel(const Send& send) override {
    program_.stop();
    send_output(program_, document(), send);
  }

  Progress progress() const override { return {fmt::format("Calling {}", model_), 0, 0}; }

 private:
  std::string model_;
  RunningProgram& program_;
};

std::string name_in(const std::string& url) {
  const std::string path = url.substr(0, url.find_first_of("?#"));
  return path.substr(path.rfind('/') + 1);
}

}  // namespace

base::Error lessons_are_not_opened() {
  return {.found = "no lesson can be opened here", .expected = {}, .where = {}, .offset = std::nullopt};
}

std::string lesson_program_name(std::string_view lesson) {
  lesson = lesson.substr(lesson.rfind('/') + 1);
  return std::string(lesson.substr(0, lesson.rfind('.'))) + ".py";
}

void send_output(RunningProgram& program, std::uint32_t document, const Job::Send& send) {
  for (const ProgramOutput& piece : program.take_output()) send(program_output(document, piece));
  if (std::optional<live::Bytes> ranks = program.take_ranks()) send(*std::move(ranks));
}

std::unique_ptr<Job> make_open_program_job(std::uint64_t request, std::uint32_t document, std::uint64_t source,
                                           std::string name, std::string url, std::shared_ptr<SourceProvider> sources,
                                           ProgramDocumentRoom room) {
  if (name.empty()) name = name_in(url);
  auto job = std::make_unique<ProgramJob>(request, document, std::move(name), nullptr, std::move(room));
  job->open(source, std::move(url), std::move(sources));
  return job;
}

std::unique_ptr<Job> make_program_job(std::uint64_t request, std::uint32_t document, std::string name,
                                      RunningProgram& program, ProgramDocumentRoom room) {
  return std::make_unique<ProgramJob>(request, document, std::move(name), &program, std::move(room));
}

std::unique_ptr<Job> make_capture_job(std::uint64_t request, std::uint32_t document, std::string name,
                                      RunningProgram& program, ProgramDocumentRoom room) {
  auto job = std::make_unique<ProgramJob>(request, document, std::move(name), &program, std::move(room));
  job->tell_capture();
  return job;
}

std::unique_ptr<Job> make_call_job(std::uint64_t request, std::uint32_t document, std::string model,
                                   RunningProgram& program) {
  return std::make_unique<CallJob>(request, document, std::move(model), program);
}

}  // namespace nns::session
