#define HWY_TARGET_INCLUDE "core/ops/pool_row_kernels.h"
#include "core/ops/pool_rows.h"

#include <hwy/foreach_target.h>

#include "core/ops/pool_row_kernels.h"

namespace nns::ops {
HWY_EXPORT(max_of_two_by_two_here);

void max_of_two_by_two(const PooledPlane& plane) { HWY_DYNAMIC_DISPATCH(max_of_two_by_two_here)(plane); }

}  // namespace nns::ops
