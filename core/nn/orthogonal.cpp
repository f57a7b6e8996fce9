// Orthogonal parametrization: a matrix with orthonormal columns (or rows) from one without conditions.
#include <algorithm>
#include <cmath>

#include "core/nn/init.h"
#include "core/nn/layer_definition.h"
#include "core/nn/utility.h"
#include "core/ops/term.h"

// Behaviour: torch/nn/utils/parametrizations.py, _Orthogonal, orthogonal, _is_orthogonal and _make_orthogonal.
// Differs: what torch takes from LAPACK (matrix_exp, solve, householder_product) is made of our ops, so gradients come
// from them, and numbers agree to rounding. Complex matrices cannot be made orthogonal here: an error says so.
namespace nns::nn {
namespace {

using ops::OpId;
using ops::Term;
using Numbers = std::vector<double>;

constexpr std::string_view kOrthogonalModule = "torch.nn.utils.parametrizations";

Term adjoint(const Term& x) {
  const Term swapped = ops::apply(OpId::transpose, {x, -2, -1});
  return swapped.ok() && tensor::is_complex(swapped.tensor().dtype()) ? ops::conj(swapped) : swapped;
}

// The first `columns` columns of the identity.
Ref<Tensor> identity(Interpreter& in, std::int64_t rows, std::int64_t columns, tensor::DType dtype) {
  Numbers values(static_cast<std::size_t>(rows * columns), 0);
  for (std::int64_t i = 0; i < std::min(rows, columns); ++i) values[static_cast<std::size_t>(i * columns + i)] = 1;
  return tensor::from_values(in, Dims({rows, columns}), values, dtype);
}

Numbers items_of(const Tensor& tensor) {
  Numbers values;
  tensor::for_each_place(tensor, [&](std::int64_t place) { values.push_back(tensor::read_double(tensor, place)); });
  return values;
}

// Runs `use` on each matrix of a batch: its items, row after row, which it may change.
template <class Use>
void for_each_matrix(Numbers& values, std::size_t items, const Use& use) {
  for (std::size_t at = 0; at + items <= values.size() && items > 0; at += items) {
    Numbers matrix(values.begin() + static_cast<std::ptrdiff_t>(at),
                   values.begin() + static_cast<std::ptrdiff_t>(at + items));
    use(matrix);
    std::copy(matrix.begin(), matrix.end(), values.begin() + static_cast<std::ptrdiff_t>(at));
  }
}

// The exponential of a matrix, by its series for a part of it and repeated squares.
Term matrix_exp(Interpreter& in, const Term& a, std::int64_t n) {
  if (!a.ok()) return a;
  double most = 0;
  for (const double one : items_of(a.tensor())) most = std::max(most, std::abs(one));
  const double norm = most * static_cast<double>(n);
  // With a norm of at most one half the next term is below 1e-22.
  constexpr int kTerms = 18;
  const int squares = norm > 0.5 && std::isfinite(norm) ? static_cast<int>(std::ceil(std::log2(norm / 0.5))) : 0;
  const Term part = a * std::ldexp(1.0, -squares);
  const Term one(identity(in, n, n, a.tensor().dtype()));
  Term sum = one + part / static_cast<double>(kTerms);
  for (int i = kTerms - 1; i > 0; --i) sum = one + ops::matmul(part, sum) / static_cast<double>(i);
  for (int i = 0; i < squares; ++i) sum = ops::matmul(sum, sum);
  return sum;
}

// The inverse in place. Must hold: it has one.
void invert(Numbers& matrix, std::size_t n) {
  Numbers inverse(n * n, 0);
  for (std::size_t i = 0; i < n; ++i) inverse[i * n + i] = 1;
  for (std::size_t column = 0; column < n; ++column) {
    std::size_t pivot = column;
    for (std::size_t row = column + 1; row < n; ++row) {
      if (std::abs(matrix[row * n + column]) > std::abs(matrix[pivot * n + column])) pivot = row;
    }
    for (std::size_t j = 0; j < n; ++j) {
      std::swap(matrix[pivot * n + j], matrix[column * n + j]);
      std::swap(inverse[pivot * n + j], inverse[column * n + j]);
    }
    const double scale = 1 / matrix[column * n + column];
    for (std::size_t j = 0; j < n; ++j) {
      matrix[column * n + j] *= scale;
      inverse[column * n + j] *= scale;
    }
    for (std::size_t row = 0; row < n; ++row) {
      const double factor = matrix[row * n + column];
      if (row == column || factor == 0) continue;
      for (std::size_t j = 0; j < n; ++j) {
        matrix[row * n + j] -= factor * matrix[column * n + j];
        inverse[row * n + j] -= factor * inverse[column * n + j];
      }
    }
  }
  matrix = std::move(inverse);
}

// The Cayley map (I - A/2)^-1 (I + A/2) of a skew-symmetric A. The inverse X of M is taken as X (2I - M X), which has
// its value and its derivative.
Term cayley(Interpreter& in, const Term& a, std::int64_t n) {
  if (!a.ok()) return a;
  const tensor::DType dtype = a.tensor().dtype();
  const Term one(identity(in, n, n, dtype));
  Term m = one - a * 0.5;
  if (!m.ok()) return m;
  Numbers values = items_of(m.tensor());
  const auto size = static_cast<std::size_t>(n);
  for_each_matrix(values, size * size, [size](Numbers& matrix) { invert(matrix, size); });
  const Term inverse(tensor::from_values(in, m.tensor().shape(), values, dtype));
  const Term followed = ops::matmul(inverse, one * 2.0 - ops::matmul(m, inverse));
  return ops::matmul(followed, one + a * 0.5);
}

// The first k columns of the product of the reflections I - tau_i v_i v_i^T, v_i being column i of the unit lower `a`.
Term householder_product(Interpreter& in, const Term& a, const Term& tau, std::int64_t n, std::int64_t k) {
  if (!a.ok()) return a;
  const Term first(identity(in, n, k, a.tensor().dtype()));
  const Term vectors = a + first;
  Term product = first;
  for (std::int64_t i = k; i-- > 0;) {
    const Term v = ops::apply(OpId::narrow, {vectors, -1, i, std::int64_t{1}});
    const Term factor = ops::apply(OpId::unsqueeze, {ops::apply(OpId::narrow, {tau, -1, i, std::int64_t{1}}), -1});
    product = product - ops::matmul(v, factor * ops::matmul(ops::apply(OpId::transpose, {v, -2, -1}), product));
  }
  return product;
}

PyResult<Value> forward(Interpreter& in, Args a) {
  const LayerSelf self(in, a[0]);
  const Ref<Tensor> given(a[1].as<Tensor>());
  if (!given || given->ndim() < 2) return object::type_error(in, "a matrix or a batch of matrices is needed");
  NNS_TRY_ASSIGN(const std::string map, self.format("{orthogonal_map}"));
  Term x(given);
  std::int64_t n = given->shape()[given->ndim() - 2], k = given->shape()[given->ndim() - 1];
  const bool transposed = n < k;
  if (transposed) {
    x = ops::apply(OpId::transpose, {x, -2, -1});
    std::swap(n, k);
  }
  Term q;
  if (map == "householder") {
    const Term below = ops::apply(OpId::tril, {x, -1});
    const Term squares = ops::apply(OpId::sum_dim, {below * below, ops::dims_value(in, Dims({-2}))});
    const Term tau = ops::reciprocal(squares + 1.0) * 2.0;
    q = householder_product(in, below, tau, n, k);
    // The diagonal is 1 and -1, and nothing flows back to it.
    const Term signs = ops::apply(OpId::trunc, {ops::apply(OpId::diagonal, {Term(tensor::detach(*given)), 0, -2, -1})});
    q = q * ops::apply(OpId::unsqueeze, {signs, -2});
  } else {
    x = ops::apply(OpId::tril, {x, 0});
    if (n != k && x.ok()) {
      Dims shape = x.tensor().shape();
      shape[shape.size() - 1] = n - k;
      const Value parts(in.tuple({Value(x.ref()), Value(tensor::zeros(in, shape, x.tensor().dtype()))}));
      const Value arguments[] = {parts, Value(-1)};
      x = Term(ops::call_tensor_op(in, OpId::cat, arguments));
    }
    const Term skew = x - adjoint(x);
    q = map == "cayley" ? cayley(in, skew, n) : matrix_exp(in, skew, n);
    if (n != k) q = ops::apply(OpId::narrow, {q, -1, std::int64_t{0}, k});
  }
  NNS_TRY_ASSIGN(const Value base, object::getattr_or_absent(in, a[0], in.intern("base")));
  if (const Tensor* tensor = base.as<Tensor>()) q = ops::matmul(Term(Ref<Tensor>(const_cast<Tensor*>(tensor))), q);
  return ops::value_of(transposed ? ops::apply(OpId::transpose, {q, -2, -1}) : q);
}

// _is_orthogonal for square matrices.
bool is_orthogonal(const Numbers& values, std::size_t n, tensor::DType dtype) {
  const double step = dtype == tensor::DType::Float64   ? 2.220446049250313e-16
                      : dtype == tensor::DType::Float32 ? 1.1920928955078125e-07
                      : dtype == tensor::DType::Float16 ? 0.0009765625
                                                        : 0.0078125;
  const double tolerance = 10.0 * static_cast<double>(n) * step;
  bool holds = true;
  Numbers all = values;
  for_each_matrix(all, n * n, [&](Numbers& q) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        double product = 0;
        for (std::size_t r = 0; r < n; ++r) product += q[r * n + i] * q[r * n + j];
        const double wanted = i == j ? 1 : 0;
        holds = holds && std::abs(product - wanted) <= tolerance + 1e-5 * wanted;
      }
    }
  });
  return holds;
}

// What geqrf leaves of a matrix, its diagonal replaced by the signs of the triangular factor's (where there is no
// reflection, by the opposite sign): the inverse of the householder map.
void reflectors_of(Numbers& matrix, std::size_t n, std::size_t k) {
  const auto at = [&](std::size_t i, std::size_t j) -> double& { return matrix[i * k + j]; };
  Numbers signs(k, 1);
  for (std::size_t column = 0; column < k; ++column) {
    double below = 0;
    for (std::size_t i = column + 1; i < n; ++i) below += at(i, column) * at(i, column);
    const double alpha = at(column, column);
    const auto sign = [](double one) { return one > 0 ? 1.0 : one < 0 ? -1.0 : 0.0; };
    if (below == 0) {
      signs[column] = -sign(alpha);
      continue;
    }
    const double beta = -std::copysign(std::sqrt(alpha * alpha + below), alpha);
    const double tau = (beta - alpha) / beta;
    for (std::size_t i = column + 1; i < n; ++i) at(i, column) /= alpha - beta;
    for (std::size_t j = column + 1; j < k; ++j) {
      double product = at(column, j);
      for (std::size_t i = column + 1; i < n; ++i) product += at(i, column) * at(i, j);
      at(column, j) -= tau * product;
      for (std::size_t i = column + 1; i < n; ++i) at(i, j) -= tau * product * at(i, column);
    }
    signs[column] = sign(beta);
  }
  for (std::size_t j = 0; j < k; ++j) at(j, j) = signs[j];
}

PyResult<Value> right_inverse(Interpreter& in, Args a) {
  const LayerSelf self(in, a[0]);
  const Ref<Tensor> given(a[1].as<Tensor>());
  if (!given) return object::attribute_error(in, "'{}' object has no attribute 'shape'", in.type_of(a[1]).name());
  const ops::GradModeGuard no_grad(in, false);
  NNS_TRY_ASSIGN(const std::string shape_text, self.format("{shape}"));
  if (shape_text != tensor::size_text(given->shape())) {
    return object::value_error(in, "Expected a matrix or batch of matrices of shape {}. Got a tensor of shape {}.",
                               shape_text, tensor::size_text(given->shape()));
  }
  if (tensor::is_complex(given->dtype())) {
    return object::error<object::ErrorKind::RuntimeError>(
        in, "orthogonal: the factors of a complex matrix cannot be computed here");
  }
  NNS_TRY_ASSIGN(const std::string map, self.format("{orthogonal_map}"));
  const std::size_t ndim = given->ndim();
  std::int64_t n = given->shape()[ndim - 2], k = given->shape()[ndim - 1];
  const bool transposed = n < k;
  const Ref<Tensor> tall = transposed ? tensor::transpose(*given, ndim - 2, ndim - 1) : tensor::detach(*given);
  if (transposed) std::swap(n, k);
  const auto rows = static_cast<std::size_t>(n), columns = static_cast<std::size_t>(k);
  Numbers values = items_of(*tall);
  NNS_TRY_ASSIGN(const Value base, object::getattr_or_absent(in, a[0], in.intern("base")));
  if (base.is_absent()) {
    if (map != "householder") {
      return object::error<object::ErrorKind::NotImplementedError>(
          in,
          "It is not possible to assign to the matrix exponential or the Cayley parametrizations when "
          "use_trivialization=False.");
    }
    for_each_matrix(values, rows * columns, [&](Numbers& matrix) { reflectors_of(matrix, rows, columns); });
    const Ref<Tensor> made = tensor::from_values(in, tall->shape(), values, tall->dtype());
    return Value(transposed ? tensor::transpose(*made, ndim - 2, ndim - 1) : made);
  }
  Dims square = tall->shape();
  square[ndim - 1] = n;
  if (n != k) {
    // The matrix is completed by random columns.
    Dims missing = tall->shape();
    missing[ndim - 1] = n - k;
    const Ref<Tensor> drawn = tensor::empty(in, missing, tall->dtype(), tall->device());
    tensor::normal_(*drawn, tensor::TensorLibrary::of(in).generator, 0, 1);
    const Value parts(in.tuple({Value(tall), Value(drawn)}));
    const Value arguments[] = {parts, Value(-1)};
    NNS_TRY_ASSIGN(const Ref<Tensor> whole, ops::call_tensor_op(in, OpId::cat, arguments));
    values = items_of(*whole);
  }
  if (n != k || !is_orthogonal(values, rows, given->dtype())) {
    for_each_matrix(values, rows * rows, [rows](Numbers& matrix) { init::orthogonalise(matrix, rows, rows); });
  }
  NNS_TRY(self.set("base", Value(tensor::from_values(in, square, values, given->dtype()))));
  // Minus the identity stands for no change in all three maps.
  const auto items = static_cast<std::size_t>(given->shape()[ndim - 2] * given->shape()[ndim - 1]);
  Numbers negative(static_cast<std::size_t>(given->numel()), 0);
  for_each_matrix(negative, items, [&](Numbers& matrix) {
    const auto width = static_cast<std::size_t>(given->shape()[ndim - 1]);
    for (std::size_t i = 0; i < columns; ++i) matrix[i * width + i] = -1;
  });
  return Value(tensor::from_values(in, given->shape(), negative, given->dtype()));
}

PyResult<Value> make_class(Interpreter& in, Args) {
  Class& cls =
      in.define_class({.name = "_Orthogonal", .module = kOrthogonalModule, .bases = {NnLibrary::of(in).module}});
  LayerDefinition(in, cls, Value())
      .init("weight, orthogonal_map, *, use_trivialization=True", [](LayerInit& self) -> PyResult<void> {
        const Tensor* const weight = self[0].as<Tensor>();
        const object::Str* const map = self[1].as<object::Str>();
        if (weight == nullptr || map == nullptr) {
          return object::type_error(self.interpreter, "_Orthogonal() takes a tensor and the name of a map");
        }
        if (tensor::is_complex(weight->dtype()) && map->view() == "householder") {
          return object::value_error(self.interpreter,
                                     "The householder parametrization does not support complex tensors.");
        }
        NNS_TRY(self.set("shape", tensor::size_value(self.interpreter, weight->shape())));
        NNS_TRY(self.set("orthogonal_map", self[1]));
        NNS_TRY_ASSIGN(const bool moves, self.bool_argument(2));
        return moves ? self.add_buffer("base", Value()) : PyResult<void>();
      });
  cls.def("forward(self, X)", forward);
  cls.def("right_inverse(self, Q)", right_inverse);
  return class_value(cls);
}

PyResult<Value> orthogonal(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const std::string name, object::str(in, a[1]));
  NNS_TRY_ASSIGN(const Value weight, object::getattr_or_absent(in, a[0], in.intern(name)));
  const Tensor* const tensor = weight.as<Tensor>();
  if (tensor == nullptr) {
    NNS_TRY_ASSIGN(const std::string shown, object::str(in, a[0]));
    return object::value_error(in, "Module '{}' has no parameter or buffer with name '{}'", shown, name);
  }
  if (tensor->ndim() < 2) {
    return object::value_error(in, "Expected a matrix or batch of matrices. Got a tensor of {} dimensions.",
                               tensor->ndim());
  }
  const bool is_square = tensor->shape()[tensor->ndim() - 2] == tensor->shape()[tensor->ndim() - 1];
  std::string map = is_square || tensor::is_complex(tensor->dtype()) ? "matrix_exp" : "householder";
  if (!a[2].is_none()) {
    NNS_TRY_ASSIGN(map, object::str(in, a[2]));
  }
  if (map != "matrix_exp" && map != "cayley" && map != "householder") {
    return object::value_error(
        in, "orthogonal_map has to be one of \"matrix_exp\", \"cayley\", \"householder\". Got: {}", map);
  }
  const Keyword moves{in.intern("use_trivialization"), a[3]};
  NNS_TRY_ASSIGN(const Value made,
                 call_utility(in, kOrthogonalModule, "_Orthogonal", std::array{weight, in.text(map)}, {&moves, 1}));
  const Keyword unsafe{in.intern("unsafe"), Value(true)};
  return call_utility(in, "torch.nn.utils.parametrize", "register_parametrization", std::array{a[0], a[1], made},
                      {&unsafe, 1});
}

constexpr UtilityRow kOrthogonalRows[] = {
    {kOrthogonalModule, "_Orthogonal", make_class},
    {kOrthogonalModule, "orthogonal(module, name='weight', orthogonal_map=None, *, use_trivialization=True)",
     orthogonal},
};

}  // namespace

std::span<const UtilityRow> orthogonal_utilities() { return kOrthogonalRows; }

}  // namespace nns::nn
