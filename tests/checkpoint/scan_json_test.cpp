// Pickles in Base64 inside JSON, as Stable-Baselines writes them.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <chrono>
#include <filesystem>

#include "core/checkpoint/scan.h"
#include "tests/support/files.h"
#include "tests/support/make_serialized_json.h"
#include "tests/support/make_torch_zip.h"

namespace nns::checkpoint {
namespace {

using testing::HasSubstr;
using tests::base64;
using tests::serialized_json;
using tests::zip_of;
using namespace std::string_literals;

const std::string kSystem = "\x80\x04\x8c\x05posix\x8c\x06system\x93\x8c\x02id\x85R.";

ScanReport scan(std::string_view bytes) {
  ScanReport reports[2];
  for (int i = 0; i < 2; ++i) {
    ScanTask task(base::make_memory_source("model.zip", tests::to_bytes(bytes)));
    const auto slice = i == 0 ? std::chrono::nanoseconds(std::chrono::hours(1)) : std::chrono::nanoseconds(0);
    while (true) {
      const auto done = task.step(base::Budget(slice));
      EXPECT_TRUE(done.ok()) << done.error().message();
      if (!done.ok() || *done) break;
    }
    reports[i] = task.report();
  }
  EXPECT_EQ(reports[0].findings.size(), reports[1].findings.size()) << "slices find something else";
  return reports[0];
}

std::string found(std::string_view bytes) {
  std::string text;
  constexpr const char* kWords[] = {"safe", "unknown", "dangerous"};
  for (const Finding& finding : scan(bytes).findings) {
    text += fmt::format("{} {} {} {} {} {}\n", kWords[static_cast<int>(finding.verdict)], finding.name, finding.opcode,
                        finding.offset, finding.member, finding.why);
  }
  return text;
}

TEST(ScanJson, TellsTheValueTheOpcodeAndBothOffsets) {
  const std::string json = serialized_json({{"gamma", "0.99"}}, {{"policy_class", kSystem}});
  const std::size_t at = json.find(":serialized:\": \"") + 15;
  EXPECT_EQ(
      found(zip_of({{"data", json}})),
      fmt::format(
          "dangerous posix.system STACK_GLOBAL 17 data!policy_class (Base64 at {}) runs commands of the system\n", at));
  EXPECT_EQ(scan(zip_of({{"data", json}})).pickles, 1U);
  EXPECT_THAT(found(json), HasSubstr("posix.system")) << "the member as a file of its own";
}

TEST(ScanJson, HoweverTheTextIsSpelled) {
  const std::string digits = base64(kSystem);
  for (const std::string& json : {
           R"({"a": {"\u003aserialized\u003A": ")" + digits + "\"}}",
           "{\"a\":{\":type:\":\"x\",\":serialized:\"\n :\t\"" + digits + "\"}}",
           R"({"a": [1, {"b": {":serialized:": ")" + digits + "\"}}]}",
           // What is no digit is passed over, as b64decode does.
           R"({"a": {":serialized:": "*-_\n)" + digits.substr(0, 9) + "\\u0020!" + digits.substr(9) + "\"}}",
           R"({"a": {":serialized:": "\u0067)" + digits.substr(1) + "\"}}",
           R"({"a": {":serialized:": "gASVAAAAAAAAAAAu"}, "b": {":serialized:": ")" + digits + "\"}}",
           // Twice the same key: a loader takes the second.
           R"({"a": {":serialized:": "gAROLg==", ":serialized:": ")" + digits + "\"}}",
           // Whatever stands in front or breaks later.
           "  \n{\"a\": {\":serialized:\": \"" + digits + "\"}, ",
       }) {
    EXPECT_EQ(scan(zip_of({{"data", json}})).verdict(), Verdict::Dangerous) << json;
  }
}

TEST(ScanJson, APickleOfOldLooksLikeNothingAndIsReadAllTheSame) {
  for (const std::string& pickle : {"cposix\nsystem\n(S'id'\ntR."s, "GGUFxxxxx0cposix\nsystem\n(S'id'\ntR."s}) {
    EXPECT_EQ(scan(zip_of({{"data", serialized_json({}, {{"a", pickle}})}})).verdict(), Verdict::Dangerous) << pickle;
  }
}

TEST(ScanJson, OrdinaryValuesAreNotDangerous) {
  const std::string deque =
      "\x80\x04\x8c\x0b"
      "collections\x8c\x05"
      "deque\x93)R.";
  const std::string policy =
      "\x80\x04\x8c\x21stable_baselines3.common.policies\x8c\x11"
      "ActorCriticPolicy\x93.";
  const ScanReport report = scan(zip_of({{"data", serialized_json({{"n", "5"}}, {{"policy", policy}, {"e", deque}})}}));
  EXPECT_EQ(report.pickles, 2U);
  EXPECT_EQ(report.verdict(), Verdict::Unknown);
  EXPECT_EQ(scan(zip_of({{"data", serialized_json({}, {{"e", deque}})}})).verdict(), Verdict::Safe);
  EXPECT_EQ(scan(R"({"a": ":serialized:", "b": [":serialized:", "Y29z"], ":serialized:": 5})").verdict(),
            Verdict::Safe);
}

// A schedule is a function without a name: making it runs nothing.
TEST(ScanJson, AFunctionIsUnknownUntilSomethingCouldCallIt) {
  const std::string maker =
      "\x8c\x17"
      "cloudpickle.cloudpickle\x94\x8c\x0e_make_function\x94\x93\x94(";
  const std::string code =
      "h\x00\x8c\x0d_builtin_type\x94\x93\x94\x8c\x08"
      "CodeType\x94\x85\x94R\x94(K\x01"s +
      "t\x94R\x94";
  const std::string function = "\x80\x04"s + maker + code + "t\x94R\x94";
  const auto verdict = [](const std::string& pickle) {
    return found(zip_of({{"data", serialized_json({}, {{"lr_schedule", pickle}})}}));
  };
  EXPECT_THAT(verdict(function + "."), HasSubstr("unknown cloudpickle.cloudpickle._make_function STACK_GLOBAL 45"));
  EXPECT_THAT(verdict(function + "."), testing::Not(HasSubstr("dangerous")));
  EXPECT_THAT(verdict(function + ")R."), HasSubstr("dangerous  REDUCE")) << "called";
  EXPECT_THAT(verdict(function + "0\x8c\x01x\x8c\x01y\x93)R."), HasSubstr("calls what could run them"));
  EXPECT_THAT(verdict("\x80\x04\x8c\x01x\x8c\x01y\x93)R0" + (function.substr(2) + ".")), HasSubstr("dangerous"));
  const std::string other =
      "\x80\x04\x8c\x17"
      "cloudpickle.cloudpickle\x8c\x0d_builtin_type\x93\x8c\x0c"
      "FunctionType\x85R.";
  EXPECT_THAT(verdict(other), HasSubstr("a type other than that of code"));
  // A bare pickle is nobody's schedule.
  EXPECT_EQ(scan(function + ".").verdict(), Verdict::Dangerous);
}

TEST(ScanJson, FilesOfStableBaselinesAreNotDangerous) {
  const auto folder = tests::test_data_folder();
  if (!folder) GTEST_SKIP() << "NNSCOPE_TEST_DATA names no folder with files of other projects";
  int files = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(*folder / "checkpoints" / "rl-trained-agents")) {
    if (entry.path().extension() != ".zip") continue;
    ++files;
    const std::vector<std::byte> bytes = tests::read_file(entry.path());
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const ScanReport report = scan(text);
    EXPECT_EQ(report.verdict(), Verdict::Unknown) << entry.path();
    EXPECT_GE(report.pickles, 10U) << entry.path();
  }
  EXPECT_GT(files, 0);
}

}  // namespace
}  // namespace nns::checkpoint
