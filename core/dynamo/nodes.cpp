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
      out.node = node_here(*variable->node);
      return out.node != nullptr;
    case VariableKind::Constant:
      out.constant = variable->value;
      return true;
    case VariableKind::Class: {
      // Python's classes of numbers are dtypes.
      const auto& builtins = in_.builtins();
      const auto* const cls = variable->value.as<Class>();
      const auto& library = tensor::TensorLibrary::of(in_);
      out.constant = cls == builtins.boolean    ? library.dtype_value(tensor::DType::Bool)
                     : cls == builtins.integer  ? library.dtype_value(tensor::DType::Int64)
                     : cls == builtins.floating ? library.dtype_value(tensor::DType::Float64)
                                                : variable->value;
      return true;
    }
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
      if (variable->value.is_object() && type_of(*variable).name() == "Generator" &&
          type_of(*variable).module().starts_with("torch")) {
        unsupported("Generator", "Generator objects as inputs", "torch.Generator is not supported in dynamo.",
                    {hints::kSupportable});
        return false;
      }
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
  if (is_call && engine_.log().wants(Told::Call)) {
    if (const TracedFrame* const frame = program_frame())
      engine_.log().tell_call(node.name, *frame->code, frame->running, frame->depth());
  }
  return node;
}

Node& Translator::add_root_node(Node::Op op, std::string target, std::string name) {
  const std::shared_ptr<Graph> graph = std::exchange(graph_, compiled_->graph);
  Node& node = add_node(op, std::move(target), std::move(name));
  graph_ = graph;
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
    compiled_->claims.add({&node, "__len__", {}, Value(static_cast<std::int64_t>(items.size()))});
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
  // Behaviour: torch/_dynamo/variables/builder.py, handle_traced_output.
  const std::string_view target = node.target;
  const bool is_comparison = target == "operator.eq" || target == "operator.ne";
  const bool is_folded = result.is_none() || result.is_float() || target == "builtins.getattr" ||
                         target == "operator.getitem" || target == "operator.mod" || target == "torch.manual_seed" ||
                         target == "torch.random.manual_seed" || (result.is_bool() && is_comparison) ||
                         (result.is_bool() && target == "is_integer");
  const bool is_number = result.is_none() || !result.is_object();
  if (target.ends_with("manual_seed")) return constant(Value());
  if (is_folded && is_number) return constant(result);
  return unsupported("torch.* op returned non-Tensor",
                     fmt::format("example_value type: {}; op: {}; target: {}", in_.type_of(result).name(),
                                 node.op_name(), node.target),
                     "torch.* ops that return a non-Tensor cannot be traced into the Dynamo FX graph output", {});
}

Variable* Translator::call_torch(const Value& function, std::string target, std::string name, Arguments args,
                                 Keywords keywords) {
  std::vector<Argument> positional(args.size());
  const auto is_no_argument = [&] {
    if (failure_.reason.type == "Failed to convert args/kwargs to proxy") {
      failure_.reason.context = "call_function args:";
      for (Variable* arg : args) failure_.reason.context += " " + shown(arg);
      for (const KeywordArgument& one : keywords) failure_.reason.context += " " + shown(one.value);
    }
    return nullptr;
  };
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (!as_argument(args[i], positional[i])) return is_no_argument();
  }
  NamedArguments named;
  for (const KeywordArgument& keyword : keywords) {
    named.emplace_back(std::string(keyword.name.view()), Argument{});
    if (!as_argument(keyword.value, named.back().second)) return is_no_argument();
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
  if (target == "torch._C._nn.one_hot") {
    const bool has_minus_one =
        args.size() == 2 && positional[1].constant.is_int() && positional[1].constant.as_int() < 0;
    if (args.size() + keywords.size() == 1 || has_minus_one) {
      return unsupported(
          "Attempted to use `torch.nn.functional.one_hot` with data-dependent output shape",
          fmt::format("args={}, kwargs={}", shown(args, '('), shown(keywords)), "Dynamo does not support this.",
          {"Explicitly set the `num_classes` param of the function call `torch.nn.functional.one_hot` to something "
           "other than -1."});
    }
  }
  if (target == "torch.full" && args.size() == 2 && positional[1].kind == Argument::Kind::Node &&
      positional[1].node->example) {
    // What it is filled with is not looked at: an empty tensor is filled with it.
    NNS_VARIABLE(empty, call_torch(engine_.operator_function("torch.empty"), "torch.empty", "empty", args.subspan(0, 1),
                                   keywords));
    return call_tensor_method(empty, in_.intern("fill_"), args.subspan(1), {});
  }
  if (!is_known_without_values(target, positional, named)) return nullptr;
  const bool holds_items = !positional.empty() && positional[0].kind != Argument::Kind::Node && holds_tensor(args[0]);
  if (has_failed()) return nullptr;
  // A list with tensors in it is made a tensor by torch's reference in Python.
  const bool is_of_tensors = holds_items && target == "torch.tensor";
  if (is_of_tensors) target = "torch._refs.tensor";
  if (holds_items && (target == "torch.as_tensor" || target == "torch.asarray"))
    return data_dependent("aten._local_scalar_dense.default");
  const Ref<Tensor> unknown = example_of_unknown_size(target, positional, named);
  const std::vector<tensor::Dims> out_before = out_shapes(named);
  PyResult<Worlds> result = unknown
                                ? PyResult<Worlds>(Worlds{Value(unknown)})
                                : run_on_fakes(positional, named, [&](const auto& fakes, const auto& fake_keywords) {
                                    if (is_of_tensors) return engine_.run_on_zeros(function, fakes, fake_keywords);
                                    if (mask_of_write(target, positional) != nullptr)
                                      return engine_.run_fake(function, written_whole(fakes), fake_keywords);
                                    return engine_.run_fake(function, fakes, fake_keywords);
                                  });
  if (has_failed()) return nullptr;
  if (!result.ok() && takes_unknown_size(positional, named)) return unknown_size(target);
  if (!result.ok()) {
    const std::string callee = target.starts_with("torch.ops.") ? target.substr(10)
                               : target.starts_with("operator.") || target.starts_with("torch._C.")
                                   ? fmt::format("<built-in function {}>", target.substr(target.rfind('.') + 1))
                                   : repr_of(in_, function);
    return engine_.fake_error(*this, result.error(), target,
                              call_on_fakes(in_, "call_function", callee, positional, named));
  }
  const std::string shown_call = fmt::format("<built-in method {} of type object at <addr>>, args={}, kwargs={}", name,
                                             shown(args, '['), shown(keywords));
  if (!may_write_out(named, out_before, name, shown_call)) return nullptr;
  for (const auto& [key, value] : named) {
    const bool is_true = value.kind == Argument::Kind::Constant && value.constant.is_bool() && value.constant.as_bool();
    if (key != "requires_grad" || !is_true || result.value()[0].as<Tensor>() == nullptr) continue;
    return unsupported(
        "Attempted to use tensor creation function with requires_grad=True", "fn=" + shown_call,
        "Dynamo does not support this.",
        {"Create the tensor outside the compiled region.", "Do not set `requires_grad=True`.", hints::kSupportable});
  }
  Node& node = add_node(Node::Op::CallFunction, std::move(target), std::move(name));
  node.has_unknown_size = unknown != nullptr;
  node.callee = function;
  node.args = std::move(positional);
  node.kwargs = std::move(named);
  return wrap_result(node, result.value());
}

Variable* Translator::call_tensor_method(Variable* self, Name name, Arguments args, Keywords keywords) {
  std::vector<Argument> positional(args.size() + 1);
  if (!as_argument(self, positional[0])) return nullptr;
  const auto is_no_argument = [&] {
    if (failure_.reason.type == "Failed to convert args/kwargs to proxy") {
      failure_.reason.type = "Unsupported argument type in tensor method call";
      failure_.reason.context =
          fmt::format("call_method TensorVariable() {} {} {}", name.view(), shown(args, '['), shown(keywords));
      failure_.reason.explanation = fmt::format(
          "Dynamo could not create a proxy for an argument in the call to Tensor.{}(). This usually means "
          "an unsupported type was passed as an argument to a tensor method.",
          name.view());
      failure_.reason.hints = {hints::kSupportable};
    }
    return nullptr;
  };
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (!as_argument(args[i], positional[i + 1])) return is_no_argument();
  }
  NamedArguments named;
  for (const KeywordArgument& keyword : keywords) {
    named.emplace_back(std::string(keyword.name.view()), Argument{});
    if (!as_argument(keyword.value, named.back().second)) return is_no_argument();
  }
  if (!is_known_without_values(name.view(), positional, named)) return nullptr;
  const Ref<Tensor> unknown = example_of_unknown_size(name.view(), positional, named);
  PyResult<Worlds> result = unknown
                                ? PyResult<Worlds>(Worlds{Value(unknown)})
                                : run_on_fakes(positional, named, [&](const auto& fakes, const auto& fake_keywords) {
                                    if (name.view() == "to" || name.view() == "cpu")
                                      return engine_.run_fake_to(fakes, fake_keywords);
                                    return engine_.run_fake_method(fakes[0], name, fakes.subspan(1), fake_keywords);
                                  });
  if (has_failed()) return nullptr;
  if (!result.ok() && takes_unknown_size(positional, named)) return unknown_size(name.view());
  if (!result.ok()) {
    return engine_.fake_error(*this, result.error(), fmt::format("call_method {}", name.view()),
                              call_on_fakes(in_, "call_method", name.view(), positional, named));
  }
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
  if (!result.ok()) {
    return engine_.fake_error(*this, result.error(), module->module_key,
                              call_on_fakes(in_, "call_module", module->module_key, positional, named));
  }
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
  const Value* const graph = own == nullptr ? nullptr : own->find(std::string_view("_graph"));
  if (graph == nullptr) return module_stack_;
  const auto [found, is_new] = graph_stacks_.try_emplace(self->value.object());
  if (is_new) engine_.read_stacks(*graph, found->second);
  // A line of such code is one node: "act = self.act(x)".
  const std::string line = line_text(*frame_->code, frame_->line());
  const auto stack = found->second.find(std::string_view(line).substr(0, line.find(" = ")));
  return stack == found->second.end() ? module_stack_ : stack->second;
}

}  // namespace nns::dynamo
