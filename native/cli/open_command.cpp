#include "native/cli/open_command.h"

#include <fmt/format.h>

#include <memory>
#include <string_view>
#include <utility>

#include "core/live/commands.h"
#include "native/cli/attach_command.h"
#include "native/cli/document.h"
#include "native/cli/exit_status.h"
#include "native/cli/serve_command.h"
#include "native/cli/terminal.h"
#include "native/cli/version.h"
#include "native/host/folder_files.h"
#include "native/host/url.h"
#include "native/server/kept_run.h"

namespace nns::cli {

namespace {

constexpr std::string_view kSample = "sample:";

bool is_path(const std::string& input) {
  return !host::is_url(input) && !input.starts_with(kSample) && !input.starts_with('#');
}

/// Tells which paths are not there, and takes them out. False if there was one.
bool keep_openable(std::vector<std::string>& inputs) {
  std::vector<std::string> good;
  for (std::string& input : inputs) {
    if (is_path(input)) {
      if (const auto opened = host::open_path(input); !opened.ok()) {
        print_error(opened.error().message());
        continue;
      }
    }
    good.push_back(std::move(input));
  }
  const bool all_good = good.size() == inputs.size();
  inputs = std::move(good);
  return all_good;
}

/// Reads what the inputs begin with and tells what is wrong: a picture of an error message helps nobody.
bool can_read_all(const std::vector<std::string>& inputs) {
  const auto client = std::make_shared<host::HttpClient>();
  bool all_good = true;
  for (const std::string& input : inputs) {
    if (input.starts_with(kSample) || input.starts_with('#')) continue;
    if (is_path(input) &&
        (live::is_program(input, {}) || live::is_trace_log(input, {}) || input.ends_with(".nnscope"))) {
      // What is wrong with a program stands in its console, what with a recording on its screen.
      if (const auto opened = host::open_path(input); !opened.ok()) {
        print_error(opened.error().message());
        all_good = false;
      }
      continue;
    }
    if (const auto document = read_document(input, client, Terminal{}); !document.ok()) {
      print_error(document.error().message());
      all_good = false;
    }
  }
  return all_good;
}

/// Where a link leads to in what it opens, as the page reads it (ui/app/document_link.cpp).
std::string place_in_link(const host::WindowOptions& window) {
  std::string place;
  const auto add = [&](std::string_view key, const std::string& value) {
    place += fmt::format("{}{}={}", place.empty() ? "" : "&", key, host::percent_encode(value));
  };
  if (!window.select.empty()) add("select", window.select);
  if (window.studio) add("step", std::to_string(*window.studio + 1));
  if (window.lesson_stop) add("stop", std::to_string(*window.lesson_stop + 1));
  return place;
}

int take_screenshot(const OpenOptions& options) {
  if (!can_read_all(options.window.inputs)) return kBadInput;
  const auto written = host::write_screenshot(options.window, options.screenshot);
  if (written.ok()) {
    for (const base::Error& wrong : *written) print_error(wrong.message());
    return written->empty() ? kFine : kBadInput;
  }
  print_error(written.error().message());
  if (!host::can_open_window()) {
    print_error("without a display this works: xvfb-run -a nnscope open ... --screenshot FILE");
  }
  return kFound;
}

}  // namespace

int run_open(OpenOptions options) {
  if (!options.window.connector) options.window.connector = live_connector();
  if (!options.screenshot.empty()) return take_screenshot(options);
  if (!options.window.keep_run) options.window.keep_run = server::make_run_keeper(run_environment());
  const bool asked_for_some = !options.window.inputs.empty();
  const int status = keep_openable(options.window.inputs) ? kFine : kBadInput;
  if (asked_for_some && options.window.inputs.empty()) return status;
  if (!host::can_open_window()) {
    if (options.window.virtual_devices > 0) {
      print_error(
          fmt::format("no window can be opened here, and the page has no --virtual-devices: write "
                      "\"# nnscope: --virtual-devices {}\" into the program",
                      options.window.virtual_devices));
    }
    ServeOptions serve;
    serve.inputs = std::move(options.window.inputs);
    serve.compares = options.window.compare;
    serve.place = place_in_link(options.window);
    const int served = run_serve(serve);
    return served == kFine ? status : served;
  }
  if (const auto shown = host::run_window(options.window); !shown.ok()) {
    print_error(shown.error().message());
    return kFound;
  }
  return status;
}

int run_studio(OpenOptions options) {
  const std::string& file = options.window.inputs.front();
  if (!live::is_program(host::is_url(file) ? std::string() : file, host::is_url(file) ? file : std::string())) {
    print_error(base::Error{.found = "no program", .expected = "a file of Python, NAME.py", .where = file, .offset = {}}
                    .message());
    return kBadInput;
  }
  return run_open(std::move(options));
}

}  // namespace nns::cli
