#include "native/server/live_socket.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket.hpp>
#include <string>
#include <utility>

#include "native/server/live_access.h"

namespace nns::server {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace websocket = beast::websocket;
using boost::system::error_code;

constexpr auto kNever = std::chrono::hours(24 * 365);

/// One viewer's connection, which its reader and its writer share.
struct Session {
  Session(beast::tcp_stream stream, std::unique_ptr<LiveConnection> from, LiveWaiters& all)
      : socket(std::move(stream)), news(socket.get_executor()), connection(std::move(from)), waiters(all) {
    waiters.add(news);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() { waiters.remove(news); }

  /// Waits for wake() or end().
  asio::awaitable<void> wait() {
    error_code error;
    news.expires_after(kNever);
    co_await news.async_wait(asio::redirect_error(asio::use_awaitable, error));
  }
  void end() {
    is_over = true;
    news.cancel();
  }

  websocket::stream<beast::tcp_stream> socket;
  asio::steady_timer news;
  std::unique_ptr<LiveConnection> connection;
  LiveWaiters& waiters;
  bool is_over = false;
};

asio::awaitable<void> write(std::shared_ptr<Session> session) {
  while (!session->is_over) {
    const live::SharedBytes message = session->connection->next();
    if (message == nullptr) {
      co_await session->wait();
      continue;
    }
    error_code error;
    co_await session->socket.async_write(asio::buffer(message->data(), message->size()),
                                         asio::redirect_error(asio::use_awaitable, error));
    if (error) session->end();
  }
}

asio::awaitable<void> close(Session& session, websocket::close_code code, const std::string& why) {
  // A reason has room for 123 bytes.
  constexpr std::size_t kMostReason = 120;
  error_code error;
  co_await session.socket.async_close({code, why.substr(0, kMostReason)},
                                      asio::redirect_error(asio::use_awaitable, error));
}

}  // namespace

asio::awaitable<void> serve_live(beast::tcp_stream stream, beast::http::request<beast::http::empty_body> request,
                                 std::unique_ptr<LiveConnection> connection, LiveWaiters& waiters, LiveLimits limits) {
  stream.expires_never();  // the WebSocket has times of its own
  const auto session = std::make_shared<Session>(std::move(stream), std::move(connection), waiters);
  auto& socket = session->socket;
  websocket::stream_base::timeout times{};
  times.handshake_timeout = limits.idle_timeout;
  times.idle_timeout = limits.idle_timeout;
  times.keep_alive_pings = true;
  socket.set_option(times);
  socket.set_option(websocket::stream_base::decorator([](websocket::response_type& response) {
    response.set(beast::http::field::sec_websocket_protocol,
                 beast::string_view(kLiveProtocol.data(), kLiveProtocol.size()));
  }));
  socket.read_message_max(limits.most_message_bytes);
  socket.auto_fragment(false);
  socket.binary(true);
  error_code error;
  co_await socket.async_accept(request, asio::redirect_error(asio::use_awaitable, error));
  if (error) co_return;
  asio::co_spawn(socket.get_executor(), write(session), asio::detached);
  beast::flat_buffer buffer;
  while (!session->is_over) {
    // TCP makes who sends faster than it reads wait, too.
    while (!session->connection->takes_commands() && !session->is_over) {
      asio::steady_timer pause(socket.get_executor(), std::chrono::milliseconds(20));
      co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, error));
    }
    co_await socket.async_read(buffer, asio::redirect_error(asio::use_awaitable, error));
    if (error) break;
    if (!socket.got_binary()) {
      co_await close(*session, websocket::close_code::unknown_data, "messages are binary");
      break;
    }
    const auto data = buffer.cdata();
    const auto* begin = static_cast<const std::byte*>(data.data());
    const auto taken = session->connection->receive(live::Bytes(begin, begin + data.size()));
    buffer.consume(buffer.size());
    if (!taken.ok()) {
      co_await close(*session, websocket::close_code::policy_error, taken.error().message());
      break;
    }
  }
  session->end();
}

}  // namespace nns::server
