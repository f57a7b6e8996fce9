#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/nn/library.h"
#include "core/object/instance.h"

namespace nns::nn {

/// What registering a hook returns. Dropping it does not remove the hook; remove() does.
/// Behaviour: torch/utils/hooks.py, class RemovableHandle. It knows the tables weakly.
class RemovableHandle final : public object::Instance {
 public:
  RemovableHandle(Interpreter& interpreter, std::int64_t id, std::string_view table_name, Dict& table,
                  std::vector<Dict*> side_tables);

  std::int64_t id() const { return id_; }
  /// Takes the hook out of its tables; doing it again, or after the module died, is harmless.
  void remove();

  void traverse(object::Visitor& visitor) const override;
  void clear_references() override;

 private:
  std::int64_t id_;
  std::string table_name_;
  Ref<object::WeakReference> table_;
  std::vector<Ref<object::WeakReference>> side_tables_;
};

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

/// Enters `hook` into a table under a new id.
Ref<RemovableHandle> add_hook(Interpreter& interpreter, std::string_view table_name, Dict& table, Value hook,
                              std::vector<Dict*> side_tables = {});

class Module;
/// A load_state_dict pre-hook as its table holds it; `with_module`: it is called with the module in front.
Value wrap_hook(Module& module, Value hook, bool with_module);
/// What wrap_hook was given; nothing for any other value.
struct WrappedHookParts {
  Value hook;
  bool with_module = false;
};
std::optional<WrappedHookParts> unwrap_hook(const Value& value);

/// The (id, hook) pairs of a table now: what is removed or added during a call has no effect on it.
std::vector<std::pair<std::int64_t, Value>> snapshot(Dict& table);

}  // namespace nns::nn
