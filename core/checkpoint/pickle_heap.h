#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/checkpoint/module_tree.h"

namespace nns::checkpoint {

/// A value of a PickleHeap.
using PickleId = std::uint32_t;

enum class PickleKind : std::uint8_t {
  None,
  Bool,
  Int,     ///< fits 64 bits
  BigInt,  ///< more than 64 bits: its decimal digits, or what is said instead of very many
  Float,
  Text,   ///< UTF-8
  Bytes,  ///< bytes, bytearray, or a str of Python 2 that is not UTF-8
  Tuple,
  List,
  Dict,
  Set,
  FrozenSet,
  Global,      ///< a name, never what it stands for
  Object,      ///< what a callable was to make of its arguments, and the state set on it
  Persistent,  ///< a persistent id
};

/// A list of values that grows: chunks linked in one array.
struct PickleChain {
  std::uint32_t first = kNone;
  std::uint32_t last = kNone;
  std::uint32_t count = 0;
};

/// callable(*args, **kwargs), then __setstate__(state), items set and items appended.
struct PickleObject {
  PickleId callable = 0;
  PickleId args = 0;         ///< a Tuple; None for INST without one
  PickleId kwargs = 0;       ///< a Dict, or None
  PickleId state = 0;        ///< None if there is none
  PickleChain items;         ///< key, value, key, value: SETITEM
  PickleChain appended;      ///< APPEND and ADDITEMS
  std::uint32_t offset = 0;  ///< of the opcode that made it
  bool is_call = false;      ///< REDUCE: the callable is called; false: NEWOBJ, the class is instantiated
};

/// A global as the pickle names it.
struct PickleName {
  std::string module;
  std::string name;
  std::uint32_t global = 0;  ///< index into PickleMachine::globals()
};

/// All values of one or more pickles: 16 bytes each in one array, children by index. Nothing is a Python object; cycles
/// are fine. Texts lie in the pickle's own bytes, which must outlive the heap.
class PickleHeap {
 public:
  static constexpr PickleId kNoneValue = 0;
  static constexpr PickleId kFalse = 1;
  static constexpr PickleId kTrue = 2;
  static constexpr PickleId kSmallInts = 3;  // 0 .. 255
  static constexpr PickleId kEmptyTuple = 259;

  explicit PickleHeap(std::string_view pickle);

  std::size_t size() const { return cells_.size(); }
  PickleKind kind(PickleId id) const { return cells_[id].kind; }
  bool is_none(PickleId id) const { return id == kNoneValue; }
  bool is_text(PickleId id) const { return kind(id) == PickleKind::Text; }

  bool as_bool(PickleId id) const { return id == kTrue; }
  std::int64_t as_int(PickleId id) const { return static_cast<std::int64_t>(cells_[id].b); }
  double as_float(PickleId id) const;
  /// The bytes of a Text or Bytes, the digits of a BigInt.
  std::string_view text(PickleId id) const {
    const Cell& cell = cells_[id];
    const std::string_view where = cell.in_side_buffer ? std::string_view(side_) : pickle_;
    return where.substr(cell.a, static_cast<std::size_t>(cell.b));
  }
  /// Offset of a Text or Bytes in the pickle; UINT64_MAX if it was spelled with escapes.
  std::uint64_t text_offset(PickleId id) const { return cells_[id].in_side_buffer ? UINT64_MAX : cells_[id].a; }
  const PickleName& name(PickleId id) const { return names_[cells_[id].a]; }
  PickleObject& object(PickleId id) { return objects_[cells_[id].a]; }
  const PickleObject& object(PickleId id) const { return objects_[cells_[id].a]; }
  PickleId persistent_id(PickleId id) const { return cells_[id].a; }

  /// Children of a Tuple, List, Set (items) or Dict (key, value, ...); none of everything else.
  PickleChain chain(PickleId id) const {
    if (cells_[id].kind < PickleKind::Tuple || cells_[id].kind > PickleKind::FrozenSet) return {};
    return {cells_[id].a, static_cast<std::uint32_t>(cells_[id].b >> 32U), static_cast<std::uint32_t>(cells_[id].b)};
  }
  /// Calls `visit(child)` for each; stops when it returns false.
  template <class Visit>
  void each(const PickleChain& chain, Visit&& visit) const {
    for (std::uint32_t chunk = chain.first; chunk != kNone; chunk = links_[chunk]) {
      const std::uint32_t count = links_[chunk + 1];
      for (std::uint32_t at = 0; at < count; ++at) {
        if (!visit(links_[chunk + 2 + at])) return;
      }
    }
  }
  /// Walks a chain one child at a time, resumable.
  struct Cursor {
    std::uint32_t chunk = kNone;
    std::uint32_t at = 0;
  };
  Cursor begin(const PickleChain& chain) const { return {chain.first, 0}; }
  /// The next child; false at the end.
  bool next(Cursor& cursor, PickleId& child) const;
  /// The first `into.size()` children of a Tuple or List; how many there were.
  std::size_t first_items(PickleId id, std::span<PickleId> into) const;
  /// The value under `key` in a chain of key, value, ...; the last one wins, as in Python. kNone if there is none.
  PickleId find(const PickleChain& items, std::string_view key) const;

  PickleId make_bool(bool value) const { return value ? kTrue : kFalse; }
  PickleId make_int(std::int64_t value);
  PickleId make_float(double value);
  /// Bytes [offset, offset + size) of the pickle.
  PickleId make_text(PickleKind kind, std::uint32_t offset, std::uint32_t size) { return add(kind, offset, size); }
  PickleId make_side_text(PickleKind kind, std::string_view text);
  PickleId make_container(PickleKind kind, std::span<const PickleId> items);
  PickleId make_name(std::string module, std::string name, std::uint32_t global);
  PickleId make_object(const PickleObject& object);
  PickleId make_persistent(PickleId id) { return add(PickleKind::Persistent, id, 0); }

  void append(PickleChain& chain, std::span<const PickleId> items);
  void append_to(PickleId container, std::span<const PickleId> items);

 private:
  struct Cell {
    PickleKind kind = PickleKind::None;
    bool in_side_buffer = false;
    std::uint32_t a = 0;
    std::uint64_t b = 0;
  };
  static_assert(sizeof(Cell) == 16);

  PickleId add(PickleKind kind, std::uint32_t a, std::uint64_t b) {
    cells_.push_back({kind, false, a, b});
    return static_cast<PickleId>(cells_.size() - 1);
  }

  std::string_view pickle_;
  std::string side_;
  std::vector<Cell> cells_;
  std::vector<std::uint32_t> links_;  // chunks: next, count, items...
  std::vector<PickleObject> objects_;
  std::vector<PickleName> names_;
};

}  // namespace nns::checkpoint
