#include "tests/unicode/database.h"

#include <fstream>
#include <stdexcept>

namespace nns::tests {

nlohmann::json database_rows(const std::string& name) {
  const std::string path = std::string(NNSCOPE_UCD) + "/" + name + ".json";
  std::ifstream stream(path);
  if (!stream) throw std::runtime_error("cannot read " + path);
  return nlohmann::json::parse(stream).begin().value();
}

char32_t point_of(const std::string& hex) { return static_cast<char32_t>(std::stoul(hex, nullptr, 16)); }

std::u32string points_of(const nlohmann::json& sequence) {
  std::u32string points;
  for (const auto& one : sequence) points += point_of(one);
  return points;
}

void for_each_point(const nlohmann::json& row, const std::function<void(char32_t)>& use) {
  const auto& range = row.at("range");
  for (char32_t point = point_of(range.front()); point <= point_of(range.back()); ++point) use(point);
}

}  // namespace nns::tests
