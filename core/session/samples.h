#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/checkpoint/checkpoint.h"
#include "core/live/protocol_generated.h"

namespace nns::session {

/// What can be looked at without a file: a model, told as a Checkpoint is (rows, tensors, storages in memory, and
/// descriptions of its objects), a lesson, a training that is built in, or a program that trains.
struct Sample {
  std::string name;   ///< what OpenSample (or StartTraining) asks for
  std::string title;  ///< what the button says
  std::string about;  ///< one sentence
  live::wire::SampleKind kind = live::wire::SampleKind::Model;
  std::function<base::Result<std::unique_ptr<checkpoint::Checkpoint>>()> make = nullptr;  ///< of a model
  std::string_view text = {};                                                             ///< of the others
};

/// What every Host offers, in the order in which it is shown; without `make` and `text`, which another Host has.
std::vector<Sample> sample_names();
/// The same, to be opened.
std::vector<Sample> built_in_samples();

}  // namespace nns::session
