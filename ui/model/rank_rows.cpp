#include "ui/model/rank_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/live/message.h"
#include "ui/model/format.h"

namespace nns::model {

namespace {

using live::text_of;

std::string ms(std::uint64_t ns) { return fmt::format("{:.3g} ms", static_cast<double>(ns) / 1e6); }
std::uint64_t between(std::uint64_t from, std::uint64_t to) { return to > from ? to - from : 0; }

std::string joined(const flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>& names) {
  std::string all;
  for (const flatbuffers::String* name : names) {
    if (!all.empty()) all += ", ";
    all += text_of(name);
  }
  return all;
}

StudioRow row_of(std::string name, std::string value) {
  StudioRow row;
  row.name = std::move(name);
  row.value = std::move(value);
  return row;
}

std::string loss_text(double loss) { return fmt::format("{:.4g}", loss); }
std::string ns_text(double ns) { return ms(static_cast<std::uint64_t>(ns)); }

// "1.2 ms (rank 0) to 3.4 ms (rank 3), 2.1 ms on average".
void add_spread(std::vector<StudioRow>& rows, const char* name, const live::wire::RankSpread* of,
                std::string (*shown)(double)) {
  if (of == nullptr || !std::isfinite(of->mean())) return;
  rows.push_back(row_of(name, fmt::format("{} (rank {}) to {} (rank {}), {} on average", shown(of->least()),
                                          of->least_rank(), shown(of->most()), of->most_rank(), shown(of->mean()))));
}

void add_spreads(const live::wire::Ranks& ranks, std::vector<StudioRow>& rows) {
  if (ranks.step_ns() == nullptr) return;
  StudioRow head = row_of(fmt::format("All {} ranks", ranks.size()), fmt::format("step {}", ranks.step()));
  head.kind = StudioRow::Kind::Section;
  rows.push_back(std::move(head));
  add_spread(rows, "step", ranks.step_ns(), ns_text);
  add_spread(rows, "waited for gradients", ranks.waited_ns(), ns_text);
  add_spread(rows, "loss", ranks.loss(), loss_text);
}

}  // namespace

std::vector<StudioRow> rank_rows(const live::wire::Ranks& ranks) {
  std::vector<StudioRow> rows;
  add_spreads(ranks, rows);
  for (const live::wire::RankLane* lane : *ranks.lanes()) {
    StudioRow head =
        row_of(fmt::format("Rank {}", lane->rank()), fmt::format("step {} of {} ranks", lane->step(), ranks.size()));
    head.kind = StudioRow::Kind::Section;
    rows.push_back(std::move(head));
    rows.push_back(row_of("forward", ms(between(lane->forward_ns(), lane->backward_ns()))));
    rows.push_back(row_of("backward", ms(between(lane->backward_ns(), lane->end_ns()))));
    std::uint32_t number = 0;
    for (const live::wire::RankBucket* bucket : *lane->buckets()) {
      const std::uint64_t whole = between(bucket->launched_ns(), bucket->done_ns());
      const std::uint64_t waited = std::min(whole, between(bucket->wait_begin_ns(), bucket->wait_end_ns()));
      rows.push_back(row_of(fmt::format("bucket {}", number++),
                            fmt::format("{}, {} under way, {} of it waited for: {}", short_bytes(bucket->bytes()),
                                        ms(whole), ms(waited), joined(*bucket->parameters()))));
    }
    if (lane->ready()->size() > 0) rows.push_back(row_of("gradients came as", joined(*lane->ready())));
    StudioRow same = row_of("parameters", lane->differs()->size() == 0
                                              ? std::string("those of rank 0")
                                              : fmt::format("{} is not that of rank 0", text_of(lane->differs())));
    same.has_changed = lane->differs()->size() != 0;
    rows.push_back(std::move(same));
  }
  return rows;
}

const std::vector<StudioRow>& RankRows::of(const live::wire::Ranks& ranks) {
  std::vector<Lane> lanes;
  for (const live::wire::RankLane* lane : *ranks.lanes()) {
    lanes.push_back(
        {lane->rank(), lane->step(), lane->forward_ns(), lane->end_ns(), std::string(text_of(lane->differs()))});
  }
  if (document_ == ranks.document() && size_ == ranks.size() && step_ == ranks.step() && made_of_ == lanes)
    return rows_;
  document_ = ranks.document();
  size_ = ranks.size();
  step_ = ranks.step();
  made_of_ = std::move(lanes);
  rows_ = rank_rows(ranks);
  return rows_;
}

}  // namespace nns::model
