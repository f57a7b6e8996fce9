#include "ui/model/treemap_colours.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

#include "ui/model/format.h"

namespace nns::model {

namespace {

// The id of the class that owns a tensor: of the nearest row above it that has one.
std::uint32_t owner_class(const live::DocumentView& document, std::uint32_t row) {
  while (row != 0) {
    row = document.parent(row);
    if (document.class_id(row) != 0) return document.class_id(row);
  }
  return 0;
}

std::string label_of(const live::DocumentView& document, TreemapColour colour, std::uint32_t key) {
  if (colour == TreemapColour::Kind) {
    const auto kind = static_cast<live::RowKind>(key);
    if (kind == live::RowKind::Parameter) return "parameter";
    return kind == live::RowKind::Buffer ? "buffer" : "tensor";
  }
  if (colour == TreemapColour::Dtype) return std::string(document.dtype_name(key));
  const std::string_view name = document.text(key);
  if (name.empty()) return "no class";
  const std::size_t dot = name.rfind('.');
  return std::string(dot == std::string_view::npos ? name : name.substr(dot + 1));
}

struct Group {
  std::uint32_t key = 0;  ///< kind, class, or of an element type the first tensor that has it
  std::uint64_t weight = 0;
  std::uint32_t tiles = 0;
};

// The number that a statistic colours by, not below zero; NaN where there is none.
double statistic_of(const live::wire::TensorNumbers& numbers, TreemapColour colour) {
  if (numbers.state() != live::wire::NumbersState::Known || numbers.count() == 0) return std::nan("");
  if (colour == TreemapColour::Std) return numbers.std();
  if (colour == TreemapColour::AbsMax) return numbers.absmax();
  return static_cast<double>(numbers.zeros()) / static_cast<double>(numbers.count());
}

// Upper ends of the bands, the last one open. Shares of zeros have bands of their own; else they are equal on a
// logarithmic scale between the smallest number above zero and the largest.
constexpr std::size_t kBands = 7;
constexpr double kZeroBands[kBands] = {0, 0.001, 0.01, 0.1, 0.5, 0.9, 1};

TreemapLegend sort_by_statistic(const Treemap& map, TreemapColour colour,
                                std::span<const live::wire::TensorNumbers> numbers) {
  const std::span<const TreemapTile> tiles = map.tiles();
  TreemapLegend legend;
  legend.categories.assign(tiles.size(), TreemapLegend::kGroup);
  const live::DocumentView& document = *map.document();
  std::vector<double> values(tiles.size(), std::nan(""));
  double low = INFINITY;
  double high = 0;
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    const std::uint32_t tensor = tiles[i].is_group ? live::kNone : document.tensor(tiles[i].row);
    if (tensor >= numbers.size()) continue;
    values[i] = statistic_of(numbers[tensor], colour);
    if (values[i] > 0) {
      low = std::min(low, values[i]);
      high = std::max(high, values[i]);
    }
  }
  double ends[kBands];
  const double step = high > low ? std::log(high / low) / static_cast<double>(kBands) : 0;
  for (std::size_t band = 0; band < kBands; ++band) {
    ends[band] = colour == TreemapColour::Zeros ? kZeroBands[band]
                 : band + 1 == kBands           ? high
                                                : low * std::exp(step * static_cast<double>(band + 1));
  }
  TreemapLegend::Entry bands[kBands + 1];
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    if (tiles[i].is_group) continue;
    std::size_t band = kBands;  // nothing is known of it
    if (!std::isnan(values[i])) {
      for (band = 0; band + 1 < kBands && values[i] > ends[band];) ++band;
    }
    bands[band].weight += map.weight(tiles[i].row);
    ++bands[band].tiles;
    legend.categories[i] = static_cast<std::uint8_t>(band);
  }
  std::uint8_t place[kBands + 1] = {};
  for (std::size_t band = 0; band <= kBands; ++band) {
    if (bands[band].tiles == 0) continue;
    TreemapLegend::Entry entry = bands[band];
    entry.is_other = band == kBands;
    if (entry.is_other) {
      entry.label = "not known";
    } else {
      entry.shade = static_cast<float>(band) / static_cast<float>(kBands - 1);
      const auto text = [colour](double value) {
        return colour == TreemapColour::Zeros ? value_text(value * 100) + "%" : value_text(value);
      };
      entry.label = band == 0 && colour == TreemapColour::Zeros ? "none" : "to " + text(ends[band]);
    }
    place[band] = static_cast<std::uint8_t>(legend.entries.size());
    legend.entries.push_back(std::move(entry));
  }
  for (std::uint8_t& category : legend.categories) {
    if (category != TreemapLegend::kGroup) category = place[category];
  }
  return legend;
}

}  // namespace

TreemapLegend sort_tiles(const Treemap& map, TreemapColour colour, std::span<const live::wire::TensorNumbers> numbers) {
  TreemapLegend legend;
  const std::span<const TreemapTile> tiles = map.tiles();
  legend.categories.assign(tiles.size(), TreemapLegend::kGroup);
  if (map.document() == nullptr) return legend;
  if (is_statistic(colour)) return sort_by_statistic(map, colour, numbers);
  const live::DocumentView& document = *map.document();

  std::vector<Group> groups;
  std::vector<std::uint32_t> group_of(tiles.size(), 0);
  // Keys are small numbers: a table finds their group, whatever there are.
  std::vector<std::uint32_t> known(std::max<std::size_t>(document.string_count(), 256), UINT32_MAX);
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    if (tiles[i].is_group) continue;
    const std::uint32_t row = tiles[i].row;
    std::uint32_t key = 0;
    std::uint32_t slot = 0;
    if (colour == TreemapColour::Kind) {
      key = slot = static_cast<std::uint32_t>(document.kind(row));
    } else if (colour == TreemapColour::Dtype) {
      key = document.tensor(row);
      slot = document.dtype(key);
    } else {
      key = slot = owner_class(document, row);
    }
    if (known[slot] == UINT32_MAX) {
      known[slot] = static_cast<std::uint32_t>(groups.size());
      groups.push_back({key, 0, 0});
    }
    Group& group = groups[known[slot]];
    group.weight += map.weight(row);
    ++group.tiles;
    group_of[i] = known[slot];
  }
  std::vector<std::uint32_t> order(groups.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return groups[a].weight > groups[b].weight; });
  std::vector<std::uint8_t> entry_of(groups.size(), 0);
  for (std::size_t place = 0; place < order.size(); ++place) {
    const Group& group = groups[order[place]];
    const bool is_other = place >= TreemapLegend::kMost && order.size() > TreemapLegend::kMost;
    if (!is_other || place == TreemapLegend::kMost) {
      TreemapLegend::Entry entry;
      entry.label = is_other ? "other" : label_of(document, colour, group.key);
      entry.is_other = is_other;
      if (colour == TreemapColour::Kind) entry.kind = static_cast<live::RowKind>(group.key);
      legend.entries.push_back(std::move(entry));
    }
    TreemapLegend::Entry& entry = legend.entries.back();
    entry.weight += group.weight;
    entry.tiles += group.tiles;
    entry_of[order[place]] = static_cast<std::uint8_t>(legend.entries.size() - 1);
  }
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    if (!tiles[i].is_group) legend.categories[i] = entry_of[group_of[i]];
  }
  return legend;
}

}  // namespace nns::model
