// Text up to a line "----" is model.json of an archive of PyTorch 1.0 to 1.3, the rest attributes.pkl.
#include "tests/fuzz/open_fuzz.h"
#include "tests/support/make_torch_zip.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = text.find("----\n");
  const std::string zip =
      nns::tests::zip_of({{"a/code/a.py", "op_version_set = 1\n"},
                          {"a/tensors/0", std::string(64, '\1')},
                          {"a/attributes.pkl", cut == std::string::npos ? "" : text.substr(cut + 5)},
                          {"a/model.json", text.substr(0, cut)}});
  nns::tests::fuzz_reader(nns::checkpoint::open_zip, reinterpret_cast<const std::uint8_t*>(zip.data()), zip.size());
  return 0;
}
