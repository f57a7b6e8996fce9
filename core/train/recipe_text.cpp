// The programs of the recipes and what can be set in them: apart from their names, which are all that some need.
#include <array>
#include <cassert>
#include <utility>

#include "core/python/syntax/parser.h"
#include "core/train/recipe_texts.h"
#include "core/train/recipes.h"

namespace nns::train {

namespace {

using python::ConstantKind;
using python::NodeId;
using python::NodeKind;
using python::Tree;

bool is_settings_call(const Tree& tree, NodeId id) {
  if (tree.kind(id) != NodeKind::Call) return false;
  const NodeId function = tree.child(id, 0);
  if (tree.kind(function) != NodeKind::Attribute || tree.text(function) != "settings") return false;
  const NodeId owner = tree.child(function, 0);
  return tree.kind(owner) == NodeKind::Name && tree.text(owner) == "train";
}

std::string_view type_of(ConstantKind kind) {
  switch (kind) {
    case ConstantKind::True:
    case ConstantKind::False:
      return "bool";
    case ConstantKind::Int:
      return "int";
    case ConstantKind::Float:
      return "float";
    default:
      return "str";
  }
}

}  // namespace

std::string_view recipe_text(const Recipe& recipe) {
  const std::array<std::pair<std::string_view, std::string_view>, 5> texts = {{
      {"spirals", recipe_texts::kSpiralsPy},
      {"mlp", recipe_texts::kMlpPy},
      {"cnn", recipe_texts::kCnnPy},
      {"resnet", recipe_texts::kResnetPy},
      {"gpt", recipe_texts::kGptPy},
  }};
  for (const auto& [name, text] : texts) {
    if (name == recipe.name) return text;
  }
  assert(false);
  return {};
}

std::vector<RecipeSetting> recipe_settings(std::string_view text) {
  std::vector<RecipeSetting> settings;
  const python::Parsed parsed = python::parse("recipe", std::string(text));
  if (parsed.tree == nullptr) return settings;
  const Tree& tree = *parsed.tree;
  for (NodeId id = 0; id < tree.size(); ++id) {
    if (!is_settings_call(tree, id)) continue;
    for (const NodeId argument : tree.children(id).subspan(1)) {
      if (tree.kind(argument) != NodeKind::Keyword) continue;
      const NodeId value = tree.child(argument, 0);
      const bool is_constant = tree.kind(value) == NodeKind::Constant;
      const auto kind = static_cast<ConstantKind>(tree.node(value).detail);
      const python::Span span = tree.span(value);
      std::string written(is_constant && kind == ConstantKind::Str
                              ? tree.text(value)
                              : tree.source().text().substr(span.begin, span.end - span.begin));
      settings.push_back({std::string(tree.text(argument)),
                          std::string(is_constant ? type_of(kind) : std::string_view("str")), std::move(written)});
    }
    break;
  }
  return settings;
}

}  // namespace nns::train
