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

// The file with what a program prints: beside it, of the examples in the folder `examples` here.
std::filesystem::path expected_of(std::filesystem::path program) {
  if (program.parent_path() == std::filesystem::path(NNSCOPE_EXAMPLES)) {
    program = std::filesystem::path(NNSCOPE_PROGRAMS) / "examples" / program.filename();
  }
  return program.replace_extension(".txt");
}

std::vector<std::filesystem::path> programs() {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(NNSCOPE_PROGRAMS)) {
    const std::filesystem::path& path = entry.path();
    if (path.extension() == ".py" && std::filesystem::exists(expected_of(path))) found.push_back(path);
  }
  // The examples that people are shown; what they print lies here.
  for (const auto& entry : std::filesystem::directory_iterator(NNSCOPE_EXAMPLES)) {
    if (entry.path().extension() == ".py") found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string program_name(const testing::TestParamInfo<std::filesystem::path>& info) {
  return info.param.parent_path().filename().string() + "_" + info.param.stem().string();
}

class Programs : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(Programs, PrintWhatPythonPrints) {
  const ProgramResult result = run_python(text_of(GetParam()), {.name = GetParam().filename().string()});
  EXPECT_EQ(result.out, text_of(expected_of(GetParam()))) << result.traceback;
  EXPECT_EQ(result.traceback, "");
}

INSTANTIATE_TEST_SUITE_P(Files, Programs, testing::ValuesIn(programs()), program_name);

}  // namespace
}  // namespace nns::tests
