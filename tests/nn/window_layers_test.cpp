// What the layers of convolutions, pooling, padding and reshaping give when they are called: PyTorch's numbers and
// errors (recorded in the conformance cases of layers), and shapes from the formulas of its documentation.
#include <gtest/gtest.h>

#include "core/nn/functional.h"
#include "tests/nn/layer_support.h"

namespace nns::nn::tests {
namespace {

using tensor::Dims;
using tensor::DType;
using Numbers = std::vector<double>;

class WindowLayers : public testing::Test {
 public:
  Interpreter in;

  Ref<Tensor> counted(const Dims& shape) {
    Numbers values;
    for (std::int64_t i = 0; i < tensor::element_count(shape); ++i) values.push_back(static_cast<double>(i));
    return tensor::from_values(in, shape, values);
  }
  Ref<Tensor> of(const Dims& shape, const Numbers& values) { return tensor::from_values(in, shape, values); }
  Ref<Tensor> ones(const Dims& shape) { return tensor::ones(in, shape); }
  Value ints(std::initializer_list<std::int64_t> items) { return ops::dims_value(in, Dims(items)); }

  Value layer(std::string_view name, std::vector<Value> args, const Keywords& keywords = {}) {
    auto made = make_layer(in, name, std::move(args), keywords);
    EXPECT_TRUE(made.ok()) << name << ": " << made.error().message();
    return Value(*made);
  }
  Value called(const Value& module, std::initializer_list<Value> args) {
    auto made = in.call(module, args);
    EXPECT_TRUE(made.ok()) << made.error().message();
    return made.ok() ? *made : Value();
  }
  static Numbers items(const Value& value) {
    Numbers found;
    const Tensor* const tensor = value.as<Tensor>();
    if (tensor == nullptr) return found;
    tensor::for_each_place(*tensor, [&](std::int64_t at) { found.push_back(tensor::read_double(*tensor, at)); });
    return found;
  }
  Numbers items(std::string_view name, std::vector<Value> args, const Ref<Tensor>& x, const Keywords& keywords = {}) {
    return items(called(layer(name, std::move(args), keywords), {Value(x)}));
  }
  Dims shape(std::string_view name, std::vector<Value> args, const Ref<Tensor>& x, const Keywords& keywords = {}) {
    const Value made = called(layer(name, std::move(args), keywords), {Value(x)});
    return made.as<Tensor>() == nullptr ? Dims() : made.as<Tensor>()->shape();
  }
  std::string error(const Value& module, std::initializer_list<Value> args) {
    const auto made = in.call(module, args);
    return made.ok() ? "nothing" : std::string(made.error().type()) + ": " + made.error().message();
  }
  std::string function_error(std::string_view name, std::initializer_list<Value> args) {
    const auto made = call_functional(in, name, args);
    return made.ok() ? "nothing" : std::string(made.error().type()) + ": " + made.error().message();
  }
  void fill(const Value& module, std::string_view name, double value) {
    const auto parameter = as_module(module)->get_parameter(name);
    ASSERT_TRUE(parameter.ok());
    tensor::fill_items(**parameter, value);
  }
};

TEST_F(WindowLayers, ConvolutionsHaveTheShapesOfTheirFormulas) {
  EXPECT_EQ(shape("Conv1d", {2, 3, 3}, ones(Dims({1, 2, 7}))), Dims({1, 3, 5}));
  EXPECT_EQ(shape("Conv2d", {3, 2, 3}, ones(Dims({3, 5, 5}))), Dims({2, 3, 3}));
  EXPECT_EQ(shape("Conv2d", {1, 4, 3}, ones(Dims({1, 1, 8, 9})), {{"stride", 2}, {"padding", 1}, {"dilation", 2}}),
            Dims({1, 4, 3, 4}));
  EXPECT_EQ(shape("Conv3d", {1, 1, 2}, ones(Dims({1, 1, 3, 4, 5}))), Dims({1, 1, 2, 3, 4}));
  EXPECT_EQ(shape("Conv2d", {1, 1, 4}, ones(Dims({1, 1, 6, 7})), {{"padding", in.text("same")}}), Dims({1, 1, 6, 7}));
  EXPECT_EQ(shape("Conv2d", {1, 1, 4}, ones(Dims({1, 1, 6, 7})), {{"padding", in.text("valid")}}), Dims({1, 1, 3, 4}));
  EXPECT_EQ(shape("ConvTranspose2d", {3, 2, 2}, ones(Dims({1, 3, 4, 4})), {{"stride", 2}}), Dims({1, 2, 8, 8}));
  EXPECT_EQ(shape("ConvTranspose1d", {1, 1, 3}, ones(Dims({1, 1, 4})), {{"stride", 3}, {"output_padding", 2}}),
            Dims({1, 1, 14}));
}

TEST_F(WindowLayers, ConvolutionAddsItsBiasToTheSumOfItsWindow) {
  const Value conv = layer("Conv2d", {2, 3, 2});
  fill(conv, "weight", 0.5);
  fill(conv, "bias", 1);
  // Every window of ones has 8 items.
  EXPECT_EQ(items(called(conv, {Value(ones(Dims({1, 2, 3, 2})))})), Numbers(6, 5));
}

TEST_F(WindowLayers, OtherPaddingsAreMadeBeforehand) {
  for (const auto& [mode, sum] : {std::pair("reflect", 2.0 + 1 + 2), std::pair("replicate", 1.0 + 1 + 2),
                                  std::pair("circular", 3.0 + 1 + 2), std::pair("zeros", 0.0 + 1 + 2)}) {
    const Value conv = layer("Conv1d", {1, 1, 3}, {{"padding", 1}, {"padding_mode", in.text(mode)}, {"bias", false}});
    fill(conv, "weight", 1);
    EXPECT_EQ(items(called(conv, {Value(of(Dims({1, 1, 3}), {1, 2, 3}))}))[0], sum) << mode;
  }
}

TEST_F(WindowLayers, TransposedConvolutionTakesTheSizeThatIsAskedFor) {
  const Value conv = layer("ConvTranspose2d", {1, 1, 3}, {{"stride", 2}, {"padding", 1}});
  const Value x(ones(Dims({1, 1, 4, 4})));
  EXPECT_EQ(called(conv, {x, ints({8, 7})}).as<Tensor>()->shape(), Dims({1, 1, 8, 7}));
  EXPECT_EQ(called(conv, {x, ints({1, 1, 7, 8})}).as<Tensor>()->shape(), Dims({1, 1, 7, 8}));
  EXPECT_EQ(error(conv, {x, ints({9, 7})}),
            "ValueError: requested an output size of [9, 7], but valid sizes range from [7, 7] to [8, 8] (for an input "
            "of torch.Size([4, 4]))");
  EXPECT_EQ(error(conv, {x, ints({7})}),
            "ValueError: ConvTranspose2D: for 4D input, output_size must have 2 or 4 elements (got 1)");
}

TEST_F(WindowLayers, ConvolutionsRefuseAsRecorded) {
  const Value conv = layer("Conv2d", {3, 2, 3});
  EXPECT_EQ(error(conv, {Value(ones(Dims({1, 4, 5, 5})))}),
            "RuntimeError: Given groups=1, weight of size [2, 3, 3, 3], expected input[1, 4, 5, 5] to have 3 channels, "
            "but got 4 channels instead");
  EXPECT_EQ(error(conv, {Value(ones(Dims({5, 5})))}),
            "RuntimeError: Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of size: [5, 5]");
  EXPECT_EQ(error(conv, {Value(ones(Dims({1, 3, 2, 2})))}),
            "RuntimeError: Calculated padded input size per channel: (2 x 2). Kernel size: (3 x 3). Kernel size can't "
            "be greater than actual input size");
}

TEST_F(WindowLayers, PoolingGivesTheRecordedNumbers) {
  const Ref<Tensor> x = counted(Dims({1, 1, 4, 4}));
  EXPECT_EQ(items("MaxPool2d", {2}, x), (Numbers{5, 7, 13, 15}));
  EXPECT_EQ(items("MaxPool2d", {3}, x, {{"padding", 1}}), (Numbers{5, 7, 13, 15}));
  EXPECT_EQ(shape("MaxPool2d", {2}, x, {{"stride", 1}}), Dims({1, 1, 3, 3}));
  const Value both = called(layer("MaxPool2d", {2}, {{"return_indices", true}}), {Value(x)});
  const auto* const pair = both.as<object::Tuple>();
  ASSERT_NE(pair, nullptr);
  EXPECT_EQ(items((*pair)[1]), (Numbers{5, 7, 13, 15}));
  EXPECT_EQ(items(called(layer("MaxUnpool2d", {2}), {(*pair)[0], (*pair)[1]})),
            (Numbers{0, 0, 0, 0, 0, 5, 0, 7, 0, 0, 0, 0, 0, 13, 0, 15}));
  EXPECT_EQ(items("AvgPool2d", {2}, x), (Numbers{2.5, 4.5, 10.5, 12.5}));
  EXPECT_EQ(items("AvgPool2d", {3}, x, {{"stride", 2}, {"padding", 1}, {"count_include_pad", false}}),
            (Numbers{2.5, 4, 8.5, 10}));
  const Ref<Tensor> line = counted(Dims({1, 1, 6}));
  EXPECT_EQ(items("AdaptiveAvgPool1d", {2}, line), (Numbers{1, 4}));
  EXPECT_EQ(items("AdaptiveAvgPool1d", {4}, line), (Numbers{0.5, 1.5, 3.5, 4.5}));
  EXPECT_EQ(items("AdaptiveMaxPool1d", {3}, line), (Numbers{1, 3, 5}));
  EXPECT_EQ(shape("AdaptiveAvgPool2d", {Value(in.tuple({Value(2), Value()}))}, ones(Dims({1, 3, 4, 5}))),
            Dims({1, 3, 2, 5}));
  EXPECT_EQ(shape("AdaptiveAvgPool2d", {1}, ones(Dims({2, 3, 4, 4}))), Dims({2, 3, 1, 1}));
  EXPECT_EQ(items("LPPool1d", {2, 2}, of(Dims({1, 1, 2}), {3, 4})), (Numbers{5}));
  EXPECT_EQ(shape("FractionalMaxPool2d", {2}, ones(Dims({2, 3, 8, 8})), {{"output_ratio", 0.5}}), Dims({2, 3, 4, 4}));
  EXPECT_EQ(error(layer("MaxPool1d", {2}, {{"padding", 2}}), {Value(ones(Dims({1, 1, 4})))}),
            "RuntimeError: max_pool1d() padding should be at most half of kernel size, but got padding=2 and "
            "kernel_size=2");
  EXPECT_EQ(error(layer("MaxPool2d", {2}), {Value(ones(Dims({4})))}),
            "RuntimeError: non-empty 3D or 4D (batch mode) tensor expected for input");
}

TEST_F(WindowLayers, UnpoolingTakesSizesNearTheUsualOne) {
  const Value line(of(Dims({1, 1, 2}), {5, 6}));
  const Value places(tensor::from_values(in, Dims({1, 1, 2}), Numbers{1, 4}, DType::Int64));
  EXPECT_EQ(items(*call_functional(in, "max_unpool1d", {line, places, 2, Value(), 0, ints({5})})),
            (Numbers{0, 5, 0, 0, 6}));
  EXPECT_EQ(function_error("max_unpool1d", {line, places, 2, Value(), 0, ints({9})}),
            "ValueError: invalid output_size \"(9,)\" (dim 0 must be between 2 and 6)");
  EXPECT_EQ(function_error("max_unpool1d", {line, places, 2, Value(), 0, ints({1, 2, 3, 4})}),
            "ValueError: output_size should be a sequence containing 1 or 3 elements, but it has a length of '4'");
  EXPECT_EQ(function_error("fractional_max_pool2d", {Value(ones(Dims({1, 1, 4, 4}))), 2}),
            "ValueError: fractional_max_pool2d requires specifying either an output_size or an output_ratio");
}

TEST_F(WindowLayers, PaddingGivesTheRecordedNumbers) {
  const Ref<Tensor> x = of(Dims({1, 1, 3}), {1, 2, 3});
  EXPECT_EQ(items("ZeroPad1d", {1}, x), (Numbers{0, 1, 2, 3, 0}));
  EXPECT_EQ(items("ConstantPad1d", {ints({1, 2}), 9.0}, x), (Numbers{9, 1, 2, 3, 9, 9}));
  EXPECT_EQ(items("ReflectionPad1d", {2}, x), (Numbers{3, 2, 1, 2, 3, 2, 1}));
  EXPECT_EQ(items("ReplicationPad1d", {1}, x), (Numbers{1, 1, 2, 3, 3}));
  EXPECT_EQ(items("CircularPad1d", {1}, x), (Numbers{3, 1, 2, 3, 1}));
  EXPECT_EQ(items("ZeroPad2d", {ints({1, 0, 2, 0})}, ones(Dims({1, 1, 1, 1}))), (Numbers{0, 0, 0, 0, 0, 1}));
  EXPECT_EQ(shape("ReplicationPad3d", {1}, ones(Dims({1, 1, 2, 3, 4}))), Dims({1, 1, 4, 5, 6}));
  EXPECT_EQ(error(layer("CircularPad2d", {1}), {Value(ones(Dims({3, 3})))}),
            "ValueError: expected 3D or 4D input (got 2D input)");
}

TEST_F(WindowLayers, ReshapingGivesTheRecordedNumbers) {
  EXPECT_EQ(shape("Flatten", {}, ones(Dims({2, 3, 4}))), Dims({2, 12}));
  EXPECT_EQ(shape("Flatten", {0}, ones(Dims({2, 3}))), Dims({6}));
  EXPECT_EQ(shape("Flatten", {1, 2}, ones(Dims({2, 3, 4, 5}))), Dims({2, 12, 5}));
  EXPECT_EQ(shape("Unflatten", {1, ints({2, 3})}, ones(Dims({4, 6}))), Dims({4, 2, 3}));
  const Value columns = called(layer("Unfold", {}, {{"kernel_size", 2}}), {Value(counted(Dims({1, 1, 3, 3})))});
  EXPECT_EQ(columns.as<Tensor>()->shape(), Dims({1, 4, 4}));
  EXPECT_EQ(items(called(layer("Fold", {}, {{"output_size", ints({3, 3})}, {"kernel_size", 2}}), {columns})),
            (Numbers{0, 2, 2, 6, 16, 10, 6, 14, 8}));
  EXPECT_EQ(shape("PixelShuffle", {2}, ones(Dims({1, 8, 2, 3}))), Dims({1, 2, 4, 6}));
  EXPECT_EQ(shape("PixelUnshuffle", {2}, ones(Dims({1, 2, 4, 6}))), Dims({1, 8, 2, 3}));
  EXPECT_EQ(items("ChannelShuffle", {2}, counted(Dims({1, 4, 1, 1}))), (Numbers{0, 2, 1, 3}));
}

TEST_F(WindowLayers, LinearLayersGiveTheRecordedNumbers) {
  const Value linear = layer("Linear", {2, 2});
  fill(linear, "weight", 0.5);
  fill(linear, "bias", 1);
  EXPECT_EQ(items(called(linear, {Value(of(Dims({1, 2}), {3, 5}))})), (Numbers{5, 5}));
  const Value bilinear = layer("Bilinear", {2, 3, 1});
  fill(bilinear, "weight", 1);
  fill(bilinear, "bias", 1);
  EXPECT_EQ(items(called(bilinear, {Value(of(Dims({1, 2}), {1, 2})), Value(of(Dims({1, 3}), {1, 2, 3}))})),
            (Numbers{19}));
  const Value a(of(Dims({2, 2}), {1, 0, 1, 1}));
  const Value b(of(Dims({2, 2}), {0, 2, 2, 2}));
  const Numbers cosine = items(called(layer("CosineSimilarity", {}), {a, b}));
  EXPECT_NEAR(cosine[0], 0, 1e-6);
  EXPECT_NEAR(cosine[1], 1, 1e-6);
  const Numbers distance = items(called(layer("PairwiseDistance", {}, {{"eps", 0.0}}), {a, b}));
  EXPECT_NEAR(distance[0], 2.23607, 1e-4);
  EXPECT_NEAR(distance[1], 1.41421, 1e-4);
  const Numbers normed =
      items("LocalResponseNorm", {2}, of(Dims({1, 2, 1}), {1, 1}), {{"alpha", 1.0}, {"beta", 0.5}, {"k", 0.0}});
  EXPECT_NEAR(normed[0], 1.4142, 1e-4);
  EXPECT_NEAR(normed[1], 1, 1e-4);
}

TEST_F(WindowLayers, UpsamplingRepeatsOrInterpolates) {
  const Ref<Tensor> x = of(Dims({1, 1, 2, 2}), {1, 2, 3, 4});
  EXPECT_EQ(items("UpsamplingNearest2d", {}, x, {{"scale_factor", 2}}),
            (Numbers{1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4}));
  EXPECT_EQ(items("UpsamplingBilinear2d", {}, x, {{"size", ints({3, 3})}}), (Numbers{1, 1.5, 2, 2, 2.5, 3, 3, 3.5, 4}));
  EXPECT_EQ(shape("Upsample", {}, ones(Dims({1, 2, 3})), {{"scale_factor", 2.5}, {"mode", in.text("linear")}}),
            Dims({1, 2, 7}));
}

TEST_F(WindowLayers, InterpolateRefusesAsTorchDoes) {
  const Value line(ones(Dims({1, 1, 3})));
  const Value plane(ones(Dims({1, 1, 3, 3})));
  EXPECT_EQ(function_error("interpolate", {line}), "ValueError: either size or scale_factor should be defined");
  EXPECT_EQ(function_error("interpolate", {line, 2, 2}),
            "ValueError: only one of size or scale_factor should be defined");
  EXPECT_EQ(function_error("interpolate", {line, ints({2, 2})}),
            "ValueError: Input and output must have the same number of spatial dimensions, but got input with spatial "
            "dimensions of [3] and output size of (2, 2). Please provide input tensor in (N, C, d1, d2, ...,dK) format "
            "and output size in (o1, o2, ...,oK) format.");
  EXPECT_EQ(function_error("interpolate", {line, Value(), ints({2, 2})}),
            "ValueError: Input and scale_factor must have the same number of spatial dimensions, but got input with "
            "spatial dimensions of [3] and scale_factor of shape (2, 2). Please provide input tensor in (N, C, d1, d2, "
            "...,dK) format and scale_factor in (s1, s2, ...,sK) format.");
  EXPECT_EQ(function_error("interpolate", {line, 2, Value(), in.text("bilinear")}),
            "NotImplementedError: Got 3D input, but bilinear mode needs 4D input");
  EXPECT_EQ(
      function_error("interpolate", {line, 2, Value(), in.text("nearest"), true}),
      "ValueError: align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic "
      "| trilinear");
  EXPECT_EQ(function_error("interpolate", {plane, 2, Value(), in.text("nearest"), Value(), true}),
            "ValueError: recompute_scale_factor is not meaningful with an explicit size.");
  EXPECT_EQ(
      function_error("interpolate", {plane, ints({0, 2})}),
      "RuntimeError: Input and output sizes should be greater than 0, but got input (H: 3, W: 3) output (H: 0, W: "
      "2)");
  EXPECT_EQ(function_error("interpolate", {plane, 2, Value(), in.text("x")}),
            "NotImplementedError: Input Error: Only 3D, 4D and 5D input Tensors supported (got 4D) for the modes: "
            "nearest | linear | bilinear | bicubic | trilinear | area | nearest-exact (got x)");
}

TEST_F(WindowLayers, AffineGridOfTheIdentityReadsTheImageItself) {
  const Value theta(of(Dims({1, 2, 3}), {1, 0, 0, 0, 1, 0}));
  const Ref<Tensor> x = counted(Dims({1, 1, 3, 4}));
  for (const bool aligns : {false, true}) {
    auto grid = call_functional(in, "affine_grid", {theta, ints({1, 1, 3, 4}), aligns});
    ASSERT_TRUE(grid.ok()) << grid.error().message();
    EXPECT_EQ(grid->as<Tensor>()->shape(), Dims({1, 3, 4, 2}));
    const auto read =
        call_functional(in, "grid_sample", {Value(x), *grid, in.text("bilinear"), in.text("zeros"), aligns});
    ASSERT_TRUE(read.ok()) << read.error().message();
    const Numbers got = items(*read);
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], static_cast<double>(i), 1e-5);
  }
  EXPECT_EQ(function_error("grid_sample", {Value(x), Value(ones(Dims({1, 2, 2, 2}))), in.text("x")}),
            "ValueError: nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: "
            "'x'");
  EXPECT_EQ(function_error("affine_grid", {Value(ones(Dims({1, 3, 3}))), ints({1, 1, 2, 2})}),
            "ValueError: Expected a batch of 2D affine matrices of shape Nx2x3 for size [1, 1, 2, 2]. Got "
            "torch.Size([1, 3, 3]).");
}

}  // namespace
}  // namespace nns::nn::tests
