#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "core/checkpoint/elements.h"

namespace nns::tests {

/// A storage that can only be read, not viewed, as a browser's file.
class ReadOnlySource final : public base::ByteSource {
 public:
  explicit ReadOnlySource(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}
  const std::string& name() const override { return name_; }
  std::uint64_t size() const override { return bytes_.size(); }
  std::size_t largest_read() const { return largest_read_; }

 private:
  base::Result<void> do_read(std::uint64_t offset, std::span<std::byte> into) override {
    largest_read_ = std::max(largest_read_, into.size());
    std::memcpy(into.data(), bytes_.data() + offset, into.size());
    return {};
  }
  std::string name_ = "storage";
  std::vector<std::byte> bytes_;
  std::size_t largest_read_ = 0;
};

template <class T>
std::vector<std::byte> raw_bytes(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

inline std::vector<std::byte> random_bytes(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::byte> bytes(count);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

inline std::vector<std::int64_t> contiguous_stride(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> stride(shape.size());
  std::int64_t next = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    stride[i] = next;
    next *= shape[i];
  }
  return stride;
}

inline checkpoint::ElementSource contiguous(std::vector<std::byte> bytes, tensor::DType dtype,
                                            std::vector<std::int64_t> shape) {
  auto stride = contiguous_stride(shape);
  return {.bytes = base::make_memory_source("storage", std::move(bytes)),
          .dtype = dtype,
          .shape = std::move(shape),
          .stride = std::move(stride),
          .storage_offset = 0};
}

/// All values one by one, the slow way.
inline std::vector<double> all_values(const checkpoint::ElementSource& source) {
  std::vector<double> values(static_cast<std::size_t>(source.value_count()));
  EXPECT_TRUE(checkpoint::read_values(source, 0, values).ok());
  return values;
}

}  // namespace nns::tests
