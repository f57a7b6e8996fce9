#include "core/object/collector.h"

#include <gtest/gtest.h>

#include "core/object/instance.h"
#include "core/object/interpreter.h"

namespace nns::object {
namespace {

TEST(WeakReference, IsEmptyAsSoonAsTheLastReferenceGoes) {
  Interpreter in;
  Ref<List> list = in.list();
  const auto weak = make<WeakReference>(*list);
  EXPECT_TRUE(weak->get() == list);
  list = nullptr;
  EXPECT_FALSE(weak->get());
}

TEST(WeakReference, CallbackRunsOnceWhenTheObjectIsGone) {
  Interpreter in;
  int runs = 0;
  const auto callback = in.function("cb(ref)", [&runs](Interpreter&, std::span<const Value> a) -> PyResult<Value> {
    EXPECT_FALSE(a[0].as<WeakReference>()->get());
    ++runs;
    return Value();
  });
  Ref<List> list = in.list();
  const auto weak = make<WeakReference>(*list, Value(callback));
  list = nullptr;
  EXPECT_EQ(runs, 1);
}

TEST(WeakReference, MayDieBeforeItsObject) {
  Interpreter in;
  const Ref<List> list = in.list();
  auto first = make<WeakReference>(*list), second = make<WeakReference>(*list);
  first = nullptr;
  EXPECT_TRUE(second->get());
}

TEST(CollectorCollect, FreesACycleAndNothingElse) {
  Interpreter in;
  const Ref<List> kept = in.list();
  Ref<List> a = in.list(), b = in.list();
  a->append(Value(b));
  b->append(Value(a));
  b->append(Value(kept));
  const auto weak = make<WeakReference>(*a);
  a = nullptr;
  b = nullptr;
  EXPECT_TRUE(weak->get());
  EXPECT_EQ(in.collector().collect(), 2U);
  EXPECT_FALSE(weak->get());
  EXPECT_EQ(kept->reference_count(), 1U);
}

// A class whose instances note themselves in `told` when they are finalized.
Ref<Class> telling_class(Interpreter& in, std::vector<Value>& told) {
  const auto cls = Class::make(in, {.name = "Telling"}).value();
  cls->def("__del__(self)", [&told](Interpreter&, std::span<const Value> args) -> PyResult<Value> {
    told.push_back(args[0]);
    return Value();
  });
  return cls;
}

TEST(Finalizers, AnObjectWaitsForItsOwnAndMayComeBack) {
  Interpreter in;
  int calls = 0;
  in.finalizers().on_wait = [&] { ++calls; };
  std::vector<Value> told;
  const Ref<Class> cls = telling_class(in, told);
  Value one = in.call(Value(cls), std::span<const Value>()).value();
  Object* const object = one.object();
  one = Value();
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(told.empty());
  in.finalizers().run();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].object(), object);
  EXPECT_EQ(object->reference_count(), 1U);
  // It is finalized once.
  const std::size_t before = in.collector().tracked();
  told.clear();
  EXPECT_TRUE(in.finalizers().is_empty());
  EXPECT_EQ(in.collector().tracked(), before - 1);
  EXPECT_EQ(calls, 1);
}

TEST(Finalizers, ThoseOfACycleRunBeforeItIsFreed) {
  Interpreter in;
  in.finalizers().on_wait = [] {};
  std::vector<Value> told;
  const Ref<Class> cls = telling_class(in, told);
  Value one = in.call(Value(cls), std::span<const Value>()).value();
  one.object()->instance_dict(true)->set(in.intern("me"), one);
  one = Value();
  EXPECT_TRUE(in.collector().has_finalizers());
  // It came back, and with it its dict.
  EXPECT_EQ(in.collector().collect(), 0U);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_FALSE(in.collector().has_finalizers());
  told.clear();
  EXPECT_EQ(in.collector().collect(), 2U);
  EXPECT_TRUE(told.empty());
}

TEST(Finalizers, AtTheEndOfAnInterpreterNoneRuns) {
  std::vector<Value> told;
  {
    Interpreter in;
    in.finalizers().on_wait = [] {};
    const Ref<Class> cls = telling_class(in, told);
    in.call(Value(cls), std::span<const Value>()).value();
    EXPECT_FALSE(in.finalizers().is_empty());
  }
  EXPECT_TRUE(told.empty());
}

TEST(CollectorCollect, KeepsWhatIsReachedThroughAnInstanceDict) {
  Interpreter in;
  const auto cls = Class::make(in, {.name = "Node"}).value();
  const Value root = in.call(Value(cls), std::span<const Value>()).value();
  Ref<List> list = in.list({root});
  root.object()->instance_dict(true)->set(in.intern("list"), Value(list));
  list = nullptr;
  EXPECT_EQ(in.collector().collect(), 0U);
  EXPECT_NE(root.object()->instance_dict(false)->find(in.intern("list")), nullptr);
}

TEST(CollectorCollect, FreesAClassThatNobodyUses) {
  Interpreter in;
  const std::size_t before = in.collector().tracked();
  {
    const auto cls = Class::make(in, {.name = "Gone"}).value();
    cls->attribute("me", in.call(Value(cls), std::span<const Value>()).value());
  }
  EXPECT_GT(in.collector().tracked(), before);
  EXPECT_GT(in.collector().collect(), 0U);
  EXPECT_EQ(in.collector().tracked(), before);
}

TEST(ObjectRelease, AChainOfAMillionListsDiesWithoutDeepRecursion) {
  Interpreter in;
  Ref<List> chain = in.list();
  for (int i = 0; i < 1'000'000; ++i) chain = in.list({Value(chain)});
  const std::size_t before = in.collector().tracked();
  chain = nullptr;
  EXPECT_EQ(in.collector().tracked(), before - 1'000'001);
}

TEST(InterpreterEnd, CyclesThatNobodyCollectedAreFreed) {
  auto in = std::make_unique<Interpreter>();
  Ref<List> loop = in->list();
  loop->append(Value(loop));
  loop = nullptr;
  in.reset();
}

TEST(InterpreterIds, AreNeverUsedTwice) {
  Interpreter in;
  Ref<List> first = in.list();
  const std::uint64_t id = in.id_of(*first);
  EXPECT_EQ(in.id_of(*first), id);
  first = nullptr;
  const Ref<List> second = in.list();
  EXPECT_NE(in.id_of(*second), id);
}

}  // namespace
}  // namespace nns::object
