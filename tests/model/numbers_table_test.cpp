#include "ui/model/numbers_table.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/sample_document.h"

namespace nns::model {
namespace {

namespace wire = live::wire;

std::shared_ptr<const live::DocumentView> four_tensors() {
  tests::DocumentBuilder builder;
  builder.begin("model");
  for (const char* name : {"a", "b", "c", "d"}) builder.tensor(name, {2, 5});
  auto message = live::Message::verify(builder.message());
  EXPECT_TRUE(message.ok());
  auto view = live::DocumentView::check(std::move(message).value());
  EXPECT_TRUE(view.ok());
  return std::move(view).value();
}

wire::TensorNumbers numbers(std::uint32_t tensor, double std, std::uint64_t zeros, wire::NumbersState state) {
  return {10, zeros, 0, 0, 0, 0, 0, 0, 0, -1, 1, 0, std, 1, tensor, state};
}

TEST(NumbersTable, SortsLargestFirstThenSmallestThenAsInTheFile) {
  const auto document = four_tensors();
  const std::vector<wire::TensorNumbers> known = {
      numbers(0, 1, 0, wire::NumbersState::Known), numbers(1, 3, 5, wire::NumbersState::Known),
      numbers(2, 9, 0, wire::NumbersState::NoValues), numbers(3, 2, 1, wire::NumbersState::Known)};
  NumbersTable table;
  table.follow(known);
  const auto lines = [&] { return std::vector<std::uint32_t>(table.lines().begin(), table.lines().end()); };
  EXPECT_EQ(lines(), (std::vector<std::uint32_t>{0, 1, 2, 3}));
  table.choose(*document, known, NumbersColumn::Std);
  EXPECT_EQ(lines(), (std::vector<std::uint32_t>{1, 3, 0, 2})) << "what has no values stands last";
  table.choose(*document, known, NumbersColumn::Std);
  EXPECT_EQ(lines(), (std::vector<std::uint32_t>{0, 3, 1, 2}));
  table.choose(*document, known, NumbersColumn::Std);
  EXPECT_FALSE(table.is_sorted());
  EXPECT_EQ(lines(), (std::vector<std::uint32_t>{0, 1, 2, 3}));
  table.choose(*document, known, NumbersColumn::Zeros);
  EXPECT_EQ(lines().front(), 1U);
  EXPECT_EQ(numbers_text(known[1], NumbersColumn::Zeros), "50.0%");
  EXPECT_EQ(numbers_text(known[2], NumbersColumn::Std), "");
}

TEST(NumbersTable, RowsThatComeWhileItIsSortedStandBehind) {
  const auto document = four_tensors();
  std::vector<wire::TensorNumbers> known = {numbers(0, 1, 0, wire::NumbersState::Known),
                                            numbers(1, 3, 0, wire::NumbersState::Known)};
  NumbersTable table;
  table.follow(known);
  table.choose(*document, known, NumbersColumn::Std);
  known.push_back(numbers(2, 9, 0, wire::NumbersState::Known));
  table.follow(known);
  EXPECT_EQ(table.lines().back(), 2U);
  table.sort(*document, known);
  EXPECT_EQ(table.lines().front(), 2U);
}

TEST(NumbersSummary, CountsWhatIsWorthALook) {
  std::vector<wire::TensorNumbers> known = {numbers(0, 1, 0, wire::NumbersState::Known),
                                            numbers(1, 1, 0, wire::NumbersState::Unreadable)};
  known.push_back({10, 0, 1, 0, 2, 4, 4, 1, 0, -1, 1, 0, 1, 1, 2, wire::NumbersState::Known});
  const NumbersSummary summary = summarise_numbers(known);
  EXPECT_EQ(summary.known, 2U);
  EXPECT_EQ(summary.not_finite, 1U);
  EXPECT_EQ(summary.dead, 1U);
  EXPECT_EQ(summary.outliers, 1U);
  EXPECT_EQ(summary.unreadable, 1U);
}

}  // namespace
}  // namespace nns::model
