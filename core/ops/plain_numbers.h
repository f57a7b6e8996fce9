#pragma once

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "core/ops/element_kernels.h"

// How bodies that walk whole images get their numbers in order. Not for callers of ops.
namespace nns::ops {

/// Whether items of `dtype` lie in memory as a T.
template <class T>
constexpr bool lies_as(DType dtype) {
  if constexpr (std::is_same_v<T, float>) return dtype == DType::Float32;
  if constexpr (std::is_same_v<T, double>) return dtype == DType::Float64;
  if constexpr (std::is_same_v<T, std::int64_t>) return dtype == DType::Int64;
  if constexpr (std::is_same_v<T, ComplexFloat>) return dtype == DType::Complex64;
  if constexpr (std::is_same_v<T, ComplexDouble>) return dtype == DType::Complex128;
  return false;
}

/// The items of a tensor in order, as T: where they lie, or a converted copy. Of no tensor or no items: null.
/// Lifetime: that of the tensor.
template <class T>
class NumbersIn {
 public:
  explicit NumbersIn(const Tensor* tensor) {
    if (tensor != nullptr && tensor->numel() > 0) read(*tensor);
  }
  explicit NumbersIn(const Tensor& tensor) : NumbersIn(&tensor) {}
  NumbersIn(const NumbersIn&) = delete;
  NumbersIn& operator=(const NumbersIn&) = delete;

  const T* data() const { return data_; }
  const T& operator[](std::int64_t i) const { return data_[i]; }
  explicit operator bool() const { return data_ != nullptr; }

 private:
  void read(const Tensor& tensor) {
    if (lies_as<T>(tensor.dtype()) && tensor.is_contiguous()) {
      data_ = reinterpret_cast<const T*>(tensor.data());
      return;
    }
    copy_.resize(static_cast<std::size_t>(tensor.numel()));
    ElementLoop rows(tensor.shape());
    rows.add(tensor);
    rows.prepare_in_order();
    T* target = copy_.data();
    rows.for_each_row([&](std::span<std::byte* const> at) {
      load_items(tensor.dtype(), at[0], rows.row_stride(0), rows.row_length(), compute_for<T>(), target);
      target += rows.row_length();
    });
    data_ = copy_.data();
  }

  const T* data_ = nullptr;
  std::vector<T> copy_;
};

/// Room for the items of a contiguous tensor, as T; what was written is converted by store().
template <class T>
class NumbersOut {
 public:
  explicit NumbersOut(const Tensor& tensor) : tensor_(tensor) {
    if (lies_as<T>(tensor.dtype())) {
      data_ = reinterpret_cast<T*>(tensor.data());
    } else {
      copy_.resize(static_cast<std::size_t>(tensor.numel()));
      data_ = copy_.data();
    }
  }
  T* data() const { return data_; }
  void store() const {
    if (copy_.empty()) return;
    store_items(tensor_.dtype(), tensor_.data(), tensor::item_bytes(tensor_.dtype()), tensor_.numel(), compute_for<T>(),
                copy_.data());
  }

 private:
  const Tensor& tensor_;
  T* data_ = nullptr;
  std::vector<T> copy_;
};

/// The items of a new contiguous tensor, as T, that begin as zeros; what was written is converted when this goes.
/// Of no tensor: null.
template <class T>
class ZeroedNumbers {
 public:
  explicit ZeroedNumbers(const Tensor* tensor) : tensor_(tensor) {
    if (tensor == nullptr) return;
    if (lies_as<T>(tensor->dtype())) {
      data_ = reinterpret_cast<T*>(tensor->data());
      std::fill_n(data_, tensor->numel(), T());
    } else {
      copy_.resize(static_cast<std::size_t>(tensor->numel()));
      data_ = copy_.data();
    }
  }
  explicit ZeroedNumbers(const Tensor& tensor) : ZeroedNumbers(&tensor) {}
  ~ZeroedNumbers() {
    if (copy_.empty()) return;
    store_items(tensor_->dtype(), tensor_->data(), tensor::item_bytes(tensor_->dtype()), tensor_->numel(),
                compute_for<T>(), copy_.data());
  }
  ZeroedNumbers(const ZeroedNumbers&) = delete;
  ZeroedNumbers& operator=(const ZeroedNumbers&) = delete;

  T* data() const { return data_; }
  T& operator[](std::int64_t i) const { return data_[i]; }

 private:
  const Tensor* tensor_;
  T* data_ = nullptr;
  std::vector<T> copy_;
};

/// Calls use(T()) with the type that a floating dtype is computed in.
template <class Use>
void with_floating(DType dtype, Use use) {
  if (compute_of(dtype) == Compute::Double)
    use(double());
  else
    use(float());
}
/// Calls use(T()) with the type that real items of `dtype` are computed in (bool as int64).
template <class Use>
void with_real(DType dtype, Use use) {
  switch (compute_of(dtype)) {
    case Compute::Float:
      return use(float());
    case Compute::Double:
      return use(double());
    default:
      return use(std::int64_t());
  }
}
/// The same, complex items too.
template <class Use>
void with_any_number(DType dtype, Use use) {
  switch (compute_of(dtype)) {
    case Compute::ComplexFloat:
      return use(ComplexFloat());
    case Compute::ComplexDouble:
      return use(ComplexDouble());
    default:
      return with_real(dtype, use);
  }
}

/// "[2, 3]".
inline std::string shape_text(const Dims& dims) { return fmt::format("[{}]", fmt::join(dims.span(), ", ")); }

}  // namespace nns::ops
