#include "core/parallel/cell_plan.h"

#include <algorithm>

namespace nns::parallel {
namespace {

using Action = CellPlan::Action;
using Bytes = std::span<const std::byte>;

bool lie_over(std::span<const std::byte> a, std::span<const std::byte> b) {
  return !a.empty() && !b.empty() && a.data() < b.data() + b.size() && b.data() < a.data() + a.size();
}

class Planner {
 public:
  Planner(const Collective& collective, int me, int size, std::size_t cell_bytes, Relays relays)
      : collective_(collective), size_(size), me_(me), cell_bytes_(cell_bytes), relays_(relays) {}

  CellPlan run() {
    switch (collective_.kind) {
      case CollectiveKind::AllReduce:
        all_reduce();
        break;
      case CollectiveKind::Broadcast:
        broadcast();
        break;
      case CollectiveKind::Reduce:
        reduce();
        break;
      case CollectiveKind::AllGather:
        all_gather();
        break;
      case CollectiveKind::Gather:
        gather();
        break;
      case CollectiveKind::Scatter:
        scatter();
        break;
      case CollectiveKind::ReduceScatter:
        reduce_scatter();
        break;
      case CollectiveKind::AllToAll:
        all_to_all();
        break;
      case CollectiveKind::Barrier:
        barrier();
        break;
    }
    return std::move(plan_);
  }

 private:
  int around(int rank) const { return ((rank % size_) + size_) % size_; }
  // Of a message; one without bytes is one piece, so that its signature arrives.
  std::size_t pieces(std::size_t bytes) const {
    return std::max<std::size_t>((bytes + cell_bytes_ - 1) / cell_bytes_, 1);
  }
  template <class Span>
  Span piece(Span bytes, std::size_t number) const {
    const std::size_t begin = std::min(number * cell_bytes_, bytes.size());
    return bytes.subspan(begin, std::min(cell_bytes_, bytes.size() - begin));
  }

  void write(int to, Bytes message, std::size_t number, std::size_t after_takes = 0) {
    plan_.writes.push_back({to, piece(message, number), message.size(), after_takes});
  }
  void take(int from, Action action, std::span<std::byte> message, std::size_t number, std::size_t after_writes = 0) {
    plan_.takes.push_back({from, action, piece(message, number), {}, message.size(), after_writes});
  }
  void take_own(Action action, Bytes own, std::span<std::byte> message, std::size_t number) {
    const Bytes part = piece(own, number);
    const std::span<std::byte> into = piece(message, number);
    if (part.data() == into.data()) return;
    plan_.takes.push_back({me_, action, into, part, own.size(), 0});
  }
  Bytes copy_of(Bytes bytes) {
    plan_.copies.emplace_back(bytes.begin(), bytes.end());
    return plan_.copies.back();
  }
  // The own inputs; copied if the outputs lie over them.
  std::vector<Bytes> inputs() {
    std::vector<Bytes> all = collective_.inputs;
    for (Bytes& input : all) {
      bool is_replaced = false;
      for (const std::span<std::byte> output : collective_.outputs) {
        const bool is_apart =
            output.data() + output.size() <= input.data() || input.data() + input.size() <= output.data();
        is_replaced = is_replaced || !(is_apart || input.empty() || output.empty());
      }
      if (is_replaced) input = copy_of(input);
    }
    return all;
  }

  void all_reduce() {
    const std::span<std::byte> items = collective_.outputs[0];
    if (size_ == 2) return exchange(items);
    if (items.size() > kSmallBytes || size_ > kFewRanks) return around_the_ring(items);
    const Bytes mine = copy_of(items);
    for (std::size_t k = 0; k < pieces(items.size()); ++k) {
      for (int step = 1; step < size_; ++step) write(around(me_ + step), mine, k);
      combine_in_order(mine, items, k);
    }
  }
  // Two ranks: a piece is replaced as soon as it was written. On both the share of rank 0 stands in front.
  void exchange(std::span<std::byte> items) {
    const int other = 1 - me_;
    for (std::size_t k = 0; k < pieces(items.size()); ++k) {
      write(other, items, k);
      take(other, other < me_ ? Action::CombineBefore : Action::CombineBehind, items, k, k + 1);
    }
  }
  // into = share 0 op share 1 op ...
  void combine_in_order(Bytes mine, std::span<std::byte> into, std::size_t number) {
    for (int rank = 0; rank < size_; ++rank) {
      const Action action = rank == 0 ? Action::Copy : Action::CombineBehind;
      if (rank == me_) {
        take_own(action, mine, into, number);
      } else {
        take(rank, action, into, number);
      }
    }
  }
  // Each rank puts one part together as it goes around, then the parts go around once more. What is written in a round
  // is what the round before gave.
  // Source: Patarasuk and Yuan, Bandwidth optimal all-reduce algorithms for clusters of workstations (2009).
  void around_the_ring(std::span<std::byte> items) {
    const auto part = [&](int number) {
      return part_of_items(items, collective_.dtype, static_cast<std::size_t>(around(number)),
                           static_cast<std::size_t>(size_));
    };
    const int right = around(me_ + 1), left = around(me_ - 1);
    std::size_t taken_before = 0;
    for (int round = 0; round < 2 * (size_ - 1); ++round) {
      const bool combines = round < size_ - 1;
      const std::span<std::byte> given = part(me_ - round), got = part(me_ - round - 1);
      const std::size_t first_take = plan_.takes.size();
      const std::size_t most = std::max(pieces(given.size()), pieces(got.size()));
      for (std::size_t k = 0; k < most; ++k) {
        if (k < pieces(given.size())) write(right, given, k, round == 0 ? 0 : taken_before + k + 1);
        // All that was written before was copied: also the parts that the second time around replaces.
        if (k < pieces(got.size())) {
          take(left, combines ? Action::CombineBehind : Action::Copy, got, k, combines ? 0 : plan_.writes.size());
        }
      }
      taken_before = first_take;
    }
  }

  // A tree: who has the items gives them to a rank that is 1, 2, 4, ... further.
  void broadcast() {
    const std::span<std::byte> items = collective_.outputs[0];
    const int place = around(me_ - collective_.root);
    if (relays_ == Relays::None) return broadcast_directly(items, place);
    int distance = 1;
    while (distance < size_ && (place & distance) == 0) distance *= 2;
    for (std::size_t k = 0; k < pieces(items.size()); ++k) {
      if (place != 0) take(around(me_ - distance), Action::Copy, items, k);
      for (int further = distance / 2; further > 0; further /= 2) {
        if (place + further < size_) write(around(me_ + further), items, k, plan_.takes.size());
      }
    }
  }

  void broadcast_directly(std::span<std::byte> items, int place) {
    for (std::size_t k = 0; k < pieces(items.size()); ++k) {
      if (place != 0) take(collective_.root, Action::Copy, items, k);
      for (int further = 1; place == 0 && further < size_; ++further) write(around(me_ + further), items, k);
    }
  }

  void reduce() {
    const std::span<std::byte> items = collective_.outputs[0];
    const bool is_root = me_ == collective_.root;
    const Bytes mine = is_root && me_ != 0 ? copy_of(items) : Bytes(items);
    for (std::size_t k = 0; k < pieces(items.size()); ++k) {
      if (is_root) {
        combine_in_order(mine, items, k);
      } else {
        write(collective_.root, items, k);
      }
    }
  }

  void all_gather() {
    const Bytes mine = gathered_input();
    for (std::size_t k = 0; k < pieces(mine.size()); ++k) {
      for (int step = 1; step < size_; ++step) write(around(me_ + step), mine, k);
      collect(mine, k);
    }
  }
  void gather() {
    const Bytes mine = me_ == collective_.root ? gathered_input() : Bytes(collective_.inputs[0]);
    for (std::size_t k = 0; k < pieces(mine.size()); ++k) {
      if (me_ == collective_.root) {
        collect(mine, k);
      } else {
        write(collective_.root, mine, k);
      }
    }
  }
  // It may stand in its place already.
  Bytes gathered_input() {
    const Bytes own = collective_.inputs[0];
    return own.data() == collective_.outputs[static_cast<std::size_t>(me_)].data() ? own : inputs()[0];
  }
  void collect(Bytes own, std::size_t number) {
    for (int rank = 0; rank < size_; ++rank) {
      const std::span<std::byte> into = collective_.outputs[static_cast<std::size_t>(rank)];
      if (rank == me_) {
        take_own(Action::Copy, own, into, number);
      } else {
        take(rank, Action::Copy, into, number);
      }
    }
  }

  void scatter() {
    const std::span<std::byte> into = collective_.outputs[0];
    const bool is_root = me_ == collective_.root;
    const std::vector<Bytes> shares = inputs();
    for (std::size_t k = 0; k < pieces(into.size()); ++k) {
      if (!is_root) {
        take(collective_.root, Action::Copy, into, k);
        continue;
      }
      for (int step = 1; step < size_; ++step) {
        const int to = around(me_ + step);
        write(to, shares[static_cast<std::size_t>(to)], k);
      }
      take_own(Action::Copy, shares[static_cast<std::size_t>(me_)], into, k);
    }
  }

  void reduce_scatter() {
    const std::span<std::byte> into = collective_.outputs[0];
    const std::vector<Bytes> shares = inputs();
    for (std::size_t k = 0; k < pieces(into.size()); ++k) {
      for (int step = 1; step < size_; ++step) {
        const int to = around(me_ + step);
        write(to, shares[static_cast<std::size_t>(to)], k);
      }
      combine_in_order(shares[static_cast<std::size_t>(me_)], into, k);
    }
  }

  // Shares differ in size, so the ranks do not know how many pieces others exchange: each two go by their own.
  void all_to_all() {
    const std::vector<Bytes> shares = inputs();
    std::size_t most = 1;
    for (const Bytes share : shares) most = std::max(most, pieces(share.size()));
    for (const std::span<std::byte> output : collective_.outputs) most = std::max(most, pieces(output.size()));
    for (std::size_t k = 0; k < most; ++k) {
      for (int step = 0; step < size_; ++step) {
        const int to = around(me_ + step), from = around(me_ - step);
        const Bytes share = shares[static_cast<std::size_t>(to)];
        const std::span<std::byte> into = collective_.outputs[static_cast<std::size_t>(from)];
        if (step == 0) {
          if (k < pieces(share.size())) take_own(Action::Copy, share, into, k);
          continue;
        }
        if (k < pieces(share.size())) write(to, share, k);
        if (k < pieces(into.size())) take(from, Action::Copy, into, k);
      }
    }
  }

  // After step k every rank has heard, through others, of the 2^k before it.
  void barrier() {
    for (int distance = 1; distance < size_; distance *= 2) {
      write(around(me_ + distance), {}, 0, plan_.takes.size());
      take(around(me_ - distance), Action::Copy, {}, 0);
    }
  }

  const Collective& collective_;
  int size_, me_;
  std::size_t cell_bytes_;
  Relays relays_;
  CellPlan plan_;
};

}  // namespace

bool depends(const Collective& later, const Collective& earlier) {
  const auto reads_or_writes = [](const Collective& one, std::span<const std::byte> place) {
    return std::any_of(one.inputs.begin(), one.inputs.end(), [&](const auto& span) { return lie_over(span, place); }) ||
           std::any_of(one.outputs.begin(), one.outputs.end(), [&](const auto& span) { return lie_over(span, place); });
  };
  return std::any_of(earlier.outputs.begin(), earlier.outputs.end(),
                     [&](const auto& span) { return reads_or_writes(later, span); }) ||
         std::any_of(later.outputs.begin(), later.outputs.end(),
                     [&](const auto& span) { return reads_or_writes(earlier, span); });
}

CellPlan make_cell_plan(const Collective& collective, int me, int size, std::size_t cell_bytes, Relays relays) {
  return Planner(collective, me, size, cell_bytes, relays).run();
}

void apply_take(const Collective& collective, const CellPlan::Take& take, std::span<const std::byte> piece) {
  switch (take.action) {
    case Action::Copy:
      std::copy(piece.begin(), piece.end(), take.into.begin());
      return;
    case Action::CombineBehind:
      return combine_items(collective.dtype, collective.op, take.into, piece, take.into);
    case Action::CombineBefore:
      return combine_items(collective.dtype, collective.op, piece, take.into, take.into);
  }
}

}  // namespace nns::parallel
