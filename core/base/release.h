#pragma once

namespace nns::base {

/// For std::unique_ptr of what a C library gives and `release` takes back: std::unique_ptr<TSTree,
/// Release<ts_tree_delete>>.
template <auto release>
struct Release {
  template <class T>
  void operator()(T* given) const {
    release(given);
  }
};

}  // namespace nns::base
