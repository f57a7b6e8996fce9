// Texts of programs that are looked through and run anew.
#include <gtest/gtest.h>

#include "core/python/syntax/highlight.h"
#include "core/session/source_check.h"
#include "core/session/source_code.h"

namespace nns::tests {
namespace {

using python::TokenKind;

std::vector<std::pair<std::string, TokenKind>> parts_of(const std::string& text) {
  std::vector<std::pair<std::string, TokenKind>> parts;
  for (const python::Token& token : python::highlight(text)) {
    parts.emplace_back(text.substr(token.span.begin, token.span.end - token.span.begin), token.kind);
  }
  return parts;
}

TokenKind kind_in(const std::string& text, const std::string& part) {
  for (const auto& [found, kind] : parts_of(text)) {
    if (found == part) return kind;
  }
  return TokenKind::Plain;
}

TEST(Highlight, TellsWhatEachPartIs) {
  const std::string text =
      "import torch  # why\n"
      "@torch.no_grad()\n"
      "class Net(nn.Module):\n"
      "    def forward(self, x: Tensor) -> None:\n"
      "        return self.conv1(x, bias=True) + len(x) * 3 + MAX_SIZE\n";
  EXPECT_EQ(kind_in(text, "import"), TokenKind::Keyword);
  EXPECT_EQ(kind_in(text, "# why"), TokenKind::Comment);
  EXPECT_EQ(kind_in(text, "Net"), TokenKind::Class);
  EXPECT_EQ(kind_in(text, "forward"), TokenKind::Function);
  EXPECT_EQ(kind_in(text, "self"), TokenKind::Self);
  EXPECT_EQ(kind_in(text, "Tensor"), TokenKind::Class);
  EXPECT_EQ(kind_in(text, "conv1"), TokenKind::Function);
  EXPECT_EQ(kind_in(text, "bias"), TokenKind::Argument);
  EXPECT_EQ(kind_in(text, "True"), TokenKind::Constant);
  EXPECT_EQ(kind_in(text, "len"), TokenKind::Builtin);
  EXPECT_EQ(kind_in(text, "3"), TokenKind::Number);
  EXPECT_EQ(kind_in(text, "MAX_SIZE"), TokenKind::Constant);
}

TEST(Highlight, GoesByTheQueriesOfTheGrammarAndByOurs) {
  const struct {
    const char* text;
    const char* part;
    TokenKind kind;
  } places[] = {
      {"@torch.no_grad\ndef f(): pass\n", "@", TokenKind::Decorator},
      {"@torch.no_grad\ndef f(): pass\n", "no_grad", TokenKind::Decorator},
      {"@register('x')\ndef f(): pass\n", "register", TokenKind::Decorator},
      {"a @ b\n", "@", TokenKind::Operator},
      {"x = nn.Linear(2, 3)\n", "Linear", TokenKind::Class},
      {"x = Linear(2, 3)\n", "Linear", TokenKind::Class},
      {"x = torch.zeros(2)\n", "zeros", TokenKind::Function},
      {"x.weight.data\n", "weight", TokenKind::Property},
      {"def f(x: int): pass\n", "int", TokenKind::Builtin},
      {"def f(x: Sequence): pass\n", "Sequence", TokenKind::Class},
      {"x not in y\n", "not", TokenKind::Keyword},
      {"type Pair = tuple\n", "type", TokenKind::Keyword},
      {"type(x)\n", "type", TokenKind::Builtin},
      {"cls(x)\n", "cls", TokenKind::Function},
      {"x[..., 0]\n", "...", TokenKind::Constant},
      {"f'{{{a!r:>{w}}}'\n", "{{", TokenKind::Escape},
      {"f'{print(1)}'\n", "print", TokenKind::Builtin},
      {"match x:\n  case 1: pass\n", "match", TokenKind::Keyword},
      {"class A:\n  def Big(self): pass\n", "Big", TokenKind::Function},
  };
  for (const auto& place : places) EXPECT_EQ(kind_in(place.text, place.part), place.kind) << place.text;
}

TEST(Highlight, OfStringsLeavesOutWhatIsComputedInThem) {
  const auto parts = parts_of("s = f'a{x}\\n' + \"\"\"one\ntwo\"\"\"\n");
  std::string texts;
  for (const auto& [part, kind] : parts) {
    EXPECT_EQ(part.find('\n'), std::string::npos) << "no part goes over a line's end";
    if (kind == TokenKind::Text) texts += part + "|";
    if (kind == TokenKind::Escape) {
      EXPECT_EQ(part, "\\n");
    }
  }
  EXPECT_EQ(texts.find('x'), std::string::npos) << texts;
  EXPECT_NE(texts.find("one"), std::string::npos) << texts;
  EXPECT_NE(texts.find("two"), std::string::npos) << texts;
}

TEST(Highlight, IsSortedAndWithoutOverlapWhateverTheText) {
  for (const std::string text :
       {"", "\xFF\xFE(", "def (:\n  'a", "f'{f'{f'{1}'}'}'", "class\nclass\n\"\"\"", "((((((((("}) {
    std::uint32_t at = 0;
    for (const python::Token& token : python::highlight(text)) {
      EXPECT_GE(token.span.begin, at) << text;
      EXPECT_GT(token.span.end, token.span.begin);
      EXPECT_LE(token.span.end, text.size());
      at = token.span.end;
    }
  }
}

TEST(Highlight, OfStringsWithinStringsTakesNoLongerThanTheirText) {
  // Each is within all those before it: byte by byte that were 10^10 of them.
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "f'{";
  EXPECT_FALSE(python::highlight(text).empty());
}

TEST(SourceCheck, TellsPythonsErrorAndItsPlace) {
  const auto bracket = session::check_python_source("x = 1\ny = (2\n");
  ASSERT_EQ(bracket.problems.size(), 1U);
  EXPECT_EQ(bracket.problems[0].message, "SyntaxError: '(' was never closed");
  EXPECT_EQ(bracket.problems[0].line, 1U);
  EXPECT_EQ(bracket.problems[0].begin, 4U);
  EXPECT_FALSE(bracket.tokens.empty()) << "what can be read has its colours";
  // Where CPython 3.11 points, whatever stands behind it.
  const struct {
    const char* text;
    const char* message;
    std::uint32_t line, begin;
  } places[] = {
      {"a = 1\nprint(a..b)\nc = (1)\n", "SyntaxError: invalid syntax", 1, 8},
      {"def f(:\n  pass\nc = (1)\n", "SyntaxError: invalid syntax", 0, 6},
      {"a = = 3\nc = (1)\n", "SyntaxError: invalid syntax", 0, 4},
      {"a = 1 +\nc = (2)\n", "SyntaxError: invalid syntax", 0, 7},
      {"if a\n  pass\n", "SyntaxError: expected ':'", 0, 4},
      {"class A\n  pass\n", "SyntaxError: expected ':'", 0, 7},
      {"a = 5y\nc = (1)\n", "SyntaxError: invalid decimal literal", 0, 4},
      {"a = )\nc = (1)\n", "SyntaxError: unmatched ')'", 0, 4},
  };
  for (const auto& [text, message, line, begin] : places) {
    const auto told = session::check_python_source(text);
    ASSERT_EQ(told.problems.size(), 1U) << text;
    EXPECT_EQ(told.problems[0].message, message) << text;
    EXPECT_EQ(told.problems[0].line, line) << text;
    EXPECT_EQ(told.problems[0].begin, begin) << text;
  }
  const auto compiled = session::check_python_source("return 1\n");
  ASSERT_EQ(compiled.problems.size(), 1U);
  EXPECT_EQ(compiled.problems[0].message, "SyntaxError: 'return' outside function");
  EXPECT_TRUE(session::check_python_source("x = 1\n").problems.empty());
}

TEST(SharedSource, ComesBackAsItWas) {
  std::string text = "import torch\r\nprint('\xC3\xA9')\n";
  for (int i = 0; i < 12; ++i) text += text;
  for (const std::string& one : {std::string(), std::string("x"), std::string("xy"), text}) {
    const std::string code = session::pack_source("net.py", one);
    EXPECT_EQ(code.find_first_of("+/=&#% "), std::string::npos) << "an address takes it as it is";
    const auto back = session::unpack_source(code);
    ASSERT_TRUE(back.ok());
    EXPECT_EQ(back->name, "net.py");
    EXPECT_EQ(back->text, one);
  }
  EXPECT_EQ(session::pack_source("net.py", std::string(session::kMostShared, 'x')), "") << "too long for a link";
}

TEST(SharedSource, RefusesWhatIsNoProgram) {
  const std::string code = session::pack_source("net.py", "print(1)\nprint(2)\n");
  for (const std::string& bad :
       {std::string("%%%"), code.substr(0, code.size() / 2), std::string("AAAA"), std::string()}) {
    EXPECT_FALSE(session::unpack_source(bad).ok()) << bad;
  }
  // More letters than any program that could be shared.
  EXPECT_FALSE(session::unpack_source(std::string(session::kMostShared * 2, 'A')).ok());
}

}  // namespace
}  // namespace nns::tests
