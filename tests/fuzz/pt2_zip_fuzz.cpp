// Text up to a line "----" is the graph, the rest the list of weights.
#include "tests/fuzz/open_fuzz.h"
#include "tests/support/make_torch_zip.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = text.find("----\n");
  nns::tests::ZipWriter zip;
  zip.add("a/data/weights/w", std::string(64, '\1'));
  zip.add("a/data/weights/model_weights_config.json", cut == std::string::npos ? "{}" : text.substr(cut + 5));
  zip.add("a/models/model.json", text.substr(0, cut));
  zip.add("a/archive_format", "pt2");
  zip.finish();
  const std::string whole = zip.whole();
  nns::tests::fuzz_reader(nns::checkpoint::open_zip, reinterpret_cast<const std::uint8_t*>(whole.data()), whole.size());
  return 0;
}
