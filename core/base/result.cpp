#include "core/base/result.h"

#include <fmt/format.h>

namespace nns::base {

std::string Error::message() const {
  std::string text = where;
  if (offset) text += fmt::format("{}byte {}", text.empty() ? "" : ": ", *offset);
  if (!text.empty()) text += ": ";
  text += found;
  if (!expected.empty()) text += "; expected " + expected;
  return text;
}

}  // namespace nns::base
