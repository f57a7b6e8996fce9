#include "native/collectives/connection.h"

#include <fmt/format.h>

#include <array>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <future>
#include <new>

namespace nns::collectives {

namespace asio = boost::asio;
using boost::system::error_code;

NetworkThread::NetworkThread() : guard_(asio::make_work_guard(context_)), thread_([this] { context_.run(); }) {}

NetworkThread::~NetworkThread() { stop(); }

void NetworkThread::run(const std::function<void()>& work) {
  std::promise<void> done;
  asio::post(context_, [&] {
    work();
    done.set_value();
  });
  done.get_future().wait();
}

void NetworkThread::stop() {
  if (!thread_.joinable()) return;
  context_.stop();
  thread_.join();
}

Connection::Connection(Socket socket) : socket_(std::move(socket)), life_(socket_.get_executor()) {
  error_code ignored;
  // Small messages go at once.
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
}

void Connection::start() { read_header(); }

std::string Connection::local_address() const {
  error_code error;
  const auto endpoint = socket_.local_endpoint(error);
  return error ? std::string() : endpoint.address().to_string();
}

void Connection::send(MessageHeader header, std::span<const std::byte> bytes,
                      std::function<void(const std::string&)> done) {
  header.size = bytes.size();
  push({header, bytes, nullptr, std::move(done)});
}

void Connection::send_text(MessageHeader header, std::string text) {
  const auto owned = std::make_shared<std::string>(std::move(text));
  header.size = owned->size();
  push({header, std::as_bytes(std::span(*owned)), owned, [](const std::string&) {}});
}

void Connection::push(Outgoing outgoing) {
  asio::post(socket_.get_executor(), [self = shared_from_this(), outgoing = std::move(outgoing)]() mutable {
    if (self->is_closed_) return outgoing.done("the connection is closed");
    self->queue_.push_back(std::move(outgoing));
    if (!self->is_writing_) self->write_next();
  });
}

void Connection::write_next() {
  if (queue_.empty()) return;
  if (is_closed_) return;
  is_writing_ = true;
  const Outgoing& next = queue_.front();
  const std::array<asio::const_buffer, 2> parts = {asio::buffer(&next.header, sizeof(MessageHeader)),
                                                   asio::buffer(next.bytes.data(), next.bytes.size())};
  asio::async_write(socket_, parts, [self = shared_from_this()](const error_code& error, std::size_t) {
    self->is_writing_ = false;
    if (self->is_closed_) return;
    if (error) return self->close(error.message());
    const std::function<void(const std::string&)> done = std::move(self->queue_.front().done);
    self->queue_.pop_front();
    done("");
    self->write_next();
  });
}

void Connection::expect_life(std::chrono::milliseconds longest_silence) {
  if (longest_silence.count() == 0 || is_closed_) return;
  longest_silence_ = longest_silence;
  heard_ = std::chrono::steady_clock::now();
  look_for_life();
}

void Connection::look_for_life() {
  // Of four words three may be late.
  life_.expires_after(longest_silence_ / 4);
  life_.async_wait([self = shared_from_this()](const error_code& error) {
    if (error || self->is_closed_) return;
    if (std::chrono::steady_clock::now() - self->heard_ > self->longest_silence_) {
      return self->close(fmt::format("nothing was heard of it for {} s",
                                     std::chrono::duration<double>(self->longest_silence_).count()));
    }
    MessageHeader alive;
    alive.type = MessageType::Alive;
    if (self->queue_.empty()) self->push({alive, {}, nullptr, [](const std::string&) {}});
    self->look_for_life();
  });
}

// Each part that comes is a sign of life, also of a message that takes minutes.
template <class Done>
void Connection::read(void* to, std::size_t size, Done done) {
  const auto left = [self = shared_from_this(), size](const error_code& error, std::size_t have) {
    if (self->longest_silence_.count() != 0) self->heard_ = std::chrono::steady_clock::now();
    return error ? 0 : size - have;
  };
  asio::async_read(socket_, asio::buffer(to, size), left,
                   [self = shared_from_this(), done](const error_code& error, std::size_t) {
                     if (error) return self->close(error == asio::error::eof ? "it was closed" : error.message());
                     if (!self->is_closed_) done(*self);
                   });
}

void Connection::read_header() {
  read(&header_, sizeof(header_), [](Connection& self) {
    if (self.header_.magic != MessageHeader::kMagic) return self.close("it speaks something else");
    self.read_body();
  });
}

void Connection::read_body() {
  // A size that nobody can mean, or that there is no memory for, ends the connection.
  const std::uint64_t size = header_.size;
  body_ = {};
  if (size <= most_bytes) body_.data.reset(new (std::nothrow) std::byte[static_cast<std::size_t>(size)]);
  if (!body_.data) return close(fmt::format("a message of {} bytes came, for which there is no memory", size));
  body_.size = static_cast<std::size_t>(size);
  read(body_.data.get(), body_.size, [](Connection& self) {
    if (self.header_.type != MessageType::Alive) self.on_message(self.header_, std::move(self.body_));
    if (!self.is_closed_) self.read_header();
  });
}

void Connection::close(const std::string& why) {
  if (std::exchange(is_closed_, true)) return;
  life_.cancel();
  error_code ignored;
  socket_.shutdown(Socket::shutdown_both, ignored);
  socket_.close(ignored);
  for (const Outgoing& one : std::exchange(queue_, {})) one.done(why);
  if (on_closed) on_closed(why);
  // They hold what holds this connection.
  asio::post(socket_.get_executor(), [self = shared_from_this()] {
    self->on_message = nullptr;
    self->on_closed = nullptr;
  });
}

}  // namespace nns::collectives
