// The Adam step in the vectors of one processor. adam_rows.cpp includes this once for each kind of processor, hence no
// guard; only the functions there call it.
#include <hwy/cache_control.h>

#include <algorithm>
#include <cstring>

#include "core/ops/adam_rows.h"
#include "core/ops/lane_moments.h"

HWY_BEFORE_NAMESPACE();
namespace nns::ops {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The numbers of a step, spread over vectors once for all rows.
struct AdamLanes {
  explicit AdamLanes(const vectors::AdamStep& step)
      : maximizes(step.maximizes),
        shrinks(step.shrink != 1),
        decays(step.decay != 0),
        is_near(step.weight1 < 0.5F),
        shrink(set(step.shrink)),
        decay(set(step.decay)),
        weight1(set(is_near ? step.weight1 : 1 - step.weight1)),
        beta2(set(step.beta2)),
        weight2(set(step.weight2)),
        root(set(step.root_of_correction)),
        eps(set(step.eps)),
        rate(set(step.rate)) {}

  HWY_INLINE void update(Lanes& x, Lanes g, Lanes& average, Lanes& square) const {
    if (maximizes) g = hn::Neg(g);
    if (shrinks) x = hn::Mul(x, shrink);
    if (decays) g = hn::Add(g, hn::Mul(decay, x));
    const Lanes off = hn::Sub(g, average);
    average = is_near ? hn::Add(average, hn::Mul(weight1, off)) : hn::Sub(g, hn::Mul(off, weight1));
    square = hn::Add(hn::Mul(square, beta2), hn::Mul(hn::Mul(weight2, g), g));
    const Lanes spread = hn::Add(hn::Div(hn::Sqrt(square), root), eps);
    x = hn::Add(x, hn::Div(hn::Mul(rate, average), spread));
  }

  bool maximizes, shrinks, decays, is_near;
  Lanes shrink, decay, weight1, beta2, weight2, root, eps, rate;
};

// Items that are asked for ahead: of four runs at once the processor itself fetches less than it could.
constexpr std::int64_t kItemsAhead = 256;

// The items from `begin` on; seen(gradient, before, after) is called with each whole vector.
template <class Seen>
HWY_INLINE void adam_items(const AdamLanes& step, const vectors::AdamRow& row, std::int64_t begin, std::int64_t end,
                           Seen seen) {
  const Floats d;
  const std::int64_t lanes = lane_count();
  float *const param = row.param, *const average = row.average, *const square = row.square;
  const float* const grad = row.grad;
  std::int64_t i = begin;
  for (; i + lanes <= end; i += lanes) {
    hwy::Prefetch(param + i + kItemsAhead);
    hwy::Prefetch(grad + i + kItemsAhead);
    hwy::Prefetch(average + i + kItemsAhead);
    hwy::Prefetch(square + i + kItemsAhead);
    Lanes x = hn::LoadU(d, param + i), m = hn::LoadU(d, average + i), v = hn::LoadU(d, square + i);
    const Lanes g = hn::LoadU(d, grad + i), before = x;
    step.update(x, g, m, v);
    seen(g, before, x);
    hn::StoreU(x, d, param + i);
    hn::StoreU(m, d, average + i);
    hn::StoreU(v, d, square + i);
  }
  const std::int64_t rest = end - i;
  if (rest == 0) return;
  Lanes x = load_part(param + i, rest), m = load_part(average + i, rest), v = load_part(square + i, rest);
  step.update(x, load_part(grad + i, rest), m, v);
  store_part(x, param + i, rest);
  store_part(m, average + i, rest);
  store_part(v, square + i, rest);
}

void adam(const vectors::AdamStep& step, std::span<const vectors::AdamRow> rows) {
  const AdamLanes spread(step);
  for (const vectors::AdamRow& row : rows) adam_items(spread, row, 0, row.count, [](Lanes, Lanes, Lanes) {});
}

// Those of a run that was updated: in the vectors, and behind them, where `told` says so; else all are read again.
void tell_run(const LaneMoments& found, Moments& moments, std::int64_t count, const float* values,
              const float* before) {
  const std::int64_t whole = count / lane_count() * lane_count();
  const std::int64_t told = found.tell(moments) ? whole : 0;
  moments.count += static_cast<std::uint64_t>(told);
  if (before == nullptr) {
    add_moments(moments, values + told, count - told);
  } else {
    add_moments_of_difference(moments, values + told, before + told, count - told);
  }
}

// Items of one run: telling of a run waits for the last of them, so that short ones cost more than their sums.
HWY_INLINE std::int64_t watched_run() { return 512 * lane_count(); }

// Division is what a step waits for: sums beside it cost little.
template <bool kGradient, bool kParameter, bool kUpdate>
void adam_counted(const AdamLanes& step, const vectors::AdamRow& row, UpdateMoments& wanted) {
  // For what does not fill a vector, and for a run that is not finite.
  float before[static_cast<std::size_t>(kUpdate ? 512 * HWY_MAX_BYTES / sizeof(float) : 1)];
  for (std::int64_t begin = 0; begin < row.count; begin += watched_run()) {
    const std::int64_t count = std::min(watched_run(), row.count - begin);
    const float* const grad = row.grad + begin;
    const float* const param = row.param + begin;
    if constexpr (kUpdate) std::memcpy(before, param, static_cast<std::size_t>(count) * sizeof(float));
    FiniteLanes finite;
    LaneMoments of_gradient, of_parameter, of_update;
    adam_items(step, row, begin, begin + count, [&](Lanes g, Lanes old, Lanes x) {
      if constexpr (kGradient) {
        of_gradient.add(g);
      } else {
        finite.add(g);
      }
      if constexpr (kParameter) of_parameter.add(x);
      if constexpr (kUpdate) of_update.add(hn::Sub(x, old));
    });
    if constexpr (kGradient) {
      tell_run(of_gradient, wanted.gradient, count, grad, nullptr);
    } else {
      const std::int64_t whole = count / lane_count() * lane_count();
      if (!finite.all() || !are_all_finite(grad + whole, count - whole)) wanted.is_gradient_finite = false;
    }
    if constexpr (kParameter) tell_run(of_parameter, wanted.parameter, count, param, nullptr);
    if constexpr (kUpdate) tell_run(of_update, wanted.update, count, param, before);
  }
}

void adam_watched(const vectors::AdamStep& step, const vectors::AdamRow& row, UpdateMoments& wanted) {
  const AdamLanes spread(step);
  const auto with_update = [&]<bool kUpdate>() {
    if (wanted.wants_gradient && wanted.wants_parameter) return adam_counted<true, true, kUpdate>(spread, row, wanted);
    if (wanted.wants_gradient) return adam_counted<true, false, kUpdate>(spread, row, wanted);
    if (wanted.wants_parameter) return adam_counted<false, true, kUpdate>(spread, row, wanted);
    adam_counted<false, false, kUpdate>(spread, row, wanted);
  };
  if (wanted.wants_update) {
    with_update.template operator()<true>();
  } else {
    with_update.template operator()<false>();
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace nns::ops
HWY_AFTER_NAMESPACE();
