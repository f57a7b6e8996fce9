#pragma once

#include <array>
#include <span>

#include "core/ops/compute.h"
#include "core/ops/number.h"
#include "core/tensor/tensor.h"

namespace nns::ops {

using object::PyResult;
using tensor::Dims;
using tensor::Tensor;

/// Walks several operands over one shape together, row by row. Dimensions that lie behind each other in all operands
/// become one, and the walk follows the memory of the first operand.
class ElementLoop {
 public:
  static constexpr std::size_t kMostOperands = 6;
  explicit ElementLoop(const Dims& shape) : shape_(shape) {}

  /// Adds an operand whose shape broadcasts to that of the loop. `data` is its first item.
  void add(std::byte* data, const Dims& shape, const Dims& strides, std::int64_t item_bytes);
  void add(const Tensor& tensor);
  /// Lets an operand begin elsewhere, with the same shape and strides.
  void move(std::size_t operand, std::byte* data) { data_[operand] = data; }
  /// Call after the last add().
  void prepare() { arrange(false); }
  /// The same, but the walk keeps the order of the items: the last dimension is the innermost.
  void prepare_in_order() { arrange(true); }

  /// Items of a row; 0 if there is nothing to do.
  std::int64_t row_length() const { return row_length_; }
  /// Units: bytes from one item of a row to the next.
  std::int64_t row_stride(std::size_t operand) const { return row_strides_[operand]; }
  std::int64_t row_count() const { return row_count_; }
  /// One dimension of the walk around the rows. Units of the strides: bytes.
  struct LoopDim {
    std::int64_t size = 1;
    std::array<std::int64_t, kMostOperands> strides{};
  };
  /// The innermost first.
  std::span<const LoopDim> outer_dims() const { return outer_; }

  /// Calls use(at) for each row, where at[i] is the first item of operand i.
  template <class Use>
  void for_each_row(Use use) const {
    if (row_length_ == 0) return;
    std::array<std::byte*, kMostOperands> at = data_;
    std::array<std::int64_t, kMostDims> index{};
    for (std::int64_t row = 0;; ++row) {
      use(std::span<std::byte* const>(at.data(), count_));
      if (row + 1 == row_count_) return;
      for (std::size_t dim = 0;; ++dim) {
        for (std::size_t i = 0; i < count_; ++i) at[i] += outer_[dim].strides[i];
        if (++index[dim] < outer_[dim].size) break;
        for (std::size_t i = 0; i < count_; ++i) at[i] -= outer_[dim].strides[i] * outer_[dim].size;
        index[dim] = 0;
      }
    }
  }

 private:
  void arrange(bool keep_order);
  static constexpr std::size_t kMostDims = 64;

  Dims shape_;
  std::size_t count_ = 0;
  std::array<std::byte*, kMostOperands> data_{};
  std::array<Dims, kMostOperands> strides_;
  std::array<std::int64_t, kMostOperands> row_strides_{};
  std::vector<LoopDim> outer_;
  std::int64_t row_length_ = 0;
  std::int64_t row_count_ = 0;
};

/// One input of an op that works item by item: a tensor that broadcasts, or one number for all items.
struct ElementInput {
  const Tensor* tensor = nullptr;
  Number number;
};

/// A run of numbers that lie in order, all of the types that the op asked for. `out` may be one of the inputs.
struct ElementRow {
  void* out;
  std::array<const void*, ElementLoop::kMostOperands> in;
  std::int64_t count;
  const void* settings;

  template <class T>
  const T* input(std::size_t i) const {
    return static_cast<const T*>(in[i]);
  }
  template <class T>
  T* output() const {
    return static_cast<T*>(out);
  }
};
using ElementKernel = void (*)(const ElementRow& row);

struct Settings;
/// The arguments of run_elements.
struct ElementCall {
  const Tensor& out;
  std::span<const ElementInput> inputs;
  Compute in, written;
  ElementKernel kernel;
  const Settings* settings;
};

/// out[i] = kernel(in0[i], in1[i], ...): inputs are converted to `in`, what the kernel writes is of type `written`. On
/// cuda the kernel's twin there does it.
/// Must hold: not meta; the inputs broadcast to out's shape; out overlaps an input only item by item.
/// Errors: on cuda only: there is no such kernel, or the launch failed.
PyResult<void> run_elements(const Tensor& out, std::span<const ElementInput> inputs, Compute in, Compute written,
                            ElementKernel kernel, const Settings* settings = nullptr);

}  // namespace nns::ops
