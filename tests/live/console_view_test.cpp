#include "core/live/console_view.h"

#include <gtest/gtest.h>

namespace nns::tests {
namespace {

using live::ConsoleView;
using live::wire::OutputKind;

TEST(ConsoleView, JoinsPiecesOfOneKind) {
  ConsoleView view;
  view.add(OutputKind::Out, "a");
  view.add(OutputKind::Out, "b\n");
  view.add(OutputKind::Error, "wrong\n");
  view.add(OutputKind::Out, "");
  ASSERT_EQ(view.pieces().size(), 2U);
  EXPECT_EQ(view.pieces()[0].text, "ab\n");
  EXPECT_EQ(view.pieces()[1].kind, OutputKind::Error);
  EXPECT_EQ(view.version(), 4U);
}

TEST(ConsoleView, KeepsTheNewestLinesAndCountsTheRest) {
  ConsoleView view;
  const std::string line(99, 'x');
  std::uint64_t written = 0;
  for (int i = 0; i < 30'000; ++i) {
    view.add(i % 1000 == 0 ? OutputKind::Error : OutputKind::Out, line + "\n");
    written += 100;
  }
  std::uint64_t kept = 0;
  for (const auto& piece : view.pieces()) {
    kept += piece.text.size();
    EXPECT_EQ(piece.text.size() % 100, 0U) << "whole lines";
  }
  EXPECT_LE(kept, ConsoleView::kMost);
  EXPECT_GE(kept, ConsoleView::kMost / 4);
  EXPECT_EQ(kept + view.dropped(), written);
}

TEST(ConsoleView, CutsALineWithoutEnd) {
  ConsoleView view;
  view.add(OutputKind::Out, std::string(3 * ConsoleView::kMost, 'y'));
  ASSERT_EQ(view.pieces().size(), 1U);
  EXPECT_LE(view.pieces()[0].text.size(), ConsoleView::kMost);
  EXPECT_EQ(view.pieces()[0].text.size() + view.dropped(), 3 * ConsoleView::kMost);
}

}  // namespace
}  // namespace nns::tests
