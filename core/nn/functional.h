#pragma once

#include <fmt/ranges.h>

#include <span>
#include <string_view>

#include "core/nn/library.h"
#include "core/ops/term.h"

namespace nns::nn {

/// One call of a function of torch.nn.functional whose arguments were checked.
class FunctionCall {
 public:
  FunctionCall(Interpreter& in, std::string_view function, Args arguments)
      : interpreter(in), name(function), args(arguments) {}

  Interpreter& interpreter;
  std::string_view name;
  /// One value a parameter; what was not given has its default.
  Args args;

  bool is_none(std::size_t i) const { return args[i].is_none(); }
  /// The tensor given for parameter `i`, or null.
  Tensor* tensor(std::size_t i) const { return args[i].as<Tensor>(); }
  Tensor& required(std::size_t i) const { return *args[i].as<Tensor>(); }
  /// The same as the start of a formula; None is a term without a tensor.
  ops::Term term(std::size_t i) const { return Ref<Tensor>(args[i].as<Tensor>()); }
  double real(std::size_t i) const { return ops::Number::of(args[i]).as_double(); }
  std::int64_t integer(std::size_t i) const { return args[i].as_int(); }
  bool flag(std::size_t i) const { return args[i].as_bool(); }
  std::string_view text(std::size_t i) const { return args[i].as<object::Str>()->view(); }
};

using FunctionBody = PyResult<Value> (*)(FunctionCall& call);

/// A row of a family's table.
struct FunctionRow {
  /// "leaky_relu(input, negative_slope=0.01, inplace=False)".
  std::string_view signature;
  /// What each parameter takes, a letter each: T Tensor, N number, i int, f float, b truth value, s str, L ints (given
  /// as a tuple, a list or one int; the body gets a tuple), . anything. Small letters t, n, j, l: the same or None.
  std::string_view types;
  FunctionBody body;
};

/// The families, each in the file of its name ("normalization" in functional_normalization.cpp).
#define NNS_FUNCTIONS(family) std::span<const FunctionRow> family##_functions();
#include "core/nn/functional.def"
#undef NNS_FUNCTIONS

/// All of functional.def. In a file of its own, as ops::op_bodies().
using FunctionFamily = std::span<const FunctionRow> (*)();
std::span<const FunctionFamily> function_families();

/// The functions of torch.nn.utils.rnn.
std::span<const FunctionRow> rnn_utility_functions();

/// torch.nn.functional.<name> as a function object, the same one each time; Absent where there is none.
Value functional(Interpreter& interpreter, std::string_view name);
/// Calls it. Must hold: there is one. Errors: what it raises; TypeError  an argument has the wrong type.
PyResult<Value> call_functional(Interpreter& interpreter, std::string_view name, std::span<const Value> positional,
                                std::span<const Keyword> keywords = {});
inline PyResult<Value> call_functional(Interpreter& interpreter, std::string_view name,
                                       std::initializer_list<Value> positional) {
  return call_functional(interpreter, name, std::span<const Value>(positional.begin(), positional.size()));
}
/// The names of all of them, in order of their tables.
std::vector<std::string_view> functional_names();

/// What a loss gives: all items, their mean, or their sum; the numbers are those that ops take.
enum class Reduction : std::int64_t { None, Mean, Sum };
/// size_average, reduce and reduction of a loss as one text; a warning where one of the first two was given.
/// Behaviour: torch/nn/_reduction.py, legacy_get_string.
PyResult<Value> legacy_reduction(Interpreter& in, const Value& size_average, const Value& reduce,
                                 const Value& reduction);
/// Errors: ValueError  "x is not a valid value for reduction".
PyResult<Reduction> reduction_of(Interpreter& in, const Value& text);
/// All of `each`, its mean or its sum.
ops::Term reduced(const ops::Term& each, Reduction reduction);
/// `x`, and `floor` where it is smaller, with a gradient that does not know of that.
ops::Term held_above(const ops::Term& x, double floor);

/// The body of a function that is an op with the same arguments.
template <ops::OpId op>
PyResult<Value> as_op(FunctionCall& call) {
  return ops::call_op(call.interpreter, op, call.args);
}

/// The op's in-place form if `in_place`, else the op: the first of `args` is the tensor that is written.
PyResult<Value> maybe_in_place(FunctionCall& call, bool in_place, ops::OpId id, std::span<const Value> args);
inline PyResult<Value> maybe_in_place(FunctionCall& call, bool in_place, ops::OpId id,
                                      std::initializer_list<Value> args) {
  return maybe_in_place(call, in_place, id, std::span<const Value>(args.begin(), args.size()));
}

}  // namespace nns::nn
