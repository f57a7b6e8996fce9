#pragma once

#include "core/ops/formulas.h"
#include "core/ops/square_root.h"

// Behaviour: aten/src/ATen/native/BinaryOps.cpp.
namespace nns::ops::formula {

struct Add {
  template <class T>
  static constexpr T at(T x, T y) {
    return wrapping_add(x, y);
  }
};
struct Sub {
  template <class T>
  static constexpr T at(T x, T y) {
    return wrapping_sub(x, y);
  }
};
struct AddScaled {
  template <class T>
  static constexpr T at(const Settings& settings, T x, T y) {
    return wrapping_add(x, wrapping_mul(number_in<T>(settings), y));
  }
};
struct SubScaled {
  template <class T>
  static constexpr T at(const Settings& settings, T x, T y) {
    return wrapping_sub(x, wrapping_mul(number_in<T>(settings), y));
  }
};
struct Mul {
  template <class T>
  static constexpr T at(T x, T y) {
    return wrapping_mul(x, y);
  }
};
struct Div {
  template <class T>
  static constexpr T at(T x, T y) {
    return x / y;
  }
};
template <class T>
constexpr T truncated_quotient(T x, T y) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::trunc(x / y);
  } else if constexpr (std::is_signed_v<T>) {
    return y == -1 ? wrapping_neg(x) : x / y;
  } else {
    return x / y;
  }
}
// Behaviour: c10/util/BFloat16-math.h, div_floor_floating: Python's floor division.
template <class T>
constexpr T floored_quotient(T x, T y) {
  if constexpr (std::is_floating_point_v<T>) {
    if (y == 0) return x / y;
    const T rest = std::fmod(x, y);
    T quotient = (x - rest) / y;
    if (rest != 0 && (y < 0) != (rest < 0)) quotient -= T(1);
    if (quotient == 0) return std::copysign(T(0), x / y);
    const T floor = std::floor(quotient);
    return quotient - floor > T(0.5) ? floor + T(1) : floor;
  } else {
    const T quotient = truncated_quotient(x, y);
    if constexpr (std::is_signed_v<T>) {
      if (wrapping_mul(quotient, y) != x && (x < 0) != (y < 0)) return quotient - 1;
    }
    return quotient;
  }
}
struct TruncDiv {
  template <class T>
  static constexpr T at(T x, T y) {
    return truncated_quotient(x, y);
  }
};
struct FloorDiv {
  template <class T>
  static constexpr T at(T x, T y) {
    return floored_quotient(x, y);
  }
};
struct Remainder {
  template <class T>
  static constexpr T at(T x, T y) {
    if constexpr (std::is_floating_point_v<T>) {
      const T rest = std::fmod(x, y);
      return rest != 0 && (y < 0) != (rest < 0) ? rest + y : rest;
    } else {
      return wrapping_sub(x, wrapping_mul(floored_quotient(x, y), y));
    }
  }
};
struct Fmod {
  template <class T>
  static constexpr T at(T x, T y) {
    if constexpr (std::is_floating_point_v<T>)
      return std::fmod(x, y);
    else
      return wrapping_sub(x, wrapping_mul(truncated_quotient(x, y), y));
  }
};
struct Pow {
  template <class T>
  static constexpr T at(T x, T y) {
    if constexpr (std::is_integral_v<T>) {
      if constexpr (std::is_signed_v<T>) {
        if (y < 0) return x == 1 ? T(1) : x == -1 ? (y % 2 == 0 ? T(1) : T(-1)) : T(0);
      }
      T product = 1;
      while (y > 0) {
        if ((y & 1) != 0) product = wrapping_mul(product, x);
        x = wrapping_mul(x, x);
        y = static_cast<T>(y >> 1);
      }
      return product;
    } else {
      return std::pow(x, y);
    }
  }
};
// Small whole exponents by multiplication, as PyTorch does: exact where pow() need not be.
struct PowTwo {
  template <class T>
  static constexpr T at(T x) {
    return wrapping_mul(x, x);
  }
};
struct PowThree {
  template <class T>
  static constexpr T at(T x) {
    return wrapping_mul(wrapping_mul(x, x), x);
  }
};
struct PowHalf {
  template <class T>
  static constexpr T at(T x) {
    return square_root(x);
  }
};
struct Maximum {
  template <class T>
  static constexpr T at(T x, T y) {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(x)) return x;
      if (std::isnan(y)) return y;
    }
    return x > y ? x : y;
  }
};
struct Minimum {
  template <class T>
  static constexpr T at(T x, T y) {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(x)) return x;
      if (std::isnan(y)) return y;
    }
    return x < y ? x : y;
  }
};
struct Atan2 {
  template <class T>
  static constexpr T at(T x, T y) {
    return std::atan2(x, y);
  }
};
#define NNS_COMPARISON(name, expression) \
  struct name {                          \
    template <class T>                   \
    static constexpr bool at(T x, T y) { \
      return expression;                 \
    }                                    \
  };
NNS_COMPARISON(Eq, x == y)
NNS_COMPARISON(Ne, x != y)
NNS_COMPARISON(Lt, x < y)
NNS_COMPARISON(Le, x <= y)
NNS_COMPARISON(Gt, x > y)
NNS_COMPARISON(Ge, x >= y)
NNS_COMPARISON(LogicalAnd, x != T() && y != T())
NNS_COMPARISON(LogicalOr, x != T() || y != T())
NNS_COMPARISON(LogicalXor, (x != T()) != (y != T()))
#undef NNS_COMPARISON
struct BitAnd {
  template <class T>
  static constexpr T at(T x, T y) {
    return static_cast<T>(x & y);
  }
};
struct BitOr {
  template <class T>
  static constexpr T at(T x, T y) {
    return static_cast<T>(x | y);
  }
};
struct BitXor {
  template <class T>
  static constexpr T at(T x, T y) {
    return static_cast<T>(x ^ y);
  }
};
// Shifts by the width or more give 0, or -1 for a negative number to the right.
struct ShiftLeft {
  template <class T>
  static constexpr T at(T x, T y) {
    if (y < 0 || y >= 64) return 0;
    return static_cast<T>(static_cast<std::uint64_t>(x) << static_cast<std::uint64_t>(y));
  }
};
struct ShiftRight {
  template <class T>
  static constexpr T at(T x, T y) {
    if (y < 0 || y >= 64) return x < 0 ? T(-1) : T(0);
    return static_cast<T>(x >> y);
  }
};

}  // namespace nns::ops::formula
