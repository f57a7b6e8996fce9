#pragma once

#include <cstring>

namespace nns::base {

/// The same bits as another type: std::bit_cast, which the page's compiler has not.
template <class To, class From>
To bit_cast(From value) {
  static_assert(sizeof(To) == sizeof(From));
  To made{};
  std::memcpy(&made, &value, sizeof made);
  return made;
}

}  // namespace nns::base
