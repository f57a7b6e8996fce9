#include "core/ops/result_moments.h"

#include "core/ops/op.h"
#include "core/tensor/capture.h"

namespace nns::ops {

using tensor::Tensor;

ResultMoments* ResultMoments::of_result(const Tensor& out) {
  ResultMoments* const asked = OpLibrary::of(out.interpreter()).result_moments;
  if (asked == nullptr) [[likely]]
    return nullptr;
  // What is captured is carried out again when nobody watches.
  if (out.dtype() != tensor::DType::Float32 || !tensor::is_cpu(out.device()) || !out.is_contiguous() ||
      tensor::Capture::current() != nullptr) {
    asked->forget();
    return nullptr;
  }
  asked->storage_ = out.storage();
  asked->offset_ = out.offset();
  asked->numel_ = out.numel();
  asked->version_ = out.version();
  asked->moments_ = {};
  return asked;
}

ResultMoments* ResultMoments::of_elements(const Tensor& out) {
  const ResultMoments* const asked = OpLibrary::of(out.interpreter()).result_moments;
  return asked != nullptr && asked->takes_elements_ ? of_result(out) : nullptr;
}

void ResultMoments::add(const Moments& part) {
  const std::scoped_lock lock(mutex_);
  moments_.join(part);
}
void ResultMoments::add(const float* values, std::int64_t count) {
  Moments part;
  add_moments(part, values, count);
  add(part);
}
void ResultMoments::add(const MatrixView<const float>& part) {
  Moments found;
  add_moments_of_rows(found, part.data, part.rows, part.columns, part.row_stride);
  add(found);
}

void ResultMoments::wrote_in_place(const Tensor& target) {
  if (storage_ == target.storage()) version_ = target.version();
}

const Moments* ResultMoments::of(const Tensor& tensor) const {
  const bool is_it = storage_ != nullptr && storage_ == tensor.storage() && offset_ == tensor.offset() &&
                     numel_ == tensor.numel() && version_ == tensor.version() && tensor.is_contiguous() &&
                     moments_.count == static_cast<std::uint64_t>(numel_);
  return is_it ? &moments_ : nullptr;
}

}  // namespace nns::ops
