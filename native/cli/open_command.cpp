#include "native/cli/open_command.h"

#include "native/cli/serve_command.h"

namespace nns::cli {

int run_open(const OpenOptions& options) {
  ServeOptions serve;
  serve.inputs = options.inputs;
  return run_serve(serve);
}

}  // namespace nns::cli
