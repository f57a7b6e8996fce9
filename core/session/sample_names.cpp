#include "core/lesson/lesson.h"
#include "core/session/samples.h"
#include "core/train/recipes.h"

namespace nns::session {

using live::wire::SampleKind;

std::vector<Sample> sample_names() {
  std::vector<Sample> all = {
      {.name = "small_cnn",
       .title = "Small CNN",
       .about = "Values, hooks of every kind, a tied weight, a shared module and a None slot."},
      {.name = "resnet18",
       .title = "ResNet-18",
       .about = "torchvision's image classifier on meta: 11.7 million parameters, no values."},
      {.name = "gpt2",
       .title = "GPT-2 124M",
       .about = "Hugging Face's language model on meta; lm_head and wte are one parameter."},
  };
  for (const lesson::BuiltIn& lesson : lesson::built_in()) {
    all.push_back({.name = "lesson/" + std::string(lesson.name),
                   .title = std::string(lesson.title),
                   .about = std::string(lesson.about),
                   .kind = SampleKind::Lesson});
  }
  for (const train::Recipe& recipe : train::recipes()) {
    all.push_back({.name = std::string(recipe.name),
                   .title = std::string(recipe.title),
                   .about = std::string(recipe.about),
                   .kind = SampleKind::Training});
  }
  const auto example = [&](const char* name, const char* about) {
    all.push_back({.name = name, .title = name, .about = about, .kind = SampleKind::Example});
  };
  example("gpt2.py", "A GPT-2 that is trained on a text of its own.");
  example("resnet.py", "A residual network that learns shapes.");
  example("vit.py", "A vision transformer.");
  example("unet.py", "A U-Net that finds discs in noise.");
  example("vae.py", "A variational autoencoder.");
  example("char_lstm.py", "An LSTM that writes letter by letter.");
  example("diffusion.py", "A diffusion model of points in the plane.");
  return all;
}

}  // namespace nns::session
