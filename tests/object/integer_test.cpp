#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/object/big_int.h"
#include "core/object/bytes.h"
#include "core/object/format.h"
#include "core/object/numbers.h"
#include "tests/object/calls.h"

namespace nns::object {
namespace {

constexpr std::int64_t kGreatest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

Value read(Interpreter& in, std::string_view digits) { return read_integer(in, digits, 10).value(); }

TEST(IntegerArithmetic, ResultsBeyond64BitsAreExactAndFitAgainWhenTheyShrink) {
  Interpreter in;
  EXPECT_EQ(operation(in, Value(kGreatest), "+", Value(1)), "9223372036854775808");
  EXPECT_EQ(operation(in, Value(kLeast), "-", Value(1)), "-9223372036854775809");
  EXPECT_EQ(operation(in, Value(kGreatest), "*", Value(kGreatest)), "85070591730234615847396907784232501249");
  EXPECT_EQ(operation(in, Value(kLeast), "//", Value(-1)), "9223372036854775808");
  EXPECT_EQ(operation(in, Value(3), "**", Value(100)), "515377520732011331036461129765621272702107522001");
  EXPECT_EQ(operation(in, Value(1), "<<", Value(70)), "1180591620717411303424");
  EXPECT_EQ(operation(in, Value(-5), "<<", Value(62)), "-23058430092136939520");
  EXPECT_EQ(shown(in, unary(in, UnaryOperator::Neg, Value(kLeast))), "9223372036854775808");
  const Value big = binary(in, BinaryOperator::Add, Value(kGreatest), Value(1)).value();
  EXPECT_TRUE(binary(in, BinaryOperator::Sub, big, Value(1)).value().is_int());
}

TEST(IntegerDivision, RoundsDownAndTheRestHasTheDivisorsSign) {
  Interpreter in;
  const Value a = read(in, "-123456789012345678901234567890"), b = read(in, "987654321098765432109");
  EXPECT_EQ(operation(in, a, "//", b), "-124999999");
  EXPECT_EQ(operation(in, a, "%", b), "137345679013625000001");
  EXPECT_EQ(operation(in, a, "//", Value(7)), "-17636684144620811271604938270");
  EXPECT_EQ(operation(in, Value(7), "%", a), "-123456789012345678901234567883");
  EXPECT_EQ(operation(in, a, "%", Value(0)), "ZeroDivisionError: division by zero");
  EXPECT_EQ(operation(in, Value(-7), "//", Value(2)), "-4");
}

TEST(IntegerBits, NegativeNumbersActLikeEndlessTwosComplement) {
  Interpreter in;
  const Value a = read(in, "-18446744073709551617"), b = read(in, "36893488147419103235");
  EXPECT_EQ(operation(in, a, "&", b), "36893488147419103235");
  EXPECT_EQ(operation(in, a, "|", b), "-18446744073709551617");
  EXPECT_EQ(operation(in, a, "^", b), "-55340232221128654852");
  EXPECT_EQ(operation(in, a, ">>", Value(3)), "-2305843009213693953");
  EXPECT_EQ(operation(in, Value(-1), ">>", Value(200)), "-1");
  EXPECT_EQ(shown(in, unary(in, UnaryOperator::Invert, a)), "18446744073709551616");
  EXPECT_EQ(operation(in, Value(1), "<<", Value(-1)), "ValueError: negative shift count");
}

TEST(IntegerAndFloat, QuotientsAreRoundedOnceAndComparisonsAreExact) {
  Interpreter in;
  EXPECT_EQ(operation(in, read(in, "123456789012345678901234567890"), "/", Value(3)), "4.115226300411523e+28");
  EXPECT_EQ(operation(in, Value(9007199254740993), "/", Value(9007199254740992)), "1.0");
  EXPECT_EQ(operation(in, Value(9007199254740993), "==", Value(9007199254740992.0)), "False");
  EXPECT_EQ(operation(in, Value(9007199254740993), ">", Value(9007199254740992.0)), "True");
  const Value huge = binary(in, BinaryOperator::Pow, Value(10), Value(400)).value();
  EXPECT_EQ(operation(in, huge, "/", Value(3)), "OverflowError: integer division result too large for a float");
  EXPECT_EQ(operation(in, huge, "+", Value(1.5)), "OverflowError: int too large to convert to float");
  EXPECT_EQ(operation(in, huge, "<", Value(std::numeric_limits<double>::infinity())), "True");
  EXPECT_EQ(operation(in, Value(2), "**", Value(-2)), "0.25");
  EXPECT_EQ(operation(in, Value(0), "**", Value(-1)), "ZeroDivisionError: zero to a negative power");
  EXPECT_EQ(operation(in, Value(1e300), "**", Value(2)), "OverflowError: (34, 'Numerical result out of range')");
}

TEST(IntegerHash, IsThatOfTheEqualFloat) {
  Interpreter in;
  EXPECT_EQ(hash(in, Value(-1)).value(), -2);
  EXPECT_EQ(hash(in, Value(2305843009213693951)).value(), 0);
  EXPECT_EQ(hash(in, Value(0.5)).value(), 1152921504606846976);
  EXPECT_EQ(hash(in, Value(1e300)).value(), hash(in, integer_of_float(in, 1e300)).value());
  EXPECT_EQ(hash(in, read(in, "-123456789012345678901234567890")).value(), -248789772095949448);
  EXPECT_EQ(hash(in, in.tuple({Value(1), Value(2), Value(3)})).value(), 529344067295497451);
  EXPECT_EQ(hash(in, in.tuple()).value(), 5740354900026072187);
}

TEST(IntegerText, LongNumbersAreRefusedInDecimalOnly) {
  Interpreter in;
  const Value large = binary(in, BinaryOperator::Pow, Value(10), Value(4300)).value();
  EXPECT_EQ(shown(in, large),
            "ValueError: Exceeds the limit (4300 digits) for integer string conversion; use "
            "sys.set_int_max_str_digits() to increase the limit");
  EXPECT_EQ(format(in, large, "x").value().size(), 3572U);
  EXPECT_EQ(integer_digits(read(in, "-255"), 16), "-ff");
  EXPECT_EQ(integer_digits(binary(in, BinaryOperator::LShift, Value(5), Value(100)).value(), 8),
            "12000000000000000000000000000000000");
}

TEST(IntegerRead, PrefixesUnderscoresAndBases) {
  Interpreter in;
  EXPECT_EQ(shown(in, read_integer(in, " 0x_ff ", 16)), "255");
  EXPECT_EQ(shown(in, read_integer(in, "0b101", 0)), "5");
  EXPECT_EQ(shown(in, read_integer(in, "zz", 36)), "1295");
  EXPECT_EQ(shown(in, read_integer(in, "1_000", 10)), "1000");
  EXPECT_EQ(shown(in, read_integer(in, "-0", 0)), "0");
  EXPECT_EQ(shown(in, read_integer(in, "1__0", 10)), "ValueError: invalid literal for int() with base 10: '1__0'");
  EXPECT_EQ(shown(in, read_integer(in, "012", 0)), "ValueError: invalid literal for int() with base 0: '012'");
  EXPECT_EQ(shown(in, read_integer(in, "", 10)), "ValueError: invalid literal for int() with base 10: ''");
}

TEST(IntegerConstructor, TakesTextsFloatsAndWhateverCanBeAnInt) {
  Interpreter in;
  const Value cls = class_value(in.builtins().integer);
  EXPECT_EQ(shown(in, in.call(cls, {Value(-1e20)})), "-100000000000000000000");
  EXPECT_EQ(shown(in, in.call(cls, {in.text("ff"), Value(16)})), "255");
  EXPECT_EQ(shown(in, in.call(cls, {Value(3), Value(10)})),
            "TypeError: int() can't convert non-string with explicit base");
  EXPECT_EQ(shown(in, in.call(cls, {Value(std::nan(""))})), "ValueError: cannot convert float NaN to integer");
  EXPECT_EQ(shown(in, in.call(cls, {Value(in.list())})),
            "TypeError: int() argument must be a string, a bytes-like object or a real number, not 'list'");
}

TEST(IntegerBytes, GoBothWays) {
  Interpreter in;
  EXPECT_EQ(shown(in, method(in, Value(1024), "to_bytes", {Value(2), in.text("big")})), "b'\\x04\\x00'");
  EXPECT_EQ(shown(in, method(in, Value(300), "to_bytes", {Value(1)})), "OverflowError: int too big to convert");
  EXPECT_EQ(shown(in, method(in, Value(-1), "to_bytes", {Value(1)})),
            "OverflowError: can't convert negative int to unsigned");
  const Value bytes(make_bytes(in, std::string_view("\xff\xfe", 2)));
  EXPECT_EQ(shown(in, method(in, class_value(in.builtins().integer), "from_bytes", {bytes, in.text("little")})),
            "65279");
  EXPECT_EQ(shown(in, method(in, Value(-8), "bit_length")), "4");
}

TEST(IntegerPower, WithAModulusAndWithAnInverse) {
  Interpreter in;
  EXPECT_EQ(shown(in, method(in, Value(3), "__pow__", {Value(1000000), Value(1000007)})), "81323");
  EXPECT_EQ(shown(in, method(in, Value(3), "__pow__", {Value(-1), Value(11)})), "4");
  EXPECT_EQ(shown(in, method(in, Value(2), "__pow__", {Value(-1), Value(4)})),
            "ValueError: base is not invertible for the given modulus");
  EXPECT_EQ(shown(in, method(in, Value(2), "__pow__", {Value(2), Value(-3)})), "-2");
}

TEST(NumberRound, HalvesGoToTheEvenNeighbour) {
  Interpreter in;
  EXPECT_EQ(shown(in, number_round(in, Value(2.5), Value())), "2");
  EXPECT_EQ(shown(in, number_round(in, Value(3.5), Value())), "4");
  EXPECT_EQ(shown(in, number_round(in, Value(2.675), Value(2))), "2.67");
  EXPECT_EQ(shown(in, number_round(in, Value(1234.5), Value(-2))), "1200.0");
  EXPECT_EQ(shown(in, number_round(in, Value(15), Value(-1))), "20");
  EXPECT_EQ(shown(in, number_round(in, Value(25), Value(-1))), "20");
  EXPECT_EQ(shown(in, number_round(in, Value(-25), Value(-1))), "-20");
  EXPECT_EQ(shown(in, number_round(in, Value(25.5), Value(-1))), "30.0");
}

TEST(FloatMethods, HexAndRatioAreExact) {
  Interpreter in;
  EXPECT_EQ(shown(in, method(in, Value(0.1), "hex")), "'0x1.999999999999ap-4'");
  EXPECT_EQ(shown(in, method(in, Value(-5e-324), "hex")), "'-0x0.0000000000001p-1022'");
  EXPECT_EQ(shown(in, method(in, class_value(in.builtins().floating), "fromhex", {in.text("0x1.8p1")})), "3.0");
  EXPECT_EQ(shown(in, method(in, Value(0.75), "as_integer_ratio")), "(3, 4)");
  EXPECT_EQ(shown(in, method(in, Value(1e20), "as_integer_ratio")), "(100000000000000000000, 1)");
  EXPECT_EQ(shown(in, method(in, Value(3.0), "is_integer")), "True");
}

TEST(FloatConstructor, ReadsPythonsTexts) {
  Interpreter in;
  const Value cls = class_value(in.builtins().floating);
  EXPECT_EQ(shown(in, in.call(cls, {in.text(" -1_0.5e1 ")})), "-105.0");
  EXPECT_EQ(shown(in, in.call(cls, {in.text("-Infinity")})), "-inf");
  EXPECT_EQ(shown(in, in.call(cls, {in.text("0x10")})), "ValueError: could not convert string to float: '0x10'");
  EXPECT_EQ(shown(in, in.call(cls, {Value()})),
            "TypeError: float() argument must be a string or a real number, not 'NoneType'");
}

TEST(ComplexNumbers, CalculateAndPrint) {
  Interpreter in;
  const Value cls = class_value(in.builtins().complex_number);
  const Value z = in.call(cls, {Value(1), Value(-2)}).value();
  EXPECT_EQ(shown(in, z), "(1-2j)");
  EXPECT_EQ(operation(in, z, "*", z), "(-3-4j)");
  EXPECT_EQ(operation(in, z, "==", Value(1)), "False");
  EXPECT_EQ(shown(in, in.call(cls, {in.text("3.5e-1-1j")})), "(0.35-1j)");
  EXPECT_EQ(shown(in, in.call(cls, {in.text("j2")})), "ValueError: complex() arg is a malformed string");
  EXPECT_EQ(operation(in, z, "<", z), "TypeError: '<' not supported between instances of 'complex' and 'complex'");
}

}  // namespace
}  // namespace nns::object
