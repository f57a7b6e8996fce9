#include "core/ops/compute.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <type_traits>

#include "core/ops/number_to.h"
#include "core/tensor/capture.h"
#include "core/tensor/float_formats.h"

namespace nns::ops {
namespace {

// An item that has no C++ type of its own: `Bits` in memory, `Number` in use.
struct HalfItem {
  using Bits = std::uint16_t;
  using Number = float;
  static float decode(Bits bits) { return tensor::half_to_float(bits); }
  static Bits encode(float value) { return tensor::half_from_float(value); }
};
struct BFloat16Item {
  using Bits = std::uint16_t;
  using Number = float;
  static float decode(Bits bits) { return tensor::bfloat16_to_float(bits); }
  static Bits encode(float value) { return tensor::bfloat16_from_float(value); }
};
struct ComplexHalfItem {
  using Bits = std::uint32_t;
  using Number = ComplexFloat;
  static ComplexFloat decode(Bits bits) {
    return {tensor::half_to_float(static_cast<std::uint16_t>(bits)),
            tensor::half_to_float(static_cast<std::uint16_t>(bits >> 16U))};
  }
  static Bits encode(ComplexFloat value) {
    return tensor::half_from_float(value.real()) |
           (static_cast<std::uint32_t>(tensor::half_from_float(value.imag())) << 16U);
  }
};
template <float (*Decode)(std::uint8_t), std::uint8_t (*Encode)(float)>
struct Float8Item {
  using Bits = std::uint8_t;
  using Number = float;
  static float decode(Bits bits) { return Decode(bits); }
  static Bits encode(float value) { return Encode(value); }
};
struct BoolItem {
  using Bits = std::uint8_t;
  using Number = bool;
  static bool decode(Bits bits) { return bits != 0; }
  static Bits encode(bool value) { return value ? 1 : 0; }
};
// An item that is its own C++ type; `Wide` is what it is computed in.
template <class T, class Wide>
struct PlainItem {
  using Bits = T;
  using Number = Wide;
  static Wide decode(Bits bits) { return static_cast<Wide>(bits); }
  static Bits encode(Wide value) { return static_cast<Bits>(value); }
};

// Calls use(Number()) with the C++ type of `compute`.
template <class Use>
void with_number(Compute compute, Use use) {
  switch (compute) {
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
    case Compute::ComplexFloat:
      return use(ComplexFloat());
    case Compute::ComplexDouble:
      return use(ComplexDouble());
  }
}

// Calls use(Item()) with the item type of `dtype`.
template <class Use>
void with_item(DType dtype, Use use) {
  switch (dtype) {
    case DType::Float32:
      return use(PlainItem<float, float>());
    case DType::Float64:
      return use(PlainItem<double, double>());
    case DType::Float16:
      return use(HalfItem());
    case DType::BFloat16:
      return use(BFloat16Item());
    case DType::Complex32:
      return use(ComplexHalfItem());
    case DType::Complex64:
      return use(PlainItem<ComplexFloat, ComplexFloat>());
    case DType::Complex128:
      return use(PlainItem<ComplexDouble, ComplexDouble>());
    case DType::Int8:
    case DType::QInt8:
      return use(PlainItem<std::int8_t, std::int64_t>());
    case DType::Int16:
      return use(PlainItem<std::int16_t, std::int64_t>());
    case DType::Int32:
    case DType::QInt32:
      return use(PlainItem<std::int32_t, std::int64_t>());
    case DType::Int64:
      return use(PlainItem<std::int64_t, std::int64_t>());
    case DType::UInt8:
    case DType::QUInt8:
    case DType::QUInt4x2:
    case DType::QUInt2x4:
      return use(PlainItem<std::uint8_t, std::int64_t>());
    case DType::UInt16:
      return use(PlainItem<std::uint16_t, std::int64_t>());
    case DType::UInt32:
      return use(PlainItem<std::uint32_t, std::int64_t>());
    case DType::UInt64:
      return use(PlainItem<std::uint64_t, std::uint64_t>());
    case DType::Bool:
      return use(BoolItem());
    case DType::Float8E4M3FN:
      return use(Float8Item<&tensor::float8_e4m3fn_to_float, &tensor::float8_e4m3fn_from_float>());
    case DType::Float8E5M2:
      return use(Float8Item<&tensor::float8_e5m2_to_float, &tensor::float8_e5m2_from_float>());
    case DType::Float8E4M3FNUZ:
      return use(Float8Item<&tensor::float8_e4m3fnuz_to_float, &tensor::float8_e4m3fnuz_from_float>());
    case DType::Float8E5M2FNUZ:
      return use(Float8Item<&tensor::float8_e5m2fnuz_to_float, &tensor::float8_e5m2fnuz_from_float>());
    case DType::Float8E8M0FNU:
      return use(Float8Item<&tensor::float8_e8m0fnu_to_float, &tensor::float8_e8m0fnu_from_float>());
    case DType::Float4E2M1FNX2:
      return use(PlainItem<std::uint8_t, std::int64_t>());  // two numbers an item: only moved as bytes, never computed
  }
}

// The longest run that is converted in two steps at once.
constexpr std::int64_t kBlock = 256;

template <class Item>
void decode_items(const std::byte* at, std::int64_t stride, std::int64_t count, typename Item::Number* out) {
  using Bits = typename Item::Bits;
  Bits bits;
  if (stride == static_cast<std::int64_t>(sizeof(Bits))) {
    for (std::int64_t i = 0; i < count; ++i) {
      std::memcpy(&bits, at + static_cast<std::size_t>(i) * sizeof(Bits), sizeof(Bits));
      out[i] = Item::decode(bits);
    }
  } else if (stride == 0) {
    std::memcpy(&bits, at, sizeof(Bits));
    std::fill_n(out, count, Item::decode(bits));
  } else {
    for (std::int64_t i = 0; i < count; ++i, at += stride) {
      std::memcpy(&bits, at, sizeof(Bits));
      out[i] = Item::decode(bits);
    }
  }
}

template <class Item>
void encode_items(std::byte* at, std::int64_t stride, std::int64_t count, const typename Item::Number* in) {
  using Bits = typename Item::Bits;
  if (stride == static_cast<std::int64_t>(sizeof(Bits))) {
    for (std::int64_t i = 0; i < count; ++i) {
      const Bits bits = Item::encode(in[i]);
      std::memcpy(at + static_cast<std::size_t>(i) * sizeof(Bits), &bits, sizeof(Bits));
    }
  } else {
    for (std::int64_t i = 0; i < count; ++i, at += stride) {
      const Bits bits = Item::encode(in[i]);
      std::memcpy(at, &bits, sizeof(Bits));
    }
  }
}

}  // namespace

Compute compute_of(DType dtype) {
  switch (dtype) {
    case DType::Float64:
      return Compute::Double;
    case DType::Complex32:
    case DType::Complex64:
      return Compute::ComplexFloat;
    case DType::Complex128:
      return Compute::ComplexDouble;
    case DType::UInt64:
      return Compute::UInt64;
    case DType::Bool:
      return Compute::Bool;
    default:
      return tensor::is_floating(dtype) ? Compute::Float : Compute::Int64;
  }
}

std::size_t compute_bytes(Compute compute) {
  constexpr std::size_t kBytes[kComputes] = {4, 8, 8, 8, 1, 8, 16};
  return kBytes[static_cast<std::size_t>(compute)];
}

void convert_numbers(Compute from, Compute to, const void* in, void* out, std::int64_t count) {
  with_number(from, [&]<class From>(From) {
    with_number(to, [&]<class To>(To) {
      const From* source = static_cast<const From*>(in);
      To* target = static_cast<To*>(out);
      for (std::int64_t i = 0; i < count; ++i) target[i] = number_to<To>(source[i]);
    });
  });
}

void load_items(DType dtype, const std::byte* at, std::int64_t stride, std::int64_t count, Compute to, void* out) {
  tensor::Capture::note_read();
  const Compute natural = compute_of(dtype);
  with_item(dtype, [&]<class Item>(Item) {
    using Native = typename Item::Number;
    if (natural == to) {
      decode_items<Item>(at, stride, count, static_cast<Native*>(out));
      return;
    }
    Native block[kBlock];
    std::byte* target = static_cast<std::byte*>(out);
    for (std::int64_t done = 0; done < count; done += kBlock) {
      const std::int64_t part = std::min(kBlock, count - done);
      decode_items<Item>(at + done * stride, stride, part, block);
      convert_numbers(natural, to, block, target, part);
      target += static_cast<std::size_t>(part) * compute_bytes(to);
    }
  });
}

void store_items(DType dtype, std::byte* at, std::int64_t stride, std::int64_t count, Compute from, const void* in) {
  const Compute natural = compute_of(dtype);
  with_item(dtype, [&]<class Item>(Item) {
    using Native = typename Item::Number;
    if (natural == from) {
      encode_items<Item>(at, stride, count, static_cast<const Native*>(in));
      return;
    }
    Native block[kBlock];
    const std::byte* source = static_cast<const std::byte*>(in);
    for (std::int64_t done = 0; done < count; done += kBlock) {
      const std::int64_t part = std::min(kBlock, count - done);
      convert_numbers(from, natural, source, block, part);
      encode_items<Item>(at + done * stride, stride, part, block);
      source += static_cast<std::size_t>(part) * compute_bytes(from);
    }
  });
}

}  // namespace nns::ops
