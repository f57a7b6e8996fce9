#include "core/train/rank_exchange.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/base/hash.h"

namespace nns::train {

namespace {

constexpr std::uint32_t kBits[] = {subject::kActivations, subject::kOutputGradients};
constexpr std::size_t kSumsOfEach = 6, kMaximaOfEach = 2;

// The columns of a row.
enum Column : std::size_t { kLoss, kStepNs, kWaitedNs, kClockNs, kMachine, kHasStep, kColumns };

constexpr double kNone64 = std::numeric_limits<double>::quiet_NaN();

std::uint64_t waited_ns(const parallel::StepTimeline& timeline) {
  std::int64_t sum = 0;
  for (const parallel::StepTimeline::Bucket& bucket : timeline.buckets) {
    sum += std::max<std::int64_t>(0, bucket.wait_end_ns - bucket.wait_begin_ns);
  }
  return static_cast<std::uint64_t>(sum);
}

RankSpread spread_of(const std::vector<std::vector<double>>& rows, Column column) {
  RankSpread spread;
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t rank = 0; rank < rows.size(); ++rank) {
    const double value = rows[rank][column];
    if (!std::isfinite(value)) continue;
    if (count == 0 || value < spread.least) {
      spread.least = value;
      spread.least_rank = static_cast<std::uint32_t>(rank);
    }
    if (count == 0 || value > spread.most) {
      spread.most = value;
      spread.most_rank = static_cast<std::uint32_t>(rank);
    }
    sum += value;
    ++count;
  }
  if (count > 0) spread.mean = sum / static_cast<double>(count);
  return spread;
}

void shift(parallel::StepTimeline& timeline, std::int64_t by) {
  const auto move = [by](std::int64_t& at) {
    if (at != 0) at += by;
  };
  move(timeline.forward_ns);
  move(timeline.backward_ns);
  move(timeline.end_ns);
  for (parallel::StepTimeline::Bucket& bucket : timeline.buckets) {
    move(bucket.launched_ns);
    move(bucket.done_ns);
    move(bucket.wait_begin_ns);
    move(bucket.wait_end_ns);
  }
}

}  // namespace

RankExchange::RankExchange(int rank, int size, const std::string& machine)
    : rank_(rank),
      size_(size),
      // As much of the hash as a double holds.
      machine_(static_cast<double>(base::hash_text(machine) >> 12U)) {}

std::optional<StepReport> RankExchange::put(StepReport report) {
  own_loss_ = report.has_loss ? report.loss : kNone64;
  return std::exchange(waiting_, std::optional(std::move(report)));
}

void RankExchange::met() {
  met_ns_ =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double RankExchange::loss_weight() const {
  if (!waiting_ || !waiting_->has_loss) return 0;
  return waiting_->samples == 0 ? 1 : static_cast<double>(waiting_->samples);
}

std::array<double, 3> RankExchange::sums() const {
  if (!waiting_) return {};
  const double weight = loss_weight();
  return {weight == 0 ? 0 : waiting_->loss * weight, weight, static_cast<double>(waiting_->samples)};
}

void RankExchange::take_sums(std::span<const double> sums) {
  if (!waiting_ || sums.size() < 3) return;
  if (sums[1] > 0) {
    waiting_->loss = sums[0] / sums[1];
    waiting_->has_loss = true;
  }
  waiting_->samples = static_cast<std::uint64_t>(sums[2]);
}

std::array<double, 2> RankExchange::maxima() const {
  Next next = Next::Plain;
  if (rank_ == 0 && wants_details_) next = wanted_ == agreed_ ? Next::AsPlanned : Next::NewPlan;
  const bool is_bad = waiting_ && !waiting_->is_finite;
  return {static_cast<double>(next), is_bad ? static_cast<double>(size_ - rank_) : 0.0};
}

std::optional<int> RankExchange::bad_rank(double maximum) const {
  return maximum > 0 ? std::optional(size_ - static_cast<int>(maximum)) : std::nullopt;
}

void RankExchange::take_not_finite(int rank, NotFinite found) {
  if (!waiting_) return;
  waiting_->is_finite = false;
  found.rank = rank;
  waiting_->not_finite = std::move(found);
}

RankExchange::Packed RankExchange::moments() const {
  // 1. One place for each bit that was agreed on, whatever this rank saw.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> places;
  for (std::uint32_t module = 0; module < agreed_.size(); ++module) {
    for (const std::uint32_t bit : kBits) {
      if ((agreed_[module] & bit) != 0) places.emplace(std::pair(module, bit), places.size());
    }
  }
  Packed packed;
  packed.sums.assign(places.size() * kSumsOfEach, 0);
  packed.maxima.assign(places.size() * kMaximaOfEach, -std::numeric_limits<double>::infinity());
  if (!waiting_) return packed;
  // 2. What it saw.
  for (const FoundMoments& found : waiting_->moments) {
    const auto place = places.find({found.of, found.subject});
    if (place == places.end()) continue;
    const ops::Moments& m = found.moments;
    const double sums[kSumsOfEach] = {static_cast<double>(m.count),
                                      static_cast<double>(m.nan),
                                      static_cast<double>(m.infinite),
                                      static_cast<double>(m.zeros),
                                      m.sum,
                                      m.square};
    std::copy(std::begin(sums), std::end(sums),
              packed.sums.begin() + static_cast<std::ptrdiff_t>(place->second * kSumsOfEach));
    packed.maxima[place->second * kMaximaOfEach] = m.high;
    packed.maxima[place->second * kMaximaOfEach + 1] = -m.low;
  }
  return packed;
}

void RankExchange::take_moments(std::span<const double> sums, std::span<const double> maxima) {
  if (!waiting_) return;
  std::map<std::pair<std::uint32_t, std::uint32_t>, FoundMoments*> own;
  for (FoundMoments& found : waiting_->moments) own.emplace(std::pair(found.of, found.subject), &found);
  std::vector<FoundMoments> added;
  std::size_t place = 0;
  for (std::uint32_t module = 0; module < agreed_.size(); ++module) {
    for (const std::uint32_t bit : kBits) {
      if ((agreed_[module] & bit) == 0) continue;
      if ((place + 1) * kSumsOfEach > sums.size() || (place + 1) * kMaximaOfEach > maxima.size()) return;
      const double* const s = sums.data() + place * kSumsOfEach;
      const double* const m = maxima.data() + place * kMaximaOfEach;
      ++place;
      if (s[0] == 0) continue;
      ops::Moments all;
      all.count = static_cast<std::uint64_t>(s[0]);
      all.nan = static_cast<std::uint64_t>(s[1]);
      all.infinite = static_cast<std::uint64_t>(s[2]);
      all.zeros = static_cast<std::uint64_t>(s[3]);
      all.sum = s[4];
      all.square = s[5];
      all.high = m[0];
      all.low = -m[1];
      // A module that only other ranks called is told as well.
      if (const auto known = own.find({module, bit}); known != own.end()) {
        known->second->moments = all;
      } else {
        added.push_back({module, bit, all});
      }
    }
  }
  waiting_->moments.insert(waiting_->moments.end(), added.begin(), added.end());
}

std::vector<double> RankExchange::row() const {
  std::vector<double> row(kColumns, kNone64);
  row[kClockNs] = static_cast<double>(met_ns_);
  row[kMachine] = machine_;
  row[kHasStep] = waiting_ ? 1 : 0;
  if (!waiting_) return row;
  row[kLoss] = own_loss_;
  row[kStepNs] = static_cast<double>(waiting_->total_ns());
  if (timeline_) row[kWaitedNs] = static_cast<double>(waited_ns(*timeline_));
  return row;
}

std::vector<int> RankExchange::take_rows(const std::vector<std::vector<double>>& rows) {
  rows_.clear();
  for (const std::vector<double>& row : rows) {
    rows_.push_back(row);
    rows_.back().resize(kColumns, kNone64);
  }
  report_.emplace();
  report_->size = static_cast<std::uint32_t>(size_);
  report_->step = waiting_ ? waiting_->step : 0;
  report_->step_ns = spread_of(rows_, kStepNs);
  report_->waited_ns = spread_of(rows_, kWaitedNs);
  report_->loss = spread_of(rows_, kLoss);
  std::vector<int> chosen{0};
  const auto add = [&](int rank) {
    if (chosen.size() < kMostLanes && std::find(chosen.begin(), chosen.end(), rank) == chosen.end()) {
      chosen.push_back(rank);
    }
  };
  if (rows_.size() > kMostLanes) {
    add(static_cast<int>(report_->step_ns.most_rank));
    add(static_cast<int>(report_->step_ns.least_rank));
    add(static_cast<int>(report_->waited_ns.most_rank));
    for (std::size_t i = 1; i < kMostLanes; ++i) add(static_cast<int>(i * rows_.size() / kMostLanes));
  }
  for (int rank = 0; rank < static_cast<int>(rows_.size()); ++rank) add(rank);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

void RankExchange::take_lane(int rank, parallel::StepTimeline timeline) {
  if (!report_ || rank < 0 || static_cast<std::size_t>(rank) >= rows_.size()) return;
  timeline.rank = rank;
  timeline.size = size_;
  if (timeline_ && timeline.names.empty()) timeline.names = timeline_->names;
  const std::vector<double>& row = rows_[static_cast<std::size_t>(rank)];
  // All ranks left the same collective at about the same moment.
  if (row[kMachine] != machine_) shift(timeline, met_ns_ - static_cast<std::int64_t>(row[kClockNs]));
  report_->lanes.insert_or_assign(rank, std::move(timeline));
}

void RankExchange::plan_next(const StepPlan& plan, std::size_t modules) {
  wanted_.assign(modules, 0);
  bool has_moments = false;
  for (std::size_t i = 0; i < std::min(modules, plan.modules.size()); ++i) {
    wanted_[i] = plan.modules[i] & static_cast<std::uint8_t>(subject::kOfModules);
    has_moments = has_moments || wanted_[i] != 0;
  }
  wants_details_ = has_moments || plan.timeline || plan.times;
}

std::string RankExchange::plan() const { return {wanted_.begin(), wanted_.end()}; }

bool RankExchange::take_plan(std::string_view bytes) {
  for (const char one : bytes) {
    if ((static_cast<std::uint8_t>(one) & ~subject::kOfModules) != 0) return false;
  }
  agreed_.assign(bytes.begin(), bytes.end());
  return true;
}

bool RankExchange::begin_next(Next next) {
  const bool was_detailed = is_detailed_;
  is_detailed_ = next != Next::Plain;
  timeline_.reset();
  return is_detailed_ != was_detailed || next == Next::NewPlan;
}

void RankExchange::add_to(StepPlan& plan, std::size_t modules) const {
  // The numbers of modules mean the same on all ranks where all have the same table.
  if (!is_detailed_ || agreed_.size() != modules) return;
  if (plan.modules.size() < modules) plan.modules.resize(modules);
  for (std::size_t i = 0; i < modules; ++i) plan.modules[i] |= agreed_[i];
}

}  // namespace nns::train
