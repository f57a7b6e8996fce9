#include "core/nn/traversal.h"

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

// The members of all modules below `self`, each module and each member once, with their paths: one walk that runs no
// code of the program, so that nothing changes meanwhile. Behaviour: MemberWalk.
PyResult<std::vector<NamedTensor>> all_named_members(Module& self, Registry registry, std::string_view prefix) {
  object::Collector& collector = self.interpreter().collector();
  // Modules and tensors have marks of their own: no object is both.
  const std::uint64_t of_modules = collector.new_mark(), of_tensors = collector.new_mark();
  struct Frame {
    Dict* children;
    std::size_t at;
    std::size_t path_length;
  };
  std::vector<Frame> frames;
  std::vector<NamedTensor> found;
  std::string path(prefix);
  const auto enter = [&](Module& module) -> PyResult<void> {
    if (!module.has_registry(registry)) NNS_TRY(module.required_registry(registry));
    if (Dict* own = module.filled_registry(registry)) {
      for (std::size_t at = 0; Dict::Entry* entry = own->next(at);) {
        Tensor* tensor = entry->value.as<Tensor>();
        if (tensor == nullptr || !tensor->mark_first(of_tensors)) continue;
        const object::Str* key = entry->key.as<object::Str>();
        const std::string_view name = key == nullptr ? std::string_view() : key->view();
        std::string whole;
        whole.reserve(path.size() + 1 + name.size());
        whole += path;
        if (!path.empty()) whole += '.';
        whole += name;
        found.push_back({std::move(whole), Ref<Tensor>(tensor)});
      }
    }
    if (!module.has_registry(Registry::Modules)) NNS_TRY(module.required_registry(Registry::Modules));
    if (Dict* children = module.filled_registry(Registry::Modules)) frames.push_back({children, 0, path.size()});
    return {};
  };
  self.mark_first(of_modules);
  NNS_TRY(enter(self));
  while (!frames.empty()) {
    path.resize(frames.back().path_length);
    Dict::Entry* entry = frames.back().children->next(frames.back().at);
    if (entry == nullptr) {
      frames.pop_back();
      continue;
    }
    Module* child = as_module(entry->value);
    if (child == nullptr || !child->mark_first(of_modules)) continue;
    if (!path.empty()) path += '.';
    if (const object::Str* key = entry->key.as<object::Str>()) path += key->view();
    NNS_TRY(enter(*child));
  }
  return found;
}

PyResult<std::vector<NamedTensor>> named_members(Module& self, Registry registry, std::string_view prefix, bool recurse,
                                                 bool remove_duplicate) {
  if (recurse && remove_duplicate) return all_named_members(self, registry, prefix);
  std::vector<NamedTensor> found;
  MemberWalk walk(self, registry, prefix, recurse, remove_duplicate);
  while (true) {
    NNS_TRY_ASSIGN(const Value member, walk.next());
    if (member.is_absent()) return found;
    if (Tensor* tensor = member.as<Tensor>()) found.push_back({walk.name(), Ref<Tensor>(tensor)});
  }
}

// All modules below `root`, itself first, each once; without names and without looking twice at memory.
PyResult<void> collect_modules(Module& root, object::Collector& collector, std::vector<Module*>& out) {
  const std::uint64_t mark = collector.new_mark();
  struct Frame {
    Dict* children;
    std::size_t at = 0;
  };
  std::vector<Frame> frames;
  const auto enter = [&](Module& module) -> PyResult<void> {
    out.push_back(&module);
    if (!module.has_registry(Registry::Modules)) NNS_TRY(module.required_registry(Registry::Modules));
    if (Dict* children = module.filled_registry(Registry::Modules)) frames.push_back({children});
    return {};
  };
  root.mark_first(mark);
  NNS_TRY(enter(root));
  while (!frames.empty()) {
    Dict::Entry* entry = frames.back().children->next(frames.back().at);
    if (entry == nullptr) {
      frames.pop_back();
      continue;
    }
    Module* child = as_module(entry->value);
    if (child == nullptr || !child->mark_first(mark)) continue;
    NNS_TRY(enter(*child));
  }
  return {};
}

PyResult<std::vector<Ref<Tensor>>> members(Module& self, Registry registry, bool recurse) {
  object::Collector& collector = self.interpreter().collector();
  std::vector<Module*> modules;
  if (recurse) {
    NNS_TRY(collect_modules(self, collector, modules));
  } else {
    modules.push_back(&self);
  }
  const std::uint64_t mark = collector.new_mark();
  std::vector<Ref<Tensor>> found;
  for (Module* module : modules) {
    if (!module->has_registry(registry)) NNS_TRY(module->required_registry(registry));
    Dict* own = module->filled_registry(registry);
    if (own == nullptr) continue;
    for (std::size_t at = 0; Dict::Entry* entry = own->next(at);) {
      Tensor* tensor = entry->value.as<Tensor>();
      if (tensor != nullptr && tensor->mark_first(mark)) found.emplace_back(tensor);
    }
  }
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
  NNS_TRY_ASSIGN(const std::vector<NamedModule> children, named_children());
  for (const NamedModule& child : children) NNS_TRY(child.module->apply(fn));
  return fn(*this);
}

// Behaviour: Module.train.
PyResult<void> Module::train(bool mode) {
  Interpreter& in = interpreter();
  const NnLibrary& library = NnLibrary::of(in);
  const Interpreter::Depth depth(in);
  if (depth.too_deep()) return in.recursion_error();
  NNS_TRY(setattr(library.key(Registry::Training), Value(mode)));
  NNS_TRY_ASSIGN(const std::vector<NamedModule> children, named_children());
  for (const NamedModule& child : children) {
    if (library.is_modules_own(child.module->type(), library.names.train)) {
      NNS_TRY(child.module->train(mode));
    } else {
      NNS_TRY(in.call_method(Value(child.module), library.names.train, {Value(mode)}));
    }
  }
  return {};
}

PyResult<void> Module::requires_grad_(bool requires_grad) {
  NNS_TRY_ASSIGN(const auto all, parameters());
  for (const Ref<Tensor>& parameter : all) {
    if (parameter->is_uninitialized()) {
      return tensor::no_values_yet(*parameter, "<method 'requires_grad_' of 'torch._C.TensorBase' objects>");
    }
    NNS_TRY(parameter->set_requires_grad(requires_grad));
  }
  return {};
}

PyResult<void> Module::zero_grad(bool set_to_none) {
  NNS_TRY_ASSIGN(const auto all, parameters());
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
