// The methods of torch.nn.utils.prune: which entries of a tensor they set to zero.
#include <cmath>

#include "core/nn/layer_definition.h"
#include "core/nn/prune.h"
#include "core/ops/layouts.h"
#include "core/ops/term.h"

namespace nns::nn {
namespace {

using object::ErrorKind;
using ops::OpId;
using ops::Term;

bool is_whole(const Value& amount) { return amount.is_int() || amount.is_bool(); }

// Behaviour: _validate_pruning_amount_init.
PyResult<void> check_amount(Interpreter& in, const Value& amount) {
  NNS_TRY_ASSIGN(const std::string shown, object::str(in, amount));
  if (!is_whole(amount) && !amount.is_float()) {
    return object::type_error(in, "Invalid type for amount: {}. Must be int or float.", shown);
  }
  const bool is_bad = is_whole(amount) ? amount.as_int() < 0 : amount.as_float() > 1 || amount.as_float() < 0;
  if (!is_bad) return {};
  return object::value_error(in, "amount={} should either be a float in the range [0, 1] or a non-negative integer",
                             shown);
}

// How many of `size` entries go: self.amount, or that share of them. Errors: ValueError  more than there are.
PyResult<std::int64_t> count_to_prune(const LayerSelf& self, std::int64_t size) {
  NNS_TRY_ASSIGN(const Value amount, self.get("amount"));
  if (!is_whole(amount))
    return static_cast<std::int64_t>(std::nearbyint(amount.as_float() * static_cast<double>(size)));
  if (amount.as_int() > size) {
    return object::value_error(self.interpreter,
                               "amount={} should be smaller than the number of parameters to prune={}", amount.as_int(),
                               size);
  }
  return amount.as_int();
}

// The tensors of compute_mask(self, t, default_mask).
struct MaskCall {
  LayerSelf self;
  Ref<Tensor> t, default_mask;
};
PyResult<MaskCall> read_call(Interpreter& in, Args a) {
  MaskCall call{LayerSelf(in, a[0]), Ref<Tensor>(a[1].as<Tensor>()), Ref<Tensor>(a[2].as<Tensor>())};
  if (call.t && call.default_mask) return call;
  return object::type_error(in, "compute_mask() takes tensors");
}

tensor::Generator& generator_of_masks(Interpreter& in) { return tensor::TensorLibrary::of(in).generator; }

// The default mask with zeros where the `count` entries of `ranks` are that come first.
PyResult<Value> mask_without(Interpreter& in, const MaskCall& call, const Term& ranks, std::int64_t count,
                             bool largest) {
  const Value format = ops::format_value(in, ops::MemoryFormat::Contiguous);
  NNS_TRY_ASSIGN(const Value mask, ops::call_op(in, OpId::clone, {Value(call.default_mask), format}));
  if (count == 0) return mask;
  const Value whole = ops::dims_value(in, Dims({-1}));
  NNS_TRY_ASSIGN(const Value flat, ops::value_of(ops::apply(OpId::reshape, {ranks, whole})));
  NNS_TRY_ASSIGN(const Value found, ops::call_op(in, OpId::topk, {flat, Value(count), Value(-1), Value(largest)}));
  NNS_TRY_ASSIGN(const Value flat_mask, ops::call_op(in, OpId::view, {mask, whole}));
  NNS_TRY(object::setitem(in, flat_mask, (*found.as<object::Tuple>())[1], Value(0)));
  return mask;
}

PyResult<Value> mask_random(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const MaskCall call, read_call(in, a));
  NNS_TRY_ASSIGN(const std::int64_t count, count_to_prune(call.self, call.t->numel()));
  const Ref<Tensor> ranks = tensor::empty(in, call.t->shape(), call.t->dtype(), call.t->device());
  if (count != 0) tensor::uniform_(*ranks, generator_of_masks(in), 0, 1);
  return mask_without(in, call, Term(ranks), count, true);
}

PyResult<Value> mask_smallest(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const MaskCall call, read_call(in, a));
  NNS_TRY_ASSIGN(const std::int64_t count, count_to_prune(call.self, call.t->numel()));
  const ops::GradModeGuard no_grad(in, false);
  return mask_without(in, call, ops::apply(OpId::abs, {Term(call.t)}), count, false);
}

// The channels that a structured method chooses from. Errors: ValueError  one dimension. IndexError  no such dimension.
struct Channels {
  std::size_t dim = 0;
  std::int64_t size = 0;
};
PyResult<Channels> read_channels(Interpreter& in, const MaskCall& call) {
  const std::string shown = tensor::size_text(call.t->shape());
  if (call.t->ndim() <= 1) {
    return object::value_error(in,
                               "Structured pruning can only be applied to multidimensional tensors. Found tensor of "
                               "shape {} with {} dims",
                               shown, call.t->ndim());
  }
  NNS_TRY_ASSIGN(const std::int64_t dim, call.self.get_int("dim"));
  if (dim >= static_cast<std::int64_t>(call.t->ndim())) {
    return object::error<ErrorKind::IndexError>(in, "Invalid index {} for tensor of size {}", dim, shown);
  }
  if (dim < -static_cast<std::int64_t>(call.t->ndim())) {
    return object::error<ErrorKind::IndexError>(in, "tuple index out of range");
  }
  const std::size_t place = ops::wrapped(dim, call.t->ndim());
  return Channels{place, call.t->shape()[place]};
}

// The default mask with zeros in all channels but those where `kept` is 1.
PyResult<Value> mask_channels(Interpreter& in, const MaskCall& call, const Channels& channels,
                              const std::vector<double>& kept) {
  Dims shape(call.t->ndim(), 1);
  shape[channels.dim] = channels.size;
  const Ref<Tensor> spread = tensor::from_values(in, shape, kept, call.t->dtype());
  return ops::value_of(ops::as_dtype(Term(call.default_mask), call.t->dtype()) * Term(spread));
}

PyResult<Value> mask_random_channels(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const MaskCall call, read_call(in, a));
  NNS_TRY_ASSIGN(const Channels channels, read_channels(in, call));
  NNS_TRY_ASSIGN(const std::int64_t count, count_to_prune(call.self, channels.size));
  if (count == 0) return Value(call.default_mask);
  const Ref<Tensor> ranks = tensor::empty(in, Dims({channels.size}), tensor::TensorLibrary::of(in).default_dtype);
  tensor::uniform_(*ranks, generator_of_masks(in), 0, 1);
  std::vector<double> drawn;
  tensor::for_each_place(*ranks, [&](std::int64_t place) { drawn.push_back(tensor::read_double(*ranks, place)); });
  std::vector<double> sorted = drawn;
  std::sort(sorted.begin(), sorted.end());
  const double threshold = sorted[static_cast<std::size_t>(count - 1)];
  for (double& one : drawn) one = one > threshold ? 1 : 0;
  return mask_channels(in, call, channels, drawn);
}

PyResult<Value> mask_small_channels(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const MaskCall call, read_call(in, a));
  NNS_TRY_ASSIGN(const Channels channels, read_channels(in, call));
  NNS_TRY_ASSIGN(const std::int64_t count, count_to_prune(call.self, channels.size));
  if (count == 0) return Value(call.default_mask);
  std::vector<std::int64_t> others;
  for (std::size_t d = 0; d < call.t->ndim(); ++d) {
    if (d != channels.dim) others.push_back(static_cast<std::int64_t>(d));
  }
  NNS_TRY_ASSIGN(Value order, call.self.get("n"));
  if (const object::Str* text = order.as<object::Str>(); text != nullptr && text->view() == "fro") order = Value(2);
  if (!ops::Number::is_real(order)) {
    return object::type_error(in, "norm(): argument 'p' must be Number, not {}", in.type_of(order).name());
  }
  const ops::GradModeGuard no_grad(in, false);
  NNS_TRY_ASSIGN(const Value norms,
                 ops::call_op(in, OpId::norm, {Value(call.t), order, ops::dims_value(in, Dims(others))}));
  NNS_TRY_ASSIGN(const Value found, ops::call_op(in, OpId::topk, {norms, Value(channels.size - count)}));
  const Tensor& indices = *(*found.as<object::Tuple>())[1].as<Tensor>();
  std::vector<double> kept(static_cast<std::size_t>(channels.size), 0);
  tensor::for_each_place(
      indices, [&](std::int64_t place) { kept[static_cast<std::size_t>(tensor::read_int64(indices, place))] = 1; });
  return mask_channels(in, call, channels, kept);
}

PyResult<Value> mask_custom(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const MaskCall call, read_call(in, a));
  NNS_TRY_ASSIGN(const Value own, call.self.get("mask"));
  const Ref<Tensor> mask(own.as<Tensor>());
  if (!mask) return object::attribute_error(in, "'{}' object has no attribute 'shape'", in.type_of(own).name());
  if (!(mask->shape() == call.default_mask->shape())) return object::make_error(in, ErrorKind::AssertionError, "");
  return ops::value_of(Term(call.default_mask) * ops::as_dtype(Term(mask), call.default_mask->dtype()));
}

// A method: the parameters of its __init__ (which it stores), whether the first is an amount, and its mask.
struct MethodRow {
  std::string_view name, type, parameters;
  /// Of apply, behind module and name; the last may be importance_scores, which __init__ does not get.
  std::string_view apply_parameters;
  PyResult<Value> (*mask)(Interpreter& interpreter, Args args);
};
constexpr MethodRow kMethods[] = {
    {"Identity", "unstructured", "", "", [](Interpreter&, Args a) -> PyResult<Value> { return a[2]; }},
    {"RandomUnstructured", "unstructured", "amount", "amount", mask_random},
    {"L1Unstructured", "unstructured", "amount", "amount, importance_scores=None", mask_smallest},
    {"RandomStructured", "structured", "amount, dim=-1", "amount, dim=-1", mask_random_channels},
    {"LnStructured", "structured", "amount, n, dim=-1", "amount, n, dim, importance_scores=None", mask_small_channels},
    {"CustomFromMask", "global", "mask", "mask", mask_custom},
};

template <std::size_t row>
PyResult<Value> make_method(Interpreter& in, Args) {
  const MethodRow& method = kMethods[row];
  Class& cls = define_pruning_class(in, method.name, method.type);
  const auto with = [](std::string_view front, std::string_view parameters) {
    return fmt::format("{}{}{})", front, parameters.empty() ? "" : ", ", parameters);
  };
  std::vector<std::string> names;
  const object::Signature signature(in, method.parameters);
  for (const object::Parameter& parameter : signature.parameters()) names.emplace_back(parameter.name.view());
  const std::size_t count = names.size();
  cls.def(with("__init__(self", method.parameters), [names](Interpreter& i, Args a) -> PyResult<Value> {
    if (!names.empty() && names[0] == "amount") NNS_TRY(check_amount(i, a[1]));
    const LayerSelf self(i, a[0]);
    for (std::size_t at = 0; at < names.size(); ++at) NNS_TRY(self.set(names[at], a[at + 1]));
    return Value();
  });
  cls.def("compute_mask(self, t, default_mask)", method.mask);
  cls.def_class(
      with("apply(cls, module, name", method.apply_parameters), [count](Interpreter& i, Args a) -> PyResult<Value> {
        return apply_pruning(i, a[0], a[1], a[2], a.subspan(3, count), a.size() > count + 3 ? a[count + 3] : Value());
      });
  return class_value(cls);
}

// The function of a method: applies it and returns the module.
template <std::size_t row>
PyResult<Value> prune_with(Interpreter& in, Args a) {
  const Value cls = prune_class(in, kMethods[row].name);
  NNS_TRY(in.call_method(cls, in.intern("apply"), a));
  return a[0];
}

constexpr UtilityRow kPruningMethodRows[] = {
    {kPruneModule, "Identity", make_method<0>},
    {kPruneModule, "RandomUnstructured", make_method<1>},
    {kPruneModule, "L1Unstructured", make_method<2>},
    {kPruneModule, "RandomStructured", make_method<3>},
    {kPruneModule, "LnStructured", make_method<4>},
    {kPruneModule, "CustomFromMask", make_method<5>},
    {kPruneModule, "identity(module, name)", prune_with<0>},
    {kPruneModule, "random_unstructured(module, name, amount)", prune_with<1>},
    {kPruneModule, "l1_unstructured(module, name, amount, importance_scores=None)", prune_with<2>},
    {kPruneModule, "random_structured(module, name, amount, dim)", prune_with<3>},
    {kPruneModule, "ln_structured(module, name, amount, n, dim, importance_scores=None)", prune_with<4>},
    {kPruneModule, "custom_from_mask(module, name, mask)", prune_with<5>},
};

}  // namespace

std::span<const UtilityRow> pruning_method_utilities() { return kPruningMethodRows; }

}  // namespace nns::nn
