#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nns::tests {

/// One storage of a file before 1.6: its key, the count that stands before it, its bytes.
struct LegacyStorage {
  std::string key;
  std::uint64_t count = 0;
  std::string bytes;
};

/// What torch.save wrote before 1.6 for this pickle of the object and these storages.
std::string make_torch_legacy(std::string_view pickle, const std::vector<LegacyStorage>& storages);

}  // namespace nns::tests
