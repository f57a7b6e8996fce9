#include <algorithm>
#include <limits>
#include <utility>

#include "native/cuda/sortings.h"

// Sorted lines and items by their rank: arguments of the kernels from those of the call. The rules are those of
// core/ops/sorting.cpp and order_statistics.cpp.
namespace nns::cuda {
namespace {

using ops::SortedLines;
using ops::SortPairs;
using ops::SortWork;

// Lines are worked on in groups whose pairs need no more than this.
constexpr std::int64_t kMostRoom = std::int64_t{1} << 30U;

// The lines of `in` along `dim`; `values` and `places` have the same dimensions, or all but that one. False: no kernel
// takes them.
bool set_lines(SortedLines& lines, const Tensor& in, std::size_t dim, const Tensor& values, const Tensor& places) {
  const std::int64_t bytes = tensor::item_bytes(in.dtype());
  constexpr std::int64_t kPlaceBytes = 8;
  const bool has_dim = values.ndim() == in.ndim();
  for (std::size_t i = in.ndim(); i-- > 0;) {
    if (i == dim) continue;
    const std::size_t at = has_dim || i < dim ? i : i - 1;
    const std::int64_t strides[3] = {in.strides()[i] * bytes, values.strides()[at] * bytes,
                                     places.strides()[at] * kPlaceBytes};
    if (!lines.lines.add(in.shape()[i], strides)) return false;
  }
  const bool is_item = in.ndim() == 0;
  lines.length = is_item ? 1 : in.shape()[dim];
  lines.in_stride = is_item ? 0 : in.strides()[dim] * bytes;
  lines.value_stride = is_item || !has_dim ? 0 : values.strides()[dim] * bytes;
  lines.place_stride = is_item || !has_dim ? 0 : places.strides()[dim] * kPlaceBytes;
  lines.in = in.data();
  lines.values = values.data();
  lines.places = places.data();
  lines.item_bytes = static_cast<std::int32_t>(bytes);
  lines.lies_across = lines.lines.dims > 0 && lines.lines.dim[0].strides[0] < lines.in_stride;
  return lines.length < ops::kLongestSortedLine;
}

// Calls use(lines) for groups of lines that need `line_bytes` each.
template <class Use>
PyResult<void> for_each_group(SortedLines lines, std::int64_t line_bytes, Use use) {
  const std::int64_t together = std::max<std::int64_t>(kMostRoom / std::max<std::int64_t>(line_bytes, 1), 1);
  for (lines.first_line = 0; lines.first_line < lines.lines.count; lines.first_line += together) {
    lines.line_count = std::min(together, lines.lines.count - lines.first_line);
    NNS_TRY(use(lines));
  }
  return {};
}

}  // namespace

PyResult<Sorted> sort(Ops& ops, object::Interpreter& in, SortWork work, bool keeps_pairs) {
  Sorted made;
  if (work.count <= ops::kSortTile && !keeps_pairs) {
    ops::launch_sort_tiles(work, ops.stream());
    NNS_TRY(ops.launched(in));
    return made;
  }
  const std::int64_t pairs = work.lines.line_count * work.count, key = ops::key_bytes(work.lines.keys);
  NNS_TRY_ASSIGN(made.memory, ops.room(in, static_cast<std::uint64_t>(2 * pairs * ops::pair_bytes(work.lines.keys))));
  SortPairs halves[2];
  for (std::int64_t i = 0; i < 2; ++i) {
    halves[i].keys = made.memory.get() + i * pairs * key;
    halves[i].places = reinterpret_cast<std::uint32_t*>(made.memory.get() + 2 * pairs * key) + i * pairs;
    halves[i].stride = work.count;
  }
  std::size_t side = 0;
  work.to = halves[side];
  ops::launch_sort_tiles(work, ops.stream());
  for (std::int64_t run = ops::kSortTile; run < work.count; run *= 2) {
    work.from = halves[side];
    side = 1 - side;
    work.to = 2 * run >= work.count && !keeps_pairs ? SortPairs() : halves[side];
    ops::launch_sort_merge(work, run, ops.stream());
  }
  NNS_TRY(ops.launched(in));
  made.pairs = halves[side];
  return made;
}

namespace {

// All of each line or its first items, in order.
PyResult<void> give_sorted(Ops& ops, OpCall& call, const SortedLines& all, std::int64_t taken) {
  const std::int64_t room = all.length <= ops::kSortTile ? 0 : 2 * all.length * ops::pair_bytes(all.keys);
  return for_each_group(all, room, [&](const SortedLines& lines) -> PyResult<void> {
    NNS_TRY(sort(ops, call.interpreter, {.lines = lines, .count = lines.length, .taken = taken}, false));
    return {};
  });
}

// Memory of a selection: what holds it.
PyResult<std::shared_ptr<std::byte>> select(Ops& ops, object::Interpreter& in, ops::SelectWork& work,
                                            std::int64_t kept) {
  constexpr std::int64_t kLeastPart = 4096, kMostParts = 512, kThreads = 256, kBins = 256;
  const std::int64_t lines = work.lines.line_count, length = work.lines.length;
  const std::int64_t wanted = ops.device().properties().multiProcessorCount * std::int64_t{8} / lines;
  const std::int64_t parts =
      std::clamp<std::int64_t>(std::min(wanted, (length + kLeastPart - 1) / kLeastPart), 1, kMostParts);
  work.part_items = ((length + parts - 1) / parts + kThreads - 1) / kThreads * kThreads;
  work.parts = (length + work.part_items - 1) / work.part_items;
  const auto states = static_cast<std::int64_t>(sizeof(ops::SelectWork::State)) * lines;
  const std::int64_t counts = 16 * lines * work.parts, histogram = 4 * kBins * lines;
  const std::int64_t keys = ops::key_bytes(work.lines.keys) * lines * kept;
  NNS_TRY_ASSIGN(std::shared_ptr<std::byte> memory,
                 ops.room(in, static_cast<std::uint64_t>(states + counts + histogram + keys + 4 * lines * kept)));
  std::byte* at = memory.get();
  const auto take = [&at](std::int64_t bytes) { return std::exchange(at, at + bytes); };
  work.states = reinterpret_cast<ops::SelectWork::State*>(take(states));
  work.counts = reinterpret_cast<std::int64_t*>(take(counts));
  work.histogram = reinterpret_cast<unsigned*>(take(histogram));
  if (kept > 0) work.to = {take(keys), reinterpret_cast<std::uint32_t*>(at), kept};
  ops::launch_select(work, ops.stream());
  ops::launch_selected(work, ops.stream());
  NNS_TRY(ops.launched(in));
  return memory;
}
// What select() needs a line, at the most.
constexpr std::int64_t kSelectRoom = 16 << 10U;

// The item of one rank of each line.
PyResult<void> give_rank(Ops& ops, OpCall& call, const SortedLines& all, const ops::SortRank& rank) {
  if (all.length <= ops::kSortTile) {
    return for_each_group(all, 0, [&](const SortedLines& lines) -> PyResult<void> {
      NNS_TRY(sort(ops, call.interpreter, {.lines = lines, .count = lines.length, .takes_rank = true, .rank = rank},
                   false));
      return {};
    });
  }
  return for_each_group(all, kSelectRoom, [&](const SortedLines& lines) -> PyResult<void> {
    ops::SelectWork work{.lines = lines, .rank = rank};
    NNS_TRY(select(ops, call.interpreter, work, 0));
    return {};
  });
}

std::size_t dim_at(const OpCall& call, std::size_t argument) {
  return ops::wrapped(call.integer(argument), std::max<std::size_t>(call.required(0).ndim(), 1));
}

}  // namespace

// input 0, dim 1, descending 2.
PyResult<void> run_sort(Ops& ops, OpCall& call) {
  const Tensor& in = call.required(0);
  SortedLines lines;
  lines.keys = ops::SortKeys::of(in.dtype(), call.flag(2));
  if (!set_lines(lines, in, dim_at(call, 1), call.output(0), call.output(1))) return ops.run_on_host(call);
  if (in.numel() == 0) return {};
  return give_sorted(ops, call, lines, lines.length);
}

// input 0, k 1, dim 2, largest 3, sorted 4.
PyResult<void> run_topk(Ops& ops, OpCall& call) {
  const Tensor& in = call.required(0);
  SortedLines all;
  all.keys = ops::SortKeys::of(in.dtype(), call.flag(3));
  if (!set_lines(all, in, dim_at(call, 2), call.output(0), call.output(1))) return ops.run_on_host(call);
  if (call.output(0).numel() == 0) return {};
  const std::int64_t k = in.ndim() == 0 ? 1 : call.integer(1);
  // Where most are asked for all are sorted.
  constexpr std::int64_t kShare = 4;
  if (all.length <= ops::kSortTile || k > all.length / kShare) return give_sorted(ops, call, all, k);
  const std::int64_t room = kSelectRoom + 3 * k * ops::pair_bytes(all.keys);
  return for_each_group(all, room, [&](const SortedLines& lines) -> PyResult<void> {
    ops::SelectWork work{.lines = lines, .rank = {.given = k - 1}};
    NNS_TRY_ASSIGN(const std::shared_ptr<std::byte> memory, select(ops, call.interpreter, work, k));
    NNS_TRY(sort(ops, call.interpreter, {.lines = lines, .count = k, .from = work.to, .taken = k}, false));
    return {};
  });
}

// kthvalue: input 0, k 1, dim 2, keepdim 3; medians: input 0, dim 1, keepdim 2.
PyResult<void> run_rank(Ops& ops, OpCall& call) {
  const Tensor& in = call.required(0);
  const bool is_given = call.op.id == OpId::kthvalue;
  ops::SortRank rank;
  if (is_given) {
    rank.given = call.integer(1) - 1;
  } else {
    rank.kind = call.op.id == OpId::median_dim ? ops::SortRank::Kind::Median : ops::SortRank::Kind::MedianOfNumbers;
  }
  SortedLines lines;
  lines.keys = ops::SortKeys::of(in.dtype(), false);
  if (!set_lines(lines, in, dim_at(call, is_given ? 2 : 1), call.output(0), call.output(1))) {
    return ops.run_on_host(call);
  }
  if (in.numel() == 0) return {};
  return give_rank(ops, call, lines, rank);
}

// input 0.
PyResult<void> run_median(Ops& ops, OpCall& call) {
  const Tensor& out = call.output();
  if (call.required(0).numel() == 0) {
    tensor::fill_items(out, std::numeric_limits<double>::quiet_NaN());
    return {};
  }
  if (call.required(0).numel() >= ops::kLongestSortedLine) return ops.run_on_host(call);
  NNS_TRY_ASSIGN(const Ref<Tensor> in, ops.dense(call.required(0)));
  SortedLines lines;
  lines.keys = ops::SortKeys::of(in->dtype(), false);
  lines.length = in->numel();
  lines.item_bytes = static_cast<std::int32_t>(tensor::item_bytes(in->dtype()));
  lines.in_stride = lines.item_bytes;
  lines.in = in->data();
  lines.values = out.data();
  ops::SortRank rank;
  rank.kind = call.op.id == OpId::median ? ops::SortRank::Kind::Median : ops::SortRank::Kind::MedianOfNumbers;
  return give_rank(ops, call, lines, rank);
}

// input 0, dim 1, keepdim 2.
PyResult<void> run_mode(Ops& ops, OpCall& call) {
  const Tensor& in = call.required(0);
  SortedLines all;
  all.keys = ops::SortKeys::of(in.dtype(), false);
  if (!set_lines(all, in, dim_at(call, 1), call.output(0), call.output(1))) return ops.run_on_host(call);
  if (in.numel() == 0) return {};
  return for_each_group(all, 2 * all.length * ops::pair_bytes(all.keys),
                        [&](const SortedLines& lines) -> PyResult<void> {
                          SortWork work{.lines = lines, .count = lines.length};
                          NNS_TRY_ASSIGN(const Sorted sorted, sort(ops, call.interpreter, work, true));
                          work.from = sorted.pairs;
                          ops::launch_mode(work, ops.stream());
                          return ops.launched(call.interpreter);
                        });
}

}  // namespace nns::cuda
