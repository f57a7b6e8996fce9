#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

namespace nns::live {

/// The bytes of one message: megabytes for a large document, which are filled at once, handed on and dropped. Unlike a
/// std::vector, resize() leaves new ones undefined, and no compiler makes a loop over them out of a copy or an end.
class Bytes {
 public:
  Bytes() = default;
  /// Undefined bytes.
  explicit Bytes(std::size_t size) { resize(size); }
  Bytes(std::size_t size, std::byte value) : Bytes(size) {
    if (size > 0) std::memset(data(), static_cast<int>(value), size);
  }
  Bytes(const std::byte* first, const std::byte* last) : Bytes(std::span(first, last)) {}
  explicit Bytes(std::span<const std::byte> bytes) {
    resize(bytes.size());
    if (!bytes.empty()) std::memcpy(data(), bytes.data(), bytes.size());
  }
  Bytes(const Bytes& other) : Bytes(std::span<const std::byte>(other)) {}
  Bytes(Bytes&& other) noexcept { swap(other); }
  Bytes& operator=(Bytes other) noexcept {
    swap(other);
    return *this;
  }
  ~Bytes() = default;

  std::byte* data() { return bytes_.get(); }
  const std::byte* data() const { return bytes_.get(); }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::byte* begin() { return data(); }
  std::byte* end() { return data() + size_; }
  const std::byte* begin() const { return data(); }
  const std::byte* end() const { return data() + size_; }
  std::byte& operator[](std::size_t i) { return bytes_[i]; }
  const std::byte& operator[](std::size_t i) const { return bytes_[i]; }

  /// The bytes up to the smaller size stay as they are.
  void resize(std::size_t size) {
    if (size > capacity_) {
      std::unique_ptr<std::byte[]> larger(new std::byte[size]);
      if (size_ > 0) std::memcpy(larger.get(), bytes_.get(), size_);
      bytes_ = std::move(larger);
      capacity_ = size;
    }
    size_ = size;
  }
  void clear() { size_ = 0; }

  friend bool operator==(const Bytes& a, const Bytes& b) {
    return a.size_ == b.size_ && (a.size_ == 0 || std::memcmp(a.data(), b.data(), a.size_) == 0);
  }

 private:
  void swap(Bytes& other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  std::unique_ptr<std::byte[]> bytes_;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace nns::live
