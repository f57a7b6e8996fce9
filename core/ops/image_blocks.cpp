#include <algorithm>

#include "core/ops/convolution_kernels.h"
#include "core/ops/errors.h"
#include "core/ops/layouts.h"
#include "core/ops/node.h"
#include "core/ops/plain_numbers.h"
#include "core/ops/term.h"

// Blocks of images as columns and back, and channels as pixels and back.
// Behaviour: aten/src/ATen/native/{Im2Col,Col2Im,PixelShuffle,ChanelShuffle}.cpp and im2col_shape_check.h.
namespace nns::ops {
namespace {

struct Blocks {
  std::array<std::int64_t, 2> kernel, dilation, padding, stride;

  // How many there are along dimension `i` of size `size`.
  std::int64_t count(std::size_t i, std::int64_t size) const {
    return (size + 2 * padding[i] - dilation[i] * (kernel[i] - 1) - 1) / stride[i] + 1;
  }
  std::int64_t items() const { return kernel[0] * kernel[1]; }
};

// The four pairs from parameter `first` on.
Blocks blocks_of(OpCall& call, std::size_t first) {
  Blocks blocks{};
  std::array<std::int64_t, 2>* const into[] = {&blocks.kernel, &blocks.dilation, &blocks.padding, &blocks.stride};
  for (std::size_t i = 0; i < 4; ++i) {
    const Dims given = call.dims(first + i);
    *into[i] = {given[0], given[given.size() - 1]};
  }
  return blocks;
}

PyResult<void> check_blocks(OpCall& call, std::size_t first) {
  for (std::size_t i = 0; i < first + 4; ++i) {
    if (call.op.parameters[i].type != ParameterType::Ints || call.dims(i).size() == 2) continue;
    return object::runtime_error(call.interpreter, "It is expected {} equals to 2, but got size {}",
                                 call.op.parameters[i].name, call.dims(i).size());
  }
  const Blocks b = blocks_of(call, first);
  const struct {
    std::string_view what, name;
    const std::array<std::int64_t, 2>& pair;
    std::int64_t least;
  } checks[] = {{"kernel size should be greater than zero", "kernel", b.kernel, 1},
                {"dilation should be greater than zero", "dilation", b.dilation, 1},
                {"padding should be non-negative", "pad", b.padding, 0},
                {"stride should be greater than zero", "stride", b.stride, 1}};
  for (const auto& check : checks) {
    if (check.pair[0] >= check.least && check.pair[1] >= check.least) continue;
    return object::runtime_error(call.interpreter, "{}, but got {}_height: {} {}_width: {}", check.what, check.name,
                                 check.pair[0], check.name, check.pair[1]);
  }
  return {};
}

std::string pair_text(const std::array<std::int64_t, 2>& pair) { return fmt::format("({}, {})", pair[0], pair[1]); }

PyResult<void> im2col_shape(OpCall& call) {
  NNS_TRY(check_blocks(call, 1));
  const Blocks b = blocks_of(call, 1);
  const Dims& input = call.required(0).shape();
  if (input.size() != 3 && input.size() != 4) {
    if (input.size() < 3) NNS_TRY(call.dimension(2, input.size()));
  }
  bool is_valid = input.size() == 3 || input.size() == 4;
  for (std::size_t i = input.size() == 4 ? 1 : 0; is_valid && i < input.size(); ++i) is_valid = input[i] != 0;
  if (!is_valid) {
    return object::runtime_error(call.interpreter,
                                 "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero "
                                 "dimensions for input, but got: {}",
                                 shape_text(input));
  }
  const std::array<std::int64_t, 2> size{input[input.size() - 2], input[input.size() - 1]};
  const std::array<std::int64_t, 2> counts{b.count(0, size[0]), b.count(1, size[1])};
  if (counts[0] < 1 || counts[1] < 1 || size[0] + 2 * b.padding[0] < b.dilation[0] * (b.kernel[0] - 1) + 1 ||
      size[1] + 2 * b.padding[1] < b.dilation[1] * (b.kernel[1] - 1) + 1) {
    return object::runtime_error(
        call.interpreter,
        "Given input with spatial size {}, kernel_size={}, dilation={}, padding={}, calculated shape of the array of "
        "sliding blocks as {}, but its components must be at least one.",
        pair_text(size), pair_text(b.kernel), pair_text(b.dilation), pair_text(b.padding), pair_text(counts));
  }
  const std::int64_t rows = input[input.size() - 3] * b.items();
  const std::int64_t columns = counts[0] * counts[1];
  return call.give(input.size() == 4 ? Dims({input[0], rows, columns}) : Dims({rows, columns}),
                   call.required(0).dtype());
}

PyResult<void> col2im_shape(OpCall& call) {
  NNS_TRY(check_blocks(call, 2));
  const Blocks b = blocks_of(call, 2);
  const Dims& input = call.required(0).shape();
  const Dims size = call.dims(1);
  bool is_valid = input.size() == 2 || input.size() == 3;
  for (std::size_t i = input.size() == 3 ? 1 : 0; is_valid && i < input.size(); ++i) is_valid = input[i] != 0;
  if (!is_valid) {
    return object::runtime_error(call.interpreter,
                                 "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and "
                                 "non-zero dimensions for input, but got: {}",
                                 shape_text(input));
  }
  const std::size_t row_dim = input.size() - 2;
  if (input[row_dim] % b.items() != 0) {
    return object::runtime_error(
        call.interpreter,
        "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got input.size(1)={} "
        "and kernel_size={}.",
        input[row_dim], pair_text(b.kernel));
  }
  const std::array<std::int64_t, 2> counts{b.count(0, size[0]), b.count(1, size[1])};
  if (input[row_dim + 1] != counts[0] * counts[1]) {
    return object::runtime_error(
        call.interpreter,
        "Given output_size={}, kernel_size={}, dilation={}, padding={}, stride={}, expected size of input's dimension "
        "2 "
        "to match the calculated number of sliding blocks {} * {} = {}, but got input.size(2)={}.",
        pair_text({size[0], size[1]}), pair_text(b.kernel), pair_text(b.dilation), pair_text(b.padding),
        pair_text(b.stride), counts[0], counts[1], counts[0] * counts[1], input[row_dim + 1]);
  }
  if (counts[0] < 1 || counts[1] < 1) {
    return object::runtime_error(
        call.interpreter,
        "Given output_size={}, kernel_size={}, dilation={}, padding={}, stride={}, calculated shape of the array of "
        "sliding blocks as {}, which is too small (non-positive)",
        pair_text({size[0], size[1]}), pair_text(b.kernel), pair_text(b.dilation), pair_text(b.padding),
        pair_text(b.stride), pair_text(counts));
  }
  if (size[0] < 1 || size[1] < 1) {
    return object::runtime_error(call.interpreter,
                                 "output size should be greater than zero, but got output_height: {} output_width: {}",
                                 size[0], size[1]);
  }
  const std::int64_t channels = input[row_dim] / b.items();
  return call.give(
      input.size() == 3 ? Dims({input[0], channels, size[0], size[1]}) : Dims({channels, size[0], size[1]}),
      call.required(0).dtype());
}

// Errors: NotImplementedError  torch has no kernel for the dtype.
PyResult<void> check_implemented(OpCall& call, std::string_view kernel) {
  const DType dtype = call.required(0).dtype();
  if (dtype == DType::Bool) return {};
  if (!tensor::is_integral(dtype) && tensor::item_bytes(dtype) > 1) return {};
  return not_implemented_for(call.interpreter, kernel, dtype);
}

// Calls use(item of the image, item of the columns) for all that lie inside. `image` may have a batch in front.
template <class Use>
void for_each_block_item(const Blocks& b, const Dims& image, Use use) {
  const std::int64_t height = image[image.size() - 2];
  const std::int64_t width = image[image.size() - 1];
  const std::int64_t planes = tensor::element_count(image) / (height * width);
  const WindowDim rows{height, b.count(0, height), b.kernel[0], b.stride[0], b.padding[0], b.dilation[0]};
  const WindowDim columns{width, b.count(1, width), b.kernel[1], b.stride[1], b.padding[1], b.dilation[1]};
  std::int64_t at = 0;
  for (std::int64_t plane = 0; plane < planes; ++plane) {
    for (std::int64_t tap = 0; tap < b.items(); ++tap) {
      for (std::int64_t i = 0; i < rows.out; ++i) {
        const std::int64_t y = rows.place(i, tap / b.kernel[1]);
        for (std::int64_t j = 0; j < columns.out; ++j, ++at) {
          const std::int64_t x = columns.place(j, tap % b.kernel[1]);
          if (y >= 0 && y < height && x >= 0 && x < width) use((plane * height + y) * width + x, at);
        }
      }
    }
  }
}

PyResult<void> run_im2col(OpCall& call) {
  NNS_TRY(check_implemented(call, "im2col_out_cpu"));
  const Tensor& out = call.output();
  if (out.numel() == 0) return {};
  with_any_number(out.dtype(), [&]<class T>(T) {
    const NumbersIn<T> from(call.required(0));
    const NumbersOut<T> to(out);
    std::fill_n(to.data(), out.numel(), T());
    for_each_block_item(blocks_of(call, 1), call.required(0).shape(),
                        [&](std::int64_t image, std::int64_t column) { to.data()[column] = from.data()[image]; });
    to.store();
  });
  return {};
}
PyResult<void> run_col2im(OpCall& call) {
  NNS_TRY(check_implemented(call, "col2im_out_cpu"));
  const Tensor& out = call.output();
  if (out.numel() == 0) return {};
  with_any_number(out.dtype(), [&]<class T>(T) {
    const NumbersIn<T> from(call.required(0));
    const NumbersOut<T> to(out);
    std::fill_n(to.data(), out.numel(), T());
    for_each_block_item(blocks_of(call, 2), out.shape(), [&](std::int64_t image, std::int64_t column) {
      to.data()[image] = wrapping_add(to.data()[image], from.data()[column]);
    });
    to.store();
  });
  return {};
}

// ---------------------------------------------------------------- shuffles

// Views `shape` as its leading dimensions and `middle`, orders the dimensions behind the leading ones, and joins them.
Term rearranged(const Term& x, std::size_t leading, const Dims& middle, std::initializer_list<std::int64_t> order,
                const Dims& joined) {
  Interpreter& in = x.tensor().interpreter();
  const Dims shape = x.tensor().shape();
  const auto with_leading = [&](const Dims& rest) {
    std::vector<std::int64_t> sizes(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(leading));
    sizes.insert(sizes.end(), rest.begin(), rest.end());
    return dims_value(in, Dims(sizes));
  };
  std::vector<std::int64_t> dims;
  for (std::size_t i = 0; i < leading; ++i) dims.push_back(static_cast<std::int64_t>(i));
  for (const std::int64_t one : order) dims.push_back(static_cast<std::int64_t>(leading) + one);
  const Term split = apply(OpId::reshape, {x, with_leading(middle)});
  const Term made =
      apply(OpId::reshape, {apply(OpId::permute, {split, dims_value(in, Dims(dims))}), with_leading(joined)});
  const MemoryFormat format = suggested_format(x.tensor());
  return format == MemoryFormat::Contiguous ? made : apply(OpId::clone, {made, format_value(in, format)});
}

// What both shuffles of pixels ask of their input and of the factor, which is called `factor_name`.
PyResult<void> check_factor(const OpCall& call, std::string_view factor_name) {
  const std::size_t n = call.required(0).ndim();
  if (n < 3) {
    return object::runtime_error(call.interpreter,
                                 "{} expects input to have at least 3 dimensions, but got input with {} dimension(s)",
                                 call.op.name, n);
  }
  if (call.integer(1) > 0) return {};
  return object::runtime_error(call.interpreter, "{} expects a positive {}, but got {}", call.op.name, factor_name,
                               call.integer(1));
}

PyResult<Value> pixel_shuffle(OpCall& call) {
  const Dims& shape = call.required(0).shape();
  const std::int64_t factor = call.integer(1);
  const std::size_t n = shape.size();
  NNS_TRY(check_factor(call, "upscale_factor"));
  if (shape[n - 3] % (factor * factor) != 0) {
    return object::runtime_error(call.interpreter,
                                 "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square "
                                 "of upscale_factor, but input.size(-3)={} is not divisible by {}",
                                 shape[n - 3], factor * factor);
  }
  const std::int64_t channels = shape[n - 3] / (factor * factor);
  return value_of(rearranged(Term(Ref<Tensor>(call.tensor(0))), n - 3,
                             Dims({channels, factor, factor, shape[n - 2], shape[n - 1]}), {0, 3, 1, 4, 2},
                             Dims({channels, shape[n - 2] * factor, shape[n - 1] * factor})));
}

PyResult<Value> pixel_unshuffle(OpCall& call) {
  const Dims& shape = call.required(0).shape();
  const std::int64_t factor = call.integer(1);
  const std::size_t n = shape.size();
  NNS_TRY(check_factor(call, "downscale_factor"));
  for (const std::size_t back : {std::size_t{2}, std::size_t{1}}) {
    if (shape[n - back] % factor == 0) continue;
    return object::runtime_error(
        call.interpreter,
        "pixel_unshuffle expects {} to be divisible by downscale_factor, but input.size(-{})={} is not divisible by {}",
        back == 2 ? "height" : "width", back, shape[n - back], factor);
  }
  const std::int64_t height = shape[n - 2] / factor;
  const std::int64_t width = shape[n - 1] / factor;
  return value_of(rearranged(Term(Ref<Tensor>(call.tensor(0))), n - 3,
                             Dims({shape[n - 3], height, factor, width, factor}), {0, 2, 4, 1, 3},
                             Dims({shape[n - 3] * factor * factor, height, width})));
}

PyResult<Value> channel_shuffle(OpCall& call) {
  const Dims& shape = call.required(0).shape();
  const std::int64_t groups = call.integer(1);
  if (shape.size() <= 2) {
    return object::runtime_error(call.interpreter,
                                 "channel_shuffle expects input with > 2 dims, but got input with sizes {}",
                                 shape_text(shape));
  }
  if (groups <= 0) {
    return object::runtime_error(call.interpreter,
                                 "Number of groups to divide channels in must be positive. Value of groups:{}", groups);
  }
  if (shape[1] % groups != 0) {
    return object::runtime_error(call.interpreter,
                                 "Number of channels must be divisible by groups. Got {} channels and {} groups.",
                                 shape[1], groups);
  }
  std::vector<std::int64_t> rest(shape.begin() + 2, shape.end());
  const std::int64_t items = tensor::element_count(Dims(rest));
  const Term shuffled = rearranged(Term(Ref<Tensor>(call.tensor(0))), 1, Dims({groups, shape[1] / groups, items}),
                                   {1, 0, 2}, Dims({shape[1], items}));
  return value_of(apply(OpId::reshape, {shuffled, dims_value(call.interpreter, shape)}));
}

}  // namespace

template <>
OpBodies bodies<OpId::im2col>() {
  return {.shape = im2col_shape,
          .cpu = run_im2col,
          .gradients = {Gradient{0, 0,
                                 [](Backward& b) {
                                   const Dims& shape = b.input(0).shape;
                                   const Dims size(shape.span().last(2));
                                   return apply(OpId::col2im, {b.grad(), dims_value(b.interpreter(), size),
                                                               TermArgument(b.value(1)), TermArgument(b.value(2)),
                                                               TermArgument(b.value(3)), TermArgument(b.value(4))});
                                 }}},
          .node_name = "Im2ColBackward0"};
}
template <>
OpBodies bodies<OpId::col2im>() {
  return {.shape = col2im_shape,
          .cpu = run_col2im,
          .gradients = {Gradient{0, 0,
                                 [](Backward& b) {
                                   return apply(OpId::im2col,
                                                {b.grad(), TermArgument(b.value(2)), TermArgument(b.value(3)),
                                                 TermArgument(b.value(4)), TermArgument(b.value(5))});
                                 }}},
          .node_name = "Col2ImBackward0"};
}
template <>
OpBodies bodies<OpId::pixel_shuffle>() {
  return {.composite = pixel_shuffle};
}
template <>
OpBodies bodies<OpId::pixel_unshuffle>() {
  return {.composite = pixel_unshuffle};
}
template <>
OpBodies bodies<OpId::channel_shuffle>() {
  return {.composite = channel_shuffle};
}

}  // namespace nns::ops
