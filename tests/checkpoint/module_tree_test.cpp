#include "core/checkpoint/module_tree.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "tests/support/make_safetensors.h"
#include "tests/support/open_document.h"

namespace nns::checkpoint {
namespace {

TEST(StringTable, GivesOneIdToEqualTexts) {
  StringTable strings;
  EXPECT_EQ(strings.intern(""), 0U);
  const std::uint32_t weight = strings.intern("weight");
  std::vector<std::uint32_t> ids;
  for (int at = 0; at < 5000; ++at) ids.push_back(strings.intern(std::to_string(at)));
  for (int at = 0; at < 5000; ++at) {
    ASSERT_EQ(strings.intern(std::to_string(at)), ids[static_cast<std::size_t>(at)]);
    ASSERT_EQ(strings.view(ids[static_cast<std::size_t>(at)]), std::to_string(at));
  }
  EXPECT_EQ(strings.intern("weight"), weight);
  EXPECT_EQ(strings.size(), 5002U);
}

TEST(StringTable, AppendedTextsAreNotFoundByIntern) {
  StringTable strings;
  const std::uint32_t appended = strings.append("a.b");
  EXPECT_EQ(strings.view(appended), "a.b");
  EXPECT_NE(strings.intern("a.b"), appended);
}

TEST(NaturalLess, ComparesRunsOfDigitsAsNumbers) {
  std::vector<std::string> names = {
      "layers.10", "layers.2", "layers.2a", "a", "layers.02", "", "b10c", "b9c", "99999999999999999999999", "7"};
  std::sort(names.begin(), names.end(), natural_less);
  EXPECT_THAT(names, testing::ElementsAre("", "7", "99999999999999999999999", "a", "b9c", "b10c", "layers.02",
                                          "layers.2", "layers.2a", "layers.10"));
}

TEST(NaturalLess, IsAStrictOrder) {
  const std::vector<std::string> names = {"", "0", "00", "1", "01", "a", "a0", "a00", "a1", "a01b", "a1b", "b"};
  for (const auto& a : names) {
    EXPECT_FALSE(natural_less(a, a));
    for (const auto& b : names) {
      if (a == b) continue;
      EXPECT_NE(natural_less(a, b), natural_less(b, a)) << a << " " << b;
    }
  }
}

TEST(ModuleTree, SplitsNamesAtDotsAndOrdersSiblingsNaturally) {
  const auto file =
      tests::plan_safetensors({{"h.10.w", "F32", {2}}, {"h.2.w", "F32", {2}}, {"h.2.b", "F32", {1}}, {"z", "F32", {}}});
  const auto document = tests::open_text(file.whole());
  ASSERT_TRUE(document.ok()) << document.error().message();
  EXPECT_EQ(tests::tree_text(**document),
            ": Module\n"
            "  h: Sequential\n"
            "    2: Module\n"
            "      b\n"
            "      w\n"
            "    10: Module\n"
            "      w\n"
            "  z\n");
  EXPECT_EQ((*document)->tree.parameters[0], 6U);
  EXPECT_EQ((*document)->tree.bytes[0], 24U);
  EXPECT_EQ(tests::tree_fault(**document), "");
}

TEST(ModuleTree, ATensorAndAModuleMayHaveOneName) {
  const auto file =
      tests::plan_safetensors({{"a", "F32", {1}}, {"a.b", "F32", {1}}, {".", "F32", {1}}, {"", "F32", {1}}});
  const auto document = tests::open_text(file.whole());
  ASSERT_TRUE(document.ok()) << document.error().message();
  EXPECT_EQ(tests::tree_fault(**document), "");
  EXPECT_EQ((*document)->tensors.size(), 4U);
}

TEST(ModuleTree, ANameWithThousandsOfDotsMakesABoundedDepth) {
  std::string name;
  for (int at = 0; at < 20'000; ++at) name += "a.";
  const auto document =
      tests::open_text(tests::plan_safetensors({{name, "F32", {1}}, {name + "b", "F32", {1}}}).whole());
  ASSERT_TRUE(document.ok()) << document.error().message();
  EXPECT_LE((*document)->tree.size(), 132U);
  EXPECT_EQ(tests::tree_fault(**document), "");
}

TEST(ModuleTree, EqualBlocksHaveEqualStructure) {
  const auto document = tests::open_text(tests::plan_safetensors(tests::llama_405b_tiny()).whole());
  ASSERT_TRUE(document.ok()) << document.error().message();
  const auto& tree = (*document)->tree;
  const std::uint32_t first = tests::find_row(**document, "model/layers/0");
  for (int layer = 1; layer < 126; ++layer) {
    const std::uint32_t row = tests::find_row(**document, "model/layers/" + std::to_string(layer));
    ASSERT_EQ(tree.structure[row], tree.structure[first]);
    ASSERT_EQ(tree.end[row] - row, tree.end[first] - first);
  }
  EXPECT_NE(tree.structure[tests::find_row(**document, "model/layers/0/mlp")],
            tree.structure[tests::find_row(**document, "model/layers/0/self_attn")]);
}

}  // namespace
}  // namespace nns::checkpoint
