#pragma once

#include "native/collectives/mesh_group.h"

namespace nns::collectives {

/// A process group whose ranks all stand on one machine: collectives go through memory that they share, letters (send
/// and receive) and what is said of failures through the mesh. A collective runs on the thread that starts it as far as
/// it gets, then on that which waits for it; only what is left over, because it does not fit into the channels, is
/// carried on by a thread of the group, beside the program. Who waits looks for a third of a millisecond (10 us where
/// ranks share processors), then sleeps until it is called.
class SharedGroup final : public parallel::ProcessGroup {
 public:
  /// `ranks`: as the mesh numbers them; the own one is among them. Rank 0 of the group makes the memory; the others are
  /// told where it is, and open it with their first collective.
  SharedGroup(std::shared_ptr<TcpMesh> mesh, std::string name, std::vector<int> ranks);
  ~SharedGroup() override;

  int rank() const override;
  int size() const override;
  std::uint64_t sequence_number() const override { return started_; }
  std::optional<std::string> trouble() const override { return letters_.trouble(); }
  parallel::WorkHandle start(parallel::Collective collective) override;
  parallel::WorkHandle send(std::span<const std::byte> bytes, const parallel::PointToPoint& how) override;
  parallel::WorkHandle receive(std::span<std::byte> bytes, const parallel::PointToPoint& how) override;

  /// What runs fails, and nothing more does. Must hold: the mesh was closed.
  void stop();

 private:
  class Engine;
  class SharedWork;
  std::shared_ptr<Engine> engine_;
  MeshGroup letters_;
  std::uint64_t started_ = 0;
};

}  // namespace nns::collectives
