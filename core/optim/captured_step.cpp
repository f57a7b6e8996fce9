#include "core/optim/captured_step.h"

#include <fmt/format.h>

#include "core/nn/library.h"
#include "core/ops/op.h"
#include "core/optim/step_plan.h"
#include "core/tensor/capture.h"

namespace nns::optim {
namespace {

using tensor::Capture;
using tensor::Device;

// So often a capture may be made and never used before no more are made, as torch.compile's limit.
constexpr int kMostWasted = 8;

constexpr nn::Registry kRegistries[] = {nn::Registry::Parameters,      nn::Registry::Buffers,
                                        nn::Registry::Modules,         nn::Registry::ForwardHooks,
                                        nn::Registry::BackwardHooks,   nn::Registry::ForwardPreHooks,
                                        nn::Registry::BackwardPreHooks};

}  // namespace

CapturedStep::CapturedStep(Interpreter& interpreter, std::vector<Ref<nn::Module>> modules, Body body)
    : interpreter_(interpreter), modules_(std::move(modules)), body_(std::move(body)) {}
CapturedStep::~CapturedStep() = default;

std::size_t CapturedStep::memory_bytes() const { return capture_ ? capture_->memory_bytes() : 0; }
std::size_t CapturedStep::size() const { return capture_ ? capture_->size() : 0; }

CapturedStep::Modes CapturedStep::modes() const {
  const ops::GradMode& mode = ops::OpLibrary::of(interpreter_).grad_mode;
  return {mode.is_enabled, mode.is_inference, tensor::TensorLibrary::of(interpreter_).default_dtype};
}

const char* CapturedStep::obstacle() const {
  if (Capture::current() != nullptr) return "another capture is under way";
  if (interpreter_.events().watched()) return "somebody watches the program's events";
  if (ops::OpLibrary::of(interpreter_).grad_mode.detects_anomalies) return "anomaly detection is on";
  if (nn::NnLibrary::of(interpreter_).has_global_call_hooks()) return "there are hooks of all modules";
  return nullptr;
}

const char* CapturedStep::mismatch(std::span<const Ref<Tensor>> inputs) const {
  if (inputs.size() != inputs_.size()) return "another number of inputs";
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const InputShape& wanted = input_shapes_[i];
    const Tensor& given = *inputs[i];
    if (!(given.shape() == wanted.shape) || !(given.strides() == wanted.strides)) return "an input has another shape";
    if (given.dtype() != wanted.dtype) return "an input has another dtype";
    if (given.device() != Device::Cpu) return "an input is on another device";
    if (given.requires_grad()) return "an input asks for its gradient";
  }
  if (modes() != modes_) return "the grad mode or the default dtype changed";
  if (OptimLibrary::of(interpreter_).captured_changes != seen_changes_) return "a module changed";
  if (!capture_->fits_tensors()) return "a parameter looks at other memory, or its requires_grad changed";
  if (!capture_->fits_gradients()) return "gradients were there, or were not, when the step began";
  return nullptr;
}

// The inputs of the capture: tensors of its own, which each call fills.
PyResult<void> CapturedStep::make_inputs(std::span<const Ref<Tensor>> inputs) {
  inputs_.clear();
  input_shapes_.clear();
  for (const Ref<Tensor>& given : inputs) {
    auto own =
        tensor::make_tensor(interpreter_, {tensor::Storage::allocate(interpreter_, given->nbytes(), given->device()),
                                           given->shape(), given->strides(), 0, given->dtype()});
    inputs_.push_back(std::move(own));
    input_shapes_.push_back({given->shape(), given->strides(), given->dtype()});
  }
  return copy_inputs(inputs);
}

PyResult<void> CapturedStep::copy_inputs(std::span<const Ref<Tensor>> inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) NNS_TRY(tensor::copy_items(*inputs_[i], *inputs[i]));
  return {};
}

PyResult<void> CapturedStep::watch_modules() {
  const nn::NnLibrary& library = nn::NnLibrary::of(interpreter_);
  std::uint64_t* const counter = &OptimLibrary::of(interpreter_).captured_changes;
  for (const Ref<nn::Module>& root : modules_) {
    NNS_TRY_ASSIGN(const std::vector<nn::NamedModule> all, root->named_modules());
    for (const nn::NamedModule& one : all) {
      Dict& own = one.module->dict();
      own.watch(counter);
      for (const nn::Registry registry : kRegistries) {
        const Value* const table = own.find_raw(library.key(registry));
        if (table != nullptr && table->as<Dict>() != nullptr) table->as<Dict>()->watch(counter);
      }
    }
    NNS_TRY_ASSIGN(const auto parameters, root->parameters());
    for (const Ref<Tensor>& parameter : parameters) capture_->watch(*parameter);
    NNS_TRY_ASSIGN(const auto buffers, root->buffers());
    for (const Ref<Tensor>& buffer : buffers) capture_->watch(*buffer);
  }
  return {};
}

PyResult<void> CapturedStep::take_results(const std::vector<Ref<Tensor>>& made) {
  results_.clear();
  for (const Ref<Tensor>& one : made) results_.push_back(tensor::detach(*one));
  return {};
}

PyResult<void> CapturedStep::run_plainly(std::span<const Ref<Tensor>> inputs) {
  ++counts_.plain;
  capture_ = nullptr;
  NNS_TRY_ASSIGN(const std::vector<Ref<Tensor>> made, body_(inputs));
  return take_results(made);
}

PyResult<void> CapturedStep::capture(std::span<const Ref<Tensor>> inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& given = *inputs[i];
    if (given.device() == Device::Cpu && !given.requires_grad() && tensor::is_non_overlapping_and_dense(given))
      continue;
    reason_ = fmt::format("input {} {}", i,
                          given.device() != Device::Cpu ? "is not on the CPU"
                          : given.requires_grad()       ? "asks for its gradient"
                                                        : "has gaps or overlaps in its memory");
    return run_plainly(inputs);
  }
  // What an earlier capture keeps goes first: its gradients stay where leaves hold them.
  capture_ = nullptr;
  results_.clear();
  NNS_TRY(make_inputs(inputs));
  capture_ = std::make_unique<Capture>(interpreter_);
  NNS_TRY(watch_modules());
  modes_ = modes();
  PyResult<std::vector<Ref<Tensor>>> made = std::vector<Ref<Tensor>>();
  {
    const Capture::Scope scope(*capture_);
    made = body_(inputs_);
  }
  seen_changes_ = OptimLibrary::of(interpreter_).captured_changes;
  if (!made.ok()) {
    capture_ = nullptr;
    return made.error();
  }
  NNS_TRY(take_results(made.value()));
  // The step wrote into its own copies of the inputs; the caller's are what it meant.
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs_[i]->version() == 0) continue;
    capture_->refuse("the step writes into an input");
    NNS_TRY(tensor::copy_(*inputs[i], *inputs_[i]));
  }
  if (modes() != modes_) capture_->refuse("the step left another grad mode or default dtype behind");
  if (capture_->refusal().empty()) {
    ++counts_.captured;
    return {};
  }
  ++counts_.plain;
  given_up_ = reason_ = capture_->refusal();
  capture_ = nullptr;
  return {};
}

PyResult<std::span<const Ref<Tensor>>> CapturedStep::run(std::span<const Ref<Tensor>> inputs) {
  const char* const obstacle_now = obstacle();
  if (obstacle_now != nullptr || !given_up_.empty()) [[unlikely]] {
    reason_ = obstacle_now != nullptr ? obstacle_now : given_up_.c_str();
    NNS_TRY(run_plainly(inputs));
    return std::span<const Ref<Tensor>>(results_);
  }
  const char* const why = capture_ ? mismatch(inputs) : "the step was not captured yet";
  if (why == nullptr) [[likely]] {
    wasted_ = 0;
    reason_.clear();
    NNS_TRY(copy_inputs(inputs));
    ++counts_.replayed;
    NNS_TRY(capture_->replay());
    return std::span<const Ref<Tensor>>(results_);
  }
  reason_ = why;
  if (++wasted_ > kMostWasted) {
    given_up_ = fmt::format("{} captures in a row were never replayed, the last because {}", kMostWasted, why);
    reason_ = given_up_;
    NNS_TRY(run_plainly(inputs));
  } else {
    NNS_TRY(capture(inputs));
  }
  return std::span<const Ref<Tensor>>(results_);
}

}  // namespace nns::optim
