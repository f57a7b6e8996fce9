// Programs of ours, beside what Python prints for each.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/python/program.h"

namespace nns::tests {
namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return std::move(text).str();
}

std::vector<std::filesystem::path> programs() {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(NNSCOPE_PROGRAMS)) {
    const std::filesystem::path& path = entry.path();
    std::filesystem::path expected = path;
    if (path.extension() == ".py" && std::filesystem::exists(expected.replace_extension(".txt"))) found.push_back(path);
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string test_name(const testing::TestParamInfo<std::filesystem::path>& info) {
  return info.param.parent_path().filename().string() + "_" + info.param.stem().string();
}

class Programs : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(Programs, PrintWhatPythonPrints) {
  const ProgramResult result = run_python(text_of(GetParam()), {.name = GetParam().filename().string()});
  std::filesystem::path expected = GetParam();
  EXPECT_EQ(result.out, text_of(expected.replace_extension(".txt"))) << result.traceback;
  EXPECT_EQ(result.traceback, "");
}

INSTANTIATE_TEST_SUITE_P(Files, Programs, testing::ValuesIn(programs()), test_name);

}  // namespace
}  // namespace nns::tests
