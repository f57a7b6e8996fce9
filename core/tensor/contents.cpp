#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/object/numbers.h"
#include "core/tensor/capture.h"
#include "core/tensor/cuda_contents.h"
#include "core/tensor/float_formats.h"
#include "core/tensor/strided_copy.h"

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
    case DType::QUInt4x2:
    case DType::QUInt2x4:
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

// The bytes of one item: where they lie, or a copy of them from the device. Zeros where the device failed, which says
// so itself at its next call.
class ItemBytes {
 public:
  ItemBytes(const Tensor& self, std::int64_t place) : at_(self.storage()->data() + place * item_bytes(self.dtype())) {
    if (!self.is_cuda()) return;
    static_cast<void>(read_cuda_item(self, place, copy_).ok());
    at_ = copy_;
  }
  ItemBytes(const ItemBytes&) = delete;
  ItemBytes& operator=(const ItemBytes&) = delete;
  const std::byte* at() const { return at_; }

 private:
  const std::byte* at_;
  std::byte copy_[16] = {};
};

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

double read_double(const Tensor& self, std::int64_t place) {
  Capture::note_read();
  return load_double(self.dtype(), ItemBytes(self, place).at());
}
std::int64_t read_int64(const Tensor& self, std::int64_t place) {
  Capture::note_read();
  return load_int64(self.dtype(), ItemBytes(self, place).at());
}
std::complex<double> read_complex(const Tensor& self, std::int64_t place) {
  Capture::note_read();
  return load_complex(self.dtype(), ItemBytes(self, place).at());
}

void add_at(const Tensor& self, std::int64_t place, const Tensor& other, std::int64_t other_place) {
  const std::size_t bytes = item_bytes(self.dtype());
  std::byte* const at = self.storage()->data() + static_cast<std::size_t>(place) * bytes;
  const std::byte* const from = other.storage()->data() + static_cast<std::size_t>(other_place) * bytes;
  if (is_complex(self.dtype())) {
    store_complex(self.dtype(), at, load_complex(self.dtype(), at) + load_complex(self.dtype(), from));
  } else if (is_floating(self.dtype())) {
    store_double(self.dtype(), at, load_double(self.dtype(), at) + load_double(self.dtype(), from));
  } else {
    const auto sum = static_cast<std::uint64_t>(load_int64(self.dtype(), at)) +
                     static_cast<std::uint64_t>(load_int64(self.dtype(), from));
    store_int64(self.dtype(), at, static_cast<std::int64_t>(sum));
  }
}

void add_items(const Tensor& self, const Tensor& other) {
  const auto add = [](const Tensor& to, const Tensor& from) {
    walk<2>(to.shape(), {to.strides(), from.strides()}, {to.offset(), from.offset()},
            [&](const std::array<std::int64_t, 2>& place) { add_at(to, place[0], from, place[1]); });
  };
  Capture* const capture = Capture::current();
  if (capture == nullptr) return add(self, other);
  const Tensor* const both[] = {&self, &other};
  const PyResult<void> done = capture->act({}, both, [add](std::span<const Tensor* const> tensors) -> PyResult<void> {
    Capture::has_gap();
    add(*tensors[0], *tensors[1]);
    return {};
  });
  static_cast<void>(done.ok());
}

Value read_value(const Tensor& self, std::int64_t place) {
  if (self.dtype() == DType::Bool) return Value(read_int64(self, place) != 0);
  if (is_integral(self.dtype())) return Value(read_int64(self, place));
  if (is_complex(self.dtype()))
    return Value(object::make<object::Complex>(self.interpreter(), read_complex(self, place)));
  return Value(read_double(self, place));
}

void for_each_place(const Tensor& self, const std::function<void(std::int64_t)>& use) {
  walk<1>(self.shape(), {self.strides()}, {self.offset()},
          [&use](const std::array<std::int64_t, 1>& place) { use(place[0]); });
}

// Behaviour: aten/src/ATen/native/Copy.cpp, copy_; the rules of expand().
PyResult<void> copy_(Tensor& self, const Tensor& source) {
  NNS_TRY(copy_items(self, source));
  if (!self.is_meta() && !source.is_meta()) self.bump_version();
  return {};
}

namespace {

PyResult<void> copy_items_now(const Tensor& self, const Tensor& source) {
  if (self.sparse() != nullptr || source.sparse() != nullptr) return no_sparse_kernel(self.interpreter(), "copy_");
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
  if (self.is_cuda() || source.is_cuda()) return copy_cuda_items(self, source, source_strides);
  if (self.dtype() == source.dtype() && self.shape() == source.shape() && self.is_contiguous() &&
      source.is_contiguous()) {
    if (self.nbytes() > 0) {
      Capture::launch([to = self.data(), from = source.data(), bytes = static_cast<std::size_t>(self.nbytes())] {
        std::memmove(to, from, bytes);
      });
    }
    Capture::covers();
    return {};
  }
  const std::uint32_t to_bytes = item_bytes(self.dtype()), from_bytes = item_bytes(source.dtype());
  if (self.dtype() == source.dtype() && self.storage() != source.storage() && self.numel() > 0) {
    const auto copy = [&]<class Item>(Item) {
      copy_strided<Item>(self.shape(), self.strides(), self.data(), source_strides, source.data());
      Capture::covers();
    };
    if (to_bytes == 1) return copy(std::uint8_t()), PyResult<void>();
    if (to_bytes == 2) return copy(std::uint16_t()), PyResult<void>();
    if (to_bytes == 4) return copy(std::uint32_t()), PyResult<void>();
    if (to_bytes == 8) return copy(std::uint64_t()), PyResult<void>();
  }
  walk<2>(self.shape(), {self.strides(), source_strides}, {self.offset(), source.offset()},
          [&](const std::array<std::int64_t, 2>& place) {
            convert(self.dtype(), self.storage()->data() + place[0] * to_bytes, source.dtype(),
                    source.storage()->data() + place[1] * from_bytes);
          });
  Capture::has_gap();
  return {};
}

}  // namespace

PyResult<void> copy_items(const Tensor& self, const Tensor& source) {
  if (Capture* const capture = Capture::current()) [[unlikely]] {
    const Tensor *const to = &self, *const from = &source;
    return capture->act({&to, 1}, {&from, 1}, [](std::span<const Tensor* const> tensors) {
      return copy_items_now(*tensors[0], *tensors[1]);
    });
  }
  return copy_items_now(self, source);
}

void fill_(Tensor& self, double value) {
  fill_items(self, value);
  if (!self.is_meta()) self.bump_version();
}

namespace {

void fill_items_now(const Tensor& self, double value) {
  std::byte one[16];
  store_double(self.dtype(), one, value);
  if (self.is_cuda()) {
    static_cast<void>(fill_cuda_items(self, one).ok());
    return;
  }
  const std::size_t bytes = item_bytes(self.dtype());
  if (self.is_contiguous()) {
    std::byte* at = self.data();
    if (self.dtype() == DType::Float32) {
      Capture::launch([to = reinterpret_cast<float*>(at), count = self.numel(), number = static_cast<float>(value)] {
        std::fill_n(to, count, number);
      });
      return Capture::covers();
    }
    Capture::has_gap();
    for (std::int64_t i = self.numel(); i > 0; --i, at += bytes) std::memcpy(at, one, bytes);
    return;
  }
  Capture::has_gap();
  for_each_place(self, [&](std::int64_t place) {
    std::memcpy(self.storage()->data() + place * static_cast<std::int64_t>(bytes), one, bytes);
  });
}

// Runs `write` on `self`, as an action where a capture is under way.
template <class Write>
void write_captured(const Tensor& self, const Write& write) {
  Capture* const capture = Capture::current();
  if (capture == nullptr) [[likely]]
    return write(self);
  const Tensor* const target = &self;
  const PyResult<void> done =
      capture->act({&target, 1}, {}, [write](std::span<const Tensor* const> tensors) -> PyResult<void> {
        write(*tensors[0]);
        return {};
      });
  static_cast<void>(done.ok());
}

}  // namespace

void fill_items(const Tensor& self, double value) {
  if (self.is_meta() || self.numel() == 0) return;
  write_captured(self, [value](const Tensor& target) { fill_items_now(target, value); });
}

Ref<Tensor> from_values(Interpreter& interpreter, const Dims& shape, std::span<const double> values, DType dtype) {
  auto made = empty(interpreter, shape, dtype);
  for (std::size_t i = 0; i < values.size(); ++i) store_double(dtype, made->data() + i * item_bytes(dtype), values[i]);
  return made;
}

Ref<Tensor> clone(const Tensor& self) {
  if (const SparseParts* const parts = self.sparse()) {
    return make_sparse(self.interpreter(), self.shape(),
                       {clone(*parts->indices), clone(*parts->values), parts->is_coalesced});
  }
  auto made = empty(self.interpreter(), self.shape(), self.dtype(), self.device());
  static_cast<void>(copy_items(*made, self).ok());
  return made;
}

PyResult<Ref<Tensor>> to(Tensor& self, DType dtype, Device device) {
  if (const SparseParts* const parts = self.sparse()) {
    NNS_TRY_ASSIGN(Ref<Tensor> values, to(*parts->values, dtype, device));
    if (values.get() == parts->values.get()) return Ref<Tensor>(&self);
    NNS_TRY_ASSIGN(Ref<Tensor> indices, to(*parts->indices, DType::Int64, device));
    return make_sparse(self.interpreter(), self.shape(), {std::move(indices), std::move(values), parts->is_coalesced});
  }
  if (dtype == self.dtype() && device == self.device()) return Ref<Tensor>(&self);
  if (self.is_meta() && device != Device::Meta) {
    return object::error<object::ErrorKind::NotImplementedError>(self.interpreter(),
                                                                 "Cannot copy out of meta tensor; no data!");
  }
  auto made = empty(self.interpreter(), self.shape(), dtype, device);
  NNS_TRY(copy_items(*made, self));
  return made;
}

bool equal(const Tensor& a, const Tensor& b) {
  if (!(a.shape() == b.shape()) || a.dtype() != b.dtype() || a.is_meta() || b.is_meta()) return false;
  if (a.is_cuda() || b.is_cuda()) {
    const PyResult<Ref<Tensor>> left = on_host(a), right = on_host(b);
    return left.ok() && right.ok() && equal(*left.value(), *right.value());
  }
  bool same = true;
  walk<2>(a.shape(), {a.strides(), b.strides()}, {a.offset(), b.offset()},
          [&](const std::array<std::int64_t, 2>& place) {
            same = same && (is_integral(a.dtype()) ? read_int64(a, place[0]) == read_int64(b, place[1])
                                                   : read_complex(a, place[0]) == read_complex(b, place[1]));
          });
  return same;
}

namespace {

// Where the device fails, it says so itself at its next call.
void draw_on_device(const Tensor& self, Generator& generator, RandomLaw::Kind kind, double first, double second = 0) {
  const RandomLaw law{.kind = kind, .is_wide = self.dtype() == DType::Float64, .first = first, .second = second};
  static_cast<void>(draw_cuda_items(self, law, generator.philox).ok());
}

// Whether what happens now is to be captured and belongs to no action yet.
bool is_action_of_its_own() { return Capture::current() != nullptr && !Capture::current()->is_inside(); }

}  // namespace

void uniform_(Tensor& self, Generator& generator, double from, double to) {
  if (self.is_meta()) return;
  if (is_action_of_its_own()) {
    return write_captured(self, [&generator, from, to](const Tensor& target) {
      uniform_(const_cast<Tensor&>(target), generator, from, to);
    });
  }
  self.storage()->bump_version();
  if (self.is_cuda()) return draw_on_device(self, generator, RandomLaw::Kind::Uniform, from, to);
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
  if (is_action_of_its_own()) {
    return write_captured(self, [&generator, mean, deviation](const Tensor& target) {
      normal_(const_cast<Tensor&>(target), generator, mean, deviation);
    });
  }
  self.storage()->bump_version();
  if (self.is_cuda()) return draw_on_device(self, generator, RandomLaw::Kind::Normal, mean, deviation);
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

void bernoulli_(Tensor& self, Generator& generator, double p) {
  if (self.is_meta()) return;
  if (is_action_of_its_own()) {
    return write_captured(
        self, [&generator, p](const Tensor& target) { bernoulli_(const_cast<Tensor&>(target), generator, p); });
  }
  self.storage()->bump_version();
  if (self.is_cuda()) return draw_on_device(self, generator, RandomLaw::Kind::Bernoulli, p);
  const std::uint32_t bytes = item_bytes(self.dtype());
  for_each_place(self, [&](std::int64_t place) {
    store_double(self.dtype(), self.storage()->data() + place * bytes, generator.uniform_double() < p ? 1 : 0);
  });
}

void exponential_(Tensor& self, Generator& generator, double rate) {
  if (self.is_meta()) return;
  if (is_action_of_its_own()) {
    return write_captured(
        self, [&generator, rate](const Tensor& target) { exponential_(const_cast<Tensor&>(target), generator, rate); });
  }
  self.storage()->bump_version();
  if (self.is_cuda()) return draw_on_device(self, generator, RandomLaw::Kind::Exponential, rate);
  const std::uint32_t bytes = item_bytes(self.dtype());
  for_each_place(self, [&](std::int64_t place) {
    store_double(self.dtype(), self.storage()->data() + place * bytes, std::log1p(-generator.uniform_double()) / -rate);
  });
}

}  // namespace nns::tensor
