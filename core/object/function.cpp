#include "core/object/function.h"

#include <algorithm>

#include "core/object/instance.h"
#include "core/object/interpreter.h"
#include "core/object/operations.h"
#include "core/object/with_self.h"

namespace nns::object {

std::vector<Keyword> keywords_of(Interpreter& interpreter, Dict& named) {
  std::vector<Keyword> keywords;
  for (std::size_t at = 0; Dict::Entry* entry = named.next(at);) {
    if (Str* const name = entry->key.as<Str>()) keywords.push_back({interpreter.intern(*name), entry->value});
  }
  return keywords;
}

std::vector<Keyword> keywords_of(Interpreter& interpreter, const Value& named) {
  Dict* const dict = named.as<Dict>();
  return dict == nullptr ? std::vector<Keyword>() : keywords_of(interpreter, *dict);
}

NativeFunction::NativeFunction(Interpreter& interpreter, std::string_view name, std::string_view qualified_name,
                               Signature signature, NativeBody body)
    : Container(*interpreter.builtins().function, kKind),
      name_(name),
      qualified_name_(qualified_name),
      signature_(std::move(signature)),
      body_(std::move(body)) {}

Ref<NativeFunction> NativeFunction::make(Interpreter& interpreter, std::string_view signature, NativeBody body,
                                         std::string_view owner) {
  const std::size_t open = signature.find('(');
  const std::string_view name = signature.substr(0, open);
  const std::string_view parameters = signature.substr(open + 1, signature.rfind(')') - open - 1);
  const std::string qualified = owner.empty() ? std::string(name) : fmt::format("{}.{}", owner, name);
  return object::make<NativeFunction>(interpreter, name, qualified, Signature(interpreter, parameters),
                                      std::move(body));
}

PyResult<Value> NativeFunction::call(const Arguments& arguments) {
  Interpreter& interpreter = this->interpreter();
  if (signature_.takes_as_given(arguments)) return run(interpreter, arguments.positional);
  // Arguments by position and defaults behind them: the common case beside that.
  constexpr std::size_t kFew = 6;
  const std::span<const Parameter> parameters = signature_.parameters();
  const std::size_t given = arguments.positional.size();
  if (arguments.keywords.empty() && given < parameters.size() && parameters.size() <= kFew) {
    const auto is_plain = [](const Parameter& one) {
      return one.kind == Parameter::Kind::Plain || one.kind == Parameter::Kind::PositionalOnly;
    };
    const bool has_defaults =
        std::all_of(parameters.begin(), parameters.begin() + static_cast<std::ptrdiff_t>(given), is_plain) &&
        std::all_of(parameters.begin() + static_cast<std::ptrdiff_t>(given), parameters.end(),
                    [&](const Parameter& one) { return is_plain(one) && !one.default_value.is_absent(); });
    if (has_defaults) {
      Value few[kFew];
      std::copy(arguments.positional.begin(), arguments.positional.end(), few);
      for (std::size_t i = given; i < parameters.size(); ++i) {
        // One that may be left out is kept as an Empty.
        const Value& value = parameters[i].default_value;
        few[i] = value.is_empty_container() ? Value::absent() : value;
      }
      return run(interpreter, {few, parameters.size()});
    }
  }
  NNS_TRY_ASSIGN(const std::vector<Value> bound, signature_.bind(interpreter, qualified_name_, arguments));
  return run(interpreter, bound);
}

PyResult<Value> NativeFunction::bind(const Value& self, Class&) {
  if (self.is_absent()) return Value(this);
  return Value(object::make<BoundMethod>(interpreter(), self, Value(this)));
}

Dict* NativeFunction::instance_dict(bool create) {
  if (!attributes_ && create) attributes_ = interpreter().dict();
  return attributes_.get();
}

void NativeFunction::traverse(Visitor& visitor) const {
  for (const Parameter& parameter : signature_.parameters()) visitor.visit(parameter.default_value);
  visitor.visit(attributes_);
}

void NativeFunction::clear_references() {
  attributes_ = nullptr;
  body_ = [](Interpreter&, std::span<const Value>) -> PyResult<Value> { return Value(); };
}

BoundMethod::BoundMethod(Interpreter& interpreter, Value self, Value function)
    : Container(*interpreter.builtins().method), self_(std::move(self)), function_(std::move(function)) {}

PyResult<Value> BoundMethod::call(const Arguments& arguments) {
  const WithSelf positional(self_, arguments.positional);
  const Value function = function_;
  return interpreter().call(function, positional.all(), arguments.keywords);
}

void BoundMethod::traverse(Visitor& visitor) const {
  visitor.visit(self_);
  visitor.visit(function_);
}

void BoundMethod::clear_references() {
  self_ = Value();
  function_ = Value();
}

Property::Property(Interpreter& interpreter, Value get, Value set, Value del)
    : Container(*interpreter.builtins().property),
      getter_(std::move(get)),
      setter_(std::move(set)),
      deleter_(std::move(del)) {}

PyResult<Value> Property::bind(const Value& self, Class& owner) {
  // A class derived from property may say otherwise.
  const Names& names = interpreter().names();
  if (const Class* builtin = interpreter().builtins().property;
      &type() != builtin && type().lookup(names.dunder_get) != builtin->lookup(names.dunder_get)) {
    return Object::bind(self, owner);
  }
  if (self.is_absent()) return Value(this);
  const Value getter = getter_;
  return interpreter().call(getter, {self});
}

void Property::traverse(Visitor& visitor) const {
  visitor.visit(getter_);
  visitor.visit(setter_);
  visitor.visit(deleter_);
}

void Property::clear_references() { getter_ = setter_ = deleter_ = Value(); }

WrappedMethod::WrappedMethod(Interpreter& interpreter, Binding binding, Value function)
    : Container(binding == Binding::Static ? *interpreter.builtins().static_method
                                           : *interpreter.builtins().class_method),
      binding_(binding),
      function_(std::move(function)) {}

PyResult<Value> WrappedMethod::bind(const Value&, Class& owner) {
  if (binding_ == Binding::Static) return function_;
  return Value(object::make<BoundMethod>(interpreter(), Value(static_cast<Object*>(&owner)), function_));
}

void WrappedMethod::traverse(Visitor& visitor) const { visitor.visit(function_); }

PyResult<void> Property::assign(const Value& self, Name name, const Value& value) {
  const bool deletes = value.is_absent();
  const Value method = deletes ? deleter_ : setter_;
  if (method.is_none()) {
    return attribute_error(interpreter(), "property '{}' of '{}' object has no {}", name.view(),
                           interpreter().type_of(self).name(), deletes ? "deleter" : "setter");
  }
  NNS_TRY(deletes ? interpreter().call(method, {self}) : interpreter().call(method, {self, value}));
  return {};
}

GetSet::GetSet(Interpreter& interpreter, std::string_view name, NativeGetter read, NativeSetter write)
    : Object(*interpreter.builtins().getset), name_(name), getter_(read), setter_(write) {}

PyResult<Value> GetSet::bind(const Value& self, Class&) {
  if (self.is_absent()) return Value(this);
  return getter_(interpreter(), self);
}

PyResult<void> GetSet::assign(const Value& self, Name name, const Value& value) {
  if (setter_ != nullptr) return setter_(interpreter(), self, value);
  return attribute_error(interpreter(), "attribute '{}' of '{}' objects is not writable", name.view(),
                         interpreter().type_of(self).name());
}

Member::Member(Interpreter& interpreter, Name name, const Class& owner, std::size_t place)
    : Object(*interpreter.builtins().member), name_(name), owner_name_(owner.name()), place_(place) {}

PyResult<Value> Member::bind(const Value& self, Class&) {
  if (self.is_absent()) return Value(this);
  const Instance* instance = self.as<Instance>();
  // Instances of other layouts (tensors) have no places: theirs are entries of a __dict__.
  Dict* const entries = instance == nullptr && self.is_object() ? self.object()->instance_dict(true) : nullptr;
  if (instance == nullptr && entries == nullptr) {
    return type_error(interpreter(), "descriptor '{}' for '{}' objects doesn't apply to a '{}' object", name_.view(),
                      owner_name_, interpreter().type_of(self).name());
  }
  const Value* const entry = entries == nullptr ? nullptr : entries->find(name_);
  Value value = instance != nullptr ? instance->slot(place_) : entry != nullptr ? *entry : Value::absent();
  if (!value.is_absent()) return value;
  return attribute_error(interpreter(), "'{}' object has no attribute '{}'", interpreter().type_of(self).name(),
                         name_.view());
}

PyResult<void> Member::assign(const Value& self, Name name, const Value& value) {
  Instance* instance = self.as<Instance>();
  Dict* const entries = instance == nullptr && self.is_object() ? self.object()->instance_dict(true) : nullptr;
  if (entries != nullptr && !value.is_absent()) {
    entries->set(name_, value);
    return {};
  }
  if (entries != nullptr && entries->erase(name_)) return {};
  if (instance == nullptr) {
    return type_error(interpreter(), "descriptor '{}' for '{}' objects doesn't apply to a '{}' object", name_.view(),
                      owner_name_, interpreter().type_of(self).name());
  }
  if (value.is_absent() && instance->slot(place_).is_absent()) {
    return attribute_error(interpreter(), "'{}' object has no attribute '{}'", interpreter().type_of(self).name(),
                           name.view());
  }
  instance->set_slot(place_, value);
  return {};
}

}  // namespace nns::object
