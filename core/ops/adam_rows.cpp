#define HWY_TARGET_INCLUDE "core/ops/adam_kernels.h"
#include <hwy/foreach_target.h>

#include "core/ops/adam_rows.h"

#include "core/ops/adam_kernels.h"

namespace nns::ops {
HWY_EXPORT(adam);
HWY_EXPORT(adam_watched);

namespace vectors {

void adam(const AdamStep& step, std::span<const AdamRow> rows) { HWY_DYNAMIC_DISPATCH(adam)(step, rows); }
void adam_watched(const AdamStep& step, const AdamRow& row, UpdateMoments& wanted) {
  HWY_DYNAMIC_DISPATCH(adam_watched)(step, row, wanted);
}

}  // namespace vectors
}  // namespace nns::ops
