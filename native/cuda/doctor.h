#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nns::cuda {

enum class Finding : std::uint8_t { Fine, Missing, Broken };

/// One thing that was looked at.
struct DiagnosisLine {
  Finding finding = Finding::Fine;
  /// "driver", "GPU 0", "cuBLASLt".
  std::string what;
  /// What was found.
  std::string found;
  /// What would be needed; empty where all is fine.
  std::string remedy = {};
};

/// What this machine has for computing on GPUs.
struct Diagnosis {
  std::vector<DiagnosisLine> lines;
  /// Whether programs can compute on a GPU here.
  bool can_compute = false;
};

/// Looks at the driver, the libraries, the GPUs and how they are connected, and tests each GPU for about two seconds:
/// memory is written and read back, copied, matrices are multiplied and compared with the CPU's product, and where
/// cuDNN is found a convolution is. Never fails: what does not work is a line. Cost: two seconds a GPU, up to a GiB of
/// its memory.
Diagnosis examine();

}  // namespace nns::cuda
