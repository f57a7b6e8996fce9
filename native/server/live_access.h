#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nns::server {

/// Who may watch a stream, and who may control it.
struct LiveAccess {
  bool needs_token = false;   ///< even to watch: the server can be reached from other machines
  std::string watch_token;    ///< empty: none gives only that
  std::string control_token;  ///< who has it may also control
  /// Pages of these origins may connect ("https://example.org"), besides those that this server gave out itself.
  std::vector<std::string> allowed_origins;
};

/// What a client that asks for a stream says of itself. Views live as long as the request.
struct LiveRequest {
  std::string_view host;                   ///< the Host header, already one of this server's names
  std::optional<std::string_view> origin;  ///< as browsers tell it; programs tell none
  std::string_view protocols;              ///< Sec-WebSocket-Protocol: "nnscope.1, token.0123..."
};

struct LiveDecision {
  int status = 101;          ///< else the status of the refusal
  std::string_view text;     ///< why
  bool may_control = false;  ///< if not refused
};

/// The name of the stream's protocol in the handshake; a token goes beside it, as "token." and its digits, because a
/// page can set no other header and addresses are written into logs.
inline constexpr std::string_view kLiveProtocol = "nnscope.1";

/// Whether and how far a client is let in.
LiveDecision decide(const LiveAccess& access, const LiveRequest& request);

/// 128 bits of the system's random source, as hexadecimal digits.
std::string make_token();

/// Whether both are the same; takes as long for every `given` of the same length.
bool is_same_token(std::string_view given, std::string_view right);

/// Whether `text` is an origin: scheme, host, perhaps a port, nothing else.
bool is_origin(std::string_view text);

}  // namespace nns::server
