#include "ui/model/treemap.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/sample_document.h"
#include "ui/model/treemap_colours.h"

namespace nns::model {
namespace {

using live::RowKind;
using testing::ElementsAre;
using tests::DocumentBuilder;

std::shared_ptr<const live::DocumentView> map_view_of(live::Bytes bytes) {
  auto message = live::Message::verify(std::move(bytes));
  EXPECT_TRUE(message.ok());
  auto view = live::DocumentView::check(*message);
  EXPECT_TRUE(view.ok());
  return *view;
}

constexpr Treemap::Frame kPlain{1000, 800, 0, 0};

Treemap map_of(live::Bytes bytes, const Treemap::Frame& frame = kPlain) {
  Treemap map;
  map.show(map_view_of(std::move(bytes)));
  map.fit(frame);
  return map;
}

const TreemapTile& tile_named(const Treemap& map, std::string_view path) {
  for (const TreemapTile& tile : map.tiles()) {
    if (map.document()->path(tile.row) == path) return tile;
  }
  ADD_FAILURE() << "no tile shows " << path;
  return map.tiles().front();
}

double area(const TreemapTile& tile) { return static_cast<double>(tile.width) * static_cast<double>(tile.height); }

TEST(TreemapFit, AreasAreProportionalToParameters) {
  const Treemap map = map_of(tests::transformer_document(12, 3));
  const double whole = area(map.tiles().front());
  EXPECT_NEAR(whole, 1000.0 * 800.0, 1);
  for (const TreemapTile& tile : map.tiles()) {
    const double share = static_cast<double>(map.weight(tile.row)) / static_cast<double>(map.weight(0));
    EXPECT_NEAR(area(tile), whole * share, whole * 1e-4) << map.document()->path(tile.row);
  }
}

TEST(TreemapFit, WhatIsInsideLiesInsideAndNothingOverlaps) {
  const Treemap map = map_of(tests::transformer_document(40, 5), {900, 600, 18, 2});
  const auto tiles = map.tiles();
  constexpr float kSlack = 0.01F;
  for (std::uint32_t i = 1; i < tiles.size(); ++i) {
    const TreemapTile& tile = tiles[i];
    const TreemapTile& around = tiles[tile.parent];
    ASSERT_LT(tile.parent, i);
    ASSERT_LE(tile.end, around.end);
    EXPECT_GE(tile.x, around.x - kSlack);
    EXPECT_GE(tile.y, around.y + around.header - kSlack);
    EXPECT_LE(tile.x + tile.width, around.x + around.width + kSlack);
    EXPECT_LE(tile.y + tile.height, around.y + around.height + kSlack);
    for (std::uint32_t other = tile.end; other < around.end; other = tiles[other].end) {
      const TreemapTile& next = tiles[other];
      const bool apart = next.x >= tile.x + tile.width - kSlack || tile.x >= next.x + next.width - kSlack ||
                         next.y >= tile.y + tile.height - kSlack || tile.y >= next.y + next.height - kSlack;
      ASSERT_TRUE(apart) << map.document()->path(tile.row) << " and " << map.document()->path(next.row);
    }
  }
}

TEST(TreemapFit, TilesOfEqualWeightAreNearlySquare) {
  DocumentBuilder builder;
  for (int i = 0; i < 64; ++i) builder.tensor(fmt::format("t{}", i), {32, 32});
  const Treemap map = map_of(builder.message(), {800, 800, 0, 0});
  for (const TreemapTile& tile : map.tiles().subspan(1)) {
    EXPECT_LE(std::max(tile.width / tile.height, tile.height / tile.width), 1.5F);
  }
}

TEST(TreemapFit, WhatIsCountedElsewhereHasNoTile) {
  DocumentBuilder builder;
  builder.begin("embed").tensor("weight", {100, 8}).end();
  builder.begin("head").tensor("weight", {100, 8}).flags(live::kRepeatedParameter | live::kRepeatedBytes);
  builder.tensor("bias", {100}).end();
  const Treemap map = map_of(builder.message());
  EXPECT_EQ(map.weight(0), 900U);
  EXPECT_EQ(map.document()->path(map.tiles()[map.tile_of(2)].row), "embed.weight");
  EXPECT_EQ(map.document()->path(map.tiles()[map.tile_of(4)].row), "head") << "the nearest row above it stands for it";
}

TEST(TreemapFit, BytesCountBuffersToo) {
  DocumentBuilder builder;
  builder.begin("norm").tensor("weight", {64}).tensor("running_mean", {64}, RowKind::Buffer).end();
  Treemap map = map_of(builder.message());
  EXPECT_EQ(map.tiles().size(), 2U) << "the only group is the whole; its one parameter";
  map.set_metric(TreemapMetric::Bytes);
  map.fit(kPlain);
  EXPECT_EQ(map.tiles().size(), 3U);
  EXPECT_EQ(map.weight(0), 512U);
}

TEST(TreemapFit, AChainOfGroupsIsOneTile) {
  DocumentBuilder builder;
  builder.begin("a").begin("model").begin("decoder");
  builder.tensor("x", {8}).tensor("y", {8}).end().end().end();
  builder.begin("b").tensor("z", {8}).end();
  const Treemap map = map_of(builder.message());
  const TreemapTile& chain = tile_named(map, "a.model.decoder");
  EXPECT_EQ(map.document()->path(chain.outer), "a");
  const std::uint32_t of_a = map.tile_of(1);
  EXPECT_EQ(map.tile_of(2), of_a);
  EXPECT_EQ(map.tile_of(3), of_a);
}

TEST(TreemapFit, ADocumentWithoutWeightHasNoTiles) {
  DocumentBuilder builder;
  builder.begin("empty").tensor("nothing", {0, 5}).end();
  const Treemap map = map_of(builder.message());
  EXPECT_TRUE(map.tiles().empty());
  EXPECT_EQ(map.tile_at(5, 5), Treemap::kNoTile);
  EXPECT_EQ(map.tile_of(1), Treemap::kNoTile);
}

TEST(TreemapFit, AnEmptyFrameHoldsAllTilesWithoutArea) {
  const Treemap map = map_of(tests::transformer_document(3, 2), {0, 0, 18, 2});
  for (const TreemapTile& tile : map.tiles()) {
    EXPECT_TRUE(std::isfinite(tile.x) && std::isfinite(tile.width) && tile.width >= 0 && tile.height >= 0);
  }
}

TEST(TreemapTileAt, GivesTheInnermostTileUnderAPoint) {
  const Treemap map = map_of(tests::transformer_document(12, 3), {900, 600, 18, 2});
  for (std::uint32_t i = 0; i < map.tiles().size(); ++i) {
    const TreemapTile& tile = map.tiles()[i];
    if (tile.is_group || tile.width < 2 || tile.height < 2) continue;
    EXPECT_EQ(map.tile_at(tile.x + tile.width / 2, tile.y + tile.height / 2), i);
  }
  EXPECT_EQ(map.tile_at(-1, 5), Treemap::kNoTile);
  EXPECT_EQ(map.tile_at(900, 5), Treemap::kNoTile);
}

TEST(TreemapSetRoot, ShowsOneGroupOverTheWholeFrame) {
  Treemap map = map_of(tests::transformer_document(12, 3));
  const std::uint32_t layers = tile_named(map, "layers").row;
  const std::uint64_t before = map.version();
  map.set_root(layers);
  map.fit(kPlain);
  EXPECT_GT(map.version(), before);
  EXPECT_NEAR(area(map.tiles().front()), 1000.0 * 800.0, 1);
  EXPECT_EQ(map.tile_of(0), Treemap::kNoTile) << "what lies outside has no tile";
  EXPECT_EQ(map.tile_of(layers), 0U);
}

TEST(TreemapSetRoot, ATensorGivesTheGroupAroundIt) {
  Treemap map = map_of(tests::transformer_document(2, 1));
  map.set_root(tile_named(map, "norm.weight").row);
  EXPECT_EQ(map.document()->path(map.root()), "norm");
}

TEST(TreemapSortTiles, MergesTheLightestCategories) {
  DocumentBuilder builder;
  for (int i = 0; i < 12; ++i) {
    builder.begin(fmt::format("m{}", i), fmt::format("package.Class{}", i)).tensor("w", {12 - i}).end();
  }
  const Treemap map = map_of(builder.message());
  const TreemapLegend legend = sort_tiles(map, TreemapColour::Class, {});
  ASSERT_EQ(legend.entries.size(), TreemapLegend::kMost + 1);
  EXPECT_EQ(legend.entries.front().label, "Class0");
  EXPECT_EQ(legend.entries.back().label, "other");
  EXPECT_EQ(legend.entries.back().tiles, 4U);
  EXPECT_EQ(legend.entries.back().weight, 4U + 3 + 2 + 1);
  EXPECT_EQ(legend.categories.front(), TreemapLegend::kGroup);
}

TEST(TreemapSortTiles, KindsAndElementTypes) {
  DocumentBuilder builder;
  builder.begin("norm").tensor("weight", {64}).tensor("running_mean", {32}, RowKind::Buffer).end();
  Treemap map;
  map.show(map_view_of(builder.message()));
  map.set_metric(TreemapMetric::Bytes);
  map.fit(kPlain);
  std::vector<std::string> labels;
  for (const auto& entry : sort_tiles(map, TreemapColour::Kind, {}).entries) labels.push_back(entry.label);
  EXPECT_THAT(labels, ElementsAre("parameter", "buffer"));
  const TreemapLegend types = sort_tiles(map, TreemapColour::Dtype, {});
  ASSERT_EQ(types.entries.size(), 1U);
  EXPECT_EQ(types.entries.front().label, "float32");
  EXPECT_EQ(types.entries.front().tiles, 2U);
}

TEST(TreemapColours, StatisticsGiveBandsFromTheLeastToTheMost) {
  tests::DocumentBuilder builder;
  builder.begin("model");
  for (const char* name : {"a", "b", "c", "d"}) builder.tensor(name, {10, 10});
  auto message = live::Message::verify(builder.message());
  ASSERT_TRUE(message.ok());
  auto view = live::DocumentView::check(std::move(message).value());
  ASSERT_TRUE(view.ok());
  Treemap map;
  map.show(*view);
  map.fit({.width = 400, .height = 300, .header = 18, .padding = 2});
  using live::wire::NumbersState;
  // The last tensor is not known yet.
  const std::vector<live::wire::TensorNumbers> numbers = {
      {100, 0, 0, 0, 0, 0, 0, 0, 0, -1, 1, 0, 0.001, 1, 0, NumbersState::Known},
      {100, 95, 0, 0, 0, 0, 0, 0, 0, -1, 1, 0, 10, 1, 1, NumbersState::Known},
      {100, 100, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, NumbersState::Known}};
  const auto entry_of = [&](const TreemapLegend& legend, std::uint32_t tensor) {
    for (std::size_t tile = 0; tile < map.tiles().size(); ++tile) {
      if (!map.tiles()[tile].is_group && map.document()->tensor(map.tiles()[tile].row) == tensor) {
        return legend.entries.at(legend.categories[tile]);
      }
    }
    return TreemapLegend::Entry();
  };
  const TreemapLegend spread = sort_tiles(map, TreemapColour::Std, numbers);
  EXPECT_EQ(entry_of(spread, 0).shade, 0.0F);
  EXPECT_EQ(entry_of(spread, 1).shade, 1.0F);
  EXPECT_EQ(entry_of(spread, 2).shade, 0.0F) << "a constant tensor is with the least";
  EXPECT_TRUE(entry_of(spread, 3).is_other);
  EXPECT_EQ(entry_of(spread, 3).label, "not known");
  const TreemapLegend zeros = sort_tiles(map, TreemapColour::Zeros, numbers);
  EXPECT_EQ(entry_of(zeros, 0).label, "none");
  EXPECT_EQ(entry_of(zeros, 1).label, "to 100%");
  EXPECT_EQ(entry_of(zeros, 1).tiles, 2U);
}

}  // namespace
}  // namespace nns::model
