#include "core/ops/convolution_call.h"
#include "core/ops/convolution_work.h"
#include "native/cuda/ops.h"

// Convolutions: by cuDNN where it is found and has a way; else products of the weight and the columns of windows, a
// part at a time so that the columns stay small.
namespace nns::cuda {
namespace {

using ops::ColumnPart;
using ops::ColumnWork;
using ops::ConvolutionShape;

// What the kernels of a convolution work on, kept until they are queued.
struct Convolution {
  Ops& ops;
  OpCall& call;
  ConvolutionShape shape;
  /// `in` is the side that windows move over.
  Ref<Tensor> in, weight, out;
  std::int64_t bytes = 4;

  /// How large the columns may be: a small share of the device's memory.
  std::int64_t column_bytes() const {
    return static_cast<std::int64_t>(ops.device().properties().totalGlobalMem) / 512;
  }
  bool in_double() const { return in->dtype() == DType::Float64; }
  /// The numbers of windows in a group.
  std::int64_t depth() const { return shape.in_channels * shape.taps(); }
  PyResult<void> multiply(const Matrices& a, const Matrices& b, const Matrices& to, std::int64_t batches,
                          double beta) const {
    return ops.raised(call.interpreter, ops.gemm().multiply(in->dtype(), a, b, to, batches, 1, beta));
  }
  std::byte* at(const Ref<Tensor>& tensor, std::int64_t item) const { return tensor->data() + item * bytes; }
};

// Runs use(sample, group, batches, samples are the batch) for products over samples and groups: one of the two is the
// batch of a product.
template <class Use>
PyResult<void> for_each_product(std::int64_t samples, std::int64_t groups, Use use) {
  if (samples >= groups) {
    for (std::int64_t group = 0; group < groups; ++group) NNS_TRY(use(0, group, samples, true));
  } else {
    for (std::int64_t sample = 0; sample < samples; ++sample) NNS_TRY(use(sample, 0, groups, false));
  }
  return {};
}

// Every channel of `to` full of its bias.
PyResult<void> fill_with_bias(const Tensor& to, const Tensor& bias) {
  tensor::Dims strides(to.ndim(), 0);
  strides[1] = bias.strides()[0];
  return tensor::copy_items(to, *tensor::as_strided(bias, to.shape(), strides, bias.offset()));
}

// Whether a window is one item, and all items have one.
bool is_pointwise(const ConvolutionShape& shape) {
  for (const ops::WindowDim& dim : shape.dims) {
    if (dim.kernel != 1 || dim.stride != 1 || dim.padding != 0 || dim.in != dim.out) return false;
  }
  return true;
}

ops::DirectConvolutionWork direct_work(const Convolution& c, const Ref<Tensor>& bias) {
  return {c.shape, numbers(c.in), numbers(c.weight), numbers(c.out), numbers(bias), c.in_double()};
}

// Columns of so many samples, places and channels, from the first of each on. Strides: to be set.
ColumnWork columns_of(const ConvolutionShape& shape, const Ref<Tensor>& in, std::byte* columns, std::int64_t sample,
                      std::int64_t samples, std::int64_t place, std::int64_t places, std::int64_t channel,
                      std::int64_t channels) {
  ColumnWork work;
  work.shape = shape;
  work.first_sample = sample;
  work.samples = samples;
  work.first_place = place;
  work.places = places;
  work.first_channel = channel;
  work.channels = channels;
  work.in = numbers(in);
  work.columns = columns;
  return work;
}

// ---------------------------------------------------------------- out = windows of in times weight

PyResult<void> correlate(const Convolution& c, const Ref<Tensor>& bias) {
  const ConvolutionShape& shape = c.shape;
  if (ops::is_direct(shape)) {
    ops::launch_correlate(direct_work(c, bias), c.ops.stream());
    return c.ops.launched(c.call.interpreter);
  }
  if (bias) NNS_TRY(fill_with_bias(*c.out, *bias));
  const double beta = bias ? 1 : 0;
  const std::int64_t depth = c.depth(), plane = shape.out_plane(), groups = shape.groups, made = shape.out_channels;
  if (depth == 0) {
    if (!bias) tensor::fill_items(*c.out, 0);
    return {};
  }
  const bool is_plain = is_pointwise(shape);
  ColumnPart part = ops::part_of_places(shape, c.bytes, c.column_bytes());
  if (is_plain) part = {shape.batch, plane, shape.in_channels};
  std::shared_ptr<std::byte> room;
  if (!is_plain) {
    const std::int64_t wanted = part.samples * groups * depth * part.places * c.bytes;
    NNS_TRY_ASSIGN(room, c.ops.room(c.call.interpreter, static_cast<std::uint64_t>(wanted)));
  }
  for (std::int64_t sample = 0; sample < shape.batch; sample += part.samples) {
    const std::int64_t samples = std::min(part.samples, shape.batch - sample);
    for (std::int64_t place = 0; place < plane; place += part.places) {
      const std::int64_t places = std::min(part.places, plane - place), columns = depth * places;
      const std::byte* at = c.in->data();
      if (!is_plain) {
        ColumnWork work = columns_of(shape, c.in, room.get(), sample, samples, place, places, 0, shape.in_channels);
        work.sample_stride = groups * columns;
        work.group_stride = columns;
        work.row_stride = places;
        ops::launch_to_columns(work, c.ops.stream());
        at = room.get();
      }
      NNS_TRY(for_each_product(
          samples, groups, [&](std::int64_t own, std::int64_t group, std::int64_t batches, bool over_samples) {
            const Matrices a{c.at(c.weight, group * made * depth), made, depth, depth, 1,
                             over_samples ? 0 : made * depth};
            const Matrices b{const_cast<std::byte*>(at) + (own * groups + group) * columns * c.bytes,
                             depth,
                             places,
                             places,
                             1,
                             over_samples ? groups * columns : columns};
            const Matrices to{c.at(c.out, ((sample + own) * groups + group) * made * plane + place),
                              made,
                              places,
                              plane,
                              1,
                              over_samples ? groups * made * plane : made * plane};
            return c.multiply(a, b, to, batches, beta);
          }));
    }
  }
  return c.ops.launched(c.call.interpreter);
}

// ---------------------------------------------------------------- in = what each item of out adds to its window

PyResult<void> correlate_adjoint(const Convolution& c, const Ref<Tensor>& bias) {
  const ConvolutionShape& shape = c.shape;
  if (ops::is_direct(shape)) {
    ops::launch_correlate_adjoint(direct_work(c, bias), c.ops.stream());
    return c.ops.launched(c.call.interpreter);
  }
  const std::int64_t groups = shape.groups, plane = shape.out_plane(), taps = shape.taps(), made = shape.out_channels;
  if (made == 0) {
    if (bias) return fill_with_bias(*c.in, *bias);
    tensor::fill_items(*c.in, 0);
    return {};
  }
  const ColumnPart part = ops::part_of_channels(shape, c.bytes, c.column_bytes(), kMostItems);
  const std::int64_t wanted = part.samples * groups * part.channels * taps * plane * c.bytes;
  NNS_TRY_ASSIGN(const std::shared_ptr<std::byte> room,
                 c.ops.room(c.call.interpreter, static_cast<std::uint64_t>(wanted)));
  for (std::int64_t sample = 0; sample < shape.batch; sample += part.samples) {
    const std::int64_t samples = std::min(part.samples, shape.batch - sample);
    for (std::int64_t channel = 0; channel < shape.in_channels; channel += part.channels) {
      const std::int64_t channels = std::min(part.channels, shape.in_channels - channel);
      const std::int64_t rows = channels * taps, columns = rows * plane;
      NNS_TRY(for_each_product(samples, groups,
                               [&](std::int64_t own, std::int64_t group, std::int64_t batches, bool over_samples) {
                                 const Matrices a{c.at(c.weight, group * made * c.depth() + channel * taps),
                                                  rows,
                                                  made,
                                                  1,
                                                  c.depth(),
                                                  over_samples ? 0 : made * c.depth()};
                                 const Matrices b{c.at(c.out, ((sample + own) * groups + group) * made * plane),
                                                  made,
                                                  plane,
                                                  plane,
                                                  1,
                                                  over_samples ? groups * made * plane : made * plane};
                                 const Matrices to{room.get() + (own * groups + group) * columns * c.bytes,
                                                   rows,
                                                   plane,
                                                   plane,
                                                   1,
                                                   over_samples ? groups * columns : columns};
                                 return c.multiply(a, b, to, batches, 0);
                               }));
      ColumnWork work = columns_of(shape, c.in, room.get(), sample, samples, 0, plane, channel, channels);
      work.sample_stride = groups * columns;
      work.group_stride = columns;
      work.row_stride = plane;
      work.bias = numbers(bias);
      work.in_double = c.in_double();
      ops::launch_from_columns(work, c.ops.stream());
    }
  }
  return c.ops.launched(c.call.interpreter);
}

// ---------------------------------------------------------------- weight = windows of in times out, over all places

PyResult<void> correlate_weight(const Convolution& c) {
  const ConvolutionShape& shape = c.shape;
  if (ops::is_direct(shape)) {
    ops::launch_correlate_weight(direct_work(c, {}), c.ops.stream());
    return c.ops.launched(c.call.interpreter);
  }
  const std::int64_t groups = shape.groups, depth = c.depth(), plane = shape.out_plane(), made = shape.out_channels;
  const ColumnPart part = ops::part_of_places(shape, c.bytes, c.column_bytes());
  const std::int64_t sample_parts = (shape.batch + part.samples - 1) / part.samples;
  const std::int64_t place_parts = (plane + part.places - 1) / part.places;
  const std::int64_t number = sample_parts * place_parts, weights = c.weight->numel();
  const std::int64_t width = part.samples * part.places;
  object::Interpreter& in = c.call.interpreter;
  NNS_TRY_ASSIGN(const std::shared_ptr<std::byte> room,
                 c.ops.room(in, static_cast<std::uint64_t>(groups * depth * width * c.bytes)));
  NNS_TRY_ASSIGN(const std::shared_ptr<std::byte> turned,
                 c.ops.room(in, static_cast<std::uint64_t>(groups * made * width * c.bytes)));
  std::shared_ptr<std::byte> sums;
  if (number > 1) {
    NNS_TRY_ASSIGN(sums, c.ops.room(in, static_cast<std::uint64_t>(number * weights * c.bytes)));
  }
  // `out` as columns of windows of one item: its channels by samples and places.
  ConvolutionShape of_out{shape.batch, groups, made, 0, {}};
  for (std::size_t i = 0; i < 3; ++i) of_out.dims[i] = {shape.dims[i].out, shape.dims[i].out, 1, 1, 0, 1};
  std::int64_t done = 0;
  for (std::int64_t sample = 0; sample < shape.batch; sample += part.samples) {
    const std::int64_t samples = std::min(part.samples, shape.batch - sample);
    for (std::int64_t place = 0; place < plane; place += part.places, ++done) {
      const std::int64_t places = std::min(part.places, plane - place), columns = samples * places;
      const auto gather = [&](const ConvolutionShape& of, const Ref<Tensor>& from, std::byte* to, std::int64_t rows) {
        ColumnWork work = columns_of(of, from, to, sample, samples, place, places, 0, of.in_channels);
        work.sample_stride = places;
        work.group_stride = rows * columns;
        work.row_stride = columns;
        ops::launch_to_columns(work, c.ops.stream());
      };
      gather(shape, c.in, room.get(), depth);
      gather(of_out, c.out, turned.get(), made);
      const Matrices a{turned.get(), made, columns, columns, 1, made * columns};
      const Matrices b{room.get(), columns, depth, 1, columns, depth * columns};
      const Matrices to{
          number > 1 ? sums.get() + done * weights * c.bytes : c.weight->data(), made, depth, depth, 1, made * depth};
      NNS_TRY(c.multiply(a, b, to, groups, 0));
    }
  }
  if (number > 1) {
    const ops::DeviceNumbers parts{sums.get(), c.weight->dtype(), c.bytes};
    ops::launch_part_sum({parts, numbers(c.weight), weights, number, c.in_double()}, c.ops.stream());
  }
  return c.ops.launched(in);
}

// ---------------------------------------------------------------- cuDNN

// Whether cuDNN is asked. What it is not asked: 2^31 items and more, which only some of its engines can count; groups
// of one channel, for most of which it has nothing but its plainest engine (PyTorch, too, has kernels of its own
// there); a product of matrices without columns, which cuBLASLt gives in less time as long as its rows are aligned.
bool suits_cudnn(const ConvolutionShape& shape, DType dtype, ConvolutionResult result) {
  const std::int64_t in = shape.batch * shape.groups * shape.in_channels * shape.in_plane();
  const std::int64_t out = shape.batch * shape.groups * shape.out_channels * shape.out_plane();
  const std::int64_t weights = shape.groups * shape.out_channels * shape.in_channels * shape.taps();
  if (std::max({in, out, weights}) > kMostItems) return false;
  if (ops::is_direct(shape) && shape.in_channels == 1) return false;
  const bool is_product = result == ConvolutionResult::Out && shape.groups == 1 && is_pointwise(shape);
  return !(is_product && tensor::item_bytes(dtype) == 2 && shape.out_plane() % 8 == 0);
}

// Computes it by cuDNN, without the bias. False: it is to be computed here.
bool try_cudnn(const Convolution& c, ConvolutionResult result) {
  const DType dtype = c.in->dtype();
  return suits_cudnn(c.shape, dtype, result) &&
         c.ops.cudnn().compute({result, dtype, c.shape, c.in->data(), c.weight->data(), c.out->data()},
                               ops::OpLibrary::of(c.call.interpreter).cudnn);
}

// A plane of all groups must be countable in 32 bits, a part of it in what a kernel counts.
bool fits(const ConvolutionShape& shape) {
  const std::int64_t in = shape.groups * shape.in_channels * shape.in_plane();
  const std::int64_t out = shape.groups * shape.out_channels * shape.out_plane();
  if (ops::is_direct(shape)) return shape.batch * std::max(in, out) <= kMostItems;
  return shape.groups * shape.in_plane() <= kMostItems &&
         shape.groups * shape.taps() * shape.out_plane() <= kMostItems &&
         shape.groups * shape.in_channels * shape.taps() <= kMostItems;
}

}  // namespace

// input 0, weight 1, bias 2, then the settings; 6: transposed.
PyResult<void> run_convolution(Ops& ops, OpCall& call) {
  if (!has_floats(call.required(0))) return ops.run_on_host(call);
  if (call.output().numel() == 0) return {};
  NNS_TRY_ASSIGN(const ConvolutionShape shape, ops::convolution_of(call));
  NNS_TRY_ASSIGN(Ref<Tensor> input, ops.dense(call.required(0)));
  NNS_TRY_ASSIGN(Ref<Tensor> weight, ops.dense(call.required(1)));
  NNS_TRY_ASSIGN(const Ref<Tensor> bias, ops.dense_or_none(call.tensor(2)));
  const bool is_transposed = call.flag(6);
  Ref<Tensor> out(&call.output());
  const std::int64_t bytes = tensor::item_bytes(out->dtype());
  if (is_transposed) std::swap(input, out);
  const Convolution convolution{ops, call, shape, std::move(input), std::move(weight), std::move(out), bytes};
  if (try_cudnn(convolution, is_transposed ? ConvolutionResult::In : ConvolutionResult::Out)) {
    const Tensor& made = call.output();
    if (bias) {
      const std::int64_t samples = made.shape()[0], channels = made.shape()[1];
      ops::launch_channel_bias({numbers(made), numbers(bias), samples, channels, made.numel() / (samples * channels),
                                convolution.in_double()},
                               ops.stream());
    }
    return ops.launched(call.interpreter);
  }
  if (!fits(shape)) return ops.run_on_host(call);
  return is_transposed ? correlate_adjoint(convolution, bias) : correlate(convolution, bias);
}

// grad_output 0, input 1, then the settings; 6: transposed.
PyResult<void> run_convolution_weight_gradient(Ops& ops, OpCall& call) {
  if (!has_floats(call.required(0))) return ops.run_on_host(call);
  if (call.output().numel() == 0) return {};
  if (call.required(0).numel() == 0 || call.required(1).numel() == 0) {
    tensor::fill_items(call.output(), 0);
    return {};
  }
  NNS_TRY_ASSIGN(const ConvolutionShape shape, ops::weight_gradient_of(call));
  NNS_TRY_ASSIGN(Ref<Tensor> out, ops.dense(call.required(0)));
  NNS_TRY_ASSIGN(Ref<Tensor> input, ops.dense(call.required(1)));
  const std::int64_t bytes = tensor::item_bytes(out->dtype());
  if (call.flag(6)) std::swap(input, out);
  const Convolution convolution{ops, call, shape, std::move(input), Ref<Tensor>(&call.output()), std::move(out), bytes};
  if (try_cudnn(convolution, ConvolutionResult::Weight)) return ops.launched(call.interpreter);
  if (!fits(shape)) return ops.run_on_host(call);
  return correlate_weight(convolution);
}

}  // namespace nns::cuda
