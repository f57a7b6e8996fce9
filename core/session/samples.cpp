#include "core/session/samples.h"

#include <fmt/format.h>

#include <utility>

#include "core/lesson/lesson.h"
#include "core/session/examples.h"
#include "core/session/program_document.h"
#include "core/session/sample_models.h"
#include "core/train/recipes.h"

namespace nns::session {
namespace {

using Maker = object::PyResult<nn::Ref<nn::Module>> (*)(object::Interpreter&);

std::function<base::Result<std::unique_ptr<checkpoint::Checkpoint>>()> make_of(std::string title, Maker maker) {
  return [title = std::move(title), maker]() -> base::Result<std::unique_ptr<checkpoint::Checkpoint>> {
    auto interpreter = std::make_unique<object::Interpreter>();
    auto root = maker(*interpreter);
    if (!root.ok()) {
      return base::Error{.found = fmt::format("{}: {}", root.error().type(), root.error().message()),
                         .expected = "a model that can be built",
                         .where = title,
                         .offset = std::nullopt};
    }
    return make_program_document(title, std::make_shared<Program>(std::move(interpreter), std::move(root).value()));
  };
}

}  // namespace

std::vector<Sample> built_in_samples() {
  constexpr std::pair<std::string_view, Maker> kModels[] = {
      {"small_cnn", make_small_cnn}, {"resnet18", make_resnet18}, {"gpt2", make_gpt2}};
  const std::pair<std::string_view, std::string_view> kExamples[] = {
      {"gpt2.py", examples::kGpt2Py},
      {"resnet.py", examples::kResnetPy},
      {"vit.py", examples::kVitPy},
      {"unet.py", examples::kUnetPy},
      {"vae.py", examples::kVaePy},
      {"char_lstm.py", examples::kCharLstmPy},
      {"diffusion.py", examples::kDiffusionPy},
  };
  std::vector<Sample> samples = sample_names();
  for (Sample& sample : samples) {
    for (const auto& [name, maker] : kModels) {
      if (name == sample.name) sample.make = make_of(sample.title, maker);
    }
    for (const auto& [name, text] : kExamples) {
      if (name == sample.name) sample.text = text;
    }
    if (const train::Recipe* recipe = train::find_recipe(sample.name)) sample.text = train::recipe_text(*recipe);
    if (sample.kind == live::wire::SampleKind::Lesson)
      sample.text = lesson::text_of_built_in(std::string_view(sample.name).substr(sample.name.find('/') + 1));
  }
  return samples;
}

}  // namespace nns::session
