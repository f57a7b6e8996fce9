#include <fmt/format.h>

#include "core/nn/module.h"
#include "core/nn/overridden.h"
#include "core/nn/place.h"
#include "core/object/operations.h"
#include "core/ops/layouts.h"
#include "core/tensor/order.h"

namespace nns::nn {
namespace {

// Behaviour: torch._has_compatible_shallow_copy_type: both have bytes, or neither.
bool has_compatible_type(const Tensor& a, const Tensor& b) { return a.device() == b.device(); }

PyResult<Ref<Tensor>> without_gradients(const Module::Conversion& fn, Tensor& tensor) {
  const ops::GradModeGuard no_grad(tensor.interpreter(), false);
  return fn(tensor);
}

// The parameter becomes what was made of it and stays the same object.
PyResult<void> swap_with_parameter(Tensor& parameter, const Tensor& applied) {
  parameter.set_grad(nullptr);
  NNS_TRY_ASSIGN(const Ref<Tensor> fresh,
                 tensor::make_parameter(parameter.interpreter(), applied, parameter.requires_grad()));
  parameter.swap(*fresh);
  return {};
}

}  // namespace

// Behaviour: Module._apply.
PyResult<void> Module::convert(const Conversion& fn, bool recurse) {
  Interpreter& in = interpreter();
  NnLibrary& library = NnLibrary::of(in);
  const Interpreter::Depth depth(in);
  if (depth.too_deep()) return in.recursion_error();
  // 1. The children.
  if (recurse) {
    NNS_TRY_ASSIGN(const std::vector<Ref<Module>> children, children_by_class(*this));
    for (const Ref<Module>& child : children) NNS_TRY(apply_by_class(*child, fn));
  }
  // 2. The own parameters, each with its gradient.
  NNS_TRY_ASSIGN(Dict* const parameters, required_registry(Registry::Parameters));
  for (const Value& key : parameters->keys()) {
    Tensor* found = parameters->find(key)->as<Tensor>();
    if (found == nullptr) continue;
    const Ref<Tensor> parameter(found);
    NNS_TRY_ASSIGN(const Ref<Tensor> applied, without_gradients(fn, *parameter));
    const bool compatible = has_compatible_type(*parameter, *applied);
    const bool swaps = library.swap_params_on_conversion;
    const bool sets_data = compatible && !library.overwrite_params_on_conversion && !swaps;
    const Ref<Tensor> gradient = parameter->grad();
    Ref<Tensor> out = parameter;
    if (swaps) {
      const PyResult<void> swapped = swap_with_parameter(*parameter, *applied);
      if (!swapped.ok()) {
        parameter->set_grad(gradient);
        NNS_TRY_ASSIGN(const std::string shown, object::str(in, key));
        const object::PyError failed = object::make_error(
            in, object::ErrorKind::RuntimeError, fmt::format("_apply(): Couldn't swap {}.{}", type().name(), shown));
        failed.exception().set_cause(Value(Ref<object::Exception>(&swapped.error().exception())));
        return failed;
      }
    } else if (sets_data) {
      parameter->set_data(*applied);
    } else {
      NNS_TRY_ASSIGN(out, tensor::make_parameter(in, *applied, parameter->requires_grad()));
      parameters->set(key, Value(out));
    }
    if (!gradient) continue;
    NNS_TRY_ASSIGN(const Ref<Tensor> converted, without_gradients(fn, *gradient));
    if (swaps) {
      NNS_TRY(converted->set_requires_grad(gradient->requires_grad()));
      if (converted.get() != gradient.get()) gradient->swap(*converted);
      out->set_grad(gradient);
    } else if (sets_data && has_compatible_type(*gradient, *converted)) {
      gradient->set_data(*converted);
      out->set_grad(gradient);
    } else {
      NNS_TRY(converted->set_requires_grad(gradient->requires_grad()));
      out->set_grad(converted);
    }
  }
  // 3. The buffers are replaced.
  NNS_TRY_ASSIGN(Dict* const buffers, required_registry(Registry::Buffers));
  for (const Value& key : buffers->keys()) {
    Tensor* buffer = buffers->find(key)->as<Tensor>();
    if (buffer == nullptr) continue;
    NNS_TRY_ASSIGN(Ref<Tensor> applied, fn(*buffer));
    if (buffer->is_uninitialized() && applied.get() != buffer) {
      applied = tensor::detach(*applied);
      applied->set_type(buffer->type());
      applied->set_uninitialized(true);
      applied->mark_buffer(buffer->is_persistent_buffer());
    }
    buffers->set(key, Value(applied));
  }
  return {};
}

// The tensor in a format, itself where it lies so.
static PyResult<Ref<Tensor>> in_format(Tensor& self, ops::MemoryFormat format) {
  NNS_TRY(ops::check_rank(self.interpreter(), format, self.ndim()));
  const bool is_there = format == ops::MemoryFormat::Preserve || ops::suggested_format(self) == format;
  if (is_there) return Ref<Tensor>(&self);
  NNS_TRY_ASSIGN(Ref<Tensor> made,
                 tensor::try_empty_strided(self.interpreter(), self.shape(), ops::strides_of(format, self.shape()),
                                           self.dtype(), self.device()));
  NNS_TRY(tensor::copy_items(*made, self));
  return made;
}

// Behaviour: Module.to.
PyResult<void> Module::to(std::optional<tensor::DType> dtype, std::optional<tensor::Device> device,
                          std::optional<ops::MemoryFormat> format) {
  if (dtype && !tensor::is_differentiable(*dtype)) {
    return object::type_error(interpreter(),
                              "nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={}",
                              tensor::torch_dtype_text(*dtype));
  }
  if (dtype && tensor::is_complex(*dtype)) {
    interpreter().warn(object::ErrorKind::UserWarning,
                       "Complex modules are a new feature under active development whose design may change, and some "
                       "modules might not work as expected when using complex tensors as parameters or buffers. Please "
                       "file an issue at https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml if a "
                       "complex module does not work as expected.");
  }
  // A program's own _apply may keep the function.
  return apply_by_class(*this, [dtype, device, format, &in = interpreter()](Tensor& self) -> PyResult<Ref<Tensor>> {
    const tensor::DType to_dtype = dtype && tensor::is_differentiable(self.dtype()) ? *dtype : self.dtype();
    auto made = tensor::to_in_order(self, to_dtype, device.value_or(place_of(self)));
    if (made.ok() && format && (self.ndim() == 4 || self.ndim() == 5)) return in_format(*made.value(), *format);
    if (!made.ok() && made.error().is(object::ErrorKind::NotImplementedError)) {
      return object::error<object::ErrorKind::NotImplementedError>(
          in,
          "{} Please use torch.nn.Module.to_empty() instead of torch.nn.Module.to() when moving module from meta to a "
          "different device.",
          made.error().message());
    }
    return made;
  });
}

}  // namespace nns::nn
