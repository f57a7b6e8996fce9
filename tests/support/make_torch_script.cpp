#include "tests/support/make_torch_script.h"

#include <algorithm>

#include "tests/support/make_torch_zip.h"

namespace nns::tests {

std::string make_torch_script(const ScriptParts& parts) {
  ZipWriter zip;
  ZipWriter::Options deflated;
  deflated.deflated = true;
  for (const auto& [name, bytes] : parts.files) zip.add("net/" + name, bytes);
  zip.add("net/data.pkl", parts.data, deflated);
  for (const auto& [module, text] : parts.code) {
    std::string name = module;
    std::replace(name.begin(), name.end(), '.', '/');
    zip.add("net/code/" + name + ".py", text, deflated);
  }
  zip.add("net/constants.pkl", parts.constants);
  zip.add("net/version", "3\n");
  zip.finish();
  return zip.whole();
}

}  // namespace nns::tests
