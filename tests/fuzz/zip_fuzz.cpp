// The archive itself: the directory, each member unpacked, then the whole as a checkpoint.
#include "core/checkpoint/zip_archive.h"
#include "tests/fuzz/open_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto archive = nns::checkpoint::ZipArchive::open(nns::tests::fuzz_source(data, size));
  if (archive.ok()) {
    for (std::uint32_t member = 0; member < (*archive)->members().size(); ++member) {
      if ((*archive)->find((*archive)->members()[member].name) != member)
        nns::tests::fail_fuzz("a member that is not found");
      const auto bytes = (*archive)->read(member, 1U << 20U);
      if (bytes.ok() && bytes->bytes.size() != (*archive)->members()[member].size)
        nns::tests::fail_fuzz("another size");
    }
  }
  nns::tests::fuzz_reader(nns::checkpoint::open_zip, data, size);
  return 0;
}
