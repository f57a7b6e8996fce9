#include <algorithm>
#include <cmath>

#include "core/ops/fourier_kernels.h"
#include "core/ops/linalg.h"
#include "core/ops/plain_numbers.h"

// Fourier transforms over several dimensions, which torch.fft is made of. They are computed in float64.
// Behaviour: aten/src/ATen/native/mkl/SpectralOps.cpp (_fft_c2c, _fft_r2c, _fft_c2r); gradients:
// torch/csrc/autograd/FunctionsManual.cpp (fft_r2c_backward, fft_c2r_backward).
namespace nns::ops {
namespace {

// What the sums are divided by: nothing, the root of the count of items, the count.
double scale_of(std::int64_t normalization, double count) {
  if (normalization == 1) return 1 / std::sqrt(count);
  return normalization == 2 ? 1 / count : 1;
}

std::vector<std::size_t> dims_of_transform(const OpCall& call) {
  std::vector<std::size_t> made;
  for (const std::int64_t dim : call.dims(1)) made.push_back(wrapped(dim, call.required(0).ndim()));
  return made;
}

PyResult<void> check_dtype(OpCall& call, bool is_complex) {
  const DType dtype = call.required(0).dtype();
  const bool fits = is_complex ? dtype == DType::Complex64 || dtype == DType::Complex128
                               : dtype == DType::Float32 || dtype == DType::Float64;
  if (fits) return {};
  return object::runtime_error(call.interpreter, "Unsupported dtype {}", tensor::info(dtype).scalar_name);
}

// Lines of a tensor in order along one dimension.
struct Lines {
  std::int64_t outer = 1, length = 1, inner = 1;
  Lines(const Dims& shape, std::size_t dim) : length(shape[dim]) {
    for (std::size_t i = 0; i < dim; ++i) outer *= shape[i];
    for (std::size_t i = dim + 1; i < shape.size(); ++i) inner *= shape[i];
  }
};

void transform_lines(ComplexDouble* items, const Dims& shape, std::size_t dim, bool forward) {
  const Lines lines(shape, dim);
  if (lines.length == 0 || lines.outer * lines.inner == 0) return;
  FourierPlan plan(lines.length);
  std::vector<ComplexDouble> before(static_cast<std::size_t>(lines.length)), behind(before.size());
  for (std::int64_t line = 0; line < lines.outer * lines.inner; ++line) {
    ComplexDouble* const at = items + line / lines.inner * lines.length * lines.inner + line % lines.inner;
    for (std::int64_t k = 0; k < lines.length; ++k) before[static_cast<std::size_t>(k)] = at[k * lines.inner];
    plan.transform(before.data(), behind.data(), forward);
    for (std::int64_t k = 0; k < lines.length; ++k) at[k * lines.inner] = behind[static_cast<std::size_t>(k)];
  }
}

// Of lines of real numbers the items that do not mirror others.
void transform_real_lines(const double* items, const Dims& shape, std::size_t dim, ComplexDouble* out) {
  const Lines lines(shape, dim);
  const std::int64_t half = lines.length / 2 + 1;
  FourierPlan plan(lines.length);
  std::vector<double> before(static_cast<std::size_t>(lines.length));
  std::vector<ComplexDouble> behind(before.size() + 1);
  for (std::int64_t line = 0; line < lines.outer * lines.inner; ++line) {
    const std::int64_t block = line / lines.inner, inside = line % lines.inner;
    const double* const at = items + block * lines.length * lines.inner + inside;
    ComplexDouble* const to = out + block * half * lines.inner + inside;
    for (std::int64_t k = 0; k < lines.length; ++k) before[static_cast<std::size_t>(k)] = at[k * lines.inner];
    plan.transform_real(before.data(), behind.data());
    for (std::int64_t k = 0; k < half; ++k) to[k * lines.inner] = behind[static_cast<std::size_t>(k)];
  }
}
void inverse_real_lines(const ComplexDouble* items, const Dims& shape, std::size_t dim, std::int64_t length,
                        double* out) {
  const Lines lines(shape, dim);
  const std::int64_t half = length / 2 + 1;
  FourierPlan plan(length);
  std::vector<ComplexDouble> before(static_cast<std::size_t>(half));
  std::vector<double> behind(static_cast<std::size_t>(length));
  for (std::int64_t line = 0; line < lines.outer * lines.inner; ++line) {
    const std::int64_t block = line / lines.inner, inside = line % lines.inner;
    const ComplexDouble* const at = items + block * lines.length * lines.inner + inside;
    double* const to = out + block * length * lines.inner + inside;
    for (std::int64_t k = 0; k < half; ++k) before[static_cast<std::size_t>(k)] = at[k * lines.inner];
    plan.inverse_real(before.data(), behind.data());
    for (std::int64_t k = 0; k < length; ++k) to[k * lines.inner] = behind[static_cast<std::size_t>(k)];
  }
}

template <class T>
std::vector<T> items_of(const Tensor& tensor) {
  const NumbersIn<T> read(tensor);
  return {read.data(), read.data() + (read ? tensor.numel() : 0)};
}
template <class T>
void store(const Tensor& to, std::vector<T>& items, double scale) {
  if (scale != 1) {
    for (T& item : items) item *= scale;
  }
  if (items.empty()) return;
  store_items(to.dtype(), to.data(), tensor::item_bytes(to.dtype()), to.numel(), compute_for<T>(), items.data());
}

double count_of(const Dims& shape, std::span<const std::size_t> dims) {
  double count = 1;
  for (const std::size_t dim : dims) count *= static_cast<double>(shape[dim]);
  return count;
}

PyResult<void> run_c2c(OpCall& call) {
  const Dims& shape = call.output().shape();
  const std::vector<std::size_t> dims = dims_of_transform(call);
  std::vector<ComplexDouble> items = items_of<ComplexDouble>(call.required(0));
  for (const std::size_t dim : dims) transform_lines(items.data(), shape, dim, call.flag(3));
  store(call.output(), items, scale_of(call.integer(2), count_of(shape, dims)));
  return {};
}

PyResult<void> run_r2c(OpCall& call) {
  const Tensor& x = call.required(0);
  const std::vector<std::size_t> dims = dims_of_transform(call);
  const double scale = scale_of(call.integer(2), count_of(x.shape(), dims));
  if (call.output().numel() == 0) return {};
  const std::size_t last = dims.back();
  std::vector<ComplexDouble> items(static_cast<std::size_t>(call.output().numel()));
  if (!call.flag(3)) {
    const std::vector<double> real = items_of<double>(x);
    std::copy(real.begin(), real.end(), items.begin());
    for (const std::size_t dim : dims) transform_lines(items.data(), x.shape(), dim, true);
  } else {
    transform_real_lines(items_of<double>(x).data(), x.shape(), last, items.data());
    for (const std::size_t dim : std::span(dims).first(dims.size() - 1)) {
      transform_lines(items.data(), call.output().shape(), dim, true);
    }
  }
  store(call.output(), items, scale);
  return {};
}

PyResult<void> run_c2r(OpCall& call) {
  const Tensor& x = call.required(0);
  const std::vector<std::size_t> dims = dims_of_transform(call);
  if (call.output().numel() == 0) return {};
  std::vector<ComplexDouble> items = items_of<ComplexDouble>(x);
  for (const std::size_t dim : std::span(dims).first(dims.size() - 1)) {
    transform_lines(items.data(), x.shape(), dim, false);
  }
  std::vector<double> real(static_cast<std::size_t>(call.output().numel()));
  inverse_real_lines(items.data(), x.shape(), dims.back(), call.integer(3), real.data());
  store(call.output(), real, scale_of(call.integer(2), count_of(call.output().shape(), dims)));
  return {};
}

Term r2c_gradient(Backward& b) {
  Term grad = b.grad();
  if (!grad.ok()) return grad;
  const Dims dims = dims_of(b.value(1));
  if (b.flag(3)) {
    // What mirrors other items was not given: it has no gradient.
    const std::size_t last = wrapped(dims[dims.size() - 1], grad.tensor().ndim());
    Dims rest = grad.tensor().shape();
    rest[last] = b.input(0).shape[last] - rest[last];
    if (rest[last] > 0) grad = joined(grad, zeros_like(grad, rest), static_cast<std::int64_t>(last));
  }
  return apply(OpId::real, {apply(OpId::fft_c2c, {grad, TermArgument(b.value(1)), TermArgument(b.value(2)), false})});
}

Term c2r_gradient(Backward& b) {
  const Term made = apply(OpId::fft_r2c, {b.grad(), TermArgument(b.value(1)), TermArgument(b.value(2)), true});
  if (!made.ok()) return made;
  const Dims dims = dims_of(b.value(1));
  const Dims& shape = made.tensor().shape();
  const std::size_t last = wrapped(dims[dims.size() - 1], shape.size());
  // Items that stand for their mirror images, too, count twice.
  const std::int64_t half = shape[last], doubled = b.integer(3) - half;
  if (doubled <= 0) return made;
  std::vector<double> factors(static_cast<std::size_t>(half), 1);
  for (std::int64_t k = 1; k <= doubled; ++k) factors[static_cast<std::size_t>(k)] = 2;
  Dims column(shape.size(), 1);
  column[last] = half;
  const Tensor& like = made.tensor();
  Term twice = tensor::from_values(like.interpreter(), column, factors, real_dtype_of(like.dtype()));
  if (like.device() != Device::Cpu) {
    twice = tensor::to(*twice.ref(), real_dtype_of(like.dtype()), like.device());
  }
  return made * twice;
}

}  // namespace

template <>
OpBodies bodies<OpId::fft_c2c>() {
  return {.shape = [](OpCall& call) -> PyResult<void> {
            NNS_TRY(check_dtype(call, true));
            return call.give(call.required(0).shape(), call.required(0).dtype());
          },
          .cpu = run_c2c,
          .gradients = {Gradient{
              0, 0, [](Backward& b) {
                return apply(OpId::fft_c2c, {b.grad(), TermArgument(b.value(1)), TermArgument(b.value(2)), !b.flag(3)});
              }}}};
}
template <>
OpBodies bodies<OpId::fft_r2c>() {
  return {.shape = [](OpCall& call) -> PyResult<void> {
            NNS_TRY(check_dtype(call, false));
            Dims shape = call.required(0).shape();
            const std::size_t last = dims_of_transform(call).back();
            if (call.flag(3)) shape[last] = shape[last] / 2 + 1;
            return call.give(shape, complex_dtype_of(call.required(0).dtype()));
          },
          .cpu = run_r2c,
          .gradients = {Gradient{0, 0, r2c_gradient}}};
}
template <>
OpBodies bodies<OpId::fft_c2r>() {
  return {.shape = [](OpCall& call) -> PyResult<void> {
            NNS_TRY(check_dtype(call, true));
            Dims shape = call.required(0).shape();
            shape[dims_of_transform(call).back()] = call.integer(3);
            return call.give(shape, real_dtype_of(call.required(0).dtype()));
          },
          .cpu = run_c2r,
          .gradients = {Gradient{0, 0, c2r_gradient}}};
}

}  // namespace nns::ops
