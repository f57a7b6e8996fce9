#include "core/train/recipes.h"

#include <array>

namespace nns::train {

std::span<const Recipe> recipes() {
  static constexpr std::string_view kImages = "a folder with train-images-idx3-ubyte (or .gz) and its three siblings";
  static constexpr std::array<std::string_view, 4> kIdxFiles = {"train-images-idx3-ubyte", "train-labels-idx1-ubyte",
                                                                "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"};
  static constexpr std::array<std::string_view, 6> kCifarFiles = {"data_batch_1.bin", "data_batch_2.bin",
                                                                  "data_batch_3.bin", "data_batch_4.bin",
                                                                  "data_batch_5.bin", "test_batch.bin"};
  static constexpr std::array<Recipe, 5> kAll = {{
      {"spirals",
       "Spirals or moons in the plane",
       "A small network that bends a plane until its classes come apart.",
       "a table of numbers and a class in each line (.csv); without it points are drawn",
       false,
       {}},
      {"mlp", "A multi-layer perceptron on MNIST or Fashion-MNIST", "Images as rows of 784 numbers; a minute.", kImages,
       true, kIdxFiles},
      {"cnn", "A convolutional network on MNIST or Fashion-MNIST", "Filters that become edges, in five minutes.",
       kImages, true, kIdxFiles},
      {"resnet", "A residual network on CIFAR-10", "Colour images, batch normalisation, a scheduler.",
       "a folder with data_batch_1.bin … and test_batch.bin", true, kCifarFiles},
      {"gpt",
       "A small GPT on any text, letter by letter",
       "It writes a sample of what it has learned as it learns.",
       "a text file; without it one that the machine has, or a small one of its own",
       false,
       {}},
  }};
  return kAll;
}

const Recipe* find_recipe(std::string_view name) {
  for (const Recipe& recipe : recipes()) {
    if (recipe.name == name) return &recipe;
  }
  return nullptr;
}

}  // namespace nns::train
