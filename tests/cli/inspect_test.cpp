// `nnscope inspect` as programs use it.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/process.h"
#include "tests/native/temp_folder.h"
#include "tests/support/make_safetensors.h"

namespace nns::tests {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Inspect, TheSumOfComplexNumbersHasBothParts) {
  const TempFolder folder;
  std::string bytes = plan_safetensors({{"c", "C64", {2}}}).beginning;
  for (const float part : {1.0F, -2.0F, 0.5F, -0.5F}) bytes.append(reinterpret_cast<const char*>(&part), sizeof part);
  const std::string file = folder.write("complex.safetensors", bytes).string();
  EXPECT_THAT(run_nnscope({"inspect", file, "--tensor", "c"}).out, HasSubstr("1.5 - 2.5j"));
  const json found = json::parse(run_nnscope({"inspect", file, "--tensor", "c", "--json"}).out);
  EXPECT_EQ(found["sum"], 1.5);
  EXPECT_EQ(found["sum_imaginary"], -2.5);
}

TEST(Inspect, ProgramsAreToldWhatPeopleAre) {
  const TempFolder folder;
  const std::string file =
      folder.write("model.safetensors.index.json", R"({"weight_map":{"a":"gone.safetensors"}})").string();
  const json found = json::parse(run_nnscope({"inspect", file, "--json"}).out);
  ASSERT_FALSE(found["notes"].empty());
  EXPECT_THAT(found["notes"].dump(), HasSubstr("gone.safetensors"));
}

/// Two blocks with attention, an embedding and metadata.
std::string blocks_file(const TempFolder& folder) {
  std::vector<PlannedTensor> tensors = {{"embed.weight", "F32", {100, 8}}};
  for (const char* block : {"h.0", "h.1"}) {
    tensors.push_back({fmt::format("{}.attn.q.weight", block), "BF16", {8, 16}});
    tensors.push_back({fmt::format("{}.attn.q.bias", block), "F32", {8}});
    tensors.push_back({fmt::format("{}.mlp.weight", block), "BF16", {32, 8}});
  }
  return folder.write("blocks.safetensors", plan_safetensors(tensors, R"({"format":"pt","attn":"eager"})").whole())
      .string();
}

void collect_names(const json& node, std::vector<std::string>& names) {
  names.push_back(node["name"].get<std::string>());
  if (!node.contains("children")) return;
  const json& children = node["children"];
  for (const json& child : children) collect_names(child, names);
}

TEST(InspectFilter, TellsWhatMatchesAndItsSums) {
  const TempFolder folder;
  const std::string file = blocks_file(folder);
  const auto run = run_nnscope({"inspect", file, "--filter", "attn"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("filter \"attn\": 2 matches, 1 in the metadata · 4 tensors · 272 parameters · 576 B"));
  EXPECT_THAT(run.out, HasSubstr("attn"));
  EXPECT_THAT(run.out, HasSubstr("×2"));
  EXPECT_THAT(run.out, HasSubstr("eager"));
  EXPECT_THAT(run.out, HasSubstr("bfloat16 256 in 2 tensors"));
  for (const char* absent : {"mlp", "embed", "format  pt"}) EXPECT_THAT(run.out, Not(HasSubstr(absent)));
}

TEST(InspectFilter, JsonHasOnlyWhatMatches) {
  const TempFolder folder;
  const std::string file = blocks_file(folder);
  const json found = json::parse(run_nnscope({"inspect", file, "--json", "--filter", "h.1 attn"}).out);
  EXPECT_EQ(found["filter"]["query"], "h.1 attn");
  EXPECT_EQ(found["filter"]["matches"], 1);
  EXPECT_EQ(found["filter"]["parameters"], 8 * 16 + 8);
  EXPECT_EQ(found["filter"]["bytes"], 8 * 16 * 2 + 8 * 4);
  ASSERT_EQ(found["tensors"].size(), 2U);
  EXPECT_EQ(found["tree"]["parameters"], 8 * 16 + 8);
  EXPECT_EQ(found["tree"]["match"], false);
  std::vector<std::string> names;
  collect_names(found["tree"], names);
  EXPECT_THAT(names, ElementsAre("", "h", "1", "attn", "q", "bias", "weight"));
  // A row's tensor is the one of that number in the list.
  const json& attention = found["tree"]["children"][0]["children"][0]["children"][0];
  EXPECT_EQ(attention["match"], true);
  const json& weight = attention["children"][0]["children"][1];
  EXPECT_EQ(found["tensors"][weight["tensor"].get<std::size_t>()]["name"], "h.1.attn.q.weight");
}

TEST(InspectFilter, SizesTypesShapesAndPatternsAreConditions) {
  const TempFolder folder;
  const std::string file = blocks_file(folder);
  const auto parameters = [&](const std::string& query) {
    return json::parse(run_nnscope({"inspect", file, "--json", "--filter", query}).out)["filter"]["parameters"]
        .get<int>();
  };
  EXPECT_EQ(parameters("bf16"), 2 * (8 * 16 + 32 * 8));
  EXPECT_EQ(parameters("attn weight bf16 >100"), 2 * 8 * 16);
  EXPECT_EQ(parameters("shape:32,*"), 2 * 32 * 8);
  EXPECT_EQ(parameters("/h\\.0\\..*weight/"), 8 * 16 + 32 * 8);
  // What must not be there is not shown inside of what matches.
  EXPECT_EQ(parameters("attn -bias"), 2 * 8 * 16);
  EXPECT_THAT(run_nnscope({"inspect", file, "--filter", "attn -bias"}).out, Not(HasSubstr("─ bias")));
}

TEST(InspectFilter, ReadsOnlyTheValuesOfWhatMatches) {
  const TempFolder folder;
  const std::string file = blocks_file(folder);
  const json found = json::parse(run_nnscope({"inspect", file, "--json", "--stats", "--filter", "embed"}).out);
  ASSERT_EQ(found["tensors"].size(), 1U);
  EXPECT_EQ(found["tensors"][0]["zeros"], 800);
}

TEST(InspectFilter, NothingThatMatchesHasAnExitStatusOfItsOwn) {
  const TempFolder folder;
  const std::string file = blocks_file(folder);
  const auto none = run_nnscope({"inspect", file, "--filter", "cross_attention"});
  EXPECT_EQ(none.status, 1);
  EXPECT_EQ(none.out, "");
  EXPECT_THAT(none.err, HasSubstr("nothing matches \"cross_attention\""));
  const auto as_json = run_nnscope({"inspect", file, "--json", "--filter", "cross_attention"});
  EXPECT_EQ(as_json.status, 1);
  EXPECT_TRUE(json::parse(as_json.out)["tensors"].empty());
  EXPECT_TRUE(json::parse(as_json.out)["tree"].is_null());

  const auto wrong = run_nnscope({"inspect", file, "--filter", "shape:x"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("shape:x"));
  EXPECT_EQ(run_nnscope({"inspect", file, "--filter", ""}).status, 2);
  EXPECT_EQ(run_nnscope({"inspect", file, "--filter", "attn", "--scan"}).status, 2);

  // One file of several that matches is enough, as with grep.
  const std::string other =
      folder.write("other.safetensors", plan_safetensors({{"cross_attention", "F32", {2}}}).whole()).string();
  EXPECT_EQ(run_nnscope({"inspect", file, other, "--filter", "cross_attention"}).status, 0);
}

TEST(Inspect, APackedWeightTellsWhatItIs) {
  const TempFolder folder;
  const std::vector<PlannedTensor> tensors = {
      {"q.qweight", "I32", {32, 64}}, {"q.qzeros", "I32", {2, 8}}, {"q.scales", "F16", {2, 64}}};
  const std::string file = folder.write("gptq.safetensors", plan_safetensors(tensors).whole()).string();
  EXPECT_THAT(run_nnscope({"inspect", file}).out, HasSubstr("64 × 256 float16 as GPTQ, 4 bits each, groups of 128"));
  const json found = json::parse(run_nnscope({"inspect", file, "--json"}).out);
  EXPECT_EQ(found["tree"]["parameters"], 64 * 256);
  EXPECT_EQ(found["tensors"][0]["packed"], json::parse(R"({"as":"GPTQ","bits":4,"parameters":16384,"shape":[64,256],
                                                           "dtype":"float16","group":128})"));
  EXPECT_FALSE(found["tensors"][1].contains("packed"));
  // Found by what it is packed as; its parameters are those of the weight.
  const json gptq = json::parse(run_nnscope({"inspect", file, "--json", "--filter", "gptq"}).out);
  EXPECT_EQ(gptq["filter"]["matches"], 1);
  EXPECT_EQ(gptq["filter"]["parameters"], 64 * 256);
}

}  // namespace
}  // namespace nns::tests
