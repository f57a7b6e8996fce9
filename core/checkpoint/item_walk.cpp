#include "core/checkpoint/item_walk.h"

#include <algorithm>
#include <cstring>

namespace nns::checkpoint {

namespace {

template <std::size_t Size>
void gather(const std::byte* from, std::size_t step, std::size_t count, std::byte* into) {
  for (std::size_t i = 0; i < count; ++i) std::memcpy(into + i * Size, from + i * step, Size);
}

void gather_items(const std::byte* from, std::uint64_t step, std::size_t count, std::uint32_t size, std::byte* into) {
  const auto bytes = static_cast<std::size_t>(step);
  switch (size) {
    case 1:
      return gather<1>(from, bytes, count, into);
    case 2:
      return gather<2>(from, bytes, count, into);
    case 4:
      return gather<4>(from, bytes, count, into);
    case 8:
      return gather<8>(from, bytes, count, into);
    default:
      for (std::size_t i = 0; i < count; ++i) std::memcpy(into + i * size, from + i * bytes, size);
  }
}

}  // namespace

ItemReader::ItemReader(std::shared_ptr<base::ByteSource> bytes, std::uint32_t item_bytes, std::size_t read_ahead)
    : bytes_(std::move(bytes)), item_bytes_(item_bytes), read_ahead_(read_ahead) {}

std::size_t useful_read_ahead(const ElementSource& source) {
  struct Axis {
    std::uint64_t size = 0;
    std::uint64_t stride = 0;
  };
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < source.shape.size(); ++i) {
    if (source.shape[i] > 1 && source.stride[i] > 0) {
      axes.push_back({static_cast<std::uint64_t>(source.shape[i]), static_cast<std::uint64_t>(source.stride[i])});
    }
  }
  std::sort(axes.begin(), axes.end(), [](const Axis& a, const Axis& b) { return a.stride < b.stride; });
  const std::uint64_t item_bytes = tensor::item_bytes(source.dtype);
  std::uint64_t reach = 1;  // items from the first to the last of the inner axes
  for (const Axis& axis : axes) {
    if (axis.stride > reach && (axis.stride - reach) * item_bytes > ItemReader::kMostGap) break;
    // check() has seen that the whole reach can be counted.
    reach += (axis.size - 1) * axis.stride;
  }
  return static_cast<std::size_t>(std::min<std::uint64_t>(reach * item_bytes, ItemReader::kReadAhead));
}

base::Result<const std::byte*> ItemReader::fetch(std::uint64_t offset, std::size_t length, bool read_ahead) {
  if (offset >= window_begin_ && offset + length <= window_end_) return window_ + (offset - window_begin_);
  std::uint64_t wanted = length;
  if (read_ahead)
    wanted = std::min<std::uint64_t>(std::max<std::uint64_t>(length, read_ahead_), bytes_->size() - offset);
  window_end_ = 0;
  window_begin_ = 0;
  if (const auto view = bytes_->view(offset, wanted)) {
    window_ = view->data();
  } else {
    if (buffer_.size() < wanted) buffer_.resize(static_cast<std::size_t>(wanted));
    NNS_TRY(bytes_->read(offset, std::span(buffer_).first(static_cast<std::size_t>(wanted))));
    window_ = buffer_.data();
  }
  window_begin_ = offset;
  window_end_ = offset + wanted;
  return window_;
}

base::Result<const std::byte*> ItemReader::run(std::uint64_t first, std::uint64_t stride, std::size_t count) {
  if (stride == 1 || count <= 1) {
    const std::size_t length = count * item_bytes_;
    return fetch(first * item_bytes_, length, length < read_ahead_);
  }
  gathered_.resize(std::max(gathered_.size(), count * item_bytes_));
  NNS_TRY(copy_run(first, stride, count, gathered_.data()));
  return gathered_.data();
}

base::Result<void> ItemReader::copy_run(std::uint64_t first, std::uint64_t stride, std::size_t count, std::byte* into) {
  if (count == 0) return {};
  if (stride == 0) {
    NNS_TRY_ASSIGN(const std::byte* item, fetch(first * item_bytes_, item_bytes_, true));
    for (std::size_t i = 0; i < count; ++i) std::memcpy(into + i * item_bytes_, item, item_bytes_);
    return {};
  }
  if (stride == 1) {
    const std::size_t length = count * item_bytes_;
    NNS_TRY_ASSIGN(const std::byte* items, fetch(first * item_bytes_, length, length < read_ahead_));
    std::memcpy(into, items, length);
    return {};
  }
  const std::uint64_t step = stride * item_bytes_;
  const auto in_piece = static_cast<std::size_t>(step > kMostGap ? 1 : kPiece / step);
  for (std::size_t done = 0; done < count;) {
    const std::size_t part = std::min(in_piece, count - done);
    const std::size_t length = (part - 1) * static_cast<std::size_t>(part > 1 ? step : 0) + item_bytes_;
    // Items far apart are read alone: reading on would bring bytes that nobody asked for.
    NNS_TRY_ASSIGN(const std::byte* items,
                   fetch((first + done * stride) * item_bytes_, length, part > 1 && length < read_ahead_));
    gather_items(items, step, part, item_bytes_, into + done * item_bytes_);
    done += part;
  }
  return {};
}

ItemWalk::ItemWalk(const ElementSource& source)
    : reader_(source.bytes, tensor::item_bytes(source.dtype), useful_read_ahead(source)),
      item_bytes_(tensor::item_bytes(source.dtype)),
      base_(source.storage_offset) {
  std::uint64_t logical = 1;
  for (std::size_t i = source.shape.size(); i-- > 0;) {
    const auto size = static_cast<std::uint64_t>(source.shape[i]);
    const auto stride = static_cast<std::uint64_t>(source.stride[i]);
    if (size == 0) count_ = 0;
    if (size > 1 && stride == 0) repeats_ *= size;
    if (size > 1 && stride != 0) sorted_.insert(sorted_.begin(), {size, stride, logical});
    logical *= size;
  }
  if (count_ == 0) sorted_.clear();
  const std::vector<Dimension> in_shape_order = sorted_;
  std::stable_sort(sorted_.begin(), sorted_.end(),
                   [](const Dimension& a, const Dimension& b) { return a.stride > b.stride; });
  in_order_ = repeats_ == 1;
  for (std::size_t i = 0; i < sorted_.size(); ++i) {
    count_ *= sorted_[i].size;
    in_order_ = in_order_ && sorted_[i].logical_stride == in_shape_order[i].logical_stride;
    if (!merged_.empty() && merged_.back().stride == sorted_[i].stride * sorted_[i].size) {
      merged_.back().size *= sorted_[i].size;
      merged_.back().stride = sorted_[i].stride;
    } else {
      merged_.push_back(sorted_[i]);
    }
  }
  if (merged_.empty()) merged_.push_back({count_, 1, 1});
}

void ItemWalk::restart() { position_ = 0; }

base::Result<ItemWalk::Block> ItemWalk::next(std::size_t most) {
  most = std::min<std::size_t>(std::max<std::size_t>(most, 1), ItemReader::kPiece / item_bytes_);
  most = static_cast<std::size_t>(std::min<std::uint64_t>(most, count_ - position_));
  if (most == 0) return Block{};
  const Dimension& inner = merged_.back();
  // Where the walk stands: index in the innermost dimension, and the storage's item where that run begins.
  const auto locate = [&](std::uint64_t position, std::uint64_t& within) {
    within = position % inner.size;
    std::uint64_t rest = position / inner.size;
    std::uint64_t item = base_;
    for (std::size_t i = merged_.size() - 1; i-- > 0;) {
      item += rest % merged_[i].size * merged_[i].stride;
      rest /= merged_[i].size;
    }
    return item + within * inner.stride;
  };
  std::uint64_t within = 0;
  const std::uint64_t first = locate(position_, within);
  const auto in_run = static_cast<std::size_t>(std::min<std::uint64_t>(most, inner.size - within));
  if (in_run == most || in_run * item_bytes_ >= 4096) {
    NNS_TRY_ASSIGN(const std::byte* raw, reader_.run(first, inner.stride, in_run));
    position_ += in_run;
    return Block{raw, in_run};
  }
  // Short runs are put together, so that who asks gets blocks that are worth a loop.
  constexpr std::size_t kTogether = 4096;
  const std::size_t together = std::min(most, kTogether);
  gathered_.resize(std::max(gathered_.size(), together * item_bytes_));
  std::size_t filled = 0;
  while (filled < together) {
    const std::uint64_t item = locate(position_ + filled, within);
    const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(together - filled, inner.size - within));
    NNS_TRY(reader_.copy_run(item, inner.stride, part, gathered_.data() + filled * item_bytes_));
    filled += part;
  }
  position_ += filled;
  return Block{gathered_.data(), filled};
}

std::uint64_t ItemWalk::logical_index(std::uint64_t visited) const {
  std::uint64_t index = 0;
  for (std::size_t i = sorted_.size(); i-- > 0;) {
    index += visited % sorted_[i].size * sorted_[i].logical_stride;
    visited /= sorted_[i].size;
  }
  return index;
}

}  // namespace nns::checkpoint
