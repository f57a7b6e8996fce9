#include "core/object/copy.h"

#include <functional>
#include <typeinfo>
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

// Whether the class says in the program's own words what its objects are made of: then that is asked for.
bool is_reduced(Interpreter& in, Class& cls) {
  if (cls.slot_count() > 0) return true;
  // A number or bytes of a class of the program's: what it is stands in no __dict__.
  const auto& builtins = in.builtins();
  for (const Class* const plain : {builtins.integer, builtins.floating, builtins.complex_number, builtins.bytes}) {
    if (&cls != plain && &cls != builtins.boolean && cls.is_subclass_of(*plain)) return true;
  }
  for (const std::string_view name :
       {"__reduce_ex__", "__reduce__", "__getstate__", "__getnewargs_ex__", "__getnewargs__"}) {
    const Name known = in.find_name(name);
    const Value* const method = known ? cls.lookup(known) : nullptr;
    if (method != nullptr && method->is_object() && &method->object()->type() == in.builtins().function &&
        method->as<NativeFunction>() == nullptr) {
      return true;
    }
  }
  return false;
}

// What a part becomes in a copy: itself, or its own copy.
using PartCopier = std::function<PyResult<Value>(const Value& part)>;

// An object of what value.__reduce_ex__(4) tells. `remember` gets it as soon as it is there.
// Behaviour: Lib/copy.py, _reconstruct.
PyResult<Value> rebuilt(Interpreter& in, const Value& value, const PartCopier& copy,
                        const std::function<void(const Value&)>& remember) {
  NNS_TRY_ASSIGN(const Value told, in.call_method(value, in.intern("__reduce_ex__"), {Value(4)}));
  if (told.as<Str>() != nullptr) return value;
  const Tuple* const parts = told.as<Tuple>();
  if (parts == nullptr || parts->size() < 2 || parts->size() > 5 || (*parts)[1].as<Tuple>() == nullptr) {
    return type_error(in, "__reduce_ex__() must return a string or tuple");
  }
  NNS_TRY_ASSIGN(const Value arguments, copy((*parts)[1]));
  NNS_TRY_ASSIGN(const Value made, in.call((*parts)[0], arguments.as<Tuple>()->items()));
  remember(made);
  const auto part = [&](std::size_t i) { return parts->size() > i ? (*parts)[i] : Value(); };
  if (!part(2).is_none()) {
    NNS_TRY_ASSIGN(const Value state, copy(part(2)));
    const Tuple* const both = state.as<Tuple>();
    const bool has_method = in.type_of(made).lookup(in.names().dunder_setstate) != nullptr;
    if (!has_method && both != nullptr && both->size() == 2) {
      if (!(*both)[0].is_none()) NNS_TRY(restore(in, made, (*both)[0]));
      if (Dict* const slots = (*both)[1].as<Dict>()) {
        for (std::size_t at = 0; Dict::Entry* entry = slots->next(at);) {
          if (Str* const name = entry->key.as<Str>()) NNS_TRY(setattr(in, made, in.intern(*name), entry->value));
        }
      }
    } else {
      NNS_TRY(restore(in, made, state));
    }
  }
  if (!part(3).is_none()) {
    NNS_TRY_ASSIGN(const std::vector<Value> items, to_vector(in, part(3)));
    for (const Value& item : items) {
      NNS_TRY_ASSIGN(const Value one, copy(item));
      NNS_TRY(in.call_method(made, in.intern("append"), {one}));
    }
  }
  if (!part(4).is_none()) {
    NNS_TRY_ASSIGN(const std::vector<Value> items, to_vector(in, part(4)));
    for (const Value& item : items) {
      const Tuple* const entry = item.as<Tuple>();
      if (entry == nullptr || entry->size() != 2)
        return type_error(in, "__reduce_ex__() gave an entry that is no pair");
      NNS_TRY_ASSIGN(const Value key, copy((*entry)[0]));
      NNS_TRY_ASSIGN(const Value one, copy((*entry)[1]));
      NNS_TRY(setitem(in, made, key, one));
    }
  }
  return made;
}

// An object of the class with nothing in it; Absent: those of the class are what they were made as, as torch.float32.
Value empty_like(Class& cls, const Value& value) {
  if (cls.make_instance() == nullptr) return Value::absent();
  Value made(cls.make_instance()(cls));
  const Object &original = *value.object(), &copy = *made.object();
  return typeid(original) == typeid(copy) ? made : Value::absent();
}

bool is_immutable(const Value& value) {
  if (!value.is_object()) return true;
  switch (value.object()->kind()) {
    case ObjectKind::Str:
    case ObjectKind::Class:
    case ObjectKind::NativeFunction:
      return true;
    case ObjectKind::Other:
      return value.as<WeakReference>() != nullptr || value.as<Property>() != nullptr ||
             value.as<WrappedMethod>() != nullptr || value.as<GetSet>() != nullptr;
    default:
      return false;
  }
}

Value key_of(const Object* original) {
  return Value(static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(original)));
}

}  // namespace

// What methods of ours get as their memo.
class RunningCopy final : public Object {
 public:
  RunningCopy(Interpreter& in, DeepCopy& running) : Object(*in.builtins().object), running_(running) {}
  DeepCopy& running() const { return running_; }

 private:
  DeepCopy& running_;
};

class DeepCopy {
 public:
  DeepCopy(Interpreter& in, CopyReplacement replacement, Dict* memo)
      : in_(in),
        replacement_(std::move(replacement)),
        memo_dict_(memo == nullptr ? in.dict() : Ref<Dict>(memo)),
        is_shared_(memo != nullptr) {}
  ~DeepCopy() {
    if (is_shared_) tell();
  }
  DeepCopy(const DeepCopy&) = delete;
  DeepCopy& operator=(const DeepCopy&) = delete;

  PyResult<Value> copy(const Value& value) {
    if (is_immutable(value)) return value;
    if (const auto found = memo_.find(value.object()); found != memo_.end()) return found->second.made;
    if (is_shared_) {
      if (const Value* const known = memo_dict_->find(key_of(value.object()))) return *known;
    }
    const Interpreter::Depth depth(in_);
    if (depth.too_deep()) return in_.recursion_error();
    if (auto replaced = replacement_ == nullptr ? std::nullopt : replacement_(value)) {
      NNS_TRY_ASSIGN(Value made, *std::move(replaced));
      return remember(value, std::move(made));
    }
    if (const Value* const method = in_.type_of(value).lookup(in_.names().dunder_deepcopy)) {
      // A method of the program may hand the memo on to another deepcopy(); ours ask if they need it.
      const bool is_ours = method->as<NativeFunction>() != nullptr;
      if (is_ours && !for_ours_) for_ours_ = make<RunningCopy>(in_, *this);
      const Value memo = is_ours ? Value(for_ours_) : Value(share_memo());
      NNS_TRY_ASSIGN(Value made, in_.call_special(value, in_.names().dunder_deepcopy, {memo}));
      return remember(value, std::move(made));
    }
    if (tells_parts(in_.type_of(value))) {
      return rebuilt(
          in_, value, [this](const Value& part) { return copy(part); },
          [&](const Value& made) { remember(value, made); });
    }
    if (const Tuple* tuple = value.as<Tuple>()) {
      std::vector<Value> items;
      for (const Value& item : tuple->items()) {
        NNS_TRY_ASSIGN(Value one, copy(item));
        items.push_back(std::move(one));
      }
      const Value made = remember(value, Value(make_tuple(tuple->type(), std::move(items))));
      NNS_TRY(copy_attributes(value, made));
      return made;
    }
    if (const List* list = value.as<List>()) {
      const auto made = make_list(list->type(), {});
      remember(value, Value(made));
      const std::vector<Value> items = list->items();
      for (const Value& item : items) {
        NNS_TRY_ASSIGN(Value one, copy(item));
        made->append(std::move(one));
      }
      NNS_TRY(copy_attributes(value, Value(made)));
      return Value(made);
    }
    if (Set* set = value.as<Set>()) {
      const auto made = make_set(set->type());
      remember(value, Value(made));
      for (const Value& key : set->keys().keys()) {
        NNS_TRY_ASSIGN(Value one, copy(key));
        made->add(std::move(one));
      }
      NNS_TRY(copy_attributes(value, Value(made)));
      return Value(made);
    }
    const bool may_be_special = value.object()->kind() == ObjectKind::Other;
    if (const BoundMethod* method = may_be_special ? value.as<BoundMethod>() : nullptr) {
      NNS_TRY_ASSIGN(Value self, copy(method->self()));
      return Value(make<BoundMethod>(in_, std::move(self), method->function()));
    }
    if (const auto* own = may_be_special ? dynamic_cast<const DeepCopyable*>(value.object()) : nullptr) {
      NNS_TRY_ASSIGN(Value made, own->deep_copied([this](const Value& part) { return copy(part); }));
      return remember(value, std::move(made));
    }
    Class& cls = in_.type_of(value);
    const Value made = empty_like(cls, value);
    if (made.is_absent()) return value;
    remember(value, made);
    if (Dict* dict = value.as<Dict>()) NNS_TRY(copy_entries(*dict, *made.as<Dict>()));
    keep_factory(value, made);
    if (const Exception* raised = value.as<Exception>(); raised != nullptr && raised->arguments()) {
      made.as<Exception>()->set_arguments(raised->arguments());
    }
    Dict* state = value.object()->instance_dict(false);
    if (state == nullptr) return made;
    NNS_TRY_ASSIGN(const Ref<Dict> copied, copy_of_state(*state));
    // The __setstate__ of a module of ours puts entries into its __dict__: here they may as well be there already. What
    // nobody has looked at yet stays so.
    const Value* const setter = cls.lookup(in_.names().dunder_setstate);
    if (made.object()->kind() == ObjectKind::Module) {
      auto* const module = static_cast<Instance*>(made.object());
      module->drop_uncopied(*copied);
      if (setter != nullptr && setter->as<NativeFunction>() != nullptr) module->replace_dict(copied);
    }
    NNS_TRY(restore(in_, made, Value(copied)));
    return made;
  }

  // The dict that programs see, with all that was copied so far; from now on it is looked at as well.
  Ref<Dict> share_memo() {
    is_shared_ = true;
    tell();
    return memo_dict_;
  }

 private:
  Value remember(const Value& original, Value made) {
    untold_.push_back(original.object());
    memo_[original.object()] = {original, made};
    return made;
  }
  bool tells_parts(Class& cls) {
    const auto [known, is_new] = reduced_.try_emplace(&cls, false);
    if (is_new) known->second = is_reduced(in_, cls);
    return known->second;
  }
  // Puts what was copied since the last time into the dict that programs see.
  void tell() {
    for (const Object* const original : untold_) memo_dict_->set(key_of(original), memo_[original].made);
    untold_.clear();
  }

  PyResult<void> copy_entries(Dict& from, Dict& to) {
    // What nobody has looked at yet is empty in the copy as well.
    for (const Value& key : from.keys()) {
      NNS_TRY_ASSIGN(Value new_key, copy(key));
      const Value* raw = from.find_raw(key);
      if (raw == nullptr) continue;
      if (raw->is_empty_container()) {
        to.set(std::move(new_key), *raw);
        continue;
      }
      const Value old = *raw;
      NNS_TRY_ASSIGN(Value one, copy(old));
      to.set(std::move(new_key), std::move(one));
    }
    return {};
  }

  // What an object of a program's own list, set or tuple has beside its items.
  PyResult<void> copy_attributes(const Value& from, const Value& to) {
    Dict* const state = from.object()->instance_dict(false);
    if (state == nullptr || state->size() == 0) return {};
    NNS_TRY_ASSIGN(const Ref<Dict> copied, copy_of_state(*state));
    return restore(in_, to, Value(copied));
  }

  // An instance's __dict__, which nobody sees before it is whole.
  PyResult<Ref<Dict>> copy_of_state(Dict& state) {
    Ref<Dict> copied = in_.dict();
    if (!state.has_only_names()) {
      NNS_TRY(copy_entries(state, *copied));
      return copied;
    }
    // Names, and most of what they lead to, are the same in the copy.
    copied->copy_from(state);
    for (std::size_t slot = 0; slot < copied->slot_count(); ++slot) {
      const Value& raw = copied->raw_at(slot);
      if (is_immutable(raw)) continue;
      const Value old = raw;
      NNS_TRY_ASSIGN(Value one, copy(old));
      copied->replace_at(slot, std::move(one));
    }
    return copied;
  }

  struct Known {
    // Stays alive, so that no address is used twice meanwhile.
    Value original;
    Value made;
  };

  Interpreter& in_;
  CopyReplacement replacement_;
  std::unordered_map<const Object*, Known> memo_;
  Ref<Dict> memo_dict_;
  bool is_shared_;
  Ref<RunningCopy> for_ours_;
  std::vector<const Object*> untold_;
  std::unordered_map<const Class*, bool> reduced_;
};

CopyMemo::CopyMemo(Interpreter& interpreter, const Value& memo) : interpreter_(interpreter) {
  if (const auto* const ours = memo.is_object() ? dynamic_cast<const RunningCopy*>(memo.object()) : nullptr) {
    running_ = &ours->running();
  } else if (Dict* const dict = memo.as<Dict>()) {
    dict_ = Ref<Dict>(dict);
  }
}

PyResult<Value> CopyMemo::copy(const Value& part) const {
  return running_ != nullptr ? running_->copy(part) : deep_copy(interpreter_, part, nullptr, &dict());
}

const Value* CopyMemo::find(const Value& original) const {
  return dict_ ? dict_->find(key_of(original.object())) : nullptr;
}

void CopyMemo::remember(const Value& original, const Value& made) const {
  if (running_ == nullptr) dict().set(key_of(original.object()), made);
}

Dict& CopyMemo::dict() const {
  if (!dict_) dict_ = running_ != nullptr ? running_->share_memo() : interpreter_.dict();
  return *dict_;
}

PyResult<Value> deep_copy(Interpreter& interpreter, const Value& value, CopyReplacement replacement, Dict* memo) {
  return DeepCopy(interpreter, std::move(replacement), memo).copy(value);
}

PyResult<Value> shallow_copy(Interpreter& interpreter, const Value& value) {
  if (is_immutable(value) || value.as<Tuple>() != nullptr) return value;
  Class& cls = interpreter.type_of(value);
  if (cls.lookup(interpreter.names().dunder_copy) != nullptr) {
    return interpreter.call_special(value, interpreter.names().dunder_copy);
  }
  if (is_reduced(interpreter, cls)) {
    return rebuilt(
        interpreter, value, [](const Value& part) { return PyResult<Value>(part); }, [](const Value&) {});
  }
  if (const List* list = value.as<List>()) {
    const Value made(make_list(cls, list->items()));
    if (Dict* state = value.object()->instance_dict(false)) NNS_TRY(restore(interpreter, made, Value(state)));
    return made;
  }
  const Value made = empty_like(cls, value);
  if (made.is_absent()) return value;
  keep_factory(value, made);
  if (Dict* dict = value.as<Dict>()) {
    for (std::size_t at = 0; Dict::Entry* entry = dict->next(at);) made.as<Dict>()->set(entry->key, entry->value);
  }
  if (Set* set = value.as<Set>()) {
    for (const Value& key : set->keys().keys()) made.as<Set>()->add(key);
  }
  if (Dict* state = value.object()->instance_dict(false)) {
    if (value.object()->kind() == ObjectKind::Module) {
      const Ref<Dict> copied = interpreter.dict();
      copied->copy_from(*state);
      static_cast<const Instance*>(value.object())->drop_uncopied(*copied);
      NNS_TRY(restore(interpreter, made, Value(copied)));
    } else {
      NNS_TRY(restore(interpreter, made, Value(state)));
    }
  }
  return made;
}

}  // namespace nns::object
