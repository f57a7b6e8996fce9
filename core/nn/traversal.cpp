#include "core/nn/traversal.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "core/nn/overridden.h"
#include "core/object/operations.h"
#include "core/ops/sparse_items.h"
#include "core/ops/training_observer.h"
#include "core/tensor/capture.h"
#include "core/tensor/uninitialized.h"

namespace nns::nn {
namespace {

PyError changed_size(Interpreter& in) { return object::runtime_error(in, "dictionary changed size during iteration"); }

}  // namespace

ModuleWalk::ModuleWalk(Module& root, std::string_view prefix, bool remove_duplicate)
    : path_(prefix), start_(&root), remove_duplicate_(remove_duplicate) {}

// Behaviour: Module.named_modules.
PyResult<Module*> ModuleWalk::next() {
  if (start_) {
    const Ref<Module> root = std::exchange(start_, nullptr);
    if (remove_duplicate_) seen_.insert(root.get());
    frames_.push_back({root, path_.size()});
    return root.get();
  }
  while (!frames_.empty()) {
    Frame& frame = frames_.back();
    path_.resize(frame.path_length);
    Dict* children = frame.module->filled_registry(Registry::Modules);
    if (!frame.entered) {
      if (children == nullptr && !frame.module->has_registry(Registry::Modules)) {
        NNS_TRY(frame.module->required_registry(Registry::Modules));
      }
      frame.entered = true;
      frame.shape_version = children == nullptr ? 0 : children->shape_version();
    } else if (children != nullptr && frame.shape_version != children->shape_version()) {
      return changed_size(frame.module->interpreter());
    }
    Dict::Entry* entry = children == nullptr ? nullptr : children->next(frame.at);
    if (entry == nullptr) {
      frames_.pop_back();
      continue;
    }
    Module* child = as_module(entry->value);
    if (child == nullptr) continue;
    if (remove_duplicate_ && !seen_.insert(child).second) continue;
    const object::Str* key = entry->key.as<object::Str>();
    if (!path_.empty()) path_ += '.';
    if (key != nullptr) path_ += key->view();
    frames_.push_back({Ref<Module>(child), path_.size()});
    return child;
  }
  return nullptr;
}

MemberWalk::MemberWalk(Module& root, Registry registry, std::string_view prefix, bool recurse, bool remove_duplicate)
    : modules_(root, prefix, remove_duplicate),
      registry_(registry),
      recurse_(recurse),
      remove_duplicate_(remove_duplicate) {}

// Behaviour: Module._named_members.
PyResult<Value> MemberWalk::next() {
  while (true) {
    if (current_) {
      Dict* members = current_->filled_registry(registry_);
      if (members != nullptr && at_ > 0 && members->shape_version() != shape_version_) {
        return changed_size(current_->interpreter());
      }
      if (members != nullptr) shape_version_ = members->shape_version();
      while (Dict::Entry* entry = members == nullptr ? nullptr : members->next(at_)) {
        if (entry->value.is_none()) continue;
        if (remove_duplicate_ && !seen_.insert(entry->value.object()).second) continue;
        name_ = modules_.path();
        if (!name_.empty()) name_ += '.';
        if (const object::Str* key = entry->key.as<object::Str>()) name_ += key->view();
        return entry->value;
      }
      current_ = nullptr;
    }
    if (started_ && !recurse_) return Value::absent();
    started_ = true;
    NNS_TRY_ASSIGN(Module* const module, modules_.next());
    if (module == nullptr) return Value::absent();
    if (!module->has_registry(registry_)) NNS_TRY(module->required_registry(registry_));
    current_ = Ref<Module>(module);
    at_ = 0;
  }
}

PyResult<std::vector<NamedModule>> Module::named_modules(std::string_view prefix, bool remove_duplicate) {
  std::vector<NamedModule> found;
  ModuleWalk walk(*this, prefix, remove_duplicate);
  while (true) {
    NNS_TRY_ASSIGN(Module* const module, walk.next());
    if (module == nullptr) return found;
    found.push_back({walk.path(), Ref<Module>(module)});
  }
}

PyResult<std::vector<NamedModule>> Module::named_children() {
  NNS_TRY_ASSIGN(Dict* const modules, required_registry(Registry::Modules));
  std::vector<NamedModule> found;
  std::unordered_set<const Module*> seen;
  for (std::size_t at = 0; Dict::Entry* entry = modules->next(at);) {
    Module* child = as_module(entry->value);
    if (child == nullptr || !seen.insert(child).second) continue;
    const object::Str* key = entry->key.as<object::Str>();
    found.push_back({key == nullptr ? std::string() : std::string(key->view()), Ref<Module>(child)});
  }
  return found;
}

namespace {

// A walk over 100,000 modules waits for the memory of each: the module, its __dict__, its registries, their tensors
// lie anywhere. Of so many children each part is asked for at once, so that the waits overlap.
constexpr std::size_t kAhead = 16;

void fetch(const void* address) { __builtin_prefetch(address); }
void fetch(const Dict* dict) {
  // The entries are told in its second line.
  fetch(static_cast<const void*>(dict));
  fetch(static_cast<const std::byte*>(static_cast<const void*>(dict)) + 64);
}

// Fetches what a walk over the registry `wanted` reads of the children from `begin` on.
void fetch_children(Dict& children, std::size_t begin, Registry wanted) {
  const std::size_t end = std::min(begin + kAhead, children.slot_count());
  for (std::size_t slot = begin; slot < end; ++slot) fetch(children.raw_at(slot).object());
  std::array<const Module*, kAhead> modules;
  std::array<const Dict*, kAhead> dicts;
  std::size_t count = 0;
  for (std::size_t slot = begin; slot < end; ++slot) {
    const Module* const module = as_module(children.raw_at(slot));
    if (module == nullptr || module->dict_if_made() == nullptr) continue;
    fetch(module->dict_if_made());
    modules[count++] = module;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Dict& own = *modules[i]->dict_if_made();
    for (const Registry registry : {wanted, Registry::Modules}) {
      const auto slot = static_cast<std::size_t>(registry);
      if (slot < own.slot_count()) fetch(static_cast<const void*>(&own.raw_at(slot)));
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Dict& own = *modules[i]->dict_if_made();
    for (const Registry registry : {wanted, Registry::Modules}) {
      const auto slot = static_cast<std::size_t>(registry);
      const Dict* const dict = slot < own.slot_count() ? own.raw_at(slot).as<Dict>() : nullptr;
      if (dict != nullptr) fetch(dict);
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    dicts[i] = modules[i]->filled_registry(wanted);
    if (dicts[i] != nullptr) fetch(static_cast<const void*>(&dicts[i]->raw_at(0)));
  }
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t slot = 0; dicts[i] != nullptr && slot < std::min<std::size_t>(dicts[i]->slot_count(), 2); ++slot) {
      fetch(static_cast<const void*>(dicts[i]->raw_at(slot).object()));
    }
  }
}

// The children of a module, one after the other, with what is read of them under way.
class Children {
 public:
  Children(Dict& dict, Registry wanted) : dict_(&dict), wanted_(wanted) {}
  const Dict::Entry* next() {
    if (at_ >= fetched_) {
      fetch_children(*dict_, at_, wanted_);
      fetched_ = at_ + kAhead;
    }
    return dict_->next(at_);
  }

 private:
  Dict* dict_;
  Registry wanted_;
  std::size_t at_ = 0;
  std::size_t fetched_ = 0;
};

// take(tensor, its key) for the members of `root` and, with `recurse`, of all modules below it, each module and each
// member once: one walk that runs no code of the program, so that nothing changes meanwhile. `path`, where there is
// one, is that of the module then. Behaviour: MemberWalk.
template <class Take>
PyResult<void> take_members(Module& root, Registry registry, bool recurse, std::string* path, Take take) {
  object::Collector& collector = root.interpreter().collector();
  // Modules and tensors have marks of their own: no object is both.
  const std::uint64_t of_modules = collector.new_mark(), of_tensors = collector.new_mark();
  struct Frame {
    Children children;
    std::size_t path_length;
  };
  std::vector<Frame> frames;
  const auto enter = [&](Module& module) -> PyResult<void> {
    if (!module.has_registry(registry)) NNS_TRY(module.required_registry(registry));
    if (Dict* own = module.filled_registry(registry)) {
      for (std::size_t at = 0; Dict::Entry* entry = own->next(at);) {
        Tensor* tensor = entry->value.as<Tensor>();
        if (tensor != nullptr && tensor->mark_first(of_tensors)) take(*tensor, entry->key);
      }
    }
    if (!recurse) return {};
    if (!module.has_registry(Registry::Modules)) NNS_TRY(module.required_registry(Registry::Modules));
    if (Dict* children = module.filled_registry(Registry::Modules)) {
      frames.push_back({Children(*children, registry), path == nullptr ? 0 : path->size()});
    }
    return {};
  };
  root.mark_first(of_modules);
  NNS_TRY(enter(root));
  while (!frames.empty()) {
    if (path != nullptr) path->resize(frames.back().path_length);
    const Dict::Entry* const entry = frames.back().children.next();
    if (entry == nullptr) {
      frames.pop_back();
      continue;
    }
    Module* child = as_module(entry->value);
    if (child == nullptr || !child->mark_first(of_modules)) continue;
    if (path != nullptr) {
      if (!path->empty()) *path += '.';
      if (const object::Str* key = entry->key.as<object::Str>()) *path += key->view();
    }
    NNS_TRY(enter(*child));
  }
  return {};
}

PyResult<std::vector<NamedTensor>> named_members(Module& self, Registry registry, std::string_view prefix, bool recurse,
                                                 bool remove_duplicate) {
  std::vector<NamedTensor> found;
  if (remove_duplicate) {
    std::string path(prefix);
    NNS_TRY(take_members(self, registry, recurse, &path, [&](Tensor& tensor, const Value& key) {
      const object::Str* const text = key.as<object::Str>();
      const std::string_view name = text == nullptr ? std::string_view() : text->view();
      std::string whole;
      whole.reserve(path.size() + 1 + name.size());
      whole += path;
      if (!path.empty()) whole += '.';
      whole += name;
      found.push_back({std::move(whole), Ref<Tensor>(&tensor)});
    }));
    return found;
  }
  MemberWalk walk(self, registry, prefix, recurse, remove_duplicate);
  while (true) {
    NNS_TRY_ASSIGN(const Value member, walk.next());
    if (member.is_absent()) return found;
    if (Tensor* tensor = member.as<Tensor>()) found.push_back({walk.name(), Ref<Tensor>(tensor)});
  }
}

PyResult<std::vector<Ref<Tensor>>> members(Module& self, Registry registry, bool recurse) {
  std::vector<Ref<Tensor>> found;
  NNS_TRY(take_members(self, registry, recurse, nullptr,
                       [&](Tensor& tensor, const Value&) { found.emplace_back(&tensor); }));
  return found;
}

}  // namespace

PyResult<std::vector<NamedTensor>> Module::named_parameters(std::string_view prefix, bool recurse,
                                                            bool remove_duplicate) {
  return named_members(*this, Registry::Parameters, prefix, recurse, remove_duplicate);
}

PyResult<std::vector<NamedTensor>> Module::named_buffers(std::string_view prefix, bool recurse, bool remove_duplicate) {
  return named_members(*this, Registry::Buffers, prefix, recurse, remove_duplicate);
}

PyResult<std::vector<Ref<Tensor>>> Module::parameters(bool recurse) {
  return members(*this, Registry::Parameters, recurse);
}

PyResult<std::vector<Ref<Tensor>>> Module::buffers(bool recurse) { return members(*this, Registry::Buffers, recurse); }

PyResult<void> Module::apply(const std::function<PyResult<void>(Module&)>& fn) {
  const Interpreter::Depth depth(interpreter());
  if (depth.too_deep()) return interpreter().recursion_error();
  NNS_TRY_ASSIGN(const std::vector<Ref<Module>> children, children_by_class(*this));
  for (const Ref<Module>& child : children) NNS_TRY(child->apply(fn));
  return fn(*this);
}

// Behaviour: Module.train.
PyResult<void> Module::train(bool mode) {
  Interpreter& in = interpreter();
  const NnLibrary& library = NnLibrary::of(in);
  const Interpreter::Depth depth(in);
  if (depth.too_deep()) return in.recursion_error();
  NNS_TRY(setattr(library.key(Registry::Training), Value(mode)));
  NNS_TRY_ASSIGN(const std::vector<Ref<Module>> children, children_by_class(*this));
  for (const Ref<Module>& child : children) {
    if (library.leaves_to_module(child->type(), NnLibrary::Way::Train)) {
      NNS_TRY(child->train(mode));
    } else {
      NNS_TRY(in.call_method(Value(child), library.names.train, {Value(mode)}));
    }
  }
  return {};
}

PyResult<void> Module::requires_grad_(bool requires_grad) {
  NNS_TRY_ASSIGN(const auto all, parameters_by_class(*this));
  for (const Ref<Tensor>& parameter : all) {
    if (parameter->is_uninitialized()) {
      return tensor::no_values_yet(*parameter, "<method 'requires_grad_' of 'torch._C.TensorBase' objects>");
    }
    NNS_TRY(parameter->set_requires_grad(requires_grad));
  }
  return {};
}

PyResult<void> Module::zero_grad(bool set_to_none) {
  NNS_TRY_ASSIGN(const auto all, parameters_by_class(*this));
  for (const Ref<Tensor>& parameter : all) {
    ops::tell_touched(*parameter, ops::Touch::Cleared);
    if (set_to_none) {
      tensor::Capture::assign_grad(*parameter, nullptr);
      continue;
    }
    if (tensor::Capture* const capture = tensor::Capture::current()) capture->note_grad(*parameter);
    if (parameter->grad() && parameter->grad()->sparse() != nullptr) {
      ops::clear_items(*parameter->grad());
    } else if (parameter->grad()) {
      parameter->grad()->set_grad_fn(nullptr);
      NNS_TRY(parameter->grad()->set_requires_grad(false));
      tensor::fill_(*parameter->grad(), 0);
    }
  }
  return {};
}

}  // namespace nns::nn
