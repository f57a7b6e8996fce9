// Runs of floats in the vectors of one processor. vector_rows.cpp includes this once for each kind of processor, hence
// no guard; only the functions there call it.
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <limits>

#include "core/ops/element_kernels.h"
#include "core/ops/float_lanes.h"
#include "core/ops/vector_rows.h"

HWY_BEFORE_NAMESPACE();
namespace nns::ops {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// ---------------------------------------------------------------- functions

// exp for any float: what Highway's does not take is cut off where the result is infinite or 0 anyway; NaN stays.
HWY_INLINE Lanes exp_of(Lanes x) {
  const Floats d;
  const Lanes top = set(100.0F), bottom = set(-104.0F);
  const Lanes inside = hn::IfThenElse(hn::Gt(x, top), top, hn::IfThenElse(hn::Lt(x, bottom), bottom, x));
  return hn::IfThenElse(hn::IsNaN(x), x, hn::Exp(d, inside));
}
// The same, with 0 for what would be smaller than a normal number: arithmetic on those is a hundred times slower, and
// no sum sees them.
HWY_INLINE Lanes exp_flushed(Lanes x) {
  const Lanes bottom = set(-87.0F);
  const Lanes made = exp_of(hn::IfThenElse(hn::Lt(x, bottom), bottom, x));
  return hn::IfThenZeroElse(hn::Lt(x, bottom), made);
}
HWY_INLINE Lanes sigmoid_of(Lanes x) { return hn::Div(set(1), hn::Add(set(1), exp_of(hn::Neg(x)))); }

// Near 0 a polynomial, further out by exp: within 2 units in the last place.
// Method: Cephes, single/tanhf.c.
HWY_INLINE Lanes tanh_of(Lanes x) {
  const Lanes size = hn::Abs(x);
  const Lanes z = hn::Mul(x, x);
  Lanes p = set(-5.70498872745E-3F);
  p = hn::MulAdd(p, z, set(2.06390887954E-2F));
  p = hn::MulAdd(p, z, set(-5.37397155531E-2F));
  p = hn::MulAdd(p, z, set(1.33314422036E-1F));
  p = hn::MulAdd(p, z, set(-3.33332819422E-1F));
  const Lanes near = hn::MulAdd(hn::Mul(p, z), x, x);
  const Lanes far = hn::Sub(set(1), hn::Div(set(2), hn::Add(exp_of(hn::Add(size, size)), set(1))));
  return hn::IfThenElse(hn::Lt(size, set(0.625F)), near, hn::CopySign(far, x));
}

// erf, and erfc of the absolute value where that is above 1. Method: Cephes, single/ndtrf.c.
HWY_INLINE Lanes erf_near(Lanes x) {
  const Lanes z = hn::Mul(x, x);
  Lanes p = set(7.853861353153693E-5F);
  p = hn::MulAdd(p, z, set(-8.010193625184903E-4F));
  p = hn::MulAdd(p, z, set(5.188327685732524E-3F));
  p = hn::MulAdd(p, z, set(-2.685381193529856E-2F));
  p = hn::MulAdd(p, z, set(1.128358514861418E-1F));
  p = hn::MulAdd(p, z, set(-3.761262582423300E-1F));
  p = hn::MulAdd(p, z, set(1.128379165726710E+0F));
  return hn::Mul(p, x);
}
// `size` at least 1; `density` is exp(-size^2).
HWY_INLINE Lanes erfc_far(Lanes size, Lanes density) {
  const Lanes q = hn::Div(set(1), size);
  const Lanes y = hn::Mul(q, q);
  Lanes p = set(2.326819970068386E-2F);
  p = hn::MulAdd(p, y, set(-1.387039388740657E-1F));
  p = hn::MulAdd(p, y, set(3.687424674597105E-1F));
  p = hn::MulAdd(p, y, set(-5.824733027278666E-1F));
  p = hn::MulAdd(p, y, set(6.210004621745983E-1F));
  p = hn::MulAdd(p, y, set(-4.944515323274145E-1F));
  p = hn::MulAdd(p, y, set(3.404879937665872E-1F));
  p = hn::MulAdd(p, y, set(-2.741127028184656E-1F));
  p = hn::MulAdd(p, y, set(5.638259427386472E-1F));
  Lanes r = set(-1.047766399936249E+1F);
  r = hn::MulAdd(r, y, set(1.297719955372516E+1F));
  r = hn::MulAdd(r, y, set(-7.495518717768503E+0F));
  r = hn::MulAdd(r, y, set(2.921019019210786E+0F));
  r = hn::MulAdd(r, y, set(-1.015265279202700E+0F));
  r = hn::MulAdd(r, y, set(4.218463358204948E-1F));
  r = hn::MulAdd(r, y, set(-2.820767439740514E-1F));
  r = hn::MulAdd(r, y, set(5.641895067754075E-1F));
  const Lanes series = hn::IfThenElse(hn::Lt(size, set(2)), p, r);
  return hn::Mul(hn::Mul(density, q), series);
}
// `density` is exp(-x^2).
HWY_INLINE Lanes erf_of(Lanes x, Lanes density) {
  const Lanes size = hn::Abs(x);
  const Lanes far = hn::Sub(set(1), erfc_far(hn::Max(size, set(1)), density));
  const Lanes made = hn::IfThenElse(hn::Gt(size, set(1)), hn::CopySign(far, x), erf_near(x));
  return hn::IfThenElse(hn::IsNaN(x), x, made);
}
HWY_INLINE Lanes erf_of(Lanes x) { return erf_of(x, exp_flushed(hn::Neg(hn::Mul(x, x)))); }
// The share of the normal distribution below x; `density` is exp(-x^2 / 2).
HWY_INLINE Lanes half_density(Lanes x) { return exp_flushed(hn::Mul(hn::Mul(x, x), set(-0.5F))); }
HWY_INLINE Lanes normal_share(Lanes x, Lanes density) {
  return hn::MulAdd(set(0.5F), erf_of(hn::Mul(x, set(0.70710678118654752440F)), density), set(0.5F));
}

// ---------------------------------------------------------------- formulas

#define NNS_FORMULA_1(name, expression)                          \
  struct name {                                                  \
    static HWY_INLINE Lanes at(Lanes x) { return (expression); } \
  };
#define NNS_FORMULA_2(name, expression)                                   \
  struct name {                                                           \
    static HWY_INLINE Lanes at(Lanes x, Lanes y) { return (expression); } \
  };
NNS_FORMULA_2(AddV, hn::Add(x, y))
NNS_FORMULA_2(SubV, hn::Sub(x, y))
NNS_FORMULA_2(MulV, hn::Mul(x, y))
NNS_FORMULA_2(DivV, hn::Div(x, y))
NNS_FORMULA_1(NegV, hn::Neg(x))
NNS_FORMULA_1(SquareV, hn::Mul(x, x))
NNS_FORMULA_1(SqrtV, hn::Sqrt(x))
NNS_FORMULA_1(RsqrtV, hn::Div(set(1), hn::Sqrt(x)))
NNS_FORMULA_1(ReciprocalV, hn::Div(set(1), x))
NNS_FORMULA_1(ExpV, exp_of(x))
NNS_FORMULA_1(SigmoidV, sigmoid_of(x))
NNS_FORMULA_1(TanhV, tanh_of(x))
NNS_FORMULA_1(ErfV, erf_of(x))
NNS_FORMULA_1(SiluV, hn::Div(x, hn::Add(set(1), exp_of(hn::Neg(x)))))
NNS_FORMULA_1(GeluV, hn::Mul(x, normal_share(x, half_density(x))))
// NaN passes; -0 stays as it is.
NNS_FORMULA_1(ReluV, hn::IfThenZeroElse(hn::Lt(x, hn::Zero(Floats())), x))
NNS_FORMULA_2(ReluGradientV, hn::IfThenElseZero(hn::Gt(y, hn::Zero(Floats())), x))
NNS_FORMULA_2(TanhGradientV, hn::Mul(x, hn::NegMulAdd(y, y, set(1))))
NNS_FORMULA_2(SigmoidGradientV, hn::Mul(x, hn::Mul(y, hn::Sub(set(1), y))))
#undef NNS_FORMULA_1
#undef NNS_FORMULA_2

// Beyond what is finite the logarithm is that of the infinities; of a negative number, NaN.
struct LogV {
  static HWY_INLINE Lanes at(Lanes x) {
    const Floats d;
    const Lanes infinity = set(std::numeric_limits<float>::infinity());
    const Lanes zero = hn::Zero(d);
    const Lanes made = hn::Log(d, x);
    const Lanes none = set(std::numeric_limits<float>::quiet_NaN());
    const Lanes special = hn::IfThenElse(hn::Lt(x, zero), none, hn::IfThenElse(hn::Eq(x, zero), hn::Neg(infinity), x));
    const Mask is_plain = hn::And(hn::Gt(x, zero), hn::Lt(x, infinity));
    return hn::IfThenElse(is_plain, made, special);
  }
};
struct GeluTanhV {
  static HWY_INLINE Lanes at(Lanes x) {
    const Lanes inner = hn::Mul(set(0.79788456080286535588F), hn::MulAdd(hn::Mul(hn::Mul(set(0.044715F), x), x), x, x));
    return hn::Mul(hn::Mul(set(0.5F), x), hn::Add(set(1), tanh_of(inner)));
  }
};
struct GeluGradientV {
  static HWY_INLINE Lanes at(Lanes grad, Lanes x) {
    const Lanes density = half_density(x);
    const Lanes scaled = hn::Mul(set(0.39894228040143267794F), density);
    return hn::Mul(grad, hn::MulAdd(x, scaled, normal_share(x, density)));
  }
};
struct GeluTanhGradientV {
  static HWY_INLINE Lanes at(Lanes grad, Lanes x) {
    const Lanes scale = set(0.79788456080286535588F);
    const Lanes square = hn::Mul(x, x);
    const Lanes inner = hn::Mul(scale, hn::MulAdd(hn::Mul(set(0.044715F), square), x, x));
    const Lanes bent = tanh_of(inner);
    const Lanes slope = hn::Mul(scale, hn::MulAdd(set(3 * 0.044715F), square, set(1)));
    const Lanes half = hn::Mul(set(0.5F), hn::Add(set(1), bent));
    const Lanes rest = hn::Mul(hn::Mul(set(0.5F), x), hn::Mul(hn::NegMulAdd(bent, bent, set(1)), slope));
    return hn::Mul(grad, hn::Add(half, rest));
  }
};
struct SiluGradientV {
  static HWY_INLINE Lanes at(Lanes grad, Lanes x) {
    const Lanes gate = sigmoid_of(x);
    return hn::Mul(hn::Mul(grad, gate), hn::MulAdd(x, hn::Sub(set(1), gate), set(1)));
  }
};

// ---------------------------------------------------------------- walking

template <class Formula>
HWY_INLINE void map(const float* x, float* out, std::int64_t count) {
  const Floats d;
  const std::int64_t lanes = lane_count();
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(Formula::at(hn::LoadU(d, x + i)), d, out + i);
  if (i < count) store_part(Formula::at(load_part(x + i, count - i)), out + i, count - i);
}
template <class Formula>
HWY_INLINE void map(const float* x, const float* y, float* out, std::int64_t count) {
  const Floats d;
  const std::int64_t lanes = lane_count();
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(Formula::at(hn::LoadU(d, x + i), hn::LoadU(d, y + i)), d, out + i);
  if (i < count) {
    store_part(Formula::at(load_part(x + i, count - i), load_part(y + i, count - i)), out + i, count - i);
  }
}

#define NNS_ROW_1(name, formula) \
  void name##_row(const ElementRow& row) { map<formula>(row.input<float>(0), row.output<float>(), row.count); }
#define NNS_ROW_2(name, formula)                                                            \
  void name##_row(const ElementRow& row) {                                                  \
    map<formula>(row.input<float>(0), row.input<float>(1), row.output<float>(), row.count); \
  }
NNS_ROW_2(add, AddV)
NNS_ROW_2(sub, SubV)
NNS_ROW_2(mul, MulV)
NNS_ROW_2(div, DivV)
NNS_ROW_1(neg, NegV)
NNS_ROW_1(square, SquareV)
NNS_ROW_1(sqrt, SqrtV)
NNS_ROW_1(rsqrt, RsqrtV)
NNS_ROW_1(reciprocal, ReciprocalV)
NNS_ROW_1(exp, ExpV)
NNS_ROW_1(log, LogV)
NNS_ROW_1(sigmoid, SigmoidV)
NNS_ROW_1(tanh, TanhV)
NNS_ROW_1(erf, ErfV)
NNS_ROW_1(relu, ReluV)
NNS_ROW_1(silu, SiluV)
NNS_ROW_1(gelu, GeluV)
NNS_ROW_1(gelu_tanh, GeluTanhV)
NNS_ROW_2(relu_gradient, ReluGradientV)
NNS_ROW_2(tanh_gradient, TanhGradientV)
NNS_ROW_2(sigmoid_gradient, SigmoidGradientV)
NNS_ROW_2(gelu_gradient, GeluGradientV)
NNS_ROW_2(gelu_tanh_gradient, GeluTanhGradientV)
NNS_ROW_2(silu_gradient, SiluGradientV)
#undef NNS_ROW_1
#undef NNS_ROW_2

// x + y * factor, the product rounded first, as without vectors.
HWY_INLINE void add_with_factor(const ElementRow& row, float factor) {
  const Floats d;
  const float *const x = row.input<float>(0), *const y = row.input<float>(1);
  float* const out = row.output<float>();
  const std::int64_t lanes = lane_count();
  const Lanes times = set(factor);
  std::int64_t i = 0;
  for (; i + lanes <= row.count; i += lanes)
    hn::StoreU(hn::Add(hn::LoadU(d, x + i), hn::Mul(times, hn::LoadU(d, y + i))), d, out + i);
  const std::int64_t rest = row.count - i;
  if (rest > 0) store_part(hn::Add(load_part(x + i, rest), hn::Mul(times, load_part(y + i, rest))), out + i, rest);
}
void add_scaled_row(const ElementRow& row) {
  add_with_factor(row, number_in<float>(*static_cast<const Settings*>(row.settings)));
}
void sub_scaled_row(const ElementRow& row) {
  add_with_factor(row, -number_in<float>(*static_cast<const Settings*>(row.settings)));
}

// ---------------------------------------------------------------- runs

// Items that are added up in floats before they go to a double.
constexpr std::int64_t kChunk = 1024;

// The sum over i of term(i), in parts; term(i) gives a vector from place i on, term(i, count) what is left.
template <class Term>
HWY_INLINE double add_up(Term& term, std::int64_t count) {
  const Floats d;
  const std::int64_t lanes = lane_count();
  double total = 0;
  std::int64_t i = 0;
  while (i < count) {
    const std::int64_t end = std::min(count, i + kChunk);
    Lanes a = hn::Zero(d), b = a, c = a, e = a;
    for (; i + 4 * lanes <= end; i += 4 * lanes) {
      a = hn::Add(a, term.whole(i));
      b = hn::Add(b, term.whole(i + lanes));
      c = hn::Add(c, term.whole(i + 2 * lanes));
      e = hn::Add(e, term.whole(i + 3 * lanes));
    }
    for (; i + lanes <= end; i += lanes) a = hn::Add(a, term.whole(i));
    if (i < end) {
      b = hn::Add(b, term.part(i, end - i));
      i = end;
    }
    total += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(a, b), hn::Add(c, e)))));
  }
  return total;
}

struct PlainTerm {
  const float* x;
  HWY_INLINE Lanes whole(std::int64_t i) const { return hn::LoadU(Floats(), x + i); }
  HWY_INLINE Lanes part(std::int64_t i, std::int64_t count) const { return load_part(x + i, count); }
};
double sum(const float* x, std::int64_t count) {
  PlainTerm term{x};
  return add_up(term, count);
}
struct SquareTerm {
  const float* x;
  float middle;
  HWY_INLINE Lanes whole(std::int64_t i) const {
    const Lanes off = hn::Sub(hn::LoadU(Floats(), x + i), set(middle));
    return hn::Mul(off, off);
  }
  HWY_INLINE Lanes part(std::int64_t i, std::int64_t count) const {
    const Lanes off = hn::Sub(load_part(x + i, count, middle), set(middle));
    return hn::Mul(off, off);
  }
};
double sum_of_squares(const float* x, float middle, std::int64_t count) {
  SquareTerm term{x, middle};
  return add_up(term, count);
}
struct ProductTerm {
  const float *a, *b;
  HWY_INLINE Lanes whole(std::int64_t i) const {
    return hn::Mul(hn::LoadU(Floats(), a + i), hn::LoadU(Floats(), b + i));
  }
  HWY_INLINE Lanes part(std::int64_t i, std::int64_t count) const {
    return hn::Mul(load_part(a + i, count), load_part(b + i, count));
  }
};
double dot(const float* a, const float* b, std::int64_t count) {
  ProductTerm term{a, b};
  return add_up(term, count);
}
struct ExpTerm {
  const float* x;
  float shift;
  float* out;
  HWY_INLINE Lanes whole(std::int64_t i) const {
    const Lanes made = exp_flushed(hn::Sub(hn::LoadU(Floats(), x + i), set(shift)));
    if (out != nullptr) hn::StoreU(made, Floats(), out + i);
    return made;
  }
  HWY_INLINE Lanes part(std::int64_t i, std::int64_t count) const {
    const Lanes made =
        exp_flushed(hn::Sub(load_part(x + i, count, -std::numeric_limits<float>::infinity()), set(shift)));
    if (out != nullptr) store_part(made, out + i, count);
    // What is not there must not count, whatever the shift.
    return hn::IfThenElseZero(hn::FirstN(Floats(), static_cast<std::size_t>(count)), made);
  }
};
double exp_shifted(const float* x, float shift, float* out, std::int64_t count) {
  ExpTerm term{x, shift, out};
  return add_up(term, count);
}

float largest(const float* x, std::int64_t count) {
  const Floats d;
  const std::int64_t lanes = lane_count();
  const float lowest = -std::numeric_limits<float>::infinity();
  Lanes top = set(lowest);
  Mask has_nan = hn::IsNaN(top);
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const Lanes one = hn::LoadU(d, x + i);
    has_nan = hn::Or(has_nan, hn::IsNaN(one));
    top = hn::Max(top, one);
  }
  if (i < count) {
    const Lanes one = load_part(x + i, count - i, lowest);
    has_nan = hn::Or(has_nan, hn::IsNaN(one));
    top = hn::Max(top, one);
  }
  if (!hn::AllFalse(d, has_nan)) return std::numeric_limits<float>::quiet_NaN();
  return hn::GetLane(hn::MaxOfLanes(d, top));
}

void scale_shift(const float* x, float scale, float shift, float* out, std::int64_t count) {
  const Floats d;
  const std::int64_t lanes = lane_count();
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(hn::MulAdd(hn::LoadU(d, x + i), set(scale), set(shift)), d, out + i);
  if (i < count) store_part(hn::MulAdd(load_part(x + i, count - i), set(scale), set(shift)), out + i, count - i);
}
void add_to(float* to, const float* from, std::int64_t count) { map<AddV>(to, from, to, count); }
void add_scaled_to(float* to, const float* from, float factor, std::int64_t count) {
  const Floats d;
  const std::int64_t lanes = lane_count();
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(hn::MulAdd(hn::LoadU(d, from + i), set(factor), hn::LoadU(d, to + i)), d, to + i);
  const std::int64_t rest = count - i;
  if (rest > 0) store_part(hn::MulAdd(load_part(from + i, rest), set(factor), load_part(to + i, rest)), to + i, rest);
}
void mul_shifted(const float* a, const float* b, float shift, float* out, std::int64_t count) {
  const Floats d;
  const std::int64_t lanes = lane_count();
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(hn::Mul(hn::LoadU(d, a + i), hn::Sub(hn::LoadU(d, b + i), set(shift))), d, out + i);
  const std::int64_t rest = count - i;
  if (rest > 0) store_part(hn::Mul(load_part(a + i, rest), hn::Sub(load_part(b + i, rest), set(shift))), out + i, rest);
}
void log_softmax_gradient(const float* grad, const float* x, float share, float* out, std::int64_t count) {
  const Floats d;
  const std::int64_t lanes = lane_count();
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(hn::NegMulAdd(exp_flushed(hn::LoadU(d, x + i)), set(share), hn::LoadU(d, grad + i)), d, out + i);
  const std::int64_t rest = count - i;
  if (rest > 0) {
    store_part(hn::NegMulAdd(exp_flushed(load_part(x + i, rest)), set(share), load_part(grad + i, rest)), out + i,
               rest);
  }
}

// Loads `count` items, a whole vector if there are as many; without an array, `otherwise`.
HWY_INLINE Lanes load_or(const float* x, std::int64_t i, std::int64_t count, float otherwise) {
  if (x == nullptr) return set(otherwise);
  return count >= lane_count() ? hn::LoadU(Floats(), x + i) : load_part(x + i, count);
}
HWY_INLINE void store_up_to(Lanes value, float* to, std::int64_t count) {
  if (count >= lane_count()) {
    hn::StoreU(value, Floats(), to);
  } else {
    store_part(value, to, count);
  }
}

void normalize(const float* x, float mean, float invstd, const float* weight, const float* bias, float* out,
               std::int64_t count) {
  for (std::int64_t i = 0; i < count; i += lane_count()) {
    const std::int64_t rest = count - i;
    const Lanes normal = hn::Mul(hn::Sub(load_or(x, i, rest, 0), set(mean)), set(invstd));
    store_up_to(hn::MulAdd(normal, load_or(weight, i, rest, 1), load_or(bias, i, rest, 0)), out + i, rest);
  }
}
vectors::NormSums normalize_gradient_sums(const float* x, const float* g, float mean, float invstd, const float* weight,
                                          float* w_grad, float* b_grad, std::int64_t count) {
  const Floats d;
  vectors::NormSums sums{0, 0};
  for (std::int64_t i = 0; i < count;) {
    Lanes plain = hn::Zero(d), of_normal = hn::Zero(d);
    for (const std::int64_t end = std::min(count, i + kChunk); i < end; i += lane_count()) {
      const std::int64_t rest = count - i;
      const Lanes normal = hn::Mul(hn::Sub(load_or(x, i, rest, 0), set(mean)), set(invstd));
      const Lanes grad = load_or(g, i, rest, 0);
      const Lanes weighted = hn::Mul(grad, load_or(weight, i, rest, 1));
      plain = hn::Add(plain, weighted);
      of_normal = hn::MulAdd(weighted, normal, of_normal);
      store_up_to(hn::MulAdd(grad, normal, load_or(w_grad, i, rest, 0)), w_grad + i, rest);
      store_up_to(hn::Add(grad, load_or(b_grad, i, rest, 0)), b_grad + i, rest);
    }
    sums.plain += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, plain)));
    sums.normal += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, of_normal)));
  }
  return sums;
}
void normalize_gradient(const float* x, const float* g, float mean, float invstd, const float* weight, float a, float b,
                        float* out, std::int64_t count) {
  for (std::int64_t i = 0; i < count; i += lane_count()) {
    const std::int64_t rest = count - i;
    const Lanes normal = hn::Mul(hn::Sub(load_or(x, i, rest, 0), set(mean)), set(invstd));
    const Lanes weighted = hn::Mul(load_or(g, i, rest, 0), load_or(weight, i, rest, 1));
    store_up_to(hn::Mul(set(invstd), hn::NegMulAdd(normal, set(b), hn::Sub(weighted, set(a)))), out + i, rest);
  }
}

void attention_slopes(float* w, float* s, float log_sum, float share, float scale, std::int64_t count) {
  for (std::int64_t i = 0; i < count; i += lane_count()) {
    const std::int64_t rest = count - i;
    const Lanes weight = exp_flushed(hn::Sub(load_or(w, i, rest, 0), set(log_sum)));
    const Lanes slope = hn::Mul(hn::Mul(weight, hn::Sub(load_or(s, i, rest, 0), set(share))), set(scale));
    store_up_to(weight, w + i, rest);
    store_up_to(slope, s + i, rest);
  }
}

// One vector of an Adam step, each product and sum rounded as without vectors.

}  // namespace HWY_NAMESPACE
}  // namespace nns::ops
HWY_AFTER_NAMESPACE();
