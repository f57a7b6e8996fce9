#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <deque>
#include <functional>
#include <thread>

#include "core/parallel/mesh.h"

namespace nns::collectives {

/// The thread on which everything of the network happens. What is posted runs there, in order.
class NetworkThread {
 public:
  NetworkThread();
  ~NetworkThread();
  NetworkThread(const NetworkThread&) = delete;
  NetworkThread& operator=(const NetworkThread&) = delete;
  boost::asio::io_context& context() { return context_; }
  /// Runs `work` there and waits for it.
  void run(const std::function<void()>& work);
  /// Nothing runs there afterwards.
  void stop();

 private:
  boost::asio::io_context context_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard_;
  std::thread thread_;
};

/// What a message is for.
/// Alive: nothing else was to be said for a while (Connection::expect_life).
enum class MessageType : std::uint32_t { Hello, Data, Failure, Bye, ByeHeard, Request, Reply, Alive };

/// In front of every message. Numbers are little-endian, as all machines that nnscope runs on have them.
struct MessageHeader {
  static constexpr std::uint32_t kMagic = 0x314D4E4E;  // "NNM1"
  std::uint32_t magic = kMagic;
  MessageType type = MessageType::Data;
  std::uint64_t group = 0;
  std::uint64_t sequence = 0;
  std::uint32_t step = 0;
  std::uint8_t kind = 0, op = 0, dtype = 0, unused = 0;
  std::int32_t root = 0;
  std::uint32_t rank = 0;
  std::uint64_t share_bytes = 0;
  /// Of what follows. Units: bytes.
  std::uint64_t size = 0;
};
static_assert(sizeof(MessageHeader) == 56 && std::is_trivially_copyable_v<MessageHeader>);

/// Messages over one TCP connection.
/// Threads: send() any; all else, and the callbacks, on the network thread.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using Socket = boost::asio::ip::tcp::socket;
  explicit Connection(Socket socket);

  std::function<void(const MessageHeader& header, parallel::ReceivedBytes bytes)> on_message;
  /// Once, with the reason.
  std::function<void(const std::string& why)> on_closed;

  /// A longer message ends the connection. Units: bytes.
  std::uint64_t most_bytes = std::uint64_t{1} << 40U;
  /// Begins to read. Both callbacks are set by then.
  void start();
  /// Lets the other end hear from here now and then, and ends the connection where nothing comes from there for so
  /// long: that machine or its process stands still, or the way to it is cut. Both ends do this. Zero: neither.
  void expect_life(std::chrono::milliseconds longest_silence);
  /// Sends `bytes`, which stay until `done` was called with what went wrong (empty: nothing).
  void send(MessageHeader header, std::span<const std::byte> bytes, std::function<void(const std::string&)> done);
  /// The same with bytes of its own.
  void send_text(MessageHeader header, std::string text);
  void close(const std::string& why);
  std::string local_address() const;

 private:
  struct Outgoing {
    MessageHeader header;
    std::span<const std::byte> bytes;
    std::shared_ptr<std::string> owned;
    std::function<void(const std::string&)> done;
  };
  void push(Outgoing outgoing);
  void write_next();
  void read_header();
  void read_body();
  template <class Done>
  void read(void* to, std::size_t size, Done done);
  void look_for_life();

  Socket socket_;
  boost::asio::steady_timer life_;
  std::chrono::milliseconds longest_silence_{0};
  std::chrono::steady_clock::time_point heard_;
  std::deque<Outgoing> queue_;
  bool is_writing_ = false;
  bool is_closed_ = false;
  MessageHeader header_;
  parallel::ReceivedBytes body_;
};

}  // namespace nns::collectives
