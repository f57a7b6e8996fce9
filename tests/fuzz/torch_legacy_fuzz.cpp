#include "tests/fuzz/open_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  nns::tests::fuzz_reader(nns::checkpoint::open_torch_legacy, data, size);
  return 0;
}
