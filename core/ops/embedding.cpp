#include <algorithm>

#include "core/ops/node.h"
#include "core/ops/plain_numbers.h"
#include "core/ops/sparse_items.h"

// Rows of a table by their numbers, alone or in bags.
// Behaviour: aten/src/ATen/native/{Embedding,EmbeddingBag}.cpp; gradients: tools/autograd/derivatives.yaml.
namespace nns::ops {
namespace {

PyResult<void> check_indices(OpCall& call, const Tensor& indices, std::string_view name, int position) {
  if (indices.dtype() == DType::Int64 || indices.dtype() == DType::Int32) return {};
  return object::runtime_error(call.interpreter,
                               "Expected tensor for argument #{} '{}' to have one of the following scalar types: Long, "
                               "Int; but got {} instead (while checking arguments for {})",
                               position, name, indices.type_string(), call.op.name);
}

std::vector<std::int64_t> whole_numbers(const Tensor& tensor) {
  std::vector<std::int64_t> numbers;
  numbers.reserve(static_cast<std::size_t>(tensor.numel()));
  tensor::for_each_place(tensor, [&](std::int64_t place) { numbers.push_back(tensor::read_int64(tensor, place)); });
  return numbers;
}

// weight 0, indices 1, padding_idx 2, scale_grad_by_freq 3, sparse 4.
PyResult<void> embedding_shape(OpCall& call) {
  const Tensor& weight = call.required(0);
  const Tensor& indices = call.required(1);
  if (weight.ndim() != 2) return object::runtime_error(call.interpreter, "'weight' must be 2-D");
  NNS_TRY(check_indices(call, indices, "indices", 1));
  std::vector<std::int64_t> shape(indices.shape().begin(), indices.shape().end());
  shape.push_back(weight.shape()[1]);
  return call.give(Dims(shape), weight.dtype());
}

PyResult<void> run_embedding(OpCall& call) {
  const Tensor& weight = call.required(0);
  const Tensor& out = call.output();
  const std::int64_t rows = weight.shape()[0], width = weight.shape()[1];
  const auto bytes = static_cast<std::int64_t>(tensor::item_bytes(weight.dtype()));
  const bool is_plain = weight.strides()[1] == 1;
  std::byte* to = out.data();
  for (const std::int64_t index : whole_numbers(call.required(1))) {
    if (index < 0 || index >= rows) {
      return object::error<object::ErrorKind::IndexError>(call.interpreter, "index out of range in self");
    }
    const std::byte* from = weight.data() + index * weight.strides()[0] * bytes;
    if (is_plain) {
      std::copy_n(from, width * bytes, to);
    } else {
      for (std::int64_t i = 0; i < width; ++i)
        std::copy_n(from + i * weight.strides()[1] * bytes, bytes, to + i * bytes);
    }
    to += width * bytes;
  }
  return {};
}

// grad 0, indices 1, num_weights 2, padding_idx 3, scale_grad_by_freq 4.
PyResult<void> dense_backward_shape(OpCall& call) {
  const Tensor& grad = call.required(0);
  return call.give(Dims({call.integer(2), grad.shape()[grad.ndim() - 1]}), grad.dtype());
}

PyResult<void> run_dense_backward(OpCall& call) {
  const std::int64_t rows = call.integer(2), padding = call.integer(3), width = call.output().shape()[1];
  const std::vector<std::int64_t> indices = whole_numbers(call.required(1));
  std::vector<std::int64_t> counts;
  if (call.flag(4)) {
    counts.resize(static_cast<std::size_t>(rows));
    for (const std::int64_t index : indices) ++counts[static_cast<std::size_t>(index)];
  }
  with_floating(call.output().dtype(), [&]<class T>(T) {
    const NumbersIn<T> grad(call.required(0));
    const ZeroedNumbers<T> sums(call.output());
    for (std::size_t k = 0; k < indices.size(); ++k) {
      const std::int64_t index = indices[k];
      if (index == padding) continue;
      const T share = counts.empty() ? T(1) : T(1) / static_cast<T>(counts[static_cast<std::size_t>(index)]);
      const T* const from = grad.data() + static_cast<std::int64_t>(k) * width;
      T* const to = sums.data() + index * width;
      for (std::int64_t i = 0; i < width; ++i) to[i] += from[i] * share;
    }
  });
  return {};
}

// The sum over equal indices is linear: its gradient takes each row from the table of gradients.
Term dense_backward_gradient(Backward& b) {
  const Term indices = b.arg(1);
  Term rows = apply(OpId::embedding, {b.grad(), indices});
  if (b.flag(4)) {
    std::vector<std::int64_t> shape(b.input(0).shape.begin(), b.input(0).shape.end());
    shape.back() = 1;
    const Term ones(tensor::ones(b.interpreter(), Dims(shape), b.input(0).dtype, b.input(0).device));
    const Term counts = apply(OpId::embedding_dense_backward, {ones, indices, b.value(2), -1, false});
    rows = rows / apply(OpId::embedding, {counts, indices});
  }
  if (b.integer(3) < 0) return rows;
  return where(apply(OpId::unsqueeze, {eq(indices, b.value(3)), -1}), 0, rows);
}

Term embedding_gradient(Backward& b) {
  const std::int64_t rows = b.input(0).shape[0];
  if (b.flag(4)) return embedding_sparse_gradient(b.grad(), b.arg(1), rows, b.integer(2), b.flag(3));
  return apply(OpId::embedding_dense_backward, {b.grad(), b.arg(1), rows, b.value(2), b.value(3)});
}

// Rows that are named and longer than max_norm become that long. weight 0, indices 1, max_norm 2, norm_type 3.
PyResult<void> run_renorm(OpCall& call) {
  const Tensor& weight = call.required(0);
  const Tensor& out = call.output();
  // In place only the rows that are named are read and written.
  if (&out != &weight) NNS_TRY(tensor::copy_items(out, weight));
  std::vector<std::int64_t> named = whole_numbers(call.required(1));
  std::sort(named.begin(), named.end());
  named.erase(std::unique(named.begin(), named.end()), named.end());
  const double limit = call.real(2), p = call.real(3);
  const std::int64_t width = weight.shape()[1];
  std::vector<double> row(static_cast<std::size_t>(width));
  const auto bytes = static_cast<std::int64_t>(tensor::item_bytes(weight.dtype()));
  for (const std::int64_t index : named) {
    if (index < 0 || index >= weight.shape()[0]) {
      return object::error<object::ErrorKind::IndexError>(call.interpreter, "index out of range in self");
    }
    std::byte* const at = out.data() + index * out.strides()[0] * bytes;
    const std::int64_t step = out.strides()[1] * bytes;
    load_items(weight.dtype(), at, step, width, Compute::Double, row.data());
    double norm = 0;
    for (const double x : row) norm = std::isinf(p) ? std::max(norm, std::abs(x)) : norm + std::pow(std::abs(x), p);
    if (!std::isinf(p)) norm = std::pow(norm, 1 / p);
    if (norm <= limit) continue;
    for (double& x : row) x *= limit / (norm + 1e-7);
    store_items(weight.dtype(), at, step, width, Compute::Double, row.data());
  }
  return {};
}

// ---------------------------------------------------------------- bags

enum class BagMode : std::int64_t { Sum, Mean, Max };

// weight 0, indices 1, offsets 2, scale_grad_by_freq 3, mode 4, sparse 5, per_sample_weights 6, include_last_offset 7,
// padding_idx 8. Outputs: bags, the bag of each index, the number of rows in each bag, of a maximum where it lies.
PyResult<void> bag_shape(OpCall& call) {
  Interpreter& in = call.interpreter;
  const Tensor& weight = call.required(0);
  const Tensor& indices = call.required(1);
  const Tensor& offsets = call.required(2);
  NNS_TRY(check_indices(call, indices, "indices", 1));
  NNS_TRY(check_indices(call, offsets, "offsets", 1));
  if (indices.ndim() != 1) {
    return object::runtime_error(in, "input has to be a 1D Tensor, but got Tensor of dimension {}", indices.ndim());
  }
  if (offsets.ndim() != 1) {
    return object::runtime_error(in, "offsets has to be a 1D Tensor, but got Tensor of dimension {}", offsets.ndim());
  }
  if (weight.ndim() != 2) {
    return object::runtime_error(in, "weight has to be a 2D Tensor, but got Tensor of dimension {}", weight.ndim());
  }
  if (call.flag(7) && offsets.numel() < 1) {
    return object::runtime_error(in, "include_last_offset: number of offsets should be at least 1");
  }
  const auto mode = static_cast<BagMode>(call.integer(4));
  if (const Tensor* const scale = call.tensor(6)) {
    if (mode != BagMode::Sum) {
      return object::runtime_error(in, "embedding_bag: per_sample_weights only supported with mode='sum'");
    }
    if (scale->dtype() != weight.dtype()) {
      return object::runtime_error(
          in,
          "Expected tensor for argument #1 'weight' to have the same type as tensor for "
          "argument #1 'per_sample_weights'; but type CPU{}Type does not equal CPU{}Type (while "
          "checking arguments for embedding_bag)",
          tensor::info(weight.dtype()).scalar_name, tensor::info(scale->dtype()).scalar_name);
    }
    if (scale->ndim() != 1 || scale->numel() != indices.numel()) {
      return object::runtime_error(in, "expected per_sample_weights to have the same shape as indices");
    }
  }
  const std::int64_t bags = offsets.numel() - (call.flag(7) ? 1 : 0);
  NNS_TRY(call.give(Dims({bags, weight.shape()[1]}), weight.dtype()));
  NNS_TRY(call.give(Dims({indices.numel()}), DType::Int64));
  NNS_TRY(call.give(Dims({bags}), DType::Int64));
  return call.give(mode == BagMode::Max ? Dims({bags, weight.shape()[1]}) : Dims({0}), DType::Int64);
}

PyResult<void> check_offsets(OpCall& call, const std::vector<std::int64_t>& offsets, std::int64_t count) {
  if (offsets.empty()) return {};
  if (offsets.front() != 0) {
    return object::runtime_error(call.interpreter,
                                 "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from "
                                 "position 0. However, got {}",
                                 offsets.front());
  }
  if (offsets.back() > count) {
    return object::runtime_error(call.interpreter,
                                 "offsets[-1] can not be greater than input's length ({}) but got offsets[-1] of {}",
                                 count, offsets.back());
  }
  for (const std::int64_t offset : offsets) {
    if (offset >= 0 && offset <= count) continue;
    return object::runtime_error(call.interpreter,
                                 "offsets must lie within input's length ({}) but got an offset of {}", count, offset);
  }
  return {};
}

PyResult<void> run_bags(OpCall& call) {
  const Tensor& weight = call.required(0);
  const std::vector<std::int64_t> indices = whole_numbers(call.required(1)), offsets = whole_numbers(call.required(2));
  const auto count = static_cast<std::int64_t>(indices.size());
  NNS_TRY(check_offsets(call, offsets, count));
  const std::int64_t rows = weight.shape()[0], width = weight.shape()[1], bags = call.output(0).shape()[0];
  const std::int64_t padding = call.is_none(8) ? -1 : call.integer(8);
  for (const std::int64_t index : indices) {
    if (index >= 0 && index < rows) continue;
    return object::runtime_error(
        call.interpreter, "embedding_bag: Expected idx >= 0 && idx < num_embeddings but found idx to be {}", index);
  }
  const auto mode = static_cast<BagMode>(call.integer(4));
  auto* const bag_of = reinterpret_cast<std::int64_t*>(call.output(1).data());
  auto* const sizes = reinterpret_cast<std::int64_t*>(call.output(2).data());
  auto* const places = mode == BagMode::Max ? reinterpret_cast<std::int64_t*>(call.output(3).data()) : nullptr;
  with_floating(weight.dtype(), [&]<class T>(T) {
    const NumbersIn<T> table(weight), scale(call.tensor(6));
    const ZeroedNumbers<T> out(call.output(0));
    if (places != nullptr) std::fill_n(places, bags * width, std::int64_t{0});
    for (std::int64_t bag = 0; bag < bags; ++bag) {
      const std::int64_t begin = offsets[static_cast<std::size_t>(bag)];
      // The last bag has all that is left, whatever a last offset that is included says.
      const std::int64_t end = bag + 1 < bags ? offsets[static_cast<std::size_t>(bag + 1)] : count;
      T* const to = out.data() + bag * width;
      std::int64_t size = 0;
      for (std::int64_t k = begin; k < end; ++k) {
        bag_of[k] = bag;
        const std::int64_t index = indices[static_cast<std::size_t>(k)];
        if (index == padding) continue;
        const T* const from = table.data() + index * width;
        const T factor = scale ? scale[k] : T(1);
        for (std::int64_t i = 0; i < width; ++i) {
          if (mode != BagMode::Max) {
            to[i] += from[i] * factor;
          } else if (size == 0 || from[i] > to[i]) {
            to[i] = from[i];
            places[bag * width + i] = index;
          }
        }
        ++size;
      }
      sizes[bag] = size;
      if (mode == BagMode::Mean && size > 0) {
        for (std::int64_t i = 0; i < width; ++i) to[i] /= static_cast<T>(size);
      }
    }
  });
  return {};
}

PyResult<void> bag_joint(Backward& b) {
  const auto mode = static_cast<BagMode>(b.integer(4));
  const Dims& table = b.input(0).shape;
  const Value padding = b.value(8).is_none() ? Value(-1) : b.value(8);
  const Term each = apply(OpId::index_select, {b.grad(), 0, b.out(1)});
  const auto column = [](const Term& x) { return apply(OpId::unsqueeze, {x, 1}); };
  if (b.needs(0)) {
    if (mode == BagMode::Max) {
      // Bags without rows have a gradient of no row.
      const Term filled = where(column(gt(b.out(2), 0)), b.grad(), 0);
      // Sums of a short dtype are those of floats.
      const DType dtype = b.input(0).dtype;
      const Term wide = tensor::item_bytes(dtype) < 4 ? as_dtype(filled, DType::Float32) : filled;
      const Term sum = apply(OpId::scatter_add, {zeros_like(wide, table), 0, b.out(3), wide});
      NNS_TRY(b.give(0, as_dtype(sum, dtype)));
    } else {
      Term shares = each;
      if (mode == BagMode::Mean) {
        const Term sizes = apply(OpId::index_select, {b.out(2), 0, b.out(1)});
        shares = each / column(as_dtype(sizes, b.input(0).dtype));
      }
      if (b.is_tensor(6)) shares = each * column(b.arg(6));
      NNS_TRY(b.give(
          0, b.flag(5) ? embedding_sparse_gradient(shares, b.arg(1), table[0], padding.as_int(), b.flag(3))
                       : apply(OpId::embedding_dense_backward, {shares, b.arg(1), table[0], padding, b.value(3)})));
    }
  }
  if (b.is_tensor(6) && b.needs(6)) {
    const Term rows = apply(OpId::embedding, {b.arg(0), b.arg(1)});
    const Term along = apply(OpId::sum_dim, {each * rows, 1});
    NNS_TRY(b.give(6, where(eq(b.arg(1), padding), 0, along)));
  }
  return {};
}

// ---------------------------------------------------------------- one_hot

PyResult<Value> one_hot(OpCall& call) {
  Interpreter& in = call.interpreter;
  const Tensor& index = call.required(0);
  std::int64_t classes = call.integer(1);
  if (index.dtype() != DType::Int64) {
    return object::runtime_error(in, "one_hot is only applicable to index tensor of type LongTensor.");
  }
  std::vector<std::int64_t> shape(index.shape().begin(), index.shape().end());
  if (index.numel() == 0) {
    if (classes <= 0) return object::runtime_error(in, "Can not infer total number of classes from empty tensor.");
    shape.push_back(classes);
    return Value(tensor::zeros(in, Dims(shape), DType::Int64, index.device()));
  }
  if (index.is_meta()) {
    if (classes == -1) return object::runtime_error(in, "Can not infer total number of classes from meta tensor.");
    shape.push_back(classes);
    NNS_TRY_ASSIGN(Ref<Tensor> made, tensor::try_empty(in, Dims(shape), DType::Int64, index.device()));
    return Value(std::move(made));
  }
  const std::vector<std::int64_t> numbers = whole_numbers(index);
  if (*std::min_element(numbers.begin(), numbers.end()) < 0) {
    return object::runtime_error(in, "Class values must be non-negative.");
  }
  const std::int64_t largest = *std::max_element(numbers.begin(), numbers.end());
  if (classes == -1) {
    classes = largest + 1;
  } else if (classes < 1) {
    return object::runtime_error(in, "num_classes should be positive");
  } else if (largest >= classes) {
    return object::runtime_error(in, "Class values must be smaller than num_classes.");
  }
  shape.push_back(classes);
  NNS_TRY_ASSIGN(Ref<Tensor> made, tensor::try_full(in, Dims(shape), 0, DType::Int64, Device::Cpu));
  auto* const items = reinterpret_cast<std::int64_t*>(made->data());
  for (std::size_t k = 0; k < numbers.size(); ++k) items[static_cast<std::int64_t>(k) * classes + numbers[k]] = 1;
  if (!index.is_cuda()) return Value(std::move(made));
  NNS_TRY_ASSIGN(Ref<Tensor> there, tensor::to(*made, DType::Int64, index.device()));
  return Value(std::move(there));
}

}  // namespace

template <>
OpBodies bodies<OpId::embedding>() {
  return {.shape = embedding_shape, .cpu = run_embedding, .gradients = {Gradient{0, argument(1), embedding_gradient}}};
}
template <>
OpBodies bodies<OpId::embedding_dense_backward>() {
  return {.shape = dense_backward_shape,
          .cpu = run_dense_backward,
          .gradients = {Gradient{0, argument(1), dense_backward_gradient}}};
}
template <>
OpBodies bodies<OpId::embedding_renorm>() {
  return {.shape = [](OpCall& call) -> PyResult<void> {
            NNS_TRY(check_indices(call, call.required(1), "indices", 2));
            return same_shape(call);
          },
          .cpu = run_renorm,
          .is_elementwise = true};
}
template <>
OpBodies bodies<OpId::embedding_bag>() {
  return {.shape = bag_shape,
          .cpu = run_bags,
          .joint = bag_joint,
          .joint_reads = argument(0) | argument(1) | argument(6) | result(1) | result(2) | result(3),
          .differentiable_outputs = 1,
          .node_name = "EmbeddingBagBackward0"};
}
template <>
OpBodies bodies<OpId::one_hot>() {
  return {.composite = one_hot};
}

}  // namespace nns::ops
