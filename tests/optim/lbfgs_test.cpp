// Optimisers that are not one pass over memory: L-BFGS, Adafactor, Muon.
#include <cmath>

#include "tests/optim/optim_support.h"

namespace nns::optim::tests {
namespace {

class Lbfgs : public OptimTest {
 protected:
  // The function of Rosenbrock, whose minimum 0 lies at (1, 1).
  Value rosenbrock(const Ref<Tensor>& p) {
    return function("closure()", [this, p](Interpreter& interpreter, Args) -> PyResult<Value> {
      ++calls;
      const double x = tensor::read_double(*p, 0), y = tensor::read_double(*p, 1);
      const Numbers grad{-2 * (1 - x) - 400 * x * (y - x * x), 200 * (y - x * x)};
      p->set_grad(tensor::from_values(interpreter, {2}, grad, DType::Float64));
      return Value((1 - x) * (1 - x) + 100 * (y - x * x) * (y - x * x));
    });
  }
  int calls = 0;
};

TEST_F(Lbfgs, FindsTheMinimumWithALineSearch) {
  const auto p = parameter({-1.2, 1});
  const auto optimizer = make("LBFGS", p, {{"max_iter", 100}, {"line_search_fn", in.text("strong_wolfe")}});
  const auto first = optimizer->step(rosenbrock(p));
  ASSERT_TRUE(first.ok()) << first.error().message();
  EXPECT_NEAR(first.value().as_float(), 24.2, 1e-12);
  // It stops where the loss changes by less than 1e-9.
  EXPECT_NEAR(items(*p)[0], 1, 1e-4);
  EXPECT_NEAR(items(*p)[1], 1, 1e-4);
  EXPECT_EQ(state(*optimizer, p).find("func_evals")->as_int(), calls);
  EXPECT_LE(calls, 80);
}

TEST_F(Lbfgs, StepsOfFixedLengthSolveAQuadratic) {
  const auto p = parameter({3, -4});
  const Value closure = function("closure()", [p](Interpreter& interpreter, Args) -> PyResult<Value> {
    const double x = tensor::read_double(*p, 0), y = tensor::read_double(*p, 1);
    p->set_grad(tensor::from_values(interpreter, {2}, Numbers{2 * x, 20 * y}, DType::Float64));
    return Value(x * x + 10 * y * y);
  });
  const auto optimizer = make("LBFGS", p);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(optimizer->step(closure).ok());
  EXPECT_NEAR(items(*p)[0], 0, 1e-5);
  EXPECT_NEAR(items(*p)[1], 0, 1e-5);
  EXPECT_EQ(keys(state(*optimizer, p)), "func_evals n_iter d t old_dirs old_stps ro H_diag prev_flat_grad prev_loss");
}

TEST_F(Lbfgs, AStateThatWasSavedContinues) {
  Numbers ends[2];
  for (const bool splits : {false, true}) {
    const auto p = parameter({-1.2, 1});
    const Keywords options{{"max_iter", 5}, {"line_search_fn", in.text("strong_wolfe")}};
    auto optimizer = make("LBFGS", p, options);
    for (int i = 0; i < 4; ++i) {
      if (splits && i == 2) {
        const Value saved = optimizer->state_dict().value();
        optimizer = make("LBFGS", p, options);
        ASSERT_TRUE(optimizer->load_state_dict(saved).ok());
      }
      ASSERT_TRUE(optimizer->step(rosenbrock(p)).ok());
    }
    ends[splits] = items(*p);
  }
  EXPECT_EQ(ends[0], ends[1]);
}

TEST_F(Lbfgs, KnowsOneLineSearch) {
  const auto p = parameter({1, 1});
  const auto optimizer = make("LBFGS", p, {{"line_search_fn", in.text("armijo")}});
  EXPECT_EQ(outcome(optimizer->step(rosenbrock(p))), "RuntimeError: only 'strong_wolfe' is supported");
}

TEST_F(Lbfgs, AdafactorFollowsItsFormula) {
  // A matrix: rows and columns are averaged apart. The formula once more, in plain loops.
  const Numbers start{1, -2, 3, 0.5, -1.5, 2.5}, grad{0.1, -0.2, 0.3, -0.4, 0.5, -0.6};
  const auto p = parameter({2, 3}, start);
  const auto optimizer = make("Adafactor", p, {{"lr", 0.1}});
  set_grad(p, grad);
  step(*optimizer);
  Numbers rows(2), columns(3), update(6), expected = start;
  double mean_of_rows = 0, size = 0, length = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    rows[i / 3] += grad[i] * grad[i] / 3;
    columns[i % 3] += grad[i] * grad[i] / 2;
    mean_of_rows += grad[i] * grad[i] / 6;
    size += start[i] * start[i];
  }
  for (std::size_t i = 0; i < 6; ++i) {
    update[i] = grad[i] / std::sqrt(rows[i / 3] * columns[i % 3] / mean_of_rows);
    length += update[i] * update[i];
  }
  const double alpha = std::sqrt(size / 6) * 0.1;
  const double clip = std::max(1.0, std::sqrt(length / 6));
  for (std::size_t i = 0; i < 6; ++i) expected[i] -= alpha / clip * update[i];
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(items(*p)[i], expected[i], 1e-12);
  EXPECT_EQ(keys(state(*optimizer, p)), "step row_var col_var");
}

TEST_F(Lbfgs, MuonMovesByANearlyOrthogonalMatrix) {
  const auto p = parameter({2, 2}, {0, 0, 0, 0}, DType::Float32);
  const auto optimizer = make("Muon", p, {{"lr", 1.0}, {"weight_decay", 0.0}});
  set_grad(p, {3, 0, 0, 0.5});
  step(*optimizer);
  // Both singular values end between 0.5 and 1.5, however different they began.
  const Numbers moved = items(*p);
  EXPECT_NEAR(moved[1], 0, 1e-3);
  EXPECT_NEAR(moved[2], 0, 1e-3);
  for (const std::size_t i : {std::size_t{0}, std::size_t{3}}) {
    EXPECT_LT(moved[i], -0.5);
    EXPECT_GT(moved[i], -1.5);
  }
  EXPECT_EQ(keys(state(*optimizer, p)), "momentum_buffer");
}

}  // namespace
}  // namespace nns::optim::tests
