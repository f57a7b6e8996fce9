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
