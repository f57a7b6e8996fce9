#include <fmt/ranges.h>

#include <algorithm>

#include "core/ops/element_kernels.h"
#include "core/ops/errors.h"
#include "core/ops/gemm.h"
#include "core/ops/node.h"
#include "core/ops/node_names.h"
#include "core/ops/plain_numbers.h"
#include "core/ops/promotion.h"
#include "core/ops/result_moments.h"
#include "core/ops/term.h"
#include "core/ops/traced.h"
#include "core/tensor/capture.h"

// Products of matrices and vectors.
// Behaviour: aten/src/ATen/native/{LinearAlgebra,Linear,Blas}.cpp; gradients: tools/autograd/derivatives.yaml.
namespace nns::ops {
namespace {

// The last two dimensions of a tensor and where its batches begin. Units: items.
struct Matrices {
  const Tensor& tensor;
  std::int64_t rows, columns, row_stride, column_stride, batch_stride;
  explicit Matrices(const Tensor& whole)
      : tensor(whole),
        rows(whole.shape()[whole.ndim() - 2]),
        columns(whole.shape()[whole.ndim() - 1]),
        row_stride(whole.strides()[whole.ndim() - 2]),
        column_stride(whole.strides()[whole.ndim() - 1]),
        batch_stride(whole.ndim() > 2 ? whole.strides()[0] : 0) {}
};

// The matrices of a tensor as numbers of type T: where they lie if they are such, else one after another in a copy.
template <class T>
class MatrixNumbers {
 public:
  explicit MatrixNumbers(const Tensor& tensor) : matrices_(tensor), is_direct_(lies_as<T>(tensor.dtype())) {}

  /// Whether of_batch() gives the tensor's own memory.
  bool is_direct() const { return is_direct_; }
  MatrixView<const T> of_batch(std::int64_t batch) {
    const Matrices& m = matrices_;
    const std::int64_t first = m.tensor.offset() + batch * m.batch_stride;
    if (is_direct_) {
      return {reinterpret_cast<const T*>(m.tensor.storage()->data()) + first, m.rows, m.columns, m.row_stride,
              m.column_stride};
    }
    copy_.resize(static_cast<std::size_t>(m.rows * m.columns));
    const std::int64_t bytes = tensor::item_bytes(m.tensor.dtype());
    for (std::int64_t row = 0; row < m.rows && !copy_.empty(); ++row) {
      load_items(m.tensor.dtype(), m.tensor.storage()->data() + (first + row * m.row_stride) * bytes,
                 m.column_stride * bytes, m.columns, compute_for<T>(), copy_.data() + row * m.columns);
    }
    return matrix_of(const_cast<const T*>(copy_.data()), m.rows, m.columns);
  }

 private:
  Matrices matrices_;
  bool is_direct_;
  std::vector<T> copy_;
};

template <class T>
void multiply_counted(const MatrixView<const T>& a, const MatrixView<const T>& b, const MatrixView<T>& out,
                      bool accumulates, [[maybe_unused]] ResultMoments* moments) {
  if constexpr (std::is_same_v<T, float>) {
    if (moments != nullptr) [[unlikely]] {
      return gemm<T>(a, b, out, accumulates, [moments](const MatrixView<const T>& part) { moments->add(part); });
    }
  }
  gemm<T>(a, b, out, accumulates);
}

// out = left right, or out += left right if `accumulates`; `out` lies in order.
template <class T>
void multiply_batches(const Tensor& left, const Tensor& right, const Tensor& out, std::int64_t batches,
                      bool accumulates) {
  MatrixNumbers<T> a(left), b(right);
  const std::int64_t rows = left.shape()[left.ndim() - 2];
  const std::int64_t columns = right.shape()[right.ndim() - 1];
  const std::int64_t bytes = tensor::item_bytes(out.dtype());
  std::vector<T> product;
  ResultMoments* const moments = std::is_same_v<T, float> ? ResultMoments::of_result(out) : nullptr;
  for (std::int64_t batch = 0; batch < batches; ++batch) {
    std::byte* const at = out.data() + batch * rows * columns * bytes;
    if (lies_as<T>(out.dtype())) {
      const MatrixView<T> to = matrix_of(reinterpret_cast<T*>(at), rows, columns);
      if (!a.is_direct() || !b.is_direct()) tensor::Capture::has_gap();
      tensor::Capture::launch([x = a.of_batch(batch), y = b.of_batch(batch), to, accumulates, moments] {
        multiply_counted(x, y, to, accumulates, moments);
      });
      continue;
    }
    tensor::Capture::has_gap();
    product.resize(static_cast<std::size_t>(rows * columns));
    if (accumulates) load_items(out.dtype(), at, bytes, rows * columns, compute_for<T>(), product.data());
    gemm<T>(a.of_batch(batch), b.of_batch(batch), matrix_of(product.data(), rows, columns), accumulates);
    store_items(out.dtype(), at, bytes, rows * columns, compute_for<T>(), product.data());
  }
}

PyResult<void> run_products(OpCall& call, const Tensor& left, const Tensor& right, std::int64_t batches,
                            bool accumulates = false) {
  tensor::Capture::covers();
  const auto all = [&]<class T>(T) -> PyResult<void> {
    multiply_batches<T>(left, right, call.output(), batches, accumulates);
    return {};
  };
  switch (compute_of(call.output().dtype())) {
    case Compute::Float:
      return all(float());
    case Compute::Double:
      return all(double());
    case Compute::ComplexFloat:
      return all(ComplexFloat());
    case Compute::ComplexDouble:
      return all(ComplexDouble());
    case Compute::Bool:
      return not_implemented_for(call.interpreter, "addmm_impl_cpu_", DType::Bool);
    default:
      return all(std::int64_t());
  }
}

// mm and bmm say it in other words than addmm.
PyResult<void> check_dtypes(OpCall& call, const Tensor& a, const Tensor& b) {
  if (a.dtype() == b.dtype()) return {};
  return object::runtime_error(call.interpreter, "expected m1 and m2 to have the same dtype, but got: {} != {}",
                               cpp_type_name(a.dtype()), cpp_type_name(b.dtype()));
}

PyResult<void> mm_shape(OpCall& call) {
  const Tensor& a = call.required(0);
  const Tensor& b = call.required(1);
  if (a.ndim() != 2) return object::runtime_error(call.interpreter, "self must be a matrix");
  if (b.ndim() != 2) return object::runtime_error(call.interpreter, "mat2 must be a matrix");
  NNS_TRY(check_dtypes(call, a, b));
  if (a.shape()[1] != b.shape()[0]) {
    return object::runtime_error(call.interpreter, "mat1 and mat2 shapes cannot be multiplied ({}x{} and {}x{})",
                                 a.shape()[0], a.shape()[1], b.shape()[0], b.shape()[1]);
  }
  return call.give(Dims({a.shape()[0], b.shape()[1]}), a.dtype());
}
PyResult<void> bmm_shape(OpCall& call) {
  const Tensor& a = call.required(0);
  const Tensor& b = call.required(1);
  if (a.ndim() != 3) return object::runtime_error(call.interpreter, "batch1 must be a 3D tensor");
  if (b.ndim() != 3) return object::runtime_error(call.interpreter, "batch2 must be a 3D tensor");
  NNS_TRY(check_dtypes(call, a, b));
  if (a.shape()[0] != b.shape()[0] || a.shape()[2] != b.shape()[1]) {
    return object::runtime_error(
        call.interpreter, "Expected size for first two dimensions of batch2 tensor to be: [{}, {}] but got: [{}, {}].",
        a.shape()[0], a.shape()[2], b.shape()[0], b.shape()[1]);
  }
  return call.give(Dims({a.shape()[0], a.shape()[1], b.shape()[2]}), a.dtype());
}

Value dims_of(OpCall& call, std::initializer_list<std::int64_t> dims) {
  return dims_value(call.interpreter, Dims(dims));
}

PyResult<void> mv_shape(OpCall& call) {
  const Tensor& a = call.required(0);
  const Tensor& x = call.required(1);
  if (a.ndim() != 2 || x.ndim() != 1) {
    return object::runtime_error(call.interpreter, "vector + matrix @ vector expected, got {}, {}, {}", 1, a.ndim(),
                                 x.ndim());
  }
  if (a.shape()[1] != x.shape()[0]) {
    return object::runtime_error(call.interpreter, "size mismatch, got input ({}), mat ({}x{}), vec ({})", a.shape()[0],
                                 a.shape()[0], a.shape()[1], x.shape()[0]);
  }
  NNS_TRY(check_dtypes(call, a, x));
  return call.give(Dims({a.shape()[0]}), a.dtype());
}
PyResult<void> run_mv(OpCall& call) {
  const Tensor& x = call.required(1);
  const Ref<Tensor> column = tensor::as_strided(x, Dims({x.shape()[0], 1}), Dims({x.strides()[0], 0}), x.offset());
  return run_products(call, call.required(0), *column, 1);
}

PyResult<void> dot_shape(OpCall& call) {
  const Tensor& a = call.required(0);
  const Tensor& b = call.required(1);
  if (a.ndim() != 1 || b.ndim() != 1) {
    return object::runtime_error(call.interpreter, "1D tensors expected, but got {}D and {}D tensors", a.ndim(),
                                 b.ndim());
  }
  if (a.dtype() != b.dtype()) {
    return object::runtime_error(call.interpreter,
                                 "dot : expected both vectors to have same dtype, but found {} and {}",
                                 tensor::info(a.dtype()).scalar_name, tensor::info(b.dtype()).scalar_name);
  }
  if (a.shape()[0] != b.shape()[0]) {
    return object::runtime_error(
        call.interpreter,
        "inconsistent tensor size, expected tensor [{}] and src [{}] to have the same number of "
        "elements, but got {} and {} elements respectively",
        a.shape()[0], b.shape()[0], a.shape()[0], b.shape()[0]);
  }
  return call.give(Dims(), a.dtype());
}
PyResult<void> run_dot(OpCall& call) {
  const Ref<Tensor> row = tensor::as_strided(call.required(0), Dims({1, call.required(0).shape()[0]}),
                                             Dims({0, call.required(0).strides()[0]}), call.required(0).offset());
  const Ref<Tensor> column = tensor::as_strided(call.required(1), Dims({call.required(1).shape()[0], 1}),
                                                Dims({call.required(1).strides()[0], 0}), call.required(1).offset());
  return run_products(call, *row, *column, 1);
}

// Behaviour: torch.matmul: vectors get a dimension that goes again, batches broadcast.
PyResult<Value> matmul_of(OpCall& call) {
  const Tensor& a = call.required(0);
  const Tensor& b = call.required(1);
  Interpreter& in = call.interpreter;
  if (a.ndim() == 0 || b.ndim() == 0) {
    return object::runtime_error(in, "both arguments to matmul need to be at least 1D, but they are {}D and {}D",
                                 a.ndim(), b.ndim());
  }
  if (a.ndim() == 1 && b.ndim() == 1) return call_op(in, OpId::dot, {call.args[0], call.args[1]});
  if (a.ndim() == 2 && b.ndim() == 2) return call_op(in, OpId::mm, {call.args[0], call.args[1]});
  if (a.ndim() == 2 && b.ndim() == 1) return call_op(in, OpId::mv, {call.args[0], call.args[1]});
  if (a.ndim() == 1 && b.ndim() == 2) {
    NNS_TRY_ASSIGN(const Value row, call_op(in, OpId::unsqueeze, {call.args[0], Value(0)}));
    NNS_TRY_ASSIGN(const Value product, call_op(in, OpId::mm, {row, call.args[1]}));
    return as_no_view(call_op(in, OpId::squeeze, {product, Value(0)}), "SqueezeBackward4");
  }
  Term x(Ref<Tensor>(call.tensor(0)));
  Term y(Ref<Tensor>(call.tensor(1)));
  const bool left_vector = a.ndim() == 1;
  const bool right_vector = b.ndim() == 1;
  if (left_vector) x = apply(OpId::unsqueeze, {x, 0});
  if (right_vector) y = apply(OpId::unsqueeze, {y, 1});
  if (!x.ok()) return x.result().error();
  if (!y.ok()) return y.result().error();
  const auto split = [](const Tensor& tensor) {
    return std::pair(Dims(tensor.shape().span().first(tensor.ndim() - 2)), Dims(tensor.shape().span().last(2)));
  };
  const auto [x_batch, x_matrix] = split(x.tensor());
  const auto [y_batch, y_matrix] = split(y.tensor());
  if (x_matrix[1] != y_matrix[0] && x_batch.size() + y_batch.size() == 0) {
    return object::runtime_error(in, "mat1 and mat2 shapes cannot be multiplied ({}x{} and {}x{})", x_matrix[0],
                                 x_matrix[1], y_matrix[0], y_matrix[1]);
  }
  // Many matrices times one: one large product.
  if (y_batch.size() == 0 && x_batch.size() > 0) {
    Dims folded({-1, x_matrix[1]});
    if (x.tensor().numel() == 0) folded[0] = tensor::element_count(x_batch) * x_matrix[0];
    const Term rows = apply(OpId::reshape, {x, dims_value(in, folded)});
    const Term product =
        right_vector ? apply(OpId::mv, {rows, Term(Ref<Tensor>(call.tensor(1)))}) : apply(OpId::mm, {rows, y});
    std::vector<std::int64_t> shape(x_batch.begin(), x_batch.end());
    if (!left_vector) shape.push_back(x_matrix[0]);
    if (!right_vector) shape.push_back(y_matrix[1]);
    return as_no_view(value_of(apply(OpId::view, {product, dims_value(in, Dims(shape))})));
  }
  NNS_TRY_ASSIGN(const Dims batch, broadcast_shapes(in, x_batch, y_batch));
  const std::int64_t count = tensor::element_count(batch);
  const auto spread = [&](const Term& term, const Dims& matrix) {
    std::vector<std::int64_t> whole(batch.begin(), batch.end());
    whole.insert(whole.end(), matrix.begin(), matrix.end());
    const Term wide = apply(OpId::expand, {term, dims_value(in, Dims(whole))});
    return apply(OpId::reshape, {wide, dims_value(in, Dims({count, matrix[0], matrix[1]}))});
  };
  const Term product = apply(OpId::bmm, {spread(x, x_matrix), spread(y, y_matrix)});
  std::vector<std::int64_t> shape(batch.begin(), batch.end());
  if (!left_vector) shape.push_back(x_matrix[0]);
  if (!right_vector) shape.push_back(y_matrix[1]);
  return as_no_view(value_of(apply(OpId::view, {product, dims_value(in, Dims(shape))})));
}

// Whether linear gives what its shapes tell at once: what does not fit is left to the ops that say why.
bool fits_linear(const OpCall& call) {
  const Tensor& x = *call.tensor(0);
  const Tensor& weight = *call.tensor(1);
  const Tensor* const bias = call.tensor(2);
  if (x.ndim() == 0 || weight.ndim() != 2 || x.shape()[x.ndim() - 1] != weight.shape()[1]) return false;
  if (x.dtype() != weight.dtype()) return false;
  return bias == nullptr || (bias->ndim() == 1 && bias->shape()[0] == weight.shape()[0] && bias->dtype() == x.dtype());
}

// Whether the bias can be added in the product itself.
bool is_bias_fusable(const Tensor& x, const Tensor& weight, const Tensor* bias) {
  if (bias == nullptr) return false;
  if (x.ndim() == 2) return true;
  const auto has_one_dim = [bias] {
    return std::count_if(bias->shape().begin(), bias->shape().end(), [](std::int64_t size) { return size != 1; }) == 1;
  };
  return (bias->ndim() == 1 || has_one_dim()) && bias->is_contiguous() && x.is_contiguous() &&
         weight.sparse() == nullptr;
}

// Behaviour: aten/src/ATen/native/Linear.cpp.
PyResult<Value> linear_of(OpCall& call) {
  const Dims& shape_of_x = call.required(0).shape();
  if (shape_of_x.size() == 0 || call.required(1).ndim() == 0) {
    return object::runtime_error(call.interpreter,
                                 "both arguments to linear need to be at least 1D, but they are {}D and {}D",
                                 shape_of_x.size(), call.required(1).ndim());
  }
  if (is_traced(call) && fits_linear(call)) {
    Dims shape = shape_of_x;
    shape[shape.size() - 1] = call.required(1).shape()[0];
    NNS_TRY(call.give(shape, call.required(0).dtype()));
    // It is made of others, which say what gradients it has; here only whether it has any counts.
    const auto asks = [&](std::size_t i) { return call.tensor(i) != nullptr && call.tensor(i)->requires_grad(); };
    if (OpLibrary::of(call.interpreter).grad_mode.is_enabled && (asks(0) || asks(1) || asks(2)))
      NNS_TRY(record(call, nullptr));
    return Value(call.outputs[0]);
  }
  const Term x(Ref<Tensor>(call.tensor(0)));
  const Term weight(Ref<Tensor>(call.tensor(1)));
  const Term turned = apply(OpId::t, {weight});
  Term made;
  if (is_bias_fusable(x.tensor(), weight.tensor(), call.tensor(2))) {
    const auto as_rows = [&](const Term& all) {
      const std::int64_t items = shape_of_x[shape_of_x.size() - 1];
      std::int64_t rows = 1;
      for (std::size_t dim = 0; dim + 1 < shape_of_x.size(); ++dim) rows *= shape_of_x[dim];
      return apply(OpId::view, {all, dims_of(call, {rows, items})});
    };
    const Term bias(Ref<Tensor>(call.tensor(2)));
    if (shape_of_x.size() == 2) {
      made = apply(OpId::addmm, {bias, x, turned});
    } else if (made = apply(OpId::addmm, {bias, as_rows(x), turned}); made.ok()) {
      Dims shape = shape_of_x;
      shape[shape.size() - 1] = made.tensor().shape()[1];
      made = apply(OpId::view, {made, dims_value(call.interpreter, shape)});
    }
  } else {
    made = apply(OpId::matmul, {x, turned});
    if (call.tensor(2) != nullptr) made = made + Term(Ref<Tensor>(call.tensor(2)));
  }
  return value_of(std::move(made));
}

PyResult<void> addmm_shape(OpCall& call) {
  const Tensor& a = call.required(1);
  const Tensor& b = call.required(2);
  if (a.ndim() != 2 || b.ndim() != 2) {
    return object::runtime_error(call.interpreter, "mat{} must be a matrix, got {}-D tensor", a.ndim() != 2 ? 1 : 2,
                                 a.ndim() != 2 ? a.ndim() : b.ndim());
  }
  if (a.dtype() != b.dtype()) {
    return object::runtime_error(call.interpreter, "mat1 and mat2 must have the same dtype, but got {} and {}",
                                 tensor::info(a.dtype()).scalar_name, tensor::info(b.dtype()).scalar_name);
  }
  if (a.shape()[1] != b.shape()[0]) {
    return object::runtime_error(call.interpreter, "mat1 and mat2 shapes cannot be multiplied ({}x{} and {}x{})",
                                 a.shape()[0], a.shape()[1], b.shape()[0], b.shape()[1]);
  }
  const Dims shape({a.shape()[0], b.shape()[1]});
  NNS_TRY_ASSIGN(const Dims all, broadcast_shapes(call.interpreter, call.required(0).shape(), shape));
  if (!(all == shape)) {
    return object::runtime_error(
        call.interpreter,
        "The expanded size of the tensor ({}) must match the existing size ({}) at non-singleton dimension "
        "{}.  Target sizes: [{}].  Tensor sizes: [{}]",
        shape[1], call.required(0).shape()[call.required(0).ndim() - 1], 1, fmt::join(shape.span(), ", "),
        fmt::join(call.required(0).shape().span(), ", "));
  }
  return call.give(shape, a.dtype());
}
PyResult<void> run_addmm(OpCall& call) {
  // What is added comes first where it needs no factor.
  if (Number::of(call.args[3]).is_one() && Number::of(call.args[4]).is_one()) {
    NNS_TRY(tensor::copy_items(call.output(), call.required(0)));
    return run_products(call, call.required(1), call.required(2), 1, true);
  }
  NNS_TRY(run_products(call, call.required(1), call.required(2), 1));
  tensor::Capture::has_gap();
  const Number beta = Number::of(call.args[3]);
  const Number alpha = Number::of(call.args[4]);
  GradModeGuard no_grad(call.interpreter, false);
  const Ref<Tensor> out(&call.output());
  // Of integers the factors are integers.
  const bool is_whole = tensor::is_integral(out->dtype());
  const auto factor = [is_whole](const Number& number, const Value& given) {
    return is_whole ? Value(number.as_int64()) : given;
  };
  if (!alpha.is_one()) {
    const std::array scaled_args = {Value(out), factor(alpha, call.args[4])};
    NNS_TRY_ASSIGN(const Ref<Tensor> scaled, call_in_place(call.interpreter, OpId::mul, scaled_args));
  }
  // A factor of 0 leaves NaN and inf of the input out.
  if (beta.is_zero()) return {};
  NNS_TRY_ASSIGN(
      const Ref<Tensor> sum,
      call_in_place(call.interpreter, OpId::add, std::array{Value(out), call.args[0], factor(beta, call.args[3])}));
  return {};
}

// Whether a derivative may look at a tensor with other strides without an op for it: real numbers, and nobody records
// or watches what is done.
bool is_plain(const Backward& b, const Term& x) {
  if (!x.ok() || x.is_none() || tensor::is_complex(x.tensor().dtype())) return false;
  const OpLibrary& library = OpLibrary::of(b.interpreter());
  return !b.is_recorded() && !library.grad_mode.is_inference && library.observer == nullptr &&
         !tensor::TensorLibrary::of(b.interpreter()).any_sparse;
}
Term turned_only(const Backward& b, const Term& x) {
  if (is_plain(b, x)) return tensor::transpose(x.tensor(), 0, 1);
  return apply(OpId::t, {x});
}
Term turned(const Backward& b, const Term& x) {
  const Term made = turned_only(b, x);
  return is_plain(b, x) ? made : conj(made);
}

// The gradient of `a` b for the second factor; where that lies column after column, so does its gradient: a weight that
// was turned gets one that lies as the weight does.
// Behaviour: torch/csrc/autograd/FunctionsManual.cpp, mm_mat2_backward.
Term second_factor_gradient(const Backward& b, std::size_t first, std::size_t second) {
  const TensorShape& shape = b.input(second);
  if (shape.strides[0] == 1 && shape.strides[1] == shape.shape[0] && shape.shape[1] != 1) {
    const Term other = b.arg(first);
    return turned_only(b, apply(OpId::mm, {turned_only(b, b.grad()), is_plain(b, other) ? other : conj(other)}));
  }
  return apply(OpId::mm, {turned(b, b.arg(first)), b.grad()});
}
Term turned_batch(const Backward& b, const Term& x) {
  if (is_plain(b, x)) return tensor::transpose(x.tensor(), 1, 2);
  return conj(apply(OpId::transpose, {x, 1, 2}));
}

}  // namespace

template <>
OpBodies bodies<OpId::mm>() {
  return {.shape = mm_shape,
          .cpu = [](OpCall& call) { return run_products(call, call.required(0), call.required(1), 1); },
          .gradients = {Gradient{0, argument(1),
                                 [](Backward& b) {
                                   return apply(OpId::mm, {b.grad(), turned(b, b.arg(1))});
                                 }},
                        Gradient{1, argument(0), [](Backward& b) { return second_factor_gradient(b, 0, 1); }}}};
}
template <>
OpBodies bodies<OpId::bmm>() {
  return {.shape = bmm_shape,
          .cpu =
              [](OpCall& call) {
                return run_products(call, call.required(0), call.required(1), call.required(0).shape()[0]);
              },
          .gradients = {Gradient{0, argument(1),
                                 [](Backward& b) {
                                   return apply(OpId::bmm, {b.grad(), turned_batch(b, b.arg(1))});
                                 }},
                        Gradient{1, argument(0), [](Backward& b) {
                                   return apply(OpId::bmm, {turned_batch(b, b.arg(0)), b.grad()});
                                 }}}};
}
template <>
OpBodies bodies<OpId::mv>() {
  return {.shape = mv_shape,
          .cpu = run_mv,
          .gradients = {Gradient{0, argument(1),
                                 [](Backward& b) {
                                   return apply(OpId::outer, {b.grad(), conj(b.arg(1))});
                                 }},
                        Gradient{1, argument(0), [](Backward& b) {
                                   return apply(OpId::mv, {turned(b, b.arg(0)), b.grad()});
                                 }}}};
}
template <>
OpBodies bodies<OpId::dot>() {
  return {.shape = dot_shape,
          .cpu = run_dot,
          .gradients = {Gradient{0, argument(1), [](Backward& b) { return b.grad() * conj(b.arg(1)); }},
                        Gradient{1, argument(0), [](Backward& b) { return b.grad() * conj(b.arg(0)); }}}};
}
template <>
OpBodies bodies<OpId::matmul>() {
  return {.composite = matmul_of};
}
template <>
OpBodies bodies<OpId::addmm>() {
  return {.shape = addmm_shape,
          .cpu = run_addmm,
          .gradients = {
              Gradient{0, 0, [](Backward& b) { return b.number(3).is_one() ? b.grad() : b.grad() * b.factor(3); }},
              Gradient{1, argument(2),
                       [](Backward& b) {
                         const Term grad = apply(OpId::mm, {b.grad(), turned(b, b.arg(2))});
                         return b.number(4).is_one() ? grad : grad * b.factor(4);
                       }},
              Gradient{2, argument(1), [](Backward& b) {
                         const Term grad = second_factor_gradient(b, 1, 2);
                         return b.number(4).is_one() ? grad : grad * b.factor(4);
                       }}}};
}
template <>
OpBodies bodies<OpId::linear>() {
  return {.composite = linear_of};
}
template <>
OpBodies bodies<OpId::outer>() {
  return {.composite = [](OpCall& call) -> PyResult<Value> {
    const Tensor& a = call.required(0);
    const Tensor& b = call.required(1);
    if (a.ndim() != 1 || b.ndim() != 1) {
      return object::runtime_error(call.interpreter, "outer: Expected 1-D argument {}, but got {}-D",
                                   a.ndim() != 1 ? "self" : "vec2", a.ndim() != 1 ? a.ndim() : b.ndim());
    }
    const Term column = apply(OpId::unsqueeze, {Term(Ref<Tensor>(call.tensor(0))), 1});
    return value_of((column * Term(Ref<Tensor>(call.tensor(1)))));
  }};
}

}  // namespace nns::ops
