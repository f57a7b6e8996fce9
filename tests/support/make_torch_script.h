#pragma once

#include <map>
#include <string>
#include <string_view>

namespace nns::tests {

/// A TorchScript archive under the folder "net".
struct ScriptParts {
  std::string data;                          ///< data.pkl
  std::string constants = "\x80\x02).";      ///< constants.pkl
  std::map<std::string, std::string> code;   ///< by module: "__torch__.a"
  std::map<std::string, std::string> files;  ///< others: "data/0", "constants/0", "extra/x"
};
std::string make_torch_script(const ScriptParts& parts);

}  // namespace nns::tests
