#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace nns::model {

/// "1,234,567".
std::string thousands(std::uint64_t number);
/// "−1,234".
std::string signed_thousands(std::int64_t number);
/// Three significant digits with a unit: "7.62 B", "124 M", "1.05 K", "12". For parameters.
std::string short_count(std::uint64_t number);
/// "2.2 GB", "810 GB", "512 B": powers of 1000, as disks and PyTorch's hub count them.
std::string short_bytes(std::uint64_t bytes);
/// The number that `text` is as a whole; none if it is no number, or not a finite one.
std::optional<double> finite_number(const std::string& text);
/// "4,096 × 11,008", "scalar".
std::string shape_text(std::span<const std::int64_t> shape);
/// "1 × 1,024 int64", of a float32 the shape alone.
std::string tensor_text(std::span<const std::int64_t> shape, std::string_view dtype);
/// Texts of the first of so many tensors: "1 × 3, 1 × 3, … 4 more".
std::string tensors_text(std::span<const std::string> first, std::size_t count);
/// Shortest text of a value for a person: 4 significant digits, "NaN", "−∞"; whole numbers below a million in full.
std::string value_text(double value);
/// "1.5 - 2j", as Python writes complex numbers.
std::string complex_text(double real, double imaginary);
/// "3.1%", "<0.1%", ">99.9%"; "" for nothing or of nothing.
std::string share_text(std::uint64_t part, std::uint64_t whole);

}  // namespace nns::model
