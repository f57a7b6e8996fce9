#include "core/object/new_class.h"

#include <gtest/gtest.h>

#include "core/object/instance.h"
#include "tests/object/calls.h"

namespace nns::object {
namespace {

// Makes classes as a class statement does.
class NewClass : public testing::Test {
 protected:
  // type(name, bases, names, **keywords), or through another metaclass.
  PyResult<Value> make(std::string_view name, std::vector<Value> bases, const Ref<Dict>& names,
                       std::vector<Keyword> keywords = {}, Class* metaclass = nullptr) {
    const Value arguments[] = {in_.text(name), Value(in_.tuple(std::move(bases))), Value(names)};
    return in_.call(class_value(metaclass == nullptr ? in_.builtins().type : metaclass), arguments, keywords);
  }
  Ref<Dict> names(std::initializer_list<std::pair<std::string_view, Value>> entries) {
    Ref<Dict> dict = in_.dict();
    for (const auto& [name, value] : entries) dict->set(in_.intern(name), value);
    return dict;
  }
  Value function(std::string_view signature, NativeBody body) {
    return Value(in_.function(signature, std::move(body)));
  }
  Value base(Class* cls) { return class_value(cls); }
  std::string set(const Value& object, std::string_view name, const Value& value) {
    const auto done = setattr(in_, object, in_.intern(name), value);
    return done.ok() ? "" : std::string(done.error().type()) + ": " + done.error().message();
  }
  std::string get(const Value& object, std::string_view name) {
    return shown(in_, getattr(in_, object, in_.intern(name)));
  }
  Interpreter in_;
};

TEST_F(NewClass, TellsAttributesTheirNamesAndBasesTheirChildren) {
  const Ref<List> heard = in_.list();
  const Value field_class =
      make("Field", {},
           names({{"__set_name__", function("__set_name__(self, owner, name)",
                                            [heard](Interpreter&, std::span<const Value> a) -> PyResult<Value> {
                                              heard->append(a[2]);
                                              return Value();
                                            })}}))
          .value();
  const Value parent =
      make("Parent", {},
           names({{"__init_subclass__", function("__init_subclass__(cls, **kwargs)",
                                                 [heard](Interpreter&, std::span<const Value> a) -> PyResult<Value> {
                                                   heard->append(a[0]);
                                                   heard->append(a[1]);
                                                   return Value();
                                                 })}}))
          .value();
  const Value field = in_.call(field_class, std::span<const Value>()).value();
  ASSERT_TRUE(make("Child", {parent}, names({{"x", field}}), {{in_.intern("tag"), Value(1)}}).ok());
  EXPECT_EQ(shown(in_, Value(heard)), "['x', <class '__main__.Child'>, {'tag': 1}]");
}

TEST_F(NewClass, KeywordsThatNoBaseTakesAreAnError) {
  EXPECT_EQ(shown(in_, make("A", {}, names({}), {{in_.intern("tag"), Value(1)}})),
            "TypeError: A.__init_subclass__() takes no keyword arguments");
}

TEST_F(NewClass, SlotsRefuseOtherAttributes) {
  const Value cls = make("Point", {}, names({{"__slots__", Value(in_.tuple({in_.text("x"), in_.text("y")}))}})).value();
  const Value point = in_.call(cls, std::span<const Value>()).value();
  EXPECT_EQ(get(point, "x"), "AttributeError: 'Point' object has no attribute 'x'");
  EXPECT_EQ(set(point, "x", Value(3)), "");
  EXPECT_EQ(get(point, "x"), "3");
  EXPECT_EQ(set(point, "z", Value(3)),
            "AttributeError: 'Point' object has no attribute 'z' and no __dict__ for setting new attributes");
  EXPECT_EQ(get(cls, "x"), "<member 'x' of 'Point' objects>");
  EXPECT_EQ(get(point, "__dict__"), "AttributeError: 'Point' object has no attribute '__dict__'");
  ASSERT_TRUE(delattr(in_, point, in_.intern("x")).ok());
  EXPECT_EQ(get(point, "x"), "AttributeError: 'Point' object has no attribute 'x'");
  // A class derived without __slots__ has a __dict__ again, and keeps the places.
  const Value derived = make("Point3", {cls}, names({})).value();
  const Value other = in_.call(derived, std::span<const Value>()).value();
  EXPECT_EQ(set(other, "x", Value(1)), "");
  EXPECT_EQ(set(other, "z", Value(2)), "");
  EXPECT_EQ(get(other, "__dict__"), "{'z': 2}");
  EXPECT_EQ(shown(in_, make("Bad", {}, names({{"__slots__", in_.text("a")}, {"a", Value(1)}}))),
            "ValueError: 'a' in __slots__ conflicts with class variable");
  EXPECT_EQ(shown(in_, make("Bad", {base(in_.builtins().integer)}, names({{"__slots__", in_.text("a")}}))),
            "TypeError: nonempty __slots__ not supported for subtype of 'int'");
}

TEST_F(NewClass, AMetaclassDecidesHowItsClassesAreMadeAndCalled) {
  const Value meta =
      make("Meta", {base(in_.builtins().type)},
           names({{"__call__", function("__call__(cls, *args, **kwargs)",
                                        [](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
                                          return in.text(a[0].as<Class>()->name());
                                        })},
                  {"__instancecheck__", function("__instancecheck__(cls, instance)",
                                                 [](Interpreter&, std::span<const Value> a) -> PyResult<Value> {
                                                   return Value(a[1].is_int());
                                                 })},
                  {"shared", Value(5)}}))
          .value();
  const Value cls = make("A", {}, names({}), {}, meta.as<Class>()).value();
  EXPECT_EQ(&in_.type_of(cls), meta.as<Class>());
  EXPECT_EQ(shown(in_, in_.call(cls, std::span<const Value>())), "'A'");
  EXPECT_EQ(get(cls, "shared"), "5");
  EXPECT_TRUE(is_instance(in_, Value(1), cls).value());
  EXPECT_FALSE(is_instance(in_, Value(), cls).value());
  const Value derived = make("B", {cls}, names({})).value();
  EXPECT_EQ(&in_.type_of(derived), meta.as<Class>());
  const Value other_meta = make("Other", {base(in_.builtins().type)}, names({})).value();
  const Value other = make("C", {}, names({}), {}, other_meta.as<Class>()).value();
  EXPECT_EQ(shown(in_, make("D", {cls, other}, names({}))),
            "TypeError: metaclass conflict: the metaclass of a derived class must be a (non-strict) subclass of the "
            "metaclasses of all its bases");
}

TEST_F(NewClass, InstancesOfClassesDerivedFromBuiltInOnesHaveAttributes) {
  for (Class* cls : {in_.builtins().integer, in_.builtins().floating, in_.builtins().str, in_.builtins().tuple,
                     in_.builtins().list, in_.builtins().dict, in_.builtins().set}) {
    const Value derived = make("My", {base(cls)}, names({})).value();
    const PyResult<Value> made = in_.call(derived, std::span<const Value>());
    ASSERT_TRUE(made.ok()) << cls->name() << made.error().message();
    EXPECT_EQ(set(*made, "note", Value(1)), "") << cls->name();
    EXPECT_EQ(get(*made, "note"), "1") << cls->name();
    EXPECT_TRUE(is_instance(in_, *made, base(cls)).value());
    EXPECT_TRUE(equal(in_, *made, in_.call(base(cls), std::span<const Value>()).value()).value()) << cls->name();
  }
  const Value my_int = make("MyInt", {base(in_.builtins().integer)}, names({})).value();
  const Value seven = in_.call(my_int, {Value(7)}).value();
  EXPECT_EQ(operation(in_, seven, "+", Value(1)), "8");
  EXPECT_EQ(operation(in_, Value(1), "-", seven), "-6");
  EXPECT_EQ(shown(in_, seven), "7");
  EXPECT_EQ(hash(in_, seven).value(), 7);
  EXPECT_EQ(shown(in_, getitem(in_, Value(in_.list(std::vector<Value>(9, Value(4)))), seven)), "4");
  EXPECT_EQ(shown(in_, make("MyBool", {base(in_.builtins().boolean)}, names({}))),
            "TypeError: type 'bool' is not an acceptable base type");
  EXPECT_EQ(shown(in_, make("Both", {base(in_.builtins().integer), base(in_.builtins().str)}, names({}))),
            "TypeError: multiple bases have instance lay-out conflict");
}

TEST_F(NewClass, MethodsOfDerivedClassesAreAskedByTheLanguage) {
  const Value loud =
      make("Loud", {base(in_.builtins().list)},
           names({{"__getitem__", function("__getitem__(self, key)",
                                           [](Interpreter& in, std::span<const Value>) -> PyResult<Value> {
                                             return in.text("mine");
                                           })},
                  {"__len__",
                   function("__len__(self)",
                            [](Interpreter&, std::span<const Value>) -> PyResult<Value> { return Value(42); })}}))
          .value();
  const Value list = in_.call(loud, {Value(in_.tuple({Value(1)}))}).value();
  EXPECT_EQ(shown(in_, getitem(in_, list, Value(0))), "'mine'");
  EXPECT_EQ(length(in_, list).value(), 42);
  EXPECT_EQ(operation(in_, list, "+", Value(in_.list({Value(2)}))), "[1, 2]");
}

TEST_F(NewClass, TypeSaysWhatItIs) {
  const Value a =
      make("A", {}, names({{"__qualname__", in_.text("f.<locals>.A")}, {"__module__", in_.text("m")}})).value();
  const Value b = make("B", {a}, names({{"__doc__", in_.text("doc")}})).value();
  EXPECT_EQ(shown(in_, a), "<class 'm.f.<locals>.A'>");
  EXPECT_EQ(get(a, "__name__"), "'A'");
  EXPECT_EQ(get(b, "__doc__"), "'doc'");
  EXPECT_EQ(get(a, "__doc__"), "None");
  EXPECT_EQ(shown(in_, method(in_, a, "__subclasses__")), "[<class '__main__.B'>]");
  EXPECT_EQ(get(b, "__bases__"), "(<class 'm.f.<locals>.A'>,)");
  EXPECT_EQ(set(a, "__name__", in_.text("Z")), "");
  EXPECT_EQ(get(a, "__name__"), "'Z'");
  EXPECT_EQ(set(base(in_.builtins().integer), "x", Value(1)),
            "TypeError: cannot set 'x' attribute of immutable type 'int'");
  EXPECT_EQ(shown(in_, make("E", {base(&in_.builtins().exception(ErrorKind::ValueError))},
                            names({{"__slots__", Value(in_.tuple())}}))),
            "<class '__main__.E'>");
  EXPECT_TRUE(is_subclass(in_, b, a).value());
  EXPECT_EQ(is_subclass(in_, Value(1), a).error().message(), "issubclass() arg 1 must be a class");
  EXPECT_EQ(is_instance(in_, Value(1), Value(2)).error().message(),
            "isinstance() arg 2 must be a type, a tuple of types, or a union");
}

TEST_F(NewClass, AnOwnEqWithoutAHashMakesInstancesUnhashable) {
  const Value cls =
      make("A", {},
           names({{"__eq__",
                   function("__eq__(self, other)",
                            [](Interpreter&, std::span<const Value>) -> PyResult<Value> { return Value(true); })}}))
          .value();
  const Value one = in_.call(cls, std::span<const Value>()).value();
  EXPECT_EQ(hash(in_, one).error().message(), "unhashable type: 'A'");
  EXPECT_EQ(operation(in_, one, "!=", Value(1)), "False");
}

TEST_F(NewClass, AbstractClassesAreNotInstantiated) {
  const Value methods(in_.list({in_.text("run")}));
  const Value cls = make("Base", {}, names({{"__abstractmethods__", methods}})).value();
  EXPECT_EQ(shown(in_, in_.call(cls, std::span<const Value>())),
            "TypeError: Can't instantiate abstract class Base without an implementation for abstract method 'run'");
}

}  // namespace
}  // namespace nns::object
