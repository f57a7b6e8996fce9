#include "core/ops/outputs.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "core/ops/memory_overlap.h"
#include "core/ops/node.h"
#include "core/ops/promotion.h"
#include "core/ops/python_function.h"
#include "core/ops/saved_hooks.h"

namespace nns::ops {
namespace {

using Args = std::span<const Value>;

void warn_of_resizing(Interpreter& in, const Dims& from, const Dims& to) {
  in.warn(object::ErrorKind::UserWarning,
          fmt::format("An output with one or more elements was resized since it had shape [{}], which does not match "
                      "the required output shape [{}]. This behavior is deprecated, and in a future PyTorch release "
                      "outputs will not be resized unless they have zero elements. You can explicitly reuse an out "
                      "tensor t by resizing it, inplace, to zero elements with t.resize_(0).",
                      fmt::join(from.span(), ", "), fmt::join(to.span(), ", ")));
}

enum class Resizing : std::uint8_t { Warned, Silent };

PyResult<void> write_to(Interpreter& in, const Tensor& result, Tensor& out, Resizing resizing) {
  if (out.is_inference()) NNS_TRY(check_writable(out));
  NNS_TRY(SavedTensorHooks::tell_write(in, Value(&out)));
  if (!can_cast(result.dtype(), out.dtype())) {
    return object::runtime_error(in, "result type {} can't be cast to the desired output type {}",
                                 tensor::info(result.dtype()).scalar_name, tensor::info(out.dtype()).scalar_name);
  }
  if (!(out.shape() == result.shape())) {
    if (out.numel() > 0 && resizing == Resizing::Warned) warn_of_resizing(in, out.shape(), result.shape());
    NNS_TRY_ASSIGN(const Ref<Tensor> fresh, tensor::try_empty(in, result.shape(), out.dtype(), out.device()));
    out.set_data(*fresh);
  }
  NNS_TRY(check_places_differ(in, out));
  NNS_TRY(tensor::copy_items(out, result));
  out.bump_version();
  return {};
}

// Numbers in a row go into as many items of any shape. Behaviour: RangeFactories.cpp, arange_out.
PyResult<void> write_numbers(Interpreter& in, const Tensor& result, Tensor& out) {
  if (result.ndim() != 1 || out.ndim() < 2 || out.numel() != result.numel()) {
    return write_to(in, result, out, Resizing::Silent);
  }
  return write_to(in,
                  *tensor::as_strided(result, out.shape(), tensor::contiguous_strides(out.shape()), result.offset()),
                  out, Resizing::Silent);
}

// A function that is no op but takes out=.
struct Row {
  std::string_view module, name;
  /// The names of several results, each of which has a tensor in out=.
  std::string_view fields;
};
constexpr Row kRows[] = {
    {"torch", "addbmm", ""},
    {"torch", "addmv", ""},
    {"torch", "addr", ""},
    {"torch", "arange", ""},
    {"torch", "baddbmm", ""},
    {"torch", "bernoulli", ""},
    {"torch", "clamp_max", ""},
    {"torch", "clamp_min", ""},
    {"torch", "column_stack", ""},
    {"torch", "diff", ""},
    {"torch", "dstack", ""},
    {"torch", "empty", ""},
    {"torch", "eye", ""},
    {"torch", "full", ""},
    {"torch", "hstack", ""},
    {"torch", "index_copy", ""},
    {"torch", "isin", ""},
    {"torch", "linspace", ""},
    {"torch", "logspace", ""},
    {"torch", "masked_select", ""},
    {"torch", "msort", ""},
    {"torch", "multinomial", ""},
    {"torch", "mvlgamma", ""},
    {"torch", "narrow_copy", ""},
    {"torch", "nonzero", ""},
    {"torch", "normal", ""},
    {"torch", "ones", ""},
    {"torch", "polygamma", ""},
    {"torch", "rand", ""},
    {"torch", "randint", ""},
    {"torch", "randn", ""},
    {"torch", "randperm", ""},
    {"torch", "round", ""},
    {"torch", "scatter", ""},
    {"torch", "sort", "values indices"},
    {"torch", "take", ""},
    {"torch", "take_along_dim", ""},
    {"torch", "vstack", ""},
    {"torch", "zeros", ""},
    {"torch.fft", "fftfreq", ""},
    {"torch.fft", "rfftfreq", ""},
    {"torch.special", "multigammaln", ""},
    {"torch.special", "polygamma", ""},
    {"torch.special", "round", ""},
};

std::optional<std::size_t> place_of(std::span<const PythonParameter> parameters, std::string_view name) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].name.view() == name) return i;
  }
  return std::nullopt;
}

// Where dtype and device stand in a function that makes a tensor of nothing.
struct Making {
  std::size_t dtype, device;
};

// What is made for `out` has its dtype and lies where it lies.
// Behaviour: torch/csrc/autograd/python_torch_functions_manual.cpp and templates, check_out_type_matches.
PyResult<void> take_options(Interpreter& in, const Tensor& out, const Making& making, std::vector<Value>& args) {
  const auto& library = tensor::TensorLibrary::of(in);
  if (!args[making.dtype].is_none()) {
    NNS_TRY_ASSIGN(const DType dtype, tensor::dtype_of(in, args[making.dtype]));
    if (dtype != out.dtype()) {
      return object::runtime_error(in, "dtype {} does not match dtype of out parameter ({})",
                                   tensor::info(dtype).scalar_name, tensor::info(out.dtype()).scalar_name);
    }
  }
  args[making.dtype] = library.dtype_value(out.dtype());
  if (args[making.device].is_none()) args[making.device] = library.device_value(out.device());
  return {};
}

PyResult<Value> make_into(Interpreter& in, const Row& row, const OverloadBody& body, const Making& making,
                          std::vector<Value> args, Tensor& out) {
  NNS_TRY(check_no_gradient(in, row.name, {}, Value(&out)));
  NNS_TRY(take_options(in, out, making, args));
  NNS_TRY_ASSIGN(const Value made, body(in, args));
  NNS_TRY(write_numbers(in, *made.as<Tensor>(), out));
  if (made.as<Tensor>()->requires_grad()) NNS_TRY(out.set_requires_grad(true));
  return Value(&out);
}

// The overload with out=: last, or in front of the options of what makes a tensor of nothing.
Overload with_out(Interpreter& in, const Row& row, const Overload& plain) {
  const auto given = plain.signature.parameters();
  std::vector<PythonParameter> parameters(given.begin(), given.end());
  const std::optional<std::size_t> dtype = place_of(given, "dtype"), device = place_of(given, "device");
  std::size_t at = parameters.size();
  if (dtype) {
    const auto first = std::find_if(given.begin(), given.end(), [](const auto& one) { return one.is_keyword_only; });
    at = static_cast<std::size_t>(first - given.begin());
  }
  parameters.insert(parameters.begin() + static_cast<std::ptrdiff_t>(at), out_parameter(in, !row.fields.empty()));
  const auto body = [&row, at, plain_body = plain.body, dtype, device](Interpreter& interpreter,
                                                                       Args a) -> PyResult<Value> {
    std::vector<Value> args(a.begin(), a.end());
    const Value out = args[at];
    args.erase(args.begin() + static_cast<std::ptrdiff_t>(at));
    if (out.is_none()) return plain_body(interpreter, args);
    if (dtype && device) {
      return make_into(interpreter, row, plain_body, {*dtype, *device}, std::move(args), *out.as<Tensor>());
    }
    NNS_TRY(check_no_gradient(interpreter, row.name, args, out));
    if (row.name == "nonzero" && out.as<Tensor>()->dtype() != DType::Int64) {
      return object::runtime_error(interpreter,
                                   "nonzero: Expected out tensor to have scalar type Long but got scalar type {}",
                                   tensor::info(out.as<Tensor>()->dtype()).scalar_name);
    }
    if (is_read_after_written(row.name)) NNS_TRY(check_disjoint(interpreter, *out.as<Tensor>(), args));
    NNS_TRY_ASSIGN(Value made, plain_body(interpreter, args));
    if (row.name == "bernoulli") {
      // Draws of any dtype.
      NNS_TRY_ASSIGN(made,
                     call_op(interpreter, OpId::to_dtype,
                             {made, tensor::TensorLibrary::of(interpreter).dtype_value(out.as<Tensor>()->dtype())}));
    }
    if (made.as<Tensor>() == nullptr && row.fields.empty()) {
      return object::runtime_error(interpreter, "{} does not support the out kwarg when as_tuple is True", row.name);
    }
    return written_to(interpreter, row.name, row.fields, made, out);
  };
  return {PythonSignature(in, row.name, std::move(parameters), false, plain.signature.is_hidden()), body};
}

}  // namespace

PythonParameter out_parameter(Interpreter& in, bool is_several) {
  PythonParameter out;
  out.name = in.intern("out");
  out.type = is_several ? ParameterType::Tensors : ParameterType::Tensor;
  out.is_optional = true;
  out.takes_none = true;
  out.is_keyword_only = true;
  out.default_text = "None";
  return out;
}

PyResult<void> check_no_gradient(Interpreter& in, std::string_view name, Args args, const Value& out) {
  const auto* const target = out.as<Tensor>();
  if (OpLibrary::of(in).forward != nullptr) {
    const auto is_dual = [](const Value& value) {
      const Tensor* const one = value.as<Tensor>();
      return one != nullptr && one->autograd() != nullptr && !one->autograd()->tangents.empty();
    };
    if (std::any_of(args.begin(), args.end(), is_dual) || (target != nullptr && is_dual(out))) {
      return object::runtime_error(in,
                                   "Trying to use forward AD with {} (because it is an out= function) that does not "
                                   "support it because it has not been implemented yet.",
                                   name);
    }
  }
  if (!OpLibrary::of(in).grad_mode.is_enabled) return {};
  const auto asks = [](const Value& value) {
    const Tensor* const one = value.as<Tensor>();
    return one != nullptr && one->requires_grad();
  };
  const object::Tuple* const several = out.as<object::Tuple>();
  const bool asks_gradient =
      std::any_of(args.begin(), args.end(), asks) || asks(out) ||
      (several != nullptr && std::any_of(several->items().begin(), several->items().end(), asks));
  if (!asks_gradient) return {};
  return object::runtime_error(in,
                               "{}(): functions with out=... arguments don't support automatic differentiation, but "
                               "one of the arguments requires grad.",
                               name);
}

bool is_read_after_written(std::string_view name) {
  constexpr std::string_view kNames[] = {"cat",        "concat",       "concatenate",    "gather",   "index_add",
                                         "index_copy", "index_reduce", "index_select",   "kthvalue", "masked_select",
                                         "scatter",    "scatter_add",  "scatter_reduce", "take"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

PyResult<Value> written_to(Interpreter& in, std::string_view name, std::string_view fields, const Value& made,
                           const Value& out) {
  if (Tensor* const target = out.as<Tensor>()) {
    NNS_TRY(write_to(in, *made.as<Tensor>(), *target, Resizing::Warned));
    return out;
  }
  const auto given = out.as<object::Tuple>()->items();
  const auto results = made.as<object::Tuple>()->items();
  if (given.size() != results.size()) {
    return object::type_error(in, "expected tuple of {} elements but got {}", results.size(), given.size());
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    NNS_TRY(write_to(in, *results[i].as<Tensor>(), *given[i].as<Tensor>(), Resizing::Warned));
  }
  return named_result(in, name, fields, std::vector<Value>(given.begin(), given.end()));
}

void add_outputs(Interpreter& interpreter) {
  for (const Row& row : kRows) {
    object::Dict& attributes = python_module(interpreter, row.module);
    const object::Name key = interpreter.intern(row.name);
    const Value* const found = attributes.find(key);
    const auto* const plain = found == nullptr ? nullptr : found->as<PythonFunction>();
    if (plain == nullptr) continue;
    auto made = object::make<PythonFunction>(interpreter, plain->name(), PythonFunction::Form::Function);
    made->set_place(plain->place());
    for (const Overload& overload : plain->overloads()) {
      const bool has_out = place_of(overload.signature.parameters(), "out").has_value();
      made->add(has_out ? overload : with_out(interpreter, row, overload));
    }
    attributes.set(key, Value(std::move(made)));
  }
}

}  // namespace nns::ops
