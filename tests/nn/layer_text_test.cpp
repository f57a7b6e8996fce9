#include <gtest/gtest.h>

#include "tests/nn/layer_support.h"

// Texts and errors as PyTorch 2.14 prints them.
namespace nns::nn {
namespace {

using tests::text_of_layer;

TEST(LinearText, ShowsSizesAndWhetherThereIsABias) {
  Interpreter in;
  EXPECT_EQ(text_of_layer(in, "Linear", {3, 5}), "Linear(in_features=3, out_features=5, bias=True)");
  EXPECT_EQ(text_of_layer(in, "Linear", {3, 5}, {{"bias", false}}),
            "Linear(in_features=3, out_features=5, bias=False)");
  EXPECT_EQ(text_of_layer(in, "Bilinear", {2, 3, 1}),
            "Bilinear(in1_features=2, in2_features=3, out_features=1, bias=True)");
  EXPECT_EQ(text_of_layer(in, "Identity", {54}, {{"anything", true}}), "Identity()");
}

TEST(LinearErrors, AreThoseOfPythonAndTorch) {
  Interpreter in;
  EXPECT_EQ(text_of_layer(in, "Linear", {3}),
            "TypeError: Linear.__init__() missing 1 required positional argument: 'out_features'");
  EXPECT_EQ(text_of_layer(in, "Linear"),
            "TypeError: Linear.__init__() missing 2 required positional arguments: 'in_features' and 'out_features'");
  EXPECT_EQ(text_of_layer(in, "Linear", {3, 3}, {{"size", 1}}),
            "TypeError: Linear.__init__() got an unexpected keyword argument 'size'");
  EXPECT_EQ(text_of_layer(in, "ReLU", {true, 1, 2}),
            "TypeError: ReLU.__init__() takes from 1 to 2 positional arguments but 4 were given");
  EXPECT_EQ(text_of_layer(in, "Linear", {3, -1}),
            "RuntimeError: Trying to create tensor with negative dimension -1: [-1, 3]");
  EXPECT_EQ(text_of_layer(in, "Linear", {std::int64_t{1} << 40, std::int64_t{1} << 40}),
            "RuntimeError: Storage size calculation overflowed with sizes=[1099511627776, 1099511627776]");
  EXPECT_EQ(text_of_layer(in, "Linaer", {3, 5}), "AttributeError: module 'torch.nn' has no attribute 'Linaer'");
}

TEST(ReshapingText, ShowsTheArguments) {
  Interpreter in;
  EXPECT_EQ(text_of_layer(in, "Flatten"), "Flatten(start_dim=1, end_dim=-1)");
  EXPECT_EQ(text_of_layer(in, "Unflatten", {1, in.tuple({2, 3})}), "Unflatten(dim=1, unflattened_size=(2, 3))");
  EXPECT_EQ(text_of_layer(in, "Unflatten", {1, 2}),
            "TypeError: unflattened_size must be a tuple of ints, but found type int");
  EXPECT_EQ(text_of_layer(in, "Unfold", {}, {{"kernel_size", 2}}),
            "Unfold(kernel_size=2, dilation=1, padding=0, stride=1)");
  EXPECT_EQ(text_of_layer(in, "PixelShuffle", {2}), "PixelShuffle(upscale_factor=2)");
  EXPECT_EQ(text_of_layer(in, "Upsample", {}, {{"scale_factor", 2}, {"mode", in.text("bilinear")}}),
            "Upsample(scale_factor=2.0, mode='bilinear')");
  EXPECT_EQ(text_of_layer(in, "Upsample", {in.tuple({4, 8})}), "Upsample(size=(4, 8), mode='nearest')");
}

TEST(ConvolutionText, ShowsWhatIsNotTheDefault) {
  Interpreter in;
  EXPECT_EQ(text_of_layer(in, "Conv1d", {1, 1, 3}, {{"bias", false}}),
            "Conv1d(1, 1, kernel_size=(3,), stride=(1,), bias=False)");
  EXPECT_EQ(text_of_layer(in, "Conv2d", {3, 8, 3}), "Conv2d(3, 8, kernel_size=(3, 3), stride=(1, 1))");
  EXPECT_EQ(text_of_layer(in, "Conv2d", {3, 8, in.tuple({3, 5})},
                          {{"stride", 2}, {"padding", 1}, {"dilation", 2}, {"groups", 1}, {"bias", false}}),
            "Conv2d(3, 8, kernel_size=(3, 5), stride=(2, 2), padding=(1, 1), dilation=(2, 2), bias=False)");
  EXPECT_EQ(text_of_layer(in, "Conv2d", {4, 8, 1}, {{"groups", 4}, {"padding_mode", in.text("reflect")}}),
            "Conv2d(4, 8, kernel_size=(1, 1), stride=(1, 1), groups=4, padding_mode=reflect)");
  EXPECT_EQ(text_of_layer(in, "Conv2d", {4, 8, 3}, {{"padding", in.text("same")}}),
            "Conv2d(4, 8, kernel_size=(3, 3), stride=(1, 1), padding=same)");
  EXPECT_EQ(text_of_layer(in, "Conv3d", {1, 2, 3}), "Conv3d(1, 2, kernel_size=(3, 3, 3), stride=(1, 1, 1))");
  EXPECT_EQ(text_of_layer(in, "ConvTranspose2d", {4, 2, 2}, {{"stride", 2}, {"output_padding", 1}}),
            "ConvTranspose2d(4, 2, kernel_size=(2, 2), stride=(2, 2), output_padding=(1, 1))");
  EXPECT_EQ(text_of_layer(in, "ConvTranspose1d", {4, 2, 2}, {{"bias", false}}),
            "ConvTranspose1d(4, 2, kernel_size=(2,), stride=(1,), bias=False)");
}

TEST(ConvolutionErrors, NameTheArgumentThatDoesNotFit) {
  Interpreter in;
  EXPECT_EQ(text_of_layer(in, "Conv2d", {3, 4, 1}, {{"groups", 2}}),
            "ValueError: in_channels must be divisible by groups");
  EXPECT_EQ(text_of_layer(in, "Conv2d", {4, 3, 1}, {{"groups", 2}}),
            "ValueError: out_channels must be divisible by groups");
  EXPECT_EQ(text_of_layer(in, "Conv2d", {4, 4, 1}, {{"groups", 0}}), "ValueError: groups must be a positive integer");
  EXPECT_EQ(text_of_layer(in, "Conv2d", {1, 1, 3}, {{"padding", in.text("same")}, {"stride", 2}}),
            "ValueError: padding='same' is not supported for strided convolutions");
  EXPECT_EQ(text_of_layer(in, "ConvTranspose2d", {1, 1, 3}, {{"padding_mode", in.text("reflect")}}),
            "ValueError: Only \"zeros\" padding mode is supported for ConvTranspose2d");
}

TEST(NormText, ShowsAffineBiasAndStatistics) {
  Interpreter in;
  EXPECT_EQ(text_of_layer(in, "BatchNorm1d", {1}, {{"track_running_stats", false}}),
            "BatchNorm1d(1, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=False)");
  EXPECT_EQ(text_of_layer(in, "BatchNorm1d", {1}, {{"momentum", Value()}}),
            "BatchNorm1d(1, eps=1e-05, momentum=None, affine=True, bias=True, track_running_stats=True)");
  EXPECT_EQ(text_of_layer(in, "InstanceNorm2d", {3}),
            "InstanceNorm2d(3, eps=1e-05, momentum=0.1, affine=False, bias=False, track_running_stats=False)");
  EXPECT_EQ(text_of_layer(in, "InstanceNorm1d", {3}, {{"affine", true}, {"track_running_stats", true}}),
            "InstanceNorm1d(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)");
  EXPECT_EQ(text_of_layer(in, "LayerNorm", {4}), "LayerNorm((4,), eps=1e-05, elementwise_affine=True, bias=True)");
  EXPECT_EQ(text_of_layer(in, "RMSNorm", {3}, {{"eps", 0.0}}), "RMSNorm((3,), eps=0.0, elementwise_affine=True)");
  EXPECT_EQ(text_of_layer(in, "RMSNorm", {in.tuple({2, 2})}), "RMSNorm((2, 2), eps=None, elementwise_affine=True)");
  EXPECT_EQ(text_of_layer(in, "GroupNorm", {2, 4}, {{"eps", 0.0}}), "GroupNorm(2, 4, eps=0.0, affine=True, bias=True)");
  EXPECT_EQ(text_of_layer(in, "GroupNorm", {3, 4}), "ValueError: num_channels (4) must be divisible by num_groups (3)");
  EXPECT_EQ(text_of_layer(in, "LocalResponseNorm", {2}), "LocalResponseNorm(2, alpha=0.0001, beta=0.75, k=1.0)");
  EXPECT_EQ(text_of_layer(in, "BatchNorm2d"),
            "TypeError: _BatchNorm.__init__() missing 1 required positional argument: 'num_features'");
}

TEST(EmbeddingText, ShowsWhatIsNotTheDefault) {
  Interpreter in;
  EXPECT_EQ(text_of_layer(in, "Embedding", {4, 2}), "Embedding(4, 2)");
  EXPECT_EQ(text_of_layer(in, "Embedding", {4, 2}, {{"padding_idx", -1}, {"max_norm", 1.0}, {"sparse", true}}),
            "Embedding(4, 2, padding_idx=3, max_norm=1.0, sparse=True)");
  EXPECT_EQ(text_of_layer(in, "Embedding", {3, 2}, {{"padding_idx", 5}}),
            "AssertionError: Padding_idx must be within num_embeddings");
  EXPECT_EQ(text_of_layer(in, "EmbeddingBag", {3, 1}, {{"mode", in.text("sum")}}), "EmbeddingBag(3, 1, mode='sum')");
}

TEST(DropoutText, ShowsTheProbability) {
  Interpreter in;
  EXPECT_EQ(text_of_layer(in, "Dropout"), "Dropout(p=0.5, inplace=False)");
  EXPECT_EQ(text_of_layer(in, "Dropout", {1.5}),
            "ValueError: dropout probability has to be between 0 and 1, but got 1.5");
  EXPECT_EQ(text_of_layer(in, "Dropout", {-0.1}),
            "ValueError: dropout probability has to be between 0 and 1, but got -0.1");
}

TEST(ActivationText, IsThatOfTorchForEveryClass) {
  Interpreter in;
  const std::tuple<std::string_view, std::vector<Value>, tests::Keywords, std::string_view> cases[] = {
      {"ReLU", {}, {}, "ReLU()"},
      {"ReLU6", {}, {}, "ReLU6()"},
      {"LeakyReLU", {0.1}, {}, "LeakyReLU(negative_slope=0.1)"},
      {"ELU", {}, {}, "ELU(alpha=1.0)"},
      {"SELU", {}, {}, "SELU()"},
      {"CELU", {}, {}, "CELU(alpha=1.0)"},
      {"GELU", {}, {}, "GELU(approximate='none')"},
      {"GELU", {}, {{"approximate", in.text("tanh")}}, "GELU(approximate='tanh')"},
      {"SiLU", {}, {}, "SiLU()"},
      {"Mish", {}, {}, "Mish()"},
      {"Tanh", {}, {}, "Tanh()"},
      {"Sigmoid", {}, {}, "Sigmoid()"},
      {"Softplus", {}, {}, "Softplus(beta=1.0, threshold=20.0)"},
      {"Softsign", {}, {}, "Softsign()"},
      {"LogSigmoid", {}, {}, "LogSigmoid()"},
      {"Hardtanh", {}, {}, "Hardtanh(min_val=-1.0, max_val=1.0)"},
      {"Hardsigmoid", {}, {}, "Hardsigmoid()"},
      {"Hardswish", {}, {}, "Hardswish()"},
      {"Tanhshrink", {}, {}, "Tanhshrink()"},
      {"Softshrink", {}, {}, "Softshrink(0.5)"},
      {"Hardshrink", {}, {}, "Hardshrink(0.5)"},
      {"Threshold", {0.1, 20.0}, {}, "Threshold(threshold=0.1, value=20.0)"},
      {"ReLU", {}, {{"inplace", true}}, "ReLU(inplace=True)"},
      {"LeakyReLU", {}, {}, "LeakyReLU(negative_slope=0.01)"},
      {"ELU", {}, {{"alpha", 0.5}}, "ELU(alpha=0.5)"},
      {"PReLU", {}, {}, "PReLU(num_parameters=1)"},
      {"PReLU", {3}, {}, "PReLU(num_parameters=3)"},
      {"Softmax", {}, {}, "Softmax(dim=None)"},
      {"Softmax", {}, {{"dim", -1}}, "Softmax(dim=-1)"},
      {"LogSoftmax", {}, {{"dim", 1}}, "LogSoftmax(dim=1)"},
      {"Hardtanh", {-2, 2}, {}, "Hardtanh(min_val=-2, max_val=2)"},
      {"Threshold", {0.1, 20}, {}, "Threshold(threshold=0.1, value=20)"},
      {"GLU", {}, {}, "GLU(dim=-1)"},
      {"Softplus", {}, {{"beta", 2}}, "Softplus(beta=2, threshold=20.0)"},
      {"CELU", {0.3}, {}, "CELU(alpha=0.3)"},
      {"SiLU", {}, {{"inplace", true}}, "SiLU(inplace=True)"},
  };
  for (const auto& [name, positional, keywords, text] : cases) {
    EXPECT_EQ(text_of_layer(in, name, positional, keywords), text);
  }
}

TEST(PoolingText, ShowsTuplesOnlyWhereTorchDoes) {
  Interpreter in;
  EXPECT_EQ(text_of_layer(in, "MaxPool2d", {2}),
            "MaxPool2d(kernel_size=2, stride=2, padding=0, dilation=1, ceil_mode=False)");
  EXPECT_EQ(text_of_layer(in, "MaxPool1d", {3}, {{"stride", 2}}),
            "MaxPool1d(kernel_size=3, stride=2, padding=0, dilation=1, ceil_mode=False)");
  EXPECT_EQ(text_of_layer(in, "AvgPool2d", {2}), "AvgPool2d(kernel_size=2, stride=2, padding=0)");
  EXPECT_EQ(text_of_layer(in, "AvgPool1d", {2, 1}), "AvgPool1d(kernel_size=(2,), stride=(1,), padding=(0,))");
  EXPECT_EQ(text_of_layer(in, "AdaptiveAvgPool2d", {in.tuple({1, 1})}), "AdaptiveAvgPool2d(output_size=(1, 1))");
  EXPECT_EQ(text_of_layer(in, "AdaptiveAvgPool2d", {3}), "AdaptiveAvgPool2d(output_size=3)");
  EXPECT_EQ(text_of_layer(in, "LPPool1d", {2, 2}),
            "LPPool1d(norm_type=2, kernel_size=2, stride=None, ceil_mode=False)");
}

TEST(PaddingText, RepeatsOneNumberForEverySide) {
  Interpreter in;
  EXPECT_EQ(text_of_layer(in, "ZeroPad1d", {1}), "ZeroPad1d((1, 1))");
  EXPECT_EQ(text_of_layer(in, "ConstantPad1d", {in.tuple({1, 2}), 9.0}), "ConstantPad1d(padding=(1, 2), value=9.0)");
  EXPECT_EQ(text_of_layer(in, "ReflectionPad1d", {2}), "ReflectionPad1d((2, 2))");
  EXPECT_EQ(text_of_layer(in, "ReplicationPad1d", {1}), "ReplicationPad1d((1, 1))");
  EXPECT_EQ(text_of_layer(in, "CircularPad1d", {1}), "CircularPad1d((1, 1))");
}

TEST(LossText, IsEmptyInsideTheParentheses) {
  Interpreter in;
  EXPECT_EQ(text_of_layer(in, "MSELoss"), "MSELoss()");
  EXPECT_EQ(text_of_layer(in, "CrossEntropyLoss"), "CrossEntropyLoss()");
  EXPECT_EQ(text_of_layer(in, "CosineSimilarity", {}, {{"dim", 0}}), "CosineSimilarity()");
  EXPECT_EQ(text_of_layer(in, "PairwiseDistance"), "PairwiseDistance()");
}

TEST(RecurrentText, ShowsWhatIsNotTheDefault) {
  Interpreter in;
  EXPECT_EQ(text_of_layer(in, "RNN", {3, 4}), "RNN(3, 4)");
  EXPECT_EQ(text_of_layer(in, "LSTM", {3, 4}), "LSTM(3, 4)");
  EXPECT_EQ(text_of_layer(in, "GRU", {3, 4}, {{"num_layers", 2}, {"bidirectional", true}}),
            "GRU(3, 4, num_layers=2, bidirectional=True)");
  EXPECT_EQ(text_of_layer(in, "RNNCell", {3, 4}, {{"nonlinearity", in.text("relu")}}),
            "RNNCell(3, 4, nonlinearity=relu)");
}

TEST(RecurrentErrors, AreThoseOfTorch) {
  Interpreter in;
  EXPECT_EQ(text_of_layer(in, "RNN", {1, 1}, {{"nonlinearity", in.text("gelu")}}),
            "ValueError: Unknown nonlinearity 'gelu'. Select from 'tanh' or 'relu'.");
  EXPECT_EQ(text_of_layer(in, "LSTM", {1, 1}, {{"dropout", 2.0}}),
            "ValueError: dropout should be a number in range [0, 1] representing the probability of an element being "
            "zeroed");
  EXPECT_EQ(text_of_layer(in, "GRU", {2, 2}, {{"proj_size", 1}}),
            "ValueError: proj_size argument is only supported for LSTM, not RNN or GRU");
  EXPECT_EQ(text_of_layer(in, "LSTM", {1, 1}, {{"num_layers", 0}}), "ValueError: num_layers must be greater than zero");
}

TEST(TransformerText, ShowsTheLayersInsideAndFoldsCopies) {
  Interpreter in;
  EXPECT_EQ(text_of_layer(in, "MultiheadAttention", {4, 2}),
            "MultiheadAttention(\n"
            "  (out_proj): NonDynamicallyQuantizableLinear(in_features=4, out_features=4, bias=True)\n"
            ")");
  auto layer = make_layer(in, "TransformerEncoderLayer", {4, 2}, {{"dim_feedforward", 8}, {"batch_first", true}});
  ASSERT_TRUE(layer.ok());
  EXPECT_EQ(text_of_layer(in, "TransformerEncoder", {Value(*layer), 3}, {{"enable_nested_tensor", false}}),
            R"(TransformerEncoder(
  (layers): ModuleList(
    (0-2): 3 x TransformerEncoderLayer(
      (self_attn): MultiheadAttention(
        (out_proj): NonDynamicallyQuantizableLinear(in_features=4, out_features=4, bias=True)
      )
      (linear1): Linear(in_features=4, out_features=8, bias=True)
      (dropout): Dropout(p=0.1, inplace=False)
      (linear2): Linear(in_features=8, out_features=4, bias=True)
      (norm1): LayerNorm((4,), eps=1e-05, elementwise_affine=True, bias=True)
      (norm2): LayerNorm((4,), eps=1e-05, elementwise_affine=True, bias=True)
      (dropout1): Dropout(p=0.1, inplace=False)
      (dropout2): Dropout(p=0.1, inplace=False)
    )
  )
))");
}

}  // namespace
}  // namespace nns::nn
