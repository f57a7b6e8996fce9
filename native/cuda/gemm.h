#pragma once

#include <memory>

#include "core/base/result.h"
#include "core/ops/gemm.h"
#include "core/tensor/dtype.h"
#include "native/cuda/device.h"

namespace nns::cuda {

/// A batch of matrices on the device. Units of the strides: items.
struct Matrices {
  std::byte* data = nullptr;
  std::int64_t rows = 0, columns = 0, row_stride = 0, column_stride = 1;
  std::int64_t batch_stride = 0;
  /// Whether its items lie as cuBLAS takes them: rows or columns without gaps between their items, not over each other.
  bool is_plain() const;
};

/// Products of matrices by cuBLASLt, which is loaded when the first is asked for.
/// Behaviour of rounding: float32 is computed in float32, or tf32 where that is allowed; bfloat16 and float16 are added
/// up in float32.
class Gemm {
 public:
  explicit Gemm(std::shared_ptr<Device> device);
  ~Gemm();
  Gemm(const Gemm&) = delete;
  Gemm& operator=(const Gemm&) = delete;

  /// out = alpha * a b + beta * out, plus `bias` (one number a column of out) where there is one; `out` lies in rows
  /// without gaps. Must hold: floating dtype, at least one item in out and in each row of a; is_plain().
  /// Errors: the library is not there; it has no algorithm for this; the launch failed.
  base::Result<void> multiply(tensor::DType dtype, const Matrices& a, const Matrices& b, const Matrices& out,
                              std::int64_t batches, double alpha, double beta, const std::byte* bias = nullptr);
  void allow_tf32(bool allowed) { allow_tf32_ = allowed; }
  /// Of cuBLASLt: "13.0.2". Errors: it is not there.
  static base::Result<std::string> library_version();

 private:
  struct Library;
  class Plans;
  base::Result<void> start();

  std::shared_ptr<Device> device_;
  std::unique_ptr<Plans> plans_;
  std::shared_ptr<std::byte> workspace_;
  bool allow_tf32_ = false;
};

}  // namespace nns::cuda
