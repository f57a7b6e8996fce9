#include "core/base/byte_source.h"

#include <fmt/format.h>

#include <cstring>

namespace nns::base {

namespace {

class MemorySource final : public ByteSource {
 public:
  MemorySource(std::string name, std::vector<std::byte> bytes) : name_(std::move(name)), bytes_(std::move(bytes)) {}
  const std::string& name() const override { return name_; }
  std::uint64_t size() const override { return bytes_.size(); }

 private:
  Result<void> do_read(std::uint64_t offset, std::span<std::byte> into) override {
    std::memcpy(into.data(), bytes_.data() + static_cast<std::size_t>(offset), into.size());
    return {};
  }
  std::optional<std::span<const std::byte>> do_view(std::uint64_t offset, std::uint64_t length) override {
    return std::span(bytes_).subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(length));
  }

  std::string name_;
  std::vector<std::byte> bytes_;
};

class PartSource final : public ByteSource {
 public:
  PartSource(std::string name, std::shared_ptr<ByteSource> whole, std::uint64_t offset, std::uint64_t size)
      : name_(std::move(name)), whole_(std::move(whole)), offset_(offset), size_(size) {}
  const std::string& name() const override { return name_; }
  std::uint64_t size() const override { return size_; }

 private:
  Result<void> do_read(std::uint64_t offset, std::span<std::byte> into) override {
    return whole_->read(offset_ + offset, into);
  }
  std::optional<std::span<const std::byte>> do_view(std::uint64_t offset, std::uint64_t length) override {
    return whole_->view(offset_ + offset, length);
  }

  std::string name_;
  std::shared_ptr<ByteSource> whole_;
  std::uint64_t offset_;
  std::uint64_t size_;
};

bool lies_inside(std::uint64_t offset, std::uint64_t length, std::uint64_t size) {
  return offset <= size && length <= size - offset;
}

}  // namespace

Result<void> ByteSource::read(std::uint64_t offset, std::span<std::byte> into) {
  if (into.empty()) return {};
  if (!lies_inside(offset, into.size(), size())) {
    return Error{.found = fmt::format("{} bytes were wanted here, but the file ends at byte {}", into.size(), size()),
                 .expected = {},
                 .where = name(),
                 .offset = offset};
  }
  bytes_read_ += into.size();
  return do_read(offset, into);
}

std::optional<std::span<const std::byte>> ByteSource::view(std::uint64_t offset, std::uint64_t length) {
  if (!lies_inside(offset, length, size())) return std::nullopt;
  auto bytes = do_view(offset, length);
  if (bytes) bytes_read_ += length;
  return bytes;
}

std::optional<std::span<const std::byte>> ByteSource::do_view(std::uint64_t, std::uint64_t) { return std::nullopt; }

std::shared_ptr<ByteSource> make_memory_source(std::string name, std::vector<std::byte> bytes) {
  return std::make_shared<MemorySource>(std::move(name), std::move(bytes));
}

Result<std::shared_ptr<ByteSource>> make_part_source(std::string name, std::shared_ptr<ByteSource> whole,
                                                     std::uint64_t offset, std::uint64_t size) {
  if (!lies_inside(offset, size, whole->size())) {
    return Error{
        .found = fmt::format("{} needs {} bytes here, but the file ends at byte {}", name, size, whole->size()),
        .expected = {},
        .where = whole->name(),
        .offset = offset};
  }
  return std::shared_ptr<ByteSource>(std::make_shared<PartSource>(std::move(name), std::move(whole), offset, size));
}

}  // namespace nns::base
