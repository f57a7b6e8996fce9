#include "native/cli/training_choice.h"

#include <fmt/format.h>

#include "core/train/recipes.h"
#include "native/cli/program_world.h"
#include "native/cli/terminal.h"

namespace nns::cli {

namespace {

namespace fs = std::filesystem;

base::Error wrong_choice(std::string found, std::string expected) {
  return {.found = std::move(found), .expected = std::move(expected), .where = "", .offset = std::nullopt};
}

// A text that Debian and its relatives have: long enough to learn letters from, and the same everywhere.
fs::path text_of_machine() {
  for (const char* path : {"/usr/share/common-licenses/GPL-3", "/usr/share/common-licenses/GPL-2"}) {
    std::error_code error;
    if (fs::is_regular_file(path, error)) return path;
  }
  return {};
}

}  // namespace

std::string recipe_names() {
  std::string names;
  for (const train::Recipe& recipe : train::recipes())
    names += fmt::format("{}{}", names.empty() ? "" : ", ", recipe.name);
  return names;
}

base::Result<TrainingChoice> choose_training(const std::string& recipe_name, const std::string& data,
                                             const std::vector<std::string>& settings) {
  TrainingChoice chosen;
  // What explains itself at the first look, and needs no data.
  chosen.name = recipe_name.empty() ? "spirals" : recipe_name;
  if (const train::Recipe* recipe = train::find_recipe(chosen.name)) {
    chosen.text = train::recipe_text(*recipe);
    if (recipe->name == "gpt" && data.empty()) {
      chosen.data = text_of_machine().string();
      if (!chosen.data.empty()) print_error(fmt::format("gpt learns from {}; --data names another text", chosen.data));
    }
    if (recipe->needs_data && data.empty())
      return wrong_choice(fmt::format("the recipe {} without --data", recipe->name), std::string(recipe->data));
  } else {
    chosen.file = fs::absolute(chosen.name).lexically_normal();
    std::optional<std::string> text = read_text(chosen.file);
    if (!text) {
      return wrong_choice(fmt::format("{}: no such file", printable(chosen.name)),
                          fmt::format("a file of Python, or one of {}", recipe_names()));
    }
    chosen.text = *std::move(text);
    chosen.name = chosen.file.string();
  }
  if (!data.empty()) {
    std::error_code error;
    const fs::path place = fs::absolute(data).lexically_normal();
    if (!fs::exists(place, error))
      return wrong_choice(fmt::format("--data {}: no such file or folder", printable(data)), "one that is there");
    chosen.data = place.string();
  }
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    if (equals == 0 || equals == std::string::npos)
      return wrong_choice(fmt::format("--set {}", printable(setting)), "key=value");
    chosen.settings.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
  }
  return chosen;
}

}  // namespace nns::cli
