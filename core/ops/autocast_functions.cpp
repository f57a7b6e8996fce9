#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "core/object/operations.h"
#include "core/ops/autocast.h"
#include "core/ops/moments.h"
#include "core/ops/op.h"
#include "core/ops/python_function.h"

// What torch.amp is made of. Behaviour: torch/csrc/autograd/init.cpp, is_autocast_enabled and its siblings;
// aten/src/ATen/native/cuda/AmpKernels.cu.
namespace nns::ops {
namespace {

using Args = std::span<const Value>;

Autocast& autocast_of(Interpreter& in) { return OpLibrary::of(in).autocast; }

// Errors: TypeError  no text; RuntimeError  no kind of device, or one without an autocast.
PyResult<Autocast::Mode*> mode_of(Interpreter& in, const Value& device_type) {
  const auto* const text = device_type.as<object::Str>();
  if (text == nullptr) {
    return object::type_error(in, "argument 'device_type' (position 1) must be str, not {}",
                              in.type_of(device_type).name());
  }
  if (Autocast::Mode* const found = autocast_of(in).mode(text->view())) return found;
  NNS_TRY(tensor::named_device(in, device_type));
  return object::runtime_error(in, "unknown device type for autocast in get_autocast_dispatch_key_from_device_type");
}

// Of (enabled) and (device_type, enabled): the old form is that of cuda.
PyResult<Value> set_enabled(Interpreter& in, Args a) {
  const bool is_old = a[1].is_absent() || a[1].is_none();
  const Value device_type = is_old ? Value(in.str("cuda")) : a[0];
  NNS_TRY_ASSIGN(Autocast::Mode* const mode, mode_of(in, device_type));
  NNS_TRY_ASSIGN(const bool is_enabled, object::truth(in, is_old ? a[0] : a[1]));
  autocast_of(in).enable(*mode, is_enabled);
  return Value();
}

PyResult<Value> check_and_unscale(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const std::vector<Value> gradients, object::to_vector(in, a[0]));
  for (const Value& value : gradients) {
    const Tensor* const gradient = value.as<Tensor>();
    if (gradient == nullptr) return object::type_error(in, "gradients must be tensors");
    NNS_TRY_ASSIGN(const bool is_finite, is_all_finite(*gradient));
    if (!is_finite) NNS_TRY(call_in_place(in, OpId::fill, std::array{a[1], Value(1.0)}));
    NNS_TRY(call_in_place(in, OpId::mul, std::array{value, a[2]}));
  }
  return Value();
}

// Behaviour: amp_update_scale_cuda_kernel.
PyResult<Value> update_scale(Interpreter& in, Args a) {
  const auto read = [](const Value& value) {
    const Tensor& held = *value.as<Tensor>();
    return tensor::read_double(held, held.offset());
  };
  for (std::size_t i = 0; i < 3; ++i) {
    if (a[i].as<Tensor>() == nullptr) return object::type_error(in, "scale, tracker and found_inf must be tensors");
  }
  const auto scale = static_cast<float>(read(a[0]));
  const double growth = Number::of(a[3]).as_double(), backoff = Number::of(a[4]).as_double();
  const auto set = [&](const Value& target, Value value) {
    return call_in_place(in, OpId::fill, std::array{target, std::move(value)});
  };
  const bool is_bad = read(a[2]) != 0;
  std::int64_t successful = is_bad ? 0 : static_cast<std::int64_t>(read(a[1])) + 1;
  double next = scale;
  if (is_bad) {
    next = scale * backoff;
  } else if (successful == a[5].as_int()) {
    successful = 0;
    if (std::isfinite(static_cast<float>(scale * growth))) next = scale * growth;
  }
  NNS_TRY(set(a[0], Value(next)));
  NNS_TRY(set(a[1], Value(successful)));
  return a[0];
}

}  // namespace

void add_autocast_functions(Interpreter& interpreter) {
  const auto add = [&](std::string_view module, std::string_view signature, object::NativeBody body) {
    const Ref<object::NativeFunction> function = interpreter.function(signature, std::move(body));
    python_module(interpreter, module).set(interpreter.intern(function->name()), Value(function));
  };
  add("torch", "is_autocast_enabled(device_type='cuda')", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Autocast::Mode* const mode, mode_of(in, a[0]));
    return Value(bool{mode->is_enabled});
  });
  add("torch", "set_autocast_enabled(device_type, enabled=None)", set_enabled);
  add("torch", "get_autocast_dtype(device_type)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Autocast::Mode* const mode, mode_of(in, a[0]));
    return tensor::TensorLibrary::of(in).dtype_value(mode->dtype);
  });
  add("torch", "set_autocast_dtype(device_type, dtype)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Autocast::Mode* const mode, mode_of(in, a[0]));
    NNS_TRY_ASSIGN(mode->dtype, tensor::dtype_of(in, a[1]));
    return Value();
  });
  // The forms of one kind of device each, from before there were others.
  const auto add_of = [&](std::string_view device_type, std::string_view infix) {
    const auto mode = [device_type](Interpreter& in) -> Autocast::Mode& { return *autocast_of(in).mode(device_type); };
    add("torch", fmt::format("get_autocast_{}_dtype()", infix), [mode](Interpreter& in, Args) -> PyResult<Value> {
      return tensor::TensorLibrary::of(in).dtype_value(mode(in).dtype);
    });
    add("torch", fmt::format("set_autocast_{}_dtype(dtype)", infix),
        [mode](Interpreter& in, Args a) -> PyResult<Value> {
          NNS_TRY_ASSIGN(mode(in).dtype, tensor::dtype_of(in, a[0]));
          return Value();
        });
  };
  add_of("cpu", "cpu");
  add_of("cuda", "gpu");
  add("torch", "is_autocast_cpu_enabled()",
      [](Interpreter& in, Args) -> PyResult<Value> { return Value(bool{autocast_of(in).mode("cpu")->is_enabled}); });
  add("torch", "set_autocast_cpu_enabled(enabled)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const bool is_enabled, object::truth(in, a[0]));
    autocast_of(in).enable(*autocast_of(in).mode("cpu"), is_enabled);
    return Value();
  });
  add("torch", "is_autocast_cache_enabled()",
      [](Interpreter& in, Args) -> PyResult<Value> { return Value(bool{autocast_of(in).caches}); });
  add("torch", "set_autocast_cache_enabled(enabled)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(autocast_of(in).caches, object::truth(in, a[0]));
    return Value();
  });
  add("torch", "autocast_increment_nesting()",
      [](Interpreter& in, Args) -> PyResult<Value> { return Value(std::int64_t{++autocast_of(in).nesting}); });
  add("torch", "autocast_decrement_nesting()",
      [](Interpreter& in, Args) -> PyResult<Value> { return Value(std::int64_t{--autocast_of(in).nesting}); });
  add("torch", "clear_autocast_cache()", [](Interpreter& in, Args) -> PyResult<Value> {
    autocast_of(in).clear_cache();
    return Value();
  });
  add("torch._C", "_is_autocast_available(device_type)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const auto* const text = a[0].as<object::Str>();
    if (text != nullptr && autocast_of(in).mode(text->view()) != nullptr) return Value(true);
    NNS_TRY(tensor::named_device(in, a[0]));
    return Value(false);
  });
  add("torch._C", "_amp_foreach_non_finite_check_and_unscale_(gradients, found_inf, inv_scale)", check_and_unscale);
  add("torch._C",
      "_amp_update_scale_(scale, growth_tracker, found_inf, scale_growth_factor, scale_backoff_factor, "
      "growth_interval)",
      update_scale);
}

}  // namespace nns::ops
