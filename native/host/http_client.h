#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace nns::host {

/// How patient an HttpClient is.
struct HttpOptions {
  std::chrono::milliseconds connect_timeout{15'000};
  /// A transfer that brings less than one byte a second for so long is given up.
  std::chrono::seconds stall_timeout{30};
  long redirect_limit = 10;
  /// How often a request is sent again after the server was busy (429, 5xx) or the connection broke.
  int retries = 2;
};

/// Bytes first .. first + bytes.size() - 1 of a file on a server.
struct HttpRange {
  std::vector<std::byte> bytes;
  std::uint64_t total = 0;    ///< size of the whole file
  std::string validator;      ///< strong ETag, else Last-Modified: tells whether the file is still the same
  std::string effective_url;  ///< where redirects led
};

/// Why a range could not be had: the error, and the server's status (0: there was no answer).
struct HttpFailure {
  base::Error error;
  long status = 0;
};

/// Asks web servers for ranges of bytes, over connections that are kept and shared.
/// Threads: any number; at most eight requests run at a time, more wait.
class HttpClient {
 public:
  explicit HttpClient(HttpOptions options = {});
  ~HttpClient();

  /// The bytes from `first`, at most `count`: fewer at the end of the file, or if the server gives fewer.
  /// `where` is the address as a person knows it. `cancelled` (may be null) ends a running request within a second.
  /// Errors: no connection, a status other than 206, an answer that is not what was asked for, a body cut short.
  std::optional<HttpFailure> get(const std::string& url, const std::string& where, std::uint64_t first,
                                 std::uint64_t count, const std::atomic<bool>* cancelled, HttpRange& range);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace nns::host
