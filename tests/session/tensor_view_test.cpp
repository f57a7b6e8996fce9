// Parts of tensors, single values and the statistics of whole models, through the stream.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "core/base/tensor_slice.h"
#include "core/live/commands.h"
#include "tests/session/link.h"
#include "tests/support/make_safetensors.h"

namespace nns::tests {
namespace {

using live::wire::JobState;
namespace wire = live::wire;

const std::vector<std::int64_t> kShape = {4, 3, 5};

// One tensor of float32 whose values are their row-major numbers; number 17 is NaN.
std::string counted_file() {
  const PlannedFile plan = plan_safetensors({{"weight", "F32", {4, 3, 5}}});
  std::string bytes = plan.beginning;
  for (int i = 0; i < 60; ++i) {
    const float value = i == 17 ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(i);
    char raw[sizeof value];
    std::memcpy(raw, &value, sizeof value);
    bytes.append(raw, sizeof raw);
  }
  return bytes;
}

struct TensorView : testing::Test {
  void SetUp() override {
    link.open("counted.safetensors", counted_file());
    link.run();
    ASSERT_EQ(link.mirror.documents().size(), 1U);
    document = link.mirror.documents().front()->id();
  }
  base::TensorSlice slice(std::string_view text) const { return base::parse_slice(text, kShape).value(); }
  std::string text(const wire::Values& values, std::uint32_t index) const {
    const auto* bytes = reinterpret_cast<const char*>(values.text()->data());
    return {bytes + values.offsets()->Get(index), bytes + values.offsets()->Get(index + 1)};
  }
  Link link;
  std::uint32_t document = 0;
};

TEST_F(TensorView, ATileIsOfThePart) {
  link.viewer->send(live::request_tile(50, document, 0, slice("[:, 1, ::2].T"), {0, 3, 0, 4, 10, 10}));
  link.run();
  const auto* tile = link.mirror.tile(50);
  ASSERT_NE(tile, nullptr);
  EXPECT_EQ(tile->rows(), 3U);
  EXPECT_EQ(tile->columns(), 4U);
  EXPECT_EQ(tile->mean()->Get(0), 5.0F);
  EXPECT_EQ(tile->mean()->Get(4 + 1), 22.0F);
}

TEST_F(TensorView, ATileForAFileIsExactAndKeptApart) {
  live::TileRequest wanted{0, 3, 0, 4, 10, 10};
  wanted.for_file = true;
  link.viewer->send(live::request_tile(60, document, 0, slice("[:, 1, ::2].T"), wanted));
  link.run();
  EXPECT_EQ(link.mirror.tile(60), nullptr);
  const auto* tile = link.mirror.file_tile(60);
  ASSERT_NE(tile, nullptr);
  EXPECT_FALSE(tile->sampled());
  EXPECT_EQ(tile->mean()->size(), 12U);
  EXPECT_EQ(tile->low()->size(), 0U);
  EXPECT_EQ(tile->mean()->Get(4 + 1), 22.0F);
  EXPECT_EQ(link.mirror.file_tile(59), nullptr);
}

TEST_F(TensorView, AFileIsMadeOfThePart) {
  link.viewer->send(live::read_tensor_file(61, document, 0, slice("[3, :, 1:3].T"), true, 0, 100));
  link.run();
  const auto* piece = link.mirror.file_piece(61);
  ASSERT_NE(piece, nullptr);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(piece->bytes()->data()), piece->bytes()->size()),
            "46,51,56\n47,52,57\n");
  base::TensorSlice wrong = slice("[3]");
  wrong.axes[0].start = 9;
  link.viewer->send(live::read_tensor_file(62, document, 0, wrong, true, 0, 100));
  link.run();
  EXPECT_EQ(link.state(62), JobState::Failed);
}

TEST_F(TensorView, StatisticsAndFindsAreOfThePart) {
  link.viewer->send(live::inspect_view(51, document, 0, slice("[1, 0]")));
  link.viewer->send(live::find_value(52, document, 0, slice("[:, 0]"), wire::FindWhat::Maximum, 0));
  link.viewer->send(live::find_value(53, document, 0, slice("[1]"), wire::FindWhat::NaN, 0));
  link.viewer->send(live::find_value(54, document, 0, slice("[0]"), wire::FindWhat::NaN, 0));
  link.run();
  ASSERT_NE(link.mirror.view_statistics(51), nullptr);
  EXPECT_EQ(link.mirror.view_statistics(51)->nan(), 1U);
  EXPECT_EQ(link.mirror.view_statistics(51)->max(), 19);
  ASSERT_NE(link.mirror.value_found(52), nullptr);
  EXPECT_EQ(link.mirror.value_found(52)->at(), 19U);
  EXPECT_EQ(link.mirror.value_found(53)->at(), 2U);
  EXPECT_FALSE(link.mirror.value_found(54)->found());
}

TEST_F(TensorView, ValuesAreExactTexts) {
  link.viewer->send(live::request_values(55, document, 0, slice("[1]"), {0, 2, 1, 4, 0, 0}));
  link.run();
  const auto* values = link.mirror.values(55);
  ASSERT_NE(values, nullptr);
  EXPECT_EQ(values->offsets()->size(), 7U);
  EXPECT_EQ(text(*values, 0), "16");
  EXPECT_EQ(text(*values, 1), "nan");
  EXPECT_EQ(text(*values, 3), "21");
}

TEST_F(TensorView, WhatDoesNotLieInsideFailsTheRequest) {
  base::TensorSlice outside = slice("[:]");
  outside.axes[0].count = 5;
  link.viewer->send(live::request_tile(60, document, 0, outside, {0, 1, 0, 1, 1, 1}));
  outside.axes.pop_back();
  link.viewer->send(live::inspect_view(61, document, 0, outside));
  link.viewer->send(live::find_value(62, document, 7, slice("[:]"), wire::FindWhat::NaN, 0));
  link.viewer->send(live::request_values(63, document, 0, slice("[:]"), {0, 13, 0, 5, 0, 0}));
  link.viewer->send(live::request_values(64, document, 0, slice("[:]"), {0, UINT64_MAX, 0, UINT64_MAX, 0, 0}));
  link.viewer->send(live::request_model_statistics(65, document, 2));
  link.viewer->send(live::request_model_statistics(66, 99, 0));
  link.run();
  for (std::uint64_t request = 60; request <= 66; ++request)
    EXPECT_EQ(link.state(request), JobState::Failed) << request;
}

TEST(ModelStatistics, ComeAsTheyAreComputedAndGoOnBehindACancel) {
  std::vector<PlannedTensor> tensors;
  for (int i = 0; i < 3000; ++i) tensors.push_back({"layers." + std::to_string(i) + ".weight", "BF16", {64, 64}});
  Link link;
  link.open("many.safetensors", plan_safetensors(tensors).whole());
  link.run();
  const std::uint32_t document = link.mirror.documents().front()->id();
  link.viewer->send(live::request_model_statistics(70, document, 0));
  for (int turn = 0; turn < 10'000 && link.mirror.numbers(document).empty(); ++turn) {
    link.run_for(std::chrono::milliseconds(2));
  }
  const std::size_t known = link.mirror.numbers(document).size();
  ASSERT_GT(known, 0U);
  link.viewer->send(live::cancel(70));
  link.run();
  EXPECT_EQ(link.state(70), known < 3000 ? JobState::Cancelled : JobState::Finished);
  link.viewer->send(live::request_model_statistics(71, document, static_cast<std::uint32_t>(known)));
  link.run();
  EXPECT_EQ(link.state(71), JobState::Finished);
  const auto numbers = link.mirror.numbers(document);
  ASSERT_EQ(numbers.size(), 3000U);
  for (std::uint32_t i = 0; i < numbers.size(); ++i) {
    ASSERT_EQ(numbers[i].tensor(), i);
    ASSERT_EQ(numbers[i].state(), wire::NumbersState::Known);
    ASSERT_EQ(numbers[i].zeros(), 4096U);
    ASSERT_EQ(numbers[i].dead_rows(), 64U);
  }
  link.viewer->send(live::close_document(document));
  link.run();
  EXPECT_TRUE(link.mirror.numbers(document).empty());
}

}  // namespace
}  // namespace nns::tests
