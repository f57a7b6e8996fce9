#include "core/checkpoint/elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/checkpoint/decode.h"
#include "core/checkpoint/item_walk.h"

namespace nns::checkpoint {

namespace {

// a x b, or nothing if it does not fit.
bool multiply(std::uint64_t a, std::uint64_t b, std::uint64_t& product) {
  return !__builtin_mul_overflow(a, b, &product);
}

template <std::size_t Size>
void scatter_items(const std::byte* from, std::size_t count, std::byte* into, std::size_t step) {
  for (std::size_t i = 0; i < count; ++i) std::memcpy(into + i * step, from + i * Size, Size);
}

void scatter(const std::byte* from, std::size_t count, std::size_t size, std::byte* into, std::size_t step) {
  if (size == 2) return scatter_items<2>(from, count, into, step);
  if (size == 4) return scatter_items<4>(from, count, into, step);
  for (std::size_t i = 0; i < count; ++i) std::memcpy(into + i * step, from + i * size, size);
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

base::Result<ElementSource> apply_slice(const ElementSource& source, const base::TensorSlice& slice) {
  NNS_TRY(source.check());
  NNS_TRY(base::check_slice(slice, source.shape));
  ElementSource made{source.bytes, source.dtype, base::slice_shape(slice), {}, source.storage_offset};
  const bool is_empty = std::find(made.shape.begin(), made.shape.end(), 0) != made.shape.end();
  // Nothing overflows: check() has counted to the last element, and these are some of them.
  for (std::size_t axis = 0; axis < slice.axes.size() && !is_empty; ++axis) {
    made.storage_offset += slice.axes[axis].start * static_cast<std::uint64_t>(source.stride[axis]);
  }
  for (const std::uint8_t axis : slice.order) {
    const base::AxisRange& range = slice.axes[axis];
    made.stride.push_back(range.count <= 1 ? source.stride[axis]
                                           : source.stride[axis] * static_cast<std::int64_t>(range.step));
  }
  return made;
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

base::Result<const std::byte*> OrderedItems::read(std::uint64_t first, std::size_t count) {
  const std::size_t bytes = count * tensor::item_bytes(source_.dtype);
  if (buffer_.size() < bytes) buffer_.resize(bytes);
  NNS_TRY(read_below(0, source_.storage_offset, first, count, buffer_.data()));
  return buffer_.data();
}

// `item` is where the storage's items begin whose indices of the axes before `axis` are known; `first` and `count` are
// among the items below it. What is not whole at the ends is left to the axis behind; the middle is one box.
base::Result<void> OrderedItems::read_below(std::size_t axis, std::uint64_t item, std::uint64_t first,
                                            std::uint64_t count, std::byte* into) {
  if (axis == source_.shape.size()) return read_box(axis, item, 1, into);
  std::uint64_t below = 1;
  for (std::size_t i = axis + 1; i < source_.shape.size(); ++i) below *= static_cast<std::uint64_t>(source_.shape[i]);
  while (count > 0) {
    const std::uint64_t index = first / below;
    const std::uint64_t within = first % below;
    const std::uint64_t begin = item + index * static_cast<std::uint64_t>(source_.stride[axis]);
    std::uint64_t part = 0;
    if (within != 0 || count < below) {
      part = std::min(count, below - within);
      NNS_TRY(read_below(axis + 1, begin, within, part, into));
    } else {
      part = count / below * below;
      NNS_TRY(read_box(axis, begin, count / below, into));
    }
    into += part * tensor::item_bytes(source_.dtype);
    first += part;
    count -= part;
  }
  return {};
}

base::Result<void> OrderedItems::read_box(std::size_t axis, std::uint64_t item, std::uint64_t size, std::byte* into) {
  ElementSource box{source_.bytes, source_.dtype, {}, {}, item};
  const std::size_t item_bytes = tensor::item_bytes(source_.dtype);
  bool repeats = false;
  for (std::size_t i = axis; i < source_.shape.size(); ++i) {
    box.shape.push_back(i == axis ? static_cast<std::int64_t>(size) : source_.shape[i]);
    box.stride.push_back(source_.stride[i]);
    repeats = repeats || (box.shape.back() > 1 && box.stride.back() == 0);
  }
  if (repeats) {
    // A walk would visit equal places once: such boxes are read index by index down to their last axis.
    if (box.shape.size() > 1) {
      const std::uint64_t below = box.numel() / size;
      for (std::uint64_t i = 0; i < size; ++i) {
        NNS_TRY(read_below(axis + 1, item + i * static_cast<std::uint64_t>(box.stride[0]), 0, below, into));
        into += below * item_bytes;
      }
      return {};
    }
    ItemReader reader(source_.bytes, static_cast<std::uint32_t>(item_bytes), item_bytes);
    return reader.copy_run(item, 0, static_cast<std::size_t>(size), into);
  }
  ItemWalk walk(box);
  while (!walk.is_done()) {
    const std::uint64_t visited = walk.position();
    NNS_TRY_ASSIGN(const ItemWalk::Block block, walk.next(kPiece / item_bytes));
    if (walk.is_in_order()) {
      std::memcpy(into + visited * item_bytes, block.raw, block.count * item_bytes);
      continue;
    }
    for (std::size_t i = 0; i < block.count;) {
      const auto run = static_cast<std::size_t>(std::min<std::uint64_t>(walk.run_at(visited + i), block.count - i));
      const std::uint64_t step = walk.logical_step() * item_bytes;
      std::byte* to = into + walk.logical_index(visited + i) * item_bytes;
      scatter(block.raw + i * item_bytes, run, item_bytes, to, static_cast<std::size_t>(step));
      i += run;
    }
  }
  return {};
}

}  // namespace nns::checkpoint
