#include "core/checkpoint/infer_class.h"

#include <gmock/gmock.h>

#include "tests/support/make_safetensors.h"
#include "tests/support/open_document.h"

namespace nns::checkpoint {
namespace {

using tests::PlannedTensor;

/// The class inferred for module "m" with these tensors below it.
std::string class_of(std::vector<PlannedTensor> tensors, const std::string& module = "m") {
  for (PlannedTensor& tensor : tensors) tensor.name = module + "." + tensor.name;
  const auto document = tests::open_text(tests::plan_safetensors(tensors).whole());
  if (!document.ok()) return document.error().message();
  const std::uint32_t row = tests::find_row(**document, module);
  EXPECT_NE((*document)->tree.flags[row] & kClassInferred, 0);
  return std::string((*document)->tree.strings.view((*document)->tree.class_name[row]));
}

TEST(InferClass, FollowsTheRankOfTheWeight) {
  EXPECT_EQ(class_of({{"weight", "F32", {4, 3}}, {"bias", "F32", {4}}}), "Linear");
  EXPECT_EQ(class_of({{"weight", "F32", {4, 3, 1}}}), "Conv1d");
  EXPECT_EQ(class_of({{"weight", "F32", {4, 3, 1, 1}}, {"bias", "F32", {4}}}), "Conv2d");
  EXPECT_EQ(class_of({{"weight", "F32", {4, 3, 1, 1, 1}}}), "Conv3d");
}

TEST(InferClass, FollowsTheNameWhereShapesAreEqual) {
  EXPECT_EQ(class_of({{"weight", "F32", {4, 3}}}, "embed_tokens"), "Embedding");
  EXPECT_EQ(class_of({{"weight", "F32", {4}}}, "input_layernorm"), "RMSNorm");
  EXPECT_EQ(class_of({{"weight", "F32", {4}}, {"bias", "F32", {4}}}, "ln_1"), "LayerNorm");
  EXPECT_EQ(class_of({{"weight", "F32", {4}}, {"bias", "F32", {4}}}, "group_norm"), "GroupNorm");
  EXPECT_EQ(class_of({{"weight", "F32", {4}}}), "Module");
}

TEST(InferClass, KnowsScaledLinears) {
  EXPECT_EQ(class_of({{"weight", "F8_E4M3", {4, 4}}, {"weight_scale_inv", "F32", {1, 1}}}, "q_proj"), "Linear");
}

TEST(InferClass, TellsRecurrentLayersByTheirGates) {
  const auto recurrent = [](std::uint64_t gates) {
    return class_of({{"weight_ih_l0", "F32", {gates * 5, 3}},
                     {"weight_hh_l0", "F32", {gates * 5, 5}},
                     {"bias_ih_l0", "F32", {gates * 5}}});
  };
  EXPECT_EQ(recurrent(4), "LSTM");
  EXPECT_EQ(recurrent(3), "GRU");
  EXPECT_EQ(recurrent(1), "RNN");
  EXPECT_EQ(recurrent(2), "Module");
  EXPECT_EQ(class_of({{"weight_ih", "F32", {20, 3}}, {"weight_hh", "F32", {20, 5}}}), "LSTMCell");
}

TEST(InferClass, KnowsAttentionAndNorms) {
  EXPECT_EQ(
      class_of({{"in_proj_weight", "F32", {12, 4}}, {"in_proj_bias", "F32", {12}}, {"out_proj.weight", "F32", {4, 4}}}),
      "MultiheadAttention");
  EXPECT_EQ(class_of({{"running_mean", "F32", {4}}, {"running_var", "F32", {4}}}), "BatchNorm");
}

TEST(InferClass, ABatchNormBesideAConvolutionHasItsDimensions) {
  const auto document = tests::open_text(
      tests::plan_safetensors(
          {{"conv.weight", "F32", {4, 3, 3, 3}}, {"bn.running_mean", "F32", {4}}, {"bn.running_var", "F32", {4}}})
          .whole());
  ASSERT_TRUE(document.ok());
  EXPECT_EQ((*document)->describe(tests::find_row(**document, "bn")).class_name, "BatchNorm2d");
}

TEST(InferClass, NumberedChildrenAreAListOrASequence) {
  EXPECT_EQ(class_of({{"0.weight", "F32", {4, 3}}, {"1.weight", "F32", {4, 4}}}), "ModuleList");
  EXPECT_EQ(class_of({{"0.weight", "F32", {4, 3}}, {"2.weight", "F32", {4, 4}}}), "Sequential");
  EXPECT_EQ(class_of({{"0.weight", "F32", {4, 3, 1, 1}}, {"1.weight", "F32", {4, 4}}}), "Sequential");
}

TEST(InferKind, WhatScalesAQuantisedWeightIsNoParameter) {
  const auto parameters = [](std::vector<PlannedTensor> tensors) {
    const auto document = tests::open_text(tests::plan_safetensors(tensors).whole());
    EXPECT_TRUE(document.ok());
    std::string names;
    const ModuleTree& tree = (*document)->tree;
    for (std::uint32_t row = 0; row < tree.size(); ++row) {
      if (tree.kind[row] == NodeKind::Parameter) names += std::string(tree.strings.view(tree.name[row])) + " ";
    }
    return names;
  };
  EXPECT_EQ(parameters({{"up.weight", "U8", {8, 1}},
                        {"up.weight.absmax", "F32", {4}},
                        {"up.weight.quant_map", "F32", {16}},
                        {"up.weight.nested_absmax", "F32", {1}},
                        {"up.weight.nested_quant_map", "F32", {256}},
                        {"up.weight.quant_state.bitsandbytes__nf4", "U8", {80}},
                        {"up.bias", "F16", {2}}}),
            "bias ");
  EXPECT_EQ(parameters({{"up.weight", "I8", {4, 4}}, {"up.SCB", "F32", {4}}, {"up.weight_format", "U8", {}}}),
            "weight ");
  EXPECT_EQ(parameters({{"up.W_q", "U8", {8, 4}}, {"up.scale", "F16", {8}}, {"up.zero", "F16", {8}}}), "");
  EXPECT_EQ(parameters({{"up.weight", "U32", {4, 4}}, {"up.scales", "F16", {4}}, {"up.biases", "F16", {4}}}), "");
  // The same names without a quantised weight beside them.
  EXPECT_EQ(parameters({{"norm.scale", "F32", {4}}, {"norm.zero", "F32", {4}}, {"norm.biases", "F32", {4}}}),
            "biases scale zero ");
}

TEST(InferKind, BuffersAreToldByNameAndType) {
  const auto document = tests::open_text(tests::plan_safetensors({{"a.running_mean", "F32", {4}},
                                                                  {"a.steps", "I64", {}},
                                                                  {"a.weight", "F32", {4}},
                                                                  {"a.weight_scale_inv", "F32", {1}}})
                                             .whole());
  ASSERT_TRUE(document.ok());
  const auto kind = [&](std::string_view path) { return (*document)->tree.kind[tests::find_row(**document, path)]; };
  EXPECT_EQ(kind("a/running_mean"), NodeKind::Buffer);
  EXPECT_EQ(kind("a/steps"), NodeKind::Buffer);
  EXPECT_EQ(kind("a/weight"), NodeKind::Parameter);
  EXPECT_EQ(kind("a/weight_scale_inv"), NodeKind::Buffer);
  EXPECT_EQ((*document)->tree.parameters[0], 4U);
}

}  // namespace
}  // namespace nns::checkpoint
