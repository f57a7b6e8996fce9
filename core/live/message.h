#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/live/bytes.h"
#include "core/live/protocol_generated.h"

namespace nns::live {

/// One message of the stream, owned, immutable and shared: a Mirror keeps the large ones and reads them in place.
/// Threads: any (immutable).
class Message {
 public:
  /// Verifies size, nesting and every offset, that the body is there, and that every enumerator is one of the protocol.
  /// Errors: bytes that are not a message of this protocol, with the reason.
  static base::Result<Message> verify(Bytes bytes);
  /// The same of bytes that others share; `bytes` is not null.
  static base::Result<Message> verify_shared(std::shared_ptr<const Bytes> bytes);

  const wire::Message& get() const { return *root_; }
  /// The body as `T`, or null if it is another kind.
  template <class T>
  const T* as() const {
    return root_->template body_as<T>();
  }
  std::span<const std::byte> bytes() const { return *bytes_; }

 private:
  Message(std::shared_ptr<const Bytes> bytes, const wire::Message* root) : bytes_(std::move(bytes)), root_(root) {}
  std::shared_ptr<const Bytes> bytes_;
  const wire::Message* root_;
};

/// Finishes `builder` as the message whose body is the table `body`. The builder is empty afterwards.
template <class T>
Bytes finish_message(flatbuffers::FlatBufferBuilder& builder, flatbuffers::Offset<T> body) {
  wire::FinishMessageBuffer(builder, wire::CreateMessage(builder, wire::BodyTraits<T>::enum_value, body.Union()));
  const auto* begin = reinterpret_cast<const std::byte*>(builder.GetBufferPointer());
  Bytes bytes(begin, begin + builder.GetSize());
  builder.Clear();
  return bytes;
}

/// The text of a string of a message.
inline std::string_view text_of(const flatbuffers::String* string) {
  return string == nullptr ? std::string_view() : std::string_view(string->c_str(), string->size());
}

/// An error as data, both ways.
flatbuffers::Offset<wire::Problem> create_problem(flatbuffers::FlatBufferBuilder& builder, const base::Error& error);
base::Error error_of(const wire::Problem& problem);

}  // namespace nns::live
