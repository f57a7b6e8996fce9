#include "core/session/python_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <set>

#include "core/dynamo/engine.h"
#include "core/object/operations.h"
#include "core/python/eval/console.h"
#include "core/python/eval/run.h"
#include "core/python/packages/packages.h"
#include "core/python/stdlib/stdlib.h"
#include "core/python/torch/rank_turns.h"
#include "core/recorder/recorder.h"
#include "core/session/call_inspection.h"
#include "core/session/capture_messages.h"
#include "core/session/capture_report.h"
#include "core/session/program_document.h"
#include "core/session/rank_messages.h"
#include "core/session/source_text.h"
#include "core/session/training_session.h"
#include "core/summary/call_text.h"
#include "core/train/memory_run.h"
#include "core/train/recipes.h"
#include "core/train/run_folder.h"

namespace nns::session {

namespace {

using object::Interpreter;
using object::PyResult;
using object::Value;
using python::Machine;

constexpr auto kBetweenProgramLooks = std::chrono::milliseconds(50);
constexpr auto kBetweenRanks = std::chrono::milliseconds(250);
constexpr std::size_t kMostBeside = 1000;  // files that a run may ask a server for
constexpr int kNoSuchFile = 2;             // Linux's ENOENT, wherever this runs

// A kept run writes into its folder, and nowhere else.
python::OpenedFile<base::ByteSink> create_in_folder(train::RunFiles& files, const std::string& path,
                                                    python::WriteMode mode) {
  constexpr int kNoAccess = 13, kIsThere = 17;  // Linux's EACCES and EEXIST, wherever this runs
  const std::string folder = files.folder() + "/";
  if (!path.starts_with(folder) || path.find("..") != std::string::npos)
    return python::FileRefusal{kNoAccess, "nnscope lets trainings write in their run's folder only"};
  const std::string name = path.substr(folder.size());
  if (mode == python::WriteMode::New && files.size(name) > 0) return python::FileRefusal{kIsThere, "File exists"};
  if (mode != python::WriteMode::Append) files.remove(name);
  auto opened = files.append(name);
  if (!opened.ok()) return python::FileRefusal{kNoAccess, opened.error().message()};
  return std::shared_ptr<base::ByteSink>(std::move(opened).value());
}

/// Whether a path can only lead to what lies beside a program and below: of plain names, none of them "..".
bool is_below_folder(std::string_view path) {
  constexpr std::size_t kLongest = 1024;
  if (path.empty() || path.size() > kLongest) return false;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view part = path.substr(begin, end - begin);
    const bool is_plain =
        !part.empty() && part != "." && part != ".." &&
        std::none_of(part.begin(), part.end(), [](unsigned char c) { return c < 0x20 || c == '\\' || c == ':'; });
    if (!is_plain) return false;
    begin = end + 1;
  }
  return true;
}

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
    base::Result<python::ProgramOptions> asked = python::program_options_of(text_, origin_.name);
    if (!asked.ok()) return write(OutputKind::Error, asked.error().message() + "\n");
    options_ = std::move(asked).value();
    if (origin_.virtual_devices > 0) options_.virtual_devices = origin_.virtual_devices;
    if (const auto given = give_options(*machine_); !given.ok())
      return write(OutputKind::Error, given.error().message() + "\n");
    if (kept_.describe) {
      if (const auto described = kept_.describe(text_); !described.ok())
        training_->log_line(train::LogLevel::Warning, described.error().message());
    }
    program_->names->set(machine_->names.dunder_file, program_->interpreter->text(origin_.name));
    begin(origin_.name, std::move(text), python::CompileMode::Module);
  }

  bool run_recipe(const std::string& name) override {
    const train::Recipe* const recipe = train::find_recipe(name);
    if (recipe != nullptr) run_file(std::string(train::recipe_text(*recipe)));
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

  void capture(CaptureQuestion question) override {
    if (question.call.empty()) {
      leave_world();
      make_world();
    }
    dynamo::Engine& engine = dynamo::Engine::of(*machine_);
    const bool was_by_instance = !engine.config().inline_inbuilt_nn_modules;
    for (const auto& [name, value] : question.settings) dynamo::set_flag(engine.config(), name, value == "true");
    // What was compiled with other settings is of no use now.
    if (was_by_instance == engine.config().inline_inbuilt_nn_modules) engine.reset();
    first_new_ = engine.report().compilations.size();
    capture_error_.clear();
    asked_ = std::move(question);
    if (asked_.call.empty()) {
      run_file(asked_.text ? *std::move(asked_.text) : text_);
    } else {
      begin_call();
    }
  }

  live::Bytes take_capture(std::uint64_t request) override {
    capture::Capture made = capture_of(dynamo::Engine::of(*machine_));
    made.call = asked_.call;
    made.inputs = fmt::format("{}", fmt::join(asked_.inputs, "; "));
    made.first_new = static_cast<std::uint32_t>(first_new_);
    made.error = capture_error_;
    return capture_message(request, origin_.document, made);
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
    python::end_program(*machine_);
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

  std::optional<live::Bytes> take_ranks() override {
    const auto now = base::Budget::Clock::now();
    if (is_running_ && now < ranks_told_ + kBetweenRanks) return std::nullopt;
    ranks_told_ = now;
    return rank_steps_.take(origin_.document);
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
    not_beside_.clear();
    asked_beside_ = 0;
    program_ = std::make_shared<Program>(std::make_unique<Interpreter>());
    machine_ = &Machine::of(*program_->interpreter);
    open_world(*machine_);
    dynamo::Engine::of(*machine_).record_all();
    begin_training();
    parallel::ParallelLibrary::of(*program_->interpreter).connector = python::make_turns_connector([this] {
      return python::RankProgram{origin_.name, text_, origin_.name, [this](Machine& machine, int) {
                                   open_world(machine);
                                   static_cast<void>(give_options(machine));
                                   train::add_training(machine, nullptr);
                                 }};
    });
    console_.emplace(*machine_, "<console>");
    program_->names = console_->globals();
  }

  // What the program and each rank that it makes may use.
  void open_world(Machine& machine) {
    machine.streams.out = [this](std::string_view text) { write(OutputKind::Out, text); };
    machine.streams.error = [this](std::string_view text) { write(OutputKind::Error, text); };
    machine.streams.open_file = [this](const std::string& path) { return open_file(path); };
    machine.while_nested = [this, &machine] { look_for_stop(machine); };
    machine.use_stand_ins();
    parallel::ParallelLibrary::of(machine.interpreter()).on_step = [this](parallel::StepTimeline step) {
      rank_steps_.add(std::move(step));
    };
    python::add_python(machine);
    dynamo::add_dynamo(machine);
    if (origin_.memory.in_use) machine.set_memory_limit(origin_.memory.bytes, origin_.memory.in_use);
    python::set_arguments(machine, {{origin_.name}});
    python::add_source_folder(machine, {[this](const std::string& path) { return read_text(path); },
                                        [this](const std::string& path) { return has_sources(path); }});
  }

  base::Result<void> give_options(Machine& machine) const {
    tensor::TensorLibrary::of(machine.interpreter()).virtual_devices = options_.virtual_devices;
    return dynamo::set_flags(dynamo::Engine::of(machine).config(), options_, origin_.name);
  }

  // Inside of a forward or a hook, where step() cannot return: who wants its end is asked a few times a second.
  void look_for_stop(Machine& machine) {
    const auto now = base::Budget::Clock::now();
    if (!origin_.is_stop_waiting || now < next_look_) return;
    next_look_ = now + kBetweenProgramLooks;
    if (origin_.is_stop_waiting()) machine.interrupt();
  }

  void leave_world() {
    recorder_.reset();
    machine_->abandon();
    call_.reset();
    parallel::ParallelLibrary::of(*program_->interpreter).connector = nullptr;
    parallel::ParallelLibrary::of(*program_->interpreter).on_step = nullptr;
    rank_steps_.clear();
    machine_->streams = {};
    console_.reset();
    session_.reset();
    training_.reset();
    kept_ = {};
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
    std::optional<base::Error> not_kept;
    if (origin_.training != nullptr && origin_.keep_run) {
      auto kept = origin_.keep_run({options.recipe, options.data, options.device, options.settings});
      if (kept.ok()) {
        kept_ = std::move(kept).value();
      } else {
        not_kept = std::move(kept).error();
      }
    }
    // What no disk keeps can be given to who watches it.
    if (origin_.training != nullptr && !kept_.files) {
      kept_.files = train::make_memory_run();
      options.checkpoint_every = 0;
    }
    training_ = std::make_unique<train::Training>(*machine_, std::move(options), kept_.files);
    session_ = std::make_unique<TrainingSession>(origin_.document, *training_, origin_.training != nullptr);
    if (kept_.metrics) training_->add_listener(*kept_.metrics);
    if (kept_.record) session_->record(kept_.record);
    if (kept_.files) {
      machine_->streams.create_file = [files = kept_.files](const std::string& path, python::WriteMode mode) {
        return create_in_folder(*files, path, mode);
      };
    }
    if (not_kept)
      training_->log_line(train::LogLevel::Warning, fmt::format("this run is not kept: {}", not_kept->message()));
    train::add_training(*machine_, training_.get());
  }

  void end_training(const object::PyError* error) {
    const bool is_stopped =
        training_->is_stop_asked() || (error != nullptr && error->is(object::ErrorKind::KeyboardInterrupt));
    if (kept_.metrics) kept_.metrics->checkpoint_begins();  // what was told up to now is kept
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

  // One expression, in which "torch" is known whatever the program imports.
  void begin_call() {
    std::vector<std::string> inputs;
    for (const std::string& line : asked_.inputs) {
      for (const std::string& one : summary::split_inputs(line)) {
        summary::CallInput input = summary::read_input(one);
        inputs.push_back(input.keyword.empty() ? std::move(input.expression) : input.keyword + "=" + input.expression);
      }
    }
    const object::Ref<object::Dict> own_names = program_->interpreter->dict();
    if (const auto torch = machine_->import_module("torch", 0, nullptr); torch.ok()) {
      own_names->set(program_->interpreter->intern("torch"), torch.value());
    }
    const std::string name = fmt::format("<capture {}>", ++typed_);
    auto code = python::compile_text(*machine_, name,
                                     fmt::format("torch.compile({})({})", asked_.call, fmt::join(inputs, ", ")),
                                     python::CompileMode::Expression);
    if (!code.ok()) return tell(code.error());
    machine_->sources[name] = code.value()->tree;
    machine_->begin_module(code.value(), program_->names, own_names);
    is_running_ = true;
  }

  // Behaviour: what CPython writes when an exception ends a program; sys.exit() writes its argument if it is a text.
  void tell(const object::PyError& error) {
    capture_error_ = fmt::format("{}: {}", error.type(), error.message());
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
    const bool is_listed = !names.empty();
    if (is_listed && std::find(names.begin(), names.end(), path) == names.end()) return nullptr;
    if (!is_listed && (!is_below_folder(path) || not_beside_.contains(path) || ++asked_beside_ > kMostBeside))
      return nullptr;
    auto opened = origin_.siblings->open_now(path);
    if (opened.ok()) return std::move(opened).value();
    if (!is_listed) not_beside_.insert(path);
    return nullptr;
  }

  bool has_sources(const std::string& folder) const {
    if (origin_.siblings == nullptr) return false;
    const std::vector<std::string> names = origin_.siblings->names();
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return name.starts_with(folder + "/") && name.ends_with(".py");
    });
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
  KeptRun kept_;
  std::string text_;
  python::ProgramOptions options_;  ///< what was asked for, or what the text asks for
  std::shared_ptr<Program> program_;
  Machine* machine_ = nullptr;
  std::unique_ptr<train::Training> training_;
  std::unique_ptr<TrainingSession> session_;
  std::optional<python::Console> console_;
  std::unique_ptr<trace::Trace> trace_;
  std::unique_ptr<recorder::Recorder> recorder_;
  std::optional<CallInspection> call_;
  std::vector<ProgramOutput> output_;
  std::set<std::string> not_beside_;  ///< what a server that lists nothing does not have
  std::size_t asked_beside_ = 0;      ///< of such a server, in this run
  CaptureQuestion asked_;
  std::size_t first_new_ = 0;
  std::string capture_error_;
  std::uint64_t typed_ = 0;
  base::Budget::Clock::time_point next_look_, ranks_told_;
  RankSteps rank_steps_;
  bool is_running_ = false;
};

}  // namespace

std::unique_ptr<RunningProgram> make_python_program(ProgramOrigin origin) {
  return std::make_unique<PythonProgram>(std::move(origin));
}

}  // namespace nns::session
