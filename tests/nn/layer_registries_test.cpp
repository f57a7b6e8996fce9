#include <gtest/gtest.h>

#include "core/object/operations.h"
#include "tests/nn/layer_support.h"

namespace nns::nn {
namespace {

using tests::own_attributes;
using tests::parameter_registry;
using tests::parameter_shapes;
using tests::state_keys;

Ref<Module> made_layer(Interpreter& in, std::string_view name, std::vector<Value> positional = {},
                       const tests::Keywords& keywords = {}) {
  auto layer = make_layer(in, name, std::move(positional), keywords);
  EXPECT_TRUE(layer.ok()) << name << ": " << (layer.ok() ? "" : layer.error().message());
  return layer.ok() ? *layer : Ref<Module>();
}

TEST(LayerParameters, HaveTheNamesAndShapesOfTorch) {
  Interpreter in;
  EXPECT_EQ(parameter_shapes(*made_layer(in, "Linear", {3, 5})), "weight (5, 3), bias (5,)");
  EXPECT_EQ(parameter_shapes(*made_layer(in, "Bilinear", {2, 3, 1})), "weight (1, 2, 3), bias (1,)");
  EXPECT_EQ(parameter_shapes(*made_layer(in, "Conv1d", {1, 1, 3}, {{"bias", false}})), "weight (1, 1, 3)");
  EXPECT_EQ(parameter_shapes(*made_layer(in, "Conv2d", {4, 6, 3}, {{"groups", 2}})), "weight (6, 2, 3, 3), bias (6,)");
  EXPECT_EQ(parameter_shapes(*made_layer(in, "Conv2d", {4, 6, in.tuple({1, 4})})), "weight (6, 4, 1, 4), bias (6,)");
  EXPECT_EQ(parameter_shapes(*made_layer(in, "ConvTranspose2d", {2, 3, 3}, {{"stride", 2}, {"padding", 1}})),
            "weight (2, 3, 3, 3), bias (3,)");
  EXPECT_EQ(parameter_shapes(*made_layer(in, "GroupNorm", {2, 4})), "weight (4,), bias (4,)");
  EXPECT_EQ(parameter_shapes(*made_layer(in, "RMSNorm", {3})), "weight (3,)");
  EXPECT_EQ(parameter_shapes(*made_layer(in, "RNN", {3, 4})),
            "weight_ih_l0 (4, 3), weight_hh_l0 (4, 4), bias_ih_l0 (4,), bias_hh_l0 (4,)");
  EXPECT_EQ(parameter_shapes(*made_layer(in, "LSTM", {3, 4})),
            "weight_ih_l0 (16, 3), weight_hh_l0 (16, 4), bias_ih_l0 (16,), bias_hh_l0 (16,)");
  EXPECT_EQ(parameter_shapes(*made_layer(in, "GRU", {3, 4})),
            "weight_ih_l0 (12, 3), weight_hh_l0 (12, 4), bias_ih_l0 (12,), bias_hh_l0 (12,)");
  EXPECT_EQ(parameter_shapes(*made_layer(in, "LSTM", {3, 4}, {{"proj_size", 2}, {"bias", false}})),
            "weight_ih_l0 (16, 3), weight_hh_l0 (16, 2), weight_hr_l0 (2, 4)");
  EXPECT_EQ(parameter_shapes(*made_layer(in, "MultiheadAttention", {4, 2})),
            "in_proj_weight (12, 4), in_proj_bias (12,), out_proj.weight (4, 4), out_proj.bias (4,)");
}

TEST(LayerParameters, KeepTheirNameWithNoneWhereThereIsNoTensor) {
  Interpreter in;
  EXPECT_EQ(parameter_registry(*made_layer(in, "Linear", {2, 2}, {{"bias", false}})), "weight (2, 2), bias None");
  EXPECT_EQ(parameter_registry(*made_layer(in, "BatchNorm2d", {3}, {{"affine", false}})), "weight None, bias None");
  EXPECT_EQ(parameter_registry(*made_layer(in, "BatchNorm2d", {3}, {{"bias", false}})), "weight (3,), bias None");
  EXPECT_EQ(parameter_registry(*made_layer(in, "LayerNorm", {3}, {{"bias", false}})), "weight (3,), bias None");
  EXPECT_EQ(parameter_registry(*made_layer(in, "RNNCell", {3, 4}, {{"bias", false}})),
            "weight_ih (4, 3), weight_hh (4, 4), bias_ih None, bias_hh None");
  EXPECT_EQ(
      parameter_registry(*made_layer(in, "MultiheadAttention", {4, 2}, {{"kdim", 3}, {"vdim", 5}})),
      "q_proj_weight (4, 4), k_proj_weight (4, 3), v_proj_weight (4, 5), in_proj_weight None, in_proj_bias (12,)");
}

TEST(LayerState, HoldsTheBuffersThatAreTracked) {
  Interpreter in;
  EXPECT_EQ(state_keys(*made_layer(in, "BatchNorm1d", {2})),
            "weight, bias, running_mean, running_var, num_batches_tracked");
  EXPECT_EQ(state_keys(*made_layer(in, "BatchNorm1d", {1}, {{"track_running_stats", false}})), "weight, bias");
  EXPECT_EQ(state_keys(*made_layer(in, "InstanceNorm2d", {3})), "");
  EXPECT_EQ(state_keys(*made_layer(in, "InstanceNorm1d", {3}, {{"affine", true}, {"track_running_stats", true}})),
            "weight, bias, running_mean, running_var, num_batches_tracked");
  const auto weight = Value(tensor::ones(in, {3}));
  EXPECT_EQ(state_keys(*made_layer(in, "CrossEntropyLoss", {weight})), "weight");
  EXPECT_EQ(state_keys(*made_layer(in, "BCEWithLogitsLoss", {}, {{"pos_weight", weight}})), "pos_weight");
}

TEST(LayerAttributes, StandInTheOrderOfTheConstructor) {
  Interpreter in;
  EXPECT_EQ(own_attributes(*made_layer(in, "Linear", {2, 2})), "in_features, out_features");
  EXPECT_EQ(own_attributes(*made_layer(in, "Conv2d", {1, 1, 1})),
            "in_channels, out_channels, kernel_size, stride, padding, dilation, transposed, output_padding, groups, "
            "padding_mode, _reversed_padding_repeated_twice");
  EXPECT_EQ(own_attributes(*made_layer(in, "BatchNorm2d", {1})),
            "num_features, eps, momentum, affine, track_running_stats");
  EXPECT_EQ(own_attributes(*made_layer(in, "Embedding", {2, 2})),
            "num_embeddings, embedding_dim, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse");
  EXPECT_EQ(own_attributes(*made_layer(in, "MultiheadAttention", {2, 1})),
            "embed_dim, kdim, vdim, _qkv_same_embed_dim, num_heads, dropout, batch_first, head_dim, bias_k, bias_v, "
            "add_zero_attn");
  EXPECT_EQ(own_attributes(*made_layer(in, "LSTM", {1, 1})),
            "mode, input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, proj_size, "
            "_flat_weight_refs, _flat_weights_names, _all_weights, _flat_weights");
  EXPECT_EQ(own_attributes(*made_layer(in, "CrossEntropyLoss")), "reduction, ignore_index, label_smoothing");
}

TEST(LayerAttributes, ThatAreSetBeforeModuleInitStandBeforeTheRegistries) {
  Interpreter in;
  EXPECT_EQ(made_layer(in, "PReLU")->dict().keys()[0].as<object::Str>()->view(), "num_parameters");
  EXPECT_EQ(made_layer(in, "RNN", {1, 1})->dict().keys()[0].as<object::Str>()->view(), "nonlinearity");
}

TEST(ConvolutionPadding, SameIsSplitWithTheLargerHalfBehind) {
  Interpreter in;
  const auto layer = made_layer(in, "Conv2d", {1, 1, in.tuple({3, 4})}, {{"padding", in.text("same")}});
  const auto amounts = layer->getattr("_reversed_padding_repeated_twice");
  ASSERT_TRUE(amounts.ok());
  EXPECT_EQ(*object::repr(in, *amounts), "[1, 2, 1, 1]");
}

TEST(LayerOrderOfClasses, HasThePrivateBasesOfTorch) {
  Interpreter in;
  std::vector<std::string> names;
  for (const Class* cls : made_layer(in, "BatchNorm2d", {1})->type().mro()) names.push_back(cls->full_name());
  EXPECT_EQ(names, (std::vector<std::string>{
                       "torch.nn.modules.batchnorm.BatchNorm2d", "torch.nn.modules.batchnorm._BatchNorm",
                       "torch.nn.modules.batchnorm._NormBase", "torch.nn.modules.module.Module", "object"}));
  EXPECT_EQ(NnLibrary::of(in).find_class("_NormBase"), nullptr);
}

TEST(LayerForward, IsMissingInModuleItself) {
  Interpreter in;
  const auto layer = made_layer(in, "Module");
  const auto called = in.call(Value(layer), {Value(1)});
  ASSERT_FALSE(called.ok());
  EXPECT_EQ(called.error().type(), "NotImplementedError");
  EXPECT_EQ(called.error().message(), "Module [Module] is missing the required \"forward\" function");
}

TEST(TransformerEncoder, HoldsDeepCopiesOfItsLayer) {
  Interpreter in;
  const auto layer = made_layer(in, "TransformerEncoderLayer", {4, 2}, {{"dim_feedforward", 8}, {"batch_first", true}});
  const auto encoder = made_layer(in, "TransformerEncoder", {Value(layer), 3}, {{"enable_nested_tensor", false}});
  const auto own = *layer->get_parameter("linear1.weight");
  const auto first = *encoder->get_parameter("layers.0.linear1.weight");
  const auto last = *encoder->get_parameter("layers.2.linear1.weight");
  EXPECT_NE(first.get(), own.get());
  EXPECT_NE(first.get(), last.get());
  EXPECT_TRUE(tensor::equal(*first, *last));
  EXPECT_TRUE(encoder->getattr("norm")->is_none());
}

TEST(TransformerEncoder, WarnsWhyItsFastPathIsClosed) {
  Interpreter in;
  const auto layer = made_layer(in, "TransformerEncoderLayer", {4, 2}, {{"dim_feedforward", 8}});
  made_layer(in, "TransformerEncoder", {Value(layer), 1});
  const auto warnings = in.take_warnings();
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0].text,
            "enable_nested_tensor is True, but self.use_nested_tensor is False because "
            "encoder_layer.self_attn.batch_first was not True(use batch_first for better inference performance)");
}

TEST(TransformerDecoder, CountsItsParameters) {
  Interpreter in;
  const auto layer = made_layer(in, "TransformerDecoderLayer", {4, 2}, {{"dim_feedforward", 8}, {"dropout", 0.0}});
  const auto decoder = made_layer(in, "TransformerDecoder", {Value(layer), 2});
  auto parameters = decoder->parameters();
  ASSERT_TRUE(parameters.ok());
  std::int64_t count = 0;
  for (const auto& one : *parameters) count += one->numel();
  EXPECT_EQ(parameters->size(), 36U);
  EXPECT_EQ(count, 520);
}

TEST(RecurrentWeights, FollowAnAssignmentInTheFlatList) {
  Interpreter in;
  const auto lstm = made_layer(in, "LSTM", {1, 1});
  const auto weight = tensor::make_parameter(in, *tensor::ones(in, {4, 1}));
  ASSERT_TRUE(weight.ok());
  ASSERT_TRUE(lstm->setattr("weight_ih_l0", Value(*weight)).ok());
  auto flat = lstm->getattr("_flat_weights");
  ASSERT_TRUE(flat.ok());
  EXPECT_TRUE(flat->as<object::List>()->items()[0].is(Value(*weight)));
}

}  // namespace
}  // namespace nns::nn
