#include "core/checkpoint/zip_writer.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>

#include "core/checkpoint/put_number.h"

namespace nns::checkpoint {
namespace {

constexpr std::uint64_t kMost32 = 0xFFFFFFFFU;
constexpr std::uint64_t kMost16 = 0xFFFFU;
// Names are UTF-8; sizes and checksum stand behind the bytes.
constexpr std::uint16_t kFlags = 0x0808;
// 1 January 1980: the first day that the format knows, so that equal contents are equal files.
constexpr std::uint16_t kDate = 0x0021;
constexpr std::uint16_t kZip64Extra = 0x0001;
constexpr std::uint16_t kPaddingExtra = 0x4246;

bool is_large(std::uint64_t value) { return value >= kMost32; }

// What a local header and a record of the directory have in common.
void put_common(std::string& out, std::uint32_t crc, std::uint64_t size, bool sizes_known, std::string_view name,
                std::size_t extra, bool is_zip64) {
  put_number(out, is_zip64 ? 45 : 20, 2);
  put_number(out, kFlags, 2);
  put_number(out, 0, 2);
  put_number(out, 0, 2);
  put_number(out, kDate, 2);
  put_number(out, crc, 4);
  const std::uint64_t shown = is_large(size) ? kMost32 : sizes_known ? size : 0;
  put_number(out, shown, 4);
  put_number(out, shown, 4);
  put_number(out, name.size(), 2);
  put_number(out, extra, 2);
}

}  // namespace

base::Result<void> ZipWriter::put(std::string_view bytes) {
  NNS_TRY(sink_.write(bytes));
  at_ += bytes.size();
  return {};
}

base::Result<void> ZipWriter::begin(std::string_view name, std::uint64_t size) {
  if (name.size() > kMost16) {
    return base::Error{fmt::format("a member's name of {} bytes", name.size()), "at most 65535 bytes", {}, {}};
  }
  members_.push_back({std::string(name), size, at_, 0});
  written_ = 0;
  constexpr std::uint64_t kHeader = 30, kField = 4;
  const std::uint64_t zip64 = is_large(size) ? kField + 16 : 0;
  const std::uint64_t unpadded = at_ + kHeader + name.size() + zip64 + kField;
  const std::uint64_t padding = (kAlignment - unpadded % kAlignment) % kAlignment;
  std::string header = "PK\x03\x04";
  put_common(header, 0, size, false, name, static_cast<std::size_t>(zip64 + kField + padding), is_large(size));
  header += name;
  if (zip64 != 0) {
    put_number(header, kZip64Extra, 2);
    put_number(header, 16, 2);
    put_number(header, size, 8);
    put_number(header, size, 8);
  }
  put_number(header, kPaddingExtra, 2);
  put_number(header, padding, 2);
  header.append(static_cast<std::size_t>(padding), 'Z');
  return put(header);
}

base::Result<void> ZipWriter::write(std::span<const std::byte> bytes) {
  Member& member = members_.back();
  member.crc = static_cast<std::uint32_t>(
      crc32_z(member.crc, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
  NNS_TRY(sink_.write(bytes));
  at_ += bytes.size();
  written_ += bytes.size();
  return {};
}

base::Result<void> ZipWriter::end() {
  const Member& member = members_.back();
  if (written_ != member.size) {
    return base::Error{
        fmt::format("{} bytes for member '{}'", written_, member.name), fmt::format("{} bytes", member.size), {}, {}};
  }
  const unsigned width = is_large(member.size) ? 8 : 4;
  std::string descriptor = "PK\x07\x08";
  put_number(descriptor, member.crc, 4);
  put_number(descriptor, member.size, width);
  put_number(descriptor, member.size, width);
  return put(descriptor);
}

base::Result<void> ZipWriter::add(std::string_view name, std::string_view bytes) {
  NNS_TRY(begin(name, bytes.size()));
  NNS_TRY(write(std::as_bytes(std::span(bytes.data(), bytes.size()))));
  return end();
}

base::Result<void> ZipWriter::finish() {
  const std::uint64_t directory = at_;
  for (const Member& member : members_) {
    std::string extra;
    if (is_large(member.size)) {
      put_number(extra, member.size, 8);
      put_number(extra, member.size, 8);
    }
    if (is_large(member.offset)) put_number(extra, member.offset, 8);
    const std::size_t field = extra.empty() ? 0 : extra.size() + 4;
    std::string record = "PK\x01\x02";
    put_number(record, 45, 2);
    put_common(record, member.crc, member.size, true, member.name, field, field != 0);
    put_number(record, 0, 2);
    put_number(record, 0, 2);
    put_number(record, 0, 2);
    put_number(record, 0, 4);
    put_number(record, std::min(member.offset, kMost32), 4);
    record += member.name;
    if (field != 0) {
      put_number(record, kZip64Extra, 2);
      put_number(record, extra.size(), 2);
      record += extra;
    }
    NNS_TRY(put(record));
  }
  const std::uint64_t size = at_ - directory;
  const std::uint64_t count = members_.size();
  std::string end;
  if (is_large(directory) || is_large(size) || count >= kMost16) {
    const std::uint64_t record_at = at_;
    end += "PK\x06\x06";
    put_number(end, 44, 8);
    put_number(end, 45, 2);
    put_number(end, 45, 2);
    put_number(end, 0, 4);
    put_number(end, 0, 4);
    put_number(end, count, 8);
    put_number(end, count, 8);
    put_number(end, size, 8);
    put_number(end, directory, 8);
    end += "PK\x06\x07";
    put_number(end, 0, 4);
    put_number(end, record_at, 8);
    put_number(end, 1, 4);
  }
  end += "PK\x05\x06";
  put_number(end, 0, 4);
  put_number(end, std::min(count, kMost16), 2);
  put_number(end, std::min(count, kMost16), 2);
  put_number(end, std::min(size, kMost32), 4);
  put_number(end, std::min(directory, kMost32), 4);
  put_number(end, 0, 2);
  return put(end);
}

}  // namespace nns::checkpoint
