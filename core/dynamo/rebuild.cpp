#include "core/dynamo/rebuild.h"

#include <algorithm>

#include "core/dynamo/mode_context.h"
#include "core/nn/module.h"
#include "core/object/default_dict.h"
#include "core/object/operations.h"

namespace nns::dynamo {

Rebuilder::Rebuilder(Engine& engine, const CompiledFrame& compiled, Scope scope, std::vector<Value> results,
                     const std::vector<std::pair<Name, Value>>& cells)
    : engine_(engine),
      in_(engine.interpreter()),
      compiled_(compiled),
      reader_(in_, scope, compiled.sources->size()),
      results_(std::move(results)),
      cells_(&cells) {}

// A cell of the frame that runs now, or of a function that it finds, not of the one that was compiled.
Value Rebuilder::existing_cell(const Variable& variable) {
  if (variable.source != nullptr && variable.source->kind == SourceKind::Local) {
    for (const auto& [name, cell] : *cells_) {
      if (name == variable.source->text) return cell;
    }
  }
  if (variable.source != nullptr && variable.source->kind == SourceKind::Cell) {
    const python::Function* function = python::as_function(reader_.read(*variable.source->base));
    const auto at = static_cast<std::size_t>(variable.source->index);
    if (function != nullptr && at < function->closure.size()) return Value(function->closure[at]);
  }
  return variable.value;
}

PyResult<Value> Rebuilder::value(Variable* variable) {
  if (variable == nullptr) return Value::absent();
  if (const auto known = made_.find(variable); known != made_.end()) return known->second;
  NNS_TRY_ASSIGN(Value made, make(*variable));
  made_[variable] = made;
  return made;
}

PyResult<std::vector<Value>> Rebuilder::items(const std::vector<Variable*>& variables) {
  std::vector<Value> made;
  for (Variable* one : variables) {
    if (one == nullptr) continue;
    NNS_TRY_ASSIGN(Value item, value(one));
    made.push_back(std::move(item));
  }
  return made;
}

// NOLINTNEXTLINE(readability-function-size): one case a kind.
PyResult<Value> Rebuilder::make(Variable& variable) {
  const auto existing = [&]() -> Value {
    if (variable.source != nullptr) {
      Value found = reader_.read(*variable.source);
      if (!found.is_absent()) return found;
    }
    return variable.value;
  };
  switch (variable.kind) {
    case VariableKind::Null:
    case VariableKind::Deleted:
      return Value::absent();
    case VariableKind::Lazy:
      if (variable.realized != nullptr) return value(variable.realized);
      return existing();
    case VariableKind::Constant:
      return variable.value;
    case VariableKind::Class:
    case VariableKind::PythonModule:
    case VariableKind::Builtin:
    case VariableKind::NNModule:
      return existing();
    case VariableKind::Tensor: {
      const auto at = std::find(compiled_.outputs.begin(), compiled_.outputs.end(), variable.node);
      if (at != compiled_.outputs.end()) {
        const Value& result = results_[static_cast<std::size_t>(at - compiled_.outputs.begin())];
        if (!variable.is_ndarray) return result;
        return in_.call_method(result, in_.intern("numpy"));
      }
      if (variable.node->source != nullptr) return reader_.read(*variable.node->source);
      return variable.node->callee;
    }
    case VariableKind::Number: {
      if (variable.source != nullptr) return existing();
      const auto at = std::find(compiled_.outputs.begin(), compiled_.outputs.end(), variable.node);
      if (at != compiled_.outputs.end()) return results_[static_cast<std::size_t>(at - compiled_.outputs.begin())];
      break;
    }
    case VariableKind::DataPtr: {
      NNS_TRY_ASSIGN(const Value self, value(variable.self));
      return in_.call_method(self, in_.intern("data_ptr"));
    }
    case VariableKind::Format: {
      NNS_TRY_ASSIGN(const std::vector<Value> positional, items(variable.items));
      std::vector<object::Keyword> named;
      for (const auto& [name, held] : variable.keyword_defaults) {
        NNS_TRY_ASSIGN(Value one, value(held));
        named.push_back({name, std::move(one)});
      }
      return in_.call_method(in_.text(variable.name), in_.intern("format"), positional, named);
    }
    case VariableKind::HookHandle: {
      NNS_TRY_ASSIGN(const Value self, value(variable.self));
      NNS_TRY_ASSIGN(const Value hook, value(variable.function));
      NNS_TRY_ASSIGN(Value made, in_.call_method(self, in_.intern(variable.name), {hook}));
      // One that was removed is kept by the program all the same.
      if (variable.is_mutated) NNS_TRY(in_.call_method(made, in_.intern("remove")));
      made_[&variable] = made;
      return made;
    }
    case VariableKind::List: {
      if (!variable.is_new) return existing();
      const Ref<object::List> made = variable.cls == nullptr ? in_.list() : object::make_list(*variable.cls, {});
      made_[&variable] = Value(made);
      NNS_TRY_ASSIGN(made->items(), items(variable.items));
      return Value(made);
    }
    case VariableKind::Tuple: {
      if (!variable.is_new && variable.source != nullptr) return existing();
      NNS_TRY_ASSIGN(std::vector<Value> made, items(variable.items));
      return variable.cls == nullptr ? Value(in_.tuple(std::move(made)))
                                     : Value(object::make_tuple(*variable.cls, std::move(made)));
    }
    case VariableKind::Dict: {
      if (!variable.is_new) return existing();
      Ref<Dict> made;
      if (variable.cls == nullptr) {
        made = in_.dict();
      } else if (variable.cls == in_.builtins().ordered_dict) {
        made = in_.ordered_dict();
      } else if (variable.cls->name() == "defaultdict") {
        NNS_TRY_ASSIGN(Value factory, value(variable.function));
        made = object::make_default_dict(*variable.cls, factory.is_absent() ? Value() : factory);
      } else {
        NNS_TRY_ASSIGN(Value whole,
                       in_.call(Value(static_cast<object::Object*>(variable.cls)), std::initializer_list<Value>{}));
        made = Ref<Dict>(whole.as<Dict>());
      }
      made_[&variable] = Value(made);
      for (std::size_t i = 0; i < variable.keys.size(); ++i) {
        NNS_TRY_ASSIGN(Value key, value(variable.keys[i]));
        NNS_TRY_ASSIGN(Value item, value(variable.items[i]));
        made->set(std::move(key), std::move(item));
      }
      return Value(made);
    }
    case VariableKind::Set: {
      if (!variable.is_new) return existing();
      const Ref<object::Set> made = variable.cls == nullptr ? in_.set() : object::make_set(*variable.cls);
      for (Variable* item : variable.items) {
        NNS_TRY_ASSIGN(Value one, value(item));
        made->add(std::move(one));
      }
      return Value(made);
    }
    case VariableKind::DictView: {
      NNS_TRY_ASSIGN(const Value dict, value(variable.self));
      return in_.call_method(dict, in_.intern(variable.name));
    }
    case VariableKind::Slice: {
      NNS_TRY_ASSIGN(std::vector<Value> parts, items(variable.items));
      return Value(object::make<object::Slice>(in_, parts[0], parts[1], parts[2]));
    }
    case VariableKind::Function: {
      if (!variable.is_new) return existing();
      const Ref<python::Function> made = object::make<python::Function>(in_, variable.code, variable.globals);
      made_[&variable] = Value(made);
      Value defaults, keyword_defaults;
      if (!variable.defaults.empty()) {
        NNS_TRY_ASSIGN(std::vector<Value> values, items(variable.defaults));
        defaults = in_.tuple(std::move(values));
      }
      if (!variable.keyword_defaults.empty()) {
        const Ref<Dict> by_name = in_.dict();
        for (const auto& [name, held] : variable.keyword_defaults) {
          NNS_TRY_ASSIGN(Value one, value(held));
          by_name->set(name, std::move(one));
        }
        keyword_defaults = Value(by_name);
      }
      made->set_defaults(defaults, keyword_defaults);
      for (Variable* cell : variable.closure) {
        NNS_TRY_ASSIGN(const Value one, value(cell));
        made->closure.push_back(Ref<python::Cell>(static_cast<python::Cell*>(one.object())));
      }
      for (const AttributeWrite& write : compiled_.writes) {
        if (write.object != &variable || write.value->kind == VariableKind::Deleted) continue;
        NNS_TRY_ASSIGN(Value one, value(write.value));
        // __name__ and its like are no entries of its dict.
        NNS_TRY(object::setattr(in_, Value(made), write.name, one));
      }
      return Value(made);
    }
    case VariableKind::Method: {
      if (variable.value.is_object() && variable.source != nullptr &&
          variable.value.as<object::BoundMethod>() != nullptr)
        return existing();
      NNS_TRY_ASSIGN(Value self, value(variable.self));
      NNS_TRY_ASSIGN(Value function, value(variable.function));
      if (variable.function->is_library) {
        const std::string& name = variable.function->name;
        return object::getattr(in_, self, in_.intern(name.substr(name.rfind('.') + 1)));
      }
      return Value(object::make<object::BoundMethod>(in_, std::move(self), std::move(function)));
    }
    case VariableKind::BoundBuiltin: {
      if (variable.name.empty()) return existing();
      NNS_TRY_ASSIGN(const Value self, value(variable.self));
      // Behind super() it is not what the object has under that name.
      if (variable.is_super && variable.value.as<object::NativeFunction>() != nullptr)
        return Value(object::make<object::BoundMethod>(in_, self, variable.value));
      return object::getattr(in_, self, in_.intern(variable.name));
    }
    case VariableKind::Object: {
      if (!variable.is_new) return existing();
      Value made;
      if (variable.function != nullptr) {
        // A module of torch.nn, with the arguments that it was made with.
        NNS_TRY_ASSIGN(const Value cls, value(variable.function));
        NNS_TRY_ASSIGN(const std::vector<Value> positional, items(variable.items));
        std::vector<object::Keyword> named;
        for (const auto& [name, held] : variable.keyword_defaults) {
          NNS_TRY_ASSIGN(Value one, value(held));
          named.push_back({name, std::move(one)});
        }
        NNS_TRY_ASSIGN(made, in_.call(cls, positional, named));
      } else if (variable.contents != nullptr && variable.contents->kind == VariableKind::Tuple) {
        NNS_TRY_ASSIGN(std::vector<Value> held, items(variable.contents->items));
        made = Value(object::make_tuple(*variable.cls, std::move(held)));
      } else {
        NNS_TRY_ASSIGN(made, variable.cls->new_instance());
      }
      made_[&variable] = made;
      if (variable.contents != nullptr && variable.contents->kind != VariableKind::Tuple) {
        made_[variable.contents] = made;
        NNS_TRY(write_container(*variable.contents));
      }
      for (const AttributeWrite& write : compiled_.writes) {
        if (write.object != &variable || write.value->kind == VariableKind::Deleted) continue;
        NNS_TRY_ASSIGN(Value one, value(write.value));
        if (Dict* own = made.object()->instance_dict(true);
            own != nullptr && variable.cls->lookup(write.name) == nullptr) {
          own->set(write.name, std::move(one));
        } else {
          NNS_TRY(object::generic_setattr(in_, made, write.name, one));
        }
      }
      return made;
    }
    case VariableKind::Exception: {
      NNS_TRY_ASSIGN(std::vector<Value> positional, items(variable.items));
      NNS_TRY_ASSIGN(Value made, in_.call(variable.value, positional));
      made_[&variable] = made;
      if (variable.has_cause) {
        NNS_TRY_ASSIGN(const Value cause, value(variable.self));
        NNS_TRY(object::setattr(in_, made, in_.intern("__cause__"), cause));
      }
      for (const AttributeWrite& write : compiled_.writes) {
        if (write.object != &variable || write.value->kind == VariableKind::Deleted) continue;
        NNS_TRY_ASSIGN(const Value one, value(write.value));
        NNS_TRY(object::setattr(in_, made, write.name, one));
      }
      return made;
    }
    case VariableKind::Super: {
      NNS_TRY_ASSIGN(const Value self, value(variable.self));
      return Value(object::make<python::Super>(*engine_.machine().classes.super, *variable.function->value.as<Class>(),
                                               self, in_.type_of(self)));
    }
    case VariableKind::Cell: {
      if (!variable.is_new) return existing_cell(variable);
      const Ref<python::Cell> made = object::make<python::Cell>(*engine_.machine().classes.cell, Value::absent());
      made_[&variable] = Value(made);
      NNS_TRY_ASSIGN(made->value, value(variable.function));
      return Value(made);
    }
    case VariableKind::AttributeDict: {
      NNS_TRY_ASSIGN(const Value self, value(variable.self));
      return object::getattr(in_, self, in_.intern("__dict__"));
    }
    case VariableKind::Context: {
      // The mode is entered again: what stands on the stack is how it is left.
      std::vector<Value> positional;
      if (is_null_context(*variable.value.as<Class>())) {
        for (Variable* one : variable.items) {
          NNS_TRY_ASSIGN(Value item, value(one));
          positional.push_back(std::move(item));
        }
        NNS_TRY_ASSIGN(const Value context, in_.call(variable.value, positional));
        return variable.is_entered ? object::getattr(in_, context, in_.intern("__exit__")) : PyResult<Value>(context);
      }
      if (has_mode_argument(*variable.value.as<Class>())) positional.emplace_back(variable.mode);
      for (const Variable* one : variable.items) positional.push_back(one->value);
      NNS_TRY_ASSIGN(const Value context, in_.call(variable.value, positional));
      if (!positional.empty() && is_autocast(*variable.value.as<Class>())) {
        // A graph that begins inside of it asks for it with the same words.
        context.object()->instance_dict(true)->set(in_.intern(kAutocastValues), in_.tuple(std::move(positional)));
      }
      return variable.is_entered ? object::getattr(in_, context, in_.intern("__exit__")) : PyResult<Value>(context);
    }
    case VariableKind::Iterator: {
      if (variable.given == nullptr) break;
      NNS_TRY_ASSIGN(const Value walked, value(variable.self));
      NNS_TRY_ASSIGN(const Value made, object::iter(in_, walked));
      for (std::size_t i = 0; i < *variable.given; ++i) NNS_TRY(object::next(in_, made));
      return made;
    }
    case VariableKind::Generator:
      break;
  }
  return object::runtime_error(in_, "a value cannot be made again after a graph has run");
}

PyResult<void> Rebuilder::write_container(Variable& variable) {
  switch (variable.kind) {
    case VariableKind::List: {
      NNS_TRY_ASSIGN(const Value target, value(&variable));
      NNS_TRY_ASSIGN(std::vector<Value> now, items(variable.items));
      if (auto* list = target.as<object::List>()) list->items() = std::move(now);
      return {};
    }
    case VariableKind::Dict: {
      NNS_TRY_ASSIGN(const Value target, value(&variable));
      auto* dict = target.as<Dict>();
      if (dict == nullptr) return {};
      std::vector<std::pair<Value, Value>> entries;
      for (std::size_t i = 0; i < variable.keys.size(); ++i) {
        NNS_TRY_ASSIGN(Value key, value(variable.keys[i]));
        NNS_TRY_ASSIGN(Value item, value(variable.items[i]));
        entries.emplace_back(std::move(key), std::move(item));
      }
      dict->clear();
      for (auto& [key, item] : entries) dict->set(std::move(key), std::move(item));
      return {};
    }
    case VariableKind::Set: {
      NNS_TRY_ASSIGN(const Value target, value(&variable));
      auto* set = target.as<object::Set>();
      if (set == nullptr) return {};
      NNS_TRY_ASSIGN(const std::vector<Value> now, items(variable.items));
      set->keys().clear();
      for (const Value& item : now) set->add(item);
      return {};
    }
    case VariableKind::Cell: {
      const Value target = existing_cell(variable);
      auto* cell = static_cast<python::Cell*>(target.object());
      NNS_TRY_ASSIGN(cell->value, value(variable.function));
      return {};
    }
    default:
      return {};
  }
}

PyResult<void> Rebuilder::write_back() {
  // All values first: they are read as they were before anything is written.
  for (Variable* one : compiled_.mutated) {
    NNS_TRY(value(one));
    for (Variable* item : one->items) NNS_TRY(value(item));
    if (one->kind == VariableKind::Cell) NNS_TRY(value(one->function));
  }
  // What the frame makes has its attributes from the start, but for tensors, which the graph makes.
  const auto is_made_whole = [](const AttributeWrite& write) {
    return write.object->is_new && !(write.object->kind == VariableKind::Tensor && write.object->is_mutated);
  };
  for (const AttributeWrite& write : compiled_.writes) {
    if (is_made_whole(write)) continue;
    NNS_TRY(value(write.object));
    NNS_TRY(value(write.value));
  }
  for (const GlobalWrite& write : compiled_.global_writes) NNS_TRY(value(write.value));
  for (Variable* handle : compiled_.hooks) NNS_TRY(value(handle));
  for (Variable* one : compiled_.mutated) NNS_TRY(write_container(*one));
  for (const AttributeWrite& write : compiled_.writes) {
    if (is_made_whole(write) || write.object->kind == VariableKind::Exception) continue;
    NNS_TRY_ASSIGN(const Value target, value(write.object));
    if (write.value->kind == VariableKind::Deleted) {
      // What the frame wrote and deleted itself was never there.
      if (auto deleted = object::generic_delattr(in_, target, write.name);
          !deleted.ok() && !deleted.error().is(object::ErrorKind::AttributeError))
        return std::move(deleted).error();
      continue;
    }
    NNS_TRY_ASSIGN(Value now, value(write.value));
    NNS_TRY(object::generic_setattr(in_, target, write.name, now));
  }
  for (const LoggedCall& one : compiled_.logs) {
    NNS_TRY_ASSIGN(const std::vector<Value> positional, items(one.args));
    NNS_TRY(in_.call(one.function, positional));
  }
  return {};
}

}  // namespace nns::dynamo
