#pragma once

#include <thread>

#include "native/collectives/tcp_mesh.h"

namespace nns::collectives {

/// A process group over a mesh. A thread of its own runs what was started, one after the other.
class MeshGroup final : public parallel::ProcessGroup {
 public:
  /// `ranks`: as the mesh numbers them; the own one is among them.
  MeshGroup(std::shared_ptr<TcpMesh> mesh, std::string name, std::vector<int> ranks);
  ~MeshGroup() override;

  int rank() const override { return me_; }
  int size() const override { return static_cast<int>(ranks_.size()); }
  std::uint64_t sequence_number() const override { return started_; }
  std::optional<std::string> trouble() const override;
  parallel::WorkHandle start(parallel::Collective collective) override;
  parallel::WorkHandle send(std::span<const std::byte> bytes, const parallel::PointToPoint& how) override;
  parallel::WorkHandle receive(std::span<std::byte> bytes, const parallel::PointToPoint& how) override;

  /// Ends the thread; must hold: the mesh was closed, so that nothing waits long.
  void stop();

 private:
  class CollectiveWork;
  class ReceiveWork;
  void loop();
  base::Result<void> run(const parallel::Collective& collective, std::uint64_t sequence);
  void keep(const parallel::WorkHandle& work, std::shared_ptr<const void> keeper);

  std::shared_ptr<TcpMesh> mesh_;
  std::string name_;
  std::vector<int> ranks_;
  int me_ = 0;
  std::uint64_t id_ = 0;
  std::uint64_t started_ = 0;
  /// What must stay until its work is done; dropped by the interpreter's thread.
  std::deque<std::pair<parallel::WorkHandle, std::shared_ptr<const void>>> kept_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<CollectiveWork>> queue_;
  bool is_stopping_ = false;
  std::thread thread_;
};

}  // namespace nns::collectives
