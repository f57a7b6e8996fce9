#pragma once

#include "core/nn/module.h"

namespace nns::tests {

/// The sizes of a small GPT: no biases, the embedding is also the last layer's weight.
struct GptSizes {
  int layers = 1;
  int heads = 1;
  int width = 1;
  int block = 1;
  int vocabulary = 65;
};

/// Makes it: its input are numbers of tokens (batch, block), its output scores (batch, block, vocabulary). Matrices are
/// drawn with deviation 0.02. Errors: what its layers raise.
nn::PyResult<nn::Ref<nn::Module>> make_gpt(nn::Interpreter& interpreter, const GptSizes& sizes);

}  // namespace nns::tests
