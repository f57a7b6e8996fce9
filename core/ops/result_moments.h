#pragma once

#include <mutex>

#include "core/ops/gemm.h"
#include "core/ops/moments.h"

namespace nns::ops {

/// The moments of what ops give, found part by part while it is written and lies in the first cache. Who watches a
/// module asks before it runs (OpLibrary::result_moments), not knowing which op will give its result: of all that ops
/// give, only the last is kept. Ops without this leave nothing behind; their results have to be read again.
/// Threads: add(), any; all else that of the interpreter.
class ResultMoments {
 public:
  /// An op is about to compute.
  void op_begins(bool is_elementwise) {
    takes_elements_ = is_elementwise;
    if (is_elementwise) forget();
  }
  /// What is to be told of a result whose items are written now, all of them once; null: nothing.
  static ResultMoments* of_result(const tensor::Tensor& out);
  /// The same for what an op writes item by item.
  static ResultMoments* of_elements(const tensor::Tensor& out);

  void add(const float* values, std::int64_t count);
  void add(const MatrixView<const float>& part);
  void add(const Moments& part);

  /// The op that began last has counted itself as a write in place.
  void wrote_in_place(const tensor::Tensor& target);
  /// Those of this tensor, or null: it was not what was written last.
  const Moments* of(const tensor::Tensor& tensor) const;
  void forget() { storage_ = nullptr; }

 private:
  bool takes_elements_ = false;
  // Kept, so that no other storage has its address.
  tensor::Ref<tensor::Storage> storage_;
  std::int64_t offset_ = 0, numel_ = 0;
  std::uint64_t version_ = 0;
  std::mutex mutex_;
  Moments moments_;
};

}  // namespace nns::ops
