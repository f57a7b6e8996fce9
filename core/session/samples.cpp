#include "core/session/samples.h"

#include <fmt/format.h>

#include "core/session/program_document.h"
#include "core/session/sample_models.h"

namespace nns::session {
namespace {

using Maker = object::PyResult<nn::Ref<nn::Module>> (*)(object::Interpreter&);

Sample sample(std::string name, std::string title, std::string about, Maker maker) {
  const auto make = [title, maker]() -> base::Result<std::unique_ptr<checkpoint::Checkpoint>> {
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
  return {std::move(name), std::move(title), std::move(about), make};
}

}  // namespace

std::vector<Sample> built_in_samples() {
  return {
      sample("small_cnn", "Small CNN", "Values, hooks of every kind, a tied weight, a shared module and a None slot.",
             make_small_cnn),
      sample("resnet18", "ResNet-18", "torchvision's image classifier on meta: 11.7 million parameters, no values.",
             make_resnet18),
      sample("gpt2", "GPT-2 124M", "Hugging Face's language model on meta; lm_head and wte are one parameter.",
             make_gpt2),
  };
}

}  // namespace nns::session
