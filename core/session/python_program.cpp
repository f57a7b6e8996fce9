#include "core/session/python_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "core/object/operations.h"
#include "core/python/eval/console.h"
#include "core/python/eval/run.h"
#include "core/python/packages/packages.h"
#include "core/python/stdlib/stdlib.h"
#include "core/recorder/recorder.h"
#include "core/session/call_inspection.h"
#include "core/session/program_document.h"
#include "core/session/source_text.h"
#include "core/session/training_session.h"
#include "core/train/recipes.h"

namespace nns::session {

namespace {

using object::Interpreter;
using object::PyResult;
using object::Value;
using python::Machine;

constexpr int kNoSuchFile = 2;  // Linux's ENOENT, wherever this runs

class PythonProgram final : public RunningProgram {
 public:
  explicit PythonProgram(ProgramOrigin origin) : origin_(std::move(origin)) { make_world(); }
  ~PythonProgram() override { leave_world(); }
  PythonProgram(const PythonProgram&) = delete;
  PythonProgram& operator=(const PythonProgram&) = delete;

  void record_file(std::optional<std::string> text, const trace::Limits& limits) override {
    leave_world();
    make_world();
    trace_ = std::make_unique<trace::Trace>(limits);
    recorder_ = std::make_unique<recorder::Recorder>(*machine_, *trace_);
    run_file(text ? *std::move(text) : text_);
    // A text that is no program ends before it begins.
    if (!is_running_) end_recording();
  }
  const trace::Trace* trace() const override { return trace_.get(); }

  void run_file(std::string text) override {
    text_ = text;
    program_->names->set(machine_->names.dunder_file, program_->interpreter->text(origin_.name));
    begin(origin_.name, std::move(text), python::CompileMode::Module);
  }

  bool run_recipe(const std::string& name) override {
    const train::Recipe* const recipe = train::find_recipe(name);
    if (recipe != nullptr) run_file(std::string(recipe->text));
    return recipe != nullptr;
  }

  void run_typed(std::string text) override {
    // Each gets a file of its own, so that tracebacks show the lines of what was typed.
    begin(fmt::format("<console {}>", ++typed_), std::move(text), python::CompileMode::Interactive);
  }

  void inspect_call(CallQuestion question) override {
    call_.emplace(*machine_, program_->names, std::move(question));
    is_running_ = true;
  }

  base::Result<live::Bytes> take_call(std::uint64_t request) override {
    const CallQuestion question = call_->question();
    auto found = call_->take_result();
    call_.reset();
    if (found.ok()) return call_summary(request, origin_.document, question, found.value());
    tell(found.error());
    return base::Error{.found = fmt::format("{}: {}", found.error().type(), found.error().message()),
                       .expected = {},
                       .where = question.model,
                       .offset = std::nullopt};
  }

  bool step(const base::Budget& budget) override {
    if (!is_running_) return true;
    if (call_) {
      is_running_ = !call_->step([&] { return budget.spent(); });
      return !is_running_;
    }
    if (training_->is_paused()) return false;
    const std::function<bool()> is_over = [&] { return budget.spent() || training_->is_paused(); };
    const std::optional<PyResult<Value>> result = machine_->go_on(is_over);
    if (!result) return false;
    is_running_ = false;
    end_recording();
    if (!result->ok()) tell(result->error());
    end_training(result->ok() ? nullptr : &result->error());
    return true;
  }

  ProgramTraining* training() override { return session_.get(); }

  bool is_running() const override { return is_running_; }

  void stop() override {
    if (!is_running_) return;
    is_running_ = false;
    end_recording();
    machine_->abandon();
    if (call_) return call_.reset();
    training_->ended(std::nullopt, true);
    write(OutputKind::Error, "KeyboardInterrupt\n");
  }

  std::vector<ProgramOutput> take_output() override { return std::exchange(output_, {}); }

  Completions complete(const std::string& text) override {
    return {static_cast<std::uint32_t>(python::completed_from(text)), console_->completions(text)};
  }

  base::Result<std::unique_ptr<checkpoint::Checkpoint>> document() override {
    return make_program_document(origin_.name, program_);
  }

 private:
  void make_world() {
    program_ = std::make_shared<Program>(std::make_unique<Interpreter>());
    machine_ = &Machine::of(*program_->interpreter);
    machine_->streams.out = [this](std::string_view text) { write(OutputKind::Out, text); };
    machine_->streams.error = [this](std::string_view text) { write(OutputKind::Error, text); };
    machine_->streams.open_file = [this](const std::string& path) { return open_file(path); };
    machine_->use_stand_ins();
    python::add_python(*machine_);
    begin_training();
    python::set_arguments(*machine_, {{origin_.name}});
    python::add_source_folder(*machine_, [this](const std::string& path) { return read_text(path); });
    console_.emplace(*machine_, "<console>");
    program_->names = console_->globals();
  }

  void leave_world() {
    recorder_.reset();
    machine_->abandon();
    call_.reset();
    machine_->streams = {};
    console_.reset();
    session_.reset();
    training_.reset();
  }

  void end_recording() {
    if (recorder_ == nullptr) return;
    recorder_->end();
    recorder_.reset();
  }

  void begin_training() {
    train::TrainingOptions options;
    options.title = options.recipe = origin_.name;
    options.stops_on_nan = origin_.training != nullptr;
    if (origin_.training != nullptr) {
      const TrainingStart& start = *origin_.training;
      options.recipe = start.recipe.empty() ? origin_.name : start.recipe;
      options.settings = start.settings;
      options.data = start.data_name;
      options.is_paused = start.is_paused;
    }
    training_ = std::make_unique<train::Training>(*machine_, std::move(options));
    session_ = std::make_unique<TrainingSession>(origin_.document, *training_, origin_.training != nullptr);
    train::add_training(*machine_, training_.get());
  }

  void end_training(const object::PyError* error) {
    const bool is_stopped =
        training_->is_stop_asked() || (error != nullptr && error->is(object::ErrorKind::KeyboardInterrupt));
    if (error == nullptr || is_stopped || error->is(object::ErrorKind::SystemExit)) {
      return training_->ended(std::nullopt, is_stopped);
    }
    training_->ended(
        base::Error{.found = error->message(), .expected = {}, .where = origin_.name, .offset = std::nullopt}, false);
  }

  void begin(const std::string& name, std::string text, python::CompileMode mode) {
    auto code = python::compile_text(*machine_, name, std::move(text), mode);
    if (!code.ok()) return tell(code.error());
    machine_->sources[name] = code.value()->tree;
    machine_->begin_module(code.value(), program_->names, program_->names);
    is_running_ = true;
    training_->began();
  }

  // Behaviour: what CPython writes when an exception ends a program; sys.exit() writes its argument if it is a text.
  void tell(const object::PyError& error) {
    if (!error.is(object::ErrorKind::SystemExit)) {
      return write(OutputKind::Error, python::traceback_text(*machine_, error));
    }
    const auto& arguments = error.exception().arguments();
    if (!arguments || arguments->size() == 0 || (*arguments)[0].is_none() || (*arguments)[0].is_int()) return;
    const PyResult<std::string> text = object::str(*program_->interpreter, (*arguments)[0]);
    if (text.ok()) write(OutputKind::Error, text.value() + "\n");
  }

  void write(OutputKind kind, std::string_view text) {
    if (output_.empty() || output_.back().kind != kind) output_.push_back({kind, {}});
    output_.back().text += text;
    if (recorder_ != nullptr) recorder_->on_output(text.size());
  }

  /// The file of that name beside the program, if it is at hand.
  std::shared_ptr<base::ByteSource> file_beside(const std::string& path) {
    if (origin_.siblings == nullptr) return nullptr;
    const std::vector<std::string> names = origin_.siblings->names();
    if (std::find(names.begin(), names.end(), path) == names.end()) return nullptr;
    auto opened = origin_.siblings->open(path);
    return opened && opened->ok() ? std::move(**opened) : nullptr;
  }

  std::optional<std::string> read_text(const std::string& path) {
    const std::shared_ptr<base::ByteSource> file = file_beside(path);
    if (file == nullptr) return std::nullopt;
    base::Result<std::string> text = read_source_text(*file);
    if (!text.ok()) return std::nullopt;
    return std::move(text).value();
  }

  python::OpenedFile<base::ByteSource> open_file(const std::string& path) {
    if (origin_.training != nullptr && !origin_.training->data_name.empty()) {
      const TrainingStart& start = *origin_.training;
      if (start.data != nullptr && path == start.data_name) return start.data;
      const std::string folder = start.data_name + "/";
      if (start.data_files != nullptr && path.starts_with(folder)) {
        auto opened = start.data_files->open(path.substr(folder.size()));
        if (opened && opened->ok()) return std::move(**opened);
      }
    }
    const std::string_view prefix = "./";
    auto file = file_beside(path.starts_with(prefix) ? path.substr(prefix.size()) : path);
    if (file != nullptr) return file;
    return python::FileRefusal{kNoSuchFile, "No such file or directory"};
  }

  ProgramOrigin origin_;
  std::string text_;
  std::shared_ptr<Program> program_;
  Machine* machine_ = nullptr;
  std::unique_ptr<train::Training> training_;
  std::unique_ptr<TrainingSession> session_;
  std::optional<python::Console> console_;
  std::unique_ptr<trace::Trace> trace_;
  std::unique_ptr<recorder::Recorder> recorder_;
  std::optional<CallInspection> call_;
  std::vector<ProgramOutput> output_;
  std::uint64_t typed_ = 0;
  bool is_running_ = false;
};

}  // namespace

std::unique_ptr<RunningProgram> make_python_program(ProgramOrigin origin) {
  return std::make_unique<PythonProgram>(std::move(origin));
}

}  // namespace nns::session
