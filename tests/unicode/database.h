#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace nns::tests {

/// The rows of a file of the Unicode character database: "UnicodeData", "extracted/DerivedBidiClass".
nlohmann::json database_rows(const std::string& name);
char32_t point_of(const std::string& hex);
/// "0044 0307".
std::u32string points_of(const nlohmann::json& sequence);
/// Calls use(code point, row) for each character of the row's range.
void for_each_point(const nlohmann::json& row, const std::function<void(char32_t)>& use);

}  // namespace nns::tests
