// The input is a pickle, put into an archive with a few storages: so the fuzzer needs no checksums and offsets.
#include "tests/fuzz/open_fuzz.h"
#include "tests/support/make_torch_zip.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string pickle(reinterpret_cast<const char*>(data), size);
  const std::string zip =
      nns::tests::make_torch_zip(pickle, {{"0", std::string(64, '\1')}, {"1", std::string(24, '\2')}, {"2", ""}});
  nns::tests::fuzz_reader(nns::checkpoint::open_zip, reinterpret_cast<const std::uint8_t*>(zip.data()), zip.size());
  return 0;
}
