#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/cli/process.h"
#include "tests/native/temp_folder.h"
#include "tests/support/make_safetensors.h"

namespace nns::tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

/// A small file with two tensors, one of them named to do harm on a terminal.
std::string small_file() {
  return safetensors_with_header(
      R"({"__metadata__":{"by":"a test"},"fc.weight":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},)"
      R"("fc.\u001b[31mbias":{"dtype":"F32","shape":[2],"data_offsets":[24,32]}})",
      32);
}

TEST(CommandLine, HelpAndVersionGoToStandardOutput) {
  for (const char* option : {"--help", "-h"}) {
    const auto result = run_nnscope({option});
    EXPECT_EQ(result.status, 0);
    EXPECT_THAT(result.out,
                AllOf(HasSubstr("inspect"), HasSubstr("serve"), HasSubstr("open"), HasSubstr("Exit status")));
    EXPECT_THAT(result.err, IsEmpty());
  }
  EXPECT_THAT(run_nnscope({"inspect", "--help"}).out,
              AllOf(HasSubstr("--json"), HasSubstr("--stats"), HasSubstr("--depth")));
  const auto version = run_nnscope({"--version"});
  EXPECT_EQ(version.status, 0);
  EXPECT_THAT(version.out, AllOf(StartsWith("nnscope "), HasSubstr(" build, ")));
}

TEST(CommandLine, WrongUsageIsStatusTwoAndOneLineOnStandardError) {
  const std::vector<std::vector<std::string>> wrong = {{"inspect"},
                                                       {"inspect", "--depth", "x", "a"},
                                                       {"inspect", "--nonsense", "a"},
                                                       {"serve", "--port", "70000"},
                                                       {"serve", "extra"},
                                                       {"open", "--size", "12"},
                                                       {"open", "--theme", "pink"}};
  for (const auto& arguments : wrong) {
    const auto result = run_nnscope(arguments);
    EXPECT_EQ(result.status, 2) << result.err;
    EXPECT_THAT(result.out, IsEmpty());
    EXPECT_THAT(result.err, StartsWith("nnscope: "));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
}

TEST(Inspect, OfAPathThatIsNotThereIsStatusTwoWithTheSystemsWords) {
  const auto result = run_nnscope({"inspect", "/nonexistent/a.pt"});
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.err, "nnscope: /nonexistent/a.pt: cannot be opened: No such file or directory\n");
  EXPECT_THAT(result.out, IsEmpty());
}

TEST(Inspect, PrintsTheTreeWithTotals) {
  const TempFolder folder;
  const auto result = run_nnscope({"inspect", folder.write("a.safetensors", small_file())});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.err, IsEmpty());
  EXPECT_THAT(result.out, AllOf(HasSubstr("safetensors · 2 tensors · 8 parameters"), HasSubstr("└─ fc"),
                                HasSubstr("2 × 3"), HasSubstr("float32"), HasSubstr("a test")));
}

TEST(Inspect, ShowsRepeatedBlocksAsOneLine) {
  const TempFolder folder;
  std::vector<PlannedTensor> tensors;
  for (int i = 0; i < 12; ++i) tensors.push_back({"h." + std::to_string(i) + ".fc.weight", "F32", {4, 4}});
  const auto path = folder.write("a.safetensors", plan_safetensors(tensors).whole());
  const auto folded = run_nnscope({"inspect", path});
  EXPECT_THAT(folded.out, AllOf(HasSubstr("0…11  ×12"), HasSubstr("192"), Not(HasSubstr("─ 5"))));
  const auto shallow = run_nnscope({"inspect", path, "--depth", "1"});
  EXPECT_THAT(shallow.out, AllOf(HasSubstr("└─ h"), Not(HasSubstr("×12"))));
}

TEST(Inspect, PipesNoEscapesEvenFromNames) {
  const TempFolder folder;
  const auto path = folder.write("a.safetensors", small_file());
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {"inspect", path}, {"inspect", "--json", path}, {"inspect", path, "/nonexistent/\x1b[2J"}}) {
    const auto result = run_nnscope(arguments);
    EXPECT_EQ(result.out.find('\x1b'), std::string::npos);
    EXPECT_EQ(result.err.find('\x1b'), std::string::npos);
  }
  EXPECT_THAT(run_nnscope({"inspect", path}).out, HasSubstr("\\x1b[31mbias"));
}

TEST(Inspect, JsonHasThePromisedKeysInTheirOrder) {
  const TempFolder folder;
  const auto path = folder.write("a.safetensors", small_file());
  const auto result = run_nnscope({"inspect", "--json", "--stats", path});
  EXPECT_EQ(result.status, 0) << result.err;
  const auto parsed = nlohmann::ordered_json::parse(result.out);
  const auto keys = [](const nlohmann::ordered_json& object) {
    std::vector<std::string> names;
    for (const auto& [name, value] : object.items()) names.push_back(name);
    return names;
  };
  EXPECT_EQ(keys(parsed), (std::vector<std::string>{"format", "tensors", "metadata", "globals", "tree", "notes"}));
  ASSERT_EQ(parsed["tensors"].size(), 2U);
  EXPECT_EQ(keys(parsed["tensors"][0]),
            (std::vector<std::string>{
                "name",  "dtype", "shape",   "stride",    "nbytes",       "file",    "offset", "shares_storage_with",
                "sum",   "min",   "max",     "mean",      "std",          "nan",     "inf",    "absmax",
                "zeros", "rows",  "columns", "dead_rows", "dead_columns", "outliers"}));
  EXPECT_EQ(parsed["tensors"][0]["name"], "fc.weight");
  EXPECT_EQ(parsed["tensors"][0]["stride"], (std::vector<int>{3, 1}));
  EXPECT_EQ(parsed["tensors"][0]["offset"], std::filesystem::file_size(path) - 32);
  EXPECT_EQ(parsed["metadata"]["by"], "a test");
  EXPECT_EQ(parsed["tree"]["children"][0]["name"], "fc");
}

TEST(Inspect, OfSeveralPathsGoesOnAfterABadOne) {
  const TempFolder folder;
  const auto good = folder.write("a.safetensors", small_file());
  const auto bad = folder.write("bad.safetensors", "nothing of use");
  const auto result = run_nnscope({"inspect", "--json", good, bad, good});
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  const auto parsed = nlohmann::json::parse(result.out);
  ASSERT_EQ(parsed.size(), 3U);
  EXPECT_EQ(parsed[0]["tensors"].size(), 2U);
  EXPECT_EQ(parsed[1]["input"], bad.string());
  EXPECT_THAT(parsed[1]["error"].get<std::string>(), HasSubstr("bad.safetensors"));
  EXPECT_EQ(parsed[2]["tensors"].size(), 2U);
  EXPECT_THAT(run_nnscope({"inspect", bad, good}).out, HasSubstr("2 tensors"));
}

TEST(Inspect, OfAFolderReadsItsOnlyCheckpoint) {
  const TempFolder folder;
  folder.write("a.safetensors", small_file());
  folder.write("config.json", "{}");
  EXPECT_THAT(run_nnscope({"inspect", folder.path()}).out, HasSubstr("2 tensors"));
  const TempFolder empty;
  const auto nothing = run_nnscope({"inspect", empty.path()});
  EXPECT_EQ(nothing.status, 2);
  EXPECT_THAT(nothing.err, HasSubstr(empty.path().string()));
}

TEST(Inspect, OfAFolderTellsWhatItsQuantizeConfigSays) {
  const TempFolder folder;
  folder.write("gptq_model-4bit-128g.safetensors",
               plan_safetensors({{"q.qweight", "I32", {32, 64}}, {"q.scales", "F16", {2, 64}}}).whole());
  const auto config = folder.write("quantize_config.json", R"({"bits": 4, "group_size": 128})");
  for (const auto& input : {folder.path(), folder.path() / "gptq_model-4bit-128g.safetensors"}) {
    const auto result = run_nnscope({"inspect", input});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("GPTQ, 4 bits each, groups of 128"));
    EXPECT_THAT(result.out, HasSubstr("16,384 parameters"));
  }
  const auto alone = run_nnscope({"inspect", config});
  EXPECT_EQ(alone.status, 0);
  EXPECT_THAT(alone.out, HasSubstr("How the weights of a model are packed"));
}

TEST(Inspect, SaysSoWhenItsOutputCannotBeWritten) {
  const TempFolder folder;
  const auto path = folder.write("a.safetensors", small_file());
  const auto result = run_nnscope_with_full_disk({"inspect", path});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr("No space left on device"));
}

TEST(Inspect, OfHugeSparseFilesTakesLittleMemory) {
  const TempFolder folder;
  for (const auto& tensors : {llama_2gb(), llama_405b_full()}) {
    const PlannedFile plan = plan_safetensors(tensors);
    if (!folder.write_sparse("huge.safetensors", plan.beginning, plan.size)) {
      GTEST_SKIP() << "the file system takes no file of " << plan.size << " bytes";
    }
    const auto result = run_nnscope({"inspect", "--json", folder.path() / "huge.safetensors"});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(nlohmann::json::parse(result.out)["tensors"].size(), tensors.size());
    if (NNSCOPE_MEASURES_MEMORY) {
      EXPECT_LT(result.peak_kib, 50 * 1024);
    }
  }
}

}  // namespace
}  // namespace nns::tests
