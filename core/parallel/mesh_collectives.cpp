// The collectives as messages: rings for what is large, everything to everybody for what is small.
#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "core/parallel/cell_plan.h"
#include "core/parallel/mesh.h"

namespace nns::parallel {
namespace {

class Run {
 public:
  Run(const MeshCollective& where, const Collective& collective)
      : where_(where),
        collective_(collective),
        signature_(signature_of(collective)),
        deadline_(Deadline::after(collective.timeout)),
        size_(static_cast<int>(where.ranks.size())),
        me_(where.me) {}

  base::Result<void> run() {
    base::Result<void> done = communicate();
    if (done.ok()) done = finish_sends();
    if (!done.ok()) abandon_sends();
    return done;
  }

 private:
  base::Result<void> communicate() {
    switch (collective_.kind) {
      case CollectiveKind::AllReduce:
        return all_reduce();
      case CollectiveKind::Broadcast:
        return broadcast();
      case CollectiveKind::Reduce:
        return reduce();
      case CollectiveKind::AllGather:
        return all_gather();
      case CollectiveKind::Gather:
        return gather();
      case CollectiveKind::Scatter:
        return scatter();
      case CollectiveKind::ReduceScatter:
        return reduce_scatter();
      case CollectiveKind::AllToAll:
        return all_to_all();
      case CollectiveKind::Barrier:
        return barrier();
    }
    return {};
  }

  int around(int rank) const { return ((rank % size_) + size_) % size_; }

  void send(int to, std::uint32_t step, std::span<const std::byte> bytes) {
    const int rank = where_.ranks[static_cast<std::size_t>(to)];
    sends_.push_back({rank, where_.mesh.send(rank, {where_.group, where_.sequence, step}, signature_, bytes)});
  }

  // For what is sent and belongs to nobody else: it stays until the end.
  std::span<const std::byte> copy_of(std::span<const std::byte> bytes) {
    copies_.emplace_back(bytes.begin(), bytes.end());
    return copies_.back();
  }

  base::Result<void> finish_sends() {
    for (const Sending& one : sends_) {
      const auto now = std::chrono::steady_clock::now();
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline_.at - now);
      if (!one.work->wait_for(std::max(left, std::chrono::milliseconds(1)))) {
        return base::Error{
            fmt::format("rank {} did not take its part within {} ms", one.rank, deadline_.limit.count()), {}, {}, {}};
      }
      NNS_TRY(one.work->result());
    }
    sends_.clear();
    return {};
  }

  // After a failure: the bytes may go only when the network has let go of them. A living rank takes them at once.
  void abandon_sends() {
    constexpr std::chrono::seconds kPatience(2);
    for (const Sending& one : sends_) {
      if (one.work->wait_for(kPatience)) continue;
      where_.mesh.give_up(one.rank);
      while (!one.work->wait_for(kPatience)) {
      }
    }
    sends_.clear();
  }

  base::Result<ReceivedBytes> receive(int from, std::uint32_t step, std::size_t bytes) {
    const int rank = where_.ranks[static_cast<std::size_t>(from)];
    NNS_TRY_ASSIGN(ReceivedBytes got,
                   where_.mesh.receive(rank, {where_.group, where_.sequence, step}, signature_, deadline_));
    if (got.size == bytes) return got;
    return base::Error{fmt::format("rank {} sent {} bytes where {} were expected", rank, got.size, bytes), {}, {}, {}};
  }

  base::Result<void> receive_into(int from, std::uint32_t step, std::span<std::byte> into) {
    NNS_TRY_ASSIGN(const ReceivedBytes got, receive(from, step, into.size()));
    std::copy_n(got.data.get(), got.size, into.begin());
    return {};
  }

  // into = share 0 op share 1 op ...; all but the own one come from the others. `into` may be the own one.
  base::Result<void> reduce_in_order(std::span<const std::byte> own, std::span<std::byte> into) {
    const std::vector<std::byte> mine(own.begin(), own.end());
    for (int rank = 0; rank < size_; ++rank) {
      if (rank == me_) {
        take(rank, mine, into);
        continue;
      }
      NNS_TRY_ASSIGN(const ReceivedBytes got, receive(rank, 0, into.size()));
      take(rank, got.view(), into);
    }
    return {};
  }
  void take(int rank, std::span<const std::byte> share, std::span<std::byte> into) const {
    if (rank == 0) {
      std::copy(share.begin(), share.end(), into.begin());
    } else {
      reduce_into(collective_.dtype, collective_.op, into, share);
    }
  }

  base::Result<void> all_reduce() {
    const std::span<std::byte> items = collective_.outputs[0];
    if (items.size() > kSmallBytes || size_ > kFewRanks) return ring_all_reduce(items);
    // The items are replaced while others may still be sent them.
    const std::span<const std::byte> mine = copy_of(items);
    for (int rank = 0; rank < size_; ++rank) {
      if (rank != me_) send(rank, 0, mine);
    }
    NNS_TRY(reduce_in_order(mine, items));
    return finish_sends();
  }

  // Each rank puts one part of the items together as it goes around, then the parts go around once more.
  // Source: Patarasuk and Yuan, Bandwidth optimal all-reduce algorithms for clusters of workstations (2009).
  base::Result<void> ring_all_reduce(std::span<std::byte> items) {
    const auto part = [&](int number) {
      return part_of_items(items, collective_.dtype, static_cast<std::size_t>(around(number)),
                           static_cast<std::size_t>(size_));
    };
    const int right = around(me_ + 1), left = around(me_ - 1);
    std::uint32_t number = 0;
    for (int step = 0; step < size_ - 1; ++step, ++number) {
      send(right, number, part(me_ - step));
      const std::span<std::byte> into = part(me_ - step - 1);
      NNS_TRY_ASSIGN(const ReceivedBytes got, receive(left, number, into.size()));
      reduce_into(collective_.dtype, collective_.op, into, got.view());
    }
    // What comes now replaces parts that were sent.
    NNS_TRY(finish_sends());
    for (int step = 0; step < size_ - 1; ++step, ++number) {
      send(right, number, part(me_ + 1 - step));
      NNS_TRY(receive_into(left, number, part(me_ - step)));
    }
    return {};
  }

  // A tree: who has the items gives them to a rank that is 1, 2, 4, ... further.
  base::Result<void> broadcast() {
    const std::span<std::byte> items = collective_.outputs[0];
    const int place = around(me_ - collective_.root);
    int distance = 1;
    while (distance < size_ && (place & distance) == 0) distance *= 2;
    if (place != 0) NNS_TRY(receive_into(around(me_ - distance), 0, items));
    for (distance /= 2; distance > 0; distance /= 2) {
      if (place + distance < size_) send(around(me_ + distance), 0, items);
    }
    return {};
  }

  base::Result<void> reduce() {
    const std::span<std::byte> items = collective_.outputs[0];
    if (me_ == collective_.root) return reduce_in_order(items, items);
    send(collective_.root, 0, items);
    return {};
  }

  base::Result<void> all_gather() {
    const std::span<const std::byte> own = collective_.inputs[0];
    for (int step = 1; step < size_; ++step) send(around(me_ + step), 0, own);
    return collect(own);
  }
  base::Result<void> gather() {
    const std::span<const std::byte> own = collective_.inputs[0];
    if (me_ == collective_.root) return collect(own);
    send(collective_.root, 0, own);
    return {};
  }
  base::Result<void> collect(std::span<const std::byte> own) {
    for (int rank = 0; rank < size_; ++rank) {
      const std::span<std::byte> into = collective_.outputs[static_cast<std::size_t>(rank)];
      if (rank != me_) {
        NNS_TRY(receive_into(rank, 0, into));
      } else if (into.data() != own.data()) {
        std::copy(own.begin(), own.end(), into.begin());
      }
    }
    return {};
  }

  base::Result<void> scatter() {
    const std::span<std::byte> into = collective_.outputs[0];
    if (me_ != collective_.root) return receive_into(collective_.root, 0, into);
    for (int rank = 0; rank < size_; ++rank) {
      const std::span<const std::byte> share = collective_.inputs[static_cast<std::size_t>(rank)];
      if (rank != me_) send(rank, 0, share);
    }
    const std::span<const std::byte> own = collective_.inputs[static_cast<std::size_t>(me_)];
    std::copy(own.begin(), own.end(), into.begin());
    return {};
  }

  base::Result<void> reduce_scatter() {
    for (int step = 1; step < size_; ++step) {
      const int to = around(me_ + step);
      send(to, 0, collective_.inputs[static_cast<std::size_t>(to)]);
    }
    return reduce_in_order(collective_.inputs[static_cast<std::size_t>(me_)], collective_.outputs[0]);
  }

  base::Result<void> all_to_all() {
    for (int step = 1; step < size_; ++step) {
      const int to = around(me_ + step);
      send(to, 0, collective_.inputs[static_cast<std::size_t>(to)]);
    }
    const std::span<const std::byte> own = collective_.inputs[static_cast<std::size_t>(me_)];
    if (collective_.outputs[static_cast<std::size_t>(me_)].size() != own.size()) {
      return base::Error{"this rank takes another size than it sends to itself", {}, {}, {}};
    }
    return collect(own);
  }

  // After step k every rank has heard, through others, of the 2^k before it.
  base::Result<void> barrier() {
    std::uint32_t step = 0;
    for (int distance = 1; distance < size_; distance *= 2, ++step) {
      send(around(me_ + distance), step, {});
      NNS_TRY(receive(around(me_ - distance), step, 0));
    }
    return {};
  }

  const MeshCollective& where_;
  const Collective& collective_;
  CollectiveSignature signature_;
  Deadline deadline_;
  int size_, me_;
  struct Sending {
    int rank;
    WorkHandle work;
  };
  std::vector<Sending> sends_;
  std::deque<std::vector<std::byte>> copies_;
};

}  // namespace

base::Result<void> run_collective(const MeshCollective& where, const Collective& collective) {
  return Run(where, collective).run();
}

}  // namespace nns::parallel
