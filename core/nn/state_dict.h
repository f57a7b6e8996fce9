#pragma once

#include "core/nn/module.h"

namespace nns::nn {

/// Module.state_dict with a destination that may be given (None: a new one).
PyResult<Value> state_dict_into(Module& module, Value destination, std::string_view prefix, bool keep_vars);

/// Module._save_to_state_dict.
PyResult<void> save_to_state_dict(Module& module, const Value& destination, std::string_view prefix, bool keep_vars);

/// What load_state_dict hands from module to module. The lists are the program's: hooks may edit them.
struct LoadReport {
  Ref<object::List> missing_keys;
  Ref<object::List> unexpected_keys;
  Ref<object::List> error_messages;
};

/// Module._load_from_state_dict.
PyResult<void> load_from_state_dict(Module& module, Dict& state_dict, std::string_view prefix, Dict& local_metadata,
                                    bool strict, const LoadReport& report);

/// Module.load_state_dict as a program sees it: a named tuple of two lists.
PyResult<Value> load_state_dict_value(Module& module, const Value& state_dict, bool strict, bool assign);

}  // namespace nns::nn
