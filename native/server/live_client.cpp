#include "native/server/live_client.h"

#include "native/server/coroutines_of_clang.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/websocket.hpp>
#include <chrono>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "native/server/live_access.h"

namespace nns::server {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace websocket = beast::websocket;
using asio::ip::tcp;
using boost::system::error_code;

constexpr auto kPatience = std::chrono::seconds(10);
constexpr auto kFirstPause = std::chrono::milliseconds(250);
constexpr auto kLongestPause = std::chrono::milliseconds(8000);
// A host may send a document of millions of rows, but nothing without end.
constexpr std::size_t kMostMessageBytes = std::size_t{1} << 30U;
// Not read yet: beyond it the connection is read no further, and the host leaves events out.
constexpr std::size_t kMostWaitingBytes = std::size_t{64} << 20U;

using Socket = websocket::stream<beast::tcp_stream>;

base::Error bad_address(std::string_view text, std::string found) {
  return {.found = std::move(found),
          .expected = "ws://HOST:PORT/live, with #token=... where a token is needed",
          .where = std::string(text),
          .offset = std::nullopt};
}

/// The value of `key` in "a=1&b=2".
std::string_view value_in(std::string_view fragment, std::string_view key) {
  while (!fragment.empty()) {
    const std::size_t end = std::min(fragment.find('&'), fragment.size());
    const std::string_view item = fragment.substr(0, end);
    fragment.remove_prefix(std::min(end + 1, fragment.size()));
    if (item.size() > key.size() && item.starts_with(key) && item[key.size()] == '=') {
      return item.substr(key.size() + 1);
    }
  }
  return {};
}

}  // namespace

std::string LiveAddress::text() const {
  const bool is_v6 = host.find(':') != std::string::npos;
  return fmt::format("ws://{}{}{}:{}{}", is_v6 ? "[" : "", host, is_v6 ? "]" : "", port, target);
}

base::Result<LiveAddress> parse_live_address(std::string_view text) {
  LiveAddress address;
  // A link's fragment alone: "#attach=ws://...&token=...".
  const std::string_view alone = text.starts_with('#') ? text.substr(1) : text;
  if (const std::string_view named = value_in(alone, "attach"); !named.empty() && alone.starts_with("attach=")) {
    NNS_TRY_ASSIGN(LiveAddress inner, parse_live_address(named));
    inner.token = value_in(alone, "token");
    return inner;
  }
  std::string_view rest = text;
  const std::size_t hash = std::min(rest.find('#'), rest.size());
  const std::string_view fragment = rest.substr(std::min(hash + 1, rest.size()));
  rest = rest.substr(0, hash);
  address.token = value_in(fragment, "token");
  if (rest.starts_with("wss://") || rest.starts_with("https://")) {
    return bad_address(text, "an encrypted stream, which a tunnel (ssh -L 7373:127.0.0.1:7373) gives instead");
  }
  const bool is_page = rest.starts_with("http://");
  const std::size_t scheme = rest.find("://");
  if (scheme != std::string_view::npos && !is_page && !rest.starts_with("ws://")) {
    return bad_address(text, "another scheme than ws");
  }
  if (scheme != std::string_view::npos) rest.remove_prefix(scheme + 3);
  if (is_page) {
    if (const std::string_view named = value_in(fragment, "attach"); named.starts_with("ws://")) {
      NNS_TRY_ASSIGN(LiveAddress inner, parse_live_address(named));
      inner.token = address.token;
      return inner;
    }
  }
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  if (const std::string_view target = rest.substr(slash); !is_page && target.size() > 1) address.target = target;
  std::string_view authority = rest.substr(0, slash);
  if (authority.starts_with('[')) {
    const std::size_t end = authority.find(']');
    if (end == std::string_view::npos) return bad_address(text, "an address without its ]");
    address.host = authority.substr(1, end - 1);
    authority.remove_prefix(end + 1);
  } else {
    const std::size_t colon = std::min(authority.find(':'), authority.size());
    address.host = authority.substr(0, colon);
    authority.remove_prefix(colon);
  }
  address.port = authority.size() > 1 ? authority.substr(1) : "7373";
  const bool has_number =
      std::all_of(address.port.begin(), address.port.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (address.host.empty()) return bad_address(text, "no host");
  if (!has_number) return bad_address(text, "a port that is no number");
  return address;
}

struct LiveClient::State {
  State(LiveAddress to, std::function<void()> tell) : address(std::move(to)), wake(std::move(tell)), news(context) {}

  LiveAddress address;
  std::function<void()> wake;
  asio::io_context context{1};
  asio::steady_timer news;  // something is to be sent, or something was read

  mutable std::mutex mutex;
  LinkStatus status;
  std::deque<live::Bytes> incoming;
  std::size_t incoming_bytes = 0;
  std::deque<live::Bytes> outgoing;
  bool is_open = false;
  std::thread thread;

  void set(LinkState state, std::string why, double next_try_s = 0) {
    {
      const std::lock_guard lock(mutex);
      status.state = state;
      status.why = std::move(why);
      status.next_try_s = next_try_s;
      if (state == LinkState::Connected) ++status.connected;
      is_open = state == LinkState::Connected;
      if (!is_open) outgoing.clear();
    }
    if (wake) wake();
  }

  asio::awaitable<void> pause(asio::steady_timer::duration how_long) {
    asio::steady_timer timer(context, how_long);
    error_code error;
    co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, error));
  }

  asio::awaitable<void> write(std::shared_ptr<Socket> socket, std::shared_ptr<bool> is_over) {
    error_code error;
    while (!*is_over) {
      std::optional<live::Bytes> message;
      {
        const std::lock_guard lock(mutex);
        if (!outgoing.empty()) {
          message = std::move(outgoing.front());
          outgoing.pop_front();
        }
      }
      if (!message) {
        news.expires_after(std::chrono::hours(24));
        co_await news.async_wait(asio::redirect_error(asio::use_awaitable, error));
        continue;
      }
      co_await socket->async_write(asio::buffer(message->data(), message->size()),
                                   asio::redirect_error(asio::use_awaitable, error));
      if (error) co_return;
    }
  }

  /// One connection from its beginning to its end; gives why it ended. `refused`: there is no use in another.
  asio::awaitable<std::string> connect_once(bool& refused) {
    error_code error;
    tcp::resolver resolver(context);
    const auto found =
        co_await resolver.async_resolve(address.host, address.port, asio::redirect_error(asio::use_awaitable, error));
    if (error) co_return fmt::format("{} was not found: {}", address.host, error.message());
    const auto socket = std::make_shared<Socket>(context);
    auto& tcp_stream = beast::get_lowest_layer(*socket);
    tcp_stream.expires_after(kPatience);
    co_await tcp_stream.async_connect(found, asio::redirect_error(asio::use_awaitable, error));
    if (error) co_return fmt::format("nothing answers at {}: {}", address.text(), error.message());
    tcp_stream.expires_never();
    websocket::stream_base::timeout times{};
    times.handshake_timeout = kPatience;
    times.idle_timeout = std::chrono::seconds(30);
    times.keep_alive_pings = true;
    socket->set_option(times);
    std::string protocols(kLiveProtocol);
    if (!address.token.empty()) protocols += ", token." + address.token;
    socket->set_option(websocket::stream_base::decorator([protocols](websocket::request_type& request) {
      request.set(beast::http::field::sec_websocket_protocol, protocols);
    }));
    socket->read_message_max(kMostMessageBytes);
    socket->binary(true);
    websocket::response_type response;
    co_await socket->async_handshake(response, fmt::format("{}:{}", address.host, address.port), address.target,
                                     asio::redirect_error(asio::use_awaitable, error));
    if (error) {
      const unsigned answer = response.result_int();
      refused = answer >= 400 && answer < 500;
      if (answer == 401) co_return std::string("the token is wrong, or one is needed");
      if (answer >= 400) co_return fmt::format("the server answers {} to {}", answer, address.text());
      co_return fmt::format("no stream at {}: {}", address.text(), error.message());
    }
    set(LinkState::Connected, {});
    const auto is_over = std::make_shared<bool>(false);
    asio::co_spawn(context, write(socket, is_over), asio::detached);
    beast::flat_buffer buffer;
    while (true) {
      while (is_full()) co_await pause(std::chrono::milliseconds(5));
      co_await socket->async_read(buffer, asio::redirect_error(asio::use_awaitable, error));
      if (error) break;
      const auto data = buffer.cdata();
      const auto* begin = static_cast<const std::byte*>(data.data());
      {
        const std::lock_guard lock(mutex);
        incoming.emplace_back(begin, begin + data.size());
        incoming_bytes += data.size();
      }
      buffer.consume(buffer.size());
      if (wake) wake();
    }
    *is_over = true;
    news.cancel();
    const auto& reason = socket->reason();
    if (error == websocket::error::closed && !reason.reason.empty()) {
      co_return fmt::format("the host ended it: {}", std::string(reason.reason.data(), reason.reason.size()));
    }
    co_return fmt::format("the connection was lost: {}", error.message());
  }

  bool is_full() const {
    const std::lock_guard lock(mutex);
    return incoming_bytes > kMostWaitingBytes;
  }

  asio::awaitable<void> run() {
    auto wait = kFirstPause;
    while (true) {
      bool refused = false;
      const unsigned before = status_now().connected;
      std::string why = co_await connect_once(refused);
      if (refused) {
        set(LinkState::Refused, std::move(why));
        co_return;
      }
      if (status_now().connected != before) wait = kFirstPause;
      set(LinkState::Lost, std::move(why), std::chrono::duration<double>(wait).count());
      co_await pause(wait);
      wait = std::min<std::chrono::milliseconds>(wait * 2, kLongestPause);
      set(LinkState::Connecting, {});
    }
  }

  LinkStatus status_now() const {
    const std::lock_guard lock(mutex);
    return status;
  }
};

LiveClient::LiveClient(LiveAddress address, std::function<void()> wake)
    : state_(std::make_unique<State>(std::move(address), std::move(wake))) {
  asio::co_spawn(state_->context, state_->run(), asio::detached);
  state_->thread = std::thread([state = state_.get()] { state->context.run(); });
}

LiveClient::~LiveClient() {
  state_->context.stop();
  state_->thread.join();
}

void LiveClient::send(live::Bytes message) {
  {
    const std::lock_guard lock(state_->mutex);
    if (!state_->is_open) return;
    state_->outgoing.push_back(std::move(message));
  }
  asio::post(state_->context, [state = state_.get()] { state->news.cancel(); });
}

std::optional<live::Bytes> LiveClient::receive() {
  const std::lock_guard lock(state_->mutex);
  if (state_->incoming.empty()) return std::nullopt;
  std::optional<live::Bytes> message(std::move(state_->incoming.front()));
  state_->incoming.pop_front();
  state_->incoming_bytes -= message->size();
  return message;
}

bool LiveClient::is_connected() const { return status().state != LinkState::Refused; }

LinkStatus LiveClient::status() const { return state_->status_now(); }

}  // namespace nns::server
