#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/object/iterator.h"

namespace nns::object {

/// What start:stop:step takes of a sequence of `length` items, where each part is None or an int in place and the step
/// is not 0; none: a part is something else, so Slice::bounds has to decide. Cost: no allocation.
std::optional<Slice::Bounds> plain_bounds(const Value& start, const Value& stop, const Value& step,
                                          std::int64_t length);

/// The items that `bounds` takes.
std::vector<Value> taken_items(std::span<const Value> items, const Slice::Bounds& bounds);

/// items[bounds] = given. Gives back what was in the way: dropping it may run code, which must find the items in order.
/// Must hold: the step of `bounds` is 1.
std::vector<Value> replace_items(std::vector<Value>& items, const Slice::Bounds& bounds, std::vector<Value> given);

}  // namespace nns::object
