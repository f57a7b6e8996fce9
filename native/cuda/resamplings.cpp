#include "core/ops/resampling.h"

#include "core/ops/resampling_work.h"
#include "native/cuda/ops.h"

// Padding by what an image shows, and resizing: the maps that the CPU's bodies make go to the device with the call.
namespace nns::cuda {
namespace {

using ops::AxisMap;

// For each item of the input which items of the result it is a part of.
AxisMap turned_round(const AxisMap& map) {
  AxisMap turned;
  turned.in = map.out;
  turned.out = map.in;
  turned.starts.assign(static_cast<std::size_t>(map.in) + 1, 0);
  for (const AxisMap::Part& part : map.parts) ++turned.starts[static_cast<std::size_t>(part.at) + 1];
  for (std::size_t i = 1; i < turned.starts.size(); ++i) turned.starts[i] += turned.starts[i - 1];
  turned.parts.resize(map.parts.size());
  std::vector<std::size_t> next(turned.starts.begin(), turned.starts.end() - 1);
  for (std::int64_t i = 0; i < map.out; ++i) {
    const auto at = static_cast<std::size_t>(i);
    for (std::size_t p = map.starts[at]; p < map.starts[at + 1]; ++p) {
      turned.parts[next[static_cast<std::size_t>(map.parts[p].at)]++] = {i, map.parts[p].weight};
    }
  }
  return turned;
}

// The bytes of all maps as the kernel reads them.
template <class T>
class PackedMaps {
 public:
  PackedMaps(const ops::AxisMaps& maps, ops::ResampleWork& work) : work_(work), first_(3 - maps.size()) {
    for (std::size_t i = 0; i < maps.size(); ++i) {
      const AxisMap& map = maps[i];
      ops::ResampleAxis& axis = work.axes[first_ + i];
      axis.in = map.in;
      axis.out = map.out;
      if (map.is_identity()) continue;
      places_[first_ + i] = {true, bytes_.size(), 0};
      append_each<std::int64_t>(map.starts, [](std::size_t start) { return static_cast<std::int64_t>(start); });
      places_[first_ + i].parts = bytes_.size();
      append_each<ops::ResamplePart<T>>(map.parts, [](const AxisMap::Part& part) {
        return ops::ResamplePart<T>{static_cast<T>(part.weight), part.at};
      });
    }
  }
  /// Lays them where they are read. Lifetime of the result: until the kernel is queued.
  PyResult<std::shared_ptr<std::byte>> upload(Ops& ops, object::Interpreter& in) const {
    NNS_TRY_ASSIGN(std::shared_ptr<std::byte> memory, ops.room(in, bytes_.size()));
    if (!bytes_.empty()) {
      NNS_TRY(ops.raised(in, ops.device().upload(memory.get(), bytes_.data(), bytes_.size())));
    }
    for (std::size_t i = 0; i < 3; ++i) {
      if (!places_[i].is_there) continue;
      work_.axes[i].starts = reinterpret_cast<const std::int64_t*>(memory.get() + places_[i].starts);
      work_.axes[i].parts = memory.get() + places_[i].parts;
    }
    return memory;
  }

 private:
  struct Place {
    bool is_there = false;
    std::size_t starts = 0, parts = 0;
  };
  template <class Item, class Items, class Make>
  void append_each(const Items& items, Make make) {
    const std::size_t begin = bytes_.size();
    bytes_.resize(begin + items.size() * sizeof(Item));
    for (std::size_t i = 0; i < items.size(); ++i) {
      const Item item = make(items[i]);
      std::memcpy(bytes_.data() + begin + i * sizeof(Item), &item, sizeof(Item));
    }
  }

  ops::ResampleWork& work_;
  std::size_t first_;
  std::vector<std::byte> bytes_;
  std::array<Place, 3> places_;
};

PyResult<void> resample(Ops& ops, OpCall& call, ops::AxisMaps maps, bool back, bool rounds) {
  if (maps.size() > 3) return ops.run_on_host(call);
  const Tensor& out = call.output();
  if (call.required(0).numel() == 0 || out.numel() == 0) return {};
  if (back) {
    for (AxisMap& map : maps) map = turned_round(map);
  }
  NNS_TRY_ASSIGN(const Ref<Tensor> in, ops.dense(call.required(0)));
  ops::ResampleWork work;
  work.in = numbers(in);
  work.out = numbers(out);
  work.rounds = rounds;
  const auto run = [&]<class T>(T) -> PyResult<void> {
    const PackedMaps<T> packed(maps, work);
    work.planes = out.numel() / (work.axes[0].out * work.axes[1].out * work.axes[2].out);
    NNS_TRY_ASSIGN(const std::shared_ptr<std::byte> memory, packed.upload(ops, call.interpreter));
    work.compute = ops::compute_for<T>();
    ops::launch_resample(work, ops.stream());
    return ops.launched(call.interpreter);
  };
  if (in->dtype() == DType::Float64) return run(double{});
  if (tensor::is_integral(in->dtype()) && !rounds) return run(std::int64_t{});
  return run(float{});
}

}  // namespace

// input 0; the gradient: grad_output 0.
PyResult<void> run_padding(Ops& ops, OpCall& call) {
  const bool back = call.op.id == OpId::pad_backward;
  if (!back) NNS_TRY(ops::check_padding_dtype(call));
  return resample(ops, call, ops::padding_maps(call), back, false);
}

PyResult<void> run_resizing(Ops& ops, OpCall& call) {
  const bool back = call.op.id == OpId::upsample_backward;
  if (!back) NNS_TRY(ops::check_resizing_dtype(call));
  return resample(ops, call, ops::resizing_maps(call), back, ops::resizing_rounds(call));
}

}  // namespace nns::cuda
