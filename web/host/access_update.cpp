#include "web/host/access_update.h"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <string_view>
#include <utility>

namespace nns::web {

namespace {

using host::AccessNode;

void append_text(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  out += '"';
}

void append_ids(std::string& out, std::span<const std::uint32_t> ids) {
  out += '[';
  for (std::size_t i = 0; i < ids.size(); ++i)
    fmt::format_to(std::back_inserter(out), "{}{}", i == 0 ? "" : ",", ids[i]);
  out += ']';
}

void append_field(std::string& out, std::string_view key, std::string_view text) {
  fmt::format_to(std::back_inserter(out), ",\"{}\":", key);
  append_text(out, text);
}

void append_number(std::string& out, std::string_view key, std::int64_t number) {
  fmt::format_to(std::back_inserter(out), ",\"{}\":{}", key, number);
}

/// Numbers that JSON has no words for become 0.
double finite(double number) { return number - number == 0 ? number : 0; }

/// Appends those fields of `now` that differ from `before`.
void append_changes(std::string& out, const AccessNode& now, const AccessNode& before, bool is_new) {
  if (is_new || now.role != before.role) append_field(out, "role", host::role_name(now.role));
  if (is_new || now.name != before.name) append_field(out, "name", now.name);
  if (now.value != before.value) append_field(out, "value", now.value);
  if (now.description != before.description) append_field(out, "description", now.description);
  const auto box = [](const AccessNode& node) { return std::array{node.x, node.y, node.width, node.height}; };
  if (is_new || box(now) != box(before)) {
    fmt::format_to(std::back_inserter(out), ",\"box\":[{:.1f},{:.1f},{:.1f},{:.1f}]", finite(now.x), finite(now.y),
                   finite(now.width), finite(now.height));
  }
  if (now.focusable != before.focusable) append_number(out, "focusable", now.focusable);
  if (now.focused != before.focused) append_number(out, "focused", now.focused);
  if (now.disabled != before.disabled) append_number(out, "disabled", now.disabled);
  if (now.takes_tab != before.takes_tab) append_number(out, "takesTab", now.takes_tab);
  if (now.expanded != before.expanded) append_number(out, "expanded", now.expanded);
  if (now.selected != before.selected) append_number(out, "selected", now.selected);
  if (now.checked != before.checked) append_number(out, "checked", now.checked);
  if (now.level != before.level) append_number(out, "level", now.level);
  if (now.position != before.position) append_number(out, "position", now.position);
  if (now.set_size != before.set_size) append_number(out, "setSize", now.set_size);
  const auto range = [](const AccessNode& node) {
    return std::array{finite(node.minimum), finite(node.maximum), finite(node.now)};
  };
  if (range(now) != range(before)) {
    const auto [low, high, value] = range(now);
    fmt::format_to(std::back_inserter(out), ",\"range\":[{},{},{}]", low, high, value);
  }
}

}  // namespace

std::string AccessUpdate::make(std::span<const AccessNode> controls) {
  ++frame_;
  std::string set;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> children;
  std::vector<std::uint32_t> id_of(controls.size());
  for (std::size_t i = 0; i < controls.size(); ++i) {
    const AccessNode& node = controls[i];
    // Two controls of one id (or of the page's own, 0) would fight for one element: the later one gets another.
    std::uint32_t id = node.id;
    auto found = known_.find(id);
    while (id == 0 || (found != known_.end() && found->second.frame == frame_)) {
      id = id * 0x9E3779B9U + 0x7F4A7C15U;
      found = known_.find(id);
    }
    id_of[i] = id;
    const std::uint32_t parent_id = node.parent < i ? id_of[node.parent] : 0;
    children[parent_id].push_back(id);

    const bool is_new = found == known_.end();
    Known& known = is_new ? known_[id] : found->second;
    std::string changes;
    append_changes(changes, node, known.node, is_new);
    if (!changes.empty()) {
      fmt::format_to(std::back_inserter(set), "{}{{\"id\":{}{}}}", set.empty() ? "" : ",", id, changes);
      known.node = node;
    }
    known.frame = frame_;
  }

  std::string order;
  for (const auto& [parent, ids] : children) {
    const auto before = children_.find(parent);
    if (before != children_.end() && before->second == ids) continue;
    fmt::format_to(std::back_inserter(order), "{}\"{}\":", order.empty() ? "" : ",", parent);
    append_ids(order, ids);
  }
  children_ = std::move(children);

  std::vector<std::uint32_t> gone;
  for (auto entry = known_.begin(); entry != known_.end();) {
    if (entry->second.frame == frame_) {
      ++entry;
      continue;
    }
    gone.push_back(entry->first);
    entry = known_.erase(entry);
  }

  if (set.empty() && order.empty() && gone.empty()) return {};
  std::string out = "{\"set\":[" + set + "],\"order\":{" + order + "},\"gone\":";
  append_ids(out, gone);
  out += '}';
  return out;
}

}  // namespace nns::web
