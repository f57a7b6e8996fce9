#include <fmt/ranges.h>

#include <algorithm>

#include "core/object/str.h"
#include "core/ops/linalg.h"
#include "core/ops/plain_numbers.h"
#include "core/ops/promotion.h"

// torch.fft: transforms of one, two and all dimensions.
// Behaviour: aten/src/ATen/native/SpectralOps.cpp.
namespace nns::ops {
namespace {

enum class Direction : std::uint8_t { Forward, Back };

// How the items are divided, as the internal ops count it. Errors: RuntimeError  no mode has this name.
PyResult<std::int64_t> normalization_of(Interpreter& in, const Value& norm, Direction direction) {
  const bool forward = direction == Direction::Forward;
  const std::string_view mode = norm.is_none() ? "backward" : norm.as<object::Str>()->view();
  if (mode == "backward") return forward ? std::int64_t{0} : std::int64_t{2};
  if (mode == "forward") return forward ? std::int64_t{2} : std::int64_t{0};
  if (mode == "ortho") return std::int64_t{1};
  return object::runtime_error(in, "Invalid normalization mode: {}", mode);
}

// In a dtype that transforms are computed in. Errors: RuntimeError  there is none for it.
PyResult<Term> promoted(OpCall& call, bool needs_complex) {
  const DType dtype = call.required(0).dtype();
  DType wanted = tensor::is_integral(dtype) ? tensor::TensorLibrary::of(call.interpreter).default_dtype : dtype;
  const DType real = real_dtype_of(wanted);
  if (real != DType::Float32 && real != DType::Float64) {
    return object::runtime_error(call.interpreter, "Unsupported dtype {}", tensor::info(wanted).scalar_name);
  }
  if (needs_complex) wanted = complex_dtype_of(wanted);
  return as_dtype(term_at(call, 0), wanted);
}

// Cut or with zeros behind, along one dimension; -1: as it is.
Term resized(const Term& x, std::int64_t dim, std::int64_t size) {
  if (!x.ok() || size == -1) return x;
  const Dims& shape = x.tensor().shape();
  const std::int64_t own = shape[static_cast<std::size_t>(dim)];
  if (size < own) return narrowed(x, dim, 0, size);
  if (size == own) return x;
  Dims rest = shape;
  rest[static_cast<std::size_t>(dim)] = size - own;
  return joined(x, zeros_like(x, rest), dim);
}

object::PyError no_points(Interpreter& in, std::int64_t count) {
  return object::runtime_error(in, "Invalid number of data points ({}) specified", count);
}

struct OneDimension {
  Term x;
  std::int64_t dim = 0;
  std::int64_t normalization = 0;
};
PyResult<OneDimension> one_dimension(OpCall& call, bool needs_complex, Direction direction) {
  NNS_TRY_ASSIGN(Term x, promoted(call, needs_complex));
  NNS_TRY(x.result());
  const std::size_t ndim = x.tensor().ndim();
  if (ndim == 0) {
    return object::error<object::ErrorKind::IndexError>(
        call.interpreter, "Dimension specified as {} but tensor has no dimensions", call.integer(2));
  }
  NNS_TRY_ASSIGN(const std::size_t dim, call.dimension(call.integer(2), ndim));
  NNS_TRY_ASSIGN(const std::int64_t normalization, normalization_of(call.interpreter, call.args[3], direction));
  return OneDimension{std::move(x), static_cast<std::int64_t>(dim), normalization};
}
Value one_dim(OpCall& call, std::int64_t dim) { return dims_value(call.interpreter, Dims({dim})); }

PyResult<Value> complex_transform(OpCall& call, Direction direction) {
  NNS_TRY_ASSIGN(OneDimension one, one_dimension(call, true, direction));
  const std::int64_t count =
      call.is_none(1) ? one.x.tensor().shape()[static_cast<std::size_t>(one.dim)] : call.integer(1);
  if (count < 1) return no_points(call.interpreter, count);
  return value_of(apply(OpId::fft_c2c, {resized(one.x, one.dim, count), TermArgument(one_dim(call, one.dim)),
                                        one.normalization, direction == Direction::Forward}));
}
PyResult<Value> real_transform(OpCall& call, std::string_view name, Direction direction, bool onesided) {
  if (tensor::is_complex(call.required(0).dtype())) {
    return object::runtime_error(call.interpreter, "{} expects a real input tensor, but got {}", name,
                                 tensor::info(call.required(0).dtype()).scalar_name);
  }
  NNS_TRY_ASSIGN(OneDimension one, one_dimension(call, false, direction));
  const std::int64_t count =
      call.is_none(1) ? one.x.tensor().shape()[static_cast<std::size_t>(one.dim)] : call.integer(1);
  if (count < 1) return no_points(call.interpreter, count);
  const Term made = apply(OpId::fft_r2c, {resized(one.x, one.dim, count), TermArgument(one_dim(call, one.dim)),
                                          one.normalization, onesided});
  return value_of(direction == Direction::Forward ? made : conj(made));
}
PyResult<Value> to_real_transform(OpCall& call, Direction direction) {
  NNS_TRY_ASSIGN(OneDimension one, one_dimension(call, true, direction));
  const std::int64_t own = one.x.tensor().shape()[static_cast<std::size_t>(one.dim)];
  const std::int64_t count = call.is_none(1) ? 2 * (own - 1) : call.integer(1);
  if (count < 1) return no_points(call.interpreter, count);
  Term x = call.is_none(1) ? one.x : resized(one.x, one.dim, count / 2 + 1);
  if (direction == Direction::Forward) x = conj(x);
  return value_of(apply(OpId::fft_c2r, {x, TermArgument(one_dim(call, one.dim)), one.normalization, count}));
}
PyResult<Value> transform(OpCall& call, std::string_view name, Direction direction) {
  if (tensor::is_complex(call.required(0).dtype())) return complex_transform(call, direction);
  return real_transform(call, name, direction, false);
}

struct SeveralDimensions {
  Term x;
  std::vector<std::int64_t> dims, sizes;
  std::int64_t normalization = 0;
};
// `usual`: the dimensions where neither sizes nor dimensions are given; empty: all.
PyResult<SeveralDimensions> several_dimensions(OpCall& call, bool needs_complex, Direction direction,
                                               const Dims& usual) {
  Interpreter& in = call.interpreter;
  SeveralDimensions made;
  NNS_TRY_ASSIGN(made.x, promoted(call, needs_complex));
  NNS_TRY(made.x.result());
  const Dims shape = made.x.tensor().shape();
  const auto ndim = static_cast<std::int64_t>(shape.size());
  const bool has_sizes = !call.is_none(1), has_dims = !call.is_none(2) || usual.size() > 0;
  if (has_dims) {
    const Dims given = call.is_none(2) ? usual : call.dims(2);
    for (const std::int64_t dim : given) {
      if (ndim == 0) {
        return object::error<object::ErrorKind::IndexError>(
            in, "Dimension specified as {} but tensor has no dimensions", dim);
      }
      NNS_TRY_ASSIGN(const std::size_t at, call.dimension(dim, shape.size()));
      made.dims.push_back(static_cast<std::int64_t>(at));
    }
    std::vector<std::int64_t> sorted = made.dims;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
      return object::runtime_error(in, "FFT dims must be unique");
    }
  }
  if (has_sizes) {
    const Dims sizes = call.dims(1);
    if (has_dims && sizes.size() != made.dims.size()) {
      return object::runtime_error(in, "When given, dim and shape arguments must have the same length");
    }
    if (static_cast<std::int64_t>(sizes.size()) > ndim) {
      return object::runtime_error(in, "Got shape with {} values but input tensor only has {} dimensions.",
                                   sizes.size(), ndim);
    }
    made.sizes.assign(sizes.begin(), sizes.end());
    if (!has_dims) {
      for (std::int64_t dim = ndim - static_cast<std::int64_t>(sizes.size()); dim < ndim; ++dim)
        made.dims.push_back(dim);
    }
  } else if (!has_dims) {
    for (std::int64_t dim = 0; dim < ndim; ++dim) made.dims.push_back(dim);
  }
  made.sizes.resize(made.dims.size(), -1);
  for (std::size_t i = 0; i < made.dims.size(); ++i) {
    const std::int64_t own = shape[static_cast<std::size_t>(made.dims[i])];
    if (made.sizes[i] == -1) made.sizes[i] = own;
    if (made.sizes[i] < 1) return no_points(in, made.sizes[i]);
  }
  NNS_TRY_ASSIGN(made.normalization, normalization_of(in, call.args[3], direction));
  return made;
}
Term all_resized(const SeveralDimensions& several) {
  Term x = several.x;
  for (std::size_t i = 0; i < several.dims.size(); ++i) x = resized(x, several.dims[i], several.sizes[i]);
  return x;
}
TermArgument dims_argument(OpCall& call, std::span<const std::int64_t> dims) {
  return TermArgument(dims_value(call.interpreter, Dims(dims)));
}

PyResult<Value> transform_all(OpCall& call, Direction direction, const Dims& usual) {
  NNS_TRY_ASSIGN(const SeveralDimensions several, several_dimensions(call, true, direction, usual));
  const Term x = all_resized(several);
  if (several.dims.empty()) return value_of(apply(OpId::clone, {x}));
  return value_of(apply(
      OpId::fft_c2c, {x, dims_argument(call, several.dims), several.normalization, direction == Direction::Forward}));
}
PyResult<Value> real_transform_all(OpCall& call, std::string_view name, Direction direction, const Dims& usual) {
  Interpreter& in = call.interpreter;
  if (tensor::is_complex(call.required(0).dtype())) {
    return object::runtime_error(in, "{} expects a real-valued input tensor, but got {}", name,
                                 tensor::info(call.required(0).dtype()).scalar_name);
  }
  NNS_TRY_ASSIGN(const SeveralDimensions several, several_dimensions(call, false, direction, usual));
  if (several.dims.empty()) return object::runtime_error(in, "{} must transform at least one axis", name);
  const Term x = all_resized(several);
  if (direction == Direction::Forward) {
    return value_of(apply(OpId::fft_r2c, {x, dims_argument(call, several.dims), several.normalization, true}));
  }
  // The last dimension makes complex numbers of real ones, the others go on with these.
  const Term first = conj(
      apply(OpId::fft_r2c, {x, dims_argument(call, std::span(several.dims).last(1)), several.normalization, true}));
  if (several.dims.size() == 1) return value_of(first);
  return value_of(
      apply(OpId::fft_c2c, {first, dims_argument(call, std::span(several.dims).first(several.dims.size() - 1)),
                            several.normalization, false}));
}
PyResult<Value> to_real_transform_all(OpCall& call, std::string_view name, Direction direction, const Dims& usual) {
  Interpreter& in = call.interpreter;
  NNS_TRY_ASSIGN(SeveralDimensions several, several_dimensions(call, true, direction, usual));
  if (several.dims.empty()) return object::runtime_error(in, "{} must transform at least one axis", name);
  const std::size_t last = several.dims.size() - 1;
  const bool has_last = !call.is_none(1) && call.dims(1)[last] != -1;
  const std::int64_t own = several.x.tensor().shape()[static_cast<std::size_t>(several.dims[last])];
  const std::int64_t count = has_last ? several.sizes[last] : 2 * (own - 1);
  if (count < 1) return no_points(in, count);
  several.sizes[last] = count / 2 + 1;
  Term x = all_resized(several);
  if (direction == Direction::Back) {
    return value_of(apply(OpId::fft_c2r, {x, dims_argument(call, several.dims), several.normalization, count}));
  }
  if (last > 0) {
    x = apply(OpId::fft_c2c,
              {x, dims_argument(call, std::span(several.dims).first(last)), several.normalization, true});
  }
  return value_of(apply(OpId::fft_c2r,
                        {conj(x), dims_argument(call, std::span(several.dims).last(1)), several.normalization, count}));
}

PyResult<Value> shifted(OpCall& call, bool back) {
  const Dims& shape = call.required(0).shape();
  std::vector<std::int64_t> dims, steps;
  if (call.is_none(1)) {
    for (std::size_t dim = 0; dim < shape.size(); ++dim) dims.push_back(static_cast<std::int64_t>(dim));
  } else {
    const Dims given = call.dims(1);
    dims.assign(given.begin(), given.end());
  }
  for (const std::int64_t dim : dims) {
    NNS_TRY_ASSIGN(const std::size_t at, call.dimension(dim, shape.size()));
    const std::int64_t size = shape.size() == 0 ? 1 : shape[at];
    steps.push_back(back ? (size + 1) / 2 : size / 2);
  }
  if (dims.empty()) return call_op(call.interpreter, OpId::clone, {call.args[0]});
  return value_of(apply(OpId::roll, {term_at(call, 0), dims_argument(call, steps), dims_argument(call, dims)}));
}

}  // namespace

#define NNS_FOURIER(id, body)                                \
  template <>                                                \
  OpBodies bodies<OpId::id>() {                              \
    return {.composite = [](OpCall& call) { return body; }}; \
  }
NNS_FOURIER(fft_fft, transform(call, "fft", Direction::Forward))
NNS_FOURIER(fft_ifft, transform(call, "ifft", Direction::Back))
NNS_FOURIER(fft_rfft, real_transform(call, "rfft", Direction::Forward, true))
NNS_FOURIER(fft_ihfft, real_transform(call, "ihfft", Direction::Back, true))
NNS_FOURIER(fft_irfft, to_real_transform(call, Direction::Back))
NNS_FOURIER(fft_hfft, to_real_transform(call, Direction::Forward))
NNS_FOURIER(fft_fftn, transform_all(call, Direction::Forward, Dims()))
NNS_FOURIER(fft_ifftn, transform_all(call, Direction::Back, Dims()))
NNS_FOURIER(fft_rfftn, real_transform_all(call, "rfftn", Direction::Forward, Dims()))
NNS_FOURIER(fft_ihfftn, real_transform_all(call, "ihfftn", Direction::Back, Dims()))
NNS_FOURIER(fft_irfftn, to_real_transform_all(call, "irfftn", Direction::Back, Dims()))
NNS_FOURIER(fft_hfftn, to_real_transform_all(call, "hfftn", Direction::Forward, Dims()))
NNS_FOURIER(fft_fft2, transform_all(call, Direction::Forward, Dims({-2, -1})))
NNS_FOURIER(fft_ifft2, transform_all(call, Direction::Back, Dims({-2, -1})))
NNS_FOURIER(fft_rfft2, real_transform_all(call, "rfftn", Direction::Forward, Dims({-2, -1})))
NNS_FOURIER(fft_ihfft2, real_transform_all(call, "ihfftn", Direction::Back, Dims({-2, -1})))
NNS_FOURIER(fft_irfft2, to_real_transform_all(call, "irfftn", Direction::Back, Dims({-2, -1})))
NNS_FOURIER(fft_hfft2, to_real_transform_all(call, "hfftn", Direction::Forward, Dims({-2, -1})))
NNS_FOURIER(fft_fftshift, shifted(call, false))
NNS_FOURIER(fft_ifftshift, shifted(call, true))
#undef NNS_FOURIER

}  // namespace nns::ops
