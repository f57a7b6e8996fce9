#include <fmt/format.h>

#include <algorithm>

#include "core/ops/memory_overlap.h"
#include "core/ops/node.h"
#include "core/ops/outputs.h"
#include "core/ops/python_function.h"

// The ops as methods and functions of Python: overloads in the order of ops.def, each with the parameters of its row.
namespace nns::ops {
namespace {

using Form = PythonFunction::Form;
using Names = std::initializer_list<std::string_view>;

bool is_in(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Where a tensor stands, these also take a number: torch.add(2, x).
// Behaviour: python_arg_parser.cpp, should_allow_numbers_as_tensors.
bool takes_numbers_as_tensors(std::string_view name) {
  return is_in({"add", "sub", "mul", "div", "floor_divide"}, name);
}
// Functions with an overload whose first operand is a number.
bool takes_number_first(std::string_view name) {
  return is_in({"pow", "remainder", "where", "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift",
                "bitwise_right_shift", "float_power", "xlogy", "special_xlog1py", "special_zeta", "bucketize"},
               name);
}

// Ops that write item by item but have no form in place, and others that have one.
bool has_in_place(const OpInfo& info) {
  if (info.bodies.is_elementwise) {
    return !is_in({"maximum",     "minimum",   "where",    "isnan",    "isinf",      "isfinite", "real",
                   "imag",        "gelu",      "softplus", "softsign", "logsigmoid", "mish",     "silu",
                   "hardsigmoid", "hardswish", "complex",  "to",       "clone",      "fmax",     "fmin"},
                  info.name) &&
           !info.name.starts_with("special_");
  }
  return is_in({"tril",           "triu",      "cumsum",     "cumprod",    "scatter",      "scatter_add",
                "scatter_reduce", "index_add", "index_copy", "index_fill", "index_reduce", "index_put",
                "masked_scatter", "addmm",     "addbmm",     "baddbmm",    "addmv",        "addr",
                "renorm",         "put",       "div"},
               info.name);
}

// Which overloads one row stands for: each parameter that takes a tensor or a number has one of each.
std::vector<std::vector<PythonParameter>> variants(Interpreter& in, const OpInfo& info, Form form) {
  std::vector<PythonParameter> row = python_parameters(in, info.parameters);
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i].type != ParameterType::TensorOrNumber) continue;
    row[i].type = ParameterType::Tensor;
    const bool is_fixed = i == 0 && (form == Form::Method || !takes_number_first(info.name));
    if (takes_numbers_as_tensors(info.name))
      row[i].takes_number = true;
    else if (!is_fixed)
      open.push_back(i);
  }
  std::vector<std::vector<PythonParameter>> made = {row};
  if (open.empty()) return made;
  if (open.size() == 1 || info.name == "clamp") {
    for (const std::size_t i : open) row[i].type = ParameterType::Number;
    made.push_back(row);
    return made;
  }
  // Two operands: a number first, a number behind; where() also takes two.
  for (unsigned numbers = 1; numbers < (info.name == "where" ? 4U : 3U); ++numbers) {
    std::vector<PythonParameter> variant = row;
    for (std::size_t k = 0; k < open.size(); ++k) {
      if ((numbers >> k & 1U) != 0) variant[open[k]].type = ParameterType::Number;
    }
    made.push_back(std::move(variant));
  }
  return made;
}

// The call with out=, one tensor or several.
PyResult<Value> call_into(Interpreter& in, const OpInfo& info, std::span<const Value> args, const Value& out) {
  NNS_TRY(check_no_gradient(in, info.name, args, out));
  if (const Tensor* const target = out.as<Tensor>(); target != nullptr && info.bodies.is_elementwise) {
    NNS_TRY(check_overlap(in, *target, args));
  }
  // These cast nothing on the way. Behaviour: UnaryOps.cpp, build_borrowing_unary_op.
  if (const Tensor* const target = out.as<Tensor>();
      target != nullptr &&
      is_in({"bitwise_not", "ceil", "conj_physical", "floor", "frac", "neg", "round", "sgn", "sign", "trunc"},
            info.name) &&
      target->dtype() != args[0].as<Tensor>()->dtype()) {
    return object::runtime_error(in, "Found dtype {} but expected {}", tensor::info(target->dtype()).scalar_name,
                                 tensor::info(args[0].as<Tensor>()->dtype()).scalar_name);
  }
  if (is_read_after_written(info.name)) {
    const object::Tuple* const several = out.as<object::Tuple>();
    const Value& first = several == nullptr ? out : (*several)[0];
    if (const Tensor* const target = first.as<Tensor>()) NNS_TRY(check_disjoint(in, *target, args));
  }
  NNS_TRY_ASSIGN(const Value made, call_op(in, info.id, args));
  return written_to(in, info.name, info.bodies.result_fields, made, out);
}

void add_row(Interpreter& in, PythonFunction& function, const OpInfo& info) {
  const Form form = function.is_method() ? Form::Method : Form::Function;
  const bool has_out = form == Form::Function && !info.bodies.is_view && !function.name().ends_with('_');
  for (std::vector<PythonParameter>& parameters : variants(in, info, form)) {
    if (has_out) parameters.push_back(out_parameter(in, !info.bodies.result_fields.empty()));
    PythonSignature signature(in, function.name(), std::move(parameters), form == Form::Method);
    if (has_out) {
      function.add({std::move(signature), [id = info.id](Interpreter& interpreter, std::span<const Value> a) {
                      const std::span<const Value> args = a.first(a.size() - 1);
                      if (a.back().is_none()) return call_op(interpreter, id, args);
                      return call_into(interpreter, OpLibrary::of(interpreter).info(id), args, a.back());
                    }});
    } else {
      function.add({std::move(signature), [id = info.id](Interpreter& interpreter, std::span<const Value> a) {
                      return call_op(interpreter, id, a);
                    }});
    }
  }
}

void add_row_in_place(Interpreter& in, PythonFunction& function, const OpInfo& info) {
  const Form form = function.is_method() ? Form::Method : Form::Function;
  for (std::vector<PythonParameter>& parameters : variants(in, info, form)) {
    if (parameters[0].type != ParameterType::Tensor) continue;
    parameters[0].takes_number = false;
    function.add({PythonSignature(in, function.name(), std::move(parameters), form == Form::Method),
                  [id = info.id](Interpreter& interpreter, std::span<const Value> a) -> PyResult<Value> {
                    NNS_TRY_ASSIGN(Ref<Tensor> target, call_in_place(interpreter, id, a));
                    return Value(std::move(target));
                  }});
  }
}

// The function called `attribute` among the attributes, made if there is none; `name`: what its messages call it.
PythonFunction& function_in(Interpreter& in, object::Dict& attributes, std::string_view attribute,
                            std::string_view name) {
  const object::Name key = in.intern(attribute);
  if (const Value* found = attributes.find(key)) {
    if (auto* function = found->as<PythonFunction>()) return *function;
  }
  auto made = object::make<PythonFunction>(in, name, Form::Function);
  PythonFunction& function = *made;
  attributes.set(key, Value(std::move(made)));
  return function;
}
PythonFunction& method_of(Interpreter& in, std::string_view name) {
  object::Class& cls = *tensor::TensorLibrary::of(in).tensor;
  const object::Name key = in.intern(name);
  if (const Value* found = cls.attributes_for_reading().find(key)) {
    if (auto* function = found->as<PythonFunction>()) return *function;
  }
  auto made = object::make<PythonFunction>(in, name, Form::Method);
  PythonFunction& function = *made;
  cls.set_attribute(key, Value(std::move(made)));
  return function;
}

struct Alias {
  std::string_view name;
  std::string_view of;
};
// Second names of ops. Behaviour: aten/src/ATen/native/native_functions.yaml.
constexpr Alias kAliases[] = {
    {"absolute", "abs"},       {"negative", "neg"},     {"arcsin", "asin"},     {"arccos", "acos"},
    {"arctan", "atan"},        {"arcsinh", "asinh"},    {"arccosh", "acosh"},   {"arctanh", "atanh"},
    {"fix", "trunc"},          {"subtract", "sub"},     {"multiply", "mul"},    {"divide", "div"},
    {"true_divide", "div"},    {"not_equal", "ne"},     {"less", "lt"},         {"less_equal", "le"},
    {"greater", "gt"},         {"greater_equal", "ge"}, {"clip", "clamp"},      {"swapaxes", "transpose"},
    {"swapdims", "transpose"}, {"concat", "cat"},       {"concatenate", "cat"}, {"ger", "outer"},
    {"arctan2", "atan2"},
};

// The ops that torch.special has under the same or another name. Behaviour: torch/special/__init__.py.
constexpr Alias kSpecialNames[] = {
    {"gammaln", "lgamma"},  {"digamma", "digamma"},
    {"psi", "digamma"},     {"erf", "erf"},
    {"erfc", "erfc"},       {"erfinv", "erfinv"},
    {"exp2", "exp2"},       {"expm1", "expm1"},
    {"expit", "sigmoid"},   {"i0", "i0"},
    {"log1p", "log1p"},     {"logit", "logit"},
    {"sinc", "sinc"},       {"round", "round"},
    {"xlogy", "xlogy"},     {"logsumexp", "logsumexp"},
    {"softmax", "softmax"}, {"log_softmax", "log_softmax"},
};

}  // namespace

void add_op_bindings(Interpreter& interpreter) {
  // x.where(condition, other) keeps the items of x.
  for (const std::string_view signature :
       {"where(Tensor self, Tensor condition, Tensor other)", "where(Tensor self, Tensor condition, Number other)"}) {
    add_method(interpreter, signature, [](Interpreter& in, std::span<const Value> a) {
      return call_op(in, OpId::where, std::array{a[1], a[0], a[2]});
    });
  }
  object::Dict& torch = python_module(interpreter, "torch");
  object::Dict& special = python_module(interpreter, "torch.special");
  object::Class& cls = *tensor::TensorLibrary::of(interpreter).tensor;
  const OpLibrary& ops = OpLibrary::of(interpreter);
  for (const OpInfo& info : ops.all()) {
    const std::string in_place_name = info.name + "_";
    // What takes a list of tensors first is no method: torch.cat.
    const bool has_self = info.parameters.empty() || info.parameters[0].type != ParameterType::Tensors;
    if (info.places.is_method && has_self) {
      // copy() and fill() exist in place only; to() has its own overloads, where() another order.
      if (!is_in({"copy", "fill", "to", "where"}, info.name))
        add_row(interpreter, method_of(interpreter, info.name), info);
      if (has_in_place(info)) add_row_in_place(interpreter, method_of(interpreter, in_place_name), info);
    }
    if (info.places.is_torch) {
      add_row(interpreter, function_in(interpreter, torch, info.name, info.name), info);
      if (has_in_place(info) && info.bodies.is_elementwise) {
        add_row_in_place(interpreter, function_in(interpreter, torch, in_place_name, in_place_name), info);
      }
    }
    // max.other and min.other are other names of maximum and minimum, behind the overload that takes one tensor.
    if (const bool is_max = &info == &ops.info(OpId::max); is_max || &info == &ops.info(OpId::min)) {
      const OpInfo& of_two = ops.info(is_max ? OpId::maximum : OpId::minimum);
      add_row(interpreter, method_of(interpreter, info.name), of_two);
      add_row(interpreter, function_in(interpreter, torch, info.name, info.name), of_two);
    }
    // torch.special.entr is special_entr in messages.
    if (const std::string_view module = info.places.module; !module.empty()) {
      object::Dict& names = python_module(interpreter, fmt::format("torch.{}", module));
      add_row(interpreter,
              function_in(interpreter, names, std::string_view(info.name).substr(module.size() + 1), info.name), info);
    }
  }
  for (const Alias& alias : kSpecialNames) {
    for (const OpInfo& info : OpLibrary::of(interpreter).all()) {
      if (info.name != alias.of) continue;
      add_row(interpreter, function_in(interpreter, special, alias.name, fmt::format("special_{}", alias.name)), info);
    }
  }
  for (const Alias& alias : kAliases) {
    if (const Value* function = torch.find(interpreter.intern(alias.of))) {
      torch.set(interpreter.intern(alias.name), Value(*function));
    }
    for (const std::string_view ending : {"", "_"}) {
      const Value* method =
          cls.attributes_for_reading().find(interpreter.intern(fmt::format("{}{}", alias.of, ending)));
      if (method != nullptr) {
        cls.set_attribute(interpreter.intern(fmt::format("{}{}", alias.name, ending)), Value(*method));
      }
    }
  }
}

}  // namespace nns::ops
