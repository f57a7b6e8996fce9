// The recorded programs of tests/conformance/recorded, run as they are written: what they print and raise is PyTorch's.
// Those of several ranks need processes: tests/cli/ranks_test.cpp runs them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/python/program.h"

namespace nns::tests {
namespace {

struct RecordedCase {
  std::string topic;
  std::string name;
  std::string source;
  std::string out;
  std::string error_type;
  std::string error_message;
  bool is_distributed = false;
};

std::vector<RecordedCase> recorded_cases() {
  std::vector<RecordedCase> cases;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(NNSCOPE_RECORDED)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    std::ifstream stream(file);
    for (const auto& one : nlohmann::json::parse(stream)) {
      if (one.contains("ranks") && one["ranks"].size() > 1) continue;
      RecordedCase recorded{file.stem().string(), one["name"], one["source"], one["stdout"], "", "",
                            one.contains("ranks")};
      if (!one["error"].is_null()) {
        recorded.error_type = one["error"]["type"];
        recorded.error_message = one["error"]["message"];
      }
      cases.push_back(std::move(recorded));
    }
  }
  return cases;
}

// Programs that do not run yet, and what they need.
const std::map<std::string, std::string>& not_yet() {
  static const std::map<std::string, std::string> kReasons = {
#include "tests/python/not_yet.inc"
  };
  return kReasons;
}

std::string recorded_name(const testing::TestParamInfo<RecordedCase>& info) {
  std::string name = info.param.topic + "_";
  for (const char c : info.param.name) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name + "_" + std::to_string(info.index);
}

class Recorded : public testing::TestWithParam<RecordedCase> {};

TEST_P(Recorded, PrintsAndRaisesWhatPyTorchDoes) {
  const RecordedCase& recorded = GetParam();
  const auto waiting = not_yet().find(recorded.topic + "/" + recorded.name);
  if (waiting != not_yet().end()) GTEST_SKIP() << waiting->second;
  ProgramWorld world;
  if (recorded.is_distributed) {
    world.environment = {{"RANK", "0"}, {"WORLD_SIZE", "1"}, {"MASTER_ADDR", "127.0.0.1"}, {"MASTER_PORT", "29500"}};
  }
  const ProgramResult result = run_python(recorded.source, world);
  EXPECT_EQ(result.out, recorded.out) << recorded.source << "\n" << result.traceback;
  EXPECT_EQ(result.error_type, recorded.error_type) << result.traceback;
  EXPECT_EQ(result.error_message, recorded.error_message) << result.traceback;
}

INSTANTIATE_TEST_SUITE_P(Programs, Recorded, testing::ValuesIn(recorded_cases()), recorded_name);

}  // namespace
}  // namespace nns::tests
