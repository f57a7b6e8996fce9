#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace nns::parallel {

/// Keys and values that several ranks share: where they find each other.
/// Behaviour: torch.distributed.Store. Threads: one a store; several stores may show the same keys.
class Store {
 public:
  virtual ~Store() = default;
  using Timeout = std::chrono::milliseconds;

  virtual base::Result<void> set(const std::string& key, const std::string& value) = 0;
  /// The value, once there is one. Errors: none came in time; who keeps the keys is gone.
  virtual base::Result<std::string> get(const std::string& key, Timeout timeout) = 0;
  /// Adds to a number (0 if there is none) and gives the sum. Errors: the value is no number.
  virtual base::Result<std::int64_t> add(const std::string& key, std::int64_t amount) = 0;
  /// Sets the value if it is `expected`; where there is none, if `expected` is empty. Gives what is there then.
  virtual base::Result<std::string> compare_set(const std::string& key, const std::string& expected,
                                                const std::string& desired) = 0;
  /// Whether all of them have values.
  virtual base::Result<bool> check(const std::vector<std::string>& keys) = 0;
  virtual base::Result<bool> remove(const std::string& key) = 0;
  virtual base::Result<std::int64_t> key_count() = 0;
  /// Returns when all have values. Errors: not in time.
  base::Result<void> wait(const std::vector<std::string>& keys, Timeout timeout);
};

/// Keys of one process.
std::shared_ptr<Store> make_hash_store();

}  // namespace nns::parallel
