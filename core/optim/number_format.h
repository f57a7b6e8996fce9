#pragma once

#include <cstdint>

#include "core/tensor/float_formats.h"

// Not for callers of optim.
namespace nns::optim {

/// How items of a dtype are read, computed with and written. `rounded` is what a number becomes that an operation of
/// its own writes and the next one reads: PyTorch's optimisers are sequences of such operations.
template <class T>
struct Plain {
  using Item = T;
  using Number = T;
  static constexpr Number load(Item item) { return item; }
  static constexpr Item store(Number number) { return number; }
  static constexpr Number rounded(Number number) { return number; }
};
using Float32Format = Plain<float>;
using Float64Format = Plain<double>;

struct BFloat16Format {
  using Item = std::uint16_t;
  using Number = float;
  static Number load(Item item) { return tensor::bfloat16_to_float(item); }
  static Item store(Number number) { return tensor::bfloat16_from_float(number); }
  static Number rounded(Number number) { return load(store(number)); }
};

struct Float16Format {
  using Item = std::uint16_t;
  using Number = float;
  static Number load(Item item) { return tensor::half_to_float(item); }
  static Item store(Number number) { return tensor::half_from_float(number); }
  static Number rounded(Number number) { return load(store(number)); }
};

/// Which of them a tensor uses; items of a complex dtype are two numbers.
enum class FormatId : std::uint8_t { Float32, Float64, BFloat16, Float16 };

/// Calls use(Format{}) for the format.
template <class Use>
void with_format(FormatId id, Use use) {
  switch (id) {
    case FormatId::Float32:
      return use(Float32Format{});
    case FormatId::Float64:
      return use(Float64Format{});
    case FormatId::BFloat16:
      return use(BFloat16Format{});
    case FormatId::Float16:
      return use(Float16Format{});
  }
}

/// a + weight * (b - a), from the nearer end. Behaviour: ATen/native/Lerp.h.
/// Differs: torch's vector body rounds the last product and sum once where the machine has a fused instruction; we
/// always round both, so that every machine gives the same numbers.
template <class F>
constexpr typename F::Number lerp(typename F::Number a, typename F::Number b, typename F::Number weight) {
  using N = typename F::Number;
  const bool is_near = weight < N(0.5);
  const N factor = is_near ? weight : weight - N(1);
  return F::rounded((is_near ? a : b) + factor * (b - a));
}

}  // namespace nns::optim
