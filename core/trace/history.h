#pragma once

#include <cstddef>
#include <cstdint>

#include "core/trace/chunks.h"
#include "core/trace/shown.h"

namespace nns::trace {

/// The versions of many things that change with time, each thing a list that grows at its end.
/// Method: a version knows the one before it and one further back (E. W. Myers, "An applicative random-access stack",
/// 1983), so that the version that held at any moment is found in a logarithmic number of steps, and adding one costs
/// the same however long the list is.
class Histories {
 public:
  /// The newest version of one thing; 0: it has none.
  using Head = std::uint32_t;

  Histories() { versions_.push_back({}); }

  /// Adds what holds from `event` on. Must hold: `event` is not before that of `head`, and `head` is one of these.
  /// A version of the same event is replaced.
  void add(Head& head, std::uint32_t event, Shown value) {
    Version& last = versions_[head];
    if (head != 0 && last.event == event) {
      last.value = value;
      return;
    }
    const Version& far = versions_[last.jump];
    Head jump = head;
    if (last.depth - far.depth == far.depth - versions_[far.jump].depth) jump = far.jump;
    versions_.push_back({event, head, jump, last.depth + 1, value});
    head = static_cast<Head>(versions_.size() - 1);
  }

  /// The version of `head` that holds at the moment `event`; 0: none yet.
  Head at(Head head, std::uint32_t event) const {
    while (versions_[head].event > event) {
      const Version& version = versions_[head];
      head = versions_[version.jump].event > event ? version.jump : version.previous;
    }
    return head;
  }

  /// Absent for 0.
  Shown value(Head version) const { return versions_[version].value; }
  /// Since when it holds.
  std::uint32_t since(Head version) const { return versions_[version].event; }
  /// The version before it; 0: none.
  Head previous(Head version) const { return versions_[version].previous; }
  /// How many versions there are up to this one.
  std::uint32_t count(Head version) const { return versions_[version].depth; }

  std::size_t bytes() const { return versions_.bytes(); }

 private:
  struct Version {
    std::uint32_t event = 0;
    Head previous = 0;
    Head jump = 0;
    std::uint32_t depth = 0;
    Shown value;
  };
  // The first is none at all: before every event.
  Chunks<Version> versions_;
};

}  // namespace nns::trace
