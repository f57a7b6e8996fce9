#include "native/server/live_access.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace nns::server {

namespace {

/// Calls `visit` with each item of a list with commas.
template <class Visit>
void for_each_item(std::string_view list, const Visit& visit) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    std::string_view item = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    while (!item.empty() && (item.front() == ' ' || item.front() == '\t')) item.remove_prefix(1);
    while (!item.empty() && (item.back() == ' ' || item.back() == '\t')) item.remove_suffix(1);
    if (!item.empty()) visit(item);
  }
}

}  // namespace

bool is_same_token(std::string_view given, std::string_view right) {
  if (right.empty() || given.size() != right.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < right.size(); ++i) {
    difference |= static_cast<unsigned>(static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(right[i]));
  }
  return difference == 0;
}

LiveDecision decide(const LiveAccess& access, const LiveRequest& request) {
  // A page of any site can connect to this machine; only the browser says whose page it is.
  if (request.origin) {
    const std::string own = fmt::format("http://{}", request.host);
    const bool is_own = *request.origin == own;
    const bool is_allowed = std::find(access.allowed_origins.begin(), access.allowed_origins.end(), *request.origin) !=
                            access.allowed_origins.end();
    if (!is_own && !is_allowed) {
      return {403, "Pages of that origin may not connect; --allow-origin ORIGIN allows it.", false};
    }
  }
  bool speaks = false;
  std::optional<std::string_view> token;
  for_each_item(request.protocols, [&](std::string_view item) {
    constexpr std::string_view kToken = "token.";
    if (item == kLiveProtocol) speaks = true;
    if (item.starts_with(kToken)) token = item.substr(kToken.size());
  });
  if (!speaks) return {400, "The protocol of streams here is nnscope.1.", false};
  if (!token) {
    if (access.needs_token) return {401, "This stream needs the token that was printed when it began.", false};
    return {};
  }
  const bool controls = is_same_token(*token, access.control_token);
  const bool watches = is_same_token(*token, access.watch_token);
  if (!controls && !watches) return {401, "That is not a token of this stream.", false};
  return {101, {}, controls};
}

std::string make_token() {
  std::array<unsigned char, 16> bits{};
  // Without a random source there are no secrets: better no server.
  if (::getentropy(bits.data(), bits.size()) != 0) std::abort();
  std::string text;
  for (const unsigned char byte : bits) text += fmt::format("{:02x}", byte);
  return text;
}

bool is_origin(std::string_view text) {
  const std::size_t scheme = text.find("://");
  if (scheme == std::string_view::npos || scheme == 0) return false;
  const std::string_view rest = text.substr(scheme + 3);
  return !rest.empty() && rest.find_first_of("/?#@ ") == std::string_view::npos;
}

}  // namespace nns::server
