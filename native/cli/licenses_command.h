#pragma once

namespace nns::cli {

/// Prints the licences of what others wrote and this program contains, whole. Returns 0; 1 where
/// they cannot be written.
int run_licenses();

}  // namespace nns::cli
