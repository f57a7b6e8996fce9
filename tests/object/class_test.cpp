#include <gtest/gtest.h>

#include "core/object/instance.h"
#include "core/object/interpreter.h"
#include "core/object/operations.h"

namespace nns::object {
namespace {

Ref<Class> define(Interpreter& in, std::string_view name, std::vector<Class*> bases = {}) {
  auto made = Class::make(in, {.name = name, .bases = std::move(bases)});
  EXPECT_TRUE(made.ok());
  return std::move(made).value();
}

std::vector<std::string> order_of(const Class& cls) {
  std::vector<std::string> names;
  for (const Class* one : cls.mro()) names.emplace_back(one->name());
  return names;
}

TEST(ClassMro, ADiamondVisitsTheSharedBaseLast) {
  Interpreter in;
  const auto base = define(in, "Base");
  const auto left = define(in, "Left", {base.get()}), right = define(in, "Right", {base.get()});
  const auto bottom = define(in, "Bottom", {left.get(), right.get()});
  EXPECT_EQ(order_of(*bottom), (std::vector<std::string>{"Bottom", "Left", "Right", "Base", "object"}));
}

TEST(ClassMro, AnImpossibleOrderIsRefusedInPythonsWords) {
  Interpreter in;
  const auto x = define(in, "X"), y = define(in, "Y");
  const auto xy = define(in, "XY", {x.get(), y.get()}), yx = define(in, "YX", {y.get(), x.get()});
  const auto wrong = Class::make(in, {.name = "Wrong", .bases = {xy.get(), yx.get()}});
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().type(), "TypeError");
  EXPECT_EQ(wrong.error().message(), "Cannot create a consistent method resolution order (MRO) for bases X, Y");
}

TEST(ClassMro, ABaseBeforeItsOwnSubclassIsRefused) {
  Interpreter in;
  const auto base = define(in, "Base");
  const auto derived = define(in, "Derived", {base.get()});
  const auto wrong = Class::make(in, {.name = "Wrong", .bases = {base.get(), derived.get()}});
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().message(),
            "Cannot create a consistent method resolution order (MRO) for bases Base, Derived");
}

TEST(ClassMro, TheSameBaseTwiceIsRefused) {
  Interpreter in;
  const auto base = define(in, "Base");
  const auto wrong = Class::make(in, {.name = "Wrong", .bases = {base.get(), base.get()}});
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().message(), "duplicate base class Base");
}

TEST(ClassMake, BasesWithDifferentInstanceLayoutsAreRefused) {
  Interpreter in;
  const auto wrong = Class::make(in, {.name = "Wrong", .bases = {in.builtins().list, in.builtins().set}});
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().message(), "multiple bases have instance lay-out conflict");
}

TEST(ClassLookup, AChangeOfABaseIsSeenAtOnceInSubclasses) {
  Interpreter in;
  const auto base = define(in, "Base");
  const auto derived = define(in, "Derived", {base.get()});
  const Name name = in.intern("tag");
  EXPECT_EQ(derived->lookup(name), nullptr);
  base->set_attribute(name, Value(1));
  ASSERT_NE(derived->lookup(name), nullptr);
  EXPECT_EQ(derived->lookup(name)->as_int(), 1);
  base->delete_attribute(name);
  EXPECT_EQ(derived->lookup(name), nullptr);
}

TEST(ClassLookup, ManyNamesAreAllFoundThroughTheCache) {
  Interpreter in;
  const auto cls = define(in, "Many");
  for (int i = 0; i < 500; ++i) cls->set_attribute(in.intern("name" + std::to_string(i)), Value(i));
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 500; ++i) {
      const Value* found = cls->lookup(in.intern("name" + std::to_string(i)));
      ASSERT_NE(found, nullptr);
      EXPECT_EQ(found->as_int(), i);
    }
  }
}

TEST(ClassCall, ObjectTakesNoArguments) {
  Interpreter in;
  const auto cls = define(in, "Net");
  const auto made = in.call(Value(cls), {Value(1)});
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().message(), "Net() takes no arguments");
}

TEST(ClassCall, InitMustReturnNone) {
  Interpreter in;
  const auto cls = define(in, "Net");
  cls->def("__init__(self)", [](Interpreter&, std::span<const Value>) -> PyResult<Value> { return Value(1); });
  const auto made = in.call(Value(cls), std::span<const Value>());
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().message(), "__init__() should return None, not 'int'");
}

TEST(Interpreter, SeveralLiveSideBySide) {
  Interpreter first, second;
  EXPECT_EQ(first.next_hook_id(), 0);
  EXPECT_EQ(first.next_hook_id(), 1);
  EXPECT_EQ(second.next_hook_id(), 0);
  EXPECT_NE(first.builtins().object, second.builtins().object);
}

TEST(InterpreterCall, EndlessRecursionBecomesAnError) {
  Interpreter in;
  Ref<NativeFunction> self;
  self = in.function("f()", [&self](Interpreter& i, std::span<const Value>) -> PyResult<Value> {
    return i.call(Value(self), std::span<const Value>());
  });
  const auto result = in.call(Value(self), std::span<const Value>());
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().type(), "RecursionError");
}

}  // namespace
}  // namespace nns::object
