#include "native/cli/simulate_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <optional>

#include "core/python/eval/console.h"
#include "core/python/eval/run.h"
#include "core/train/measured_step.h"
#include "core/train/training.h"
#include "native/cli/exit_status.h"
#include "native/cli/interrupt_on_signal.h"
#include "native/cli/program_world.h"
#include "native/cli/quantity.h"
#include "native/cli/run_command.h"
#include "native/cli/simulate_report.h"
#include "native/cli/training_choice.h"

namespace nns::cli {

namespace {

namespace fs = std::filesystem;

// In these memory is taken and caches are filled.
constexpr std::uint64_t kWarmUp = 3;

// Collects steps that are alike: of the same models.
class Steps final : public train::TrainingListener {
 public:
  Steps(python::Machine& machine, std::uint64_t wanted) : machine_(machine), wanted_(wanted) {}
  void step_made(const train::StepReport& step, double /*seconds*/) override {
    if (!reports_.empty() && reports_.back().table_version != step.table_version) reports_.clear();
    ++made_;
    if (made_ > kWarmUp && reports_.size() < wanted_) reports_.push_back(step);
    if (is_enough()) machine_.look_soon();
  }
  void scalar_logged(const std::string&, bool, std::uint64_t, double, double) override {}
  void line_logged(train::LogLevel, std::uint64_t, double, const std::string&) override {}
  void checkpoint_saved(const train::SavedCheckpoint&) override {}

  bool is_enough() const { return reports_.size() >= wanted_; }
  std::uint64_t made() const { return made_; }
  const std::vector<train::StepReport>& reports() const { return reports_; }

 private:
  python::Machine& machine_;
  std::uint64_t wanted_, made_ = 0;
  std::vector<train::StepReport> reports_;
};

int refuse(const std::string& why) {
  print_error(why);
  return kBadInput;
}

// What the options say of the network and the ranks. Nothing: the person has been told what is wrong.
std::optional<parallel::SimulationOptions> simulation_of(const SimulateOptions& given) {
  parallel::SimulationOptions made;
  const auto read = [](std::string_view option, const std::string& text, auto parse, std::string_view like,
                       double& to) {
    const std::optional<double> value = parse(text);
    if (value) {
      to = *value;
      return true;
    }
    print_error(fmt::format("{} {}: a value like {} was expected", option, printable(text), like));
    return false;
  };
  parallel::Network& network = made.network;
  if (!read("--bandwidth", given.bandwidth, bandwidth_of, "50GB/s or 400Gbit/s", network.bandwidth))
    return std::nullopt;
  if (!read("--intra-bandwidth", given.intra_bandwidth, bandwidth_of, "450GB/s", network.intra_bandwidth))
    return std::nullopt;
  if (!read("--latency", given.latency, seconds_of, "5us", network.latency)) return std::nullopt;
  if (!read("--intra-latency", given.intra_latency, seconds_of, "500ns", network.intra_latency)) return std::nullopt;
  network.ranks_per_node = given.ranks_per_node;
  network.algorithm = *parallel::network_algorithm(given.algorithm);
  made.strategy = given.strategy == "ddp" ? parallel::Strategy::DataParallel : parallel::Strategy::FullyShard;
  made.speedup = given.speedup;
  made.jitter = given.jitter_percent / 100;
  made.bucket = given.bucket_mb * 1024 * 1024;
  made.first_bucket = std::min(made.first_bucket, made.bucket);
  made.reshards_after_forward = given.reshards_after_forward;
  return made;
}

// Runs the program until enough steps were measured, or to its end. Its exit status where it failed.
std::optional<int> run_until_measured(python::Machine& machine, const TrainingChoice& chosen, const Steps& steps) {
  const python::Console console(machine, "<console>");
  const std::string shown = chosen.file.empty() ? fmt::format("<{}>", chosen.name) : chosen.file.string();
  console.globals()->set(machine.names.dunder_file, machine.interpreter().text(shown));
  auto code = python::compile_text(machine, shown, chosen.text, python::CompileMode::Module);
  std::optional<object::PyError> error;
  if (!code.ok()) {
    error = code.error();
  } else {
    machine.sources[shown] = code.value()->tree;
    machine.begin_module(code.value(), console.globals(), console.globals());
    std::optional<object::PyResult<object::Value>> result;
    while (!result && !steps.is_enough()) result = machine.go_on([&] { return steps.is_enough(); });
    if (!result) machine.abandon();
    if (result && !result->ok()) error = result->error();
  }
  if (!error) return std::nullopt;
  if (error->is(object::ErrorKind::KeyboardInterrupt)) return kStopped;
  const int status = status_of_uncaught(machine, *error);
  return status == kFine ? std::nullopt : std::optional(status);
}

}  // namespace

CLI::App* add_simulate(CLI::App& app, SimulateOptions& options) {
  CLI::App* command = app.add_subcommand(
      "simulate", "Measure a training on this machine and predict the step of 8 to 100,000 ranks on a network");
  command->footer(
      "The program trains on one rank and without torch.distributed; every rank is taken to have as much data as it.\n"
      "Collectives follow one another on the network while computing goes on: step = compute + exposed "
      "communication.\n\n"
      "Exit status:\n"
      "  0    predicted\n"
      "  1    the program failed, or made no step of training\n"
      "  2    wrong usage, or data that cannot be read\n"
      "  130  stopped by Ctrl+C");
  command->add_option("RECIPE", options.recipe, "A file of Python, or the name of a recipe (nnscope train --list)")
      ->type_name("")
      ->required();
  command->add_option("--data", options.data, "The data set: a file or a folder")->type_name("PATH");
  command->add_option("--set", options.settings, "A setting of the recipe (may be given several times)")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command->add_option("--steps", options.steps, "How many steps are measured, behind 3 that are not")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command->add_option("--ranks", options.ranks, "How many ranks: 8,64,1024,100000")
      ->delimiter(',')
      ->check(CLI::Range(1, 10000000))
      ->type_name("N,N,...");
  command->add_option("--strategy", options.strategy, "DistributedDataParallel, or fully_shard")
      ->check(CLI::IsMember({"ddp", "fully-shard"}))
      ->capture_default_str();
  command->add_option("--algorithm", options.algorithm, "How ranks hand on their parts; auto: the fastest")
      ->check(CLI::IsMember({"auto", "ring", "tree", "hierarchical"}))
      ->capture_default_str();
  command->add_option("--bandwidth", options.bandwidth, "Of a node to the network, for all of its ranks together")
      ->type_name("RATE")
      ->capture_default_str();
  command->add_option("--latency", options.latency, "Of a message between nodes")
      ->type_name("TIME")
      ->capture_default_str();
  command->add_option("--ranks-per-node", options.ranks_per_node, "How many ranks a node has")
      ->check(CLI::Range(1, 10000000))
      ->capture_default_str();
  command->add_option("--intra-bandwidth", options.intra_bandwidth, "Of a rank to the others of its node")
      ->type_name("RATE")
      ->capture_default_str();
  command->add_option("--intra-latency", options.intra_latency, "Of a message within a node")
      ->type_name("TIME")
      ->capture_default_str();
  command->add_option("--speedup", options.speedup, "How many times as fast as this machine a rank computes")
      ->check(CLI::Range(1e-6, 1e9))
      ->capture_default_str();
  command
      ->add_option("--jitter", options.jitter_percent,
                   "Standard deviation of a rank's computing, in percent: all wait for the slowest")
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str();
  command->add_option("--bucket-mb", options.bucket_mb, "bucket_cap_mb of DistributedDataParallel")
      ->check(CLI::Range(1e-6, 1e6))
      ->capture_default_str();
  command->add_flag("!--no-reshard", options.reshards_after_forward, "fully_shard(reshard_after_forward=False)");
  command->add_flag("--json", options.json, "Print JSON: also what was measured, and each transfer");
  command->add_option("--allow-read", options.readable, "A folder that the program may read, too")
      ->type_name("FOLDER")
      ->allow_extra_args(false);
  return command;
}

int run_simulate(const SimulateOptions& options, const Terminal& terminal) {
  const std::optional<parallel::SimulationOptions> simulation = simulation_of(options);
  if (!simulation) return kBadInput;
  auto found = choose_training(options.recipe, options.data, options.settings);
  if (!found.ok()) return refuse(found.error().message());
  const TrainingChoice chosen = std::move(found).value();
  object::Interpreter interpreter;
  python::Machine& machine = python::Machine::of(interpreter);
  RunOptions world;
  world.file = chosen.file.empty() ? fs::path(chosen.name + ".py").string() : chosen.file.string();
  world.readable = options.readable;
  if (!chosen.data.empty()) {
    const fs::path data = chosen.data;
    world.readable.push_back(fs::is_directory(data) ? data.string() : data.parent_path().string());
  }
  open_world(machine, world);
  machine.streams.out = [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); };
  train::TrainingOptions run;
  run.title = run.recipe = chosen.name;
  run.settings = chosen.settings;
  run.data = chosen.data;
  run.checkpoint_every = 0;
  train::Training training(machine, run);
  train::add_training(machine, &training);
  training.set_planner([](const train::ModuleTable&) {
    train::StepPlan plan;
    plan.timeline = true;
    return plan;
  });
  Steps steps(machine, options.steps);
  training.add_listener(steps);
  training.began();
  const InterruptOnSignal interrupts(machine);
  const std::optional<int> failed = run_until_measured(machine, chosen, steps);
  if (failed) return *failed;
  if (steps.reports().empty()) {
    print_error(
        fmt::format("{} made {} steps of training (optimizer.step()), and {} are needed before the first that is "
                    "measured",
                    printable(chosen.name), steps.made(), kWarmUp));
    return kFound;
  }
  Simulated made;
  made.name = chosen.name;
  made.steps = steps.reports().size();
  made.measured = train::measured_step(training.watch().table(), steps.reports());
  made.options = *simulation;
  made.alone = parallel::simulate_step(made.measured, *simulation, 1);
  for (const std::int64_t ranks : options.ranks) {
    made.predictions.push_back(parallel::simulate_step(made.measured, *simulation, ranks));
  }
  if (options.json) {
    write_simulation(stdout, made);
  } else {
    print_simulation(stdout, made, terminal);
  }
  return kFine;
}

}  // namespace nns::cli
