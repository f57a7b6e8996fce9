#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nns::tests {

/// Behaviour: RFC 4648, section 4.
std::string base64(std::string_view bytes);

/// The member `data` of a Stable-Baselines file: `plain` holds keys and JSON values, `pickled` keys and pickles.
/// Behaviour: stable_baselines3/common/save_util.py, data_to_json.
std::string serialized_json(const std::vector<std::pair<std::string, std::string>>& plain,
                            const std::vector<std::pair<std::string, std::string>>& pickled);

}  // namespace nns::tests
