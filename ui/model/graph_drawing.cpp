#include "ui/model/graph_drawing.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "core/live/message.h"

namespace nns::model {

using live::text_of;
using live::wire::NodeOp;

namespace {

constexpr float kNodeWidth = 176, kNodeHeight = 40, kInputHeight = 26, kBend = 10;
constexpr float kGapX = 18, kGapY = 30, kPadding = 12, kHead = 24;
constexpr std::uint32_t kOpenBoxes = 120;  // as many are drawn at first, about
constexpr std::uint32_t kLongEdge = 40;    // layers; longer ones go straight
constexpr int kSweeps = 6, kPlaces = 8;

std::uint64_t mixed(std::uint64_t hash, std::string_view text) {
  for (const char c : text) hash = (hash ^ static_cast<std::uint8_t>(c)) * 0x100000001B3ULL;
  return (hash ^ text.size()) * 0x100000001B3ULL;
}

// Whether a placeholder's source is a module's own: a path of Python, or what the signature of an exported program
// says.
bool is_weight(std::string_view source) {
  return source.find("_parameters[") != std::string_view::npos || source.find("_buffers[") != std::string_view::npos ||
         source.starts_with("parameter ") || source.starts_with("buffer ") || source.starts_with("tensor constant ");
}

bool is_input(std::uint8_t op) {
  return op == static_cast<std::uint8_t>(NodeOp::Placeholder) || op == static_cast<std::uint8_t>(NodeOp::GetAttr);
}

}  // namespace

void GraphDrawing::show(const live::wire::CaptureGraph* graph) {
  if (graph == graph_) return;
  graph_ = graph;
  groups_.clear();
  boxes_.clear();
  edges_.clear();
  points_.clear();
  box_of_.clear();
  width_ = height_ = 0;
  ++version_;
  if (graph != nullptr) {
    find_groups();
    open_first();
  }
  begin();
}

// A group is an unbroken run of nodes below one call of a module: so nothing leads from it and back into it.
void GraphDrawing::find_groups() {
  const std::uint32_t count = graph_->op()->size();
  const auto& stacks = *graph_->stacks();
  const auto inputs_of = [&](std::uint32_t node) {
    return std::span(graph_->inputs()->data() + graph_->inputs_begin()->Get(node),
                     graph_->inputs()->data() + graph_->inputs_begin()->Get(node + 1));
  };
  group_of_.assign(count, kNoBox);
  hidden_by_.assign(count, kNoBox);
  std::vector<std::uint32_t> open;   // groups
  std::vector<std::uint32_t> chain;  // entries of the stack, the outermost first
  for (std::uint32_t node = 0; node < count; ++node) {
    if (is_input(graph_->op()->Get(node)) || graph_->op()->Get(node) == static_cast<std::uint8_t>(NodeOp::Output))
      continue;
    chain.clear();
    for (std::uint32_t at = graph_->stack()->Get(node); at != kNoBox; at = stacks.Get(at)->parent())
      chain.push_back(at);
    std::reverse(chain.begin(), chain.end());
    std::size_t same = 0;
    while (same < open.size() && same < chain.size() && groups_[open[same]].stack == chain[same]) ++same;
    open.resize(same);
    for (; same < chain.size(); ++same) {
      const std::uint32_t parent = open.empty() ? kNoBox : open.back();
      open.push_back(static_cast<std::uint32_t>(groups_.size()));
      Group& group = groups_.emplace_back();
      group.parent = parent;
      group.stack = chain[same];
      group.first = node;
      group.signature = mixed(0xCBF29CE484222325ULL, text_of(stacks.Get(chain[same])->class_name()));
    }
    group_of_[node] = open.empty() ? kNoBox : open.back();
    for (const std::uint32_t group : open) {
      ++groups_[group].nodes;
      groups_[group].signature = mixed(groups_[group].signature, text_of(graph_->target()->Get(node)));
    }
  }
  // A group of one node says no more than the node; one around everything is the drawing itself.
  std::uint32_t calls = 0;
  for (std::uint32_t node = 0; node < count; ++node) {
    if (!is_input(graph_->op()->Get(node)) && graph_->op()->Get(node) != static_cast<std::uint8_t>(NodeOp::Output))
      ++calls;
  }
  const auto is_kept = [&](std::uint32_t group) { return groups_[group].nodes > 1 && groups_[group].nodes < calls; };
  const auto kept = [&](std::uint32_t group) {
    while (group != kNoBox && !is_kept(group)) group = groups_[group].parent;
    return group;
  };
  for (std::uint32_t& group : group_of_) group = kept(group);
  for (Group& group : groups_) group.parent = kept(group.parent);
  // A parameter stands with what takes it.
  std::vector<std::uint32_t> user(count, kNoBox), users(count, 0);
  const auto depth = [&](std::uint32_t group) {
    std::uint32_t steps = 0;
    for (; group != kNoBox; group = groups_[group].parent) ++steps;
    return steps;
  };
  for (std::uint32_t node = 0; node < count; ++node) {
    for (const std::uint32_t input : inputs_of(node)) {
      if (!is_input(graph_->op()->Get(input))) continue;
      std::uint32_t a = group_of_[node];
      if (users[input]++ == 0) {
        user[input] = node;
        group_of_[input] = a;
        continue;
      }
      std::uint32_t b = group_of_[input];
      std::uint32_t deep_a = depth(a), deep_b = depth(b);
      while (a != b) {
        if (deep_a >= deep_b) {
          a = groups_[a].parent;
          --deep_a;
        } else {
          b = groups_[b].parent;
          --deep_b;
        }
      }
      group_of_[input] = a;
    }
  }
  for (std::uint32_t node = 0; node < count; ++node) {
    const bool is_own = graph_->op()->Get(node) == static_cast<std::uint8_t>(NodeOp::GetAttr) ||
                        is_weight(text_of(graph_->arguments()->Get(node)));
    if (!is_input(graph_->op()->Get(node))) continue;
    if (users[node] == 1 && is_own && !is_body(node)) hidden_by_[node] = user[node];
    // What the whole is called with stands outside of all modules.
    if (!is_own) group_of_[node] = kNoBox;
  }
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> seen;
  for (std::uint32_t group = 0; group < groups_.size(); ++group) {
    if (is_kept(group))
      groups_[group].repeats = !seen.try_emplace({groups_[group].parent, groups_[group].signature}, group).second;
  }
}

void GraphDrawing::open_first() {
  // How many boxes each group shows of its own.
  std::vector<std::uint32_t> own(groups_.size() + 1, 0);
  const auto at = [&](std::uint32_t group) { return group == kNoBox ? groups_.size() : group; };
  std::vector<std::uint8_t> is_used(groups_.size(), 0);
  for (std::uint32_t node = 0; node < group_of_.size(); ++node) {
    if (hidden_by_[node] == kNoBox) ++own[at(group_of_[node])];
    for (std::uint32_t group = group_of_[node]; group != kNoBox && is_used[group] == 0; group = groups_[group].parent) {
      is_used[group] = 1;
      ++own[at(groups_[group].parent)];
    }
  }
  std::uint32_t shown = own[groups_.size()];
  // Outer groups stand before inner ones.
  for (std::uint32_t group = 0; group < groups_.size(); ++group) {
    Group& one = groups_[group];
    const bool is_parent_open = one.parent == kNoBox || groups_[one.parent].is_open;
    one.is_open = is_used[group] != 0 && !one.repeats && is_parent_open && shown + own[group] <= kOpenBoxes;
    if (one.is_open) shown += own[group];
  }
}

bool GraphDrawing::step(const std::function<bool()>& is_over) {
  while (phase_ != Phase::Done) {
    switch (phase_) {
      case Phase::Boxes:
        make_boxes();
        // Inner levels first: how large they are decides how the outer ones lie.
        level_ = levels_.size();
        phase_ = Phase::Layers;
        break;
      case Phase::Layers:
        if (level_ == 0) {
          phase_ = Phase::Finish;
          break;
        }
        make_layers(levels_[--level_]);
        round_ = 0;
        phase_ = Phase::Sweep;
        break;
      case Phase::Sweep:
        sweep(levels_[level_], round_ % 2 == 0);
        if (++round_ < kSweeps) break;
        round_ = 0;
        phase_ = Phase::Place;
        break;
      case Phase::Place:
        place(levels_[level_], round_ % 2 == 0);
        if (++round_ < kPlaces) break;
        finish_level(levels_[level_]);
        phase_ = Phase::Layers;
        break;
      case Phase::Finish:
        finish();
        phase_ = Phase::Done;
        break;
      case Phase::Done:
        break;
    }
    if (phase_ != Phase::Done && is_over()) return false;
  }
  return true;
}

void GraphDrawing::make_boxes() {
  const std::uint32_t count = graph_->op()->size();
  made_.clear();
  made_edges_.clear();
  edge_level_.clear();
  levels_.assign(1, {});
  made_box_of_.assign(count, kNoBox);
  std::vector<std::uint32_t> box_of_group(groups_.size(), kNoBox), level_of(groups_.size(), 0);
  // The box of the outermost group that is folded, or of the innermost that is open; made as they are met, so that
  // those around stand before those within.
  std::vector<std::uint32_t> chain;
  const auto level_for = [&](std::uint32_t group, std::uint32_t& folded) {
    chain.clear();
    for (; group != kNoBox; group = groups_[group].parent) chain.push_back(group);
    std::uint32_t level = 0;
    for (std::size_t i = chain.size(); i-- > 0;) {
      const std::uint32_t one = chain[i];
      if (box_of_group[one] == kNoBox) {
        box_of_group[one] = static_cast<std::uint32_t>(made_.size());
        Box& box = made_.emplace_back();
        box.group = one;
        box.node = groups_[one].first;
        box.parent = levels_[level].box;
        box.nodes = groups_[one].nodes;
        box.repeats = groups_[one].repeats;
        box.is_open = groups_[one].is_open;
        box.width = kNodeWidth;
        box.height = kNodeHeight;
        levels_[level].boxes.push_back(box_of_group[one]);
        if (box.is_open) {
          level_of[one] = static_cast<std::uint32_t>(levels_.size());
          levels_.emplace_back().box = box_of_group[one];
        }
      }
      if (!groups_[one].is_open) {
        folded = box_of_group[one];
        return level;
      }
      level = level_of[one];
    }
    return level;
  };
  // Inputs first, so that they lie before what takes them; but a group is where its first node is.
  for (const bool inputs : {false, true}) {
    for (std::uint32_t node = 0; node < count; ++node) {
      if (is_input(graph_->op()->Get(node)) != inputs || hidden_by_[node] != kNoBox) continue;
      std::uint32_t folded = kNoBox;
      const std::uint32_t level = level_for(group_of_[node], folded);
      if (folded != kNoBox) {
        made_box_of_[node] = folded;
        continue;
      }
      made_box_of_[node] = static_cast<std::uint32_t>(made_.size());
      Box& box = made_.emplace_back();
      box.node = node;
      box.parent = levels_[level].box;
      box.width = kNodeWidth;
      box.height = inputs && !is_body(node) ? kInputHeight : kNodeHeight;
      levels_[level].boxes.push_back(made_box_of_[node]);
    }
  }
  for (std::uint32_t node = 0; node < count; ++node) {
    if (hidden_by_[node] != kNoBox) made_box_of_[node] = made_box_of_[hidden_by_[node]];
  }
  // Edges between what is drawn, once each; each belongs to the innermost level that holds both ends.
  std::vector<std::uint32_t> level_of_box(made_.size() + 1, 0);
  for (std::uint32_t level = 0; level < levels_.size(); ++level) {
    for (const std::uint32_t box : levels_[level].boxes) level_of_box[box] = level;
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> all;
  for (std::uint32_t node = 0; node < count; ++node) {
    if (hidden_by_[node] != kNoBox) continue;
    for (std::uint32_t i = graph_->inputs_begin()->Get(node); i < graph_->inputs_begin()->Get(node + 1); ++i) {
      const std::uint32_t from = graph_->inputs()->Get(i);
      if (hidden_by_[from] == kNoBox && made_box_of_[from] != made_box_of_[node]) {
        all.emplace_back(made_box_of_[from], made_box_of_[node]);
      }
    }
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  for (const auto& [from, to] : all) {
    std::uint32_t a = from, b = to;
    // Levels are numbered from the outer to the inner ones.
    while (level_of_box[a] != level_of_box[b]) {
      std::uint32_t& deeper = level_of_box[a] > level_of_box[b] ? a : b;
      deeper = made_[deeper].parent;
    }
    if (a == b) continue;
    made_edges_.push_back({from, to, 0, 0});
    edge_level_.push_back(level_of_box[a]);
    levels_[level_of_box[a]].edges.emplace_back(a, b);
  }
}

void GraphDrawing::make_layers(Level& level) {
  std::vector<std::uint32_t> item_of(made_.size(), kNoBox);
  // From the first node on; inputs, which have no numbers of their own among them, in front.
  std::sort(level.boxes.begin(), level.boxes.end(), [&](std::uint32_t a, std::uint32_t b) {
    return made_[a].node != made_[b].node ? made_[a].node < made_[b].node : a < b;
  });
  level.items.clear();
  for (const std::uint32_t box : level.boxes) {
    item_of[box] = static_cast<std::uint32_t>(level.items.size());
    level.items.push_back({box, 0, made_[box].width, 0, 0, 0});
  }
  const auto count = static_cast<std::uint32_t>(level.items.size());
  std::vector<std::vector<std::uint32_t>> next(count);
  std::vector<std::uint32_t> before(count, 0);
  for (auto& [from, to] : level.edges) {
    from = item_of[from];
    to = item_of[to];
    next[from].push_back(to);
    ++before[to];
  }
  // Each lies below all that it takes.
  std::vector<std::uint32_t> ready;
  const std::vector<std::uint32_t> takes = before;
  for (std::uint32_t item = 0; item < count; ++item) {
    if (before[item] == 0) ready.push_back(item);
  }
  for (std::size_t i = 0; i < ready.size(); ++i) {
    for (const std::uint32_t to : next[ready[i]]) {
      level.items[to].layer = std::max(level.items[to].layer, level.items[ready[i]].layer + 1);
      if (--before[to] == 0) ready.push_back(to);
    }
  }
  // What takes nothing stands right above what takes it first.
  for (std::uint32_t item = 0; item < count; ++item) {
    if (takes[item] != 0 || next[item].empty()) continue;
    std::uint32_t lowest = UINT32_MAX;
    for (const std::uint32_t to : next[item]) lowest = std::min(lowest, level.items[to].layer);
    level.items[item].layer = std::max(lowest, 1U) - 1;
  }
  // Edges over several layers get bends, which keep their way free.
  const std::size_t edge_count = level.edges.size();
  level.bends.assign(edge_count, {0, 0});
  std::vector<std::pair<std::uint32_t, std::uint32_t>> short_edges;
  for (std::size_t i = 0; i < edge_count; ++i) {
    const auto [from, to] = level.edges[i];
    const std::uint32_t span = level.items[to].layer - level.items[from].layer;
    if (span <= 1 || span > kLongEdge) {
      short_edges.emplace_back(from, to);
      continue;
    }
    level.bends[i] = {static_cast<std::uint32_t>(level.items.size()), span - 1};
    std::uint32_t last = from;
    for (std::uint32_t k = 1; k < span; ++k) {
      const auto bend = static_cast<std::uint32_t>(level.items.size());
      level.items.push_back({kNoBox, 0, kBend, level.items[from].layer + k, 0, 0});
      short_edges.emplace_back(last, bend);
      last = bend;
    }
    short_edges.emplace_back(last, to);
  }
  level.above.assign(level.items.size(), {});
  level.below.assign(level.items.size(), {});
  for (const auto& [from, to] : short_edges) {
    level.below[from].push_back(to);
    level.above[to].push_back(from);
  }
  level.layers.clear();
  for (std::uint32_t item = 0; item < level.items.size(); ++item) {
    const std::uint32_t layer = level.items[item].layer;
    if (layer >= level.layers.size()) level.layers.resize(layer + 1);
    level.items[item].order = static_cast<std::uint32_t>(level.layers[layer].size());
    level.layers[layer].push_back(item);
  }
  for (auto& layer : level.layers) {
    float x = 0;
    for (const std::uint32_t item : layer) {
      level.items[item].x = x;
      x += level.items[item].width + kGapX;
    }
    for (const std::uint32_t item : layer) level.items[item].x -= x / 2;
  }
}

// Behaviour: the barycentre heuristic of Sugiyama, Tagawa and Toda, 1981.
void GraphDrawing::sweep(Level& level, bool is_down) const {
  const auto& neighbours = is_down ? level.above : level.below;
  for (std::size_t n = 0; n < level.layers.size(); ++n) {
    auto& layer = level.layers[is_down ? n : level.layers.size() - 1 - n];
    for (const std::uint32_t item : layer) {
      Item& one = level.items[item];
      one.wanted = one.order;
      if (neighbours[item].empty()) continue;
      double sum = 0;
      for (const std::uint32_t other : neighbours[item]) sum += level.items[other].order;
      one.wanted = sum / static_cast<double>(neighbours[item].size());
    }
    std::stable_sort(layer.begin(), layer.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return level.items[a].wanted < level.items[b].wanted; });
    for (std::uint32_t i = 0; i < layer.size(); ++i) level.items[layer[i]].order = i;
  }
}

// Each as near to the middle of its neighbours as those beside it allow.
void GraphDrawing::place(Level& level, bool is_down) const {
  for (std::size_t n = 0; n < level.layers.size(); ++n) {
    auto& layer = level.layers[is_down ? n : level.layers.size() - 1 - n];
    float edge = -1e30F;
    double off = 0;
    for (const std::uint32_t item : layer) {
      Item& one = level.items[item];
      double sum = 0;
      std::size_t count = 0;
      for (const auto* side : {&level.above[item], &level.below[item]}) {
        for (const std::uint32_t other : *side) {
          sum += static_cast<double>(level.items[other].x + level.items[other].width / 2);
          ++count;
        }
      }
      const float wanted = count == 0 ? one.x : static_cast<float>(sum / static_cast<double>(count)) - one.width / 2;
      one.x = std::max(wanted, edge);
      off += static_cast<double>(wanted - one.x);
      edge = one.x + one.width + kGapX;
    }
    if (layer.empty()) continue;
    const auto shift = static_cast<float>(off / static_cast<double>(layer.size()));
    for (const std::uint32_t item : layer) level.items[item].x += shift;
  }
}

void GraphDrawing::finish_level(Level& level) {
  float left = 1e30F, right = -1e30F;
  for (const Item& item : level.items) {
    left = std::min(left, item.x);
    right = std::max(right, item.x + item.width);
  }
  if (level.items.empty()) left = right = 0;
  const bool is_whole = level.box == kNoBox;
  const float top = is_whole ? kPadding : kHead + kPadding / 2;
  float y = top;
  for (const auto& layer : level.layers) {
    float height = 0;
    for (const std::uint32_t item : layer) {
      if (level.items[item].box != kNoBox) height = std::max(height, made_[level.items[item].box].height);
    }
    for (const std::uint32_t item : layer) {
      Item& one = level.items[item];
      one.x += kPadding - left;
      one.wanted = static_cast<double>(y + height / 2);
      if (one.box == kNoBox) continue;
      made_[one.box].x = one.x;
      made_[one.box].y = y + (height - made_[one.box].height) / 2;
    }
    y += height + kGapY;
  }
  const float width = std::max(right - left + 2 * kPadding, kNodeWidth + 2 * kPadding);
  const float height = y - kGapY + kPadding;
  if (is_whole) {
    width_ = width;
    height_ = height;
  } else {
    made_[level.box].width = width;
    made_[level.box].height = height;
  }
}

void GraphDrawing::finish() {
  // Outer boxes stand before those within.
  for (Box& box : made_) {
    if (box.parent == kNoBox) continue;
    box.x += made_[box.parent].x;
    box.y += made_[box.parent].y;
  }
  points_.clear();
  std::vector<std::size_t> next(levels_.size(), 0);
  for (std::size_t i = 0; i < made_edges_.size(); ++i) {
    const Level& level = levels_[edge_level_[i]];
    const auto [first, count] = level.bends[next[edge_level_[i]]++];
    const float dx = level.box == kNoBox ? 0 : made_[level.box].x, dy = level.box == kNoBox ? 0 : made_[level.box].y;
    made_edges_[i].points_begin = static_cast<std::uint32_t>(points_.size());
    for (std::uint32_t k = first; k < first + count; ++k) {
      points_.push_back(
          {level.items[k].x + level.items[k].width / 2 + dx, static_cast<float>(level.items[k].wanted) + dy});
    }
    made_edges_[i].points_end = static_cast<std::uint32_t>(points_.size());
  }
  boxes_.swap(made_);
  edges_.swap(made_edges_);
  box_of_.swap(made_box_of_);
  levels_.clear();
  ++version_;
}

void GraphDrawing::fold(std::uint32_t group) {
  if (group >= groups_.size()) return;
  groups_[group].is_open = !groups_[group].is_open;
  begin();
}

void GraphDrawing::set_all_open(bool is_open) {
  for (Group& group : groups_) group.is_open = is_open;
  begin();
}

void GraphDrawing::reveal(std::uint32_t node) {
  if (node >= group_of_.size()) return;
  bool has_changed = false;
  for (std::uint32_t group = group_of_[node]; group != kNoBox; group = groups_[group].parent) {
    has_changed = has_changed || !groups_[group].is_open;
    groups_[group].is_open = true;
  }
  if (has_changed) begin();
}

}  // namespace nns::model
