#include <cmath>

#include "core/autograd/python_api.h"
#include "core/object/operations.h"
#include "core/ops/term.h"

// torch.autograd.backward and torch.autograd.grad, and Tensor.backward, which calls the former.
// Behaviour: torch/autograd/__init__.py.
namespace nns::autograd {
namespace {

using Args = std::span<const Value>;

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

PyResult<bool> kept(Interpreter& in, const Value& retain_graph, bool create_graph) {
  if (retain_graph.is_none()) return create_graph;
  return object::truth(in, retain_graph);
}

PyResult<Value> run_backward(Interpreter& in, const Value& roots, const Value& gradients, const Value& retain_graph,
                             const Value& create_graph, const Value& inputs) {
  NNS_TRY_ASSIGN(const std::vector<Ref<Tensor>> tensors, tensors_of(in, roots, "tensors"));
  NNS_TRY_ASSIGN(const std::vector<Ref<Tensor>> grads, gradients_of(in, gradients, tensors.size(), "tensors"));
  BackwardOptions options;
  NNS_TRY_ASSIGN(options.create_graph, object::truth(in, create_graph));
  NNS_TRY_ASSIGN(options.retain_graph, kept(in, retain_graph, options.create_graph));
  if (inputs.is_none()) {
    NNS_TRY(backward(in, tensors, grads, options));
    return Value();
  }
  NNS_TRY_ASSIGN(const std::vector<Ref<Tensor>> wanted, tensors_of(in, inputs, "inputs"));
  if (wanted.empty()) return object::runtime_error(in, "`inputs` argument to `backward()` cannot be empty.");
  NNS_TRY(backward_into(in, tensors, wanted, grads, options));
  return Value();
}

PyResult<Value> run_grad(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const std::vector<Ref<Tensor>> outputs, tensors_of(in, a[0], "outputs"));
  NNS_TRY_ASSIGN(const std::vector<Ref<Tensor>> inputs, tensors_of(in, a[1], "inputs"));
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
  NNS_TRY_ASSIGN(const std::vector<Ref<Tensor>> found, grad(in, outputs, inputs, grads, options));
  std::vector<Value> items;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i] || !materialize) {
      items.emplace_back(found[i]);
    } else {
      items.emplace_back(tensor::zeros(in, inputs[i]->shape(), inputs[i]->dtype(), inputs[i]->device()));
    }
  }
  return Value(in.tuple(std::move(items)));
}

// One number of a tensor, set.
void put_one(const Tensor& tensor, std::int64_t item, double value) {
  const Ref<Tensor> flat = tensor::view_as_shape(tensor, tensor::Dims({tensor.numel()}));
  tensor::fill_items(*tensor::select(*flat, 0, item), value);
}

// d outputs / d input, in the shape of the output before that of the input.
PyResult<Ref<Tensor>> jacobian_of(Interpreter& in, const Value& function, const Ref<Tensor>& given, bool create_graph) {
  Ref<Tensor> input = given;
  if (!create_graph) {
    input = tensor::detach(*given);
    NNS_TRY(input->set_requires_grad(true));
  }
  NNS_TRY_ASSIGN(const Value made, in.call(function, {Value(input)}));
  const Ref<Tensor> output(made.as<Tensor>());
  if (!output) return object::type_error(in, "The outputs of the user-provided function must be a Tensor");
  std::vector<Value> rows;
  for (std::int64_t i = 0; i < output->numel(); ++i) {
    const Ref<Tensor> one = tensor::zeros(in, output->shape(), output->dtype(), output->device());
    put_one(*one, i, 1);
    const Ref<Tensor> roots[] = {output}, inputs[] = {input}, grads[] = {one};
    std::vector<Ref<Tensor>> found;
    if (output->requires_grad()) {
      NNS_TRY_ASSIGN(found, grad(in, roots, inputs, grads,
                                 {.retain_graph = true, .create_graph = create_graph, .allow_unused = true}));
    }
    Ref<Tensor> row = found.empty() ? nullptr : found[0];
    if (!row) row = tensor::zeros(in, input->shape(), input->dtype(), input->device());
    rows.emplace_back(std::move(row));
  }
  std::vector<std::int64_t> shape(output->shape().begin(), output->shape().end());
  shape.insert(shape.end(), input->shape().begin(), input->shape().end());
  NNS_TRY_ASSIGN(const Value stacked, ops::call_op(in, ops::OpId::stack, {Value(in.tuple(std::move(rows))), Value(0)}));
  return ops::call_tensor_op(in, ops::OpId::reshape, std::array{stacked, ops::dims_value(in, tensor::Dims(shape))});
}

PyResult<Value> run_hessian(Interpreter& in, Args a) {
  Ref<Tensor> input(a[1].as<Tensor>());
  if (!input) return object::type_error(in, "The inputs given to hessian must be a Tensor");
  input = tensor::detach(*input);
  NNS_TRY(input->set_requires_grad(true));
  const Value slope = in.function("slope(x)", [function = a[0]](Interpreter& interpreter, Args x) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Ref<Tensor> first, jacobian_of(interpreter, function, Ref<Tensor>(x[0].as<Tensor>()), true));
    return Value(std::move(first));
  });
  NNS_TRY_ASSIGN(const Ref<Tensor> second, jacobian_of(in, slope, input, true));
  return Value(tensor::detach(*second));
}

// Compares gradients with difference quotients. Behaviour: torch/autograd/gradcheck.py, of one real output.
PyResult<Value> run_gradcheck(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const std::vector<Ref<Tensor>> inputs, tensors_of(in, a[1], "inputs"));
  const double step = ops::Number::of(a[2]).as_double();
  const double absolute = ops::Number::of(a[3]).as_double(), relative = ops::Number::of(a[4]).as_double();
  NNS_TRY_ASSIGN(const bool raises, object::truth(in, a[5]));
  const std::vector<Value> arguments(inputs.begin(), inputs.end());
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const Tensor& input = *inputs[k];
    if (!input.requires_grad()) continue;
    NNS_TRY_ASSIGN(const Value made, in.call(a[0], arguments));
    const Ref<Tensor> output(made.as<Tensor>());
    if (!output) return object::type_error(in, "gradcheck expects all outputs to be tensors");
    for (std::int64_t o = 0; o < output->numel(); ++o) {
      const Ref<Tensor> one = tensor::zeros(in, output->shape(), output->dtype());
      put_one(*one, o, 1);
      const Ref<Tensor> roots[] = {output}, wanted[] = {inputs[k]}, grads[] = {one};
      NNS_TRY_ASSIGN(const std::vector<Ref<Tensor>> found,
                     grad(in, roots, wanted, grads, {.retain_graph = true, .allow_unused = true}));
      const Ref<Tensor> analytical =
          found[0] ? tensor::clone(*found[0]) : tensor::zeros(in, input.shape(), input.dtype());
      for (std::int64_t i = 0; i < input.numel(); ++i) {
        const auto at = [&](const Tensor& tensor, std::int64_t item) {
          const Ref<Tensor> flat = tensor::view_as_shape(tensor, tensor::Dims({tensor.numel()}));
          return tensor::read_double(*flat, flat->offset() + item);
        };
        const double before = at(input, i);
        const auto value_at = [&](double moved) -> PyResult<double> {
          put_one(input, i, moved);
          NNS_TRY_ASSIGN(const Value again, in.call(a[0], arguments));
          return at(*tensor::clone(*again.as<Tensor>()), o);
        };
        NNS_TRY_ASSIGN(const double above, value_at(before + step));
        NNS_TRY_ASSIGN(const double below, value_at(before - step));
        put_one(input, i, before);
        const double numerical = (above - below) / (2 * step);
        if (std::abs(numerical - at(*analytical, i)) > absolute + relative * std::abs(numerical)) {
          if (!raises) return Value(false);
          return object::runtime_error(in,
                                       "Jacobian mismatch for output 0 with respect to input {},\nnumerical:{}\n"
                                       "analytical:{}\n",
                                       k, numerical, at(*analytical, i));
        }
      }
    }
  }
  return Value(true);
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
  add_python_function(interpreter, kModule,
                      "gradcheck(func, inputs, eps=1e-06, atol=1e-05, rtol=0.001, raise_exception=True)",
                      run_gradcheck);
  add_python_function(interpreter, "torch.autograd.functional", "jacobian(func, inputs, create_graph=False)",
                      [](Interpreter& in, Args a) -> PyResult<Value> {
                        const Ref<Tensor> input(a[1].as<Tensor>());
                        if (!input) return object::type_error(in, "The inputs given to jacobian must be a Tensor");
                        NNS_TRY_ASSIGN(const bool create_graph, object::truth(in, a[2]));
                        NNS_TRY_ASSIGN(Ref<Tensor> made, jacobian_of(in, a[0], input, create_graph));
                        return Value(std::move(made));
                      });
  add_python_function(interpreter, "torch.autograd.functional", "hessian(func, inputs)", run_hessian);
}

}  // namespace nns::autograd
