#include "core/checkpoint/inner_documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace nns::checkpoint {

void InnerDocuments::take_over(Checkpoint& whole, std::uint32_t file, std::string_view name, const Checkpoint& inside) {
  whole.dims.insert(whole.dims.end(), inside.dims.begin(), inside.dims.end());
  for (const Storage& storage : inside.storages) {
    Storage& added = whole.storages.emplace_back(storage);
    added.file = file;
    added.located = false;
    added.member = kNone;
  }
  for (Global global : inside.globals) {
    global.member = global.member.empty() ? std::string(name) : fmt::format("{}!{}", name, global.member);
    whole.globals.push_back(std::move(global));
  }
  for (const std::string& note : inside.notes) whole.notes.push_back(fmt::format("{}: {}", name, note));
}

namespace {

/// The last part whose `first` is at most `at`; null if there is none.
const InnerDocument* last_up_to(const std::vector<InnerDocument>& all, std::uint32_t InnerDocument::*first,
                                std::uint32_t at) {
  const auto after = std::upper_bound(
      all.begin(), all.end(), at, [&](std::uint32_t place, const InnerDocument& part) { return place < part.*first; });
  return after == all.begin() ? nullptr : &*std::prev(after);
}

}  // namespace

const InnerDocument* InnerDocuments::find(std::uint32_t storage) const {
  const InnerDocument* part = last_up_to(all_, &InnerDocument::storage, storage);
  return part != nullptr && storage - part->storage < part->document->storages.size() ? part : nullptr;
}

std::optional<base::Result<std::shared_ptr<base::ByteSource>>> InnerDocuments::value_bytes(std::uint32_t tensor) const {
  const InnerDocument* part = last_up_to(all_, &InnerDocument::tensor, tensor);
  if (part == nullptr || tensor - part->tensor >= part->document->tensors.size()) return std::nullopt;
  return part->document->value_bytes(tensor - part->tensor);
}

base::Result<std::uint64_t> InnerDocuments::offset(const ZipArchive& archive, std::uint32_t storage) const {
  const InnerDocument& part = *find(storage);
  NNS_TRY_ASSIGN(const std::uint64_t begin, archive.stored_offset(part.member));
  NNS_TRY_ASSIGN(const Storage inside, part.document->locate(storage - part.storage));
  return begin + inside.offset;
}

base::Result<std::shared_ptr<base::ByteSource>> InnerDocuments::bytes(std::uint32_t storage) const {
  const InnerDocument& part = *find(storage);
  return part.document->storage_bytes(storage - part.storage);
}

}  // namespace nns::checkpoint
