#pragma once

#include <string>
#include <vector>

namespace nns::cli {

struct BindingsOptions {
  /// Only these and what is below them; empty: all.
  std::vector<std::string> modules;
  bool json = false;
};

/// Prints the table of what a program finds: each module that can be imported with its public names and what each is
/// (class, function, module, value), read from the modules themselves. JSON: {"torch.nn": {"Linear": "class", ...}}.
/// Returns 0; 1 if a module does not load (its error is on stderr); kBadInput if none has a name that was given.
int run_bindings(const BindingsOptions& options);

}  // namespace nns::cli
