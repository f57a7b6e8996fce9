#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <mutex>
#include <type_traits>

#include "core/object/operations.h"
#include "core/ops/training_observer.h"
#include "core/optim/device_batch.h"
#include "core/optim/row_batch.h"
#include "core/optim/step_plan.h"
#include "core/tensor/uninitialized.h"

// Not for callers of optim.
namespace nns::optim {

// An update rule is a class of static members:
//   kLayout                         what it keeps for each parameter
//   Options, read(GroupOptions&)    the options of a group, read once a step
//   wanted(options)                 bit i: these options need state slot i
//   starts(options)                 what new slots are filled with
//   Scalars, advance(options, lane, memo)
//                                   counts the step of one parameter and gives the numbers that all its items share;
//                                   `memo` is the rule's own, fresh for each group
//   update<Format>(options, scalars, rows, count)
//                                   the whole update in one pass over the parameter's memory
//   kSparseRefusal                  what it says of a gradient of layout torch.sparse_coo; or
//   update_sparse(optimizer, group, options, lane, memo)
//                                   the update by the items of such a gradient
//   run_on_device(steps, interpreter, work)
//                                   where there is one: queues the updates of many parameters on a GPU
//   Row and what belongs to it      where there is one: updates many parameters in one call (row_batch.h)
// An item's update depends on nothing but that item of the rows, and the scalars of the state are read only.

/// Calls use(true_type or false_type, ...) for each flag, so that loops have no branches.
template <class Use>
void with_flag(bool flag, Use use) {
  if (flag) {
    use(std::true_type{});
  } else {
    use(std::false_type{});
  }
}

/// The powers and roots that depend on the step alone: most parameters of a group have taken equally many.
template <class Scalars>
struct StepMemo {
  double step = -1;
  Scalars scalars{};
};

/// Lanes ahead whose tensors are asked for while one is worked on, and those whose gradients are.
inline constexpr std::size_t kLookAhead = 8, kGradLookAhead = 4;

/// Asks for what a step reads of a tensor, if there is one: all but the first line of its object.
inline void prefetch_tensor(const Tensor* tensor) {
  if (tensor == nullptr) return;
  const char* const at = reinterpret_cast<const char*>(tensor);
  for (std::size_t line = 64; line < sizeof(Tensor); line += 64) __builtin_prefetch(at + line);
}
inline void prefetch_ahead(std::span<const Lane> lanes, std::size_t i) {
  if (i + kLookAhead < lanes.size()) {
    const Lane& lane = lanes[i + kLookAhead];
    prefetch_tensor(lane.param.get());
    __builtin_prefetch(lane.storage);
    __builtin_prefetch(lane.data);
    for (const StateTensor& one : lane.state) {
      if (one.tensor == nullptr) continue;
      prefetch_tensor(one.tensor);
      __builtin_prefetch(one.storage);
      __builtin_prefetch(one.data);
    }
  }
  if (i + kGradLookAhead < lanes.size()) prefetch_tensor(lanes[i + kGradLookAhead].param->grad().get());
}

/// Items that a watched update works on at a time: parameter, gradient and state of so many stay in the first cache.
inline constexpr std::int64_t kWatchedBlock = 1024;

/// The update of floats, with what is wanted of them found while they are at hand.
template <class Rule>
void update_watched_part(const typename Rule::Options& options, const typename Rule::Scalars& scalars, Rows rows,
                         std::int64_t count, std::uint32_t scalar_slots, ops::UpdateMoments& wanted) {
  wanted.is_gradient_checked = true;
  if constexpr (HasRows<Rule>) {
    if (Rule::has_rows(options)) return Rule::update_watched_row(options, scalars, Rule::row_of(rows, count), wanted);
  }
  std::array<float, kWatchedBlock> before;
  for (std::int64_t done = 0; done < count; done += kWatchedBlock) {
    const std::int64_t block = std::min(kWatchedBlock, count - done);
    const auto bytes = static_cast<std::size_t>(block) * sizeof(float);
    const auto* param = reinterpret_cast<const float*>(rows.param);
    const auto* grad = reinterpret_cast<const float*>(rows.grad);
    if (wanted.wants_gradient) {
      ops::add_moments(wanted.gradient, grad, block);
    } else if (wanted.is_gradient_finite) {
      wanted.is_gradient_finite = ops::are_all_finite(grad, block);
    }
    if (wanted.wants_update) std::memcpy(before.data(), param, bytes);
    with_format(FormatId::Float32,
                [&](auto format) { Rule::template update<decltype(format)>(options, scalars, rows, block); });
    if (wanted.wants_parameter) ops::add_moments(wanted.parameter, param, block);
    if (wanted.wants_update) ops::add_moments_of_difference(wanted.update, param, before.data(), block);
    rows = advanced(rows, bytes, scalar_slots);
  }
}

/// The same on the threads, where there is enough for several. What they found is joined in the order of the items.
template <class Rule>
void update_watched(const typename Rule::Options& options, const typename Rule::Scalars& scalars, const Rows& rows,
                    std::int64_t count, std::uint32_t scalar_slots, ops::UpdateMoments& wanted) {
  if (count < kSharedItems) return update_watched_part<Rule>(options, scalars, rows, count, scalar_slots, wanted);
  std::mutex mutex;
  std::map<std::int64_t, ops::UpdateMoments> parts;
  base::run_ranges(count, kThreadItems, kThreadStep, [&](std::int64_t begin, std::int64_t end) {
    ops::UpdateMoments found = wanted.wishes();
    update_watched_part<Rule>(options, scalars,
                              advanced(rows, static_cast<std::size_t>(begin) * sizeof(float), scalar_slots),
                              end - begin, scalar_slots, found);
    const std::scoped_lock lock(mutex);
    parts.emplace(begin, found);
  });
  for (const auto& [begin, found] : parts) wanted.join(found);
}

template <class Rule>
PyResult<void> update_lane(const typename Rule::Options& options, const typename Rule::Scalars& scalars, Lane& lane,
                           const Tensor& grad, ops::UpdateMoments* wanted) {
  const auto run = [&](const Rows& rows) {
    if (wanted != nullptr && lane.format == FormatId::Float32) [[unlikely]]
      return update_watched<Rule>(options, scalars, rows, lane.count, lane.scalars, *wanted);
    with_format(lane.format, [&]<class Format>(Format) {
      if (lane.count < kSharedItems) return Rule::template update<Format>(options, scalars, rows, lane.count);
      base::run_ranges(lane.count, kThreadItems, kThreadStep, [&](std::int64_t begin, std::int64_t end) {
        const std::size_t bytes = static_cast<std::size_t>(begin) * sizeof(typename Format::Item);
        Rule::template update<Format>(options, scalars, advanced(rows, bytes, lane.scalars), end - begin);
      });
    });
  };
  if (lane.is_aligned && !lane.param->is_cuda() && is_laid_out_alike(grad, *lane.param)) [[likely]] {
    run(lane.rows(grad));
    return {};
  }
  NNS_TRY_ASSIGN(CopiedRows copies, CopiedRows::of(lane, grad, tensor::Device::Cpu));
  run(copies.rows());
  return copies.finish(lane);
}

/// Whether a rule has no update by the items of a sparse gradient.
template <class Rule>
constexpr bool kRefusesSparse = requires {
  Rule::kSparseRefusal;
};

/// Errors: RuntimeError  a sparse gradient, and the rule takes none: before any parameter is updated.
template <class Rule>
PyResult<void> check_sparse_gradients([[maybe_unused]] Interpreter& in, [[maybe_unused]] const StepPlan::Group& group) {
  if constexpr (kRefusesSparse<Rule>) {
    for (const Lane& lane : group.lanes) {
      if (lane.param->grad() && lane.param->grad()->sparse() != nullptr) {
        return object::runtime_error(in, "{}", Rule::kSparseRefusal);
      }
    }
  }
  return {};
}

/// The step of an optimiser with this rule: closure, then every parameter that has a gradient. No graph is recorded.
/// Errors: what the closure raises; a group without an option; a state that does not fit its parameter.
template <class Rule>
PyResult<Value> fused_step(Optimizer& self, const Value& closure) {
  Interpreter& in = self.interpreter();
  NNS_TRY_ASSIGN(Value loss, call_closure(in, closure));
  StepPlan& plan = self.plan();
  NNS_TRY(plan.update(self));
  ops::TrainingObserver* const watching = ops::OpLibrary::of(in).training;
  for (const StepPlan::Group& group : plan.groups()) {
    GroupOptions reader(in, *group.options);
    NNS_TRY(reader.refuse_unsupported());
    NNS_TRY_ASSIGN(const typename Rule::Options options, Rule::read(reader));
    const std::uint32_t wanted = Rule::wanted(options);
    const auto starts = Rule::starts(options);
    typename Rule::Memo memo;
    DeviceBatch<Rule> batch(in, options);
    RowBatch<Rule> rows(options);
    const bool may_be_sparse = tensor::TensorLibrary::of(in).any_sparse;
    if (may_be_sparse) [[unlikely]]
      NNS_TRY(check_sparse_gradients<Rule>(in, group));
    for (std::size_t i = 0; i < group.lanes.size(); ++i) {
      prefetch_ahead(group.lanes, i);
      Lane& lane = group.lanes[i];
      const Ref<Tensor>& grad = lane.param->grad();
      if (!grad) continue;
      if constexpr (!kRefusesSparse<Rule>) {
        if (may_be_sparse && grad->sparse() != nullptr) [[unlikely]] {
          NNS_TRY(Rule::update_sparse(self, reader, options, lane, memo));
          continue;
        }
      }
      if (!StepPlan::is_current(lane, wanted)) {
        NNS_TRY(plan.find_state(self, lane, Rule::kLayout, wanted, starts));
      }
      const typename Rule::Scalars scalars = Rule::advance(options, lane, memo);
      if (!lane.param->is_meta() && !grad->is_meta()) {
        ops::UpdateMoments* const found = watching == nullptr ? nullptr : watching->update_of(*lane.param);
        // Who watches an update sees it on the CPU.
        if (found == nullptr && lane.param->is_cuda() && batch.is_there()) {
          NNS_TRY(batch.add(scalars, lane, *grad));
        } else if (found != nullptr || !rows.take(scalars, lane, *grad)) {
          rows.flush();
          NNS_TRY(update_lane<Rule>(options, scalars, lane, *grad, found));
        }
        if (found != nullptr) watching->updated(*lane.param, *found);
      }
      lane.param->bump_version();
      for (std::size_t k = 0; (wanted >> k) != 0; ++k) {
        if ((wanted >> k & 1U) != 0) lane.state[k].tensor->bump_version();
      }
      lane.fresh = 0;
    }
    rows.flush();
    NNS_TRY(batch.flush());
  }
  plan.accept_changes();
  return loss;
}

/// Makes the state of every parameter now, instead of in its first step.
template <class Rule>
PyResult<void> make_states(Optimizer& self) {
  StepPlan& plan = self.plan();
  NNS_TRY(plan.update(self));
  for (const StepPlan::Group& group : plan.groups()) {
    GroupOptions reader(self.interpreter(), *group.options);
    NNS_TRY_ASSIGN(const typename Rule::Options options, Rule::read(reader));
    const auto starts = Rule::starts(options);
    for (Lane& lane : group.lanes) {
      if (lane.param->is_uninitialized()) {
        return tensor::no_values_yet(*lane.param,
                                     fmt::format("<built-in method full_like of type object at {}>", fmt::ptr(&self)));
      }
      NNS_TRY(plan.find_state(self, lane, Rule::kLayout, Rule::wanted(options), starts));
      lane.fresh = 0;
    }
  }
  plan.accept_changes();
  return {};
}

/// Gives `cls` its step.
template <class Rule>
void define_step(Class& cls) {
  cls.def("step(self, closure=None)",
          [](Interpreter&, Args a) -> PyResult<Value> { return step_with_hooks(self_of(a), a[1], &fused_step<Rule>); });
  mark_step_hooked(cls);
}

/// The items of a row.
template <class Format>
typename Format::Item* items(std::byte* row) {
  return reinterpret_cast<typename Format::Item*>(row);
}
template <class Format>
const typename Format::Item* items(const std::byte* row) {
  return reinterpret_cast<const typename Format::Item*>(row);
}

}  // namespace nns::optim
