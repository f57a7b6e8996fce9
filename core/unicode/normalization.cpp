#include "core/unicode/normalization.h"

#include <algorithm>

#include "core/base/utf8.h"
#include "core/unicode/characters.h"
#include "core/unicode/hangul.h"

namespace nns::unicode {
namespace {

void append_decomposed(std::u32string& text, char32_t point, bool is_compatible) {
  if (point < 0x80) {
    text.push_back(point);
    return;
  }
  if (hangul::is_syllable(point)) {
    const char32_t at = point - hangul::kSyllables;
    text.push_back(hangul::kLeading + at / (hangul::kVowelCount * hangul::kTrailingCount));
    text.push_back(hangul::kVowels + at / hangul::kTrailingCount % hangul::kVowelCount);
    if (at % hangul::kTrailingCount != 0) text.push_back(hangul::kTrailing + at % hangul::kTrailingCount);
    return;
  }
  const auto parts = decomposition(point);
  if (!parts || (!is_compatible && !parts->tag.empty())) {
    text.push_back(point);
    return;
  }
  for (const char32_t part : parts->points) append_decomposed(text, part, is_compatible);
}

// Runs of combining characters by their classes.
void put_in_order(std::u32string& text) {
  for (auto at = text.begin(); at != text.end();) {
    if (combining_class(*at) == 0) {
      ++at;
      continue;
    }
    const auto end = std::find_if(at, text.end(), [](char32_t point) { return combining_class(point) == 0; });
    std::stable_sort(at, end, [](char32_t a, char32_t b) { return combining_class(a) < combining_class(b); });
    at = end;
  }
}

char32_t composed_pair(char32_t first, char32_t second) {
  using hangul::kLeading, hangul::kLeadingCount, hangul::kSyllables, hangul::kTrailing, hangul::kTrailingCount,
      hangul::kVowelCount, hangul::kVowels;
  if (first >= kLeading && first < kLeading + kLeadingCount && second >= kVowels && second < kVowels + kVowelCount)
    return kSyllables + ((first - kLeading) * kVowelCount + (second - kVowels)) * kTrailingCount;
  if (hangul::is_syllable(first) && (first - kSyllables) % kTrailingCount == 0 && second > kTrailing &&
      second < kTrailing + kTrailingCount)
    return first + (second - kTrailing);
  return composed(first, second);
}

void compose(std::u32string& text) {
  std::size_t kept = 0, starter = std::u32string::npos;
  int last = 0;  // the class of what was kept behind the starter
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char32_t point = text[at];
    const int own = combining_class(point);
    const bool is_next = starter != std::u32string::npos && starter + 1 == kept;
    if (starter != std::u32string::npos && (is_next || last < own) && (is_next || last != 0)) {
      if (const char32_t made = composed_pair(text[starter], point); made != 0) {
        text[starter] = made;
        continue;
      }
    }
    if (own == 0) starter = kept;
    last = own;
    text[kept++] = point;
  }
  text.resize(kept);
}

}  // namespace

std::u32string normalized(std::u32string_view text, Form form) {
  std::u32string made;
  made.reserve(text.size());
  for (const char32_t point : text) append_decomposed(made, point, form == Form::Nfkc || form == Form::Nfkd);
  put_in_order(made);
  if (form == Form::Nfc || form == Form::Nfkc) compose(made);
  return made;
}

std::string normalized(std::string_view text, Form form) {
  std::u32string points;
  for (std::size_t at = 0; at < text.size();) {
    const base::CodePoint one = base::code_point_at(text, at);
    points.push_back(one.value);
    at += one.size;
  }
  std::string made;
  for (const char32_t point : normalized(points, form)) base::append_utf8(point, made);
  return made;
}

}  // namespace nns::unicode
