#include "native/cli/quantity.h"

#include <array>
#include <string>
#include <utility>

#include "ui/model/format.h"

namespace nns::cli {

namespace {

// The number that a text begins with, and the unit behind it.
std::optional<std::pair<double, std::string_view>> split(std::string_view text) {
  const std::size_t end = text.find_first_not_of("0123456789.eE+");
  if (end == 0 || end == std::string_view::npos) return std::nullopt;
  const std::optional<double> number = model::finite_number(std::string(text.substr(0, end)));
  if (!number) return std::nullopt;
  const std::size_t unit = text.find_first_not_of(' ', end);
  return std::pair(*number, unit == std::string_view::npos ? std::string_view() : text.substr(unit));
}

template <std::size_t kCount>
std::optional<double> in_units(std::string_view text,
                               const std::array<std::pair<std::string_view, double>, kCount>& units) {
  const auto parts = split(text);
  if (!parts) return std::nullopt;
  for (const auto& [name, factor] : units) {
    if (name == parts->second) return parts->first * factor;
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> seconds_of(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 5> kUnits = {
      {{"ns", 1e-9}, {"us", 1e-6}, {"µs", 1e-6}, {"ms", 1e-3}, {"s", 1}}};
  return in_units(text, kUnits);
}

std::optional<double> bandwidth_of(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 9> kUnits = {{{"B/s", 1},
                                                                          {"kB/s", 1e3},
                                                                          {"MB/s", 1e6},
                                                                          {"GB/s", 1e9},
                                                                          {"TB/s", 1e12},
                                                                          {"kbit/s", 1e3 / 8},
                                                                          {"Mbit/s", 1e6 / 8},
                                                                          {"Gbit/s", 1e9 / 8},
                                                                          {"Tbit/s", 1e12 / 8}}};
  const std::optional<double> rate = in_units(text, kUnits);
  return rate && *rate > 0 ? rate : std::nullopt;
}

}  // namespace nns::cli
