#include <algorithm>
#include <cmath>

#include "core/ops/errors.h"
#include "core/ops/python_function.h"
#include "core/ops/reduction.h"
#include "core/ops/sorting.h"

// Items by their rank in a line, and the one that comes most often.
// Behaviour: aten/src/ATen/native/Sorting.cpp (kthvalue, median), TensorCompare.cpp (mode).
namespace nns::ops {
namespace {

bool is_nan_at(const Tensor& tensor, std::int64_t place) {
  return tensor::is_floating(tensor.dtype()) && std::isnan(tensor::read_double(tensor, place));
}

PyResult<void> refuse_complex_and_bool(OpCall& call) {
  const DType dtype = call.required(0).dtype();
  if (!tensor::is_complex(dtype) && dtype != DType::Bool) return {};
  return not_implemented_for(call.interpreter, call.op.name + "_cpu", dtype);
}

// Values and places, without the dimension in argument `dim`.
PyResult<void> chosen_shape(OpCall& call, std::size_t dim, std::size_t keep) {
  const Tensor& self = call.required(0);
  NNS_TRY_ASSIGN(const std::size_t at, call.dimension(call.integer(dim), self.ndim()));
  if (self.ndim() > 0 && self.shape()[at] == 0) {
    return object::error<object::ErrorKind::IndexError>(
        call.interpreter, "{}(): Expected reduction dim {} to have non-zero size.", call.op.name, at);
  }
  NNS_TRY(shape_over(call, dim, keep, self.dtype()));
  return shape_over(call, dim, keep, DType::Int64);
}

// Puts the item that choose(line, count) names of each line along argument `dim` into the outputs.
template <class Choose>
PyResult<void> choose_in_lines(OpCall& call, std::size_t dim, std::size_t keep, Choose choose) {
  const Tensor& self = call.required(0);
  const std::size_t at = wrapped(call.integer(dim), std::max<std::size_t>(self.ndim(), 1));
  // The lines of the outputs have one item.
  const auto as_lines = [&](Tensor& out) {
    if (call.flag(keep) || self.ndim() == 0) return tensor::detach(out);
    std::vector<std::int64_t> shape(out.shape().begin(), out.shape().end());
    std::vector<std::int64_t> strides(out.strides().begin(), out.strides().end());
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(at), 1);
    strides.insert(strides.begin() + static_cast<std::ptrdiff_t>(at), 1);
    return tensor::as_strided(out, Dims(shape), Dims(strides), out.offset());
  };
  const Ref<Tensor> values = as_lines(call.output(0));
  auto* const places = reinterpret_cast<std::int64_t*>(call.output(1).storage()->data());
  for_each_line(self, *values, at, [&](const Line& from, const Line& to, std::int64_t count) {
    const std::int64_t place = choose(from, count);
    copy_item(*values, to.place, self, from.place + place * from.stride);
    places[to.place] = place;
  });
  return {};
}

PyResult<void> kthvalue_shape(OpCall& call) {
  const Tensor& self = call.required(0);
  NNS_TRY(refuse_complex_and_bool(call));
  NNS_TRY_ASSIGN(const std::size_t dim, call.dimension(call.integer(2), self.ndim()));
  const std::int64_t size = self.ndim() == 0 ? 1 : self.shape()[dim];
  if (size > 0 && (call.integer(1) < 1 || call.integer(1) > size)) {
    return object::runtime_error(call.interpreter, "kthvalue(): selected number k out of range for dimension {}", dim);
  }
  return chosen_shape(call, 2, 3);
}
PyResult<void> run_kthvalue(OpCall& call) {
  const Tensor& self = call.required(0);
  return choose_in_lines(call, 2, 3, [&](const Line& line, std::int64_t count) {
    return order_of(self, line, count, false)[static_cast<std::size_t>(call.integer(1) - 1)];
  });
}

// The lower of the two in the middle; a line with a NaN gives it, unless they are left out.
std::int64_t median_of(const Tensor& self, const Line& line, std::int64_t count, bool without_nan) {
  std::int64_t numbers = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    if (!is_nan_at(self, line.place + i * line.stride)) {
      ++numbers;
    } else if (!without_nan) {
      return i;
    }
  }
  const std::vector<std::int64_t> order = order_of(self, line, count, false);
  return order[static_cast<std::size_t>(std::max<std::int64_t>(numbers - 1, 0) / 2)];
}

template <bool without_nan>
OpBodies median_of_dim() {
  return {.shape = [](OpCall& call) -> PyResult<void> {
            NNS_TRY(refuse_complex_and_bool(call));
            return chosen_shape(call, 1, 2);
          },
          .cpu =
              [](OpCall& call) {
                return choose_in_lines(call, 1, 2, [&](const Line& line, std::int64_t count) {
                  return median_of(call.required(0), line, count, without_nan);
                });
              },
          .gradients = {Gradient{0, result(1), [](Backward& b) { return to_chosen(b, 1, 2); }}},
          .differentiable_outputs = 1,
          .node_name = without_nan ? "NanmedianBackward1" : "MedianBackward1",
          .result_fields = "values indices"};
}

template <bool without_nan>
PyResult<void> run_median(OpCall& call) {
  const Tensor& self = call.required(0);
  const Tensor& out = call.output();
  if (self.numel() == 0) {
    tensor::fill_items(out, std::numeric_limits<double>::quiet_NaN());
    return {};
  }
  // All items in one line.
  const Ref<Tensor> flat = self.is_contiguous() ? tensor::detach(self) : tensor::clone(self);
  const Line line{flat->offset(), 1};
  copy_item(out, out.offset(), *flat, flat->offset() + median_of(*flat, line, flat->numel(), without_nan));
  return {};
}
template <bool without_nan>
OpBodies median_of_all() {
  return {
      .shape = [](OpCall& call) -> PyResult<void> {
        NNS_TRY(refuse_complex_and_bool(call));
        if (call.required(0).numel() == 0 && tensor::is_integral(call.required(0).dtype())) {
          return object::runtime_error(call.interpreter, "value cannot be converted to type int64_t without overflow");
        }
        return call.give(Dims(), call.required(0).dtype());
      },
      .cpu = run_median<without_nan>,
      .gradients = {Gradient{0, argument(0) | result(), [](Backward& b) {
                               // Where the result is not a number, so were the items that gave it.
                               const Term is_nan = apply(OpId::isnan, {b.out()});
                               const Term is_it =
                                   apply(OpId::logical_or,
                                         {eq(b.arg(0), b.out()), logical_and(is_nan, apply(OpId::isnan, {b.arg(0)}))});
                               const Term mask = as_dtype(is_it, b.input(0).dtype);
                               return mask * (b.grad() / apply(OpId::sum, {mask}));
                             }}}};
}

PyResult<void> run_mode(OpCall& call) {
  const Tensor& self = call.required(0);
  return choose_in_lines(call, 1, 2, [&](const Line& line, std::int64_t count) {
    const std::vector<std::int64_t> order = order_of(self, line, count, false);
    const auto number_at = [&](std::size_t i) {
      return tensor::read_double(self, line.place + order[i] * line.stride);
    };
    // The smallest of those that come most often; of its places the last.
    std::size_t most = 0, chosen = 0, run = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      run = i > 0 && number_at(i) == number_at(i - 1) ? run + 1 : 1;
      const bool is_last = i + 1 == order.size() || number_at(i + 1) != number_at(i);
      if (!is_last || run <= most) continue;
      most = run;
      chosen = i;
    }
    return order[chosen];
  });
}

}  // namespace

template <>
OpBodies bodies<OpId::kthvalue>() {
  return {.shape = kthvalue_shape,
          .cpu = run_kthvalue,
          .gradients = {Gradient{0, result(1), [](Backward& b) { return to_chosen(b, 2, 3); }}},
          .differentiable_outputs = 1,
          .result_fields = "values indices"};
}
template <>
OpBodies bodies<OpId::median>() {
  return median_of_all<false>();
}
template <>
OpBodies bodies<OpId::median_dim>() {
  return median_of_dim<false>();
}
template <>
OpBodies bodies<OpId::nanmedian>() {
  return median_of_all<true>();
}
template <>
OpBodies bodies<OpId::nanmedian_dim>() {
  return median_of_dim<true>();
}
template <>
OpBodies bodies<OpId::mode>() {
  return {.shape = [](OpCall& call) { return chosen_shape(call, 1, 2); },
          .cpu = run_mode,
          .gradients = {Gradient{0, result(1), [](Backward& b) { return to_chosen(b, 1, 2); }}},
          .differentiable_outputs = 1,
          .result_fields = "values indices"};
}
template <>
OpBodies bodies<OpId::aminmax>() {
  return {.composite = [](OpCall& call) -> PyResult<Value> {
            const Tensor& self = call.required(0);
            if (call.is_none(1) && self.numel() == 0) {
              return object::runtime_error(
                  call.interpreter,
                  "aminmax(): cannot compute aminmax over an empty dimension as the operation has no "
                  "identity.");
            }
            const Value dims = call.is_none(1) ? Value() : dims_value(call.interpreter, Dims({call.integer(1)}));
            NNS_TRY_ASSIGN(Value least, call_op(call.interpreter, OpId::amin, {call.args[0], dims, call.args[2]}));
            NNS_TRY_ASSIGN(Value most, call_op(call.interpreter, OpId::amax, {call.args[0], dims, call.args[2]}));
            return named_result(call.interpreter, "aminmax", "min max", {std::move(least), std::move(most)});
          },
          .result_fields = "min max"};
}

}  // namespace nns::ops
