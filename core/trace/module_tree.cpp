#include "core/trace/module_tree.h"

#include <unordered_set>

namespace nns::trace {

namespace {

class Walk {
 public:
  Walk(const Trace& trace, EventId event, EventId since, std::size_t most)
      : trace_(trace), event_(event), since_(since), most_(most) {}

  bool is_module(Shown value) const {
    return value.is_object() && trace_.object(value.index()).kind == ObjectKind::Module;
  }

  // Everything below a module, as ids: each is entered once.
  void reach(ObjectId module) {
    std::vector<ObjectId> waiting = {module};
    while (!waiting.empty() && reached_.size() <= most_) {
      const ObjectId next = waiting.back();
      waiting.pop_back();
      for (const FieldView& child : children(object_at(trace_, next, event_)).fields) {
        if (is_module(child.value) && reached_.insert(child.value.index()).second)
          waiting.push_back(child.value.index());
      }
    }
  }
  bool is_reached(ObjectId module) const { return reached_.contains(module); }

  void add(std::string name, ObjectId module, std::uint32_t depth, bool is_new) {
    // The registries are deeper than a stack is only in programs that mean harm.
    constexpr std::uint32_t kDeepest = 200;
    if (tree.places.size() >= most_ || depth > kDeepest) {
      tree.has_more = true;
      return;
    }
    const ObjectView view = object_at(trace_, module, event_, since_);
    const ObjectView below = children(view);
    const bool is_repeated = !told_.insert(module).second;
    tree.places.push_back(
        {std::move(name), module, depth, is_new || view.has_changed || below.has_changed, is_repeated});
    if (is_repeated) return;
    for (const FieldView& child : below.fields) {
      if (is_module(child.value)) add(text_of(child.key), child.value.index(), depth + 1, child.has_changed);
    }
  }

  ModuleTree tree;

 private:
  std::string text_of(Shown key) const {
    return key.kind() == Shown::Kind::Text ? std::string(trace_.text(key.index())) : one_line(trace_, key, event_);
  }

  /// The registry `_modules` of a module; without fields where it has none yet.
  ObjectView children(const ObjectView& module) const {
    for (const FieldView& field : module.fields) {
      if (field.key.kind() != Shown::Kind::Text || trace_.text(field.key.index()) != "_modules") continue;
      return field.value.is_object() ? object_at(trace_, field.value.index(), event_, since_) : ObjectView{};
    }
    return {};
  }

  const Trace& trace_;
  EventId event_, since_;
  std::size_t most_;
  std::unordered_set<ObjectId> reached_, told_;
};

}  // namespace

ModuleTree module_tree(const Trace& trace, const Moment& moment, EventId since, std::size_t most) {
  Walk walk(trace, moment.event, since, most);
  std::vector<const NameView*> roots;
  for (auto frame = moment.frames.rbegin(); frame != moment.frames.rend(); ++frame) {
    for (const NameView& name : frame->names) {
      if (!walk.is_module(name.value)) continue;
      roots.push_back(&name);
      walk.reach(name.value.index());
    }
  }
  std::unordered_set<ObjectId> named;
  for (const NameView* root : roots) {
    const ObjectId module = root->value.index();
    if (walk.is_reached(module) || !named.insert(module).second) continue;
    walk.add(root->name, module, 0, root->has_changed);
  }
  return std::move(walk.tree);
}

}  // namespace nns::trace
