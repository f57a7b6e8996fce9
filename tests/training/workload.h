#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/nn/module.h"
#include "core/optim/captured_step.h"
#include "core/optim/optimizer.h"

namespace nns::tests {

/// A model with its loss, its optimiser and eight batches of random data: what a user's training loop consists of.
/// "mlp", "cnn", "gpt", "tinygpt" and "tinymlp" are the models of the speed goals.
/// Lifetime: within that of the interpreter.
class Workload {
 public:
  /// `reduced`: a GPT with one block and one sample in place of six and eight, for tests.
  /// Must hold: `name` is one of the five.
  Workload(nn::Interpreter& interpreter, std::string_view name, bool reduced = false);

  /// One training step on the next of the batches: zero_grad, forward, loss, backward, step. Gives the loss.
  /// Errors: what one of them raises.
  nn::PyResult<nn::Ref<nn::Tensor>> step();

  /// The same step through an optim::CapturedStep: the first call captures it, the others replay it.
  nn::PyResult<nn::Ref<nn::Tensor>> captured_step();
  const optim::CapturedStep& captured() const { return *captured_; }

  /// Units: 1e9 floating point operations a step (products only), as PyTorch's FlopCounterMode counts them.
  double giga_flops() const { return giga_flops_; }
  nn::Module& model() { return *model_; }

 private:
  struct Batch {
    nn::Value input;
    nn::Value target;
  };
  nn::PyResult<void> make(std::string_view name, bool reduced);
  const Batch& next_batch();
  nn::PyResult<nn::Ref<nn::Tensor>> train_on(const nn::Value& input, const nn::Value& target);
  nn::PyResult<nn::Value> loss_of(const nn::Value& output, const nn::Value& target);

  nn::Interpreter& interpreter_;
  nn::Ref<nn::Module> model_;
  nn::Ref<optim::Optimizer> optimizer_;
  std::unique_ptr<optim::CapturedStep> captured_;
  std::vector<Batch> batches_;
  std::size_t next_ = 0;
  bool is_regression_ = false;
  double giga_flops_ = 0;
};

}  // namespace nns::tests
