#include "core/train/run_folder.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <charconv>

#include "core/train/metrics_file.h"

namespace nns::train {

namespace {

constexpr const char* kDescription = "run.json";
constexpr std::string_view kStep = "step-", kEnding = ".pt";

std::string json_object(const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::string text = "{";
  std::string_view between;
  for (const auto& [key, value] : pairs) {
    text += fmt::format("{}{}: {}", between, json_text(key), json_text(value));
    between = ", ";
  }
  return text + "}";
}

}  // namespace

base::Result<void> describe_run(RunFiles& files, const RunDescription& run, std::string_view recipe_text,
                                const std::vector<std::pair<std::string, std::string>>& environment) {
  NNS_TRY(files.replace("recipe.py", recipe_text));
  return files.replace(kDescription,
                       fmt::format("{{\n  \"recipe\": {},\n  \"data\": {},\n  \"device\": {},\n  \"settings\": {},\n  "
                                   "\"environment\": {}\n}}\n",
                                   json_text(run.recipe), json_text(run.data), json_text(run.device),
                                   json_object(run.settings), json_object(environment)));
}

base::Result<RunDescription> read_run(RunFiles& files) {
  NNS_TRY_ASSIGN(const std::string text, files.read(kDescription));
  const auto wrong = [&] {
    return base::Error{.found = "no description of a run",
                       .expected = "recipe, data, device and settings as JSON",
                       .where = files.folder() + "/" + kDescription,
                       .offset = std::nullopt};
  };
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (parser.parse(simdjson::padded_string(text)).get(object) != simdjson::SUCCESS) return wrong();
  RunDescription run;
  std::string_view recipe, data, device;
  simdjson::dom::object settings;
  if (object["recipe"].get(recipe) != simdjson::SUCCESS || object["data"].get(data) != simdjson::SUCCESS ||
      object["device"].get(device) != simdjson::SUCCESS || object["settings"].get(settings) != simdjson::SUCCESS) {
    return wrong();
  }
  run.recipe = recipe;
  run.data = data;
  run.device = device;
  for (const simdjson::dom::key_value_pair pair : settings) {
    std::string_view value;
    if (pair.value.get(value) != simdjson::SUCCESS) return wrong();
    run.settings.emplace_back(pair.key, value);
  }
  return run;
}

std::optional<std::string> newest_checkpoint(RunFiles& files) {
  std::optional<std::string> newest;
  for (const std::string& name : files.list("checkpoints")) {
    // Parts of files that were being written when the run was killed have other names.
    if (step_of_checkpoint(name)) newest = "checkpoints/" + name;
  }
  return newest;
}

std::string checkpoint_name(std::uint64_t step) { return fmt::format("checkpoints/step-{:09}.pt", step); }

std::optional<std::uint64_t> step_of_checkpoint(std::string_view name) {
  if (const std::size_t slash = name.rfind('/'); slash != std::string_view::npos) name.remove_prefix(slash + 1);
  if (!name.starts_with(kStep) || !name.ends_with(kEnding) || name.size() <= kStep.size() + kEnding.size())
    return std::nullopt;
  const std::string_view digits = name.substr(kStep.size(), name.size() - kStep.size() - kEnding.size());
  std::uint64_t step = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), step);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return step;
}

}  // namespace nns::train
