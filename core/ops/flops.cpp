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

// query: (..., queries, features), key: (..., keys, features), value: (..., keys, values).
std::uint64_t of_attention(const OpCall& call) {
  const Tensor& query = call.required(0);
  const Tensor& value = call.required(2);
  const std::size_t last = query.ndim() - 1;
  const std::uint64_t features = size_of(query, last);
  const std::uint64_t rows = features == 0 ? 0 : items_of(query) / features;
  return 2 * rows * size_of(value, last - 1) * (features + size_of(value, last));
}

}  // namespace

std::uint64_t flops_of(const OpCall& call) {
  switch (call.op.id) {
    case OpId::mm:
    case OpId::bmm:
      return of_product(call, 0);
    case OpId::addmm:
      return of_product(call, 1);
    case OpId::convolution:
      return of_convolution(call);
    case OpId::flash_attention:
      return of_attention(call);
    default:
      return 0;
  }
}

}  // namespace nns::ops
