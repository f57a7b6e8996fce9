#include "tests/cuda/emulation/nccl.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "core/ops/compute.h"
#include "native/collectives/nccl_library.h"
#include "tests/cuda/emulation/device_memory.h"

// Nothing waits here: an operation happens when the last rank that it needs has asked for it, and until then the
// communicator says that it is in progress.

namespace {

using nns::tensor::DType;

DType dtype_of(ncclDataType_t type) {
  constexpr DType kTypes[] = {DType::Int8,   DType::UInt8,   DType::Int32,   DType::UInt32,  DType::Int64,
                              DType::UInt64, DType::Float16, DType::Float32, DType::Float64, DType::BFloat16};
  return kTypes[static_cast<std::size_t>(type)];
}

enum class Kind : std::uint8_t { AllReduce, Broadcast, Reduce, AllGather, ReduceScatter };

// What one rank asked for.
struct Asked {
  Kind kind = Kind::AllReduce;
  const std::byte* from = nullptr;
  std::byte* to = nullptr;
  std::size_t count = 0;
  DType dtype = DType::UInt8;
  ncclRedOp_t op = ncclSum;
  int root = 0;
};
struct Letter {
  std::byte* at = nullptr;
  std::size_t bytes = 0;
  int* waiting = nullptr;
};

struct Meeting {
  int ranks = 0, here = 0, left = 0;
  bool is_aborted = false;
  // By number of the collective: what each rank asked for.
  std::map<std::uint64_t, std::map<int, Asked>> collectives;
  std::map<std::pair<int, int>, std::deque<Letter>> sends, receives;
};

std::mutex meetings_mutex;
std::map<std::uint64_t, std::shared_ptr<Meeting>> meetings;
std::uint64_t last_id = 0;

}  // namespace

struct ncclComm {
  std::shared_ptr<Meeting> meeting;
  int rank = 0;
  std::uint64_t asked = 0;
  // How many of its collectives have happened; letters that have not.
  std::uint64_t done = 0;
  int letters = 0;
};

namespace {

std::map<std::pair<Meeting*, int>, ncclComm*> members;

double combined(ncclRedOp_t op, double a, double b) {
  switch (op) {
    case ncclProd:
      return a * b;
    case ncclMax:
      return std::max(a, b);
    case ncclMin:
      return std::min(a, b);
    default:
      return a + b;
  }
}

// Item `at` of all ranks, put together.
double together(const std::map<int, Asked>& all, std::size_t at) {
  const Asked& first = all.begin()->second;
  const std::size_t bytes = nns::tensor::item_bytes(first.dtype);
  double sum = 0;
  for (const auto& [rank, one] : all) {
    double item = 0;
    nns::ops::load_items(one.dtype, one.from + at * bytes, 0, 1, nns::ops::Compute::Double, &item);
    sum = rank == all.begin()->first ? item : combined(first.op, sum, item);
  }
  return first.op == ncclAvg ? sum / static_cast<double>(all.size()) : sum;
}

void happen(const std::map<int, Asked>& all) {
  const nns::tests::DeviceAccess access;
  const Asked& first = all.begin()->second;
  const std::size_t bytes = first.count * nns::tensor::item_bytes(first.dtype);
  switch (first.kind) {
    case Kind::Broadcast: {
      const std::vector<std::byte> told(all.at(first.root).from, all.at(first.root).from + bytes);
      for (const auto& [rank, one] : all) std::copy(told.begin(), told.end(), one.to);
      return;
    }
    case Kind::AllGather:
      for (const auto& [to, target] : all) {
        for (const auto& [from, source] : all) {
          std::memmove(target.to + static_cast<std::size_t>(from) * bytes, source.from, bytes);
        }
      }
      return;
    default:
      break;
  }
  const std::size_t parts = first.kind == Kind::ReduceScatter ? all.size() : 1;
  std::vector<double> sums(first.count * parts);
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = together(all, i);
  for (const auto& [rank, one] : all) {
    if (one.kind == Kind::Reduce && rank != one.root) continue;
    const std::size_t begin = parts > 1 ? static_cast<std::size_t>(rank) * first.count : 0;
    for (std::size_t i = 0; i < first.count; ++i) {
      nns::ops::store_items(first.dtype, one.to + i * nns::tensor::item_bytes(first.dtype), 0, 1,
                            nns::ops::Compute::Double, &sums[begin + i]);
    }
  }
}

ncclResult_t ask(ncclComm* comm, const Asked& what) {
  const std::lock_guard lock(meetings_mutex);
  Meeting& meeting = *comm->meeting;
  const std::uint64_t number = ++comm->asked;
  auto& all = meeting.collectives[number];
  all[comm->rank] = what;
  if (static_cast<int>(all.size()) < meeting.ranks) return ncclInProgress;
  happen(all);
  meeting.collectives.erase(number);
  for (int rank = 0; rank < meeting.ranks; ++rank) members.at({&meeting, rank})->done = number;
  return ncclSuccess;
}

void deliver(Meeting& meeting, std::pair<int, int> way) {
  const nns::tests::DeviceAccess access;
  auto& sends = meeting.sends[way];
  auto& receives = meeting.receives[way];
  while (!sends.empty() && !receives.empty()) {
    std::memcpy(receives.front().at, sends.front().at, std::min(sends.front().bytes, receives.front().bytes));
    --*sends.front().waiting;
    --*receives.front().waiting;
    sends.pop_front();
    receives.pop_front();
  }
}

const std::byte* bytes_at(const void* at) { return static_cast<const std::byte*>(at); }
std::byte* bytes_at(void* at) { return static_cast<std::byte*>(at); }

}  // namespace

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  const std::lock_guard lock(meetings_mutex);
  *id = {};
  ++last_id;
  std::memcpy(id->internal, &last_id, sizeof(last_id));
  return ncclSuccess;
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank, ncclConfig_t* config) {
  const std::lock_guard lock(meetings_mutex);
  if (config->blocking != 0 || rank < 0 || rank >= ranks) return ncclInvalidArgument;
  std::uint64_t number = 0;
  std::memcpy(&number, id.internal, sizeof(number));
  auto& meeting = meetings[number];
  if (meeting == nullptr) meeting = std::make_shared<Meeting>();
  meeting->ranks = ranks;
  ++meeting->here;
  *comm = new ncclComm{meeting, rank};
  members[{meeting.get(), rank}] = *comm;
  return ncclInProgress;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* state) {
  const std::lock_guard lock(meetings_mutex);
  const Meeting& meeting = *comm->meeting;
  const bool waits = meeting.here < meeting.ranks || comm->done < comm->asked || comm->letters > 0;
  *state = meeting.is_aborted && waits ? ncclRemoteError : waits ? ncclInProgress : ncclSuccess;
  return ncclSuccess;
}

ncclResult_t ncclCommFinalize(ncclComm_t) { return ncclSuccess; }
ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  const std::lock_guard lock(meetings_mutex);
  members.erase({comm->meeting.get(), comm->rank});
  delete comm;
  return ncclSuccess;
}
ncclResult_t ncclCommAbort(ncclComm_t comm) {
  const std::lock_guard lock(meetings_mutex);
  Meeting& meeting = *comm->meeting;
  meeting.is_aborted = true;
  for (auto& [number, all] : meeting.collectives) all.erase(comm->rank);
  members.erase({&meeting, comm->rank});
  delete comm;
  return ncclSuccess;
}
const char* ncclGetErrorString(ncclResult_t result) {
  return result == ncclRemoteError ? "remote process exited or there was a network error" : "unhandled";
}
const char* ncclGetLastError(ncclComm_t) { return ""; }

ncclResult_t ncclAllReduce(const void* from, void* to, std::size_t count, ncclDataType_t type, ncclRedOp_t op,
                           ncclComm_t comm, cudaStream_t) {
  return ask(comm, {Kind::AllReduce, bytes_at(from), bytes_at(to), count, dtype_of(type), op, 0});
}
ncclResult_t ncclBroadcast(const void* from, void* to, std::size_t count, ncclDataType_t type, int root,
                           ncclComm_t comm, cudaStream_t) {
  return ask(comm, {Kind::Broadcast, bytes_at(from), bytes_at(to), count, dtype_of(type), ncclSum, root});
}
ncclResult_t ncclReduce(const void* from, void* to, std::size_t count, ncclDataType_t type, ncclRedOp_t op, int root,
                        ncclComm_t comm, cudaStream_t) {
  return ask(comm, {Kind::Reduce, bytes_at(from), bytes_at(to), count, dtype_of(type), op, root});
}
ncclResult_t ncclAllGather(const void* from, void* to, std::size_t count, ncclDataType_t type, ncclComm_t comm,
                           cudaStream_t) {
  return ask(comm, {Kind::AllGather, bytes_at(from), bytes_at(to), count, dtype_of(type), ncclSum, 0});
}
ncclResult_t ncclReduceScatter(const void* from, void* to, std::size_t count, ncclDataType_t type, ncclRedOp_t op,
                               ncclComm_t comm, cudaStream_t) {
  return ask(comm, {Kind::ReduceScatter, bytes_at(from), bytes_at(to), count, dtype_of(type), op, 0});
}
ncclResult_t ncclSend(const void* from, std::size_t count, ncclDataType_t type, int to, ncclComm_t comm, cudaStream_t) {
  const std::lock_guard lock(meetings_mutex);
  const std::pair way(comm->rank, to);
  ++comm->letters;
  comm->meeting->sends[way].push_back(
      {const_cast<std::byte*>(bytes_at(from)), count * nns::tensor::item_bytes(dtype_of(type)), &comm->letters});
  deliver(*comm->meeting, way);
  return ncclInProgress;
}
ncclResult_t ncclRecv(void* to, std::size_t count, ncclDataType_t type, int from, ncclComm_t comm, cudaStream_t) {
  const std::lock_guard lock(meetings_mutex);
  const std::pair way(from, comm->rank);
  ++comm->letters;
  comm->meeting->receives[way].push_back(
      {bytes_at(to), count * nns::tensor::item_bytes(dtype_of(type)), &comm->letters});
  deliver(*comm->meeting, way);
  return ncclInProgress;
}
ncclResult_t ncclGroupStart() { return ncclSuccess; }
ncclResult_t ncclGroupEnd() { return ncclSuccess; }

namespace nns::collectives {

base::Result<const NcclLibrary*> NcclLibrary::open() {
  static const NcclLibrary library = [] {
    NcclLibrary made;
#define NNS_NCCL(name) made.name = &nccl##name;
    NNS_NCCL_ALL(NNS_NCCL)
#undef NNS_NCCL
    return made;
  }();
  return &library;
}

}  // namespace nns::collectives
