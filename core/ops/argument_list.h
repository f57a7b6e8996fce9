#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <utility>

#include "core/object/object.h"

namespace nns::ops {

/// The arguments of one call: room for kMost values, of which only those exist that were added.
class ArgumentList {
 public:
  static constexpr std::size_t kMost = 16;

  ArgumentList() {}  // not "= default", which would clear the room where a list is value-initialised
  ~ArgumentList() { std::destroy_n(values(), count_); }
  ArgumentList(const ArgumentList&) = delete;
  ArgumentList& operator=(const ArgumentList&) = delete;

  /// Must hold: size() < kMost.
  void add(object::Value value) { std::construct_at(values() + count_++, std::move(value)); }
  std::size_t size() const { return count_; }
  std::span<const object::Value> span() const { return {values(), count_}; }

 private:
  object::Value* values() { return std::launder(reinterpret_cast<object::Value*>(room_)); }
  const object::Value* values() const { return std::launder(reinterpret_cast<const object::Value*>(room_)); }

  alignas(object::Value) std::byte room_[kMost * sizeof(object::Value)];
  std::size_t count_ = 0;
};

}  // namespace nns::ops
