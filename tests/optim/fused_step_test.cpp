// The fused update against the sequence of tensor operations that torch's _single_tensor_* functions run, bit for bit,
// in every dtype and layout.
#include <cmath>
#include <functional>

#include "core/base/parallel.h"
#include "core/ops/term.h"
#include "tests/optim/optim_support.h"

namespace nns::optim::tests {
namespace {

using ops::Term;

// One parameter's tensors while the reference runs.
struct Reference {
  Interpreter& in;
  Ref<Tensor> param, grad;
  std::vector<Ref<Tensor>> state;
  double step = 0;

  void call(OpId id, std::initializer_list<Value> args) const {
    const auto result = ops::call_in_place(in, id, std::span<const Value>(args.begin(), args.size()));
    ASSERT_TRUE(result.ok()) << result.error().message();
  }
  Value p() const { return Value(param); }
  Value g() const { return Value(grad); }
  Value s(std::size_t i) const { return Value(state[i]); }
  Value value(const Term& term) const {
    EXPECT_TRUE(term.ok());
    return Value(term.ref());
  }
  Term op(OpId id, std::initializer_list<ops::TermArgument> args) const { return ops::apply(id, args); }
  Term param_term() const { return Term(param); }
  Term grad_term() const { return Term(grad); }
  Term state_term(std::size_t i) const { return Term(state[i]); }
  /// param.addcdiv_(a, b, value=factor)
  void addcdiv(const Term& a, const Term& b, double factor) const {
    call(OpId::addcdiv, {p(), value(a), value(b), factor});
  }
  /// state[i].mul_(keep).addcmul_(x, x, value=1 - keep)
  void average_square(std::size_t i, const Term& x, double keep) const {
    call(OpId::mul, {s(i), keep});
    call(OpId::addcmul, {s(i), value(x), value(x), 1 - keep});
  }
};

struct Case {
  std::string_view name;
  Keywords keywords;
  std::size_t states;
  std::function<void(Reference&)> update;
};

constexpr double kLr = 0.05, kBeta1 = 0.9, kBeta2 = 0.999, kEps = 1e-8;

void sgd(Reference& r) {
  const Term g = r.op(OpId::add, {r.grad_term(), r.param_term(), Value(0.1)});
  if (r.step == 1) {
    r.call(OpId::copy, {r.s(0), r.value(g)});
  } else {
    r.call(OpId::mul, {r.s(0), 0.9});
    r.call(OpId::add, {r.s(0), r.value(g), 1.0});
  }
  const Term ahead = r.op(OpId::add, {g, r.state_term(0), Value(0.9)});
  r.call(OpId::add, {r.p(), r.value(ahead), -kLr});
}

void adam(Reference& r) {
  const Term g = r.op(OpId::add, {-r.grad_term(), r.param_term(), Value(0.1)});
  r.call(OpId::lerp, {r.s(0), r.value(g), 1 - kBeta1});
  r.average_square(1, g, kBeta2);
  const double correction1 = 1 - std::pow(kBeta1, r.step), correction2 = 1 - std::pow(kBeta2, r.step);
  r.call(OpId::maximum, {r.s(2), r.s(1)});
  const Term spread = ops::sqrt(r.state_term(2)) / std::sqrt(correction2) + kEps;
  r.addcdiv(r.state_term(0), spread, -(kLr / correction1));
}

void adamw(Reference& r) {
  r.call(OpId::mul, {r.p(), 1 - kLr * 0.01});
  r.call(OpId::lerp, {r.s(0), r.g(), 1 - kBeta1});
  r.average_square(1, r.grad_term(), kBeta2);
  const double correction1 = 1 - std::pow(kBeta1, r.step), correction2 = 1 - std::pow(kBeta2, r.step);
  r.addcdiv(r.state_term(0), ops::sqrt(r.state_term(1)) / std::sqrt(correction2) + kEps, -(kLr / correction1));
}

void adamax(Reference& r) {
  r.call(OpId::lerp, {r.s(0), r.g(), 1 - kBeta1});
  r.call(OpId::mul, {r.s(1), kBeta2});
  r.call(OpId::maximum, {r.s(1), r.value(r.op(OpId::abs, {r.grad_term()}) + kEps)});
  r.addcdiv(r.state_term(0), r.state_term(1), -(kLr / (1 - std::pow(kBeta1, r.step))));
}

void nadam(Reference& r) {
  const double mu = kBeta1 * (1.0 - 0.5 * std::pow(0.96, r.step * 4e-3));
  const double next = kBeta1 * (1.0 - 0.5 * std::pow(0.96, (r.step + 1) * 4e-3));
  r.call(OpId::mul, {r.s(2), mu});
  const double product = tensor::read_double(*r.state[2], 0);
  r.call(OpId::lerp, {r.s(0), r.g(), 1 - kBeta1});
  r.average_square(1, r.grad_term(), kBeta2);
  const Term spread = ops::sqrt(r.state_term(1) / (1 - std::pow(kBeta2, r.step))) + kEps;
  r.addcdiv(r.grad_term(), spread, -kLr * (1.0 - mu) / (1.0 - product));
  r.addcdiv(r.state_term(0), spread, (-kLr * next) / (1.0 - product * next));
}

void radam(Reference& r) {
  r.call(OpId::lerp, {r.s(0), r.g(), 1 - kBeta1});
  r.average_square(1, r.grad_term(), kBeta2);
  const double power = std::pow(kBeta2, r.step), longest = 2 / (1 - kBeta2) - 1;
  const double length = longest - 2 * r.step * power / (1 - power);
  Term move = r.state_term(0) / (1 - std::pow(kBeta1, r.step)) * kLr;
  if (length > 5) {
    const double rectification =
        std::sqrt((length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length));
    move = move * (ops::reciprocal(ops::sqrt(r.state_term(1)) + kEps) * std::sqrt(1 - power)) * rectification;
  }
  r.call(OpId::add, {r.p(), r.value(move), -1.0});
}

void rmsprop(Reference& r) {
  r.average_square(0, r.grad_term(), 0.99);
  r.call(OpId::lerp, {r.s(2), r.g(), 1 - 0.99});
  const Term spread =
      ops::sqrt(r.op(OpId::addcmul, {r.state_term(0), r.state_term(2), r.state_term(2), Value(-1)})) + kEps;
  r.call(OpId::mul, {r.s(1), 0.5});
  r.call(OpId::addcdiv, {r.s(1), r.g(), r.value(spread), 1});
  r.call(OpId::add, {r.p(), r.s(1), -kLr});
}

void adagrad(Reference& r) {
  r.call(OpId::addcmul, {r.s(0), r.g(), r.g(), 1});
  r.addcdiv(r.grad_term(), ops::sqrt(r.state_term(0)) + 1e-10, -(kLr / (1 + (r.step - 1) * 0.1)));
}

void adadelta(Reference& r) {
  r.average_square(0, r.grad_term(), 0.9);
  const Term delta = ops::sqrt(r.state_term(1) + 1e-6) / ops::sqrt(r.state_term(0) + 1e-6) * r.grad_term();
  r.average_square(1, delta, 0.9);
  r.call(OpId::add, {r.p(), r.value(delta), -kLr});
}

void asgd(Reference& r) {
  const double eta = r.step == 1
                         ? static_cast<double>(static_cast<float>(kLr))
                         : static_cast<double>(static_cast<float>(kLr / std::pow(1 + 1e-4 * kLr * (r.step - 1), 0.75)));
  const double mu = static_cast<double>(static_cast<float>(1 / std::max(1.0, r.step - 1 - 1.0)));
  r.call(OpId::mul, {r.p(), 1 - 1e-4 * eta});
  r.call(OpId::add, {r.p(), r.g(), -eta});
  if (mu == 1) {
    r.call(OpId::copy, {r.s(0), r.p()});
  } else {
    r.call(OpId::add, {r.s(0), r.value((r.param_term() - r.state_term(0)) * mu)});
  }
}

const std::vector<Case>& cases() {
  static const std::vector<Case> kCases = {
      {"SGD", {{"lr", kLr}, {"momentum", 0.9}, {"nesterov", true}, {"weight_decay", 0.1}}, 1, sgd},
      {"Adam", {{"lr", kLr}, {"weight_decay", 0.1}, {"amsgrad", true}, {"maximize", true}}, 3, adam},
      {"AdamW", {{"lr", kLr}}, 2, adamw},
      {"Adamax", {{"lr", kLr}}, 2, adamax},
      {"NAdam", {{"lr", kLr}}, 3, nadam},
      {"RAdam", {{"lr", kLr}}, 2, radam},
      {"RMSprop", {{"lr", kLr}, {"centered", true}, {"momentum", 0.5}}, 3, rmsprop},
      {"Adagrad", {{"lr", kLr}, {"lr_decay", 0.1}}, 1, adagrad},
      {"Adadelta", {{"lr", kLr}}, 2, adadelta},
      {"ASGD", {{"lr", kLr}, {"t0", 1.0}}, 1, asgd},
  };
  return kCases;
}

constexpr DType kDTypes[] = {DType::Float32, DType::Float64, DType::Float16, DType::BFloat16};

class FusedStep : public OptimTest {
 protected:
  // Numbers of both signs and several sizes, different for each step.
  Numbers numbers(std::int64_t count, int seed) const {
    Numbers made;
    for (std::int64_t i = 0; i < count; ++i) {
      made.push_back(std::sin(0.7 * static_cast<double>(i) + seed) * (i % 5 == 0 ? 4 : 0.3));
    }
    return made;
  }
};

TEST_F(FusedStep, GivesWhatTheTensorOperationsGiveInEveryDtype) {
  constexpr std::int64_t kCount = 37;
  for (const Case& one : cases()) {
    for (const DType dtype : kDTypes) {
      const auto p = parameter(numbers(kCount, 0), dtype);
      const auto optimizer = make(one.name, p, one.keywords);
      Reference reference{in, tensor::clone(*p), {}, {}, 0};
      for (std::size_t i = 0; i < one.states; ++i) {
        reference.state.push_back(tensor::zeros(in, p->shape(), dtype));
      }
      if (one.name == "NAdam") reference.state[2] = tensor::ones(in, {}, DType::Float32);
      for (int i = 1; i <= 9; ++i) {
        set_grad(p, numbers(kCount, i));
        reference.grad = tensor::clone(*p->grad());
        reference.step = i;
        one.update(reference);
        step(*optimizer);
        ASSERT_EQ(items(*p), items(*reference.param))
            << one.name << " " << tensor::torch_dtype_text(dtype) << " step " << i;
      }
    }
  }
}

TEST_F(FusedStep, ManyParametersAreSteppedAsEachAlone) {
  constexpr int kMany = 70;
  std::vector<Ref<Tensor>> together, alone;
  std::vector<Ref<Optimizer>> own;
  std::vector<Value> all;
  for (int i = 1; i <= kMany; ++i) {
    // One of the others, which are updated one by one, among them.
    const DType dtype = i == 40 ? DType::Float64 : DType::Float32;
    together.push_back(parameter(numbers(i, i), dtype));
    alone.push_back(parameter(numbers(i, i), dtype));
    all.emplace_back(together.back());
    own.push_back(make("AdamW", alone.back(), {{"lr", kLr}}));
  }
  const auto optimizer = make("AdamW", list(std::move(all)), {{"lr", kLr}});
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < kMany; ++i) {
      const auto at = static_cast<std::size_t>(i);
      // From the second round on the numbers of steps differ.
      const bool has_grad = round != 1 || i % 3 != 0;
      together[at]->set_grad(nullptr);
      if (!has_grad) continue;
      set_grad(together[at], numbers(i + 1, round + 1));
      set_grad(alone[at], numbers(i + 1, round + 1));
      step(*own[at]);
    }
    step(*optimizer);
    for (std::size_t i = 0; i < kMany; ++i) ASSERT_EQ(items(*together[i]), items(*alone[i])) << i;
  }
}

TEST_F(FusedStep, ThreadsShareALargeParameter) {
  constexpr std::int64_t kCount = 200'003;
  const auto stepped = [&](std::string_view name, const Keywords& keywords, DType dtype, int threads) {
    base::set_thread_count(threads);
    const auto p = parameter(numbers(kCount, 0), dtype);
    const auto optimizer = make(name, p, keywords);
    for (int i = 1; i <= 2; ++i) {
      set_grad(p, numbers(kCount, i));
      step(*optimizer);
    }
    base::set_thread_count(1);
    return items(*p);
  };
  for (const DType dtype : {DType::Float32, DType::BFloat16}) {
    EXPECT_EQ(stepped("Adam", {{"lr", kLr}}, dtype, 1), stepped("Adam", {{"lr", kLr}}, dtype, 4));
    EXPECT_EQ(stepped("NAdam", {{"lr", kLr}}, dtype, 1), stepped("NAdam", {{"lr", kLr}}, dtype, 4));
    EXPECT_EQ(stepped("SGD", {{"lr", kLr}, {"momentum", 0.9}}, dtype, 1),
              stepped("SGD", {{"lr", kLr}, {"momentum", 0.9}}, dtype, 4));
  }
}

TEST_F(FusedStep, RpropFollowsTheSigns) {
  const auto p = parameter({1, 1, 1}, DType::Float32);
  const auto optimizer = make("Rprop", p, {{"lr", 0.5}, {"step_sizes", Value(in.tuple({0.01, 0.55}))}});
  set_grad(p, {1, -2, 0});
  step(*optimizer);
  EXPECT_EQ(items(*p), (Numbers{0.5, 1.5, 1}));
  // The same sign: 0.6, cut to 0.55. The other sign: half, and no move. After that the size stays.
  set_grad(p, {1, 2, 1});
  step(*optimizer);
  EXPECT_EQ(items(state(*optimizer, p, "step_size")), (Numbers{static_cast<double>(0.55F), 0.25, 0.5}));
  EXPECT_EQ(items(state(*optimizer, p, "prev")), (Numbers{1, 0, 1}));
  EXPECT_EQ(items(*p), (Numbers{static_cast<double>(0.5F - 0.55F), 1.5, 0.5}));
}

TEST_F(FusedStep, AnyOrderOfItemsGivesTheSameNumbers) {
  for (const Case& one : cases()) {
    const auto plain = parameter({2, 3}, numbers(6, 0), DType::Float32);
    // The same numbers: dense but transposed, and with gaps.
    const auto turned_base = tensor::empty(in, {3, 2}, DType::Float32);
    const auto wide_base = tensor::zeros(in, {2, 6}, DType::Float32);
    const auto turned = tensor::make_parameter(in, *tensor::transpose(*turned_base, 0, 1)).value();
    const auto gaps = tensor::make_parameter(in, *tensor::as_strided(*wide_base, {2, 3}, {6, 2}, 0)).value();
    ASSERT_TRUE(tensor::copy_items(*turned, *plain).ok());
    ASSERT_TRUE(tensor::copy_items(*gaps, *plain).ok());
    const auto optimizer = make(one.name, list({Value(plain), Value(turned), Value(gaps)}), one.keywords);
    for (int i = 1; i <= 3; ++i) {
      // The gradients lie in order, whatever the parameter does.
      for (const auto& p : {plain, turned, gaps}) set_grad(p, numbers(6, i));
      step(*optimizer);
    }
    EXPECT_EQ(items(*turned), items(*plain)) << one.name;
    EXPECT_EQ(items(*gaps), items(*plain)) << one.name;
    EXPECT_EQ(items(*wide_base)[1], 0) << one.name << ": wrote between the items";
  }
}

TEST_F(FusedStep, AComplexParameterIsTwoRealOnes) {
  const auto p = tensor::make_parameter(in, *tensor::zeros(in, {3}, DType::Complex64)).value();
  const auto q = parameter({0, 0, 0, 0, 0, 0}, DType::Float32);
  const auto a = make("Adam", p), b = make("Adam", q);
  for (int i = 1; i <= 3; ++i) {
    set_grad(q, numbers(6, i));
    p->set_grad(tensor::make_tensor(in, {tensor::clone(*q->grad())->storage(), {3}, {1}, 0, DType::Complex64}));
    step(*a);
    step(*b);
  }
  const auto real = tensor::make_tensor(in, {p->storage(), {6}, {1}, 0, DType::Float32});
  EXPECT_EQ(items(*real), items(*q));
}

TEST_F(FusedStep, CountsAsAWriteAndRecordsNothing) {
  const auto p = parameter({1, 2}, DType::Float32);
  const auto optimizer = make("Adam", p);
  set_grad(p, {1, 1});
  const std::uint64_t before = p->version();
  step(*optimizer);
  EXPECT_GT(p->version(), before);
  EXPECT_GT(state(*optimizer, p, "exp_avg").version(), 0U);
  EXPECT_TRUE(p->is_leaf());
  EXPECT_TRUE(p->requires_grad());
}

TEST_F(FusedStep, ParametersWithoutGradientAreLeftAlone) {
  const auto p = parameter({1}), q = parameter({1});
  const auto optimizer =
      make("SGD", list({Value(p), Value(q)}), {{"lr", 0.5}, {"momentum", 0.9}, {"weight_decay", 0.1}});
  set_grad(p, {1});
  step(*optimizer);
  EXPECT_EQ(shown(*p, 4), "[0.4500]");
  EXPECT_EQ(items(*q), Numbers{1});
  EXPECT_EQ(optimizer->state().value()->size(), 1U);
}

TEST_F(FusedStep, EmptyAndMetaParametersAreStepped) {
  const auto none = parameter(Dims({0, 3}), {}, DType::Float32);
  const auto meta = tensor::make_parameter(in, *tensor::empty(in, {4}, DType::Float32, tensor::Device::Meta)).value();
  none->set_grad(tensor::zeros(in, {0, 3}));
  meta->set_grad(tensor::empty(in, {4}, DType::Float32, tensor::Device::Meta));
  const auto optimizer = make("Adam", list({Value(none), Value(meta)}));
  step(*optimizer);
  EXPECT_EQ(items(state(*optimizer, none, "step")), Numbers{1});
  EXPECT_TRUE(state(*optimizer, meta, "exp_avg").is_meta());
}

TEST_F(FusedStep, WhatAProgramChangesBetweenStepsCounts) {
  const auto p = parameter({1}), q = parameter({1});
  const auto optimizer = make("SGD", p, {{"lr", 1.0}, {"momentum", 0.5}});
  set_grad(p, {1});
  step(*optimizer);
  // 1. The learning rate and the buffer.
  group(*optimizer).set(in.intern("lr"), Value(0.5));
  state(*optimizer, p)
      .set(in.intern("momentum_buffer"), Value(tensor::from_values(in, {1}, Numbers{10}, DType::Float64)));
  set_grad(p, {1});
  step(*optimizer);
  EXPECT_EQ(items(*p), Numbers{0 - 0.5 * 6});
  // 2. What the parameter looks at.
  p->set_data(*tensor::from_values(in, {1}, Numbers{100}, DType::Float64));
  set_grad(p, {1});
  step(*optimizer);
  EXPECT_EQ(items(*p), Numbers{100 - 0.5 * 4});
  // 3. The state as a whole, and the list of parameters.
  optimizer->state().value()->clear();
  group(*optimizer).find("params")->as<List>()->append(Value(q));
  set_grad(p, {2});
  set_grad(q, {4});
  step(*optimizer);
  EXPECT_EQ(items(*p), Numbers{98 - 0.5 * 2});
  EXPECT_EQ(items(*q), Numbers{1 - 0.5 * 4});
  // 4. An option that needs other state.
  group(*optimizer).set(in.intern("momentum"), Value(0));
  set_grad(p, {2});
  q->set_grad(nullptr);
  step(*optimizer);
  EXPECT_EQ(items(*p), Numbers{97 - 1});
}

TEST_F(FusedStep, AStateThatDoesNotFitIsRefused) {
  const auto p = parameter({1, 2}, DType::Float32);
  const auto optimizer = make("Adam", p);
  set_grad(p, {1, 1});
  step(*optimizer);
  state(*optimizer, p).set(in.intern("exp_avg"), Value(tensor::zeros(in, {3})));
  EXPECT_EQ(outcome(optimizer->step()),
            "RuntimeError: The size of state 'exp_avg' (torch.Size([3])) must match the size of its parameter "
            "(torch.Size([2]))");
  state(*optimizer, p).erase(in.intern("exp_avg"));
  EXPECT_EQ(outcome(optimizer->step()), "KeyError: 'exp_avg'");
}

TEST_F(FusedStep, TheSameParameterTwiceIsSteppedTwice) {
  const auto p = parameter({1});
  const auto optimizer = make("SGD", list({Value(p), Value(p)}), {{"lr", 0.1}});
  const auto warnings = in.take_warnings();
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0].text.substr(0, 57), "optimizer contains a parameter group with duplicate param");
  set_grad(p, {1});
  step(*optimizer);
  EXPECT_EQ(shown(*p, 4), "[0.8000]");
}

}  // namespace
}  // namespace nns::optim::tests
