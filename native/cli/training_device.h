#pragma once

#include <string>

#include "core/base/result.h"
#include "core/object/interpreter.h"

namespace nns::cli {

/// What a training computes on.
struct TrainingDevice {
  std::string name;         ///< "cpu" or "cuda", as nnscope.train.device() gives it
  std::string description;  ///< "cpu", "cuda: NVIDIA H100 80GB HBM3"
};

/// What `--device` asks for; "auto" is the CPU. Errors: cuda, and this program or this machine has none; the message
/// says why.
base::Result<TrainingDevice> choose_device(const std::string& asked);

/// Lets programs of this interpreter have it. Errors: as above.
base::Result<void> give_device(object::Interpreter& interpreter, const std::string& name);

}  // namespace nns::cli
