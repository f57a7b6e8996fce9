#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "core/live/commands.h"
#include "core/live/endpoint.h"

namespace nns::web {

/// One end of the stream between page and worker (Worker.postMessage); viewer and core each have one.
class PostEndpoint final : public live::Endpoint {
 public:
  /// `post` copies the bytes out of this program's memory and hands them over. `cancelled` gives the request that is to
  /// be cancelled, while no message can come because this program works, or 0; null: nobody is asked.
  explicit PostEndpoint(void (*post)(const void*, std::size_t), double (*cancelled)() = nullptr)
      : post_(post), cancelled_(cancelled) {}

  void send(live::Bytes message) override {
    if (is_connected_) post_(message.data(), message.size());
  }
  std::optional<live::Bytes> receive() override {
    if (inbox_.empty()) {
      const double request = cancelled_ == nullptr ? 0 : cancelled_();
      return request > 0 ? std::optional(live::cancel(static_cast<std::uint64_t>(request))) : std::nullopt;
    }
    std::optional<live::Bytes> message(std::move(inbox_.front()));
    inbox_.pop_front();
    return message;
  }
  bool is_connected() const override { return is_connected_; }

  /// Room for a message of that length, which the page fills before deliver().
  std::byte* make_room(std::size_t length) {
    arriving_.resize(length);
    return arriving_.data();
  }
  void deliver() { inbox_.push_back(std::move(arriving_)); }
  /// The other end is gone.
  void disconnect() { is_connected_ = false; }

 private:
  void (*post_)(const void*, std::size_t);
  double (*cancelled_)();
  std::deque<live::Bytes> inbox_;
  live::Bytes arriving_;
  bool is_connected_ = true;
};

}  // namespace nns::web
