#include "core/python/stdlib/regex_subject.h"

#include <algorithm>

#include "core/object/bytes.h"

namespace nns::python {
namespace {

constexpr std::size_t kBlock = 128;

bool is_character_begin(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }

// How long the character at `at` is; 0: it is none. Surrogates count as characters.
std::size_t valid_character(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  if (lead < 0x80) return 1;
  const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() - at < size) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if (is_character_begin(text[at + i])) return 0;
  }
  const auto second = static_cast<unsigned char>(text[at + 1]);
  const bool is_too_long = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  return is_too_long || (lead == 0xF4 && second > 0x8F) ? 0 : size;
}

}  // namespace

object::PyResult<std::shared_ptr<const RegexSubject>> RegexSubject::make(object::Interpreter& in,
                                                                         const object::Value& value,
                                                                         bool pattern_is_text) {
  const auto* text = value.as<object::Str>();
  const auto* bytes = value.as<object::Bytes>();
  if (text == nullptr && bytes == nullptr) {
    return object::type_error(in, "expected string or bytes-like object, got '{}'", in.type_of(value).name());
  }
  if (text == nullptr && pattern_is_text) {
    return object::type_error(in, "cannot use a string pattern on a bytes-like object");
  }
  if (bytes == nullptr && !pattern_is_text) {
    return object::type_error(in, "cannot use a bytes pattern on a string-like object");
  }
  auto made = std::make_shared<RegexSubject>();
  made->value_ = value;
  made->is_text_ = text != nullptr;
  if (bytes != nullptr) {
    made->bytes_ = bytes->view();
    if (bytes->is_array()) {
      made->copy_ = made->bytes_;
      made->bytes_ = made->copy_;
    }
    made->length_ = made->bytes_.size();
    return std::shared_ptr<const RegexSubject>(std::move(made));
  }
  made->bytes_ = text->view();
  made->length_ = made->bytes_.size();
  if (text->is_ascii()) return std::shared_ptr<const RegexSubject>(std::move(made));
  std::size_t count = 0;
  for (std::size_t at = 0; at < made->bytes_.size();) {
    // Entry k counts the characters that begin before byte k * kBlock.
    while (made->counts_.size() * kBlock <= at) made->counts_.push_back(count);
    const std::size_t size = valid_character(made->bytes_, at);
    if (size == 0) return object::value_error(in, "the text has bytes that are no UTF-8");
    at += size;
    ++count;
  }
  made->length_ = count;
  return std::shared_ptr<const RegexSubject>(std::move(made));
}

std::size_t RegexSubject::offset_of(std::size_t index) const {
  if (counts_.empty()) return index;
  // The last block before which no more than `index` characters begin.
  const auto after = std::upper_bound(counts_.begin(), counts_.end(), index);
  const auto block = static_cast<std::size_t>(after - counts_.begin()) - 1;
  std::size_t at = block * kBlock;
  for (std::size_t count = counts_[block]; at < bytes_.size(); ++at) {
    if (is_character_begin(bytes_[at]) && count++ == index) break;
  }
  return at;
}

std::size_t RegexSubject::index_of(std::size_t offset) const {
  if (counts_.empty()) return offset;
  const std::size_t block = std::min(offset / kBlock, counts_.size() - 1);
  std::size_t count = counts_[block];
  for (std::size_t at = block * kBlock; at < offset; ++at) {
    if (is_character_begin(bytes_[at])) ++count;
  }
  return count;
}

object::Value RegexSubject::slice(object::Interpreter& in, std::size_t begin, std::size_t end) const {
  const std::string_view part = begin < end ? bytes_.substr(begin, end - begin) : std::string_view();
  return is_text_ ? in.text(part) : object::Value(object::make_bytes(in, part));
}

}  // namespace nns::python
