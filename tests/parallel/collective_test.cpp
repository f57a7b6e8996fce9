#include "core/parallel/collective.h"

#include <gtest/gtest.h>

#include <array>

#include "core/parallel/process_group.h"

namespace nns::tests {
namespace {

using parallel::Collective;
using parallel::CollectiveKind;

Collective made(CollectiveKind kind, std::size_t inputs, std::size_t outputs, std::span<std::byte> bytes) {
  Collective collective;
  collective.kind = kind;
  for (std::size_t i = 0; i < inputs; ++i) collective.inputs.emplace_back(bytes);
  for (std::size_t i = 0; i < outputs; ++i) collective.outputs.push_back(bytes);
  return collective;
}

TEST(CheckCollective, WantsAsManyBuffersAsTheKindHas) {
  std::array<std::byte, 8> bytes{};
  EXPECT_TRUE(check_collective(made(CollectiveKind::AllReduce, 0, 1, bytes), 0, 3).ok());
  EXPECT_FALSE(check_collective(made(CollectiveKind::AllReduce, 1, 1, bytes), 0, 3).ok());
  EXPECT_TRUE(check_collective(made(CollectiveKind::AllGather, 1, 3, bytes), 0, 3).ok());
  EXPECT_FALSE(check_collective(made(CollectiveKind::AllGather, 1, 2, bytes), 0, 3).ok());
  EXPECT_TRUE(check_collective(made(CollectiveKind::Gather, 1, 0, bytes), 1, 3).ok());
  EXPECT_FALSE(check_collective(made(CollectiveKind::Gather, 1, 0, bytes), 0, 3).ok()) << "the root takes three";
}

TEST(CheckCollective, RefusesARootOutsideOfTheGroupAndUnequalShares) {
  std::array<std::byte, 8> bytes{};
  Collective broadcast = made(CollectiveKind::Broadcast, 0, 1, bytes);
  broadcast.root = 3;
  EXPECT_FALSE(check_collective(broadcast, 0, 3).ok());
  Collective gather = made(CollectiveKind::AllGather, 1, 2, bytes);
  gather.outputs[1] = gather.outputs[1].first(4);
  EXPECT_FALSE(check_collective(gather, 0, 2).ok());
}

TEST(SignatureText, NamesTheFunctionItsItemsAndItsOperation) {
  std::array<std::byte, 8> bytes{};
  Collective sum = made(CollectiveKind::AllReduce, 0, 1, bytes);
  sum.dtype = tensor::DType::Float32;
  EXPECT_EQ(signature_text(signature_of(sum)), "all_reduce of 2 torch.float32 (SUM)");
  Collective broadcast = made(CollectiveKind::Broadcast, 0, 1, bytes);
  broadcast.root = 1;
  EXPECT_EQ(signature_text(signature_of(broadcast)), "broadcast of 8 torch.uint8 with root 1");
}

TEST(SingleGroup, CopiesWhatItSendsToItselfAndCounts) {
  const auto group = parallel::make_single_group();
  std::array<std::byte, 2> from{std::byte{1}, std::byte{2}}, to{};
  Collective gather = made(CollectiveKind::AllGather, 1, 0, from);
  gather.outputs.emplace_back(to);
  EXPECT_TRUE(group->start(gather)->wait().ok());
  EXPECT_EQ(to, from);
  EXPECT_EQ(group->sequence_number(), 1U);
  EXPECT_FALSE(group->send(from, {})->wait().ok());
}

}  // namespace
}  // namespace nns::tests
