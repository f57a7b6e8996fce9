// torch.cuda and torch._C._cuda_*: what torch/cuda/_functions.py asks the device; the switches of torch.backends.cudnn.
// Behaviour: torch/csrc/cuda/Module.cpp.
#include "core/object/operations.h"
#include "core/ops/op.h"
#include "core/ops/python_function.h"
#include "core/python/torch/parts.h"
#include "core/tensor/gpu_choice.h"
#include "core/tensor/gpu_report.h"
#include "core/tensor/tensor.h"

namespace nns::python {
namespace {

using Args = std::span<const Value>;

// Begins to use the GPU. Errors: AssertionError  there is none that tells of itself; AcceleratorError  it fails.
PyResult<tensor::GpuReport*> report_of(Interpreter& in) {
  NNS_TRY(tensor::open_gpu(in));
  if (auto* const report = dynamic_cast<tensor::GpuReport*>(tensor::TensorLibrary::of(in).cuda.get())) return report;
  return object::error<object::ErrorKind::AssertionError>(in, "Torch not compiled with CUDA enabled");
}

// A switch of torch.backends.cudnn. `told`: how an error names what sets it.
struct CudnnSwitch {
  const char* name;
  const char* told;
  bool ops::CudnnSwitches::*value;
};
constexpr CudnnSwitch kCudnnSwitches[] = {
    {"cudnn_enabled", "set_enabled_cudnn", &ops::CudnnSwitches::is_enabled},
    {"cudnn_benchmark", "set_benchmark_cudnn", &ops::CudnnSwitches::benchmarks},
    {"cudnn_deterministic", "set_deterministic_cudnn", &ops::CudnnSwitches::is_deterministic},
    // PyTorch's own words are those of the other switch of this name.
    {"cudnn_allow_tf32", "set_allow_tf32_cublas", &ops::CudnnSwitches::allows_tf32},
};

// Behaviour: torch/csrc/Module.cpp, THPModule_setUserEnabledCuDNN and its like; torch/csrc/cuda/Module.cpp,
// THCPModule_setBenchmarkLimitCuDNN.
void fill_cudnn(Interpreter& interpreter) {
  for (const CudnnSwitch& one : kCudnnSwitches) {
    add_module_function(
        interpreter, "torch._C", fmt::format("_get_{}()", one.name),
        [one](Interpreter& in, Args) -> PyResult<Value> { return Value(ops::OpLibrary::of(in).cudnn.*one.value); });
    add_module_function(interpreter, "torch._C", fmt::format("_set_{}(value)", one.name),
                        [one](Interpreter& in, Args a) -> PyResult<Value> {
                          if (!a[0].is_bool()) {
                            return object::runtime_error(in, "{} expects a bool, but got {}", one.told,
                                                         in.type_of(a[0]).name());
                          }
                          ops::OpLibrary::of(in).cudnn.*one.value = a[0].as_bool();
                          return Value();
                        });
  }
  add_module_function(
      interpreter, "torch._C", "_cuda_get_cudnn_benchmark_limit()",
      [](Interpreter& in, Args) -> PyResult<Value> { return Value(ops::OpLibrary::of(in).cudnn.benchmark_limit); });
  add_module_function(interpreter, "torch._C", "_cuda_set_cudnn_benchmark_limit(value)",
                      [](Interpreter& in, Args a) -> PyResult<Value> {
                        if (!a[0].is_int()) {
                          return object::runtime_error(in, "set_benchmark_limit_cudnn expects an int, but got {}",
                                                       in.type_of(a[0]).name());
                        }
                        ops::OpLibrary::of(in).cudnn.benchmark_limit = a[0].as_int();
                        return Value();
                      });
  add_module_function(interpreter, "torch._C", "_set_deterministic_algorithms(mode)",
                      [](Interpreter& in, Args a) -> PyResult<Value> {
                        ops::OpLibrary::of(in).cudnn.uses_deterministic_algorithms = a[0].is_bool() && a[0].as_bool();
                        return Value();
                      });
  add_module_function(interpreter, "torch._C", "_cudnn_version()",
                      [](Interpreter& in, Args) -> PyResult<Value> { return Value(tensor::cudnn_version(in)); });
}

Value number(std::uint64_t value) { return Value(static_cast<std::int64_t>(value)); }

}  // namespace

void fill_cuda(Interpreter& interpreter) {
  fill_cudnn(interpreter);
  add_module_function(interpreter, "torch.cuda", "is_available()",
                      [](Interpreter& in, Args) -> PyResult<Value> { return Value(tensor::gpu_count(in) > 0); });
  add_module_function(interpreter, "torch.cuda", "device_count()", [](Interpreter& in, Args) -> PyResult<Value> {
    return Value(std::int64_t{tensor::gpu_count(in)});
  });
  // Which GPU is this process's, and whether the interpreter has begun to use it.
  add_module_function(interpreter, "torch._C", "_cuda_current()",
                      [](Interpreter&, Args) -> PyResult<Value> { return Value(std::int64_t{tensor::gpu_number()}); });
  add_module_function(interpreter, "torch._C", "_cuda_is_open()", [](Interpreter& in, Args) -> PyResult<Value> {
    return Value(tensor::TensorLibrary::of(in).cuda != nullptr);
  });
  add_module_function(interpreter, "torch._C", "_cuda_choose(number)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::int64_t which, object::index(in, a[0]));
    const bool fits = which >= 0 && which < tensor::kDeviceIndices;
    NNS_TRY(tensor::choose_gpu(in, fits ? static_cast<int>(which) : -1));
    return Value();
  });
  add_module_function(interpreter, "torch._C", "_cuda_synchronize()", [](Interpreter& in, Args) -> PyResult<Value> {
    NNS_TRY(tensor::open_gpu(in));
    const base::Result<void> done = tensor::TensorLibrary::of(in).cuda->synchronize();
    if (!done.ok()) return tensor::cuda_error(in, done.error());
    return Value();
  });
  // (name, major, minor, total_memory, multi_processor_count, L2_cache_size)
  add_module_function(
      interpreter, "torch._C", "_cuda_properties(number)", [](Interpreter& in, Args a) -> PyResult<Value> {
        NNS_TRY_ASSIGN(const std::int64_t which, object::index(in, a[0]));
        NNS_TRY_ASSIGN(const tensor::GpuReport::Properties told, tensor::gpu_properties(in, static_cast<int>(which)));
        return Value(in.tuple({in.text(told.name), Value(std::int64_t{told.major}), Value(std::int64_t{told.minor}),
                               number(told.total_memory), Value(std::int64_t{told.multi_processor_count}),
                               number(told.l2_cache)}));
      });
  // (allocated, its peak, reserved, its peak, allocations, segments, retries, failures)
  add_module_function(interpreter, "torch._C", "_cuda_memory()", [](Interpreter& in, Args) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const tensor::GpuReport* const report, report_of(in));
    const tensor::GpuReport::Memory told = report->gpu_memory();
    return Value(in.tuple({number(told.allocated), number(told.peak_allocated), number(told.reserved),
                           number(told.peak_reserved), number(told.allocations), number(told.segments_taken),
                           number(told.retries), number(told.failures)}));
  });
  add_module_function(interpreter, "torch._C", "_cuda_reset_peaks()", [](Interpreter& in, Args) -> PyResult<Value> {
    NNS_TRY_ASSIGN(tensor::GpuReport* const report, report_of(in));
    report->reset_peaks();
    return Value();
  });
  add_module_function(interpreter, "torch._C", "_cuda_empty_cache()", [](Interpreter& in, Args) -> PyResult<Value> {
    NNS_TRY_ASSIGN(tensor::GpuReport* const report, report_of(in));
    report->empty_cache();
    return Value();
  });
  // (free, total)
  add_module_function(interpreter, "torch._C", "_cuda_free_memory()", [](Interpreter& in, Args) -> PyResult<Value> {
    NNS_TRY_ASSIGN(tensor::GpuReport* const report, report_of(in));
    const base::Result<tensor::GpuReport::Room> room = report->room();
    if (!room.ok()) return tensor::cuda_error(in, room.error());
    return Value(in.tuple({number(room->free), number(room->total)}));
  });
}

}  // namespace nns::python
