#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/checkpoint/checkpoint.h"

namespace nns::tests {

/// Opens `source` in one go.
base::Result<std::unique_ptr<checkpoint::Checkpoint>> open_document(
    std::shared_ptr<base::ByteSource> source, std::shared_ptr<checkpoint::FileSet> siblings = nullptr);
/// Opens bytes in memory in slices of no time; an error after a million of them, for a task that does not go on.
base::Result<std::unique_ptr<checkpoint::Checkpoint>> open_in_slices(std::string_view bytes);
/// Opens bytes in memory under the name "test.bin".
base::Result<std::unique_ptr<checkpoint::Checkpoint>> open_text(std::string_view bytes);

/// The row whose parts of names, joined by "/", are `path`; kNone if there is none.
std::uint32_t find_row(const checkpoint::Checkpoint& document, std::string_view path);
/// The tensor of that whole name; null if there is none.
const checkpoint::TensorEntry* find_tensor(const checkpoint::Checkpoint& document, std::string_view name);
/// The rows as text, one a line, two blanks a level: "name: Class".
std::string tree_text(const checkpoint::Checkpoint& document);

/// What must hold for every tree: an empty text, or what does not hold.
std::string tree_fault(const checkpoint::Checkpoint& document);

}  // namespace nns::tests
