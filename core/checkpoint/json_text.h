#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/budget.h"
#include "core/base/byte_source.h"
#include "core/base/result.h"

namespace nns::checkpoint {

/// The longest JSON file that is read: as long as the header of a safetensors file may be. Units: bytes.
inline constexpr std::uint64_t kMaxJsonFile = 100'000'000;

/// Reads all of a file as text, in slices.
class JsonText {
 public:
  explicit JsonText(std::shared_ptr<base::ByteSource> source) : source_(std::move(source)) {}

  /// True when all of it was read. Errors: longer than kMaxJsonFile; not UTF-8.
  base::Result<bool> step(const base::Budget& budget);
  const std::string& text() const { return text_; }
  const std::shared_ptr<base::ByteSource>& source() const { return source_; }

 private:
  std::shared_ptr<base::ByteSource> source_;
  std::string text_;
};

}  // namespace nns::checkpoint
