#pragma once

#include <optional>
#include <string>

#include "core/train/training.h"

namespace nns::train {

/// What a run's folder says of how it was started: run.json, beside recipe.py (its text).
/// {"recipe": "...", "data": "...", "device": "...", "settings": {"key": "value"}, "environment": {...}}
struct RunDescription {
  std::string recipe;  ///< a built-in one's name, or the path of a file
  std::string data;
  std::string device;
  std::vector<std::pair<std::string, std::string>> settings;
};

/// Writes both. `environment`: more that is worth knowing (version, machine), as names and texts.
base::Result<void> describe_run(RunFiles& files, const RunDescription& run, std::string_view recipe_text,
                                const std::vector<std::pair<std::string, std::string>>& environment);
/// Errors: no such file, or no description of a run.
base::Result<RunDescription> read_run(RunFiles& files);

/// The newest checkpoint in the folder, relative to it; nothing if there is none.
std::optional<std::string> newest_checkpoint(RunFiles& files);
/// "checkpoints/step-000000123.pt" at that step: their names sort by step.
std::string checkpoint_name(std::uint64_t step);
/// The step of such a name, or nothing.
std::optional<std::uint64_t> step_of_checkpoint(std::string_view name);

}  // namespace nns::train
