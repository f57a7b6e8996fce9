#include "native/cli/text_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "core/checkpoint/packed_weights.h"
#include "native/cli/table.h"
#include "native/cli/tree_lines.h"
#include "ui/model/format.h"
#include "ui/model/plural.h"

namespace nns::cli {

namespace {

using checkpoint::Checkpoint;
using checkpoint::kNone;
using checkpoint::ModuleTree;
using checkpoint::NodeKind;
using checkpoint::TensorEntry;
using checkpoint::Verdict;
using model::plural;
using model::shape_text;
using model::short_bytes;
using model::thousands;
using model::value_text;

/// The columns of a line. Numbers stand on the right of theirs, words on the left.
enum ReportColumn : std::size_t {
  kName,
  kType,
  kDtype,
  kParameters,
  kBytes,
  kMean,
  kStd,
  kMin,
  kMax,
  kNonFinite,
  kZeros,
  kDead,
  kOutliers,
  kNote,
  kColumns
};
constexpr std::array<std::string_view, kColumns> kReportTitles = {
    "name", "class or shape", "dtype", "parameters",     "bytes",    "mean", "std", "min",
    "max",  "nan/inf",        "zeros", "dead rows/cols", "outliers", ""};
constexpr bool is_number_column(std::size_t column) { return column >= kParameters && column <= kOutliers; }

struct Row {
  std::array<std::string, kColumns> text;
  std::size_t branch_bytes = 0;  // how much of the name column is box drawing
  Style name_style = Style::Plain;
};

Style style_of(NodeKind kind) {
  switch (kind) {
    case NodeKind::Module:
      return Style::Module;
    case NodeKind::Parameter:
      return Style::Parameter;
    case NodeKind::Buffer:
      return Style::Buffer;
    default:
      return Style::Value;
  }
}

std::string shortened(std::string_view text, std::size_t most) { return cut_to_width(printable(text), most); }

void fill_statistics(Row& row, const Document& document, std::uint32_t tensor) {
  if (document.statistics.empty() || tensor == kNone) return;
  const auto& statistics = document.statistics[tensor];
  if (!statistics) {
    row.text[kMean] = "(none)";
    return;
  }
  if (statistics->count > statistics->nan + statistics->pos_inf + statistics->neg_inf) {
    row.text[kMean] = value_text(statistics->mean);
    row.text[kStd] = value_text(statistics->std);
    row.text[kMin] = value_text(statistics->min);
    row.text[kMax] = value_text(statistics->max);
  }
  const std::uint64_t infinite = statistics->pos_inf + statistics->neg_inf;
  if (statistics->nan + infinite > 0) {
    row.text[kNonFinite] = fmt::format("{}/{}", thousands(statistics->nan), thousands(infinite));
  }
  if (statistics->zeros > 0) row.text[kZeros] = model::share_text(statistics->zeros, statistics->count);
  if (statistics->dead_rows + statistics->dead_columns > 0) {
    row.text[kDead] = fmt::format("{}/{}", thousands(statistics->dead_rows), thousands(statistics->dead_columns));
  }
  if (statistics->outliers > 0) row.text[kOutliers] = thousands(statistics->outliers);
}

Row make_row(const Document& document, const TreeLine& line) {
  const Checkpoint& file = *document.checkpoint;
  const ModuleTree& tree = file.tree;
  const std::uint32_t node = line.row;
  Row row;
  const bool only_leads = document.filter && !document.filter->is_match(node);
  row.name_style = only_leads ? Style::Dim : style_of(tree.kind[node]);
  row.branch_bytes = line.branches.size();
  const std::string name = node == 0 ? file.title : std::string(tree.strings.view(tree.name[node]));
  row.text[kName] = line.branches + printable(name);
  std::uint64_t parameters = document.parameters(node);
  std::uint64_t bytes = document.bytes(node);
  if (line.fold_count > 1) {
    row.text[kName] += fmt::format("…{}  ×{}", tree.strings.view(tree.name[line.fold_last]), line.fold_count);
    parameters = bytes = 0;
    for (std::uint32_t member = node, i = 0; i < line.fold_count; ++i, member = tree.end[member]) {
      parameters += document.parameters(member);
      bytes += document.bytes(member);
    }
  }
  const std::uint32_t index = tree.tensor[node];
  if (index != kNone) {
    const TensorEntry& tensor = file.tensors[index];
    row.text[kType] = tensor.has_shape ? shape_text(file.shape(tensor)) : "in a missing file";
    if (tensor.has_shape) row.text[kDtype] = printable(file.dtype_name(tensor));
    if (tensor.packing != kNone) row.text[kType] += "  " + printable(packing_text(file.packings[tensor.packing]));
    if (tensor.storage != kNone && document.storage_tensors[tensor.storage].front() != index) {
      const std::uint32_t first = document.storage_tensors[tensor.storage].front();
      row.text[kNote] = fmt::format("shares storage with {}", printable(file.name(file.tensors[first])));
    }
    fill_statistics(row, document, index);
  } else {
    const std::string class_name = printable(tree.strings.view(tree.class_name[node]));
    const bool is_inferred = (tree.flags[node] & checkpoint::kClassInferred) != 0;
    row.text[kType] = is_inferred && !class_name.empty() ? fmt::format("≈ {}", class_name) : class_name;
    const std::string preview = shortened(tree.strings.view(tree.preview[node]), 60);
    if (!preview.empty()) row.text[kType] += (row.text[kType].empty() ? "" : "  ") + preview;
  }
  if ((tree.flags[node] & checkpoint::kSuspicious) != 0) row.text[kNote] = "suspicious (see below)";
  if (parameters > 0) row.text[kParameters] = thousands(parameters);
  if (bytes > 0) row.text[kBytes] = short_bytes(bytes);
  return row;
}

void print_rows(std::FILE* out, const std::vector<Row>& rows, const Terminal& terminal) {
  std::vector<Table::Column> columns;
  for (std::size_t column = 0; column < kColumns; ++column)
    columns.push_back({kReportTitles[column], is_number_column(column)});
  Table table(std::move(columns));
  for (const Row& row : rows) {
    std::vector<Table::Cell> cells;
    for (std::size_t column = 0; column < kColumns; ++column) {
      const std::string& plain = row.text[column];
      std::string painted;
      if (terminal.colour && column == kName) {
        painted = terminal.paint(Style::Dim, plain.substr(0, row.branch_bytes)) +
                  terminal.paint(row.name_style, plain.substr(row.branch_bytes));
      } else if (terminal.colour && (column == kDtype || column == kBytes)) {
        painted = terminal.paint(Style::Dim, plain);
      } else if (terminal.colour && (column == kNonFinite || column == kNote)) {
        painted = terminal.paint(Style::Warning, plain);
      }
      cells.push_back({plain, std::move(painted)});
    }
    table.add(std::move(cells));
  }
  table.print(out, terminal);
}

void print_filter(std::FILE* out, const model::FilteredRows& filter, const std::string& query) {
  std::string line = fmt::format("filter \"{}\": {} {}", printable(query), thousands(filter.match_count),
                                 filter.match_count == 1 ? "match" : "matches");
  if (!filter.metadata.empty()) line += fmt::format(", {} in the metadata", thousands(filter.metadata.size()));
  if (filter.totals.tensors > 0) line += fmt::format(" · {}", plural(filter.totals.tensors, "tensor"));
  fmt::print(out, "{}{}\n", line, model::totals_text(filter.totals));
}

void print_totals(std::FILE* out, const Document& document, const Terminal& terminal) {
  const Checkpoint& file = *document.checkpoint;
  std::uint64_t size = 0;
  std::uint64_t present = 0;
  for (const auto& entry : file.files) {
    if (entry.source == nullptr) continue;
    size += entry.size;
    ++present;
  }
  const auto unknown = static_cast<std::uint64_t>(std::count_if(
      file.tensors.begin(), file.tensors.end(), [](const TensorEntry& tensor) { return !tensor.has_shape; }));
  std::string line = fmt::format("{} · {}", file.format, plural(file.tensors.size(), "tensor"));
  if (unknown > 0) line += fmt::format(", {} of them in missing files", thousands(unknown));
  if (file.tree.size() > 0 && unknown < std::max<std::uint64_t>(file.tensors.size(), 1)) {
    line += fmt::format(" · {} · {} of tensors", plural(file.tree.parameters[0], "parameter"),
                        short_bytes(file.tree.bytes[0]));
  }
  line += fmt::format(" · {} in {}", short_bytes(size), plural(present, "file"));
  fmt::print(out, "{}\n{}\n", terminal.paint(Style::Title, printable(file.title)), line);
  if (document.filter) print_filter(out, *document.filter, document.query);
  fmt::print(out, "\n");
}

void print_dtypes(std::FILE* out, const Document& document) {
  const Checkpoint& file = *document.checkpoint;
  struct Sum {
    std::uint64_t tensors = 0, elements = 0;
  };
  std::map<std::string_view, Sum> sums;
  for (const std::uint32_t index : document.shown_tensors()) {
    const TensorEntry& tensor = file.tensors[index];
    if (!tensor.has_shape) continue;
    Sum& sum = sums[file.dtype_name(tensor)];
    ++sum.tensors;
    sum.elements += tensor.numel;
  }
  if (sums.empty()) return;
  std::string line;
  for (const auto& [dtype, sum] : sums) {
    line += fmt::format("{}{} {} in {}", line.empty() ? "elements: " : " · ", printable(dtype), thousands(sum.elements),
                        plural(sum.tensors, "tensor"));
  }
  fmt::print(out, "\n{}\n", line);
}

void print_globals(std::FILE* out, const Checkpoint& file, const Terminal& terminal) {
  if (file.globals.empty()) return;
  const auto count = [&](Verdict verdict) {
    return static_cast<std::uint64_t>(
        std::count_if(file.globals.begin(), file.globals.end(), [&](const auto& g) { return g.verdict == verdict; }));
  };
  fmt::print(out, "\n{}: {} safe, {} unknown, {} dangerous (nothing was run)\n",
             plural(file.globals.size(), "name") + " in its pickles", thousands(count(Verdict::Safe)),
             thousands(count(Verdict::Unknown)), thousands(count(Verdict::Dangerous)));
  std::size_t width = 0;
  for (const auto& global : file.globals) {
    if (global.verdict != Verdict::Safe) width = std::max(width, display_width(printable(global.name)));
  }
  for (const auto& global : file.globals) {
    if (global.verdict == Verdict::Safe) continue;
    const bool is_dangerous = global.verdict == Verdict::Dangerous;
    const std::string name = printable(global.name);
    fmt::print(out, "  {}  {}{}  {} at byte {}{}\n",
               terminal.paint(is_dangerous ? Style::Danger : Style::Warning, is_dangerous ? "dangerous" : "unknown  "),
               name, std::string(width - display_width(name), ' '), global.opcode, thousands(global.offset),
               global.member.empty() ? "" : fmt::format(" of {}", printable(global.member)));
  }
}

}  // namespace

void print_text(std::FILE* out, const Document& document, std::optional<std::uint32_t> depth,
                const Terminal& terminal) {
  const Checkpoint& file = *document.checkpoint;
  print_totals(out, document, terminal);

  // Equal blocks have different values, so with statistics each is shown.
  std::vector<TreeLine> lines;
  if (!document.filter) {
    lines = make_tree_lines(file.tree, depth, document.statistics.empty());
  } else if (document.filter->match_count > 0) {
    lines = make_tree_lines(file.tree, depth, document.statistics.empty(), document.filter->marks);
  }
  std::vector<Row> rows;
  rows.reserve(lines.size());
  bool any_fold = false;
  bool any_inferred = false;
  for (const TreeLine& line : lines) {
    rows.push_back(make_row(document, line));
    any_fold = any_fold || line.fold_count > 1;
    any_inferred = any_inferred || rows.back().text[kType].starts_with("≈");
  }
  if (!rows.empty()) print_rows(out, rows, terminal);

  print_dtypes(out, document);
  if (any_inferred) fmt::print(out, "{}\n", terminal.paint(Style::Dim, "≈  class inferred from names and shapes"));
  if (any_fold) {
    fmt::print(
        out, "{}\n",
        terminal.paint(Style::Dim, "×N  N equal blocks: numbers of all of them, and below the line one of them"));
  }
  if (const auto shown = document.shown_metadata(); !shown.empty()) {
    const std::size_t count = shown.size();
    fmt::print(out, "\n{} metadata {}\n", thousands(count), count == 1 ? "entry" : "entries");
    std::size_t width = 0;
    for (const std::uint32_t index : shown)
      width = std::max(width, std::min<std::size_t>(display_width(printable(file.metadata[index].key)), 40));
    for (const std::uint32_t index : shown) {
      const auto& entry = file.metadata[index];
      const std::string key = printable(entry.key);
      const std::string space(width - std::min(width, display_width(key)), ' ');
      fmt::print(out, "  {}{}  {}\n", terminal.paint(Style::Value, key), space, shortened(entry.value, 200));
    }
  }
  for (const std::string& note : file.notes) {
    fmt::print(out, "\n{} {}\n", terminal.paint(Style::Warning, "note:"), printable(note));
  }
  print_globals(out, file, terminal);
}

}  // namespace nns::cli
