#include "ui/model/rank_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/live/message.h"

namespace nns::model {
namespace {

using testing::HasSubstr;

// A step of two ranks, with one bucket each.
std::vector<std::uint8_t> two_ranks(std::uint64_t step, const std::string& differs = {}) {
  namespace wire = live::wire;
  flatbuffers::FlatBufferBuilder builder;
  std::vector<flatbuffers::Offset<wire::RankLane>> lanes;
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    const std::vector<flatbuffers::Offset<flatbuffers::String>> names = {builder.CreateString("fc.weight")};
    const auto parameters = builder.CreateVector(names);
    const std::vector<flatbuffers::Offset<wire::RankBucket>> buckets = {
        wire::CreateRankBucket(builder, 4096, parameters, 3'000'000, 5'000'000, 4'000'000, 5'000'000)};
    const auto told_buckets = builder.CreateVector(buckets);
    const auto ready = builder.CreateVector(names);
    const auto different = builder.CreateString(rank == 1 ? differs : std::string());
    lanes.push_back(wire::CreateRankLane(builder, rank, step, 0, 2'000'000, 6'000'000, told_buckets, ready, different));
  }
  const auto told = builder.CreateVector(lanes);
  builder.Finish(wire::CreateRanks(builder, 1, 2, false, told));
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

const live::wire::Ranks& ranks_of(const std::vector<std::uint8_t>& bytes) {
  return *flatbuffers::GetRoot<live::wire::Ranks>(bytes.data());
}

TEST(RankRows, TellsPartsBucketsAndWhatDiffers) {
  const std::vector<std::uint8_t> bytes = two_ranks(7, "fc.bias");
  const std::vector<StudioRow> rows = rank_rows(ranks_of(bytes));
  ASSERT_EQ(rows.size(), 12U);
  EXPECT_EQ(rows[0].name, "Rank 0");
  EXPECT_THAT(rows[0].value, HasSubstr("step 7 of 2 ranks"));
  EXPECT_EQ(rows[1].value, "2 ms");
  EXPECT_EQ(rows[3].value, "4.1 KB, 2 ms under way, 1 ms of it waited for: fc.weight");
  EXPECT_FALSE(rows[5].has_changed);
  EXPECT_TRUE(rows[11].has_changed);
  EXPECT_THAT(rows[11].value, HasSubstr("fc.bias is not that of rank 0"));
}

TEST(RankRows, OfATrainingTellWhoIsSlowestFirst) {
  namespace wire = live::wire;
  flatbuffers::FlatBufferBuilder builder;
  const auto lanes = builder.CreateVector(std::vector<flatbuffers::Offset<wire::RankLane>>());
  const auto step = wire::CreateRankSpread(builder, 2e6, 9e6, 3e6, 4, 17);
  const auto waited = wire::CreateRankSpread(builder, NAN, NAN, NAN, 0, 0);
  const auto loss = wire::CreateRankSpread(builder, 0.5, 0.75, 0.625, 3, 2);
  builder.Finish(wire::CreateRanks(builder, 1, 1000, false, lanes, 120, step, waited, loss));
  const std::vector<StudioRow> rows = rank_rows(*flatbuffers::GetRoot<wire::Ranks>(builder.GetBufferPointer()));
  ASSERT_EQ(rows.size(), 3U) << "what no rank has is left out";
  EXPECT_EQ(rows[0].name, "All 1000 ranks");
  EXPECT_EQ(rows[0].value, "step 120");
  EXPECT_EQ(rows[1].value, "2 ms (rank 4) to 9 ms (rank 17), 3 ms on average");
  EXPECT_EQ(rows[2].value, "0.5 (rank 3) to 0.75 (rank 2), 0.625 on average");
}

TEST(RankRows, AreMadeAnewWhenTheStepsAreOthers) {
  RankRows shown;
  const std::vector<std::uint8_t> first = two_ranks(7), again = two_ranks(7), next = two_ranks(8),
                                  differs = two_ranks(8, "fc.bias");
  const StudioRow* const made = shown.of(ranks_of(first)).data();
  EXPECT_EQ(shown.of(ranks_of(first)).data(), made);
  // The same step in another message.
  EXPECT_EQ(shown.of(ranks_of(again)).data(), made);
  EXPECT_THAT(shown.of(ranks_of(next))[0].value, HasSubstr("step 8"));
  EXPECT_TRUE(shown.of(ranks_of(differs)).back().has_changed);
}

}  // namespace
}  // namespace nns::model
