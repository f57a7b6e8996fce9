#include "ui/model/inspector.h"

#include <algorithm>

namespace nns::model {

namespace wire = live::wire;
using live::text_of;

const char* place_text(wire::AttributePlace place) {
  switch (place) {
    case wire::AttributePlace::Dict:
      return "attribute";
    case wire::AttributePlace::Registry:
      return "registry";
    case wire::AttributePlace::Parameters:
      return "parameter";
    case wire::AttributePlace::Buffers:
      return "buffer";
    case wire::AttributePlace::Modules:
      return "module";
    case wire::AttributePlace::Hooks:
      return "hook";
    case wire::AttributePlace::Item:
      return "item";
  }
  return "";
}

ObjectView view_object(const live::DocumentView& document, const wire::ObjectDetails& details) {
  ObjectView view;
  view.path = details.node() == 0 ? std::string(document.title()) : document.path(details.node());
  view.class_name = text_of(details.class_name());
  view.inferred = details.inferred();
  // What the tree shows and what is shown beside it are the same.
  view.is_class_inferred = view.inferred && ((document.flags(details.node()) & live::kClassInferred) != 0 ||
                                             document.class_name(details.node()).empty());
  view.is_module = details.is_module();
  view.training = details.training();
  view.repr = text_of(details.repr());
  for (const flatbuffers::String* name : *details.mro()) view.mro.emplace_back(text_of(name));
  view.also_at.assign(details.also_at()->begin(), details.also_at()->end());
  // The lines that are still open above the current one, by depth.
  std::vector<std::size_t> above;
  for (const wire::Attribute* attribute : *details.attributes()) {
    while (!above.empty() && view.attributes[above.back()].depth >= attribute->depth()) above.pop_back();
    if (!above.empty()) ++view.attributes[above.back()].entries;
    above.push_back(view.attributes.size());
    view.attributes.push_back({.depth = attribute->depth(),
                               .place = attribute->place(),
                               .name = std::string(text_of(attribute->name())),
                               .type = std::string(text_of(attribute->type())),
                               .text = std::string(text_of(attribute->text())),
                               .why = std::string(text_of(attribute->why())),
                               .node = attribute->node()});
  }
  for (const wire::Hook* hook : *details.hooks()) {
    const std::string_view dictionary = text_of(hook->dictionary());
    auto list = std::find_if(view.hooks.begin(), view.hooks.end(),
                             [&](const HookList& known) { return known.dictionary == dictionary; });
    if (list == view.hooks.end())
      list = view.hooks.insert(list, HookList{.dictionary = std::string(dictionary), .hooks = {}});
    list->hooks.push_back({.kind = std::string(text_of(hook->kind())),
                           .callable = std::string(text_of(hook->callable())),
                           .id = hook->id(),
                           .position = static_cast<std::uint32_t>(list->hooks.size() + 1),
                           .with_kwargs = hook->with_kwargs(),
                           .always_call = hook->always_call()});
    ++view.hook_count;
  }
  return view;
}

}  // namespace nns::model
