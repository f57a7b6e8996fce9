// Arrays of numpy, which are tensors in the graph and become arrays again behind it.
// Behaviour: torch/_dynamo/variables/tensor.py, TensorVariable.method_numpy and NumpyNdarrayVariable;
// variables/torch.py, handle_from_numpy. Differs: what is computed on an array breaks the graph; torch.as_tensor of it
// and back is followed.
#include <fmt/format.h>

#include "core/dynamo/engine.h"
#include "core/dynamo/hints.h"
#include "core/object/operations.h"

namespace nns::dynamo {

Variable* Translator::array_of(Variable* tensor, Arguments args, Keywords keywords) {
  bool is_forced = false;
  if (!args.empty() || keywords.size() > 1) return unsupported_builtin("numpy", args, !keywords.empty());
  for (const KeywordArgument& keyword : keywords) {
    const Value given = constant_value(keyword.value);
    if (keyword.name.view() != "force" || !given.is_bool()) return unsupported_builtin("numpy", args, true);
    is_forced = given.as_bool();
  }
  const PyResult<Value> numpy = machine_.import_module("numpy", 0, nullptr);
  const PyResult<Value> found = numpy.ok() ? object::getattr(in_, numpy.value(), in_.intern("ndarray")) : numpy;
  if (!found.ok()) return raise(found.error());
  Variable* view = tensor;
  if (is_forced) {
    // Without gradients and on the CPU.
    NNS_VARIABLE(detached, call_tensor_method(tensor, in_.intern("detach"), {}, {}));
    Node& copy = add_node(Node::Op::CallMethod, "cpu", "cpu");
    copy.args.push_back(argument_of(*detached->node));
    copy.variants = detached->node->variants;
    view = tensor_of(copy, detached->node->example);
  } else {
    Variable* of[] = {tensor};
    view = call_tensor_method(tensor, in_.intern("view_as"), of, {});
  }
  if (view == nullptr) return nullptr;
  view->is_ndarray = true;
  view->tensor_class = found.value().as<Class>();
  return view;
}

Variable* Translator::tensor_of_array(std::string_view name, Arguments args, Keywords keywords) {
  if ((name != "from_numpy" && name != "as_tensor") || args.size() != 1 || !keywords.empty()) return nullptr;
  NNS_VARIABLE(array, real(args[0]));
  if (!array->is_ndarray) return nullptr;
  Variable& plain = arena_->make(VariableKind::Tensor);
  plain.node = array->node;
  plain.tensor_class = &array->node->example->type();
  Variable* of[] = {&plain};
  return call_torch(engine_.operator_function("torch.as_tensor"), "torch.as_tensor", "as_tensor", of, {});
}

Variable* Translator::untraced_array(std::string_view what) {
  return unsupported("Unsupported numpy.ndarray operation", std::string(what),
                     fmt::format("Dynamo does not trace `{}` of an ndarray here.", what), {hints::kSupportable});
}

}  // namespace nns::dynamo
