// Graphs as modules of torch.fx, which backends and programs are given.
// Behaviour: torch/_dynamo/output_graph.py, compile_and_call_fx_graph; torch/fx/graph_module.py.
#include <fmt/format.h>

#include <algorithm>

#include "core/dynamo/engine.h"
#include "core/object/operations.h"
#include "core/ops/python_function.h"

namespace nns::dynamo {

namespace {

Value python_argument(Interpreter& in, const Argument& argument, const Value& reference) {
  const auto items = [&] {
    std::vector<Value> made;
    for (const Argument& item : argument.items) made.push_back(python_argument(in, item, reference));
    return made;
  };
  switch (argument.kind) {
    case Argument::Kind::Node: {
      PyResult<Value> made = in.call(reference, {in.text(argument.node->name)});
      return made.ok() ? made.value() : Value();
    }
    case Argument::Kind::Constant:
      return argument.constant;
    case Argument::Kind::Tuple:
      return Value(in.tuple(items()));
    case Argument::Kind::List:
      return Value(in.list(items()));
    case Argument::Kind::Dict: {
      const Ref<Dict> dict = in.dict();
      for (std::size_t i = 0; i < argument.items.size(); ++i)
        dict->set(argument.keys[i], python_argument(in, argument.items[i], reference));
      return Value(dict);
    }
    case Argument::Kind::Slice: {
      const std::vector<Value> parts = items();
      return Value(object::make<object::Slice>(in, parts[0], parts[1], parts[2]));
    }
  }
  return {};
}

// What torch.fx notes of a node. Behaviour: torch/_dynamo/output_graph.py, create_proxy; variables/builder.py,
// wrap_fx_proxy.
Value node_meta(Interpreter& in, const Node& node, const Value& device) {
  const Ref<Dict> meta = in.dict();
  if (node.op == Node::Op::Output) return Value(meta);
  if (node.asked_by) {
    meta->set(in.intern("stack_trace"),
              in.text(fmt::format("  File \"{}\", line {}, in {}\n    {}", node.asked_by->tree->source().name(),
                                  node.line, node.frame(), node.code())));
  }
  const Ref<Dict> stack = in.dict();
  for (const StackEntry& entry : node.stack())
    stack->set(in.intern(entry.key), Value(in.tuple({in.text(entry.name), in.text(entry.class_name)})));
  if (stack->size() > 0) meta->set(in.intern("nn_module_stack"), Value(stack));
  if (node.example) {
    meta->set(in.intern("example_value"), Value(node.example));
    meta->set(in.intern("device"), device);
  }
  return Value(meta);
}

// The type that a parameter of the graph is written with.
Value placeholder_type(Interpreter& in, const Node& node) {
  if (node.op != Node::Op::Placeholder) return {};
  if (node.example) return Value(&const_cast<Class&>(node.example->type()));
  if (node.source == nullptr) return {};  // nothing is known of it: Graph::take_signature
  const Value* const size = ops::python_module(in, "torch").find(std::string_view("SymInt"));
  return size == nullptr ? Value() : *size;
}

// torch.device of the tensor that an input was when the frame was compiled; None: it was no tensor, or is forgotten.
Value device_of_input(Interpreter& in, const Node& node) {
  if (node.callee.as<tensor::Tensor>() == nullptr) return {};
  const PyResult<Value> found = object::getattr(in, node.callee, in.intern("device"));
  return found.ok() ? found.value() : Value();
}

}  // namespace

void Graph::forget_inputs(Interpreter& in) {
  for (Node* const node : placeholders_) {
    if (input_device.is_none()) input_device = device_of_input(in, *node);
    node->callee = Value();
  }
}

Value Engine::program_function(const Value& callee) {
  const auto known =
      std::find_if(operators_.begin(), operators_.end(), [&](const auto& entry) { return entry.second.is(callee); });
  const Value found = known == operators_.end() ? Value() : library_value("operator", known->first);
  return found.is_none() ? callee : found;
}

PyResult<Value> Engine::graph_module_of(const Graph& graph) {
  NNS_TRY_ASSIGN(const Value module, machine_.import_module("torch.fx.graph_module", 0, nullptr));
  Dict& names = *module.object()->instance_dict(true);
  const Value make = *names.find(std::string_view("_from_rows"));
  const Value reference = *names.find(std::string_view("_Reference"));
  std::vector<Value> rows;
  const Ref<Dict> attributes = in_.dict();
  Value device = graph.input_device;
  for (const Node* node : graph.ordered()) {
    if (node->op == Node::Op::GetAttr || node->op == Node::Op::CallModule)
      attributes->set(in_.intern(node->target), node->callee);
    // Examples have no contents and lie nowhere: all are taken to be where the first input is.
    if (device.is_none() && node->op == Node::Op::Placeholder) device = device_of_input(in_, *node);
    std::vector<Value> args;
    for (const Argument& argument : node->args) args.push_back(python_argument(in_, argument, reference));
    const Ref<Dict> kwargs = in_.dict();
    for (const auto& [name, argument] : node->kwargs)
      kwargs->set(in_.intern(name), python_argument(in_, argument, reference));
    const Value target = node->op == Node::Op::CallFunction ? program_function(node->callee) : in_.text(node->target);
    rows.emplace_back(
        in_.tuple({in_.text(node->op_name()), in_.text(node->name), target, Value(in_.tuple(std::move(args))),
                   Value(kwargs), placeholder_type(in_, *node), node_meta(in_, *node, device)}));
  }
  return in_.call(make, {Value(in_.list(std::move(rows))), Value(attributes)});
}

PyResult<Value> Engine::take_exported(std::size_t leaves, const std::vector<Graph::ExportedResult>& results) {
  const std::shared_ptr<Graph> graph = std::exchange(exported_, nullptr);
  if (graph == nullptr) return Value();
  graph->take_signature(leaves, results);
  graph->forget_inputs(in_);
  return graph_module_of(*graph);
}

PyResult<void> Engine::call_backend(CompiledFrame& compiled) {
  std::vector<Value> inputs;
  for (const Node* node : compiled.graph->ordered()) {
    if (node->op == Node::Op::Placeholder) inputs.push_back(node->callee);
  }
  const Value backend = settings_.back().backend;
  NNS_TRY_ASSIGN(const Value graph_module, graph_module_of(*compiled.graph));
  PyResult<Value> runner = in_.call(backend, {graph_module, Value(in_.list(std::move(inputs)))});
  if (!runner.ok()) {
    NNS_TRY_ASSIGN(const Value errors, machine_.import_module("torch._dynamo.exc", 0, nullptr));
    const Value cls = *errors.object()->instance_dict(true)->find(std::string_view("BackendCompilerFailed"));
    NNS_TRY_ASSIGN(const Value made, in_.call(cls, {backend, Value(&runner.error().exception())}));
    return PyError{Ref<object::Exception>(static_cast<object::Exception*>(made.object()))};
  }
  compiled.runner = runner.value();
  return {};
}

}  // namespace nns::dynamo
