#include "core/session/samples.h"

#include <fmt/format.h>

#include <array>

#include "core/session/program_document.h"
#include "core/session/sample_models.h"

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
  constexpr std::array<Maker, 3> kMakers = {make_small_cnn, make_resnet18, make_gpt2};
  std::vector<Sample> samples = sample_names();
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i].make = make_of(samples[i].title, kMakers.at(i));
  return samples;
}

}  // namespace nns::session
