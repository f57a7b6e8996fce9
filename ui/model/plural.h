#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "ui/model/format.h"

namespace nns::model {

/// "1 tensor", "12,345 tensors".
inline std::string plural(std::uint64_t count, std::string_view one) {
  return fmt::format("{} {}{}", thousands(count), one, count == 1 ? "" : "s");
}

}  // namespace nns::model
