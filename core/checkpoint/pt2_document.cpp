#include "core/checkpoint/pt2_document.h"

#include <algorithm>

#include "core/checkpoint/describe_inferred.h"

namespace nns::checkpoint {

base::Result<Storage> Pt2Document::locate(std::uint32_t index) {
  Storage& storage = storages[index];
  if (storage.located) return storage;
  if (const SavedTensors* inside = saved_of(index)) {
    NNS_TRY_ASSIGN(const std::uint64_t begin, archive->stored_offset(inside->member));
    NNS_TRY_ASSIGN(const Storage place, inside->document->locate(index - inside->storage));
    storage.offset = begin + place.offset;
  } else {
    NNS_TRY_ASSIGN(storage.offset, archive->stored_offset(storage.member));
  }
  storage.located = true;
  return storage;
}

base::Result<std::shared_ptr<base::ByteSource>> Pt2Document::storage_bytes(std::uint32_t index) {
  const SavedTensors* inside = saved_of(index);
  return inside != nullptr ? inside->document->storage_bytes(index - inside->storage)
                           : archive->open_member(storages[index].member);
}

ObjectDescription Pt2Document::describe(std::uint32_t node) const { return describe_inferred(*this, node); }

const SavedTensors* Pt2Document::saved_of(std::uint32_t index) const {
  if (storages[index].member != kNone) return nullptr;
  const auto after = std::upper_bound(saved.begin(), saved.end(), index,
                                      [](std::uint32_t at, const SavedTensors& part) { return at < part.storage; });
  return &*std::prev(after);
}

}  // namespace nns::checkpoint
