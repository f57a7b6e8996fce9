#include "core/autograd/python_api.h"
#include "core/object/operations.h"
#include "core/ops/dispatch.h"
#include "core/ops/node.h"
#include "core/ops/op_recorder.h"
#include "core/tensor/capture.h"

// Tensor.grad, requires_grad, detach and their like.
// Behaviour: torch/csrc/autograd/python_variable.cpp, torch/csrc/autograd/python_variable_methods.cpp.
namespace nns::autograd {
namespace {

using Args = std::span<const Value>;

Tensor& self_of(Args a) { return *a[0].as<Tensor>(); }

constexpr std::string_view kNotALeaf =
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
    "populated "
    "during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf Tensor, use "
    ".retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure you access the "
    "leaf "
    "Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more informations.";

// self.detach(): a view without a history; writes to either are counted for both.
PyResult<Value> detached(Interpreter& in, Tensor& self) {
  Ref<Tensor> made = tensor::detach(self);
  if (self.autograd() != nullptr && self.autograd()->own_version) {
    made->autograd_meta().own_version = self.autograd()->own_version;
  }
  if (self.is_inference() || ops::OpLibrary::of(in).grad_mode.is_inference) made->mark_inference();
  return Value(std::move(made));
}

PyResult<void> change_requires_grad(Interpreter& in, Tensor& self, bool wanted) {
  if (self.grad_fn() && !wanted) {
    return object::runtime_error(in,
                                 "you can only change requires_grad flags of leaf variables. If you want to use a "
                                 "computed variable in a subgraph that doesn't require differentiation use var_no_grad "
                                 "= var.detach().");
  }
  if (self.grad_fn()) return {};
  if (self.is_inference() && wanted && !ops::OpLibrary::of(in).grad_mode.is_inference) {
    return object::runtime_error(in,
                                 "Setting requires_grad=True on inference tensor outside InferenceMode is not "
                                 "allowed.");
  }
  if (wanted && !tensor::is_differentiable(self.dtype())) {
    return object::runtime_error(in, "only Tensors of floating point dtype can require gradients");
  }
  return self.set_requires_grad(wanted);
}

// Whose gradients those of a tensor are: of a sparse one its values.
Tensor& holder_of(const Value& self) {
  Tensor& tensor = *self.as<Tensor>();
  return tensor.sparse() == nullptr ? tensor : *tensor.sparse()->values;
}

nns::tensor::Device device_of(const Tensor& tensor) {
  return tensor.sparse() == nullptr ? tensor.device() : tensor.sparse()->values->device();
}

PyResult<Value> read_grad(Interpreter& in, const Value& self) {
  const Tensor& tensor = holder_of(self);
  if (const nns::tensor::SparseParts* const parts = self.as<Tensor>()->sparse(); parts != nullptr && tensor.grad()) {
    return Value(
        nns::tensor::make_sparse(in, self.as<Tensor>()->shape(), {parts->indices, tensor.grad(), parts->is_coalesced}));
  }
  const bool retains = tensor.autograd() != nullptr && tensor.autograd()->retains_grad;
  if (tensor.grad_fn() && !retains && !tensor.grad()) in.warn(object::ErrorKind::UserWarning, std::string(kNotALeaf));
  return Value(tensor.grad());
}

PyResult<void> write_grad(Interpreter& in, const Value& self, const Value& value) {
  Tensor& tensor = *self.as<Tensor>();
  if (value.is_none() || value.is_absent()) {
    nns::tensor::Capture::assign_grad(holder_of(self), nullptr);
    return {};
  }
  Tensor* const grad = value.as<Tensor>();
  if (grad == nullptr) {
    return object::type_error(in, "assigned grad expected to be a Tensor or None but got grad of type '{}'",
                              in.type_of(value).name());
  }
  if (grad == &tensor) return object::runtime_error(in, "can't assign Variable as its own grad");
  if (grad->dtype() != tensor.dtype()) {
    return object::runtime_error(in,
                                 "assigned grad has data of a different type: the tensor has dtype '{}' but the "
                                 "gradient has dtype '{}'. You can use `grad_dtype`",
                                 tensor::torch_dtype_text(tensor.dtype()), tensor::torch_dtype_text(grad->dtype()));
  }
  if (device_of(*grad) != device_of(tensor)) {
    return object::runtime_error(in, "assigned grad has data located on a different device");
  }
  if (!(grad->shape() == tensor.shape())) {
    return object::runtime_error(in, "assigned grad has data of a different size");
  }
  nns::tensor::Capture::assign_grad(tensor, Ref<Tensor>(grad));
  return {};
}

PyResult<Value> read_data(Interpreter& in, const Value& self) {
  const Tensor& tensor = *self.as<Tensor>();
  if (ops::is_dispatched(tensor)) return ops::dispatch(in, "detach", {{"self", self}});
  Ref<Tensor> made = tensor::detach(tensor);
  // Writes to it are not counted for the tensor.
  made->autograd_meta().own_version = std::make_shared<std::uint64_t>(0);
  return Value(std::move(made));
}

void add_properties(object::Class& cls) {
  cls.property("grad", read_grad, write_grad);
  // The same without a warning of what is no leaf. Behaviour: torch/csrc/autograd/python_variable.cpp.
  cls.property(
      "_grad", [](Interpreter&, const Value& self) -> PyResult<Value> { return Value(holder_of(self).grad()); },
      write_grad);
  cls.property("grad_fn", [](Interpreter&, const Value& self) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Ref<ops::Node> node, ops::grad_node(holder_of(self)));
    return Value(std::move(node));
  });
  cls.property(
      "requires_grad",
      [](Interpreter&, const Value& self) -> PyResult<Value> { return Value(ops::needs_gradient(holder_of(self))); },
      [](Interpreter& in, const Value& self, const Value& value) -> PyResult<void> {
        if (!value.is_bool()) return object::runtime_error(in, "requires_grad must be a bool");
        return change_requires_grad(in, holder_of(self), value.as_bool());
      });
  cls.property("retains_grad", [](Interpreter&, const Value& self) -> PyResult<Value> {
    const tensor::AutogradMeta* meta = self.as<Tensor>()->autograd();
    return Value(meta != nullptr && meta->retains_grad);
  });
  cls.property("_base", [](Interpreter&, const Value& self) -> PyResult<Value> {
    const tensor::AutogradMeta* meta = self.as<Tensor>()->autograd();
    return meta == nullptr ? Value() : Value(meta->view_base);
  });
  cls.property("output_nr", [](Interpreter&, const Value& self) -> PyResult<Value> {
    return Value(static_cast<std::int64_t>(self.as<Tensor>()->output_number()));
  });
}

}  // namespace

void add_tensor_methods(Interpreter& interpreter) {
  object::Class& cls = *tensor::TensorLibrary::of(interpreter).tensor;
  add_properties(cls);
  // The setter stays: nothing of it depends on autograd.
  const Value* data = cls.lookup(interpreter.intern("data"));
  cls.property("data", read_data, data->as<object::GetSet>()->setter());
  cls.def("detach(self)", [](Interpreter& in, Args a) {
    if (ops::is_dispatched(self_of(a))) return ops::dispatch(in, "detach", {{"self", a[0]}});
    return ops::one_step(in, "detach", {{"input", a[0]}}, [&] { return detached(in, self_of(a)); });
  });
  cls.def("detach_(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    Tensor& self = self_of(a);
    if (self.autograd() != nullptr && self.autograd()->view_base) {
      return object::runtime_error(in,
                                   "Can't detach views in-place. Use detach() instead. If you are using "
                                   "DistributedDataParallel (DDP) for training, and gradient_as_bucket_view is set as "
                                   "True, gradients are views of DDP buckets, and hence detach_() cannot be called on "
                                   "these gradients. To fix this error, please refer to the Optimizer.zero_grad() "
                                   "function in torch/optim/optimizer.py as a solution.");
    }
    self.set_grad_fn(nullptr);
    NNS_TRY(self.set_requires_grad(false));
    if (self.autograd() != nullptr) self.autograd_meta().tangents.clear();
    return a[0];
  });
  cls.def("requires_grad_(self, requires_grad=True)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const bool wanted, object::truth(in, a[1]));
    NNS_TRY(change_requires_grad(in, self_of(a), wanted));
    return a[0];
  });
  cls.def("_is_view(self)", [](Interpreter&, Args a) -> PyResult<Value> {
    const tensor::AutogradMeta* const meta = a[0].as<Tensor>()->autograd();
    return Value(meta != nullptr && meta->view_base != nullptr);
  });
  cls.def("is_inference(self)",
          [](Interpreter&, Args a) -> PyResult<Value> { return Value(self_of(a).is_inference()); });
  cls.def("retain_grad(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    static_cast<void>(in);
    NNS_TRY(retain_gradient(self_of(a)));
    return Value();
  });
}

PyResult<void> retain_gradient(Tensor& tensor) {
  if (!tensor.requires_grad()) {
    return object::runtime_error(tensor.interpreter(), "can't retain_grad on Tensor that has requires_grad=False");
  }
  if (tensor.is_leaf()) return {};
  NNS_TRY_ASSIGN(const Ref<ops::Node> node, ops::grad_node(tensor));
  if (std::exchange(tensor.autograd_meta().retains_grad, true)) return {};
  // The node must not keep the tensor alive, which keeps the node.
  node->retained.push_back({tensor.output_number(), object::make<object::WeakReference>(tensor)});
  return {};
}

}  // namespace nns::autograd
