#include "ui/model/format.h"

#include <fmt/format.h>
#include <cstdlib>

#include <array>
#include <cmath>
#include <string_view>

namespace nns::model {

namespace {

constexpr std::string_view kMinus = "\u2212";

// Three significant digits, without zeros that say nothing: "7.62", "124", "1.5".
std::string three_digits(double number) {
  const int decimals = number < 9.995 ? 2 : number < 99.95 ? 1 : 0;
  std::string text = fmt::format("{:.{}f}", number, decimals);
  if (text.find('.') != std::string::npos) {
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
  }
  return text;
}

std::string scaled(std::uint64_t number, const std::array<std::string_view, 7>& units) {
  if (number < 1000) return units[0].empty() ? fmt::format("{}", number) : fmt::format("{} {}", number, units[0]);
  auto value = static_cast<double>(number);
  std::size_t unit = 0;
  // 999.5 would be shown as 1000 of the smaller unit.
  while (value >= 999.5 && unit + 1 < units.size()) {
    value /= 1000;
    ++unit;
  }
  return fmt::format("{} {}", three_digits(value), units[unit]);
}

}  // namespace

std::string thousands(std::uint64_t number) {
  std::string text = fmt::format("{}", number);
  for (std::size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return text;
}

std::string signed_thousands(std::int64_t number) {
  // The magnitude of the smallest number does not fit its own type.
  const auto magnitude = number < 0 ? ~static_cast<std::uint64_t>(number) + 1 : static_cast<std::uint64_t>(number);
  return number < 0 ? fmt::format("{}{}", kMinus, thousands(magnitude)) : thousands(magnitude);
}

std::string short_count(std::uint64_t number) { return scaled(number, {"", "K", "M", "B", "T", "Qa", "Qi"}); }

std::string short_bytes(std::uint64_t bytes) { return scaled(bytes, {"B", "KB", "MB", "GB", "TB", "PB", "EB"}); }

std::optional<double> finite_number(const std::string& text) {
  if (text.empty()) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (*end != 0 || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::string shape_text(std::span<const std::int64_t> shape) {
  if (shape.empty()) return "scalar";
  std::string text;
  for (const std::int64_t size : shape) {
    if (!text.empty()) text += " \u00D7 ";
    text += signed_thousands(size);
  }
  return text;
}

std::string tensor_text(std::span<const std::int64_t> shape, std::string_view dtype) {
  std::string text = shape_text(shape);
  if (dtype != "float32") text.append(" ").append(dtype);
  return text;
}

std::string tensors_text(std::span<const std::string> first, std::size_t count) {
  std::string text = fmt::format("{}", fmt::join(first, ", "));
  if (count > first.size()) text += fmt::format(", … {} more", count - first.size());
  return text;
}

std::string value_text(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "\u221E" : fmt::format("{}\u221E", kMinus);
  const double magnitude = std::fabs(value);
  if (magnitude == 0) return "0";
  std::string text;
  if (magnitude == std::floor(magnitude) && magnitude < 1e6) {
    text = thousands(static_cast<std::uint64_t>(magnitude));
  } else if (magnitude >= 99995) {
    text = magnitude < 1e6 ? thousands(static_cast<std::uint64_t>(std::llround(magnitude)))
                           : fmt::format("{:.4g}", magnitude);
  } else {
    text = fmt::format("{:.4g}", magnitude);
  }
  // An exponent reads better without its padding: 1.5e-05 is 1.5e−5.
  if (const std::size_t exponent = text.find('e'); exponent != std::string::npos) {
    const bool is_negative = text[exponent + 1] == '-';
    std::size_t digits = exponent + 2;
    while (digits + 1 < text.size() && text[digits] == '0') ++digits;
    text = fmt::format("{}e{}{}", text.substr(0, exponent), is_negative ? kMinus : "", text.substr(digits));
  }
  return value < 0 ? fmt::format("{}{}", kMinus, text) : text;
}

std::string complex_text(double real, double imaginary) {
  return fmt::format("{} {} {}j", value_text(real), std::signbit(imaginary) ? '-' : '+',
                     value_text(std::abs(imaginary)));
}

std::string share_text(std::uint64_t part, std::uint64_t whole) {
  if (part == 0 || whole == 0) return "";
  const double percent = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  if (percent < 0.1) return "<0.1%";
  if (part >= whole) return "100%";
  // A part that is not all is not shown as all.
  return percent > 99.9 ? ">99.9%" : fmt::format("{:.1f}%", percent);
}

}  // namespace nns::model
