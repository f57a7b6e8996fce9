#include <array>

#include "core/autograd/forward_mode.h"
#include "core/autograd/python_api.h"
#include "core/object/operations.h"

// Levels and dual tensors as Python calls them.
// Behaviour: torch/csrc/autograd/init.cpp; aten/src/ATen/native/AutogradComposite.cpp, _make_dual, _unpack_dual.
namespace nns::autograd {
namespace {

using Args = std::span<const Value>;

PyResult<Tensor*> tensor_argument(Interpreter& in, const Value& value) {
  if (Tensor* const one = value.as<Tensor>()) return one;
  return object::type_error(in, "argument must be Tensor, not {}", in.type_of(value).name());
}

// The same items and the same history, without the tangent of that level; of what needs no gradient no view.
PyResult<Ref<Tensor>> primal(Interpreter& in, Tensor& self, std::int64_t at) {
  TangentPusher& pusher = TangentPusher::of(in);
  Ref<Tensor> made;
  {
    const TangentPusher::Within none(pusher, 0);
    if (ops::needs_gradient(self) && ops::OpLibrary::of(in).grad_mode.is_enabled) {
      NNS_TRY_ASSIGN(made, ops::call_tensor_op(in, ops::OpId::view,
                                               std::array{Value(&self), tensor::size_value(in, self.shape())}));
    } else {
      made = tensor::detach(self);
      if (self.autograd() != nullptr && self.autograd()->own_version)
        made->autograd_meta().own_version = self.autograd()->own_version;
      if (self.is_inference()) made->mark_inference();
    }
  }
  NNS_TRY(pusher.copy_tangents(self, *made, at));
  return made;
}

PyResult<Value> make_dual(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(Tensor* const self, tensor_argument(in, a[0]));
  NNS_TRY_ASSIGN(Tensor* const tangent, tensor_argument(in, a[1]));
  const std::int64_t at = a[2].as_int();
  NNS_TRY_ASSIGN(const Ref<Tensor> already, TangentPusher::of(in).tangent(*self, at));
  if (already) {
    return object::runtime_error(in,
                                 "Making a dual Tensor based on a Tensor that already has a forward gradient at the "
                                 "same level {} is not supported.",
                                 at);
  }
  NNS_TRY_ASSIGN(Ref<Tensor> made, primal(in, *self, at));
  NNS_TRY(TangentPusher::of(in).set_tangent(*made, Ref<Tensor>(tangent), at, false));
  return Value(std::move(made));
}

PyResult<Value> unpack_dual(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(Tensor* const self, tensor_argument(in, a[0]));
  NNS_TRY_ASSIGN(Ref<Tensor> plain, primal(in, *self, a[1].as_int()));
  NNS_TRY_ASSIGN(Ref<Tensor> tangent, TangentPusher::of(in).tangent(*self, a[1].as_int()));
  return Value(in.tuple({Value(std::move(plain)), Value(std::move(tangent))}));
}

}  // namespace

void add_forward_mode(Interpreter& interpreter) {
  constexpr std::string_view kModule = "torch._C";
  add_python_function(interpreter, kModule, "_enter_dual_level()",
                      [](Interpreter& in, Args) -> PyResult<Value> { return Value(TangentPusher::of(in).enter()); });
  add_python_function(interpreter, kModule, "_exit_dual_level(level)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY(TangentPusher::of(in).exit(a[0].as_int()));
    return Value();
  });
  add_python_function(interpreter, kModule, "_is_fwd_grad_enabled()", [](Interpreter& in, Args) -> PyResult<Value> {
    return Value(TangentPusher::of(in).is_enabled());
  });
  add_python_function(interpreter, kModule, "_set_fwd_grad_enabled(enabled)",
                      [](Interpreter& in, Args a) -> PyResult<Value> {
                        NNS_TRY_ASSIGN(const bool wanted, object::truth(in, a[0]));
                        TangentPusher::of(in).set_enabled(wanted);
                        return Value();
                      });
  add_python_function(interpreter, "torch._C._autograd", "_make_dual(tensor, tangent, level)", make_dual);
  add_python_function(interpreter, "torch._C._autograd", "_unpack_dual(dual, level)", unpack_dual);
  // A leaf of its own with the tangents of another tensor: what a transform of torch.func hands to its function.
  add_python_function(interpreter, "torch._C._autograd", "_detach_history(tensor)",
                      [](Interpreter& in, Args a) -> PyResult<Value> {
                        NNS_TRY_ASSIGN(Tensor* const self, tensor_argument(in, a[0]));
                        Ref<Tensor> made = tensor::detach(*self);
                        if (self->is_inference()) made->mark_inference();
                        NNS_TRY(TangentPusher::of(in).copy_tangents(*self, *made));
                        return Value(std::move(made));
                      });
}

}  // namespace nns::autograd
