// The input is a .npy file: read as it is, and as two members of an archive, stored and deflated, so that the fuzzer
// needs no checksums and offsets.
#include "tests/fuzz/open_fuzz.h"
#include "tests/support/make_torch_zip.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  nns::tests::fuzz_reader(nns::checkpoint::open_npy, data, size);
  const std::string npy(reinterpret_cast<const char*>(data), size);
  nns::tests::ZipWriter zip;
  nns::tests::ZipWriter::Options deflated;
  deflated.deflated = true;
  zip.add("a.npy", npy);
  zip.add("b.w.npy", npy, deflated);
  zip.finish();
  const std::string whole = zip.whole();
  nns::tests::fuzz_reader(nns::checkpoint::open_zip, reinterpret_cast<const std::uint8_t*>(whole.data()), whole.size());
  return 0;
}
