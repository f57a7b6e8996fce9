#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/byte_reader.h"
#include "core/base/byte_source.h"
#include "core/base/result.h"

namespace nns::checkpoint {

/// One entry of the central directory.
struct ZipMember {
  std::string_view name;  ///< lives as long as the archive
  std::uint64_t size = 0;
  std::uint64_t compressed_size = 0;
  std::uint64_t header_offset = 0;     ///< of the local header, in the file
  std::uint64_t limit = 0;             ///< where the next member or the directory begins
  std::uint64_t directory_offset = 0;  ///< of its record, in the file: for messages
  std::uint32_t crc = 0;
  std::uint16_t method = 0;  ///< 0 stored, 8 deflated
  std::uint16_t flags = 0;

  bool is_stored() const { return method == 0; }
  bool is_encrypted() const { return (flags & 1U) != 0; }
};

/// What stands in front of a member's bytes, without its name and extra fields, which come next.
/// Behaviour: APPNOTE.TXT 6.3.10, 4.3.7.
struct ZipLocalHeader {
  static constexpr std::uint64_t kBytes = 30;
  static ZipLocalHeader take(base::ByteReader& in);

  bool has_signature = false;
  std::uint16_t flags = 0, method = 0;
  std::uint32_t crc = 0, compressed_size = 0, size = 0;
  std::uint16_t name_size = 0, extra_size = 0;

  bool is_encrypted() const { return (flags & 1U) != 0; }
  /// Checksum and sizes follow the bytes.
  bool is_streamed() const { return (flags & 8U) != 0; }
};

/// A member in memory.
struct ZipBytes {
  std::span<const std::byte> bytes;  ///< into the file's own memory, or into `owned`
  std::vector<std::byte> owned;
  bool crc_matches = true;
};

/// The directory of a zip file, zip64 too. Reads the end and the central directory; local headers when a member is
/// asked for. Behaviour: APPNOTE.TXT 6.3.10. Refused: several disks, names twice, members that overlap, anything
/// outside the file.
class ZipArchive {
 public:
  /// Errors: as above, with the byte offset.
  static base::Result<std::unique_ptr<ZipArchive>> open(std::shared_ptr<base::ByteSource> source);

  /// Whether the end record of a directory stands at the end of the file, whatever stands at its beginning.
  static base::Result<bool> ends_with_directory(base::ByteSource& source);

  std::span<const ZipMember> members() const { return members_; }
  /// Index of the member of that name, or UINT32_MAX.
  std::uint32_t find(std::string_view name) const;
  const base::ByteSource& source() const { return *source_; }

  /// Where the member's bytes begin in the file. Errors: its local header says something else than the directory.
  base::Result<std::uint64_t> data_offset(std::uint32_t member) const;
  /// The same of a member that is stored as it is. Errors: it is compressed, so its bytes have no place of their own.
  base::Result<std::uint64_t> stored_offset(std::uint32_t member) const;

  /// The member's bytes, unpacked. Errors: more than `limit` bytes; encrypted; a method that is neither stored nor
  /// deflated; a damaged stream; unpacks to less or more than it declares.
  base::Result<ZipBytes> read(std::uint32_t member, std::uint64_t limit) const;

  /// The same of a text, without the line's end behind it.
  base::Result<std::string> read_line(std::uint32_t member, std::uint64_t limit) const;

  /// A source of the member's bytes: a part of the file, or what is unpacked piece by piece.
  base::Result<std::shared_ptr<base::ByteSource>> open_member(std::uint32_t member) const;

 private:
  struct Directory {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    std::uint64_t entries = 0;
    std::uint64_t end = 0;  // of what may hold members and directory
  };

  explicit ZipArchive(std::shared_ptr<base::ByteSource> source) : source_(std::move(source)) {}
  base::Result<Directory> find_directory() const;
  base::Result<void> read_zip64(std::uint64_t locator_end, Directory& directory) const;
  base::Result<void> read_directory(const Directory& directory);
  base::Result<void> check_layout(const Directory& directory);
  base::Result<void> index_names();
  base::Error error(std::uint64_t offset, std::string found, std::string expected) const;

  std::shared_ptr<base::ByteSource> source_;
  std::vector<std::byte> directory_;
  std::vector<ZipMember> members_;
  std::vector<std::uint32_t> slots_;  // open addressing by name
};

}  // namespace nns::checkpoint
