#include <algorithm>

#include "core/autograd/python_api.h"
#include "core/object/operations.h"
#include "core/ops/final_callbacks.h"
#include "core/ops/saved_hooks.h"

// What torch._C tells of the backward that runs, and changes about tensors without counting it.
// Behaviour: torch/csrc/autograd/init.cpp, python_engine.cpp.
namespace nns::autograd {
namespace {

using Args = std::span<const Value>;
using ops::FinalCallbacks;

constexpr std::string_view kMultithreading = "_multithreading";

bool is_multithreading_enabled(Interpreter& in) {
  const Value* const flag = ops::python_module(in, "torch._C._autograd").find(in.intern(kMultithreading));
  return flag == nullptr || flag->as_bool();
}

PyResult<Value> will_execute(Interpreter& in, Args a) {
  const auto* const node = a[0].as<ops::Node>();
  if (node == nullptr) {
    return object::runtime_error(in, "_will_engine_execute_node expects an grad_fn, but got {}",
                                 in.type_of(a[0]).name());
  }
  const ops::RunningBackward* const state = FinalCallbacks::of(in).state();
  if (state == nullptr) {
    return object::runtime_error(in, "_get_should_execute_nodes should only be called during the backward pass");
  }
  if (dynamic_cast<const ops::AccumulateGrad*>(node) != nullptr && state->captures_at(*node)) {
    return object::runtime_error(in,
                                 "A leaf node was passed to _will_engine_execute_node but we are currently running "
                                 "autograd.grad(). This is currently not supported.");
  }
  return Value(state->will_evaluate(*node));
}

PyResult<Value> execution_order(Interpreter& in, Args) {
  const ops::RunningBackward* const state = FinalCallbacks::of(in).state();
  if (state == nullptr) {
    return object::runtime_error(in,
                                 "_current_graph_task_execution_order should only be called during the backward pass");
  }
  if (is_multithreading_enabled(in)) {
    return object::runtime_error(in,
                                 "_current_graph_task_execution_order expects the current backward to be executed with "
                                 "multithreading disabled, e.g. by running:\n\n>>> with "
                                 "torch.autograd.set_multithreading_enabled(False):\n...     "
                                 "torch.autograd.grad(...)\n");
  }
  const std::vector<Ref<ops::Node>> order = state->order();
  return Value(in.list(std::vector<Value>(order.begin(), order.end())));
}

PyResult<Value> queue_callback(Interpreter& in, Args a) {
  FinalCallbacks& callbacks = FinalCallbacks::of(in);
  if (!callbacks.is_running())
    return object::runtime_error(in, "Final callbacks can only be installed during backward pass.");
  callbacks.queue([&in, callback = a[1]]() -> PyResult<void> {
    NNS_TRY(in.call(callback, {}));
    return {};
  });
  return Value();
}

PyResult<Value> increment_version(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const std::vector<Ref<Tensor>> tensors, tensors_of(in, a[0], "tensors"));
  for (const Ref<Tensor>& one : tensors) {
    if (one->is_inference() && !ops::OpLibrary::of(in).grad_mode.is_inference) {
      return object::runtime_error(
          in,
          "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a "
          "normal tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details.");
    }
    one->bump_version();
  }
  return Value();
}

PyResult<Value> set_version_counter(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const std::vector<Ref<Tensor>> tensors, tensors_of(in, a[0], "tensors"));
  std::vector<Value> versions = {a[1]};
  if (!a[1].is_int()) {
    NNS_TRY_ASSIGN(versions, object::to_vector(in, a[1]));
  }
  if (versions.size() != tensors.size())
    return object::runtime_error(in, "tensors and versions must have the same length");
  for (std::size_t i = 0; i < versions.size(); ++i) {
    if (!versions[i].is_int() || versions[i].as_int() < 0)
      return object::runtime_error(in, "Cannot set a version_counter to a value below 0");
    tensors[i]->set_version(static_cast<std::uint64_t>(versions[i].as_int()));
  }
  return Value();
}

}  // namespace

void add_engine_queries(Interpreter& interpreter) {
  static constexpr std::string_view kCore = "torch._C", kAutograd = "torch._C._autograd";
  add_python_function(interpreter, kCore, "_will_engine_execute_node(node)", will_execute);
  add_python_function(interpreter, kCore, "_current_graph_task_execution_order()", execution_order);
  add_python_function(interpreter, kCore, "_current_autograd_node()", [](Interpreter& in, Args) -> PyResult<Value> {
    const ops::RunningBackward* const state = FinalCallbacks::of(in).state();
    return state == nullptr ? Value() : Value(state->current());
  });
  add_python_function(interpreter, kCore, "_increment_version(tensors)", increment_version);
  add_python_function(interpreter, kCore, "is_grad_enabled()", [](Interpreter& in, Args) -> PyResult<Value> {
    return Value(ops::OpLibrary::of(in).grad_mode.is_enabled);
  });
  add_python_function(interpreter, kCore, "_set_grad_enabled(enabled)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(ops::OpLibrary::of(in).grad_mode.is_enabled, object::truth(in, a[0]));
    return Value();
  });
  add_python_function(interpreter, kAutograd, "_unsafe_set_version_counter(tensors, versions)", set_version_counter);
  add_python_function(interpreter, kCore, "_is_multithreading_enabled()",
                      [](Interpreter& in, Args) -> PyResult<Value> { return Value(is_multithreading_enabled(in)); });
  add_python_function(interpreter, kCore, "_set_multithreading_enabled(enabled)",
                      [](Interpreter& in, Args a) -> PyResult<Value> {
                        NNS_TRY_ASSIGN(const bool wanted, object::truth(in, a[0]));
                        ops::python_module(in, kAutograd).set(in.intern(kMultithreading), Value(wanted));
                        return Value();
                      });
  // Variable._execution_engine: the one backward that there is.
  object::Class& engine = add_python_class(interpreter, kCore, "_EngineBase");
  engine.def("queue_callback(self, callback)", queue_callback);
  engine.def("is_checkpoint_valid(self)",
             [](Interpreter& in, Args) -> PyResult<Value> { return Value(FinalCallbacks::of(in).goes_everywhere()); });
  static_cast<void>(ops::saved_object_class(interpreter));
}

}  // namespace nns::autograd
