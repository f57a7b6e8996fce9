#include <fmt/format.h>

#include <algorithm>

#include "core/object/class.h"
#include "core/object/operations.h"
#include "core/object/sequence.h"
#include "core/ops/history.h"
#include "core/ops/saved_hooks.h"

// What Python sees of a node. Behaviour: torch/csrc/autograd/python_cpp_function.cpp.
namespace nns::ops {
namespace {

Node& self_of(std::span<const Value> args) { return static_cast<Node&>(*args[0].object()); }

// node(*grads): what it gives for these gradients, which may be None. Behaviour: THPCppFunction_call.
PyResult<Value> call_node(Interpreter& in, std::span<const Value> a) {
  Node& node = self_of(a);
  const auto given = a[1].as<object::Tuple>()->items();
  const std::size_t wanted = std::max<std::size_t>(node.outputs.size(), 1);
  if (given.size() != wanted)
    return object::type_error(in, "{} expected {} arguments, got {} instead", node.type().name(), wanted, given.size());
  std::vector<Ref<Tensor>> grads;
  for (const Value& one : given) {
    grads.emplace_back(one.as<Tensor>());
    if (!grads.back() && !one.is_none())
      return object::type_error(in, "argument {} is not a Variable", grads.size() - 1);
  }
  NNS_TRY_ASSIGN(const std::vector<Ref<Tensor>> made, node.apply(grads));
  if (made.size() == 1) return Value(made[0]);
  return Value(in.tuple(std::vector<Value>(made.begin(), made.end())));
}

// What an op kept, by its names in derivatives.yaml: _saved_self, _saved_dim, _saved_result.
// Behaviour: tools/autograd/gen_autograd_functions.py. Absent: it kept nothing of that name.
// `is_raw`: as _raw_saved_self, a SavedTensor.
PyResult<Value> saved_value(Interpreter& in, OpNode& node, std::string_view name, bool is_raw) {
  const auto raw = [&](SavedTensor& one) {
    return saved_object(in, Ref<Node>(&node), [&node, &one] { return node.is_released() ? nullptr : &one; });
  };
  const auto unpacked = [&](const SavedTensor& one) -> PyResult<Value> {
    if (one.is_empty()) return Value();
    NNS_TRY_ASSIGN(const Ref<Tensor> tensor, one.unpack(node));
    return Value(tensor);
  };
  const auto of = [&](std::span<SavedTensor> kept, bool is_list) -> PyResult<Value> {
    if (is_raw && !is_list) return raw(kept[0]);
    if (is_raw) {
      std::vector<Value> items;
      for (SavedTensor& one : kept) items.push_back(raw(one));
      return Value(in.tuple(std::move(items)));
    }
    if (node.is_released()) return object::runtime_error(in, "{}", kSecondTime);
    if (!is_list) return unpacked(kept[0]);
    std::vector<Value> items;
    for (const SavedTensor& one : kept) {
      NNS_TRY_ASSIGN(Value item, unpacked(one));
      items.push_back(std::move(item));
    }
    return Value(in.tuple(std::move(items)));
  };
  if (name.starts_with("result")) {
    const std::string_view number = name.substr(6);
    const bool is_plain = number.empty() && node.outputs.size() == 1;
    const std::size_t at = number.empty() ? 0 : static_cast<std::size_t>(number[0] - '0');
    const bool is_kept = (is_plain || number.size() == 1) && at < node.saved_outputs.size();
    if (is_kept && (!node.saved_outputs[at].is_empty() || node.is_released()))
      return of(std::span(node.saved_outputs).subspan(at, 1), false);
  }
  for (std::size_t i = 0; i < node.op.parameters.size() && i < node.arguments.size(); ++i) {
    const OpParameter& parameter = node.op.parameters[i];
    if (name != (parameter.name == "input" ? std::string_view("self") : std::string_view(parameter.name))) continue;
    if (node.inputs[i].empty()) return is_raw ? Value::absent() : node.arguments[i];
    if (i < node.saved.size() && (!node.saved[i].empty() || node.is_released()))
      return of(node.saved[i], parameter.type == ParameterType::Tensors);
  }
  return Value::absent();
}

}  // namespace

void add_node_methods(object::Class& cls) {
  cls.def("__call__(self, *args)", call_node);
  cls.def("__getattr__(self, name)", [](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
    const auto* const name = a[1].as<object::Str>();
    auto* const recorded = dynamic_cast<OpNode*>(a[0].object());
    const bool is_raw = name != nullptr && name->view().starts_with("_raw_saved_");
    if (name != nullptr && recorded != nullptr && (is_raw || name->view().starts_with("_saved_"))) {
      NNS_TRY_ASSIGN(Value found, saved_value(in, *recorded, name->view().substr(is_raw ? 11 : 7), is_raw));
      if (!found.is_absent()) return found;
    }
    return object::attribute_error(in, "'{}' object has no attribute '{}'", in.type_of(a[0]).name(),
                                   name == nullptr ? std::string_view() : name->view());
  });
  cls.def("name(self)", [](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
    // Nodes that no op of derivatives.yaml makes are called by their class in C++.
    const std::string_view name = self_of(a).type().name();
    const bool is_inner = name == "AccumulateGrad" || name == "CopySlices" || name == "CopyBackwards" ||
                          name == "UndefinedGrad" || name == "DelayedError" || name == "GraphRoot";
    return in.text(is_inner ? fmt::format("torch::autograd::{}", name) : std::string(name));
  });
  cls.def("_sequence_nr(self)", [](Interpreter&, std::span<const Value> a) -> PyResult<Value> {
    return Value(static_cast<std::int64_t>(self_of(a).sequence));
  });
  cls.def("_set_sequence_nr(self, sequence_nr)", [](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
    if (!a[1].is_int()) return object::type_error(in, "sequence_nr must be an int");
    self_of(a).sequence = static_cast<std::uint64_t>(a[1].as_int());
    return Value();
  });
  cls.property("next_functions", [](Interpreter& in, const Value& self) -> PyResult<Value> {
    std::vector<Value> edges;
    for (const Edge& edge : static_cast<Node&>(*self.object()).next) {
      edges.emplace_back(in.tuple({Value(edge.node), Value(static_cast<std::int64_t>(edge.number))}));
    }
    return Value(in.tuple(std::move(edges)));
  });
}

}  // namespace nns::ops
