#include "native/cli/diff_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>

#include "native/cli/diff_report.h"
#include "native/cli/exit_status.h"
#include "native/cli/progress.h"
#include "native/cli/stop_on_signal.h"

namespace nns::cli {

namespace {

void compare_values(Comparison& comparison, diff::ValuesTask& task, const Terminal& terminal) {
  const StopOnSignal stop;
  ProgressLine line(terminal, "comparing", comparison.input_b);
  while (true) {
    const bool is_done = task.step(base::Budget(kSlice));
    for (diff::RowValues& values : task.take_finished()) comparison.values.push_back(std::move(values));
    if (is_done) break;
    if (StopOnSignal::stopped()) {
      comparison.is_complete = false;
      break;
    }
    line.show(task.done(), task.total());
  }
  std::sort(comparison.values.begin(), comparison.values.end(),
            [](const diff::RowValues& x, const diff::RowValues& y) { return x.row < y.row; });
}

}  // namespace

int run_diff(DiffOptions options, const Terminal& terminal) {
  if (options.b.empty()) {
    if (options.part_a.empty() && options.part_b.empty()) {
      print_error("diff needs a second file, or --part and --with-part to compare two modules of one");
      return kBadInput;
    }
    options.b = options.a;
  }
  // A module of A is compared with that of the same name in B unless another is named; of one file that is itself.
  if (options.part_b.empty() && options.a != options.b) options.part_b = options.part_a;
  const auto client = std::make_shared<host::HttpClient>();
  auto a = read_document(options.a, client, terminal);
  auto b = read_document(options.b, client, terminal);
  for (const auto* document : {&a, &b}) {
    if (!document->ok()) print_error(document->error().message());
  }
  if (!a.ok() || !b.ok()) return kBadInput;

  Comparison comparison;
  comparison.input_a = options.a;
  comparison.input_b = options.b;
  comparison.a = std::move(a).value();
  comparison.b = std::move(b).value();
  comparison.with_values = options.values;
  diff::Parts parts;
  for (const bool is_a : {true, false}) {
    const Document& document = is_a ? comparison.a : comparison.b;
    const auto row = diff::find_path(*document.checkpoint, is_a ? options.part_a : options.part_b);
    if (!row.ok()) {
      print_error(row.error().message());
      return kBadInput;
    }
    (is_a ? parts.a : parts.b) = *row;
  }
  if (const auto fits = diff::check_parts(*comparison.a.checkpoint, *comparison.b.checkpoint, parts); !fits.ok()) {
    print_error(fits.error().message());
    return kBadInput;
  }
  comparison.part_a = options.part_a;
  comparison.part_b = options.part_b;
  comparison.structure = diff::compare_structure(*comparison.a.checkpoint, *comparison.b.checkpoint, parts);
  diff::ValuesTask task(*comparison.a.checkpoint, *comparison.b.checkpoint, comparison.structure);
  comparison.bytes_to_read = task.total();
  if (options.values) compare_values(comparison, task, terminal);
  for (const diff::RowValues& values : comparison.values) {
    if (!values.problem.empty()) print_error(values.problem);
  }

  if (options.json) {
    JsonWriter json(stdout);
    write_comparison(json, comparison);
    json.newline();
  } else {
    print_comparison(stdout, comparison, terminal);
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    print_error(fmt::format("standard output cannot be written: {}", std::generic_category().message(errno)));
    return kBadInput;
  }
  if (!comparison.is_complete) {
    print_error("stopped before all values were compared");
    return kStopped;
  }
  const std::uint64_t unknown = comparison.unknown();
  if (unknown > 0) {
    print_error(fmt::format("{} of the tensors could not be compared", unknown));
    return kBadInput;
  }
  return comparison.is_equal() ? kFine : kFound;
}

}  // namespace nns::cli
