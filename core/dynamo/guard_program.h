#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "core/dynamo/source.h"

namespace nns::dynamo {

struct Guard;

/// The guards of one compiled frame in the form in which each call checks them: what has to be read, each once and
/// after what it is read from, with the guards on it. It tells only whether all hold; GuardSet tells why not.
/// Behaviour: torch/csrc/dynamo/guards.cpp, RootGuardManager.
/// Lifetime: the guards and their sources must outlive it.
class GuardProgram {
 public:
  GuardProgram(Interpreter& interpreter, const std::deque<Guard>& guards);
  bool holds(Scope scope) const;

 private:
  struct Check {
    const Guard* guard;
    /// The read of its source.
    std::uint32_t place = 0;
    /// Of guards about an attribute of the object: its name.
    Name name = {};
  };
  struct Read {
    const Source* source;
    /// What it is read from: a read before it. Must be less, but for a root.
    std::uint32_t base = 0;
    /// The guards on it in checks_.
    std::uint32_t begin = 0, end = 0;
    /// An item of a dict by a name.
    Name name = {};
  };
  std::uint32_t place_of(const Source& source) const;
  Value value_of(const Read& read, Scope scope, const std::vector<Value>& values) const;
  bool passes(const Check& check, const std::vector<Value>& values) const;
  bool has_aliases(const std::vector<Value>& values) const;

  Interpreter& interpreter_;
  std::vector<Read> reads_;
  std::vector<Check> checks_;
  /// Reads by the number of their source; -1: it is none.
  std::vector<std::int32_t> places_;
  /// Reads of tensors that must be different ones.
  std::vector<std::uint32_t> tensors_;
};

}  // namespace nns::dynamo
