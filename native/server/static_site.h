#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/byte_source.h"

namespace nns::server {

/// What a page that is given out may load and run: nothing but this server's own files; it connects to streams. The
/// page says the same of itself (web/page/index.html), for servers that do not.
inline constexpr std::string_view kPagePolicy =
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; connect-src 'self' "
    "ws: wss:; img-src 'self' data: blob:; base-uri 'none'; form-action 'none'";

/// What a client sent, as far as files and safety need it.
struct Request {
  std::string_view method;  ///< "GET"
  std::string_view target;  ///< "/a/b.js?x", as on the wire
  std::optional<std::string_view> host;
  std::string_view range;
  std::string_view if_range;
  std::string_view if_none_match;
  std::string_view accept_encoding;
};

struct Header {
  std::string name;
  std::string value;
};

/// Status and headers, and where the body comes from: `text`, or bytes first .. first + length of `file`.
struct Response {
  int status = 200;
  std::vector<Header> headers;  ///< Content-Length is not among them: it is body_bytes()
  std::string text;
  std::shared_ptr<base::ByteSource> file;
  std::uint64_t first = 0;
  std::uint64_t length = 0;
  bool head_only = false;  ///< a HEAD request: the headers of the body, without the body

  std::uint64_t body_bytes() const { return file ? length : text.size(); }
};

/// Files of one folder, given out over HTTP; knows the protocol's words and no socket.
/// Behaviour: RFC 9110 for GET and HEAD: one range a request, ETag, If-None-Match, If-Range; a file "x.gz" beside "x"
/// goes to clients that take gzip. A path never leaves the folder, neither by ".." nor by a symbolic link.
class StaticSite {
 public:
  /// `allowed_hosts`: names, besides IP addresses and localhost, under which this server may be asked for.
  StaticSite(const std::filesystem::path& folder, std::vector<std::string> allowed_hosts);

  /// Gives out the files of another folder too, and returns where: "/open/0f3a.../". Nobody can guess that path, so
  /// other users of this machine cannot read what its owner opened. Symbolic links in it are followed: download caches
  /// are made of them.
  std::string share(const std::filesystem::path& folder);

  Response answer(const Request& request) const;
  /// Whether a Host header names this server.
  bool is_allowed_host(std::string_view host) const;

 private:
  struct Place {
    std::string prefix;  // of the decoded path; ends in '/'
    std::filesystem::path folder;
    bool follows_links = false;
  };
  /// The file that `target` names; "index.html" in it for a folder. `wants_slash`: the target names a folder without
  /// '/'.
  std::optional<std::filesystem::path> resolve(std::string_view target, bool& wants_slash) const;

  std::vector<Place> places_;  // the site itself comes last
  std::vector<std::string> allowed_hosts_;
};

/// The Content-Type of a file by its name's ending: "app.wasm" -> "application/wasm".
std::string_view mime_type(std::string_view name);

/// One range of "bytes=..." cut to a file of `size` bytes. nullopt: several ranges, another unit or nonsense, which a
/// server ignores. `length` 0: the range lies behind the file.
struct ByteRange {
  std::uint64_t first = 0;
  std::uint64_t length = 0;
};
std::optional<ByteRange> parse_range(std::string_view text, std::uint64_t size);

}  // namespace nns::server
