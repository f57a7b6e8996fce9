#include <algorithm>
#include <new>

#include "core/tensor/byte_pool.h"

// For builds with sanitizers.
namespace nns::tensor {

namespace {
thread_local constinit ByteUse byte_use;
}

std::byte* take_bytes(std::size_t bytes) {
  auto* const data = static_cast<std::byte*>(::operator new(bytes, std::align_val_t(kByteAlignment), std::nothrow));
  if (data != nullptr) byte_use.now += bytes;
  byte_use.most = std::max(byte_use.most, byte_use.now);
  return data;
}

void give_bytes(std::byte* data, std::size_t bytes) noexcept {
  // Of blocks that came from another thread nothing was counted here.
  byte_use.now -= std::min(byte_use.now, bytes);
  ::operator delete(data, std::align_val_t(kByteAlignment));
}

ByteUse bytes_in_use() { return byte_use; }

}  // namespace nns::tensor
