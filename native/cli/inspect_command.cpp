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

base::Result<Document> read(const std::string& input, const InspectOptions& options,
                            const std::shared_ptr<host::HttpClient>& client, const Terminal& terminal) {
  NNS_TRY_ASSIGN(Document document, read_document(input, client, terminal));
  if (!options.filter.empty()) NNS_TRY(filter_document(document, options.filter));
  if (options.statistics) read_statistics(document, input, terminal);
  return document;
}

}  // namespace

int run_inspect(const InspectOptions& options, const Terminal& terminal) {
  int status = kFine;
  if (const auto query = model::check_query(options.filter); !options.filter.empty() && !query.ok()) {
    print_error(query.error().message());
    return kBadInput;
  }
  const auto client = std::make_shared<host::HttpClient>();
  const bool is_list = options.inputs.size() > 1;
  JsonWriter json(stdout);
  if (options.json && is_list) json.begin_list(true);
  bool is_first = true;
  bool any_match = false;
  bool any_without = false;
  for (const std::string& input : options.inputs) {
    auto document = read(input, options, client, terminal);
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
    if (document->filter) {
      (document->filter->is_empty() ? any_without : any_match) = true;
      if (document->filter->is_empty()) print_error(fmt::format("{}: nothing matches \"{}\"", input, options.filter));
    }
    if (options.json) {
      write_json(json, *document, options.depth);
    } else if (!document->filter || !document->filter->is_empty()) {
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
  return status == kFine && any_without && !any_match ? kFound : status;
}

}  // namespace nns::cli
