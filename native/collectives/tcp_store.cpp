#include "native/collectives/tcp_store.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <boost/asio/connect.hpp>
#include <charconv>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>

#include "native/collectives/error.h"

namespace nns::collectives {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using parallel::ReceivedBytes;

namespace {

enum Request : std::uint32_t { Set, Get, Add, CompareSet, Check, Remove, Count };
// A request is a few names and values; nothing that anybody means is larger.
constexpr std::uint64_t kMostRequestBytes = std::uint64_t{64} * 1024 * 1024;
constexpr std::chrono::minutes kAnswerTime(5);

// Fields are texts with their lengths in front.
std::string packed(const std::vector<std::string>& fields) {
  std::string bytes;
  for (const std::string& field : fields) {
    const auto size = static_cast<std::uint32_t>(field.size());
    bytes.append(reinterpret_cast<const char*>(&size), sizeof(size));
    bytes += field;
  }
  return bytes;
}
std::optional<std::vector<std::string>> unpacked(std::span<const std::byte> bytes) {
  std::vector<std::string> fields;
  while (!bytes.empty()) {
    std::uint32_t size = 0;
    if (bytes.size() < sizeof(size)) return std::nullopt;
    std::memcpy(&size, bytes.data(), sizeof(size));
    bytes = bytes.subspan(sizeof(size));
    if (size > bytes.size()) return std::nullopt;
    fields.emplace_back(reinterpret_cast<const char*>(bytes.data()), size);
    bytes = bytes.subspan(size);
  }
  return fields;
}

}  // namespace

// ---------------------------------------------------------------- the server: all of it on the network thread

struct StoreServer::State : std::enable_shared_from_this<StoreServer::State> {
  explicit State(asio::io_context& context) : acceptor(context) {}
  tcp::acceptor acceptor;
  std::shared_ptr<parallel::Store> values = parallel::make_hash_store();
  struct Waiting {
    std::weak_ptr<Connection> who;
    std::uint64_t number = 0;
    std::string key;
  };
  std::vector<Waiting> waiting;
  std::vector<std::weak_ptr<Connection>> clients;
  bool is_stopping = false;

  static void reply(const std::shared_ptr<Connection>& who, std::uint64_t number,
                    const base::Result<std::string>& answer) {
    if (!who) return;
    MessageHeader header;
    header.type = MessageType::Reply;
    header.sequence = number;
    header.step = answer.ok() ? 0 : 1;
    who->send_text(header, answer.ok() ? answer.value() : answer.error().message());
  }

  void accept_next() {
    acceptor.async_accept([self = shared_from_this()](const error_code& failed, tcp::socket socket) {
      if (failed || self->is_stopping) return;
      const auto client = std::make_shared<Connection>(std::move(socket));
      client->most_bytes = kMostRequestBytes;
      const std::weak_ptr<Connection> weak = client;
      client->on_message = [self, weak](const MessageHeader& header, const ReceivedBytes& bytes) {
        if (const auto who = weak.lock()) self->answer(who, header, bytes);
      };
      client->on_closed = [](const std::string&) {};
      std::erase_if(self->clients, [](const auto& one) { return one.expired(); });
      self->clients.push_back(weak);
      client->start();
      self->accept_next();
    });
  }

  void answer(const std::shared_ptr<Connection>& who, const MessageHeader& header, const ReceivedBytes& bytes) {
    const std::optional<std::vector<std::string>> given = unpacked(bytes.view());
    constexpr std::size_t kFields[] = {2, 1, 2, 3, 0, 1, 0};
    const bool is_known = header.type == MessageType::Request && given && header.step <= Request::Count &&
                          (header.step == Request::Check || given->size() == kFields[header.step]);
    if (!is_known) return who->close("it asked for something that nobody knows");
    const std::vector<std::string>& fields = *given;
    const auto number_text = [](const base::Result<std::int64_t>& result) -> base::Result<std::string> {
      if (!result.ok()) return result.error();
      return fmt::to_string(result.value());
    };
    base::Result<std::string> result = std::string();
    switch (header.step) {
      case Request::Set:
        if (const auto done = values->set(fields[0], fields[1]); !done.ok()) result = done.error();
        break;
      case Request::Get:
        if (!values->check({fields[0]}).value()) {
          waiting.push_back({who, header.sequence, fields[0]});
          return;
        }
        result = values->get(fields[0], parallel::Store::Timeout(0));
        break;
      case Request::Add: {
        std::int64_t amount = 0;
        std::from_chars(fields[1].data(), fields[1].data() + fields[1].size(), amount);
        result = number_text(values->add(fields[0], amount));
        break;
      }
      case Request::CompareSet:
        result = values->compare_set(fields[0], fields[1], fields[2]);
        break;
      case Request::Check:
        result = std::string(values->check(fields).value() ? "1" : "0");
        break;
      case Request::Remove:
        result = std::string(values->remove(fields[0]).value() ? "1" : "0");
        break;
      default:
        result = number_text(values->key_count());
        break;
    }
    reply(who, header.sequence, result);
    wake();
  }

  void wake() {
    std::erase_if(waiting, [this](const Waiting& one) {
      if (one.who.expired()) return true;
      if (!values->check({one.key}).value()) return false;
      reply(one.who.lock(), one.number, values->get(one.key, parallel::Store::Timeout(0)));
      return true;
    });
  }
};

StoreServer::StoreServer(std::shared_ptr<NetworkThread> network, std::shared_ptr<State> state)
    : network_(std::move(network)), state_(std::move(state)) {}

base::Result<std::shared_ptr<StoreServer>> StoreServer::listen(const std::shared_ptr<NetworkThread>& network,
                                                               const std::string& host, int port, int inherited) {
  const auto state = std::make_shared<State>(network->context());
  std::shared_ptr<StoreServer> server(new StoreServer(network, state));
  error_code failed;
  network->run([&] {
    tcp::acceptor& acceptor = state->acceptor;
    if (inherited >= 0) {
      acceptor.assign(tcp::v4(), inherited, failed);
    } else {
      tcp::resolver resolver(network->context());
      const auto found = resolver.resolve(host, fmt::to_string(port), failed);
      if (failed) return;
      const tcp::endpoint named = found.begin()->endpoint();
      const bool is_local = named.address().is_loopback();
      const tcp::endpoint at = is_local ? named : tcp::endpoint(named.protocol(), static_cast<unsigned short>(port));
      acceptor.open(at.protocol(), failed);
      if (!failed) acceptor.set_option(asio::socket_base::reuse_address(true), failed);
      if (!failed) acceptor.bind(at, failed);
      if (!failed) acceptor.listen(asio::socket_base::max_listen_connections, failed);
    }
    if (failed) return;
    server->port_ = acceptor.local_endpoint(failed).port();
    state->accept_next();
  });
  if (failed) return error(fmt::format("cannot keep a store at {}:{}: {}", host, port, failed.message()));
  return server;
}

StoreServer::~StoreServer() {
  network_->run([&] {
    state_->is_stopping = true;
    error_code ignored;
    state_->acceptor.close(ignored);
    for (const auto& weak : state_->clients) {
      if (const auto client = weak.lock()) client->close("the store is gone");
    }
    state_->waiting.clear();
  });
  network_->run([] {});
}

// ---------------------------------------------------------------- the client

struct TcpStore::Pending {
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::uint64_t, std::optional<base::Result<std::string>>> answers;
  std::string closed;
};

TcpStore::TcpStore(std::shared_ptr<NetworkThread> network, std::shared_ptr<Connection> connection, std::string place)
    : network_(std::move(network)),
      connection_(std::move(connection)),
      pending_(std::make_shared<Pending>()),
      place_(std::move(place)) {}

TcpStore::~TcpStore() {
  network_->run([&] { connection_->close("this rank left"); });
  network_->run([] {});
}

base::Result<std::shared_ptr<TcpStore>> TcpStore::connect(const std::shared_ptr<NetworkThread>& network,
                                                          const std::string& host, int port, Timeout timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  constexpr std::chrono::milliseconds kPause(20);
  std::shared_ptr<Connection> connection;
  error_code failed;
  while (true) {
    // A connection of its own thread's making: what a far machine does not answer takes the system's own time.
    tcp::socket socket(network->context());
    tcp::resolver resolver(network->context());
    const auto found = resolver.resolve(host, fmt::to_string(port), failed);
    if (!failed) asio::connect(socket, found, failed);
    if (!failed) {
      connection = std::make_shared<Connection>(std::move(socket));
      break;
    }
    if (std::chrono::steady_clock::now() + kPause > deadline) {
      return error(fmt::format("nobody keeps a store at {}:{} ({}); rank 0 must be started, within {} ms", host, port,
                               failed.message(), timeout.count()));
    }
    std::this_thread::sleep_for(kPause);
  }
  std::shared_ptr<TcpStore> store(new TcpStore(network, connection, fmt::format("{}:{}", host, port)));
  const std::shared_ptr<Pending> pending = store->pending_;
  network->run([&] {
    store->local_address_ = connection->local_address();
    connection->on_message = [pending](const MessageHeader& header, const ReceivedBytes& bytes) {
      std::string text(reinterpret_cast<const char*>(bytes.data.get()), bytes.size);
      {
        const std::lock_guard lock(pending->mutex);
        const auto asked = pending->answers.find(header.sequence);
        if (asked == pending->answers.end()) return;
        asked->second = header.step == 0 ? base::Result<std::string>(std::move(text))
                                         : base::Result<std::string>(error(std::move(text)));
      }
      pending->changed.notify_all();
    };
    connection->on_closed = [pending](const std::string& why) {
      {
        const std::lock_guard lock(pending->mutex);
        pending->closed = why;
      }
      pending->changed.notify_all();
    };
    connection->start();
  });
  return store;
}

base::Result<std::string> TcpStore::ask(std::uint32_t request, const std::vector<std::string>& fields, Timeout timeout,
                                        const std::string& on_timeout) {
  MessageHeader header;
  header.type = MessageType::Request;
  header.step = request;
  {
    const std::lock_guard lock(pending_->mutex);
    header.sequence = ++asked_;
    pending_->answers[header.sequence] = std::nullopt;
  }
  connection_->send_text(header, packed(fields));
  std::unique_lock lock(pending_->mutex);
  pending_->changed.wait_for(
      lock, timeout, [&] { return !pending_->closed.empty() || pending_->answers[header.sequence].has_value(); });
  const std::optional<base::Result<std::string>> answer = std::move(pending_->answers[header.sequence]);
  pending_->answers.erase(header.sequence);
  if (answer) return *answer;
  if (!pending_->closed.empty()) {
    return error(fmt::format("the store at {} is gone: its connection ended ({})", place_, pending_->closed));
  }
  return error(on_timeout);
}

base::Result<void> TcpStore::set(const std::string& key, const std::string& value) {
  NNS_TRY(ask(Request::Set, {key, value}, kAnswerTime, fmt::format("the store at {} does not answer", place_)));
  return {};
}

base::Result<std::string> TcpStore::get(const std::string& key, Timeout timeout) {
  return ask(Request::Get, {key}, timeout, fmt::format("wait timeout after {}ms, keys: /{}", timeout.count(), key));
}

base::Result<std::int64_t> TcpStore::add(const std::string& key, std::int64_t amount) {
  NNS_TRY_ASSIGN(const std::string text, ask(Request::Add, {key, fmt::to_string(amount)}, kAnswerTime,
                                             fmt::format("the store at {} does not answer", place_)));
  std::int64_t sum = 0;
  std::from_chars(text.data(), text.data() + text.size(), sum);
  return sum;
}

base::Result<std::string> TcpStore::compare_set(const std::string& key, const std::string& expected,
                                                const std::string& desired) {
  return ask(Request::CompareSet, {key, expected, desired}, kAnswerTime,
             fmt::format("the store at {} does not answer", place_));
}

base::Result<bool> TcpStore::check(const std::vector<std::string>& keys) {
  NNS_TRY_ASSIGN(const std::string text,
                 ask(Request::Check, keys, kAnswerTime, fmt::format("the store at {} does not answer", place_)));
  return text == "1";
}

base::Result<bool> TcpStore::remove(const std::string& key) {
  NNS_TRY_ASSIGN(const std::string text,
                 ask(Request::Remove, {key}, kAnswerTime, fmt::format("the store at {} does not answer", place_)));
  return text == "1";
}

base::Result<std::int64_t> TcpStore::key_count() {
  NNS_TRY_ASSIGN(const std::string text,
                 ask(Request::Count, {}, kAnswerTime, fmt::format("the store at {} does not answer", place_)));
  std::int64_t count = 0;
  std::from_chars(text.data(), text.data() + text.size(), count);
  return count;
}

}  // namespace nns::collectives
