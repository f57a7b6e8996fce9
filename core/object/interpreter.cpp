#include "core/object/interpreter.h"

#include <algorithm>

#include "core/object/builtin_methods.h"
#include "core/object/instance.h"
#include "core/object/iterator.h"
#include "core/object/numbers.h"
#include "core/object/operations.h"
#include "core/object/with_self.h"

namespace nns::object {
namespace {

// Owned objects start with so many references that counting never frees them.
constexpr std::uint32_t kImmortal = 1U << 30U;

Ref<Object> make_plain(Class& cls) { return make<Instance>(cls); }
Ref<Object> make_exception(Class& cls) { return make<Exception>(cls); }
// Empty instances of the built-in classes and of those derived from them; one function a layout.
Ref<Object> make_empty_list(Class& cls) { return make_list(cls, {}); }
Ref<Object> make_empty_tuple(Class& cls) { return make_tuple(cls, {}); }
Ref<Object> make_empty_set(Class& cls) { return make_set(cls); }
Ref<Object> make_empty_text(Class& cls) { return Str::make(cls, ""); }
Ref<Object> make_zero(Class& cls) { return make<Number>(cls, Value(0)); }
Ref<Object> make_float_zero(Class& cls) { return make<Number>(cls, Value(0.0)); }
Ref<Object> make_dict(Class& cls) {
  if (&cls == cls.interpreter().builtins().dict) return make<Dict>(cls);
  return make<WithAttributes<Dict>>(cls);
}

bool binds_as_method(const Value& attribute) {
  return attribute.is_object() && attribute.object()->descriptor_kind() == DescriptorKind::Method;
}

}  // namespace

void Interpreter::warn(ErrorKind category, std::string text) {
  Warning made{.category = category, .text = std::move(text)};
  if (on_warning) on_warning(made);
  warnings_.push_back(std::move(made));
}

Interpreter::Interpreter() {
  interned_.resize(1024);
  make_builtin_classes();
}

Interpreter::~Interpreter() {
  finalizers_.end();
  events_.observe(nullptr);
  for (auto& extension : extensions_) extension.reset();
  // 1. No callback runs any more. 2. Every container lets go.
  std::vector<Value> callbacks;
  for (auto& [object, registration] : weak_registry_.registrations_) {
    for (WeakReference* r = registration.first; r != nullptr; r = r->next_) {
      callbacks.push_back(std::exchange(r->callback_, Value()));
    }
  }
  collector_.clear_all();
  callbacks.clear();
  not_implemented_ = ellipsis_ = Value();
  // 3. Names and classes, which counting does not free.
  for (Class* cls : owned_classes_) {
    cls->bases_.clear();
    cls->subclasses_.clear();
    cls->attributes_ = nullptr;
  }
  for (Str* name : interned_) {
    if (name != nullptr) static_cast<Object*>(name)->references_ = 0, delete static_cast<Object*>(name);
  }
  for (Class* cls : owned_classes_) {
    cls->class_ = nullptr;
    delete static_cast<Object*>(cls);
  }
}

void Interpreter::make_builtin_classes() {
  Builtins& b = builtins_;
  const auto bare = [this](std::string_view name) {
    Class* cls = new Class(*this, collector_, name, "builtins");
    cls->references_ = kImmortal;
    owned_classes_.push_back(cls);
    return cls;
  };
  // 1. The bare classes, all of class `type`. 2. Their attributes. 3. Names. 4. Bases. 5. Methods.
  struct Row {
    Class** slot;
    std::string_view name;
    InstanceMaker make_instance;
  };
  const Row rows[] = {
      {&b.object, "object", make_plain},
      {&b.type, "type", nullptr},
      {&b.none, "NoneType", nullptr},
      {&b.integer, "int", make_zero},
      {&b.boolean, "bool", nullptr},
      {&b.floating, "float", make_float_zero},
      {&b.complex_number, "complex", nullptr},
      {&b.str, "str", make_empty_text},
      {&b.bytes, "bytes", nullptr},
      {&b.byte_array, "bytearray", nullptr},
      {&b.range, "range", nullptr},
      {&b.tuple, "tuple", make_empty_tuple},
      {&b.list, "list", make_empty_list},
      {&b.dict, "dict", make_dict},
      {&b.ordered_dict, "OrderedDict", make_dict},
      {&b.set, "set", make_empty_set},
      {&b.frozen_set, "frozenset", make_empty_set},
      {&b.function, "function", nullptr},
      {&b.builtin_function, "builtin_function_or_method", nullptr},
      {&b.method, "method", nullptr},
      {&b.property, "property", nullptr},
      {&b.static_method, "staticmethod", nullptr},
      {&b.class_method, "classmethod", nullptr},
      {&b.getset, "getset_descriptor", nullptr},
      {&b.member, "member_descriptor", nullptr},
      {&b.weak_reference, "ReferenceType", nullptr},
      {&b.iterator, "iterator", nullptr},
      {&b.dict_keys, "dict_keys", nullptr},
      {&b.odict_keys, "odict_keys", nullptr},
      {&b.dict_values, "dict_values", nullptr},
      {&b.odict_values, "odict_values", nullptr},
      {&b.dict_items, "dict_items", nullptr},
      {&b.odict_items, "odict_items", nullptr},
      {&b.generator, "generator", nullptr},
      {&b.slice, "slice", nullptr},
  };
  for (const Row& row : rows) *row.slot = bare(row.name);
  for (Class* cls : owned_classes_) {
    cls->class_ = b.type;
    b.type->retain();
  }
  for (Class* cls : owned_classes_) cls->attributes_ = dict();
#define NNS_NAME(id, text) names_.id = intern(text);
#include "core/object/names.def"
#undef NNS_NAME
  std::size_t op = 0;
  const auto name_or_none = [this](std::string_view name) { return name.empty() ? Name() : intern(name); };
#define NNS_OPERATOR(id, symbol, method, reflected, in_place) \
  names_.operators[op++] = {intern(method), intern(reflected), name_or_none(in_place)};
#include "core/object/operators.def"
#undef NNS_OPERATOR
  // The rows are well formed: these calls cannot fail.
  static_cast<void>(b.object->set_bases({}, make_plain).ok());
  for (const Row& row : rows) {
    (*row.slot)->instances_have_dict_ = *row.slot == b.ordered_dict;
    if (*row.slot == b.object) continue;
    Class* base = *row.slot == b.boolean ? b.integer : *row.slot == b.ordered_dict ? b.dict : b.object;
    static_cast<void>((*row.slot)->set_bases({&base, 1}, row.make_instance).ok());
    // A class without a maker of its own makes no instances, rather than plain ones.
    (*row.slot)->make_instance_ = row.make_instance;
  }
  b.ordered_dict->module_ = "collections";
  b.weak_reference->module_ = "weakref";
  const auto add_exception = [this, &b](ErrorKind kind, std::string_view name, ErrorKind parent) {
    std::vector<Class*> bases{kind == ErrorKind::BaseException ? b.object : &b.exception(parent)};
    // The only one with two.
    if (kind == ErrorKind::ExceptionGroup) bases.insert(bases.begin(), &b.exception(ErrorKind::BaseExceptionGroup));
    b.exceptions[static_cast<std::size_t>(kind)] =
        &define_class({.name = name, .module = "builtins", .bases = bases, .make_instance = make_exception});
  };
#define NNS_EXCEPTION(id, parent) add_exception(ErrorKind::id, #id, ErrorKind::parent);
#include "core/object/exceptions.def"
#undef NNS_EXCEPTION
  for (Class* cls : owned_classes_) {
    cls->set_attribute(names_.dunder_module, text(cls->module_));
  }
  Class& not_implemented = define_class({.name = "NotImplementedType", .module = "builtins"});
  not_implemented.def("__repr__(self)", [](Interpreter& in, std::span<const Value>) -> PyResult<Value> {
    return in.text("NotImplemented");
  });
  not_implemented_ = Value(make_plain(not_implemented));
  Class& ellipsis = define_class({.name = "ellipsis", .module = "builtins"});
  ellipsis.def("__repr__(self)",
               [](Interpreter& in, std::span<const Value>) -> PyResult<Value> { return in.text("Ellipsis"); });
  ellipsis_ = Value(make_plain(ellipsis));
  add_object_methods(*this);
  add_type_methods(*this);
  add_number_methods(*this);
  add_text_methods(*this);
  add_bytes_methods(*this);
  add_dict_methods(*this);
  add_set_methods(*this);
  add_range_methods(*this);
  add_list_methods(*this);
  add_iteration_methods(*this);
  for (Class* cls : owned_classes_) cls->immutable_ = true;
  // Whether their instances are compared as their classes say was asked while they were being made.
  for (Class* cls : owned_classes_) cls->forget_lookups();
}

Class& Interpreter::define_class(const ClassSpec& spec) {
  auto made = Class::make(*this, spec);
  assert(made.ok());
  Class* cls = std::move(made).value().detach();
  cls->references_ = kImmortal;
  owned_classes_.push_back(cls);
  return *cls;
}

Name Interpreter::find_name(std::string_view text) const {
  const std::size_t mask = interned_.size() - 1;
  for (std::size_t at = static_cast<std::size_t>(hash_bytes(text)) & mask; interned_[at] != nullptr;
       at = (at + 1) & mask) {
    if (interned_[at]->view() == text) return Name(interned_[at]);
  }
  return {};
}

Name Interpreter::intern(std::string_view text) {
  if (const Name found = find_name(text)) return found;
  Ref<Str> made = str(text);
  Str* name = made.detach();
  name->references_ = kImmortal;
  name->interned_ = true;
  if ((++interned_count_) * 2 > interned_.size()) {
    const std::vector<Str*> old = std::exchange(interned_, std::vector<Str*>(interned_.size() * 2));
    for (Str* one : old) {
      if (one != nullptr) insert_interned(*one);
    }
  }
  insert_interned(*name);
  return Name(name);
}

void Interpreter::insert_interned(Str& name) {
  const std::size_t mask = interned_.size() - 1;
  std::size_t at = static_cast<std::size_t>(name.hash()) & mask;
  while (interned_[at] != nullptr) at = (at + 1) & mask;
  interned_[at] = &name;
}

Ref<Str> Interpreter::str(std::string_view text) { return Str::make(*builtins_.str, text); }
Ref<Tuple> Interpreter::tuple(std::vector<Value> items) { return make<Tuple>(*builtins_.tuple, std::move(items)); }
Ref<List> Interpreter::list(std::vector<Value> items) { return make<List>(*builtins_.list, std::move(items)); }
Ref<Dict> Interpreter::dict() { return make<Dict>(*builtins_.dict); }
Ref<Dict> Interpreter::ordered_dict() { return make<WithAttributes<Dict>>(*builtins_.ordered_dict); }
Ref<Set> Interpreter::set() { return make<Set>(*builtins_.set); }

Value Interpreter::make_empty(EmptyKind kind) {
  switch (kind) {
    case EmptyKind::Dict:
      return dict();
    case EmptyKind::OrderedDict:
      return ordered_dict();
    case EmptyKind::Set:
      break;
  }
  return set();
}

Ref<NativeFunction> Interpreter::function(std::string_view signature, NativeBody body) {
  return NativeFunction::make(*this, signature, std::move(body));
}

Class& Interpreter::type_of(const Value& value) const {
  switch (value.kind()) {
    case Value::Kind::Object:
      return value.object()->type();
    case Value::Kind::Bool:
      return *builtins_.boolean;
    case Value::Kind::Int:
      return *builtins_.integer;
    case Value::Kind::Float:
      return *builtins_.floating;
    case Value::Kind::Empty:
      return value.as_empty_kind() == EmptyKind::Set    ? *builtins_.set
             : value.as_empty_kind() == EmptyKind::Dict ? *builtins_.dict
                                                        : *builtins_.ordered_dict;
    default:
      return *builtins_.none;
  }
}

PyError Interpreter::recursion_error() {
  return make_error(*this, ErrorKind::RecursionError, "maximum recursion depth exceeded");
}

PyResult<Value> Interpreter::call(const Value& callable, std::span<const Value> positional,
                                  std::span<const Keyword> keywords) {
  if (!callable.is_object()) return type_error(*this, "'{}' object is not callable", type_of(callable).name());
  const Depth depth(*this);
  if (depth.too_deep()) return recursion_error();
  return callable.object()->call({positional, keywords});
}

PyResult<Value> Interpreter::call_special(const Value& self, Name name, std::span<const Value> rest,
                                          std::span<const Keyword> keywords) {
  Class& cls = type_of(self);
  const Value* attribute = cls.lookup(name);
  if (attribute == nullptr) {
    return attribute_error(*this, "'{}' object has no attribute '{}'", cls.name(), name.view());
  }
  const Value function = *attribute;
  if (binds_as_method(function)) return call(function, WithSelf(self, rest).all(), keywords);
  if (!function.is_object()) return call(function, rest, keywords);
  NNS_TRY_ASSIGN(const Value bound, function.object()->bind(self, cls));
  return call(bound, rest, keywords);
}

PyResult<Value> Interpreter::call_method(const Value& self, Name name, std::span<const Value> rest,
                                         std::span<const Keyword> keywords) {
  Class& cls = type_of(self);
  const Value* attribute = cls.lookup(name);
  if (attribute != nullptr && binds_as_method(*attribute) && self.is_object() &&
      self.object()->kind() != ObjectKind::Class) {
    const Dict* own = self.object()->instance_dict(false);
    if (own == nullptr || !own->contains(name)) {
      return call(Value(*attribute), WithSelf(self, rest).all(), keywords);
    }
  }
  NNS_TRY_ASSIGN(const Value bound, getattr(*this, self, name));
  return call(bound, rest, keywords);
}

}  // namespace nns::object
