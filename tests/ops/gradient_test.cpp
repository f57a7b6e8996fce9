// The gradient of every differentiable op against finite differences, in float64. The list of ops is walked, so that a
// new op cannot be forgotten.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "core/autograd/engine.h"
#include "core/object/interpreter.h"
#include "core/ops/op.h"
#include "core/ops/term.h"
#include "tests/ops/samples.h"

namespace nns::tests {
namespace {

using object::PyResult;
using ops::OpInfo;

/// The tensors among the arguments that require a gradient.
std::vector<Ref<Tensor>> inputs_of(const Arguments& args) {
  std::vector<Ref<Tensor>> found;
  for (const Value& value : args) {
    if (Tensor* const one = value.as<Tensor>(); one != nullptr && one->requires_grad()) found.emplace_back(one);
    if (const auto* const tuple = value.as<object::Tuple>()) {
      for (const Value& item : tuple->items()) {
        if (Tensor* const part = item.as<Tensor>(); part != nullptr && part->requires_grad()) found.emplace_back(part);
      }
    }
  }
  return found;
}

/// The arguments with their matrix in the form that the gradient presumes.
PyResult<Arguments> formed(OpId id, Arguments args) {
  const PresumedForm presumed = presumed_form(id);
  if (presumed.form == PresumedForm::Form::Any) return args;
  const ops::Term matrix{Ref<Tensor>(args[presumed.argument].as<Tensor>())};
  const ops::Term made = presumed.form == PresumedForm::Form::Symmetric
                             ? matrix + ops::apply(OpId::transpose, {matrix, -2, -1})
                             : ops::apply(OpId::tril, {matrix});
  NNS_TRY_ASSIGN(args[presumed.argument], ops::value_of(made));
  return args;
}

/// A weighted sum of the squares of all that the op gives: each item counts differently, and what reaches the op from
/// behind depends on its inputs, too.
PyResult<Ref<Tensor>> loss_of(Interpreter& in, const OpInfo& info, const Arguments& given) {
  NNS_TRY_ASSIGN(const Arguments args, formed(info.id, given));
  NNS_TRY_ASSIGN(const Value made, ops::call_op(in, info.id, args));
  std::vector<Ref<Tensor>> outputs;
  if (Tensor* const one = made.as<Tensor>()) {
    outputs.emplace_back(one);
  } else {
    for (const Value& item : made.as<object::Tuple>()->items()) outputs.emplace_back(item.as<Tensor>());
  }
  ops::Term sum;
  for (std::size_t i = 0; i < outputs.size() && i < info.bodies.differentiable_outputs; ++i) {
    if (tensor::is_integral(outputs[i]->dtype())) continue;
    if (tensor::is_complex(outputs[i]->dtype())) {
      NNS_TRY_ASSIGN(outputs[i], ops::apply(OpId::view_as_real, {ops::Term(outputs[i])}).take());
    }
    const ops::Term weights(numbers(in, outputs[i]->shape(), 5 + static_cast<int>(i), 2));
    const ops::Term part = ops::apply(OpId::sum, {ops::square(ops::Term(outputs[i])) * weights});
    sum = sum.is_none() ? part : sum + part;
  }
  return std::move(sum).take();
}

double number_of(const Tensor& tensor) { return tensor::read_double(tensor, tensor.offset()); }

/// The difference quotients of `value` by all items of `input`.
std::vector<double> slopes(const Ref<Tensor>& input, const std::function<double()>& value) {
  constexpr double kStep = 1e-6;
  std::vector<double> found;
  auto* const items = reinterpret_cast<double*>(input->data());
  for (std::int64_t i = 0; i < input->numel(); ++i) {
    const double before = items[i];
    items[i] = before + kStep;
    const double above = value();
    items[i] = before - kStep;
    const double below = value();
    items[i] = before;
    found.push_back((above - below) / (2 * kStep));
  }
  return found;
}

void expect_close(const Tensor& gradient, const std::vector<double>& wanted, const std::string& what) {
  ASSERT_EQ(gradient.numel(), static_cast<std::int64_t>(wanted.size())) << what;
  std::size_t i = 0;
  tensor::for_each_place(gradient, [&](std::int64_t place) {
    const double got = tensor::read_double(gradient, place);
    EXPECT_NEAR(got, wanted[i], 1e-5 * (1 + std::abs(wanted[i]))) << what << ", item " << i;
    ++i;
  });
}

class OpGradient : public testing::TestWithParam<std::size_t> {
 public:
  Interpreter in;
  const OpInfo& info = ops::OpLibrary::of(in).info(static_cast<OpId>(GetParam()));
};

TEST_P(OpGradient, EqualsTheDifferenceQuotient) {
  for (const Arguments& args : samples_of(in, info)) {
    const std::vector<Ref<Tensor>> inputs = inputs_of(args);
    ASSERT_FALSE(inputs.empty());
    PyResult<Ref<Tensor>> loss = loss_of(in, info, args);
    ASSERT_TRUE(loss.ok()) << loss.error().message();
    const Ref<Tensor> roots[] = {loss.value()};
    const auto found = autograd::grad(in, roots, inputs, {}, {.allow_unused = false});
    ASSERT_TRUE(found.ok()) << found.error().message();
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      const std::vector<double> wanted = slopes(inputs[k], [&] { return number_of(*loss_of(in, info, args).value()); });
      expect_close(*found.value()[k], wanted, info.name + "." + info.overload + ", input " + std::to_string(k));
    }
  }
}

// Where a gradient has a fused body and a formula that can be differentiated, the two give the same.
TEST_P(OpGradient, IsTheSameWhetherItIsRecordedOrNot) {
  for (const Arguments& args : samples_of(in, info)) {
    const std::vector<Ref<Tensor>> inputs = inputs_of(args);
    const auto gradients = [&](bool create_graph) {
      const Ref<Tensor> roots[] = {loss_of(in, info, args).value()};
      return autograd::grad(in, roots, inputs, {}, {.create_graph = create_graph});
    };
    const auto plain = gradients(false), recorded = gradients(true);
    ASSERT_TRUE(plain.ok()) << plain.error().message();
    ASSERT_TRUE(recorded.ok()) << recorded.error().message();
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      std::vector<double> wanted;
      tensor::for_each_place(*plain.value()[k], [&](std::int64_t place) {
        wanted.push_back(tensor::read_double(*plain.value()[k], place));
      });
      expect_close(*recorded.value()[k], wanted, info.name + " recorded, input " + std::to_string(k));
    }
  }
}

TEST_P(OpGradient, CanBeDifferentiatedAgain) {
  if (ends_at_first_gradient(info.id)) GTEST_SKIP() << "PyTorch has no second gradient of it";
  for (const Arguments& args : samples_of(in, info)) {
    const std::vector<Ref<Tensor>> inputs = inputs_of(args);
    // A weighted sum of the gradients, and its gradient.
    const auto sum_of_gradients = [&]() -> PyResult<Ref<Tensor>> {
      NNS_TRY_ASSIGN(const Ref<Tensor> loss, loss_of(in, info, args));
      const Ref<Tensor> roots[] = {loss};
      NNS_TRY_ASSIGN(const std::vector<Ref<Tensor>> grads,
                     autograd::grad(in, roots, inputs, {}, {.create_graph = true}));
      ops::Term sum;
      for (std::size_t k = 0; k < grads.size(); ++k) {
        const ops::Term weights(numbers(in, grads[k]->shape(), 3 + static_cast<int>(k)));
        const ops::Term part = ops::apply(OpId::sum, {ops::Term(grads[k]) * weights});
        sum = sum.is_none() ? part : sum + part;
      }
      return std::move(sum).take();
    };
    PyResult<Ref<Tensor>> sum = sum_of_gradients();
    ASSERT_TRUE(sum.ok()) << sum.error().message();
    if (!sum.value()->requires_grad()) continue;  // the gradient is constant
    const Ref<Tensor> roots[] = {sum.value()};
    const auto found = autograd::grad(in, roots, inputs, {}, {.allow_unused = true});
    ASSERT_TRUE(found.ok()) << found.error().message();
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      const std::vector<double> wanted = slopes(inputs[k], [&] { return number_of(*sum_of_gradients().value()); });
      const Ref<Tensor> got =
          found.value()[k] ? found.value()[k] : tensor::zeros(in, inputs[k]->shape(), DType::Float64);
      expect_close(*got, wanted, info.name + "." + info.overload + " twice, input " + std::to_string(k));
    }
  }
}

/// Those with a gradient of their own, and those made of them that have samples; the others give no gradient.
std::vector<std::size_t> differentiable_ops() {
  Interpreter in;
  std::vector<std::size_t> found;
  for (const OpInfo& info : all_ops()) {
    const bool is_composite = info.bodies.composite != nullptr && info.id != OpId::linalg_ldl_factor &&
                              (!rare_samples(in, info.id).empty() || !linalg_samples(in, info.id).empty());
    if ((info.is_differentiable() && !has_no_gradient(info.id)) || is_composite)
      found.push_back(static_cast<std::size_t>(info.id));
  }
  return found;
}

INSTANTIATE_TEST_SUITE_P(Ops, OpGradient, testing::ValuesIn(differentiable_ops()), name_of_op);

}  // namespace
}  // namespace nns::tests
