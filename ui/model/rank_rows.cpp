#include "ui/model/rank_rows.h"

#include <fmt/format.h>

#include <algorithm>
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

}  // namespace

std::vector<StudioRow> rank_rows(const live::wire::Ranks& ranks) {
  std::vector<StudioRow> rows;
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
  if (document_ == ranks.document() && size_ == ranks.size() && made_of_ == lanes) return rows_;
  document_ = ranks.document();
  size_ = ranks.size();
  made_of_ = std::move(lanes);
  rows_ = rank_rows(ranks);
  return rows_;
}

}  // namespace nns::model
