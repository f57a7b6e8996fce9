#include <gtest/gtest.h>

#include "tests/nn/layer_support.h"

// The numbers that PyTorch 2.14 draws on the CPU after torch.manual_seed.
namespace nns::nn {
namespace {

using tests::manual_seed;
using tests::values_text;

// The values of the parameter `name` of a module.
std::string values(const Ref<Module>& module, std::string_view name, int decimals = 6) {
  const auto parameter = module->get_parameter(name);
  return parameter.ok() ? values_text(**parameter, decimals) : parameter.error().message();
}

Ref<Module> made(Interpreter& in, std::string_view name, std::vector<Value> positional,
                 const tests::Keywords& keywords = {}) {
  auto layer = make_layer(in, name, std::move(positional), keywords);
  EXPECT_TRUE(layer.ok()) << name;
  return layer.ok() ? *layer : Ref<Module>();
}

TEST(InitialValues, OfLinearAreThoseOfTorch) {
  Interpreter in;
  manual_seed(in, 0);
  const auto layer = made(in, "Linear", {3, 2});
  EXPECT_EQ(values(layer, "weight"), "['-0.004323', '0.309716', '-0.475185', '-0.424895', '-0.222369', '0.154821']");
  EXPECT_EQ(values(layer, "bias"), "['-0.011439', '0.457775']");
}

TEST(InitialValues, OfBilinearAreThoseOfTorch) {
  Interpreter in;
  manual_seed(in, 0);
  const auto layer = made(in, "Bilinear", {2, 2, 2});
  EXPECT_EQ(values(layer, "weight"),
            "['-0.005294', '0.379323', '-0.581981', '-0.520387', '-0.272345', '0.189616', '-0.014010', '0.560658']");
  EXPECT_EQ(values(layer, "bias"), "['-0.062752', '0.187109']");
}

TEST(InitialValues, OfAConvolutionAreThoseOfTorch) {
  Interpreter in;
  manual_seed(in, 0);
  const auto layer = made(in, "Conv2d", {2, 3, 3});
  EXPECT_EQ(values(layer, "weight"),
            "['-0.001765', '0.126441', '-0.193994', '-0.173462', '-0.090782', '0.063205', '-0.004670', '0.186886', "
            "'-0.020917', '0.062370', '-0.071232', '-0.046331', '-0.225178', '-0.156101', '-0.097162', '0.008731', "
            "'0.093181', '0.141427', '-0.159792', '-0.102640', '0.085611', '0.195724', '-0.048508', '0.176379', "
            "'-0.037991', '0.024941', '0.213423', '-0.218654', '-0.148384', '-0.059672', '-0.091877', '0.203647', "
            "'-0.152777', '-0.108502', '-0.164671', '-0.220750', '-0.137589', '0.202609', '0.105175', '0.114238', "
            "'0.012396', '-0.120841', '0.039877', '-0.220074', '-0.170310', '-0.121512', '0.148713', '0.138197', "
            "'-0.104533', '-0.008505', '0.150746', '0.234319', '0.093546', '0.031842']");
  EXPECT_EQ(values(layer, "bias"), "['0.158035', '-0.138782', '0.043922']");
}

TEST(InitialValues, OfAGroupedConvolutionAreThoseOfTorch) {
  Interpreter in;
  manual_seed(in, 3);
  const auto layer = made(in, "Conv1d", {4, 4, 3}, {{"groups", 2}});
  EXPECT_EQ(values(layer, "weight"),
            "['-0.404767', '-0.322051', '-0.174859', '-0.386240', '-0.023177', '-0.359164', '0.221978', '0.198980', "
            "'0.077095', '0.316684', '-0.039983', '0.244533', '-0.285904', '-0.080450', '-0.364013', '-0.033145', "
            "'-0.264867', '0.366756', '0.283585', '0.306069', '0.121095', '-0.232899', '0.366856', '-0.398362']");
  EXPECT_EQ(values(layer, "bias"), "['-0.260563', '-0.254979', '-0.169223', '0.081404']");
}

TEST(InitialValues, OfATransposedConvolutionAreThoseOfTorch) {
  Interpreter in;
  manual_seed(in, 3);
  const auto layer = made(in, "ConvTranspose2d", {2, 2, 2});
  EXPECT_EQ(values(layer, "weight"),
            "['-0.350539', '-0.278905', '-0.151432', '-0.334493', '-0.020072', '-0.311045', '0.192238', '0.172321', "
            "'0.066766', '0.274256', '-0.034626', '0.211772', '-0.247600', '-0.069672', '-0.315245', '-0.028705']");
  EXPECT_EQ(values(layer, "bias"), "['-0.229382', '0.317620']");
}

TEST(InitialValues, OfAnLstmAreThoseOfTorch) {
  Interpreter in;
  manual_seed(in, 0);
  const auto layer = made(in, "LSTM", {2, 2});
  EXPECT_EQ(values(layer, "weight_ih_l0"),
            "['-0.005294', '0.379323', '-0.581981', '-0.520387', '-0.272345', '0.189616', '-0.014010', '0.560658', "
            "'-0.062752', '0.187109', '-0.213697', '-0.138993', '-0.675533', '-0.468304', '-0.291486', '0.026194']");
  EXPECT_EQ(values(layer, "weight_hh_l0"),
            "['0.279544', '0.424280', '-0.479377', '-0.307919', '0.256833', '0.587173', '-0.145523', '0.529136', "
            "'-0.113974', '0.074822', '0.640268', '-0.655962', '-0.445151', '-0.179015', '-0.275630', '0.610941']");
  EXPECT_EQ(values(layer, "bias_ih_l0"),
            "['-0.458332', '-0.325504', '-0.494013', '-0.662249', '-0.412767', '0.607828', '0.315524', '0.342715']");
  EXPECT_EQ(values(layer, "bias_hh_l0"),
            "['0.037188', '-0.362522', '0.119632', '-0.660222', '-0.510931', '-0.364535', '0.446140', '0.414592']");
}

TEST(InitialValues, OfAGruWithTwoLayersAndDirectionsAreThoseOfTorch) {
  Interpreter in;
  manual_seed(in, 5);
  const auto layer = made(in, "GRU", {2, 1}, {{"num_layers", 2}, {"bidirectional", true}});
  EXPECT_EQ(values(layer, "weight_ih_l0"),
            "['0.660504', '-0.747778', '0.814939', '0.639854', '0.840207', '-0.766710']");
  EXPECT_EQ(values(layer, "weight_hh_l0"), "['-0.671217', '0.475839', '-0.933471']");
  EXPECT_EQ(values(layer, "bias_ih_l0"), "['0.988369', '0.212857', '0.129143']");
  EXPECT_EQ(values(layer, "bias_hh_l0"), "['-0.855176', '0.318678', '0.430012']");
  EXPECT_EQ(values(layer, "weight_ih_l0_reverse"),
            "['0.158655', '0.961854', '0.300317', '-0.886732', '0.840223', '0.339530']");
  EXPECT_EQ(values(layer, "weight_hh_l0_reverse"), "['-0.477054', '-0.918570', '0.570072']");
  EXPECT_EQ(values(layer, "bias_ih_l0_reverse"), "['0.950323', '-0.819311', '0.054651']");
  EXPECT_EQ(values(layer, "bias_hh_l0_reverse"), "['0.358772', '-0.472239', '-0.218807']");
  EXPECT_EQ(values(layer, "weight_ih_l1"),
            "['-0.667730', '-0.472768', '-0.911667', '-0.023176', '0.592926', '0.486373']");
  EXPECT_EQ(values(layer, "weight_hh_l1"), "['0.939408', '-0.878253', '-0.123042']");
  EXPECT_EQ(values(layer, "bias_ih_l1"), "['0.973630', '0.163749', '-0.281998']");
  EXPECT_EQ(values(layer, "bias_hh_l1"), "['-0.900610', '0.465344', '0.759172']");
  EXPECT_EQ(values(layer, "weight_ih_l1_reverse"),
            "['0.801874', '0.837159', '0.195777', '0.712738', '-0.251715', '0.812119']");
  EXPECT_EQ(values(layer, "weight_hh_l1_reverse"), "['-0.085558', '-0.206218', '-0.497088']");
  EXPECT_EQ(values(layer, "bias_ih_l1_reverse"), "['0.532431', '0.404605', '0.636082']");
  EXPECT_EQ(values(layer, "bias_hh_l1_reverse"), "['-0.639068', '-0.531700', '0.946324']");
}

TEST(InitialValues, OfAttentionAreThoseOfTorch) {
  Interpreter in;
  manual_seed(in, 0);
  const auto layer = made(in, "MultiheadAttention", {4, 2});
  EXPECT_EQ(values(layer, "in_proj_weight"),
            "['0.222424', '0.508507', '-0.126026', '0.458246', '-0.098704', '0.064798', '0.554489', '-0.568080', "
            "'-0.385512', '-0.155031', '-0.238703', '0.529090', '-0.396927', '-0.281895', '-0.427828', '-0.573524', "
            "'-0.357467', '0.526394', '0.273252', '0.296800', '0.032206', '-0.313953', '0.103604', '-0.571769', "
            "'-0.442480', '-0.315696', '0.386369', '0.359047', '-0.271584', '-0.022096', '0.391649', '0.608780', "
            "'0.243040', '0.082727', '0.410587', '-0.360566', '0.114112', '-0.474776', '-0.424427', '-0.316342', "
            "'0.277082', '0.246272', '-0.362740', '0.185002', '0.336175', '-0.077292', '0.023381', '0.141890']");
  EXPECT_EQ(values(layer, "in_proj_bias"),
            "['0.000000', '0.000000', '0.000000', '0.000000', '0.000000', '0.000000', '0.000000', '0.000000', "
            "'0.000000', '0.000000', '0.000000', '0.000000']");
  EXPECT_EQ(values(layer, "out_proj.weight"),
            "['-0.003743', '0.268222', '-0.411523', '-0.367970', '-0.192577', '0.134079', '-0.009907', '0.396445', "
            "'-0.044372', '0.132306', '-0.151107', '-0.098283', '-0.477674', '-0.331141', '-0.206112', '0.018522']");
  EXPECT_EQ(values(layer, "out_proj.bias"), "['0.000000', '0.000000', '0.000000', '0.000000']");
}

TEST(InitialValues, OfATransformerLayerAreThoseOfTorch) {
  Interpreter in;
  manual_seed(in, 0);
  const auto layer = made(in, "TransformerEncoderLayer", {4, 2, 8});
  EXPECT_EQ(values(layer, "self_attn.in_proj_weight"),
            "['0.222424', '0.508507', '-0.126026', '0.458246', '-0.098704', '0.064798', '0.554489', '-0.568080', "
            "'-0.385512', '-0.155031', '-0.238703', '0.529090', '-0.396927', '-0.281895', '-0.427828', '-0.573524', "
            "'-0.357467', '0.526394', '0.273252', '0.296800', '0.032206', '-0.313953', '0.103604', '-0.571769', "
            "'-0.442480', '-0.315696', '0.386369', '0.359047', '-0.271584', '-0.022096', '0.391649', '0.608780', "
            "'0.243040', '0.082727', '0.410587', '-0.360566', '0.114112', '-0.474776', '-0.424427', '-0.316342', "
            "'0.277082', '0.246272', '-0.362740', '0.185002', '0.336175', '-0.077292', '0.023381', '0.141890']");
  EXPECT_EQ(values(layer, "self_attn.in_proj_bias"),
            "['0.000000', '0.000000', '0.000000', '0.000000', '0.000000', '0.000000', '0.000000', '0.000000', "
            "'0.000000', '0.000000', '0.000000', '0.000000']");
  EXPECT_EQ(values(layer, "self_attn.out_proj.weight"),
            "['-0.003743', '0.268222', '-0.411523', '-0.367970', '-0.192577', '0.134079', '-0.009907', '0.396445', "
            "'-0.044372', '0.132306', '-0.151107', '-0.098283', '-0.477674', '-0.331141', '-0.206112', '0.018522']");
  EXPECT_EQ(values(layer, "self_attn.out_proj.bias"), "['0.000000', '0.000000', '0.000000', '0.000000']");
  EXPECT_EQ(values(layer, "linear1.weight"),
            "['0.310188', '0.480097', '-0.385312', '-0.183235', '0.196505', '0.414275', '0.435104', '0.441178', "
            "'0.099507', '-0.434791', '0.045996', '-0.312803', '-0.465977', '0.444246', '0.380180', '-0.498764', "
            "'0.093586', '-0.084230', '-0.082281', '-0.228878', '0.192278', '-0.296152', '0.183296', '0.252854', "
            "'0.357936', '0.186956', '-0.494868', '-0.324348', '0.249658', '0.104651', '-0.390042', '-0.287910']");
  EXPECT_EQ(values(layer, "linear1.bias"),
            "['0.470375', '0.336909', '-0.218013', '-0.125842', '-0.476299', '-0.008987', '-0.376529', '-0.385678']");
  EXPECT_EQ(values(layer, "linear2.weight"),
            "['-0.019481', '0.053084', '-0.144791', '0.209791', '-0.215151', '0.320804', '0.242290', '-0.298146', "
            "'-0.087994', '0.015953', '0.051584', '0.083854', '0.138744', '0.021178', '-0.172509', '0.167298', "
            "'-0.339146', '-0.209553', '-0.088505', '-0.172221', '-0.123685', '-0.289780', '-0.075206', '0.075574', "
            "'-0.230328', '-0.018144', '0.253091', '-0.036345', '0.009826', '-0.030501', '0.071553', '0.224803']");
  EXPECT_EQ(values(layer, "linear2.bias"), "['0.334902', '0.224526', '0.335668', '-0.025570']");
  EXPECT_EQ(values(layer, "norm1.weight"), "['1.000000', '1.000000', '1.000000', '1.000000']");
  EXPECT_EQ(values(layer, "norm1.bias"), "['0.000000', '0.000000', '0.000000', '0.000000']");
  EXPECT_EQ(values(layer, "norm2.weight"), "['1.000000', '1.000000', '1.000000', '1.000000']");
  EXPECT_EQ(values(layer, "norm2.bias"), "['0.000000', '0.000000', '0.000000', '0.000000']");
}

TEST(InitialValues, GoOnWhereTheLayerBeforeStopped) {
  Interpreter in;
  manual_seed(in, 7);
  const auto first = made(in, "Linear", {4, 4});
  const auto second = made(in, "Linear", {2, 5}, {{"bias", false}});
  EXPECT_EQ(values(first, "weight"),
            "['0.034923', '-0.301197', '0.159212', '0.156890', '-0.267238', '-0.074939', '-0.292914', '0.129736', "
            "'-0.134684', '0.351268', '0.354943', '0.050935', '-0.213161', '-0.293681', '-0.054910', '-0.140714']");
  EXPECT_EQ(values(second, "weight"),
            "['0.541471', '-0.122792', '0.363728', '0.275556', '0.029600', '0.131849', '0.536983', '0.181852', "
            "'0.375154', '-0.546989']");
}

TEST(InitialValues, OfEmbeddingsAreNormalAndZeroForThePadding) {
  Interpreter in;
  manual_seed(in, 0);
  EXPECT_EQ(values(made(in, "Embedding", {5, 4}), "weight", 4),
            "['-1.1258', '-1.1524', '-0.2506', '-0.4339', '0.5988', '-1.5551', '-0.3414', '1.8530', '0.4681', "
            "'-0.1577', '1.4437', '0.2660', '1.3894', '1.5863', '0.9463', '-0.8437', '0.9318', '1.2590', '2.0050', "
            "'0.0537']");
  EXPECT_EQ(values(made(in, "Embedding", {3, 2}, {{"padding_idx", 1}}), "weight", 4),
            "['-0.8920', '-1.5091', '0.0000', '0.0000', '0.9398', '0.7748']");
}

TEST(InitialValues, OfNormsAreOnesAndZerosAndDrawNothing) {
  Interpreter in;
  manual_seed(in, 0);
  const auto norm = made(in, "BatchNorm1d", {2});
  EXPECT_EQ(values(norm, "weight", 1), "['1.0', '1.0']");
  EXPECT_EQ(values(norm, "bias", 1), "['0.0', '0.0']");
  EXPECT_EQ(values_text(**norm->get_buffer("running_var"), 1), "['1.0', '1.0']");
  EXPECT_EQ(values_text(**norm->get_buffer("num_batches_tracked"), 0), "['0']");
  EXPECT_EQ(values(made(in, "Linear", {3, 2}), "bias"), "['-0.011439', '0.457775']");
}

TEST(InitialValues, AreNotDrawnOnMeta) {
  Interpreter in;
  manual_seed(in, 0);
  const auto layer = made(in, "Linear", {1000, 1000}, {{"device", in.text("meta")}});
  EXPECT_TRUE((*layer->get_parameter("weight"))->is_meta());
  EXPECT_EQ(values(made(in, "Linear", {3, 2}), "bias"), "['-0.011439', '0.457775']");
}

TEST(InitialValues, OfALinearWithoutInputsWarn) {
  Interpreter in;
  const auto layer = made(in, "Linear", {0, 2});
  const auto warnings = in.take_warnings();
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0].text, "Initializing zero-element tensors is a no-op");
  EXPECT_EQ(values(layer, "bias", 1), "['0.0', '0.0']");
}

}  // namespace
}  // namespace nns::nn
