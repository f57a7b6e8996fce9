#pragma once

#include <optional>
#include <string_view>

namespace nns::cli {

/// "5us", "300 ns", "0.2ms", "1s". Units: seconds. None: no such time, or below 0.
std::optional<double> seconds_of(std::string_view text);
/// "50GB/s", "400Gbit/s", "1.5 TB/s": powers of 1000. Units: bytes a second. None: no such rate, or not above 0.
std::optional<double> bandwidth_of(std::string_view text);

}  // namespace nns::cli
