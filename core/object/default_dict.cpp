#include "core/object/default_dict.h"

#include "core/object/operations.h"

namespace nns::object {
namespace {

using Args = std::span<const Value>;

Ref<Object> make_object(Class& cls) { return make<DefaultDict>(cls); }
DefaultDict& default_dict_of(Args a) { return static_cast<DefaultDict&>(*a[0].object()); }

// Behaviour: CPython Modules/_collectionsmodule.c, defdict_missing.
PyResult<Value> make_missing(Interpreter& in, Args a) {
  DefaultDict& self = default_dict_of(a);
  if (self.factory().is_none()) return key_error(in, a[1]);
  NNS_TRY_ASSIGN(Value made, in.call(self.factory(), std::span<const Value>()));
  self.set(a[1], made);
  return made;
}

PyResult<Value> init(Interpreter& in, Args a) {
  default_dict_of(a).set_factory(a[1]);
  const Name update = in.intern("update");
  if (!a[2].is_none()) NNS_TRY(in.call_method(a[0], update, {a[2]}));
  NNS_TRY(in.call_method(a[0], update, {a[3]}));
  return Value();
}

}  // namespace

void DefaultDict::traverse(Visitor& visitor) const {
  Dict::traverse(visitor);
  visitor.visit(factory_);
}

void DefaultDict::clear_references() {
  Dict::clear_references();
  factory_ = Value();
}

Class& define_default_dict(Interpreter& interpreter) {
  // Whoever asked before has it: there is one.
  for (Class* const known : interpreter.builtins().dict->subclasses()) {
    if (known->make_instance() == make_object && known->module() == "collections") return *known;
  }
  Class& cls = interpreter.define_class({.name = "defaultdict",
                                         .module = "collections",
                                         .bases = {interpreter.builtins().dict},
                                         .make_instance = make_object});
  cls.def("__init__(self, default_factory=None, iterable=None, **more)", init);
  cls.def("__missing__(self, key)", make_missing);
  cls.def("copy(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const Ref<DefaultDict> made = make_default_dict(default_dict_of(a).type(), default_dict_of(a).factory());
    NNS_TRY(in.call_method(Value(made), in.intern("update"), {a[0]}));
    return Value(made);
  });
  cls.def("__repr__(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const Ref<Dict> plain = in.dict();
    DefaultDict& self = default_dict_of(a);
    for (std::size_t at = 0; Dict::Entry* entry = self.next(at);) plain->set(entry->key, entry->value);
    NNS_TRY_ASSIGN(const std::string factory, repr(in, self.factory()));
    NNS_TRY_ASSIGN(const std::string entries, repr(in, Value(plain)));
    return in.text(fmt::format("{}({}, {})", self.type().name(), factory, entries));
  });
  cls.property("default_factory", [](Interpreter&, const Value& self) -> PyResult<Value> {
    return default_dict_of({&self, 1}).factory();
  });
  return cls;
}

Ref<DefaultDict> make_default_dict(Class& cls, Value factory) {
  Ref<DefaultDict> made = make<DefaultDict>(cls);
  made->set_factory(std::move(factory));
  return made;
}

void keep_factory(const Value& from, const Value& to) {
  if (const auto* defaults = dynamic_cast<const DefaultDict*>(from.object())) {
    static_cast<DefaultDict*>(to.object())->set_factory(defaults->factory());
  }
}

}  // namespace nns::object
