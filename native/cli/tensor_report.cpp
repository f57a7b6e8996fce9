#include "native/cli/tensor_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <utility>
#include <vector>

#include "core/checkpoint/model_statistics.h"
#include "native/cli/document.h"
#include "native/cli/exit_status.h"
#include "native/cli/json_report.h"
#include "native/cli/progress.h"
#include "native/cli/stop_on_signal.h"
#include "native/cli/tensor_option.h"
#include "ui/model/format.h"
#include "ui/model/slice_view.h"

namespace nns::cli {

namespace {

using checkpoint::TensorStatistics;
using model::thousands;
using model::value_text;

/// A tensor, the part of it, and what is known of its values.
struct TensorReport {
  std::string name;
  std::string dtype_name;
  tensor::DType dtype{};
  std::vector<std::int64_t> shape;
  base::TensorSlice slice;
  model::SliceView view;
  TensorStatistics statistics;
};

std::string place(const TensorReport& report, std::uint64_t flat) {
  return model::cell_text(report.slice, report.view, flat / report.view.columns, flat % report.view.columns);
}

/// Nothing after Ctrl+C.
base::Result<std::optional<TensorReport>> read_report(const std::string& input, const InspectOptions& options,
                                                      const std::shared_ptr<host::HttpClient>& client,
                                                      const Terminal& terminal) {
  NNS_TRY_ASSIGN(const Document document, read_document(input, client, terminal));
  checkpoint::Checkpoint& file = *document.checkpoint;
  std::uint32_t index = 0;
  while (index < file.tensors.size() && !is_called(file.name(file.tensors[index]), options.tensor)) ++index;
  if (index == file.tensors.size()) {
    return base::Error{fmt::format("no tensor is called \"{}\"", options.tensor),
                       "a name as `nnscope inspect --json` prints it", input, std::nullopt};
  }
  const checkpoint::TensorEntry& entry = file.tensors[index];
  TensorReport report;
  report.name = options.tensor;
  report.dtype = entry.dtype;
  report.dtype_name = file.dtype_name(entry);
  NNS_TRY_ASSIGN(auto source, checkpoint::element_source(file, index));
  report.shape = source.shape;
  NNS_TRY_ASSIGN(report.slice, read_slice(options.slice, source.shape));
  report.view = model::view_slice(report.slice, source.shape, source.stride, source.storage_offset, report.dtype_name);
  NNS_TRY_ASSIGN(auto part, checkpoint::apply_slice(source, report.slice));
  checkpoint::StatisticsTask task(std::move(part));
  ProgressLine line(terminal, "computing", input);
  while (true) {
    NNS_TRY_ASSIGN(const bool is_done, task.step(base::Budget(kSlice)));
    if (is_done) break;
    if (StopOnSignal::stopped()) return std::optional<TensorReport>();
    line.show(task.done(), task.total());
  }
  report.statistics = task.statistics();
  return std::optional(std::move(report));
}

void print_report(const TensorReport& report, const Terminal& terminal) {
  const TensorStatistics& numbers = report.statistics;
  fmt::print("{}\n",
             terminal.paint(Style::Title, printable(report.name) + (report.view.is_whole ? "" : report.view.text)));
  fmt::print("{} {}{}\n\n", printable(report.dtype_name), model::shape_text(report.shape),
             report.view.is_whole ? ""
                                  : fmt::format(", part {}, strides {}, offset {}", report.view.shape,
                                                report.view.strides, thousands(report.view.offset)));
  std::vector<std::pair<std::string, std::string>> lines;
  lines.emplace_back("values", thousands(numbers.count));
  const std::uint64_t infinite = numbers.pos_inf + numbers.neg_inf;
  if (numbers.count > numbers.nan + infinite) {
    const std::pair<const char*, double> facts[] = {
        {"min", numbers.min}, {"max", numbers.max}, {"mean", numbers.mean}, {"std", numbers.std}};
    for (const auto& [label, value] : facts) lines.emplace_back(label, value_text(value));
  }
  lines.emplace_back("sum", numbers.is_integer                 ? model::signed_thousands(numbers.sum_integer)
                            : tensor::is_complex(report.dtype) ? model::complex_text(numbers.sum, numbers.sum_imaginary)
                                                               : value_text(numbers.sum));
  lines.emplace_back("zeros", thousands(numbers.zeros));
  const auto first = [&](std::uint64_t count, std::uint64_t at) {
    return thousands(count) + (count == 0 ? "" : ", the first at " + place(report, at));
  };
  lines.emplace_back("NaN", first(numbers.nan, numbers.first_nan));
  lines.emplace_back("infinite", first(infinite, numbers.first_inf));
  if (numbers.rows != 0)
    lines.emplace_back("dead rows", fmt::format("{} of {}", thousands(numbers.dead_rows), thousands(numbers.rows)));
  if (numbers.columns != 0) {
    lines.emplace_back("dead columns",
                       fmt::format("{} of {}", thousands(numbers.dead_columns), thousands(numbers.columns)));
  }
  lines.emplace_back("outliers", thousands(numbers.outliers));
  for (std::size_t i = 0; i < numbers.quantiles.size(); ++i)
    lines.emplace_back(fmt::format("{:g} %", numbers.quantile_at[i] * 100), value_text(numbers.quantiles[i]));
  for (const auto& [label, value] : lines) fmt::print("  {:<14}{}\n", label, value);
}

void write_report(JsonWriter& json, const TensorReport& report) {
  json.begin_object();
  json.key("name");
  json.text(report.name);
  json.key("dtype");
  json.text(report.dtype_name);
  const auto sizes = base::slice_shape(report.slice);
  for (const auto& [key, numbers] : {std::pair("shape", &report.shape), std::pair("part_shape", &sizes)}) {
    json.key(key);
    json.begin_list();
    for (const std::int64_t number : *numbers) json.number(number);
    json.end_list();
  }
  json.key("part");
  json.text(report.view.text);
  json.key("count");
  json.number(report.statistics.count);
  write_statistics(json, report.statistics, report.dtype);
  json.key("quantiles");
  json.begin_object();
  for (std::size_t i = 0; i < report.statistics.quantiles.size(); ++i) {
    json.key(fmt::format("{:g}", report.statistics.quantile_at[i]));
    json.number(report.statistics.quantiles[i]);
  }
  json.end_object();
  json.end_object();
}

}  // namespace

int run_tensor_report(const InspectOptions& options, const Terminal& terminal) {
  const StopOnSignal stop;
  const auto client = std::make_shared<host::HttpClient>();
  const bool is_list = options.inputs.size() > 1;
  int status = kFine;
  JsonWriter json(stdout);
  if (options.json && is_list) json.begin_list(true);
  bool is_first = true;
  for (const std::string& input : options.inputs) {
    auto report = read_report(input, options, client, terminal);
    if (StopOnSignal::stopped()) return kStopped;
    if (!report.ok()) {
      status = kBadInput;
      print_error(report.error().message());
      if (!options.json || !is_list) continue;
      json.begin_object();
      json.key("input");
      json.text(input);
      json.key("error");
      json.text(report.error().message());
      json.end_object();
    } else if (options.json) {
      write_report(json, **report);
    } else {
      if (!is_first) fmt::print("\n");
      print_report(**report, terminal);
    }
    is_first = false;
  }
  if (options.json && is_list) json.end_list();
  if (options.json && (is_list || !is_first)) json.newline();
  json.flush();
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    print_error("standard output cannot be written");
    return kFound;
  }
  return status;
}

}  // namespace nns::cli
