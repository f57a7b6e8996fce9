// Methods and items of modules that are compiled as one instance.
// Behaviour: torch/_dynamo/variables/nn_module.py, NNModuleVariable.call_method.
#include <fmt/format.h>

#include "core/dynamo/engine.h"
#include "core/dynamo/hints.h"
#include "core/nn/module.h"
#include "core/object/operations.h"

namespace nns::dynamo {

namespace {

const Source* dotted(SourceTable& sources, const Source* base, std::string_view path) {
  while (!path.empty()) {
    const std::size_t dot = path.find('.');
    base = sources.attr(base, path.substr(0, dot));
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  }
  return base;
}

std::string key_text(Interpreter& in, const Value& key) {
  const auto* text = key.as<object::Str>();
  return text != nullptr ? std::string(text->view()) : repr_of(in, key);
}

}  // namespace

Variable* Translator::unpack_children(Variable* module) {
  std::vector<Variable*> items;
  Dict& own = *module->value.object()->instance_dict(true);
  const Class& cls = type_of(*module);
  bool is_dict = false, is_list = false;
  for (const Class* one : cls.mro()) {
    is_dict = is_dict || one->name() == "ModuleDict";
    is_list = is_list || one->name() == "ModuleList" || one->name() == "Sequential" || one->name() == "ParameterList";
  }
  const Value* held = own.find(in_.intern("_modules"));
  auto* children = held == nullptr ? nullptr : held->as<Dict>();
  if ((!is_dict && !is_list) || children == nullptr) {
    const Value* iterates = cls.lookup(in_.intern("__iter__"));
    if (iterates != nullptr && python::as_function(*iterates) != nullptr)
      return call_method(module, in_.intern("__iter__"), {});
    return raise(object::type_error(in_, "'{}' object is not iterable", cls.name()));
  }
  if (is_list && children->empty()) {
    PyResult<std::vector<Value>> values = object::to_vector(in_, module->value);
    if (!values.ok()) return raise(values.error());
    std::int64_t at = 0;
    for (const Value& value : values.value()) {
      NNS_VARIABLE(made,
                   register_attribute(value, module->module_key, std::to_string(at),
                                      sources_->wrap(SourceKind::NNModule, sources_->item(module->source, Value(at)))));
      ++at;
      items.push_back(made);
    }
    return iterator_over(std::move(items));
  }
  std::int64_t at = 0;
  for (const Value& key : children->keys()) {
    const Source* source =
        sources_->wrap(SourceKind::NNModule, sources_->item(module->source, is_dict ? key : Value(at)));
    NNS_VARIABLE(made, register_attribute(*children->find(key), module->module_key,
                                          is_dict ? key_text(in_, key) : std::to_string(at), source));
    ++at;
    items.push_back(is_dict ? constant(key) : made);
  }
  return iterator_over(std::move(items));
}

Variable* Translator::specialized_item(Variable* module, Variable* key, bool is_stock) {
  std::int64_t depth = 0;
  Variable* library = nullptr;
  Class& cls = type_of(*module);
  const Value* found = class_lookup(cls, in_.names().dunder_getitem, depth, &library);
  const Value index = constant_value(key);
  if (has_failed()) return nullptr;
  if (library == nullptr && !is_stock) {
    if (found == nullptr || python::as_function(*found) == nullptr) {
      return raise(object::type_error(in_, "'{}' object is not subscriptable", cls.name()));
    }
    if (!index.is_int() && index.as<object::Str>() == nullptr) {
      return unsupported("Invalid or non-const argument in nn.Module __getitem__", "mp_subscript_impl",
                         fmt::format("Dynamo does not support calling method `__getitem__` of ``nn.Module`` {} with a "
                                     "non-constant or non-(str, int) key.",
                                     repr_of(in_, module->value)),
                         {"Use constant arguments of type str or int for __getitem__"});
    }
    Variable& function = function_of(*found);
    Variable* args[] = {module, key};
    return inline_call(&function, args, {});
  }
  if (key->kind == VariableKind::Slice) return restart_unspecialized(module->value);
  if (index.is_absent()) {
    return unsupported("Unsupported key type for nn.Module.__getitem__", "mp_subscript_impl",
                       "Dynamo does not support getitem on `nn.Module` with non-constant key.", {});
  }
  PyResult<Value> child = object::getitem(in_, module->value, index);
  if (!child.ok()) {
    // What the real container raises is nothing that a program could catch while it is traced.
    failure_.kind = Failure::Kind::Error;
    failure_.error = child.error();
    return nullptr;
  }
  return register_attribute(child.value(), module->module_key, key_text(in_, index),
                            sources_->wrap(SourceKind::NNModule, sources_->item(module->source, index)));
}

Variable* Translator::call_specialized_method(Variable* module, Name method, Arguments args, Keywords keywords) {
  std::string_view name = method.view();
  if (const std::size_t dot = name.rfind('.'); dot != std::string_view::npos) name = name.substr(dot + 1);
  if (name == "__call__" || name == "_call_impl" || name == "_wrapped_call_impl")
    return call_specialized(module, args, keywords);
  Interpreter& in = in_;
  if (name == "forward") {
    const StackMark mark = push_module(module);
    std::vector<Argument> positional(1);
    bool is_fine = true;
    for (Variable* arg : args) {
      positional.emplace_back();
      is_fine = is_fine && as_argument(arg, positional.back());
    }
    Variable* result = nullptr;
    if (is_fine) {
      Node& self = add_node(Node::Op::GetAttr, module->module_key, module->module_key);
      self.callee = module->value;
      positional[0] = node_argument(self);
      const PyResult<Worlds> value = run_on_fakes(positional, {}, [&](const auto& fakes, const auto&) {
        return engine_.run_fake_module(module->value, std::span(fakes).subspan(1), {});
      });
      if (has_failed()) {
        result = nullptr;
      } else if (!value.ok()) {
        result = engine_.fake_error(*this, value.error(), module->module_key,
                                    call_on_fakes(in_, "call_module", module->module_key, positional, {}));
      } else {
        Node& node = add_node(Node::Op::CallMethod, "forward", "forward");
        node.args = std::move(positional);
        result = wrap_result(node, value.value());
      }
    }
    pop_module(mark);
    return result;
  }
  const auto wrap = [&](const Value& value, const std::string& path) {
    return path.empty()
               ? register_attribute(value, module->module_key, path,
                                    sources_->wrap(SourceKind::NNModule, module->source))
               : register_attribute(value, module->module_key, path,
                                    sources_->wrap(SourceKind::NNModule, dotted(*sources_, module->source, path)));
  };
  const bool is_walk = name == "named_children" || name == "children" || name == "named_modules" || name == "modules" ||
                       name == "named_parameters" || name == "parameters" || name == "named_buffers" ||
                       name == "buffers" || name == "keys" || name == "values" || name == "items";
  if (is_walk) {
    std::vector<Value> positional;
    std::vector<object::Keyword> named;
    for (Variable* arg : args) {
      positional.push_back(constant_value(arg));
      if (has_failed()) return nullptr;
    }
    for (const KeywordArgument& keyword : keywords) {
      named.push_back({keyword.name, constant_value(keyword.value)});
      if (has_failed()) return nullptr;
    }
    bool all = true;
    for (const Value& value : positional) all = all && !value.is_absent();
    for (const object::Keyword& value : named) all = all && !value.value.is_absent();
    if (!all) {
      return unsupported(
          "non-const argument in nn.Module method", "",
          fmt::format("Dynamo does not support calling method `{}` of ``nn.Module`` {} with non-constant arguments.",
                      name, repr_of(in, module->value)),
          {});
    }
    const bool is_single =
        name == "children" || name == "modules" || name == "parameters" || name == "buffers" || name == "values";
    const std::string source_name = name == "values" ? "items"
                                    : is_single      ? "named_" + std::string(name)
                                                     : std::string(name);
    PyResult<Value> pairs = in.call_method(module->value, in.intern(source_name), positional, named);
    if (!pairs.ok()) return raise(pairs.error());
    PyResult<std::vector<Value>> values = object::to_vector(in, pairs.value());
    if (!values.ok()) return raise(values.error());
    std::vector<Variable*> items;
    for (const Value& pair : values.value()) {
      if (name == "keys") {
        items.push_back(constant(pair));
        continue;
      }
      const auto& both = *pair.as<object::Tuple>();
      const std::string path = key_text(in, both[0]);
      NNS_VARIABLE(value, wrap(both[1], path));
      items.push_back(is_single ? value : tuple({constant(both[0]), value}));
    }
    return iterator_over(std::move(items));
  }
  if (name == "__len__") return length(module);
  if (name == "__getitem__" && args.size() == 1) {
    NNS_VARIABLE(key, real(args[0]));
    return specialized_item(module, key, true);
  }
  if (name == "__iter__") return unpack_children(module);
  if (name == "__contains__" && args.size() == 1) {
    const Value key = constant_value(args[0]);
    const PyResult<bool> has = object::contains(in, module->value, key);
    if (!has.ok()) return raise(has.error());
    return constant(Value(has.value()));
  }
  if (name == "_check_input_dim") return constant(Value(true));
  if (name == "register_forward_hook" || name == "register_forward_pre_hook")
    return restart_unspecialized(module->value);
  // Anything else of the library's Python is traced.
  std::int64_t depth = 0;
  Variable* library = nullptr;
  class_lookup(type_of(*module), in.intern(name), depth, &library);
  if (library == nullptr)
    return unsupported("UnspecializedNNModuleVariable missing method", std::string(name),
                       "Dynamo does not trace this method.", {});
  std::vector<Variable*> all = {module};
  all.insert(all.end(), args.begin(), args.end());
  return inline_call(library, all, keywords);
}

}  // namespace nns::dynamo
