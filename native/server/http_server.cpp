#include "native/server/http_server.h"

#include "native/server/coroutines_of_clang.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/udp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket/rfc6455.hpp>
#include <climits>
#include <mutex>
#include <optional>
#include <vector>

#include "native/server/live_socket.h"
#include "native/server/static_site.h"

namespace nns::server {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::uint32_t kMostHeaderBytes = 16 * 1024;
constexpr std::size_t kPieceBytes = 256 * 1024;
constexpr int kPortsTried = 20;
constexpr std::string_view kLivePath = "/live";
// However often a stream is told something, its viewers are served so often: values that follow one another faster are
// told as one.
constexpr auto kBetweenWakes = std::chrono::milliseconds(8);

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }

/// A header that may be missing; the view lives as long as the message.
template <class Message>
std::string_view field(const Message& message, http::field name) {
  const auto found = message.find(name);
  return found == message.end() ? std::string_view() : view(found->value());
}

template <class Message>
Request as_request(const Message& message) {
  Request request;
  request.method = view(message.method_string());
  request.target = view(message.target());
  if (message.count(http::field::host) == 1) request.host = field(message, http::field::host);
  request.range = field(message, http::field::range);
  request.if_range = field(message, http::field::if_range);
  request.if_none_match = field(message, http::field::if_none_match);
  request.accept_encoding = field(message, http::field::accept_encoding);
  return request;
}

/// Status line and headers as they go over the wire.
std::string head_text(const Response& response, bool keep_alive) {
  const auto reason = http::obsolete_reason(static_cast<http::status>(response.status));
  std::string text = fmt::format("HTTP/1.1 {} {}\r\n", response.status, view(reason));
  for (const Header& header : response.headers) text += fmt::format("{}: {}\r\n", header.name, header.value);
  if (response.status != 304) text += fmt::format("Content-Length: {}\r\n", response.body_bytes());
  text += fmt::format("Connection: {}\r\n\r\n", keep_alive ? "keep-alive" : "close");
  return text;
}

Response refusal(int status, std::string_view text) {
  Response response;
  response.status = status;
  response.text = fmt::format("{}\n", text);
  response.headers = {{"Content-Type", "text/plain; charset=utf-8"}, {"Cache-Control", "no-store"}};
  return response;
}

base::Error listen_error(const ServerOptions& options, const error_code& error) {
  return base::Error{
      .found = fmt::format("cannot listen on {} port {}: {}", options.host, options.port, error.message()),
      .expected = {},
      .where = {},
      .offset = {}};
}

}  // namespace

/// What a service wakes the server by. It may outlive the server, whose going nobody but this hears of.
/// Threads: any.
struct HttpServer::Waker {
  void wake();

  std::atomic<bool> is_waking = false;
  std::mutex mutex;
  State* state = nullptr;
};

struct HttpServer::State {
  State(const ServerOptions& wanted, std::vector<std::string> hosts)
      : options(wanted),
        site(wanted.folder, std::move(hosts)),
        acceptor(context),
        pause(context),
        wake_timer(context) {}

  /// Serves one client until it goes, is too slow or asks for something that ends the connection.
  asio::awaitable<void> serve(tcp::socket socket) {
    const struct Seat {  // counted from the first to the last moment of the connection
      explicit Seat(std::size_t& count) : taken(count) { ++taken; }
      ~Seat() { --taken; }
      std::size_t& taken;
    } seat(connections);
    beast::tcp_stream stream(std::move(socket));
    beast::flat_buffer buffer;
    error_code error;
    for (bool goes_on = true; goes_on;) {
      http::request_parser<http::empty_body> parser;
      parser.header_limit(kMostHeaderBytes);
      parser.body_limit(0);
      stream.expires_after(options.idle_timeout);
      co_await http::async_read_header(stream, buffer, parser, asio::redirect_error(asio::use_awaitable, error));
      if (error == http::error::end_of_stream || error == beast::error::timeout) break;
      Response response;
      if (error) {
        if (error.category() != http::make_error_code(http::error::bad_method).category())
          break;  // the network's, not ours
        const bool too_long = error == http::error::header_limit || error == http::error::buffer_overflow;
        const bool has_body = error == http::error::body_limit;
        response.status = too_long ? 431 : has_body ? 413 : 400;
        response.text = too_long   ? "The headers are longer than 16 KiB.\n"
                        : has_body ? "Requests with a body are not taken here.\n"
                                   : "This is no HTTP request.\n";
        response.headers = {{"Content-Type", "text/plain; charset=utf-8"}};
        goes_on = false;
      } else {
        const auto& message = parser.get();
        if (live != nullptr && beast::websocket::is_upgrade(message) && is_live(view(message.target()))) {
          std::unique_ptr<LiveConnection> connection;
          response = admit(message, connection);
          if (connection != nullptr) {
            co_await server::serve_live(std::move(stream), parser.release(), std::move(connection), waiters,
                                        LiveLimits{.idle_timeout = options.idle_timeout});
            co_return;
          }
          goes_on = false;
        } else {
          response = site.answer(as_request(message));
        }
        // What follows a request with a body would be taken for the next request.
        const bool has_body = parser.chunked() || parser.content_length().value_or(0) > 0;
        goes_on = goes_on && message.keep_alive() && !has_body;
      }
      co_await send(stream, response, goes_on, error);
      if (error) break;
    }
    stream.socket().shutdown(tcp::socket::shutdown_send, error);
  }

  static bool is_live(std::string_view target) { return target.substr(0, target.find('?')) == kLivePath; }

  /// The viewer's connection, or why there is none.
  template <class Message>
  Response admit(const Message& message, std::unique_ptr<LiveConnection>& connection) {
    const Request request = as_request(message);
    if (!request.host || !site.is_allowed_host(*request.host)) {
      return refusal(421, "This server does not answer under that name; start it with --host NAME to allow it.");
    }
    LiveRequest asked;
    asked.host = *request.host;
    if (message.count(http::field::origin) > 0) asked.origin = field(message, http::field::origin);
    asked.protocols = field(message, http::field::sec_websocket_protocol);
    const LiveDecision decision = decide(access, asked);
    if (decision.status != 101) return refusal(decision.status, decision.text);
    connection = live->connect(decision.may_control);
    return connection != nullptr ? Response() : refusal(503, "There are as many viewers as this server takes.");
  }

  /// Viewers are to be told something. What comes meanwhile is told with it.
  void wake() {
    asio::post(context, [this] {
      wake_timer.expires_at(std::max(std::chrono::steady_clock::now(), woken_at + kBetweenWakes));
      wake_timer.async_wait([this](const error_code& error) {
        if (error) return;
        waker->is_waking = false;
        woken_at = std::chrono::steady_clock::now();
        live->pump();
        waiters.wake();
      });
    });
  }

  asio::awaitable<void> send(beast::tcp_stream& stream, const Response& response, bool keep_alive, error_code& error) {
    const std::string head = head_text(response, keep_alive);
    const bool has_text = !response.head_only && !response.file && response.status != 304;
    const std::array<asio::const_buffer, 2> parts = {asio::buffer(head),
                                                     has_text ? asio::buffer(response.text) : asio::const_buffer()};
    stream.expires_after(options.idle_timeout);
    co_await asio::async_write(stream, parts, asio::redirect_error(asio::use_awaitable, error));
    if (error || response.head_only || !response.file) co_return;

    std::vector<std::byte> piece(static_cast<std::size_t>(std::min<std::uint64_t>(kPieceBytes, response.length)));
    for (std::uint64_t sent = 0; sent < response.length;) {
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), response.length - sent));
      if (!response.file->read(response.first + sent, std::span(piece).first(count)).ok()) {
        // The length was promised already; only the broken connection tells the client that the file is cut short.
        error = asio::error::connection_aborted;
        co_return;
      }
      stream.expires_after(options.idle_timeout);
      co_await asio::async_write(stream, asio::buffer(piece.data(), count),
                                 asio::redirect_error(asio::use_awaitable, error));
      if (error) co_return;
      sent += count;
    }
  }

  asio::awaitable<void> accept() {
    while (acceptor.is_open()) {
      error_code error;
      tcp::socket socket = co_await acceptor.async_accept(asio::redirect_error(asio::use_awaitable, error));
      if (error == asio::error::operation_aborted) co_return;
      if (error) {  // out of descriptors, most likely: wait for a connection to end
        pause.expires_after(std::chrono::milliseconds(100));
        co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, error));
        continue;
      }
      if (connections >= options.most_connections) continue;  // closes the new one
      asio::co_spawn(context, serve(std::move(socket)), asio::detached);
    }
  }

  ServerOptions options;
  StaticSite site;
  std::size_t connections = 0;
  LiveService* live = nullptr;
  LiveAccess access;
  LiveWaiters waiters;  // goes after the context, whose coroutines tell it when they go
  std::shared_ptr<Waker> waker = std::make_shared<Waker>();
  std::chrono::steady_clock::time_point woken_at;
  asio::io_context context{1};
  tcp::acceptor acceptor;
  asio::steady_timer pause;
  asio::steady_timer wake_timer;
  tcp::endpoint endpoint;
  std::optional<asio::signal_set> signals;
};

void HttpServer::Waker::wake() {
  if (is_waking.exchange(true)) return;
  const std::lock_guard lock(mutex);
  if (state != nullptr) state->wake();
}

HttpServer::HttpServer(std::unique_ptr<State> state) : state_(std::move(state)) {}
HttpServer::~HttpServer() {
  const std::lock_guard lock(state_->waker->mutex);
  state_->waker->state = nullptr;
}

base::Result<std::unique_ptr<HttpServer>> HttpServer::listen(const ServerOptions& options) {
  std::array<char, HOST_NAME_MAX + 1> machine{};
  ::gethostname(machine.data(), machine.size() - 1);
  error_code error;
  asio::io_context names;
  tcp::resolver resolver(names);
  const auto found = resolver.resolve(options.host, "", tcp::resolver::passive | tcp::resolver::numeric_service, error);
  if (error || found.empty()) return listen_error(options, error);
  const asio::ip::address address = found.begin()->endpoint().address();
  std::vector<std::string> allowed_hosts = {options.host};
  if (!address.is_loopback()) allowed_hosts.emplace_back(machine.data());
  auto state = std::make_unique<State>(options, std::move(allowed_hosts));
  const int tries = options.search_port && options.port != 0 ? kPortsTried : 1;
  for (int i = 0; i < tries; ++i) {
    if (options.port + i > 65535) break;
    const tcp::endpoint endpoint(address, static_cast<std::uint16_t>(options.port + i));
    tcp::acceptor& acceptor = state->acceptor;
    acceptor.close(error);
    acceptor.open(endpoint.protocol(), error);
    if (error) return listen_error(options, error);
    acceptor.set_option(tcp::acceptor::reuse_address(true), error);
    acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (!error) {
      state->endpoint = acceptor.local_endpoint(error);
      return std::unique_ptr<HttpServer>(new HttpServer(std::move(state)));
    }
    if (error != asio::error::address_in_use) break;
  }
  return listen_error(options, error);
}

std::string HttpServer::share(const std::filesystem::path& folder) { return state_->site.share(folder); }

void HttpServer::serve_live(LiveService& service, LiveAccess access) {
  state_->live = &service;
  state_->access = std::move(access);
  state_->waker->state = state_.get();
  service.set_wake([waker = state_->waker] { waker->wake(); });
}

std::uint16_t HttpServer::port() const { return state_->endpoint.port(); }

bool HttpServer::is_loopback() const { return state_->endpoint.address().is_loopback(); }

// The address of this machine on the way to others; none: there is no way. Nothing is sent to find it.
static std::optional<asio::ip::address> address_for_others() {
  const asio::ip::address outside = asio::ip::make_address("192.0.2.1");  // of no machine (RFC 5737)
  asio::io_context context;
  asio::ip::udp::socket socket(context);
  error_code error;
  socket.open(asio::ip::udp::v4(), error);
  if (!error) socket.connect({outside, 9}, error);
  if (error) return std::nullopt;
  const asio::ip::address own = socket.local_endpoint(error).address();
  return error || own.is_unspecified() ? std::nullopt : std::optional(own);
}

std::string HttpServer::address() const {
  asio::ip::address address = state_->endpoint.address();
  if (address.is_unspecified()) {
    const std::optional<asio::ip::address> own = address_for_others();
    if (!own) return fmt::format("http://localhost:{}/", port());
    address = *own;
  }
  if (address.is_v6()) return fmt::format("http://[{}]:{}/", address.to_string(), port());
  return fmt::format("http://{}:{}/", address.to_string(), port());
}

void HttpServer::stop_on_signals() {
  State& state = *state_;
  state.signals.emplace(state.context, SIGINT, SIGTERM);
  state.signals->async_wait([&state](const error_code& error, int) {
    if (!error) state.context.stop();
  });
}

void HttpServer::run() {
  asio::co_spawn(state_->context, state_->accept(), asio::detached);
  state_->context.run();
}

void HttpServer::stop() { state_->context.stop(); }

}  // namespace nns::server
