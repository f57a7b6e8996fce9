#include <fmt/ranges.h>

#include "core/object/str.h"
#include "core/ops/element_kernels.h"
#include "core/ops/gather_scatter.h"
#include "core/ops/node.h"
#include "core/ops/place_reductions.h"
#include "core/ops/term.h"

// Items of one tensor put together with those of another at the places that an index names.
// Behaviour: aten/src/ATen/native/TensorAdvancedIndexing.cpp (scatter_reduce, index_reduce); gradients:
// torch/csrc/autograd/FunctionsManual.cpp, scatter_reduce_backward.
namespace nns::ops {
namespace {

using Reduction = PlaceReduction;

PyResult<Reduction> reduction_of(Interpreter& in, const Value& name) {
  const std::string_view text = name.as<object::Str>()->view();
  if (text == "sum") return Reduction::Sum;
  if (text == "prod") return Reduction::Product;
  if (text == "mean") return Reduction::Mean;
  if (text == "amax") return Reduction::Most;
  if (text == "amin") return Reduction::Least;
  return object::runtime_error(in, "reduce argument must be either sum, prod, mean, amax or amin, got {}", text);
}

template <class T>
class Places {
 public:
  explicit Places(const Tensor& tensor) : tensor_(tensor), bytes_(tensor::item_bytes(tensor.dtype())) {}
  T read(std::int64_t place) const {
    T value{};
    load_items(tensor_.dtype(), tensor_.storage()->data() + place * bytes_, 0, 1, compute_for<T>(), &value);
    return value;
  }
  void write(std::int64_t place, T value) const {
    store_items(tensor_.dtype(), tensor_.storage()->data() + place * bytes_, 0, 1, compute_for<T>(), &value);
  }

 private:
  const Tensor& tensor_;
  std::int64_t bytes_;
};

template <class T>
PyResult<void> reduce_into(OpCall& call, Reduction reduction, bool includes_self) {
  const Tensor& self = call.required(0);
  const Tensor& out = call.output();
  const Tensor& source = call.required(3);
  const std::size_t dim = call.dimension(call.integer(1), self.ndim()).value();
  NNS_TRY(tensor::copy_items(out, self));
  const Places<T> target(out), from(source);
  // How many items came to a place; it is contiguous, so that the place is its number.
  std::vector<std::int64_t> counts(static_cast<std::size_t>(out.numel()), includes_self ? 1 : 0);
  NNS_TRY(for_each_indexed(call, call.required(2), out, source, dim, [&](std::int64_t there, std::int64_t here) {
    std::int64_t& count = counts[static_cast<std::size_t>(there)];
    target.write(there, count == 0 ? from.read(here) : joined(reduction, target.read(there), from.read(here)));
    ++count;
  }));
  if (reduction != Reduction::Mean) return {};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] < 2) continue;
    const auto place = static_cast<std::int64_t>(i);
    target.write(place, mean_of(target.read(place), counts[i]));
  }
  return {};
}

PyResult<void> scatter_reduce_shape(OpCall& call) {
  NNS_TRY_ASSIGN(const Reduction reduction, reduction_of(call.interpreter, call.args[4]));
  const bool is_extreme = reduction == Reduction::Most || reduction == Reduction::Least;
  if (is_extreme && tensor::is_complex(call.required(0).dtype())) {
    return object::runtime_error(call.interpreter, "{}(): does not support complex tensors for amax and amin",
                                 call.op.name);
  }
  return scatter_shape(call);
}
PyResult<void> run_scatter_reduce(OpCall& call) {
  const Reduction reduction = reduction_of(call.interpreter, call.args[4]).value();
  const bool includes_self = call.flag(5);
  switch (compute_of(call.output().dtype())) {
    case Compute::Float:
      return reduce_into<float>(call, reduction, includes_self);
    case Compute::Double:
      return reduce_into<double>(call, reduction, includes_self);
    case Compute::ComplexFloat:
    case Compute::ComplexDouble:
      return reduce_into<ComplexDouble>(call, reduction, includes_self);
    default:
      return reduce_into<std::int64_t>(call, reduction, includes_self);
  }
}

// The ops of the derivative, along the dimension and at the places of the call.
class Along {
 public:
  explicit Along(Backward& b) : dim_(b.value(1)), index_(b.arg(2)) {}
  Term gather(const Term& from) const { return apply(OpId::gather, {from, TermArgument(dim_), index_}); }
  Term scatter(const Term& to, const Term& from) const {
    return apply(OpId::scatter, {to, TermArgument(dim_), index_, from});
  }
  Term scatter_add(const Term& to, const Term& from) const {
    return apply(OpId::scatter_add, {to, TermArgument(dim_), index_, from});
  }

 private:
  Value dim_;
  Term index_;
};

// The part of the source that the index reaches.
Term used_part(Backward& b, const Term& source) {
  const Dims shape = b.input(2).shape;
  Term part = source;
  for (std::size_t dim = 0; dim < shape.size() && part.ok(); ++dim) {
    if (part.tensor().shape()[dim] == shape[dim]) continue;
    part = apply(OpId::narrow, {part, static_cast<std::int64_t>(dim), std::int64_t{0}, shape[dim]});
  }
  return part;
}
struct Gradients {
  Term self, source;
};

Gradients extreme_gradients(Backward& b, const Along& along, const Term& source) {
  const DType dtype = b.input(0).dtype;
  const Term of_self = as_dtype(eq(b.arg(0), b.out()), dtype);
  const Term of_source = as_dtype(eq(source, along.gather(b.out())), dtype);
  const Term shared = b.grad() / along.scatter_add(of_self, of_source);
  return {of_self * shared, of_source * along.gather(shared)};
}

// The product of all others: by division, or where it is one zero that is left out, by another product.
Gradients product_gradients(Backward& b, const Along& along, const Term& source) {
  Interpreter& in = b.interpreter();
  const auto product = [&](const Term& self, const Term& from) -> Term {
    return apply(OpId::scatter_reduce, {self, TermArgument(b.value(1)), b.arg(2), from, TermArgument(in.text("prod")),
                                        TermArgument(b.value(5))});
  };
  const auto without_zeros = [](const Term& x) { return apply(OpId::masked_fill, {x, eq(x, 0), 1}); };
  const Term self = b.arg(0);
  const Term other_self = without_zeros(self);
  const Term by_self = b.grad() * product(other_self, source) / other_self;
  const Term is_zero = eq(source, 0);
  const Term zeros_there =
      along.gather(along.scatter_add(zeros_like(self, b.input(0).shape), as_dtype(is_zero, b.input(0).dtype)));
  const Term is_single = logical_and(is_zero, eq(zeros_there, 1));
  const Term other_source = apply(OpId::masked_fill, {source, is_single, 1});
  const Term by_source = where(is_single, along.gather(b.grad() * product(self, other_source)),
                               along.gather(b.grad() * b.out()) / without_zeros(source));
  return {by_self, by_source};
}

PyResult<void> scatter_reduce_gradient(Backward& b) {
  NNS_TRY_ASSIGN(const Reduction reduction, reduction_of(b.interpreter(), b.value(4)));
  const Along along(b);
  const Term source = used_part(b, b.arg(3));
  Gradients made;
  switch (reduction) {
    case Reduction::Sum:
      made = {b.grad(), along.gather(b.grad())};
      break;
    case Reduction::Mean: {
      const Term ones(tensor::ones(b.interpreter(), b.input(2).shape, b.input(0).dtype, b.input(0).device));
      Term counts = zeros_like(b.grad(), b.input(0).shape);
      if (b.flag(5)) counts = counts + 1;
      counts = along.scatter_add(counts, ones);
      const Term part = b.grad() / apply(OpId::masked_fill, {counts, eq(counts, 0), 1});
      made = {part, along.gather(part)};
      break;
    }
    case Reduction::Product:
      made = product_gradients(b, along, source);
      break;
    default:
      made = extreme_gradients(b, along, source);
      break;
  }
  if (!b.flag(5)) made.self = along.scatter(made.self, zeros_like(b.grad(), b.input(2).shape));
  if (b.needs(0)) NNS_TRY(b.give(0, made.self));
  if (b.needs(3)) NNS_TRY(b.give(3, within(b, made.source, b.input(3).shape)));
  return {};
}

}  // namespace

template <>
OpBodies bodies<OpId::scatter_reduce>() {
  return {.shape = scatter_reduce_shape,
          .cpu = run_scatter_reduce,
          .joint = scatter_reduce_gradient,
          .joint_reads = argument(0) | argument(2) | argument(3) | result()};
}
template <>
OpBodies bodies<OpId::index_reduce>() {
  // One index for each slice: the index of each item beside it.
  return {.composite = [](OpCall& call) -> PyResult<Value> {
    Interpreter& in = call.interpreter;
    const Tensor& index = call.required(2);
    const Tensor& source = call.required(3);
    const std::string_view reduce = call.args[4].as<object::Str>()->view();
    if (reduce != "prod" && reduce != "mean" && reduce != "amax" && reduce != "amin") {
      return object::runtime_error(
          in, "index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {}.", reduce);
    }
    NNS_TRY_ASSIGN(const std::size_t dim, check_slices(call, "index_reduce"));
    Dims column(source.ndim(), 1);
    if (source.ndim() > 0) column[dim] = index.numel();
    NNS_TRY_ASSIGN(const Value upright, call_op(in, OpId::reshape, {call.args[2], dims_value(in, column)}));
    NNS_TRY_ASSIGN(const Value places, call_op(in, OpId::expand, {upright, dims_value(in, source.shape())}));
    return call_op(in, OpId::scatter_reduce,
                   {call.args[0], call.args[1], places, call.args[3], call.args[4], call.args[5]});
  }};
}

}  // namespace nns::ops
