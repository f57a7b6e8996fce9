#include <gtest/gtest.h>

#include "core/object/bytes.h"
#include "tests/object/calls.h"

namespace nns::object {
namespace {

// text.name(arguments), shown.
class TextMethods : public testing::Test {
 protected:
  std::string call(std::string_view text, std::string_view name, std::initializer_list<Value> arguments = {}) {
    return shown(in_, method(in_, in_.text(text), name, arguments));
  }
  Value text(std::string_view text) { return in_.text(text); }
  Interpreter in_;
};

TEST_F(TextMethods, SplitAtSpaceAndAtSeparatorsFromBothEnds) {
  EXPECT_EQ(call("  a  b c  ", "split"), "['a', 'b', 'c']");
  EXPECT_EQ(call("  a  b c  ", "split", {Value(), Value(1)}), "['a', 'b c  ']");
  EXPECT_EQ(call("  a  b c  ", "rsplit", {Value(), Value(1)}), "['  a  b', 'c']");
  EXPECT_EQ(call("a,b,,c", "split", {text(",")}), "['a', 'b', '', 'c']");
  EXPECT_EQ(call("a,b,,c", "rsplit", {text(","), Value(2)}), "['a,b', '', 'c']");
  EXPECT_EQ(call("a\xE2\x80\x83"
                 "b",
                 "split"),
            "['a', 'b']");
  EXPECT_EQ(call("a", "split", {text("")}), "ValueError: empty separator");
  EXPECT_EQ(call("a", "split", {Value(1)}), "TypeError: must be str or None, not int");
  EXPECT_EQ(call("a\nb\r\nc\x0b", "splitlines"), "['a', 'b', 'c']");
  EXPECT_EQ(call("a\r\nb", "splitlines", {Value(true)}), "['a\\r\\n', 'b']");
  EXPECT_EQ(call("k=v=w", "partition", {text("=")}), "('k', '=', 'v=w')");
  EXPECT_EQ(call("k=v=w", "rpartition", {text("=")}), "('k=v', '=', 'w')");
  EXPECT_EQ(call("kv", "rpartition", {text("=")}), "('', '', 'kv')");
}

TEST_F(TextMethods, FindCountsCharactersNotBytes) {
  EXPECT_EQ(call("h\xC3\xA9llo", "find", {text("l")}), "2");
  EXPECT_EQ(call("h\xC3\xA9llo", "rfind", {text("l")}), "3");
  EXPECT_EQ(call("h\xC3\xA9llo", "find", {text("l"), Value(3)}), "3");
  EXPECT_EQ(call("hello", "find", {text("l"), Value(-2), Value(-1)}), "3");
  EXPECT_EQ(call("hello", "index", {text("z")}), "ValueError: substring not found");
  EXPECT_EQ(call("hello", "find", {Value(1)}), "TypeError: find() argument 1 must be str, not int");
  EXPECT_EQ(call("abab", "count", {text("ab")}), "2");
  EXPECT_EQ(call("abc", "count", {text("")}), "4");
  EXPECT_EQ(call("abc", "startswith", {Value(in_.tuple({text("x"), text("ab")}))}), "True");
  EXPECT_EQ(call("abc", "endswith", {text("bc"), Value(2)}), "False");
  EXPECT_EQ(call("abc", "startswith", {Value(1)}),
            "TypeError: startswith first arg must be str or a tuple of str, not int");
}

TEST_F(TextMethods, ReplaceStripAndPad) {
  EXPECT_EQ(call("aaa", "replace", {text("a"), text("b"), Value(2)}), "'bba'");
  EXPECT_EQ(call("ab", "replace", {text(""), text("-")}), "'-a-b-'");
  EXPECT_EQ(call("xxaxx", "strip", {text("x")}), "'a'");
  EXPECT_EQ(call("\xC2\xA0 a ", "lstrip"), "'a '");
  EXPECT_EQ(call("model.weight", "removesuffix", {text(".weight")}), "'model'");
  EXPECT_EQ(call("ab", "center", {Value(5), text("*")}), "'**ab*'");
  EXPECT_EQ(call("ab", "ljust", {Value(4)}), "'ab  '");
  EXPECT_EQ(call("-7", "zfill", {Value(5)}), "'-0007'");
  EXPECT_EQ(call("a\tb", "expandtabs", {Value(4)}), "'a   b'");
  EXPECT_EQ(call("ab", "center", {Value(5), text("xy")}),
            "TypeError: The fill character must be exactly one character long");
  EXPECT_EQ(call(", ", "join", {Value(in_.list({text("a"), Value(1)}))}),
            "TypeError: sequence item 1: expected str instance, int found");
}

// What is beyond ASCII is known where programs run: tests/python/stdlib/unicodedata_test.py.
TEST_F(TextMethods, CasesOfAscii) {
  EXPECT_EQ(call("STRASSE", "lower"), "'strasse'");
  EXPECT_EQ(call("they're bill's", "title"), "\"They'Re Bill'S\"");
  EXPECT_EQ(call("aBc", "swapcase"), "'AbC'");
  EXPECT_EQ(call("hELLO", "capitalize"), "'Hello'");
  EXPECT_EQ(call("A1", "isupper"), "True");
  EXPECT_EQ(call("Ab Cd", "istitle"), "True");
  EXPECT_EQ(call("a_1", "isidentifier"), "True");
  EXPECT_EQ(call("", "isprintable"), "True");
}

TEST_F(TextMethods, WithoutTablesWhatIsBeyondAsciiIsALetterWithoutCase) {
  EXPECT_EQ(call("\xC3\x89t\xC3\xA9", "isalpha"), "True");
  EXPECT_EQ(call("\xC3\x89T", "lower"), "'\xC3\x89t'");
  EXPECT_EQ(call("\xD9\xA3", "isdecimal"), "False");
  EXPECT_EQ(call("\xE2\x80\x8B", "isprintable"), "False");
}

TEST_F(TextMethods, TranslateEncodeAndRepeat) {
  const Value table = method(in_, text(""), "maketrans", {text("ab"), text("xy"), text("c")}).value();
  EXPECT_EQ(call("abcd", "translate", {table}), "'xyd'");
  EXPECT_EQ(call("h\xC3\xA9", "encode"), "b'h\\xc3\\xa9'");
  EXPECT_EQ(call("h\xC3\xA9", "encode", {text("latin-1")}), "b'h\\xe9'");
  EXPECT_EQ(
      call("h\xC3\xA9", "encode", {text("ascii")}),
      "UnicodeEncodeError: 'ascii' codec can't encode character '\\xe9' in position 1: ordinal not in range(128)");
  EXPECT_EQ(call("h\xC3\xA9", "encode", {text("ascii"), text("replace")}), "b'h?'");
  EXPECT_EQ(call("a", "encode", {text("nope")}), "LookupError: unknown encoding: nope");
  EXPECT_EQ(operation(in_, text("ab"), "*", Value(2)), "'abab'");
  EXPECT_EQ(operation(in_, text("ab"), "*", Value(-2)), "''");
  EXPECT_EQ(operation(in_, text("ab"), "+", Value(1)), "TypeError: can only concatenate str (not \"int\") to str");
  EXPECT_EQ(operation(in_, text("ab"), "*", text("c")), "TypeError: can't multiply sequence by non-int of type 'str'");
  EXPECT_EQ(operation(in_, text("a"), "*", Value(std::int64_t{1} << 40)), "MemoryError: ");
}

TEST_F(TextMethods, IndicesAndSlicesAreByCharacter) {
  const Value word = text("h\xC3\xA9llo");
  EXPECT_EQ(shown(in_, getitem(in_, word, Value(1))), "'\xC3\xA9'");
  EXPECT_EQ(shown(in_, getitem(in_, word, Value(-1))), "'o'");
  EXPECT_EQ(shown(in_, getitem(in_, word, Value(9))), "IndexError: string index out of range");
  EXPECT_EQ(shown(in_, getitem(in_, word, text("a"))), "TypeError: string indices must be integers, not 'str'");
  const Value cls = class_value(in_.builtins().slice);
  EXPECT_EQ(shown(in_, getitem(in_, word, in_.call(cls, {Value(), Value(), Value(-1)}).value())), "'oll\xC3\xA9h'");
  EXPECT_EQ(shown(in_, getitem(in_, word, in_.call(cls, {Value(1), Value(-1)}).value())), "'\xC3\xA9ll'");
  EXPECT_EQ(shown(in_, PyResult<Value>(in_.text("a\x01\xC2\x85\xE2\x80\x8B\t"))), "'a\\x01\\x85\\u200b\\t'");
}

TEST(BytesMethods, ArraysChangeAndBytesDoNot) {
  Interpreter in;
  const Value array_class = class_value(in.builtins().byte_array), bytes_class = class_value(in.builtins().bytes);
  const Value array = in.call(array_class, {Value(make_bytes(in, "ab"))}).value();
  ASSERT_TRUE(method(in, array, "append", {Value(99)}).ok());
  ASSERT_TRUE(setitem(in, array, Value(0), Value(65)).ok());
  EXPECT_EQ(shown(in, array), "bytearray(b'Abc')");
  EXPECT_EQ(shown(in, method(in, array, "append", {Value(256)})), "ValueError: byte must be in range(0, 256)");
  EXPECT_EQ(shown(in, in.call(bytes_class, {Value(3)})), "b'\\x00\\x00\\x00'");
  EXPECT_EQ(shown(in, in.call(bytes_class, {in.text("a")})), "TypeError: string argument without an encoding");
  EXPECT_EQ(shown(in, method(in, Value(make_bytes(in, "a b")), "split")), "[b'a', b'b']");
  EXPECT_EQ(shown(in, method(in, bytes_class, "fromhex", {in.text("0aFF")})), "b'\\n\\xff'");
  EXPECT_EQ(shown(in, method(in, Value(make_bytes(in, "\xff")), "decode")),
            "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff in position 0: invalid start byte");
  EXPECT_EQ(operation(in, Value(make_bytes(in, "a")), "==", array), "False");
  EXPECT_EQ(shown(in, hash(in, array).ok() ? PyResult<Value>(Value()) : PyResult<Value>(hash(in, array).error())),
            "TypeError: unhashable type: 'bytearray'");
}

}  // namespace
}  // namespace nns::object
