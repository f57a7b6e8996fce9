// Pooling against its definition, on the dtypes, sizes and strides that it claims; PyTorch's errors.
#include <cmath>
#include <limits>
#include <optional>

#include "core/autograd/engine.h"
#include "core/ops/plain_numbers.h"
#include "tests/ops/op_fixture.h"

namespace nns::tests {
namespace {

struct Window {
  std::int64_t kernel, stride, padding, dilation = 1;
};

class Pooling : public OpFixture {
 public:
  /// For each place of the windows along one dimension of `size` items, where its taps lie; those outside too.
  static std::vector<std::vector<std::int64_t>> taps(std::int64_t size, const Window& w, std::int64_t count) {
    std::vector<std::vector<std::int64_t>> made;
    for (std::int64_t at = 0; at < count; ++at) {
      made.emplace_back();
      for (std::int64_t k = 0; k < w.kernel; ++k) {
        const std::int64_t place = at * w.stride - w.padding + k * w.dilation;
        if (place < size + w.padding) made.back().push_back(place);
      }
    }
    return made;
  }
  /// Calls use(plane, place, items of the window that lie inside, taps of the window) for all windows of a tensor of
  /// shape (planes, height, width).
  template <class Use>
  static void for_each_window(const Tensor& x, const std::vector<std::vector<std::int64_t>>& rows,
                              const std::vector<std::vector<std::int64_t>>& columns, Use use) {
    const Numbers all = items(x);
    const std::int64_t height = x.shape()[x.ndim() - 2];
    const std::int64_t width = x.shape()[x.ndim() - 1];
    std::size_t at = 0;
    for (std::int64_t plane = 0; plane < x.numel() / (height * width); ++plane) {
      for (const auto& row : rows) {
        for (const auto& column : columns) {
          std::vector<std::int64_t> inside;
          for (const std::int64_t i : row) {
            for (const std::int64_t j : column) {
              if (i >= 0 && i < height && j >= 0 && j < width) inside.push_back(i * width + j);
            }
          }
          use(at++, all.data() + plane * height * width, inside, row.size() * column.size());
        }
      }
    }
  }
  static std::int64_t size_of(std::int64_t size, const Window& w, bool ceil) {
    const double steps =
        static_cast<double>(size + 2 * w.padding - w.dilation * (w.kernel - 1) - 1) / static_cast<double>(w.stride);
    std::int64_t made = static_cast<std::int64_t>(ceil ? std::ceil(steps) : std::floor(steps)) + 1;
    if (ceil && (made - 1) * w.stride >= size + w.padding) --made;
    return made;
  }
  void expect_close(const Numbers& got, const Numbers& wanted, DType dtype, const std::string& what) {
    ASSERT_EQ(got.size(), wanted.size()) << what;
    const double tolerance = dtype == DType::Float64 ? 1e-14 : dtype == DType::Float32 ? 1e-6 : 1e-2;
    for (std::size_t i = 0; i < got.size(); ++i) {
      ASSERT_NEAR(got[i], wanted[i], tolerance * (1 + std::abs(wanted[i]))) << what << ", item " << i;
    }
  }
};

const Window kWindows[] = {{2, 2, 0}, {3, 1, 1}, {3, 2, 1}, {2, 3, 1}, {5, 4, 2}, {2, 1, 0, 3}, {3, 2, 1, 2}};
const DType kFloats[] = {DType::Float32, DType::Float64, DType::Float16, DType::BFloat16};

TEST_F(Pooling, MaximumIsTheLargestItemOfEachWindow) {
  for (const DType dtype : {DType::Float32, DType::Float64, DType::Float16, DType::BFloat16, DType::Int8, DType::UInt8,
                            DType::Int32, DType::Int64}) {
    for (const Window& w : kWindows) {
      for (const bool ceil : {false, true}) {
        const Ref<Tensor> x = whole_numbers(Dims({2, 3, 7, 10}), 3, dtype);
        const Arguments args{Value(scattered(*x)), Value(w.kernel),   Value(w.stride),
                             Value(w.padding),     Value(w.dilation), Value(ceil)};
        const Value both = called(OpId::max_pool2d_with_indices, args);
        const auto* const tuple = both.as<object::Tuple>();
        ASSERT_NE(tuple, nullptr);
        const std::int64_t height = size_of(7, w, ceil), width = size_of(10, w, ceil);
        const Tensor& values = *(*tuple)[0].as<Tensor>();
        ASSERT_EQ(values.shape(), Dims({2, 3, height, width}));
        EXPECT_EQ(values.dtype(), dtype);
        const Numbers got = items(values);
        const Numbers places = items(*(*tuple)[1].as<Tensor>());
        for_each_window(*x, taps(7, w, height), taps(10, w, width),
                        [&](std::size_t at, const double* plane, const std::vector<std::int64_t>& inside, std::size_t) {
                          std::int64_t best = inside[0];
                          for (const std::int64_t one : inside) best = plane[one] > plane[best] ? one : best;
                          EXPECT_EQ(got[at], plane[best]);
                          EXPECT_EQ(places[at], static_cast<double>(best));
                        });
      }
    }
  }
}

TEST_F(Pooling, MaximumLetsNanThrough) {
  const double nan = std::nan("");
  const Numbers got = items(OpId::max_pool1d, {Value(make(Dims({1, 4}), {1, nan, 3, 2})), Value(2)});
  EXPECT_TRUE(std::isnan(got[0]));
  EXPECT_EQ(got[1], 3);
  const double low = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(items(OpId::max_pool1d, {Value(make(Dims({1, 2}), {low, low})), Value(2)}), (Numbers{low}));
}

TEST_F(Pooling, AverageIsTheMeanOfEachWindow) {
  for (const DType dtype : kFloats) {
    for (const Window& w : kWindows) {
      if (w.dilation != 1) continue;
      for (const bool ceil : {false, true}) {
        for (const bool counts : {false, true}) {
          for (const std::int64_t divisor : {0, 3}) {
            const Ref<Tensor> x = whole_numbers(Dims({2, 7, 10}), 4, dtype);
            const Arguments args{Value(scattered(*x)),
                                 Value(w.kernel),
                                 Value(w.stride),
                                 Value(w.padding),
                                 Value(ceil),
                                 Value(counts),
                                 divisor == 0 ? Value() : Value(divisor)};
            const Ref<Tensor> made_ = made(OpId::avg_pool2d, args);
            const std::int64_t height = size_of(7, w, ceil), width = size_of(10, w, ceil);
            ASSERT_EQ(made_->shape(), Dims({2, height, width}));
            Numbers wanted;
            for_each_window(
                *x, taps(7, w, height), taps(10, w, width),
                [&](std::size_t, const double* plane, const std::vector<std::int64_t>& inside, std::size_t all) {
                  double sum = 0;
                  for (const std::int64_t one : inside) sum += plane[one];
                  const double count =
                      divisor != 0 ? static_cast<double>(divisor) : static_cast<double>(counts ? all : inside.size());
                  wanted.push_back(sum / count);
                });
            expect_close(items(*made_), wanted, dtype, tensor::torch_dtype_text(dtype));
          }
        }
      }
    }
  }
}

TEST_F(Pooling, AdaptiveWindowsShareTheInputEvenly) {
  for (const DType dtype : kFloats) {
    for (const std::int64_t height : {1, 2, 3, 7, 9}) {
      for (const std::int64_t width : {1, 4, 10}) {
        const Ref<Tensor> x = whole_numbers(Dims({1, 2, 7, 10}), 5, dtype);
        const auto shares = [](std::int64_t size, std::int64_t count) {
          std::vector<std::vector<std::int64_t>> made;
          for (std::int64_t i = 0; i < count; ++i) {
            made.emplace_back();
            const auto from =
                static_cast<std::int64_t>(std::floor(static_cast<double>(i * size) / static_cast<double>(count)));
            const auto to =
                static_cast<std::int64_t>(std::ceil(static_cast<double>((i + 1) * size) / static_cast<double>(count)));
            for (std::int64_t at = from; at < to; ++at) made.back().push_back(at);
          }
          return made;
        };
        Numbers means, largest;
        for_each_window(*x, shares(7, height), shares(10, width),
                        [&](std::size_t, const double* plane, const std::vector<std::int64_t>& inside, std::size_t) {
                          double sum = 0, best = plane[inside[0]];
                          for (const std::int64_t one : inside) {
                            sum += plane[one];
                            best = std::max(best, plane[one]);
                          }
                          means.push_back(sum / static_cast<double>(inside.size()));
                          largest.push_back(best);
                        });
        expect_close(items(OpId::adaptive_avg_pool2d, {Value(x), ints({height, width})}), means, dtype, "mean");
        const Value both = called(OpId::adaptive_max_pool2d, {Value(x), ints({height, width})});
        EXPECT_EQ(items(*(*both.as<object::Tuple>())[0].as<Tensor>()), largest);
      }
    }
  }
}

TEST_F(Pooling, OfThreeDimensionsIsThatOfEachInTurn) {
  // The largest item of a box is the largest of the largest of its layers.
  const Ref<Tensor> x = whole_numbers(Dims({1, 2, 4, 5, 6}), 6);
  const Ref<Tensor> box = made(OpId::max_pool3d, {Value(x), ints({2, 3, 2}), ints({2, 1, 2}), ints({1, 1, 0})});
  const Ref<Tensor> layers = made(OpId::max_pool3d, {Value(x), ints({1, 3, 2}), ints({1, 1, 2}), ints({0, 1, 0})});
  EXPECT_EQ(items(*box), items(OpId::max_pool3d, {Value(layers), ints({2, 1, 1}), ints({2, 1, 1}), ints({1, 0, 0})}));
  const Ref<Tensor> mean = made(OpId::avg_pool3d, {Value(x), ints({2, 3, 2})});
  const Ref<Tensor> means = made(OpId::avg_pool3d, {Value(x), ints({1, 3, 2})});
  expect_close(items(*mean), items(OpId::avg_pool3d, {Value(means), ints({2, 1, 1})}), DType::Float32, "mean");
}

// Windows of two by two go through vectors of floats, whose lanes rows fill or not.
TEST_F(Pooling, TwoByTwoOfFloatsIsThatOfDoublesAtEachWidth) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const std::int64_t width : {2, 3, 6, 8, 10, 11, 16, 18, 28, 34, 35}) {
    const Dims shape({2, 5, 7, width});
    const Ref<Tensor> x = whole_numbers(shape, 4, DType::Float64);
    auto* const numbers = reinterpret_cast<double*>(x->data());
    for (std::int64_t i = 3; i < x->numel(); i += 17) numbers[i] = nan;
    const Ref<Tensor> narrow = tensor::empty(in, shape, DType::Float32);
    ASSERT_TRUE(tensor::copy_items(*narrow, *x).ok());
    const Value wanted = called(OpId::max_pool2d_with_indices, {Value(x), Value(2)});
    const Value found = called(OpId::max_pool2d_with_indices, {Value(narrow), Value(2)});
    for (std::size_t k = 0; k < 2; ++k) {
      const Numbers a = items(*(*wanted.as<object::Tuple>())[k].as<Tensor>());
      const Numbers b = items(*(*found.as<object::Tuple>())[k].as<Tensor>());
      ASSERT_EQ(a.size(), b.size());
      for (std::size_t i = 0; i < a.size(); ++i)
        EXPECT_TRUE(a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) << width << ", item " << i;
    }
  }
}

TEST_F(Pooling, UnpoolingPutsTheItemsBack) {
  const Ref<Tensor> x = make(Dims({1, 4, 4}), {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
  const Value both = called(OpId::max_pool2d_with_indices, {Value(x), Value(2)});
  const auto* const tuple = both.as<object::Tuple>();
  EXPECT_EQ(items(OpId::max_unpool2d, {(*tuple)[0], (*tuple)[1], ints({4, 4})}),
            (Numbers{0, 0, 0, 0, 0, 5, 0, 7, 0, 0, 0, 0, 0, 13, 0, 15}));
}

TEST_F(Pooling, FractionalWindowsEndWithTheInput) {
  const Ref<Tensor> x = whole_numbers(Dims({1, 1, 9, 9}), 7, DType::Float64);
  for (const double sample : {0.0, 0.3, 0.99}) {
    const Ref<Tensor> samples = make(Dims({1, 1, 2}), {sample, sample}, DType::Float64);
    const Value both = called(OpId::fractional_max_pool2d, {Value(x), Value(2), ints({4, 4}), Value(samples)});
    // Windows begin at floor((i + sample) * alpha) - floor(sample * alpha), the last one where it just fits.
    const double alpha = 7.0 / 3;
    std::vector<std::vector<std::int64_t>> windows;
    for (int i = 0; i < 4; ++i) {
      const auto from =
          i == 3 ? 7 : static_cast<std::int64_t>(std::floor((i + sample) * alpha) - std::floor(sample * alpha));
      windows.push_back({from, from + 1});
    }
    Numbers wanted;
    for_each_window(*x, windows, windows,
                    [&](std::size_t, const double* plane, const std::vector<std::int64_t>& inside, std::size_t) {
                      double best = plane[inside[0]];
                      for (const std::int64_t one : inside) best = std::max(best, plane[one]);
                      wanted.push_back(best);
                    });
    EXPECT_EQ(items(*(*both.as<object::Tuple>())[0].as<Tensor>()), wanted);
  }
}

TEST_F(Pooling, AWindowInThePaddingSeesNoItem) {
  // Places -1 and 4 of four items.
  const Ref<Tensor> x = make(Dims({1, 1, 4, 4}), std::vector<double>(16, 1.0), DType::Float32);
  ASSERT_TRUE(x->set_requires_grad(true).ok());
  const Value both = called(OpId::max_pool2d_with_indices, {Value(x), Value(2), Value(1), Value(1), Value(5)});
  const auto& results = *both.as<object::Tuple>();
  EXPECT_EQ(items(*results[0].as<Tensor>()), std::vector<double>{-std::numeric_limits<double>::infinity()});
  const Ref<Tensor> roots[] = {Ref<Tensor>(results[0].as<Tensor>())};
  ASSERT_TRUE(autograd::backward(in, roots, {}, autograd::BackwardOptions{}).ok());
  EXPECT_EQ(items(*x->grad()), std::vector<double>(16, 0.0));
}

TEST_F(Pooling, EmptyBatchesAndMeta) {
  EXPECT_EQ(made(OpId::max_pool2d, {Value(make(Dims({0, 1, 4, 4}), {})), Value(2)})->shape(), Dims({0, 1, 2, 2}));
  EXPECT_EQ(made(OpId::avg_pool1d, {Value(make(Dims({0, 1, 4}), {})), Value(2)})->shape(), Dims({0, 1, 2}));
  EXPECT_EQ(made(OpId::adaptive_avg_pool2d, {Value(make(Dims({0, 1, 4, 4}), {})), ints({2, 3})})->shape(),
            Dims({0, 1, 2, 3}));
  const Ref<Tensor> wide = made(OpId::max_pool2d, {Value(meta(Dims({1 << 20, 1 << 10, 1 << 12, 1 << 12}))), Value(2)});
  EXPECT_TRUE(wide->is_meta());
  EXPECT_EQ(wide->shape(), Dims({1 << 20, 1 << 10, 1 << 11, 1 << 11}));
}

TEST_F(Pooling, RaisesPyTorchsErrors) {
  const Value line = Value(make(Dims({1, 1, 4}), {1, 2, 3, 4}));
  const Value plane = Value(whole_numbers(Dims({1, 1, 4, 4}), 1));
  const Value box = Value(whole_numbers(Dims({1, 1, 4, 4, 4}), 1));
  const Value flat = Value(make(Dims({4}), {1, 2, 3, 4}));
  const struct {
    OpId op;
    Arguments args;
    std::string message;
  } cases[] = {
      {OpId::max_pool1d, {line, Value(5)}, "max_pool1d() Invalid computed output size: 0"},
      {OpId::max_pool1d,
       {line, Value(2), Value(), Value(2)},
       "max_pool1d() padding should be at most half of kernel size, but got padding=2 and kernel_size=2"},
      {OpId::max_pool1d,
       {flat, Value(2)},
       "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but got:[4]"},
      {OpId::max_pool1d,
       {line, ints({2, 2})},
       "max_pool1d() kernel_size must be an int, list of ints or tuple of ints of size 1 but got size 2"},
      {OpId::max_pool2d, {flat, Value(2)}, "non-empty 3D or 4D (batch mode) tensor expected for input"},
      {OpId::max_pool2d,
       {plane, ints({2, 2, 2})},
       "max_pool2d: kernel_size must either be a single int, or a tuple of two ints"},
      {OpId::max_pool2d,
       {plane, Value(2), Value(2), ints({2, 2, 2})},
       "max_pool2d: padding must be either be a single int, or a tuple of two ints"},
      {OpId::max_pool2d, {plane, Value(2), Value(0)}, "stride should not be zero"},
      {OpId::max_pool2d, {plane, Value(2), Value(-1)}, "stride should be greater than zero, but got dH: -1 dW: -1"},
      {OpId::max_pool2d,
       {plane, Value(2), Value(2), Value(2)},
       "pad should be at most half of effective kernel size, but got pad=2, kernel_size=2 and dilation=1"},
      {OpId::max_pool2d,
       {plane, Value(5)},
       "Given input size: (1x4x4). Calculated output size: (1x0x0). Output size is too small"},
      {OpId::max_pool2d,
       {Value(make(Dims({1, 0, 4, 4}), {})), Value(2)},
       "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:[1, 0, 4, 4]"},
      {OpId::max_pool3d,
       {box, ints({2, 2})},
       "max_pool3d: kernel_size must either be a single int, or a tuple of three ints"},
      {OpId::avg_pool1d,
       {flat, Value(2)},
       "Expected 2 to 3 dimensions, but got 1-dimensional tensor for argument #1 'self' (while checking arguments for "
       "avg_pool1d)"},
      {OpId::avg_pool1d,
       {line, Value(2), ints({2, 2})},
       "avg_pool1d() argument 'stride' should contain one int (got 2)"},
      {OpId::avg_pool2d,
       {plane, Value(2), Value(2), Value(0), Value(false), Value(true), Value(0)},
       "divisor must be not zero"},
      {OpId::avg_pool3d, {box, Value(5)}, "input image (T: 4 H: 4 W: 4) smaller than kernel size (kT: 5 kH: 5 kW: 5)"},
      {OpId::avg_pool3d,
       {box, Value(2), ints({2, 2})},
       "avg_pool3d: stride must be omitted, a single int, or a tuple of three ints"},
      {OpId::adaptive_avg_pool2d, {plane, ints({2, 2, 2})}, "adaptive_avg_pool2d: output_size must be 2"},
      {OpId::adaptive_avg_pool2d,
       {plane, ints({-1, -1})},
       "adaptive_avg_pool2d: elements of output_size must be greater than or equal to 0 but received {-1, -1}"},
      {OpId::adaptive_max_pool2d,
       {flat, ints({2, 2})},
       "adaptive_max_pool2d(): Expected 3D or 4D tensor, but got: [4]"},
      {OpId::max_unpool2d, {plane, plane, ints({4, 4})}, "elements in indices should be type int64 but got: Float"},
      {OpId::max_unpool2d,
       {Value(make(Dims({1, 1, 1}), {1})), Value(make(Dims({1, 1, 1}), {70}, DType::Int64)), ints({4, 4})},
       "Found an invalid max index: 70 (output volumes are of size 4x4"},
      {OpId::fractional_max_pool2d,
       {plane, Value(2), Value(4), Value(make(Dims({1, 1, 2}), {0.5, 0.5}))},
       "fractional_max_pool2d(): pool height 2 too large relative to input height 4"},
  };
  for (const auto& one : cases) EXPECT_EQ(error(one.op, one.args), "RuntimeError: " + one.message);
  EXPECT_EQ(error(OpId::max_pool2d, {Value(whole_numbers(Dims({1, 1, 4, 4}), 1, DType::Bool)), Value(2)}),
            "NotImplementedError: \"max_pool2d\" not implemented for 'Bool'");
  EXPECT_EQ(error(OpId::avg_pool2d, {Value(whole_numbers(Dims({1, 1, 4, 4}), 1, DType::Int32)), Value(2)}),
            "NotImplementedError: \"avg_pool2d\" not implemented for 'Int'");
}

}  // namespace
}  // namespace nns::tests
