#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/checkpoint/checkpoint.h"

namespace nns::session {

/// A model that can be looked at without a file. It is told as a Checkpoint is: rows, tensors, storages in memory, and
/// descriptions of its objects.
struct Sample {
  std::string name;   ///< what OpenSample asks for
  std::string title;  ///< what the button says
  std::string about;  ///< one sentence
  std::function<base::Result<std::unique_ptr<checkpoint::Checkpoint>>()> make;
};

/// The models that every Host offers, in the order in which they are shown; without `make`, which another Host has.
std::vector<Sample> sample_names();
/// The same, to be opened.
std::vector<Sample> built_in_samples();

}  // namespace nns::session
