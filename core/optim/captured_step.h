#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/nn/module.h"
#include "core/optim/library.h"

namespace nns::tensor {
class Capture;
}

namespace nns::optim {

/// A training step (zero_grad, forward, loss, backward, step of the optimiser) that runs once as the program says and
/// then again and again without it: the bodies and kernels of the first run are called on the same memory, without
/// calls of ops, without a graph and without memory for tensors. It gives the same bits as the program would.
///
/// What the step computes on tensors is captured, with the inputs of each call, random numbers of a generator and the
/// options of optimisers (a schedule of the learning rate is heard). What else the program does in the step (counting,
/// printing, numbers of its own) it does only where the step is not replayed. Where the step cannot be captured it runs
/// as a program each time, and reason() says why: values were read (item()), hooks ran, a shape depends on values, an
/// input is written to or asks for its gradient.
/// Where something changed (shapes of inputs, training mode, hooks or registries of a module, the memory of a
/// parameter, grad mode) it is captured anew.
///
/// What run() gives, the gradients that the step leaves, and everything that the body kept of it look at memory that
/// the next call overwrites: who wants to keep values makes a copy.
/// Behaviour: the model is torch.cuda.graph with make_graphed_callables; this is for the CPU.
/// Lifetime: within that of the interpreter; keeps the modules. Threads: that of the interpreter.
class CapturedStep {
 public:
  /// The step on these inputs; what it gives is what the caller wants to see of it (the loss).
  using Body = std::function<PyResult<std::vector<Ref<Tensor>>>(std::span<const Ref<Tensor>> inputs)>;

  /// `modules`: those whose forward runs in the step, their children counted in.
  CapturedStep(Interpreter& interpreter, std::vector<Ref<nn::Module>> modules, Body body);
  ~CapturedStep();
  CapturedStep(const CapturedStep&) = delete;
  CapturedStep& operator=(const CapturedStep&) = delete;

  /// One step. The results have no graph; they are valid until the next call.
  /// Errors: what the body raises.
  PyResult<std::span<const Ref<Tensor>>> run(std::span<const Ref<Tensor>> inputs);

  /// Why the last call was not replayed; empty if it was.
  const std::string& reason() const { return reason_; }
  /// How many calls were replayed, captured, and run plainly.
  struct Counts {
    std::uint64_t replayed = 0, captured = 0, plain = 0;
  };
  const Counts& counts() const { return counts_; }
  /// Of the capture that is there. Units: bytes; 0 without one.
  std::size_t memory_bytes() const;
  /// How many bodies and kernels a replay runs; 0 without a capture.
  std::size_t size() const;

 private:
  // What an input must be like for the capture to hold.
  struct InputShape {
    tensor::Dims shape, strides;
    tensor::DType dtype = tensor::DType::Float32;
  };
  /// What decides which ops run, beside tensors.
  struct Modes {
    bool is_grad_enabled = false, is_inference = false;
    tensor::DType default_dtype = tensor::DType::Float32;
    bool operator==(const Modes&) const = default;
  };

  Modes modes() const;
  // Why no capture may be made or replayed now, or nothing.
  const char* obstacle() const;
  // Why the capture does not fit, or nothing.
  const char* mismatch(std::span<const Ref<Tensor>> inputs) const;
  PyResult<void> copy_inputs(std::span<const Ref<Tensor>> inputs);
  PyResult<void> make_inputs(std::span<const Ref<Tensor>> inputs);
  PyResult<void> watch_modules();
  PyResult<void> capture(std::span<const Ref<Tensor>> inputs);
  PyResult<void> run_plainly(std::span<const Ref<Tensor>> inputs);
  PyResult<void> take_results(const std::vector<Ref<Tensor>>& made);

  Interpreter& interpreter_;
  std::vector<Ref<nn::Module>> modules_;
  Body body_;
  std::unique_ptr<tensor::Capture> capture_;
  std::vector<Ref<Tensor>> inputs_;
  std::vector<InputShape> input_shapes_;
  std::vector<Ref<Tensor>> results_;
  Modes modes_;
  std::uint64_t seen_changes_ = 0;
  // Captures in a row that were never replayed.
  int wasted_ = 0;
  std::string reason_;
  // Why no capture will be tried again.
  std::string given_up_;
  Counts counts_;
};

}  // namespace nns::optim
