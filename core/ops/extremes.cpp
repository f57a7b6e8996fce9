#include "core/ops/errors.h"
#include "core/ops/reduction.h"

// The largest and the smallest, where they are, and whether any or all items are true.
// Behaviour: aten/src/ATen/native/{ReduceOps,TensorCompare}.cpp; gradients: torch/csrc/autograd/FunctionsManual.cpp.
namespace nns::ops {
namespace {

// The gradient of max() and min(), shared among all items that equal the result; of NaN among those that are NaN.
// Behaviour: torch/csrc/autograd/FunctionsManual.cpp, evenly_distribute_backward.
Term shared_by_value(Backward& b) {
  const Term is_nan = apply(OpId::isnan, {b.out()}), nans = apply(OpId::isnan, {b.arg(0)});
  const Term mask = as_dtype(where(is_nan, nans, eq(b.arg(0), b.out())), b.input(0).dtype);
  return mask * b.grad() / sum_to(mask, Dims());
}

template <class T, bool largest>
struct ExtremeOf {
  const Tensor* out;
  const Tensor* place;
  T best{};
  std::int64_t at = -1;
  bool is_before(T x) const {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(best)) return false;
      if (std::isnan(x)) return true;
    }
    return largest ? x > best : x < best;
  }
  void add(const T* values, std::int64_t count, std::int64_t index) {
    for (std::int64_t i = 0; i < count; ++i) {
      if (at < 0 || is_before(values[i])) {
        best = values[i];
        at = index + i;
      }
    }
  }
  void store(std::int64_t k) const {
    if (out != nullptr) put(*out, k, best);
    if (place != nullptr) put(*place, k, at);
  }
};
struct AnyOf {
  const Tensor& out;
  bool found = false;
  void add(const bool* values, std::int64_t count, std::int64_t) {
    for (std::int64_t i = 0; i < count; ++i) found = found || values[i];
  }
  void store(std::int64_t k) const { put(out, k, found); }
};
struct AllOf {
  const Tensor& out;
  bool held = true;
  void add(const bool* values, std::int64_t count, std::int64_t) {
    for (std::int64_t i = 0; i < count; ++i) held = held && values[i];
  }
  void store(std::int64_t k) const { put(out, k, held); }
};
struct CountOf {
  const Tensor& out;
  std::int64_t found = 0;
  void add(const bool* values, std::int64_t count, std::int64_t) {
    for (std::int64_t i = 0; i < count; ++i) found += values[i] ? 1 : 0;
  }
  void store(std::int64_t k) const { put(out, k, found); }
};
// Ordered types, for max and its like.
template <class Use>
PyResult<void> with_ordered_type(OpCall& call, Use use) {
  switch (compute_of(call.required(0).dtype())) {
    case Compute::Float:
      return use(float());
    case Compute::Double:
      return use(double());
    case Compute::Int64:
      return use(std::int64_t());
    case Compute::UInt64:
      return use(std::uint64_t());
    case Compute::Bool:
      return use(bool());
    default:
      return not_implemented_for(call.interpreter, call.op.name, call.required(0).dtype());
  }
}

template <bool largest>
OpBodies extreme_dim(std::string_view node) {
  return {.shape = [](OpCall& call) -> PyResult<void> {
            const Tensor& self = call.required(0);
            NNS_TRY_ASSIGN(const std::size_t dim, call.dimension(call.integer(1), self.ndim()));
            if (self.ndim() > 0 && self.shape()[dim] == 0) {
              return object::error<object::ErrorKind::IndexError>(
                  call.interpreter, "{}(): Expected reduction dim {} to have non-zero size.", call.op.name, dim);
            }
            NNS_TRY(shape_over(call, 1, 2, self.dtype()));
            return shape_over(call, 1, 2, DType::Int64);
          },
          .cpu =
              [](OpCall& call) {
                return with_ordered_type(call, [&]<class T>(T) -> PyResult<void> {
                  reduce<T>(call.required(0), chosen_of(call, 1), compute_for<T>(), [&] {
                    return ExtremeOf<T, largest>{&call.output(0), &call.output(1)};
                  });
                  return {};
                });
              },
          .gradients = {Gradient{0, result(1), [](Backward& b) { return to_chosen(b, 1, 2); }}},
          .differentiable_outputs = 1,
          .node_name = node,
          .result_fields = "values indices"};
}

template <bool largest>
PyResult<void> run_extreme(OpCall& call, const std::vector<bool>& chosen, bool as_place) {
  return with_ordered_type(call, [&]<class T>(T) -> PyResult<void> {
    reduce<T>(call.required(0), chosen, compute_for<T>(), [&] {
      return ExtremeOf<T, largest>{as_place ? nullptr : &call.output(), as_place ? &call.output() : nullptr};
    });
    return {};
  });
}
template <bool largest>
OpBodies extreme(std::string_view node) {
  return {.shape = [](OpCall& call) -> PyResult<void> {
            if (call.required(0).numel() == 0) {
              return object::runtime_error(
                  call.interpreter,
                  "{}(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
                  "reduction dim with the 'dim' argument.",
                  call.op.name);
            }
            return call.give(Dims(), call.required(0).dtype());
          },
          .cpu = [](OpCall& call) { return run_extreme<largest>(call, all_of(call), false); },
          .gradients = {Gradient{0, argument(0) | result(), [](Backward& b) { return shared_by_value(b); }}},
          .node_name = node};
}
template <bool largest>
OpBodies extreme_of_dims() {
  return {.shape = [](OpCall& call) -> PyResult<void> {
            const Tensor& self = call.required(0);
            NNS_TRY_ASSIGN(const std::vector<bool> chosen, call.dimensions(call.args[1], self.ndim()));
            if (self.numel() == 0 && (call.is_none(1) || dims_of(call.args[1]).size() == 0)) {
              return object::runtime_error(
                  call.interpreter,
                  "{}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with "
                  "the 'dim' argument.",
                  call.op.name);
            }
            for (std::size_t dim = 0; dim < chosen.size(); ++dim) {
              if (chosen[dim] && self.shape()[dim] == 0) {
                return object::error<object::ErrorKind::IndexError>(
                    call.interpreter, "{}(): Expected reduction dim {} to have non-zero size.", call.op.name, dim);
              }
            }
            return shape_over(call, 1, 2, self.dtype());
          },
          .cpu = [](OpCall& call) { return run_extreme<largest>(call, chosen_of(call, 1), false); },
          .gradients = {Gradient{0, argument(0) | result(), [](Backward& b) {
                                   return evenly_shared(b, unreduced(b, b.grad(), 1, 2), unreduced(b, b.out(), 1, 2));
                                 }}}};
}
template <bool largest>
OpBodies place_of_extreme() {
  return {.shape = [](OpCall& call) -> PyResult<void> {
            const Tensor& self = call.required(0);
            if (self.numel() == 0 && call.is_none(1)) {
              return object::error<object::ErrorKind::IndexError>(
                  call.interpreter,
                  "{}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction "
                  "dim with the 'dim' argument.",
                  call.op.name);
            }
            return shape_over(call, 1, 2, DType::Int64);
          },
          .cpu = [](OpCall& call) { return run_extreme<largest>(call, chosen_of(call, 1), true); }};
}

// Whether something is true is a bool, of uint8 a uint8. No dimensions are none here, not all.
bool asks_each(const OpCall& call) { return call.args[1].as<object::Tuple>() != nullptr && call.dims(1).size() == 0; }
PyResult<void> truth_shape(OpCall& call) {
  const DType dtype = call.required(0).dtype() == DType::UInt8 ? DType::UInt8 : DType::Bool;
  if (asks_each(call)) return call.give(call.required(0).shape(), dtype);
  return shape_over(call, 1, 2, dtype);
}
template <class Reduction>
PyResult<void> run_truth(OpCall& call) {
  const std::vector<bool> chosen =
      asks_each(call) ? std::vector<bool>(call.required(0).ndim(), false) : chosen_of(call, 1);
  reduce<bool>(call.required(0), chosen, Compute::Bool, [&] { return Reduction{call.output()}; });
  return {};
}

}  // namespace

template <>
OpBodies bodies<OpId::max>() {
  return extreme<true>("MaxBackward1");
}
template <>
OpBodies bodies<OpId::min>() {
  return extreme<false>("MinBackward1");
}
template <>
OpBodies bodies<OpId::max_dim>() {
  return extreme_dim<true>("MaxBackward0");
}
template <>
OpBodies bodies<OpId::min_dim>() {
  return extreme_dim<false>("MinBackward0");
}
template <>
OpBodies bodies<OpId::amax>() {
  return extreme_of_dims<true>();
}
template <>
OpBodies bodies<OpId::amin>() {
  return extreme_of_dims<false>();
}
template <>
OpBodies bodies<OpId::argmax>() {
  return place_of_extreme<true>();
}
template <>
OpBodies bodies<OpId::argmin>() {
  return place_of_extreme<false>();
}
template <>
OpBodies bodies<OpId::any>() {
  return {.shape = truth_shape, .cpu = run_truth<AnyOf>};
}
template <>
OpBodies bodies<OpId::all>() {
  return {.shape = truth_shape, .cpu = run_truth<AllOf>};
}
template <>
OpBodies bodies<OpId::count_nonzero>() {
  return {.shape = [](OpCall& call) -> PyResult<void> {
            NNS_TRY_ASSIGN(const std::vector<bool> chosen, call.dimensions(call.args[1], call.required(0).ndim()));
            return call.give(reduced(call.required(0).shape(), chosen, false), DType::Int64);
          },
          .cpu = [](OpCall& call) -> PyResult<void> {
            reduce<bool>(call.required(0), chosen_of(call, 1), Compute::Bool, [&] { return CountOf{call.output()}; });
            return {};
          }};
}
}  // namespace nns::ops
