#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/elements.h"
#include "core/checkpoint/format.h"
#include "tests/support/open_document.h"

namespace nns::tests {

inline std::shared_ptr<base::ByteSource> fuzz_source(const std::uint8_t* data, std::size_t size) {
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  return base::make_memory_source("fuzz", std::vector<std::byte>(bytes, bytes + size));
}

[[noreturn]] inline void fail_fuzz(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::abort();
}

/// Uses a document as the program does: each row described, each storage's first and last bytes read, some values.
inline void look_at_everything(checkpoint::Checkpoint& document) {
  if (const std::string fault = tree_fault(document); !fault.empty()) fail_fuzz(fault);
  constexpr std::uint32_t kMostRows = 200;
  for (std::uint32_t row = 0; row < std::min(document.tree.size(), kMostRows); ++row) (void)document.describe(row);
  for (std::uint32_t at = 0; at < std::min<std::size_t>(document.storages.size(), 20); ++at) {
    (void)document.locate(at);
    auto bytes = document.storage_bytes(at);
    if (!bytes.ok()) continue;
    std::vector<std::byte> some(static_cast<std::size_t>(std::min<std::uint64_t>((*bytes)->size(), 256)));
    (void)(*bytes)->read((*bytes)->size() - some.size(), some);
    (void)(*bytes)->read(0, some);
  }
  for (std::uint32_t at = 0; at < std::min<std::size_t>(document.tensors.size(), 20); ++at) {
    const checkpoint::TensorEntry& entry = document.tensors[at];
    if (!entry.has_shape || entry.storage == checkpoint::kNone) continue;
    auto bytes = document.value_bytes(at);
    if (!bytes.ok() || !entry.readable) continue;
    const auto shape = document.shape(entry);
    const auto stride = document.stride(entry);
    const checkpoint::ElementSource source{
        *bytes, entry.dtype, {shape.begin(), shape.end()}, {stride.begin(), stride.end()}, entry.storage_offset};
    if (!source.check().ok()) continue;
    std::vector<double> values(static_cast<std::size_t>(std::min<std::uint64_t>(source.value_count(), 600)));
    (void)checkpoint::read_values(source, source.value_count() - values.size(), values);
    (void)checkpoint::read_values(source, 0, values);
  }
}

/// Opens with one reader, in slices of no time; what it refuses must say why and where.
template <class Open>
void fuzz_reader(Open&& open, const std::uint8_t* data, std::size_t size,
                 std::shared_ptr<checkpoint::FileSet> files = nullptr) {
  base::Result<std::unique_ptr<checkpoint::OpenTask>> task = open(fuzz_source(data, size), std::move(files));
  if (!task.ok()) {
    if (task.error().found.empty()) fail_fuzz("a refusal without a reason");
    return;
  }
  while (true) {
    const auto state = (*task)->step(base::Budget(std::chrono::nanoseconds(0)));
    if (!state.ok()) {
      if (state.error().found.empty() || state.error().where.empty()) fail_fuzz("a refusal without a reason");
      return;
    }
    if (*state == checkpoint::OpenState::Done) break;
  }
  const auto document = (*task)->take();
  look_at_everything(*document);
}

}  // namespace nns::tests
