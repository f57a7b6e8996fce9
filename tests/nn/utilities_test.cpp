// torch.nn.init, torch.nn.utils and torch.func.functional_call. Recorded values and texts are PyTorch's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/nn/layers.h"
#include "core/nn/utility.h"
#include "core/object/operations.h"
#include "core/ops/op.h"
#include "tests/nn/layer_support.h"

namespace nns::nn::tests {
namespace {

using tensor::DType;
using Numbers = std::vector<double>;

class Utilities : public testing::Test {
 protected:
  PyResult<Value> call(std::string_view module, std::string_view name, std::vector<Value> positional,
                       const Keywords& named = {}) {
    std::vector<Keyword> keywords;
    for (const auto& [key, value] : named) keywords.push_back({in.intern(key), value});
    return call_utility(in, module, name, positional, keywords);
  }
  PyResult<Value> init(std::string_view name, std::vector<Value> positional, const Keywords& named = {}) {
    return call("torch.nn.init", name, std::move(positional), named);
  }
  PyResult<Value> utils(std::string_view name, std::vector<Value> positional, const Keywords& named = {}) {
    return call("torch.nn.utils", name, std::move(positional), named);
  }
  // A 4 x 5 tensor after manual_seed(0) and torch.nn.init.<name>(w, **named), as the recorded programs show it.
  std::string drawn(std::string_view name, const Keywords& named, std::vector<Value> more = {}) {
    manual_seed(in, 0);
    const auto w = tensor::zeros(in, {4, 5});
    more.insert(more.begin(), Value(w));
    const auto result = init(name, std::move(more), named);
    EXPECT_TRUE(result.ok()) << result.error().message();
    return values_text(*w, 4);
  }
  static Numbers items(const Tensor& tensor) {
    Numbers found;
    tensor::for_each_place(tensor, [&](std::int64_t place) { found.push_back(tensor::read_double(tensor, place)); });
    return found;
  }
  Ref<Tensor> numbers(const tensor::Dims& shape, const Numbers& values, DType dtype = DType::Float32) {
    return tensor::from_values(in, shape, values, dtype);
  }
  Ref<Tensor> parameter(const Numbers& values, const Numbers& grad) {
    const auto made = tensor::make_parameter(in, *numbers({static_cast<std::int64_t>(values.size())}, values)).value();
    if (!grad.empty()) made->set_grad(numbers({static_cast<std::int64_t>(grad.size())}, grad));
    return made;
  }
  template <class T>
  static std::string outcome(const PyResult<T>& result) {
    if (result.ok()) return "ok";
    return std::string(result.error().type()) + ": " + result.error().message();
  }
  Value list(std::vector<Value> values) { return Value(in.list(std::move(values))); }
  Interpreter in;
};

TEST_F(Utilities, InitialValuesAreThoseOfPyTorchsGenerator) {
  EXPECT_EQ(drawn("xavier_uniform_", {}),
            "['-0.0061', '0.4380', '-0.6720', '-0.6009', '-0.3145', '0.2189', '-0.0162', '0.6474', '-0.0725', "
            "'0.2161', '-0.2468', '-0.1605', '-0.7800', '-0.5408', '-0.3366', '0.0302', '0.3228', '0.4899', "
            "'-0.5535', '-0.3556']");
  EXPECT_EQ(drawn("kaiming_normal_", {{"mode", in.text("fan_out")}}),
            "['-0.7961', '-0.8148', '-0.1772', '-0.3068', '0.4234', '-1.0996', '-0.2414', '1.3103', '0.3310', "
            "'-0.1115', '1.0208', '0.1881', '0.9824', '1.1217', '0.6691', '-0.5966', '0.6589', '0.8903', '1.4177', "
            "'0.0380']");
  EXPECT_EQ(drawn("kaiming_uniform_", {{"nonlinearity", in.text("relu")}}),
            "['-0.0082', '0.5876', '-0.9016', '-0.8062', '-0.4219', '0.2938', '-0.0217', '0.8686', '-0.0972', "
            "'0.2899', '-0.3311', '-0.2153', '-1.0465', '-0.7255', '-0.4516', '0.0406', '0.4331', '0.6573', "
            "'-0.7426', '-0.4770']");
  EXPECT_EQ(drawn("normal_", {}, {1.0, 2.0}),
            "['-1.2517', '-1.3047', '0.4988', '0.1322', '2.1977', '-2.1102', '0.3173', '4.7060', '1.9362', '0.6846', "
            "'3.8873', '1.5321', '3.7787', '4.1727', '2.8926', '-0.6874', '2.8637', '3.5180', '5.0100', '1.1075']");
  EXPECT_EQ(drawn("trunc_normal_", {{"std", 0.5}, {"a", -0.6}, {"b", 0.6}}),
            "['-0.5629', '-0.5762', '-0.1253', '-0.2169', '0.2994', '-0.2252', '-0.1707', '-0.2777', '0.2340', "
            "'-0.0789', '0.2537', '0.1330', '-0.1828', '0.0943', '0.4731', '-0.4218', '0.4659', '-0.0969', '0.2228', "
            "'0.0269']");
  EXPECT_EQ(drawn("sparse_", {{"sparsity", 0.5}}),
            "['-0.0113', '0.0000', '0.0000', '-0.0043', '0.0000', '-0.0156', '-0.0034', '0.0185', '0.0000', "
            "'-0.0016', '0.0000', '0.0027', '0.0000', '0.0000', '0.0000', '0.0000', '0.0000', '0.0126', '0.0200', "
            "'0.0005']");
}

TEST_F(Utilities, TheTailOfADistributionIsInverted) {
  const auto w = tensor::zeros(in, {1000});
  ASSERT_TRUE(init("trunc_normal_", {Value(w), 0.0, 1.0, 5.0, 6.0}).ok());
  for (const double number : items(*w)) {
    EXPECT_GE(number, 5);
    EXPECT_LE(number, 6);
  }
  EXPECT_EQ(in.take_warnings().size(), 1U);
}

TEST_F(Utilities, OrthogonalMatricesAreOrthogonal) {
  for (const auto& shape : {tensor::Dims{3, 3}, tensor::Dims{5, 2}, tensor::Dims{2, 3, 2}}) {
    const auto q = tensor::zeros(in, shape, DType::Float64);
    ASSERT_TRUE(init("orthogonal_", {Value(q), 2.0}).ok());
    const auto rows = static_cast<std::size_t>(shape[0]);
    const Numbers all = items(*q);
    const std::size_t columns = all.size() / rows;
    const std::size_t count = std::min(rows, columns);
    for (std::size_t a = 0; a < count; ++a) {
      for (std::size_t b = 0; b < count; ++b) {
        double product = 0;
        for (std::size_t i = 0; i < std::max(rows, columns); ++i) {
          product += rows <= columns ? all[a * columns + i] * all[b * columns + i]
                                     : all[i * columns + a] * all[i * columns + b];
        }
        EXPECT_NEAR(product, a == b ? 4 : 0, 1e-12);
      }
    }
  }
}

TEST_F(Utilities, EyeAndDiracKeepWhatGoesIn) {
  const auto eye = tensor::ones(in, {2, 3});
  ASSERT_TRUE(init("eye_", {Value(eye)}).ok());
  EXPECT_EQ(items(*eye), (Numbers{1, 0, 0, 0, 1, 0}));
  const auto dirac = tensor::ones(in, {2, 2, 3});
  ASSERT_TRUE(init("dirac_", {Value(dirac)}).ok());
  EXPECT_EQ(items(*dirac), (Numbers{0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0}));
  ASSERT_TRUE(init("dirac_", {Value(dirac), 2}).ok());
  EXPECT_EQ(items(*dirac), (Numbers{0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0}));
}

TEST_F(Utilities, InitRefusesWhatItCannotFill) {
  const Value vector(tensor::zeros(in, {3}));
  EXPECT_EQ(outcome(init("xavier_uniform_", {vector})),
            "ValueError: Fan in and fan out can not be computed for tensor with fewer than 2 dimensions");
  EXPECT_EQ(outcome(init("eye_", {vector})), "ValueError: Only tensors with 2 dimensions are supported");
  EXPECT_EQ(outcome(init("sparse_", {vector, 0.1})), "ValueError: Only tensors with 2 dimensions are supported");
  EXPECT_EQ(outcome(init("dirac_", {vector})), "ValueError: Only tensors with 3, 4, or 5 dimensions are supported");
  EXPECT_EQ(outcome(init("dirac_", {Value(tensor::zeros(in, {3, 1, 1})), 2})),
            "ValueError: dim 0 must be divisible by groups");
  EXPECT_EQ(outcome(init("orthogonal_", {vector})), "ValueError: Only tensors with 2 or more dimensions are supported");
  const Value matrix(tensor::zeros(in, {2, 2}));
  EXPECT_EQ(outcome(init("kaiming_uniform_", {matrix}, {{"mode", in.text("fan_both")}})),
            "ValueError: Mode fan_both not supported, please use one of ['fan_in', 'fan_out']");
  EXPECT_EQ(outcome(init("calculate_gain", {Value(in.text("swish"))})), "ValueError: Unsupported nonlinearity swish");
  EXPECT_EQ(outcome(init("calculate_gain", {Value(in.text("leaky_relu")), Value(true)})),
            "ValueError: negative_slope True not a valid number");
  EXPECT_EQ(init("calculate_gain", {Value(in.text("tanh"))}).value().as_float(), 5.0 / 3);
  ASSERT_TRUE(init("kaiming_uniform_", {Value(tensor::zeros(in, {0, 2}))}).ok());
  EXPECT_EQ(in.take_warnings()[0].text, "Initializing zero-element tensors is a no-op");
  ASSERT_TRUE(init("constant", {matrix, 3}).ok());
  EXPECT_EQ(in.take_warnings()[0].text, "`nn.init.constant` is now deprecated in favor of `nn.init.constant_`.");
  EXPECT_EQ(items(*matrix.as<Tensor>()), (Numbers{3, 3, 3, 3}));
}

TEST_F(Utilities, ClippingScalesAllGradientsTogether) {
  const auto p = parameter({0, 0}, {3, 0}), q = parameter({0}, {4});
  const Value both = list({Value(p), Value(q)});
  EXPECT_EQ(values_text(*utils("clip_grad_norm_", {both, 1.0}).value().as<Tensor>(), 4), "['5.0000']");
  EXPECT_EQ(values_text(*p->grad(), 4) + values_text(*q->grad(), 4), "['0.6000', '0.0000']['0.8000']");
  EXPECT_EQ(values_text(*utils("clip_grad_norm_", {both, 100.0}).value().as<Tensor>(), 4), "['1.0000']");
  EXPECT_EQ(values_text(*p->grad(), 4), "['0.6000', '0.0000']");
  p->set_grad(numbers({2}, {3, -7}));
  q->set_grad(numbers({1}, {4}));
  const Value largest = utils("clip_grad_norm_", {both, 3.5}, {{"norm_type", HUGE_VAL}}).value();
  EXPECT_EQ(values_text(*largest.as<Tensor>(), 4), "['7.0000']");
  EXPECT_EQ(values_text(*p->grad(), 4) + values_text(*q->grad(), 4), "['1.5000', '-3.5000']['2.0000']");
  ASSERT_TRUE(utils("clip_grad_value_", {both, 1.0}).ok());
  EXPECT_EQ(items(*p->grad()), (Numbers{1, -1}));
  EXPECT_EQ(values_text(*utils("clip_grad_norm_", {list({Value(parameter({0}, {}))}), 1.0}).value().as<Tensor>(), 4),
            "['0.0000']");
  EXPECT_EQ(values_text(*utils("clip_grad_norm_", {Value(p), 0.5}).value().as<Tensor>(), 4), "['1.4142']");
  const auto infinite = parameter({0}, {HUGE_VAL});
  EXPECT_EQ(outcome(utils("clip_grad_norm_", {list({Value(infinite)}), 1.0}, {{"error_if_nonfinite", true}})),
            "RuntimeError: The total norm of order 2.0 for gradients from `parameters` is non-finite, so it cannot be "
            "clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
            "`error_if_nonfinite=False`");
}

TEST_F(Utilities, ParametersBecomeOneVectorAndBack) {
  const Ref<Module> linear = make_layer(in, "Linear", {2, 1}).value();
  const std::vector<Ref<Tensor>> params = linear->parameters().value();
  tensor::fill_(*params[0], 1);
  tensor::fill_(*params[1], 2);
  const Value both = list({Value(params[0]), Value(params[1])});
  const Value vector = utils("parameters_to_vector", {both}).value();
  EXPECT_EQ(items(*vector.as<Tensor>()), (Numbers{1, 1, 2}));
  EXPECT_TRUE(vector.as<Tensor>()->requires_grad());
  ASSERT_TRUE(utils("vector_to_parameters", {Value(numbers({3}, {5, 6, 7})), both}).ok());
  EXPECT_EQ(items(*params[0]), (Numbers{5, 6}));
  EXPECT_EQ(items(*params[1]), Numbers{7});
  EXPECT_EQ(outcome(utils("vector_to_parameters", {Value(3), both})), "TypeError: expected torch.Tensor, but got: int");
  EXPECT_EQ(outcome(utils("vector_to_parameters", {Value(numbers({1}, {5})), both})),
            "RuntimeError: shape '[1, 2]' is invalid for input of size 1");
}

TEST_F(Utilities, SkipInitDrawsNoNumbers) {
  manual_seed(in, 0);
  const Value cls(static_cast<object::Object*>(NnLibrary::of(in).find_class("Linear")));
  const Value made = utils("skip_init", {cls, 3, 2}).value();
  EXPECT_EQ(parameter_shapes(*as_module(made)), "weight (2, 3), bias (2,)");
  EXPECT_EQ(tensor::TensorLibrary::of(in).generator.random32(), 2357136044U);
}

TEST_F(Utilities, AFunctionalCallUsesOtherTensors) {
  const Ref<Module> linear = make_layer(in, "Linear", {1, 1}).value();
  const Ref<Tensor> weight(linear->getattr("weight").value().as<Tensor>());
  tensor::fill_(*weight, 1);
  const Ref<Dict> given = in.dict();
  given->set(in.text("weight"), Value(numbers({1, 1}, {5})));
  // What the module sees while it is called.
  Value seen;
  ASSERT_TRUE(linear
                  ->register_forward_pre_hook(Value(in.function(
                      "hook(module, args)",
                      [&seen](Interpreter& interpreter, Args a) -> PyResult<Value> {
                        NNS_TRY_ASSIGN(seen, object::getattr(interpreter, a[0], interpreter.intern("weight")));
                        return object::runtime_error(interpreter, "seen");
                      })))
                  .ok());
  const auto called = call("torch.func", "functional_call", {Value(linear), Value(given), Value(numbers({1, 1}, {3}))});
  EXPECT_EQ(outcome(called), "RuntimeError: seen");
  EXPECT_EQ(items(*seen.as<Tensor>()), Numbers{5});
  EXPECT_EQ(linear->getattr("weight").value().object(), weight.get());
}

TEST_F(Utilities, AFunctionalCallTiesWeightsAndMayBeStrict) {
  const Ref<Module> a = make_layer(in, "Linear", {1, 1}, {{"bias", false}}).value();
  const Ref<Module> b = make_layer(in, "Linear", {1, 1}, {{"bias", false}}).value();
  ASSERT_TRUE(b->setattr("weight", a->getattr("weight").value()).ok());
  const Ref<Module> both = make_layer(in, "Sequential", {Value(a), Value(b)}).value();
  const Ref<Dict> given = in.dict();
  given->set(in.text("0.weight"), Value(numbers({1, 1}, {2})));
  Value seen;
  ASSERT_TRUE(a->register_forward_pre_hook(Value(in.function("hook(module, args)",
                                                             [&seen, b](Interpreter&, Args) -> PyResult<Value> {
                                                               NNS_TRY_ASSIGN(seen, b->getattr("weight"));
                                                               return Value();
                                                             })))
                  .ok());
  const Value x(numbers({1, 1}, {3}));
  static_cast<void>(call("torch.func", "functional_call", {Value(both), Value(given), x}).ok());
  ASSERT_NE(seen.as<Tensor>(), nullptr);
  EXPECT_EQ(items(*seen.as<Tensor>()), Numbers{2});
  EXPECT_EQ(outcome(call("torch.func", "functional_call", {Value(both), Value(given), x},
                         {{"strict", true}, {"tie_weights", false}})),
            "RuntimeError: Error(s) in reparametrizing for Sequential:\n\tMissing key(s): '1.weight'.");
  given->set(in.text("1.weight"), Value(numbers({1, 1}, {3})));
  EXPECT_THAT(
      outcome(call("torch.func", "functional_call", {Value(both), Value(given), x})),
      testing::HasSubstr("functional_call got multiple values for keys ['0.weight', '1.weight'], which are tied"));
}

}  // namespace
}  // namespace nns::nn::tests
