// The JSON of a program of torch.export: whatever it is, what is read of it fits together.
#include "core/capture/exported_program.h"
#include "tests/fuzz/capture_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nns;
  capture::ExportedProgramReader reader(std::string(reinterpret_cast<const char*>(data), size), "fuzz", "fuzz.json",
                                        fuzz::kSmallLimits);
  fuzz::read_and_check(reader);
  return 0;
}
