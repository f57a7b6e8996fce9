#pragma once

#include "core/checkpoint/checkpoint.h"

namespace nns::checkpoint {

/// Makes a Parameter or a Buffer of every row of kind Tensor that carries kKindInferred: a Buffer if its name is one
/// that buffers have (running_mean, inv_freq, weight_scale_inv, ...) or its dtype cannot require gradients, otherwise a
/// Parameter.
void infer_kinds(Checkpoint& document);

/// Gives every Module row without a class the class that the names and shapes below it suggest, or "Module", and sets
/// kClassInferred on it. The rules are one table in infer_class.cpp.
void infer_classes(Checkpoint& document);

}  // namespace nns::checkpoint
