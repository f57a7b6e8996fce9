#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/autograd/removable_handle.h"
#include "core/nn/library.h"
#include "core/object/instance.h"

namespace nns::nn {

using autograd::add_hook;
using autograd::RemovableHandle;
using autograd::snapshot;

/// Which tables a forward hook also enters.
struct ForwardHookOptions {
  /// Before the hooks that are there, instead of after them.
  bool prepend = false;
  /// The hook also gets the keyword arguments.
  bool with_kwargs = false;
  /// It also runs when the call raised. Only for hooks after forward.
  bool always_call = false;
};

/// register_module_forward_hook and its siblings: hooks that run for every module of the interpreter.
Ref<RemovableHandle> register_module_forward_pre_hook(Interpreter& interpreter, Value hook);
Ref<RemovableHandle> register_module_forward_hook(Interpreter& interpreter, Value hook,
                                                  const ForwardHookOptions& options = {});
Ref<RemovableHandle> register_module_full_backward_pre_hook(Interpreter& interpreter, Value hook);
/// `full`: register_module_full_backward_hook, else register_module_backward_hook.
/// Errors: RuntimeError  the other kind was registered before.
PyResult<Ref<RemovableHandle>> register_module_backward_hook(Interpreter& interpreter, Value hook, bool full);
/// register_module_{parameter,buffer,module}_registration_hook, by their table.
Ref<RemovableHandle> register_module_registration_hook(Interpreter& interpreter, GlobalHooks table, Value hook);

class Module;
/// A load_state_dict pre-hook as its table holds it; `with_module`: it is called with the module in front.
Value wrap_hook(Module& module, Value hook, bool with_module);
/// What wrap_hook was given; nothing for any other value.
struct WrappedHookParts {
  Value hook;
  bool with_module = false;
};
std::optional<WrappedHookParts> unwrap_hook(const Value& value);
/// The class of those objects.
Class& define_wrapped_hook(Interpreter& interpreter);

}  // namespace nns::nn
