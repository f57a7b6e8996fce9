#include "core/session/samples.h"

namespace nns::session {

std::vector<Sample> sample_names() {
  return {
      {.name = "small_cnn",
       .title = "Small CNN",
       .about = "Values, hooks of every kind, a tied weight, a shared module and a None slot.",
       .make = nullptr},
      {.name = "resnet18",
       .title = "ResNet-18",
       .about = "torchvision's image classifier on meta: 11.7 million parameters, no values.",
       .make = nullptr},
      {.name = "gpt2",
       .title = "GPT-2 124M",
       .about = "Hugging Face's language model on meta; lm_head and wte are one parameter.",
       .make = nullptr},
  };
}

}  // namespace nns::session
