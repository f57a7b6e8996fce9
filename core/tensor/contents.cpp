#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "core/tensor/float_formats.h"
#include "core/tensor/tensor.h"

namespace nns::tensor {
namespace {

template <class T>
T load_as(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}
template <class T>
void store_as(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

double load_double(DType dtype, const std::byte* at) {
  switch (dtype) {
    case DType::Float32:
      return static_cast<double>(load_as<float>(at));
    case DType::Float64:
      return load_as<double>(at);
    case DType::Float16:
      return static_cast<double>(half_to_float(load_as<std::uint16_t>(at)));
    case DType::BFloat16:
      return static_cast<double>(bfloat16_to_float(load_as<std::uint16_t>(at)));
    case DType::Complex32:
      return static_cast<double>(half_to_float(load_as<std::uint16_t>(at)));
    case DType::Complex64:
      return static_cast<double>(load_as<float>(at));
    case DType::Complex128:
      return load_as<double>(at);
    case DType::Int8:
    case DType::QInt8:
      return load_as<std::int8_t>(at);
    case DType::Int16:
      return load_as<std::int16_t>(at);
    case DType::Int32:
    case DType::QInt32:
      return load_as<std::int32_t>(at);
    case DType::Int64:
      return static_cast<double>(load_as<std::int64_t>(at));
    case DType::UInt8:
    case DType::QUInt8:
      return load_as<std::uint8_t>(at);
    case DType::UInt16:
      return load_as<std::uint16_t>(at);
    case DType::UInt32:
      return load_as<std::uint32_t>(at);
    case DType::UInt64:
      return static_cast<double>(load_as<std::uint64_t>(at));
    case DType::Bool:
      return load_as<std::uint8_t>(at) != 0 ? 1 : 0;
    case DType::Float8E4M3FN:
      return static_cast<double>(float8_e4m3fn_to_float(load_as<std::uint8_t>(at)));
    case DType::Float8E5M2:
      return static_cast<double>(float8_e5m2_to_float(load_as<std::uint8_t>(at)));
    case DType::Float8E4M3FNUZ:
      return static_cast<double>(float8_e4m3fnuz_to_float(load_as<std::uint8_t>(at)));
    case DType::Float8E5M2FNUZ:
      return static_cast<double>(float8_e5m2fnuz_to_float(load_as<std::uint8_t>(at)));
    case DType::Float8E8M0FNU:
      return static_cast<double>(float8_e8m0fnu_to_float(load_as<std::uint8_t>(at)));
    case DType::Float4E2M1FNX2:
      return static_cast<double>(float4_e2m1fn_x2_to_float(load_as<std::uint8_t>(at))[0]);
  }
  return 0;
}

std::complex<double> load_complex(DType dtype, const std::byte* at) {
  const double real = load_double(dtype, at);
  switch (dtype) {
    case DType::Complex32:
      return {real, static_cast<double>(half_to_float(load_as<std::uint16_t>(at + 2)))};
    case DType::Complex64:
      return {real, static_cast<double>(load_as<float>(at + 4))};
    case DType::Complex128:
      return {real, load_as<double>(at + 8)};
    default:
      return {real, 0};
  }
}

std::int64_t load_int64(DType dtype, const std::byte* at) {
  switch (dtype) {
    case DType::Int64:
      return load_as<std::int64_t>(at);
    case DType::UInt64:
      return static_cast<std::int64_t>(load_as<std::uint64_t>(at));
    default:
      break;
  }
  const double number = load_double(dtype, at);
  // What does not fit has no defined conversion in C++; it goes to the nearest end, NaN to 0.
  if (std::isnan(number)) return 0;
  if (number >= 9.2233720368547758e18) return std::numeric_limits<std::int64_t>::max();
  if (number < -9.2233720368547758e18) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(number);
}

void store_int64(DType dtype, std::byte* at, std::int64_t value) {
  switch (item_bytes(dtype)) {
    case 1:
      store_as(at, static_cast<std::uint8_t>(value));
      return;
    case 2:
      store_as(at, static_cast<std::uint16_t>(value));
      return;
    case 4:
      store_as(at, static_cast<std::uint32_t>(value));
      return;
    default:
      store_as(at, value);
      return;
  }
}

void store_double(DType dtype, std::byte* at, double value) {
  const auto number = static_cast<float>(value);
  switch (dtype) {
    case DType::Float32:
      store_as(at, number);
      return;
    case DType::Float64:
      store_as(at, value);
      return;
    case DType::Float16:
      store_as(at, half_from_float(number));
      return;
    case DType::BFloat16:
      store_as(at, bfloat16_from_float(number));
      return;
    case DType::Complex32:
      store_as(at, half_from_float(number));
      store_as<std::uint16_t>(at + 2, 0);
      return;
    case DType::Complex64:
      store_as(at, std::complex<float>(number));
      return;
    case DType::Complex128:
      store_as(at, std::complex<double>(value));
      return;
    case DType::Float8E4M3FN:
      store_as(at, float8_e4m3fn_from_float(number));
      return;
    case DType::Float8E5M2:
      store_as(at, float8_e5m2_from_float(number));
      return;
    case DType::Float8E4M3FNUZ:
      store_as(at, float8_e4m3fnuz_from_float(number));
      return;
    case DType::Float8E5M2FNUZ:
      store_as(at, float8_e5m2fnuz_from_float(number));
      return;
    case DType::Float8E8M0FNU:
      store_as(at, float8_e8m0fnu_from_float(number));
      return;
    case DType::Float4E2M1FNX2: {
      const auto code = static_cast<std::uint8_t>(Float4E2M1Format::encode_bits(float_bits(number)));
      store_as(at, static_cast<std::uint8_t>(code | (code << 4U)));
      return;
    }
    case DType::Bool:
      store_as<std::uint8_t>(at, value != 0 ? 1 : 0);
      return;
    case DType::UInt64:
      if (value >= 9.2233720368547758e18 && value < 1.8446744073709552e19) {
        store_as(at, static_cast<std::uint64_t>(value));
        return;
      }
      [[fallthrough]];
    default: {
      std::byte buffer[8];
      store_as(buffer, value);
      store_int64(dtype, at, load_int64(DType::Float64, buffer));
    }
  }
}

void store_complex(DType dtype, std::byte* at, std::complex<double> value) {
  switch (dtype) {
    case DType::Complex32:
      store_as(at, half_from_float(static_cast<float>(value.real())));
      store_as(at + 2, half_from_float(static_cast<float>(value.imag())));
      return;
    case DType::Complex64:
      store_as(at, std::complex<float>(value));
      return;
    default:
      store_as(at, value);
      return;
  }
}

void convert(DType to, std::byte* target, DType from, const std::byte* source) {
  if (to == from) {
    std::memcpy(target, source, item_bytes(to));
  } else if (is_complex(to)) {
    store_complex(to, target, load_complex(from, source));
  } else if (to == DType::Bool) {
    store_as<std::uint8_t>(target, load_complex(from, source) != std::complex<double>(0) ? 1 : 0);
  } else if (is_integral(from) && is_integral(to)) {
    store_int64(to, target, load_int64(from, source));
  } else {
    store_double(to, target, load_double(from, source));
  }
}

const std::byte* at_place(const Tensor& self, std::int64_t place) {
  return self.storage()->data() + place * item_bytes(self.dtype());
}

// Calls `use(places...)` for all index tuples of `shape`, walking several stride lists at once.
template <std::size_t N, class Use>
void walk(const Dims& shape, const std::array<Dims, N>& strides, std::array<std::int64_t, N> place, Use use) {
  const std::int64_t count = element_count(shape);
  std::vector<std::int64_t> at(shape.size(), 0);
  for (std::int64_t i = 0; i < count; ++i) {
    use(place);
    for (std::size_t dim = shape.size(); dim-- > 0;) {
      for (std::size_t k = 0; k < N; ++k) place[k] += strides[k][dim];
      if (++at[dim] < shape[dim]) break;
      at[dim] = 0;
      for (std::size_t k = 0; k < N; ++k) place[k] -= strides[k][dim] * shape[dim];
    }
  }
}

}  // namespace

double read_double(const Tensor& self, std::int64_t place) { return load_double(self.dtype(), at_place(self, place)); }
std::int64_t read_int64(const Tensor& self, std::int64_t place) {
  return load_int64(self.dtype(), at_place(self, place));
}
std::complex<double> read_complex(const Tensor& self, std::int64_t place) {
  return load_complex(self.dtype(), at_place(self, place));
}

Value read_value(const Tensor& self, std::int64_t place) {
  if (self.dtype() == DType::Bool) return Value(read_int64(self, place) != 0);
  if (is_integral(self.dtype())) return Value(read_int64(self, place));
  return Value(read_double(self, place));
}

void for_each_place(const Tensor& self, const std::function<void(std::int64_t)>& use) {
  walk<1>(self.shape(), {self.strides()}, {self.offset()},
          [&use](const std::array<std::int64_t, 1>& place) { use(place[0]); });
}

// Behaviour: aten/src/ATen/native/Copy.cpp, copy_; the rules of expand().
PyResult<void> copy_(Tensor& self, const Tensor& source) {
  Dims source_strides(self.ndim(), 0);
  bool fits = source.ndim() <= self.ndim();
  for (std::size_t i = 0; fits && i < source.ndim(); ++i) {
    const std::size_t dim = self.ndim() - source.ndim() + i;
    if (source.shape()[i] == self.shape()[dim]) {
      source_strides[dim] = source.strides()[i];
    } else {
      fits = source.shape()[i] == 1;
    }
  }
  if (!fits) {
    return object::runtime_error(self.interpreter(), "output with shape [{}] doesn't match the broadcast shape [{}]",
                                 fmt::join(self.shape().span(), ", "), fmt::join(source.shape().span(), ", "));
  }
  if (self.is_meta() || source.is_meta()) return {};
  self.storage()->bump_version();
  if (self.dtype() == source.dtype() && self.shape() == source.shape() && self.is_contiguous() &&
      source.is_contiguous()) {
    if (self.nbytes() > 0) std::memmove(self.data(), source.data(), static_cast<std::size_t>(self.nbytes()));
    return {};
  }
  const std::uint32_t to_bytes = item_bytes(self.dtype()), from_bytes = item_bytes(source.dtype());
  walk<2>(self.shape(), {self.strides(), source_strides}, {self.offset(), source.offset()},
          [&](const std::array<std::int64_t, 2>& place) {
            convert(self.dtype(), self.storage()->data() + place[0] * to_bytes, source.dtype(),
                    source.storage()->data() + place[1] * from_bytes);
          });
  return {};
}

void fill_(Tensor& self, double value) {
  if (self.is_meta() || self.numel() == 0) return;
  self.storage()->bump_version();
  std::byte one[16];
  store_double(self.dtype(), one, value);
  const std::size_t bytes = item_bytes(self.dtype());
  if (self.is_contiguous()) {
    std::byte* at = self.data();
    if (self.dtype() == DType::Float32) {
      std::fill_n(reinterpret_cast<float*>(at), self.numel(), static_cast<float>(value));
      return;
    }
    for (std::int64_t i = self.numel(); i > 0; --i, at += bytes) std::memcpy(at, one, bytes);
    return;
  }
  for_each_place(self, [&](std::int64_t place) {
    std::memcpy(self.storage()->data() + place * static_cast<std::int64_t>(bytes), one, bytes);
  });
}

Ref<Tensor> from_values(Interpreter& interpreter, const Dims& shape, std::span<const double> values, DType dtype) {
  auto made = empty(interpreter, shape, dtype);
  for (std::size_t i = 0; i < values.size(); ++i) store_double(dtype, made->data() + i * item_bytes(dtype), values[i]);
  return made;
}

Ref<Tensor> clone(const Tensor& self) {
  auto made = empty(self.interpreter(), self.shape(), self.dtype(), self.device());
  static_cast<void>(copy_(*made, self).ok());
  return made;
}

PyResult<Ref<Tensor>> to(Tensor& self, DType dtype, Device device) {
  if (dtype == self.dtype() && device == self.device()) return Ref<Tensor>(&self);
  if (self.is_meta() && device != Device::Meta) {
    return object::error<object::ErrorKind::NotImplementedError>(self.interpreter(),
                                                                 "Cannot copy out of meta tensor; no data!");
  }
  auto made = empty(self.interpreter(), self.shape(), dtype, device);
  NNS_TRY(copy_(*made, self));
  return made;
}

bool equal(const Tensor& a, const Tensor& b) {
  if (!(a.shape() == b.shape()) || a.dtype() != b.dtype() || a.is_meta() || b.is_meta()) return false;
  bool same = true;
  walk<2>(a.shape(), {a.strides(), b.strides()}, {a.offset(), b.offset()},
          [&](const std::array<std::int64_t, 2>& place) {
            same = same && (is_integral(a.dtype()) ? read_int64(a, place[0]) == read_int64(b, place[1])
                                                   : read_complex(a, place[0]) == read_complex(b, place[1]));
          });
  return same;
}

void uniform_(Tensor& self, Generator& generator, double from, double to) {
  if (self.is_meta()) return;
  self.storage()->bump_version();
  if (self.dtype() == DType::Float32 && self.is_contiguous()) {
    generator.fill_uniform(reinterpret_cast<float*>(self.data()), self.numel(), from, to);
  } else if (self.dtype() == DType::Float64 && self.is_contiguous()) {
    generator.fill_uniform(reinterpret_cast<double*>(self.data()), self.numel(), from, to);
  } else {
    const std::uint32_t bytes = item_bytes(self.dtype());
    for_each_place(self, [&](std::int64_t place) {
      store_double(self.dtype(), self.storage()->data() + place * bytes,
                   generator.uniform_double() * (to - from) + from);
    });
  }
}

void normal_(Tensor& self, Generator& generator, double mean, double deviation) {
  if (self.is_meta()) return;
  self.storage()->bump_version();
  if (self.dtype() == DType::Float32 && self.is_contiguous()) {
    generator.fill_normal(reinterpret_cast<float*>(self.data()), self.numel(), static_cast<float>(mean),
                          static_cast<float>(deviation));
    return;
  }
  const std::uint32_t bytes = item_bytes(self.dtype());
  for_each_place(self, [&](std::int64_t place) {
    store_double(self.dtype(), self.storage()->data() + place * bytes, generator.normal_double() * deviation + mean);
  });
}

}  // namespace nns::tensor
