#pragma once

#include <optional>

#include "core/object/interpreter.h"

namespace nns::python {

class Frame;

/// Who is offered each call of a function of a program before its first instruction runs.
class FrameCompiler {
 public:
  virtual ~FrameCompiler() = default;
  /// What the call gives, when the frame has been run and left. None: the machine runs the frame, from where it stands
  /// now, which may be further on than its beginning.
  virtual std::optional<object::PyResult<object::Value>> offer(Frame& frame) = 0;
};

}  // namespace nns::python
