#include "core/ops/pooling.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/parallel.h"
#include "core/ops/pool_rows.h"

namespace nns::ops {
namespace {

constexpr std::string_view kCounts[] = {"", "", "two", "three"};

PyResult<std::vector<std::int64_t>> window_ints(OpCall& call, std::size_t parameter, std::size_t dims,
                                                std::string_view op, std::string_view words) {
  const Dims given = call.dims(parameter);
  if (given.size() == 1) return std::vector<std::int64_t>(dims, given[0]);
  if (given.size() == dims) return std::vector<std::int64_t>(given.begin(), given.end());
  return object::runtime_error(call.interpreter, "{}: {} must {}a single int, or a tuple of {} ints", op,
                               call.op.parameters[parameter].name, words, kCounts[dims]);
}

// "kH: 2 kW: 2", "kT: 2 kH: 2 kW: 2".
std::string named(std::string_view prefix, const std::vector<std::int64_t>& values) {
  constexpr std::string_view kAxes = "THW";
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += ' ';
    text += fmt::format("{}{}: {}", prefix, kAxes[i + 3 - values.size()], values[i]);
  }
  return text;
}

std::int64_t divided_down(std::int64_t a, std::int64_t b) {
  const std::int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

PyResult<std::int64_t> pooled_size(Interpreter& in, std::int64_t size, std::int64_t kernel, std::int64_t pad,
                                   std::int64_t stride, std::int64_t dilation, bool ceil_mode) {
  if (stride == 0) return object::runtime_error(in, "stride should not be zero");
  if (pad < 0) return object::runtime_error(in, "pad must be non-negative, but got pad: {}", pad);
  if (pad > ((kernel - 1) * dilation + 1) / 2) {
    return object::runtime_error(
        in, "pad should be at most half of effective kernel size, but got pad={}, kernel_size={} and dilation={}", pad,
        kernel, dilation);
  }
  std::int64_t made =
      divided_down(size + 2 * pad - dilation * (kernel - 1) - 1 + (ceil_mode ? stride - 1 : 0), stride) + 1;
  // The last window must begin inside the input or its padding in front.
  if (ceil_mode && (made - 1) * stride >= size + pad) --made;
  return made;
}

bool any_below_one(const std::vector<std::int64_t>& values) {
  return std::any_of(values.begin(), values.end(), [](std::int64_t value) { return value < 1; });
}

PyResult<void> check_input_sizes(OpCall& call, std::size_t dims, std::string_view caller) {
  const Dims& input = call.required(0).shape();
  if (dims == 2) {
    bool is_valid = input[1] != 0 && input[2] != 0;
    is_valid = is_valid && (input.size() == 3 ? input[0] != 0 : input[3] != 0);
    if (is_valid) return {};
    return object::runtime_error(
        call.interpreter, "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:{}",
        shape_text(input));
  }
  for (std::size_t i = input.size() == 5 ? 1 : 0; i < input.size(); ++i) {
    if (input[i] > 0) continue;
    return object::runtime_error(call.interpreter,
                                 "{}: Expected input's non-batch dimensions to have positive length, but input has a "
                                 "shape of {} and non-batch dimension {} has length zero!",
                                 caller, shape_text(input), input[i]);
  }
  return {};
}

// Calls use(place in the plane, items covered) for each window of one plane, in order, with its three spans.
template <class Use>
void for_each_window(const PoolPlan& plan, Use use) {
  std::int64_t at = 0;
  for (const Span& z : plan.spans[0]) {
    for (const Span& y : plan.spans[1]) {
      for (const Span& x : plan.spans[2]) use(at++, z, y, x);
    }
  }
}

// Whether the windows of a plane are two items high and two wide and lie side by side.
bool is_two_by_two(const PoolPlan& plan) {
  const auto all_two = [](const std::vector<Span>& spans) {
    for (std::size_t i = 0; i < spans.size(); ++i) {
      const auto from = static_cast<std::int64_t>(2 * i);
      if (spans[i].from != from || spans[i].to != from + 2 || spans[i].step != 1) return false;
    }
    return true;
  };
  constexpr std::int64_t kMostItems = std::int64_t{1} << 31U;
  return plan.in[0] == 1 && plan.spans[0].size() == 1 && all_two(plan.spans[1]) && all_two(plan.spans[2]) &&
         plan.in_plane() < kMostItems;
}

// Runs use(plane) for all planes, on several threads where they are large enough.
template <class Use>
void for_each_plane(const PoolPlan& plan, std::int64_t planes, Use use) {
  constexpr std::int64_t kItems = 32768;
  base::run_ranges(planes, std::max<std::int64_t>(1, kItems / std::max<std::int64_t>(plan.in_plane(), 1)), 1,
                   [&](std::int64_t begin, std::int64_t end) {
                     for (std::int64_t plane = begin; plane < end; ++plane) use(plane);
                   });
}

bool is_empty(const Span& z, const Span& y, const Span& x) {
  return z.from >= z.to || y.from >= y.to || x.from >= x.to;
}

template <class T>
constexpr T kLowest = std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                           : std::numeric_limits<T>::lowest();

template <class T>
void max_of_plane(const PoolPlan& plan, const T* in, T* out, std::int64_t* indices) {
  for_each_window(plan, [&](std::int64_t at, const Span& z, const Span& y, const Span& x) {
    std::int64_t found = (z.from * plan.in[1] + y.from) * plan.in[2] + x.from;
    // A window whose places all lie in the padding: its index leads to no item, as in PyTorch.
    T largest = is_empty(z, y, x) ? kLowest<T> : in[found];
    for (std::int64_t i = z.from; i < z.to; i += z.step) {
      for (std::int64_t j = y.from; j < y.to; j += y.step) {
        const std::int64_t row = (i * plan.in[1] + j) * plan.in[2];
        for (std::int64_t k = x.from; k < x.to; k += x.step) {
          const T item = in[row + k];
          if (item > largest || item != item) {
            largest = item;
            found = row + k;
          }
        }
      }
    }
    out[at] = largest;
    indices[at] = found;
  });
}

template <class T>
T divisor_of(const MeanOptions& options, const Span& z, const Span& y, const Span& x) {
  if (options.divisor) return static_cast<T>(*options.divisor);
  if (options.counts_padding) return static_cast<T>(z.covered * y.covered * x.covered);
  return static_cast<T>((z.to - z.from) * (y.to - y.from) * (x.to - x.from));
}

template <class T>
void mean_of_plane(const PoolPlan& plan, const MeanOptions& options, const T* in, T* out) {
  for_each_window(plan, [&](std::int64_t at, const Span& z, const Span& y, const Span& x) {
    T sum = T();
    for (std::int64_t i = z.from; i < z.to; ++i) {
      for (std::int64_t j = y.from; j < y.to; ++j) {
        const T* const row = in + (i * plan.in[1] + j) * plan.in[2];
        for (std::int64_t k = x.from; k < x.to; ++k) sum = wrapping_add(sum, row[k]);
      }
    }
    out[at] = is_empty(z, y, x) ? T() : sum / divisor_of<T>(options, z, y, x);
  });
}

template <class T>
void spread_in_plane(const PoolPlan& plan, const MeanOptions& options, const T* out, T* in) {
  for_each_window(plan, [&](std::int64_t at, const Span& z, const Span& y, const Span& x) {
    if (is_empty(z, y, x)) return;
    const T part = out[at] / divisor_of<T>(options, z, y, x);
    for (std::int64_t i = z.from; i < z.to; ++i) {
      for (std::int64_t j = y.from; j < y.to; ++j) {
        T* const row = in + (i * plan.in[1] + j) * plan.in[2];
        for (std::int64_t k = x.from; k < x.to; ++k) row[k] = wrapping_add(row[k], part);
      }
    }
  });
}

std::int64_t planes_of(const PoolPlan& plan, const Tensor& in) {
  return plan.in_plane() == 0 ? 0 : in.numel() / plan.in_plane();
}

}  // namespace

std::vector<std::int64_t> last_sizes(const Dims& shape, std::size_t count) {
  return {shape.end() - static_cast<std::ptrdiff_t>(count), shape.end()};
}

Dims with_last_sizes(const Dims& shape, std::span<const std::int64_t> sizes) {
  Dims made = shape;
  for (std::size_t i = 0; i < sizes.size(); ++i) made[shape.size() - sizes.size() + i] = sizes[i];
  return made;
}

PoolPlan plan_of(std::span<const WindowDim> dims) {
  PoolPlan plan;
  plan.spans.fill({Span{0, 1, 1, 1}});
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const WindowDim& dim = dims[i];
    std::vector<Span>& spans = plan.spans[3 - dims.size() + i];
    spans.clear();
    plan.in[3 - dims.size() + i] = dim.in;
    for (std::int64_t at = 0; at < dim.out; ++at) {
      const std::int64_t start = dim.place(at, 0);
      const std::int64_t end = start + dim.dilation * (dim.kernel - 1) + 1;
      const std::int64_t skipped = start < 0 ? (-start + dim.dilation - 1) / dim.dilation : 0;
      spans.push_back({start + skipped * dim.dilation, std::min(end, dim.in), dim.dilation,
                       std::min(end, dim.in + dim.padding) - start});
    }
  }
  return plan;
}

PoolPlan adaptive_plan(std::span<const std::int64_t> in, std::span<const std::int64_t> out) {
  PoolPlan plan;
  plan.spans.fill({Span{0, 1, 1, 1}});
  for (std::size_t i = 0; i < in.size(); ++i) {
    std::vector<Span>& spans = plan.spans[3 - in.size() + i];
    spans.clear();
    plan.in[3 - in.size() + i] = in[i];
    for (std::int64_t at = 0; at < out[i]; ++at) {
      const std::int64_t from = at * in[i] / out[i];
      const std::int64_t to = ((at + 1) * in[i] + out[i] - 1) / out[i];
      spans.push_back({from, to, 1, to - from});
    }
  }
  return plan;
}

void max_over_windows(const PoolPlan& plan, const Tensor& in, const Tensor& out, const Tensor& indices) {
  with_real(in.dtype(), [&]<class T>(T) {
    const NumbersIn<T> from(in);
    const NumbersOut<T> to(out);
    auto* const places = reinterpret_cast<std::int64_t*>(indices.data());
    const bool has_rows = std::is_same_v<T, float> && is_two_by_two(plan);
    for_each_plane(plan, planes_of(plan, in), [&](std::int64_t plane) {
      const T* const source = from.data() + plane * plan.in_plane();
      T* const target = to.data() + plane * plan.out_plane();
      std::int64_t* const found = places + plane * plan.out_plane();
      if constexpr (std::is_same_v<T, float>) {
        if (has_rows) {
          return max_of_two_by_two({source, plan.in[2], static_cast<std::int64_t>(plan.spans[1].size()),
                                    static_cast<std::int64_t>(plan.spans[2].size()), target, found});
        }
      }
      max_of_plane(plan, source, target, found);
    });
    to.store();
  });
}

void max_over_windows(const std::function<PoolPlan(std::int64_t)>& plan_of_plane, const Tensor& in, const Tensor& out,
                      const Tensor& indices) {
  if (out.numel() == 0) return;
  with_real(in.dtype(), [&]<class T>(T) {
    const NumbersIn<T> from(in);
    const NumbersOut<T> to(out);
    auto* const places = reinterpret_cast<std::int64_t*>(indices.data());
    const std::int64_t planes = planes_of(plan_of_plane(0), in);
    for (std::int64_t plane = 0; plane < planes; ++plane) {
      const PoolPlan plan = plan_of_plane(plane);
      max_of_plane(plan, from.data() + plane * plan.in_plane(), to.data() + plane * plan.out_plane(),
                   places + plane * plan.out_plane());
    }
    to.store();
  });
}

void mean_over_windows(const PoolPlan& plan, const MeanOptions& options, const Tensor& in, const Tensor& out) {
  with_real(in.dtype(), [&]<class T>(T) {
    const NumbersIn<T> from(in);
    const NumbersOut<T> to(out);
    for_each_plane(plan, planes_of(plan, in), [&](std::int64_t plane) {
      mean_of_plane(plan, options, from.data() + plane * plan.in_plane(), to.data() + plane * plan.out_plane());
    });
    to.store();
  });
}

void spread_over_windows(const PoolPlan& plan, const MeanOptions& options, const Tensor& out, const Tensor& in) {
  with_real(in.dtype(), [&]<class T>(T) {
    const NumbersIn<T> from(out);
    const NumbersOut<T> to(in);
    std::fill_n(to.data(), in.numel(), T());
    for_each_plane(plan, planes_of(plan, in), [&](std::int64_t plane) {
      spread_in_plane(plan, options, from.data() + plane * plan.out_plane(), to.data() + plane * plan.in_plane());
    });
    to.store();
  });
}

std::vector<WindowDim> PoolArguments::windows(const Dims& input) const {
  std::vector<WindowDim> made;
  for (std::size_t i = 0; i < dims; ++i) {
    const std::int64_t size = input[input.size() - dims + i];
    std::int64_t out =
        divided_down(size + 2 * padding[i] - dilation[i] * (kernel[i] - 1) - 1 + (ceil_mode ? stride[i] - 1 : 0),
                     stride[i]) +
        1;
    if (ceil_mode && (out - 1) * stride[i] >= size + padding[i]) --out;
    made.push_back({size, out, kernel[i], stride[i], padding[i], dilation[i]});
  }
  return made;
}

PyResult<PoolArguments> pool_arguments(OpCall& call, std::size_t dims, std::size_t dilation_at,
                                       std::size_t ceil_mode_at, const PoolWords& words) {
  PoolArguments made;
  made.dims = dims;
  NNS_TRY_ASSIGN(made.kernel, window_ints(call, 1, dims, words.op, words.kernel));
  made.stride = made.kernel;
  if (!call.is_none(2) && call.dims(2).size() > 0) {
    NNS_TRY_ASSIGN(made.stride, window_ints(call, 2, dims, words.op, words.stride));
  }
  NNS_TRY_ASSIGN(made.padding, window_ints(call, 3, dims, words.op, words.padding));
  made.dilation.assign(dims, 1);
  if (dilation_at != 0) {
    NNS_TRY_ASSIGN(made.dilation, window_ints(call, dilation_at, dims, words.op, words.dilation));
  }
  made.ceil_mode = call.flag(ceil_mode_at);
  return made;
}

PyResult<Dims> pooled_shape(OpCall& call, const PoolArguments& a, std::string_view caller, bool must_fit) {
  Interpreter& in = call.interpreter;
  const Dims& input = call.required(0).shape();
  const std::vector<std::int64_t> sizes = last_sizes(input, a.dims);
  std::vector<std::int64_t> made(a.dims, 0);
  for (std::size_t i = 0; i < a.dims; ++i) {
    NNS_TRY_ASSIGN(made[i],
                   pooled_size(in, sizes[i], a.kernel[i], a.padding[i], a.stride[i], a.dilation[i], a.ceil_mode));
  }
  if (any_below_one(a.kernel)) {
    return object::runtime_error(in, "kernel size should be greater than zero, but got {}", named("k", a.kernel));
  }
  if (any_below_one(a.stride)) {
    return object::runtime_error(in, "stride should be greater than zero, but got {}", named("d", a.stride));
  }
  if (any_below_one(a.dilation)) {
    return object::runtime_error(in, "dilation should be greater than zero, but got {}", named("dilation", a.dilation));
  }
  NNS_TRY(check_input_sizes(call, a.dims, caller));
  if (must_fit) {
    for (std::size_t i = 0; i < a.dims; ++i) {
      if (sizes[i] >= a.kernel[i]) continue;
      return object::runtime_error(in, "input image (T: {} H: {} W: {}) smaller than kernel size ({})", sizes[0],
                                   sizes[1], sizes[2], named("k", a.kernel));
    }
  }
  if (any_below_one(made)) {
    const std::int64_t channels = input[input.size() - a.dims - 1];
    return object::runtime_error(in,
                                 "Given input size: ({0}x{1}). Calculated output size: ({0}x{2}). Output size is too "
                                 "small",
                                 channels, fmt::join(sizes, "x"), fmt::join(made, "x"));
  }
  return with_last_sizes(input, made);
}

PyResult<void> check_1d(OpCall& call, std::string_view function) {
  const std::size_t ndim = call.required(0).ndim();
  if (ndim == 2 || ndim == 3) return {};
  return object::runtime_error(
      call.interpreter,
      "Expected 2 to 3 dimensions, but got {}-dimensional tensor for argument #1 'self' (while checking arguments for "
      "{})",
      ndim, function);
}

Term as_plane(const Tensor& input) {
  return apply(OpId::unsqueeze, {Term(Ref<Tensor>(const_cast<Tensor*>(&input))), -2});
}
Term as_line(const Term& plane) { return apply(OpId::squeeze, {plane, Value(-2)}); }
Value pair_with_one(OpCall& call, const Dims& size, std::int64_t first) {
  return dims_value(call.interpreter, Dims({first, size[0]}));
}

}  // namespace nns::ops
