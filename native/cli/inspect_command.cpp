#include "native/cli/inspect_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>

#include "native/cli/document.h"
#include "native/cli/exit_status.h"
#include "native/cli/json_report.h"
#include "native/cli/text_report.h"

namespace nns::cli {

namespace {

bool names_danger(const checkpoint::Checkpoint& file) {
  return std::any_of(file.globals.begin(), file.globals.end(),
                     [](const auto& global) { return global.verdict == checkpoint::Verdict::Dangerous; });
}

}  // namespace

int run_inspect(const InspectOptions& options, const Terminal& terminal) {
  int status = kFine;
  const auto client = std::make_shared<host::HttpClient>();
  const bool is_list = options.inputs.size() > 1;
  JsonWriter json(stdout);
  if (options.json && is_list) json.begin_list(true);
  bool is_first = true;
  for (const std::string& input : options.inputs) {
    auto document = read_document(input, client, options.statistics, terminal);
    if (!document.ok()) {
      status = kBadInput;
      print_error(document.error().message());
      if (options.json && is_list) {
        json.begin_object();
        json.key("input");
        json.text(input);
        json.key("error");
        json.text(document.error().message());
        json.end_object();
      }
      continue;
    }
    for (const std::string& problem : document->problems) print_error(problem);
    if (!document->problems.empty()) status = kBadInput;
    if (status == kFine && names_danger(*document->checkpoint)) status = kFound;
    if (options.json) {
      write_json(json, *document, options.depth);
    } else {
      if (!is_first) fmt::print("\n");
      print_text(stdout, *document, options.depth, terminal);
    }
    is_first = false;
  }
  if (options.json && is_list) json.end_list();
  if (options.json && (is_list || !is_first)) json.newline();
  json.flush();
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    print_error(fmt::format("standard output cannot be written: {}", std::generic_category().message(errno)));
    return kFound;
  }
  return status;
}

}  // namespace nns::cli
