#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "core/tensor/tensor.h"

/// The protocol __torch_function__: classes derived from Tensor, other classes that have it, and modes answer in the
/// place of functions and methods of torch.
/// Behaviour: torch/csrc/utils/python_arg_parser.cpp, torch/csrc/utils/disable_torch_function.cpp, torch/_tensor.py.
namespace nns::ops {

using object::Interpreter;
using object::PyResult;
using object::Ref;
using object::Value;
using tensor::Tensor;

/// Who answers, in one interpreter.
struct Overrides {
  /// Whether there ever was a tensor of a class that answers, or a mode: until then nobody is asked.
  bool has_begun = false;
  /// How often DisableTorchFunctionSubclass was entered: only modes are asked then.
  int classes_disabled = 0;
  /// The same for modes.
  int modes_disabled = 0;
  /// TorchFunctionModes, the last one is asked first.
  std::vector<Value> modes;
  /// What other folders do when it begins: their functions ask from then on, too.
  std::vector<std::function<void(Interpreter&)>> when_begun;

  bool is_active() const { return has_begun && (classes_disabled == 0 || (!modes.empty() && modes_disabled == 0)); }
};
/// python_function.h.
object::Dict& python_module(Interpreter& interpreter, std::string_view name);

Overrides& overrides_of(Interpreter& interpreter);

/// Whether functions that are called ask first. Cost: a load and a branch until there is somebody to ask.
bool is_overriding(Interpreter& interpreter);

/// What modes and classes of the arguments say of a call; Absent: there are none. `name`: of the function, below torch.
/// Errors: TypeError  all of them gave NotImplemented.
PyResult<Value> overridden(Interpreter& interpreter, const Value& function, std::string_view name,
                           const object::Arguments& arguments);

/// The same for the function torch.<name>, if there may be somebody to ask.
inline PyResult<Value> overridden_function(Interpreter& interpreter, std::string_view name,
                                           const object::Arguments& arguments) {
  if (!is_overriding(interpreter)) [[likely]]
    return Value::absent();
  return overridden(interpreter, *python_module(interpreter, "torch").find(interpreter.intern(name)), name, arguments);
}

/// Lets functions ask from now on. Called before there is the first tensor of a class that answers.
void begin_overriding(Interpreter& interpreter);
/// Makes the methods of a class that are functions of ours ask, `name` for its own or all (empty).
void ask_before_methods(object::Class& cls, std::string_view name);

/// The tensor, which nobody else has, as one of class `cls`, which is derived from Tensor.
void become(Tensor& tensor, object::Class& cls);

/// torch._C's part of it, Tensor.__torch_function__, as_subclass and _make_subclass.
void add_overrides(Interpreter& interpreter);

}  // namespace nns::ops
