#include "native/server/broadcast_service.h"

#include <utility>

namespace nns::server {

namespace {

// Who has so much to read is not listened to.
constexpr std::size_t kStopListening = 8192;

class BroadcastConnection final : public LiveConnection {
 public:
  BroadcastConnection(live::Broadcast& stream, std::uint64_t viewer) : stream_(stream), viewer_(viewer) {}
  BroadcastConnection(const BroadcastConnection&) = delete;
  BroadcastConnection& operator=(const BroadcastConnection&) = delete;
  ~BroadcastConnection() override { stream_.leave(viewer_); }

  live::SharedBytes next() override { return stream_.take(viewer_); }
  base::Result<void> receive(live::Bytes message) override { return stream_.receive(viewer_, std::move(message)); }
  bool takes_commands() const override { return stream_.waiting(viewer_) < kStopListening; }

 private:
  live::Broadcast& stream_;
  std::uint64_t viewer_;
};

class BroadcastService final : public LiveService {
 public:
  explicit BroadcastService(live::Broadcast& stream) : stream_(stream) {}
  std::unique_ptr<LiveConnection> connect(bool may_control) override {
    const auto viewer = stream_.join(may_control);
    return viewer ? std::make_unique<BroadcastConnection>(stream_, *viewer) : nullptr;
  }
  void set_wake(std::function<void()> wake) override { stream_.set_wake(std::move(wake)); }
  void pump() override { stream_.ready(); }

 private:
  live::Broadcast& stream_;
};

}  // namespace

std::unique_ptr<LiveService> make_broadcast_service(live::Broadcast& stream) {
  return std::make_unique<BroadcastService>(stream);
}

}  // namespace nns::server
