#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/parallel/reduction.h"
#include "core/tensor/storage.h"

namespace nns::parallel {

enum class CollectiveKind : std::uint8_t {
  AllReduce,
  Broadcast,
  Reduce,
  AllGather,
  Gather,
  Scatter,
  ReduceScatter,
  AllToAll,
  Barrier,
};
/// "all_reduce": the function of torch.distributed.
std::string_view collective_name(CollectiveKind kind);

/// One collective as one rank takes part in it. The bytes stay until its Work is completed, whether anybody waits for
/// that or not: `keeper` holds them.
/// | kind          | inputs             | outputs                            |
/// | AllReduce     | none               | the own items, which are replaced  |
/// | Broadcast     | none               | read on `root`, replaced elsewhere |
/// | Reduce        | none               | the own items, replaced on `root`  |
/// | AllGather     | the own items      | one a rank                         |
/// | Gather        | the own items      | on `root`: one a rank              |
/// | Scatter       | on `root`: one a rank | what this rank gets             |
/// | ReduceScatter | one a rank         | what this rank gets                |
/// | AllToAll      | one a rank         | one a rank                         |
/// | Barrier       | none               | none                               |
struct Collective {
  CollectiveKind kind = CollectiveKind::Barrier;
  ReduceOp op = ReduceOp::Sum;
  tensor::DType dtype = tensor::DType::UInt8;
  /// Where the bytes lie; the group reaches it.
  tensor::Device device = tensor::Device::Cpu;
  /// A rank of the group.
  int root = 0;
  std::vector<std::span<const std::byte>> inputs;
  std::vector<std::span<std::byte>> outputs;
  /// What is communicated, for errors: "bucket 0 (fc.weight, fc.bias)". May be empty.
  std::string subject;
  /// Dropped on the thread of the interpreter, some time after the Work is completed.
  std::shared_ptr<const void> keeper;
  std::chrono::milliseconds timeout{std::chrono::minutes(30)};
};

/// What all ranks must agree on. Travels with each message, so that a disagreement is seen and named.
struct CollectiveSignature {
  CollectiveKind kind = CollectiveKind::Barrier;
  ReduceOp op = ReduceOp::Sum;
  tensor::DType dtype = tensor::DType::UInt8;
  std::int32_t root = 0;
  /// Of one rank's share; 0 where shares may differ (AllToAll).
  std::uint64_t bytes = 0;
  friend bool operator==(const CollectiveSignature&, const CollectiveSignature&) = default;
};
CollectiveSignature signature_of(const Collective& collective);
/// "all_reduce of 4 torch.float32 (SUM)".
std::string signature_text(const CollectiveSignature& signature);

/// Whether `collective` has the buffers of its kind for a group of `size` ranks, seen from `rank`, equally large where
/// they must be. Whether a GPU can put items together so is for its group to say. Errors: what does not fit.
base::Result<void> check_collective(const Collective& collective, int rank, int size);

}  // namespace nns::parallel
