#include "native/server/static_site.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <random>
#include <system_error>
#include <utility>

#include "native/host/file_source.h"
#include "native/host/url.h"

namespace nns::server {

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::pair<std::string_view, std::string_view>, 19> kMimeTypes = {{
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".mjs", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".wasm", "application/wasm"},
    {".json", "application/json"},
    {".map", "application/json"},
    {".webmanifest", "application/manifest+json"},
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
    {".jpg", "image/jpeg"},
    {".ico", "image/x-icon"},
    {".woff2", "font/woff2"},
    {".ttf", "font/ttf"},
    {".otf", "font/otf"},
    {".txt", "text/plain; charset=utf-8"},
    {".md", "text/plain; charset=utf-8"},
    {".py", "text/plain; charset=utf-8"},
    {".pdf", "application/pdf"},
}};

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return lower;
}

/// "[::1]:80" -> "::1", "Example.org:80" -> "example.org". Empty if it is no host.
std::string host_name(std::string_view host) {
  if (host.starts_with('[')) {
    const std::size_t end = host.find(']');
    return end == std::string_view::npos ? "" : lower_case(host.substr(1, end - 1));
  }
  std::string name = lower_case(host.substr(0, host.find(':')));
  if (name.ends_with('.')) name.pop_back();
  return name;
}

/// Numbers and dots, or hexadecimal digits and colons: an address, which no DNS server can point elsewhere.
bool is_ip_address(std::string_view name) {
  const bool v4 = std::all_of(name.begin(), name.end(), [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
  const bool v6 = name.find(':') != std::string_view::npos && std::all_of(name.begin(), name.end(), [](char c) {
                    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || c == ':' || c == '.';
                  });
  return !name.empty() && (v4 || v6);
}

bool accepts_gzip(std::string_view accept) {
  while (!accept.empty()) {
    const std::size_t end = std::min(accept.find(','), accept.size());
    const std::string item = lower_case(accept.substr(0, end));
    accept.remove_prefix(std::min(end + 1, accept.size()));
    const std::size_t begin = item.find_first_not_of(" \t");
    if (begin == std::string::npos || !std::string_view(item).substr(begin).starts_with("gzip")) continue;
    const std::size_t quality = item.find("q=");
    return quality == std::string::npos || item.find_first_of("123456789", quality) != std::string::npos;
  }
  return false;
}

bool names_tag(std::string_view list, std::string_view tag) {
  return list == "*" || list.find(tag) != std::string_view::npos;
}

Response plain(int status, std::string_view text, bool head_only) {
  Response response;
  response.status = status;
  response.text = fmt::format("{}\n", text);
  response.head_only = head_only;
  response.headers = {{"Content-Type", "text/plain; charset=utf-8"}, {"Cache-Control", "no-store"}};
  return response;
}

std::string entity_tag(const fs::path& path, std::uint64_t size, bool packed) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return {};
  return fmt::format("\"{:x}-{:x}{:09x}{}\"", size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec, packed ? "-gz" : "");
}

}  // namespace

std::string_view mime_type(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return "application/octet-stream";
  const std::string ending = lower_case(name.substr(dot));
  for (const auto& [known, type] : kMimeTypes) {
    if (known == ending) return type;
  }
  return "application/octet-stream";
}

std::optional<ByteRange> parse_range(std::string_view text, std::uint64_t size) {
  if (!text.starts_with("bytes=")) return std::nullopt;
  text.remove_prefix(6);
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto number = [](std::string_view digits) -> std::optional<std::uint64_t> {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    return value;
  };
  const std::string_view before = text.substr(0, dash);
  const std::string_view after = text.substr(dash + 1);
  if (before.empty()) {  // "-500": the last 500 bytes
    const auto last = number(after);
    if (!last) return std::nullopt;
    const std::uint64_t length = std::min(*last, size);
    return ByteRange{size - length, length};
  }
  const auto first = number(before);
  const auto last = after.empty() ? std::optional(UINT64_MAX) : number(after);
  if (!first || !last || *last < *first) return std::nullopt;
  if (*first >= size) return ByteRange{*first, 0};
  return ByteRange{*first, std::min(*last - *first, size - *first - 1) + 1};
}

StaticSite::StaticSite(const fs::path& folder, std::vector<std::string> allowed_hosts)
    : allowed_hosts_(std::move(allowed_hosts)) {
  places_.push_back(Place{"/", fs::weakly_canonical(folder), false});
  for (std::string& host : allowed_hosts_) host = host_name(host);
}

bool StaticSite::is_allowed_host(std::string_view host) const {
  const std::string name = host_name(host);
  if (name == "localhost" || name.ends_with(".localhost") || is_ip_address(name)) return true;
  return !name.empty() && std::find(allowed_hosts_.begin(), allowed_hosts_.end(), name) != allowed_hosts_.end();
}

std::string StaticSite::share(const fs::path& folder) {
  std::random_device random;
  std::string prefix = "/open/";
  for (int i = 0; i < 4; ++i) prefix += fmt::format("{:08x}", random());
  prefix += '/';
  places_.insert(places_.begin(), Place{prefix, fs::weakly_canonical(folder), true});
  return prefix;
}

std::optional<fs::path> StaticSite::resolve(std::string_view target, bool& wants_slash) const {
  const auto decoded = host::percent_decode(target.substr(0, target.find_first_of("?#")));
  if (!decoded || !decoded->starts_with('/')) return std::nullopt;
  if (decoded->find('\0') != std::string::npos || decoded->find('\\') != std::string::npos) return std::nullopt;
  const auto place = std::find_if(places_.begin(), places_.end(),
                                  [&](const Place& candidate) { return decoded->starts_with(candidate.prefix); });
  const fs::path relative = fs::path(decoded->substr(place->prefix.size())).relative_path();
  for (const fs::path& part : relative) {
    if (part == ".." || part.native().starts_with('.')) return std::nullopt;
  }
  std::error_code error;
  fs::path path = fs::canonical(place->folder / relative, error);
  if (error) return std::nullopt;
  if (fs::is_directory(path, error)) {
    wants_slash = !decoded->ends_with('/');
    path = fs::canonical(path / "index.html", error);
    if (error) return std::nullopt;
  }
  if (place->follows_links) return path;
  // After links were followed it must still lie inside.
  const auto inside = std::mismatch(place->folder.begin(), place->folder.end(), path.begin(), path.end()).first;
  if (inside != place->folder.end()) return std::nullopt;
  return path;
}

Response StaticSite::answer(const Request& request) const {
  const bool head_only = request.method == "HEAD";
  if (!request.host || request.host->empty()) return plain(400, "The request names no host.", head_only);
  // A page on another site could make its own name point to this machine and then read what is served here.
  if (!is_allowed_host(*request.host)) {
    return plain(421, "This server does not answer under that name; start it with --host NAME to allow it.", head_only);
  }
  if (request.method != "GET" && !head_only) {
    Response response = plain(405, "Only GET and HEAD are known here.", false);
    response.headers.push_back({"Allow", "GET, HEAD"});
    return response;
  }

  bool wants_slash = false;
  const auto path = resolve(request.target, wants_slash);
  if (!path) return plain(404, "There is no such file here.", head_only);
  if (wants_slash) {
    Response response = plain(301, "The folder's address ends in a slash.", head_only);
    const std::string_view before_query = request.target.substr(0, request.target.find_first_of("?#"));
    // "//host/" would be another site's address.
    const std::size_t begin = before_query.find_first_not_of('/');
    response.headers.push_back(
        {"Location", fmt::format("/{}/{}", begin == std::string_view::npos ? "" : before_query.substr(begin),
                                 request.target.substr(before_query.size()))});
    return response;
  }

  fs::path chosen = *path;
  bool packed = false;
  if (request.range.empty() && accepts_gzip(request.accept_encoding)) {
    fs::path gzip = *path;
    gzip += ".gz";
    std::error_code error;
    if (fs::is_regular_file(fs::symlink_status(gzip, error))) {
      chosen = std::move(gzip);
      packed = true;
    }
  }
  auto file = host::open_file(chosen);
  if (!file.ok()) return plain(404, "There is no such file here.", head_only);

  Response response;
  response.head_only = head_only;
  response.file = std::move(file).value();
  const std::uint64_t size = response.file->size();
  response.length = size;
  const std::string tag = entity_tag(chosen, size, packed);
  response.headers = {{"Content-Type", std::string(mime_type(path->filename().native()))},
                      {"ETag", tag},
                      // Names stay the same from build to build, so a browser asks each time and gets 304.
                      {"Cache-Control", "no-cache"},
                      {"Accept-Ranges", "bytes"},
                      {"Vary", "Accept-Encoding"},
                      {"X-Content-Type-Options", "nosniff"},
                      {"Referrer-Policy", "no-referrer"},
                      {"Cross-Origin-Resource-Policy", "same-origin"}};
  if (packed) response.headers.push_back({"Content-Encoding", "gzip"});
  if (mime_type(path->filename().native()).starts_with("text/html"))
    response.headers.push_back({"Content-Security-Policy", std::string(kPagePolicy)});

  if (!tag.empty() && !request.if_none_match.empty() && names_tag(request.if_none_match, tag)) {
    response.status = 304;
    response.file.reset();
    return response;
  }
  const bool same_file = request.if_range.empty() || request.if_range == tag;
  if (const auto range = same_file ? parse_range(request.range, size) : std::nullopt) {
    if (range->length == 0) {
      response.status = 416;
      response.headers.push_back({"Content-Range", fmt::format("bytes */{}", size)});
      response.file.reset();
      return response;
    }
    response.status = 206;
    response.first = range->first;
    response.length = range->length;
    response.headers.push_back(
        {"Content-Range", fmt::format("bytes {}-{}/{}", range->first, range->first + range->length - 1, size)});
  }
  return response;
}

}  // namespace nns::server
