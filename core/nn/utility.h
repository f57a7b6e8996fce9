#pragma once

#include <span>
#include <string_view>

#include "core/nn/module.h"

namespace nns::nn {

/// A function of a module of Python that is neither a layer nor in torch.nn.functional.
struct UtilityRow {
  /// "torch.nn.init", "torch.nn.utils", "torch.nn.utils.parametrize", ...
  std::string_view module;
  /// "xavier_uniform_(tensor, gain=1.0, generator=None)". A name alone: a class, which `body` makes at the first
  /// question.
  std::string_view signature;
  PyResult<Value> (*body)(Interpreter& interpreter, Args args);
};

#define NNS_UTILITIES(family) std::span<const UtilityRow> family##_utilities();
#include "core/nn/utility.def"
#undef NNS_UTILITIES

/// Makes all of them attributes of their modules (ops::python_module), where a program imports them.
void add_utilities(Interpreter& interpreter);
/// The function as an object, the same one each time; Absent where there is none.
/// utility(in, "torch.nn.utils", "clip_grad_norm_").
Value utility(Interpreter& interpreter, std::string_view module, std::string_view name);
/// Calls it. Must hold: there is one.
PyResult<Value> call_utility(Interpreter& interpreter, std::string_view module, std::string_view name,
                             std::span<const Value> positional, std::span<const Keyword> keywords = {});

/// The tensors of an iterable of tensors, or one tensor alone.
/// Errors: TypeError  not iterable, or something else is among them.
PyResult<std::vector<Ref<Tensor>>> tensors_of(Interpreter& interpreter, const Value& value);

/// The id of the module's own hook that is of class `cls` and whose attribute `attribute` is `name`, or Absent.
PyResult<Value> find_hook(Module& module, Registry table, const Class& cls, std::string_view attribute,
                          const Value& name);
/// Calls remove(module) of such a hook before forward, takes it out of its table, and returns the module.
/// Errors: ValueError  there is none: `not_found` with {name} and {module} in it.
PyResult<Value> remove_named_hook(Interpreter& interpreter, const Value& module, const Class& cls,
                                  std::string_view attribute, const Value& name, std::string_view not_found);

}  // namespace nns::nn
