#pragma once

#include <span>
#include <string_view>

namespace nns::train {

/// A training that is built in: a program of Python that nnscope's front end runs, so that a person can step through
/// it, copy it and change it.
struct Recipe {
  std::string_view name;
  std::string_view title;
  std::string_view data;  ///< what --data names; empty: it needs none
  bool needs_data = false;
  std::string_view text;
};
std::span<const Recipe> recipes();
/// Null: there is none of that name.
const Recipe* find_recipe(std::string_view name);

}  // namespace nns::train
