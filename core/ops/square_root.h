#pragma once

#include <cmath>
#include <complex>
#include <type_traits>

namespace nns::ops {

/// The square root of a number, real or complex. Behaviour: C11 7.3.8.3, csqrt(), which exact roots come out of
/// exactly. The C++ library of WebAssembly takes that of a complex number through its angle: sqrt(-4) has a real part
/// there.
template <class T>
constexpr auto square_root(T x) {
#if defined(NNS_POLAR_SQUARE_ROOTS)
  if constexpr (std::is_same_v<T, std::complex<double>> || std::is_same_v<T, std::complex<float>>) {
    using Part = typename T::value_type;
    _Complex double given;
    __real__ given = static_cast<double>(x.real());
    __imag__ given = static_cast<double>(x.imag());
    const _Complex double root = __builtin_csqrt(given);
    return T(static_cast<Part>(__real__ root), static_cast<Part>(__imag__ root));
  }
#endif
  return std::sqrt(x);
}

}  // namespace nns::ops
