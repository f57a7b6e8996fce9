#include <gtest/gtest.h>

#include <limits>

#include "core/object/interpreter.h"
#include "core/object/operations.h"

namespace nns::object {
namespace {

TEST(FloatRepr, IsTheShortestTextThatReadsBack) {
  EXPECT_EQ(float_repr(0.1), "0.1");
  EXPECT_EQ(float_repr(1.0), "1.0");
  EXPECT_EQ(float_repr(-0.0), "-0.0");
  EXPECT_EQ(float_repr(1e16), "1e+16");
  EXPECT_EQ(float_repr(9999999999999998.0), "9999999999999998.0");
  EXPECT_EQ(float_repr(1e-5), "1e-05");
  EXPECT_EQ(float_repr(0.0001), "0.0001");
  EXPECT_EQ(float_repr(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(float_repr(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(float_repr(std::numeric_limits<double>::quiet_NaN()), "nan");
}

TEST(StrRepr, ChoosesQuotesAndEscapesAsPython) {
  EXPECT_EQ(str_repr("a"), "'a'");
  EXPECT_EQ(str_repr("it's"), "\"it's\"");
  EXPECT_EQ(str_repr("'\""), "'\\'\"'");
  EXPECT_EQ(str_repr("a\nb\t\\"), "'a\\nb\\t\\\\'");
  EXPECT_EQ(str_repr("\x01"), "'\\x01'");
}

TEST(Repr, ContainersPrintTheirItems) {
  Interpreter in;
  EXPECT_EQ(repr(in, in.tuple({Value(1)})).value(), "(1,)");
  EXPECT_EQ(repr(in, in.list({Value(), Value(true), in.text("x")})).value(), "[None, True, 'x']");
  EXPECT_EQ(repr(in, Value(in.set())).value(), "set()");
  EXPECT_EQ(repr(in, Value(in.ordered_dict())).value(), "OrderedDict()");
  const auto ordered = in.ordered_dict();
  ordered->set(in.intern("a"), Value(1));
  EXPECT_EQ(repr(in, Value(ordered)).value(), "OrderedDict({'a': 1})");
}

TEST(Str, AKeyErrorPrintsTheReprOfItsKey) {
  Interpreter in;
  EXPECT_EQ(key_error(in, in.text("x")).message(), "'x'");
  EXPECT_EQ(make_error(in, ErrorKind::ValueError, "x").message(), "x");
}

TEST(Repr, AContainerInsideItselfIsShownAsDots) {
  Interpreter in;
  const auto loop = in.list({Value(1)});
  loop->append(in.tuple({Value(loop)}));
  EXPECT_EQ(repr(in, Value(loop)).value(), "[1, ([...],)]");
  loop->clear_references();
}

TEST(Repr, ALongChainOfListsIsARecursionError) {
  Interpreter in;
  Value chain(in.list());
  for (int i = 0; i < 2000; ++i) chain = in.list({chain});
  const auto text = repr(in, chain);
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.error().type(), "RecursionError");
}

}  // namespace
}  // namespace nns::object
