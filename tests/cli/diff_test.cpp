#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/cli/process.h"
#include "tests/native/temp_folder.h"
#include "tests/support/valued_safetensors.h"

namespace nns::tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string base_model() {
  return valued_safetensors({float_tensor("attn.weight", {2, 2}, {1, 2, 3, 4}), float_tensor("attn.bias", {1, 2}),
                             float_tensor("head.weight", {5, 6, 7})});
}

/// The same behind "module.", with one value changed, a tensor more and one of another shape.
std::string tuned_model() {
  return valued_safetensors({float_tensor("module.attn.weight", {2, 2}, {1, 2, 3, 6}),
                             float_tensor("module.attn.bias", {1, 2}), float_tensor("module.head.weight", {5, 6}),
                             float_tensor("module.lora.scale", {9})});
}

TEST(Diff, OfEqualFilesIsStatusZero) {
  const TempFolder folder;
  const auto a = folder.write("a.safetensors", base_model());
  const auto b = folder.write("b.safetensors", base_model());
  for (const std::vector<std::string>& extra : {std::vector<std::string>{}, {"--values"}}) {
    std::vector<std::string> arguments = {"diff", a, b};
    arguments.insert(arguments.end(), extra.begin(), extra.end());
    const auto result = run_nnscope(arguments);
    EXPECT_EQ(result.status, 0) << result.out;
    EXPECT_THAT(result.err, IsEmpty());
    EXPECT_THAT(result.out,
                AllOf(HasSubstr("3 tensors in both · 3 with equal names and headers"), Not(HasSubstr("status"))));
  }
  EXPECT_THAT(run_nnscope({"diff", a, b}).out, HasSubstr("values: not compared (--values reads 72 B)"));
}

TEST(Diff, OnlyValuesThatWereComparedCount) {
  const TempFolder folder;
  const auto a = folder.write("a.safetensors", valued_safetensors({float_tensor("w", {1, 2})}));
  const auto b = folder.write("b.safetensors", valued_safetensors({float_tensor("w", {1, 3})}));
  EXPECT_EQ(run_nnscope({"diff", a, b}).status, 0);
  const auto result = run_nnscope({"diff", a, b, "--values"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.out, AllOf(HasSubstr("0 tensors of equal values, 1 of different ones"), HasSubstr("max |Δ|"),
                                HasSubstr("50.0%")));
}

TEST(Diff, TellsThePrefixOnceAndSortsByChange) {
  const TempFolder folder;
  const auto a = folder.write("a.safetensors", base_model());
  const auto b = folder.write("b.safetensors", tuned_model());
  const auto result = run_nnscope({"diff", a, b, "--values"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.out, HasSubstr("prefix: \"module.\" stands in names of B only (3 tensors line up through it)"));
  const std::size_t added = result.out.find("module.lora.scale");
  const std::size_t shape = result.out.find("module.head.weight");
  const std::size_t values = result.out.find("module.attn.weight");
  ASSERT_NE(added, std::string::npos) << result.out;
  EXPECT_LT(added, shape);
  EXPECT_LT(shape, values);
  EXPECT_THAT(result.out, Not(HasSubstr("attn.bias")));
  EXPECT_EQ(result.out.find('\x1b'), std::string::npos);
}

TEST(Diff, TellsWhatDiffersInTheMetadataAndDoesNotCountIt) {
  const TempFolder folder;
  const auto a = folder.write("a.safetensors", valued_safetensors({float_tensor("w", {1, 2})},
                                                                  R"({"format":"pt","licence":"MIT","epoch":"3"})"));
  const auto b = folder.write(
      "b.safetensors", valued_safetensors({float_tensor("w", {1, 2})}, R"({"epoch":"4","format":"pt","step":"70"})"));
  const auto text = run_nnscope({"diff", a, b});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out,
              AllOf(HasSubstr("metadata: 1 added, 1 removed, 1 changed\n"), HasSubstr("changed  epoch    3 → 4\n"),
                    HasSubstr("removed  licence  MIT\n"), HasSubstr("added    step     70\n")));
  const auto parsed = nlohmann::json::parse(run_nnscope({"diff", a, b, "--json"}).out);
  EXPECT_EQ(parsed["equal"], true);
  ASSERT_EQ(parsed["metadata"].size(), 3U);
  EXPECT_EQ(parsed["metadata"][2], nlohmann::json({{"status", "added"}, {"key", "step"}, {"a", nullptr}, {"b", "70"}}));
  EXPECT_THAT(run_nnscope({"diff", a, a}).out, Not(HasSubstr("metadata")));
}

TEST(Diff, JsonSaysTheSame) {
  const TempFolder folder;
  const auto a = folder.write("a.safetensors", base_model());
  const auto b = folder.write("b.safetensors", tuned_model());
  const auto result = run_nnscope({"diff", "--json", "--values", a, b});
  EXPECT_EQ(result.status, 1);
  const auto parsed = nlohmann::json::parse(result.out);
  EXPECT_EQ(parsed["a"]["tensors"], 3);
  EXPECT_EQ(parsed["equal"], false);
  EXPECT_EQ(parsed["complete"], true);
  EXPECT_EQ(parsed["prefixes"][0]["b"], "module.");
  EXPECT_EQ(parsed["counts"]["added"], 1);
  EXPECT_EQ(parsed["counts"]["values_different"], 1);
  ASSERT_EQ(parsed["changes"].size(), 3U);
  EXPECT_EQ(parsed["changes"][0]["status"][0], "added");
  EXPECT_TRUE(parsed["changes"][0]["a"].is_null());
  EXPECT_EQ(parsed["changes"][1]["shape_b"], (std::vector<int>{2}));
  const auto& changed = parsed["changes"][2];
  EXPECT_EQ(changed["status"][0], "values");
  EXPECT_EQ(changed["max_abs"], 2.0);
  EXPECT_EQ(changed["max_at"], 3);
  EXPECT_EQ(changed["changed"], 1);
  EXPECT_NEAR(changed["relative"].get<double>(), 2 / std::sqrt(30.0), 1e-9);
}

TEST(Diff, NaNIsToldApart) {
  const TempFolder folder;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto a = folder.write("a.safetensors", valued_safetensors({float_tensor("w", {1, nan, nan, 2})}));
  const auto b = folder.write("b.safetensors", valued_safetensors({float_tensor("w", {nan, nan, 3, 2})}));
  const auto result = run_nnscope({"diff", a, b, "--values"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.out, HasSubstr("1 NaN in A only, 1 NaN in B only, 1 NaN in both"));
}

TEST(Diff, WhatCannotBeReadOrComparedIsStatusTwo) {
  const TempFolder folder;
  const auto a = folder.write("a.safetensors", base_model());
  const auto bad = folder.write("bad.safetensors", "nothing of use");
  const auto result = run_nnscope({"diff", a, bad});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("bad.safetensors"));
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_EQ(run_nnscope({"diff", a}).status, 2);
  EXPECT_EQ(run_nnscope({"diff", a, a, a}).status, 2);
  EXPECT_EQ(run_nnscope({"diff", a, "/nonexistent/b.pt"}).status, 2);

  const TempFolder shards;
  shards.write("one.safetensors", valued_safetensors({float_tensor("b", {2})}));
  const auto index =
      shards.write("model.safetensors.index.json", R"({"weight_map":{"a":"two.safetensors","b":"one.safetensors"}})");
  const auto unknown = run_nnscope({"diff", index, index});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("1 of the tensors could not be compared"));
  EXPECT_THAT(unknown.out,
              HasSubstr("2 tensors in both · 1 with equal names and headers · 1 of unknown shape and dtype"));
  EXPECT_EQ(run_nnscope_with_full_disk({"diff", a, a}).status, 2);
}

TEST(Diff, StopsOnControlCWithWhatIsKnown) {
  const TempFolder folder;
  const PlannedFile plan = plan_safetensors(llama_405b_full());
  for (const char* name : {"a.safetensors", "b.safetensors"}) {
    if (!folder.write_sparse(name, plan.beginning, plan.size)) {
      GTEST_SKIP() << "the file system takes no file of " << plan.size << " bytes";
    }
  }
  Process process({"diff", "--json", "--values", folder.path() / "a.safetensors", folder.path() / "b.safetensors"});
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  process.signal(SIGINT);
  const auto result = process.wait();
  EXPECT_EQ(result.status, 130) << result.err;
  const auto parsed = nlohmann::json::parse(result.out);
  EXPECT_EQ(parsed["complete"], false);
  EXPECT_EQ(parsed["equal"], false);
  EXPECT_LT(parsed["counts"]["values_equal"], 1138);
}

std::string two_layers() {
  return valued_safetensors({float_tensor("h.3.attn.weight", {2, 2}, {1, 2, 3, 4}), float_tensor("h.3.bias", {1, 2}),
                             float_tensor("h.4.attn.weight", {2, 2}, {1, 2, 3, 6}), float_tensor("h.4.bias", {1, 2})});
}

TEST(DiffOfParts, ComparesTwoLayersOfOneFile) {
  const TempFolder folder;
  const auto file = folder.write("a.safetensors", two_layers());
  const auto result = run_nnscope({"diff", file, "--part", "h.3", "--with-part", "h.4", "--values"});
  EXPECT_EQ(result.status, 1) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("a.safetensors, h.3\nB "), HasSubstr("a.safetensors, h.4\n"),
                                HasSubstr("2 tensors in both"), HasSubstr("h.4.attn.weight"),
                                HasSubstr("1 tensor of equal values, 1 of different ones")));
  EXPECT_EQ(run_nnscope({"diff", file, "--part", "h.3.bias", "--with-part", "h.4.bias", "--values"}).status, 0);
  const auto parsed = run_nnscope({"diff", file, "--part", "h.3", "--with-part", "h.4", "--values", "--json"});
  const auto told = nlohmann::json::parse(parsed.out);
  EXPECT_EQ(told["a"]["part"], "h.3");
  EXPECT_EQ(told["b"]["part"], "h.4");
  ASSERT_EQ(told["changes"].size(), 1U);
  EXPECT_EQ(told["changes"][0]["a"], "h.3.attn.weight");
  EXPECT_EQ(told["changes"][0]["max_abs"], 2);
}

TEST(DiffOfParts, OfTwoFilesHaveTheSameNameUnlessTold) {
  const TempFolder folder;
  const auto a = folder.write("a.safetensors", two_layers());
  const auto b = folder.write("b.safetensors", two_layers());
  EXPECT_EQ(run_nnscope({"diff", a, b, "--part", "h.4", "--values"}).status, 0);
  EXPECT_EQ(run_nnscope({"diff", a, b, "--part", "h.3", "--with-part", "h.4", "--values"}).status, 1);
}

TEST(DiffOfParts, TellsWhatIsWrong) {
  const TempFolder folder;
  const auto file = folder.write("a.safetensors", two_layers());
  const auto alone = run_nnscope({"diff", file});
  EXPECT_EQ(alone.status, 2);
  EXPECT_THAT(alone.err, HasSubstr("diff needs a second file, or --part and --with-part"));
  const auto unknown = run_nnscope({"diff", file, "--part", "h.3", "--with-part", "h.5"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, AllOf(HasSubstr("no module or tensor has this name"), HasSubstr("h.5")));
  const auto mixed = run_nnscope({"diff", file, "--part", "h.3", "--with-part", "h.4.bias"});
  EXPECT_EQ(mixed.status, 2);
  EXPECT_THAT(mixed.err, HasSubstr("a tensor cannot be compared with a module"));
}

}  // namespace
}  // namespace nns::tests
