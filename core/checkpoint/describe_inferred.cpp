#include "core/checkpoint/describe_inferred.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/checkpoint/module_rules.h"

namespace nns::checkpoint {

namespace {

/// The registry that a row below a module belongs to; Dict if it belongs to none.
AttributePlace place_of(NodeKind kind) {
  switch (kind) {
    case NodeKind::Parameter:
      return AttributePlace::Parameters;
    case NodeKind::Buffer:
      return AttributePlace::Buffers;
    case NodeKind::Module:
      return AttributePlace::Modules;
    default:
      return AttributePlace::Dict;
  }
}

class Describer {
 public:
  Describer(const Checkpoint& document, std::uint32_t node) : document_(document), tree_(document.tree), node_(node) {
    description_.class_name = text(tree_.class_name[node]);
    description_.inferred = true;
  }

  ObjectDescription module() {
    description_.is_module = true;
    if (description_.class_name.empty()) description_.class_name = "Module";
    for (const ModuleKey& key : module_keys()) {
      const std::size_t at = description_.attributes.size();
      add(0, key.place, std::string(key.name), std::string(key.type), std::string(key.text), kNone);
      description_.attributes[at].why = key.why;
      if (key.holds == AttributePlace::Dict || key.holds == AttributePlace::Hooks) continue;
      const std::size_t count = children(key.holds);
      if (count != 0) {
        description_.attributes[at].text = fmt::format("{} {}", count, count == 1 ? "entry" : "entries");
      }
    }
    children(AttributePlace::Dict);
    return std::move(description_);
  }

  ObjectDescription container() {
    for (std::uint32_t child = node_ + 1; child < tree_.end[node_]; child = tree_.end[child]) {
      add_row(0, AttributePlace::Item, child);
    }
    return std::move(description_);
  }

  ObjectDescription leaf() {
    if (tree_.tensor[node_] != kNone) {
      description_.repr = tensor_summary(document_, document_.tensors[tree_.tensor[node_]]);
      if (description_.class_name.empty()) {
        description_.class_name = tree_.kind[node_] == NodeKind::Parameter ? "Parameter" : "Tensor";
      }
    } else {
      description_.repr = text(tree_.preview[node_]);
      description_.inferred = false;
    }
    return std::move(description_);
  }

 private:
  std::string text(std::uint32_t id) const { return std::string(tree_.strings.view(id)); }

  void add(std::uint8_t depth, AttributePlace place, std::string name, std::string type, std::string text,
           std::uint32_t row) {
    AttributeRow attribute;
    attribute.depth = depth;
    attribute.place = place;
    attribute.name = std::move(name);
    attribute.type = std::move(type);
    attribute.text = std::move(text);
    attribute.node = row;
    description_.attributes.push_back(std::move(attribute));
  }

  void add_row(std::uint8_t depth, AttributePlace place, std::uint32_t row) {
    std::string type = text(tree_.class_name[row]);
    std::string summary = text(tree_.preview[row]);
    if (tree_.tensor[row] != kNone) {
      if (type.empty()) type = tree_.kind[row] == NodeKind::Parameter ? "Parameter" : "Tensor";
      summary = tensor_summary(document_, document_.tensors[tree_.tensor[row]]);
    }
    add(depth, place, text(tree_.name[row]), std::move(type), std::move(summary), row);
    if (place != AttributePlace::Dict && place != AttributePlace::Item) {
      description_.attributes.back().why = rule_of(entry_rule(place, false));
    }
  }

  std::size_t children(AttributePlace place) {
    std::size_t count = 0;
    for (std::uint32_t child = node_ + 1; child < tree_.end[node_]; child = tree_.end[child]) {
      if (place_of(tree_.kind[child]) != place) continue;
      add_row(place == AttributePlace::Dict ? 0 : 1, place, child);
      ++count;
    }
    return count;
  }

  const Checkpoint& document_;
  const ModuleTree& tree_;
  std::uint32_t node_;
  ObjectDescription description_;
};

}  // namespace

std::string tensor_summary(const Checkpoint& document, const TensorEntry& entry) {
  if (!entry.has_shape) return "unknown: its shard is not there";
  return fmt::format("{} [{}]", document.dtype_name(entry), fmt::join(document.shape(entry), ", "));
}

ObjectDescription describe_inferred(const Checkpoint& document, std::uint32_t node) {
  Describer describer(document, node);
  switch (document.tree.kind[node]) {
    case NodeKind::Module:
      return describer.module();
    case NodeKind::Container:
      return describer.container();
    default:
      return describer.leaf();
  }
}

}  // namespace nns::checkpoint
