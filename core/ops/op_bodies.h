#pragma once

#include "core/ops/op.h"

namespace nns::ops {

/// What an op is made of. In a file of its own, because it draws in all that computes: a program that shows modules and
/// runs none of them defines this function itself, gives none, and stays small. Then calls of ops raise.
OpBodies op_bodies(OpId id);

}  // namespace nns::ops
