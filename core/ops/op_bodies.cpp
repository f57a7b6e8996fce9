#include "core/ops/op_bodies.h"

namespace nns::ops {

OpBodies op_bodies(OpId id) {
  constexpr std::array<OpBodies (*)(), kOps> kBodies = {
#define NNS_OP(id, schema) bodies<OpId::id>,
#include "core/ops/ops.def"
#undef NNS_OP
  };
  return kBodies[static_cast<std::size_t>(id)]();
}

}  // namespace nns::ops
