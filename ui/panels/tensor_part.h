#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/base/tensor_slice.h"
#include "ui/model/slice_view.h"
#include "ui/panels/intent.h"
#include "ui/widgets/flow.h"

namespace nns::panels {

struct TensorPartState {
  std::string text;   ///< as typed
  std::string shown;  ///< the part that `text` was last made of
  std::string wrong;  ///< what is wrong with `text`; empty: nothing
};

/// Which part of a tensor is looked at: a field in PyTorch's indexing syntax, and for each axis whether it is rows,
/// columns or one index.
std::optional<Intent> draw_tensor_part(widgets::Flow& flow, std::span<const std::int64_t> shape,
                                       const base::TensorSlice& slice, const model::SliceView& view,
                                       TensorPartState& state);

}  // namespace nns::panels
