#include "native/cli/train_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <thread>

#include "core/python/eval/console.h"
#include "core/python/eval/run.h"
#include "core/tensor/gpu_choice.h"
#include "core/train/metrics_file.h"
#include "core/train/recipes.h"
#include "core/train/run_folder.h"
#include "native/cli/exit_status.h"
#include "native/cli/interrupt_on_signal.h"
#include "native/cli/program_world.h"
#include "native/cli/rank_world.h"
#include "native/cli/run_command.h"
#include "native/cli/terminal.h"
#include "native/cli/train_report.h"
#include "native/cli/training_choice.h"
#include "native/cli/training_device.h"
#include "native/cli/version.h"
#include "native/collectives/shared_memory.h"
#include "native/host/run_folder.h"

namespace nns::cli {

namespace {

namespace fs = std::filesystem;

// So often viewers are heard, while it runs and while it waits.
constexpr std::chrono::milliseconds kTrainSlice{20};
constexpr std::chrono::milliseconds kWait{100};

int refuse_training(const std::string& why) {
  print_error(why);
  return kBadInput;
}

int list_recipes() {
  for (const train::Recipe& recipe : train::recipes()) {
    fmt::print("{:<8}  {}\n", recipe.name, recipe.title);
    if (!recipe.data.empty()) fmt::print("{:<8}  --data: {}\n", "", recipe.data);
  }
  return kFine;
}

base::Error wrong(std::string found, std::string expected) {
  return {.found = std::move(found), .expected = std::move(expected), .where = "train", .offset = std::nullopt};
}

// The run that is taken up again: its program as it was then.
base::Result<TrainingChoice> choose_again(train::RunFiles& files, const TrainOptions& options) {
  NNS_TRY_ASSIGN(const train::RunDescription run, train::read_run(files));
  TrainingChoice chosen;
  chosen.name = run.recipe;
  NNS_TRY_ASSIGN(chosen.text, files.read("recipe.py"));
  if (train::find_recipe(run.recipe) == nullptr) chosen.file = run.recipe;
  chosen.data = options.data.empty() ? run.data : fs::absolute(options.data).lexically_normal().string();
  // A viewer's run knows only what its data was called there.
  if (!chosen.data.empty() && !fs::exists(chosen.data)) {
    return wrong(fmt::format("the data of the run, {}, is not there", printable(chosen.data)),
                 "--data with where it is now");
  }
  chosen.settings = run.settings;
  chosen.device = run.device;
  if (!options.settings.empty()) return wrong("--set with --resume", "the settings of the run, which it keeps");
  return chosen;
}

// Runs the program to its end, in slices. What ended it, or nothing.
std::optional<object::PyError> train_to_end(python::Machine& machine, train::Training& training,
                                            const python::Console& console, const TrainingChoice& chosen,
                                            TrainViewers* viewers) {
  const std::string shown = chosen.file.empty() ? fmt::format("<{}>", chosen.name) : chosen.file.string();
  console.globals()->set(machine.names.dunder_file, machine.interpreter().text(shown));
  auto code = python::compile_text(machine, shown, chosen.text, python::CompileMode::Module);
  if (!code.ok()) return code.error();
  machine.sources[shown] = code.value()->tree;
  machine.begin_module(code.value(), console.globals(), console.globals());
  training.began();
  base::Budget slice(kTrainSlice);
  const std::function<bool()> is_over = [&] { return training.is_paused() || (viewers != nullptr && slice.spent()); };
  while (true) {
    if (viewers != nullptr) viewers->look();
    if (training.is_paused()) {
      // A run that paused itself ends here unless somebody is there who could go on.
      const bool can_go_on = viewers != nullptr && (!training.problem() || viewers->are_there());
      if (!can_go_on) {
        machine.abandon();
        return std::nullopt;
      }
      if (machine.take_interrupt()) {
        machine.interrupt();
        training.resume();
      } else {
        viewers->wait(kWait);
      }
      continue;
    }
    slice = base::Budget(kTrainSlice);
    const auto result = machine.go_on(is_over);
    if (!result) continue;
    if (result->ok()) return std::nullopt;
    return result->error();
  }
}

bool is_fine_exit(const object::PyError& error) {
  if (!error.is(object::ErrorKind::SystemExit)) return false;
  const auto& arguments = error.exception().arguments();
  return !arguments || arguments->size() == 0 || (*arguments)[0].is_none() ||
         ((*arguments)[0].is_int() && (*arguments)[0].as_int() == 0);
}

int finish(python::Machine& machine, train::Training& training, const std::optional<object::PyError>& error) {
  if (!error && training.is_paused()) {
    training.ended(training.problem(), false);
    return kFound;
  }
  if (!error || is_fine_exit(*error)) {
    training.ended(std::nullopt, false);
    return kFine;
  }
  if (error->is(object::ErrorKind::KeyboardInterrupt)) {
    training.ended(std::nullopt, true);
    return kStopped;
  }
  training.ended(
      base::Error{.found = error->message(), .expected = {}, .where = training.options().recipe, .offset = {}}, false);
  const int status = status_of_uncaught(machine, *error);
  const bool made_no_step = error->is(object::ErrorKind::SystemExit) && training.last_step().table_version == 0;
  return made_no_step && status == kFound ? kBadInput : status;
}

// What is to be trained, and where it begins.
struct Plan {
  TrainingChoice chosen;
  std::shared_ptr<train::RunFiles> files;  // null: nothing is kept
  train::TrainingOptions run;
  std::uint64_t first_step = 0;
};

// After the end: as long as somebody looks at it, until Ctrl+C.
void stay(python::Machine& machine, TrainViewers& viewers, bool is_stopped) {
  viewers.look(true);
  // Who ends it from the terminal has done with the window, too.
  if (is_stopped) viewers.close_window();
  bool is_said = false;
  while (viewers.are_there() && !machine.take_interrupt()) {
    if (!std::exchange(is_said, true))
      fmt::print(stderr, "nnscope: the training is over and is still watched (Ctrl+C ends this)\n");
    viewers.wait(kWait);
    viewers.look();
  }
  viewers.close_window();
  viewers.end();
}

// In the program's own world: it reads the data and its own folder, and writes to the run's.
int train(const TrainOptions& options, const Plan& plan, TrainViewers* viewers) {
  object::Interpreter interpreter;
  if (const auto given = give_device(interpreter, plan.run.device); !given.ok())
    return refuse_training(given.error().message());
  python::Machine& machine = python::Machine::of(interpreter);
  RunOptions world;
  world.file = plan.chosen.file.empty() ? fs::path(plan.chosen.name + ".py").string() : plan.chosen.file.string();
  world.readable = options.readable;
  world.writable = options.writable;
  if (!plan.chosen.data.empty()) {
    const fs::path data = plan.chosen.data;
    world.readable.push_back(fs::is_directory(data) ? data.string() : data.parent_path().string());
  }
  if (plan.files != nullptr) world.writable.push_back(plan.files->folder());
  // A rank that keeps nothing goes on from what rank 0 kept.
  if (!plan.run.resume.empty()) world.readable.push_back(fs::path(plan.run.resume).parent_path().string());
  open_world(machine, world);
  give_ranks(machine, world);
  TrainReport report(options.json, Terminal::detect());
  const bool is_told = rank_here().rank == 0;
  machine.streams.out = [&report, is_told](std::string_view text) {
    if (is_told) report.wrote(text);
  };
  int status = kFine;
  {
    train::Training training(machine, plan.run, plan.files);
    train::add_training(machine, &training);
    if (is_told) training.add_listener(report);
    std::unique_ptr<train::MetricsFile> metrics;
    if (plan.files != nullptr) {
      auto opened = train::MetricsFile::open(*plan.files, plan.first_step);
      if (!opened.ok()) return refuse_training(opened.error().message());
      metrics = std::move(opened).value();
      training.add_listener(*metrics);
    }
    const python::Console console(machine, "<console>");
    std::optional<object::PyError> error;
    {
      const InterruptOnSignal interrupts(machine);
      if (viewers != nullptr) viewers->begin(training);
      error = train_to_end(machine, training, console, plan.chosen, viewers);
      status = finish(machine, training, error);
      if (metrics != nullptr) {
        metrics->flush();
        if (!metrics->problem().empty())
          print_error(fmt::format("some metrics were not written: {}", metrics->problem()));
      }
      if (is_told) report.ended(training);
      if (viewers != nullptr) stay(machine, *viewers, status == kStopped && !training.is_stop_asked());
    }
  }
  return status;
}

}  // namespace

int run_train(const TrainOptions& options) {
  if (options.lists_recipes) return list_recipes();
  if (options.prints_recipe) {
    const train::Recipe* const recipe = train::find_recipe(options.recipe);
    if (recipe == nullptr)
      return refuse_training(
          fmt::format("{} is no recipe that is built in: {}", printable(options.recipe), recipe_names()));
    fmt::print("{}", train::recipe_text(*recipe));
    return kFine;
  }
  if (!options.recipe.empty() && !options.resume.empty())
    return refuse_training(
        fmt::format("train wants a recipe ({}, or a file of Python), or --resume FOLDER", recipe_names()));
  if (options.processes > 0) return run_as_ranks(options.words, options.processes, {});
  const RankHere here = rank_here();
  if (here.size > 1) tensor::set_gpu_number(here.local_rank);
  // 1. Program, data and folder.
  std::shared_ptr<train::RunFiles> files;
  if (!options.resume.empty()) {
    if (!fs::is_directory(options.resume))
      return refuse_training(fmt::format("--resume {}: no such folder", printable(options.resume)));
    auto opened = host::open_run_folder(options.resume);
    if (!opened.ok()) return refuse_training(opened.error().message());
    files = std::move(opened).value();
  }
  auto found = files == nullptr ? choose_training(options.recipe, options.data, options.settings)
                                : choose_again(*files, options);
  if (!found.ok()) return refuse_training(found.error().message());
  const TrainingChoice chosen = std::move(found).value();
  auto placed = choose_device(options.device == "auto" && !chosen.device.empty() ? chosen.device : options.device);
  if (!placed.ok()) return refuse_training(placed.error().message());
  const TrainingDevice device = std::move(placed).value();
  if (files == nullptr && !options.keeps_nothing && here.rank == 0) {
    auto opened = host::open_run_folder(options.folder.empty() ? host::new_run_folder(host::kRunsFolder, chosen.name)
                                                               : fs::path(options.folder));
    if (!opened.ok()) return refuse_training(opened.error().message());
    files = std::move(opened).value();
    if (train::newest_checkpoint(*files))
      return refuse_training(fmt::format("{} holds a run already: --resume goes on with it", files->folder()));
    auto environment = run_environment();
    environment.emplace_back("device", device.description);
    const auto described =
        train::describe_run(*files, {chosen.name, chosen.data, device.name, chosen.settings}, chosen.text, environment);
    if (!described.ok()) return refuse_training(described.error().message());
  }
  // 2. Where it begins.
  train::TrainingOptions run;
  run.title = chosen.name;
  run.recipe = chosen.name;
  run.settings = chosen.settings;
  run.data = chosen.data;
  run.device = device.name;
  run.checkpoint_every = options.checkpoint_every;
  run.stops_on_nan = !options.goes_on_after_nan;
  run.checks_backward = options.checks_backward;
  run.machine = fmt::format("{:x}", collectives::machine_identity().boot);
  std::uint64_t first_step = 0;
  if (!options.resume.empty()) {
    if (const auto newest = train::newest_checkpoint(*files)) {
      run.resume = (fs::path(files->folder()) / *newest).string();
      first_step = train::step_of_checkpoint(*newest).value_or(0);
    }
  }
  // 3. Who watches it. A window needs the main thread.
  if (here.rank != 0) return train(options, {chosen, nullptr, run, first_step}, nullptr);
  TrainViewerOptions watching = options.viewers;
  watching.json = options.json;
  if (watching.record.empty() && files != nullptr && !options.records_nothing) {
    // A run that goes on has recordings one after the other.
    const std::string name = first_step == 0 ? "recording.nnscope" : fmt::format("recording-{:09}.nnscope", first_step);
    watching.record = (fs::path(files->folder()) / name).string();
    watching.is_of_folder = watching.overwrites_record = true;
  }
  auto opened = TrainViewers::open(watching);
  if (!opened.ok()) return refuse_training(opened.error().message());
  const std::unique_ptr<TrainViewers> viewers = std::move(opened).value();
  const Plan plan{chosen, files, run, first_step};
  if (viewers == nullptr || !viewers->has_window()) return train(options, plan, viewers.get());
  int status = kFine;
  std::atomic<bool> is_over = false;
  std::thread training([&] {
    status = train(options, plan, viewers.get());
    is_over = true;
  });
  const int shown = viewers->run_window();
  if (!is_over) fmt::print(stderr, "nnscope: the window is closed, the training goes on (Ctrl+C ends it)\n");
  training.join();
  return status == kFine ? shown : status;
}

}  // namespace nns::cli
