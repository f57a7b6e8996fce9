#include <fmt/ranges.h>

#include <limits>

#include "core/ops/linalg.h"
#include "core/ops/promotion.h"

// Products of vectors and matrices, powers, and systems whose unknowns are tensors.
// Behaviour: aten/src/ATen/native/LinearAlgebra.cpp, Cross.cpp.
namespace nns::ops {
namespace {

Term shaped(const Term& x, std::span<const std::int64_t> shape) {
  if (!x.ok()) return x;
  return apply(OpId::reshape, {x, TermArgument(dims_value(x.tensor().interpreter(), Dims(shape)))});
}

PyResult<Value> cross_of(OpCall& call) {
  if (call.required(0).ndim() != call.required(1).ndim()) {
    return object::runtime_error(call.interpreter, "linalg.cross: inputs must have the same number of dimensions.");
  }
  return call_op(call.interpreter, OpId::cross, call.args);
}

PyResult<Value> vecdot_of(OpCall& call) {
  const Tensor& x = call.required(0);
  const Tensor& y = call.required(1);
  NNS_TRY(check_fractional(call.interpreter, x, "linalg.vecdot"));
  if (x.dtype() != y.dtype()) {
    return object::runtime_error(
        call.interpreter,
        "linalg.vecdot: Expected x and y to have the same dtype, but found x of type {} and y of type {} instead",
        tensor::info(x.dtype()).scalar_name, tensor::info(y.dtype()).scalar_name);
  }
  return value_of(sum_over(conj(term_at(call, 0)) * term_at(call, 1), {call.integer(2)}));
}

// By squaring: the power is the product of those whose bit is set.
PyResult<Value> matrix_power_of(OpCall& call) {
  const Tensor& a = call.required(0);
  std::int64_t n = call.integer(1);
  NNS_TRY(check_square(call.interpreter, a, "linalg.matrix_power"));
  if (n == 0) {
    const Term unit = identity_like(term_at(call, 0), columns_of(a));
    return value_of(
        apply(OpId::clone, {apply(OpId::expand, {unit, TermArgument(dims_value(call.interpreter, a.shape()))})}));
  }
  if (n == 1) return call_op(call.interpreter, OpId::clone, {call.args[0]});
  Term square = n < 0 ? apply(OpId::linalg_inv, {term_at(call, 0)}) : term_at(call, 0), power;
  for (n = n < 0 ? -n : n; n > 0; n /= 2) {
    if (n % 2 == 1) power = power.is_none() ? square : matmul(power, square);
    if (n > 1) square = matmul(square, square);
  }
  return value_of(power);
}

// Where each product of a chain is split so that it costs the least: of the matrices i to j, split[i][j].
std::vector<std::vector<std::size_t>> cheapest_splits(std::span<const std::int64_t> sizes) {
  const std::size_t count = sizes.size() - 1;
  std::vector<std::vector<double>> cost(count, std::vector<double>(count, 0));
  std::vector<std::vector<std::size_t>> split(count, std::vector<std::size_t>(count, 0));
  for (std::size_t length = 1; length < count; ++length) {
    for (std::size_t i = 0; i + length < count; ++i) {
      const std::size_t j = i + length;
      cost[i][j] = std::numeric_limits<double>::infinity();
      for (std::size_t k = i; k < j; ++k) {
        const double here =
            cost[i][k] + cost[k + 1][j] +
            static_cast<double>(sizes[i]) * static_cast<double>(sizes[k + 1]) * static_cast<double>(sizes[j + 1]);
        if (here < cost[i][j]) {
          cost[i][j] = here;
          split[i][j] = k;
        }
      }
    }
  }
  return split;
}
Term chain(std::span<const Term> matrices, const std::vector<std::vector<std::size_t>>& split, std::size_t i,
           std::size_t j) {
  if (i == j) return matrices[i];
  const std::size_t k = split[i][j];
  return apply(OpId::mm, {chain(matrices, split, i, k), chain(matrices, split, k + 1, j)});
}

PyResult<Value> multi_dot_of(OpCall& call) {
  Interpreter& in = call.interpreter;
  const std::vector<Tensor*> given = call.tensors(0);
  const std::size_t count = given.size();
  if (count < 2) return object::runtime_error(in, "multi_dot(): expected at least 2 tensors but got {}", count);
  std::vector<Term> matrices;
  std::vector<std::int64_t> sizes;
  for (std::size_t i = 0; i < count; ++i) {
    const Tensor& one = *given[i];
    const bool is_end = i == 0 || i + 1 == count;
    if (is_end && one.ndim() != 1 && one.ndim() != 2) {
      return object::runtime_error(in, "multi_dot(): the {} tensor must be 1D or 2D but got {}D",
                                   i == 0 ? "first" : "last", one.ndim());
    }
    if (!is_end && one.ndim() != 2) {
      return object::runtime_error(in, "multi_dot(): tensor {} must be 2D but got {}D", i, one.ndim());
    }
    if (one.dtype() != given[0]->dtype()) {
      return object::runtime_error(
          in, "multi_dot(): all tensors must have be the same dtype but tensor 0 is {} and tensor {} {}",
          cpp_type_name(given[0]->dtype()), i, cpp_type_name(one.dtype()));
    }
    Term matrix{Ref<Tensor>(given[i])};
    if (one.ndim() == 1) matrix = apply(OpId::unsqueeze, {matrix, i == 0 ? 0 : 1});
    NNS_TRY(matrix.result());
    if (i == 0) sizes.push_back(rows_of(matrix.tensor()));
    if (i > 0 && rows_of(matrix.tensor()) != sizes.back()) {
      const auto text = [](const Tensor& tensor) {
        return fmt::format("[{}]", fmt::join(tensor.shape().span(), ", "));
      };
      return object::runtime_error(in, "multi_dot(): tensors {} and {} with shapes {} and {} cannot be multiplied",
                                   i - 1, i, text(matrices.back().tensor()), text(matrix.tensor()));
    }
    sizes.push_back(columns_of(matrix.tensor()));
    matrices.push_back(std::move(matrix));
  }
  const Term product = chain(matrices, cheapest_splits(sizes), 0, count - 1);
  std::vector<std::int64_t> shape;
  if (given[0]->ndim() == 2) shape.push_back(sizes.front());
  if (given[count - 1]->ndim() == 2) shape.push_back(sizes.back());
  return shape.size() == 2 ? value_of(product) : value_of(shaped(product, shape));
}

PyResult<Value> vander_of(OpCall& call) {
  const Tensor& x = call.required(0);
  if (x.dtype() == DType::Bool || (!tensor::is_integral(x.dtype()) && !tensor::is_differentiable(x.dtype()))) {
    return object::runtime_error(call.interpreter,
                                 "linalg.vander supports floating point, complex, and integer tensors, but got {}",
                                 tensor::info(x.dtype()).scalar_name);
  }
  const Term items = x.ndim() == 0 ? apply(OpId::unsqueeze, {term_at(call, 0), -1}) : term_at(call, 0);
  const Dims shape = items.tensor().shape();
  const std::int64_t count = call.is_none(1) ? shape[shape.size() - 1] : call.integer(1);
  if (count <= 1) return object::runtime_error(call.interpreter, "N must be greater than 1.");
  const Term spread = apply(
      OpId::expand, {as_column(items), TermArgument(dims_value(call.interpreter, with_sizes(shape, {count - 1})))});
  const Term powers = apply(OpId::cumprod, {spread, -1});
  if (!powers.ok()) return value_of(powers);
  const Term ones = apply(OpId::fill, {zeros_like(powers, with_sizes(shape, {1})), TermArgument(1)});
  return value_of(joined(ones, powers, -1));
}

std::int64_t product_of(std::span<const std::int64_t> sizes) { return element_count(Dims(sizes)); }

PyResult<Value> tensorinv_of(OpCall& call) {
  const std::int64_t ind = call.integer(1);
  if (ind <= 0) {
    return object::runtime_error(call.interpreter, "Expected a strictly positive integer for 'ind', but got {}", ind);
  }
  const Dims& shape = call.required(0).shape();
  const std::size_t split = std::min(static_cast<std::size_t>(ind), shape.size());
  const std::span<const std::int64_t> first = shape.span().first(split), rest = shape.span().subspan(split);
  if (product_of(first) != product_of(rest)) {
    return object::runtime_error(
        call.interpreter,
        "Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but "
        "got {} != {}",
        product_of(rest), product_of(first));
  }
  std::vector<std::int64_t> turned(rest.begin(), rest.end());
  turned.insert(turned.end(), first.begin(), first.end());
  const std::int64_t size = product_of(rest);
  return value_of(shaped(apply(OpId::linalg_inv, {shaped(term_at(call, 0), std::array{size, size})}), turned));
}

PyResult<Value> tensorsolve_of(OpCall& call) {
  Interpreter& in = call.interpreter;
  Term a = term_at(call, 0);
  const std::size_t ndim = call.required(0).ndim();
  if (!call.is_none(2)) {
    std::vector<bool> is_moved(ndim, false);
    std::vector<std::int64_t> behind, order;
    for (const std::int64_t dim : call.dims(2)) {
      NNS_TRY_ASSIGN(const std::size_t at, call.dimension(dim, ndim));
      is_moved[at] = true;
      behind.push_back(static_cast<std::int64_t>(at));
    }
    for (std::size_t dim = 0; dim < ndim; ++dim) {
      if (!is_moved[dim]) order.push_back(static_cast<std::int64_t>(dim));
    }
    order.insert(order.end(), behind.begin(), behind.end());
    a = apply(OpId::permute, {a, TermArgument(dims_value(in, Dims(order)))});
    NNS_TRY(a.result());
  }
  const Dims shape = a.tensor().shape();
  const std::size_t split = std::min(call.required(1).ndim(), shape.size());
  const std::span<const std::int64_t> first = shape.span().first(split), rest = shape.span().subspan(split);
  if (product_of(first) != product_of(rest)) {
    return object::runtime_error(in,
                                 "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == "
                                 "prod(self.shape[:other.ndim]), but got "
                                 "{} != {}",
                                 product_of(rest), product_of(first));
  }
  const std::int64_t size = product_of(rest);
  const Term x =
      solved(shaped(a, std::array{size, size}), shaped(term_at(call, 1), std::array{call.required(1).numel()}));
  return value_of(shaped(x, rest));
}

}  // namespace

template <>
OpBodies bodies<OpId::linalg_cross>() {
  return {.composite = cross_of};
}
template <>
OpBodies bodies<OpId::linalg_vecdot>() {
  return {.composite = vecdot_of};
}
template <>
OpBodies bodies<OpId::linalg_matmul>() {
  return {.composite = [](OpCall& call) { return call_op(call.interpreter, OpId::matmul, call.args); }};
}
template <>
OpBodies bodies<OpId::linalg_diagonal>() {
  return {.composite = [](OpCall& call) { return call_op(call.interpreter, OpId::diagonal, call.args); }};
}
template <>
OpBodies bodies<OpId::linalg_matrix_power>() {
  return {.composite = matrix_power_of};
}
template <>
OpBodies bodies<OpId::matrix_power>() {
  return {.composite = matrix_power_of};
}
template <>
OpBodies bodies<OpId::linalg_multi_dot>() {
  return {.composite = multi_dot_of};
}
template <>
OpBodies bodies<OpId::linalg_vander>() {
  return {.composite = vander_of};
}
template <>
OpBodies bodies<OpId::linalg_tensorinv>() {
  return {.composite = tensorinv_of};
}
template <>
OpBodies bodies<OpId::linalg_tensorsolve>() {
  return {.composite = tensorsolve_of};
}

}  // namespace nns::ops
