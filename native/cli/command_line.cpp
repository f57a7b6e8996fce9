#include "native/cli/command_line.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor/storage.h"
#include "native/cli/attach_command.h"
#include "native/cli/bindings_command.h"
#include "native/cli/capture_command.h"
#include "native/cli/convert_command.h"
#include "native/cli/diff_command.h"
#include "native/cli/doctor_command.h"
#include "native/cli/exit_status.h"
#include "native/cli/export_command.h"
#include "native/cli/file_options.h"
#include "native/cli/inspect_command.h"
#include "native/cli/lesson_command.h"
#include "native/cli/licenses_command.h"
#include "native/cli/open_command.h"
#include "native/cli/repl_command.h"
#include "native/cli/run_command.h"
#include "native/cli/scan_command.h"
#include "native/cli/serve_command.h"
#include "native/cli/simulate_command.h"
#include "native/cli/summary_command.h"
#include "native/cli/tensor_report.h"
#include "native/cli/terminal.h"
#include "native/cli/train_command.h"
#include "native/cli/version.h"
#include "native/cuda/gpu.h"

namespace nns::cli {

namespace {

constexpr std::string_view kDescription =
    "See inside PyTorch-style modules: checkpoints as trees of modules, tensors and hooks.";

constexpr std::string_view kFooter =
    R"(Without a command FILE... is opened; without anything the explorer starts with what was open last time
(open --no-restore: without).
A path may be a file, a folder with an index of shards or one checkpoint, or an http(s) address
whose server answers ranges (links to Hugging Face and GitHub pages work).

Exit status:
  0  fine
  1  a file names something dangerous, two files differ, or the program failed
  2  wrong usage, or input that cannot be read

Environment:
  CUDA_VISIBLE_DEVICES  which GPUs programs find (CUDA's driver reads it; empty: none)
  NO_COLOR      no colours
  NNSCOPE_SITE  folder of the web explorer)";

constexpr std::array<std::string_view, 19> kCommands = {
    "attach", "replay",  "open",     "inspect", "diff",   "serve",  "export", "convert",  "doctor",  "run",
    "repl",   "summary", "bindings", "capture", "studio", "lesson", "train",  "simulate", "licenses"};

/// The arguments, with "open" in front where FILE... stands without a command.
std::vector<std::string> with_command(int argc, const char* const* argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.empty()) return arguments;
  constexpr std::array<std::string_view, 4> kOwn = {"-h", "--help", "-V", "--version"};
  const std::string_view first = arguments.front();
  const bool is_command = std::find(kCommands.begin(), kCommands.end(), first) != kCommands.end();
  const bool is_own_option = std::find(kOwn.begin(), kOwn.end(), first) != kOwn.end();
  if (!is_command && !is_own_option) arguments.insert(arguments.begin(), "open");
  return arguments;
}

CLI::App* add_capture(CLI::App& app, CaptureOptions& options) {
  CLI::App* capture = app.add_subcommand(
      "capture", "Run a Python program and tell what torch.compile made of it: graphs, breaks, guards, recompiles");
  capture
      ->add_option(
          "FILE", options.run.file,
          "The program, a log that PyTorch wrote with TORCH_TRACE (FILE.log), or a package of torch.export (FILE.pt2)")
      ->required();
  capture->add_option("--config", options.config, "name=value of torch._dynamo.config (may be given several times)")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  capture->add_flag("--json", options.json, "One JSON object, with what the program printed in it");
  capture->add_option("--max-steps", options.run.max_steps, "Stop after so many statements and turns of loops");
  return capture;
}

CLI::App* add_attach(CLI::App& app, AttachOptions& options) {
  CLI::App* command = app.add_subcommand(
      "attach", "Watch what runs in another process or on another machine: a training, a program, a file");
  command
      ->add_option("ADDRESS", options.address, "What the server printed: ws://HOST:PORT/live#token=..., or HOST:PORT")
      ->required()
      ->type_name("");
  command->add_flag("--headless", options.headless, "No window: lines on standard output until the training ends");
  command->add_flag("--json", options.json, "With --headless: one JSON object a line");
  command->add_flag("--once", options.once, "With --headless: what is known first, then the end");
  command->add_option("--screenshot", options.screenshot, "Draw off screen, write this PNG and exit")
      ->type_name("FILE");
  command->add_option("--record", options.record, "Without a window: write what is seen to this recording")
      ->type_name("FILE");
  command->add_flag("--force", options.force, "Write over a recording that is there");
  command->add_option("--timeout", options.patience_s, "With --headless: give up when nothing came for so long")
      ->type_name("SECONDS");
  return command;
}

CLI::App* add_replay(CLI::App& app, ReplayOptions& options) {
  CLI::App* command = app.add_subcommand("replay", "Show a recording (.nnscope) of a training, at any of its moments");
  command->add_option("FILE", options.file, "The recording")->required()->type_name("");
  command->add_flag("--headless", options.headless, "No window: what it holds as text");
  command->add_flag("--json", options.json, "With --headless: as JSON");
  command
      ->add_option_function<std::uint64_t>(
          "--event",
          [&options](std::uint64_t event) {
            options.has_event = true;
            options.event = event;
          },
          "With --headless: as it was after so many events")
      ->type_name("N");
  return command;
}

CLI::App* add_serve(CLI::App& app, ServeOptions& options) {
  CLI::App* command =
      app.add_subcommand("serve", "Serve the web explorer, to this machine only unless --host says otherwise");
  command->footer("");
  command->add_option("--host", options.host, "Address or name to listen on")->type_name("A")->capture_default_str();
  command->add_option("--port", options.port, "Port; 0 takes any free one. Without it 7373 or the next free one")
      ->type_name("N");
  command->add_option("--site", options.folder, "Folder to serve instead of the explorer that was built")
      ->type_name("DIR");
  command->add_option("PATH", options.inputs, "Files and programs that each viewer sees who attaches")->type_name("");
  command->add_option("--runs", options.runs, "Keep trainings that viewers start, each in a folder below this one")
      ->type_name("FOLDER");
  command
      ->add_option("--allow-origin", options.allowed_origins,
                   "A page of this origin (https://example.org) may attach, too; may be given several times")
      ->type_name("ORIGIN")
      ->allow_extra_args(false);
  return command;
}

/// As parse_box(), of a window.
std::string parse_size(const std::string& text, host::WindowOptions& window) {
  window.has_size = true;
  return parse_box(text, window.width, window.height, 64, 16'384);
}

/// The options of every command that draws.
void add_window(CLI::App* command, OpenOptions& options) {
  host::WindowOptions& window = options.window;
  command->add_option("--screenshot", options.screenshot, "Draw off screen, write this PNG and exit")
      ->type_name("FILE");
  command
      ->add_option_function<std::string>(
          "--size",
          [&window](const std::string& text) {
            if (const std::string wrong = parse_size(text, window); !wrong.empty())
              throw CLI::ValidationError("--size", wrong);
          },
          "Size of the window or picture")
      ->type_name("WxH");
  command->add_option("--theme", window.theme, "light or dark; without it what the system prefers")
      ->transform(CLI::Transformer(std::map<std::string, panels::ThemeChoice>{{"light", panels::ThemeChoice::Light},
                                                                              {"dark", panels::ThemeChoice::Dark}}))
      ->type_name("light|dark");
}

void add_virtual_devices(CLI::App& command, int& count) {
  command
      .add_option("--virtual-devices", count, "Let DataParallel find N devices, cpu:0 to cpu:N-1, as if they were GPUs")
      ->type_name("N")
      ->check(CLI::Range(1, tensor::kDeviceIndices));
}

CLI::App* add_studio(CLI::App& app, OpenOptions& options) {
  CLI::App* command =
      app.add_subcommand("studio", "Record a Python program and step through it, forward and back, in a window");
  command->footer("");
  command->add_option("FILE", options.window.inputs, "The program")->required()->expected(1)->type_name("");
  options.window.studio = 0;
  command
      ->add_option_function<std::uint32_t>(
          "--step", [&options](std::uint32_t number) { options.window.studio = number - 1; },
          "The event to show, from 1; without it the first")
      ->type_name("N")
      ->check(CLI::Range(std::uint32_t{1}, std::numeric_limits<std::uint32_t>::max()));
  add_virtual_devices(*command, options.window.virtual_devices);
  add_window(command, options);
  return command;
}

CLI::App* add_lesson(CLI::App& app, LessonOptions& options) {
  CLI::App* command = app.add_subcommand(
      "lesson", "Show a lesson: a program, stops in what happens in it, and questions that are checked by running");
  command->footer("Without a name the lessons that are built in are listed.");
  command->add_option("LESSON", options.lesson, "One that is built in, or a file NAME.md")->type_name("");
  command->add_option("--stop", options.stop, "The stop to begin with, from 1")->type_name("N");
  command->add_flag("--print", options.prints, "Print its text instead, to begin a lesson of one's own with");
  add_window(command, options.window);
  return command;
}

CLI::App* add_open(CLI::App& app, OpenOptions& options) {
  CLI::App* command =
      app.add_subcommand("open", "Open files in the explorer: a window, or a web page where there is no display");
  command->footer("");
  host::WindowOptions& window = options.window;
  CLI::Option* inputs =
      command->add_option("PATH", window.inputs, "Files, folders, web addresses or sample:NAME")->type_name("");
  add_window(command, options);
  using panels::InspectorTab;
  command
      ->add_option("--tab", window.tab,
                   "Tab of the inspector: summary, registries, hooks, tensor, repr, safety, map, statistics, source, "
                   "call or capture")
      ->transform(CLI::Transformer(std::map<std::string, InspectorTab>{{"summary", InspectorTab::Summary},
                                                                       {"registries", InspectorTab::Registries},
                                                                       {"hooks", InspectorTab::Hooks},
                                                                       {"tensor", InspectorTab::Tensor},
                                                                       {"repr", InspectorTab::Repr},
                                                                       {"safety", InspectorTab::Safety},
                                                                       {"map", InspectorTab::Map},
                                                                       {"statistics", InspectorTab::Statistics},
                                                                       {"source", InspectorTab::Source},
                                                                       {"call", InspectorTab::Call},
                                                                       {"capture", InspectorTab::Capture}}))
      ->type_name("NAME");
  command->add_flag("--compare", window.compare, "Compare the first two PATHs")->needs(inputs);
  command->add_option("--select", window.select, "Name of the module or tensor to choose")
      ->type_name("NAME")
      ->needs(inputs);
  command->add_flag("!--no-restore", window.restores, "Without PATH: start afresh, without what was open last time");
  command->add_option("--search", window.search, "Opens the search box with this query")->type_name("QUERY");
  return command;
}

CLI::App* add_summary(CLI::App& app, SummaryOptions& options) {
  CLI::App* command = app.add_subcommand(
      "summary", "Tell shapes, parameters, bytes and FLOPs of each module of a model that a Python file defines");
  command->add_option("FILE", options.program.file, "The file with the model")->required();
  command->add_option("--call", options.call, "Python that gives the model: 'GPT(GPTConfig())'")
      ->required()
      ->type_name("PYTHON");
  command
      ->add_option("--input", options.inputs,
                   "What the model is called with, for each argument one: a shape (1,3,224,224 or 1,1024:long) or "
                   "Python ('torch.zeros(1, 3, 224, 224)'); with a keyword: 'mask=1,16'")
      ->type_name("SHAPE|PYTHON")
      ->expected(1)
      ->take_all();
  command->add_flag("--json", options.json, "Print JSON");
  command->add_option("--depth", options.depth, "How many levels of modules to tell")->type_name("N");
  command->add_flag("--compute", options.computes, "Compute with values, where shapes alone would do");
  command->add_flag("--strict-imports", options.program.strict_imports,
                    "An import of a package that nnscope has not raises ModuleNotFoundError; else it stands in");
  command->add_option("--max-steps", options.program.max_steps, "Stop after so many statements and turns of loops");
  return command;
}

constexpr int kMostProcesses = 256;

// The command line without --nproc.
std::vector<std::string> words_of_a_rank(std::span<const char* const> words) {
  std::vector<std::string> kept;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == "--nproc") {
      ++i;
    } else if (!word.starts_with("--nproc=")) {
      kept.emplace_back(word);
    }
  }
  return kept;
}

CLI::App* add_train(CLI::App& app, TrainOptions& options) {
  CLI::App* command = app.add_subcommand(
      "train", "Train: a Python program that uses PyTorch, or one of the recipes that are built in (--list)");
  command->footer(
      "A run's folder holds metrics.jsonl, an event file for TensorBoard, log.txt, recipe.py, run.json and "
      "checkpoints.\n"
      "Nothing is downloaded.\n\n"
      "Exit status:\n"
      "  0    trained to the end\n"
      "  1    the program failed, or made numbers that are not finite\n"
      "  2    wrong usage, or data that cannot be read\n"
      "  130  stopped by Ctrl+C");
  command->add_option("RECIPE", options.recipe, "A file of Python, or the name of a recipe; without one, spirals")
      ->type_name("");
  command->add_option("--data", options.data, "The data set: a file or a folder")->type_name("PATH");
  command->add_option("--set", options.settings, "A setting of the recipe (may be given several times)")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command->add_option("--device", options.device, "Where to compute")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->type_name("auto|cpu|cuda");
  command->add_option("--run", options.folder, "The run's folder; else a new one in nnscope-runs")->type_name("FOLDER");
  command->add_option("--resume", options.resume, "Go on with the run in this folder from its newest checkpoint")
      ->type_name("FOLDER");
  command
      ->add_option("--checkpoint-every", options.checkpoint_every, "Steps between two checkpoints; 0: at the end only")
      ->type_name("N")
      ->capture_default_str();
  command->add_flag("--keep-nothing", options.keeps_nothing, "No folder, no checkpoints");
  command->add_flag("--no-recording", options.records_nothing, "No recording in the folder");
  command->add_flag("--ignore-nan", options.goes_on_after_nan, "Go on after a loss or gradient that is not finite");
  command->add_flag("--check-backward", options.checks_backward,
                    "Look at all numbers of every gradient for the first op that made a bad one; a step takes up to "
                    "half as long again");
  command->add_flag("--json", options.json, "Tell steps, metrics, log and the end as JSON, an object a line");
  TrainViewerOptions& viewers = options.viewers;
  CLI::Option* view = command->add_flag("--view", viewers.view, "Watch it in a window (the default with a display)");
  CLI::Option* serve = command->add_flag("--serve", viewers.serve,
                                         "Let browsers and nnscope attach watch it (the default without a display)");
  command->add_flag("--headless", viewers.headless, "Nobody watches")->excludes(view)->excludes(serve);
  command->add_option("--host", viewers.host, "Address to serve on; any but this machine's own wants a token")
      ->capture_default_str()
      ->type_name("NAME");
  command->add_option("--port", viewers.port, "Port to serve on; else 7373, or the next free one")->type_name("N");
  command->add_option("--allow-origin", viewers.allowed_origins, "Let pages of this origin attach, too")
      ->type_name("ORIGIN")
      ->allow_extra_args(false);
  CLI::Option* record = command->add_option("--record", viewers.record, "Record what a viewer would see, to replay it")
                            ->type_name("FILE.nnscope");
  command->add_flag("--force", viewers.overwrites_record, "Write over a recording that is there")->needs(record);
  command
      ->add_option("--nproc", options.processes,
                   "Train in so many processes together, the ranks of torch.distributed; rank 0 is the one that is "
                   "watched and kept")
      ->type_name("N")
      ->check(CLI::Range(1, kMostProcesses));
  command->add_flag("--list", options.lists_recipes, "List the recipes");
  command->add_flag("--print-recipe", options.prints_recipe, "Print the recipe's program instead of training");
  command->add_option("--allow-read", options.readable, "Let the program read files below a folder, besides its own")
      ->type_name("FOLDER")
      ->allow_extra_args(false);
  command->add_option("--allow-write", options.writable, "Let it write files below a folder, besides the run's")
      ->type_name("FOLDER")
      ->allow_extra_args(false);
  return command;
}

}  // namespace

int run(int argc, const char* const* argv) {
  cuda::offer_gpus();
  CLI::App app{std::string(kDescription), "nnscope"};
  app.footer(std::string(kFooter));
  app.set_help_flag("-h,--help", "Print this help");
  app.set_version_flag("-V,--version", version_text(), "Print the version and how this program was built");
  app.require_subcommand(0, 1);
  OpenOptions open_options;
  InspectOptions inspect_options;
  DiffOptions diff_options;
  ServeOptions serve_options;
  ExportOptions export_options;
  add_open(app, open_options);
  OpenOptions studio_options;
  const CLI::App* studio = add_studio(app, studio_options);
  LessonOptions lesson_options;
  const CLI::App* lesson = add_lesson(app, lesson_options);
  const CLI::App* inspect = add_inspect(app, inspect_options);
  const CLI::App* diff = add_diff(app, diff_options);
  const CLI::App* serve = add_serve(app, serve_options);
  const CLI::App* saved = add_export(app, export_options);
  ConvertOptions convert_options;
  const CLI::App* converted = add_convert(app, convert_options);
  const CLI::App* doctor = app.add_subcommand(
      "doctor", "Say what this machine has for computing on GPUs, and test each of them for about two seconds");

  RunOptions run_options;
  CLI::App* run = app.add_subcommand("run", "Run a Python program that uses PyTorch, without Python and PyTorch");
  run->add_option("FILE", run_options.file, "The program")->required();
  run->add_flag("--strict-imports", run_options.strict_imports,
                "An import of a package that nnscope has not raises ModuleNotFoundError; else it stands in");
  run->add_option("--max-steps", run_options.max_steps, "Stop after so many statements and turns of loops");
  run->add_option("--max-memory", run_options.max_memory,
                  "Raise MemoryError once the process holds more: 500M, 2G (may be given with K, M, G)")
      ->type_name("SIZE")
      ->transform(CLI::AsSizeValue(false));
  run->add_option("--events", run_options.events, "Write what happens to modules to this file, a JSON object a line")
      ->type_name("FILE");
  run->add_option("--allow-read", run_options.readable,
                  "Let it read the files below a folder, besides those below its own (may be given several times)")
      ->type_name("FOLDER")
      ->allow_extra_args(false);
  run->add_option("--allow-write", run_options.writable,
                  "Let it write, and read, files below a folder (may be given several times)")
      ->type_name("FOLDER")
      ->allow_extra_args(false);
  add_virtual_devices(*run, run_options.virtual_devices);
  CLI::Option* const nproc =
      run->add_option("--nproc", run_options.processes,
                      "Run it as so many processes, the ranks of torch.distributed; one that fails stops the others")
          ->type_name("N")
          ->check(CLI::Range(1, kMostProcesses));
  run->add_flag("--in-turns", run_options.takes_turns,
                "With --nproc: no processes; the ranks take turns on one thread, as they do in the page")
      ->needs(nproc);
  run->add_option("--output-dir", run_options.output_folder, "Write what rank I prints to DIR/rankI.out")
      ->type_name("DIR")
      ->needs(nproc);
  // What stands behind the file belongs to the program, options too.
  run->prefix_command();

  RunOptions repl_options;
  CLI::App* repl = app.add_subcommand("repl", "An interactive session: Python with torch, line by line");
  repl->add_flag("--strict-imports", repl_options.strict_imports,
                 "An import of a package that nnscope has not raises ModuleNotFoundError; else it stands in");
  BindingsOptions bindings_options;
  CLI::App* bindings = app.add_subcommand("bindings", "List what programs can import, and the names in it");
  bindings->add_option("MODULE", bindings_options.modules, "Only these and what is below them");
  bindings->add_flag("--json", bindings_options.json, "As JSON");
  const CLI::App* licenses =
      app.add_subcommand("licenses", "Print the licences of the libraries that this program contains");
  AttachOptions attach_options;
  const CLI::App* attach = add_attach(app, attach_options);
  ReplayOptions replay_options;
  const CLI::App* replay = add_replay(app, replay_options);
  CaptureOptions capture_options;
  const CLI::App* capture = add_capture(app, capture_options);
  SummaryOptions summary_options;
  const CLI::App* summary = add_summary(app, summary_options);

  TrainOptions train_options;
  const CLI::App* train = add_train(app, train_options);
  SimulateOptions simulate_options;
  const CLI::App* simulate = add_simulate(app, simulate_options);

  std::vector<std::string> arguments = with_command(argc, argv);
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
  try {
    app.parse(arguments);
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", app.help());
    return kFine;
  } catch (const CLI::CallForVersion&) {
    fmt::print("{}", version_text());
    return kFine;
  } catch (const CLI::ParseError& error) {
    print_error(fmt::format("{} (nnscope --help tells more)", error.what()));
    return kBadInput;
  }
  if (inspect->parsed() && inspect_options.scan)
    return run_scan(inspect_options.inputs, inspect_options.json, Terminal::detect());
  if (inspect->parsed() && !inspect_options.tensor.empty())
    return run_tensor_report(inspect_options, Terminal::detect());
  if (inspect->parsed()) return run_inspect(inspect_options, Terminal::detect());
  if (diff->parsed()) return run_diff(diff_options, Terminal::detect());
  if (saved->parsed()) {
    const bool is_values = !export_options.tensor.empty();
    const std::string& format = export_options.format;
    const bool fits = is_values ? format == "npy" || format == "csv" || is_picture_format(format) : format != "npy";
    if (!fits) {
      print_error(is_values ? "--tensor goes with --as npy, csv, svg, png or pdf" : "--as npy needs --tensor NAME");
      return kBadInput;
    }
    if (!export_options.filter.empty() && is_picture_format(format)) {
      print_error("--filter goes with --as text, json, csv or markdown");
      return kBadInput;
    }
    if (!export_options.against.empty() && !is_picture_format(format)) {
      print_error("--against goes with --as svg, png or pdf");
      return kBadInput;
    }
    return run_export(export_options, Terminal::detect());
  }
  if (lesson->parsed()) return run_lesson(std::move(lesson_options));
  if (studio->parsed()) return run_studio(std::move(studio_options));
  if (converted->parsed()) return run_convert(convert_options, Terminal::detect());
  if (serve->parsed()) return run_serve(serve_options);
  if (attach->parsed()) return run_attach(attach_options);
  if (replay->parsed()) return run_replay(replay_options);
  if (doctor->parsed()) return run_doctor(Terminal::detect());
  if (repl->parsed()) return run_repl(repl_options);
  if (licenses->parsed()) return run_licenses();
  if (bindings->parsed()) return run_bindings(bindings_options);
  if (summary->parsed()) return run_summary(summary_options, Terminal::detect());
  if (capture->parsed()) return run_capture(capture_options);
  if (train->parsed()) {
    train_options.words = words_of_a_rank({argv, static_cast<std::size_t>(argc)});
    return run_train(train_options);
  }
  if (simulate->parsed()) return run_simulate(simulate_options, Terminal::detect());
  if (run->parsed()) {
    run_options.arguments = run->remaining();
    return run_program_file(run_options);
  }
  return run_open(std::move(open_options));
}

}  // namespace nns::cli
