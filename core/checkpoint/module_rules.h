#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/checkpoint/object_description.h"

/// What the inspector says of the entries of a module, whether the module lives in a program, was pickled, or is
/// worked out from names. Behaviour: torch/nn/modules/module.py. Rule numbers count the cases of Module.__setattr__.
namespace nns::checkpoint {

/// One key that Module.__init__ writes into `__dict__`.
struct ModuleKey {
  std::string_view name;
  std::string_view type;  ///< class of its value
  std::string_view text;  ///< repr of its first value
  AttributePlace place;   ///< Registry, or Dict for the two flags
  AttributePlace holds;   ///< what its entries are: Parameters, Buffers, Modules, Hooks; Dict if they get no lines
  std::string_view why;   ///< who writes it and who reads it, one sentence
  // Hook dictionaries only:
  std::string_view hook_kind = {};
  std::string_view hook_why = {};       ///< who put a hook there
  std::string_view with_kwargs = {};    ///< the dictionary that marks hooks which get the keyword arguments
  std::string_view always_called = {};  ///< the dictionary that marks hooks which run after an exception, too
};

/// All 17, in the order of a new module's `__dict__`.
std::span<const ModuleKey> module_keys();
/// Null for every other name.
const ModuleKey* find_module_key(std::string_view name);

/// "full backward hook" or "backward hook (not full)": what `_is_full_backward_hook` makes of `_backward_hooks`.
std::string_view backward_hook_kind(bool is_full);

/// What put an entry where it is.
enum class EntryRule : std::uint8_t {
  Parameter,
  NoParameter,  ///< None in _parameters
  Buffer,
  NonPersistentBuffer,
  ParameterAsBuffer,
  NoBuffer,  ///< None in _buffers
  Module,
  NoModule,     ///< None in _modules
  Plain,        ///< in __dict__
  PlainTensor,  ///< a tensor in __dict__
  PlainHolder,  ///< a list, tuple or dict in __dict__ that holds modules or parameters
  Bypassed,     ///< a Parameter or Module in __dict__
  Odd,          ///< in a registry that takes no such value
};

/// One sentence.
std::string_view rule_of(EntryRule rule);
/// The rule for an entry of a registry: Parameters, Buffers or Modules. Must hold: `place` is one of them.
EntryRule entry_rule(AttributePlace place, bool is_none);

}  // namespace nns::checkpoint
