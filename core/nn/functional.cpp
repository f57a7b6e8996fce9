#include "core/nn/functional.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/nn/inner_functions.h"
#include "core/nn/layers.h"
#include "core/object/operations.h"
#include "core/object/same.h"
#include "core/ops/op_recorder.h"
#include "core/ops/outputs.h"
#include "core/ops/overrides.h"
#include "core/ops/python_function.h"
#include "core/tensor/distributed.h"
#include "core/tensor/stand_ins.h"
#include "core/tensor/uninitialized.h"

namespace nns::nn {
namespace {

std::string_view name_of(const FunctionRow& row) { return row.signature.substr(0, row.signature.find('(')); }

const FunctionRow* find_row(std::span<const FunctionRow> rows, std::string_view name) {
  for (const FunctionRow& row : rows) {
    if (name_of(row) == name) return &row;
  }
  return nullptr;
}

std::string_view words_of(char type) {
  switch (type) {
    case 'T':
    case 't':
      return "Tensor";
    case 'N':
    case 'n':
      return "Number";
    case 'i':
    case 'j':
      return "int";
    case 'f':
      return "float";
    case 's':
      return "str";
    case 'L':
    case 'l':
      return "tuple of ints";
    default:
      return "bool";
  }
}

// Brings `value` into the form that bodies read. False: it has the wrong type.
PyResult<bool> read_argument(Interpreter& in, char type, Value& value) {
  switch (type) {
    case '.':
      return true;
    case 't':
    case 'n':
    case 'j':
    case 'l':
      if (value.is_none()) return true;
      break;
    default:
      break;
  }
  NNS_TRY_ASSIGN(value, tensor::plain_operand(in, value));
  switch (type) {
    case 'T':
    case 't':
      return value.as<Tensor>() != nullptr;
    case 'N':
    case 'n':
    case 'f':
      return ops::Number::is_real(value);
    case 'i':
    case 'j':
      if (value.is_int()) return true;
      if (value.is_bool()) value = Value(value.as_int());
      return value.is_int();
    case 's':
      return value.as<object::Str>() != nullptr;
    case 'L':
    case 'l': {
      if (value.is_int()) {
        value = Value(in.tuple({value}));
        return true;
      }
      if (value.as<object::Tuple>() == nullptr && value.as<object::List>() == nullptr) return false;
      NNS_TRY_ASSIGN(std::vector<Value> items, object::to_vector(in, value));
      for (const Value& item : items) {
        if (!item.is_int()) return false;
      }
      value = Value(in.tuple(std::move(items)));
      return true;
    }
    default: {
      NNS_TRY_ASSIGN(const bool truth, object::truth(in, value));
      value = Value(truth);
      return true;
    }
  }
}

// The function as Python shows it where it refuses tensors without a shape: those of torch's core are no functions of
// Python.
std::string shown_function(std::string_view name) {
  const std::string_view inner = inner_path(name);
  const void* const address = name.data();
  if (inner.empty()) return fmt::format("<function {} at {}>", name, address);
  return inner.starts_with("torch._C") ? fmt::format("<built-in function {}>", name)
                                       : fmt::format("<built-in method {} of type object at {}>", name, address);
}

// The name of parameter number `i`, as messages say it.
std::string_view parameter_name(const FunctionRow& row, std::size_t i) {
  std::string_view rest = row.signature.substr(row.signature.find('(') + 1);
  for (std::size_t at = 0;;) {
    const std::size_t end = rest.find_first_of(",)");
    std::string_view one = rest.substr(0, end);
    while (one.starts_with(' ')) one.remove_prefix(1);
    rest.remove_prefix(end + 1);
    if (one == "*") continue;
    if (at++ == i) return one.substr(0, one.find('='));
  }
}

// What arguments say that have a __torch_function__ of their own; Absent: there are none. They see the function as
// torch.nn.functional hands it on: what has a default by its name. One of torch's core hands on what it was given: here
// what is not the default, by its name, too, but for the bias.
PyResult<Value> answer_of_others(Interpreter& in, const FunctionRow& row, Args given) {
  const object::Signature signature(
      in, row.signature.substr(row.signature.find('(') + 1, row.signature.rfind(')') - row.signature.find('(') - 1));
  const auto parameters = signature.parameters();
  const bool is_inner = !inner_path(name_of(row)).empty();
  std::size_t positional = 0;
  while (positional < parameters.size() && parameters[positional].default_value.is_absent()) ++positional;
  if (is_inner && positional < parameters.size() && parameters[positional].name.view() == "bias" &&
      !given[positional].is_none()) {
    ++positional;
  }
  std::vector<Keyword> keywords;
  for (std::size_t i = positional; i < given.size(); ++i) {
    if (!is_inner || !object::is_same_text_or_object(given[i], parameters[i].default_value))
      keywords.push_back({parameters[i].name, given[i]});
  }
  return ops::overridden(in, functional(in, name_of(row)), fmt::format("nn.functional.{}", name_of(row)),
                         {given.first(positional), keywords});
}

// What torch's core makes writes into a tensor that is given for it.
bool takes_out(std::string_view name) {
  constexpr std::string_view kNames[] = {"avg_pool2d", "avg_pool3d", "gelu",     "hardshrink",
                                         "linear",     "logsigmoid", "softplus", "softshrink"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

Value make_function(Interpreter& interpreter, const FunctionRow& row) {
  const auto body = [&row](Interpreter& in, Args given) -> PyResult<Value> {
    if (ops::is_overriding(in)) [[unlikely]] {
      NNS_TRY_ASSIGN(Value answer, answer_of_others(in, row, given));
      if (!answer.is_absent()) return answer;
    }
    std::vector<Value> args(given.begin(), given.end());
    for (std::size_t i = 0; i < args.size(); ++i) {
      NNS_TRY_ASSIGN(const bool fits, read_argument(in, row.types[i], args[i]));
      if (!fits) {
        NNS_TRY_ASSIGN(Value answer, answer_of_others(in, row, given));
        if (!answer.is_absent()) return answer;
        return object::type_error(in, "{}(): argument '{}' (position {}) must be {}, not {}", name_of(row),
                                  parameter_name(row, i), i + 1, words_of(row.types[i]),
                                  given[i].is_none() ? "NoneType" : in.type_of(given[i]).name());
      }
      if (const Tensor* tensor = args[i].as<Tensor>(); tensor != nullptr && tensor->is_uninitialized()) {
        return tensor::no_values_yet(*tensor, shown_function(name_of(row)));
      }
      const Tensor* const tensor = args[i].as<Tensor>();
      if (tensor != nullptr && tensor::is_distributed(*tensor)) {
        NNS_TRY_ASSIGN(Value of_parts, tensor::distributed_answer(in, name_of(row), {given, {}}));
        if (!of_parts.is_absent()) return of_parts;
      }
      if (tensor != nullptr && tensor->sparse() != nullptr) {
        NNS_TRY_ASSIGN(Value of_sparse, tensor::sparse_answer(in, name_of(row), {given, {}}));
        return of_sparse.is_absent() ? PyResult<Value>(tensor::no_sparse_kernel(in, name_of(row))) : of_sparse;
      }
    }
    ops::Autocast& autocast = ops::OpLibrary::of(in).autocast;
    std::optional<ops::Autocast::Suspended> uncast;
    if (autocast.is_active()) [[unlikely]] {
      if (const ops::Autocast::Casting casting = autocast.casting_of(name_of(row), args)) {
        NNS_TRY_ASSIGN(args, autocast.cast(in, casting, nullptr, args));
        uncast.emplace(autocast);
      }
    }
    FunctionCall call(in, name_of(row), args);
    if (ops::OpLibrary::of(in).observer != nullptr) [[unlikely]] {
      ops::OpRecorder* const recorder = ops::OpRecorder::of(in);
      if (recorder != nullptr && recorder->takes("nn.functional", call.name)) {
        ops::RecordedCall step{.place = "nn.functional", .name = call.name, .is_in_place = false, .arguments = {}};
        for (std::size_t i = 0; i < args.size(); ++i) step.add(parameter_name(row, i), args[i]);
        return ops::record_call(in, *recorder, step, [&] { return row.body(call); });
      }
    }
    return row.body(call);
  };
  if (!takes_out(name_of(row))) return interpreter.function(row.signature, body);
  const std::string with_out = fmt::format("{}, *, out=None)", row.signature.substr(0, row.signature.rfind(')')));
  return interpreter.function(with_out, [&row, body](Interpreter& in, Args all) -> PyResult<Value> {
    const Args given = all.first(all.size() - 1);
    const Value& out = all.back();
    if (out.is_none()) return body(in, given);
    if (out.as<Tensor>() == nullptr) {
      return object::type_error(in, "{}(): argument 'out' must be Tensor, not {}", name_of(row),
                                in.type_of(out).name());
    }
    NNS_TRY(ops::check_no_gradient(in, name_of(row), given, out));
    NNS_TRY_ASSIGN(const Value made, body(in, given));
    return ops::written_to(in, name_of(row), "", made, out);
  });
}

}  // namespace

PyResult<Value> call_functional(Interpreter& interpreter, std::string_view name, std::span<const Value> positional,
                                std::span<const Keyword> keywords) {
  return interpreter.call(functional(interpreter, name), positional, keywords);
}

std::vector<std::string_view> functional_names() {
  std::vector<std::string_view> names;
  for (const FunctionFamily family : function_families()) {
    for (const FunctionRow& row : family()) names.push_back(name_of(row));
  }
  return names;
}

Value NnLibrary::function(Interpreter& interpreter, std::string_view name) {
  if (const Value* made = functions_->find(name)) return *made;
  const FunctionRow* row = nullptr;
  for (const FunctionFamily family : function_families()) {
    if (row == nullptr) row = find_row(family(), name);
  }
  if (row == nullptr) return Value::absent();
  const Value made = make_function(interpreter, *row);
  functions_->set(interpreter.intern(name), made);
  return made;
}

Value NnLibrary::rnn_utility(Interpreter& interpreter, std::string_view name) {
  if (const Value* made = rnn_utilities_->find(name)) return *made;
  const FunctionRow* const row = find_row(rnn_utility_functions(), name);
  if (row == nullptr) return Value::absent();
  const Value made = make_function(interpreter, *row);
  rnn_utilities_->set(interpreter.intern(name), made);
  return made;
}

Value functional(Interpreter& interpreter, std::string_view name) {
  return NnLibrary::of(interpreter).function(interpreter, name);
}

PyResult<Value> maybe_in_place(FunctionCall& call, bool in_place, ops::OpId id, std::span<const Value> args) {
  if (!in_place) return ops::call_op(call.interpreter, id, args);
  NNS_TRY_ASSIGN(Ref<Tensor> written, ops::call_in_place(call.interpreter, id, args));
  return Value(std::move(written));
}

}  // namespace nns::nn
