#pragma once

#include <atomic>

#include "core/parallel/connector.h"
#include "native/collectives/connection.h"
#include "native/collectives/mailbox.h"

namespace nns::collectives {

/// Where a mesh listens, and whom it lets in.
struct MeshPlace {
  int rank = 0;
  int size = 1;
  /// Under which names the ranks write their addresses into the store.
  std::string prefix;
  /// The address under which others reach this rank; a loopback address keeps it on this machine.
  std::string host;
  std::chrono::milliseconds timeout{std::chrono::minutes(30)};
  /// Connection::expect_life.
  std::chrono::milliseconds longest_silence{0};
};

/// TCP connections between every two ranks.
/// Lifetime: the destructor says goodbye, so that nothing that was sent is lost, and waits a little for the others to
/// hear it.
class TcpMesh final : public parallel::Mesh {
 public:
  /// Meets the other ranks in the store and connects to each. Only who knows the secret that rank 0 wrote there is let
  /// in. Errors: not all came in time.
  static base::Result<std::shared_ptr<TcpMesh>> join(const std::shared_ptr<NetworkThread>& network,
                                                     parallel::Store& store, const MeshPlace& place);
  ~TcpMesh() override;

  int rank() const override { return place_.rank; }
  int size() const override { return place_.size; }
  parallel::WorkHandle send(int to, const parallel::MessageKey& key, const parallel::CollectiveSignature& signature,
                            std::span<const std::byte> bytes) override;
  void give_up(int rank) override;
  base::Result<parallel::ReceivedBytes> receive(int from, const parallel::MessageKey& key,
                                                const parallel::CollectiveSignature& signature,
                                                parallel::Deadline deadline) override;
  void tell_failure(std::uint64_t group, std::span<const int> ranks, const std::string& why) override;

  Mailbox& mailbox() { return *mailbox_; }
  /// Says goodbye and closes all; what still waits fails. Doing it again is harmless.
  void close();

 private:
  struct Peers;
  TcpMesh(std::shared_ptr<NetworkThread> network, MeshPlace place);
  base::Result<void> connect(parallel::Store& store);
  void listen();
  void accept_next();
  void connect_to(int rank, const std::string& address, int tries);
  void adopt(int rank, const std::shared_ptr<Connection>& connection);
  void on_message(int from, const MessageHeader& header, parallel::ReceivedBytes bytes);

  std::shared_ptr<NetworkThread> network_;
  MeshPlace place_;
  std::shared_ptr<Mailbox> mailbox_;
  std::uint64_t secret_ = 0;
  /// What belongs to the network thread.
  std::shared_ptr<Peers> peers_;
  std::atomic<bool> is_closed_ = false;
};

}  // namespace nns::collectives
