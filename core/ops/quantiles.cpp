#include <cmath>

#include "core/object/str.h"
#include "core/ops/element_kernels.h"
#include "core/ops/term.h"

// Behaviour: aten/src/ATen/native/Sorting.cpp (quantile, nanquantile).
namespace nns::ops {
namespace {

enum class Between : std::uint8_t { Linear, Lower, Higher, Midpoint, Nearest };

PyResult<Between> between_of(Interpreter& in, const Value& value) {
  const std::string_view text = value.as<object::Str>()->view();
  if (text == "linear") return Between::Linear;
  if (text == "lower") return Between::Lower;
  if (text == "higher") return Between::Higher;
  if (text == "midpoint") return Between::Midpoint;
  if (text == "nearest") return Between::Nearest;
  return object::runtime_error(
      in, "quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but got {}", text);
}

// The numbers of q as a tensor. Errors: RuntimeError.
PyResult<Ref<Tensor>> wanted_of(OpCall& call) {
  Interpreter& in = call.interpreter;
  const Tensor& self = call.required(0);
  if (self.numel() == 0) return object::runtime_error(in, "quantile() input tensor must be non-empty");
  const auto is_right = [](DType dtype) { return dtype == DType::Float32 || dtype == DType::Float64; };
  Tensor* const given = call.tensor(1);
  if (given == nullptr) {
    const double q = call.real(1);
    if (!(q >= 0 && q <= 1)) {
      return object::runtime_error(in, "quantile() q must be in the range [0, 1] but got {}", q);
    }
    if (!is_right(self.dtype())) {
      return object::runtime_error(in, "quantile() input tensor must be either float or double dtype");
    }
    return tensor::full(in, Dims(), q, self.dtype(), self.device());
  }
  if (given->ndim() > 1) return object::runtime_error(in, "quantile() q must be a scalar or 1D tensor");
  if (!is_right(self.dtype())) {
    return object::runtime_error(in, "quantile() input tensor must be either float or double dtype");
  }
  if (given->dtype() != self.dtype()) {
    return object::runtime_error(in, "quantile() q tensor must be same dtype as the input tensor");
  }
  bool is_inside = true;
  if (!given->is_meta()) {
    tensor::for_each_place(*given, [&](std::int64_t place) {
      const double q = tensor::read_double(*given, place);
      is_inside = is_inside && q >= 0 && q <= 1;
    });
  }
  if (!is_inside) return object::runtime_error(in, "quantile() q values must be in the range [0, 1]");
  return Ref<Tensor>(given);
}

// Sorts the lines, finds between which two items each rank lies, and mixes these.
template <bool without_nan>
PyResult<Value> quantile(OpCall& call) {
  Interpreter& in = call.interpreter;
  NNS_TRY_ASSIGN(const Between between, between_of(in, call.args[4]));
  NNS_TRY_ASSIGN(const Ref<Tensor> wanted, wanted_of(call));
  const Tensor& self = call.required(0);
  const bool is_whole = call.is_none(2);
  std::size_t dim = 0;
  if (!is_whole) {
    NNS_TRY_ASSIGN(dim, call.dimension(call.integer(2), self.ndim()));
  }
  // The lines last.
  const Term x(Ref<Tensor>(call.tensor(0)));
  const Term lines = is_whole || self.ndim() == 0 ? apply(OpId::reshape, {x, dims_value(in, Dims({-1}))})
                                                  : apply(OpId::transpose, {x, static_cast<std::int64_t>(dim), -1});
  if (!lines.ok()) return lines.result().error();
  NNS_TRY_ASSIGN(const Value pair, call_op(in, OpId::sort, {Value(lines.ref()), Value(-1)}));
  const Term sorted(Ref<Tensor>((*pair.as<object::Tuple>())[0].as<Tensor>()));
  Dims line_shape = sorted.tensor().shape();
  const std::int64_t size = line_shape[line_shape.size() - 1];

  // One rank for each line and each q.
  const bool is_one = wanted->ndim() == 0;
  const Term q = apply(OpId::reshape, {Term(wanted), dims_value(in, Dims({-1}))});
  const Term is_nan = apply(OpId::isnan, {sorted});
  const Value last_dim = dims_value(in, Dims({-1}));
  Term ranks;
  if (without_nan) {
    const Term numbers = apply(OpId::sum_dim, {logical_not(is_nan), last_dim, true});
    ranks = q * apply(OpId::clamp, {numbers - 1, 0});
  } else {
    ranks = apply(OpId::where, {apply(OpId::any, {is_nan, last_dim, true}), static_cast<double>(size - 1),
                                q * static_cast<double>(size - 1)});
  }
  // Halves go to the even neighbour.
  if (between == Between::Lower) ranks = apply(OpId::floor, {ranks});
  if (between == Between::Higher) ranks = apply(OpId::ceil, {ranks});
  if (between == Between::Nearest) ranks = apply(OpId::round, {ranks});
  const Value whole = tensor::TensorLibrary::of(in).dtype_value(DType::Int64);
  const auto items_at = [&](const Term& rank) {
    return apply(OpId::gather, {sorted, -1, apply(OpId::to_dtype, {rank, TermArgument(whole)})});
  };
  const Term below = apply(OpId::floor, {ranks});
  Term made = items_at(below);
  if (between == Between::Linear || between == Between::Midpoint) {
    const Term above = items_at(apply(OpId::ceil, {ranks}));
    if (between == Between::Linear) {
      made = apply(OpId::lerp, {made, above, as_dtype(ranks - below, self.dtype())});
    } else {
      made = apply(OpId::lerp, {made, above, 0.5});
    }
  }
  if (!made.ok()) return made.result().error();

  // q in front, the other dimensions in their places.
  const auto back = [&](const Term& one) -> Term {
    if (is_whole) {
      if (!call.flag(3)) return apply(OpId::reshape, {one, dims_value(in, Dims())});
      return apply(OpId::reshape, {one, dims_value(in, Dims(self.ndim(), 1))});
    }
    if (self.ndim() == 0) return apply(OpId::reshape, {one, dims_value(in, Dims())});
    const Term kept = apply(OpId::transpose, {apply(OpId::unsqueeze, {one, -1}), static_cast<std::int64_t>(dim), -1});
    return call.flag(3) ? kept : apply(OpId::squeeze, {kept, dims_value(in, Dims({static_cast<std::int64_t>(dim)}))});
  };
  std::vector<Value> parts;
  for (std::int64_t i = 0; i < made.tensor().shape()[made.tensor().ndim() - 1]; ++i) {
    Term part = back(apply(OpId::select, {made, -1, i}));
    if (!part.ok()) return part.result().error();
    if (is_one) return value_of(std::move(part));
    parts.emplace_back(part.ref());
  }
  return call_op(in, OpId::stack, {Value(in.tuple(std::move(parts))), Value(0)});
}

}  // namespace

template <>
OpBodies bodies<OpId::quantile>() {
  return {.composite = quantile<false>};
}
template <>
OpBodies bodies<OpId::nanquantile>() {
  return {.composite = quantile<true>};
}

}  // namespace nns::ops
