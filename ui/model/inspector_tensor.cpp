#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ui/model/format.h"
#include "ui/model/inspector.h"

namespace nns::model {

namespace {

namespace wire = live::wire;
using live::text_of;

std::span<const std::int64_t> numbers(const flatbuffers::Vector<std::int64_t>& vector) {
  return {vector.data(), vector.size()};
}

std::string tuple_text(std::span<const std::int64_t> values) {
  if (values.size() == 1) return fmt::format("({},)", values[0]);
  return fmt::format("({})", fmt::join(values.begin(), values.end(), ", "));
}

std::string bytes_line(std::uint64_t bytes) {
  return bytes < 1000 ? short_bytes(bytes) : fmt::format("{} ({} bytes)", short_bytes(bytes), thousands(bytes));
}

std::string exact_text(double value) { return fmt::format("{}", value); }

FactLine number_line(std::string label, double value) {
  return {.label = std::move(label), .value = value_text(value), .exact = exact_text(value)};
}

FactLine count_line(std::string label, std::uint64_t count, std::uint64_t whole) {
  std::string text = thousands(count);
  if (count != 0) text += fmt::format(" ({})", share_text(count, whole));
  return {.label = std::move(label), .value = std::move(text), .exact = fmt::format("{}", count)};
}

std::string quantile_label(double at) {
  if (at == 0.5) return "50% (median)";
  return fmt::format("{:g}%", at * 100);
}

}  // namespace

TensorView view_tensor(const live::DocumentView& document, const wire::TensorFacts& facts) {
  TensorView view;
  view.name = text_of(facts.name());
  view.has_values = facts.has_values();
  const auto shape = numbers(*facts.shape());
  const auto stride = numbers(*facts.stride());
  const auto add = [&](std::string label, std::string value, std::string exact = {}) {
    view.facts.push_back({.label = std::move(label), .value = std::move(value), .exact = std::move(exact)});
  };
  add("Shape", shape_text(shape), tuple_text(shape));
  add("Dtype", std::string(text_of(facts.dtype())));
  add("Elements", thousands(facts.numel()), fmt::format("{}", facts.numel()));
  const std::uint32_t shown = facts.tensor() < document.tensor_count() ? document.node(facts.tensor()) : live::kNone;
  if (shown != live::kNone && !document.preview(shown).empty()) {
    add("Packed", std::string(document.preview(shown)));
    add("Values", "as stored, not the weights that they stand for");
    add("Parameters", thousands(document.parameters(shown)), fmt::format("{}", document.parameters(shown)));
  }
  add("Size", bytes_line(facts.nbytes()), fmt::format("{}", facts.nbytes()));
  add("Strides", tuple_text(stride));
  add("Role", facts.is_parameter() ? (facts.requires_grad() ? "parameter, requires grad" : "parameter, frozen")
                                   : (facts.requires_grad() ? "tensor, requires grad" : "tensor, no grad"));
  if (facts.device()->size() != 0) add("Device", std::string(text_of(facts.device())));
  if (facts.storage() != live::kNone) {
    add("Storage", fmt::format("#{}, {}", facts.storage(), bytes_line(facts.storage_bytes())));
    add("Storage offset", fmt::format("{} elements", thousands(facts.storage_offset())),
        fmt::format("{}", facts.storage_offset()));
  }
  if (facts.file()->size() != 0) {
    add("File", std::string(text_of(facts.file())));
    if (facts.located() && facts.file_offset() <= UINT64_MAX - facts.storage_bytes()) {
      const std::uint64_t end = facts.file_offset() + facts.storage_bytes();
      add("File bytes", fmt::format("{} to {}", thousands(facts.file_offset()), thousands(end)),
          fmt::format("{}:{}", facts.file_offset(), end));
    }
  }
  for (const std::uint32_t other : *facts.shares_with()) {
    const std::uint32_t row = document.node(other);
    std::string name = row == live::kNone ? fmt::format("tensor {}", other) : document.path(row);
    view.facts.push_back({.label = "Shares storage with", .value = std::move(name), .exact = {}, .tensor = other});
  }
  if (!facts.has_values()) {
    add("Values", text_of(facts.device()) == "meta" ? "none: on meta" : "none: its file is missing");
  }
  return view;
}

StatisticsView view_statistics(const wire::TensorStatistics& statistics, const base::TensorSlice& slice,
                               const SliceView& part) {
  StatisticsView view;
  view.facts.push_back(number_line("Min", statistics.min()));
  view.facts.push_back(number_line("Max", statistics.max()));
  view.facts.push_back(number_line("Mean", statistics.mean()));
  view.facts.push_back(number_line("Std", statistics.std()));
  view.facts.push_back(number_line("Largest magnitude", statistics.absmax()));
  if (statistics.is_integer()) {
    view.facts.push_back({.label = "Sum",
                          .value = signed_thousands(statistics.sum_integer()),
                          .exact = fmt::format("{}", statistics.sum_integer())});
  } else if (statistics.sum_imaginary() != 0) {
    view.facts.push_back({.label = "Sum",
                          .value = complex_text(statistics.sum(), statistics.sum_imaginary()),
                          .exact = fmt::format("{}{:+}j", statistics.sum(), statistics.sum_imaginary())});
  } else {
    view.facts.push_back(number_line("Sum", statistics.sum()));
  }
  view.facts.push_back(count_line("Zeros", statistics.zeros(), statistics.count()));
  const auto add_bad = [&](std::string label, std::uint64_t count, std::uint64_t first) {
    FactLine line = count_line(std::move(label), count, statistics.count());
    if (count != 0 && first != UINT64_MAX)
      line.value += fmt::format(", first at {}", cell_text(slice, part, first / part.columns, first % part.columns));
    view.has_problem = view.has_problem || count != 0;
    view.facts.push_back(std::move(line));
  };
  add_bad("NaN", statistics.nan(), statistics.first_nan());
  add_bad("Infinite", statistics.pos_inf() + statistics.neg_inf(), statistics.first_inf());
  if (statistics.rows() != 0) view.facts.push_back(count_line("Dead rows", statistics.dead_rows(), statistics.rows()));
  if (statistics.columns() != 0) {
    view.facts.push_back(count_line("Dead columns", statistics.dead_columns(), statistics.columns()));
  }
  view.facts.push_back(count_line("Outliers", statistics.outliers(), statistics.count()));

  const flatbuffers::Vector<std::uint64_t>& counts = *statistics.histogram();
  std::uint64_t tallest = 0;
  for (const std::uint64_t count : counts) tallest = std::max(tallest, count);
  const double width = (statistics.histogram_high() - statistics.histogram_low()) / std::max(1U, counts.size());
  for (std::uint32_t i = 0; i < counts.size(); ++i) {
    const std::uint64_t count = counts.Get(i);
    HistogramBar bar{.low = statistics.histogram_low() + width * i,
                     .high = statistics.histogram_low() + width * (i + 1),
                     .count = count};
    if (count != 0) {
      bar.height = static_cast<float>(static_cast<double>(count) / static_cast<double>(tallest));
      bar.log_height =
          static_cast<float>(std::log1p(static_cast<double>(count)) / std::log1p(static_cast<double>(tallest)));
    }
    view.histogram.push_back(bar);
  }
  for (std::uint32_t i = 0; i < statistics.quantiles()->size(); ++i) {
    const double value = statistics.quantiles()->Get(i);
    view.quantiles.push_back(
        {.label = quantile_label(statistics.quantile_at()->Get(i)), .value = value, .text = value_text(value)});
  }
  if (!view.quantiles.empty()) {
    view.quantile_note = statistics.quantile_error() == 0
                             ? "exact"
                             : fmt::format("within \u00B1{}", value_text(statistics.quantile_error()));
  }
  return view;
}

}  // namespace nns::model
