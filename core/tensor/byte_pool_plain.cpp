#include <new>

#include "core/tensor/byte_pool.h"

// For builds with sanitizers.
namespace nns::tensor {

std::byte* take_bytes(std::size_t bytes) {
  return static_cast<std::byte*>(::operator new(bytes, std::align_val_t(kByteAlignment), std::nothrow));
}

void give_bytes(std::byte* data, std::size_t) noexcept { ::operator delete(data, std::align_val_t(kByteAlignment)); }

}  // namespace nns::tensor
