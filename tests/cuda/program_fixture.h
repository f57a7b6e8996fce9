#pragma once

#include "core/python/eval/run.h"
#include "core/python/packages/packages.h"
#include "tests/cuda/gpu_fixture.h"

namespace nns::tests {

/// What a program prints.
inline std::string printed_by(object::Interpreter& in, const std::string& program) {
  python::Machine& machine = python::Machine::of(in);
  python::add_python(machine);
  std::string out;
  machine.streams.out = [&out](std::string_view words) { out += words; };
  const auto done = python::run_program(machine, "program.py", "import torch\n" + program);
  if (!done.ok()) ADD_FAILURE() << python::traceback_text(machine, done.error());
  return out;
}

/// Programs on the first GPU; skipped, with the reason, where there is none.
class CudaProgramFixture : public GpuFixture {
 protected:
  void SetUp() override {
    // Of the emulated device: who touches its memory from here is found out.
    ::setenv("NNSCOPE_GUARD_DEVICE_MEMORY", "1", 1);
    GpuFixture::SetUp();
  }
  std::string printed(const std::string& program) { return printed_by(in, program); }
  /// What a program prints that ends with a list of what went to the CPU, which must be nothing.
  std::string printed_on_gpu(const std::string& program) {
    return printed(R"(
import warnings
told = warnings.catch_warnings(record=True)
warned = told.__enter__()
warnings.simplefilter("always")
)" + program + R"(
print("on the CPU:", sorted({str(one.message).split()[0] for one in warned if "has no kernel" in str(one.message)}))
told.__exit__(None, None, None)
)");
  }
};

}  // namespace nns::tests
