#pragma once

#include "core/object/str.h"

namespace nns::object {

/// Whether two values are the same object, number or text. Runs no code of the program.
inline bool is_same_text_or_object(const Value& a, const Value& b) {
  const auto *x = a.as<Str>(), *y = b.as<Str>();
  return x != nullptr && y != nullptr ? x->view() == y->view() : a.is(b);
}

}  // namespace nns::object
