#include "ui/model/regex.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <regex>

namespace nns::model {
namespace {

bool finds(std::string_view pattern, std::string_view text) {
  TextError error;
  std::optional<Regex> regex = Regex::make(pattern, error);
  EXPECT_TRUE(regex.has_value()) << pattern << ": " << error.found;
  return regex && regex->finds(text);
}

TextError error_of(std::string_view pattern) {
  TextError error;
  EXPECT_FALSE(Regex::make(pattern, error).has_value()) << pattern;
  return error;
}

TEST(RegexFind, KnowsTheSignsOfPatterns) {
  EXPECT_TRUE(finds("attn", "h.0.attn.weight"));
  EXPECT_FALSE(finds("attn$", "h.0.attn.weight"));
  EXPECT_TRUE(finds("^h\\.[0-3]\\.", "h.2.attn"));
  EXPECT_FALSE(finds("^h\\.[0-3]\\.", "h.12.attn"));
  EXPECT_TRUE(finds("(q|k|v)_proj\\.weight$", "layers.1.self_attn.k_proj.weight"));
  EXPECT_FALSE(finds("(q|k|v)_proj\\.weight$", "layers.1.self_attn.o_proj.weight"));
  EXPECT_TRUE(finds("h\\.\\d{2}\\.", "h.12.attn"));
  EXPECT_FALSE(finds("h\\.\\d{2}\\.", "h.1.attn"));
  EXPECT_TRUE(finds("a{2,}b", "xaaab"));
  EXPECT_FALSE(finds("^a{2,3}b", "aaaab"));
  EXPECT_TRUE(finds("[^a-z.]", "h.0"));
  EXPECT_FALSE(finds("[^a-z.]", "h.x"));
  EXPECT_TRUE(finds("WEIGHT", "weight")) << "case is ignored";
  EXPECT_TRUE(finds("[A-C]d", "bd"));
  EXPECT_TRUE(finds("", "")) << "nothing is everywhere";
  EXPECT_TRUE(finds("x|", "anything"));
  EXPECT_TRUE(finds("^$", ""));
  EXPECT_FALSE(finds("^$", "a"));
  EXPECT_FALSE(finds("a^b", "ab"));
  EXPECT_TRUE(finds("(a*)*b", "aaab"));
  EXPECT_TRUE(finds("()b", "b"));
  EXPECT_TRUE(finds("(|a)+b", "b"));
  EXPECT_TRUE(finds("a(?:b)?c", "ac"));
  EXPECT_TRUE(finds("\\w+_\\s", "key_ x"));
}

// The reference: the library's own, on patterns and texts that are made up.
TEST(RegexFind, AgreesWithTheStandardLibrary) {
  std::mt19937 random(7);
  const auto pick = [&](std::string_view from) { return from[random() % from.size()]; };
  const auto make_pattern = [&](auto&& self, int depth) -> std::string {
    std::string pattern;
    const std::size_t parts = 1 + random() % 3;
    for (std::size_t part = 0; part < parts; ++part) {
      switch (random() % (depth > 0 ? 7 : 5)) {
        case 0:
          pattern += '.';
          break;
        case 1:
          pattern += random() % 2 == 0 ? "[ab]" : "[^a1]";
          break;
        case 5:
          pattern += fmt::format("({})", self(self, depth - 1));
          break;
        case 6:
          pattern += fmt::format("({}|{})", self(self, depth - 1), self(self, depth - 1));
          break;
        default:
          pattern += pick("ab1");
      }
      switch (random() % 8) {
        case 0:
          pattern += '*';
          break;
        case 1:
          pattern += '+';
          break;
        case 2:
          pattern += '?';
          break;
        case 3:
          pattern += fmt::format("{{{},{}}}", random() % 2, 2 + random() % 2);
          break;
        default:
          break;
      }
    }
    return pattern;
  };
  for (int round = 0; round < 300; ++round) {
    std::string pattern = make_pattern(make_pattern, 1);
    if (random() % 4 == 0) pattern = fmt::format("^{}", pattern);
    if (random() % 4 == 0) pattern += '$';
    TextError error;
    std::optional<Regex> ours = Regex::make(pattern, error);
    if (!ours) {
      EXPECT_EQ(error.found, "the pattern is too long") << pattern;
      continue;
    }
    const std::regex theirs(pattern);
    for (int text = 0; text < 20; ++text) {
      std::string subject;
      for (std::size_t length = random() % 8; length > 0; --length) subject += pick("ab1");
      EXPECT_EQ(ours->finds(subject), std::regex_search(subject, theirs)) << pattern << " in " << subject;
    }
  }
}

TEST(RegexFind, TakesTimeThatGrowsWithTheTextOnly) {
  // What makes a search by trial and error take 2^30 steps.
  TextError error;
  std::string pattern;
  for (int letter = 0; letter < 30; ++letter) pattern += "a?";
  pattern += std::string(30, 'a');
  std::optional<Regex> regex = Regex::make(pattern, error);
  ASSERT_TRUE(regex.has_value());
  EXPECT_TRUE(regex->finds(std::string(30, 'a')));
  EXPECT_FALSE(regex->finds(std::string(29, 'a')));
  EXPECT_TRUE(finds("(a|b)*a(a|b){12}$", std::string(20'000, 'a'))) << "more states than are kept";
}

TEST(RegexFind, ForgetsStatesAndStillFinds) {
  // 2^12 states and more: letters at random visit them all.
  TextError error;
  std::optional<Regex> regex = Regex::make("a(a|b){13}$", error);
  ASSERT_TRUE(regex.has_value());
  std::mt19937 random(3);
  std::string text;
  for (int letter = 0; letter < 40'000; ++letter) text += random() % 2 == 0 ? 'a' : 'b';
  EXPECT_EQ(regex->finds(text), text[text.size() - 14] == 'a');
  EXPECT_GT(regex->generation(), 0U);
}

TEST(RegexMake, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(error_of("a(b").begin, 1U);
  EXPECT_EQ(error_of("a)b").begin, 1U);
  EXPECT_EQ(error_of("ab[c").begin, 2U);
  EXPECT_EQ(error_of("*a").begin, 0U);
  EXPECT_EQ(error_of("a|*").begin, 2U);
  EXPECT_EQ(error_of("a**").found, "two repetitions after one another");
  EXPECT_EQ(error_of("a{2").begin, 1U);
  EXPECT_EQ(error_of("a{3,2}").begin, 1U);
  EXPECT_EQ(error_of("a{999}").begin, 1U);
  EXPECT_EQ(error_of("a\\").begin, 1U);
  EXPECT_EQ(error_of("a\\b").found, "\\b is not known here");
  EXPECT_EQ(error_of("[z-a]").begin, 1U);
  EXPECT_EQ(error_of("(?=a)").begin, 0U);
  EXPECT_EQ(error_of("[\xC3\xA9]").begin, 1U);
  EXPECT_EQ(error_of(std::string(300, 'a')).found, "the pattern is too long");
  EXPECT_EQ(error_of("((a{200}){200}){200}").found, "the pattern is too long");
  EXPECT_EQ(error_of("((((){255}){255}){255}){255}").found, "the pattern is too long");
  EXPECT_EQ(error_of(std::string(40, '(')).found, "too many ( inside one another");
}

TEST(RegexMake, NoTextOfABytesIsATrap) {
  std::mt19937 random(11);
  constexpr std::string_view kSigns = "ab(|)[]{}*+?.^$\\,-19dw\xC3";
  for (int round = 0; round < 20'000; ++round) {
    std::string pattern;
    for (std::size_t length = random() % 12; length > 0; --length) pattern += kSigns[random() % kSigns.size()];
    TextError error;
    std::optional<Regex> regex = Regex::make(pattern, error);
    if (regex) {
      regex->finds("ab1-\xC3\xA9.x");
    } else {
      EXPECT_FALSE(error.found.empty()) << pattern;
      EXPECT_LE(error.end, pattern.size()) << pattern;
      EXPECT_LE(error.begin, error.end) << pattern;
    }
  }
}

}  // namespace
}  // namespace nns::model
