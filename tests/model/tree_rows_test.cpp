#include "ui/model/tree_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sample_document.h"

namespace nns::model {
namespace {

using live::RowKind;
using testing::ElementsAre;
using tests::DocumentBuilder;

std::shared_ptr<const live::DocumentView> view_of(live::Bytes bytes) {
  auto message = live::Message::verify(std::move(bytes));
  EXPECT_TRUE(message.ok());
  auto view = live::DocumentView::check(*message);
  EXPECT_TRUE(view.ok());
  return *view;
}

// Each line as a person sees it: two spaces a level, the label, "×n" for folds.
std::vector<std::string> lines_of(const TreeModel& tree) {
  std::vector<std::string> lines;
  for (const TreeRow& row : tree.rows()) {
    std::string line(std::size_t{row.depth} * 2, ' ');
    line += row_label(*tree.document(), row);
    if (row.is_fold()) line += " ×" + std::to_string(row.fold_count);
    lines.push_back(line);
  }
  return lines;
}

TreeModel model_of(live::Bytes bytes, std::uint32_t visible_rows = 5) {
  TreeModel tree;
  tree.show(view_of(std::move(bytes)), visible_rows);
  return tree;
}

std::uint32_t line_with(const TreeModel& tree, std::string_view label) {
  for (std::uint32_t line = 0; line < tree.rows().size(); ++line) {
    if (row_label(*tree.document(), tree.rows()[line]) == label) return line;
  }
  return TreeModel::kNoLine;
}

live::Bytes blocks(std::uint32_t count) { return tests::transformer_document(count, 1); }

TEST(TreeModelShow, OpensTheFirstLevelsThatFit) {
  EXPECT_THAT(lines_of(model_of(blocks(3), 1)), ElementsAre("transformer", "  embed", "  layers", "  norm"));
  EXPECT_THAT(lines_of(model_of(blocks(3), 7)),
              ElementsAre("transformer", "  embed", "    weight", "  layers", "    0…2 ×3", "  norm", "    weight"));
}

TEST(TreeModelFold, EqualNumberedSiblingsAreOneLine) {
  TreeModel tree = model_of(blocks(32));
  tree.expand(line_with(tree, "layers"), true);
  const TreeRow fold = tree.rows()[line_with(tree, "0…31")];
  EXPECT_EQ(fold.fold_count, 32U);
  EXPECT_EQ(tree.document()->name(fold.fold_last), "31");
  EXPECT_TRUE(fold.expandable);
  EXPECT_EQ(fold.position, 1U);
  EXPECT_EQ(fold.siblings, 1U);
}

TEST(TreeModelFold, AnOpenFoldShowsItsMembersOneLevelDeeper) {
  TreeModel tree = model_of(blocks(2), 1);
  tree.expand(line_with(tree, "layers"), true);
  tree.expand(line_with(tree, "0…1"), true);
  EXPECT_THAT(lines_of(tree),
              ElementsAre("transformer", "  embed", "  layers", "    0…1 ×2", "      0", "      1", "  norm"));
  EXPECT_EQ(tree.rows()[5].position, 2U);
  EXPECT_EQ(tree.rows()[5].siblings, 2U);
  tree.expand(3, false);
  EXPECT_EQ(tree.rows().size(), 5U);
}

TEST(TreeModelFold, SiblingsThatDifferOrLeaveOutANumberAreNotFolded) {
  DocumentBuilder builder;
  builder.begin("0", "Linear").tensor("weight", {2}).end().begin("1", "Linear").tensor("weight", {2}).end();
  builder.begin("2", "ReLU").end();
  builder.begin("4", "Linear").tensor("weight", {2}).end().begin("5", "Linear").tensor("weight", {3}).end();
  EXPECT_THAT(lines_of(model_of(builder.message(), 5)), ElementsAre("sample", "  0…1 ×2", "  2", "  4", "  5"));
}

TEST(TreeModelFold, ValuesAndPaddedNumbersAreShownOneByOne) {
  DocumentBuilder builder;
  builder.begin("list", "list", RowKind::Container).value("0", "7").value("1", "8").end();
  builder.begin("01").end().begin("02").end();
  EXPECT_THAT(lines_of(model_of(builder.message(), 20)),
              ElementsAre("sample", "  list", "    0", "    1", "  01", "  02"));
}

TEST(TreeModelExpandAll, ShowsEveryRowAndTheFoldsAbove) {
  TreeModel tree = model_of(blocks(3));
  tree.expand_all();
  EXPECT_EQ(tree.rows().size(), tree.document()->row_count() + 1);
  tree.collapse_all();
  EXPECT_THAT(lines_of(tree), ElementsAre("transformer", "  embed", "  layers", "  norm"));
}

TEST(TreeModelExpand, ALineThatCannotChangesNothing) {
  TreeModel tree = model_of(blocks(3), 20);
  const std::uint64_t before = tree.version();
  tree.expand(99, true);
  tree.expand(line_with(tree, "weight"), true);
  tree.expand(0, true);
  EXPECT_EQ(tree.version(), before);
}

TEST(TreeModelFilter, MatchesAreShownWithTheirAncestors) {
  TreeModel tree = model_of(blocks(2));
  tree.set_filter("BIAS");
  EXPECT_THAT(lines_of(tree), ElementsAre("transformer", "  layers", "    0", "      proj_0", "        bias", "    1",
                                          "      proj_0", "        bias"));
  EXPECT_EQ(tree.match_count(), 2U);
  EXPECT_TRUE(tree.rows()[4].matches);
  EXPECT_FALSE(tree.rows()[3].matches);
  tree.set_filter("");
  EXPECT_THAT(lines_of(tree), ElementsAre("transformer", "  embed", "  layers", "  norm"));
}

TEST(TreeModelFilter, APathMatchesTheRowThatCompletesIt) {
  TreeModel tree = model_of(blocks(12));
  tree.set_filter("layers.1");
  EXPECT_THAT(lines_of(tree), ElementsAre("transformer", "  layers", "    1", "    10", "    11"));
  tree.set_filter("ers.10.proj_0.w");
  EXPECT_EQ(tree.match_count(), 1U);
  tree.set_filter("layers.1.0");
  EXPECT_EQ(tree.match_count(), 0U);
  EXPECT_TRUE(tree.rows().empty());
}

TEST(TreeModelFilter, WhatLiesBelowAMatchCanBeOpened) {
  TreeModel tree = model_of(blocks(2));
  tree.set_filter("proj_0");
  const std::uint32_t line = line_with(tree, "proj_0");
  EXPECT_TRUE(tree.rows()[line].expandable);
  EXPECT_FALSE(tree.rows()[line].expanded);
  tree.expand(line, true);
  EXPECT_EQ(row_label(*tree.document(), tree.rows()[line + 1]), "weight");
  EXPECT_EQ(row_label(*tree.document(), tree.rows()[line + 2]), "bias");
}

TEST(TreeModelFilter, AClassMatches) {
  TreeModel tree = model_of(blocks(2));
  tree.set_filter("layernorm");
  EXPECT_THAT(lines_of(tree), ElementsAre("transformer", "  norm"));
}

TEST(TreeModelFilter, NothingFoundShowsNothingUntilItIsTakenAway) {
  TreeModel tree = model_of(blocks(2));
  tree.set_filter("no such name");
  EXPECT_TRUE(tree.rows().empty());
  tree.expand_all();
  tree.collapse_all();
  EXPECT_TRUE(tree.rows().empty());
  tree.set_filter("");
  EXPECT_FALSE(tree.rows().empty());
}

TEST(TreeModelReveal, OpensAncestorsAndFolds) {
  TreeModel tree = model_of(blocks(8));
  std::uint32_t wanted = 0;
  while (tree.document()->path(wanted) != "layers.5.proj_0.bias") ++wanted;
  EXPECT_EQ(tree.line_of(wanted), TreeModel::kNoLine);
  const std::uint32_t line = tree.reveal(wanted);
  ASSERT_NE(line, TreeModel::kNoLine);
  EXPECT_EQ(tree.rows()[line].row, wanted);
  EXPECT_EQ(tree.line_of(wanted), line);
  EXPECT_EQ(row_label(*tree.document(), tree.rows()[tree.parent_line(line)]), "proj_0");
}

TEST(TreeModelReveal, TheFirstMemberOfAFoldIsShownItself) {
  TreeModel tree = model_of(blocks(8));
  std::uint32_t wanted = 0;
  while (tree.document()->path(wanted) != "layers.0") ++wanted;
  const std::uint32_t line = tree.reveal(wanted);
  ASSERT_NE(line, TreeModel::kNoLine);
  EXPECT_FALSE(tree.rows()[line].is_fold());
}

TEST(TreeModelReveal, AFilterThatHidesTheRowIsTakenAway) {
  TreeModel tree = model_of(blocks(8));
  tree.set_filter("embed");
  std::uint32_t wanted = 0;
  while (tree.document()->path(wanted) != "layers.5.proj_0.bias") ++wanted;
  EXPECT_NE(tree.reveal(wanted), TreeModel::kNoLine);
  EXPECT_EQ(tree.state().filter, "");
}

TEST(TreeModelSelect, TheChoiceOfAFoldAndOfItsFirstMemberAreDifferentLines) {
  TreeModel tree = model_of(blocks(4), 1);
  tree.expand(line_with(tree, "layers"), true);
  const std::uint32_t fold = line_with(tree, "0…3");
  tree.select(fold);
  EXPECT_EQ(tree.selected_line(), fold);
  tree.expand(fold, true);
  EXPECT_EQ(tree.selected_line(), fold);
  tree.select(fold + 1);
  EXPECT_EQ(tree.selected_line(), fold + 1);
}

TEST(TreeModelShow, ANewerVersionWithTheSameRowsKeepsWhatIsOpen) {
  const auto build = [](std::uint32_t version) {
    return DocumentBuilder("net", 1, version)
        .begin("a")
        .begin("b")
        .tensor("w", {1})
        .end()
        .end()
        .begin("c")
        .end()
        .message();
  };
  TreeModel tree;
  tree.show(view_of(build(1)), 1);
  tree.expand_all();
  const auto before = lines_of(tree);
  tree.show(view_of(build(2)), 1);
  EXPECT_EQ(lines_of(tree), before);
  EXPECT_EQ(tree.document()->version(), 2U);
  tree.show(nullptr, 1);
  EXPECT_TRUE(tree.rows().empty());
}

TEST(TreeModelShow, ANewerVersionWithOtherRowsKeepsWhatIsOpenAndChosenByName) {
  TreeModel tree;
  tree.show(view_of(DocumentBuilder("net", 1, 1).begin("b").tensor("w", {1}).tensor("v", {1}).end().message()), 1);
  tree.expand_all();
  tree.select(line_with(tree, "v"));
  // A row before, one inside, and no `w`.
  tree.show(view_of(DocumentBuilder("net", 1, 2)
                        .begin("a")
                        .tensor("w", {1})
                        .end()
                        .begin("b")
                        .tensor("u", {1})
                        .tensor("v", {1})
                        .end()
                        .message()),
            1);
  EXPECT_THAT(lines_of(tree), ElementsAre("net", "  a", "  b", "    u", "    v"));
  EXPECT_EQ(tree.selected_line(), 4U);
  tree.show(view_of(DocumentBuilder("net", 1, 3).begin("b").tensor("u", {1}).end().message()), 1);
  EXPECT_EQ(tree.selected_line(), line_with(tree, "b")) << "what held the choice that is gone";
}

TEST(TreeModelShow, AnEmptyProgramThatGetsItsFirstRowsIsOpenAndKeepsItsRootChosen) {
  TreeModel tree;
  tree.show(view_of(DocumentBuilder("net.py", 1, 1).message()), 1);
  tree.select(0);
  tree.show(view_of(DocumentBuilder("net.py", 1, 2).begin("a").tensor("w", {1}).end().message()), 1);
  EXPECT_THAT(lines_of(tree), ElementsAre("net.py", "  a"));
  EXPECT_EQ(tree.selected_line(), 0U);
}

TEST(TreeModelShow, ANewerVersionWithOtherRowsKeepsTheFilter) {
  TreeModel tree;
  tree.show(view_of(DocumentBuilder("net", 1, 1).begin("b").tensor("w", {1}).end().message()), 1);
  tree.set_filter("w");
  tree.show(view_of(DocumentBuilder("net", 1, 2).begin("a").tensor("w", {1}).tensor("x", {1}).end().message()), 1);
  EXPECT_EQ(tree.match_count(), 1U);
  EXPECT_THAT(lines_of(tree), ElementsAre("net", "  a", "    w"));
}

}  // namespace
}  // namespace nns::model
