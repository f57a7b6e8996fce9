#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/live/protocol_generated.h"

namespace nns::live {

/// One message of the stream, owned, immutable and shared: a Mirror keeps the large ones and reads them in place.
/// Threads: any (immutable).
class Message {
 public:
  /// Verifies size, nesting and every offset, and that the body is there.
  /// Errors: bytes that are not a message of this protocol, with the reason.
  static base::Result<Message> verify(std::vector<std::byte> bytes);

  const wire::Message& get() const { return *root_; }
  /// The body as `T`, or null if it is another kind.
  template <class T>
  const T* as() const {
    return root_->template body_as<T>();
  }
  std::span<const std::byte> bytes() const { return *bytes_; }

 private:
  Message(std::shared_ptr<const std::vector<std::byte>> bytes, const wire::Message* root)
      : bytes_(std::move(bytes)), root_(root) {}
  std::shared_ptr<const std::vector<std::byte>> bytes_;
  const wire::Message* root_;
};

}  // namespace nns::live
