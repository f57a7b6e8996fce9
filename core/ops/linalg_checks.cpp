#include "core/ops/linalg.h"
#include "core/tensor/capture.h"

// What the functions of torch.linalg refuse, in PyTorch's words.
// Behaviour: aten/src/ATen/native/LinearAlgebraUtils.h, BatchLinearAlgebra.cpp (_linalg_check_errors).
namespace nns::ops {

PyResult<void> check_matrices(Interpreter& interpreter, const Tensor& tensor, std::string_view api,
                              std::string_view argument) {
  if (tensor.ndim() >= 2) return {};
  return object::runtime_error(interpreter, "{}: The input tensor {} must have at least 2 dimensions.", api, argument);
}

PyResult<void> check_square(Interpreter& interpreter, const Tensor& tensor, std::string_view api) {
  NNS_TRY(check_matrices(interpreter, tensor, api));
  if (rows_of(tensor) == columns_of(tensor)) return {};
  return object::runtime_error(interpreter, "{}: A must be batches of square matrices, but they are {} by {} matrices",
                               api, rows_of(tensor), columns_of(tensor));
}

PyResult<void> check_fractional(Interpreter& interpreter, const Tensor& tensor, std::string_view api,
                                bool takes_low_precision) {
  const DType dtype = tensor.dtype();
  const std::string_view name = tensor::info(dtype).scalar_name;
  if (!tensor::is_floating(dtype) && !tensor::is_complex(dtype)) {
    return object::runtime_error(interpreter, "{}: Expected a floating point or complex tensor as input. Got {}", api,
                                 name);
  }
  const bool is_full =
      dtype == DType::Float32 || dtype == DType::Float64 || dtype == DType::Complex64 || dtype == DType::Complex128;
  if (takes_low_precision || is_full) return {};
  return object::runtime_error(interpreter, "{}: Low precision dtypes not supported. Got {}", api, name);
}

PyResult<void> check_system(Interpreter& interpreter, const Tensor& a, const Tensor& b, bool left,
                            std::string_view api) {
  NNS_TRY(check_square(interpreter, a, api));
  NNS_TRY(check_matrices(interpreter, b, api, "B"));
  if (left ? rows_of(a) == rows_of(b) : columns_of(a) == columns_of(b)) return {};
  return object::runtime_error(interpreter, "{}: Incompatible shapes of A and B for the equation {} ({}x{} and {}x{})",
                               api, left ? "AX = B" : "XA = B", rows_of(a), columns_of(a), rows_of(b), columns_of(b));
}

bool is_vector_system(const Dims& a, const Dims& b) {
  return b.size() == 1 || (b.size() + 1 == a.size() && b == Dims(a.span().first(a.size() - 1)));
}

void note_reading(std::string_view what) {
  tensor::Capture* const capture = tensor::Capture::current();
  if (capture != nullptr && !capture->is_inside()) capture->refuse(fmt::format("{} depends on values", what));
}

PyResult<void> check_infos(Interpreter& interpreter, const Tensor& infos, std::string_view api, bool is_batch) {
  if (infos.is_meta()) return {};
  note_reading(api);
  NNS_TRY_ASSIGN(const Ref<Tensor> read, tensor::on_host(infos));
  std::int64_t matrix = 0, at = 0, info = 0;
  tensor::for_each_place(*read, [&](std::int64_t place) {
    const std::int64_t found = tensor::read_int64(*read, place);
    if (info == 0 && found != 0) {
      info = found;
      at = matrix;
    }
    ++matrix;
  });
  if (info == 0) return {};
  const std::string where = is_batch ? fmt::format("{}: (Batch element {})", api, at) : std::string(api);
  const auto is_of = [api](std::string_view word) { return api.find(word) != std::string_view::npos; };
  const auto refused = [&]<class... Args>(fmt::format_string<const std::string&, Args...> text, Args... args) {
    return object::error<object::ErrorKind::LinAlgError>(interpreter, "{}",
                                                         fmt::format(text, where, std::forward<Args>(args)...));
  };
  if (is_of("svd") && info < 0) {
    return refused("{}: The algorithm failed to converge because the input matrix contained non-finite values.");
  }
  if (is_of("inv")) {
    return refused(
        "{}: The diagonal element {} is zero, the inversion could not be completed because the input matrix is "
        "singular.",
        info);
  }
  if (is_of("solve")) return refused("{}: The solver failed because the input matrix is singular.");
  if (is_of("cholesky")) {
    return refused(
        "{}: The factorization could not be completed because the input is not positive-definite (the leading minor of "
        "order {} is not positive-definite).",
        info);
  }
  if (is_of("svd")) {
    return refused(
        "{}: The algorithm failed to converge because the input matrix is ill-conditioned or has too many repeated "
        "singular values (error code: {}).",
        info);
  }
  if (is_of("eig")) {
    return refused(
        "{}: The algorithm failed to converge because the input matrix is ill-conditioned or has too many repeated "
        "eigenvalues (error code: {}).",
        info);
  }
  if (is_of("lstsq")) {
    return refused(
        "{}: The least squares solution could not be computed because the input matrix does not have full rank (error "
        "code: {}).",
        info);
  }
  if (is_of("ldl")) return object::runtime_error(interpreter, "{}: Unknown error code: {}.", where, info);
  return object::runtime_error(interpreter,
                               "{}: U[{},{}] is zero and using it on lu_solve would result in a division by zero. If "
                               "you still want to perform the factorization, consider calling linalg.lu(A, pivot) or "
                               "linalg.lu_factor_ex(A, pivot)",
                               where, info, info);
}

}  // namespace nns::ops
