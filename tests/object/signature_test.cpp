#include <gtest/gtest.h>

#include "core/object/interpreter.h"
#include "core/object/operations.h"

namespace nns::object {
namespace {

class SignatureBind : public testing::Test {
 protected:
  // Calls a function with this signature and returns its bound arguments, or the error's text.
  std::string call(std::string_view signature, std::vector<Value> positional,
                   const std::vector<std::pair<std::string, Value>>& named = {}) {
    const auto function = in.function(signature, [](Interpreter& i, std::span<const Value> a) -> PyResult<Value> {
      return Value(i.tuple({a.begin(), a.end()}));
    });
    std::vector<Keyword> keywords;
    for (const auto& [name, value] : named) keywords.push_back({in.intern(name), value});
    const auto result = in.call(Value(function), positional, keywords);
    return result.ok() ? repr(in, result.value()).value() : result.error().message();
  }
  Interpreter in;
};

TEST_F(SignatureBind, DefaultsFillWhatIsNotGiven) {
  EXPECT_EQ(call("f(a, b=True, c=1e-5, d='zeros', e=None, g=-1)", {Value(1)}), "(1, True, 1e-05, 'zeros', None, -1)");
}

TEST_F(SignatureBind, DefaultsMayBeTuples) {
  EXPECT_EQ(call("f(betas=(0.9, 0.999), *, sizes=(1, (2, None), ()), g=1)", {}),
            "((0.9, 0.999), (1, (2, None), ()), 1)");
}

TEST_F(SignatureBind, RestAndKeywordsAreCollected) {
  EXPECT_EQ(call("f(a, *rest, key=2, **more)", {Value(1), Value(2)}, {{"z", Value(3)}}), "(1, (2,), 2, {'z': 3})");
}

TEST_F(SignatureBind, MissingArgumentsAreNamed) {
  EXPECT_EQ(call("f(a)", {}), "f() missing 1 required positional argument: 'a'");
  EXPECT_EQ(call("f(a, b)", {}), "f() missing 2 required positional arguments: 'a' and 'b'");
  EXPECT_EQ(call("f(a, b, c)", {}), "f() missing 3 required positional arguments: 'a', 'b', and 'c'");
  EXPECT_EQ(call("f(*, k)", {}), "f() missing 1 required keyword-only argument: 'k'");
}

TEST_F(SignatureBind, TooManyArgumentsAreCounted) {
  EXPECT_EQ(call("f()", {Value(1)}), "f() takes 0 positional arguments but 1 was given");
  EXPECT_EQ(call("f(a)", {Value(1), Value(2)}), "f() takes 1 positional argument but 2 were given");
  EXPECT_EQ(call("f(a, b=1)", {Value(1), Value(2), Value(3)}),
            "f() takes from 1 to 2 positional arguments but 3 were given");
  EXPECT_EQ(call("f(a, *, k=1)", {Value(1), Value(2)}, {{"k", Value(2)}}),
            "f() takes 1 positional argument but 2 positional arguments (and 1 keyword-only argument) were given");
}

TEST_F(SignatureBind, UnknownAndRepeatedNamesAreRefused) {
  EXPECT_EQ(call("f(a)", {Value(1)}, {{"size", Value(1)}}), "f() got an unexpected keyword argument 'size'");
  EXPECT_EQ(call("f(a)", {Value(1)}, {{"a", Value(1)}}), "f() got multiple values for argument 'a'");
}

}  // namespace
}  // namespace nns::object
