// Parametrizations, weight and spectral normalisation, pruning, folded batch normalisation and stacked models, beyond
// the recorded programs.
#include <gmock/gmock.h>

#include "core/nn/utility.h"
#include "core/object/copy.h"
#include "tests/nn/forward_support.h"

namespace nns::nn::tests {
namespace {

using testing::ElementsAre;

class Reparametrization : public Forward {
 protected:
  PyResult<Value> tried(std::string_view module, std::string_view name, const std::vector<Value>& positional,
                        const Keywords& keywords = {}) {
    std::vector<Keyword> named;
    for (const auto& [key, value] : keywords) named.push_back({in.intern(key), value});
    return call_utility(in, module, name, positional, named);
  }
  Value done(std::string_view module, std::string_view name, const std::vector<Value>& positional,
             const Keywords& keywords = {}) {
    auto result = tried(module, name, positional, keywords);
    EXPECT_TRUE(result.ok()) << name << ": " << result.error().type() << ": " << result.error().message();
    return result.ok() ? *result : Value();
  }
  static std::string outcome(const PyResult<Value>& result) {
    return result.ok() ? "ok" : std::string(result.error().type()) + ": " + result.error().message();
  }
  Value get(const Value& object, std::string_view name) {
    auto result = object::getattr(in, object, in.intern(name));
    EXPECT_TRUE(result.ok()) << result.error().message();
    return result.ok() ? *result : Value();
  }
  Value method(const Value& object, std::string_view name, std::vector<Value> arguments = {}) {
    auto result = in.call_method(object, in.intern(name), arguments);
    EXPECT_TRUE(result.ok()) << name << ": " << result.error().message();
    return result.ok() ? *result : Value();
  }
  std::string type_of(const Value& object) { return std::string(in.type_of(object).name()); }
  Value text(std::string_view words) { return in.text(words); }
  // The largest singular value of a weight, its first dimension as rows.
  double largest_singular_value(const Value& weight) {
    const Tensor& tensor = *weight.as<Tensor>();
    const auto rows = static_cast<std::size_t>(tensor.shape()[0]);
    const Numbers all = items(weight);
    const std::size_t columns = all.size() / rows;
    Numbers v(columns, 1.0), u(rows);
    double length = 0;
    for (int i = 0; i < 500; ++i) {
      for (std::size_t r = 0; r < rows; ++r) {
        u[r] = 0;
        for (std::size_t c = 0; c < columns; ++c) u[r] += all[r * columns + c] * v[c];
      }
      length = 0;
      for (std::size_t c = 0; c < columns; ++c) {
        v[c] = 0;
        for (std::size_t r = 0; r < rows; ++r) v[c] += all[r * columns + c] * u[r];
        length += v[c] * v[c];
      }
      length = std::sqrt(length);
      for (double& one : v) one /= length;
    }
    return std::sqrt(length);
  }
  static constexpr std::string_view kParametrize = "torch.nn.utils.parametrize";
  static constexpr std::string_view kParametrizations = "torch.nn.utils.parametrizations";
  static constexpr std::string_view kUtils = "torch.nn.utils";
  static constexpr std::string_view kPrune = "torch.nn.utils.prune";
};

TEST_F(Reparametrization, CachedComputesATensorOnce) {
  const Value linear = layer("Linear", {2, 2});
  done(kParametrize, "register_parametrization", {linear, text("weight"), layer("Identity")});
  done(kParametrize, "register_parametrization", {linear, text("weight"), layer("Tanh")}, {{"unsafe", false}});
  EXPECT_FALSE(get(linear, "weight").is(get(linear, "weight")));
  const Value context = done(kParametrize, "cached", {});
  method(context, "__enter__");
  const Value once = get(linear, "weight");
  EXPECT_TRUE(once.is(get(linear, "weight")));
  method(context, "__exit__", {Value(), Value(), Value()});
  EXPECT_FALSE(once.is(get(linear, "weight")));
}

TEST_F(Reparametrization, AFurtherParametrizationMustKeepShapeAndDtype) {
  const Value linear = layer("Linear", {2, 4});
  done(kParametrize, "register_parametrization", {linear, text("weight"), layer("Identity")});
  EXPECT_EQ(
      outcome(tried(kParametrize, "register_parametrization", {linear, text("weight"), layer("Flatten", {0})})),
      "ValueError: Registering a parametrization may not change the shape of the tensor, unless the `unsafe` flag "
      "is enabled.\nmodule.weight.shape: torch.Size([4, 2])\nparametrization(module.weight).shape: "
      "torch.Size([8])");
  done(kParametrize, "register_parametrization", {linear, text("weight"), layer("Flatten", {0})}, {{"unsafe", true}});
  EXPECT_EQ(get(linear, "weight").as<Tensor>()->ndim(), 1U);
}

TEST_F(Reparametrization, RemovingTheLastOneRestoresTheClass) {
  const Value linear = layer("Linear", {2, 2});
  for (const char* name : {"weight", "bias"}) {
    done(kParametrize, "register_parametrization", {linear, text(name), layer("Tanh")});
  }
  EXPECT_EQ(state_keys(*as_module(linear)), "parametrizations.weight.original, parametrizations.bias.original");
  done(kParametrize, "remove_parametrizations", {linear, text("weight")});
  EXPECT_EQ(type_of(linear), "ParametrizedLinear");
  done(kParametrize, "remove_parametrizations", {linear, text("bias")}, {{"leave_parametrized", false}});
  EXPECT_EQ(type_of(linear), "Linear");
  EXPECT_EQ(parameter_registry(*as_module(linear)), "weight (2, 2), bias (2,)");
  EXPECT_EQ(outcome(tried(kParametrize, "remove_parametrizations", {linear, text("weight")})),
            "ValueError: Module Linear(in_features=2, out_features=2, bias=True) does not have a parametrization on "
            "weight");
}

TEST_F(Reparametrization, ARecurrentLayerReadsItsParametrizedWeights) {
  const Value lstm = layer("LSTM", {2, 3});
  const Value input = numbers({4, 1, 2}, 1, DType::Float32);
  const Numbers before = items(part(call(lstm, {input}), 0));
  done(kParametrizations, "weight_norm", {lstm, text("weight_hh_l0")});
  const Value after = part(call(lstm, {input}), 0);
  expect_near(after, before, 1e-5);
  method(method(after, "sum"), "backward");
  for (const char* name : {"original0", "original1"}) {
    const std::string path = std::string("parametrizations.weight_hh_l0.") + name;
    EXPECT_NE(parameter(lstm, path).as<Tensor>()->grad(), nullptr) << name;
  }
}

TEST_F(Reparametrization, TransferSharesTheOriginals) {
  const Value from = layer("Linear", {2, 2}), to = layer("Linear", {2, 2});
  done(kParametrizations, "weight_norm", {from});
  done(kParametrize, "transfer_parametrizations_and_params", {from, to});
  EXPECT_EQ(type_of(to), "ParametrizedLinear");
  expect_near(get(to, "weight"), items(get(from, "weight")), 0);
  EXPECT_TRUE(
      parameter(to, "parametrizations.weight.original0").is(parameter(from, "parametrizations.weight.original0")));
}

TEST_F(Reparametrization, WeightNormKeepsTheWeightAndLoadsOldFiles) {
  const Value conv = layer("Conv2d", {2, 3, 2}), old = layer("Conv2d", {2, 3, 2});
  const Numbers before = items(get(conv, "weight"));
  done(kParametrizations, "weight_norm", {conv});
  expect_near(get(conv, "weight"), before, 1e-6);
  EXPECT_EQ(
      parameter_shapes(*as_module(conv)),
      "bias (3,), parametrizations.weight.original0 (3, 1, 1, 1), parametrizations.weight.original1 (3, 2, 2, 2)");
  done(kUtils, "weight_norm", {old});
  EXPECT_EQ(state_keys(*as_module(old)), "bias, weight_g, weight_v");
  const Value loaded = method(conv, "load_state_dict", {as_module(old)->state_dict().value()});
  EXPECT_EQ(object::repr(in, loaded).value(), "<All keys matched successfully>");
  expect_near(get(conv, "weight"), items(get(old, "weight")), 1e-6);
  done(kParametrize, "remove_parametrizations", {conv, text("weight")});
  EXPECT_EQ(parameter_shapes(*as_module(conv)), "bias (3,), weight (3, 2, 2, 2)");
}

TEST_F(Reparametrization, SpectralNormMakesTheLargestSingularValueOne) {
  const Value linear = layer("Linear", {5, 4}), transposed = layer("ConvTranspose2d", {3, 4, 2});
  const Value bias = layer("Linear", {2, 3});
  done(kParametrizations, "spectral_norm", {linear}, {{"n_power_iterations", 50}});
  EXPECT_NEAR(largest_singular_value(get(linear, "weight")), 1, 1e-3);
  EXPECT_EQ(state_keys(*as_module(linear)),
            "bias, parametrizations.weight.original, parametrizations.weight.0._u, parametrizations.weight.0._v");
  method(linear, "eval");
  expect_near(get(linear, "weight"), items(get(linear, "weight")), 0);
  done(kParametrizations, "spectral_norm", {transposed});
  EXPECT_EQ(as_module(transposed)->get_buffer("parametrizations.weight.0._u").value()->shape(), Dims({4}));
  done(kParametrizations, "spectral_norm", {bias, text("bias")});
  double length = 0;
  for (const double one : items(get(bias, "bias"))) length += one * one;
  EXPECT_NEAR(length, 1, 1e-5);
  EXPECT_EQ(
      outcome(tried(kParametrizations, "spectral_norm", {layer("Linear", {2, 2}), text("gamma")})),
      "ValueError: Module 'Linear(in_features=2, out_features=2, bias=True)' has no parameter or buffer with name "
      "'gamma'");
  EXPECT_EQ(outcome(tried(kParametrizations, "spectral_norm", {layer("Linear", {2, 2})}, {{"dim", 2}})),
            "IndexError: Dimension out of range (expected to be in range of [-2, 1] but got 2)");
  EXPECT_EQ(outcome(tried(kParametrizations, "spectral_norm", {layer("Linear", {2, 2})}, {{"n_power_iterations", 0}})),
            "ValueError: Expected n_power_iterations to be positive, but got n_power_iterations=0");
}

TEST_F(Reparametrization, SpectralNormLetsGradientsThrough) {
  const Value linear = layer("Linear", {3, 2}, {{"bias", false}});
  done(kParametrizations, "spectral_norm", {linear}, {{"n_power_iterations", 100}});
  const Value out = call(linear, {make({1, 3}, {1, 2, 3})});
  method(method(out, "sum"), "backward");
  const Value original = parameter(linear, "parametrizations.weight.original");
  ASSERT_NE(original.as<Tensor>()->grad(), nullptr);
  // The result does not change with the length of the original.
  const Numbers grad = items(Value(original.as<Tensor>()->grad())), weight = items(original);
  double along = 0;
  for (std::size_t i = 0; i < grad.size(); ++i) along += grad[i] * weight[i];
  EXPECT_NEAR(along, 0, 1e-4);
}

TEST_F(Reparametrization, TheOlderSpectralNormIsAHook) {
  const Value linear = layer("Linear", {5, 4});
  done(kUtils, "spectral_norm", {linear}, {{"n_power_iterations", 50}});
  EXPECT_EQ(state_keys(*as_module(linear)), "bias, weight_orig, weight_u, weight_v");
  EXPECT_EQ(outcome(tried(kUtils, "spectral_norm", {linear})),
            "RuntimeError: Cannot register two spectral_norm hooks on the same parameter weight");
  call(linear, {numbers({2, 5}, 1, DType::Float32)});
  EXPECT_NEAR(largest_singular_value(get(linear, "weight")), 1, 1e-3);
  const Value other = layer("Linear", {5, 4});
  done(kUtils, "spectral_norm", {other});
  const Value state = as_module(linear)->state_dict().value();
  const Value versions = object::getitem(in, get(state, "_metadata"), text("")).value();
  EXPECT_EQ(object::repr(in, versions).value(), "{'version': 1, 'spectral_norm': {'weight.version': 1}}");
  EXPECT_EQ(object::repr(in, method(other, "load_state_dict", {state})).value(), "<All keys matched successfully>");
  const Numbers weight = items(get(linear, "weight"));
  done(kUtils, "remove_spectral_norm", {linear});
  EXPECT_EQ(parameter_shapes(*as_module(linear)), "bias (4,), weight (4, 5)");
  EXPECT_EQ(state_keys(*as_module(linear)), "bias, weight");
  expect_near(get(linear, "weight"), weight, 1e-5);
  EXPECT_EQ(outcome(tried(kUtils, "remove_spectral_norm", {linear})),
            "ValueError: spectral_norm of 'weight' not found in Linear(in_features=5, out_features=4, bias=True)");
}

// The products of the columns of a tall matrix, or the rows of a wide one, with each other.
Numbers products(const Numbers& matrix, std::size_t rows, std::size_t columns) {
  const bool is_wide = rows < columns;
  const std::size_t count = std::min(rows, columns), length = std::max(rows, columns);
  const auto at = [&](std::size_t vector, std::size_t i) {
    return is_wide ? matrix[vector * columns + i] : matrix[i * columns + vector];
  };
  Numbers made;
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = 0; b < count; ++b) {
      double sum = 0;
      for (std::size_t i = 0; i < length; ++i) sum += at(a, i) * at(b, i);
      made.push_back(sum);
    }
  }
  return made;
}

TEST_F(Reparametrization, OrthogonalWeightsStaySoWhenTheOriginalMoves) {
  for (const char* map : {"matrix_exp", "cayley", "householder"}) {
    for (const auto& [rows, columns] : {std::pair<std::size_t, std::size_t>{3, 3}, {5, 3}, {3, 5}}) {
      const Value linear = layer("Linear", {columns, rows}, in_float64(in));
      done(kParametrizations, "orthogonal", {linear, text("weight"), text(map)});
      const Value original = parameter(linear, "parametrizations.weight.original");
      const std::size_t count = std::min(rows, columns);
      Numbers identity(count * count, 0);
      for (std::size_t i = 0; i < count; ++i) identity[i * count + i] = 1;
      expect_near(Value(tensor::from_values(in, {static_cast<std::int64_t>(count * count)},
                                            products(items(get(linear, "weight")), rows, columns), DType::Float64)),
                  identity, 1e-9, map);
      // Elsewhere, the diagonal as it was: householder keeps signs there.
      Numbers moved = items(original);
      for (std::size_t i = 0; i < moved.size(); ++i) {
        if (i / columns != i % columns) moved[i] = std::sin(static_cast<double>(3 * i + 1));
      }
      ASSERT_TRUE(tensor::copy_items(*original.as<Tensor>(),
                                     *tensor::from_values(in, original.as<Tensor>()->shape(), moved, DType::Float64))
                      .ok());
      expect_near(Value(tensor::from_values(in, {static_cast<std::int64_t>(count * count)},
                                            products(items(get(linear, "weight")), rows, columns), DType::Float64)),
                  identity, 1e-9, map);
    }
  }
}

TEST_F(Reparametrization, GradientsOfOrthogonalMapsAreFiniteDifferences) {
  for (const char* map : {"matrix_exp", "cayley", "householder"}) {
    for (const auto& [rows, columns] : {std::pair<std::int64_t, std::int64_t>{3, 3}, {4, 2}, {2, 4}}) {
      const Value linear = layer("Linear", {columns, rows}, in_float64(in, {{"bias", false}}));
      done(kParametrizations, "orthogonal", {linear, text("weight"), text(map)});
      const Value original = parameter(linear, "parametrizations.weight.original");
      Tensor& tensor = *original.as<Tensor>();
      const Value input = numbers({2, columns}), scale = numbers({2, rows}, 5);
      const auto loss = [&] { return method(method(call(linear, {input}), "mul", {scale}), "sum"); };
      method(loss(), "backward");
      const Numbers found = items(Value(tensor.grad()));
      const Numbers start = items(original);
      constexpr double kStep = 1e-6;
      for (std::size_t i = 0; i < start.size(); ++i) {
        // The diagonal of householder holds signs and gets no gradient.
        if (map == std::string_view("householder") &&
            i / static_cast<std::size_t>(columns) == i % static_cast<std::size_t>(columns)) {
          EXPECT_EQ(found[i], 0);
          continue;
        }
        double sides[2];
        for (const int side : {0, 1}) {
          Numbers moved = start;
          moved[i] += side == 0 ? -kStep : kStep;
          ASSERT_TRUE(tensor::copy_items(tensor, *tensor::from_values(in, tensor.shape(), moved, DType::Float64)).ok());
          sides[side] = items(loss())[0];
        }
        EXPECT_NEAR(found[i], (sides[1] - sides[0]) / (2 * kStep), 1e-6) << map << ", item " << i;
        ASSERT_TRUE(tensor::copy_items(tensor, *tensor::from_values(in, tensor.shape(), start, DType::Float64)).ok());
      }
    }
  }
}

TEST_F(Reparametrization, AnOrthogonalMatrixCanBeAssigned) {
  const Numbers turned{0.6, -0.8, 0.8, 0.6};
  for (const char* map : {"matrix_exp", "cayley", "householder"}) {
    const Value linear = layer("Linear", {2, 2}, in_float64(in));
    done(kParametrizations, "orthogonal", {linear, text("weight"), text(map)});
    ASSERT_TRUE(object::setattr(in, linear, in.intern("weight"), make({2, 2}, turned, DType::Float64)).ok());
    expect_near(get(linear, "weight"), turned, 1e-12, map);
  }
  const Value plain = layer("Linear", {2, 3}, in_float64(in));
  done(kParametrizations, "orthogonal", {plain}, {{"use_trivialization", false}});
  const Numbers tall{0.6, 0, 0.8, 0, 0, 1};
  ASSERT_TRUE(object::setattr(in, plain, in.intern("weight"), make({3, 2}, tall, DType::Float64)).ok());
  expect_near(get(plain, "weight"), tall, 1e-12);
  const Value fixed = layer("Linear", {2, 2});
  done(kParametrizations, "orthogonal", {fixed}, {{"use_trivialization", false}});
  EXPECT_EQ(
      outcome(in.call_method(fixed, in.intern("__setattr__"), {text("weight"), make({2, 2}, turned)})),
      "NotImplementedError: It is not possible to assign to the matrix exponential or the Cayley parametrizations "
      "when use_trivialization=False.");
  EXPECT_EQ(outcome(tried(kParametrizations, "orthogonal", {fixed, text("bias")})),
            "ValueError: Expected a matrix or batch of matrices. Got a tensor of 1 dimensions.");
  EXPECT_EQ(outcome(tried(kParametrizations, "orthogonal", {fixed, text("weight"), text("qr")})),
            "ValueError: orthogonal_map has to be one of \"matrix_exp\", \"cayley\", \"householder\". Got: qr");
}

TEST_F(Reparametrization, NormsRefuseTensorsWithoutAShape) {
  for (const auto& [name, hook] :
       {std::pair{"weight_norm", "WeightNorm"}, std::pair{"spectral_norm", "SpectralNorm"}}) {
    const std::string what = name == std::string_view("weight_norm") ? "weight" : "spectral";
    EXPECT_EQ(outcome(tried(kUtils, name, {layer("LazyLinear", {2})})),
              fmt::format("ValueError: The module passed to `{}` can't have uninitialized parameters. Make sure to run "
                          "the dummy forward before applying {} normalization",
                          hook, what));
  }
}

TEST_F(Reparametrization, PruningByRowsKeepsTheLongest) {
  const Value linear = layer("Linear", {2, 3}, {{"bias", false}});
  const Value weight = parameter(linear, "weight");
  ASSERT_TRUE(
      tensor::copy_items(*weight.as<Tensor>(), *tensor::from_values(in, {3, 2}, Numbers{1, 1, 3, 3, 2, 2})).ok());
  done(kPrune, "ln_structured", {linear, text("weight"), 1, 2, 0});
  EXPECT_THAT(items(get(linear, "weight")), ElementsAre(0, 0, 3, 3, 2, 2));
  done(kPrune, "ln_structured", {linear, text("weight"), 1, 2, 0});
  EXPECT_THAT(items(get(linear, "weight")), ElementsAre(0, 0, 3, 3, 0, 0));
  done(kPrune, "remove", {linear, text("weight")});
  EXPECT_THAT(items(parameter(linear, "weight")), ElementsAre(0, 0, 3, 3, 0, 0));
  EXPECT_TRUE(parameter(linear, "weight").is(weight));
  EXPECT_EQ(outcome(tried(kPrune, "ln_structured", {linear, text("weight"), 1, 2, 5})),
            "IndexError: Invalid index 5 for tensor of size torch.Size([3, 2])");
  EXPECT_EQ(parameter_registry(*as_module(linear)), "bias None, weight (3, 2)");
  done(kPrune, "l1_unstructured", {linear, text("weight"), 1});
  EXPECT_EQ(outcome(tried(kPrune, "ln_structured", {linear, text("weight"), 1, 2, 5})),
            "IndexError: list assignment index out of range");
}

TEST_F(Reparametrization, RandomPruningTakesAsManyAsAsked) {
  const auto zeros = [](const Numbers& all) { return std::count(all.begin(), all.end(), 0.0); };
  const Value linear = layer("Linear", {10, 10});
  done(kPrune, "random_unstructured", {linear, text("weight"), 0.25});
  EXPECT_EQ(zeros(items(get(linear, "weight_mask"))), 25);
  const Value rows = layer("Linear", {4, 10});
  done(kPrune, "random_structured", {rows, text("weight"), 0.3, 0});
  const Numbers mask = items(get(rows, "weight_mask"));
  EXPECT_EQ(zeros(mask), 12);
  for (std::size_t row = 0; row < 10; ++row) {
    for (std::size_t column = 1; column < 4; ++column) EXPECT_EQ(mask[row * 4 + column], mask[row * 4]);
  }
  EXPECT_EQ(outcome(tried(kPrune, "random_structured", {rows, text("bias"), 1, 0})),
            "ValueError: Structured pruning can only be applied to multidimensional tensors. Found tensor of shape "
            "torch.Size([10]) with 1 dims");
  EXPECT_EQ(parameter_registry(*as_module(rows)), "weight_orig (10, 4), bias (10,)");
}

TEST_F(Reparametrization, GlobalPruningComparesAllTensors) {
  const Value small = layer("Linear", {2, 1}, {{"bias", false}}), large = layer("Linear", {2, 1}, {{"bias", false}});
  const auto fill = [this](const Value& module, const Numbers& values) {
    const Value weight = parameter(module, "weight");
    ASSERT_TRUE(tensor::copy_items(*weight.as<Tensor>(), *tensor::from_values(in, {1, 2}, values)).ok());
  };
  fill(small, {1, -2});
  fill(large, {30, 0.5});
  const Value both(in.list({Value(in.tuple({small, text("weight")})), Value(in.tuple({large, text("weight")}))}));
  done(kPrune, "global_unstructured", {both, utility(in, kPrune, "L1Unstructured")}, {{"amount", 2}});
  EXPECT_THAT(items(get(small, "weight")), ElementsAre(0, -2));
  EXPECT_THAT(items(get(large, "weight")), ElementsAre(30, 0));
  EXPECT_EQ(outcome(tried(kPrune, "global_unstructured", {both, utility(in, kPrune, "LnStructured")},
                          {{"amount", 1}, {"n", 2}})),
            "TypeError: Only \"unstructured\" PRUNING_TYPE supported for the `pruning_method`. Found method <class "
            "'torch.nn.utils.prune.LnStructured'> of type structured");
}

TEST_F(Reparametrization, AProgramsOwnMethodPrunes) {
  object::Class& cls =
      in.define_class({.name = "KeepFirst", .bases = {utility(in, kPrune, "BasePruningMethod").as<object::Class>()}});
  cls.attribute("PRUNING_TYPE", text("unstructured"));
  cls.def("compute_mask(self, t, default_mask)", [](Interpreter& i, Args a) -> PyResult<Value> {
    const Tensor& t = *a[1].as<Tensor>();
    Numbers mask(static_cast<std::size_t>(t.numel()), 0);
    mask[0] = 1;
    return Value(tensor::from_values(i, t.shape(), mask, t.dtype()));
  });
  const Value linear = layer("Linear", {3, 1}, {{"bias", false}});
  const Value weight = parameter(linear, "weight");
  ASSERT_TRUE(tensor::copy_items(*weight.as<Tensor>(), *tensor::from_values(in, {1, 3}, Numbers{1, 2, 3})).ok());
  done(kPrune, "l1_unstructured", {linear, text("weight"), 1});
  const Value own(static_cast<object::Object*>(&cls));
  const Value method_made = method(own, "apply", {linear, text("weight")});
  EXPECT_EQ(type_of(method_made), "PruningContainer");
  EXPECT_THAT(items(get(linear, "weight")), ElementsAre(0, 2, 0));
  // A method that fails leaves the tensor as it was.
  cls.def("compute_mask(self, t, default_mask)",
          [](Interpreter& i, Args) -> PyResult<Value> { return object::runtime_error(i, "no mask"); });
  const Value other = layer("Linear", {3, 1});
  EXPECT_EQ(outcome(in.call_method(own, in.intern("apply"), {other, text("weight")})), "RuntimeError: no mask");
  EXPECT_EQ(parameter_registry(*as_module(other)), "bias (1,), weight (1, 3)");
  EXPECT_FALSE(done(kPrune, "is_pruned", {other}).as_bool());
}

TEST_F(Reparametrization, APrunedLayerCanBeTrainedAndCopiedWhereItIsUnpruned) {
  const Value linear = layer("Linear", {2, 1});
  done(kPrune, "custom_from_mask", {linear, text("weight"), make({1, 2}, {1, 0})});
  method(method(call(linear, {make({1, 2}, {5, 7})}), "sum"), "backward");
  EXPECT_THAT(items(Value(parameter(linear, "weight_orig").as<Tensor>()->grad())), ElementsAre(5, 0));
  // The weight is a result of the parameter and the mask. Behaviour: torch/_tensor.py, __deepcopy__.
  EXPECT_THAT(outcome(object::deep_copy(in, linear)),
              ::testing::StartsWith("RuntimeError: Only Tensors created explicitly by the user (graph leaves)"));
  done(kPrune, "remove", {linear, text("weight")});
  const Value copy = object::deep_copy(in, linear).value();
  EXPECT_FALSE(parameter(copy, "weight").is(parameter(linear, "weight")));
}

TEST_F(Reparametrization, AFoldedNormalisationGivesTheSame) {
  struct Row {
    const char* name;
    const char* norm;
    bool transposed;
    bool bias;
    Dims input;
  };
  for (const Row& row :
       {Row{"Conv2d", "BatchNorm2d", false, true, {2, 3, 4, 4}}, Row{"Conv1d", "BatchNorm1d", false, false, {2, 3, 4}},
        Row{"ConvTranspose2d", "BatchNorm2d", true, true, {2, 3, 4, 4}}}) {
    const Value conv = layer(row.name, {3, 5, 2}, in_float64(in, {{"bias", row.bias}}));
    const Value norm = layer(row.norm, {5}, in_float64(in));
    fill_parameters(in, norm);
    call(norm, {call(conv, {numbers(row.input)})});
    method(conv, "eval");
    method(norm, "eval");
    const Value folded = done(kUtils, "fuse_conv_bn_eval", {conv, norm, Value(row.transposed)});
    const Value input = numbers(row.input, 2);
    expect_near(call(folded, {input}), items(call(norm, {call(conv, {input})})), 1e-9, row.name);
    EXPECT_FALSE(parameter(folded, "weight").is(parameter(conv, "weight")));
    method(conv, "train");
    EXPECT_EQ(outcome(tried(kUtils, "fuse_conv_bn_eval", {conv, norm})), "AssertionError: Fusion only for eval!");
  }
}

TEST_F(Reparametrization, StackedModelsAreOneSetOfLeaves) {
  const Value first = layer("BatchNorm1d", {3}), second = layer("BatchNorm1d", {3});
  const Value both = done("torch.func", "stack_module_state", {Value(in.list({first, second}))});
  const Value weight = object::getitem(in, part(both, 0), text("weight")).value();
  EXPECT_EQ(weight.as<Tensor>()->shape(), Dims({2, 3}));
  EXPECT_TRUE(weight.as<Tensor>()->requires_grad() && weight.as<Tensor>()->is_leaf());
  const Value mean = object::getitem(in, part(both, 1), text("running_mean")).value();
  EXPECT_FALSE(mean.as<Tensor>()->requires_grad());
  EXPECT_EQ(outcome(tried("torch.func", "stack_module_state", {Value(in.list())})),
            "RuntimeError: stack_module_state: Expected at least one model, got 0.");
  EXPECT_EQ(outcome(tried("torch.func", "stack_module_state", {Value(in.list({first, layer("Linear", {1, 1})}))})),
            "RuntimeError: stack_module_state: Expected all models to be of the same class.");
  method(second, "eval");
  EXPECT_EQ(outcome(tried("torch.func", "stack_module_state", {Value(in.list({first, second}))})),
            "RuntimeError: stack_module_state: Expected all models to have the same training/eval mode.");
}

}  // namespace
}  // namespace nns::nn::tests
