#pragma once

#include <optional>
#include <vector>

#include "core/ops/element_loop.h"
#include "core/ops/formulas.h"

namespace nns::ops {

/// Writes down the kernels that run_elements runs on this thread for as long as it lives, so that they can be run
/// together later. Must hold: no other one lives on this thread.
class ElementTrace {
 public:
  struct Input {
    /// What is read, or null: a number.
    object::Ref<Tensor> tensor;
    Number number;
  };
  struct Launch {
    object::Ref<Tensor> out;
    std::vector<Input> inputs;
    Compute in, written;
    ElementKernel kernel;
    std::optional<Settings> settings;
  };

  ElementTrace();
  ~ElementTrace();
  ElementTrace(const ElementTrace&) = delete;
  ElementTrace& operator=(const ElementTrace&) = delete;

  const std::vector<Launch>& launches() const { return launches_; }

  /// For run_elements.
  static void note(const ElementCall& call) {
    if (current_ != nullptr) [[unlikely]]
      current_->add(call);
  }

 private:
  void add(const ElementCall& call);
  static inline thread_local constinit ElementTrace* current_ = nullptr;
  std::vector<Launch> launches_;
};

}  // namespace nns::ops
