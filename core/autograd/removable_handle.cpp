#include "core/autograd/removable_handle.h"

#include "core/ops/python_function.h"

namespace nns::autograd {

using object::Dict;
using object::Interpreter;
using object::PyResult;
using object::Ref;
using object::Value;

RemovableHandle::RemovableHandle(Interpreter& interpreter, std::int64_t id, std::string_view table_name, Dict& table,
                                 const std::vector<Dict*>& side_tables)
    : Instance(removable_handle_class(interpreter)),
      id_(id),
      table_name_(table_name),
      table_(object::make<object::WeakReference>(table)) {
  for (Dict* side : side_tables) side_tables_.push_back(object::make<object::WeakReference>(*side));
}

void RemovableHandle::remove() {
  const auto erase_from = [this](const Ref<object::WeakReference>& reference) {
    const Ref<object::Object> alive = reference ? reference->get() : nullptr;
    return alive && static_cast<Dict&>(*alive).erase(Value(id_));
  };
  if (erase_from(table_)) {
    interpreter().events().report([this] { return events::HookRemoved{table_name_, id_}; });
  }
  for (const auto& side : side_tables_) erase_from(side);
}

PyResult<void> RemovableHandle::begin(const Value& table, const Value& extra) {
  Interpreter& in = interpreter();
  if (table.as<Dict>() == nullptr) {
    return object::type_error(in, "cannot create weak reference to '{}' object", in.type_of(table).name());
  }
  id_ = in.next_hook_id();
  table_ = object::make<object::WeakReference>(*table.as<Dict>());
  side_tables_.clear();
  const auto add = [this](const Value& side) {
    if (Dict* const dict = side.as<Dict>()) side_tables_.push_back(object::make<object::WeakReference>(*dict));
  };
  add(extra);
  if (const auto* const several = extra.as<object::List>()) {
    for (const Value& side : several->items()) add(side);
  }
  return {};
}

namespace {

// A function that tells what a weak reference knows.
Value teller(Interpreter& in, const Ref<object::WeakReference>& reference) {
  return Value(in.function("ref()", [reference](Interpreter&, std::span<const Value>) -> PyResult<Value> {
    return reference ? Value(reference->get()) : Value();
  }));
}

}  // namespace

Value RemovableHandle::table_reference() const { return teller(interpreter(), table_); }

Value RemovableHandle::side_references() const {
  std::vector<Value> sides;
  for (const auto& side : side_tables_) sides.push_back(teller(interpreter(), side));
  return Value(interpreter().tuple(std::move(sides)));
}

PyResult<Value> RemovableHandle::deep_copied(const Copier& copy) const {
  // A table that died stays dead in the copy.
  std::vector<Ref<Dict>> tables{interpreter().dict()};
  const auto add_copy = [&](const Ref<object::WeakReference>& reference) -> PyResult<void> {
    const Ref<object::Object> alive = reference ? reference->get() : nullptr;
    if (!alive) return {};
    NNS_TRY_ASSIGN(const Value table, copy(Value(alive)));
    tables.emplace_back(table.as<Dict>());
    return {};
  };
  NNS_TRY(add_copy(table_));
  const bool is_alive = tables.size() > 1;
  std::vector<Dict*> sides;
  for (const auto& side : side_tables_) NNS_TRY(add_copy(side));
  for (std::size_t i = is_alive ? 2 : 1; i < tables.size(); ++i) sides.push_back(tables[i].get());
  return Value(
      object::make<RemovableHandle>(interpreter(), id_, table_name_, *tables[is_alive ? 1 : 0], std::move(sides)));
}

Value RemovableHandle::state() const {
  const auto table_of = [](const Ref<object::WeakReference>& reference) {
    return reference ? Value(reference->get()) : Value();
  };
  std::vector<Value> sides;
  for (const auto& side : side_tables_) sides.push_back(table_of(side));
  std::vector<Value> parts{table_of(table_), Value(id_)};
  if (!sides.empty()) parts.emplace_back(interpreter().tuple(std::move(sides)));
  return interpreter().tuple(std::move(parts));
}

PyResult<void> RemovableHandle::set_state(const Value& state) {
  Interpreter& in = interpreter();
  const auto* parts = state.as<object::Tuple>();
  if (parts == nullptr || parts->size() < 2 || !(*parts)[1].is_int()) {
    return object::type_error(in, "the state of a RemovableHandle is a table, an id and other tables");
  }
  // Ids that are given from now on come behind it, so that no hook takes the place of another.
  constexpr std::int64_t kMostId = 10'000'000;
  const std::int64_t id = (*parts)[1].as_int();
  if (id < 0 || id > kMostId) return object::runtime_error(in, "the id of a hook is {}", id);
  while (in.next_hook_id() < id) {
  }
  const auto weak = [](const Value& table) -> Ref<object::WeakReference> {
    Dict* const dict = table.as<Dict>();
    return dict == nullptr ? nullptr : object::make<object::WeakReference>(*dict);
  };
  id_ = id;
  table_ = weak((*parts)[0]);
  side_tables_.clear();
  if (const auto* sides = parts->size() > 2 ? (*parts)[2].as<object::Tuple>() : nullptr) {
    for (const Value& side : sides->items()) side_tables_.push_back(weak(side));
  }
  return {};
}

void RemovableHandle::traverse(object::Visitor& visitor) const { Instance::traverse(visitor); }

void RemovableHandle::clear_references() {
  Instance::clear_references();
  table_ = nullptr;
  side_tables_.clear();
}

namespace {

events::Subject subject_of(Interpreter& interpreter, object::Object& owner) {
  return {interpreter.id_of(owner), owner.type().name(), false};
}

}  // namespace

void tell_hook_entered(Interpreter& interpreter, object::Object& owner, std::string_view table_name, std::int64_t id) {
  interpreter.events().report([&] { return events::HookRegistered{subject_of(interpreter, owner), table_name, id}; });
}

void tell_hook_fires(Interpreter& interpreter, object::Object& owner, std::string_view table_name, std::int64_t id) {
  interpreter.events().report([&] { return events::HookFired{subject_of(interpreter, owner), table_name, id}; });
}

object::Class& removable_handle_class(Interpreter& interpreter) {
  using Args = std::span<const Value>;
  Dict& module = ops::python_module(interpreter, "torch.utils.hooks");
  const object::Name name = interpreter.intern("RemovableHandle");
  if (const Value* found = module.find(name)) return *found->as<object::Class>();
  object::Class& cls = interpreter.define_class(
      {.name = name.view(), .module = "torch.utils.hooks", .make_instance = [](object::Class& made) {
         return Ref<object::Object>(object::make<RemovableHandle>(made));
       }});
  module.set(name, Value(static_cast<object::Object*>(&cls)));
  cls.property(
      "id", [](Interpreter&, const Value& self) -> PyResult<Value> { return Value(self.as<RemovableHandle>()->id()); });
  cls.property("hooks_dict_ref", [](Interpreter&, const Value& self) -> PyResult<Value> {
    return self.as<RemovableHandle>()->table_reference();
  });
  cls.property("extra_dict_ref", [](Interpreter&, const Value& self) -> PyResult<Value> {
    return self.as<RemovableHandle>()->side_references();
  });
  cls.def("__init__(self, hooks_dict, *, extra_dict=None)", [](Interpreter&, Args a) -> PyResult<Value> {
    NNS_TRY(a[0].as<RemovableHandle>()->begin(a[1], a[2]));
    return Value();
  });
  cls.def("remove(self)", [](Interpreter&, Args a) -> PyResult<Value> {
    a[0].as<RemovableHandle>()->remove();
    return Value();
  });
  cls.def("__getstate__(self)",
          [](Interpreter&, Args a) -> PyResult<Value> { return a[0].as<RemovableHandle>()->state(); });
  cls.def("__setstate__(self, state)", [](Interpreter&, Args a) -> PyResult<Value> {
    NNS_TRY(a[0].as<RemovableHandle>()->set_state(a[1]));
    return Value();
  });
  cls.def("__enter__(self)", [](Interpreter&, Args a) -> PyResult<Value> { return a[0]; });
  cls.def("__exit__(self, type, value, tb)", [](Interpreter&, Args a) -> PyResult<Value> {
    a[0].as<RemovableHandle>()->remove();
    return Value();
  });
  return cls;
}

Ref<RemovableHandle> add_hook(Interpreter& interpreter, std::string_view table_name, Dict& table, Value hook,
                              const std::vector<Dict*>& side_tables) {
  const std::int64_t id = interpreter.next_hook_id();
  auto handle = object::make<RemovableHandle>(interpreter, id, table_name, table, side_tables);
  table.set(Value(id), std::move(hook));
  return handle;
}

HookSnapshot::HookSnapshot(Dict& table) {
  if (table.size() > kFew) many_.reserve(table.size());
  for (std::size_t at = 0; const Dict::Entry* entry = table.next(at);) {
    Entry one{entry->key.is_int() ? entry->key.as_int() : -1, entry->value};
    if (table.size() > kFew) {
      many_.push_back(std::move(one));
    } else {
      few_[count_++] = std::move(one);
    }
  }
}

}  // namespace nns::autograd
