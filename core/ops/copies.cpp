#include "core/ops/element_kernels.h"
#include "core/ops/errors.h"
#include "core/ops/layouts.h"
#include "core/ops/node.h"
#include "core/ops/term.h"

// Behaviour: aten/src/ATen/native/{Copy,Fill,TensorConversions}.cpp.
namespace nns::ops {
namespace {

PyResult<void> run_copy_of(OpCall& call, std::size_t source) {
  if (call.tensor(source) == &call.output()) return {};
  // While a program is traced, a meta tensor stands for one that has items when the graph runs.
  if (call.required(source).is_meta() && !call.output().is_meta() &&
      OpLibrary::of(call.interpreter).autocast.meta_device_type.empty()) {
    return object::error<object::ErrorKind::NotImplementedError>(call.interpreter,
                                                                 "Cannot copy out of meta tensor; no data!");
  }
  return tensor::copy_items(call.output(), call.required(source));
}

PyResult<void> dtype_shape(OpCall& call) {
  const Tensor& self = call.required(0);
  call.common = call.dtype(1, self.dtype());
  if (!call.target) return give_in_format(call, self, MemoryFormat::Preserve, call.common, call.device());
  return call.give(self.shape(), call.common);
}

// What is written keeps the shape and dtype of what is there.
PyResult<void> kept_shape(OpCall& call) {
  call.common = call.required(0).dtype();
  if (const Tensor* source = call.tensor(1)) {
    NNS_TRY_ASSIGN(const Dims shape, broadcast_shapes(call.interpreter, call.required(0).shape(), source->shape()));
    return call.give(shape, call.common);
  }
  return call.give(call.required(0).shape(), call.common);
}

}  // namespace

template <>
OpBodies bodies<OpId::clone>() {
  return {.shape = [](OpCall& call) -> PyResult<void> {
            const Tensor& self = call.required(0);
            call.common = self.dtype();
            return give_in_format(call, self, format_of(call.args[1]), self.dtype(), call.device());
          },
          .cpu = [](OpCall& call) { return run_copy_of(call, 0); },
          .gradients = {Gradient{0, 0, [](Backward& b) { return b.grad(); }}}};
}
template <>
OpBodies bodies<OpId::contiguous>() {
  return {.composite = [](OpCall& call) -> PyResult<Value> {
    if (call.required(0).is_contiguous()) return call.args[0];
    const Value format = format_value(call.interpreter, MemoryFormat::Contiguous);
    return call_op(call.interpreter, OpId::clone, {call.args[0], format});
  }};
}
template <>
OpBodies bodies<OpId::to_dtype>() {
  return {.shape = dtype_shape,
          .cpu = [](OpCall& call) { return run_copy_of(call, 0); },
          .gradients = {Gradient{0, 0, [](Backward& b) { return b.grad(); }}},
          .node_name = "ToCopyBackward0"};
}
template <>
OpBodies bodies<OpId::to_device>() {
  return {.shape = [](OpCall& call) -> PyResult<void> {
            const Tensor& self = call.required(0);
            NNS_TRY_ASSIGN(const Device device, tensor::device_of(call.interpreter, call.args[2]));
            call.common = call.dtype(1, self.dtype());
            return give_in_format(call, self, MemoryFormat::Preserve, call.common, device);
          },
          .cpu = [](OpCall& call) { return run_copy_of(call, 0); },
          .gradients = {Gradient{0, 0,
                                 [](Backward& b) {
                                   const auto& library = tensor::TensorLibrary::of(b.interpreter());
                                   return apply(OpId::to_device, {b.grad(), library.dtype_value(b.input(0).dtype),
                                                                  library.device_value(b.input(0).device)});
                                 }}},
          .node_name = "ToCopyBackward0",
          .crosses_devices = true};
}
template <>
OpBodies bodies<OpId::copy>() {
  return {.shape = kept_shape,
          .cpu = [](OpCall& call) { return run_copy_of(call, 1); },
          .gradients = {Gradient{0, 0, [](Backward& b) { return zeros_like(b.grad(), b.input(0).shape); }},
                        Gradient{1, 0, [](Backward& b) { return b.grad(); }}},
          .is_elementwise = true,
          .node_name = "CopyBackwards",
          .crosses_devices = true};
}
template <>
OpBodies bodies<OpId::fill>() {
  return {.shape = [](OpCall& call) -> PyResult<void> {
            if (const Tensor* value = call.tensor(1); value != nullptr && value->ndim() != 0) {
              return object::runtime_error(
                  call.interpreter, "fill_ only supports 0-dimension value tensor but got tensor with {} dimensions.",
                  value->ndim());
            }
            return kept_shape(call);
          },
          .cpu = [](OpCall& call) -> PyResult<void> {
            if (call.tensor(1) != nullptr) return run_copy_of(call, 1);
            // What a double does not hold goes as an int.
            constexpr std::int64_t kExactInDouble = std::int64_t{1} << 53;
            const Value& given = call.args[1];
            const bool is_wide =
                given.is_int() && (given.as_int() > kExactInDouble || given.as_int() < -kExactInDouble);
            const bool is_complex = Number::of(given).is_complex();
            if (is_complex && !tensor::is_complex(call.output().dtype())) {
              return no_conversion(call.interpreter, call.output().dtype());
            }
            if (is_complex || (is_wide && tensor::is_integral(call.output().dtype()))) {
              NNS_TRY_ASSIGN(const Ref<Tensor> number, tensor::from_nested(call.interpreter, given, std::nullopt));
              return tensor::copy_items(call.output(), *number);
            }
            tensor::fill_items(call.output(), call.real(1));
            return {};
          },
          .gradients = {Gradient{0, 0, [](Backward& b) { return zeros_like(b.grad(), b.input(0).shape); }},
                        Gradient{1, 0, [](Backward& b) { return apply(OpId::sum, {b.grad()}); }}},
          .is_elementwise = true,
          .crosses_devices = true};
}

}  // namespace nns::ops
