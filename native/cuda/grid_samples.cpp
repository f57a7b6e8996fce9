#include <algorithm>

#include "core/ops/grid_work.h"
#include "native/cuda/sortings.h"

// Items of images at the places of a grid: arguments of the kernels from those of the call. The rules are those of
// core/ops/grid_sampling.cpp.
namespace nns::cuda {
namespace {

ops::GridWork grid_work(const OpCall& call, const Tensor& image, const Tensor& grid, std::size_t settings) {
  ops::GridWork work;
  work.settings = {static_cast<ops::grid_reads::Between>(call.integer(settings)),
                   static_cast<ops::grid_reads::Outside>(call.integer(settings + 1)), call.flag(settings + 2)};
  const std::size_t dims = image.ndim() - 2;
  work.dims = static_cast<std::int32_t>(dims);
  work.samples = image.shape()[0];
  work.channels = image.shape()[1];
  work.places = 1;
  for (std::size_t i = 0; i < dims; ++i) {
    work.size[3 - dims + i] = image.shape()[i + 2];
    work.places *= grid.shape()[i + 1];
  }
  work.image = numbers(image);
  work.grid = numbers(grid);
  work.in_double = image.dtype() == DType::Float64;
  return work;
}

}  // namespace

// input 0, grid 1, interpolation_mode 2, padding_mode 3, align_corners 4.
PyResult<void> run_grid_sampler(Ops& ops, OpCall& call) {
  if (!has_floats(call.required(0))) return ops.run_on_host(call);
  NNS_TRY_ASSIGN(const Ref<Tensor> image, ops.dense(call.required(0)));
  NNS_TRY_ASSIGN(const Ref<Tensor> grid, ops.dense(call.required(1)));
  ops::GridWork work = grid_work(call, *image, *grid, 2);
  work.out = numbers(call.output());
  ops::launch_grid_samples(work, ops.stream());
  return ops.launched(call.interpreter);
}

// grad_output 0, input 1, grid 2, interpolation_mode 3, padding_mode 4, align_corners 5.
PyResult<void> run_grid_sampler_backward(Ops& ops, OpCall& call) {
  constexpr std::int64_t kRoomOfReads = std::int64_t{1} << 29U;
  const Tensor &image_grad = call.output(0), &grid_grad = call.output(1);
  if (!has_floats(call.required(1))) return ops.run_on_host(call);
  NNS_TRY_ASSIGN(const Ref<Tensor> grad, ops.dense(call.required(0)));
  NNS_TRY_ASSIGN(const Ref<Tensor> image, ops.dense(call.required(1)));
  NNS_TRY_ASSIGN(const Ref<Tensor> grid, ops.dense(call.required(2)));
  ops::GridWork work = grid_work(call, *image, *grid, 3);
  const std::int64_t reads = work.reads(), samples = work.samples;
  if (reads >= ops::kLongestSortedLine || work.plane() >= ops::kLongestSortedLine) return ops.run_on_host(call);
  if (samples * work.channels == 0 || work.places == 0) {
    if (image_grad.numel() > 0) tensor::fill_items(image_grad, 0);
    if (grid_grad.numel() > 0) tensor::fill_items(grid_grad, 0);
    return {};
  }
  work.grad = numbers(grad);
  work.image_grad = numbers(image_grad);
  work.grid_grad = numbers(grid_grad);
  const std::int64_t weight_bytes = work.in_double ? 8 : 4, item_bytes = 4;
  const std::int64_t together = std::max<std::int64_t>(kRoomOfReads / (reads * (weight_bytes + item_bytes + 16)), 1);
  for (std::int64_t first = 0; first < samples; first += together) {
    work.first_sample = first;
    work.samples = std::min(together, samples - first);
    const std::int64_t count = work.samples * reads;
    NNS_TRY_ASSIGN(const std::shared_ptr<std::byte> memory,
                   ops.room(call.interpreter, static_cast<std::uint64_t>(count * (weight_bytes + item_bytes))));
    work.weights = memory.get();
    work.items = reinterpret_cast<std::uint32_t*>(memory.get() + count * weight_bytes);
    ops::launch_grid_gradient(work, ops.stream());
    // What reads an item, together and in order.
    ops::SortWork sorting;
    sorting.lines.lines.add(work.samples, {reads * item_bytes, 0, 0});
    sorting.lines.length = sorting.count = reads;
    sorting.lines.in_stride = item_bytes;
    sorting.lines.in = reinterpret_cast<const std::byte*>(work.items);
    sorting.lines.line_count = work.samples;
    NNS_TRY_ASSIGN(const Sorted sorted, sort(ops, call.interpreter, sorting, true));
    work.sorted = sorted.pairs;
    ops::launch_image_gradient(work, ops.stream());
    NNS_TRY(ops.launched(call.interpreter));
  }
  return {};
}

}  // namespace nns::cuda
