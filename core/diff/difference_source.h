#pragma once

#include "core/base/result.h"
#include "core/checkpoint/elements.h"

namespace nns::diff {

/// b - a as a contiguous float32 tensor that is computed where it is read, so that whatever pictures a tensor pictures
/// a difference. Equal infinities and NaN on both sides give 0; of complex tensors it is |b| - |a|. Errors: different
/// shapes; one of them does not lie inside its storage.
base::Result<checkpoint::ElementSource> make_difference(checkpoint::ElementSource a, checkpoint::ElementSource b);

}  // namespace nns::diff
