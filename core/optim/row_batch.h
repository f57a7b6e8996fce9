#pragma once

#include <array>
#include <span>

#include "core/base/parallel.h"
#include "core/optim/step_plan.h"

// Not for callers of optim.
namespace nns::optim {

/// A rule that updates many parameters of floats in one call:
///   Row, row_of(rows, count)               what it needs of one of them
///   has_rows(options)                      whether it does so with these options
///   are_equal(scalars, scalars)            whether two parameters can share a call
///   update_rows(options, scalars, rows)    the updates, in their order
///   update_watched_row(options, scalars, row, wanted)
///                                          one of them, with what is wanted of it
template <class Rule>
concept HasRows = requires {
  typename Rule::Row;
};

/// Parameters with so many items are shared by the threads; smaller ones are updated together.
inline constexpr std::int64_t kSharedItems = 65536;
/// Items that a thread takes at least, and the multiple that it takes.
inline constexpr std::int64_t kThreadItems = 32768, kThreadStep = 1024;

/// Rows whose items begin `bytes` further on; scalars stay where they are.
inline Rows advanced(Rows rows, std::size_t bytes, std::uint32_t scalars) {
  rows.param += bytes;
  rows.grad += bytes;
  for (std::size_t i = 0; i < kMostStates; ++i) {
    if (rows.state[i] != nullptr && (scalars >> i & 1U) == 0) rows.state[i] += bytes;
  }
  return rows;
}

/// The small parameters of a group, whose updates wait for each other: many are done in one call.
/// Lifetime: what waits is done at the latest when it ends.
template <class Rule>
class RowBatch {
 public:
  using Options = typename Rule::Options;
  using Scalars = typename Rule::Scalars;

  explicit RowBatch(const Options& options) : options_(options) {
    if constexpr (HasRows<Rule>) is_there_ = Rule::has_rows(options);
  }
  ~RowBatch() { flush(); }
  RowBatch(const RowBatch&) = delete;
  RowBatch& operator=(const RowBatch&) = delete;

  /// Takes the update of a parameter on the CPU, whose gradient lies alike; false: somebody else has to do it.
  bool take(const Scalars& scalars, const Lane& lane, const Tensor& grad) {
    if constexpr (HasRows<Rule>) {
      if (!is_there_ || !lane.is_aligned || lane.format != FormatId::Float32 || lane.count >= kSharedItems)
        return false;
      if (lane.param->is_cuda() || !is_laid_out_alike(grad, *lane.param)) return false;
      if (used_ == kMost || (used_ > 0 && !Rule::are_equal(scalars, scalars_))) flush();
      scalars_ = scalars;
      rows_[used_++] = Rule::row_of(lane.rows(grad), lane.count);
      return true;
    }
    return false;
  }
  void flush() {
    if constexpr (HasRows<Rule>) {
      if (used_ > 0) Rule::update_rows(options_, scalars_, std::span(rows_).first(used_));
    }
    used_ = 0;
  }

 private:
  static constexpr std::size_t kMost = 32;
  struct Nothing {};
  template <class R, bool has_rows>
  struct RowOf {
    using Type = Nothing;
  };
  template <class R>
  struct RowOf<R, true> {
    using Type = typename R::Row;
  };

  const Options& options_;
  Scalars scalars_{};
  std::array<typename RowOf<Rule, HasRows<Rule>>::Type, kMost> rows_;
  std::size_t used_ = 0;
  bool is_there_ = false;
};

}  // namespace nns::optim
