#include "core/ops/element_kernels.h"
#include "core/ops/lines.h"
#include "core/ops/node.h"
#include "core/ops/term.h"

// Behaviour: aten/src/ATen/native/ReduceOps.cpp (cumsum, cumprod).
namespace nns::ops {
namespace {

PyResult<void> scan_shape(OpCall& call) {
  const Tensor& self = call.required(0);
  NNS_TRY(call.dimension(call.integer(1), self.ndim()));
  const DType own = self.dtype();
  return call.give(self.shape(), call.dtype(2, tensor::is_integral(own) ? DType::Int64 : own));
}

template <class T, bool is_product>
void scan_line(const Tensor& in, Line from, const Tensor& out, Line to, std::int64_t count) {
  // In double where the result is a float, as sums are.
  using Wide = std::conditional_t<std::is_same_v<T, float>, double, T>;
  constexpr Compute kCompute = compute_for<Wide>();
  const std::int64_t in_bytes = tensor::item_bytes(in.dtype());
  const std::int64_t out_bytes = tensor::item_bytes(out.dtype());
  Wide running = is_product ? Wide(1) : Wide(0);
  Wide value{};
  for (std::int64_t i = 0; i < count; ++i) {
    load_items(in.dtype(), in.storage()->data() + (from.place + i * from.stride) * in_bytes, 0, 1, kCompute, &value);
    running = is_product ? wrapping_mul(running, value) : wrapping_add(running, value);
    store_items(out.dtype(), out.storage()->data() + (to.place + i * to.stride) * out_bytes, 0, 1, kCompute, &running);
  }
}

template <bool is_product>
PyResult<void> run_scan(OpCall& call) {
  const Tensor& in = call.required(0);
  const Tensor& out = call.output();
  const std::size_t dim = call.dimension(call.integer(1), in.ndim()).value();
  for_each_line(in, out, dim, [&](Line from, Line to, std::int64_t count) {
    switch (compute_of(out.dtype())) {
      case Compute::Float:
        return scan_line<float, is_product>(in, from, out, to, count);
      case Compute::Double:
        return scan_line<double, is_product>(in, from, out, to, count);
      case Compute::ComplexFloat:
      case Compute::ComplexDouble:
        return scan_line<ComplexDouble, is_product>(in, from, out, to, count);
      default:
        return scan_line<std::int64_t, is_product>(in, from, out, to, count);
    }
  });
  return {};
}

// The sum of an item and all behind it.
Term sum_from_behind(Backward& b, const Term& x) {
  const std::int64_t dim = b.integer(1);
  const TermArgument dims(dims_value(b.interpreter(), Dims({dim})));
  if (x.ok() && x.tensor().ndim() == 0) return x;
  return apply(OpId::flip, {apply(OpId::cumsum, {apply(OpId::flip, {x, dims}), dim}), dims});
}

// d out[k] / d x[i] = the product of x[0..k] without x[i], for k >= i. Cost: the square of the line's length.
Term cumprod_gradient_with_zeros(Backward& b) {
  Interpreter& in = b.interpreter();
  const Term x = b.arg(0);
  const auto dim = static_cast<std::int64_t>(wrapped(b.integer(1), x.tensor().ndim()));
  const std::int64_t size = x.tensor().shape()[static_cast<std::size_t>(dim)];
  Dims one = x.tensor().shape();
  one[static_cast<std::size_t>(dim)] = 1;
  const Term ones(tensor::ones(in, one, x.tensor().dtype(), x.tensor().device()));
  std::vector<Value> lines;
  for (std::int64_t i = 0; i < size; ++i) {
    const Term before =
        i == 0 ? ones : apply(OpId::prod_dim, {apply(OpId::narrow, {x, dim, std::int64_t{0}, i}), dim, true});
    Term behind = ones;
    if (i + 1 < size) {
      Term rest = apply(OpId::narrow, {x, dim, i + 1, size - i - 1});
      if (!rest.ok()) return rest;
      behind =
          apply(OpId::cumprod,
                {Term(call_tensor_op(in, OpId::cat,
                                     std::array{Value(in.tuple({Value(ones.ref()), Value(rest.ref())})), Value(dim)})),
                 dim});
    }
    const Term weighted = apply(OpId::narrow, {b.grad(), dim, i, size - i}) * before * behind;
    Term line = apply(OpId::sum_dim, {weighted, dims_value(in, Dims({dim})), true});
    if (!line.ok()) return line;
    lines.emplace_back(line.ref());
  }
  return call_tensor_op(in, OpId::cat, std::array{Value(in.tuple(std::move(lines))), Value(dim)});
}

}  // namespace

template <>
OpBodies bodies<OpId::cumsum>() {
  return {.shape = scan_shape,
          .cpu = run_scan<false>,
          .gradients = {Gradient{0, 0, [](Backward& b) { return sum_from_behind(b, b.grad()); }}}};
}
template <>
OpBodies bodies<OpId::cumprod>() {
  return {.shape = scan_shape,
          .cpu = run_scan<true>,
          .gradients = {Gradient{0, argument(0) | result(), [](Backward& b) -> Term {
                                   const Term x = b.arg(0);
                                   if (x.ok() && x.tensor().ndim() == 0) return b.grad();
                                   Term quotient = sum_from_behind(b, b.grad() * b.out()) / x;
                                   // With a zero in a line the quotient is not defined: item by item instead.
                                   Term zeros = apply(OpId::any, {eq(x, 0)});
                                   if (!zeros.ok()) return zeros;
                                   if (zeros.tensor().is_meta() ||
                                       tensor::read_int64(zeros.tensor(), zeros.tensor().offset()) == 0) {
                                     return quotient;
                                   }
                                   return cumprod_gradient_with_zeros(b);
                                 }}}};
}

}  // namespace nns::ops
