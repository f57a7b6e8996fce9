#include <gtest/gtest.h>

#include "core/nn/layers.h"
#include "core/nn/module.h"
#include "core/object/operations.h"

namespace nns::nn {
namespace {

Ref<Tensor> parameter(Interpreter& in) { return tensor::make_parameter(in, *tensor::ones(in, {2, 3})).value(); }

TEST(ModuleSetattr, AParameterGoesToTheRegistryAndNotIntoTheDict) {
  Interpreter in;
  const Ref<Module> net = Module::make(in);
  const Ref<Tensor> weight = parameter(in);
  ASSERT_TRUE(net->setattr("weight", Value(weight)).ok());
  EXPECT_FALSE(net->dict().contains(in.intern("weight")));
  EXPECT_TRUE(net->getattr("weight").value().is(Value(weight)));
  EXPECT_EQ(net->named_parameters().value().at(0).name, "weight");
}

TEST(ModuleSetattr, WritingATensorOverAChildFailsAndKeepsTheChild) {
  Interpreter in;
  const Ref<Module> net = Module::make(in);
  const Ref<Module> child = make_layer(in, "Linear", {Value(2), Value(2)}).value();
  ASSERT_TRUE(net->setattr("fc", Value(child)).ok());
  const auto written = net->setattr("fc", Value(tensor::ones(in, {2, 3})));
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().type(), "TypeError");
  EXPECT_EQ(written.error().message(),
            "cannot assign 'torch.FloatTensor' as child module 'fc' (torch.nn.Module or None expected)");
  EXPECT_TRUE(net->getattr("fc").value().is(Value(child)));
}

TEST(ModuleSetattr, BeforeInitAParameterIsRefusedAndAPlainValueIsNot) {
  Interpreter in;
  const auto bare = object::make<Module>(*NnLibrary::of(in).module);
  EXPECT_EQ(bare->setattr("w", Value(parameter(in))).error().message(),
            "cannot assign parameters before Module.__init__() call");
  EXPECT_TRUE(bare->setattr("x", Value(1)).ok());
}

TEST(ModuleHooks, AHandleOfADeadModuleCanBeRemoved) {
  Interpreter in;
  Ref<Module> net = Module::make(in);
  const auto hook = in.function("hook(m, a, o)", [](Interpreter&, Args) -> PyResult<Value> { return Value(); });
  const Ref<RemovableHandle> handle = net->register_forward_hook(Value(hook)).value();
  net = nullptr;
  handle->remove();
  EXPECT_EQ(handle->id(), 0);
}

TEST(ModuleLifetime, AParentAndAChildThatKnowEachOtherAreCollected) {
  Interpreter in;
  Ref<Module> net = Module::make(in);
  const Ref<Module> child = Module::make(in);
  ASSERT_TRUE(net->setattr("child", Value(child)).ok());
  child->dict().set(in.intern("parent"), Value(net));
  const auto weak = object::make<object::WeakReference>(*net);
  net = nullptr;
  EXPECT_TRUE(weak->get());
  child->dict().erase(in.intern("parent"));
  EXPECT_FALSE(weak->get());
}

TEST(ModuleNamedModules, AChainOfFiftyThousandIsWalkedWithoutRecursion) {
  Interpreter in;
  const Ref<Module> root = Module::make(in);
  Ref<Module> at = root;
  for (int i = 0; i < 50'000; ++i) {
    const Ref<Module> next = Module::make(in);
    ASSERT_TRUE(at->setattr("n", Value(next)).ok());
    at = next;
  }
  EXPECT_EQ(root->parameters().value().size(), 0U);
  const auto train = root->train();
  ASSERT_FALSE(train.ok());
  EXPECT_EQ(train.error().type(), "RecursionError");
}

TEST(ModuleLoadStateDict, ChildrenWithDotsInTheirNamesGetTheirKeys) {
  Interpreter in;
  const Ref<Module> net = Module::make(in);
  ASSERT_TRUE(net->setattr("a.b", Value(make_layer(in, "Linear", {Value(1), Value(1)}).value())).ok());
  const Value saved = net->state_dict().value();
  const auto loaded = net->load_state_dict(saved, false);
  ASSERT_TRUE(loaded.ok());
  EXPECT_TRUE(loaded.value().missing_keys.empty());
}

}  // namespace
}  // namespace nns::nn
