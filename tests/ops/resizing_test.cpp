// Padding, resizing, blocks and grids against their definitions; PyTorch's errors.
#include <cmath>

#include "tests/ops/op_fixture.h"

namespace nns::tests {
namespace {

class Resizing : public OpFixture {
 public:
  void expect_close(const Numbers& got, const Numbers& wanted, double tolerance, const std::string& what) {
    ASSERT_EQ(got.size(), wanted.size()) << what;
    for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], wanted[i], tolerance) << what << ", item " << i;
  }
  /// A row resized by `weight(distance in items of the input)`, items outside counted as those at the edge.
  template <class Weight>
  static double at_edge_clamped(const Numbers& row, double place, int reach, Weight weight) {
    double sum = 0;
    const auto base = static_cast<int>(std::floor(place));
    for (int i = base - reach + 1; i <= base + reach; ++i) {
      const auto item = static_cast<std::size_t>(std::clamp(i, 0, static_cast<int>(row.size()) - 1));
      sum += weight(std::abs(place - i)) * row[item];
    }
    return sum;
  }
  /// Where item i of `out` items lies among `in`.
  static double place_of(double i, double in, double out, bool aligns) {
    if (aligns) return out > 1 ? i * (in - 1) / (out - 1) : 0;
    return (i + 0.5) * in / out - 0.5;
  }
};

double triangle(double x) { return x < 1 ? 1 - x : 0; }
/// Keys' kernel, written with the free parameter of his paper.
double keys(double x, double a) {
  if (x < 1) return (a + 2) * x * x * x - (a + 3) * x * x + 1;
  if (x < 2) return a * (x * x * x - 5 * x * x + 8 * x - 4);
  return 0;
}

TEST_F(Resizing, NearestRepeatsOrSkipsItems) {
  for (const DType dtype : {DType::Float32, DType::Float64, DType::Float16, DType::BFloat16, DType::UInt8}) {
    const Ref<Tensor> x = make(Dims({1, 1, 4}), {1, 2, 3, 4}, dtype);
    EXPECT_EQ(items(OpId::upsample_nearest1d, {Value(x), ints({8})}), (Numbers{1, 1, 2, 2, 3, 3, 4, 4}));
    EXPECT_EQ(items(OpId::upsample_nearest1d, {Value(x), ints({3})}), (Numbers{1, 2, 3}));
    // The exact one takes the item that the middle lies in.
    EXPECT_EQ(items(OpId::upsample_nearest_exact1d, {Value(x), ints({2})}), (Numbers{2, 4}));
  }
}

TEST_F(Resizing, LinearAndCubicFollowTheirKernels) {
  const Numbers row = {3, -1, 4, 1, -5, 9, 2};
  const Ref<Tensor> x = make(Dims({1, 1, 1, 7}), row, DType::Float64);
  const Ref<Tensor> line = make(Dims({1, 1, 7}), row, DType::Float64);
  for (const std::int64_t out : {1, 2, 5, 7, 11, 20}) {
    for (const bool aligns : {false, true}) {
      Numbers linear, cubic;
      for (std::int64_t i = 0; i < out; ++i) {
        const double place = place_of(static_cast<double>(i), 7, static_cast<double>(out), aligns);
        linear.push_back(at_edge_clamped(row, std::max(place, 0.0), 1, triangle));
        cubic.push_back(at_edge_clamped(row, place, 2, [](double d) { return keys(d, -0.75); }));
      }
      expect_close(items(OpId::upsample_linear1d, {Value(line), ints({out}), Value(aligns)}), linear, 1e-12, "linear");
      expect_close(items(OpId::upsample_bicubic2d, {Value(x), ints({1, out}), Value(aligns)}), cubic, 1e-12, "cubic");
    }
  }
}

TEST_F(Resizing, SmoothingWidensTheKernel) {
  const Numbers row = {3, -1, 4, 1, -5, 9, 2, 6};
  const Ref<Tensor> x = make(Dims({1, 1, 1, 8}), row, DType::Float64);
  for (const std::int64_t out : {2, 3, 4, 8, 12}) {
    const double scale = 8.0 / static_cast<double>(out);
    const double width = std::max(scale, 1.0);
    const auto smoothed = [&](double reach, auto kernel) {
      Numbers made;
      for (std::int64_t i = 0; i < out; ++i) {
        const double center = scale * (static_cast<double>(i) + 0.5);
        double sum = 0, total = 0;
        for (std::size_t at = 0; at < row.size(); ++at) {
          const double distance = std::abs(static_cast<double>(at) + 0.5 - center) / width;
          const double weight = distance < reach ? kernel(distance) : 0;
          sum += weight * row[at];
          total += weight;
        }
        made.push_back(sum / total);
      }
      return made;
    };
    expect_close(items(OpId::upsample_bilinear2d_aa, {Value(x), ints({1, out}), Value(false)}), smoothed(1, triangle),
                 1e-12, "linear");
    expect_close(items(OpId::upsample_bicubic2d_aa, {Value(x), ints({1, out}), Value(false)}),
                 smoothed(2, [](double d) { return keys(d, -0.5); }), 1e-12, "cubic");
  }
}

TEST_F(Resizing, OfPlanesIsThatOfRowsAndThenColumns) {
  const Ref<Tensor> x = whole_numbers(Dims({2, 3, 4, 5}), 1, DType::Float64);
  const Ref<Tensor> both = made(OpId::upsample_bilinear2d, {Value(scattered(*x)), ints({7, 3}), Value(false)});
  const Ref<Tensor> rows = made(OpId::upsample_bilinear2d, {Value(x), ints({4, 3}), Value(false)});
  expect_close(items(*both), items(OpId::upsample_bilinear2d, {Value(rows), ints({7, 3}), Value(false)}), 1e-12, "2d");
  EXPECT_EQ(
      made(OpId::upsample_trilinear3d, {Value(meta(Dims({1, 2, 3, 4, 5}))), ints({6, 8, 10}), Value(true)})->shape(),
      Dims({1, 2, 6, 8, 10}));
}

TEST_F(Resizing, AScaleFactorLaysTheResultOut) {
  // With a factor of 1.6 items lie 1 / 1.6 apart, though 5 times 1.6 is 8 items.
  const Ref<Tensor> x = make(Dims({1, 1, 3}), {0, 10, 20}, DType::Float64);
  const Numbers got = items(OpId::upsample_linear1d, {Value(x), ints({4}), Value(false), in.tuple({Value(1.6)})});
  Numbers wanted;
  for (int i = 0; i < 4; ++i) {
    wanted.push_back(at_edge_clamped({0, 10, 20}, std::max((i + 0.5) / 1.6 - 0.5, 0.0), 1, triangle));
  }
  expect_close(got, wanted, 1e-12, "factor");
}

TEST_F(Resizing, PaddingShowsTheItemsThatItsNameSays) {
  for (const DType dtype : {DType::Float32, DType::Float64, DType::Float16, DType::BFloat16}) {
    const Ref<Tensor> x = make(Dims({1, 1, 4}), {1, 2, 3, 4}, dtype);
    EXPECT_EQ(items(OpId::pad, {Value(x), ints({3, 2}), text("reflect")}), (Numbers{4, 3, 2, 1, 2, 3, 4, 3, 2}));
    EXPECT_EQ(items(OpId::pad, {Value(x), ints({3, 2}), text("replicate")}), (Numbers{1, 1, 1, 1, 2, 3, 4, 4, 4}));
    EXPECT_EQ(items(OpId::pad, {Value(x), ints({3, 2}), text("circular")}), (Numbers{2, 3, 4, 1, 2, 3, 4, 1, 2}));
    EXPECT_EQ(items(OpId::pad, {Value(x), ints({1, -2}), text("constant"), Value(9)}), (Numbers{9, 1, 2}));
    EXPECT_EQ(items(OpId::pad, {Value(x), ints({-1, 1}), text("circular")}), (Numbers{2, 3, 4, 1}));
  }
  const Ref<Tensor> plane = make(Dims({1, 2, 2}), {1, 2, 3, 4});
  EXPECT_EQ(items(OpId::pad, {Value(plane), ints({1, 0, 0, 1}), text("reflect")}),
            (Numbers{2, 1, 2, 4, 3, 4, 2, 1, 2}));
  EXPECT_EQ(items(OpId::constant_pad_nd, {Value(make(Dims({2}), {1, 2}, DType::Int64)), ints({0, 1}), Value(7)}),
            (Numbers{1, 2, 7}));
}

TEST_F(Resizing, PaddingRefusesAsTorchDoes) {
  const auto x = [&](const Dims& shape) { return Value(whole_numbers(shape, 1)); };
  const auto refused = [&](const Dims& shape, std::initializer_list<std::int64_t> amounts, std::string_view mode) {
    return error(OpId::pad, {x(shape), ints(amounts), text(mode)});
  };
  EXPECT_EQ(refused(Dims({3}), {1}, "constant"), "RuntimeError: Padding length must be divisible by 2");
  EXPECT_EQ(refused(Dims({3}), {1, 1}, "reflect"),
            "NotImplementedError: Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now");
  EXPECT_EQ(refused(Dims({1, 3}), {1, 1}, "foo"), "NotImplementedError: Unrecognised padding mode foo");
  EXPECT_EQ(refused(Dims({1, 3}), {3, 1}, "reflect"),
            "RuntimeError: Argument #4: Padding size should be less than the corresponding input dimension, but got: "
            "padding (3, 1) at dimension 1 of input [1, 3]");
  EXPECT_EQ(refused(Dims({1, 1, 3}), {4, 1}, "circular"),
            "RuntimeError: Padding value causes wrapping around more than once.");
  EXPECT_EQ(error(OpId::pad, {x(Dims({1, 3})), ints({1, 1}), text("reflect"), Value(1)}),
            "RuntimeError: Padding mode \"reflect\" doesn't take in value argument");
}

TEST_F(Resizing, BlocksBecomeColumnsAndAddUpAgain) {
  const Ref<Tensor> x = make(Dims({1, 3, 3}), {0, 1, 2, 3, 4, 5, 6, 7, 8});
  const Arguments settings{ints({2, 2}), ints({1, 1}), ints({0, 0}), ints({1, 1})};
  Arguments args{Value(x)};
  args.insert(args.end(), settings.begin(), settings.end());
  const Ref<Tensor> columns = made(OpId::im2col, args);
  EXPECT_EQ(columns->shape(), Dims({4, 4}));
  EXPECT_EQ(items(*columns), (Numbers{0, 1, 3, 4, 1, 2, 4, 5, 3, 4, 6, 7, 4, 5, 7, 8}));
  Arguments back{Value(columns), ints({3, 3})};
  back.insert(back.end(), settings.begin(), settings.end());
  EXPECT_EQ(items(OpId::col2im, back), (Numbers{0, 2, 2, 6, 16, 10, 6, 14, 8}));
  EXPECT_EQ(error(OpId::im2col, {Value(x), ints({4, 4}), ints({1, 1}), ints({0, 0}), ints({1, 1})}),
            "RuntimeError: Given input with spatial size (3, 3), kernel_size=(4, 4), dilation=(1, 1), padding=(0, 0), "
            "calculated shape of the array of sliding blocks as (0, 0), but its components must be at least one.");
  EXPECT_EQ(error(OpId::col2im, {Value(make(Dims({5, 4}), Numbers(20, 1))), ints({3, 3}), ints({2, 2}), ints({1, 1}),
                                 ints({0, 0}), ints({1, 1})}),
            "RuntimeError: Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
            "input.size(1)=5 and kernel_size=(2, 2).");
}

TEST_F(Resizing, ShufflesMoveChannelsIntoPixelsAndBack) {
  const Ref<Tensor> x = whole_numbers(Dims({2, 8, 3, 2}), 1);
  const Ref<Tensor> wide = made(OpId::pixel_shuffle, {Value(x), Value(2)});
  ASSERT_EQ(wide->shape(), Dims({2, 2, 6, 4}));
  const Numbers from = items(*x), to = items(*wide);
  for (std::size_t n = 0; n < 2; ++n) {
    for (std::size_t c = 0; c < 2; ++c) {
      for (std::size_t y = 0; y < 6; ++y) {
        for (std::size_t z = 0; z < 4; ++z) {
          const std::size_t channel = c * 4 + y % 2 * 2 + z % 2;
          EXPECT_EQ(to[((n * 2 + c) * 6 + y) * 4 + z], from[((n * 8 + channel) * 3 + y / 2) * 2 + z / 2]);
        }
      }
    }
  }
  EXPECT_TRUE(tensor::equal(*made(OpId::pixel_unshuffle, {Value(wide), Value(2)}), *x));
  EXPECT_EQ(items(OpId::channel_shuffle, {Value(make(Dims({1, 6, 1}), {0, 1, 2, 3, 4, 5})), Value(2)}),
            (Numbers{0, 3, 1, 4, 2, 5}));
}

TEST_F(Resizing, AGridReadsBetweenItems) {
  const Ref<Tensor> x = make(Dims({1, 1, 2, 3}), {1, 2, 3, 4, 5, 6}, DType::Float64);
  const auto read = [&](double u, double v, std::int64_t mode, std::int64_t outside, bool aligns) {
    return items(OpId::grid_sampler, {Value(x), Value(make(Dims({1, 1, 1, 2}), {u, v}, DType::Float64)), Value(mode),
                                      Value(outside), Value(aligns)})[0];
  };
  // With aligned corners -1 and 1 are the middles of the outermost items.
  EXPECT_DOUBLE_EQ(read(-1, -1, 0, 0, true), 1);
  EXPECT_DOUBLE_EQ(read(1, 1, 0, 0, true), 6);
  EXPECT_DOUBLE_EQ(read(0.5, 0, 0, 0, true), (2.5 + 5.5) / 2);
  EXPECT_DOUBLE_EQ(read(0.5, -1, 1, 0, true), 3) << "halves go to the even item";
  EXPECT_DOUBLE_EQ(read(-0.5, -1, 1, 0, true), 1) << "halves go to the even item";
  // Without, they are the edges: half of what lies around the corner is 0.
  EXPECT_DOUBLE_EQ(read(-1, -1, 0, 0, false), 1.0 / 4);
  EXPECT_DOUBLE_EQ(read(-1, -1, 0, 1, false), 1);
  EXPECT_DOUBLE_EQ(read(-1, -1, 0, 2, false), 1);
  EXPECT_DOUBLE_EQ(read(3, -1, 0, 2, true), 1) << "twice mirrored";
  EXPECT_DOUBLE_EQ(read(9, 9, 0, 0, true), 0);
  EXPECT_DOUBLE_EQ(read(0, -1, 2, 1, true), 2) << "a cubic goes through the items";
}

}  // namespace
}  // namespace nns::tests
