#pragma once

#include <array>
#include <span>
#include <string_view>

#include "core/object/interpreter.h"
#include "core/tensor/tensor.h"

namespace nns::nn {

using object::Class;
using object::Dict;
using object::EmptyKind;
using object::Interpreter;
using object::Keyword;
using object::Name;
using object::PyError;
using object::PyResult;
using object::Ref;
using object::Value;
using tensor::Tensor;

using Args = std::span<const Value>;

/// The entries of registries.def.
enum class Registry : std::uint8_t {
#define NNS_REGISTRY(id, key, start) id,
#include "core/nn/registries.def"
#undef NNS_REGISTRY
  Count
};
inline constexpr std::size_t kRegistryCount = static_cast<std::size_t>(Registry::Count);

/// The keys of registries.def: "_parameters".
std::string_view registry_key(Registry registry);

/// The hook tables that Python keeps in globals of torch.nn.modules.module: the entries of global_hooks.def.
enum class GlobalHooks : std::uint8_t {
#define NNS_GLOBAL_HOOKS(id, name) id,
#include "core/nn/global_hooks.def"
#undef NNS_GLOBAL_HOOKS
  Count
};
/// Their names there, by table: "_global_forward_hooks".
inline constexpr std::array<std::string_view, static_cast<std::size_t>(GlobalHooks::Count)> kGlobalHooksNames = {
#define NNS_GLOBAL_HOOKS(id, name) name,
#include "core/nn/global_hooks.def"
#undef NNS_GLOBAL_HOOKS
};

/// What the module system needs of an interpreter: its classes, names, global hooks and switches.
class NnLibrary final : public Interpreter::Extension {
 public:
  static constexpr Interpreter::ExtensionSlot kSlot = Interpreter::ExtensionSlot::Nn;
  ~NnLibrary() override;

  /// The library of `interpreter`, made at the first question.
  static NnLibrary& of(Interpreter& interpreter) {
    if (NnLibrary* made = interpreter.extension<NnLibrary>()) [[likely]]
      return *made;
    return make(interpreter);
  }

  struct Names {
#define NNS_NAME(id, text) Name id;
#include "core/nn/names.def"
#undef NNS_NAME
  } names;
  Name key(Registry registry) const { return keys_[static_cast<std::size_t>(registry)]; }
  /// All of them, in the order of registries.def.
  std::span<const Name> keys() const { return keys_; }

  Class* module = nullptr;
  Class* wrapped_hook = nullptr;
  Class* incompatible_keys = nullptr;
  Class* packed_sequence = nullptr;
  /// torch.nn.modules.lazy.LazyModuleMixin; null where nothing computes.
  Class* lazy_mixin = nullptr;
  /// Classes of torch.nn by name: "Linear".
  Class* find_class(std::string_view name) const;
  void add_class(std::string_view name, Class& cls) {
    classes_->set(cls.interpreter().intern(name), Value(static_cast<object::Object*>(&cls)));
  }

  /// What Module itself says `name` is: a class that has something else overrides it, as does a program that puts a
  /// function of its own into Module.
  bool is_modules_own(const Class& cls, Name name) const {
    const Value* found = cls.lookup(name);
    const Value* own = module->lookup(name);
    return found != nullptr && own != nullptr && found->is(*own) && found->as<object::NativeFunction>() != nullptr;
  }

  /// Ways to use a module that a class may leave to Module.
  enum class Way : std::uint8_t {
    Read,
    Write,
    Call,
    RegisterParameter,
    RegisterBuffer,
    Train,
    Apply,
    StateDict,
    SaveToStateDict,
    GetExtraState,
    LoadFromStateDict,
    SetExtraState,
  };
  /// Whether `cls` leaves that to Module. Cost: one load, after the first time.
  bool leaves_to_module(const Class& cls, Way way) const {
    const std::uint32_t known = cls.derived_facts();
    return ((known != 0 ? known : find_facts(cls)) >> static_cast<unsigned>(way) & 1U) != 0;
  }

  /// The 17 entries of a new module's __dict__; to be copied.
  const Dict& fresh_dict() const { return *fresh_dict_; }

  /// The table as torch.nn.modules.module has it now: programs put others there.
  Dict& hooks(GlobalHooks table) {
    if (seen_global_changes_ != global_changes_) [[unlikely]]
      look_at_global_hooks();
    return *hooks_[static_cast<std::size_t>(table)];
  }
  /// The names of torch.nn.modules.module, by which programs reach the tables.
  void show_global_hooks(Dict& shown);
  /// torch.nn.functional.<name>, made at the first question; Absent where there is none.
  Value function(Interpreter& interpreter, std::string_view name);

  /// torch.nn.utils.rnn.<name>, likewise.
  Value rnn_utility(Interpreter& interpreter, std::string_view name);

  /// Whether a global hook takes part in calls.
  bool has_global_call_hooks() {
    if (seen_global_changes_ != global_changes_) [[unlikely]]
      look_at_global_hooks();
    return has_global_call_hooks_;
  }
  /// None, then which kind of global backward hook was ever registered.
  Value global_is_full_backward_hook;

  /// torch.__future__.set_overwrite_module_params_on_conversion and set_swap_module_params_on_conversion.
  bool overwrite_params_on_conversion = false;
  bool swap_params_on_conversion = false;

 private:
  static NnLibrary& make(Interpreter& interpreter);
  std::uint32_t find_facts(const Class& cls) const;
  explicit NnLibrary(Interpreter& interpreter);
  void look_at_global_hooks();

  /// How often the tables of global hooks that take part in calls were changed, and when they were last looked at.
  std::uint64_t global_changes_ = 1;
  std::uint64_t seen_global_changes_ = 0;
  bool has_global_call_hooks_ = false;
  std::array<Name, static_cast<std::size_t>(GlobalHooks::Count)> hook_keys_;
  /// Null: nobody can reach the tables yet.
  Ref<Dict> hook_names_;
  std::array<Name, kRegistryCount> keys_;
  Ref<Dict> fresh_dict_;
  Ref<Dict> classes_;
  Ref<Dict> functions_;
  Ref<Dict> rnn_utilities_;
  std::array<Ref<Dict>, static_cast<std::size_t>(GlobalHooks::Count)> hooks_;
};

/// Each fills the library's interpreter with some classes; called once.
void add_module_class(Interpreter& interpreter, NnLibrary& library);
void add_module_methods(Interpreter& interpreter, NnLibrary& library);
void add_module_hook_methods(Interpreter& interpreter, NnLibrary& library);
void add_module_state_methods(Interpreter& interpreter, NnLibrary& library);
void add_hook_classes(Interpreter& interpreter, NnLibrary& library);
void add_sequential_classes(Interpreter& interpreter, NnLibrary& library);
void add_module_dict_class(Interpreter& interpreter, NnLibrary& library);
void add_parameter_containers(Interpreter& interpreter, NnLibrary& library);
/// Those whose instances find their shapes at the first call. In a file of its own, as ops::op_bodies().
void add_lazy_classes(Interpreter& interpreter, NnLibrary& library);

}  // namespace nns::nn
