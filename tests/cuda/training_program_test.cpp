// The trainings that are built in compute on the GPU what they compute on the CPU.
#include <cmath>
#include <vector>

#include "core/python/eval/run.h"
#include "core/python/packages/packages.h"
#include "core/train/recipes.h"
#include "core/train/training.h"
#include "tests/cuda/gpu_fixture.h"

namespace nns::tests {
namespace {

struct Losses final : train::TrainingListener {
  void step_made(const train::StepReport& step, double) override { all.push_back(step.loss); }
  void scalar_logged(const std::string&, bool, std::uint64_t, double, double) override {}
  void line_logged(train::LogLevel, std::uint64_t, double, const std::string&) override {}
  void checkpoint_saved(const train::SavedCheckpoint&) override {}
  std::vector<double> all;
};

using Settings = std::vector<std::pair<std::string, std::string>>;

/// The losses of a recipe on "cpu" or "cuda", in an interpreter of its own.
std::vector<double> losses_of(std::string_view recipe, const char* device, const Settings& settings) {
  object::Interpreter in;
  std::shared_ptr<cuda::Gpu> gpu;
  if (std::string_view(device) == "cuda") {
    auto installed = cuda::install(in);
    EXPECT_TRUE(installed.ok()) << installed.error().message();
    if (!installed.ok()) return {};
    gpu = std::move(installed).value();
  }
  python::Machine& machine = python::Machine::of(in);
  python::add_python(machine);
  Losses losses;
  {
    train::TrainingOptions options;
    options.recipe = recipe;
    options.settings = settings;
    options.device = device;
    train::Training training(machine, options);
    train::add_training(machine, &training);
    training.add_listener(losses);
    const auto done =
        python::run_program(machine, "recipe.py", std::string(train::recipe_text(*train::find_recipe(recipe))));
    if (!done.ok()) ADD_FAILURE() << device << ": " << python::traceback_text(machine, done.error());
  }
  return losses.all;
}

class CudaTrainingProgram : public GpuFixture {
 protected:
  static void expect_same(std::string_view recipe, const Settings& settings, std::size_t steps) {
    const std::vector<double> cpu = losses_of(recipe, "cpu", settings), gpu = losses_of(recipe, "cuda", settings);
    ASSERT_EQ(cpu.size(), steps);
    ASSERT_EQ(gpu.size(), steps);
    for (std::size_t i = 0; i < steps; ++i) EXPECT_NEAR(gpu[i], cpu[i], 2e-4 * std::abs(cpu[i])) << "step " << i;
    EXPECT_NE(cpu.front(), cpu.back());
  }
};

TEST_F(CudaTrainingProgram, SpiralsAreLearnedAsOnTheCpu) {
  expect_same("spirals", {{"epochs", "2"}, {"points", "64"}, {"width", "8"}}, 4);
}

TEST_F(CudaTrainingProgram, AGptLearnsAsOnTheCpu) {
  expect_same("gpt",
              {{"steps", "4"},
               {"dim", "16"},
               {"heads", "2"},
               {"block", "8"},
               {"batch", "4"},
               {"evaluate", "4"},
               {"sample", "3"}},
              4);
}

}  // namespace
}  // namespace nns::tests
