#include "core/nn/functional.h"

namespace nns::nn {

std::span<const FunctionFamily> function_families() {
  static constexpr FunctionFamily kFamilies[] = {
#define NNS_FUNCTIONS(family) &family##_functions,
#include "core/nn/functional.def"
#undef NNS_FUNCTIONS
  };
  return kFamilies;
}

}  // namespace nns::nn
