// The graph and the walk backward: PyTorch's rules for leaves, views, writes in place and freed graphs.
#include <gtest/gtest.h>

#include "core/autograd/engine.h"
#include "core/object/interpreter.h"
#include "core/ops/node.h"

namespace nns::tests {
namespace {

using object::Interpreter;
using object::PyResult;
using object::Ref;
using object::Value;
using ops::OpId;
using tensor::Dims;
using tensor::DType;
using tensor::Tensor;

class Autograd : public testing::Test {
 public:
  using Numbers = std::vector<double>;
  Ref<Tensor> leaf(const Dims& shape, const Numbers& values) {
    Ref<Tensor> made = tensor::from_values(in, shape, values, DType::Float32);
    EXPECT_TRUE(made->set_requires_grad(true).ok());
    return made;
  }
  Ref<Tensor> op(OpId id, std::initializer_list<Value> args) {
    PyResult<Value> made = ops::call_op(in, id, args);
    EXPECT_TRUE(made.ok()) << made.error().message();
    return Ref<Tensor>(made.value().as<Tensor>());
  }
  PyResult<Ref<Tensor>> in_place(OpId id, std::initializer_list<Value> args) {
    return ops::call_in_place(in, id, std::span<const Value>(args.begin(), args.size()));
  }
  PyResult<void> backward(const Ref<Tensor>& root, const autograd::BackwardOptions& options = {}) {
    const Ref<Tensor> roots[] = {root};
    return autograd::backward(in, roots, {}, options);
  }
  static Numbers items(const Tensor& tensor) {
    Numbers found;
    tensor::for_each_place(tensor, [&](std::int64_t place) { found.push_back(tensor::read_double(tensor, place)); });
    return found;
  }
  static std::string text(const PyResult<void>& result) { return result.ok() ? "" : result.error().message(); }
  std::string node_name(Tensor& tensor) { return std::string(ops::grad_node(tensor).value()->type().name()); }
  Interpreter in;
};

TEST_F(Autograd, GradientsOfTwoWaysAddUp) {
  const auto x = leaf(Dims({2}), {3, 4});
  const auto y = op(OpId::add, {Value(op(OpId::mul, {Value(x), Value(x)})), Value(x)});
  ASSERT_TRUE(backward(op(OpId::sum, {Value(y)})).ok());
  EXPECT_EQ(items(*x->grad()), (Numbers{7, 9}));
}

TEST_F(Autograd, BackwardTwiceAccumulates) {
  const auto x = leaf(Dims({2}), {3, 4});
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(backward(op(OpId::sum, {Value(op(OpId::mul, {Value(x), Value(2)}))})).ok());
  EXPECT_EQ(items(*x->grad()), (Numbers{4, 4}));
}

TEST_F(Autograd, AFreedGraphIsRefused) {
  const auto x = leaf(Dims({1}), {3});
  const auto y = op(OpId::sum, {Value(op(OpId::mul, {Value(x), Value(x)}))});
  ASSERT_TRUE(backward(y, {.retain_graph = true}).ok());
  ASSERT_TRUE(backward(y).ok());
  EXPECT_EQ(text(backward(y)).substr(0, 53), "Trying to backward through the graph a second time (o");
}

TEST_F(Autograd, ARootWithSeveralItemsNeedsAGradient) {
  const auto x = leaf(Dims({2}), {3, 4});
  EXPECT_EQ(text(backward(op(OpId::mul, {Value(x), Value(2)}))),
            "grad can be implicitly created only for scalar outputs");
  EXPECT_EQ(text(backward(tensor::zeros(in, Dims()))),
            "element 0 of tensors does not require grad and does not have a grad_fn");
}

TEST_F(Autograd, AValueThatWasWrittenSinceIsRefused) {
  const auto x = leaf(Dims({2}), {1, 2});
  const auto y = op(OpId::exp, {Value(x)});
  const auto loss = op(OpId::sum, {Value(y)});
  ASSERT_TRUE(in_place(OpId::mul, {Value(y), Value(2)}).ok());
  EXPECT_EQ(text(backward(loss)),
            "one of the variables needed for gradient computation has been modified by an inplace operation: "
            "[torch.FloatTensor [2]], which is output 0 of Exp, is at version 1; expected version 0 instead. Hint: "
            "enable anomaly detection to find the operation that failed to compute its gradient, with "
            "torch.autograd.set_detect_anomaly(True, check_nan=False).");
}

TEST_F(Autograd, ALeafMayNotBeWritten) {
  const auto x = leaf(Dims({2}), {1, 2});
  const auto written = in_place(OpId::add, {Value(x), Value(1)});
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().message(), "a leaf Variable that requires grad is being used in an in-place operation.");
  const auto view = op(OpId::select, {Value(x), Value(0), Value(0)});
  const auto through = in_place(OpId::add, {Value(view), Value(1)});
  ASSERT_FALSE(through.ok());
  EXPECT_EQ(through.error().message(),
            "a view of a leaf Variable that requires grad is being used in an in-place operation.");
  ops::GradModeGuard no_grad(in, false);
  EXPECT_TRUE(in_place(OpId::add, {Value(x), Value(1)}).ok());
}

TEST_F(Autograd, WritingThroughAViewChangesTheHistoryOfItsBase) {
  const auto x = leaf(Dims({2}), {3, 4});
  const auto y = op(OpId::mul, {Value(x), Value(1)});
  const auto part = op(OpId::select, {Value(y), Value(0), Value(0)});
  ASSERT_TRUE(in_place(OpId::mul, {Value(part), Value(10)}).ok());
  EXPECT_EQ(node_name(*y), "CopySlices");
  EXPECT_EQ(node_name(*part), "AsStridedBackward0");
  ASSERT_TRUE(backward(op(OpId::sum, {Value(y)})).ok());
  EXPECT_EQ(items(*x->grad()), (Numbers{10, 1}));
}

TEST_F(Autograd, WhatWasWrittenThroughAViewIsDifferentiatedTwice) {
  const auto x = leaf(Dims({2}), {3, 4});
  const auto y = op(OpId::mul, {Value(x), Value(x)});
  const auto part = op(OpId::select, {Value(y), Value(0), Value(0)});
  ASSERT_TRUE(in_place(OpId::mul, {Value(part), Value(10)}).ok());
  // (10 a^2)^2 + (b^2)^2: 400 a^3 and 4 b^3, then 1200 a^2 and 12 b^2.
  const Ref<Tensor> roots[] = {op(OpId::sum, {Value(op(OpId::mul, {Value(y), Value(y)}))})};
  const Ref<Tensor> inputs[] = {x};
  const auto first = autograd::grad(in, roots, inputs, {}, {.create_graph = true});
  ASSERT_TRUE(first.ok()) << first.error().message();
  EXPECT_EQ(items(*first.value()[0]), (Numbers{10800, 256}));
  const Ref<Tensor> again[] = {op(OpId::sum, {Value(first.value()[0])})};
  const auto second = autograd::grad(in, again, inputs, {});
  ASSERT_TRUE(second.ok()) << second.error().message();
  EXPECT_EQ(items(*second.value()[0]), (Numbers{10800, 192}));
}

TEST_F(Autograd, AViewFollowsItsBase) {
  const auto x = leaf(Dims({2}), {3, 4});
  const auto y = op(OpId::mul, {Value(x), Value(1)});
  const auto part = op(OpId::select, {Value(y), Value(0), Value(1)});
  ASSERT_TRUE(in_place(OpId::mul, {Value(y), Value(5)}).ok());
  ASSERT_TRUE(backward(part).ok());
  EXPECT_EQ(items(*x->grad()), (Numbers{0, 5}));
}

TEST_F(Autograd, NothingIsRecordedWithoutGradMode) {
  const auto x = leaf(Dims({2}), {3, 4});
  ops::GradModeGuard no_grad(in, false);
  EXPECT_FALSE(op(OpId::mul, {Value(x), Value(x)})->requires_grad());
}

TEST_F(Autograd, TheGradientOfAGradient) {
  const auto x = leaf(Dims({1}), {3});
  const Ref<Tensor> roots[] = {op(OpId::sum, {Value(op(OpId::pow, {Value(x), Value(3)}))})};
  const Ref<Tensor> inputs[] = {x};
  const auto first = autograd::grad(in, roots, inputs, {}, {.create_graph = true});
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(items(*first.value()[0]), (Numbers{27}));
  const Ref<Tensor> again[] = {first.value()[0]};
  const auto second = autograd::grad(in, again, inputs, {});
  ASSERT_TRUE(second.ok()) << second.error().message();
  EXPECT_EQ(items(*second.value()[0]), (Numbers{18}));
  EXPECT_FALSE(x->grad()) << "grad() touches no .grad";
}

TEST_F(Autograd, AnInputThatIsNotUsedIsToldOrAllowed) {
  const auto x = leaf(Dims({1}), {3});
  const auto other = leaf(Dims({1}), {3});
  const auto y = op(OpId::sum, {Value(op(OpId::mul, {Value(x), Value(x)}))});
  const Ref<Tensor> roots[] = {y};
  const Ref<Tensor> inputs[] = {x, other};
  const auto refused = autograd::grad(in, roots, inputs, {}, {.retain_graph = true});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message(),
            "The differentiated Tensor at index 1 appears to not have been used in the graph. Set allow_unused=True if "
            "this is "
            "the desired behavior.");
  const auto found = autograd::grad(in, roots, inputs, {}, {.allow_unused = true});
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(items(*found.value()[0]), (Numbers{6}));
  EXPECT_FALSE(found.value()[1]);
}

TEST_F(Autograd, AHundredThousandNodesNeedNoDeepStack) {
  const auto x = leaf(Dims({1}), {1});
  Ref<Tensor> y = op(OpId::mul, {Value(x), Value(1)});
  for (int i = 0; i < 100'000; ++i) y = op(OpId::add, {Value(y), Value(1)});
  ASSERT_TRUE(backward(op(OpId::sum, {Value(y)})).ok());
  EXPECT_EQ(items(*x->grad()), (Numbers{1}));
}

}  // namespace
}  // namespace nns::tests
