#include "core/object/copy.h"

#include <utility>

#include "core/object/default_dict.h"
#include "core/object/instance.h"
#include "core/object/operations.h"

namespace nns::object {
namespace {

// Gives `copy` the state: through __setstate__, or into its __dict__.
PyResult<void> restore(Interpreter& in, const Value& copy, const Value& state) {
  if (in.type_of(copy).lookup(in.names().dunder_setstate) != nullptr) {
    NNS_TRY(in.call_special(copy, in.names().dunder_setstate, {state}));
    return {};
  }
  Dict* target = copy.object()->instance_dict(true);
  Dict* source = state.as<Dict>();
  if (target == nullptr || source == nullptr) return {};
  for (std::size_t at = 0; Dict::Entry* entry = source->next(at);) target->set(entry->key, entry->value);
  return {};
}

bool is_immutable(const Value& value) {
  if (!value.is_object()) return true;
  return value.as<Str>() != nullptr || value.as<Class>() != nullptr || value.as<NativeFunction>() != nullptr ||
         value.as<WeakReference>() != nullptr || value.as<Property>() != nullptr ||
         value.as<WrappedMethod>() != nullptr || value.as<GetSet>() != nullptr;
}

class DeepCopy {
 public:
  DeepCopy(Interpreter& in, CopyReplacement replacement)
      : in_(in), replacement_(std::move(replacement)), memo_dict_(in.dict()) {}

  PyResult<Value> copy(const Value& value) {
    if (is_immutable(value)) return value;
    if (const auto found = memo_.find(value.object()); found != memo_.end()) return found->second;
    const Interpreter::Depth depth(in_);
    if (depth.too_deep()) return in_.recursion_error();
    kept_.push_back(value);
    if (auto replaced = replacement_ == nullptr ? std::nullopt : replacement_(value)) {
      NNS_TRY_ASSIGN(Value made, *std::move(replaced));
      return memo_[value.object()] = std::move(made);
    }
    if (in_.type_of(value).lookup(in_.names().dunder_deepcopy) != nullptr) {
      NNS_TRY_ASSIGN(const Value made, in_.call_special(value, in_.names().dunder_deepcopy, {Value(memo_dict_)}));
      memo_[value.object()] = made;
      return made;
    }
    if (const Tuple* tuple = value.as<Tuple>()) {
      std::vector<Value> items;
      for (const Value& item : tuple->items()) {
        NNS_TRY_ASSIGN(Value one, copy(item));
        items.push_back(std::move(one));
      }
      return memo_[value.object()] = Value(make<Tuple>(tuple->type(), std::move(items)));
    }
    if (const List* list = value.as<List>()) {
      const auto made = make<List>(list->type(), std::vector<Value>());
      memo_[value.object()] = Value(made);
      const std::vector<Value> items = list->items();
      for (const Value& item : items) {
        NNS_TRY_ASSIGN(Value one, copy(item));
        made->append(std::move(one));
      }
      return Value(made);
    }
    if (Set* set = value.as<Set>()) {
      const auto made = make<Set>(set->type());
      memo_[value.object()] = Value(made);
      for (const Value& key : set->keys().keys()) {
        NNS_TRY_ASSIGN(Value one, copy(key));
        made->add(std::move(one));
      }
      return Value(made);
    }
    if (const BoundMethod* method = value.as<BoundMethod>()) {
      NNS_TRY_ASSIGN(Value self, copy(method->self()));
      return Value(make<BoundMethod>(in_, std::move(self), method->function()));
    }
    if (const auto* own = dynamic_cast<const DeepCopyable*>(value.object())) {
      NNS_TRY_ASSIGN(Value made, own->deep_copied([this](const Value& part) { return copy(part); }));
      return memo_[value.object()] = std::move(made);
    }
    Class& cls = in_.type_of(value);
    if (cls.make_instance() == nullptr) return value;
    const Value made = cls.make_instance()(cls);
    memo_[value.object()] = made;
    if (Dict* dict = value.as<Dict>()) NNS_TRY(copy_entries(*dict, *made.as<Dict>()));
    keep_factory(value, made);
    if (const Exception* raised = value.as<Exception>(); raised != nullptr && raised->arguments()) {
      made.as<Exception>()->set_arguments(raised->arguments());
    }
    Dict* state = value.object()->instance_dict(false);
    if (state == nullptr) return made;
    const Ref<Dict> copied = in_.dict();
    NNS_TRY(copy_entries(*state, *copied));
    NNS_TRY(restore(in_, made, Value(copied)));
    return made;
  }

 private:
  PyResult<void> copy_entries(Dict& from, Dict& to) {
    // What nobody has looked at yet is empty in the copy as well.
    for (const Value& key : from.keys()) {
      NNS_TRY_ASSIGN(Value new_key, copy(key));
      const Value* raw = from.find_raw(key);
      if (raw != nullptr && raw->is_empty_container()) {
        to.set(std::move(new_key), *raw);
        continue;
      }
      const Value* found = from.find(key);
      if (found == nullptr) continue;
      const Value old = *found;
      NNS_TRY_ASSIGN(Value one, copy(old));
      to.set(std::move(new_key), std::move(one));
    }
    return {};
  }

  Interpreter& in_;
  CopyReplacement replacement_;
  std::unordered_map<const Object*, Value> memo_;
  // The originals stay alive, so that no address is used twice meanwhile.
  std::vector<Value> kept_;
  Ref<Dict> memo_dict_;
};

}  // namespace

PyResult<Value> deep_copy(Interpreter& interpreter, const Value& value, CopyReplacement replacement) {
  return DeepCopy(interpreter, std::move(replacement)).copy(value);
}

PyResult<Value> shallow_copy(Interpreter& interpreter, const Value& value) {
  if (is_immutable(value) || value.as<Tuple>() != nullptr) return value;
  Class& cls = interpreter.type_of(value);
  if (cls.lookup(interpreter.names().dunder_copy) != nullptr) {
    return interpreter.call_special(value, interpreter.names().dunder_copy);
  }
  if (const List* list = value.as<List>()) return Value(make<List>(cls, list->items()));
  if (cls.make_instance() == nullptr) return value;
  const Value made = cls.make_instance()(cls);
  keep_factory(value, made);
  if (Dict* dict = value.as<Dict>()) {
    for (std::size_t at = 0; Dict::Entry* entry = dict->next(at);) made.as<Dict>()->set(entry->key, entry->value);
  }
  if (Set* set = value.as<Set>()) {
    for (const Value& key : set->keys().keys()) made.as<Set>()->add(key);
  }
  if (Dict* state = value.object()->instance_dict(false)) NNS_TRY(restore(interpreter, made, Value(state)));
  return made;
}

}  // namespace nns::object
