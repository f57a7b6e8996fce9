// Text up to a line "----" is the code, up to the next one data.pkl, the rest constants.pkl.
#include "tests/fuzz/open_fuzz.h"
#include "tests/support/make_torch_script.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string rest(reinterpret_cast<const char*>(data), size);
  const auto take = [&] {
    const std::size_t cut = rest.find("----\n");
    std::string part = rest.substr(0, cut);
    rest = cut == std::string::npos ? std::string() : rest.substr(cut + 5);
    return part;
  };
  nns::tests::ScriptParts parts;
  parts.code["__torch__"] = take();
  parts.data = take();
  if (!rest.empty()) parts.constants = rest;
  parts.files = {{"data/0", std::string(64, '\1')}, {"constants/0", std::string(64, '\2')}};
  const std::string zip = nns::tests::make_torch_script(parts);
  nns::tests::fuzz_reader(nns::checkpoint::open_zip, reinterpret_cast<const std::uint8_t*>(zip.data()), zip.size());
  return 0;
}
