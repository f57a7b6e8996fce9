// Programs of ours, beside what Python prints for each.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
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

// Programs that do not print all of it yet, and what they need.
const std::map<std::string, std::string>& not_yet() {
  static const std::map<std::string, std::string> kReasons = {
      {"argparse_test", "re"},
      {"collections_abc_test", "classes of their own for the iterators of containers"},
      {"enum_test", "what object.__new__ and members of built-in classes share"},
      {"functools_test", "texts of errors of keys in tuples; reprs of builtin functions with arguments"},
      {"logging_test", "os.getpid"},
      {"os_path_test", "os.getcwd"},
      {"pathlib_test", "os.getcwd"},
      {"pprint_test", "sets are shown in order of insertion"},
      {"statistics_test", "math.gcd of ints beyond 64 bits"},
      {"typing_test", "re"},
      {"unittest_test", "source lines of the running program"},
  };
  return kReasons;
}

TEST_P(Programs, PrintWhatPythonPrints) {
  const auto waiting = not_yet().find(GetParam().stem().string());
  if (waiting != not_yet().end()) GTEST_SKIP() << "needs: " << waiting->second;
  const ProgramResult result = run_python(text_of(GetParam()), GetParam().filename().string());
  std::filesystem::path expected = GetParam();
  EXPECT_EQ(result.out, text_of(expected.replace_extension(".txt"))) << result.traceback;
  EXPECT_EQ(result.traceback, "");
}

INSTANTIATE_TEST_SUITE_P(Files, Programs, testing::ValuesIn(programs()), test_name);

}  // namespace
}  // namespace nns::tests
