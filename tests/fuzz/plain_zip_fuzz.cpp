// Members of an archive, one after the other: a byte for how it is kept, two for its size, the bytes.
#include "tests/fuzz/open_fuzz.h"
#include "tests/support/make_torch_zip.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  nns::tests::ZipWriter zip;
  std::size_t at = 0;
  for (int number = 0; number < 16 && at + 3 <= size; ++number) {
    nns::tests::ZipWriter::Options options;
    options.deflated = (data[at] & 1U) != 0;
    const std::size_t length = std::min<std::size_t>(size - at - 3, data[at + 1] + 256U * data[at + 2]);
    const std::string bytes(reinterpret_cast<const char*>(data) + at + 3, length);
    const std::string name = "m" + std::to_string(number);
    // A pickle may come as a whole checkpoint, which the fuzzer could not write.
    zip.add(name, (data[at] & 2U) != 0 ? nns::tests::make_torch_zip(bytes, {{"0", std::string(64, '\1')}}) : bytes,
            options);
    at += 3 + length;
  }
  zip.finish();
  const std::string whole = zip.whole();
  nns::tests::fuzz_reader(nns::checkpoint::open_zip, reinterpret_cast<const std::uint8_t*>(whole.data()), whole.size());
  return 0;
}
