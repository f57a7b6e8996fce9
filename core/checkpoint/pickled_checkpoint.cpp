#include "core/checkpoint/pickled_checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "core/checkpoint/describe_pickled.h"
#include "core/checkpoint/elements.h"
#include "core/checkpoint/swapped_source.h"

namespace nns::checkpoint {

namespace {

/// The bytes of a str that holds Latin-1: what `_codecs.encode(text, "latin1")` gives.
std::vector<std::byte> latin1_bytes(std::string_view text) {
  std::vector<std::byte> bytes;
  bytes.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    auto byte = static_cast<unsigned char>(text[at]);
    if (byte >= 0xC2 && at + 1 < text.size()) {
      ++at;
      byte = static_cast<unsigned char>(((byte & 0x03U) << 6U) | (static_cast<unsigned char>(text[at]) & 0x3FU));
    }
    bytes.push_back(static_cast<std::byte>(byte));
  }
  return bytes;
}

}  // namespace

base::Result<Storage> PickledCheckpoint::locate(std::uint32_t index) {
  Storage& storage = storages[index];
  if (storage.located) return storage;
  const StorageOrigin& origin = origins[index];
  if (origin.inline_bytes != kNone) {
    const std::uint64_t in_pickle =
        heap().kind(origin.inline_bytes) == PickleKind::Bytes ? heap().text_offset(origin.inline_bytes) : UINT64_MAX;
    const PicklePiece* piece = piece_at(in_pickle);
    const bool is_stored = piece == nullptr || archive->members()[piece->member].is_stored();
    if (in_pickle == UINT64_MAX || !is_stored) {
      return base::Error{"the bytes of this array are spelled inside the pickle",
                         "bytes with a place of their own in the file", source->name(), std::nullopt};
    }
    storage.offset = in_pickle;
    if (piece != nullptr) {
      NNS_TRY_ASSIGN(const std::uint64_t begin, archive->data_offset(piece->member));
      storage.offset += begin - piece->begin;
    }
  } else if (origin.raw) {
    NNS_TRY(check_count(*origin.raw));
    storage.offset = origin.raw->offset;
  } else {
    if (origin.member == kNone) {
      return base::Error{"this tensor has no bytes in the file", "a storage", source->name(), std::nullopt};
    }
    NNS_TRY_ASSIGN(storage.offset, archive->stored_offset(origin.member));
  }
  storage.located = true;
  return storage;
}

base::Result<std::shared_ptr<base::ByteSource>> PickledCheckpoint::storage_bytes(std::uint32_t index) {
  const StorageOrigin& origin = origins[index];
  std::shared_ptr<base::ByteSource> bytes;
  if (origin.inline_bytes != kNone) {
    const std::string_view text = heap().text(origin.inline_bytes);
    const auto raw = std::as_bytes(std::span(text));
    bytes = base::make_memory_source(source->name(), heap().kind(origin.inline_bytes) == PickleKind::Bytes
                                                         ? std::vector<std::byte>(raw.begin(), raw.end())
                                                         : latin1_bytes(text));
  } else if (origin.raw) {
    NNS_TRY(check_count(*origin.raw));
    NNS_TRY_ASSIGN(bytes, base::make_part_source(source->name(), source, origin.raw->offset,
                                                 origin.raw->numel * origin.raw->item_bytes));
  } else {
    if (origin.member == kNone) {
      return base::Error{"this tensor has no bytes in the file", "a storage", source->name(), std::nullopt};
    }
    NNS_TRY_ASSIGN(bytes, archive->open_member(origin.member));
  }
  std::string name = bytes->name();
  NNS_TRY_ASSIGN(bytes, base::make_part_source(std::move(name), std::move(bytes), 0, storages[index].nbytes));
  if (origin.swap_bytes > 1) bytes = make_swapped_source(std::move(bytes), origin.swap_bytes);
  return bytes;
}

base::Result<std::shared_ptr<base::ByteSource>> PickledCheckpoint::value_bytes(std::uint32_t tensor) {
  NNS_TRY_ASSIGN(auto bytes, storage_bytes(tensors[tensor].storage));
  const auto found = quantizers.find(tensor);
  if (found == quantizers.end()) return bytes;
  NNS_TRY_ASSIGN(Quantizer quantizer, read_quantizer(tensor, found->second));
  return make_dequantized_source(std::move(bytes), std::move(quantizer));
}

base::Result<Quantizer> PickledCheckpoint::read_quantizer(std::uint32_t tensor, const StoredQuantizer& stored) {
  const TensorEntry& entry = tensors[tensor];
  Quantizer quantizer;
  quantizer.stored = stored.stored;
  if (stored.scales == kNone) {
    quantizer.scales = {static_cast<float>(stored.scale)};
    quantizer.zero_points = {static_cast<float>(stored.zero_point)};
    return quantizer;
  }
  NNS_TRY_ASSIGN(quantizer.scales, read_floats(stored.scales));
  NNS_TRY_ASSIGN(quantizer.zero_points, read_floats(stored.zero_points));
  const auto sizes = shape(entry);
  const auto steps = stride(entry);
  if (stored.axis >= sizes.size() || quantizer.scales.size() != static_cast<std::uint64_t>(sizes[stored.axis]) ||
      quantizer.zero_points.size() != quantizer.scales.size()) {
    return base::Error{fmt::format("{} has {} scales and {} zero points", name(entry), quantizer.scales.size(),
                                   quantizer.zero_points.size()),
                       fmt::format("one of each for every index along axis {}", stored.axis), source->name(),
                       std::nullopt};
  }
  // An item's index along the axis follows from its place where the items lie without gaps, in whatever order of axes.
  std::vector<std::size_t> axes(sizes.size());
  for (std::size_t axis = 0; axis < axes.size(); ++axis) axes[axis] = axis;
  std::sort(axes.begin(), axes.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(steps[a], sizes[a]) < std::pair(steps[b], sizes[b]);
  });
  std::int64_t next = 1;
  for (const std::size_t axis : axes) {
    if (sizes[axis] == 1) continue;
    if (steps[axis] != next) {
      return base::Error{
          fmt::format("{} is quantised along an axis and its items lie apart from each other", name(entry)),
          "items without gaps between them", source->name(), std::nullopt};
    }
    next *= sizes[axis];
  }
  quantizer.first = entry.storage_offset;
  quantizer.stride = static_cast<std::uint64_t>(std::max<std::int64_t>(1, steps[stored.axis]));
  return quantizer;
}

base::Result<std::vector<float>> PickledCheckpoint::read_floats(std::uint32_t tensor) {
  const TensorEntry& entry = tensors[tensor];
  const auto sizes = shape(entry);
  const auto steps = stride(entry);
  if (sizes.size() != 1 || entry.storage == kNone || !entry.readable) {
    return base::Error{fmt::format("{} is no list of numbers", name(entry)), "a tensor with one axis", source->name(),
                       std::nullopt};
  }
  NNS_TRY_ASSIGN(auto bytes, storage_bytes(entry.storage));
  const ElementSource elements{
      std::move(bytes), entry.dtype, {sizes.begin(), sizes.end()}, {steps.begin(), steps.end()}, entry.storage_offset};
  NNS_TRY(elements.check());
  std::vector<double> values(static_cast<std::size_t>(entry.numel));
  NNS_TRY(read_values(elements, 0, values));
  return std::vector<float>(values.begin(), values.end());
}

const PicklePiece* PickledCheckpoint::piece_at(std::uint64_t offset) const {
  for (const PicklePiece& piece : pieces) {
    if (offset < piece.end) return &piece;
  }
  return pieces.empty() ? nullptr : &pieces.back();
}

const ScriptClass* PickledCheckpoint::script_class(PickleId value) const {
  if (code == nullptr || value == kNone || heap().kind(value) != PickleKind::Object) return nullptr;
  const PickleId callable = heap().object(value).callable;
  if (heap().kind(callable) != PickleKind::Global) return nullptr;
  const PickleName& name = heap().name(callable);
  return code->find(fmt::format("{}.{}", name.module, name.name));
}

base::Result<void> PickledCheckpoint::check_count(const RawStorage& storage) const {
  std::array<std::byte, 8> bytes{};
  NNS_TRY(source->read(storage.offset - bytes.size(), bytes));
  std::uint64_t count = 0;
  std::memcpy(&count, bytes.data(), sizeof count);
  if (count != storage.numel) {
    return base::Error{fmt::format("a storage of {} elements", count),
                       fmt::format("{} elements, as the pickle says", storage.numel), source->name(),
                       storage.offset - bytes.size()};
  }
  return {};
}

ObjectDescription PickledCheckpoint::describe(std::uint32_t node) const { return describe_pickled(*this, node); }

}  // namespace nns::checkpoint
