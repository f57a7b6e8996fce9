// What the packed weights of quantised checkpoints stand for.
#include "core/checkpoint/packed_weights.h"

#include <gmock/gmock.h>

#include <cstring>

#include "tests/support/make_safetensors.h"
#include "tests/support/open_document.h"
#include "tests/support/valued_safetensors.h"

namespace nns::checkpoint {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using tests::PlannedTensor;
using tests::ValuedTensor;

std::unique_ptr<Checkpoint> open(const std::vector<PlannedTensor>& tensors) {
  auto document = tests::open_text(tests::plan_safetensors(tensors).whole());
  EXPECT_TRUE(document.ok());
  EXPECT_EQ(tests::tree_fault(**document), "");
  return std::move(*document);
}

/// A linear layer "up" as bitsandbytes saves one of 4 bits, with this text as its quant_state.
std::vector<ValuedTensor> nf4_layer(const std::string& state, std::uint64_t bytes = 16) {
  const auto zeros = [](std::string name, std::string dtype, std::vector<std::uint64_t> shape, std::size_t size) {
    return ValuedTensor{{std::move(name), std::move(dtype), std::move(shape)}, std::string(size, '\0')};
  };
  return {zeros("up.bias", "F16", {4}, 8),
          zeros("up.weight", "U8", {bytes, 1}, bytes),
          zeros("up.weight.absmax", "F32", {1}, 4),
          zeros("up.weight.quant_map", "F32", {16}, 64),
          {{"up.weight.quant_state.bitsandbytes__nf4", "U8", {state.size()}}, state}};
}

constexpr const char* kState =
    R"({"quant_type": "nf4", "blocksize": 64, "dtype": "bfloat16", "shape": [4, 8], "nested_offset": 0.04})";

std::vector<std::string> names(const Checkpoint& document) {
  std::vector<std::string> all;
  for (std::uint32_t row = 1; row < document.tree.size(); ++row)
    all.emplace_back(document.tree.strings.view(document.tree.name[row]));
  return all;
}

TEST(PackedWeights, FourBitsOfBitsandbytesAreOneEntryWithTheShapeOfTheWeight) {
  const auto opened = tests::open_text(tests::valued_safetensors(nf4_layer(kState)));
  ASSERT_TRUE(opened.ok()) << opened.error().message();
  const Checkpoint& document = **opened;
  EXPECT_EQ(tests::tree_fault(document), "");
  EXPECT_THAT(names(document), testing::ElementsAre("up", "bias", "weight", "weight.absmax", "weight.quant_map",
                                                    "weight.quant_state.bitsandbytes__nf4"));
  const ModuleTree& tree = document.tree;
  const std::uint32_t weight = tests::find_row(document, "up/weight");
  EXPECT_EQ(tree.strings.view(tree.preview[weight]), "4 × 8 bfloat16 as bitsandbytes nf4, 4 bits each, groups of 64");
  EXPECT_EQ(tree.kind[weight], NodeKind::Parameter);
  EXPECT_EQ(tree.parameters[weight], 32U);
  EXPECT_EQ(tree.parameters[0], 32U + 4U);
  EXPECT_EQ(tree.kind[tests::find_row(document, "up/weight.absmax")], NodeKind::Buffer);
  EXPECT_EQ(tree.strings.view(tree.class_name[tests::find_row(document, "up")]), "Linear");
  const TensorEntry& entry = *tests::find_tensor(document, "up.weight");
  ASSERT_NE(entry.packing, kNone);
  EXPECT_EQ(document.packings[entry.packing].shape, (std::vector<std::int64_t>{4, 8}));
  EXPECT_EQ(entry.nbytes, 16U);
  EXPECT_THAT(document.notes, IsEmpty());
}

TEST(PackedWeights, AStateThatDoesNotFitIsANoteAndCountsNothing) {
  for (const char* state : {R"({"shape": [4, 9]})", R"({"blocksize": 64})", R"({"shape": [4, )", R"({"shape": [-1]})",
                            R"({"shape": [1099511627776, 1099511627776, 1099511627776]})", "", "[]"}) {
    const auto opened = tests::open_text(tests::valued_safetensors(nf4_layer(state)));
    ASSERT_TRUE(opened.ok()) << state;
    EXPECT_EQ((*opened)->tree.parameters[0], 4U) << state;
    ASSERT_EQ((*opened)->notes.size(), 1U) << state;
    EXPECT_THAT((*opened)->notes[0], HasSubstr("up.weight.quant_state.bitsandbytes__nf4")) << state;
  }
}

TEST(PackedWeights, AnOddNumberOfValuesFillsHalfAByte) {
  const auto opened = tests::open_text(tests::valued_safetensors(nf4_layer(R"({"shape": [3, 5]})", 8)));
  ASSERT_TRUE(opened.ok());
  EXPECT_EQ((*opened)->tree.parameters[0], 15U + 4U);
}

TEST(PackedWeights, EightBitsOfBitsandbytesCount) {
  const auto document = open({{"up.weight", "I8", {4, 6}},
                              {"up.SCB", "F32", {4}},
                              {"up.weight_format", "U8", {}},
                              {"x.weight", "I8", {4, 6}}});
  EXPECT_EQ(document->tree.parameters[0], 24U);
  const std::uint32_t row = tests::find_row(*document, "up/weight");
  EXPECT_EQ(document->tree.strings.view(document->tree.preview[row]),
            "4 × 6 as bitsandbytes int8, 8 bits each, groups of 6");
}

TEST(PackedWeights, GptqTellsItsBitsByItsShapes) {
  // 256 inputs, 64 outputs, groups of 128: 4, 3 and 8 bits, with and without the order of the inputs.
  for (const std::uint64_t bits : {3U, 4U, 8U}) {
    std::vector<PlannedTensor> tensors = {{"q.qweight", "I32", {256 * bits / 32, 64}},
                                          {"q.qzeros", "I32", {2, 64 * bits / 32}},
                                          {"q.scales", "F16", {2, 64}},
                                          {"q.bias", "F16", {64}}};
    for (const bool has_order : {false, true}) {
      if (has_order) tensors.push_back({"q.g_idx", "I32", {256}});
      const auto document = open(tensors);
      EXPECT_EQ(document->tree.parameters[0], 256U * 64U + 64U) << bits;
      const TensorEntry& entry = *tests::find_tensor(*document, "q.qweight");
      ASSERT_NE(entry.packing, kNone) << bits;
      const Packing& packing = document->packings[entry.packing];
      EXPECT_EQ(packing_text(packing),
                "64 × 256 float16 as GPTQ, " + std::to_string(bits) + " bits each, groups of 128");
      EXPECT_EQ(document->tree.strings.view(document->tree.class_name[1]), "QuantizedLinear");
    }
  }
}

TEST(PackedWeights, AwqPacksAlongTheOutputs) {
  const auto document =
      open({{"q.qweight", "I32", {256, 8}}, {"q.qzeros", "I32", {2, 8}}, {"q.scales", "F16", {2, 64}}});
  EXPECT_EQ(document->tree.parameters[0], 256U * 64U);
  ASSERT_EQ(document->packings.size(), 1U);
  EXPECT_EQ(packing_text(document->packings[0]), "64 × 256 float16 as AWQ, 4 bits each, groups of 128");
}

TEST(PackedWeights, ShapesThatFitNothingAreANote) {
  const auto document = open({{"q.qweight", "I32", {256, 7}}, {"q.scales", "F16", {2, 64}}});
  EXPECT_EQ(document->tree.parameters[0], 0U);
  ASSERT_EQ(document->notes.size(), 1U);
  EXPECT_THAT(document->notes[0], HasSubstr("q.qweight"));
  // Without scales it is no packed weight of these.
  EXPECT_THAT(open({{"q.qweight", "I32", {256, 7}}})->notes, IsEmpty());
}

TEST(PackedWeights, BlocksOfMxfp4Count) {
  const auto document = open({{"experts.down_proj_blocks", "U8", {2, 5, 3, 16}},
                              {"experts.down_proj_scales", "U8", {2, 5, 3}},
                              {"experts.up_blocks", "U8", {2, 16}}});
  EXPECT_EQ(document->tree.parameters[0], 2U * 5 * 3 * 32);
  ASSERT_EQ(document->packings.size(), 1U);
  EXPECT_EQ(packing_text(document->packings[0]), "2 × 5 × 96 as MXFP4, 4 bits each, groups of 32");
}

TEST(PackedWeights, WhatTellsNoShapeTellsTheNumber) {
  EXPECT_EQ(packing_text({"bitsandbytes nf4", 4, {}, 32, "", 0}), "32 values as bitsandbytes nf4, 4 bits each");
}

// A state dict may have any names: those below a tensor are its siblings, whatever they are.
TEST(PackedWeights, NamesBelowATensorAreLiftedBesideIt) {
  const auto document = open({{"a.w", "F32", {2}},
                              {"a.w.x", "F32", {2}},
                              {"a.w.deep.er", "F32", {2}},
                              {"a.w.deep", "F32", {2}},
                              {"b.w.x", "F32", {2}}});
  EXPECT_THAT(names(*document), testing::UnorderedElementsAre("a", "w", "w.x", "w.deep.er", "w.deep", "b", "w", "x"));
  EXPECT_EQ(document->tree.parameters[0], 10U);
}

}  // namespace
}  // namespace nns::checkpoint
