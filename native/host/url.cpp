#include "native/host/url.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "native/host/relative_name.h"

namespace nns::host {

namespace {

char lower(char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter; }

bool starts_with_ignoring_case(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() &&
         std::equal(prefix.begin(), prefix.end(), text.begin(), [](char a, char b) { return a == lower(b); });
}

/// A URL cut at its joints; each part is a view into the text.
struct Parts {
  std::string_view origin;  // "https://host:port", with user info if there is one
  std::string_view host;    // without user info and port
  std::string_view path;    // begins with '/', or is empty
  std::string_view query;   // begins with '?', or is empty
};

Parts split(std::string_view url) {
  url = url.substr(0, url.find('#'));
  Parts parts;
  const std::size_t query = std::min(url.find('?'), url.size());
  parts.query = url.substr(query);
  url = url.substr(0, query);
  const std::size_t authority = url.find("://") + 3;
  const std::size_t path = std::min(url.find('/', authority), url.size());
  parts.origin = url.substr(0, path);
  parts.path = url.substr(path);
  std::string_view host = url.substr(authority, path - authority);
  if (const std::size_t at = host.rfind('@'); at != std::string_view::npos) host = host.substr(at + 1);
  if (!host.starts_with('[')) host = host.substr(0, host.find(':'));
  parts.host = host;
  return parts;
}

std::vector<std::string_view> path_segments(std::string_view path) {
  std::vector<std::string_view> segments;
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::size_t end = std::min(path.find('/'), path.size());
    if (end > 0) segments.push_back(path.substr(0, end));
    path = path.substr(end);
  }
  return segments;
}

std::string joined(const std::vector<std::string_view>& segments, std::size_t first) {
  std::string text;
  for (std::size_t i = first; i < segments.size(); ++i) text.append("/").append(segments[i]);
  return text;
}

/// First parts of paths on Hugging Face that are no owners of models.
constexpr std::array<std::string_view, 14> kNotOwners = {"blog",   "chat",    "collections", "docs", "join",
                                                         "learn",  "login",   "models",      "new",  "organizations",
                                                         "papers", "pricing", "settings",    "tasks"};

template <class Range>
bool contains(const Range& range, std::string_view text) {
  return std::find(std::begin(range), std::end(range), text) != std::end(range);
}

/// Of /[datasets|spaces/][OWNER/]NAME[/blob|tree/REVISION/PATH]; empty if the path is neither.
std::vector<std::string> hugging_face_urls(const Parts& parts) {
  constexpr std::array<std::string_view, 3> kPages = {"blob", "tree", "resolve"};
  const auto segments = path_segments(parts.path);
  if (segments.empty() || contains(kNotOwners, segments[0])) return {};
  const std::size_t kind = segments[0] == "datasets" || segments[0] == "spaces" ? 1 : 0;
  std::size_t at = 0;
  for (const std::size_t place : {1 + kind, 2 + kind}) {
    if (at == 0 && segments.size() > place && contains(kPages, segments[place])) at = place;
  }
  const auto repository = [&](std::size_t count) {
    std::string text(parts.origin);
    for (std::size_t i = 0; i < count; ++i) text.append("/").append(segments[i]);
    return text;
  };
  std::string folder;
  if (at == 0) {
    // Data sets and spaces hold no model of their own.
    if (kind != 0 || segments.size() > 2) return {};
    folder = repository(segments.size()) + "/resolve/main";
  } else if (segments[at] == "blob" && segments.size() > at + 2) {
    return {fmt::format("{}/resolve{}{}", repository(at), joined(segments, at + 1), parts.query)};
  } else if (segments[at] == "tree" && segments.size() > at + 1) {
    folder = fmt::format("{}/resolve{}", repository(at), joined(segments, at + 1));
  } else {
    return {};
  }
  std::vector<std::string> urls;
  for (const std::string_view name :
       {"model.safetensors.index.json", "model.safetensors", "pytorch_model.bin.index.json", "pytorch_model.bin"}) {
    urls.push_back(fmt::format("{}/{}", folder, name));
  }
  return urls;
}

bool is_unreserved(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') ||
         letter == '-' || letter == '.' || letter == '_' || letter == '~' || letter == '/';
}

int hex_value(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  const char letter = lower(digit);
  return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

}  // namespace

bool is_url(std::string_view text) {
  return starts_with_ignoring_case(text, "http://") || starts_with_ignoring_case(text, "https://");
}

std::vector<std::string> raw_urls(std::string_view url) {
  const Parts parts = split(url);
  if (parts.host == "huggingface.co" || parts.host == "www.huggingface.co" || parts.host == "hf.co") {
    if (auto urls = hugging_face_urls(parts); !urls.empty()) return urls;
  }
  if (parts.host == "github.com" || parts.host == "www.github.com") {
    const auto segments = path_segments(parts.path);
    if (segments.size() > 4 && segments[2] == "blob") {
      return {fmt::format("{}/{}/{}/raw{}", parts.origin, segments[0], segments[1], joined(segments, 3))};
    }
  }
  return {std::string(url.substr(0, url.find('#')))};
}

base::Result<std::string> sibling_url(std::string_view url, std::string_view name) {
  NNS_TRY(check_relative_name(name, shown_url(url)));
  const Parts parts = split(url);
  std::string text(parts.origin);
  text += parts.path.empty() ? "/" : parts.path.substr(0, parts.path.rfind('/') + 1);
  return text + percent_encode(name);
}

std::string shown_url(std::string_view url) {
  const std::size_t authority = url.find("://");
  if (authority == std::string_view::npos) return std::string(url);
  const std::size_t begin = authority + 3;
  const std::string_view host = url.substr(begin, url.find_first_of("/?#", begin) - begin);
  const std::size_t at = host.rfind('@');
  if (at == std::string_view::npos) return std::string(url);
  return fmt::format("{}{}", url.substr(0, begin), url.substr(begin + at + 1));
}

std::string url_file_name(std::string_view url) {
  const Parts parts = split(url);
  std::string_view path = parts.path;
  while (path.ends_with('/')) path.remove_suffix(1);
  const std::string_view last = path.substr(path.rfind('/') + 1);
  if (last.empty()) return std::string(parts.host);
  return percent_decode(last).value_or(std::string(last));
}

std::string percent_encode(std::string_view text) {
  std::string encoded;
  for (const char letter : text) {
    if (is_unreserved(letter)) {
      encoded += letter;
    } else {
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(letter));
    }
  }
  return encoded;
}

std::optional<std::string> percent_decode(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = hex_value(text[i + 1]);
    const int low = hex_value(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    decoded += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return decoded;
}

}  // namespace nns::host
