#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/nn/hooks.h"
#include "core/nn/library.h"
#include "core/object/instance.h"

namespace nns::ops {
enum class MemoryFormat : std::uint8_t;
}

namespace nns::nn {

class Module;

/// A parameter or buffer with its path from the module that was asked: "layers.0.weight".
struct NamedTensor {
  std::string name;
  Ref<Tensor> tensor;
};
struct NamedModule {
  std::string name;
  Ref<Module> module;
};

/// What load_state_dict found: the keys that did not match.
struct IncompatibleKeys {
  std::vector<std::string> missing_keys;
  std::vector<std::string> unexpected_keys;
};

/// One node of the model tree: torch.nn.Module's registries and hooks.
/// Behaviour: torch/nn/modules/module.py, class Module.
/// Lifetime: a module owns its children. Threads: one.
class Module : public object::Instance {
 public:
  static constexpr object::ObjectKind kKind = object::ObjectKind::Module;
  explicit Module(Class& cls) : Instance(cls, kKind) {}

  /// Makes an instance of `cls` (null: Module itself) with its registries: for models built in C++.
  static Ref<Module> make(Interpreter& interpreter, Class* cls = nullptr);

  /// Module.__init__: writes the registries afresh; what they held is dropped.
  void init();
  /// Whether Module.__init__ has run.
  bool has_registry(Registry registry) const { return find_registry(registry) != nullptr; }
  /// The dict of a registry, or null if there is none (or it is something else). Makes an empty one real.
  Dict* registry_dict(Registry registry) const;
  /// The same, null also while it is empty: costs no allocation.
  Dict* filled_registry(Registry registry) const {
    const Value* const found = find_registry(registry);
    Dict* const dict = found == nullptr ? nullptr : found->as<Dict>();
    return dict == nullptr || dict->empty() ? nullptr : dict;
  }
  /// Errors: AttributeError  "'Net' object has no attribute '_modules'", as reading it would raise.
  PyResult<Dict*> required_registry(Registry registry);

  // Attributes: see section 2 of the rules. The texts of errors are PyTorch's.
  /// Reads `name` as Python's `self.name` would.
  PyResult<Value> getattr(Name name);
  PyResult<Value> getattr(std::string_view name) { return getattr(interpreter().intern(name)); }
  /// Stores `value` where Python's `self.name = value` would put it.
  /// Errors: AttributeError  `value` is a Parameter or Module, and Module.__init__ has not run yet.
  ///         TypeError       `name` is registered, and `value` is of another kind and not None.
  PyResult<void> setattr(Name name, const Value& value);
  PyResult<void> setattr(std::string_view name, const Value& value) {
    return setattr(interpreter().intern(name), value);
  }
  /// Removes `name` from wherever it is. Errors: AttributeError.
  PyResult<void> delattr(Name name);
  PyResult<void> delattr(std::string_view name) { return delattr(interpreter().intern(name)); }
  /// What Module.__getattr__ finds: parameters, buffers, children. Errors: AttributeError.
  PyResult<Value> registered_attribute(Name name);
  /// What Module.__setattr__ and __delattr__ do, whatever the class says.
  PyResult<void> module_setattr(Name name, const Value& value);
  PyResult<void> module_delattr(Name name);

  // Registration. `name` is a Value because a program may pass anything.
  PyResult<void> register_parameter(const Value& name, const Value& parameter);
  PyResult<void> register_buffer(const Value& name, const Value& tensor, bool persistent = true);
  /// add_module, register_module.
  PyResult<void> add_module(const Value& name, const Value& module);
  PyResult<void> register_parameter(std::string_view name, const Value& parameter) {
    return register_parameter(interpreter().intern(name).value(), parameter);
  }
  PyResult<void> register_buffer(std::string_view name, const Value& tensor, bool persistent = true) {
    return register_buffer(interpreter().intern(name).value(), tensor, persistent);
  }
  PyResult<void> add_module(std::string_view name, const Value& module) {
    return add_module(interpreter().intern(name).value(), module);
  }

  /// get_submodule("layers.0"): "" is the module itself. Errors: AttributeError.
  PyResult<Ref<Module>> get_submodule(std::string_view target);
  PyResult<Ref<Tensor>> get_parameter(std::string_view target);
  PyResult<Ref<Tensor>> get_buffer(std::string_view target);
  PyResult<void> set_submodule(std::string_view target, const Value& module, bool strict = false);

  // Hooks.
  PyResult<Ref<RemovableHandle>> register_forward_pre_hook(Value hook, const ForwardHookOptions& options = {});
  PyResult<Ref<RemovableHandle>> register_forward_hook(Value hook, const ForwardHookOptions& options = {});
  PyResult<Ref<RemovableHandle>> register_full_backward_pre_hook(Value hook, bool prepend = false);
  /// Errors: RuntimeError  the other kind of backward hook was registered before.
  PyResult<Ref<RemovableHandle>> register_full_backward_hook(Value hook, bool prepend = false);
  PyResult<Ref<RemovableHandle>> register_backward_hook(Value hook);
  PyResult<Ref<RemovableHandle>> register_state_dict_pre_hook(Value hook);
  PyResult<Ref<RemovableHandle>> register_state_dict_post_hook(Value hook);
  PyResult<Ref<RemovableHandle>> register_state_dict_hook_private(Value hook);
  PyResult<Ref<RemovableHandle>> register_load_state_dict_pre_hook(Value hook, bool with_module = true);
  PyResult<Ref<RemovableHandle>> register_load_state_dict_post_hook(Value hook);

  // Calling.
  /// self(*args, **kwargs): what __call__ of its class does.
  PyResult<Value> call(const object::Arguments& arguments) override;
  PyResult<Value> operator()(std::initializer_list<Value> positional) {
    return interpreter().call(Value(this), positional);
  }
  /// Module.__call__: what compile() made, or call_impl().
  PyResult<Value> wrapped_call_impl(const object::Arguments& arguments) { return run_call(arguments, Entry::Wrapped); }
  /// Hooks around forward. Cost: without hooks one check of four tables.
  PyResult<Value> call_impl(const object::Arguments& arguments) { return run_call(arguments, Entry::CallImpl); }
  /// self.forward(*args, **kwargs).
  PyResult<Value> call_forward(const object::Arguments& arguments);

  // Walking. All are in PyTorch's order. Errors: AttributeError  a module lacks its registry.
  PyResult<std::vector<NamedModule>> named_modules(std::string_view prefix = "", bool remove_duplicate = true);
  PyResult<std::vector<NamedModule>> named_children();
  PyResult<std::vector<NamedTensor>> named_parameters(std::string_view prefix = "", bool recurse = true,
                                                      bool remove_duplicate = true);
  PyResult<std::vector<NamedTensor>> named_buffers(std::string_view prefix = "", bool recurse = true,
                                                   bool remove_duplicate = true);
  PyResult<std::vector<Ref<Tensor>>> parameters(bool recurse = true);
  PyResult<std::vector<Ref<Tensor>>> buffers(bool recurse = true);

  /// fn(module) for children first, then self.
  PyResult<void> apply(const std::function<PyResult<void>(Module&)>& fn);
  PyResult<void> train(bool mode = true);
  PyResult<void> requires_grad_(bool requires_grad = true);
  PyResult<void> zero_grad(bool set_to_none = true);
  bool training();

  /// Module._apply: children, parameters, gradients, buffers become fn of themselves.
  using Conversion = std::function<PyResult<Ref<Tensor>>(Tensor&)>;
  PyResult<void> convert(const Conversion& fn, bool recurse = true);
  /// to(dtype, device, memory_format); dtype only for floating and complex tensors.
  /// `format`: the order of parameters and buffers with four or five dimensions.
  PyResult<void> to(std::optional<tensor::DType> dtype, std::optional<tensor::Device> device,
                    std::optional<ops::MemoryFormat> format = std::nullopt);

  // State.
  /// An OrderedDict from path to tensor, with _metadata. `keep_vars`: the parameters themselves, not detached.
  PyResult<Value> state_dict(std::string_view prefix = "", bool keep_vars = false);
  /// Copies what matches; see section 7 of the rules. Cost: linear in the keys times the depth.
  /// Errors: TypeError  not a mapping. RuntimeError  sizes, or with `strict` keys, do not match.
  PyResult<IncompatibleKeys> load_state_dict(const Value& state_dict, bool strict = true, bool assign = false);

  /// repr(self).
  PyResult<std::string> text();

  void replace_dict(Ref<Dict> dict) override;
  /// What compile() made: a copy is not compiled. Behaviour: Module.__getstate__.
  void drop_uncopied(Dict& state) const override;

 protected:
  void forget(Name name, std::initializer_list<Registry> places);

 private:
  /// The entry as it is stored (it may be of kind Empty), or null.
  /// Cost: a few loads, as long as no name comes to the __dict__ or goes from it.
  const Value* find_registry(Registry registry) const {
    const Dict* const own = dict_if_made();
    if (own == nullptr) return nullptr;
    if (own->shape_version() == names_.shape && names_.has_registries_in_place) [[likely]]
      return &own->raw_at(static_cast<std::size_t>(registry));
    return search_registry(*own, registry);
  }
  const Value* search_registry(const Dict& own, Registry registry) const;

  /// What there is to a call besides forward() of the class.
  struct CallParts {
    bool has_hooks = false;
    /// In the __dict__: `forward`, `_compiled_call_impl`, or not all of the registries that a call looks at.
    bool has_own_names = false;
  };
  CallParts call_parts() const;
  /// The methods of those names: the second does not ask for what was compiled, which calls it.
  enum class Entry : std::uint8_t { Wrapped, CallImpl };
  PyResult<Value> run_call(const object::Arguments& arguments, Entry entry);
  PyResult<Value> call_with_hooks(const object::Arguments& arguments);

  /// What is known of the names in the __dict__ while it has this shape.
  struct NamesSeen {
    std::uint64_t shape = kNever;
    /// The shape when a registry was last searched.
    std::uint64_t asked_shape = kNever;
    /// All registries stand where Module.__init__ writes them.
    bool has_registries_in_place = false;
    bool has_forward = false;
    bool has_compiled_call = false;
  };
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  /// Looks again if a name came or went. Derived from the __dict__, so that it may change where the module does not.
  void know_names(const Dict& own) const {
    if (own.shape_version() != names_.shape) [[unlikely]]
      look_at_names(own);
  }
  void look_at_names(const Dict& own) const;
  mutable NamesSeen names_;
};

/// The Module of a value, or null.
inline Module* as_module(const Value& value) { return value.as<Module>(); }

/// "{prefix}.{name}", or the name alone.
std::string joined_path(std::string_view prefix, std::string_view name);

}  // namespace nns::nn
