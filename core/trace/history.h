#pragma once

#include <cstddef>
#include <cstdint>

#include "core/trace/chunks.h"
#include "core/trace/shown.h"

namespace nns::trace {

/// The newest version of one thing; 0: it has none.
using Head = std::uint32_t;

/// The versions of many things that change with time, each thing a list that grows at its end.
/// Method: a version knows the one before it. How far back one may jump from it (E. W. Myers, "An applicative
/// random-access stack", 1983), so that the version that held at any moment is found in a logarithmic number of steps,
/// is found out when somebody asks for a moment that is past: a recording does not wait for that.
template <class Content>
class Histories {
 public:
  Histories() { versions_.push_back({}); }

  /// Adds what holds from `event` on. Must hold: `event` is not before that of `head`, and `head` is one of these.
  /// Of two versions of one event the second holds.
  void add(Head& head, std::uint32_t event, const Content& content) {
    versions_.push_back({event, head, content});
    head = static_cast<Head>(versions_.size() - 1);
  }

  /// The version of `head` that holds at the moment `event`; 0: none yet.
  /// Cost: the logarithm of the versions, and once some steps for each version that was added since it was asked last.
  Head at(Head head, std::uint32_t event) const {
    if (versions_[head].event <= event) return head;
    find_jumps(head);
    while (versions_[head].event > event) {
      const Head far = jumps_[head].to;
      head = versions_[far].event > event ? far : versions_[head].previous;
    }
    return head;
  }

  /// What nothing has for 0.
  const Content& content(Head version) const { return versions_[version].content; }
  /// Since when it holds.
  std::uint32_t since(Head version) const { return versions_[version].event; }
  /// The version before it; 0: none.
  Head previous(Head version) const { return versions_[version].previous; }

  std::size_t bytes() const { return versions_.bytes() + jumps_.bytes(); }
  /// What asking for moments that are past will take more.
  std::size_t bytes_to_come() const { return (versions_.size() - jumps_.size()) * sizeof(Jump); }

 private:
  struct Version {
    std::uint32_t event = 0;
    Head previous = 0;
    Content content;
  };
  struct Jump {
    Head to = 0;
    /// How many versions there are up to this one.
    std::uint32_t depth = 0;
  };

  void find_jumps(Head last) const {
    if (jumps_.empty()) jumps_.push_back({});
    while (jumps_.size() <= last) {
      const Head previous = versions_[jumps_.size()].previous;
      const Jump& before = jumps_[previous];
      const Jump& far = jumps_[before.to];
      const bool is_equally_far = before.depth - far.depth == far.depth - jumps_[far.to].depth;
      jumps_.push_back({is_equally_far ? far.to : previous, before.depth + 1});
    }
  }

  // The first is none at all: before every event.
  Chunks<Version> versions_;
  mutable Chunks<Jump> jumps_;
};

}  // namespace nns::trace
