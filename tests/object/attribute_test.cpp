#include <gtest/gtest.h>

#include "core/object/instance.h"
#include "core/object/interpreter.h"
#include "core/object/operations.h"

namespace nns::object {
namespace {

using Args = std::span<const Value>;

class Attributes : public testing::Test {
 protected:
  Attributes() : cls(Class::make(in, {.name = "Thing"}).value()) {}
  Value instance() { return in.call(Value(cls), Args()).value(); }
  Value get(const Value& value, std::string_view name) { return getattr(in, value, in.intern(name)).value(); }

  Interpreter in;
  Ref<Class> cls;
};

TEST_F(Attributes, TheInstanceHidesAPlainClassAttribute) {
  cls->attribute("tag", in.text("class"));
  const Value thing = instance();
  EXPECT_EQ(str(in, get(thing, "tag")).value(), "class");
  ASSERT_TRUE(setattr(in, thing, in.intern("tag"), Value(5)).ok());
  EXPECT_EQ(get(thing, "tag").as_int(), 5);
  ASSERT_TRUE(delattr(in, thing, in.intern("tag")).ok());
  EXPECT_EQ(str(in, get(thing, "tag")).value(), "class");
}

TEST_F(Attributes, APropertyWinsOverTheInstanceDict) {
  const auto getter = in.function("size(self)", [](Interpreter&, Args) -> PyResult<Value> { return Value(7); });
  cls->attribute("size", make<Property>(in, Value(getter)));
  const Value thing = instance();
  thing.object()->instance_dict(true)->set(in.intern("size"), Value(1));
  EXPECT_EQ(get(thing, "size").as_int(), 7);
  const auto written = setattr(in, thing, in.intern("size"), Value(2));
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().message(), "property 'size' of 'Thing' object has no setter");
}

TEST_F(Attributes, AFunctionOfTheClassBindsAndOneOfTheInstanceDoesNot) {
  cls->def("me(self)", [](Interpreter&, Args a) -> PyResult<Value> { return a[0]; });
  const Value thing = instance();
  EXPECT_TRUE(in.call(get(thing, "me"), Args()).value().is(thing));
  const auto own = in.function("own()", [](Interpreter&, Args) -> PyResult<Value> { return Value(3); });
  ASSERT_TRUE(setattr(in, thing, in.intern("me"), Value(own)).ok());
  EXPECT_EQ(in.call_method(thing, in.intern("me")).value().as_int(), 3);
}

TEST_F(Attributes, GetattrHookRunsOnlyForWhatIsMissing) {
  cls->def("__getattr__(self, name)", [](Interpreter&, Args a) -> PyResult<Value> { return a[1]; });
  const Value thing = instance();
  ASSERT_TRUE(setattr(in, thing, in.intern("here"), Value(1)).ok());
  EXPECT_EQ(get(thing, "here").as_int(), 1);
  EXPECT_EQ(str(in, get(thing, "gone")).value(), "gone");
}

TEST_F(Attributes, ClassMethodsGetTheClassAndStaticOnesNothing) {
  cls->def_class("who(cls)", [](Interpreter&, Args a) -> PyResult<Value> { return a[0]; });
  cls->def_static("count()", [](Interpreter&, Args a) -> PyResult<Value> { return Value(a.size()); });
  const Value thing = instance();
  EXPECT_TRUE(in.call(get(thing, "who"), Args()).value().is(Value(cls)));
  EXPECT_EQ(in.call(get(Value(cls), "count"), Args()).value().as_int(), 0);
}

TEST_F(Attributes, MissingOnesAreReportedWithTheClassName) {
  EXPECT_EQ(getattr(in, instance(), in.intern("x")).error().message(), "'Thing' object has no attribute 'x'");
  EXPECT_EQ(getattr(in, Value(cls), in.intern("x")).error().message(), "type object 'Thing' has no attribute 'x'");
  EXPECT_EQ(setattr(in, Value(1), in.intern("x"), Value()).error().message(),
            "'int' object has no attribute 'x' and no __dict__ for setting new attributes");
}

TEST_F(Attributes, AUserDescriptorIsAsked) {
  const auto descriptor = Class::make(in, {.name = "Descriptor"}).value();
  descriptor->def("__get__(self, instance, owner)", [](Interpreter&, Args) -> PyResult<Value> { return Value(11); });
  cls->attribute("field", in.call(Value(descriptor), Args()).value());
  EXPECT_EQ(get(instance(), "field").as_int(), 11);
}

TEST_F(Attributes, ClassOfAnInstanceCanBeChanged) {
  const auto other = Class::make(in, {.name = "Other"}).value();
  const Value thing = instance();
  ASSERT_TRUE(setattr(in, thing, in.names().dunder_class, Value(other)).ok());
  EXPECT_EQ(in.type_of(thing).name(), "Other");
}

}  // namespace
}  // namespace nns::object
