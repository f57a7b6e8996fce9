#pragma once

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "core/ops/convolution_kernels.h"
#include "core/ops/node.h"
#include "core/ops/plain_numbers.h"
#include "core/ops/term.h"

// What the pooling ops share. Not for callers of ops.
namespace nns::ops {

/// The items along one dimension that one place of a window sees: from, from + step, ... before `to`.
struct Span {
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::int64_t step = 1;
  /// How many places the window covers, those in the padding too.
  std::int64_t covered = 0;
};

/// Which items each window sees: along depth, height and width, by place. Dimensions that there are not have one place.
struct PoolPlan {
  std::array<std::vector<Span>, 3> spans;
  std::array<std::int64_t, 3> in{1, 1, 1};

  std::int64_t in_plane() const { return in[0] * in[1] * in[2]; }
  std::int64_t out_plane() const {
    return static_cast<std::int64_t>(spans[0].size() * spans[1].size() * spans[2].size());
  }
};

/// Windows of a fixed size.
PoolPlan plan_of(std::span<const WindowDim> dims);
/// Windows that share `in` items of each dimension evenly among `out` places.
PoolPlan adaptive_plan(std::span<const std::int64_t> in, std::span<const std::int64_t> out);
/// The last `count` sizes.
std::vector<std::int64_t> last_sizes(const Dims& shape, std::size_t count);
/// `shape` with its last sizes replaced.
Dims with_last_sizes(const Dims& shape, std::span<const std::int64_t> sizes);

/// out = the largest item of each window, indices = where it lies in its plane; NaN counts as larger than all.
void max_over_windows(const PoolPlan& plan, const Tensor& in, const Tensor& out, const Tensor& indices);
/// The same where each plane has windows of its own.
void max_over_windows(const std::function<PoolPlan(std::int64_t plane)>& plan_of_plane, const Tensor& in,
                      const Tensor& out, const Tensor& indices);
/// The mean of each window: by `divisor` if given, else by all places that it covers, or by those not in the padding.
struct MeanOptions {
  bool counts_padding = true;
  std::optional<std::int64_t> divisor;
};
void mean_over_windows(const PoolPlan& plan, const MeanOptions& options, const Tensor& in, const Tensor& out);
/// Its adjoint: spreads each item of `out` evenly over its window.
void spread_over_windows(const PoolPlan& plan, const MeanOptions& options, const Tensor& out, const Tensor& in);

/// The arguments of a pooling op with windows of a fixed size.
struct PoolArguments {
  /// 2 or 3.
  std::size_t dims = 2;
  std::vector<std::int64_t> kernel, stride, padding, dilation;
  bool ceil_mode = false;

  /// Sizes along the last dimensions of `input`.
  std::vector<WindowDim> windows(const Dims& input) const;
};
/// How a message says what an argument must be: "{op}: kernel_size must {words}a single int, or a tuple of two ints".
struct PoolWords {
  std::string_view op, kernel, stride, padding, dilation;
};
/// Reads kernel_size (argument 1), stride (2), padding (3) and, where `dilation_at` is not 0, dilation.
/// Errors: RuntimeError in PyTorch's words.
PyResult<PoolArguments> pool_arguments(OpCall& call, std::size_t dims, std::size_t dilation_at,
                                       std::size_t ceil_mode_at, const PoolWords& words);
/// The sizes of the result. `caller`: how the 3d checks name themselves; `must_fit`: the kernel may not be larger than
/// the input.
/// Behaviour: aten/src/ATen/native/Pool.h, pooling_output_shape, pool2d_shape_check, pool3d_shape_check.
PyResult<Dims> pooled_shape(OpCall& call, const PoolArguments& arguments, std::string_view caller, bool must_fit);

/// Errors: RuntimeError  "Expected 2 to 3 dimensions, but got 1-dimensional tensor for argument #1 'self' ...".
PyResult<void> check_1d(OpCall& call, std::string_view function);
/// The op on a 1d input as on a 2d one of height 1.
Term as_plane(const Tensor& input);
Term as_line(const Term& plane);
Value pair_with_one(OpCall& call, const Dims& size, std::int64_t first = 1);

}  // namespace nns::ops
