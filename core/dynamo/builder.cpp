// From values that exist to trackers, with the guards that looking at them needs.
// Behaviour: torch/_dynamo/variables/builder.py, VariableBuilder.
#include <fmt/format.h>

#include <algorithm>

#include "core/dynamo/engine.h"
#include "core/dynamo/hints.h"
#include "core/dynamo/mode_context.h"
#include "core/nn/module.h"
#include "core/object/default_dict.h"
#include "core/object/operations.h"
#include "core/object/range.h"
#include "core/ops/op.h"
#include "core/tensor/tensor.h"

namespace nns::dynamo {

using object::Tuple;
using tensor::Tensor;

namespace {

bool is_plain_constant(const Value& value) {
  if (!value.is_object()) return true;
  switch (value.object()->kind()) {
    case object::ObjectKind::Str:
    case object::ObjectKind::BigInt:
    case object::ObjectKind::Complex:
    case object::ObjectKind::Bytes:
    case object::ObjectKind::Range:
      return true;
    default:
      return false;
  }
}

// torch.float32, torch.device("cpu"), `...`: compared by identity or equality, never looked into.
bool is_library_constant(Interpreter& in, const Value& value) {
  const auto& library = tensor::TensorLibrary::of(in);
  const Class& cls = in.type_of(value);
  return &cls == library.dtype || &cls == library.device || value.is(in.ellipsis()) || value.is(in.not_implemented()) ||
         cls.name() == "layout" || cls.name() == "memory_format";
}

bool is_constant_tuple(Interpreter& in, const Value& value) {
  const auto* items = value.as<Tuple>();
  if (items == nullptr || &value.object()->type() != in.builtins().tuple) return false;
  return std::all_of(items->items().begin(), items->items().end(),
                     [](const Value& one) { return is_plain_constant(one); });
}

bool is_enum_member(Interpreter& in, const Value& value) {
  for (const Class* cls : in.type_of(value).mro()) {
    if (cls->module() == "enum" && cls->name() == "Enum") return true;
  }
  return false;
}

// What mark_dynamic() has written on a tensor, as it is now; Absent: nothing.
Value marks_now(Interpreter& in, Tensor& tensor) {
  Dict* const own = tensor.instance_dict(false);
  const Value* const found = own == nullptr ? nullptr : own->find(in.intern("_dynamo_dynamic_indices"));
  auto* const marks = found == nullptr ? nullptr : found->as<object::Set>();
  if (marks == nullptr) return Value::absent();
  const Ref<object::Set> copy = in.set();
  for (const Value& one : marks->keys().keys()) copy->add(one);
  return Value(copy);
}

Value static_attribute(Interpreter& in, const Value& value, std::string_view name) {
  const Name interned = in.intern(name);
  if (Dict* own = value.object()->instance_dict(false)) {
    if (const Value* found = own->find(interned)) return *found;
  }
  const Value* found = in.type_of(value).lookup(interned);
  return found == nullptr ? Value::absent() : *found;
}

}  // namespace

Variable* Translator::constant(Value value) {
  Variable& made = arena_->make(VariableKind::Constant);
  made.value = std::move(value);
  return &made;
}

Variable* Translator::list(std::vector<Variable*> items) {
  Variable& made = arena_->make(VariableKind::List);
  made.items = std::move(items);
  made.is_new = true;
  return &made;
}

Variable* Translator::tuple(std::vector<Variable*> items) {
  Variable& made = arena_->make(VariableKind::Tuple);
  made.items = std::move(items);
  made.is_new = true;
  return &made;
}

Variable* Translator::dict() {
  Variable& made = arena_->make(VariableKind::Dict);
  made.is_new = true;
  return &made;
}

Variable* Translator::iterator(std::function<Variable*()> next) {
  Variable& made = arena_->make(VariableKind::Iterator);
  made.next = std::move(next);
  made.is_new = true;
  return &made;
}

Variable* Translator::iterator_over(std::vector<Variable*> items) {
  auto at = std::make_shared<std::size_t>(0);
  auto all = std::make_shared<std::vector<Variable*>>(std::move(items));
  Variable* made = iterator([at, all]() -> Variable* { return *at < all->size() ? (*all)[(*at)++] : nullptr; });
  return made;
}

Variable* Translator::lazy(Value value, const Source* source) {
  Variable& made = arena_->make(VariableKind::Lazy);
  made.value = std::move(value);
  made.source = source;
  return &made;
}

Variable* Translator::real(Variable* variable) {
  if (variable == nullptr || variable->kind != VariableKind::Lazy) return variable;
  if (variable->realized == nullptr) variable->realized = build(variable->value, variable->source);
  return variable->realized;
}

Value Translator::constant_value(Variable* variable) {
  variable = real(variable);
  if (variable == nullptr) return Value::absent();
  switch (variable->kind) {
    case VariableKind::Constant:
    case VariableKind::Class:
      return variable->value;
    case VariableKind::Number:
      return specialize(*variable);
    case VariableKind::Tuple: {
      std::vector<Value> items;
      for (Variable* item : variable->items) {
        Value value = constant_value(item);
        if (value.is_absent()) return value;
        items.push_back(std::move(value));
      }
      return variable->cls == nullptr ? Value(in_.tuple(std::move(items)))
                                      : Value(object::make_tuple(*variable->cls, std::move(items)));
    }
    case VariableKind::Slice: {
      std::vector<Value> items;
      for (Variable* item : variable->items) {
        Value value = constant_value(item);
        if (value.is_absent()) return value;
        items.push_back(std::move(value));
      }
      return object::make<object::Slice>(in_, items[0], items[1], items[2]);
    }
    default:
      return Value::absent();
  }
}

Class& Translator::type_of(Variable& given) {
  Variable& variable = *real(&given);
  const auto& builtins = in_.builtins();
  switch (variable.kind) {
    case VariableKind::Tensor:
      return const_cast<Class&>(*variable.tensor_class);
    case VariableKind::List:
      return variable.cls != nullptr ? *variable.cls : *builtins.list;
    case VariableKind::Tuple:
      return variable.cls != nullptr ? *variable.cls : *builtins.tuple;
    case VariableKind::Dict:
      return variable.cls != nullptr ? *variable.cls : *builtins.dict;
    case VariableKind::Set:
      return variable.cls != nullptr ? *variable.cls : *builtins.set;
    case VariableKind::DictView:
      return *variable.cls;
    case VariableKind::Slice:
      return *builtins.slice;
    case VariableKind::Format:
      return *builtins.str;
    case VariableKind::Function:
      return *builtins.function;
    case VariableKind::Method:
    case VariableKind::BoundBuiltin:
      return *builtins.method;
    case VariableKind::Generator:
      return *machine_.classes.generator;
    case VariableKind::Iterator:
      return *builtins.iterator;
    case VariableKind::Exception:
      return *variable.value.as<Class>();
    case VariableKind::Object:
    case VariableKind::NNModule:
      return variable.cls != nullptr ? *variable.cls : in_.type_of(variable.value);
    default:
      return in_.type_of(variable.value);
  }
}

Value Translator::key_of(Variable& given) {
  Variable& variable = *real(&given);
  const Value value = constant_value(&variable);
  if (!value.is_absent()) return value;
  if (variable.kind == VariableKind::Tensor) return Value(static_cast<object::Object*>(variable.node->example.get()));
  if (variable.kind == VariableKind::Tuple) {
    std::vector<Value> items;
    for (Variable* item : variable.items) items.push_back(key_of(*item));
    return in_.tuple(std::move(items));
  }
  if (variable.kind == VariableKind::Set) {
    const Ref<object::Set> whole = object::make_set(*in_.builtins().frozen_set);
    for (Variable* item : variable.items) whole->add(key_of(*item));
    return whole;
  }
  if (variable.value.is_object()) return variable.value;
  // What has no value of its own is told apart by itself.
  if (!variable.identity.is_object()) variable.identity = in_.list();
  return variable.identity;
}

Variable* Translator::track(const Value& value, Variable* variable) {
  if (value.is_object()) known_[value.object()] = variable;
  return variable;
}

Variable* Translator::duplicate(Variable* known, const Source* source) {
  // The next call of a module that is compiled for all of its class is named after where it was found last.
  if (known->kind == VariableKind::Object && known->value.as<nn::Module>() != nullptr && source != nullptr &&
      known->source != nullptr)
    known->stack_source = source;
  if (known->source != nullptr && source != nullptr && !known->source->has_name_of(*source) &&
      known->source->is_global == source->is_global) {
    Guard made{.kind = GuardKind::DuplicateInput, .source = source};
    made.other = known->source;
    guard(std::move(made));
  }
  return known;
}

Variable* Translator::build(const Value& value, const Source* source) {
  if (value.is_object()) {
    if (const auto found = known_.find(value.object()); found != known_.end()) {
      const bool is_instance = found->second->kind == VariableKind::NNModule && source != nullptr;
      return is_instance ? register_attribute(value, source->name(), "", source) : duplicate(found->second, source);
    }
  }
  if (becomes_number(value, source)) return build_number(value, source);
  if (is_plain_constant(value)) {
    const bool is_range = value.as<object::Range>() != nullptr;
    if (source != nullptr) {
      guard_constant(is_range ? GuardKind::EqualsMatch : GuardKind::ConstantMatch, source, value);
      const bool is_default = source->kind == SourceKind::Default || source->kind == SourceKind::KeywordDefault;
      const bool is_of_module = source->is_from_module() && source->origin != Origin::Fsdp;
      // What may vary is guarded once.
      const bool may_vary = config_.allow_unspec_int_on_nn_module;
      if (value.is_int() && (is_default || (is_of_module && !may_vary)))
        guard_constant(GuardKind::EqualsMatch, source, value);
    }
    Variable* made = constant(value);
    made->source = source;
    return made;
  }
  if (is_library_constant(in_, value)) {
    if (source != nullptr) guard_constant(GuardKind::ConstantMatch, source, value);
    return constant(value);
  }
  object::Object& object = *value.object();
  switch (object.kind()) {
    case object::ObjectKind::Tensor:
      return build_tensor(value, source);
    case object::ObjectKind::List:
    case object::ObjectKind::Tuple:
    case object::ObjectKind::Dict:
    case object::ObjectKind::Set:
      return build_container(value, source);
    case object::ObjectKind::Module:
      return build_module(value, source);
    case object::ObjectKind::Class: {
      if (source != nullptr) guard_id(GuardKind::ClassMatch, source, value);
      Variable& made = arena_->make(VariableKind::Class);
      made.value = value;
      made.source = source;
      return &made;
    }
    default:
      break;
  }
  if (const auto* slice = value.as<object::Slice>()) {
    Variable& made = arena_->make(VariableKind::Slice);
    made.source = source;
    const auto part = [&](const Value& held, const char* name) {
      return build(held, source == nullptr ? nullptr : sources_->attr(source, name));
    };
    NNS_VARIABLE(start, part(slice->start(), "start"));
    NNS_VARIABLE(stop, part(slice->stop(), "stop"));
    NNS_VARIABLE(step, part(slice->step(), "step"));
    made.items = {start, stop, step};
    if (source != nullptr) guard_type(source, value);
    return &made;
  }
  if (python::as_function(value) != nullptr || value.as<object::BoundMethod>() != nullptr)
    return build_function(value, source);
  if (value.as<python::ModuleObject>() != nullptr) {
    if (source != nullptr) guard_id(GuardKind::ModuleMatch, source, value);
    Variable& made = arena_->make(VariableKind::PythonModule);
    made.value = value;
    made.source = source;
    return &made;
  }
  if (is_enum_member(in_, value)) {
    if (source != nullptr) guard_id(GuardKind::IdMatch, source, value);
    Variable* made = constant(value);
    made->source = source;
    return made;
  }
  const Class& cls = object.type();
  const bool is_callable_builtin =
      value.as<object::NativeFunction>() != nullptr || cls.name() == "builtin_function_or_method" ||
      &cls == in_.builtins().builtin_function || (cls.is_immutable() && cls.lookup(in_.intern("__call__")) != nullptr);
  if (engine_.is_torch_callable(value) || is_callable_builtin) {
    if (source != nullptr) guard_id(GuardKind::BuiltinMatch, source, value);
    Variable& made = arena_->make(VariableKind::Builtin);
    made.value = value;
    made.source = source;
    return &made;
  }
  if (is_autocast(cls)) {
    if (source != nullptr) guard_id(GuardKind::IdMatch, source, value);
    return autocast_with(engine_.autocast_values(value), source);
  }
  if (cls.name() == "RemovableHandle" && cls.module() == "torch.utils.hooks") {
    return unsupported(
        "Attempted to represent unregistered RemovableHandle", "",
        "Dynamo attempted to build a representation of a torch.utils.hooks.RemovableHandle, which is not "
        "supported. This happens because the RemovableHandle was created in another frame.",
        {});
  }
  // Any other object: told apart by its class, its attributes are guarded where they are read.
  if (source != nullptr) guard_type(source, value);
  Variable& made = arena_->make(VariableKind::Object);
  made.value = value;
  made.source = source;
  made.cls = &object.type();
  return track(value, &made);
}

// What the graph takes from outside. Its target is the source's name without signs.
Node& Translator::placeholder_of(const Value& value, const Source* source) {
  const std::string& of = source->name();
  std::string name;
  name.reserve(of.size());
  for (const char c : of) {
    const bool is_fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (is_fine)
      name += c;
    else if (name.empty() || name.back() != '_')
      name += '_';
  }
  Node& node = compiled_->graph->add_placeholder(std::move(name));
  node.source = source;
  locate(node);
  node.callee = value;
  node.module_stack = stack_now();
  return node;
}

Variable* Translator::build_tensor(const Value& value, const Source* source) {
  Tensor& tensor = *value.as<Tensor>();
  if (tensor.sparse() != nullptr) {
    return unsupported("Attempted to wrap sparse Tensor", "", "torch.compile does not support sparse Tensors",
                       {"Sparse tensor operations are not yet fully supported in torch.compile with fullgraph=True. "
                        "Consider using fullgraph=False to allow graph breaks, or move sparse tensor creation outside "
                        "the compiled region."});
  }
  Guard made{.kind = GuardKind::TensorMatch, .source = source};
  TensorFacts facts = {.cls = &tensor.type(),
                       .dtype = tensor.dtype(),
                       .device = tensor.device(),
                       .requires_grad = tensor.requires_grad(),
                       .shape = tensor.shape(),
                       .strides = tensor.strides(),
                       .is_free_size = {},
                       .is_free_stride = {},
                       .marks = marks_now(in_, tensor)};
  Variable& variable = arena_->make(VariableKind::Tensor);
  variable.source = source;
  variable.value = value;
  variable.is_named = true;
  variable.tensor_class = &tensor.type();
  // A parameter or buffer of a module that is compiled as an instance lies in the graph itself.
  const bool is_registered = source != nullptr && source->origin == Origin::Specialized;
  FreeDimensions free = free_dimensions(tensor, is_registered ? nullptr : source);
  if (has_failed()) return nullptr;
  const auto symbols = name_sizes(tensor, source, facts, free);
  made.tensor = std::make_shared<const TensorFacts>(std::move(facts));
  variable.has_free_sizes = free.was_free;
  std::string target;
  if (is_registered) {
    made.id = in_.id_of(tensor);
    target = table_key(table_name_.empty() ? source->name() : table_name_);
    for (const auto& [key, known] : module_table_) {
      if (known.is(value)) target = key;
    }
    module_table_[target] = value;
  }
  if (source != nullptr) guard(std::move(made));
  Node* node = nullptr;
  if (is_registered || source == nullptr) {
    if (target.empty()) target = table_key("_tensor_constant");
    module_table_[target] = value;
    node = &add_root_node(Node::Op::GetAttr, target, target);
    node->callee = value;
    variable.is_named = false;
  } else {
    node = &placeholder_of(value, source);
  }
  if (tensor.is_cuda()) ops::OpLibrary::of(in_).autocast.meta_device_type = "cuda";
  node->example = engine_.fake_of(tensor, tensor.shape(), tensor.strides());
  if (!symbols.empty()) size_example(*node, tensor, source, free, symbols);
  variable.node = node;
  return track(value, &variable);
}

Variable* Translator::build_container(const Value& value, const Source* source) {
  object::Object& object = *value.object();
  Class& cls = object.type();
  if (user_container_kind(cls) != VariableKind::Null) return build_user_container(value, source);
  const auto& builtins = in_.builtins();
  if (object.kind() == object::ObjectKind::Tuple || object.kind() == object::ObjectKind::List) {
    const bool is_tuple = object.kind() == object::ObjectKind::Tuple;
    const bool is_plain = &cls == (is_tuple ? builtins.tuple : builtins.list);
    const std::span<const Value> items =
        is_tuple ? value.as<Tuple>()->items() : std::span<const Value>(value.as<object::List>()->items());
    Variable& made = arena_->make(is_tuple ? VariableKind::Tuple : VariableKind::List);
    made.source = source;
    made.value = value;
    if (!is_plain) made.cls = &cls;
    const bool is_whole = source != nullptr && source->kind == SourceKind::Attr && source->is_from_unspecialized() &&
                          is_constant_tuple(in_, value);
    if (source != nullptr) {
      if (is_whole) guard_constant(GuardKind::ConstantMatch, source, value);
      guard_length(source, items.size(), value);
    }
    for (std::size_t i = 0; i < items.size(); ++i) {
      const Source* item_source = nullptr;
      if (source != nullptr && !is_whole) {
        const Value* fields = is_tuple && !is_plain ? cls.lookup(in_.intern("_fields")) : nullptr;
        const auto* names = fields == nullptr ? nullptr : fields->as<Tuple>();
        const auto* field = names == nullptr || i >= names->size() ? nullptr : (*names)[i].as<object::Str>();
        item_source = field != nullptr ? sources_->attr(source, field->view())
                                       : sources_->item(source, Value(static_cast<std::int64_t>(i)));
      }
      made.items.push_back(is_whole ? constant(items[i]) : lazy(items[i], item_source));
    }
    return track(value, &made);
  }
  if (object.kind() == object::ObjectKind::Set) {
    const std::vector<Value> members = value.as<object::Set>()->keys().keys();
    if (std::any_of(members.begin(), members.end(), [](const Value& one) { return one.as<Tensor>() != nullptr; })) {
      return unsupported("Attempted to wrap a set with tensors", "Python set containing torch.Tensor elements",
                         "Dynamo cannot trace sets of tensors. To get a stable ordering, Dynamo needs to convert the "
                         "set into a list and the order might not be stable if the set contains tensors.",
                         {"Use a dictionary where the keys are tensors.", hints::kSupportable});
    }
    Variable& made = arena_->make(VariableKind::Set);
    made.source = source;
    made.value = value;
    if (&cls != builtins.set) made.cls = &cls;
    if (source != nullptr) guard_constant(GuardKind::ConstantMatch, source, value);
    for (const Value& key : value.as<object::Set>()->keys().keys()) made.items.push_back(build(key, nullptr));
    return track(value, &made);
  }
  Variable& made = arena_->make(VariableKind::Dict);
  made.source = source;
  made.value = value;
  if (&cls != builtins.dict) made.cls = &cls;
  if (source != nullptr) guard_type(source, value);
  Dict& dict = *value.as<Dict>();
  if (const auto* with_default = dynamic_cast<const object::DefaultDict*>(&dict))
    made.function =
        lazy(with_default->factory(), source == nullptr ? nullptr : sources_->attr(source, "default_factory"));
  for (const Value& key : dict.keys()) {
    made.keys.push_back(build(key, nullptr));
    made.items.push_back(lazy(*dict.find(key), source == nullptr ? nullptr : sources_->dict_item(source, key)));
  }
  return track(value, &made);
}

Variable* Translator::build_function(const Value& value, const Source* source) {
  if (const auto* method = value.as<object::BoundMethod>()) {
    Variable* self = build(method->self(), source == nullptr ? nullptr : sources_->attr(source, "__self__"));
    if (self == nullptr) return nullptr;
    Variable* function = build(method->function(), source == nullptr ? nullptr : sources_->attr(source, "__func__"));
    if (function == nullptr) return nullptr;
    const bool is_function = function->kind == VariableKind::Function;
    Variable& made = arena_->make(is_function ? VariableKind::Method : VariableKind::BoundBuiltin);
    made.self = self;
    made.function = function;
    made.value = value;
    made.source = source;
    return &made;
  }
  if (source != nullptr) {
    Guard made{.kind = GuardKind::ClosureMatch, .source = source};
    made.id = in_.id_of(*python::as_function(value)->code_reference());
    guard(std::move(made));
  }
  Variable& made = function_of(value, source);
  return track(value, &made);
}

// What decides that a module is compiled for all of its class.
// Behaviour: torch/_dynamo/mutation_guard.py, is_dynamic_nn_module.
bool Translator::is_dynamic(const Value& module) {
  if (config_.inline_inbuilt_nn_modules) return true;
  if (module.object()->instance_dict(true)->contains(in_.intern("forward"))) return true;
  if (const Value forced = static_attribute(in_, module, "torchdynamo_force_dynamic"); forced.is_bool())
    return forced.as_bool();
  if (engine_.has_global_backward_hooks()) return true;
  for (const Class* cls : in_.type_of(module).mro()) {
    if (cls == in_.builtins().dict) return true;
  }
  return engine_.is_marked_dynamic(in_.type_of(module)) || engine_.is_tagged(*module.object());
}

Variable* Translator::build_module(const Value& value, const Source* source) {
  const Class& cls = in_.type_of(value);
  Dict* own = value.object()->instance_dict(true);
  if (own->empty()) {
    return unsupported("Uninitialized nn.Module", std::string(cls.name()),
                       fmt::format("Attempted to trace an uninitialized nn.Module of type {}.", cls.name()),
                       {hints::kUserError, "Ensure your nn.Module instance has called `super().__init__()`."});
  }
  if (engine_.is_compiled_module(value)) return build_compiled_module(value, source);
  if (cls.name() == "RNN" || cls.name() == "GRU" || cls.name() == "LSTM") {
    if (cls.module().starts_with("torch.nn.modules")) {
      return unsupported(
          "Attempted to wrap RNN, GRU, or LSTM", std::string(cls.name()), "Dynamo does not support RNN, GRU, or LSTM.",
          {"Set torch._dynamo.config.enable_rnn=True to enable experimental support for RNN, GRU, and LSTM in Dynamo",
           hints::kSupportable});
    }
  }
  const Value managed = static_attribute(in_, value, "_is_fsdp_managed_module");
  if (managed.is_bool() && managed.as_bool()) {
    const Value original = static_attribute(in_, value, "_fsdp_use_orig_params");
    if (!original.is_bool() || !original.as_bool()) {
      return unsupported("FSDP with use_orig_params=False", "", "Dynamo only supports FSDP with use_orig_params=True",
                         {});
    }
    return build_unspecialized(value, source, true);
  }
  if (is_dynamic(value)) return build_unspecialized(value, source, false);
  if (source == nullptr) return build_unspecialized(value, source, false);
  return register_attribute(value, source->name(), "", source);
}

Variable* Translator::build_unspecialized(const Value& value, const Source* source, bool is_fsdp) {
  Class& cls = in_.type_of(value);
  const bool is_builtin = (cls.module().starts_with("torch.nn.modules.") && !cls.module().ends_with(".container")) ||
                          cls.module().starts_with("torch.ao.");
  Variable& made = arena_->make(VariableKind::Object);
  made.value = value;
  made.cls = &cls;
  made.is_builtin_module = is_builtin && !is_fsdp;
  made.is_fsdp = is_fsdp;
  if (source != nullptr) {
    if (is_fsdp) {
      made.source = source;
    } else {
      made.source = sources_->wrap(
          is_builtin ? SourceKind::UnspecializedBuiltinNNModule : SourceKind::UnspecializedNNModule, source);
    }
    guard_type(made.source, value);
  }
  made.stack_source = made.source;
  note_module(is_fsdp      ? "FSDPManagedNNModuleVariable"
              : is_builtin ? "UnspecializedBuiltinNNModuleVariable"
                           : "UnspecializedNNModuleVariable",
              made);
  return track(value, &made);
}

}  // namespace nns::dynamo
