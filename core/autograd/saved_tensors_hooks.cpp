#include "core/autograd/python_api.h"
#include "core/object/operations.h"
#include "core/ops/final_callbacks.h"
#include "core/ops/saved_hooks.h"

// What torch.autograd.graph.saved_tensors_hooks and disable_saved_tensors_hooks stand on.
// Behaviour: torch/csrc/autograd/init.cpp; aten/src/ATen/SavedTensorHooks.cpp.
namespace nns::autograd {
namespace {

using Args = std::span<const Value>;
using ops::SavedTensorHooks;

PyResult<Value> refused(Interpreter& in) { return object::runtime_error(in, "{}", *SavedTensorHooks::of(in).refusal); }

PyResult<Value> push_hooks(Interpreter& in, Args a) {
  SavedTensorHooks& hooks = SavedTensorHooks::of(in);
  if (hooks.refusal) return refused(in);
  hooks.pairs.push_back({a[0], a[1]});
  return Value();
}

PyResult<Value> pop_hooks(Interpreter& in, Args) {
  SavedTensorHooks& hooks = SavedTensorHooks::of(in);
  if (hooks.pairs.empty()) return object::runtime_error(in, "no hooks of saved tensors are in force");
  hooks.pairs.pop_back();
  return Value();
}

PyResult<Value> disable_hooks(Interpreter& in, Args a) {
  const auto* const message = a[0].as<object::Str>();
  if (message == nullptr) return object::type_error(in, "error_message must be a str");
  NNS_TRY_ASSIGN(const bool refuses_now, object::truth(in, a[1]));
  SavedTensorHooks& hooks = SavedTensorHooks::of(in);
  hooks.refusal = std::string(message->view());
  return refuses_now && !hooks.pairs.empty() ? refused(in) : PyResult<Value>(Value());
}

}  // namespace

void add_saved_tensors_hooks(Interpreter& interpreter) {
  constexpr std::string_view kModule = "torch._C._autograd";
  add_python_function(interpreter, kModule, "_push_saved_tensors_default_hooks(pack_hook, unpack_hook)", push_hooks);
  add_python_function(interpreter, kModule, "_pop_saved_tensors_default_hooks()", pop_hooks);
  add_python_function(interpreter, kModule, "_saved_tensors_hooks_disable(error_message, fail_if_non_empty=True)",
                      disable_hooks);
  add_python_function(interpreter, kModule, "_saved_tensors_hooks_enable()", [](Interpreter& in, Args) {
    SavedTensorHooks::of(in).refusal.reset();
    return PyResult<Value>(Value());
  });
  // None: nobody asks any more.
  add_python_function(interpreter, kModule, "_set_before_write(callback)", [](Interpreter& in, Args a) {
    SavedTensorHooks::of(in).before_write = a[0].is_none() ? Value::absent() : a[0];
    return PyResult<Value>(Value());
  });
  add_python_function(interpreter, "torch._C", "_current_graph_task_id()", [](Interpreter& in, Args) {
    return PyResult<Value>(Value(ops::FinalCallbacks::of(in).running()));
  });
  add_python_function(interpreter, "torch.autograd", "_is_checkpoint_valid()", [](Interpreter& in, Args) {
    return PyResult<Value>(Value(ops::FinalCallbacks::of(in).goes_everywhere()));
  });
  add_python_function(interpreter, kModule, "_saved_tensors_hooks_is_enabled()",
                      [](Interpreter& in, Args) { return PyResult<Value>(Value(!SavedTensorHooks::of(in).refusal)); });
  add_python_function(interpreter, kModule, "_saved_tensors_hooks_get_disabled_error_message()",
                      [](Interpreter& in, Args) -> PyResult<Value> {
                        const std::optional<std::string>& refusal = SavedTensorHooks::of(in).refusal;
                        return refusal ? in.text(*refusal) : Value();
                      });
}

}  // namespace nns::autograd
