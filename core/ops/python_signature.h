#pragma once

#include <optional>

#include "core/ops/op.h"

namespace nns::ops {

/// What a parameter of a function in Python takes.
struct PythonParameter {
  object::Name name;
  ParameterType type = ParameterType::Any;
  /// May be left out.
  bool is_optional = false;
  bool takes_none = false;
  bool is_keyword_only = false;
  bool takes_one_int = false;
  /// A number will do for a tensor: torch.add(x, 2).
  bool takes_number = false;
  /// What NumPy calls it: a keyword may be one of these, too.
  std::span<const std::string_view> numpy_names;
  Value default_value;
  std::string default_text;
};

/// What a call was given, one value a parameter; the defaults stand where nothing was given.
using BoundArguments = std::vector<Value>;

/// One overload of a function written in C++, as Python sees it, with PyTorch's way of matching arguments.
/// Behaviour: torch/csrc/utils/python_arg_parser.cpp, FunctionSignature.
class PythonSignature {
 public:
  /// `is_method`: the first parameter is self, which stands in no text and is not counted.
  PythonSignature(Interpreter& interpreter, std::string_view function_name, std::vector<PythonParameter> parameters,
                  bool is_method, bool is_hidden = false);

  std::span<const PythonParameter> parameters() const { return parameters_; }
  bool is_hidden() const { return is_hidden_; }
  /// Whether so many arguments could be meant for it.
  bool takes_count(std::size_t count) const { return count >= least_ && count <= most_; }

  /// Whether the arguments fit; then `bound` has them, self in front.
  PyResult<bool> match(Interpreter& interpreter, const object::Arguments& arguments, BoundArguments& bound) const;
  /// The error of arguments that do not fit: which one, and what is wrong with it.
  object::PyError mismatch(Interpreter& interpreter, const object::Arguments& arguments) const;

  /// "(Tensor input, *, Number alpha = 1, Tensor out = None)"
  std::string text() const;

 private:
  PyResult<bool> walk(Interpreter& interpreter, const object::Arguments& arguments, BoundArguments* bound,
                      std::optional<object::PyError>* failure) const;
  object::PyError too_many(Interpreter& interpreter, std::size_t given) const;
  object::PyError missing(Interpreter& interpreter, std::size_t from) const;
  object::PyError unexpected(Interpreter& interpreter, const object::Arguments& arguments) const;

  std::string function_name_;
  std::vector<PythonParameter> parameters_;
  std::size_t first_ = 0;
  std::size_t least_ = 0;
  std::size_t most_ = 0;
  std::size_t most_positional_ = 0;
  bool takes_loose_ints_ = false;
  bool is_hidden_ = false;
};

/// The parameters as a schema writes them, for Python.
std::vector<PythonParameter> python_parameters(Interpreter& interpreter, std::span<const OpParameter> parameters);

/// "add() received an invalid combination of arguments - got (str), but expected one of: ...".
/// Behaviour: torch/csrc/utils/invalid_arguments.cpp.
object::PyError invalid_combination(Interpreter& interpreter, std::string_view function_name,
                                    const object::Arguments& arguments, std::span<const std::string> options);

/// The name of a value's class as these errors write it: "Tensor", "int", "NoneType".
std::string_view python_type_name(Interpreter& interpreter, const Value& value);

}  // namespace nns::ops
