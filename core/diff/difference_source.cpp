#include "core/diff/difference_source.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

namespace nns::diff {

namespace {

using checkpoint::ElementSource;

class DifferenceBytes final : public base::ByteSource {
 public:
  DifferenceBytes(ElementSource a, ElementSource b)
      : a_(std::move(a)), b_(std::move(b)), name_(b_.bytes->name() + " - " + a_.bytes->name()) {}

  const std::string& name() const override { return name_; }
  std::uint64_t size() const override { return a_.value_count() * sizeof(float); }

 protected:
  base::Result<void> do_read(std::uint64_t offset, std::span<std::byte> into) override {
    // Any range of bytes may be asked for: values are computed whole, and what was asked of them is copied.
    while (!into.empty()) {
      const std::uint64_t first = offset / sizeof(float);
      const auto skip = static_cast<std::size_t>(offset % sizeof(float));
      const std::size_t count = std::min(x_.size(), (skip + into.size() + sizeof(float) - 1) / sizeof(float));
      NNS_TRY(checkpoint::read_values(a_, first, std::span(x_).first(count)));
      NNS_TRY(checkpoint::read_values(b_, first, std::span(y_).first(count)));
      for (std::size_t i = 0; i < count; ++i) {
        const bool is_same = x_[i] == y_[i] || (std::isnan(x_[i]) && std::isnan(y_[i]));
        values_[i] = is_same ? 0.0F : static_cast<float>(y_[i] - x_[i]);
      }
      const std::size_t bytes = std::min(into.size(), count * sizeof(float) - skip);
      std::memcpy(into.data(), reinterpret_cast<const std::byte*>(values_.data()) + skip, bytes);
      into = into.subspan(bytes);
      offset += bytes;
    }
    return {};
  }

 private:
  ElementSource a_;
  ElementSource b_;
  std::string name_;
  std::array<double, 4096> x_{};
  std::array<double, 4096> y_{};
  std::array<float, 4096> values_{};
};

}  // namespace

base::Result<ElementSource> make_difference(ElementSource a, ElementSource b) {
  NNS_TRY(a.check());
  NNS_TRY(b.check());
  const std::uint32_t per_item = checkpoint::values_per_item(a.dtype);
  if (a.shape != b.shape || per_item != checkpoint::values_per_item(b.dtype) ||
      tensor::is_complex(a.dtype) != tensor::is_complex(b.dtype)) {
    return base::Error{.found = "two tensors that are not of one shape and sort",
                       .expected = "the same shape, both complex or neither, both packed or neither",
                       .where = b.bytes->name(),
                       .offset = std::nullopt};
  }
  ElementSource difference;
  difference.dtype = tensor::DType::Float32;
  difference.shape = a.shape;
  if (!difference.shape.empty()) difference.shape.back() *= per_item;
  difference.stride.resize(difference.shape.size());
  std::int64_t step = 1;
  for (std::size_t i = difference.shape.size(); i-- > 0;) {
    difference.stride[i] = step;
    // Beside a size of zero the others may be too large to be multiplied; nothing is read then.
    if (__builtin_mul_overflow(step, std::max<std::int64_t>(difference.shape[i], 1), &step)) step = 1;
  }
  difference.bytes = std::make_shared<DifferenceBytes>(std::move(a), std::move(b));
  return difference;
}

}  // namespace nns::diff
