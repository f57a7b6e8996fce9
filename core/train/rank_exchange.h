#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/parallel/step_timeline.h"
#include "core/train/step_report.h"

namespace nns::train {

/// A number that every rank has: the least, the most and the mean of those that are there, and whose the first two are.
struct RankSpread {
  double least = std::numeric_limits<double>::quiet_NaN(), most = least, mean = least;
  std::uint32_t least_rank = 0, most_rank = 0;
};

/// One step as all ranks made it.
struct RankReport {
  std::uint32_t size = 1;
  std::uint64_t step = 0;
  RankSpread step_ns, waited_ns, loss;
  /// Of at most RankExchange::kMostLanes ranks, by rank; times as rank 0's clock would have shown them.
  std::map<int, parallel::StepTimeline> lanes;
};

/// What the ranks of one training tell each other between two steps, so that rank 0 shows what all of them did: what is
/// sent does not grow with their number, but for one row of six numbers a rank, of the steps that somebody looks at.
/// It packs and unpacks; the collectives are those of the program's process group (nnscope/_ranks.py), and every rank
/// runs the same ones in the same order:
/// 1. After each step sums() are added up and the largest of maxima() are found.
/// 2. After a step that was planned in detail: moments of activations and of their gradients, a row of each rank, and
///    the timelines of the ranks that rank 0 chose.
/// 3. plan(), where rank 0's next step is to be seen in detail.
/// Moments of parameters, gradients and updates are the same on all ranks and are not sent; histograms and times of
/// modules are rank 0's.
/// Threads: that of the interpreter.
class RankExchange {
 public:
  static constexpr std::size_t kMostLanes = 8;

  /// `machine`: a name of this machine; ranks with the same one share a clock.
  RankExchange(int rank, int size, const std::string& machine);
  int rank() const { return rank_; }
  int size() const { return size_; }

  /// A step was made: it is told when take_sums() has said what it was for all ranks. Gives the one before, if nobody
  /// has met for that.
  std::optional<StepReport> put(StepReport report);
  std::optional<StepReport> take() { return std::exchange(waiting_, std::nullopt); }
  /// The newest step of DistributedDataParallel, of a step in detail.
  void set_timeline(parallel::StepTimeline timeline) { timeline_ = std::move(timeline); }
  /// The clock, which all ranks read right behind the same collective.
  void met();

  // 1.
  std::array<double, 3> sums() const;
  void take_sums(std::span<const double> sums);
  /// What the next step is to be, where this is rank 0; then a number that tells whether a rank's step had numbers that
  /// are not finite, and the first such rank's.
  enum class Next : std::uint8_t { Plain, AsPlanned, NewPlan };
  std::array<double, 2> maxima() const;
  /// The rank of the second maximum; none: all numbers were finite.
  std::optional<int> bad_rank(double maximum) const;
  const NotFinite* not_finite() const { return waiting_ && !waiting_->is_finite ? &waiting_->not_finite : nullptr; }
  void take_not_finite(int rank, NotFinite found);

  // 2.
  /// Whether the step that was made is one that all ranks saw in detail.
  bool is_detailed() const { return is_detailed_; }
  /// What is added up, and what the largest are found of.
  struct Packed {
    std::vector<double> sums, maxima;
  };
  Packed moments() const;
  void take_moments(std::span<const double> sums, std::span<const double> maxima);
  std::vector<double> row() const;
  /// Of all ranks in order. Which of them are shown as lanes: all, or where these are many rank 0, the slowest, the
  /// fastest, and others evenly.
  std::vector<int> take_rows(const std::vector<std::vector<double>>& rows);
  const std::optional<parallel::StepTimeline>& timeline() const { return timeline_; }
  void take_lane(int rank, parallel::StepTimeline timeline);
  /// What was collected; none: nothing since the last time.
  std::optional<RankReport> take_report() { return std::exchange(report_, std::nullopt); }

  // 3.
  /// Rank 0 plans a step; what it plans to see of modules is what all ranks will.
  void plan_next(const StepPlan& plan, std::size_t modules);
  /// For the others, as bytes; and back. False: these are none.
  std::string plan() const;
  bool take_plan(std::string_view bytes);
  /// All ranks know what the next step is. Whether that is another plan for this rank than before.
  bool begin_next(Next next);
  /// Adds to a plan what all ranks agreed on, where the table has as many modules.
  void add_to(StepPlan& plan, std::size_t modules) const;

 private:
  double loss_weight() const;

  int rank_, size_;
  double machine_;
  std::optional<StepReport> waiting_;
  /// This rank's, of the step that waits; NaN: it had none.
  double own_loss_ = std::numeric_limits<double>::quiet_NaN();
  std::optional<parallel::StepTimeline> timeline_;
  std::optional<RankReport> report_;
  std::vector<std::vector<double>> rows_;
  std::int64_t met_ns_ = 0;
  /// Bits of `subject` by module: what is agreed on, and what rank 0 would have next.
  std::vector<std::uint8_t> agreed_, wanted_;
  bool wants_details_ = false;
  bool is_detailed_ = false;
};

}  // namespace nns::train
