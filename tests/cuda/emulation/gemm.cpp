#include "native/cuda/gemm.h"

#include "core/ops/compute.h"
#include "tests/cuda/emulation/device_memory.h"

// In place of cuBLASLt: plain loops with sums in double.
namespace nns::cuda {

class Gemm::Plans {};

bool Matrices::is_plain() const {
  const bool in_rows = (column_stride == 1 || columns == 1) && (row_stride >= columns || rows == 1);
  const bool in_columns = (row_stride == 1 || rows == 1) && (column_stride >= rows || columns == 1);
  return in_rows || in_columns;
}

Gemm::Gemm(std::shared_ptr<Device> device) : device_(std::move(device)) {}
Gemm::~Gemm() = default;

base::Result<void> Gemm::multiply(tensor::DType dtype, const Matrices& a, const Matrices& b, const Matrices& out,
                                  std::int64_t batches, double alpha, double beta, const std::byte* bias) {
  const tests::DeviceAccess access;
  const std::int64_t bytes = tensor::item_bytes(dtype);
  const auto number = [&](const std::byte* at) {
    double made = 0;
    ops::load_items(dtype, at, 0, 1, ops::Compute::Double, &made);
    return made;
  };
  const auto at = [&](const Matrices& m, std::int64_t batch, std::int64_t row, std::int64_t column) {
    return m.data + (batch * m.batch_stride + row * m.row_stride + column * m.column_stride) * bytes;
  };
  for (std::int64_t batch = 0; batch < batches; ++batch) {
    for (std::int64_t row = 0; row < out.rows; ++row) {
      for (std::int64_t column = 0; column < out.columns; ++column) {
        double sum = 0;
        for (std::int64_t k = 0; k < a.columns; ++k)
          sum += number(at(a, batch, row, k)) * number(at(b, batch, k, column));
        sum *= alpha;
        std::byte* const target = at(out, batch, row, column);
        if (beta != 0) sum += beta * number(target);
        if (bias != nullptr) sum += number(bias + column * bytes);
        ops::store_items(dtype, target, 0, 1, ops::Compute::Double, &sum);
      }
    }
  }
  return {};
}

}  // namespace nns::cuda
