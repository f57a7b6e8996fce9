#include "core/checkpoint/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "core/base/utf8.h"

namespace nns::checkpoint {

namespace {

constexpr std::size_t kReadStep = 4U << 20U;

}  // namespace

base::Result<bool> JsonText::step(const base::Budget& budget) {
  if (source_->size() > kMaxJsonFile) {
    return base::Error{fmt::format("JSON of {} bytes", source_->size()), fmt::format("at most {}", kMaxJsonFile),
                       source_->name(), 0};
  }
  const auto size = static_cast<std::size_t>(source_->size());
  while (text_.size() < size) {
    const std::size_t done = text_.size();
    text_.resize(std::min(size, done + kReadStep));
    NNS_TRY(source_->read(done, std::as_writable_bytes(std::span(text_)).subspan(done)));
    if (text_.size() < size && budget.spent()) return false;
  }
  if (const auto bad = base::find_invalid_utf8(text_)) {
    return base::Error{fmt::format("byte 0x{:02x}, which is not UTF-8 here", static_cast<unsigned char>(text_[*bad])),
                       "UTF-8", source_->name(), *bad};
  }
  return true;
}

}  // namespace nns::checkpoint
