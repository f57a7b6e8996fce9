#pragma once

#include <memory>

#include "core/checkpoint/passes.h"

namespace nns::checkpoint {

/// For items of one or two bytes: counts how often each of the 256 or 65,536 codes occurs, from which all the rest
/// follows. One pass; a second one only to find the first NaN or infinity.
std::unique_ptr<Passes> make_code_passes(tensor::DType dtype, bool with_histogram);

}  // namespace nns::checkpoint
