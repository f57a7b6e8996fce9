#include "core/checkpoint/elements.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/checkpoint/decode.h"
#include "core/checkpoint/item_walk.h"

namespace nns::checkpoint {

namespace {

// a x b, or nothing if it does not fit.
bool multiply(std::uint64_t a, std::uint64_t b, std::uint64_t& product) {
  return !__builtin_mul_overflow(a, b, &product);
}

}  // namespace

std::uint32_t values_per_item(tensor::DType dtype) { return dtype == tensor::DType::Float4E2M1FNX2 ? 2 : 1; }

std::uint64_t ElementSource::numel() const {
  std::uint64_t count = 1;
  for (const std::int64_t size : shape) count *= static_cast<std::uint64_t>(size);
  return count;
}

std::uint64_t ElementSource::value_count() const { return numel() * values_per_item(dtype); }

bool ElementSource::is_contiguous() const {
  // Beside a dimension of zero the others may be too large to be multiplied.
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return true;
  std::int64_t expected = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (shape[i] != 1 && stride[i] != expected) return false;
    if (__builtin_mul_overflow(expected, shape[i], &expected)) return false;
  }
  return true;
}

base::Result<void> ElementSource::check() const {
  const auto refuse = [&](std::string found, std::string expected) {
    return base::Error{.found = std::move(found),
                       .expected = std::move(expected),
                       .where = bytes == nullptr ? "" : bytes->name(),
                       .offset = std::nullopt};
  };
  if (bytes == nullptr) return refuse("a tensor without bytes", "a storage");
  if (shape.size() != stride.size()) {
    return refuse(fmt::format("a tensor with {} sizes and {} strides", shape.size(), stride.size()),
                  "as many strides as sizes");
  }
  std::uint64_t count = values_per_item(dtype);
  bool is_empty = false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] < 0 || stride[i] < 0) {
      return refuse(fmt::format("size {} with stride {}", shape[i], stride[i]), "none below zero");
    }
    is_empty = is_empty || shape[i] == 0;
  }
  if (is_empty) return {};
  std::uint64_t last = storage_offset;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    std::uint64_t reach = 0;
    if (!multiply(count, static_cast<std::uint64_t>(shape[i]), count)) {
      return refuse("more elements than can be counted", "fewer than 2^64");
    }
    if (!multiply(static_cast<std::uint64_t>(shape[i] - 1), static_cast<std::uint64_t>(stride[i]), reach) ||
        __builtin_add_overflow(last, reach, &last)) {
      return refuse("strides that reach further than can be counted", "fewer than 2^64 elements");
    }
  }
  const std::uint64_t fitting = bytes->size() / tensor::item_bytes(dtype);
  if (last >= fitting) {
    return refuse(fmt::format("the tensor reaches to element {} of a storage of {} elements ({} bytes)", last, fitting,
                              bytes->size()),
                  fmt::format("at least {} elements", last + 1));
  }
  return {};
}

base::Result<void> read_values(const ElementSource& source, std::uint64_t first, std::span<double> into) {
  NNS_TRY(source.check());
  const std::uint64_t whole = source.value_count();
  if (first > whole || into.size() > whole - first) {
    return base::Error{.found = fmt::format("values {} to {} were wanted of {}", first, first + into.size(), whole),
                       .expected = fmt::format("at most {}", whole),
                       .where = source.bytes->name(),
                       .offset = std::nullopt};
  }
  const std::uint32_t per_item = values_per_item(source.dtype);
  const auto rank = source.shape.size();
  const std::uint64_t run_size = rank == 0 ? 1 : static_cast<std::uint64_t>(source.shape.back());
  const std::uint64_t run_stride = rank == 0 ? 1 : static_cast<std::uint64_t>(source.stride.back());
  const bool is_contiguous = source.is_contiguous();
  ItemReader reader(source.bytes, tensor::item_bytes(source.dtype));
  constexpr std::size_t kMost = 4096;
  double values[2 * kMost];
  for (std::size_t done = 0; done < into.size();) {
    const std::uint64_t item = (first + done) / per_item;
    const std::uint64_t skip = (first + done) % per_item;
    std::uint64_t left = (into.size() - done + skip + per_item - 1) / per_item;
    std::uint64_t at = source.storage_offset + item;
    std::uint64_t stride = 1;
    if (!is_contiguous) {
      left = std::min(left, run_size - item % run_size);
      stride = run_stride;
      at = source.storage_offset;
      std::uint64_t rest = item;
      for (std::size_t i = rank; i-- > 0;) {
        const auto size = static_cast<std::uint64_t>(source.shape[i]);
        at += rest % size * static_cast<std::uint64_t>(source.stride[i]);
        rest /= size;
      }
    }
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left, kMost));
    NNS_TRY_ASSIGN(const std::byte* raw, reader.run(at, stride, count));
    decode_as_double(source.dtype, raw, count, values);
    const std::size_t got =
        std::min<std::size_t>(count * per_item - static_cast<std::size_t>(skip), into.size() - done);
    std::copy_n(values + skip, got, into.begin() + static_cast<std::ptrdiff_t>(done));
    done += got;
  }
  return {};
}

}  // namespace nns::checkpoint
