#include "core/parallel/step_simulation.h"

#include <algorithm>
#include <cmath>

namespace nns::parallel {

namespace {

// Two things happen at once: a rank computes, and the network carries one collective after the other.
class Timeline {
 public:
  Timeline(StepPrediction& out, double pace) : out_(out), pace_(pace) {}

  double now() const { return now_; }
  void compute(double seconds) {
    now_ += seconds * pace_;
    out_.compute += seconds * pace_;
  }
  /// A collective that could begin at `ready`. When it ends.
  double transfer(std::string what, double bytes, double seconds, double ready) {
    const double begin = std::max(ready, network_free_);
    network_free_ = begin + seconds;
    out_.communication += seconds;
    out_.transfers.push_back({std::move(what), bytes, ready, begin, network_free_});
    return network_free_;
  }
  void wait_until(double time) {
    if (time <= now_) return;
    out_.exposed += time - now_;
    now_ = time;
  }
  void wait_for_network() { wait_until(network_free_); }

 private:
  StepPrediction& out_;
  double pace_;
  double now_ = 0, network_free_ = 0;
};

// The largest of `ranks` normal numbers, as a multiple of their deviation above their mean (Blom's approximation).
double slowest_of(std::int64_t ranks) {
  if (ranks <= 1) return 0;
  const auto count = static_cast<double>(ranks);
  // The quantile of the normal distribution, by bisection of its distribution function.
  const double wanted = (count - 0.375) / (count + 0.25);
  double low = 0, high = 40;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (0.5 * std::erfc(-middle / std::sqrt(2.0)) < wanted ? low : high) = middle;
  }
  return low;
}

// Buckets in the order of the gradients, each closed by the gradient that reaches its limit.
void run_data_parallel(const MeasuredStep& measured, const SimulationOptions& options, std::int64_t ranks, double pace,
                       Timeline& time) {
  time.compute(measured.forward);
  const double begin = time.now();
  double bytes = 0, ready = 0;
  std::string names;
  bool is_first = true;
  const auto close = [&] {
    if (bytes <= 0) return;
    time.transfer("all_reduce " + names, bytes, all_reduce_seconds(options.network, bytes, ranks),
                  begin + ready * pace);
    bytes = 0;
    names.clear();
    is_first = false;
  };
  for (const MeasuredStep::Gradient& one : measured.gradients) {
    bytes += one.bytes;
    ready = one.ready;
    names += (names.empty() ? "" : ", ") + one.name;
    if (bytes >= (is_first ? options.first_bucket : options.bucket)) close();
  }
  close();
  time.compute(measured.backward);
  time.wait_for_network();
}

// While a unit computes, the one behind it is gathered; when its backward ends, its gradients are reduced.
void run_fully_sharded(const MeasuredStep& measured, const SimulationOptions& options, std::int64_t ranks,
                       Timeline& time) {
  const std::vector<MeasuredStep::Unit>& units = measured.units;
  std::vector<double> gathered(units.size(), 0);
  const auto gather = [&](std::size_t i) {
    if (units[i].bytes <= 0) return;
    gathered[i] = time.transfer("all_gather " + units[i].name, units[i].bytes,
                                all_gather_seconds(options.network, units[i].bytes, ranks), time.now());
  };
  // 1. Forward. The first unit is around all others: it is gathered before them and needs itself last.
  gather(0);
  time.wait_until(gathered[0]);
  if (units.size() > 1) gather(1);
  for (std::size_t i = 1; i < units.size(); ++i) {
    time.wait_until(gathered[i]);
    if (i + 1 < units.size()) gather(i + 1);
    time.compute(units[i].forward);
  }
  time.compute(units[0].forward);
  // 2. Backward, in the other order.
  const auto gather_again = [&](std::size_t i) {
    if (i > 0 && options.reshards_after_forward) gather(i);
  };
  gather_again(units.size() - 1);
  for (std::size_t i = units.size(); i-- > 0;) {
    time.wait_until(gathered[i]);
    if (i > 0) gather_again(i - 1);
    time.compute(units[i].backward);
    if (units[i].bytes <= 0) continue;
    time.transfer("reduce_scatter " + units[i].name, units[i].bytes,
                  reduce_scatter_seconds(options.network, units[i].bytes, ranks), time.now());
  }
  time.wait_for_network();
}

}  // namespace

StepPrediction simulate_step(const MeasuredStep& measured, const SimulationOptions& options, std::int64_t ranks) {
  StepPrediction made;
  made.ranks = ranks;
  const double pace = (1 + options.jitter * slowest_of(ranks)) / options.speedup;
  Timeline time(made, pace);
  if (ranks <= 1) {
    time.compute(measured.total());
    made.step = time.now();
    return made;
  }
  if (options.strategy == Strategy::DataParallel) {
    run_data_parallel(measured, options, ranks, pace, time);
  } else {
    run_fully_sharded(measured, options, ranks, time);
  }
  time.compute(measured.other);
  made.step = time.now();
  return made;
}

}  // namespace nns::parallel
