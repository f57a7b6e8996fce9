#include "native/cli/summary_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "native/cli/json_writer.h"
#include "native/cli/table.h"
#include "native/cli/tree_lines.h"
#include "ui/model/format.h"

namespace nns::cli {

namespace {

using model::short_bytes;
using model::short_count;
using model::thousands;
using summary::ModuleRow;
using summary::Summary;
using summary::TensorSpec;

constexpr std::size_t kShownTensors = 3;

std::string specs_text(const std::vector<TensorSpec>& specs) {
  std::vector<std::string> first;
  for (std::size_t i = 0; i < specs.size() && i < kShownTensors; ++i) {
    first.push_back(model::tensor_text(specs[i].shape, tensor::info(specs[i].dtype).torch_name));
  }
  return model::tensors_text(first, specs.size());
}

// The tree of rows, with what makes two of them alike.
class Shape {
 public:
  explicit Shape(const Summary& summary) : rows_(summary.rows), end_(rows_.size()), kind_(rows_.size()) {
    std::unordered_map<std::string, std::uint32_t> known;
    for (std::size_t i = rows_.size(); i-- > 0;) {
      const ModuleRow& row = rows_[i];
      // Children follow: what they are is known already.
      std::string key = fmt::format("{} {} {} {} {} {} {} {} {}", row.class_name, row.calls, row.parameters,
                                    row.own_parameters, row.buffers, row.flops, row.same_as != summary::kNone,
                                    specs_text(row.inputs), specs_text(row.outputs));
      std::size_t child = i + 1;
      while (child < rows_.size() && rows_[child].parent == i) {
        key += fmt::format("|{}:{}", rows_[child].name, kind_[child]);
        child = end_[child];
      }
      end_[i] = static_cast<std::uint32_t>(child);
      kind_[i] = known.try_emplace(std::move(key), static_cast<std::uint32_t>(known.size())).first->second;
    }
  }

  // The row behind what is below `row`.
  std::uint32_t end(std::uint32_t row) const { return end_[row]; }

  // Whether it or something below it was called: a ModuleList never is itself.
  bool was_used(std::uint32_t row) const {
    return std::any_of(rows_.begin() + row, rows_.begin() + end_[row],
                       [](const ModuleRow& one) { return one.calls > 0; });
  }

  // How many alike siblings with successive numbers begin at `row`, and the last of them.
  std::uint32_t run_length(std::uint32_t row, std::uint32_t& last) const {
    last = row;
    std::uint32_t count = 1;
    auto number = sibling_number(rows_[row].name);
    if (!number || end_[row] == row + 1) return 1;
    for (std::uint32_t next = end_[row]; next < rows_.size() && rows_[next].parent == rows_[row].parent;
         next = end_[next]) {
      if (kind_[next] != kind_[row] || sibling_number(rows_[next].name) != *number + 1) break;
      ++*number;
      ++count;
      last = next;
    }
    return count;
  }

 private:
  const std::vector<ModuleRow>& rows_;
  std::vector<std::uint32_t> end_, kind_;
};

struct Line {
  std::uint32_t row = 0;
  std::uint32_t count = 1;
  std::uint32_t last = 0;
  std::string branches;
};

std::vector<Line> lines_of(const Shape& shape, std::optional<std::uint32_t> depth) {
  struct Level {
    std::uint32_t next, end;
    std::string indent;
  };
  std::vector<Line> lines{Line{}};
  std::vector<Level> levels;
  if (depth.value_or(1) > 0) levels.push_back({1, shape.end(0), ""});
  while (!levels.empty()) {
    Level& level = levels.back();
    if (level.next >= level.end) {
      levels.pop_back();
      continue;
    }
    Line line{level.next, 1, level.next, {}};
    line.count = shape.run_length(line.row, line.last);
    level.next = shape.end(line.last);
    const bool is_last = level.next >= level.end;
    line.branches = level.indent + (is_last ? "└─ " : "├─ ");
    std::string below = level.indent + (is_last ? "   " : "│  ");
    if (shape.end(line.row) > line.row + 1 && (!depth || levels.size() < *depth)) {
      levels.push_back({line.row + 1, shape.end(line.row), std::move(below)});
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

void add_line(Table& table, const Summary& summary, const Shape& shape, const Line& line, const Terminal& terminal) {
  const ModuleRow& row = summary.rows[line.row];
  std::string name = line.row == 0 ? std::string("model") : printable(row.name);
  if (line.count > 1) name += fmt::format("…{}  ×{}", printable(summary.rows[line.last].name), line.count);
  std::string note;
  if (row.same_as != summary::kNone) {
    const std::string& first = summary.rows[row.same_as].path;
    note = fmt::format("same as {}", first.empty() ? "the model" : printable(first));
  } else if (row.calls == 0 && !shape.was_used(line.row)) {
    note = "not called";
  } else if (row.calls > 1) {
    note = fmt::format("called {} times", row.calls);
  }
  const auto number = [](std::uint64_t value) { return value == 0 ? std::string() : thousands(value); };
  const bool counts = row.same_as == summary::kNone;
  const auto of_all = [&](std::uint64_t value) { return counts ? value * line.count : 0; };
  table.add({{line.branches + name, terminal.paint(Style::Dim, line.branches) + terminal.paint(Style::Module, name)},
             {printable(row.class_name)},
             {specs_text(row.inputs)},
             {specs_text(row.outputs)},
             {number(of_all(row.parameters))},
             {of_all(row.parameter_bytes + row.buffer_bytes) == 0
                  ? std::string()
                  : short_bytes(of_all(row.parameter_bytes + row.buffer_bytes))},
             {of_all(row.output_bytes) == 0 ? std::string() : short_bytes(of_all(row.output_bytes))},
             {of_all(row.flops) == 0 ? std::string() : short_count(of_all(row.flops))},
             {note, note.empty() ? std::string() : terminal.paint(Style::Warning, note)}});
}

void write_specs(JsonWriter& json, std::string_view key, const std::vector<TensorSpec>& specs) {
  json.key(key);
  json.begin_list();
  for (const TensorSpec& one : specs) {
    json.begin_object();
    json.key("shape");
    json.begin_list();
    for (const std::int64_t size : one.shape) json.number(size);
    json.end_list();
    json.key("dtype");
    json.text(tensor::info(one.dtype).torch_name);
    json.end_object();
  }
  json.end_list();
}

void write_number(JsonWriter& json, std::string_view key, std::uint64_t value) {
  json.key(key);
  json.number(value);
}

// What a module and those below it hold.
void write_held(JsonWriter& json, const ModuleRow& row) {
  write_number(json, "parameters", row.parameters);
  write_number(json, "trainable", row.trainable);
  write_number(json, "buffers", row.buffers);
  write_number(json, "parameter_bytes", row.parameter_bytes);
  write_number(json, "buffer_bytes", row.buffer_bytes);
}

}  // namespace

void print_summary(std::FILE* out, const Summary& summary, const SummaryHeading& heading,
                   std::optional<std::uint32_t> depth, const Terminal& terminal) {
  fmt::print(out, "{}\n\n", terminal.paint(Style::Title, printable(heading.call)));
  Table table({{"name"},
               {"class"},
               {"input"},
               {"output"},
               {"parameters", true},
               {"bytes", true},
               {"output bytes", true},
               {"FLOPs", true},
               {""}});
  bool any_fold = false;
  const Shape shape(summary);
  for (const Line& line : lines_of(shape, depth)) {
    add_line(table, summary, shape, line, terminal);
    any_fold = any_fold || line.count > 1;
  }
  table.print(out, terminal);
  const ModuleRow& all = summary.rows[0];
  std::uint64_t input_bytes = 0;
  for (const TensorSpec& one : summary.inputs) input_bytes += one.bytes();
  fmt::print(out, "\n{} parameters, {} of them trainable · {} in buffers\n", thousands(all.parameters),
             thousands(all.trainable), thousands(all.buffers));
  fmt::print(out, "{} FLOPs ({})\n", thousands(all.flops), short_count(all.flops));
  fmt::print(out, "{} of parameters · {} of buffers · {} of inputs · {} of outputs of the innermost modules\n",
             short_bytes(all.parameter_bytes), short_bytes(all.buffer_bytes), short_bytes(input_bytes),
             short_bytes(summary.leaf_output_bytes));
  fmt::print(out, "{}\n",
             terminal.paint(Style::Dim, heading.device == "meta"
                                            ? "Carried out on meta tensors: shapes without values. A product and a "
                                              "sum are two FLOPs; products of matrices, convolutions and attention "
                                              "count."
                                            : "A product and a sum are two FLOPs; products of matrices, convolutions "
                                              "and attention count."));
  if (any_fold) {
    fmt::print(out, "{}\n",
               terminal.paint(Style::Dim,
                              "×N  N equal blocks: numbers of all of them, and below the line those of one of them"));
  }
}

void write_summary(std::FILE* out, const Summary& summary, const SummaryHeading& heading,
                   std::optional<std::uint32_t> depth) {
  JsonWriter json(out);
  const ModuleRow& all = summary.rows[0];
  json.begin_object();
  json.key("call");
  json.text(heading.call);
  json.key("device");
  json.text(heading.device);
  write_specs(json, "inputs", summary.inputs);
  write_held(json, all);
  write_number(json, "leaf_output_bytes", summary.leaf_output_bytes);
  write_number(json, "flops", all.flops);
  json.key("modules");
  json.begin_list(true);
  for (const ModuleRow& row : summary.rows) {
    if (depth && row.depth > *depth) continue;
    json.begin_object();
    json.key("name");
    json.text(row.path);
    json.key("class");
    json.text(row.class_name);
    write_number(json, "depth", row.depth);
    write_number(json, "calls", row.calls);
    write_specs(json, "inputs", row.inputs);
    write_specs(json, "outputs", row.outputs);
    if (row.same_as != summary::kNone) {
      json.key("same_as");
      json.text(summary.rows[row.same_as].path);
    }
    write_number(json, "own_parameters", row.own_parameters);
    write_held(json, row);
    write_number(json, "output_bytes", row.output_bytes);
    write_number(json, "flops", row.flops);
    json.end_object();
  }
  json.end_list();
  json.end_object();
  json.newline();
}

}  // namespace nns::cli
