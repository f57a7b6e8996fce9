#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace nns::cli {

/// What is to be trained, and on what.
struct TrainingChoice {
  std::string name;  ///< of the recipe, or the file's
  std::string text;
  std::filesystem::path file;  ///< empty: built in
  std::string data;
  std::vector<std::pair<std::string, std::string>> settings;
  std::string device;  ///< of the run that is taken up again; empty: a new one
};

/// Finds the program that `recipe` names (empty: spirals), its data and settings ("key=value").
/// Errors: there is no such recipe, file or data set; a setting without a value.
base::Result<TrainingChoice> choose_training(const std::string& recipe, const std::string& data,
                                             const std::vector<std::string>& settings);
/// "cnn, gpt, ...".
std::string recipe_names();

}  // namespace nns::cli
