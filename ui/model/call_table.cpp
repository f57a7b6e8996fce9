#include "ui/model/call_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "ui/model/format.h"

namespace nns::model {

namespace wire = live::wire;
using live::kNone;
using live::text_of;

namespace {

constexpr std::array<CallTitle, kCallColumns> kTitles = {{
    {"Input", "Tensors of the first call, those in lists and dicts included; float32 goes without saying", false},
    {"Output", "Tensors that came out of the first call", false},
    {"Parameters", "Of the module and what is below it; shared ones count once", true},
    {"FLOPs",
     "Of all calls, with what is below: products of matrices, convolutions and attention; a product and a sum "
     "are two",
     true},
    {"Time", "Of all calls, with what is below", true},
    {"Output size", "Bytes of the outputs of all calls", true},
    {"Size", "Bytes of parameters and buffers", true},
}};

// "840 ns", "12.3 µs", "4.05 ms", "1.2 s".
std::string time_text(std::uint64_t nanoseconds) {
  constexpr std::array<std::string_view, 4> kUnits = {"ns", "\u00B5s", "ms", "s"};
  constexpr double kStep = 1000;
  auto number = static_cast<double>(nanoseconds);
  std::size_t unit = 0;
  for (; unit + 1 < kUnits.size() && number >= kStep; ++unit) number /= kStep;
  return fmt::format("{} {}", value_text(number), kUnits[unit]);
}

// So many lines are unfolded at first, at most.
constexpr std::size_t kFirstLines = 40;
constexpr std::uint32_t kShownTensors = 3;

std::string specs_text(const flatbuffers::Vector<flatbuffers::Offset<wire::CallTensor>>& tensors) {
  std::vector<std::string> parts;
  for (std::uint32_t i = 0; i < tensors.size() && i < kShownTensors; ++i) {
    const wire::CallTensor& one = *tensors.Get(i);
    parts.push_back(tensor_text({one.shape()->data(), one.shape()->size()}, text_of(one.dtype())));
  }
  return tensors_text(parts, tensors.size());
}

}  // namespace

const CallTitle& call_title(CallColumn column) { return kTitles[static_cast<std::size_t>(column)]; }

std::optional<std::uint64_t> call_number(const wire::CallRow& row, CallColumn column) {
  switch (column) {
    case CallColumn::Parameters:
      return row.parameters();
    case CallColumn::Flops:
      return row.flops();
    case CallColumn::Time:
      return row.nanoseconds();
    case CallColumn::OutputBytes:
      return row.output_bytes();
    case CallColumn::Bytes:
      return row.bytes();
    default:
      return std::nullopt;
  }
}

std::string call_text(const wire::CallRow& row, CallColumn column) {
  const std::uint64_t number = call_number(row, column).value_or(0);
  switch (column) {
    case CallColumn::Input:
      return specs_text(*row.inputs());
    case CallColumn::Output:
      return specs_text(*row.outputs());
    case CallColumn::Time:
      return number == 0 ? std::string() : time_text(number);
    case CallColumn::OutputBytes:
    case CallColumn::Bytes:
      return number == 0 ? std::string() : short_bytes(number);
    default:
      return number == 0 ? std::string() : short_count(number);
  }
}

std::string call_totals(const wire::CallSummary& call) {
  const wire::CallRow& all = *call.rows()->Get(0);
  std::string text = fmt::format("{} parameters", thousands(all.parameters()));
  if (all.trainable() != all.parameters()) text += fmt::format(" ({} trainable)", thousands(all.trainable()));
  text += fmt::format(" \u00B7 {} FLOPs \u00B7 {} of outputs", short_count(all.flops()),
                      short_bytes(call.leaf_output_bytes()));
  if (!call.with_values()) return text + " \u00B7 from shapes alone";
  return text + " \u00B7 " + call_text(all, CallColumn::Time);
}

std::string call_path(const wire::CallSummary& call, std::uint32_t row) {
  std::vector<std::string_view> names;
  for (std::uint32_t at = row; at != 0 && at != kNone; at = call.rows()->Get(at)->parent()) {
    names.push_back(text_of(call.rows()->Get(at)->name()));
  }
  std::reverse(names.begin(), names.end());
  return fmt::format("{}", fmt::join(names, "."));
}

std::string CallTable::note(std::uint32_t row) const {
  const wire::CallRow& one = *call_->rows()->Get(row);
  if (one.same_as() != kNone) {
    const std::string path = call_path(*call_, one.same_as());
    return "same as " + (path.empty() ? std::string("the module itself") : path);
  }
  if (one.calls() > 1) return fmt::format("called {} times", thousands(one.calls()));
  return used_[row] != 0 ? std::string() : "not called";
}

bool CallTable::is_alike(const wire::CallSummary& other) const {
  if (names_.size() != other.rows()->size()) return false;
  for (std::uint32_t row = 0; row < other.rows()->size(); ++row) {
    if (names_[row] != text_of(other.rows()->Get(row)->name())) return false;
  }
  return true;
}

void CallTable::show(const wire::CallSummary* call) {
  if (call == call_) return;
  call_ = call;
  if (call == nullptr) {
    names_.clear();
    return rebuild();
  }
  const bool keeps = is_alike(*call);
  const auto& rows = *call->rows();
  names_.clear();
  for (const wire::CallRow* row : rows) names_.emplace_back(text_of(row->name()));
  end_.assign(rows.size(), 0);
  // A list of modules is never called itself, what is in it is.
  used_.assign(rows.size(), 0);
  for (std::uint32_t row = rows.size(); row-- > 0;) {
    end_[row] = std::max(end_[row], row + 1);
    if (rows.Get(row)->calls() != 0) used_[row] = 1;
    const std::uint32_t parent = rows.Get(row)->parent();
    if (parent == kNone) continue;
    end_[parent] = std::max(end_[parent], end_[row]);
    used_[parent] |= used_[row];
  }
  if (!keeps) {
    open_.assign(rows.size(), 0);
    std::vector<std::uint32_t> level = {0};
    std::size_t shown = 1;
    while (!level.empty()) {
      std::vector<std::uint32_t> next;
      for (const std::uint32_t row : level) {
        for (std::uint32_t child = row + 1; child < end_[row]; child = end_[child]) next.push_back(child);
      }
      shown += next.size();
      if (shown > kFirstLines && level.front() != 0) break;
      for (const std::uint32_t row : level) open_[row] = 1;
      level = std::move(next);
    }
  }
  rebuild();
}

void CallTable::rebuild() {
  lines_.clear();
  if (call_ == nullptr) return;
  std::vector<std::uint32_t> ends;  // of the open rows above
  for (std::uint32_t row = 0; row < end_.size();) {
    while (!ends.empty() && ends.back() <= row) ends.pop_back();
    Line& line = lines_.emplace_back();
    line.row = row;
    line.depth = static_cast<std::uint16_t>(std::min<std::size_t>(ends.size(), UINT16_MAX));
    line.is_expandable = end_[row] > row + 1;
    line.is_expanded = line.is_expandable && open_[row] != 0;
    if (line.is_expanded) ends.push_back(end_[row]);
    row = line.is_expanded ? row + 1 : end_[row];
  }
}

void CallTable::expand(std::uint32_t line, bool is_open) {
  if (line >= lines_.size()) return;
  open_[lines_[line].row] = is_open ? 1 : 0;
  rebuild();
}

void CallTable::expand_all() {
  std::fill(open_.begin(), open_.end(), 1);
  rebuild();
}

std::uint32_t CallTable::parent_line(std::uint32_t line) const {
  const std::uint16_t depth = lines_[line].depth;
  for (std::uint32_t at = line; at-- > 0;) {
    if (lines_[at].depth < depth) return at;
  }
  return line;
}

namespace {

bool is_identifier(std::string_view name) {
  if (name.empty() || (name.front() >= '0' && name.front() <= '9')) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

constexpr std::string_view kSubmodule = ".get_submodule(\"";
constexpr std::string_view kSubmoduleEnd = "\")";

}  // namespace

std::string call_expression(const live::DocumentView& document, std::uint32_t row) {
  const std::string path = document.path(row);
  std::string_view rest = path;
  bool is_plain = true;
  while (!rest.empty()) {
    const std::size_t dot = rest.find('.');
    is_plain = is_plain && is_identifier(rest.substr(0, dot));
    rest = dot == std::string_view::npos ? std::string_view() : rest.substr(dot + 1);
  }
  const std::size_t dot = path.find('.');
  if (is_plain || dot == std::string::npos) return path;
  return fmt::format("{}{}{}{}", path.substr(0, dot), kSubmodule, path.substr(dot + 1), kSubmoduleEnd);
}

std::string path_of_expression(std::string_view expression) {
  const std::size_t at = expression.find(kSubmodule);
  if (at == std::string_view::npos || !expression.ends_with(kSubmoduleEnd)) return std::string(expression);
  const std::string_view below = expression.substr(at + kSubmodule.size());
  return fmt::format("{}.{}", expression.substr(0, at), below.substr(0, below.size() - kSubmoduleEnd.size()));
}

std::optional<std::uint32_t> default_module(const live::DocumentView& document, std::uint32_t selected) {
  if (selected < document.row_count() && document.kind(selected) == live::RowKind::Module) return selected;
  for (std::uint32_t row = 1; row < document.row_count(); ++row) {
    if (document.kind(row) == live::RowKind::Module) return row;
  }
  return std::nullopt;
}

std::string guess_inputs(const live::DocumentView& document, std::uint32_t row) {
  struct Rule {
    std::string_view class_name;
    std::string_view weight;
    std::string_view pattern;  ///< with the weight's second size
  };
  constexpr std::array<Rule, 9> kRules = {{
      {"Linear", "weight", "1,{}"},
      {"Embedding", "weight", "1,16:long"},
      {"Conv1d", "weight", "1,{},64"},
      {"Conv2d", "weight", "1,{},64,64"},
      {"Conv3d", "weight", "1,{},16,64,64"},
      {"LSTM", "weight_ih_l0", "1,16,{}"},
      {"GRU", "weight_ih_l0", "1,16,{}"},
      {"RNN", "weight_ih_l0", "1,16,{}"},
      {"MultiheadAttention", "in_proj_weight", "1,16,{0}; 1,16,{0}; 1,16,{0}"},
  }};
  for (std::uint32_t at = row; at < document.end(row); ++at) {
    const std::uint32_t tensor = document.tensor(at);
    if (tensor == kNone || document.shape(tensor).size() < 2) continue;
    const std::string_view owner = document.class_name(document.parent(at));
    for (const Rule& rule : kRules) {
      if (rule.class_name != owner || rule.weight != document.name(at)) continue;
      return fmt::format(fmt::runtime(rule.pattern), document.shape(tensor)[1]);
    }
  }
  return {};
}

}  // namespace nns::model
