#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "native/cli/run_command.h"
#include "native/cli/terminal.h"

namespace nns::cli {

struct SummaryOptions {
  /// The file with the model, and what it may use.
  RunOptions program;
  /// Python that gives the model: "GPT(GPTConfig())".
  std::string call;
  /// What the model is called with: Python ("torch.zeros(1, 3, 32, 32)"), a shape ("1,3,32,32", "1,1024:long"), either
  /// with a keyword in front ("targets=1,1024:long").
  std::vector<std::string> inputs;
  bool json = false;
  /// Levels of modules below the model that are told.
  std::optional<std::uint32_t> depth;
  /// Computes with values where shapes alone would do.
  bool computes = false;
};

/// Makes the model of a Python file, calls it once in evaluation mode without gradients and prints shapes, parameters,
/// bytes and FLOPs of each module. On meta tensors, so that nothing is computed; where the model needs values, it is
/// done again with them, which a line on stderr says. What the program prints goes to stderr.
/// Returns 0; 1 if the program raised (its traceback is on stderr); kBadInput for what cannot be read or called.
int run_summary(const SummaryOptions& options, const Terminal& terminal);

}  // namespace nns::cli
