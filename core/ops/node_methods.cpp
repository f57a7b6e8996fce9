#include "core/object/class.h"
#include "core/object/sequence.h"
#include "core/ops/node.h"

// What Python sees of a node. Behaviour: torch/csrc/autograd/python_cpp_function.cpp.
namespace nns::ops {
namespace {

Node& self_of(std::span<const Value> args) { return static_cast<Node&>(*args[0].object()); }

}  // namespace

void add_node_methods(object::Class& cls) {
  cls.def("name(self)", [](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
    return in.text(self_of(a).type().name());
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
