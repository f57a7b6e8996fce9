#include "native/cli/diff_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "ui/model/format.h"
#include "ui/model/metadata_difference.h"
#include "ui/model/plural.h"

namespace nns::cli {

namespace {

using checkpoint::Checkpoint;
using checkpoint::kNone;
using checkpoint::TensorEntry;
using diff::Match;
using diff::RowValues;
using diff::Structure;
using diff::ValueState;
using model::plural;
using model::short_bytes;
using model::thousands;
using model::value_text;

/// A row of one of the two files.
struct SidePlace {
  const Checkpoint& file;
  std::uint32_t row;
  bool is_there() const { return row != kNone; }
  const TensorEntry* tensor() const {
    return is_there() && file.tree.tensor[row] != kNone ? &file.tensors[file.tree.tensor[row]] : nullptr;
  }
  std::string name() const { return diff::path_of(file.tree, row); }
  std::string shape() const {
    const TensorEntry* entry = tensor();
    if (entry == nullptr) return {};
    return entry->has_shape ? model::shape_text(file.shape(*entry)) : "unknown";
  }
  std::string dtype() const {
    const TensorEntry* entry = tensor();
    return entry == nullptr ? std::string() : std::string(file.dtype_name(*entry));
  }
  std::string class_name() const { return std::string(file.tree.strings.view(file.tree.class_name[row])); }
  std::string preview() const { return std::string(file.tree.strings.view(file.tree.preview[row])); }
};

SidePlace place_a(const Comparison& comparison, std::uint32_t row) {
  return {*comparison.a.checkpoint, comparison.structure.a[row]};
}
SidePlace place_b(const Comparison& comparison, std::uint32_t row) {
  return {*comparison.b.checkpoint, comparison.structure.b[row]};
}

std::vector<std::string_view> status_of(const Comparison& comparison, std::uint32_t row) {
  constexpr std::array<std::string_view, 5> kMatches = {"", "added", "removed", "renamed", "moved"};
  constexpr std::array<std::pair<std::uint8_t, std::string_view>, 5> kFlags = {{{diff::kShape, "shape"},
                                                                                {diff::kDtype, "dtype"},
                                                                                {diff::kClass, "class"},
                                                                                {diff::kText, "value"},
                                                                                {diff::kUnknown, "unknown"}}};
  std::vector<std::string_view> words;
  const Structure& structure = comparison.structure;
  if (structure.match[row] != Match::Same) words.push_back(kMatches[static_cast<std::size_t>(structure.match[row])]);
  for (const auto& [flag, word] : kFlags) {
    if ((structure.flags[row] & flag) != 0) words.push_back(word);
  }
  const RowValues* values = comparison.values_of(row);
  if (values != nullptr && values->state == ValueState::Different) words.emplace_back("values");
  if (values != nullptr && values->state == ValueState::Unreadable && (structure.flags[row] & diff::kUnknown) == 0) {
    words.emplace_back("unknown");
  }
  return words;
}

std::string both(const std::string& a, const std::string& b) {
  if (a.empty() || a == b) return b;
  return b.empty() ? a : fmt::format("{} → {}", a, b);
}

std::string totals(const Comparison& comparison) {
  const diff::StructureCounts& counts = comparison.structure.counts;
  std::string line = counts.tensors_a == counts.tensors_b
                         ? fmt::format("{} in both", plural(counts.tensors_a, "tensor"))
                         : fmt::format("{} → {}", thousands(counts.tensors_a), plural(counts.tensors_b, "tensor"));
  const auto unknown =
      static_cast<std::uint32_t>(std::count_if(comparison.structure.flags.begin(), comparison.structure.flags.end(),
                                               [](std::uint8_t flags) { return (flags & diff::kUnknown) != 0; }));
  const std::array<std::pair<std::uint32_t, std::string_view>, 8> parts = {
      {{counts.same, "with equal names and headers"},
       {unknown, "of unknown shape and dtype"},
       {counts.added, "added"},
       {counts.removed, "removed"},
       {counts.renamed, "renamed"},
       {counts.moved, "moved"},
       {counts.shape, "of another shape"},
       {counts.dtype, "of another dtype"}}};
  for (const auto& [count, word] : parts) {
    if (count > 0) line += fmt::format(" · {} {}", thousands(count), word);
  }
  if (counts.others > 0) {
    line += fmt::format(" · {} other {} changed", thousands(counts.others), counts.others == 1 ? "entry" : "entries");
  }
  return line;
}

std::string values_line(const Comparison& comparison) {
  if (!comparison.with_values) {
    return fmt::format("values: not compared (--values reads {})", short_bytes(comparison.bytes_to_read));
  }
  std::string line = fmt::format("values: {} of equal values, {} of different ones",
                                 plural(comparison.count(ValueState::Equal), "tensor"),
                                 thousands(comparison.count(ValueState::Different)));
  const std::uint64_t unreadable = comparison.count(ValueState::Unreadable);
  if (unreadable > 0) line += fmt::format(", {} that cannot be read", thousands(unreadable));
  if (!comparison.is_complete) line += "; stopped before the end";
  return line;
}

void print_prefixes(std::FILE* out, const Comparison& comparison, const Terminal& terminal) {
  constexpr std::size_t kMost = 20;
  const auto& prefixes = comparison.structure.prefixes;
  for (std::size_t i = 0; i < std::min(kMost, prefixes.size()); ++i) {
    const diff::Prefix& prefix = prefixes[i];
    std::string line;
    const std::string tensors = plural(prefix.tensors, "tensor");
    if (prefix.a.empty() || prefix.b.empty()) {
      line = fmt::format("\"{}\" stands in names of {} only", printable(prefix.a.empty() ? prefix.b : prefix.a),
                         prefix.a.empty() ? "B" : "A");
    } else {
      line = fmt::format("\"{}\" in A is \"{}\" in B", printable(prefix.a), printable(prefix.b));
    }
    if (prefix.places > 1) line += fmt::format(", in {} places", thousands(prefix.places));
    fmt::print(out, "{} {} ({} line up through it)\n", terminal.paint(Style::Warning, "prefix:"), line, tensors);
  }
  if (prefixes.size() > kMost) fmt::print(out, "and {} more\n", plural(prefixes.size() - kMost, "such prefix"));
}

std::vector<model::MetadataChange> metadata_changes(const Comparison& comparison) {
  const auto entries = [](const Checkpoint& file) {
    model::MetadataEntries metadata;
    for (const auto& entry : file.metadata) metadata.emplace_back(entry.key, entry.value);
    return metadata;
  };
  return model::compare_metadata(entries(*comparison.a.checkpoint), entries(*comparison.b.checkpoint));
}

void print_metadata(std::FILE* out, const Comparison& comparison, const Terminal& terminal) {
  const auto changes = metadata_changes(comparison);
  if (changes.empty()) return;
  fmt::print(out, "metadata: {}\n", model::metadata_counts(changes));
  std::size_t width = 0;
  for (const model::MetadataChange& change : changes)
    width = std::max(width, std::min<std::size_t>(display_width(printable(change.key)), 40));
  for (const model::MetadataChange& change : changes) {
    const std::string key = printable(change.key);
    const Style style = !change.a ? Style::Parameter : !change.b ? Style::Danger : Style::Warning;
    const std::string text = change.a && change.b ? fmt::format("{} → {}", *change.a, *change.b)
                                                  : change.a.value_or(change.b.value_or(std::string()));
    fmt::print(out, "  {}{}  {}{}  {}\n", terminal.paint(style, change.status()),
               std::string(7 - std::min<std::size_t>(7, std::string_view(change.status()).size()), ' '), key,
               std::string(width - std::min(width, display_width(key)), ' '), printable(text));
  }
}

enum Column : std::size_t {
  kStatus,
  kNameColumn,
  kShape,
  kDtypeColumn,
  kMaxColumn,
  kMeanColumn,
  kRelative,
  kCosine,
  kChanged,
  kNoteColumn,
  kDiffColumns
};
constexpr std::array<std::string_view, kDiffColumns> kTitles = {"status",   "name",     "shape",  "dtype",   "max |Δ|",
                                                                "mean |Δ|", "relative", "cosine", "changed", ""};
constexpr bool is_number(std::size_t column) { return column >= kMaxColumn && column <= kChanged; }

using Cells = std::array<std::string, kDiffColumns>;

std::string note_of(const diff::TensorDifference& found) {
  std::string note;
  const auto add = [&](std::uint64_t count, std::string_view what) {
    if (count > 0) note += fmt::format("{}{} {}", note.empty() ? "" : ", ", thousands(count), what);
  };
  add(found.nan_a, "NaN in A only");
  add(found.nan_b, "NaN in B only");
  add(found.nan_both, "NaN in both");
  add(found.infinite, "with infinity");
  return note;
}

Cells cells_of(const Comparison& comparison, std::uint32_t row) {
  const SidePlace a = place_a(comparison, row);
  const SidePlace b = place_b(comparison, row);
  Cells cells;
  cells[kStatus] = fmt::format("{}", fmt::join(status_of(comparison, row), ", "));
  // A prefix is told once, above, and so are parts.
  const bool is_other_name = comparison.structure.match[row] != Match::Same;
  const bool has_part = !comparison.part_a.empty() || !comparison.part_b.empty();
  const bool has_two = a.is_there() && b.is_there() && (comparison.structure.flags[row] & diff::kPrefix) == 0 &&
                       (is_other_name || !has_part);
  cells[kNameColumn] = has_two ? both(a.name(), b.name()) : b.is_there() ? b.name() : a.name();
  cells[kShape] = both(a.shape(), b.shape());
  cells[kDtypeColumn] = both(a.dtype(), b.dtype());
  if (a.tensor() == nullptr && b.tensor() == nullptr) {
    const auto text = [](const SidePlace& place) {
      return place.is_there() ? (place.preview().empty() ? place.class_name() : place.preview()) : std::string();
    };
    cells[kShape] = both(text(a), text(b));
  }
  if (const RowValues* values = comparison.values_of(row); values != nullptr) {
    const diff::TensorDifference& found = values->difference;
    if (values->state == ValueState::Different) {
      cells[kMaxColumn] = value_text(found.max_abs);
      cells[kMeanColumn] = value_text(found.mean_abs);
      cells[kRelative] = value_text(found.relative);
      cells[kCosine] = fmt::format("{:.6f}", found.cosine);
      cells[kChanged] = model::share_text(found.changed, found.count);
      cells[kNoteColumn] = note_of(found);
    } else if (values->state == ValueState::Unreadable) {
      cells[kNoteColumn] = "values cannot be read";
    } else {
      cells[kNoteColumn] = "equal values";
    }
  }
  for (std::string& cell : cells) cell = printable(cell);
  return cells;
}

Style style_of(const Comparison& comparison, std::uint32_t row) {
  switch (comparison.structure.match[row]) {
    case Match::Added:
      return Style::Parameter;
    case Match::Removed:
      return Style::Danger;
    default:
      return Style::Warning;
  }
}

void print_table(std::FILE* out, const Comparison& comparison, const Terminal& terminal) {
  const std::vector<std::uint32_t> rows = comparison.changed_rows();
  if (rows.empty()) return;
  std::vector<Cells> table;
  table.reserve(rows.size());
  std::array<std::size_t, kDiffColumns> widths{};
  for (const std::uint32_t row : rows) {
    table.push_back(cells_of(comparison, row));
    for (std::size_t i = 0; i < kDiffColumns; ++i) widths[i] = std::max(widths[i], display_width(table.back()[i]));
  }
  for (std::size_t i = 0; i < kDiffColumns; ++i) {
    if (widths[i] > 0) widths[i] = std::max(widths[i], display_width(kTitles[i]));
  }
  const auto print_line = [&](const auto& text_of, Style first, Style others) {
    std::string line;
    for (std::size_t i = 0; i < kDiffColumns; ++i) {
      if (widths[i] == 0) continue;
      const std::string text(text_of(i));
      const std::string space(widths[i] - display_width(text), ' ');
      const std::string painted = terminal.paint(i == kStatus ? first : others, text);
      line += (line.empty() ? "" : "  ") + (is_number(i) ? space + painted : painted + space);
    }
    while (line.ends_with(' ')) line.pop_back();
    fmt::print(out, "{}\n", line);
  };
  fmt::print(out, "\n");
  print_line([](std::size_t i) { return kTitles[i]; }, Style::Dim, Style::Dim);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    print_line([&](std::size_t i) -> std::string_view { return table[row][i]; }, style_of(comparison, rows[row]),
               Style::Plain);
  }
}

void write_text_or_null(JsonWriter& json, std::string_view key, const std::string& text, bool is_there) {
  json.key(key);
  if (is_there) {
    json.text(text);
  } else {
    json.null();
  }
}

void write_shape(JsonWriter& json, std::string_view key, const SidePlace& place) {
  json.key(key);
  const TensorEntry* entry = place.tensor();
  if (entry == nullptr || !entry->has_shape) return json.null();
  json.begin_list();
  for (const std::int64_t size : place.file.shape(*entry)) json.number(size);
  json.end_list();
}

void write_values(JsonWriter& json, const RowValues& values) {
  if (values.state == ValueState::Unreadable) {
    json.key("problem");
    json.text(values.problem);
    return;
  }
  const diff::TensorDifference& found = values.difference;
  const auto count = [&](std::string_view key, std::uint64_t number) {
    json.key(key);
    json.number(number);
  };
  const auto real = [&](std::string_view key, double number) {
    json.key(key);
    json.number(number);
  };
  count("count", found.count);
  count("changed", found.changed);
  real("max_abs", found.max_abs);
  count("max_at", found.max_at);
  real("mean_abs", found.mean_abs);
  real("relative", found.relative);
  real("cosine", found.cosine);
  count("nan_a", found.nan_a);
  count("nan_b", found.nan_b);
  count("nan_both", found.nan_both);
  count("infinite", found.infinite);
}

void write_change(JsonWriter& json, const Comparison& comparison, std::uint32_t row) {
  const SidePlace a = place_a(comparison, row);
  const SidePlace b = place_b(comparison, row);
  json.begin_object();
  json.key("status");
  json.begin_list();
  for (const std::string_view word : status_of(comparison, row)) json.text(word);
  json.end_list();
  write_text_or_null(json, "a", a.is_there() ? a.name() : "", a.is_there());
  write_text_or_null(json, "b", b.is_there() ? b.name() : "", b.is_there());
  if (a.tensor() != nullptr || b.tensor() != nullptr) {
    write_shape(json, "shape_a", a);
    write_shape(json, "shape_b", b);
    const auto has_dtype = [](const SidePlace& place) {
      return place.tensor() != nullptr && place.tensor()->has_shape;
    };
    write_text_or_null(json, "dtype_a", a.dtype(), has_dtype(a));
    write_text_or_null(json, "dtype_b", b.dtype(), has_dtype(b));
  } else {
    const bool is_value = (a.is_there() && !a.preview().empty()) || (b.is_there() && !b.preview().empty());
    const auto text = [&](const SidePlace& place) {
      if (!place.is_there()) return std::string();
      return is_value ? place.preview() : place.class_name();
    };
    write_text_or_null(json, is_value ? "value_a" : "class_a", text(a), a.is_there());
    write_text_or_null(json, is_value ? "value_b" : "class_b", text(b), b.is_there());
  }
  if (const RowValues* values = comparison.values_of(row); values != nullptr) write_values(json, *values);
  json.end_object();
}

}  // namespace

std::vector<std::uint32_t> Comparison::changed_rows() const {
  std::vector<std::pair<double, std::uint32_t>> ranked;
  static const RowValues kNothing;
  for (std::uint32_t row = 0; row < structure.size(); ++row) {
    const RowValues* known = values_of(row);
    const RowValues& found = known == nullptr ? kNothing : *known;
    const bool is_told = structure.is_change(row) || (structure.flags[row] & diff::kUnknown) != 0 ||
                         found.state == ValueState::Different || found.state == ValueState::Unreadable;
    if (is_told) ranked.emplace_back(diff::change_rank(structure, row, found.state, found.difference), row);
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& x, const auto& y) { return x.first > y.first; });
  std::vector<std::uint32_t> rows;
  rows.reserve(ranked.size());
  for (const auto& [rank, row] : ranked) rows.push_back(row);
  return rows;
}

const RowValues* Comparison::values_of(std::uint32_t row) const {
  const auto found = std::lower_bound(values.begin(), values.end(), row,
                                      [](const RowValues& known, std::uint32_t wanted) { return known.row < wanted; });
  return found == values.end() || found->row != row ? nullptr : &*found;
}

std::uint64_t Comparison::count(ValueState state) const {
  return static_cast<std::uint64_t>(
      std::count_if(values.begin(), values.end(), [&](const RowValues& known) { return known.state == state; }));
}

std::uint64_t Comparison::unknown() const {
  const auto unknown_headers =
      static_cast<std::uint64_t>(std::count_if(structure.flags.begin(), structure.flags.end(),
                                               [](std::uint8_t flags) { return (flags & diff::kUnknown) != 0; }));
  return std::max(unknown_headers, count(ValueState::Unreadable));
}

namespace {

std::string title_of(const std::string& input, const std::string& part) {
  return part.empty() ? printable(input) : fmt::format("{}, {}", printable(input), printable(part));
}

}  // namespace

void print_comparison(std::FILE* out, const Comparison& comparison, const Terminal& terminal) {
  fmt::print(out, "{}\n{}\n{}\n",
             terminal.paint(Style::Title, fmt::format("A {}\nB {}", title_of(comparison.input_a, comparison.part_a),
                                                      title_of(comparison.input_b, comparison.part_b))),
             totals(comparison), values_line(comparison));
  print_prefixes(out, comparison, terminal);
  print_metadata(out, comparison, terminal);
  print_table(out, comparison, terminal);
}

void write_comparison(JsonWriter& json, const Comparison& comparison) {
  json.begin_object();
  const auto write_side = [&](std::string_view key, const std::string& input, const std::string& part,
                              const Checkpoint& file) {
    json.key(key);
    json.begin_object();
    json.key("input");
    json.text(input);
    json.key("format");
    json.text(file.format);
    json.key("tensors");
    json.number(static_cast<std::uint64_t>(file.tensors.size()));
    if (!part.empty()) {
      json.key("part");
      json.text(part);
    }
    json.end_object();
  };
  write_side("a", comparison.input_a, comparison.part_a, *comparison.a.checkpoint);
  write_side("b", comparison.input_b, comparison.part_b, *comparison.b.checkpoint);
  json.key("equal");
  json.boolean(comparison.is_equal() && comparison.unknown() == 0 && comparison.is_complete);
  json.key("values_compared");
  json.boolean(comparison.with_values);
  json.key("complete");
  json.boolean(comparison.is_complete);
  json.key("counts");
  json.begin_object();
  const diff::StructureCounts& counts = comparison.structure.counts;
  const std::array<std::pair<std::string_view, std::uint64_t>, 11> numbers = {
      {{"same", counts.same},
       {"added", counts.added},
       {"removed", counts.removed},
       {"renamed", counts.renamed},
       {"moved", counts.moved},
       {"shape", counts.shape},
       {"dtype", counts.dtype},
       {"others", counts.others},
       {"values_equal", comparison.count(ValueState::Equal)},
       {"values_different", comparison.count(ValueState::Different)},
       {"unknown", comparison.unknown()}}};
  for (const auto& [key, number] : numbers) {
    json.key(key);
    json.number(number);
  }
  json.end_object();
  json.key("prefixes");
  json.begin_list(true);
  for (const diff::Prefix& prefix : comparison.structure.prefixes) {
    json.begin_object();
    json.key("a");
    json.text(prefix.a);
    json.key("b");
    json.text(prefix.b);
    json.key("tensors");
    json.number(std::uint64_t{prefix.tensors});
    json.key("places");
    json.number(std::uint64_t{prefix.places});
    json.end_object();
  }
  json.end_list();
  json.key("metadata");
  json.begin_list(true);
  for (const model::MetadataChange& change : metadata_changes(comparison)) {
    json.begin_object();
    json.key("status");
    json.text(change.status());
    json.key("key");
    json.text(change.key);
    write_text_or_null(json, "a", change.a.value_or(""), change.a.has_value());
    write_text_or_null(json, "b", change.b.value_or(""), change.b.has_value());
    json.end_object();
  }
  json.end_list();
  json.key("changes");
  json.begin_list(true);
  for (const std::uint32_t row : comparison.changed_rows()) write_change(json, comparison, row);
  json.end_list();
  json.end_object();
}

}  // namespace nns::cli
