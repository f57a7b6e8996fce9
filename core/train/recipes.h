#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nns::train {

/// A training that is built in: a program of Python that nnscope's front end runs, so that a person can step through
/// it, copy it and change it.
struct Recipe {
  std::string_view name;
  std::string_view title;
  std::string_view about;  ///< one sentence: what there is to see
  std::string_view data;   ///< what --data names; empty: it needs none
  bool needs_data = false;
  /// What a folder with its data holds (with or without ".gz"); empty: its data is one file.
  std::span<const std::string_view> data_files;
};
/// All of them, without their texts.
std::span<const Recipe> recipes();
/// Null: there is none of that name.
const Recipe* find_recipe(std::string_view name);
/// The program. Must hold: it is one of recipes().
std::string_view recipe_text(const Recipe& recipe);

/// A key of `--set key=value`, and the value that it has otherwise, as the program writes them.
struct RecipeSetting {
  std::string key;
  std::string type;   ///< "int", "float", "str", "bool"
  std::string value;  ///< "0.01", "spirals"
};
/// What the call `train.settings(key=default, …)` of a program names, in its order; nothing where there is no such
/// call.
std::vector<RecipeSetting> recipe_settings(std::string_view text);

}  // namespace nns::train
