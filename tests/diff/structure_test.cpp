#include "core/diff/structure.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>

#include "tests/support/files.h"
#include "tests/support/make_torch_zip.h"
#include "tests/support/open_document.h"
#include "tests/support/valued_safetensors.h"

namespace nns::tests {
namespace {

using checkpoint::kNone;
using diff::Structure;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

std::unique_ptr<checkpoint::Checkpoint> open_tensors(const std::vector<PlannedTensor>& tensors) {
  auto opened = open_text(plan_safetensors(tensors).whole());
  EXPECT_TRUE(opened.ok()) << (opened.ok() ? "" : opened.error().message());
  return std::move(opened).value();
}

std::string sign(const Structure& structure, std::uint32_t row) {
  constexpr std::string_view kSigns = "=+-~>";
  std::string text(1, kSigns[static_cast<std::size_t>(structure.match[row])]);
  const std::uint8_t flags = structure.flags[row];
  for (const auto& [bit, letter] : {std::pair{diff::kShape, 's'},
                                    {diff::kDtype, 'd'},
                                    {diff::kClass, 'c'},
                                    {diff::kText, 't'},
                                    {diff::kPrefix, 'p'},
                                    {diff::kUnknown, 'u'}}) {
    if ((flags & bit) != 0) text += letter;
  }
  return text;
}

/// The rows that show a tensor: "= fc.weight", "> old.weight new.weight".
std::vector<std::string> lines(const checkpoint::Checkpoint& a, const checkpoint::Checkpoint& b,
                               const Structure& structure) {
  std::vector<std::string> texts;
  for (std::uint32_t row = 0; row < structure.size(); ++row) {
    const std::uint32_t in_a = structure.a[row];
    const std::uint32_t in_b = structure.b[row];
    const bool is_tensor = in_a != kNone ? a.tree.tensor[in_a] != kNone : b.tree.tensor[in_b] != kNone;
    if (!is_tensor) continue;
    const std::string name_a = in_a == kNone ? "" : diff::path_of(a.tree, in_a);
    const std::string name_b = in_b == kNone ? "" : diff::path_of(b.tree, in_b);
    texts.push_back(fmt::format("{} {}{}{}", sign(structure, row), name_a,
                                name_a.empty() || name_b.empty() || name_a == name_b ? "" : " ",
                                name_a == name_b ? "" : name_b));
  }
  return texts;
}

/// Pre-order, ends and sums hold, and every row of both trees that shows a tensor is shown once.
void expect_sound(const checkpoint::Checkpoint& a, const checkpoint::Checkpoint& b, const Structure& structure) {
  std::vector<int> seen_a(a.tree.size(), 0);
  std::vector<int> seen_b(b.tree.size(), 0);
  for (std::uint32_t row = 0; row < structure.size(); ++row) {
    if (row > 0) {
      const std::uint32_t parent = structure.parent[row];
      ASSERT_LT(parent, row);
      ASSERT_LE(structure.end[row], structure.end[parent]);
    }
    ASSERT_GT(structure.end[row], row);
    ASSERT_FALSE(structure.a[row] == kNone && structure.b[row] == kNone);
    if (structure.a[row] != kNone) ++seen_a[structure.a[row]];
    if (structure.b[row] != kNone) ++seen_b[structure.b[row]];
    std::uint32_t below = structure.is_change(row) ? 1 : 0;
    for (std::uint32_t child = row + 1; child < structure.end[row]; child = structure.end[child]) {
      below += structure.changes[child];
    }
    ASSERT_EQ(structure.changes[row], below) << row;
  }
  for (std::uint32_t row = 0; row < a.tree.size(); ++row) {
    if (a.tree.tensor[row] != kNone) {
      EXPECT_EQ(seen_a[row], 1) << diff::path_of(a.tree, row);
    }
  }
  for (std::uint32_t row = 0; row < b.tree.size(); ++row) {
    EXPECT_EQ(seen_b[row], 1) << diff::path_of(b.tree, row);
  }
}

struct Compared {
  std::unique_ptr<checkpoint::Checkpoint> a;
  std::unique_ptr<checkpoint::Checkpoint> b;
  Structure structure;
  std::vector<std::string> lines;
};

Compared compare_files(std::unique_ptr<checkpoint::Checkpoint> a, std::unique_ptr<checkpoint::Checkpoint> b) {
  Compared compared{std::move(a), std::move(b), {}, {}};
  compared.structure = diff::compare_structure(*compared.a, *compared.b);
  expect_sound(*compared.a, *compared.b, compared.structure);
  compared.lines = lines(*compared.a, *compared.b, compared.structure);
  return compared;
}

Compared compare(const std::vector<PlannedTensor>& a, const std::vector<PlannedTensor>& b) {
  return compare_files(open_tensors(a), open_tensors(b));
}

std::vector<PlannedTensor> blocks(int count, const std::string& prefix, const std::string& dtype = "F32") {
  std::vector<PlannedTensor> tensors;
  for (int i = 0; i < count; ++i) {
    tensors.push_back({fmt::format("{}layers.{}.attn.weight", prefix, i), dtype, {4, 4}});
    tensors.push_back({fmt::format("{}layers.{}.attn.bias", prefix, i), dtype, {4}});
    tensors.push_back({fmt::format("{}layers.{}.norm.weight", prefix, i), dtype, {4}});
  }
  tensors.push_back({prefix + "embed.weight", dtype, {8, 4}});
  return tensors;
}

std::uint32_t row_of(const checkpoint::Checkpoint& file, std::string_view path) {
  const auto row = diff::find_path(file, path);
  EXPECT_TRUE(row.ok()) << (row.ok() ? "" : row.error().message());
  return row.ok() ? *row : 0;
}

TEST(StructureOfParts, NamesBelowThemLineUp) {
  const auto file = open_tensors({{"h.3.attn.q.weight", "F32", {4, 4}},
                                  {"h.3.attn.bias", "F32", {4}},
                                  {"h.3.mlp.weight", "F32", {4, 8}},
                                  {"h.4.attn.q.weight", "F32", {4, 4}},
                                  {"h.4.attn.bias", "F16", {4}},
                                  {"h.4.mlp.weight", "F32", {4, 9}},
                                  {"h.4.gate", "F32", {1}},
                                  {"wte.weight", "F32", {9, 4}}});
  const diff::Parts parts{row_of(*file, "h.3"), row_of(*file, "h.4")};
  ASSERT_TRUE(diff::check_parts(*file, *file, parts).ok());
  const Structure structure = diff::compare_structure(*file, *file, parts);
  EXPECT_THAT(lines(*file, *file, structure),
              UnorderedElementsAre("= h.3.attn.q.weight h.4.attn.q.weight", "=d h.3.attn.bias h.4.attn.bias",
                                   "=s h.3.mlp.weight h.4.mlp.weight", "+ h.4.gate"));
  EXPECT_EQ(structure.a[0], parts.a);
  EXPECT_EQ(structure.b[0], parts.b);
  EXPECT_EQ(structure.counts.tensors_a, 3U);
  EXPECT_EQ(structure.counts.tensors_b, 4U);
  EXPECT_EQ(structure.counts.same, 1U);
  EXPECT_THAT(structure.prefixes, IsEmpty()) << "the parts' own names are no difference";
}

TEST(StructureOfParts, OfAnotherFileAndBehindAWrapper) {
  const auto a = open_tensors(
      {{"encoder.fc.weight", "F32", {2, 2}}, {"encoder.fc.bias", "F32", {2}}, {"head.weight", "F32", {2}}});
  const auto b =
      open_tensors({{"model.decoder.module.fc.weight", "F32", {2, 2}}, {"model.decoder.module.fc.bias", "F32", {2}}});
  const Structure structure = diff::compare_structure(*a, *b, {row_of(*a, "encoder"), row_of(*b, "model.decoder")});
  EXPECT_THAT(lines(*a, *b, structure), UnorderedElementsAre("=p encoder.fc.weight model.decoder.module.fc.weight",
                                                             "=p encoder.fc.bias model.decoder.module.fc.bias"));
  ASSERT_THAT(structure.prefixes, SizeIs(1));
  EXPECT_EQ(structure.prefixes[0].b, "module.");
  const Structure turned = diff::compare_structure(*b, *a, {row_of(*b, "model.decoder"), row_of(*a, "encoder")});
  EXPECT_EQ(turned.a[0], row_of(*b, "model.decoder")) << "not the wrapper below it";
  EXPECT_EQ(turned.b[0], row_of(*a, "encoder"));
}

TEST(StructureOfParts, TwoTensorsLineUpWhateverTheyAreCalled) {
  const auto file = open_tensors({{"a.weight", "F32", {4, 4}}, {"b.kernel", "F16", {4, 4}}, {"c.bias", "F32", {4}}});
  const Structure dtypes =
      diff::compare_structure(*file, *file, {row_of(*file, "a.weight"), row_of(*file, "b.kernel")});
  EXPECT_THAT(lines(*file, *file, dtypes), ElementsAre("=d a.weight b.kernel"));
  const Structure shapes = diff::compare_structure(*file, *file, {row_of(*file, "a.weight"), row_of(*file, "c.bias")});
  EXPECT_THAT(lines(*file, *file, shapes), ElementsAre("=s a.weight c.bias"));
  EXPECT_EQ(shapes.changes[0], 1U);
  const Structure same = diff::compare_structure(*file, *file, {row_of(*file, "a.weight"), row_of(*file, "a.weight")});
  EXPECT_TRUE(same.is_equal());
  EXPECT_EQ(same.counts.same, 1U);
}

TEST(StructureOfParts, RefusesWhatCannotBeCompared) {
  const auto file = open_tensors({{"a.weight", "F32", {4, 4}}, {"b.weight", "F32", {4, 4}}});
  const auto mixed = diff::check_parts(*file, *file, {row_of(*file, "a"), row_of(*file, "b.weight")});
  ASSERT_FALSE(mixed.ok());
  EXPECT_THAT(mixed.error().message(), testing::HasSubstr("a tensor cannot be compared with a module"));
  EXPECT_FALSE(diff::check_parts(*file, *file, {0, file->tree.size()}).ok());
  EXPECT_FALSE(diff::find_path(*file, "a.bias").ok());
  EXPECT_FALSE(diff::find_path(*file, "weight").ok()) << "the end of a name is no name";
}

TEST(CompareStructure, OfAFileWithItselfFindsNothing) {
  const auto compared = compare(blocks(3, ""), blocks(3, ""));
  EXPECT_TRUE(compared.structure.is_equal());
  EXPECT_EQ(compared.structure.counts.same, 10U);
  EXPECT_EQ(compared.structure.size(), compared.b->tree.size());
}

TEST(CompareStructure, FindsAddedRemovedShapeAndDtype) {
  const auto compared = compare({{"fc.weight", "F32", {2, 3}}, {"fc.bias", "F32", {2}}, {"old.weight", "F32", {5, 5}}},
                                {{"fc.weight", "F32", {2, 4}}, {"fc.bias", "BF16", {2}}, {"new.kernel", "F32", {7}}});
  EXPECT_THAT(compared.lines, UnorderedElementsAre("=s fc.weight", "=d fc.bias", "- old.weight", "+ new.kernel"));
  const auto& counts = compared.structure.counts;
  EXPECT_EQ(counts.added, 1U);
  EXPECT_EQ(counts.removed, 1U);
  EXPECT_EQ(counts.shape, 1U);
  EXPECT_EQ(counts.dtype, 1U);
  EXPECT_EQ(counts.same, 0U);
  EXPECT_FALSE(compared.structure.is_equal());
}

TEST(CompareStructure, APrefixIsToldOnceAndCountsNoTensorAsChanged) {
  for (const std::string prefix : {"module.", "_orig_mod.", "module._orig_mod.", "model.", "state_dict.", "a.b.c."}) {
    for (const bool is_in_a : {true, false}) {
      const auto compared =
          is_in_a ? compare(blocks(12, prefix), blocks(12, "")) : compare(blocks(12, ""), blocks(12, prefix));
      ASSERT_THAT(compared.structure.prefixes, SizeIs(1)) << prefix;
      EXPECT_EQ(compared.structure.prefixes[0].a, is_in_a ? prefix : "");
      EXPECT_EQ(compared.structure.prefixes[0].b, is_in_a ? "" : prefix);
      EXPECT_EQ(compared.structure.prefixes[0].tensors, 37U);
      EXPECT_EQ(compared.structure.counts.same, 37U) << prefix;
      EXPECT_EQ(compared.structure.changes[0], 0U) << prefix;
      EXPECT_FALSE(compared.structure.is_equal());
    }
  }
}

TEST(CompareStructure, OnePrefixInPlaceOfAnotherLinesUpAlsoInAnotherDtype) {
  const auto compared = compare(blocks(6, "module.net."), blocks(6, "model.", "BF16"));
  ASSERT_THAT(compared.structure.prefixes, SizeIs(1));
  EXPECT_EQ(compared.structure.prefixes[0].a, "module.net.");
  EXPECT_EQ(compared.structure.prefixes[0].b, "model.");
  EXPECT_EQ(compared.structure.counts.dtype, 19U);
  EXPECT_EQ(compared.structure.counts.added + compared.structure.counts.removed, 0U);
}

TEST(CompareStructure, APrefixThatEqualNamesHideIsFound) {
  // "model.layers" beside "model.model.layers": both begin with the module "model".
  const auto compared = compare(blocks(6, "model."), blocks(6, "model.model."));
  ASSERT_THAT(compared.structure.prefixes, SizeIs(1));
  EXPECT_EQ(compared.structure.counts.same, 19U);
}

TEST(CompareStructure, WrappersAroundEachBlockAreToldTogether) {
  std::vector<PlannedTensor> wrapped;
  std::vector<PlannedTensor> plain;
  for (int i = 0; i < 8; ++i) {
    for (const char* name : {"attn.weight", "mlp.weight"}) {
      wrapped.push_back({fmt::format("layers.{}._orig_mod.{}", i, name), "F32", {4, 4}});
      plain.push_back({fmt::format("layers.{}.{}", i, name), "F32", {4, 4}});
    }
  }
  for (const bool is_in_a : {true, false}) {
    const auto compared = is_in_a ? compare(wrapped, plain) : compare(plain, wrapped);
    ASSERT_THAT(compared.structure.prefixes, SizeIs(1));
    const auto& prefix = compared.structure.prefixes[0];
    EXPECT_EQ(is_in_a ? prefix.a : prefix.b, "_orig_mod.");
    EXPECT_EQ(prefix.places, 8U);
    EXPECT_EQ(prefix.tensors, 16U);
    EXPECT_EQ(compared.structure.changes[0], 0U);
  }
}

/// All of one shape, so that only places tell them apart.
std::vector<PlannedTensor> layers(int count, const std::string& list, const std::vector<std::string>& names) {
  std::vector<PlannedTensor> tensors;
  for (int i = 0; i < count; ++i) {
    for (const std::string& name : names)
      tensors.push_back({fmt::format("{}.{}.{}.weight", list, i, name), "F32", {8, 8}});
  }
  return tensors;
}

TEST(CompareStructure, AModuleThatHasAnotherNameInEveryLayerIsToldOnce) {
  const auto a = layers(3, "layers", {"attn.q", "attn.k", "mlp"});
  const auto told = [](const Compared& compared) {
    std::string text;
    for (const diff::Prefix& prefix : compared.structure.prefixes)
      text += fmt::format("{} {} {} {}; ", prefix.a, prefix.b, prefix.tensors, prefix.places);
    return text;
  };
  const auto renamed = compare(a, layers(3, "layers", {"self_attention.q", "self_attention.k", "mlp"}));
  EXPECT_EQ(told(renamed), "attn. self_attention. 6 3; ");
  EXPECT_EQ(renamed.structure.counts.same, 9U);
  EXPECT_EQ(renamed.structure.changes[0], 0U);
  // The list has another name, too.
  const auto both = compare(a, layers(3, "h", {"self_attention.q", "self_attention.k", "mlp"}));
  EXPECT_EQ(both.structure.counts.same, 9U);
  EXPECT_THAT(told(both), ::testing::HasSubstr("attn. self_attention. 6 3; "));
  // Alike among several of one shape: "q" is "q_proj"; and below a module that has another name itself.
  for (const std::string attention : {"attn", "self_attention"}) {
    const auto parts = compare(a, layers(3, "layers", {attention + ".q_proj", attention + ".k_proj", "mlp"}));
    EXPECT_EQ(parts.structure.counts.same, 9U) << attention;
    EXPECT_THAT(told(parts), ::testing::HasSubstr("q. q_proj. 3 3; ")) << attention;
  }
  // Which of two is meant nobody can say.
  const auto unclear = compare(layers(1, "layers", {"a", "b", "mlp"}), layers(1, "layers", {"c", "d", "mlp"}));
  EXPECT_EQ(unclear.structure.counts.added, 2U);
  EXPECT_EQ(unclear.structure.counts.removed, 2U);
}

TEST(CompareStructure, AModuleCalledModuleIsNoPrefixWhereBothHaveIt) {
  const auto compared = compare(blocks(2, "module."), blocks(2, "module."));
  EXPECT_TRUE(compared.structure.is_equal());
}

TEST(CompareStructure, ATensorUnderAnotherParentIsMovedIfItIsTheOnlyOneLikeIt) {
  const auto compared =
      compare({{"a.x.weight", "F32", {3, 5}}, {"b.kernel", "F32", {2, 2}}, {"keep.bias", "F32", {9}}},
              {{"c.d.weight", "F32", {3, 5}}, {"e.kernel", "F32", {2, 3}}, {"keep.bias", "F32", {9}}});
  EXPECT_THAT(compared.lines,
              UnorderedElementsAre("> a.x.weight c.d.weight", "- b.kernel", "+ e.kernel", "= keep.bias"));
  EXPECT_EQ(compared.structure.counts.moved, 1U);
}

TEST(CompareStructure, TwoThatCouldHaveMovedAreAddedAndRemoved) {
  const auto compared = compare({{"a.weight", "F32", {3}}, {"b.weight", "F32", {3}}},
                                {{"c.weight", "F32", {3}}, {"d.weight", "F32", {3}}});
  EXPECT_EQ(compared.structure.counts.added, 2U);
  EXPECT_EQ(compared.structure.counts.removed, 2U);
}

TEST(CompareStructure, ASmallModuleThatMovedIsNoPrefix) {
  auto before = blocks(20, "");
  auto after = blocks(20, "");
  for (const char* name : {"weight", "bias"}) {
    before.push_back({fmt::format("head.{}", name), "F32", {6}});
    after.push_back({fmt::format("classifier.out.{}", name), "F32", {6}});
  }
  const auto compared = compare(before, after);
  EXPECT_THAT(compared.structure.prefixes, IsEmpty());
  EXPECT_EQ(compared.structure.counts.moved, 2U);
  EXPECT_EQ(compared.structure.counts.added, 0U);
}

TEST(CompareStructure, AnotherLastNameUnderTheSameParentIsRenamed) {
  const auto compared = compare({{"norm.gamma", "F32", {4}}, {"norm.beta", "F32", {4}}, {"fc.kernel", "F32", {4, 2}}},
                                {{"norm.weight", "F32", {4}}, {"norm.bias", "F32", {4}}, {"fc.matrix", "F32", {4, 2}}});
  EXPECT_THAT(compared.lines,
              UnorderedElementsAre("~ norm.gamma norm.weight", "~ norm.beta norm.bias", "~ fc.kernel fc.matrix"));
  EXPECT_EQ(compared.structure.counts.renamed, 3U);
}

TEST(CompareStructure, WhatOnlyAHasStandsWhereItStoodInA) {
  const auto compared = compare({{"a.weight", "F32", {1}}, {"gone.kernel", "F32", {2}}, {"z.weight", "F32", {3}}},
                                {{"a.weight", "F32", {1}}, {"new.matrix", "F32", {7, 7}}, {"z.weight", "F32", {3}}});
  EXPECT_THAT(compared.lines, ElementsAre("= a.weight", "- gone.kernel", "+ new.matrix", "= z.weight"));
}

TEST(CompareStructure, FilesWithoutTensorsAndHugeRanksAreCompared) {
  EXPECT_TRUE(compare({}, {}).structure.is_equal());
  const auto added = compare({}, {{"w", "F32", {2}}});
  EXPECT_EQ(added.structure.counts.added, 1U);
  EXPECT_FALSE(added.structure.is_equal());
  const std::vector<std::uint64_t> rank64(64, 1);
  std::vector<std::uint64_t> other = rank64;
  other.back() = 2;
  const auto ranks = compare({{"w", "F32", rank64}, {"v", "F32", rank64}}, {{"w", "F32", rank64}, {"v", "F32", other}});
  EXPECT_EQ(ranks.structure.counts.shape, 1U);
  EXPECT_EQ(ranks.structure.counts.same, 1U);
}

TEST(CompareStructure, ShapesWithZerosAndHugeSizesAreCompared) {
  const std::vector<std::uint64_t> huge = {0, std::uint64_t{1} << 62U, std::uint64_t{1} << 62U};
  const auto compared = compare({{"w", "F32", huge}}, {{"w", "F32", huge}});
  EXPECT_TRUE(compared.structure.is_equal());
}

TEST(CompareStructure, ValuesThatAreNoTensorsAreCompared) {
  const auto file = [](std::int64_t epoch) {
    PickleWriter pickle;
    pickle.empty_dict().mark();
    pickle.text("epoch").integer(epoch);
    pickle.text("name").text("run");
    pickle.set_items();
    auto opened = open_text(make_torch_zip(pickle.stop(), {}));
    EXPECT_TRUE(opened.ok());
    return std::move(opened).value();
  };
  EXPECT_TRUE(compare_files(file(3), file(3)).structure.is_equal());
  const auto compared = compare_files(file(3), file(4));
  EXPECT_EQ(compared.structure.counts.others, 1U);
  EXPECT_FALSE(compared.structure.is_equal());
}

TEST(CompareStructure, NamesNestedVeryDeepTakeNoQuadraticTime) {
  std::string deep;
  for (int i = 0; i < 20'000; ++i) deep += "module.";
  std::vector<PlannedTensor> a;
  std::vector<PlannedTensor> b;
  for (int i = 0; i < 300; ++i) {
    a.push_back({fmt::format("{}t{}", deep, i), "F32", {2}});
    b.push_back({fmt::format("x{}", i), "F32", {2}});
  }
  // Of the processor: what else the machine does is no matter. Quadratic, it takes minutes.
  const std::clock_t start = std::clock();
  compare(a, b);
  EXPECT_LT((std::clock() - start) / CLOCKS_PER_SEC, 20);
}

TEST(StructureTask, GivesTheSameInSlices) {
  const auto a = open_tensors(blocks(50, "module."));
  const auto b = open_tensors(blocks(49, ""));
  const Structure whole = diff::compare_structure(*a, *b);
  diff::StructureTask task(*a, *b);
  int slices = 1;
  while (!task.step(base::Budget(std::chrono::nanoseconds(0)))) ++slices;
  EXPECT_GT(slices, 4);
  const Structure sliced = task.take();
  EXPECT_EQ(lines(*a, *b, sliced), lines(*a, *b, whole));
}

}  // namespace
}  // namespace nns::tests
