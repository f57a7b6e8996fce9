#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "core/object/object.h"

namespace nns::object {

/// `self` in front of other arguments, in place when they are few.
class WithSelf {
 public:
  WithSelf(const Value& self, std::span<const Value> rest) {
    if (rest.size() < kInPlace) {
      few_[0] = self;
      std::copy(rest.begin(), rest.end(), few_ + 1);
      all_ = {few_, rest.size() + 1};
    } else {
      many_.reserve(rest.size() + 1);
      many_.push_back(self);
      many_.insert(many_.end(), rest.begin(), rest.end());
      all_ = many_;
    }
  }
  WithSelf(const WithSelf&) = delete;
  WithSelf& operator=(const WithSelf&) = delete;
  std::span<const Value> all() const { return all_; }

 private:
  static constexpr std::size_t kInPlace = 5;
  Value few_[kInPlace];
  std::vector<Value> many_;
  std::span<const Value> all_;
};

}  // namespace nns::object
