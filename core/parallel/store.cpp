#include "core/parallel/store.h"

#include <fmt/format.h>

#include <charconv>
#include <map>

namespace nns::parallel {
namespace {

class HashStore final : public Store {
 public:
  base::Result<void> set(const std::string& key, const std::string& value) override {
    values_[key] = value;
    return {};
  }
  // Nobody else sets anything while this one waits.
  base::Result<std::string> get(const std::string& key, Timeout timeout) override {
    const auto found = values_.find(key);
    if (found != values_.end()) return found->second;
    return base::Error{fmt::format("wait timeout after {}ms, keys: /{}", timeout.count(), key), {}, {}, {}};
  }
  base::Result<std::int64_t> add(const std::string& key, std::int64_t amount) override {
    std::string& value = values_[key];
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (!value.empty() && (error != std::errc() || end != value.data() + value.size())) {
      return base::Error{fmt::format("the value of {} is no number", key), {}, {}, {}};
    }
    number = static_cast<std::int64_t>(static_cast<std::uint64_t>(number) + static_cast<std::uint64_t>(amount));
    value = fmt::to_string(number);
    return number;
  }
  base::Result<std::string> compare_set(const std::string& key, const std::string& expected,
                                        const std::string& desired) override {
    const auto found = values_.find(key);
    if (found == values_.end()) {
      if (!expected.empty()) return expected;
      values_[key] = desired;
      return desired;
    }
    if (found->second == expected) found->second = desired;
    return found->second;
  }
  base::Result<bool> check(const std::vector<std::string>& keys) override {
    for (const std::string& key : keys) {
      if (values_.find(key) == values_.end()) return false;
    }
    return true;
  }
  base::Result<bool> remove(const std::string& key) override { return values_.erase(key) > 0; }
  base::Result<std::int64_t> key_count() override { return static_cast<std::int64_t>(values_.size()); }

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace

base::Result<void> Store::wait(const std::vector<std::string>& keys, Timeout timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  for (const std::string& key : keys) {
    const auto left = std::chrono::duration_cast<Timeout>(deadline - std::chrono::steady_clock::now());
    NNS_TRY(get(key, std::max(left, Timeout(0))));
  }
  return {};
}

std::shared_ptr<Store> make_hash_store() { return std::make_shared<HashStore>(); }

}  // namespace nns::parallel
