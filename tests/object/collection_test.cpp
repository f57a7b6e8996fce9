#include <gtest/gtest.h>

#include "core/object/instance.h"
#include "core/object/range.h"
#include "tests/object/calls.h"

namespace nns::object {
namespace {

Value numbers(Interpreter& in, std::initializer_list<int> items) {
  return Value(in.list(std::vector<Value>(items.begin(), items.end())));
}
Value slice(Interpreter& in, const Value& start, const Value& stop, const Value& step = Value()) {
  return in.call(class_value(in.builtins().slice), {start, stop, step}).value();
}
std::string outcome(const PyResult<void>& result) {
  return result.ok() ? "" : std::string(result.error().type()) + ": " + result.error().message();
}

// A class of a program whose instances are equal when their `key` is, and whose hash is it.
Class& keyed_class(Interpreter& in) {
  Class& cls = in.define_class({.name = "Keyed"});
  cls.def("__init__(self, key)", [](Interpreter& own, std::span<const Value> a) -> PyResult<Value> {
    NNS_TRY(setattr(own, a[0], own.intern("key"), a[1]));
    return Value();
  });
  cls.def("__hash__(self)", [](Interpreter& own, std::span<const Value> a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Value key, getattr(own, a[0], own.intern("key")));
    NNS_TRY_ASSIGN(const std::int64_t number, hash(own, key));
    return Value(number);
  });
  cls.def("__eq__(self, other)", [](Interpreter& own, std::span<const Value> a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Value mine, getattr(own, a[0], own.intern("key")));
    if (mine.is_none()) return value_error(own, "cannot compare");
    NNS_TRY_ASSIGN(const Value other, getattr_or_absent(own, a[1], own.intern("key")));
    NNS_TRY_ASSIGN(const bool same, equal(own, mine, other.is_absent() ? a[1] : other));
    return Value(same);
  });
  return cls;
}

TEST(ListItems, SlicesAreAssignedAndDeleted) {
  Interpreter in;
  const Value list = numbers(in, {0, 1, 2, 3, 4, 5});
  ASSERT_TRUE(setitem(in, list, slice(in, Value(1), Value(3)), numbers(in, {7, 8, 9})).ok());
  EXPECT_EQ(shown(in, list), "[0, 7, 8, 9, 3, 4, 5]");
  ASSERT_TRUE(delitem(in, list, slice(in, Value(), Value(), Value(3))).ok());
  EXPECT_EQ(shown(in, list), "[7, 8, 3, 4]");
  ASSERT_TRUE(setitem(in, list, slice(in, Value(), Value(), Value(-2)), numbers(in, {1, 2})).ok());
  EXPECT_EQ(shown(in, list), "[7, 2, 3, 1]");
  EXPECT_EQ(outcome(setitem(in, list, slice(in, Value(), Value(), Value(2)), numbers(in, {1}))),
            "ValueError: attempt to assign sequence of size 1 to extended slice of size 2");
  EXPECT_EQ(outcome(setitem(in, list, slice(in, Value(0), Value(1)), Value(1))),
            "TypeError: can only assign an iterable");
  EXPECT_EQ(outcome(delitem(in, list, Value(9))), "IndexError: list assignment index out of range");
  EXPECT_EQ(shown(in, getitem(in, list, in.text("a"))), "TypeError: list indices must be integers or slices, not str");
}

TEST(ListSort, IsStableAndStopsAtTheFirstError) {
  Interpreter in;
  std::vector<Value> pairs;
  for (int i = 0; i < 100; ++i) pairs.push_back(in.tuple({Value(i * 7 % 10), Value(i)}));
  const Value list(in.list(pairs));
  const Value key(in.function(
      "key(pair)", [](Interpreter&, std::span<const Value> a) -> PyResult<Value> { return (*a[0].as<Tuple>())[0]; }));
  const Keyword keywords[] = {{in.intern("key"), key}, {in.intern("reverse"), Value(true)}};
  ASSERT_TRUE(in.call_method(list, in.intern("sort"), std::span<const Value>(), keywords).ok());
  const std::vector<Value>& items = list.as<List>()->items();
  for (std::size_t i = 1; i < items.size(); ++i) {
    const Tuple &before = *items[i - 1].as<Tuple>(), &after = *items[i].as<Tuple>();
    EXPECT_GE(before[0].as_int(), after[0].as_int());
    EXPECT_TRUE(before[0].as_int() != after[0].as_int() || before[1].as_int() < after[1].as_int());
  }
  EXPECT_EQ(shown(in, method(in, Value(in.list({Value(3), in.text("a")})), "sort")),
            "TypeError: '<' not supported between instances of 'str' and 'int'");
  EXPECT_EQ(shown(in, method(in, list, "sort", {Value(1)})), "TypeError: sort() takes no positional arguments");
}

TEST(ListMethods, WrongCountsReadAsPythons) {
  Interpreter in;
  const Value list = numbers(in, {1, 2});
  EXPECT_EQ(shown(in, method(in, list, "append")), "TypeError: list.append() takes exactly one argument (0 given)");
  EXPECT_EQ(shown(in, method(in, list, "pop", {Value(1), Value(2)})),
            "TypeError: pop expected at most 1 argument, got 2");
  EXPECT_EQ(shown(in, method(in, list, "insert", {Value(1)})), "TypeError: insert expected 2 arguments, got 1");
  EXPECT_EQ(shown(in, method(in, list, "clear", {Value(1)})), "TypeError: list.clear() takes no arguments (1 given)");
  EXPECT_EQ(shown(in, method(in, in.text("a"), "replace", {in.text("b")})),
            "TypeError: replace() takes at least 2 positional arguments (1 given)");
  EXPECT_EQ(shown(in, method(in, in.text("a"), "split", {Value(), Value(1), Value(2)})),
            "TypeError: split() takes at most 2 arguments (3 given)");
  EXPECT_EQ(shown(in, in.call(class_value(in.builtins().dict), {Value(1), Value(2)})),
            "TypeError: dict expected at most 1 argument, got 2");
}

TEST(Sequences, AreComparedItemByItem) {
  Interpreter in;
  EXPECT_EQ(operation(in, numbers(in, {1, 2}), "<", numbers(in, {1, 3})), "True");
  EXPECT_EQ(operation(in, numbers(in, {1, 2, 0}), ">", numbers(in, {1, 2})), "True");
  EXPECT_EQ(operation(in, numbers(in, {1}), "==", Value(in.tuple({Value(1)}))), "False");
  EXPECT_EQ(operation(in, numbers(in, {1}), "<", Value(in.tuple({Value(1)}))),
            "TypeError: '<' not supported between instances of 'list' and 'tuple'");
  EXPECT_EQ(operation(in, numbers(in, {1}), "+", Value(in.tuple())),
            "TypeError: can only concatenate list (not \"tuple\") to list");
  const Value list = numbers(in, {1});
  EXPECT_TRUE(in_place(in, BinaryOperator::Add, list, in.text("ab")).value().is(list));
  EXPECT_EQ(shown(in, list), "[1, 'a', 'b']");
}

TEST(DictKeys, ObjectsOfAProgramAreFoundByTheirOwnHashAndEquality) {
  Interpreter in;
  const Value cls = class_value(&keyed_class(in));
  const Value dict(in.dict());
  for (int i = 0; i < 40; ++i) ASSERT_TRUE(setitem(in, dict, in.call(cls, {Value(i)}).value(), Value(i * i)).ok());
  EXPECT_EQ(shown(in, getitem(in, dict, in.call(cls, {Value(7)}).value())), "49");
  EXPECT_EQ(shown(in, getitem(in, dict, Value(7))), "49");
  ASSERT_TRUE(delitem(in, dict, Value(7)).ok());
  EXPECT_FALSE(contains(in, dict, in.call(cls, {Value(7)}).value()).value());
  ASSERT_TRUE(setitem(in, dict, in.call(cls, {Value(8)}).value(), in.text("new")).ok());
  EXPECT_EQ(length(in, dict).value(), 39);
  const Value copy = method(in, dict, "copy").value();
  EXPECT_EQ(shown(in, getitem(in, copy, Value(8))), "'new'");
  EXPECT_TRUE(equal(in, dict, copy).value());
  // Inside a tuple too.
  const Value set(in.set());
  ASSERT_TRUE(method(in, set, "add", {Value(in.tuple({in.call(cls, {Value(1)}).value()}))}).ok());
  EXPECT_TRUE(contains(in, set, Value(in.tuple({Value(1)}))).value());
}

TEST(DictKeys, ErrorsOfTheirMethodsArePassedOn) {
  Interpreter in;
  const Value cls = class_value(&keyed_class(in));
  const Value dict(in.dict());
  ASSERT_TRUE(setitem(in, dict, in.call(cls, {Value()}).value(), Value(1)).ok());
  EXPECT_EQ(shown(in, getitem(in, dict, in.call(cls, {Value()}).value())), "ValueError: cannot compare");
  EXPECT_EQ(shown(in, getitem(in, dict, numbers(in, {1}))),
            "TypeError: cannot use 'list' as a dict key (unhashable type: 'list')");
  EXPECT_EQ(shown(in, method(in, Value(in.set()), "add", {Value(in.tuple({numbers(in, {1})}))})),
            "TypeError: cannot use 'tuple' as a set element (unhashable type: 'list')");
}

TEST(DictMethods, BehaveAsPythons) {
  Interpreter in;
  const Value dict(in.dict());
  ASSERT_TRUE(setitem(in, dict, in.text("a"), Value(1)).ok());
  EXPECT_EQ(shown(in, method(in, dict, "setdefault", {in.text("b"), Value(2)})), "2");
  EXPECT_EQ(shown(in, method(in, dict, "pop", {in.text("z")})), "KeyError: 'z'");
  EXPECT_EQ(shown(in, method(in, dict, "pop", {in.text("z"), Value(0)})), "0");
  EXPECT_EQ(shown(in, method(in, dict, "update", {numbers(in, {1})})),
            "TypeError: cannot convert dictionary update sequence element #0 to a sequence");
  EXPECT_EQ(shown(in, method(in, dict, "update", {Value(in.list({in.text("abc")}))})),
            "ValueError: dictionary update sequence element #0 has length 3; 2 is required");
  EXPECT_EQ(shown(in, method(in, class_value(in.builtins().dict), "fromkeys", {in.text("xy"), Value(0)})),
            "{'x': 0, 'y': 0}");
  const Value other =
      in.call(class_value(in.builtins().dict), {Value(in.list({Value(in.tuple({in.text("b"), Value(9)}))}))}).value();
  EXPECT_EQ(operation(in, dict, "|", other), "{'a': 1, 'b': 9}");
  const Value keys = method(in, dict, "keys").value(), more = method(in, other, "keys").value();
  EXPECT_EQ(operation(in, keys, "&", more), "{'b'}");
  EXPECT_EQ(operation(in, keys, "-", more), "{'a'}");
  EXPECT_EQ(operation(in, more, "<=", keys), "True");
  EXPECT_EQ(shown(in, method(in, dict, "popitem")), "('b', 2)");
}

TEST(Sets, OperatorsTakeSetsAndMethodsTakeAnything) {
  Interpreter in;
  const Value cls = class_value(in.builtins().set), frozen = class_value(in.builtins().frozen_set);
  const Value a = in.call(cls, {numbers(in, {1, 2, 3})}).value();
  EXPECT_EQ(operation(in, a, "&", in.call(frozen, {numbers(in, {2, 9})}).value()), "{2}");
  EXPECT_EQ(operation(in, a, "^", in.call(cls, {numbers(in, {3, 4})}).value()), "{1, 2, 4}");
  EXPECT_EQ(operation(in, a, "|", numbers(in, {4})), "TypeError: unsupported operand type(s) for |: 'set' and 'list'");
  EXPECT_EQ(shown(in, method(in, a, "union", {numbers(in, {4}), in.text("x")})), "{1, 2, 3, 4, 'x'}");
  EXPECT_EQ(shown(in, method(in, a, "issubset", {numbers(in, {1, 2, 3, 4})})), "True");
  EXPECT_EQ(shown(in, method(in, a, "remove", {Value(9)})), "KeyError: 9");
  EXPECT_EQ(shown(in, in.call(frozen, {numbers(in, {1})})), "frozenset({1})");
  EXPECT_EQ(hash(in, in.call(frozen, {numbers(in, {1, 2})}).value()).value(),
            hash(in, in.call(frozen, {numbers(in, {2, 1})}).value()).value());
  // A set is looked for as the frozenset with its elements.
  const Value nested = in.call(cls, {Value(in.list({in.call(frozen, {numbers(in, {1})}).value()}))}).value();
  EXPECT_TRUE(contains(in, nested, in.call(cls, {numbers(in, {1})}).value()).value());
}

TEST(Ranges, AreSequencesWithoutItems) {
  Interpreter in;
  const Value cls = class_value(in.builtins().range);
  const Value range = in.call(cls, {Value(0), Value(1000000000000), Value(3)}).value();
  EXPECT_EQ(length(in, range).value(), 333333333334);
  EXPECT_EQ(shown(in, getitem(in, range, Value(-1))), "999999999999");
  EXPECT_TRUE(contains(in, range, Value(999999999999)).value());
  EXPECT_FALSE(contains(in, range, Value(1000)).value());
  EXPECT_EQ(shown(in, getitem(in, range, slice(in, Value(1), Value(10), Value(2)))), "range(3, 30, 6)");
  EXPECT_EQ(operation(in, in.call(cls, {Value(0), Value(3), Value(2)}).value(),
                      "==", in.call(cls, {Value(0), Value(4), Value(2)}).value()),
            "True");
  const Value down = in.call(cls, {Value(5), Value(0), Value(-2)}).value();
  EXPECT_EQ(shown(in, Value(in.list(to_vector(in, down).value()))), "[5, 3, 1]");
  EXPECT_EQ(shown(in, Value(in.list(to_vector(in, method(in, down, "__reversed__").value()).value()))), "[1, 3, 5]");
  EXPECT_EQ(shown(in, in.call(cls, {Value(1), Value(2), Value(0)})), "ValueError: range() arg 3 must not be zero");
  EXPECT_EQ(shown(in, in.call(cls, {Value(1.0)})), "TypeError: 'float' object cannot be interpreted as an integer");
}

}  // namespace
}  // namespace nns::object
