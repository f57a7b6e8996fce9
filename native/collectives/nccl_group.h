#pragma once

#include <deque>

#include "native/collectives/gpu_group.h"
#include "native/cuda/device.h"

namespace nns::collectives {

/// A group whose ranks have a GPU each; see make_gpu_group().
class NcclGroup final : public parallel::ProcessGroup {
 public:
  NcclGroup(object::Interpreter& interpreter, std::shared_ptr<parallel::ProcessGroup> host);
  ~NcclGroup() override;

  int rank() const override { return host_->rank(); }
  int size() const override { return host_->size(); }
  bool reaches(tensor::Device device) const override {
    return device == tensor::Device::Cuda || host_->reaches(device);
  }
  std::optional<std::string> trouble() const override { return host_->trouble(); }
  std::uint64_t sequence_number() const override { return host_->sequence_number() + started_; }
  parallel::WorkHandle start(parallel::Collective collective) override;
  parallel::WorkHandle send(std::span<const std::byte> bytes, const parallel::PointToPoint& how) override {
    return host_->send(bytes, how);
  }
  parallel::WorkHandle receive(std::span<std::byte> bytes, const parallel::PointToPoint& how) override {
    return host_->receive(bytes, how);
  }

 private:
  class Engine;
  class NcclWork;
  class Companion;
  base::Result<void> meet(std::chrono::milliseconds timeout);

  object::Interpreter& interpreter_;
  std::shared_ptr<parallel::ProcessGroup> host_;
  std::shared_ptr<Engine> engine_;
  std::shared_ptr<Companion> companion_;
  std::uint64_t started_ = 0;
  /// What must stay until its work is done; dropped by the interpreter's thread.
  std::deque<std::pair<parallel::WorkHandle, std::shared_ptr<const void>>> kept_;
};

}  // namespace nns::collectives
