#include "native/cli/licenses_command.h"

#include <cstdio>

#include "native/cli/exit_status.h"
#include "native/cli/licenses.h"

namespace nns::cli {

int run_licenses() {
  const bool written = std::fwrite(kLicensesTxt.data(), 1, kLicensesTxt.size(), stdout) == kLicensesTxt.size();
  return written && std::fflush(stdout) == 0 ? kFine : kFound;
}

}  // namespace nns::cli
