#pragma once

#include "core/ops/op.h"

namespace nns::ops {

/// A tensor or the error that came in its place, so that a derivative can be written as its formula:
/// `return grad * cos(x);`. A Term without a tensor is a gradient of zero, and stays one through most formulas.
class Term {
 public:
  Term() : value_(Ref<Tensor>()) {}
  Term(Ref<Tensor> tensor) : value_(std::move(tensor)) {}
  Term(PyResult<Ref<Tensor>> value) : value_(std::move(value)) {}
  Term(object::PyError error) : value_(std::move(error)) {}

  bool ok() const { return value_.ok(); }
  /// Must hold: ok() and there is a tensor.
  Tensor& tensor() const { return *value_.value(); }
  const Ref<Tensor>& ref() const { return value_.value(); }
  bool is_none() const { return value_.ok() && !value_.value(); }
  const PyResult<Ref<Tensor>>& result() const { return value_; }
  PyResult<Ref<Tensor>> take() && { return std::move(value_); }

 private:
  PyResult<Ref<Tensor>> value_;
};

/// One argument of `apply`: a term, a number or any other value.
class TermArgument {
 public:
  TermArgument(const Term& term) : term_(&term) {}
  TermArgument(Value value) : value_(std::move(value)) {}
  TermArgument(double value) : value_(value) {}
  TermArgument(int value) : value_(value) {}
  TermArgument(std::int64_t value) : value_(value) {}
  TermArgument(bool value) : value_(value) {}
  const Term* term() const { return term_; }
  Value value() const { return term_ == nullptr ? value_ : Value(term_->ref()); }

 private:
  const Term* term_ = nullptr;
  Value value_;
};

/// The op on these arguments; the first error among them comes through. Must hold: at least one term has a tensor.
Term apply(OpId id, std::initializer_list<TermArgument> args);

/// What a composite op returns.
PyResult<Value> value_of(Term term);

#define NNS_TERM_1(name) \
  inline Term name(const Term& x) { return apply(OpId::name, {x}); }
#define NNS_TERM_2(name) \
  inline Term name(const Term& a, const TermArgument& b) { return apply(OpId::name, {a, b}); }
NNS_TERM_1(neg)
NNS_TERM_1(exp)
NNS_TERM_1(log)
NNS_TERM_1(sin)
NNS_TERM_1(cos)
NNS_TERM_1(sinh)
NNS_TERM_1(cosh)
NNS_TERM_1(sqrt)
NNS_TERM_1(rsqrt)
NNS_TERM_1(sign)
NNS_TERM_1(square)
NNS_TERM_1(reciprocal)
NNS_TERM_1(sigmoid)
NNS_TERM_1(tanh)
NNS_TERM_1(conj)
NNS_TERM_1(logical_not)
NNS_TERM_2(add)
NNS_TERM_2(sub)
NNS_TERM_2(mul)
NNS_TERM_2(div)
NNS_TERM_2(pow)
NNS_TERM_2(eq)
NNS_TERM_2(ne)
NNS_TERM_2(lt)
NNS_TERM_2(le)
NNS_TERM_2(gt)
NNS_TERM_2(ge)
NNS_TERM_2(matmul)
NNS_TERM_2(logical_and)
#undef NNS_TERM_1
#undef NNS_TERM_2

inline Term operator+(const Term& a, const TermArgument& b) { return add(a, b); }
inline Term operator-(const Term& a, const TermArgument& b) { return sub(a, b); }
inline Term operator*(const Term& a, const TermArgument& b) { return mul(a, b); }
inline Term operator/(const Term& a, const TermArgument& b) { return div(a, b); }
inline Term operator-(const Term& a) { return neg(a); }
inline Term operator*(double a, const Term& b) { return mul(b, a); }
/// condition ? a : b, item by item.
Term where(const Term& condition, const TermArgument& a, const TermArgument& b);
/// The sum over the dimensions that broadcasting added, so that the shape is `shape` again.
Term sum_to(const Term& term, const Dims& shape);
/// Zeros like `term`, in another shape.
Term zeros_like(const Term& term, const Dims& shape);
/// In another dtype; of a complex number the real part where `dtype` is real.
Term as_dtype(const Term& term, DType dtype);
/// `zeros` with `value` written into the part of it that the view op `part` gives on `args` (which begin with `zeros`).
Term put_into(const Term& zeros, OpId part, std::span<const Value> args, const Term& value);
/// Zeros whose items lie as these strides say.
Ref<Tensor> zeros_laid_out(Interpreter& interpreter, const Dims& shape, const Dims& strides, DType dtype,
                           Device device);
/// The items of `x` in a tensor whose items lie as these strides say.
Term laid_out(const Term& x, const Dims& shape, const Dims& strides);
/// The gradient of what as_strided(base, size, stride, base.offset + offset) is made of, for a base of this layout.
Term as_strided_gradient(const Term& grad, const Dims& base_shape, const Dims& base_strides, const Value& size,
                         const Value& stride, std::int64_t offset);
/// A tuple of ints.
Value dims_value(Interpreter& interpreter, const Dims& dims);

}  // namespace nns::ops
