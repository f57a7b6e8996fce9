#include "native/collectives/nccl_communicator.h"

#include <fmt/format.h>

#include <optional>

#include "native/collectives/error.h"

namespace nns::collectives {

using parallel::Collective;
using parallel::CollectiveKind;
using parallel::ReduceOp;
using tensor::DType;

namespace {

// What NCCL calls items that are put together: complex numbers are two.
struct Items {
  ncclDataType_t type = ncclUint8;
  std::size_t bytes = 1;
};
std::optional<Items> items_of(DType dtype) {
  switch (dtype) {
    case DType::Int8:
      return Items{ncclInt8, 1};
    case DType::UInt8:
    case DType::Bool:
      return Items{ncclUint8, 1};
    case DType::Int32:
      return Items{ncclInt32, 4};
    case DType::UInt32:
      return Items{ncclUint32, 4};
    case DType::Int64:
      return Items{ncclInt64, 8};
    case DType::UInt64:
      return Items{ncclUint64, 8};
    case DType::Float16:
      return Items{ncclFloat16, 2};
    case DType::BFloat16:
      return Items{ncclBfloat16, 2};
    case DType::Float32:
    case DType::Complex64:
      return Items{ncclFloat32, 4};
    case DType::Float64:
    case DType::Complex128:
      return Items{ncclFloat64, 8};
    default:
      return std::nullopt;
  }
}

// Sums of truths are whether any is true.
ncclRedOp_t operation_of(DType dtype, ReduceOp op) {
  switch (op) {
    case ReduceOp::Product:
      return ncclProd;
    case ReduceOp::Min:
      return ncclMin;
    case ReduceOp::Max:
      return ncclMax;
    case ReduceOp::Avg:
      return ncclAvg;
    default:
      return dtype == DType::Bool ? ncclMax : ncclSum;
  }
}

template <class Byte>
bool lie_in_a_row(const std::vector<std::span<Byte>>& parts) {
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i].data() != parts[i - 1].data() + parts[i - 1].size()) return false;
  }
  return true;
}

}  // namespace

base::Result<void> check_gpu_reduction(DType dtype, ReduceOp op) {
  const bool combines_bits = op == ReduceOp::BitAnd || op == ReduceOp::BitOr || op == ReduceOp::BitXor;
  if (combines_bits || op == ReduceOp::PremulSum) {
    return error(fmt::format("Cannot use ReduceOp.{} with NCCL", reduce_op_name(op)));
  }
  if (dtype == DType::Bool && op == ReduceOp::Avg) return error("Cannot use ReduceOp.AVG with Boolean inputs");
  const bool is_complex = tensor::is_complex(dtype);
  if (is_complex && op != ReduceOp::Sum && op != ReduceOp::Avg) {
    return error(fmt::format("all_reduce does not support {} on complex tensors", reduce_op_name(op)));
  }
  if (items_of(dtype)) return {};
  return error(fmt::format("Input tensor data type is not supported for NCCL process group: {}",
                           tensor::info(dtype).scalar_name));
}

base::Result<void> NcclCommunicator::checked(ncclResult_t result, const char* what) const {
  if (result == ncclSuccess || result == ncclInProgress) return {};
  const char* const more = nccl_.GetLastError(comm_);
  return error(fmt::format("NCCL: {} gave \"{}\"{}{}", what, nccl_.GetErrorString(result),
                           more == nullptr || *more == '\0' ? "" : ": ", more == nullptr ? "" : more));
}

base::Result<std::unique_ptr<NcclCommunicator>> NcclCommunicator::begin(const NcclLibrary& nccl, const ncclUniqueId& id,
                                                                        int rank, int size) {
  std::unique_ptr<NcclCommunicator> made(new NcclCommunicator(nccl, rank, size));
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  NNS_TRY(made->checked(nccl.CommInitRankConfig(&made->comm_, size, id, rank, &config), "ncclCommInitRankConfig"));
  return made;
}

NcclCommunicator::~NcclCommunicator() {
  // Nothing can be done about what goes wrong here.
  if (comm_ != nullptr) static_cast<void>(is_finished_ ? nccl_.CommDestroy(comm_) : nccl_.CommAbort(comm_));
}

base::Result<bool> NcclCommunicator::is_ready() {
  ncclResult_t state = ncclSuccess;
  NNS_TRY(checked(nccl_.CommGetAsyncError(comm_, &state), "ncclCommGetAsyncError"));
  NNS_TRY(checked(state, "a communicator"));
  return state == ncclSuccess;
}

base::Result<void> NcclCommunicator::launch(const Collective& collective, cudaStream_t stream) {
  const auto root = collective.root;
  const auto whole = [](std::size_t bytes, const Items& items) { return bytes / items.bytes; };
  switch (collective.kind) {
    case CollectiveKind::AllReduce:
    case CollectiveKind::Reduce: {
      const std::span<std::byte> own = collective.outputs[0];
      const Items items = items_of(collective.dtype).value_or(Items());
      const ncclRedOp_t op = operation_of(collective.dtype, collective.op);
      const std::size_t count = whole(own.size(), items);
      return collective.kind == CollectiveKind::AllReduce
                 ? checked(nccl_.AllReduce(own.data(), own.data(), count, items.type, op, comm_, stream),
                           "ncclAllReduce")
                 : checked(nccl_.Reduce(own.data(), own.data(), count, items.type, op, root, comm_, stream),
                           "ncclReduce");
    }
    case CollectiveKind::Broadcast: {
      const std::span<std::byte> own = collective.outputs[0];
      return checked(nccl_.Broadcast(own.data(), own.data(), own.size(), ncclUint8, root, comm_, stream),
                     "ncclBroadcast");
    }
    case CollectiveKind::AllGather: {
      if (!lie_in_a_row(collective.outputs)) return launch_pieces(collective, stream);
      const std::span<const std::byte> own = collective.inputs[0];
      return checked(nccl_.AllGather(own.data(), collective.outputs[0].data(), own.size(), ncclUint8, comm_, stream),
                     "ncclAllGather");
    }
    case CollectiveKind::ReduceScatter: {
      if (!lie_in_a_row(collective.inputs)) return launch_pieces(collective, stream);
      const std::span<std::byte> own = collective.outputs[0];
      const Items items = items_of(collective.dtype).value_or(Items());
      return checked(nccl_.ReduceScatter(collective.inputs[0].data(), own.data(), whole(own.size(), items), items.type,
                                         operation_of(collective.dtype, collective.op), comm_, stream),
                     "ncclReduceScatter");
    }
    case CollectiveKind::Gather:
    case CollectiveKind::Scatter:
    case CollectiveKind::AllToAll:
      return launch_pieces(collective, stream);
    case CollectiveKind::Barrier:
      break;
  }
  return error("a barrier has nothing that lies on a GPU");
}

// What NCCL has no function for, as several of its functions that run together.
base::Result<void> NcclCommunicator::launch_pieces(const Collective& collective, cudaStream_t stream) {
  base::Result<void> done;
  const auto add = [&](ncclResult_t result, const char* what) {
    if (done.ok()) done = checked(result, what);
  };
  const auto send = [&](std::span<const std::byte> bytes, int to) {
    if (!bytes.empty()) add(nccl_.Send(bytes.data(), bytes.size(), ncclUint8, to, comm_, stream), "ncclSend");
  };
  const auto receive = [&](std::span<std::byte> bytes, int from) {
    if (!bytes.empty()) add(nccl_.Recv(bytes.data(), bytes.size(), ncclUint8, from, comm_, stream), "ncclRecv");
  };
  const int root = collective.root;
  add(nccl_.GroupStart(), "ncclGroupStart");
  for (int rank = 0; rank < size_; ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    switch (collective.kind) {
      case CollectiveKind::AllGather: {
        const std::span<std::byte> part = collective.outputs[at];
        add(nccl_.Broadcast(collective.inputs[0].data(), part.data(), part.size(), ncclUint8, rank, comm_, stream),
            "ncclBroadcast");
        break;
      }
      case CollectiveKind::ReduceScatter: {
        const std::span<const std::byte> part = collective.inputs[at];
        const Items items = items_of(collective.dtype).value_or(Items());
        add(nccl_.Reduce(part.data(), collective.outputs[0].data(), part.size() / items.bytes, items.type,
                         operation_of(collective.dtype, collective.op), rank, comm_, stream),
            "ncclReduce");
        break;
      }
      case CollectiveKind::Gather:
        if (rank == root) send(collective.inputs[0], root);
        if (rank_ == root) receive(collective.outputs[at], rank);
        break;
      case CollectiveKind::Scatter:
        if (rank == root) receive(collective.outputs[0], root);
        if (rank_ == root) send(collective.inputs[at], rank);
        break;
      case CollectiveKind::AllToAll:
        send(collective.inputs[at], rank);
        receive(collective.outputs[at], rank);
        break;
      default:
        break;
    }
  }
  add(nccl_.GroupEnd(), "ncclGroupEnd");
  return done;
}

base::Result<void> NcclCommunicator::finish() {
  NNS_TRY(checked(nccl_.CommFinalize(comm_), "ncclCommFinalize"));
  is_finished_ = true;
  return {};
}

}  // namespace nns::collectives
