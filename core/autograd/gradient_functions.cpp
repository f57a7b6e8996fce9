#include <algorithm>

#include "core/autograd/python_api.h"
#include "core/object/operations.h"
#include "core/ops/node.h"
#include "core/ops/term.h"

// torch.autograd.backward and torch.autograd.grad, and Tensor.backward, which calls the former.
// Behaviour: torch/autograd/__init__.py.
namespace nns::autograd {
namespace {

using Args = std::span<const Value>;

constexpr std::string_view kNoZeros = "materialize_grads cannot be used when the given input is a GradientEdge";

// The gradients of the roots as given: none of them is None alone, a tensor alone is that of the first root.
PyResult<std::vector<Ref<Tensor>>> gradients_of(Interpreter& in, const Value& value, std::size_t count,
                                                std::string_view texts) {
  std::vector<Ref<Tensor>> gradients(count);
  if (value.is_none()) return gradients;
  if (Tensor* const one = value.as<Tensor>()) {
    if (count > 0) gradients[0] = Ref<Tensor>(one);
    return gradients;
  }
  NNS_TRY_ASSIGN(const std::vector<Value> items, object::to_vector(in, value));
  if (items.size() != count) {
    return object::runtime_error(in, "got {} {} and {} gradients", count, texts, items.size());
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (items[i].is_none()) continue;
    gradients[i] = Ref<Tensor>(items[i].as<Tensor>());
    if (!gradients[i]) {
      return object::type_error(in, "gradients can be either Tensors or None, but got {}", in.type_of(items[i]).name());
    }
  }
  return gradients;
}

// Tensors and GradientEdges, one or several: where a backward begins or ends. `what`: as errors name them.
PyResult<std::vector<Endpoint>> ends_of(Interpreter& in, const Value& value, std::string_view what) {
  const auto is_edge = [](const Value& one) {
    const auto* const tuple = one.as<object::Tuple>();
    return tuple != nullptr && tuple->size() >= 2 && tuple->type().name() == "GradientEdge" &&
           (*tuple)[0].as<ops::Node>() != nullptr && (*tuple)[1].is_int();
  };
  const auto edge_of = [](const Value& one) {
    const auto& tuple = *one.as<object::Tuple>();
    return Endpoint{{Ref<ops::Node>(tuple[0].as<ops::Node>()), static_cast<std::uint32_t>(tuple[1].as_int())}};
  };
  if (is_edge(value)) return std::vector<Endpoint>{edge_of(value)};
  std::vector<Value> items = {value};
  if (value.as<Tensor>() == nullptr) {
    NNS_TRY_ASSIGN(items, object::to_vector(in, value));
  }
  std::vector<Endpoint> made;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (is_edge(items[i])) {
      made.push_back(edge_of(items[i]));
      continue;
    }
    if (items[i].as<Tensor>() == nullptr)
      return object::type_error(in, "element {} of {} tuple is not a Tensor", i, what);
    NNS_TRY_ASSIGN(Endpoint one, endpoint_of(Ref<Tensor>(items[i].as<Tensor>())));
    made.push_back(std::move(one));
  }
  return made;
}

PyResult<bool> kept(Interpreter& in, const Value& retain_graph, bool create_graph) {
  if (retain_graph.is_none()) return create_graph;
  return object::truth(in, retain_graph);
}

// Once in a program, unless it asked to be warned always.
void warn_of_cycle(Interpreter& in) {
  object::Dict& module = ops::python_module(in, "torch._C._autograd");
  const object::Name known = in.intern("_has_warned_of_cycles");
  const Value* const always = ops::python_module(in, "torch._C").find(in.intern("_warns_always"));
  if (module.find(known) != nullptr && (always == nullptr || !always->is_bool() || !always->as_bool())) return;
  module.set(known, Value(true));
  in.warn(
      object::ErrorKind::UserWarning,
      "Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient "
      "which can cause a memory leak. We recommend using autograd.grad when creating the graph to avoid this. If you "
      "have to use this function, make sure to reset the .grad fields of your parameters to None after use to break "
      "the cycle and avoid the leak.");
}

PyResult<Value> run_backward(Interpreter& in, const Value& roots, const Value& gradients, const Value& retain_graph,
                             const Value& create_graph, const Value& inputs) {
  NNS_TRY_ASSIGN(const std::vector<Endpoint> tensors, ends_of(in, roots, "tensors"));
  NNS_TRY_ASSIGN(const std::vector<Ref<Tensor>> grads, gradients_of(in, gradients, tensors.size(), "tensors"));
  BackwardOptions options;
  NNS_TRY_ASSIGN(options.create_graph, object::truth(in, create_graph));
  NNS_TRY_ASSIGN(options.retain_graph, kept(in, retain_graph, options.create_graph));
  if (options.create_graph) warn_of_cycle(in);
  if (inputs.is_none()) {
    NNS_TRY(backward_into(in, tensors, {}, grads, options));
    return Value();
  }
  NNS_TRY_ASSIGN(const std::vector<Endpoint> wanted, ends_of(in, inputs, "inputs"));
  if (wanted.empty()) return object::runtime_error(in, "`inputs` argument to `backward()` cannot be empty.");
  NNS_TRY(backward_into(in, tensors, wanted, grads, options));
  return Value();
}

// torch.autograd.grad(..., is_grads_batched=True): one run for each item of the gradients' first dimension, the results
// one upon the other.
PyResult<Value> run_batched_grad(Interpreter& in, const std::vector<Endpoint>& outputs,
                                 const std::vector<Endpoint>& inputs, const std::vector<Ref<Tensor>>& grads,
                                 BackwardOptions options, bool materialize) {
  std::int64_t count = -1;
  for (std::size_t i = 0; i < grads.size(); ++i) {
    const Ref<Tensor>& grad = grads[i];
    if (!grad) continue;
    if (const Ref<Tensor>& output = outputs[i].tensor; output) {
      const auto wanted = output->shape().span(), given = grad->shape().span();
      if (given.empty() || !std::equal(given.begin() + 1, given.end(), wanted.begin(), wanted.end())) {
        return object::runtime_error(
            in,
            "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch dimension. "
            "The sizes of the remaining dimensions are expected to match the shape of corresponding output, but a "
            "mismatch was detected: grad_output[{0}] has a shape of {1} and output[{0}] has a shape of {2}. If you "
            "only "
            "want some tensors in `grad_output` to be considered batched, consider using vmap.",
            i, tensor::size_text(grad->shape()), tensor::size_text(output->shape()));
      }
    }
    if (grad->ndim() == 0 || (count >= 0 && grad->shape()[0] != count)) {
      return object::runtime_error(in, "is_grads_batched=True needs gradients with one size of their first dimension");
    }
    count = grad->shape()[0];
  }
  if (count < 0) return object::runtime_error(in, "is_grads_batched=True needs gradients of the outputs");
  const bool retain = options.retain_graph;
  std::vector<std::vector<Value>> rows(inputs.size());
  for (std::int64_t i = 0; i < count; ++i) {
    std::vector<Ref<Tensor>> row(grads.size());
    for (std::size_t k = 0; k < grads.size(); ++k) {
      if (!grads[k]) continue;
      NNS_TRY_ASSIGN(row[k],
                     ops::call_tensor_op(in, ops::OpId::select, std::array{Value(grads[k]), Value(0), Value(i)}));
    }
    options.retain_graph = retain || i + 1 < count;
    NNS_TRY_ASSIGN(const std::vector<Ref<Tensor>> found, grad(in, outputs, inputs, row, options));
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      if (found[k]) rows[k].emplace_back(found[k]);
    }
  }
  std::vector<Value> items;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    if (rows[k].empty() && count > 0 && !materialize) {
      items.emplace_back();
    } else if (rows[k].empty()) {
      std::vector<std::int64_t> shape = {count};
      if (!inputs[k].tensor) return object::runtime_error(in, "{}", kNoZeros);
      const Tensor& input = *inputs[k].tensor;
      shape.insert(shape.end(), input.shape().begin(), input.shape().end());
      items.emplace_back(tensor::zeros(in, tensor::Dims(shape), input.dtype(), input.device()));
    } else {
      NNS_TRY_ASSIGN(Value stacked,
                     ops::call_op(in, ops::OpId::stack, {Value(in.tuple(std::move(rows[k]))), Value(0)}));
      items.push_back(std::move(stacked));
    }
  }
  return Value(in.tuple(std::move(items)));
}

PyResult<Value> run_grad(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(std::vector<Endpoint> outputs, ends_of(in, a[0], "outputs"));
  NNS_TRY_ASSIGN(const std::vector<Endpoint> inputs, ends_of(in, a[1], "inputs"));
  if (inputs.empty()) return object::value_error(in, "grad requires non-empty inputs.");
  NNS_TRY_ASSIGN(const std::vector<Ref<Tensor>> grads, gradients_of(in, a[2], outputs.size(), "tensors"));
  BackwardOptions options;
  NNS_TRY_ASSIGN(options.create_graph, object::truth(in, a[4]));
  NNS_TRY_ASSIGN(options.retain_graph, kept(in, a[3], options.create_graph));
  NNS_TRY_ASSIGN(const bool materialize, object::truth(in, a[7]));
  if (a[5].is_none()) {
    options.allow_unused = materialize;
  } else {
    NNS_TRY_ASSIGN(options.allow_unused, object::truth(in, a[5]));
    if (materialize && !options.allow_unused) {
      return object::value_error(in,
                                 "Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
                                 "allow_unused=False.");
    }
  }
  NNS_TRY_ASSIGN(const bool batched, object::truth(in, a[6]));
  if (batched) return run_batched_grad(in, outputs, inputs, grads, options, materialize);
  std::vector<Ref<Tensor>> found(inputs.size());
  // With zeros for what is not used, an output without a graph leads nowhere.
  const bool leads_nowhere = materialize && std::none_of(outputs.begin(), outputs.end(),
                                                         [](const Endpoint& one) { return one.edge.node != nullptr; });
  if (!leads_nowhere) {
    NNS_TRY_ASSIGN(found, grad(in, outputs, inputs, grads, options));
  }
  std::vector<Value> items;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i] || !materialize) {
      items.emplace_back(found[i]);
      continue;
    }
    if (!inputs[i].tensor) return object::runtime_error(in, "{}", kNoZeros);
    const Tensor& input = *inputs[i].tensor;
    const Ref<Tensor> none = tensor::zeros(in, input.shape(), input.dtype(), input.device());
    NNS_TRY(none->set_requires_grad(true));
    items.emplace_back(none);
  }
  return Value(in.tuple(std::move(items)));
}

// Whether the graph of the tensors has leaves that are none of `known`.
PyResult<Value> leads_beyond(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const std::vector<Ref<Tensor>> tensors, tensors_of(in, a[0], "tensors"));
  NNS_TRY_ASSIGN(const std::vector<Ref<Tensor>> known, tensors_of(in, a[1], "inputs"));
  const auto is_known = [&known](const Tensor* leaf) {
    return std::any_of(known.begin(), known.end(), [leaf](const Ref<Tensor>& one) { return one.get() == leaf; });
  };
  std::vector<const ops::Node*> waiting;
  const std::uint64_t mark = in.collector().new_mark();
  const auto wait = [&](ops::Node* node) {
    if (node != nullptr && node->mark_first(mark)) waiting.push_back(node);
  };
  for (const Ref<Tensor>& tensor : tensors) {
    if (!tensor->grad_fn() && tensor->requires_grad() && !is_known(tensor.get())) return Value(true);
    wait(dynamic_cast<ops::Node*>(tensor->grad_fn().get()));
  }
  while (!waiting.empty()) {
    const ops::Node* const node = waiting.back();
    waiting.pop_back();
    const auto* const leaf = dynamic_cast<const ops::AccumulateGrad*>(node);
    if (leaf != nullptr && !is_known(leaf->variable.get())) return Value(true);
    for (const ops::Edge& edge : node->next) wait(edge.node.get());
  }
  return Value(false);
}

}  // namespace

void add_gradient_functions(Interpreter& interpreter) {
  constexpr std::string_view kModule = "torch.autograd";
  tensor::TensorLibrary::of(interpreter)
      .tensor->def("backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None)",
                   [](Interpreter& in, Args a) { return run_backward(in, a[0], a[1], a[2], a[3], a[4]); });
  add_python_function(
      interpreter, kModule,
      "backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, grad_variables=None, "
      "inputs=None)",
      [](Interpreter& in, Args a) { return run_backward(in, a[0], a[1], a[2], a[3], a[5]); });
  add_python_function(interpreter, kModule,
                      "grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, "
                      "allow_unused=None, is_grads_batched=False, materialize_grads=False)",
                      run_grad);
  add_python_function(interpreter, "torch.autograd.graph", "_leads_beyond(tensors, inputs)", leads_beyond);
}

}  // namespace nns::autograd
