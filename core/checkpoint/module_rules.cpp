#include "core/checkpoint/module_rules.h"

#include <algorithm>

namespace nns::checkpoint {

namespace {

constexpr auto kDict = AttributePlace::Dict;
constexpr auto kRegistry = AttributePlace::Registry;
constexpr auto kHooks = AttributePlace::Hooks;

constexpr ModuleKey kKeys[] = {
    {"training", "bool", "True", kDict, kDict,
     "Module.__init__ writes True before all else; train() and eval() write it again, by rule 6 of "
     "Module.__setattr__."},
    {"_parameters", "dict", "{}", kRegistry, AttributePlace::Parameters,
     "Module.__init__ writes this registry; Module.__setattr__ (rule 1) and register_parameter fill it, and "
     "Module.__getattr__ looks here first."},
    {"_buffers", "dict", "{}", kRegistry, AttributePlace::Buffers,
     "Module.__init__ writes this registry; register_buffer and Module.__setattr__ (rule 5) fill it, and "
     "Module.__getattr__ looks here after _parameters."},
    {"_non_persistent_buffers_set", "set", "set()", kRegistry, kDict,
     "Module.__init__ writes this set; register_buffer(..., persistent=False) adds a name to it, and state_dict leaves "
     "such buffers out."},
    {"_backward_pre_hooks", "OrderedDict", "OrderedDict()", kRegistry, kHooks,
     "Module.__init__ writes it; register_full_backward_pre_hook fills it, and its hooks run when the gradient of the "
     "output arrives.",
     "full backward pre-hook", "register_full_backward_pre_hook put it into _backward_pre_hooks."},
    {"_backward_hooks", "OrderedDict", "OrderedDict()", kRegistry, kHooks,
     "Module.__init__ writes it; register_full_backward_hook or register_backward_hook fills it, and its hooks run "
     "when the gradient of the input is ready.",
     "backward hook", "register_full_backward_hook or register_backward_hook put it into _backward_hooks."},
    {"_is_full_backward_hook", "NoneType", "None", kDict, kDict,
     "Module.__init__ writes None; the first backward hook makes it True (full) or False, and it stays so when the "
     "hook is removed."},
    {"_forward_hooks", "OrderedDict", "OrderedDict()", kRegistry, kHooks,
     "Module.__init__ writes it; register_forward_hook fills it, and __call__ runs its hooks after forward, behind the "
     "global ones.",
     "forward hook", "register_forward_hook put it into _forward_hooks.", "_forward_hooks_with_kwargs",
     "_forward_hooks_always_called"},
    {"_forward_hooks_with_kwargs", "OrderedDict", "OrderedDict()", kRegistry, kDict,
     "Module.__init__ writes it; register_forward_hook(..., with_kwargs=True) notes the hook's id, and such a hook "
     "gets the keyword arguments, too."},
    {"_forward_hooks_always_called", "OrderedDict", "OrderedDict()", kRegistry, kDict,
     "Module.__init__ writes it; register_forward_hook(..., always_call=True) notes the hook's id, and such a hook "
     "also runs when the call raised."},
    {"_forward_pre_hooks", "OrderedDict", "OrderedDict()", kRegistry, kHooks,
     "Module.__init__ writes it; register_forward_pre_hook fills it, and __call__ runs its hooks before forward, "
     "behind the global ones.",
     "forward pre-hook", "register_forward_pre_hook put it into _forward_pre_hooks.", "_forward_pre_hooks_with_kwargs"},
    {"_forward_pre_hooks_with_kwargs", "OrderedDict", "OrderedDict()", kRegistry, kDict,
     "Module.__init__ writes it; register_forward_pre_hook(..., with_kwargs=True) notes the hook's id, and such a hook "
     "gets and may replace the keyword arguments, too."},
    {"_state_dict_hooks", "OrderedDict", "OrderedDict()", kRegistry, kHooks,
     "Module.__init__ writes it; register_state_dict_post_hook fills it, and state_dict runs its hooks when the module "
     "and its children have been saved.",
     "state_dict hook", "register_state_dict_post_hook put it into _state_dict_hooks."},
    {"_state_dict_pre_hooks", "OrderedDict", "OrderedDict()", kRegistry, kHooks,
     "Module.__init__ writes it; register_state_dict_pre_hook fills it, and state_dict runs its hooks before it saves.",
     "state_dict pre-hook", "register_state_dict_pre_hook put it into _state_dict_pre_hooks."},
    {"_load_state_dict_pre_hooks", "OrderedDict", "OrderedDict()", kRegistry, kHooks,
     "Module.__init__ writes it; register_load_state_dict_pre_hook fills it, and load_state_dict runs its hooks before "
     "it copies into this module.",
     "load_state_dict pre-hook", "register_load_state_dict_pre_hook put it into _load_state_dict_pre_hooks."},
    {"_load_state_dict_post_hooks", "OrderedDict", "OrderedDict()", kRegistry, kHooks,
     "Module.__init__ writes it; register_load_state_dict_post_hook fills it, and load_state_dict runs its hooks when "
     "the module and its children are loaded.",
     "load_state_dict post-hook", "register_load_state_dict_post_hook put it into _load_state_dict_post_hooks."},
    {"_modules", "dict", "{}", kRegistry, AttributePlace::Modules,
     "Module.__init__ writes this registry last; Module.__setattr__ (rule 3) and add_module fill it, and "
     "Module.__getattr__ looks here last."},
};

}  // namespace

std::span<const ModuleKey> module_keys() { return kKeys; }

const ModuleKey* find_module_key(std::string_view name) {
  const auto found =
      std::find_if(std::begin(kKeys), std::end(kKeys), [&](const ModuleKey& k) { return k.name == name; });
  return found == std::end(kKeys) ? nullptr : found;
}

std::string_view backward_hook_kind(bool is_full) {
  return is_full ? "full backward hook" : "backward hook (not full)";
}

std::string_view rule_of(EntryRule rule) {
  switch (rule) {
    case EntryRule::Parameter:
      return "Module.__setattr__, rule 1: a Parameter goes to _parameters, and its name leaves every other place.";
    case EntryRule::NoParameter:
      return "register_parameter(name, None), or None written over a Parameter (Module.__setattr__, rule 2): the name "
             "stays in _parameters, without a tensor.";
    case EntryRule::Buffer:
      return "register_buffer put it into _buffers; Module.__setattr__, rule 5, keeps a tensor there when the name is "
             "written again.";
    case EntryRule::NonPersistentBuffer:
      return "register_buffer(..., persistent=False) put it into _buffers and its name into "
             "_non_persistent_buffers_set: state_dict leaves it out.";
    case EntryRule::ParameterAsBuffer:
      return "register_buffer put it into _buffers, though it is a Parameter: parameters() does not find it here.";
    case EntryRule::NoBuffer:
      return "register_buffer(name, None), or None written over a buffer (Module.__setattr__, rule 5): the name stays "
             "in _buffers, without a tensor.";
    case EntryRule::Module:
      return "Module.__setattr__, rule 3: a Module goes to _modules, and its name leaves every other place.";
    case EntryRule::NoModule:
      return "add_module(name, None), or None written over a child (Module.__setattr__, rule 4): the name stays in "
             "_modules, without a module.";
    case EntryRule::Plain:
      return "Module.__setattr__, rule 6: neither a Parameter nor a Module nor a Buffer, and its name is in no "
             "registry, so object.__setattr__ put it into __dict__.";
    case EntryRule::PlainTensor:
      return "Module.__setattr__, rule 6: a plain tensor is neither a Parameter nor a Buffer, so object.__setattr__ "
             "put it into __dict__, where parameters(), state_dict() and to() do not see it.";
    case EntryRule::PlainHolder:
      return "Module.__setattr__, rule 6: what holds modules or parameters is neither itself, so object.__setattr__ "
             "put it into __dict__, and parameters() does not find what is inside (ModuleList, ModuleDict, "
             "ParameterList and ParameterDict would register it).";
    case EntryRule::Bypassed:
      return "Written past Module.__setattr__, by object.__setattr__ or into __dict__ itself: it is not registered, so "
             "parameters(), modules() and state_dict() do not find it here.";
    case EntryRule::Odd:
      return "Written past Module.__setattr__, into the registry itself, which takes no value of this type.";
  }
  return {};
}

EntryRule entry_rule(AttributePlace place, bool is_none) {
  switch (place) {
    case AttributePlace::Parameters:
      return is_none ? EntryRule::NoParameter : EntryRule::Parameter;
    case AttributePlace::Buffers:
      return is_none ? EntryRule::NoBuffer : EntryRule::Buffer;
    default:
      return is_none ? EntryRule::NoModule : EntryRule::Module;
  }
}

}  // namespace nns::checkpoint
