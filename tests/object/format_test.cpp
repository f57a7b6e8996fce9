#include "core/object/format.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/object/numbers.h"
#include "tests/object/calls.h"

namespace nns::object {
namespace {

struct Row {
  Value value;
  std::string_view spec, expected;
};

TEST(FormatNumber, FollowsTheSpec) {
  Interpreter in;
  const Row rows[] = {
      {Value(42), "5d", "   42"},
      {Value(42), "<5", "42   "},
      {Value(42), "^6", "  42  "},
      {Value(-42), "=6", "-   42"},
      {Value(-42), "06", "-00042"},
      {Value(42), "+", "+42"},
      {Value(42), " ", " 42"},
      {Value(1234567), ",", "1,234,567"},
      {Value(1234567), "_", "1_234_567"},
      {Value(1234), "010,", "00,001,234"},
      {Value(1234), "08,", "0,001,234"},
      {Value(255), "#x", "0xff"},
      {Value(255), "#010X", "0X000000FF"},
      {Value(1048575), "_b", "1111_1111_1111_1111_1111"},
      {Value(97), "c", "a"},
      {Value(1), "%", "100.000000%"},
      {Value(true), "d", "1"},
      {Value(3.14159), ".2f", "3.14"},
      {Value(3.14159), "10.3e", " 3.142e+00"},
      {Value(2.5), ".0f", "2"},
      {Value(0.5), ".0%", "50%"},
      {Value(1234567.891), ",.2f", "1,234,567.89"},
      {Value(1e10), "g", "1e+10"},
      {Value(1e10), "", "10000000000.0"},
      {Value(123456.0), ".6", "1.23456e+05"},
      {Value(12.0), ".3", "12.0"},
      {Value(100.0), ".3", "1e+02"},
      {Value(0.0001), ".3", "0.0001"},
      {Value(1.0), "#.0f", "1."},
      {Value(832949), "#G", "832949."},
      {Value(1.5), "#.1n", "2."},
      {Value(1e300), "#.3", "1.00e+300"},
      {Value(5e-324), "#", "5.e-324"},
      {Value(0.25), "#.0%", "25.%"},
      {Value(-0.0), "z.1f", "0.0"},
      {Value(-0.04), ".1f", "-0.0"},
      {Value(-0.04), "z.1f", "0.0"},
      {Value(std::nan("")), "08.2f", "00000nan"},
      {Value(HUGE_VAL), "F", "INF"},
      {Value(1e22), ".0f", "10000000000000000000000"},
      {Value(0.1), ".20f", "0.10000000000000000555"},
      {Value(5e-324), ".3g", "4.94e-324"},
      {Value(1234.5678), "*^+12.1f", "**+1234.6***"},
      {Value(1234.56789), ".5_f", "1234.567_89"},
  };
  for (const Row& row : rows) EXPECT_EQ(shown(format(in, row.value, row.spec)), row.expected) << row.spec;
}

TEST(FormatText, CutsAndPadsByCharacters) {
  Interpreter in;
  EXPECT_EQ(shown(format(in, in.text("h\xC3\xA9llo"), "7.3")), "h\xC3\xA9l    ");
  EXPECT_EQ(shown(format(in, in.text("ab"), "\xE2\x82\xAC^6")),
            "\xE2\x82\xAC\xE2\x82\xAC"
            "ab"
            "\xE2\x82\xAC\xE2\x82\xAC");
  EXPECT_EQ(shown(format(in, in.text("ab"), "05")), "ab000");
}

TEST(FormatNumber, WrongSpecsAreNamed) {
  Interpreter in;
  const Row rows[] = {
      {Value(1), "s", "ValueError: Unknown format code 's' for object of type 'int'"},
      {in.text("a"), "d", "ValueError: Unknown format code 'd' for object of type 'str'"},
      {Value(1), "5dd", "ValueError: Invalid format specifier '5dd' for object of type 'int'"},
      {Value(1), ".3", "ValueError: Precision not allowed in integer format specifier"},
      {Value(1.0), ".", "ValueError: Format specifier missing precision"},
      {Value(1), ",_", "ValueError: Cannot specify both ',' and '_'."},
      {in.text("a"), "+", "ValueError: Sign not allowed in string format specifier"},
      {in.text("a"), "=5", "ValueError: '=' alignment not allowed in string format specifier"},
      {in.text("a"), ",", "ValueError: Cannot specify ',' with 's'."},
      {Value(), "5", "TypeError: unsupported format string passed to NoneType.__format__"},
  };
  for (const Row& row : rows) EXPECT_EQ(shown(format(in, row.value, row.spec)), row.expected) << row.spec;
}

TEST(FormatComplex, PartsShareTheSpec) {
  Interpreter in;
  const Value z(make<Complex>(in, std::complex<double>(1.5, -2)));
  EXPECT_EQ(shown(format(in, z, "")), "(1.5-2j)");
  EXPECT_EQ(shown(format(in, z, ".2f")), "1.50-2.00j");
  EXPECT_EQ(shown(format(in, z, "12.1f")), "    1.5-2.0j");
}

TEST(PercentFormat, KnowsAllConversions) {
  Interpreter in;
  const auto shown_with = [&in](std::string_view text, std::vector<Value> items) {
    return shown(percent_format(in, text, in.tuple(std::move(items))));
  };
  EXPECT_EQ(shown_with("%d|%5.2f|%-6s|%r", {Value(3.9), Value(2.5), in.text("ab"), in.text("c")}),
            "3| 2.50|ab    |'c'");
  EXPECT_EQ(shown_with("%#x %o %X %e %g", {Value(255), Value(8), Value(171), Value(12345.678), Value(0.00001)}),
            "0xff 10 AB 1.234568e+04 1e-05");
  EXPECT_EQ(shown_with("%05d %+d %.3d %*d %%", {Value(-42), Value(7), Value(5), Value(4), Value(1)}),
            "-0042 +7 005    1 %");
  EXPECT_EQ(shown_with("%c%c %a", {Value(65), in.text("b"), in.text("\xC3\xA9")}), "Ab '\\xe9'");
  EXPECT_EQ(shown_with("%s", {}), "TypeError: not enough arguments for format string");
  EXPECT_EQ(shown_with("%s", {Value(1), Value(2)}), "TypeError: not all arguments converted during string formatting");
  EXPECT_EQ(shown_with("%d", {in.text("x")}), "TypeError: %d format: a real number is required, not str");
  EXPECT_EQ(shown_with("%x", {Value(1.5)}), "TypeError: %x format: an integer is required, not float");
  EXPECT_EQ(shown_with("%f", {in.text("x")}), "TypeError: must be real number, not str");
  EXPECT_EQ(shown_with("a%y", {Value(1)}), "ValueError: unsupported format character 'y' (0x79) at index 2");
  EXPECT_EQ(shown_with("%", {Value(1)}), "ValueError: incomplete format");
  EXPECT_EQ(shown_with("%5%", {Value(1)}), "ValueError: unsupported format character '%' (0x25) at index 2");
  EXPECT_EQ(shown_with("%(a)s", {Value(1)}), "TypeError: format requires a mapping");
}

TEST(PercentFormat, TakesNamesFromAMapping) {
  Interpreter in;
  const Ref<Dict> names = in.dict();
  names->set(in.intern("loss"), Value(0.5));
  EXPECT_EQ(shown(percent_format(in, "%(loss).3f", Value(names))), "0.500");
  EXPECT_EQ(shown(percent_format(in, "%(lr)s", Value(names))), "KeyError: 'lr'");
  EXPECT_EQ(operation(in, in.text("%s!"), "%", in.text("hi")), "'hi!'");
}

TEST(StrFormat, FieldsAttributesIndicesAndNestedSpecs) {
  Interpreter in;
  const Value items[] = {Value(3.14159), in.text("x"), Value(in.list({Value(7), Value(8)}))};
  const Ref<Dict> names = in.dict();
  names->set(in.intern("w"), Value(8));
  const auto run = [&](std::string_view text) { return shown(format_fields(in, text, items, Value(names))); };
  EXPECT_EQ(run("{} {} {}"), "3.14159 x [7, 8]");
  EXPECT_EQ(run("{0:.2f}{{{1!r}}}"), "3.14{'x'}");
  EXPECT_EQ(run("{2[1]:>{w}}"), "       8");
  EXPECT_EQ(run("{0.real:.1f}"), "3.1");
  EXPECT_EQ(run("{9}"), "IndexError: Replacement index 9 out of range for positional args tuple");
  EXPECT_EQ(run("{nope}"), "KeyError: 'nope'");
  EXPECT_EQ(run("{} {0}"), "ValueError: cannot switch from automatic field numbering to manual field specification");
  EXPECT_EQ(run("}"), "ValueError: Single '}' encountered in format string");
  EXPECT_EQ(run("a{"), "ValueError: Single '{' encountered in format string");
  EXPECT_EQ(run("{0"), "ValueError: expected '}' before end of string");
  EXPECT_EQ(run("{0!x}"), "ValueError: Unknown conversion specifier x");
}

}  // namespace
}  // namespace nns::object
