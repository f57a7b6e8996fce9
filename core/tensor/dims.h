#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace nns::tensor {

/// The sizes or strides of a tensor's dimensions; up to four lie in place.
class Dims {
 public:
  Dims() = default;
  Dims(std::initializer_list<std::int64_t> sizes) : Dims(std::span(sizes.begin(), sizes.size())) {}
  explicit Dims(std::span<const std::int64_t> sizes) : size_(static_cast<std::uint32_t>(sizes.size())) {
    if (size_ > kInPlace) {
      many_.assign(sizes.begin(), sizes.end());
    } else {
      std::copy(sizes.begin(), sizes.end(), few_);
    }
  }
  explicit Dims(std::size_t count, std::int64_t value) : size_(static_cast<std::uint32_t>(count)) {
    if (size_ > kInPlace) {
      many_.assign(count, value);
    } else {
      std::fill_n(few_, count, value);
    }
  }

  std::size_t size() const { return size_; }
  std::int64_t operator[](std::size_t i) const { return data()[i]; }
  std::int64_t& operator[](std::size_t i) { return (size_ > kInPlace ? many_.data() : few_)[i]; }
  std::span<const std::int64_t> span() const { return {data(), size_}; }
  const std::int64_t* begin() const { return data(); }
  const std::int64_t* end() const { return data() + size_; }
  friend bool operator==(const Dims& a, const Dims& b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

 private:
  static constexpr std::uint32_t kInPlace = 4;
  const std::int64_t* data() const { return size_ > kInPlace ? many_.data() : few_; }
  std::uint32_t size_ = 0;
  std::int64_t few_[kInPlace] = {};
  std::vector<std::int64_t> many_;
};

/// The product, modulo 2^64 where it is larger: what a shape may be is asked by check_sizes() (tensor.h), later.
inline std::int64_t wrapping_product(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

/// The product of the sizes: 1 without dimensions.
inline std::int64_t element_count(const Dims& shape) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count = wrapping_product(count, size);
  return count;
}

/// The strides of a tensor of this shape that lies in order without gaps. Units: items.
inline Dims contiguous_strides(const Dims& shape) {
  Dims strides(shape.size(), 1);
  std::int64_t step = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = step;
    step = wrapping_product(step, std::max<std::int64_t>(shape[i], 1));
  }
  return strides;
}

}  // namespace nns::tensor
