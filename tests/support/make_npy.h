#pragma once

#include <string>
#include <string_view>

namespace nns::tests {

/// A .npy file with this header text, padded and ended as NumPy does, and this data.
std::string npy_with_header(std::string_view header, std::string_view data, unsigned major = 1);

/// The same for a dtype (quoted here) and a shape: npy("<f4", "(2, 3)", data).
std::string npy(std::string_view descr, std::string_view shape, std::string_view data, bool fortran_order = false);

}  // namespace nns::tests
