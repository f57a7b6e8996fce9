#include "core/object/class.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/object/instance.h"
#include "core/object/interpreter.h"
#include "core/object/operations.h"

namespace nns::object {
namespace {

constexpr std::size_t kFirstCacheSize = 32;
constexpr std::size_t kLastCacheSize = 1024;

// The base whose instances are laid out in the most special way; null if two bases disagree.
InstanceMaker layout_of(std::span<Class* const> bases, InstanceMaker plain, bool& conflict) {
  InstanceMaker chosen = plain;
  for (const Class* base : bases) {
    if (base->make_instance() == plain) continue;
    conflict = conflict || (chosen != plain && chosen != base->make_instance());
    chosen = base->make_instance();
  }
  return chosen;
}

}  // namespace

// Behaviour: CPython Objects/typeobject.c, _PyType_CalculateMetaclass.
PyResult<Class*> derived_metaclass(Interpreter& interpreter, Class* given, std::span<Class* const> bases) {
  Class* winner = given == nullptr ? interpreter.builtins().type : given;
  for (const Class* base : bases) {
    Class& other = base->type();
    if (winner->is_subclass_of(other)) continue;
    if (!other.is_subclass_of(*winner)) {
      return type_error(interpreter,
                        "metaclass conflict: the metaclass of a derived class must be a (non-strict) subclass of the "
                        "metaclasses of all its bases");
    }
    winner = &other;
  }
  return winner;
}

// Behaviour: CPython Objects/typeobject.c, mro_implementation and pmerge.
PyResult<std::vector<Class*>> merge_mro(Interpreter& interpreter, std::span<Class* const> bases) {
  for (std::size_t i = 0; i < bases.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (bases[i] == bases[j]) return type_error(interpreter, "duplicate base class {}", bases[i]->name());
    }
  }
  std::vector<std::vector<Class*>> lists;
  for (const Class* base : bases) lists.emplace_back(base->mro().begin(), base->mro().end());
  lists.emplace_back(bases.begin(), bases.end());
  std::vector<std::size_t> heads(lists.size(), 0);
  std::vector<Class*> merged;
  while (true) {
    // 1. The first head that stands in no tail comes next.
    Class* chosen = nullptr;
    bool anything_left = false;
    for (std::size_t i = 0; i < lists.size() && chosen == nullptr; ++i) {
      if (heads[i] == lists[i].size()) continue;
      anything_left = true;
      Class* candidate = lists[i][heads[i]];
      const bool in_a_tail = std::any_of(lists.begin(), lists.end(), [&](const std::vector<Class*>& list) {
        const auto tail = list.begin() + static_cast<std::ptrdiff_t>(std::min(
                                             heads[static_cast<std::size_t>(&list - lists.data())] + 1, list.size()));
        return std::find(tail, list.end(), candidate) != list.end();
      });
      if (!in_a_tail) chosen = candidate;
    }
    if (!anything_left) return merged;
    if (chosen == nullptr) {
      // 2. None: name the heads that are left, each once.
      std::vector<Class*> blocked;
      for (std::size_t i = 0; i < lists.size(); ++i) {
        if (heads[i] == lists[i].size()) continue;
        Class* head = lists[i][heads[i]];
        if (std::find(blocked.begin(), blocked.end(), head) == blocked.end()) blocked.push_back(head);
      }
      std::string names;
      for (const Class* cls : blocked) names += (names.empty() ? "" : ", ") + std::string(cls->name());
      return type_error(interpreter, "Cannot create a consistent method resolution order (MRO) for bases {}", names);
    }
    merged.push_back(chosen);
    for (std::size_t i = 0; i < lists.size(); ++i) {
      if (heads[i] < lists[i].size() && lists[i][heads[i]] == chosen) ++heads[i];
    }
  }
}

Class::Class(Interpreter& interpreter, Collector& collector, std::string_view name, std::string_view module)
    : Container(collector, kKind), interpreter_(&interpreter), name_(name), module_(module) {
  cache_.resize(kFirstCacheSize);
  cache_mask_ = kFirstCacheSize - 1;
}

Class::~Class() { leave_bases(); }

PyResult<Ref<Class>> Class::make(Interpreter& interpreter, const ClassSpec& spec) {
  Ref<Class> made(new Class(interpreter, interpreter.collector(), spec.name, spec.module));
  std::vector<Class*> bases = spec.bases;
  if (bases.empty()) bases.push_back(interpreter.builtins().object);
  NNS_TRY_ASSIGN(Class* const metaclass, derived_metaclass(interpreter, spec.metaclass, bases));
  made->class_ = metaclass;
  made->class_->retain();
  made->attributes_ = interpreter.dict();
  made->instances_have_dict_ = spec.has_dict || std::any_of(bases.begin(), bases.end(), [](const Class* base) {
                                 return base->instances_have_dict();
                               });
  NNS_TRY(made->set_bases(bases, spec.make_instance));
  made->set_attribute(interpreter.names().dunder_module, interpreter.text(spec.module));
  return made;
}

PyResult<void> Class::set_bases(std::span<Class* const> bases, InstanceMaker maker) {
  bool conflict = false;
  const InstanceMaker plain = bases.empty() ? maker : interpreter_->builtins().object->make_instance();
  const InstanceMaker inherited = layout_of(bases, plain, conflict);
  NNS_TRY_ASSIGN(std::vector<Class*> order, merge_mro(*interpreter_, bases));
  if (conflict) return type_error(*interpreter_, "multiple bases have instance lay-out conflict");
  mro_.assign(1, this);
  mro_.insert(mro_.end(), order.begin(), order.end());
  for (Class* base : bases) {
    bases_.emplace_back(base);
    base->subclasses_.push_back(this);
  }
  make_instance_ = maker != nullptr ? maker : inherited;
  // One base at most has places of __slots__ that the others lack: they keep their numbers.
  for (const Class* base : bases) slot_count_ = std::max(slot_count_, base->slot_count_);
  return {};
}

void Class::leave_bases() {
  for (const Ref<Class>& base : bases_) std::erase(base->subclasses_, this);
  bases_.clear();
}

std::string Class::full_name() const {
  const std::string_view name = qualified_name();
  return module_ == "builtins" || module_.empty() ? std::string(name) : fmt::format("{}.{}", module_, name);
}

bool Class::is_subclass_of(const Class& other) const {
  return std::find(mro_.begin(), mro_.end(), &other) != mro_.end();
}

const Value* Class::lookup_slowly(Name name) const {
  const Value* found = nullptr;
  for (Class* cls : mro_) {
    if (cls->attributes_ && (found = cls->attributes_->find(name)) != nullptr) break;
  }
  // A name that meets a foreign entry takes its place; the table grows until that is rare.
  if (cache_[static_cast<std::size_t>(name.str().hash()) & cache_mask_].name != nullptr &&
      cache_.size() < kLastCacheSize) {
    cache_.assign(cache_.size() * 2, {});
    cache_mask_ = cache_.size() - 1;
  }
  cache_[static_cast<std::size_t>(name.str().hash()) & cache_mask_] = {&name.str(), found};
  return found;
}

const Value* Class::lookup_after(Name name, const Class& after) const {
  auto at = std::find(mro_.begin(), mro_.end(), &after);
  if (at == mro_.end()) return nullptr;
  for (++at; at != mro_.end(); ++at) {
    if (const Value* found = (*at)->attributes_->find(name)) return found;
  }
  return nullptr;
}

void Class::forget_lookups() {
  derived_facts_ = 0;
  equality_ = Equality::Unknown;
  finalizer_ = Finalizer::Unknown;
  cache_.assign(cache_.size(), {});
  for (Class* subclass : subclasses_) subclass->forget_lookups();
}

void Class::find_equality() const {
  const Names& names = interpreter_->names();
  equality_ = Equality::Identity;
  for (const Class* cls : mro_) {
    if (!cls->attributes_->contains(names.dunder_eq) && !cls->attributes_->contains(names.dunder_hash)) continue;
    // Of the built-in classes whose instances are keys by their class only, weak references ask what they lead to.
    if (!cls->immutable_ || cls == interpreter_->builtins().weak_reference) equality_ = Equality::Own;
    return;
  }
}

void Class::find_finalizer() const {
  // Names go before the last objects do.
  if (!interpreter_->finalizers().on_wait) return;
  const bool is_there = has_own_finalizer_ || lookup(interpreter_->names().dunder_del) != nullptr;
  finalizer_ = is_there ? Finalizer::There : Finalizer::None;
}

void Class::set_attribute(Name name, Value value) {
  attributes_->set(name, std::move(value));
  forget_lookups();
}

bool Class::delete_attribute(Name name) {
  const bool was_there = attributes_->erase(name);
  forget_lookups();
  return was_there;
}

// Behaviour: CPython Objects/descrobject.c, method_check_args: a method's body may trust the class of its instance.
Class& Class::def(std::string_view signature, NativeBody body) {
  const auto checked = [this, name = std::string(signature.substr(0, signature.find('('))), body = std::move(body)](
                           Interpreter& in, std::span<const Value> args) -> PyResult<Value> {
    const Class& given = in.type_of(args[0]);
    if (&given != this && !given.is_subclass_of(*this)) [[unlikely]] {
      return type_error(in, "descriptor '{}' for '{}' objects doesn't apply to a '{}' object", name, full_name(),
                        given.name());
    }
    return body(in, args);
  };
  auto function = NativeFunction::make(*interpreter_, signature, checked, name_);
  const Name name = interpreter_->intern(function->name());
  set_attribute(name, Value(std::move(function)));
  return *this;
}

Class& Class::def_static(std::string_view signature, NativeBody body) {
  if (signature.starts_with("__new__(")) {
    // Behaviour: CPython Objects/typeobject.c, tp_new_wrapper.
    body = [this, make = std::move(body)](Interpreter& in, std::span<const Value> args) -> PyResult<Value> {
      const Class* const wanted = args[0].as<Class>();
      if (wanted == nullptr) {
        return type_error(in, "{}.__new__(X): X is not a type object ({})", full_name(), in.type_of(args[0]).name());
      }
      if (!wanted->is_subclass_of(*this)) {
        return type_error(in, "{0}.__new__({1}): {1} is not a subtype of {0}", full_name(), wanted->full_name());
      }
      return make(in, args);
    };
  }
  auto function = NativeFunction::make(*interpreter_, signature, std::move(body), name_);
  const Name name = interpreter_->intern(function->name());
  set_attribute(name, object::make<WrappedMethod>(*interpreter_, WrappedMethod::Binding::Static, Value(function)));
  return *this;
}

Class& Class::def_class(std::string_view signature, NativeBody body) {
  auto function = NativeFunction::make(*interpreter_, signature, std::move(body), name_);
  const Name name = interpreter_->intern(function->name());
  set_attribute(name, object::make<WrappedMethod>(*interpreter_, WrappedMethod::Binding::Class, Value(function)));
  return *this;
}

Class& Class::property(std::string_view name, NativeGetter getter, NativeSetter setter) {
  set_attribute(interpreter_->intern(name), object::make<GetSet>(*interpreter_, name, getter, setter));
  return *this;
}

Class& Class::attribute(std::string_view name, Value value) {
  set_attribute(interpreter_->intern(name), std::move(value));
  return *this;
}

// Behaviour: CPython Objects/typeobject.c, object_new.
PyResult<Value> Class::new_instance() {
  Interpreter& interpreter = *interpreter_;
  if (make_instance_ == nullptr) return type_error(interpreter, "cannot create '{}' instances", full_name());
  if (const Name name = interpreter.find_name("__abstractmethods__")) {
    const Value* methods = attributes_->find(name);
    if (methods != nullptr) {
      NNS_TRY_ASSIGN(const std::vector<Value> listed, to_vector(interpreter, *methods));
      std::vector<std::string> names;
      for (const Value& one : listed) {
        NNS_TRY_ASSIGN(std::string text, str(interpreter, one));
        names.push_back(fmt::format("'{}'", text));
      }
      std::sort(names.begin(), names.end());
      if (!names.empty()) {
        return type_error(interpreter,
                          "Can't instantiate abstract class {} without an implementation for abstract method{} {}",
                          name_, names.size() == 1 ? "" : "s", fmt::join(names, ", "));
      }
    }
  }
  return Value(make_instance_(*this));
}

PyResult<Value> Class::call(const Arguments& arguments) {
  // A metaclass may say what calling its classes does.
  if (&type() != interpreter_->builtins().type) {
    const Value* method = type().lookup(interpreter_->names().dunder_call);
    if (method != nullptr && !method->is(*interpreter_->builtins().type->lookup(interpreter_->names().dunder_call))) {
      return Object::call(arguments);
    }
  }
  return construct(arguments);
}

// Behaviour: CPython Objects/typeobject.c, type_call.
PyResult<Value> Class::construct(const Arguments& arguments) {
  Interpreter& interpreter = *interpreter_;
  const Names& names = interpreter.names();
  if (this == interpreter.builtins().type && arguments.positional.size() == 1 && arguments.keywords.empty()) {
    return Value(static_cast<Object*>(&interpreter.type_of(arguments.positional[0])));
  }
  const Ref<Class> alive(this);
  // 1. __new__ makes the instance; where no class but object defines it, the layout's maker does.
  const Value* maker = lookup(names.dunder_new);
  Value instance;
  if (maker == nullptr || maker->is(*interpreter.builtins().object->attributes_->find(names.dunder_new))) {
    NNS_TRY_ASSIGN(instance, new_instance());
  } else {
    Value function = *maker;
    if (const auto* wrapped = function.as<WrappedMethod>()) function = wrapped->function();
    constexpr std::size_t kFew = 4;
    if (arguments.positional.size() < kFew) {
      Value few[kFew];
      few[0] = Value(this);
      std::copy(arguments.positional.begin(), arguments.positional.end(), few + 1);
      NNS_TRY_ASSIGN(instance, interpreter.call(function, {few, arguments.positional.size() + 1}, arguments.keywords));
    } else {
      std::vector<Value> positional{Value(this)};
      positional.insert(positional.end(), arguments.positional.begin(), arguments.positional.end());
      NNS_TRY_ASSIGN(instance, interpreter.call(function, positional, arguments.keywords));
    }
    if (!interpreter.type_of(instance).is_subclass_of(*this)) return instance;
  }
  // 2. __init__ fills it.
  const Value* init = interpreter.type_of(instance).lookup(names.dunder_init);
  if (init == nullptr) return instance;
  if (maker != nullptr && init->is(*interpreter.builtins().object->attributes_->find(names.dunder_init)) &&
      !maker->is(*interpreter.builtins().object->attributes_->find(names.dunder_new))) {
    return instance;
  }
  NNS_TRY_ASSIGN(const Value nothing,
                 interpreter.call_special(instance, names.dunder_init, arguments.positional, arguments.keywords));
  if (!nothing.is_none()) {
    return type_error(interpreter, "__init__() should return None, not '{}'", interpreter.type_of(nothing).name());
  }
  return instance;
}

void Class::traverse(Visitor& visitor) const {
  visitor.visit(attributes_);
  for (const Ref<Class>& base : bases_) visitor.visit(base);
}

void Class::clear_references() {
  cache_.assign(cache_.size(), {});
  if (attributes_) attributes_->clear();
}

}  // namespace nns::object
