#include "native/host/http_client.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <string_view>
#include <thread>

namespace nns::host {

namespace {

using base::Error;

constexpr std::size_t kMostRequests = 8;
constexpr std::size_t kMostOfErrorPage = 256 * 1024;

/// What one answer brought; curl's callbacks fill it.
struct Transfer {
  CURL* handle = nullptr;
  const std::atomic<bool>* cancelled = nullptr;
  std::uint64_t wanted = 0;
  std::vector<std::byte> body;
  std::string content_range;
  std::string content_encoding;
  std::string etag;
  std::string last_modified;
  std::size_t discarded = 0;  // bytes of an error page
  bool too_much = false;
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r' || text.back() == '\n'))
    text.remove_suffix(1);
  return text;
}

bool same_ignoring_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char left, char right) {
           const auto low = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
           return low(left) == low(right);
         });
}

std::size_t on_header(char* data, std::size_t size, std::size_t count, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  const std::string_view line(data, size * count);
  if (line.starts_with("HTTP/")) {  // a redirect's headers are not those of the file
    transfer.content_range.clear();
    transfer.content_encoding.clear();
    transfer.etag.clear();
    transfer.last_modified.clear();
    return line.size();
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return line.size();
  const std::string_view name = trimmed(line.substr(0, colon));
  const std::string value(trimmed(line.substr(colon + 1)).substr(0, 1000));
  if (same_ignoring_case(name, "content-range")) transfer.content_range = value;
  if (same_ignoring_case(name, "content-encoding")) transfer.content_encoding = value;
  if (same_ignoring_case(name, "etag")) transfer.etag = value;
  if (same_ignoring_case(name, "last-modified")) transfer.last_modified = value;
  return line.size();
}

std::size_t on_body(char* data, std::size_t size, std::size_t count, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  const std::size_t length = size * count;
  long status = 0;
  curl_easy_getinfo(transfer.handle, CURLINFO_RESPONSE_CODE, &status);
  // A server that ignores the range would send all of its 700 GB: stop at the first byte.
  if (status == 200) return 0;
  if (status != 206) {
    transfer.discarded += length;
    return transfer.discarded <= kMostOfErrorPage ? length : 0;
  }
  if (length > transfer.wanted - transfer.body.size()) {
    transfer.too_much = true;
    return 0;
  }
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  transfer.body.insert(transfer.body.end(), bytes, bytes + length);
  return length;
}

int on_progress(void* user, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  const auto& transfer = *static_cast<const Transfer*>(user);
  return transfer.cancelled != nullptr && transfer.cancelled->load() ? 1 : 0;
}

struct ContentRange {
  std::optional<std::uint64_t> first, last, total;
};

/// "bytes 0-99/1234", "bytes 0-99/*", "bytes */1234".
ContentRange parse_content_range(std::string_view text) {
  const auto number = [](std::string_view digits) -> std::optional<std::uint64_t> {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    return value;
  };
  ContentRange range;
  if (!same_ignoring_case(text.substr(0, 6), "bytes ")) return range;
  text = trimmed(text.substr(6));
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return range;
  range.total = number(text.substr(slash + 1));
  const std::size_t dash = text.find('-');
  if (dash < slash) {
    range.first = number(text.substr(0, dash));
    range.last = number(text.substr(dash + 1, slash - dash - 1));
  }
  return range;
}

std::string status_text(long status) {
  switch (status) {
    case 401:
      return "the server wants a login (401)";
    case 403:
      return "the server does not allow it (403)";
    case 404:
      return "the server has no such file (404)";
    case 410:
      return "the file is gone from the server (410)";
    case 416:
      return "the server has no such range (416)";
    case 429:
      return "the server is asked too often (429)";
    default:
      return fmt::format("the server answered with status {}", status);
  }
}

bool is_worth_retrying(CURLcode code, long status) {
  if (status == 429 || status >= 500) return true;
  return code == CURLE_PARTIAL_FILE || code == CURLE_RECV_ERROR || code == CURLE_SEND_ERROR ||
         code == CURLE_GOT_NOTHING || code == CURLE_HTTP2 || code == CURLE_HTTP2_STREAM;
}

}  // namespace

struct HttpClient::State {
  explicit State(HttpOptions wanted) : options(wanted) {
    static const CURLcode initialised = curl_global_init(CURL_GLOBAL_DEFAULT);
    (void)initialised;
  }
  ~State() {
    for (CURL* handle : idle) curl_easy_cleanup(handle);
  }

  CURL* acquire() {
    std::unique_lock lock(mutex);
    returned.wait(lock, [&] { return busy < kMostRequests; });
    ++busy;
    if (idle.empty()) return curl_easy_init();
    CURL* handle = idle.back();
    idle.pop_back();
    return handle;
  }
  void give_back(CURL* handle) {
    {
      const std::lock_guard lock(mutex);
      --busy;
      if (handle != nullptr) idle.push_back(handle);
    }
    returned.notify_one();
  }

  CURLcode send(Transfer& transfer, const std::string& url, std::uint64_t first, std::uint64_t count, char* message) {
    CURL* handle = transfer.handle;
    curl_easy_reset(handle);  // keeps connections and the DNS cache
    const std::string range = fmt::format("{}-{}", first, first + count - 1);
    curl_easy_setopt(handle, CURLOPT_URL, url.c_str());
    curl_easy_setopt(handle, CURLOPT_RANGE, range.c_str());
    curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 1L);
    curl_easy_setopt(handle, CURLOPT_MAXREDIRS, options.redirect_limit);
    curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
    // Once safe, always safe: no redirect back to plain text.
    curl_easy_setopt(handle, CURLOPT_REDIR_PROTOCOLS_STR, url.starts_with("http:") ? "http,https" : "https");
    curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options.connect_timeout.count()));
    curl_easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(handle, CURLOPT_LOW_SPEED_TIME, static_cast<long>(options.stall_timeout.count()));
    curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(handle, CURLOPT_USERAGENT, "nnscope");
    curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, message);
    curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(handle, CURLOPT_HEADERDATA, &transfer);
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, &transfer);
    curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, on_progress);
    curl_easy_setopt(handle, CURLOPT_XFERINFODATA, &transfer);
    const CURLcode code = curl_easy_perform(handle);
    curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, nullptr);
    return code;
  }

  HttpOptions options;
  std::mutex mutex;
  std::condition_variable returned;
  std::vector<CURL*> idle;
  std::size_t busy = 0;
};

HttpClient::HttpClient(HttpOptions options) : state_(std::make_unique<State>(options)) {}
HttpClient::~HttpClient() = default;

namespace {

/// What is wrong with the answer, or nothing: then `range` holds it.
std::optional<Error> judge(Transfer& transfer, CURLcode code, long status, std::string_view curl_message,
                           const std::string& where, std::uint64_t first, HttpRange& range) {
  const auto refuse = [&](std::string found, std::string expected = {}) {
    return Error{.found = std::move(found), .expected = std::move(expected), .where = where, .offset = first};
  };
  const auto why = [&] { return curl_message.empty() ? std::string_view(curl_easy_strerror(code)) : curl_message; };

  if (code == CURLE_ABORTED_BY_CALLBACK) return refuse("was cancelled");
  if (code == CURLE_TOO_MANY_REDIRECTS) return refuse(fmt::format("the server redirects in circles: {}", why()));
  if (code == CURLE_UNSUPPORTED_PROTOCOL) return refuse(fmt::format("the address cannot be used: {}", why()));
  const ContentRange answered = parse_content_range(transfer.content_range);
  if (status == 416 && first == 0 && answered.total == 0) {  // an empty file has no byte to send
    range.total = 0;
    return std::nullopt;
  }
  if (status == 200) {
    return refuse("the server does not answer requests for ranges of bytes: it would send the whole file",
                  "a server with ranges (status 206), or the file downloaded and opened from disk");
  }
  if (status != 0 && status != 206) return refuse(status_text(status), status == 404 ? "an address that exists" : "");
  if (transfer.too_much) return refuse("the server sent more bytes than were asked for");
  if (code == CURLE_PARTIAL_FILE || (code == CURLE_GOT_NOTHING) || (code == CURLE_RECV_ERROR && status == 206)) {
    return refuse(fmt::format("the connection ended after {} bytes of the answer: {}", transfer.body.size(), why()));
  }
  if (code == CURLE_OPERATION_TIMEDOUT) return refuse(fmt::format("the server took too long: {}", why()));
  if (code != CURLE_OK) return refuse(fmt::format("cannot be reached: {}", why()));

  if (!transfer.content_encoding.empty() && !same_ignoring_case(transfer.content_encoding, "identity")) {
    return refuse(fmt::format("the server packs the bytes (content-encoding {})", transfer.content_encoding),
                  "the bytes as they are");
  }
  if (!answered.first || !answered.last || !answered.total) {
    return refuse(fmt::format("the server's Content-Range \"{}\" does not tell the range and the size of the file",
                              transfer.content_range),
                  fmt::format("\"bytes {}-.../<size>\"", first));
  }
  if (*answered.first != first || *answered.last < *answered.first || *answered.last >= *answered.total ||
      *answered.last - *answered.first >= transfer.wanted) {
    return refuse(fmt::format("the server sent another range than was asked for: \"{}\"", transfer.content_range),
                  fmt::format("\"bytes {}-{}/<size>\"", first, first + transfer.wanted - 1));
  }
  if (transfer.body.size() != *answered.last - *answered.first + 1) {
    return refuse(
        fmt::format("the server announced \"{}\" and sent {} bytes", transfer.content_range, transfer.body.size()));
  }
  range.total = *answered.total;
  range.bytes = std::move(transfer.body);
  range.validator = !transfer.etag.empty() && !transfer.etag.starts_with("W/") ? transfer.etag : transfer.last_modified;
  return std::nullopt;
}

}  // namespace

std::optional<HttpFailure> HttpClient::get(const std::string& url, const std::string& where, std::uint64_t first,
                                           std::uint64_t count, const std::atomic<bool>* cancelled, HttpRange& range) {
  CURL* handle = state_->acquire();
  std::optional<HttpFailure> failure;
  for (int attempt = 0;; ++attempt) {
    if (handle == nullptr) {
      failure =
          HttpFailure{Error{.found = "no memory for a connection", .expected = {}, .where = where, .offset = {}}, 0};
      break;
    }
    Transfer transfer;
    transfer.handle = handle;
    transfer.cancelled = cancelled;
    transfer.wanted = count;
    char message[CURL_ERROR_SIZE] = "";
    const CURLcode code = state_->send(transfer, url, first, count, message);
    long status = 0;
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
    auto error = judge(transfer, code, status, message, where, first, range);
    if (!error) {
      const char* effective = nullptr;
      curl_easy_getinfo(handle, CURLINFO_EFFECTIVE_URL, &effective);
      range.effective_url = effective != nullptr ? effective : url;
      failure.reset();
      break;
    }
    failure = HttpFailure{std::move(*error), status};
    if (attempt >= state_->options.retries || !is_worth_retrying(code, status)) break;
    // 0.2 s, then 0.8 s, in short naps so that a cancelled request ends soon.
    for (int nap = 0; nap < (attempt == 0 ? 4 : 16); ++nap) {
      if (cancelled != nullptr && cancelled->load()) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }
  state_->give_back(handle);
  return failure;
}

}  // namespace nns::host
