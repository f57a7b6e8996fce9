#pragma once

#include "native/server/coroutines_of_clang.h"

#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <memory>
#include <set>

#include "native/server/live_service.h"

namespace nns::server {

/// The connections of viewers that wait for something to send. Threads: the server's.
class LiveWaiters {
 public:
  void add(boost::asio::steady_timer& timer) { timers_.insert(&timer); }
  void remove(boost::asio::steady_timer& timer) { timers_.erase(&timer); }
  /// All look again whether there is something.
  void wake() {
    for (boost::asio::steady_timer* timer : timers_) timer->cancel();
  }
  std::size_t size() const { return timers_.size(); }

 private:
  std::set<boost::asio::steady_timer*> timers_;
};

/// How long and how large.
struct LiveLimits {
  std::size_t most_message_bytes = std::size_t{1} << 20U;  ///< of a viewer
  std::chrono::milliseconds idle_timeout{30'000};          ///< of a viewer that does not even answer pings
};

/// Finishes the WebSocket handshake that `request` began and carries messages both ways until either side ends. Each
/// message is one binary frame. A text, a frame that is too large and what the connection refuses end it, with the
/// status that RFC 6455 has for it.
boost::asio::awaitable<void> serve_live(boost::beast::tcp_stream stream,
                                        boost::beast::http::request<boost::beast::http::empty_body> request,
                                        std::unique_ptr<LiveConnection> connection, LiveWaiters& waiters,
                                        LiveLimits limits);

}  // namespace nns::server
