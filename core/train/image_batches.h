#pragma once

#include "core/python/eval/machine.h"

namespace nns::train {

/// Adds image_batches(...) to the module _datasets: batches of images that threads prepare beside the program.
/// nnscope.data.ImageLoader is what programs use.
void add_image_batches(python::Machine& machine, object::Dict& names);

}  // namespace nns::train
