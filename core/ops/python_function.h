#pragma once

#include <functional>

#include "core/ops/overrides.h"
#include "core/ops/python_signature.h"

namespace nns::ops {

/// What an overload runs: one value a parameter.
using OverloadBody = object::Body<PyResult<Value>(Interpreter& interpreter, std::span<const Value> args)>;

struct Overload {
  PythonSignature signature;
  OverloadBody body;
};

/// A function or a method of torch._C: overloads, of which the first that fits the arguments runs.
/// Behaviour: torch/csrc/utils/python_arg_parser.cpp, PythonArgParser.
class PythonFunction final : public object::Container {
 public:
  enum class Form : std::uint8_t { Function, Method };
  PythonFunction(Interpreter& interpreter, std::string_view name, Form form);

  std::string_view name() const { return name_; }
  /// The module that has it: "torch.linalg"; of a method "torch".
  std::string_view place() const { return place_; }
  void set_place(std::string_view place) { place_ = place; }
  bool is_method() const { return form_ == Form::Method; }
  void add(Overload overload) { overloads_.push_back(std::move(overload)); }
  /// Adds the overload that `parameters` describe: "Tensor input, int dim, *, dtype? dtype=None".
  void add(std::string_view parameters, OverloadBody body, bool is_hidden = false);
  std::span<const Overload> overloads() const { return overloads_; }

  /// Errors: TypeError in PyTorch's words when no overload fits.
  PyResult<Value> call(const object::Arguments& arguments) override;
  object::DescriptorKind descriptor_kind() const override {
    return is_method() ? object::DescriptorKind::Method : object::DescriptorKind::None;
  }
  PyResult<Value> bind(const Value& self, object::Class& owner) override;
  void traverse(object::Visitor& visitor) const override;
  void clear_references() override;

 private:
  /// "add", "Tensor.add": below torch.
  std::string shown_name() const;
  object::PyError no_overload(const object::Arguments& arguments) const;

  std::string name_;
  std::string place_ = "torch";
  Form form_;
  std::vector<Overload> overloads_;
};

/// The attributes of a module that Python imports, by its full name: "torch", "torch.nn.functional". Made empty at the
/// first question; the libraries fill it.
object::Dict& python_module(Interpreter& interpreter, std::string_view name);
/// The names of all that were asked for.
std::vector<std::string> python_module_names(Interpreter& interpreter);

/// torch.<name>(...) or <module>.<name>(...): "full(int[] size, Number fill_value, *, dtype? dtype=None)". A further
/// call with the same name adds an overload.
void add_function(Interpreter& interpreter, std::string_view module, std::string_view signature, OverloadBody body);
/// The same for a method of Tensor; the first parameter is self.
void add_method(Interpreter& interpreter, std::string_view signature, OverloadBody body);

/// Adds the ops of ops.def and all that is made of them to Tensor, torch, torch.nn.functional and torch.special. Called
/// once for an interpreter, by whoever builds on tensors in Python; a further call does nothing.
void add_python_bindings(Interpreter& interpreter);

/// All parts of it, in a file of its own as op_bodies().
void add_all_bindings(Interpreter& interpreter);
/// The parts.
void add_op_bindings(Interpreter& interpreter);
void add_tensor_operators(Interpreter& interpreter);
void add_subscripts(Interpreter& interpreter);
void add_creation_functions(Interpreter& interpreter);
void add_random_functions(Interpreter& interpreter);
void add_conversions(Interpreter& interpreter);
void add_shape_functions(Interpreter& interpreter);
void add_selection_functions(Interpreter& interpreter);
void add_einsum(Interpreter& interpreter);
void add_unique_functions(Interpreter& interpreter);
void add_sequence_functions(Interpreter& interpreter);
void add_tensor_queries(Interpreter& interpreter);

/// The tensors that a function takes one by one or in one sequence; `given`: the tuple of its arguments.
/// Errors: TypeError  "{name}(): argument 'tensors' (position 1) must be tuple of Tensors, but found ...".
PyResult<std::vector<Value>> loose_tensors(Interpreter& interpreter, const Value& given, std::string_view name);

/// torch.return_types.<name>(items): a tuple whose items also have names.
Value named_result(Interpreter& interpreter, std::string_view name, std::string_view fields, std::vector<Value> items);

}  // namespace nns::ops
