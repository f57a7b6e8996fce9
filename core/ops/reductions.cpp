#include <fmt/ranges.h>

#include <algorithm>

#include "core/object/operations.h"
#include "core/ops/element_kernels.h"
#include "core/ops/node.h"
#include "core/ops/reduction.h"
#include "core/ops/term.h"
#include "core/ops/vector_rows.h"
#include "core/tensor/capture.h"
#include "core/tensor/promotion.h"

// Behaviour: aten/src/ATen/native/{ReduceOps,TensorCompare}.cpp; gradients: torch/csrc/autograd/FunctionsManual.cpp.
namespace nns::ops {
namespace {

// ---------------------------------------------------------------- reductions

// Sums of floats are kept in double: as exact as PyTorch's cascade, and simpler.
template <class T>
struct SumOf {
  using Wide = std::conditional_t<std::is_same_v<T, float>, double,
                                  std::conditional_t<std::is_same_v<T, ComplexFloat>, ComplexDouble, T>>;
  const Tensor& out;
  double scale = 1;
  Wide sum{};
  void add(const T* values, std::int64_t count, std::int64_t) {
    if constexpr (std::is_same_v<T, float>) {
      // Several sums at once, so that the loop is not one chain.
      double parts[8] = {};
      std::int64_t i = 0;
      for (; i + 8 <= count; i += 8) {
        for (std::int64_t k = 0; k < 8; ++k) parts[k] += static_cast<double>(values[i + k]);
      }
      for (; i < count; ++i) parts[0] += static_cast<double>(values[i]);
      sum += ((parts[0] + parts[1]) + (parts[2] + parts[3])) + ((parts[4] + parts[5]) + (parts[6] + parts[7]));
    } else {
      for (std::int64_t i = 0; i < count; ++i) {
        if constexpr (kIsComplex<T>)
          sum += Wide(static_cast<typename Wide::value_type>(values[i].real()),
                      static_cast<typename Wide::value_type>(values[i].imag()));
        else
          sum = wrapping_add(sum, static_cast<Wide>(values[i]));
      }
    }
  }
  void store(std::int64_t k) const {
    if constexpr (std::is_integral_v<Wide>)
      put(out, k, sum);
    else if constexpr (kIsComplex<Wide>)
      put(out, k, Wide(sum * scale));
    else
      put(out, k, static_cast<Wide>(sum * static_cast<Wide>(scale)));
  }
};
template <class T>
struct ProductOf {
  const Tensor& out;
  T product = T(1);
  void add(const T* values, std::int64_t count, std::int64_t) {
    for (std::int64_t i = 0; i < count; ++i) product = wrapping_mul(product, values[i]);
  }
  void store(std::int64_t k) const { put(out, k, product); }
};
// Welford's running mean and squared deviation, in double; of complex numbers the sum of that of their parts.
template <class T>
struct VarianceOf {
  using Wide = std::conditional_t<kIsComplex<T>, ComplexDouble, double>;
  const Tensor& out;
  double correction = 1;
  bool is_root = false;
  double count = 0;
  Wide mean{};
  double squares = 0;
  void add(const T* values, std::int64_t number, std::int64_t) {
    for (std::int64_t i = 0; i < number; ++i) {
      const auto x = static_cast<Wide>(values[i]);
      count += 1;
      const Wide distance = x - mean;
      mean += distance / count;
      if constexpr (kIsComplex<T>)
        squares += std::real(distance * std::conj(x - mean));
      else
        squares += distance * (x - mean);
    }
  }
  void store(std::int64_t k) const {
    const double divisor = std::max(0.0, count - correction);
    const double variance = count == 0 ? std::numeric_limits<double>::quiet_NaN() : squares / divisor;
    put(out, k, is_root ? std::sqrt(variance) : variance);
  }
};
template <class T>
struct NormOf {
  const Tensor& out;
  double p = 2;
  double sum = 0;
  bool began = false;
  void add(const T* values, std::int64_t count, std::int64_t) {
    for (std::int64_t i = 0; i < count; ++i) {
      const auto size = static_cast<double>(std::abs(values[i]));
      // A square is a number of the tensor's own precision: it may be infinite, or 0.
      if (p == 2)
        sum += static_cast<double>(std::abs(values[i]) * std::abs(values[i]));
      else if (p == 1)
        sum += size;
      else if (p == 0)
        sum += size != 0 ? 1 : 0;
      else if (std::isinf(p)) {
        if (!began || std::isnan(size) || (p > 0 ? size > sum : size < sum))
          sum = std::isnan(sum) && began ? sum : size;
        began = true;
      } else
        sum += std::pow(size, p);
    }
  }
  void store(std::int64_t k) const {
    const bool is_sum = p == 1 || p == 0 || std::isinf(p);
    const auto total = static_cast<double>(static_cast<decltype(std::abs(T()))>(sum));
    put(out, k, is_sum ? sum : p == 2 ? std::sqrt(total) : std::pow(total, 1 / p));
  }
};
template <class T>
struct LogSumExpOf {
  const Tensor& out;
  double largest = -std::numeric_limits<double>::infinity();
  double sum = 0;
  void add(const T* values, std::int64_t count, std::int64_t) {
    for (std::int64_t i = 0; i < count; ++i) {
      const auto x = static_cast<double>(values[i]);
      if (x > largest) {
        sum = std::isinf(largest) ? 1 : sum * std::exp(largest - x) + 1;
        largest = x;
      } else if (std::isinf(x) && x == largest) {
        sum += 1;
      } else {
        sum += std::exp(x - largest);
      }
    }
  }
  void store(std::int64_t k) const {
    put(out, k, std::isinf(largest) && !std::isnan(sum) ? largest : largest + std::log(sum));
  }
};

// ---------------------------------------------------------------- arguments

// Sums of integers and bools are int64.
DType sum_dtype(const OpCall& call, std::size_t parameter) {
  const DType own = call.required(0).dtype();
  return call.dtype(parameter, tensor::is_integral(own) ? DType::Int64 : own);
}

template <class Use>
PyResult<void> with_sum_type(OpCall& call, Use use) {
  switch (compute_of(call.output().dtype())) {
    case Compute::Float:
      return use(float());
    case Compute::Double:
      return use(double());
    case Compute::ComplexFloat:
      return use(ComplexFloat());
    case Compute::ComplexDouble:
      return use(ComplexDouble());
    default:
      return use(std::int64_t());
  }
}
template <class Use>
PyResult<void> with_float_type(OpCall& call, Use use) {
  const DType dtype = call.required(0).dtype();
  if (dtype == DType::Float64) return use(double());
  return use(float());
}
// The same, of complex numbers, too.
template <class Use>
PyResult<void> with_fractional_type(OpCall& call, Use use) {
  const Compute compute = compute_of(call.required(0).dtype());
  if (compute == Compute::ComplexFloat) return use(ComplexFloat());
  if (compute == Compute::ComplexDouble) return use(ComplexDouble());
  return with_float_type(call, use);
}

// Behaviour: ReduceOps.cpp, warn_invalid_degrees_of_freedom.
void warn_of_freedom(const OpCall& call, double correction) {
  const std::int64_t results = call.output().numel();
  const std::int64_t each = results == 0 ? 0 : call.required(0).numel() / results;
  if (static_cast<double>(each) - correction > 0) return;
  call.interpreter.warn(object::ErrorKind::UserWarning,
                        fmt::format("{}(): degrees of freedom is <= 0. Correction should be strictly less than the "
                                    "reduction factor (input numel divided by output numel).",
                                    call.op.name));
}

// Sums of floats that lie in order: of the dimensions `before` and `behind` those that are kept.
struct SumInOrder {
  const float* from = nullptr;
  float* to = nullptr;
  std::int64_t before = 1, kept = 1, behind = 1;
  double scale = 1;

  void operator()() const {
    if (behind > 1 || kept == 1) {
      for (std::int64_t k = 0; k < kept; ++k) {
        double sum = 0;
        for (std::int64_t i = 0; i < before; ++i) sum += vectors::sum(from + (i * kept + k) * behind, behind);
        to[k] = static_cast<float>(sum * scale);
      }
      return;
    }
    // Column sums: some rows in floats, then those in doubles.
    constexpr std::int64_t kColumns = 512, kRows = 64;
    float part[kColumns];
    double total[kColumns];
    for (std::int64_t column = 0; column < kept; column += kColumns) {
      const std::int64_t count = std::min(kColumns, kept - column);
      std::fill_n(total, count, 0.0);
      for (std::int64_t row = 0; row < before; row += kRows) {
        std::copy_n(from + row * kept + column, count, part);
        for (std::int64_t i = row + 1; i < std::min(before, row + kRows); ++i)
          vectors::add_to(part, from + i * kept + column, count);
        for (std::int64_t k = 0; k < count; ++k) total[k] += static_cast<double>(part[k]);
      }
      for (std::int64_t k = 0; k < count; ++k) to[column + k] = static_cast<float>(total[k] * scale);
    }
  }
};

// Sums of floats that lie in order, over the last dimensions or over the first ones: one pass over the memory. Whether
// the input is such.
bool sum_in_order(const Tensor& input, const Tensor& out, const std::vector<bool>& chosen, double scale) {
  if (input.dtype() != DType::Float32 || out.dtype() != DType::Float32 || !input.is_contiguous()) return false;
  // Dimensions that are summed, kept, summed; nothing else.
  SumInOrder sums;
  sums.scale = scale;
  std::size_t dim = 0;
  for (; dim < chosen.size() && chosen[dim]; ++dim) sums.before *= input.shape()[dim];
  for (; dim < chosen.size() && !chosen[dim]; ++dim) sums.kept *= input.shape()[dim];
  for (; dim < chosen.size() && chosen[dim]; ++dim) sums.behind *= input.shape()[dim];
  if (dim < chosen.size() || sums.before * sums.kept * sums.behind == 0) return false;
  sums.from = reinterpret_cast<const float*>(input.data());
  sums.to = reinterpret_cast<float*>(out.data());
  tensor::Capture::launch(sums);
  tensor::Capture::covers();
  return true;
}

PyResult<void> sum_with(OpCall& call, const std::vector<bool>& chosen, bool is_mean) {
  double scale = 1;
  if (is_mean) {
    double count = 1;
    for (std::size_t dim = 0; dim < chosen.size(); ++dim) {
      if (chosen[dim]) count *= static_cast<double>(call.required(0).shape()[dim]);
    }
    scale = 1 / count;
    if (count == 0) scale = std::numeric_limits<double>::quiet_NaN();
  }
  if (sum_in_order(call.required(0), call.output(), chosen, scale)) return {};
  return with_sum_type(call, [&]<class T>(T) -> PyResult<void> {
    reduce<T>(call.required(0), chosen, compute_for<T>(), [&] { return SumOf<T>{call.output(), scale}; });
    return {};
  });
}

PyResult<void> mean_dtype_check(OpCall& call, DType dtype) {
  if (tensor::is_differentiable(dtype)) return {};
  return object::runtime_error(
      call.interpreter,
      "mean(): could not infer output dtype. Input dtype must be either a floating point or complex "
      "dtype. Got: {}",
      tensor::info(dtype).scalar_name);
}

// ---------------------------------------------------------------- gradients

double reduced_count(Backward& b) {
  const double in = static_cast<double>(tensor::element_count(b.input(0).shape));
  const double out = static_cast<double>(tensor::element_count(b.node.outputs[0].shape));
  return out == 0 ? 1 : in / out;
}
// For each item the product of all others along `dim`: right also where there are zeros.
Term products_of_others(const Term& x, std::int64_t dim) {
  if (!x.ok()) return x;
  Interpreter& in = x.tensor().interpreter();
  if (x.tensor().ndim() == 0) return tensor::ones(in, Dims(), x.tensor().dtype(), x.tensor().device());
  const auto at = static_cast<std::int64_t>(wrapped(dim, x.tensor().ndim()));
  const std::int64_t size = x.tensor().shape()[static_cast<std::size_t>(at)];
  if (size == 0) return x;
  Dims one = x.tensor().shape();
  one[static_cast<std::size_t>(at)] = 1;
  const Term ones(tensor::ones(in, one, x.tensor().dtype(), x.tensor().device()));
  const auto behind_ones = [&](const Term& rest) -> Term {
    if (!rest.ok()) return rest;
    return call_tensor_op(in, OpId::cat,
                          std::array{Value(in.tuple({Value(ones.ref()), Value(rest.ref())})), Value(at)});
  };
  const TermArgument flipped(dims_value(in, Dims({at})));
  const Term before = apply(OpId::cumprod, {behind_ones(apply(OpId::narrow, {x, at, std::int64_t{0}, size - 1})), at});
  const Term turned = apply(OpId::flip, {x, flipped});
  const Term after = apply(
      OpId::flip,
      {apply(OpId::cumprod, {behind_ones(apply(OpId::narrow, {turned, at, std::int64_t{0}, size - 1})), at}), flipped});
  return before * after;
}

// The largest and the smallest of nothing are no numbers.
// Behaviour: aten/src/ATen/native/LinearAlgebra.cpp, linalg_vector_norm.
PyResult<void> check_norm_of_nothing(OpCall& call) {
  const Tensor& self = call.required(0);
  const double p = call.is_none(1) ? 2 : call.real(1);
  if (self.numel() != 0 || !(p < 0 || p == std::numeric_limits<double>::infinity())) return {};
  NNS_TRY_ASSIGN(const std::string order, object::str(call.interpreter, call.args[1]));
  const Dims dims = call.is_none(2) ? Dims() : dims_of(call.args[2]);
  if (dims.size() == 0) {
    return object::runtime_error(
        call.interpreter,
        "linalg.vector_norm cannot compute the {} norm on an empty tensor because the operation "
        "does not have an identity",
        order);
  }
  for (const std::int64_t dim : dims) {
    NNS_TRY_ASSIGN(const std::size_t at, call.dimension(dim, self.ndim()));
    if (self.ndim() == 0 || self.shape()[at] != 0) continue;
    return object::runtime_error(
        call.interpreter,
        "linalg.vector_norm cannot compute the {} norm on the dimension {}because this dimension "
        "is empty and the operation does not have an identity",
        order, dim);
  }
  return {};
}

template <bool is_root>
OpBodies variance() {
  return {.shape = [](OpCall& call) -> PyResult<void> {
            if (!tensor::is_differentiable(call.required(0).dtype())) {
              return object::runtime_error(call.interpreter, "{}: only support floating point and complex dtypes",
                                           call.op.name);
            }
            NNS_TRY(shape_over(call, 1, 3, tensor::real_of(call.required(0).dtype())));
            warn_of_freedom(call, call.is_none(2) ? 1 : call.real(2));
            return {};
          },
          .cpu =
              [](OpCall& call) {
                const double correction = call.is_none(2) ? 1 : call.real(2);
                return with_fractional_type(call, [&]<class T>(T) -> PyResult<void> {
                  reduce<T>(call.required(0), chosen_of(call, 1), compute_for<T>(), [&] {
                    return VarianceOf<T>{call.output(), correction, is_root};
                  });
                  return {};
                });
              },
          .gradients = {Gradient{0, argument(0) | result(), [](Backward& b) {
                                   const double correction = b.value(2).is_none() ? 1 : b.real(2);
                                   const double scale = 2 / (reduced_count(b) - correction);
                                   Term grad = b.grad();
                                   // Where nothing varies the root has no slope; 0 is taken.
                                   if (is_root) {
                                     grad = apply(OpId::masked_fill, {grad / (b.out() * 2), eq(b.out(), 0), 0});
                                   }
                                   const Value all =
                                       b.value(1).is_none() ? dims_value(b.interpreter(), Dims()) : b.value(1);
                                   const Term mean = apply(OpId::mean_dim, {b.arg(0), TermArgument(all), true});
                                   return unreduced(b, grad, 1, 3) * (b.arg(0) - mean) * scale;
                                 }}}};
}

}  // namespace

template <>
OpBodies bodies<OpId::sum>() {
  return {.shape = [](OpCall& call) { return call.give(Dims(), sum_dtype(call, 1)); },
          .cpu = [](OpCall& call) { return sum_with(call, all_of(call), false); },
          .gradients = {Gradient{0, 0, [](Backward& b) { return spread(b, b.grad()); }}}};
}
template <>
OpBodies bodies<OpId::sum_dim>() {
  return {.shape = [](OpCall& call) { return shape_over(call, 1, 2, sum_dtype(call, 3)); },
          .cpu = [](OpCall& call) { return sum_with(call, chosen_of(call, 1), false); },
          .gradients = {Gradient{0, 0, [](Backward& b) { return spread(b, unreduced(b, b.grad(), 1, 2)); }}},
          .node_name = "SumBackward1"};
}
template <>
OpBodies bodies<OpId::mean>() {
  return {.shape = [](OpCall& call) -> PyResult<void> {
            const DType dtype = call.dtype(1, call.required(0).dtype());
            NNS_TRY(mean_dtype_check(call, dtype));
            return call.give(Dims(), dtype);
          },
          .cpu = [](OpCall& call) { return sum_with(call, all_of(call), true); },
          .gradients = {Gradient{0, 0, [](Backward& b) { return spread(b, b.grad() / reduced_count(b)); }}}};
}
template <>
OpBodies bodies<OpId::mean_dim>() {
  return {.shape = [](OpCall& call) -> PyResult<void> {
            const DType dtype = call.dtype(3, call.required(0).dtype());
            NNS_TRY(mean_dtype_check(call, dtype));
            return shape_over(call, 1, 2, dtype);
          },
          .cpu = [](OpCall& call) { return sum_with(call, chosen_of(call, 1), true); },
          .gradients = {Gradient{
              0, 0, [](Backward& b) { return spread(b, unreduced(b, b.grad(), 1, 2) / reduced_count(b)); }}},
          .node_name = "MeanBackward1"};
}
template <>
OpBodies bodies<OpId::prod>() {
  return {.shape = [](OpCall& call) { return call.give(Dims(), sum_dtype(call, 1)); },
          .cpu =
              [](OpCall& call) {
                return with_sum_type(call, [&]<class T>(T) -> PyResult<void> {
                  reduce<T>(call.required(0), all_of(call), compute_for<T>(),
                            [&] { return ProductOf<T>{call.output()}; });
                  return {};
                });
              },
          .gradients = {Gradient{
              0, argument(0), [](Backward& b) {
                const Term flat = apply(OpId::reshape, {b.arg(0), dims_value(b.interpreter(), Dims({-1}))});
                const Term others = products_of_others(flat, 0);
                return b.grad() * apply(OpId::reshape, {others, dims_value(b.interpreter(), b.input(0).shape)});
              }}}};
}
template <>
OpBodies bodies<OpId::prod_dim>() {
  return {.shape = [](OpCall& call) { return shape_over(call, 1, 2, sum_dtype(call, 3)); },
          .cpu =
              [](OpCall& call) {
                return with_sum_type(call, [&]<class T>(T) -> PyResult<void> {
                  reduce<T>(call.required(0), chosen_of(call, 1), compute_for<T>(),
                            [&] { return ProductOf<T>{call.output()}; });
                  return {};
                });
              },
          .gradients = {Gradient{
              0, argument(0),
              [](Backward& b) { return unreduced(b, b.grad(), 1, 2) * products_of_others(b.arg(0), b.integer(1)); }}},
          .node_name = "ProdBackward1"};
}
template <>
OpBodies bodies<OpId::var>() {
  return variance<false>();
}
template <>
OpBodies bodies<OpId::std>() {
  return variance<true>();
}
template <>
OpBodies bodies<OpId::norm>() {
  return {
      .shape = [](OpCall& call) -> PyResult<void> {
        if (!tensor::is_differentiable(call.required(0).dtype())) {
          return object::runtime_error(
              call.interpreter, "linalg.vector_norm: Expected a floating point or complex tensor as input. Got {}",
              tensor::info(call.required(0).dtype()).scalar_name);
        }
        NNS_TRY(check_norm_of_nothing(call));
        return shape_over(call, 2, 3, tensor::real_of(call.required(0).dtype()));
      },
      .cpu =
          [](OpCall& call) {
            const double p = call.is_none(1) ? 2 : call.real(1);
            return with_fractional_type(call, [&]<class T>(T) -> PyResult<void> {
              reduce<T>(call.required(0), chosen_of(call, 2), compute_for<T>(), [&] {
                return NormOf<T>{call.output(), p};
              });
              return {};
            });
          },
      .gradients = {Gradient{
          0, argument(0) | result(),
          [](Backward& b) {
            const double p = b.value(1).is_none() ? 2 : b.real(1);
            const Term x = b.arg(0);
            const Term grad = unreduced(b, b.grad(), 2, 3);
            const Term norm = unreduced(b, b.out(), 2, 3);
            if (p == 0) return zeros_like(grad, b.input(0).shape);
            if (p == 1) return grad * apply(OpId::sgn, {x});
            if (std::isinf(p)) {
              const Term size = apply(OpId::abs, {x});
              const Term is_greatest = apply(OpId::logical_or, {eq(size, norm), apply(OpId::isnan, {size})});
              const Term mask = as_dtype(is_greatest, tensor::real_of(b.input(0).dtype));
              const Term count = sum_to(mask, norm.ok() ? norm.tensor().shape() : Dims());
              return apply(OpId::sgn, {x}) * (grad / count * mask);
            }
            if (p < 1) {
              const Term steep = pow(apply(OpId::abs, {x}), p - 1);
              const Term slope = apply(OpId::masked_fill, {steep, eq(x, 0), 0});
              return apply(OpId::sgn, {x}) * slope * grad * pow(norm, 1 - p);
            }
            const Term length = p == 2 ? Term() : apply(OpId::abs, {x});
            const Term size = p == 2 ? x : p < 2 ? apply(OpId::sgn, {x}) * pow(length, p - 1) : x * pow(length, p - 2);
            const Term slope = size / (p == 2 ? norm : pow(norm, p - 1));
            // At a norm of 0 the subgradient 0 is taken.
            return grad * apply(OpId::masked_fill, {slope, eq(norm, 0), 0});
          }}},
      .node_name = "LinalgVectorNormBackward0"};
}
template <>
OpBodies bodies<OpId::logsumexp>() {
  return {
      .shape =
          [](OpCall& call) { return shape_over(call, 1, 2, floating_of(call.interpreter, call.required(0).dtype())); },
      .cpu =
          [](OpCall& call) {
            return with_float_type(call, [&]<class T>(T) -> PyResult<void> {
              reduce<T>(call.required(0), chosen_of(call, 1), compute_for<T>(),
                        [&] { return LogSumExpOf<T>{call.output()}; });
              return {};
            });
          },
      .gradients = {Gradient{0, argument(0) | result(), [](Backward& b) {
                               return unreduced(b, b.grad(), 1, 2) * exp(b.arg(0) - unreduced(b, b.out(), 1, 2));
                             }}}};
}

}  // namespace nns::ops
