#include "tests/support/make_npy.h"

#include <fmt/format.h>

namespace nns::tests {

std::string npy_with_header(std::string_view header, std::string_view data, unsigned major) {
  const std::size_t beginning = major == 1 ? 10 : 12;
  std::string text(header);
  text.append(63 - (beginning + text.size()) % 64, ' ');
  text += '\n';
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(major);
  bytes += '\0';
  for (std::size_t i = 8; i < beginning; ++i) bytes += static_cast<char>(text.size() >> 8 * (i - 8) & 0xFFU);
  return bytes.append(text).append(data);
}

std::string npy(std::string_view descr, std::string_view shape, std::string_view data, bool fortran_order) {
  return npy_with_header(fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", descr,
                                     fortran_order ? "True" : "False", shape),
                         data);
}

}  // namespace nns::tests
