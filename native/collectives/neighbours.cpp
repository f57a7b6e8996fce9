#include "native/collectives/neighbours.h"

#include <algorithm>
#include <numeric>

#include "core/base/hash.h"
#include "native/collectives/shared_memory.h"

namespace nns::collectives {
namespace {

// What each rank tells the others. Plain bytes.
struct Card {
  MachineIdentity machine;
  SharedMemoryPlace sample;
};

// item[rank] becomes what that rank has there.
template <class Item>
base::Result<void> gather_all(parallel::Mesh& mesh, std::uint64_t sequence, std::vector<Item>& items,
                              std::chrono::milliseconds timeout) {
  std::vector<int> ranks(items.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  const Item own = items[static_cast<std::size_t>(mesh.rank())];
  parallel::Collective collective;
  collective.kind = parallel::CollectiveKind::AllGather;
  collective.timeout = timeout;
  collective.inputs = {std::as_bytes(std::span(&own, 1))};
  for (Item& item : items) collective.outputs.push_back(std::as_writable_bytes(std::span(&item, 1)));
  return run_collective({mesh, base::hash_text("nnscope/neighbours"), ranks, mesh.rank(), sequence}, collective);
}

}  // namespace

base::Result<Neighbours> Neighbours::meet(parallel::Mesh& mesh, bool shares_memory, std::chrono::milliseconds timeout) {
  const auto size = static_cast<std::size_t>(mesh.size()), me = static_cast<std::size_t>(mesh.rank());
  Neighbours made;
  made.first_.assign(size, -1);
  if (size == 1) return made;
  std::vector<Card> cards(size);
  // Open for the others until all have tried it.
  base::Result<std::unique_ptr<SharedMemory>> sample = SharedMemory::make(sizeof(Card));
  if (shares_memory && sample.ok()) cards[me] = {machine_identity(), (*sample)->place()};
  NNS_TRY(gather_all(mesh, 1, cards, timeout));
  const auto first_of = [&](std::size_t rank) {
    std::size_t first = 0;
    while (!(cards[first].machine == cards[rank].machine)) ++first;
    return first;
  };
  std::vector<std::uint8_t> sees(size);
  if (!(cards[me].machine == MachineIdentity())) sees[me] = SharedMemory::open(cards[first_of(me)].sample).ok() ? 1 : 0;
  NNS_TRY(gather_all(mesh, 2, sees, timeout));
  for (std::size_t rank = 0; rank < size; ++rank) {
    if (sees[rank] != 0) made.first_[rank] = static_cast<int>(first_of(rank));
  }
  return made;
}

bool Neighbours::share_memory(const std::vector<int>& ranks) const {
  return std::all_of(ranks.begin(), ranks.end(), [&](int rank) {
    const int first = first_[static_cast<std::size_t>(rank)];
    return first >= 0 && first == first_[static_cast<std::size_t>(ranks[0])];
  });
}

}  // namespace nns::collectives
