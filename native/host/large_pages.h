#pragma once

namespace nns::host {

/// Recordings of programs lie in large pages from now on, where the system has them (Linux: madvise(2)).
void use_large_pages();

}  // namespace nns::host
