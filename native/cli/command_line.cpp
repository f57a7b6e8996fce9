#include "native/cli/command_line.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "native/cli/exit_status.h"
#include "native/cli/inspect_command.h"
#include "native/cli/open_command.h"
#include "native/cli/serve_command.h"
#include "native/cli/terminal.h"
#include "native/cli/version.h"

namespace nns::cli {

namespace {

constexpr std::string_view kDescription =
    "See inside PyTorch-style modules: checkpoints as trees of modules, tensors and hooks.";

constexpr std::string_view kFooter = R"(Without a command FILE... is opened; without anything the explorer starts.
A path may be a file, a folder with an index of shards or one checkpoint, or an http(s) address
whose server answers ranges (links to Hugging Face and GitHub pages work).

Exit status:
  0  fine
  1  a file names something dangerous, or the program failed
  2  wrong usage, or input that cannot be read

Environment:
  NO_COLOR      no colours
  NNSCOPE_SITE  folder of the web explorer)";

constexpr std::array<std::string_view, 3> kCommands = {"open", "inspect", "serve"};

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

CLI::App* add_inspect(CLI::App& app, InspectOptions& options) {
  CLI::App* command =
      app.add_subcommand("inspect", "Print what is in files: modules, tensors, metadata, pickled names");
  command->footer("");
  command->add_option("PATH", options.inputs, "Files, folders or web addresses")->required()->type_name("");
  command->add_flag("--json", options.json, "Print JSON; several paths give a list");
  command->add_flag("--stats", options.statistics,
                    "Read all values: sum, min, max, mean, std (population), NaN, infinity");
  command->add_option("--depth", options.depth, "Show at most so many levels below the root")->type_name("N");
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
  return command;
}

/// "1600x1000" into width and height; what is wrong with it, or nothing.
std::string parse_size(const std::string& text, host::WindowOptions& window) {
  const std::size_t by = text.find('x');
  const auto number = [](std::string_view digits, int& value) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc() && end == digits.data() + digits.size() && value >= 64 && value <= 16'384;
  };
  const std::string_view all(text);
  const bool is_size =
      by != std::string::npos && number(all.substr(0, by), window.width) && number(all.substr(by + 1), window.height);
  return is_size ? "" : fmt::format("{} is no size: WIDTHxHEIGHT, each from 64 to 16384", text);
}

CLI::App* add_open(CLI::App& app, OpenOptions& options) {
  CLI::App* command =
      app.add_subcommand("open", "Open files in the explorer: a window, or a web page where there is no display");
  command->footer("");
  host::WindowOptions& window = options.window;
  CLI::Option* inputs =
      command->add_option("PATH", window.inputs, "Files, folders, web addresses or sample:NAME")->type_name("");
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
  using panels::InspectorTab;
  command->add_option("--tab", window.tab, "Tab of the inspector: summary, registries, hooks, tensor, repr or safety")
      ->transform(CLI::Transformer(std::map<std::string, InspectorTab>{{"summary", InspectorTab::Summary},
                                                                       {"registries", InspectorTab::Registries},
                                                                       {"hooks", InspectorTab::Hooks},
                                                                       {"tensor", InspectorTab::Tensor},
                                                                       {"repr", InspectorTab::Repr},
                                                                       {"safety", InspectorTab::Safety}}))
      ->type_name("NAME");
  command->add_option("--select", window.select, "Name of the module or tensor to choose")
      ->type_name("NAME")
      ->needs(inputs);
  return command;
}

}  // namespace

int run(int argc, const char* const* argv) {
  CLI::App app{std::string(kDescription), "nnscope"};
  app.footer(std::string(kFooter));
  app.set_help_flag("-h,--help", "Print this help");
  app.set_version_flag("-V,--version", version_text(), "Print the version and how this program was built");
  app.require_subcommand(0, 1);
  OpenOptions open_options;
  InspectOptions inspect_options;
  ServeOptions serve_options;
  add_open(app, open_options);
  const CLI::App* inspect = add_inspect(app, inspect_options);
  const CLI::App* serve = add_serve(app, serve_options);

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
  if (inspect->parsed()) return run_inspect(inspect_options, Terminal::detect());
  if (serve->parsed()) return run_serve(serve_options);
  return run_open(std::move(open_options));
}

}  // namespace nns::cli
