// What goes into the graph, and what shapes come out.
#include <fmt/format.h>

#include <algorithm>

#include "core/dynamo/engine.h"
#include "core/dynamo/hints.h"
#include "core/object/operations.h"
#include "core/ops/op.h"

namespace nns::dynamo {

using tensor::Tensor;

bool Translator::holds_tensor(Variable* given, int depth) {
  if (depth > 20) return false;
  // A lazy one is looked at only if it is a tensor.
  if (given->kind == VariableKind::Lazy && given->realized == nullptr) {
    if (given->value.as<Tensor>() != nullptr) return true;
    const bool is_container = given->value.as<object::List>() != nullptr ||
                              given->value.as<object::Tuple>() != nullptr || given->value.as<Dict>() != nullptr;
    if (!is_container) return false;
  }
  Variable* variable = real(given);
  if (variable == nullptr) return false;
  if (variable->kind == VariableKind::Tensor) return true;
  if (variable->contents != nullptr) return holds_tensor(variable->contents, depth + 1);
  const bool is_container = variable->kind == VariableKind::List || variable->kind == VariableKind::Tuple ||
                            variable->kind == VariableKind::Dict || variable->kind == VariableKind::Slice ||
                            variable->kind == VariableKind::Set;
  return is_container && std::any_of(variable->items.begin(), variable->items.end(),
                                     [&](Variable* item) { return item != nullptr && holds_tensor(item, depth + 1); });
}

// Of a container: whether some of it is a number that is no constant.
bool Translator::holds_number(const Variable& variable) {
  return variable.kind == VariableKind::Number ||
         std::any_of(variable.items.begin(), variable.items.end(),
                     [](const Variable* item) { return item != nullptr && holds_number(*item); });
}

bool Translator::as_argument(Variable* given, Argument& out) {
  Variable* variable = real(given);
  if (variable == nullptr) return false;
  if (variable->contents != nullptr) variable = variable->contents;
  const auto items = [&] {
    for (Variable* item : variable->items) {
      if (item == nullptr) continue;
      out.items.emplace_back();
      if (!as_argument(item, out.items.back())) return false;
    }
    return true;
  };
  switch (variable->kind) {
    case VariableKind::Tensor:
    case VariableKind::Number:
      if (variable->is_ndarray) return untraced_array("operation") != nullptr;
      out.kind = Argument::Kind::Node;
      out.node = variable->node;
      return true;
    case VariableKind::Constant:
    case VariableKind::Class:
      out.constant = variable->value;
      return true;
    case VariableKind::Builtin:
      out.constant = variable->value;
      return true;
    case VariableKind::Tuple:
      if (variable->cls != nullptr && !holds_number(*variable) && is_constant(variable)) {
        out.constant = constant_value(variable);
        return true;
      }
      out.kind = Argument::Kind::Tuple;
      return items();
    case VariableKind::List:
      out.kind = Argument::Kind::List;
      return items();
    case VariableKind::Slice:
      out.kind = Argument::Kind::Slice;
      return items();
    case VariableKind::Dict:
      out.kind = Argument::Kind::Dict;
      for (Variable* key : variable->keys) {
        if (key != nullptr) out.keys.push_back(key_of(*key));
      }
      return items();
    default:
      unsupported("Failed to convert args/kwargs to proxy", "",
                  fmt::format("Missing `as_proxy()` implementation for some arg/kwarg."), {});
      return false;
  }
}

void Translator::locate(Node& node) const {
  if (frame_ != nullptr && !frame_->is_library) {
    node.line = frame_->line();
    node.asked_by = frame_->code;
    if (frame_->is_root) node.root_name = root_name_;
  }
  if (const TracedFrame* const frame = program_frame()) {
    node.program = frame->code;
    node.program_line = frame->line();
  }
}

Node& Translator::add_node(Node::Op op, std::string target, std::string name) {
  Node& node = graph_->add(op, std::move(target), std::move(name));
  node.module_stack = stack_now();
  locate(node);
  const bool is_call = op == Node::Op::CallFunction || op == Node::Op::CallMethod || op == Node::Op::CallModule;
  if (is_call) ++captured_calls_;
  return node;
}

Variable* Translator::tensor_of(Node& node, const Ref<Tensor>& fake) {
  node.example = fake;
  Variable& made = arena_->make(VariableKind::Tensor);
  made.node = &node;
  made.tensor_class = &fake->type();
  made.is_new = true;
  return &made;
}

Variable* Translator::wrap_result(Node& node, const Worlds& results) {
  const Value& result = results[0];
  if (takes_unknown_size(node.args, node.kwargs)) {
    if (result.as<Tensor>() == nullptr) return unknown_size(node.target);
    node.has_unknown_size = true;
  }
  if (auto* fake = result.as<Tensor>()) {
    // In place: the same tensor under a new node.
    node.variants.assign(results.begin() + 1, results.end());
    return tensor_of(node, Ref<Tensor>(fake));
  }
  const bool is_tuple = result.as<object::Tuple>() != nullptr;
  if (is_tuple || result.as<object::List>() != nullptr) {
    const std::vector<Value> items = [&] {
      if (is_tuple)
        return std::vector<Value>(result.as<object::Tuple>()->items().begin(),
                                  result.as<object::Tuple>()->items().end());
      return result.as<object::List>()->items();
    }();
    const bool has_tensor =
        std::any_of(items.begin(), items.end(), [](const Value& one) { return one.as<Tensor>() != nullptr; });
    if (!has_tensor) return constant(result);
    std::vector<Variable*> parts;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (items[i].as<Tensor>() == nullptr) {
        parts.push_back(constant(items[i]));
        continue;
      }
      Node& part = graph_->add(Node::Op::CallFunction, "operator.getitem", "getitem");
      part.module_stack = node.module_stack;
      part.callee = engine_.operator_function("getitem");
      part.args.push_back(node_argument(node));
      part.args.push_back(constant_argument(Value(static_cast<std::int64_t>(i))));
      for (std::size_t world = 1; world < results.size(); ++world) {
        const Value& other = results[world];
        const auto* others = other.as<object::Tuple>();
        const auto* listed = other.as<object::List>();
        part.variants.push_back(others != nullptr ? (*others)[i] : listed != nullptr ? listed->items()[i] : other);
      }
      parts.push_back(tensor_of(part, Ref<Tensor>(items[i].as<Tensor>())));
    }
    Variable* made = is_tuple ? tuple(std::move(parts)) : list(std::move(parts));
    if (is_tuple && &result.object()->type() != in_.builtins().tuple) made->cls = &result.object()->type();
    return made;
  }
  return constant(result);
}

Variable* Translator::call_torch(const Value& function, std::string target, std::string name, Arguments args,
                                 Keywords keywords) {
  std::vector<Argument> positional(args.size());
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (!as_argument(args[i], positional[i])) return nullptr;
  }
  NamedArguments named;
  for (const KeywordArgument& keyword : keywords) {
    named.emplace_back(std::string(keyword.name.view()), Argument{});
    if (!as_argument(keyword.value, named.back().second)) return nullptr;
  }
  // F.pad is Python that calls this with all of its arguments.
  if (target == "torch._C._nn.pad" && positional.size() >= 2) {
    std::vector<std::pair<std::string, Argument>> others;
    Argument mode = constant_argument(in_.text("constant")), filler = constant_argument(Value());
    if (positional.size() > 2) mode = positional[2];
    if (positional.size() > 3) filler = positional[3];
    for (auto& [key, value] : named) (key == "mode" ? mode : filler) = value;
    positional.resize(2);
    positional.push_back(std::move(mode));
    positional.push_back(std::move(filler));
    named.clear();
  }
  if (!has_known_shape(target, name)) return nullptr;
  const Ref<Tensor> unknown = example_of_unknown_size(target, positional, named);
  PyResult<Worlds> result = unknown
                                ? PyResult<Worlds>(Worlds{Value(unknown)})
                                : run_on_fakes(positional, named, [&](const auto& fakes, const auto& fake_keywords) {
                                    return engine_.run_fake(function, fakes, fake_keywords);
                                  });
  if (has_failed()) return nullptr;
  if (!result.ok() && takes_unknown_size(positional, named)) return unknown_size(target);
  if (!result.ok()) return engine_.fake_error(*this, result.error(), target);
  Node& node = add_node(Node::Op::CallFunction, std::move(target), std::move(name));
  node.has_unknown_size = unknown != nullptr;
  node.callee = function;
  node.args = std::move(positional);
  node.kwargs = std::move(named);
  return wrap_result(node, result.value());
}

bool Translator::has_known_shape(std::string_view target, std::string_view name) {
  if (config_.capture_dynamic_output_shape_ops || engine_.is_fullgraph() || !engine_.has_dynamic_shape(target))
    return true;
  const std::string op = fmt::format("aten.{}.default", name);
  unsupported("Dynamic shape operator", op,
              fmt::format("Operator `{}`'s output shape depends on input Tensor data.", op),
              {"Enable tracing of dynamic shape operators with "
               "`torch._dynamo.config.capture_dynamic_output_shape_ops = True`"});
  return false;
}

Variable* Translator::call_tensor_method(Variable* self, Name name, Arguments args, Keywords keywords) {
  std::vector<Argument> positional(args.size() + 1);
  if (!as_argument(self, positional[0])) return nullptr;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (!as_argument(args[i], positional[i + 1])) return nullptr;
  }
  NamedArguments named;
  for (const KeywordArgument& keyword : keywords) {
    named.emplace_back(std::string(keyword.name.view()), Argument{});
    if (!as_argument(keyword.value, named.back().second)) return nullptr;
  }
  if (!has_known_shape(name.view(), name.view())) return nullptr;
  const Ref<Tensor> unknown = example_of_unknown_size(name.view(), positional, named);
  PyResult<Worlds> result = unknown
                                ? PyResult<Worlds>(Worlds{Value(unknown)})
                                : run_on_fakes(positional, named, [&](const auto& fakes, const auto& fake_keywords) {
                                    return engine_.run_fake_method(fakes[0], name, fakes.subspan(1), fake_keywords);
                                  });
  if (has_failed()) return nullptr;
  if (!result.ok() && takes_unknown_size(positional, named)) return unknown_size(name.view());
  if (!result.ok()) return engine_.fake_error(*this, result.error(), fmt::format("call_method {}", name.view()));
  std::string base(name.view());
  if (base.starts_with("__") && base.ends_with("__") && base.size() > 4) base = base.substr(2, base.size() - 4);
  Node& node = add_node(Node::Op::CallMethod, std::string(name.view()), base);
  node.has_unknown_size = unknown != nullptr;
  node.args = std::move(positional);
  node.kwargs = std::move(named);
  return wrap_result(node, result.value());
}

Variable* Translator::call_module_node(Variable* module, Arguments args, Keywords keywords) {
  std::vector<Argument> positional(args.size());
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (!as_argument(args[i], positional[i])) return nullptr;
  }
  NamedArguments named;
  for (const KeywordArgument& keyword : keywords) {
    named.emplace_back(std::string(keyword.name.view()), Argument{});
    if (!as_argument(keyword.value, named.back().second)) return nullptr;
  }
  PyResult<Worlds> result = run_on_fakes(positional, named, [&](const auto& fakes, const auto& fake_keywords) {
    return engine_.run_fake_module(module->value, fakes, fake_keywords);
  });
  if (has_failed()) return nullptr;
  if (!result.ok() && takes_unknown_size(positional, named)) return unknown_size(module->module_key);
  if (!result.ok()) return engine_.fake_error(*this, result.error(), module->module_key);
  Node& node = add_node(Node::Op::CallModule, module->module_key, module->module_key);
  node.callee = module->value;
  node.args = std::move(positional);
  node.kwargs = std::move(named);
  return wrap_result(node, result.value());
}

// Behaviour: torch/_dynamo/output_graph.py, _maybe_preserve_original_meta.
ModuleStack Translator::stack_now() {
  if (frame_ == nullptr || !frame_->code->tree->source().name().starts_with("<eval_with_key>")) return module_stack_;
  Variable* const self = frame_->slots.empty() ? nullptr : frame_->slots[0];
  Dict* const own = self == nullptr || !self->value.is_object() ? nullptr : self->value.object()->instance_dict(false);
  const Value* const graph = own == nullptr ? nullptr : own->find(std::string_view("graph"));
  if (graph == nullptr) return module_stack_;
  const auto [found, is_new] = graph_stacks_.try_emplace(self->value.object());
  if (is_new) engine_.read_stacks(*graph, found->second);
  // A line of such code is one node: "act = self.act(x)".
  const std::string line = line_text(*frame_->code, frame_->line());
  const auto stack = found->second.find(std::string_view(line).substr(0, line.find(" = ")));
  return stack == found->second.end() ? module_stack_ : stack->second;
}

Variable* Translator::tensor_attribute(Variable* self, Name name) {
  const std::string_view text = name.view();
  if (self->is_ndarray) return untraced_array(text);
  const Ref<Tensor>& fake = self->node->example;
  if (self->node->has_unknown_size && (text == "shape" || text == "nbytes")) return unknown_size(text);
  if (text == "shape") return shape_of(self);
  if (text == "nbytes" && !self->node->variants.empty()) {
    hold(symbols_of(*self->node));
    return nullptr;
  }
  if (text == "ndim") return constant(Value(static_cast<std::int64_t>(fake->ndim())));
  if (text == "requires_grad") return constant(Value(fake->requires_grad()));
  if (text == "dtype") return constant(tensor::TensorLibrary::of(in_).dtype_value(fake->dtype()));
  if (text == "device") {
    const auto* original = self->value.as<Tensor>();
    return constant(
        tensor::TensorLibrary::of(in_).device_value(original != nullptr ? original->device() : tensor::Device::Cpu));
  }
  if (text == "is_cpu" || text == "is_meta") {
    const auto* original = self->value.as<Tensor>();
    const tensor::Device device = original != nullptr ? original->device() : tensor::Device::Cpu;
    return constant(Value(text == "is_cpu" ? tensor::is_cpu(device) : device == tensor::Device::Meta));
  }
  if (text == "is_leaf" || text == "is_cuda" || text == "is_sparse" || text == "is_quantized" || text == "is_complex" ||
      text == "layout" || text == "names" || text == "itemsize" || text == "nbytes") {
    PyResult<Value> value = object::getattr(in_, Value(fake), name);
    if (value.ok() && value.value().as<object::BoundMethod>() == nullptr && value.value().as<Tensor>() == nullptr)
      return constant(value.value());
  }
  if (text == "__class__") {
    Variable& made = arena_->make(VariableKind::Class);
    made.value = Value(static_cast<object::Object*>(const_cast<Class*>(self->tensor_class)));
    return &made;
  }
  if (text == "grad" && self->value.as<Tensor>() != nullptr && self->source != nullptr) {
    Guard made{.kind = GuardKind::HasAttr, .source = self->source};
    made.value = name.value();
    guard(std::move(made));
    const auto& grad = self->value.as<Tensor>()->grad();
    return build(grad ? Value(grad) : Value(), sources_->attr(self->source, "grad"));
  }
  // Attributes that a program put on a tensor.
  if (const auto* original = self->value.as<Tensor>(); original != nullptr && self->source != nullptr) {
    Dict* own = const_cast<Tensor*>(original)->instance_dict(false);
    if (const Value* found = own == nullptr ? nullptr : own->find(name))
      return build(*found, sources_->attr(self->source, text));
  }
  const Value* found = self->tensor_class->lookup(name);
  if (found == nullptr) {
    return raise(object::attribute_error(in_, "'{}' object has no attribute '{}'", self->tensor_class->name(), text));
  }
  const bool is_method = found->is_object() && found->object()->descriptor_kind() == object::DescriptorKind::Method;
  if (is_method) {
    Variable& made = arena_->make(VariableKind::BoundBuiltin);
    made.self = self;
    made.name = text;
    made.value = *found;
    return &made;
  }
  // A property that gives a tensor: T, data, real.
  std::vector<Argument> of_self(1);
  if (!as_argument(self, of_self[0])) return nullptr;
  PyResult<Worlds> result =
      run_on_fakes(of_self, {}, [&](const auto& fakes, const auto&) { return object::getattr(in_, fakes[0], name); });
  if (has_failed()) return nullptr;
  if (!result.ok()) return raise(result.error());
  if (result.value()[0].as<Tensor>() == nullptr) return constant(result.value()[0]);
  Node& node = add_node(Node::Op::CallFunction, "builtins.getattr", "getattr");
  node.callee = engine_.builtin("getattr");
  node.args = std::move(of_self);
  node.args.push_back(constant_argument(name.value()));
  return wrap_result(node, result.value());
}

}  // namespace nns::dynamo
