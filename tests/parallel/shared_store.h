#pragma once

#include <mutex>
#include <thread>

#include "core/parallel/store.h"

namespace nns::tests {

/// A store that threads may share.
class SharedStore final : public parallel::Store {
 public:
  base::Result<void> set(const std::string& key, const std::string& value) override {
    const std::lock_guard lock(mutex_);
    return keys_->set(key, value);
  }
  base::Result<std::string> get(const std::string& key, Timeout timeout) override {
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    while (true) {
      {
        const std::lock_guard lock(mutex_);
        base::Result<std::string> got = keys_->get(key, Timeout(0));
        if (got.ok() || std::chrono::steady_clock::now() > deadline) return got;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  base::Result<std::int64_t> add(const std::string& key, std::int64_t amount) override {
    const std::lock_guard lock(mutex_);
    return keys_->add(key, amount);
  }
  base::Result<std::string> compare_set(const std::string& key, const std::string& a, const std::string& b) override {
    const std::lock_guard lock(mutex_);
    return keys_->compare_set(key, a, b);
  }
  base::Result<bool> check(const std::vector<std::string>& keys) override {
    const std::lock_guard lock(mutex_);
    return keys_->check(keys);
  }
  base::Result<bool> remove(const std::string& key) override {
    const std::lock_guard lock(mutex_);
    return keys_->remove(key);
  }
  base::Result<std::int64_t> key_count() override {
    const std::lock_guard lock(mutex_);
    return keys_->key_count();
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<parallel::Store> keys_ = parallel::make_hash_store();
};

}  // namespace nns::tests
