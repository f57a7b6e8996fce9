// Convolutions against their definition, on the dtypes, sizes and strides that they claim; PyTorch's errors.
#include <complex>

#include "core/ops/plain_numbers.h"
#include "tests/ops/each_processor.h"
#include "tests/ops/op_fixture.h"

namespace nns::tests {
namespace {

struct Case {
  Dims input;
  /// Of a plain convolution: (channels made, channels of a group, kernel...).
  Dims weight;
  Dims stride, padding, dilation, output_padding;
  std::int64_t groups = 1;
};

/// Narrow and wide rows, few channels and many, windows of one item, steps, gaps, groups: what the bodies tell apart.
std::vector<Case> cases() {
  return {
      {Dims({2, 3, 7}), Dims({4, 3, 3}), Dims({1}), Dims({1}), Dims({1}), Dims({0}), 1},
      {Dims({1, 4, 33}), Dims({6, 2, 5}), Dims({3}), Dims({2}), Dims({2}), Dims({1}), 2},
      {Dims({2, 1, 28, 28}), Dims({6, 1, 5, 5}), Dims({1, 1}), Dims({2, 2}), Dims({1, 1}), Dims({0, 0}), 1},
      {Dims({2, 6, 14, 14}), Dims({16, 6, 5, 5}), Dims({1, 1}), Dims({0, 0}), Dims({1, 1}), Dims({0, 0}), 1},
      {Dims({1, 5, 9, 10}), Dims({5, 1, 3, 3}), Dims({2, 2}), Dims({1, 1}), Dims({1, 1}), Dims({0, 1}), 5},
      {Dims({3, 70, 4, 5}), Dims({9, 70, 3, 3}), Dims({1, 2}), Dims({1, 1}), Dims({1, 1}), Dims({0, 1}), 1},
      {Dims({1, 8, 6, 6}), Dims({3, 8, 1, 1}), Dims({1, 1}), Dims({0, 0}), Dims({1, 1}), Dims({0, 0}), 1},
      {Dims({1, 2, 11, 17}), Dims({3, 2, 2, 4}), Dims({1, 1}), Dims({3, 5}), Dims({3, 2}), Dims({0, 0}), 1},
      {Dims({1, 3, 4, 5, 18}), Dims({2, 3, 2, 3, 2}), Dims({1, 2, 1}), Dims({1, 0, 1}), Dims({2, 1, 1}),
       Dims({0, 1, 0}), 1},
      // Samples enough to fill the lanes of a vector, or nearly.
      {Dims({16, 1, 12, 9}), Dims({6, 1, 5, 5}), Dims({1, 1}), Dims({2, 2}), Dims({1, 1}), Dims({0, 0}), 1},
      {Dims({11, 4, 7, 6}), Dims({10, 2, 3, 3}), Dims({2, 1}), Dims({1, 0}), Dims({1, 2}), Dims({0, 0}), 2},
      {Dims({35, 3, 5, 3}), Dims({7, 3, 2, 3}), Dims({1, 1}), Dims({0, 4}), Dims({2, 1}), Dims({0, 0}), 1},
      {Dims({64, 6, 6, 7}), Dims({16, 6, 4, 6}), Dims({1, 3}), Dims({1, 2}), Dims({1, 1}), Dims({0, 2}), 1},
      // Other numbers of channels and taps than the kernels have tiles for.
      {Dims({16, 2, 5, 12}), Dims({9, 2, 2, 7}), Dims({1, 1}), Dims({1, 3}), Dims({1, 1}), Dims({0, 0}), 1},
      {Dims({8, 3, 6, 9}), Dims({13, 3, 1, 1}), Dims({1, 1}), Dims({0, 0}), Dims({1, 1}), Dims({0, 0}), 1},
      {Dims({8, 1, 5, 13}), Dims({3, 1, 2, 4}), Dims({1, 1}), Dims({0, 1}), Dims({1, 1}), Dims({0, 0}), 1},
      {Dims({8, 2, 3, 11}), Dims({2, 2, 2, 8}), Dims({1, 1}), Dims({0, 0}), Dims({1, 1}), Dims({0, 0}), 1},
      {Dims({1, 1, 1, 90}), Dims({1, 1, 1, 40}), Dims({1, 7}), Dims({0, 20}), Dims({1, 2}), Dims({0, 3}), 1},
  };
}

/// One product that a plain convolution sums: places of an item of the input, of the weight and of the output.
struct Product {
  std::uint32_t input, weight, output;
};

/// All of them, where the input has the shape `in` and the output `out`. Made once a case, for all dtypes: under
/// sanitizers the tests would else wait for them.
std::vector<Product> products_of(const Case& c, const Dims& in, const Dims& out) {
  const std::size_t dims = in.size() - 2;
  const std::int64_t made_each = c.weight[0] / c.groups;
  std::int64_t inner = 1;
  for (std::size_t i = 1; i < c.weight.size(); ++i) inner *= c.weight[i];
  std::vector<Product> found;
  std::vector<std::int64_t> at(out.size(), 0), tap(c.weight.size(), 0);
  for (std::int64_t o = 0; o < tensor::element_count(out); ++o) {
    std::int64_t rest = o;
    for (std::size_t i = out.size(); i-- > 0; rest /= out[i]) at[i] = rest % out[i];
    const std::int64_t group = at[1] / made_each;
    for (std::int64_t w = 0; w < inner; ++w) {
      std::int64_t left = w;
      for (std::size_t i = c.weight.size(); i-- > 1; left /= c.weight[i]) tap[i] = left % c.weight[i];
      std::int64_t place = at[0] * in[1] + group * c.weight[1] + tap[1];
      bool is_inside = true;
      for (std::size_t i = 0; i < dims; ++i) {
        const std::int64_t x = at[i + 2] * c.stride[i] - c.padding[i] + tap[i + 2] * c.dilation[i];
        is_inside = is_inside && x >= 0 && x < in[i + 2];
        place = place * in[i + 2] + x;
      }
      if (!is_inside) continue;
      found.push_back({static_cast<std::uint32_t>(place), static_cast<std::uint32_t>(at[1] * inner + w),
                       static_cast<std::uint32_t>(o)});
    }
  }
  return found;
}

class Convolution : public OpFixture {
 public:
  using Complex = std::complex<double>;
  static std::vector<Complex> complex_items(const Tensor& tensor) {
    std::vector<Complex> found;
    tensor::for_each_place(tensor, [&](std::int64_t place) { found.push_back(tensor::read_complex(tensor, place)); });
    return found;
  }
  /// Numbers of `dtype`; complex ones with different parts.
  Ref<Tensor> sample(const Dims& shape, int seed, DType dtype) {
    Ref<Tensor> made = whole_numbers(shape, seed, dtype);
    if (!tensor::is_complex(dtype)) return made;
    const Ref<Tensor> other = whole_numbers(shape, seed + 50, dtype);
    const auto turn = [&](auto* to, const auto* from) {
      for (std::int64_t i = 0; i < made->numel(); ++i) to[i] = {to[i].real(), from[i].real()};
    };
    if (dtype == DType::Complex64) {
      using Item = std::complex<float>;
      turn(reinterpret_cast<Item*>(made->data()), reinterpret_cast<const Item*>(other->data()));
    } else {
      turn(reinterpret_cast<Complex*>(made->data()), reinterpret_cast<const Complex*>(other->data()));
    }
    return made;
  }
  /// Of what the plain convolution gives.
  Dims plain_shape(const Case& c) {
    return made(OpId::convolution, arguments(c, meta(c.input), meta(c.weight), Value(), false))->shape();
  }
  Arguments arguments(const Case& c, const Ref<Tensor>& x, const Ref<Tensor>& weight, const Value& bias,
                      bool transposed) {
    return {Value(x),
            Value(weight),
            bias,
            ints(c.stride),
            ints(c.padding),
            ints(c.dilation),
            Value(transposed),
            transposed ? ints(c.output_padding) : ints(Dims(c.stride.size(), 0)),
            Value(c.groups)};
  }
  void expect_same(const Tensor& got, const std::vector<Complex>& wanted, const std::string& what) {
    ASSERT_EQ(static_cast<std::size_t>(got.numel()), wanted.size()) << what;
    const bool is_complex = tensor::is_complex(got.dtype());
    Numbers real;
    for (const Complex& one : wanted) real.push_back(one.real());
    if (!is_complex) {
      // Rounded or wrapped around as the dtype does.
      EXPECT_EQ(items(got), items(*make(got.shape(), real, got.dtype()))) << what;
      return;
    }
    EXPECT_EQ(complex_items(got), wanted) << what;
  }
};

const DType kPlainDTypes[] = {DType::Float32, DType::Float64,   DType::Float16,   DType::BFloat16,
                              DType::Int8,    DType::Int16,     DType::Int32,     DType::Int64,
                              DType::UInt8,   DType::Complex64, DType::Complex128};

TEST_F(Convolution, IsTheSumOverItsWindows) {
  const auto expect_sums = [this](const Case& c, const std::vector<Product>& products, DType dtype) {
    const Ref<Tensor> x = sample(c.input, 1, dtype);
    const Ref<Tensor> weight = sample(c.weight, 2, dtype);
    const Ref<Tensor> bias = sample(Dims({c.weight[0]}), 3, dtype);
    const Ref<Tensor> got = made(OpId::convolution, arguments(c, x, weight, bias, false));
    ASSERT_TRUE(got);
    const std::vector<Complex> from = complex_items(*x);
    const std::vector<Complex> factors = complex_items(*weight), biases = complex_items(*bias);
    std::vector<Complex> wanted(static_cast<std::size_t>(got->numel()));
    const std::int64_t plane = got->numel() / got->shape()[0] / got->shape()[1];
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const auto channel = static_cast<std::int64_t>(i) / plane % got->shape()[1];
      wanted[i] = biases[static_cast<std::size_t>(channel)];
    }
    for (const Product& one : products) wanted[one.output] += from[one.input] * factors[one.weight];
    expect_same(*got, wanted, ops::shape_text(c.weight) + " of " + tensor::torch_dtype_text(dtype));
    EXPECT_TRUE(tensor::equal(
        *made(OpId::convolution, arguments(c, scattered(*x), scattered(*weight), Value(bias), false)), *got));
  };
  for (const Case& c : cases()) {
    const std::vector<Product> products = products_of(c, c.input, plain_shape(c));
    for (const DType dtype : kPlainDTypes) expect_sums(c, products, dtype);
    on_each_processor([&] { expect_sums(c, products, DType::Float32); });
  }
}

TEST_F(Convolution, TransposedSpreadsEachItemOverItsWindow) {
  for (const Case& c : cases()) {
    // The input is as large as what the plain convolution gives.
    const Dims shape = plain_shape(c);
    std::vector<Product> products;
    for (const DType dtype : {DType::Float32, DType::Float64, DType::BFloat16, DType::Int64, DType::Complex64}) {
      const Ref<Tensor> x = sample(shape, 1, dtype);
      const Ref<Tensor> weight = sample(c.weight, 2, dtype);
      const Ref<Tensor> got = made(OpId::convolution, arguments(c, x, weight, Value(), true));
      ASSERT_TRUE(got);
      for (std::size_t i = 0; i + 2 < c.input.size(); ++i) {
        EXPECT_EQ(got->shape()[i + 2], (x->shape()[i + 2] - 1) * c.stride[i] - 2 * c.padding[i] +
                                           c.dilation[i] * (c.weight[i + 2] - 1) + c.output_padding[i] + 1);
      }
      const std::vector<Complex> from = complex_items(*x);
      const std::vector<Complex> factors = complex_items(*weight);
      std::vector<Complex> wanted(static_cast<std::size_t>(got->numel()));
      if (products.empty()) products = products_of(c, got->shape(), shape);
      for (const Product& one : products) wanted[one.input] += from[one.output] * factors[one.weight];
      expect_same(*got, wanted, ops::shape_text(c.weight) + " of " + tensor::torch_dtype_text(dtype));
    }
  }
}

TEST_F(Convolution, WeightGradientSumsOverAllWindows) {
  const auto expect_sums = [this](const Case& c, const std::vector<Product>& products, DType dtype) {
    const Ref<Tensor> x = sample(c.input, 1, dtype);
    const Ref<Tensor> grad = sample(plain_shape(c), 4, dtype);
    const Value gradients = called(
        OpId::convolution_backward,
        {Value(grad), Value(x), Value(sample(c.weight, 2, dtype)), ints({c.weight[0]}), ints(c.stride), ints(c.padding),
         ints(c.dilation), Value(false), ints(Dims(c.stride.size(), 0)), Value(c.groups), ints({0, 1, 1})});
    const auto* const tuple = gradients.as<object::Tuple>();
    ASSERT_NE(tuple, nullptr);
    EXPECT_TRUE((*tuple)[0].is_none());
    std::vector<Complex> wanted(static_cast<std::size_t>(tensor::element_count(c.weight)));
    std::vector<Complex> bias(static_cast<std::size_t>(c.weight[0]));
    const std::vector<Complex> from = complex_items(*x);
    const std::vector<Complex> grads = complex_items(*grad);
    for (const Product& one : products) wanted[one.weight] += from[one.input] * grads[one.output];
    const std::int64_t plane = grad->numel() / grad->shape()[0] / grad->shape()[1];
    for (std::size_t o = 0; o < grads.size(); ++o) bias[o / static_cast<std::size_t>(plane) % bias.size()] += grads[o];
    expect_same(*(*tuple)[1].as<Tensor>(), wanted, ops::shape_text(c.weight));
    expect_same(*(*tuple)[2].as<Tensor>(), bias, ops::shape_text(c.weight));
  };
  for (const Case& c : cases()) {
    const std::vector<Product> products = products_of(c, c.input, plain_shape(c));
    on_each_processor([&] { expect_sums(c, products, DType::Float32); });
    expect_sums(c, products, DType::Float64);
  }
}

TEST_F(Convolution, TakesInputsWithoutABatch) {
  const Ref<Tensor> x = whole_numbers(Dims({3, 5, 5}), 1);
  const Ref<Tensor> weight = whole_numbers(Dims({2, 3, 3, 3}), 2);
  const Ref<Tensor> got = made(OpId::conv2d, {Value(x), Value(weight)});
  EXPECT_EQ(got->shape(), Dims({2, 3, 3}));
  const Ref<Tensor> batch = made(OpId::unsqueeze, {Value(x), Value(0)});
  EXPECT_EQ(items(*got), items(OpId::conv2d, {Value(batch), Value(weight)}));
  EXPECT_EQ(made(OpId::conv_transpose1d,
                 {Value(make(Dims({2, 3}), Numbers(6, 1))), Value(make(Dims({2, 1, 2}), Numbers(4, 1)))})
                ->shape(),
            Dims({1, 4}));
}

TEST_F(Convolution, SamePaddingKeepsTheSize) {
  for (const std::int64_t kernel : {1, 2, 3, 4, 5}) {
    for (const std::int64_t dilation : {1, 2, 3}) {
      const Ref<Tensor> x = whole_numbers(Dims({1, 2, 9}), 1);
      const Ref<Tensor> weight = whole_numbers(Dims({2, 2, kernel}), 2);
      const Ref<Tensor> got =
          made(OpId::conv1d_padding, {Value(x), Value(weight), Value(), Value(1), text("same"), Value(dilation)});
      ASSERT_EQ(got->shape(), Dims({1, 2, 9}));
      // What is odd goes behind.
      const std::int64_t total = dilation * (kernel - 1);
      const Ref<Tensor> padded = made(OpId::constant_pad_nd, {Value(x), ints({total / 2, total - total / 2})});
      EXPECT_EQ(items(*got),
                items(OpId::conv1d, {Value(padded), Value(weight), Value(), Value(1), Value(0), Value(dilation)}));
    }
  }
  const auto warnings = in.take_warnings();
  EXPECT_FALSE(warnings.empty());
  EXPECT_EQ(made(OpId::conv1d_padding, {Value(make(Dims({1, 1, 5}), Numbers(5, 1))),
                                        Value(make(Dims({1, 1, 2}), {1, 1})), Value(), Value(2), text("valid")})
                ->shape(),
            Dims({1, 1, 2}));
}

TEST_F(Convolution, EmptyBatchesAndChannels) {
  const auto ones = [&](const Dims& shape) {
    return make(shape, Numbers(static_cast<std::size_t>(tensor::element_count(shape)), 1));
  };
  EXPECT_EQ(made(OpId::conv2d, {Value(ones(Dims({0, 1, 3, 3}))), Value(ones(Dims({1, 1, 2, 2})))})->shape(),
            Dims({0, 1, 2, 2}));
  // Without channels nothing is made, and the bias gets no gradient.
  const Ref<Tensor> bias = make(Dims({1}), {5});
  EXPECT_TRUE(bias->set_requires_grad(true).ok());
  const Ref<Tensor> got =
      made(OpId::conv2d, {Value(ones(Dims({2, 0, 3, 3}))), Value(ones(Dims({1, 0, 2, 2}))), Value(bias)});
  EXPECT_EQ(got->shape(), Dims({2, 0, 2, 2}));
  const Value gradients =
      called(OpId::convolution_backward, {Value(ones(Dims({2, 0, 2, 2}))), Value(ones(Dims({2, 0, 3, 3}))),
                                          Value(ones(Dims({1, 0, 2, 2}))), ints({1}), ints({1, 1}), ints({0, 0}),
                                          ints({1, 1}), Value(false), ints({0, 0}), Value(1), ints({1, 1, 1})});
  const auto* const parts = gradients.as<object::Tuple>();
  ASSERT_NE(parts, nullptr);
  EXPECT_EQ((*parts)[0].as<Tensor>()->shape(), Dims({2, 0, 3, 3}));
  EXPECT_EQ((*parts)[1].as<Tensor>()->shape(), Dims({1, 0, 2, 2}));
  EXPECT_EQ(items(*(*parts)[2].as<Tensor>()), Numbers({0}));
  EXPECT_EQ(error(OpId::conv2d,
                  {Value(ones(Dims({1, 1, 0, 3}))), Value(ones(Dims({1, 1, 2, 2}))), Value(), Value(1), Value(2)}),
            "RuntimeError: Only zero batch or zero channel inputs are supported, but got input shape: [1, 1, 0, 3]");
}

TEST_F(Convolution, MetaHasShapesWithoutBytes) {
  const Ref<Tensor> got = made(OpId::conv2d, {Value(meta(Dims({1, 1 << 20, 1 << 15, 1 << 15}))),
                                              Value(meta(Dims({4, 1 << 20, 3, 3}))), Value(), Value(2), Value(1)});
  EXPECT_TRUE(got->is_meta());
  EXPECT_EQ(got->shape(), Dims({1, 4, 1 << 14, 1 << 14}));
}

TEST_F(Convolution, RaisesPyTorchsErrors) {
  const auto x = [&](const Dims& shape, DType dtype = DType::Float64) { return Value(whole_numbers(shape, 1, dtype)); };
  const Value image = x(Dims({1, 1, 3, 3}));
  const Value weight = x(Dims({1, 1, 2, 2}));
  const std::pair<Arguments, std::string> plain[] = {
      {{x(Dims({1, 4, 5, 5})), x(Dims({2, 3, 3, 3}))},
       "Given groups=1, weight of size [2, 3, 3, 3], expected input[1, 4, 5, 5] to have 3 channels, but got 4 channels "
       "instead"},
      {{x(Dims({5, 5})), weight},
       "Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of size: [5, 5]"},
      {{x(Dims({1, 1, 2, 2})), x(Dims({1, 1, 3, 3}))},
       "Calculated padded input size per channel: (2 x 2). Kernel size: (3 x 3). Kernel size can't be greater than "
       "actual input size"},
      {{image, x(Dims({1, 1, 0, 2}))},
       "kernel size should be greater than zero, but got kernel_height: 0 kernel_width: 2"},
      {{image, weight, Value(), Value(0)}, "non-positive stride is not supported"},
      {{image, weight, Value(), ints({1, 1, 1})},
       "expected stride to be a single integer value or a list of 2 values to match the convolution dimensions, but "
       "got stride=[1, 1, 1]"},
      {{image, weight, Value(), Value(1), Value(-1)}, "negative padding is not supported"},
      {{image, weight, Value(), Value(1), Value(0), Value(0)}, "dilation should be greater than zero, but got [0, 0]"},
      {{image, weight, Value(), Value(1), Value(0), Value(1), Value(0)}, "non-positive groups is not supported"},
      {{image, x(Dims({3, 1, 2, 2})), Value(), Value(1), Value(0), Value(1), Value(2)},
       "Given groups=2, expected weight to be divisible by 2 at dimension 0, but got weight of size [[3, 1, 2, 2]] "
       "instead"},
      {{image, weight, x(Dims({2}))},
       "Given weight of size [1, 1, 2, 2], expected bias to be 1-dimensional with 1 elements, but got bias of size [2] "
       "instead"},
      {{image, x(Dims({1, 1}))}, "weight should have at least three dimensions"},
      {{image, weight, x(Dims({1}), DType::Float32)}, "Input type (double) and bias type (float) should be the same"},
      {{image, x(Dims({1, 1, 2, 2}), DType::Float32)}, "expected scalar type Double but found Float"},
      {{x(Dims({2, 1, 3, 3}), DType::Float32), weight},
       "Input type (torch.FloatTensor) and weight type (torch.DoubleTensor) should be the same or input should be a "
       "MKLDNN tensor and weight is a dense tensor"},
      {{x(Dims({2, 1, 3, 3}), DType::Float32), x(Dims({1, 1, 2, 2}), DType::BFloat16)},
       "Input type (torch.FloatTensor) and weight type (CPUBFloat16Type) should be the same or input should be a "
       "MKLDNN "
       "tensor and weight is a dense tensor"},
  };
  for (const auto& [args, message] : plain) EXPECT_EQ(error(OpId::conv2d, args), "RuntimeError: " + message);
  const std::pair<Arguments, std::string> transposed[] = {
      {{image, weight, Value(), Value(1), Value(0), Value(1)},
       "output padding must be smaller than either stride or dilation, but got output_padding_height: 1 "
       "output_padding_width: 1 stride_height: 1 stride_width: 1 dilation_height: 1 dilation_width: 1"},
      {{image, weight, Value(), Value(1), Value(4)},
       "Given input size per channel: (3 x 3). Calculated output size per channel: (-4 x -4). Output size is too "
       "small"},
      {{image, x(Dims({2, 1, 2, 2}))},
       "Given transposed=1, weight of size [2, 1, 2, 2], expected input[1, 1, 3, 3] to have 2 channels, but got 1 "
       "channels instead"},
      {{image, weight, Value(), Value(1), Value(0), Value(-1)}, "negative output_padding is not supported"},
  };
  for (const auto& [args, message] : transposed)
    EXPECT_EQ(error(OpId::conv_transpose2d, args), "RuntimeError: " + message);
  EXPECT_EQ(
      error(OpId::conv_transpose1d, {x(Dims({1, 1, 3})), x(Dims({1, 1, 2})), Value(), Value(1), Value(0), Value(1)}),
      "RuntimeError: output padding must be smaller than either stride or dilation, but got output_padding_height: "
      "0 output_padding_width: 1 stride_height: 1 stride_width: 1 dilation_height: 1 dilation_width: 1");
  EXPECT_EQ(error(OpId::conv2d_padding, {image, weight, Value(), Value(2), text("same")}),
            "RuntimeError: padding='same' is not supported for strided convolutions");
  EXPECT_EQ(error(OpId::conv2d_padding, {image, weight, Value(), Value(1), text("foo")}),
            "RuntimeError: Invalid padding string: 'foo'");
  EXPECT_EQ(error(OpId::conv2d, {x(Dims({1, 1, 3, 3}), DType::Bool), x(Dims({1, 1, 2, 2}), DType::Bool)}),
            "NotImplementedError: \"slow_conv2d_cpu\" not implemented for 'Bool'");
  EXPECT_EQ(error(OpId::conv_transpose2d, {x(Dims({1, 1, 3, 3}), DType::Int32), x(Dims({1, 1, 2, 2}), DType::Int32)}),
            "NotImplementedError: \"slow_conv_transpose2d_out_cpu\" not implemented for 'Int'");
}

}  // namespace
}  // namespace nns::tests
