#include "core/checkpoint/pickled_checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "core/checkpoint/describe_pickled.h"
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
