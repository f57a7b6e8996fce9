#include "core/checkpoint/json_rows.h"

#include <fmt/format.h>

namespace nns::checkpoint {

namespace {

constexpr std::size_t kMaxRowDepth = 64;
constexpr std::uint32_t kEntriesPerLook = 1024;
/// Longer values are cut in their row. Units: bytes.
constexpr std::size_t kMaxValue = 1024;

/// `text` up to about `most` bytes, whole characters only.
std::string_view beginning_of(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) --most;
  return text.substr(0, most);
}

/// "str", "int", ...: the Python type of a JSON value.
std::string_view python_type_of(std::string_view value) {
  switch (value.empty() ? ' ' : value.front()) {
    case '"':
      return "str";
    case 't':
    case 'f':
      return "bool";
    case 'n':
      return "NoneType";
    default:
      return value.find_first_of(".eE") == std::string_view::npos ? "int" : "float";
  }
}

}  // namespace

JsonRows::JsonRows(std::string_view text, std::string where, TreeBuilder& builder, std::uint32_t row,
                   std::string_view stop_at)
    : text_(text), where_(std::move(where)), builder_(builder), row_(row), stop_at_(stop_at), cursor_(text) {}

base::Result<bool> JsonRows::step(const base::Budget& budget) {
  if (!started_) {
    if (!cursor_.expect('{')) return json_error(cursor_, where_);
    open_level(row_, '{');
    started_ = true;
  }
  for (std::uint32_t since_look = 0; !levels_.empty(); ++since_look) {
    if (since_look == kEntriesPerLook) {
      if (budget.spent()) return false;
      since_look = 0;
    }
    if (cursor_.accept(levels_.back().is_object ? '}' : ']')) {
      close_level();
      continue;
    }
    if (!read_name()) return json_error(cursor_, where_);
    if (levels_.size() == 1 && !stop_at_.empty() && name_ == stop_at_) {
      stopped_ = true;
      return true;
    }
    NNS_TRY(add_entry());
  }
  cursor_.skip_space();
  if (!cursor_.at_end()) {
    return base::Error{"the text goes on after its last '}'", "only spaces", where_, cursor_.at()};
  }
  return true;
}

/// Leaves the name of the next entry in name_, and the cursor at its value.
bool JsonRows::read_name() {
  const Level& level = levels_.back();
  if (level.count > 0 && !cursor_.expect(',')) return false;
  if (!level.is_object) {
    name_ = fmt::to_string(level.count);
  } else {
    cursor_.skip_space();
    std::string_view key;
    if (!cursor_.string(key)) return false;
    name_ = key;
    if (!cursor_.expect(':')) return false;
  }
  cursor_.skip_space();
  return true;
}

base::Result<void> JsonRows::add_entry() {
  if (builder_.is_full()) {
    return base::Error{fmt::format("more than {} entries", TreeBuilder::kMaxRows), "fewer", where_, cursor_.at()};
  }
  ++levels_.back().count;
  const std::uint32_t parent = levels_.back().row;
  const char first = cursor_.at() < text_.size() ? text_[cursor_.at()] : '\0';
  if (first == '{' || first == '[') {
    if (levels_.size() == kMaxRowDepth) {
      return base::Error{"values nested deeper than 64", "less nesting", where_, cursor_.at()};
    }
    cursor_.accept(first);
    open_level(builder_.add(parent, name_, NodeKind::Container), first);
    return {};
  }
  std::string_view value;
  if (!cursor_.skip_value(&value)) return json_error(cursor_, where_);
  const std::uint32_t row = builder_.add(parent, name_, NodeKind::Value);
  builder_.set_class(row, python_type_of(value));
  if (value.size() <= kMaxValue) {
    builder_.set_preview(row, value);
  } else {
    builder_.set_preview(row, fmt::format("{}\xE2\x80\xA6 ({} bytes)", beginning_of(value, kMaxValue), value.size()));
  }
  return {};
}

void JsonRows::open_level(std::uint32_t row, char opening) {
  builder_.set_class(row, opening == '{' ? "dict" : "list");
  levels_.push_back({row, opening == '{', 0});
}

void JsonRows::close_level() {
  const Level& level = levels_.back();
  const std::string_view what =
      level.is_object ? (level.count == 1 ? "entry" : "entries") : (level.count == 1 ? "item" : "items");
  builder_.set_preview(level.row, fmt::format("{} {}", level.count, what));
  levels_.pop_back();
}

}  // namespace nns::checkpoint
