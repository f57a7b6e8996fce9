#include "native/cli/version.h"

#include <curl/curl.h>
#include <fmt/format.h>

namespace nns::cli {

std::string version_text() {
  return fmt::format("nnscope {}\n{} build, {}, libcurl {}\n", NNSCOPE_VERSION, NNSCOPE_BUILD_TYPE, NNSCOPE_COMPILER,
                     curl_version_info(CURLVERSION_NOW)->version);
}

}  // namespace nns::cli
