#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "core/base/result.h"
#include "native/server/live_access.h"
#include "native/server/live_service.h"

namespace nns::server {

struct ServerOptions {
  std::filesystem::path folder{};  ///< what is served
  std::string host = "127.0.0.1";  ///< address or name to listen on
  std::uint16_t port = 7373;       ///< 0: any free one
  bool search_port = true;         ///< if `port` is taken, the next free one
  std::size_t most_connections = 512;
  std::chrono::milliseconds idle_timeout{30'000};  ///< for a whole request's headers, and for each piece of an answer
};

/// A web server for one folder of files (StaticSite over Boost.Beast), one thread, many connections.
/// Limits: 16 KiB of headers, no bodies, `most_connections` at a time, `idle_timeout`.
class HttpServer {
 public:
  /// Listens; nobody is answered before run().
  /// Errors: the name has no address here, the port is taken or not allowed.
  static base::Result<std::unique_ptr<HttpServer>> listen(const ServerOptions& options);
  ~HttpServer();

  /// Gives out another folder under a path that cannot be guessed, and returns the path (StaticSite::share()).
  /// Must hold: run() has not begun.
  std::string share(const std::filesystem::path& folder);

  std::uint16_t port() const;
  /// "http://127.0.0.1:7373/", or with localhost's name where it listens on every address.
  std::string address() const;
  /// Whether only this machine can reach it.
  bool is_loopback() const;

  /// Answers WebSockets at /live with `service`, for those whom `access` lets in. Must hold: run() has not begun.
  /// Lifetime: `service` must outlive the server.
  void serve_live(LiveService& service, LiveAccess access);

  /// From now on SIGINT and SIGTERM end run(), even before it begins, and no longer the program.
  void stop_on_signals();
  /// Answers until stop().
  void run();
  /// Ends run(). Threads: any.
  void stop();

 private:
  struct State;
  struct Waker;
  explicit HttpServer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace nns::server
