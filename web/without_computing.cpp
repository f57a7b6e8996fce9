#include "core/autograd/python_api.h"
#include "core/nn/functional.h"
#include "core/nn/library.h"
#include "core/ops/op_bodies.h"
#include "core/ops/python_function.h"

// The page shows modules and does not run them yet. What computes and what Python calls it by would be half of the
// core's bytes, so these lists are empty here, but for the functions that layers keep as attributes.
namespace nns {

ops::OpBodies ops::op_bodies(OpId) { return {}; }
void ops::add_all_bindings(Interpreter&) {}
void autograd::add_python_bindings(Interpreter&) {}
void nn::add_lazy_classes(Interpreter&, NnLibrary&) {}

std::span<const nn::FunctionFamily> nn::function_families() {
  static constexpr FunctionFamily kFamilies[] = {&activation_functions};
  return kFamilies;
}

}  // namespace nns
