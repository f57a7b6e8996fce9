#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

namespace nns::tests {

/// A TCP connection to a port of this machine, for requests that no polite client would send.
class RawSocket {
 public:
  explicit RawSocket(std::uint16_t port) : descriptor_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    is_connected_ = ::connect(descriptor_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  static RawSocket adopt(int descriptor) { return RawSocket(descriptor, 0); }
  RawSocket(RawSocket&& other) noexcept : descriptor_(other.descriptor_), is_connected_(other.is_connected_) {
    other.descriptor_ = -1;
  }
  ~RawSocket() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  bool is_connected() const { return is_connected_; }
  void send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t count = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
  }
  /// Everything until the other side closes, or `milliseconds` pass without a byte.
  std::string read_all(int milliseconds = 5000) const { return read_until("", milliseconds); }
  /// The same, but ends as soon as `mark` was read.
  std::string read_until(std::string_view mark, int milliseconds = 5000) const {
    std::string text;
    char piece[65536];
    pollfd waiting{descriptor_, POLLIN, 0};
    while (::poll(&waiting, 1, milliseconds) > 0) {
      const ssize_t count = ::recv(descriptor_, piece, sizeof piece, 0);
      if (count <= 0) break;
      text.append(piece, static_cast<std::size_t>(count));
      if (!mark.empty() && text.find(mark) != std::string::npos) break;
    }
    return text;
  }
  /// Whether the other side closes within `milliseconds`.
  bool is_closed_within(int milliseconds) const {
    pollfd waiting{descriptor_, POLLIN, 0};
    char piece[4096];
    while (::poll(&waiting, 1, milliseconds) > 0) {
      if (::recv(descriptor_, piece, sizeof piece, 0) <= 0) return true;
    }
    return false;
  }

 private:
  RawSocket(int descriptor, int) : descriptor_(descriptor), is_connected_(true) {}
  int descriptor_;
  bool is_connected_ = false;
};

/// One request, one answer, closed.
inline std::string exchange(std::uint16_t port, std::string_view request) {
  const RawSocket socket(port);
  socket.send(request);
  return socket.read_all();
}

/// A server that answers each connection's first request with what `reply` says, however wrong.
class ScriptedServer {
 public:
  explicit ScriptedServer(std::function<std::string(const std::string& request)> reply) : reply_(std::move(reply)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    (void)::bind(listener_, reinterpret_cast<sockaddr*>(&address), size);
    (void)::listen(listener_, 16);
    (void)::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] {
      while (true) {
        const int client = ::accept(listener_, nullptr, nullptr);
        if (client < 0) return;
        const RawSocket socket = RawSocket::adopt(client);
        const std::string request = socket.read_until("\r\n\r\n", 2000);
        if (!request.empty()) socket.send(reply_(request));
      }
    });
  }
  ~ScriptedServer() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }
  std::uint16_t port() const { return port_; }
  std::string url(std::string_view path) const {
    return "http://127.0.0.1:" + std::to_string(port_) + std::string(path);
  }

 private:
  std::function<std::string(const std::string&)> reply_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

}  // namespace nns::tests
