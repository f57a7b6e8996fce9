#include "core/parallel/module_sync.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

namespace nns::parallel {
namespace {

PyResult<void> run(Interpreter& in, ProcessGroup& group, Collective collective) {
  return wait_for_work(in, *group.start(std::move(collective)));
}

// One flat copy there, one broadcast, one copy back.
PyResult<void> broadcast_together(Interpreter& in, ProcessGroup& group, std::span<const Ref<Tensor>> tensors, int root,
                                  std::chrono::milliseconds timeout) {
  std::int64_t items = 0;
  for (const Ref<Tensor>& one : tensors) items += one->numel();
  if (items == 0) return {};
  const Ref<Tensor> flat = tensor::empty(in, tensor::Dims({items}), tensors[0]->dtype());
  const auto for_each_part = [&](auto use) -> PyResult<void> {
    std::int64_t offset = 0;
    for (const Ref<Tensor>& one : tensors) {
      const auto part = tensor::as_strided(*flat, one->shape(), tensor::contiguous_strides(one->shape()), offset);
      NNS_TRY(use(*one, *part));
      offset += one->numel();
    }
    return {};
  };
  NNS_TRY(for_each_part([](Tensor& one, Tensor& part) { return tensor::copy_items(part, one); }));
  Collective broadcast;
  broadcast.kind = CollectiveKind::Broadcast;
  broadcast.dtype = flat->dtype();
  broadcast.root = root;
  broadcast.outputs = {bytes_of(*flat)};
  broadcast.subject = fmt::format("{} parameters and buffers", tensors.size());
  broadcast.keeper = std::make_shared<Ref<Tensor>>(flat);
  broadcast.timeout = timeout;
  NNS_TRY(run(in, group, std::move(broadcast)));
  if (group.rank() == root) return {};
  return for_each_part([](Tensor& one, Tensor& part) -> PyResult<void> {
    NNS_TRY(tensor::copy_items(one, part));
    one.bump_version();
    return {};
  });
}

}  // namespace

PyResult<void> broadcast_coalesced(Interpreter& interpreter, ProcessGroup& group, std::span<const Ref<Tensor>> tensors,
                                   std::int64_t most_bytes, int root, std::chrono::milliseconds timeout) {
  std::map<tensor::DType, std::vector<Ref<Tensor>>> by_dtype;
  for (const Ref<Tensor>& one : tensors) by_dtype[one->dtype()].push_back(one);
  for (const auto& [dtype, all] : by_dtype) {
    std::vector<Ref<Tensor>> together;
    std::int64_t bytes = 0;
    for (const Ref<Tensor>& one : all) {
      const auto own = static_cast<std::int64_t>(one->nbytes());
      if (!together.empty() && bytes + own > most_bytes) {
        NNS_TRY(broadcast_together(interpreter, group, std::exchange(together, {}), root, timeout));
        bytes = 0;
      }
      together.push_back(one);
      bytes += own;
    }
    if (!together.empty()) NNS_TRY(broadcast_together(interpreter, group, together, root, timeout));
  }
  return {};
}

PyResult<std::vector<std::int64_t>> broadcast_numbers(Interpreter& interpreter, ProcessGroup& group,
                                                      std::vector<std::int64_t> numbers, std::string subject,
                                                      std::chrono::milliseconds timeout) {
  const auto kept = std::make_shared<std::vector<std::int64_t>>(std::move(numbers));
  Collective tell;
  tell.kind = CollectiveKind::Broadcast;
  tell.dtype = tensor::DType::Int64;
  tell.outputs = {std::as_writable_bytes(std::span(*kept))};
  tell.keeper = kept;
  tell.subject = std::move(subject);
  tell.timeout = timeout;
  NNS_TRY(run(interpreter, group, std::move(tell)));
  return *kept;
}

PyResult<FinishCheck> begin_verifying_parameters(Interpreter& interpreter, ProcessGroup& group,
                                                 std::span<const Ref<Tensor>> tensors,
                                                 std::chrono::milliseconds timeout) {
  // 1. How many there are.
  // The own number, then those of all ranks.
  const auto kept = std::make_shared<std::vector<std::int64_t>>(static_cast<std::size_t>(group.size()) + 1);
  (*kept)[0] = static_cast<std::int64_t>(tensors.size());
  const std::span<std::int64_t> own = std::span(*kept).first(1), counts = std::span(*kept).subspan(1);
  Collective gather;
  gather.kind = CollectiveKind::AllGather;
  gather.dtype = tensor::DType::Int64;
  gather.inputs = {std::as_bytes(own)};
  gather.keeper = kept;
  for (std::int64_t& count : counts) gather.outputs.push_back(std::as_writable_bytes(std::span(&count, 1)));
  gather.subject = "the number of parameters of DistributedDataParallel";
  gather.timeout = timeout;
  const WorkHandle gathering = group.start(std::move(gather));
  const int me = group.rank();
  const auto compare_counts = [&interpreter, gathering, kept, own, counts, me]() -> PyResult<void> {
    NNS_TRY(wait_for_work(interpreter, *gathering));
    for (std::size_t rank = 0; rank < counts.size(); ++rank) {
      if (counts[rank] == own[0]) continue;
      return object::runtime_error(
          interpreter,
          "DDP expects same model across all ranks, but Rank {} has {} params, while rank {} has "
          "inconsistent {} params.",
          me, own[0], rank, counts[rank]);
    }
    return {};
  };
  if (me != 0) NNS_TRY(compare_counts());
  // 2. Rank 0's numbers of axes, then its sizes and strides.
  const auto told_by_first = [&](std::vector<std::int64_t> given) -> PyResult<std::vector<std::int64_t>> {
    if (given.empty()) return given;
    return broadcast_numbers(interpreter, group, std::move(given),
                             "the shapes of the parameters of DistributedDataParallel", timeout);
  };
  std::vector<std::int64_t> axes;
  for (const Ref<Tensor>& one : tensors) axes.push_back(static_cast<std::int64_t>(one->ndim()));
  NNS_TRY_ASSIGN(const std::vector<std::int64_t> first_axes, told_by_first(axes));
  std::size_t total = 0;
  for (const std::int64_t count : first_axes) total += 2 * static_cast<std::size_t>(std::max<std::int64_t>(count, 0));
  std::vector<std::int64_t> shapes(total, 0);
  if (group.rank() == 0) {
    shapes.clear();
    for (const Ref<Tensor>& one : tensors) {
      shapes.insert(shapes.end(), one->shape().begin(), one->shape().end());
      shapes.insert(shapes.end(), one->strides().begin(), one->strides().end());
    }
  }
  NNS_TRY_ASSIGN(const std::vector<std::int64_t> first, told_by_first(std::move(shapes)));
  std::size_t at = 0;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const auto count = static_cast<std::size_t>(std::max<std::int64_t>(first_axes[i], 0));
    const auto same = [&](const tensor::Dims& mine) {
      const bool is_same =
          mine.size() == count && std::equal(mine.begin(), mine.end(), first.begin() + static_cast<std::ptrdiff_t>(at));
      at += count;
      return is_same;
    };
    const bool same_sizes = same(tensors[i]->shape()), same_strides = same(tensors[i]->strides());
    if (same_sizes && same_strides) continue;
    return object::runtime_error(
        interpreter,
        "[{}]: params[{}] in this process with {} [{}] appears not to match {} of the same param in process 0.",
        group.rank(), i, same_sizes ? "strides" : "sizes",
        fmt::join(same_sizes ? tensors[i]->strides().span() : tensors[i]->shape().span(), ", "),
        same_sizes ? "strides" : "sizes");
  }
  if (me != 0) return FinishCheck([]() -> PyResult<void> { return {}; });
  return FinishCheck(compare_counts);
}

PyResult<void> verify_parameters(Interpreter& interpreter, ProcessGroup& group, std::span<const Ref<Tensor>> tensors,
                                 std::chrono::milliseconds timeout) {
  NNS_TRY_ASSIGN(const FinishCheck finish, begin_verifying_parameters(interpreter, group, tensors, timeout));
  return finish();
}

}  // namespace nns::parallel
