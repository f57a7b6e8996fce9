#include "core/checkpoint/zip_archive.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "core/base/byte_reader.h"
#include "core/base/hash.h"
#include "core/base/utf8.h"
#include "core/checkpoint/inflate.h"

namespace nns::checkpoint {

namespace {

constexpr std::uint32_t kEndSignature = 0x06054b50;
constexpr std::uint32_t kLocatorSignature = 0x07064b50;
constexpr std::uint32_t kEnd64Signature = 0x06064b50;
constexpr std::uint32_t kRecordSignature = 0x02014b50;
constexpr std::uint32_t kLocalHeaderSignature = 0x04034b50;
constexpr std::uint64_t kEndSize = 22;
constexpr std::uint64_t kLocatorSize = 20;
constexpr std::uint64_t kEnd64Size = 56;
constexpr std::uint64_t kRecordSize = 46;
constexpr std::uint64_t kMaxComment = 65535;
constexpr std::uint64_t kFirstTail = 4096;
constexpr std::uint64_t kMaxDirectory = 512U << 20U;
constexpr std::uint32_t kNoMember = UINT32_MAX;

/// Where the end record begins in `tail`, the last bytes of the file; its comment must reach the end.
std::size_t find_end_record(std::span<const std::byte> tail) {
  for (std::size_t at = tail.size() - std::min<std::size_t>(tail.size(), kEndSize) + 1; at-- > 0;) {
    base::ByteReader in(tail.subspan(at));
    if (in.number<std::uint32_t>() != kEndSignature) continue;
    in.take(16);
    const auto comment = in.number<std::uint16_t>();
    if (in.ok() && in.remaining() == comment) return at;
  }
  return tail.size();
}

}  // namespace

ZipLocalHeader ZipLocalHeader::take(base::ByteReader& in) {
  ZipLocalHeader header;
  header.has_signature = in.number<std::uint32_t>() == kLocalHeaderSignature;
  in.take(2);
  header.flags = in.number<std::uint16_t>();
  header.method = in.number<std::uint16_t>();
  in.take(4);
  header.crc = in.number<std::uint32_t>();
  header.compressed_size = in.number<std::uint32_t>();
  header.size = in.number<std::uint32_t>();
  header.name_size = in.number<std::uint16_t>();
  header.extra_size = in.number<std::uint16_t>();
  return header;
}

base::Error ZipArchive::error(std::uint64_t offset, std::string found, std::string expected) const {
  return {std::move(found), std::move(expected), source_->name(), offset};
}

base::Result<std::unique_ptr<ZipArchive>> ZipArchive::open(std::shared_ptr<base::ByteSource> source) {
  std::unique_ptr<ZipArchive> archive(new ZipArchive(std::move(source)));
  NNS_TRY_ASSIGN(const Directory directory, archive->find_directory());
  NNS_TRY(archive->read_directory(directory));
  NNS_TRY(archive->check_layout(directory));
  NNS_TRY(archive->index_names());
  return archive;
}

base::Result<bool> ZipArchive::ends_with_directory(base::ByteSource& source) {
  std::vector<std::byte> tail(static_cast<std::size_t>(std::min(source.size(), kEndSize + kMaxComment)));
  NNS_TRY(source.read(source.size() - tail.size(), tail));
  return find_end_record(tail) != tail.size();
}

base::Result<ZipArchive::Directory> ZipArchive::find_directory() const {
  // 1. The end record: in the last few bytes, unless the archive has a long comment.
  const std::uint64_t size = source_->size();
  std::vector<std::byte> tail;
  std::size_t at = 0;
  for (const std::uint64_t reach : {kFirstTail, kEndSize + kMaxComment}) {
    tail.resize(static_cast<std::size_t>(std::min(size, reach)));
    NNS_TRY(source_->read(size - tail.size(), tail));
    at = find_end_record(tail);
    if (at != tail.size() || tail.size() == size) break;
  }
  if (at == tail.size()) {
    return error(size, "the file ends without a zip directory", "an end record; the file may be cut short");
  }
  const std::uint64_t end = size - tail.size() + at;
  base::ByteReader in(std::span<const std::byte>(tail).subspan(at));
  in.take(4);
  const auto disk = in.number<std::uint16_t>();
  const auto directory_disk = in.number<std::uint16_t>();
  const auto entries_here = in.number<std::uint16_t>();
  Directory directory;
  directory.entries = in.number<std::uint16_t>();
  directory.size = in.number<std::uint32_t>();
  directory.offset = in.number<std::uint32_t>();
  directory.end = end;
  // 2. Fields that do not fit are in the zip64 record.
  if (directory.entries == UINT16_MAX || directory.size == UINT32_MAX || directory.offset == UINT32_MAX) {
    NNS_TRY(read_zip64(end, directory));
  } else if (disk != 0 || directory_disk != 0 || entries_here != directory.entries) {
    return error(end, "an archive on several disks", "one file");
  }
  if (directory.offset > directory.end || directory.size > directory.end - directory.offset) {
    return error(end, fmt::format("a directory of {} bytes at byte {}", directory.size, directory.offset),
                 fmt::format("a directory that ends before byte {}", directory.end));
  }
  if (directory.size > kMaxDirectory) {
    return error(end, fmt::format("a directory of {} bytes", directory.size), fmt::format("at most {}", kMaxDirectory));
  }
  if (directory.entries > directory.size / kRecordSize) {
    return error(end, fmt::format("{} entries in a directory of {} bytes", directory.entries, directory.size),
                 fmt::format("at most {}", directory.size / kRecordSize));
  }
  return directory;
}

base::Result<void> ZipArchive::read_zip64(std::uint64_t locator_end, Directory& directory) const {
  if (locator_end < kLocatorSize) return error(locator_end, "no zip64 locator before the end record", "20 bytes of it");
  std::array<std::byte, kLocatorSize> locator{};
  NNS_TRY(source_->read(locator_end - kLocatorSize, locator));
  base::ByteReader at(locator);
  if (at.number<std::uint32_t>() != kLocatorSignature) {
    return error(locator_end - kLocatorSize, "no zip64 locator before the end record",
                 "one, because the end record has fields of all ones");
  }
  const auto disk = at.number<std::uint32_t>();
  const auto offset = at.number<std::uint64_t>();
  const auto disks = at.number<std::uint32_t>();
  if (disk != 0 || disks > 1) return error(locator_end - kLocatorSize, "an archive on several disks", "one file");
  std::array<std::byte, kEnd64Size> record{};
  if (offset > locator_end - kLocatorSize || locator_end - kLocatorSize - offset < kEnd64Size) {
    return error(locator_end - kLocatorSize, fmt::format("a zip64 end record at byte {}", offset),
                 "one before its locator");
  }
  NNS_TRY(source_->read(offset, record));
  base::ByteReader in(record);
  if (in.number<std::uint32_t>() != kEnd64Signature) return error(offset, "no zip64 end record here", "its signature");
  in.take(12);
  const auto this_disk = in.number<std::uint32_t>();
  const auto directory_disk = in.number<std::uint32_t>();
  const auto entries_here = in.number<std::uint64_t>();
  directory.entries = in.number<std::uint64_t>();
  directory.size = in.number<std::uint64_t>();
  directory.offset = in.number<std::uint64_t>();
  directory.end = offset;
  if (this_disk != 0 || directory_disk != 0 || entries_here != directory.entries) {
    return error(offset, "an archive on several disks", "one file");
  }
  return {};
}

base::Result<void> ZipArchive::read_directory(const Directory& directory) {
  directory_.resize(static_cast<std::size_t>(directory.size));
  NNS_TRY(source_->read(directory.offset, directory_));
  members_.reserve(static_cast<std::size_t>(directory.entries));
  base::ByteReader in(directory_);
  for (std::uint64_t entry = 0; entry < directory.entries; ++entry) {
    ZipMember member;
    member.directory_offset = directory.offset + in.position();
    const auto signature = in.number<std::uint32_t>();
    if (in.ok() && signature != kRecordSignature) {
      return error(member.directory_offset, fmt::format("entry {} of the directory does not begin with PK 1 2", entry),
                   "its signature");
    }
    in.take(4);
    member.flags = in.number<std::uint16_t>();
    member.method = in.number<std::uint16_t>();
    in.take(4);
    member.crc = in.number<std::uint32_t>();
    member.compressed_size = in.number<std::uint32_t>();
    member.size = in.number<std::uint32_t>();
    const auto name_size = in.number<std::uint16_t>();
    const auto extra_size = in.number<std::uint16_t>();
    const auto comment_size = in.number<std::uint16_t>();
    const auto disk = in.number<std::uint16_t>();
    in.take(6);
    member.header_offset = in.number<std::uint32_t>();
    member.name = in.take_text(name_size);
    base::ByteReader extra(in.take(extra_size));
    in.take(comment_size);
    if (!in.ok()) {
      return error(member.directory_offset, fmt::format("entry {} of {} is cut short", entry, directory.entries),
                   "a whole directory");
    }
    if (disk != 0 && disk != UINT16_MAX)
      return error(member.directory_offset, "an archive on several disks", "one file");
    // The zip64 field holds, in this order, those of the sizes and the offset that are all ones above.
    while (extra.ok() && extra.remaining() >= 4) {
      const auto id = extra.number<std::uint16_t>();
      base::ByteReader field(extra.take(extra.number<std::uint16_t>()));
      if (id != 1) continue;
      if (member.size == UINT32_MAX) member.size = field.number<std::uint64_t>();
      if (member.compressed_size == UINT32_MAX) member.compressed_size = field.number<std::uint64_t>();
      if (member.header_offset == UINT32_MAX) member.header_offset = field.number<std::uint64_t>();
      if (!field.ok())
        return error(member.directory_offset, "a zip64 field that is too short", "the sizes it stands for");
      break;
    }
    if (base::find_invalid_utf8(member.name)) {
      return error(member.directory_offset + kRecordSize, "a name that is not UTF-8", "UTF-8");
    }
    if (member.is_stored() && member.size != member.compressed_size) {
      return error(member.directory_offset,
                   fmt::format("member {} is stored, yet has {} bytes packed and {} unpacked", member.name,
                               member.compressed_size, member.size),
                   "equal sizes");
    }
    members_.push_back(member);
  }
  return {};
}

base::Result<void> ZipArchive::check_layout(const Directory& directory) {
  std::vector<std::uint32_t> order(members_.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    return members_[a].header_offset < members_[b].header_offset;
  };
  if (!std::is_sorted(order.begin(), order.end(), before)) std::sort(order.begin(), order.end(), before);
  for (std::size_t at = 0; at < order.size(); ++at) {
    ZipMember& member = members_[order[at]];
    member.limit = at + 1 < order.size() ? members_[order[at + 1]].header_offset : directory.offset;
    const std::uint64_t header = ZipLocalHeader::kBytes + member.name.size();
    if (member.limit < member.header_offset || member.limit - member.header_offset < header ||
        member.limit - member.header_offset - header < member.compressed_size) {
      return error(member.directory_offset,
                   fmt::format("member {} at byte {} with {} bytes reaches into what follows at byte {}", member.name,
                               member.header_offset, member.compressed_size, member.limit),
                   "members that do not overlap");
    }
  }
  return {};
}

base::Result<void> ZipArchive::index_names() {
  std::size_t slots = 16;
  while (slots < members_.size() * 2) slots *= 2;
  slots_.assign(slots, kNoMember);
  for (std::uint32_t member = 0; member < members_.size(); ++member) {
    std::size_t at = static_cast<std::size_t>(base::hash_text(members_[member].name)) & (slots - 1);
    for (; slots_[at] != kNoMember; at = (at + 1) & (slots - 1)) {
      if (members_[slots_[at]].name == members_[member].name) {
        return error(members_[member].directory_offset, fmt::format("member {} appears twice", members_[member].name),
                     "each name once");
      }
    }
    slots_[at] = member;
  }
  return {};
}

std::uint32_t ZipArchive::find(std::string_view name) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = static_cast<std::size_t>(base::hash_text(name)) & mask; slots_[at] != kNoMember;
       at = (at + 1) & mask) {
    if (members_[slots_[at]].name == name) return slots_[at];
  }
  return kNoMember;
}

base::Result<std::uint64_t> ZipArchive::stored_offset(std::uint32_t index) const {
  const ZipMember& member = members_[index];
  if (member.is_stored()) return data_offset(index);
  return error(member.header_offset,
               fmt::format("member {} is compressed, so its bytes have no place of their own",
                           base::escape_invalid_utf8(member.name)),
               "a stored member");
}

base::Result<std::uint64_t> ZipArchive::data_offset(std::uint32_t index) const {
  const ZipMember& member = members_[index];
  std::vector<std::byte> bytes(static_cast<std::size_t>(ZipLocalHeader::kBytes) + member.name.size());
  NNS_TRY(source_->read(member.header_offset, bytes));
  base::ByteReader in(bytes);
  const ZipLocalHeader header = ZipLocalHeader::take(in);
  if (!header.has_signature) {
    return error(member.header_offset, fmt::format("no local header of member {} here", member.name), "its signature");
  }
  if (header.method != member.method || header.name_size != member.name.size() ||
      in.take_text(header.name_size) != member.name) {
    return error(member.header_offset, fmt::format("a local header that is not that of member {}", member.name),
                 "the name and the method of the directory");
  }
  const std::uint64_t begin = member.header_offset + bytes.size() + header.extra_size;
  if (begin > member.limit || member.limit - begin < member.compressed_size) {
    return error(member.header_offset,
                 fmt::format("member {} with {} bytes reaches into what follows", member.name, member.compressed_size),
                 fmt::format("an end before byte {}", member.limit));
  }
  return begin;
}

base::Result<ZipBytes> ZipArchive::read(std::uint32_t index, std::uint64_t limit) const {
  const ZipMember& member = members_[index];
  if (member.is_encrypted())
    return error(member.directory_offset, fmt::format("member {} is encrypted", member.name), "plain bytes");
  if (member.size > limit) {
    return error(member.directory_offset, fmt::format("member {} unpacks to {} bytes", member.name, member.size),
                 fmt::format("at most {}", limit));
  }
  NNS_TRY_ASSIGN(const std::uint64_t begin, data_offset(index));
  ZipBytes result;
  if (member.is_stored()) {
    if (const auto view = source_->view(begin, member.size)) {
      result.bytes = *view;
    } else {
      result.owned.resize(static_cast<std::size_t>(member.size));
      NNS_TRY(source_->read(begin, result.owned));
      result.bytes = result.owned;
    }
  } else {
    NNS_TRY_ASSIGN(const auto packed, open_member(index));
    // Grown as it comes: what the directory promises is not allocated before it is there.
    constexpr std::size_t kZipStep = 1U << 20U;
    while (result.owned.size() < member.size) {
      const std::size_t done = result.owned.size();
      result.owned.resize(done + static_cast<std::size_t>(std::min<std::uint64_t>(kZipStep, member.size - done)));
      NNS_TRY(packed->read(done, std::span(result.owned).subspan(done)));
    }
    result.bytes = result.owned;
  }
  const auto crc = crc32_z(0, reinterpret_cast<const unsigned char*>(result.bytes.data()), result.bytes.size());
  result.crc_matches = static_cast<std::uint32_t>(crc) == member.crc;
  return result;
}

base::Result<std::string> ZipArchive::read_line(std::uint32_t member, std::uint64_t limit) const {
  NNS_TRY_ASSIGN(const ZipBytes bytes, read(member, limit));
  std::string text(reinterpret_cast<const char*>(bytes.bytes.data()), bytes.bytes.size());
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  return text;
}

base::Result<std::shared_ptr<base::ByteSource>> ZipArchive::open_member(std::uint32_t index) const {
  const ZipMember& member = members_[index];
  if (member.is_encrypted())
    return error(member.directory_offset, fmt::format("member {} is encrypted", member.name), "plain bytes");
  NNS_TRY_ASSIGN(const std::uint64_t begin, data_offset(index));
  std::string name = fmt::format("{}!{}", source_->name(), member.name);
  NNS_TRY_ASSIGN(auto packed, base::make_part_source(name, source_, begin, member.compressed_size));
  if (member.is_stored()) return packed;
  if (member.method != 8) {
    return error(member.directory_offset, fmt::format("member {} is packed with method {}", member.name, member.method),
                 "0 (stored) or 8 (deflated)");
  }
  if (member.size / kMaxDeflateRatio > member.compressed_size) {
    return error(
        member.directory_offset,
        fmt::format("member {} claims to unpack {} bytes to {}", member.name, member.compressed_size, member.size),
        fmt::format("at most {} times as many, the most that deflate can do", kMaxDeflateRatio));
  }
  return make_inflating_source(std::move(packed), member.size);
}

}  // namespace nns::checkpoint
