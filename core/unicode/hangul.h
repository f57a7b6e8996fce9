#pragma once

/// Hangul syllables, which are computed from the letters that they are made of.
/// Source: The Unicode Standard, 3.12.
namespace nns::unicode::hangul {

inline constexpr char32_t kSyllables = 0xAC00, kLeading = 0x1100, kVowels = 0x1161;
/// One before the first letter that ends a syllable: 0 stands for none.
inline constexpr char32_t kTrailing = 0x11A7;
inline constexpr char32_t kLeadingCount = 19, kVowelCount = 21, kTrailingCount = 28;
inline constexpr char32_t kSyllableCount = kLeadingCount * kVowelCount * kTrailingCount;

inline bool is_syllable(char32_t point) { return point >= kSyllables && point < kSyllables + kSyllableCount; }

}  // namespace nns::unicode::hangul
