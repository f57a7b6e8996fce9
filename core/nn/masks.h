#pragma once

#include "core/nn/functional.h"

namespace nns::nn {

/// A mask of bools as one of numbers to add, -inf where it is true; a mask of numbers as it is, none as none. `like`
/// has the dtype that the numbers get. With `other`, a mask of another dtype beside it brings a warning.
/// Behaviour: torch/nn/functional.py, _canonical_mask. Errors: AssertionError  neither bool nor floating.
PyResult<ops::Term> canonical_mask(Interpreter& in, const ops::Term& mask, std::string_view name,
                                   const ops::Term& other, std::string_view other_name, const Tensor& like);

}  // namespace nns::nn
