// Text up to a line "----" is the graph, the rest the list of weights; after a second such line comes the pickle of a
// state dict, of a package as PyTorch 2.1 to 2.7 wrote it.
#include "tests/fuzz/open_fuzz.h"
#include "tests/support/make_torch_zip.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::string_view kCut = "----\n";
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = text.find(kCut);
  const std::size_t second = cut == std::string::npos ? cut : text.find(kCut, cut + kCut.size());
  nns::tests::ZipWriter zip;
  if (second != std::string::npos) {
    zip.add("serialized_exported_program.json", text.substr(0, cut));
    zip.add("serialized_state_dict.pt",
            nns::tests::make_torch_zip(text.substr(second + kCut.size()), {{"0", std::string(64, '\1')}}));
  } else {
    zip.add("a/data/weights/w", std::string(64, '\1'));
    zip.add("a/data/weights/model_weights_config.json",
            cut == std::string::npos ? "{}" : text.substr(cut + kCut.size()));
    zip.add("a/models/model.json", text.substr(0, cut));
    zip.add("a/archive_format", "pt2");
  }
  zip.finish();
  const std::string whole = zip.whole();
  nns::tests::fuzz_reader(nns::checkpoint::open_zip, reinterpret_cast<const std::uint8_t*>(whole.data()), whole.size());
  return 0;
}
