#include "native/cli/version.h"

#include <curl/curl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <thread>

namespace nns::cli {

std::string version_text() {
  return fmt::format("nnscope {}\n{} build, {}, libcurl {}\n", NNSCOPE_VERSION, NNSCOPE_BUILD_TYPE, NNSCOPE_COMPILER,
                     curl_version_info(CURLVERSION_NOW)->version);
}

std::vector<std::pair<std::string, std::string>> run_environment() {
  std::string version = version_text();
  version.resize(version.find_last_not_of('\n') + 1);
  return {{"nnscope", version},
          {"threads", fmt::format("{}", std::thread::hardware_concurrency())},
          {"started", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))}};
}

}  // namespace nns::cli
