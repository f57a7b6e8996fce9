#include <exception>
#include <new>

#include "native/cli/command_line.h"
#include "native/cli/exit_status.h"
#include "native/cli/terminal.h"
#include "native/host/large_pages.h"

int main(int argc, char** argv) {
  nns::host::use_large_pages();
  try {
    return nns::cli::run(argc, argv);
  } catch (const std::bad_alloc&) {
    nns::cli::print_error("out of memory");
  } catch (const std::exception& error) {
    nns::cli::print_error(error.what());
  }
  return nns::cli::kFound;
}
