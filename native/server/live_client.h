#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/live/endpoint.h"

namespace nns::server {

/// Where a stream is, as a person gives it.
struct LiveAddress {
  std::string host;
  std::string port;
  std::string target = "/live";
  std::string token;  ///< empty: none

  /// "ws://127.0.0.1:7373/live", without what is secret.
  std::string text() const;
};

/// Takes "ws://host:port/live#token=...", what a server prints for a browser
/// ("http://host:port/#attach=...&token=..."), and "host:port". Without a port 7373.
/// Errors: another scheme (wss: TLS is a proxy's job), no host.
base::Result<LiveAddress> parse_live_address(std::string_view text);

enum class LinkState { Connecting, Connected, Lost, Refused };

/// What is known of the connection.
struct LinkStatus {
  LinkState state = LinkState::Connecting;
  std::string why;         ///< of Lost and Refused
  double next_try_s = 0;   ///< of Lost: how long until it is tried again
  unsigned connected = 0;  ///< how often it succeeded
};

/// A viewer's end of a stream over a WebSocket, on a thread of its own. A connection that is lost is tried again, later
/// and later (0.25 s to 8 s), until the end is destroyed; after a refusal (a wrong token) it is not. With each
/// connection the host tells everything anew, beginning with Rights. What is sent meanwhile is lost.
/// Threads: one for send() and receive(); status() any. `wake` is called on the client's thread.
class LiveClient final : public live::Endpoint {
 public:
  LiveClient(LiveAddress address, std::function<void()> wake);
  ~LiveClient() override;
  LiveClient(const LiveClient&) = delete;
  LiveClient& operator=(const LiveClient&) = delete;

  void send(live::Bytes message) override;
  std::optional<live::Bytes> receive() override;
  /// False after a refusal.
  bool is_connected() const override;
  LinkStatus status() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace nns::server
