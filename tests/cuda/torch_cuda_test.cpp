// torch.cuda as a program sees it where there is a GPU.
#include "core/python/eval/run.h"
#include "core/python/packages/packages.h"
#include "tests/cuda/gpu_fixture.h"

namespace nns::tests {
namespace {

class TorchCuda : public GpuFixture {
 protected:
  // What a program prints.
  std::string printed(const std::string& program) {
    python::Machine& machine = python::Machine::of(in);
    python::add_python(machine);
    std::string out;
    machine.streams.out = [&out](std::string_view words) { out += words; };
    const auto done = python::run_program(machine, "program.py", "import torch\n" + program);
    if (!done.ok()) ADD_FAILURE() << python::traceback_text(machine, done.error());
    return out;
  }
};

TEST_F(TorchCuda, TellsOfTheGpu) {
  EXPECT_EQ(printed(R"(
print(torch.cuda.is_available(), torch.cuda.device_count(), torch.cuda.current_device(), torch.cuda.is_initialized())
properties = torch.cuda.get_device_properties(0)
print(properties.name == torch.cuda.get_device_name(), properties.total_memory > 0, properties.multi_processor_count > 0)
print(torch.cuda.get_device_capability() >= (8, 0), torch.cuda.is_bf16_supported())
print(torch.accelerator.current_accelerator().type, torch.accelerator.device_count(), torch.get_device_module().__name__)
free, total = torch.cuda.mem_get_info()
print(0 < free <= total)
with torch.cuda.device(0), torch.cuda.stream(torch.cuda.Stream()):
    torch.cuda.synchronize()
try:
    torch.cuda.set_device(1)
except torch.AcceleratorError as error:
    print(error)
)"),
            "True 1 0 True\nTrue True True\nTrue True\ncuda 1 torch.cuda\nTrue\n"
            "CUDA error: invalid device ordinal\nGPU device may be out of range, do you have enough GPUs?\n");
}

TEST_F(TorchCuda, CountsMemory) {
  EXPECT_EQ(printed(R"(
before = torch.cuda.memory_allocated()
x = torch.zeros(1000, device="cuda")
print(torch.cuda.memory_allocated() - before, torch.cuda.memory_reserved() > 0)
del x
print(torch.cuda.memory_allocated() - before, torch.cuda.max_memory_allocated() - before >= 4096)
torch.cuda.reset_peak_memory_stats()
print(torch.cuda.max_memory_allocated() == torch.cuda.memory_allocated())
kept = torch.cuda.memory_reserved()
torch.cuda.empty_cache()
print(torch.cuda.memory_reserved() < kept, "allocation.all.allocated" in torch.cuda.memory_stats())
)"),
            "4096 True\n0 True\nTrue\nTrue True\n");
}

TEST_F(TorchCuda, EventsMeasureTime) {
  EXPECT_EQ(printed(R"(
start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
start.record()
torch.ones(1000, device="cuda") * 2
end.record()
end.synchronize()
print(start.elapsed_time(end) >= 0, end.query())
try:
    start.elapsed_time(torch.cuda.Event())
except ValueError as error:
    print(error)
)"),
            "True True\nBoth events must be created with argument 'enable_timing=True'.\n");
}

}  // namespace
}  // namespace nns::tests
