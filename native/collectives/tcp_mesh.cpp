#include "native/collectives/tcp_mesh.h"

#include <fmt/format.h>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <charconv>
#include <random>

#include "native/collectives/error.h"
#include "native/collectives/settled_work.h"

namespace nns::collectives {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using parallel::ReceivedBytes;

struct TcpMesh::Peers {
  explicit Peers(asio::io_context& context, int ranks)
      : acceptor(context), connections(static_cast<std::size_t>(ranks)), heard_bye(connections.size(), false) {}
  tcp::acceptor acceptor;
  std::vector<std::shared_ptr<Connection>> connections;
  std::vector<bool> heard_bye;
  /// Guards what the other threads look at: how many are connected, and who heard the goodbye.
  std::mutex mutex;
  std::condition_variable changed;
  int connected = 0;
  bool is_stopping = false;
};

TcpMesh::TcpMesh(std::shared_ptr<NetworkThread> network, MeshPlace place)
    : network_(std::move(network)),
      place_(std::move(place)),
      mailbox_(std::make_shared<Mailbox>(place_.size)),
      peers_(std::make_shared<Peers>(network_->context(), place_.size)) {}

TcpMesh::~TcpMesh() { close(); }

base::Result<std::shared_ptr<TcpMesh>> TcpMesh::join(const std::shared_ptr<NetworkThread>& network,
                                                     parallel::Store& store, const MeshPlace& place) {
  std::shared_ptr<TcpMesh> mesh(new TcpMesh(network, place));
  NNS_TRY(mesh->connect(store));
  return mesh;
}

// Each rank listens, writes down where, and connects to those before it.
base::Result<void> TcpMesh::connect(parallel::Store& store) {
  const auto deadline = std::chrono::steady_clock::now() + place_.timeout;
  const auto left = [&] {
    const auto time =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    return std::max(time, std::chrono::milliseconds(0));
  };
  const auto key = [&](const std::string& name) { return fmt::format("{}/{}", place_.prefix, name); };
  if (place_.rank == 0) {
    std::random_device random;
    secret_ = (static_cast<std::uint64_t>(random()) << 32U) | random();
    NNS_TRY(store.set(key("secret"), fmt::to_string(secret_)));
  } else {
    NNS_TRY_ASSIGN(const std::string text, store.get(key("secret"), left()));
    std::from_chars(text.data(), text.data() + text.size(), secret_);
  }
  error_code failed;
  std::string address;
  network_->run([&] {
    const auto own = asio::ip::make_address(place_.host, failed);
    if (failed) return;
    tcp::acceptor& acceptor = peers_->acceptor;
    // Off this machine others may come by any of its addresses.
    const tcp::endpoint at(own.is_loopback() ? own
                                             : (own.is_v4() ? asio::ip::address(asio::ip::address_v4::any())
                                                            : asio::ip::address(asio::ip::address_v6::any())),
                           0);
    acceptor.open(at.protocol(), failed);
    if (!failed) acceptor.bind(at, failed);
    if (!failed) acceptor.listen(asio::socket_base::max_listen_connections, failed);
    if (failed) return;
    address = fmt::format("{} {}", place_.host, acceptor.local_endpoint(failed).port());
    accept_next();
  });
  if (failed) return error(fmt::format("rank {} cannot listen at {}: {}", place_.rank, place_.host, failed.message()));
  NNS_TRY(store.set(key(fmt::to_string(place_.rank)), address));
  for (int rank = 0; rank < place_.rank; ++rank) {
    NNS_TRY_ASSIGN(const std::string where, store.get(key(fmt::to_string(rank)), left()));
    network_->run([&] { connect_to(rank, where, 0); });
  }
  std::unique_lock lock(peers_->mutex);
  const int wanted = place_.size - 1;
  if (!peers_->changed.wait_until(lock, deadline, [&] { return peers_->connected == wanted; })) {
    return error(fmt::format("rank {}: only {} of {} other ranks came within {} ms", place_.rank, peers_->connected,
                             wanted, place_.timeout.count()));
  }
  return {};
}

void TcpMesh::accept_next() {
  peers_->acceptor.async_accept([this, peers = peers_](const error_code& failed, tcp::socket socket) {
    if (failed || peers->is_stopping) return;
    const auto connection = std::make_shared<Connection>(std::move(socket));
    const std::weak_ptr<Connection> weak = connection;
    connection->on_message = [this, peers, weak](const MessageHeader& header, const ReceivedBytes&) {
      const std::shared_ptr<Connection> self = weak.lock();
      if (!self) return;
      if (peers->is_stopping) return self->close("this rank left");
      const bool is_welcome = header.type == MessageType::Hello && header.group == secret_ && header.size == 0 &&
                              header.rank > static_cast<std::uint32_t>(place_.rank) &&
                              header.rank < static_cast<std::uint32_t>(place_.size) &&
                              !peers_->connections[header.rank];
      if (!is_welcome) return self->close("it is no rank of this world");
      // What runs here is replaced by that.
      asio::post(network_->context(), [this, peers, self, rank = static_cast<int>(header.rank)] {
        if (!peers->is_stopping) adopt(rank, self);
      });
    };
    connection->on_closed = [](const std::string&) {};
    connection->start();
    accept_next();
  });
}

void TcpMesh::connect_to(int rank, const std::string& address, int tries) {
  const std::size_t space = address.rfind(' ');
  error_code bad;
  const auto host = asio::ip::make_address(address.substr(0, space), bad);
  unsigned port = 0;
  std::from_chars(address.data() + space + 1, address.data() + address.size(), port);
  if (bad) return mailbox_->note_gone(rank, fmt::format("its address is {}", address));
  auto socket = std::make_shared<tcp::socket>(network_->context());
  socket->async_connect({host, static_cast<unsigned short>(port)},
                        [this, peers = peers_, socket, rank, address, tries](const error_code& failed) {
                          if (peers->is_stopping) return;
                          if (failed) {
                            // It listens; a busy machine may still refuse for a moment.
                            constexpr int kMostTries = 50;
                            if (tries >= kMostTries) return mailbox_->note_gone(rank, failed.message());
                            auto timer = std::make_shared<asio::steady_timer>(network_->context());
                            timer->expires_after(std::chrono::milliseconds(100));
                            timer->async_wait([this, peers, timer, rank, address, tries](const error_code&) {
                              if (!peers->is_stopping) connect_to(rank, address, tries + 1);
                            });
                            return;
                          }
                          const auto connection = std::make_shared<Connection>(std::move(*socket));
                          MessageHeader hello;
                          hello.type = MessageType::Hello;
                          hello.group = secret_;
                          hello.rank = static_cast<std::uint32_t>(place_.rank);
                          connection->send(hello, {}, [](const std::string&) {});
                          adopt(rank, connection);
                          connection->start();
                        });
}

void TcpMesh::adopt(int rank, const std::shared_ptr<Connection>& connection) {
  const auto at = static_cast<std::size_t>(rank);
  peers_->connections[at] = connection;
  connection->on_message = [this, rank](const MessageHeader& header, ReceivedBytes bytes) {
    on_message(rank, header, std::move(bytes));
  };
  connection->on_closed = [this, peers = peers_, rank, at](const std::string& why) {
    {
      const std::lock_guard lock(peers->mutex);
      peers->heard_bye[at] = true;
    }
    peers->changed.notify_all();
    if (!peers->is_stopping) mailbox_->note_gone(rank, fmt::format("its connection ended ({})", why));
  };
  connection->expect_life(place_.longest_silence);
  {
    const std::lock_guard lock(peers_->mutex);
    ++peers_->connected;
  }
  peers_->changed.notify_all();
}

void TcpMesh::on_message(int from, const MessageHeader& header, ReceivedBytes bytes) {
  const auto text = [&bytes] { return std::string(reinterpret_cast<const char*>(bytes.data.get()), bytes.size); };
  switch (header.type) {
    case MessageType::Data: {
      parallel::CollectiveSignature signature;
      signature.kind = static_cast<parallel::CollectiveKind>(header.kind);
      signature.op = static_cast<parallel::ReduceOp>(header.op);
      signature.dtype = static_cast<tensor::DType>(header.dtype);
      signature.root = header.root;
      signature.bytes = header.share_bytes;
      const bool is_known = signature.kind <= parallel::CollectiveKind::Barrier &&
                            signature.op <= parallel::ReduceOp::PremulSum && header.dtype < tensor::kDTypes.size();
      if (!is_known) {
        return peers_->connections[static_cast<std::size_t>(from)]->close("it sent a message that nobody knows");
      }
      return mailbox_->put(from, {header.group, header.sequence, header.step}, signature, std::move(bytes));
    }
    case MessageType::Failure:
      return mailbox_->note_failure(from, header.group, text());
    case MessageType::Bye: {
      mailbox_->note_gone(from, "it left (its program ended, or it destroyed its process group)");
      MessageHeader heard;
      heard.type = MessageType::ByeHeard;
      return peers_->connections[static_cast<std::size_t>(from)]->send(heard, {}, [](const std::string&) {});
    }
    case MessageType::ByeHeard: {
      {
        const std::lock_guard lock(peers_->mutex);
        peers_->heard_bye[static_cast<std::size_t>(from)] = true;
      }
      return peers_->changed.notify_all();
    }
    default:
      return;
  }
}

parallel::WorkHandle TcpMesh::send(int to, const parallel::MessageKey& key,
                                   const parallel::CollectiveSignature& signature, std::span<const std::byte> bytes) {
  MessageHeader header;
  header.type = MessageType::Data;
  header.group = key.group;
  header.sequence = key.sequence;
  header.step = key.step;
  header.kind = static_cast<std::uint8_t>(signature.kind);
  header.op = static_cast<std::uint8_t>(signature.op);
  header.dtype = static_cast<std::uint8_t>(signature.dtype);
  header.root = signature.root;
  header.share_bytes = signature.bytes;
  header.rank = static_cast<std::uint32_t>(place_.rank);
  if (is_closed_) return parallel::completed_work(error("the process group was destroyed"));
  // Done when the network has taken the bytes.
  auto work = std::make_shared<SettledWork>();
  peers_->connections[static_cast<std::size_t>(to)]->send(
      header, bytes, [work, to, key, mailbox = mailbox_, me = place_.rank](const std::string& why) {
        if (why.empty()) return work->complete({});
        // That a rank gave up explains more than that it went.
        const std::optional<std::string> failure = mailbox->failure(key.group, me);
        work->complete(error(failure ? *failure : fmt::format("rank {} is gone: its connection ended ({})", to, why)));
      });
  return work;
}

void TcpMesh::give_up(int rank) {
  const std::shared_ptr<Connection> connection = peers_->connections[static_cast<std::size_t>(rank)];
  asio::post(network_->context(), [connection] { connection->close("it took nothing any more"); });
}

base::Result<ReceivedBytes> TcpMesh::receive(int from, const parallel::MessageKey& key,
                                             const parallel::CollectiveSignature& signature,
                                             parallel::Deadline deadline) {
  return mailbox_->take(from, key, signature, deadline);
}

void TcpMesh::tell_failure(std::uint64_t group, std::span<const int> ranks, const std::string& why) {
  if (is_closed_ || mailbox_->failure(group, -1)) return;
  mailbox_->note_failure(place_.rank, group, why);
  for (const int rank : ranks) {
    if (rank == place_.rank) continue;
    MessageHeader header;
    header.type = MessageType::Failure;
    header.group = group;
    peers_->connections[static_cast<std::size_t>(rank)]->send_text(header, why);
  }
}

// 1. Everybody hears that nothing more comes, and answers when all before that has been read. 2. The connections end.
void TcpMesh::close() {
  if (is_closed_.exchange(true)) return;
  constexpr std::chrono::seconds kPatience(3);
  const std::shared_ptr<Peers> peers = peers_;
  std::vector<bool> asked(peers->connections.size(), false);
  network_->run([&] {
    error_code ignored;
    peers->acceptor.close(ignored);
    for (std::size_t i = 0; i < peers->connections.size(); ++i) {
      if (!peers->connections[i]) continue;
      asked[i] = true;
      MessageHeader bye;
      bye.type = MessageType::Bye;
      peers->connections[i]->send(bye, {}, [](const std::string&) {});
    }
  });
  {
    std::unique_lock lock(peers->mutex);
    peers->changed.wait_for(lock, kPatience, [&] {
      for (std::size_t i = 0; i < asked.size(); ++i) {
        if (asked[i] && !peers->heard_bye[i]) return false;
      }
      return true;
    });
  }
  network_->run([&] {
    peers->is_stopping = true;
    for (const auto& connection : peers->connections) {
      if (connection) connection->close("this rank left");
    }
  });
  for (int rank = 0; rank < place_.size; ++rank) mailbox_->note_gone(rank, "this rank left");
  // Nothing that was posted for the old connections is left.
  network_->run([] {});
}

}  // namespace nns::collectives
