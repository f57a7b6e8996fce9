#pragma once

#include "core/dynamo/translator.h"

/// Pushes what `expression` gives and goes on with the next instruction; or fails with it.
#define NNS_STEP(expression)                        \
  do {                                              \
    Variable* const step_value = (expression);      \
    if (step_value == nullptr) return Step::Failed; \
    push(frame, step_value);                        \
    return Step::Next;                              \
  } while (false)
