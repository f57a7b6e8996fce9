#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "core/base/byte_source.h"
#include "core/checkpoint/checkpoint.h"
#include "core/tensor/storage.h"

namespace nns::session {

struct Program;

/// The storages of a program's tensors, told as a document's storages: those on the CPU lie one behind the other in
/// one source of bytes, those on meta have none.
class ProgramMemory {
 public:
  /// The number of a storage, new or known.
  std::uint32_t number(const object::Ref<tensor::Storage>& storage);
  /// By their numbers. Their places are not `located`: they mean nothing outside.
  const std::vector<checkpoint::Storage>& storages() const { return storages_; }
  /// Reads the storages where they are, as they are when asked; keeps the program alive. Null if all are on meta.
  std::shared_ptr<base::ByteSource> make_source(std::shared_ptr<Program> program) const;

 private:
  std::vector<checkpoint::Storage> storages_;
  std::vector<object::Ref<tensor::Storage>> held_;
  std::unordered_map<const tensor::Storage*, std::uint32_t> numbers_;
  std::uint64_t bytes_ = 0;
  bool has_values_ = false;
};

}  // namespace nns::session
