#include "core/session/program_memory.h"

#include <algorithm>
#include <cstring>

#include "core/session/program_document.h"

namespace nns::session {

namespace {

struct Segment {
  std::uint64_t begin = 0;
  object::Ref<tensor::Storage> storage;
};

class MemorySource final : public base::ByteSource {
 public:
  MemorySource(std::shared_ptr<Program> program, std::vector<Segment> segments, std::uint64_t size)
      : program_(std::move(program)), segments_(std::move(segments)), size_(size) {}
  const std::string& name() const override { return name_; }
  std::uint64_t size() const override { return size_; }

 private:
  /// The segment of that byte. Must hold: offset < size().
  const Segment& at(std::uint64_t offset) const {
    const auto behind = std::upper_bound(segments_.begin(), segments_.end(), offset,
                                         [](std::uint64_t place, const Segment& s) { return place < s.begin; });
    return *(behind - 1);
  }
  std::span<const std::byte> bytes_from(std::uint64_t offset) const {
    const Segment& segment = at(offset);
    const std::span<const std::byte> all(segment.storage->data(), static_cast<std::size_t>(segment.storage->bytes()));
    return all.subspan(static_cast<std::size_t>(offset - segment.begin));
  }
  base::Result<void> do_read(std::uint64_t offset, std::span<std::byte> into) override {
    while (!into.empty()) {
      const std::span<const std::byte> from = bytes_from(offset);
      const std::size_t count = std::min(from.size(), into.size());
      std::memcpy(into.data(), from.data(), count);
      into = into.subspan(count);
      offset += count;
    }
    return {};
  }
  std::optional<std::span<const std::byte>> do_view(std::uint64_t offset, std::uint64_t length) override {
    if (length == 0) return std::span<const std::byte>();
    const std::span<const std::byte> from = bytes_from(offset);
    if (length > from.size()) return std::nullopt;
    return from.first(static_cast<std::size_t>(length));
  }

  std::string name_ = "memory";
  std::shared_ptr<Program> program_;  // goes after the storages
  std::vector<Segment> segments_;     // none is empty
  std::uint64_t size_;
};

}  // namespace

std::uint32_t ProgramMemory::number(const object::Ref<tensor::Storage>& storage) {
  const auto [found, is_new] = numbers_.emplace(storage.get(), static_cast<std::uint32_t>(storages_.size()));
  if (!is_new) return found->second;
  const bool is_meta = storage->device() == tensor::Device::Meta;
  checkpoint::Storage told;
  told.file = is_meta ? checkpoint::kNone : 0;
  told.offset = is_meta ? 0 : bytes_;
  told.nbytes = storage->bytes();
  told.located = false;
  told.device = tensor::device_name(storage->device());
  storages_.push_back(std::move(told));
  held_.push_back(storage);
  if (!is_meta) {
    bytes_ += storage->bytes();
    has_values_ = true;
  }
  return found->second;
}

std::shared_ptr<base::ByteSource> ProgramMemory::make_source(std::shared_ptr<Program> program) const {
  if (!has_values_) return nullptr;
  std::vector<Segment> segments;
  for (std::size_t at = 0; at < held_.size(); ++at) {
    if (storages_[at].file != checkpoint::kNone && storages_[at].nbytes != 0) {
      segments.push_back({storages_[at].offset, held_[at]});
    }
  }
  return std::make_shared<MemorySource>(std::move(program), std::move(segments), bytes_);
}

}  // namespace nns::session
