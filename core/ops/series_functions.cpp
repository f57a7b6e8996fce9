#include <algorithm>
#include <cmath>

#include "core/ops/made_functions.h"
#include "core/ops/python_function.h"
#include "core/ops/special_math.h"
#include "core/ops/term.h"
#include "core/tensor/promotion.h"

// Integrals over samples, covariances, and windows of signals.
// Behaviour: aten/src/ATen/native/{Integration,Correlation,TensorFactories}.cpp.
namespace nns::ops {
namespace {

using Args = std::span<const Value>;

Term term_of(const Value& value) { return Ref<Tensor>(value.as<Tensor>()); }

// The areas between neighbours: the mean of two samples times what lies between them.
PyResult<Term> areas(Interpreter& in, const Value& y, const Value& x, const Value& dx, const Value& given_dim) {
  const Tensor& samples = *y.as<Tensor>();
  NNS_TRY_ASSIGN(const std::size_t dim, checked_dimension(in, given_dim.as_int(), samples.ndim()));
  const std::int64_t count = samples.ndim() == 0 ? 1 : samples.shape()[dim];
  const auto at = static_cast<std::int64_t>(dim);
  const auto sides = [&](const Value& of, std::int64_t along, std::int64_t size) {
    const auto part = [&](std::int64_t from) {
      return apply(OpId::narrow, {term_of(of), along, from, std::max<std::int64_t>(size - 1, 0)});
    };
    return std::pair(part(0), part(std::min<std::int64_t>(size, 1)));
  };
  const auto [before, behind] = sides(y, at, count);
  const Tensor* const places = x.as<Tensor>();
  if (places == nullptr) return (before + behind) * (Number::of(dx).as_double() / 2);
  // Places in a vector belong to the dimension that is summed.
  const std::size_t place_dim = places->ndim() == 1 ? 0 : places->ndim() - samples.ndim() + dim;
  if (places->ndim() == 0 || place_dim >= places->ndim() || places->shape()[place_dim] != count) {
    return object::runtime_error(in, "trapezoid: There must be one `x` value for each sample point");
  }
  const auto [low, high] = sides(x, static_cast<std::int64_t>(place_dim), count);
  Term width = high - low;
  if (places->ndim() == 1 && width.ok()) {
    Dims shape(samples.ndim(), 1);
    shape[dim] = count - 1;
    width = apply(OpId::view, {width, TermArgument(dims_value(in, shape))});
  }
  return (before + behind) * width / 2;
}

PyResult<Value> trapezoid(Interpreter& in, const Value& y, const Value& x, const Value& dx, const Value& dim) {
  NNS_TRY_ASSIGN(const Term parts, areas(in, y, x, dx, dim));
  return value_of(apply(OpId::sum_dim, {parts, TermArgument(dims_value(in, Dims({dim.as_int()})))}));
}
PyResult<Value> cumulative_trapezoid(Interpreter& in, const Value& y, const Value& x, const Value& dx,
                                     const Value& dim) {
  NNS_TRY_ASSIGN(const Term parts, areas(in, y, x, dx, dim));
  return value_of(apply(OpId::cumsum, {parts, TermArgument(dim)}));
}

// Rows are variables, columns are observations with a weight each.
PyResult<Value> covariance(Interpreter& in, Args a) {
  const Tensor& self = *a[0].as<Tensor>();
  if (self.ndim() > 2) {
    return object::runtime_error(in,
                                 "cov(): expected input to have two or fewer dimensions but got an input with {} "
                                 "dimensions",
                                 self.ndim());
  }
  if (self.dtype() == DType::Bool) return object::runtime_error(in, "cov(): bool dtype is not supported for input");
  Term x =
      apply(OpId::reshape,
            {term_of(a[0]), TermArgument(dims_value(in, self.ndim() == 2 ? self.shape() : Dims({1, self.numel()})))});
  if (!tensor::is_floating(self.dtype()) && !tensor::is_complex(self.dtype())) x = x * 1.0;
  const std::int64_t count = x.tensor().shape()[1];
  Term weights;
  for (const std::size_t i : {2U, 3U}) {
    const Tensor* const given = a[i].as<Tensor>();
    if (given == nullptr) continue;
    const std::string_view name = i == 2 ? "fweights" : "aweights";
    if (given->ndim() > 1) {
      return object::runtime_error(in,
                                   "cov(): expected {0} to have one or fewer dimensions but got {0} with {1} "
                                   "dimensions",
                                   name, given->ndim());
    }
    if (given->numel() != count) {
      return object::runtime_error(
          in, "cov(): expected {} to have the same numel as there are observations in the input but got {} != {}", name,
          given->numel(), count);
    }
    weights = weights.is_none() ? term_of(a[i]) : weights * term_of(a[i]);
  }
  const TermArgument rows(dims_value(in, Dims({1})));
  const double correction = Number::of(a[1]).as_double();
  Term total, mean;
  if (weights.is_none()) {
    mean = apply(OpId::mean_dim, {x, rows, true});
    total = Term(tensor::full(in, Dims(), static_cast<double>(count) - correction, tensor::real_of(x.tensor().dtype()),
                              self.device()));
  } else {
    const Term sum = apply(OpId::sum, {weights});
    mean = apply(OpId::sum_dim, {x * weights, rows, true}) / sum;
    // The weights of importance make fewer observations of it.
    const Term lost =
        a[3].is_none() ? apply(OpId::clone, {sum * 0 + 1}) : apply(OpId::sum, {weights * term_of(a[3])}) / sum;
    total = sum - lost * correction;
  }
  if (total.ok() && !total.tensor().is_meta() && tensor::read_double(total.tensor(), total.tensor().offset()) <= 0) {
    in.warn(object::ErrorKind::UserWarning,
            "cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of observations.");
  }
  const Term centred = x - mean;
  const Term weighted = weights.is_none() ? centred : centred * weights;
  const Term norm = apply(OpId::clamp, {total, 0});
  const Term made = matmul(weighted, conj(apply(OpId::t, {centred}))) / norm;
  return value_of(apply(OpId::squeeze, {made}));
}

PyResult<Value> correlation(Interpreter& in, Args a) {
  if (a[0].as<Tensor>()->ndim() > 2) {
    return object::runtime_error(in,
                                 "corrcoef(): expected input to have two or fewer dimensions but got an input with {} "
                                 "dimensions",
                                 a[0].as<Tensor>()->ndim());
  }
  NNS_TRY_ASSIGN(const Value covariances, covariance(in, std::array{a[0], Value(1), Value(), Value()}));
  const Term c = term_of(covariances);
  if (c.tensor().ndim() == 0) return value_of(c / c);
  const bool is_complex = tensor::is_complex(c.tensor().dtype());
  const Term variances = apply(OpId::diagonal, {c});
  const Term deviations = sqrt(is_complex ? apply(OpId::real, {variances}) : variances);
  const Term made = c / apply(OpId::unsqueeze, {deviations, 1}) / apply(OpId::unsqueeze, {deviations, 0});
  const auto within = [](const Term& part) { return apply(OpId::clamp, {part, -1, 1}); };
  if (!is_complex) return value_of(within(made));
  return value_of(apply(OpId::complex, {within(apply(OpId::real, {made})), within(apply(OpId::imag, {made}))}));
}

// A window of `count` samples, at(k / n) for k = 0, 1, ...; one that repeats leaves out the last of n + 1.
template <class At>
PyResult<Value> window(Interpreter& in, std::int64_t count, bool repeats, const Value& dtype, At at) {
  DType wanted = tensor::TensorLibrary::of(in).default_dtype;
  if (!dtype.is_none()) {
    NNS_TRY_ASSIGN(wanted, tensor::dtype_of(in, dtype));
  }
  if (!tensor::is_floating(wanted)) {
    return object::runtime_error(in, "window functions expect floating point dtypes, got: {}",
                                 tensor::info(wanted).scalar_name);
  }
  if (count < 0) return object::runtime_error(in, "requires non-negative window_length, got window_length={}", count);
  const auto steps = static_cast<double>(repeats ? count : count - 1);
  NNS_TRY(tensor::check_room(in, count));
  std::vector<double> items;
  for (std::int64_t k = 0; k < count; ++k) items.push_back(count == 1 ? 1 : at(static_cast<double>(k) / steps));
  return Value(tensor::from_values(in, Dims({count}), items, wanted));
}

void add_windows(Interpreter& interpreter) {
  constexpr double kTwoPi = 6.28318530717958647693;
  constexpr std::string_view kOptions =
      ", *, dtype? dtype=None, layout? layout=None, device? device=None, bool? pin_memory=False, bool? "
      "requires_grad=False)";
  const auto add = [&](std::string_view head, OverloadBody body) {
    add_function(interpreter, "torch", fmt::format("{}{}", head, kOptions), std::move(body));
  };
  add("hann_window(int window_length, bool periodic=True", [](Interpreter& in, Args a) {
    return window(in, a[0].as_int(), a[1].as_bool(), a[2], [](double t) { return 0.5 - 0.5 * std::cos(kTwoPi * t); });
  });
  add("hamming_window(int window_length, bool periodic=True, float alpha=0.54, float beta=0.46",
      [](Interpreter& in, Args a) {
        const double alpha = Number::of(a[2]).as_double(), beta = Number::of(a[3]).as_double();
        return window(in, a[0].as_int(), a[1].as_bool(), a[4],
                      [alpha, beta](double t) { return alpha - beta * std::cos(kTwoPi * t); });
      });
  add("blackman_window(int window_length, bool periodic=True", [](Interpreter& in, Args a) {
    return window(in, a[0].as_int(), a[1].as_bool(), a[2],
                  [](double t) { return 0.42 - 0.5 * std::cos(kTwoPi * t) + 0.08 * std::cos(2 * kTwoPi * t); });
  });
  add("bartlett_window(int window_length, bool periodic=True", [](Interpreter& in, Args a) {
    return window(in, a[0].as_int(), a[1].as_bool(), a[2], [](double t) { return 1 - std::abs(2 * t - 1); });
  });
  add("kaiser_window(int window_length, bool periodic=True, float beta=12.0", [](Interpreter& in, Args a) {
    const double beta = Number::of(a[2]).as_double();
    return window(in, a[0].as_int(), a[1].as_bool(), a[3], [beta](double t) {
      return bessel_i0(beta * std::sqrt(1 - (2 * t - 1) * (2 * t - 1))) / bessel_i0(beta);
    });
  });
}

}  // namespace

void add_series_functions(Interpreter& interpreter) {
  for (const std::string_view name : {"trapezoid", "trapz"}) {
    add_function(interpreter, "torch", fmt::format("{}(Tensor y, Tensor x, *, int dim=-1)", name),
                 [](Interpreter& in, Args a) { return trapezoid(in, a[0], a[1], Value(), a[2]); });
    add_function(interpreter, "torch", fmt::format("{}(Tensor y, *, Number dx=1, int dim=-1)", name),
                 [](Interpreter& in, Args a) { return trapezoid(in, a[0], Value(), a[1], a[2]); });
  }
  add_function(interpreter, "torch", "cumulative_trapezoid(Tensor y, Tensor x, *, int dim=-1)",
               [](Interpreter& in, Args a) { return cumulative_trapezoid(in, a[0], a[1], Value(), a[2]); });
  add_function(interpreter, "torch", "cumulative_trapezoid(Tensor y, *, Number dx=1, int dim=-1)",
               [](Interpreter& in, Args a) { return cumulative_trapezoid(in, a[0], Value(), a[1], a[2]); });
  constexpr std::string_view kCovariance =
      "cov(Tensor input, *, int correction=1, Tensor? fweights=None, Tensor? aweights=None)";
  add_function(interpreter, "torch", kCovariance, covariance);
  add_method(interpreter, kCovariance, covariance);
  add_function(interpreter, "torch", "corrcoef(Tensor input)", correlation);
  add_method(interpreter, "corrcoef(Tensor input)", correlation);
  add_windows(interpreter);
}

}  // namespace nns::ops
