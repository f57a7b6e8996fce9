#include "core/ops/flops.h"

namespace nns::ops {
namespace {

std::uint64_t size_of(const Tensor& tensor, std::size_t dim) { return static_cast<std::uint64_t>(tensor.shape()[dim]); }

std::uint64_t items_of(const Tensor& tensor) { return static_cast<std::uint64_t>(tensor.numel()); }

// Each item of the output is a sum of so many products as the inputs share.
std::uint64_t of_product(const OpCall& call, std::size_t left) {
  const Tensor& x = call.required(left);
  return 2 * items_of(call.output()) * size_of(x, x.ndim() - 1);
}

// weight: (out, in / groups, *kernel), transposed: (in, out / groups, *kernel). Each item of the output, of a
// transposed convolution each of the input, meets a whole filter.
std::uint64_t of_convolution(const OpCall& call) {
  const Tensor& weight = call.required(1);
  const std::uint64_t filters = size_of(weight, 0);
  const std::uint64_t filter = filters == 0 ? 0 : items_of(weight) / filters;
  return 2 * items_of(call.flag(6) ? call.required(0) : call.output()) * filter;
}

// query: (..., queries, features), key: (..., keys, features), value: (..., keys, values). So many products of all
// queries with all keys, and so many of the scores with the values.
std::uint64_t of_scores(const Tensor& query, const Tensor& value, std::uint64_t with_keys, std::uint64_t with_values) {
  const std::size_t last = query.ndim() - 1;
  const std::uint64_t features = size_of(query, last);
  const std::uint64_t rows = features == 0 ? 0 : items_of(query) / features;
  return 2 * rows * size_of(value, last - 1) * (with_keys * features + with_values * size_of(value, last));
}

std::uint64_t of_attention(const OpCall& call) { return of_scores(call.required(0), call.required(2), 1, 1); }

// grad_output 0, input 1, weight_size 2, transposed 6, groups 7. PyTorch counts the products between groups, too.
std::uint64_t of_weight_gradient(const OpCall& call) {
  const Dims weight = call.dims(2);
  std::uint64_t filter = 1;
  for (std::size_t dim = 1; dim < weight.size(); ++dim) filter *= static_cast<std::uint64_t>(weight[dim]);
  return 2 * items_of(call.required(call.flag(6) ? 1 : 0)) * filter * static_cast<std::uint64_t>(call.integer(7));
}

// grad_out 0, query 1, key 2, value 3: the scores once more, and two products for each of the two forward.
std::uint64_t of_attention_gradient(const OpCall& call) { return of_scores(call.required(1), call.required(3), 3, 2); }

}  // namespace

std::uint64_t flops_of(const OpCall& call) {
  switch (call.op.id) {
    case OpId::mm:
    case OpId::bmm:
      return of_product(call, 0);
    case OpId::mv:
      return 2 * items_of(call.required(0));
    case OpId::addmm:
      return of_product(call, 1);
    case OpId::convolution:
      return of_convolution(call);
    case OpId::flash_attention:
      return of_attention(call);
    case OpId::convolution_weight_gradient:
      return of_weight_gradient(call);
    case OpId::flash_attention_backward:
      return of_attention_gradient(call);
    default:
      return 0;
  }
}

}  // namespace nns::ops
