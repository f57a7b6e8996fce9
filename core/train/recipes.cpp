#include "core/train/recipes.h"

#include <array>

#include "core/train/recipe_texts.h"

namespace nns::train {

std::span<const Recipe> recipes() {
  static constexpr std::string_view kImages = "a folder with train-images-idx3-ubyte (or .gz) and its three siblings";
  static const std::array<Recipe, 5> all = {{
      {"spirals", "Spirals or moons in the plane", "", false, recipe_texts::kSpiralsPy},
      {"mlp", "A multi-layer perceptron on MNIST or Fashion-MNIST", kImages, true, recipe_texts::kMlpPy},
      {"cnn", "A convolutional network on MNIST or Fashion-MNIST", kImages, true, recipe_texts::kCnnPy},
      {"resnet", "A residual network on CIFAR-10", "a folder with data_batch_1.bin … and test_batch.bin", true,
       recipe_texts::kResnetPy},
      {"gpt", "A small GPT on any text, letter by letter", "a text file; without it a small text of its own", false,
       recipe_texts::kGptPy},
  }};
  return all;
}

const Recipe* find_recipe(std::string_view name) {
  for (const Recipe& recipe : recipes()) {
    if (recipe.name == name) return &recipe;
  }
  return nullptr;
}

}  // namespace nns::train
