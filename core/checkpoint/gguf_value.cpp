#include "core/checkpoint/gguf_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/base/utf8.h"

namespace nns::checkpoint {

namespace {

constexpr std::size_t kMostArrays = 16;
/// Arrays of at most so many elements are shown whole; of longer ones the first few.
constexpr std::uint64_t kWholeArray = 16;
constexpr std::uint64_t kShownElements = 5;
/// No further element is shown behind so many bytes.
constexpr std::size_t kShownText = 4096;
constexpr std::size_t kShownString = 80;
constexpr int kStepsPerLook = 256;

struct TypeRow {
  std::string_view name;
  std::uint32_t bytes;  // 0: not fixed
};
constexpr TypeRow kValueTypes[] = {{"UINT8", 1},  {"INT8", 1},    {"UINT16", 2}, {"INT16", 2},  {"UINT32", 4},
                                   {"INT32", 4},  {"FLOAT32", 4}, {"BOOL", 1},   {"STRING", 0}, {"ARRAY", 0},
                                   {"UINT64", 8}, {"INT64", 8},   {"FLOAT64", 8}};

const TypeRow& row(GgufType type) { return kValueTypes[static_cast<std::size_t>(type)]; }

}  // namespace

std::string_view gguf_type_name(GgufType type) { return row(type).name; }

base::Result<GgufType> GgufValueReader::read_type() {
  const std::uint64_t at = cursor_.at();
  NNS_TRY_ASSIGN(const std::byte* bytes, cursor_.take(4, what_));
  const auto type = cursor_.number<std::uint32_t>(bytes);
  if (type >= std::size(kValueTypes)) {
    return base::Error{fmt::format("{} is of type {}", what_, type), fmt::format("0 to {}", std::size(kValueTypes) - 1),
                       cursor_.source().name(), at};
  }
  return static_cast<GgufType>(type);
}

base::Result<std::uint64_t> GgufValueReader::read_length(std::string_view what) {
  NNS_TRY_ASSIGN(const std::byte* bytes, cursor_.take(wide_ ? 8 : 4, what));
  return wide_ ? cursor_.number<std::uint64_t>(bytes) : cursor_.number<std::uint32_t>(bytes);
}

base::Result<void> GgufValueReader::start(std::string what) {
  what_ = std::move(what);
  text_.clear();
  arrays_.clear();
  is_begun_ = false;
  was_escaped_ = false;
  unsigned_value_ = 0;
  NNS_TRY_ASSIGN(type_, read_type());
  return {};
}

base::Result<bool> GgufValueReader::step(const base::Budget& budget) {
  if (!is_begun_) {
    is_begun_ = true;
    if (type_ == GgufType::String) {
      NNS_TRY(read_string(true));
    } else if (type_ == GgufType::Array) {
      NNS_TRY(open_array(true));
    } else {
      NNS_TRY(read_scalar(type_, true));
    }
  }
  for (int since_look = 0; !arrays_.empty(); ++since_look) {
    if (since_look == kStepsPerLook) {
      if (budget.spent()) return false;
      since_look = 0;
    }
    Array& array = arrays_.back();
    if (array.left == 0) {
      close_array();
      continue;
    }
    const bool is_shown = shows_next();
    const std::uint32_t bytes = row(array.type).bytes;
    if (bytes != 0 && !is_shown) {
      // open_array() made sure that they lie in the file.
      NNS_TRY(cursor_.skip(array.left * bytes, what_));
      array.left = 0;
      continue;
    }
    if (is_shown && array.left != array.count) text_ += ", ";
    --array.left;
    if (bytes != 0) {
      NNS_TRY(read_scalar(array.type, is_shown));
    } else if (array.type == GgufType::String) {
      NNS_TRY(read_string(is_shown));
    } else {
      NNS_TRY(open_array(is_shown));
    }
  }
  return true;
}

bool GgufValueReader::shows_next() const {
  const Array& array = arrays_.back();
  const std::uint64_t most = array.count <= kWholeArray ? array.count : kShownElements;
  return array.is_shown && array.count - array.left < most && text_.size() < kShownText;
}

base::Result<void> GgufValueReader::open_array(bool is_shown) {
  const std::uint64_t at = cursor_.at();
  if (arrays_.size() == kMostArrays) {
    return base::Error{fmt::format("{} is an array in {} arrays", what_, kMostArrays),
                       fmt::format("at most {} in each other", kMostArrays), cursor_.source().name(), at};
  }
  Array array;
  array.is_shown = is_shown;
  NNS_TRY_ASSIGN(array.type, read_type());
  NNS_TRY_ASSIGN(array.count, read_length(what_));
  // The smallest element: a length; of an array the type with it.
  const std::uint64_t length = wide_ ? 8 : 4;
  const std::uint64_t bytes = row(array.type).bytes;
  const std::uint64_t smallest = bytes != 0 ? bytes : array.type == GgufType::Array ? length + 4 : length;
  if (array.count > cursor_.left() / smallest) {
    return base::Error{fmt::format("{} has {} elements of type {}, but the file has {} bytes here", what_, array.count,
                                   row(array.type).name, cursor_.left()),
                       fmt::format("at most {}", cursor_.left() / smallest), cursor_.source().name(), at};
  }
  array.left = array.count;
  arrays_.push_back(array);
  if (is_shown) text_ += '[';
  return {};
}

void GgufValueReader::close_array() {
  const Array array = arrays_.back();
  arrays_.pop_back();
  if (!array.is_shown) return;
  if (array.count > kWholeArray) {
    text_ += fmt::format(", ... {} {} values", array.count, row(array.type).name);
  } else if (text_.size() >= kShownText) {
    text_ += "...";
  }
  text_ += ']';
}

base::Result<void> GgufValueReader::read_string(bool is_shown) {
  NNS_TRY_ASSIGN(const std::uint64_t length, read_length(what_));
  if (!is_shown) return cursor_.skip(length, what_);
  if (length > cursor_.left()) return cursor_.skip(length, what_);
  const std::uint64_t taken = std::min(length, GgufCursor::kMost);
  NNS_TRY_ASSIGN(const std::byte* bytes, cursor_.take(taken, what_));
  NNS_TRY(cursor_.skip(length - taken, what_));
  const std::string_view raw(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(taken));
  const bool is_element = !arrays_.empty();
  const std::string_view shown = base::first_utf8(
      raw, is_element ? kShownString : raw.size() - (taken < length ? std::min<std::size_t>(raw.size(), 4) : 0));
  if (is_element) text_ += '"';
  if (base::find_invalid_utf8(shown)) {
    was_escaped_ = true;
    text_ += base::escape_invalid_utf8(shown);
  } else {
    text_ += shown;
  }
  if (shown.size() < length) text_ += fmt::format("... ({} bytes)", length);
  if (is_element) text_ += '"';
  return {};
}

base::Result<void> GgufValueReader::read_scalar(GgufType type, bool is_shown) {
  const std::uint64_t at = cursor_.at();
  NNS_TRY_ASSIGN(const std::byte* bytes, cursor_.take(row(type).bytes, what_));
  if (!is_shown) return {};
  const auto out = std::back_inserter(text_);
  const auto show_unsigned = [&](std::uint64_t value) {
    unsigned_value_ = value;
    fmt::format_to(out, "{}", value);
  };
  switch (type) {
    case GgufType::UInt8:
      show_unsigned(cursor_.number<std::uint8_t>(bytes));
      break;
    case GgufType::Int8:
      fmt::format_to(out, "{}", static_cast<int>(cursor_.number<std::int8_t>(bytes)));
      break;
    case GgufType::UInt16:
      show_unsigned(cursor_.number<std::uint16_t>(bytes));
      break;
    case GgufType::Int16:
      fmt::format_to(out, "{}", cursor_.number<std::int16_t>(bytes));
      break;
    case GgufType::UInt32:
      show_unsigned(cursor_.number<std::uint32_t>(bytes));
      break;
    case GgufType::Int32:
      fmt::format_to(out, "{}", cursor_.number<std::int32_t>(bytes));
      break;
    case GgufType::UInt64:
      show_unsigned(cursor_.number<std::uint64_t>(bytes));
      break;
    case GgufType::Int64:
      fmt::format_to(out, "{}", cursor_.number<std::int64_t>(bytes));
      break;
    case GgufType::Float32:
      fmt::format_to(out, "{}", cursor_.number<float>(bytes));
      break;
    case GgufType::Float64:
      fmt::format_to(out, "{}", cursor_.number<double>(bytes));
      break;
    case GgufType::Bool: {
      const auto value = cursor_.number<std::uint8_t>(bytes);
      if (value > 1) {
        return base::Error{fmt::format("{} is a BOOL of {}", what_, value), "0 or 1", cursor_.source().name(), at};
      }
      text_ += value != 0 ? "true" : "false";
      break;
    }
    case GgufType::String:
    case GgufType::Array:
      break;
  }
  return {};
}

}  // namespace nns::checkpoint
