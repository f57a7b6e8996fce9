// What a scan does with archives.
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>

#include "core/base/byte_reader.h"
#include "core/base/utf8.h"
#include "core/checkpoint/inflate.h"
#include "core/checkpoint/scan_frame.h"

namespace nns::checkpoint {

namespace {

using Source = std::shared_ptr<base::ByteSource>;

constexpr std::size_t kStep = 1U << 20U;
constexpr std::uint64_t kTarBlock = 512;

/// Unpacks a member into memory, and holds its checksum against what the directory says.
class CheckFrame final : public Frame {
 public:
  explicit CheckFrame(Piece piece) : Frame(std::move(piece)) {}
  std::uint64_t position() const override { return at_; }

  base::Result<bool> step(Scan& scan, const base::Budget& budget) override {
    base::ByteSource& source = *piece_.source;
    if (at_ == 0 && piece_.is_packed) {
      if (source.size() > ScanTask::kMostUnpacked ||
          source.size() > ScanTask::kMostUnpackedTogether - std::min(scan.unpacked, ScanTask::kMostUnpackedTogether)) {
        scan.add(piece_, 0, Verdict::Dangerous,
                 fmt::format("unpacks to {} bytes, more than a scan looks into", source.size()));
        return true;
      }
      scan.unpacked += source.size();
    }
    while (at_ < source.size()) {
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(kStep, source.size() - at_));
      std::span<const std::byte> bytes;
      const auto view = piece_.is_packed ? std::nullopt : source.view(at_, count);
      if (view) {
        bytes = *view;
      } else {
        const std::size_t begin = piece_.is_packed ? bytes_.size() : 0;
        bytes_.resize(begin + count);
        if (auto got = source.read(at_, std::span(bytes_).subspan(begin)); !got.ok()) {
          if (!piece_.is_packed) return std::move(got).error();
          scan.add(piece_, at_, Verdict::Dangerous, "cannot be unpacked as its archive says: " + got.error().message());
          return true;
        }
        bytes = std::span<const std::byte>(bytes_).subspan(begin);
      }
      crc_ = crc32_z(crc_, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
      at_ += count;
      if (budget.spent()) return false;
    }
    if (piece_.crc && static_cast<std::uint32_t>(crc_) != *piece_.crc) {
      scan.add(piece_, 0, Verdict::Dangerous,
               "has another checksum than its archive says: some readers refuse it, some load it");
    }
    Piece checked{piece_.source, piece_.member, piece_.depth, false, std::nullopt, piece_.is_guess};
    if (piece_.is_packed) checked.source = base::make_memory_source(source.name(), std::move(bytes_));
    NNS_TRY(scan.look(std::move(checked)));
    return true;
  }

 private:
  std::uint64_t at_ = 0;
  unsigned long crc_ = 0;
  std::vector<std::byte> bytes_;
};

/// Where a member's bytes begin, and what its local header says against the directory.
struct CheckedHeader {
  std::uint64_t begin = 0;
  std::string contradiction;
};

base::Result<CheckedHeader> check_local_header(base::ByteSource& source, const ZipMember& member) {
  CheckedHeader checked;
  std::vector<std::byte> bytes(static_cast<std::size_t>(
      std::min(ZipLocalHeader::kBytes + member.name.size(), source.size() - member.header_offset)));
  NNS_TRY(source.read(member.header_offset, bytes));
  base::ByteReader in(bytes);
  const ZipLocalHeader header = ZipLocalHeader::take(in);
  const std::string_view name = in.take_text(header.name_size);
  checked.begin = member.header_offset + ZipLocalHeader::kBytes + header.name_size + header.extra_size;
  // Sizes of all ones are in the zip64 field.
  const bool is_streamed = header.is_streamed();
  const auto differs = [&](std::uint32_t told, std::uint64_t promised) {
    return told != UINT32_MAX && told != promised && !(is_streamed && told == 0);
  };
  if (!header.has_signature) {
    checked.contradiction = "no local header where the directory says";
  } else if (!in.ok() || name != member.name) {
    checked.contradiction = "another name in its local header than in the directory";
  } else if (header.is_encrypted() || member.is_encrypted()) {
    checked.contradiction = "marked as encrypted: some readers refuse it, some load it";
  } else if (header.method != member.method) {
    checked.contradiction = "another way of packing in its local header than in the directory";
  } else if (differs(header.compressed_size, member.compressed_size) || differs(header.size, member.size)) {
    checked.contradiction = "other sizes in its local header than in the directory";
  } else if (header.crc != member.crc && !(is_streamed && header.crc == 0)) {
    checked.contradiction = "another checksum in its local header than in the directory";
  }
  return checked;
}

class ZipFrame final : public Frame {
 public:
  ZipFrame(Piece piece, std::unique_ptr<ZipArchive> archive) : Frame(std::move(piece)), archive_(std::move(archive)) {
    for (const ZipMember& member : archive_->members()) {
      first_ = std::min(first_, member.header_offset);
      storages_.note(member.name);
    }
  }
  std::uint64_t position() const override { return at_; }

  base::Result<bool> step(Scan& scan, const base::Budget& budget) override {
    const std::size_t frames = scan.frames.size();
    if (next_ == 0 && first_ != 0 && first_ != UINT64_MAX && !told_prefix_) {
      told_prefix_ = true;
      scan.add(piece_, 0, Verdict::Unknown, fmt::format("{} bytes stand before the archive", first_));
    }
    while (next_ < archive_->members().size()) {
      const ZipMember& member = archive_->members()[next_++];
      at_ = member.header_offset;
      NNS_TRY(look_at(scan, member));
      if (scan.frames.size() != frames) return false;
      if (scan.report.findings.size() > ScanReport::kMostFindings) return true;
      if (budget.spent()) return false;
    }
    return true;
  }

 private:
  base::Result<void> look_at(Scan& scan, const ZipMember& member) {
    if (member.size == 0 || storages_.has(member.name)) return {};
    Piece inner{nullptr, name_inside(piece_.member, member.name), piece_.depth + 1, !member.is_stored(), member.crc,
                false};
    NNS_TRY_ASSIGN(const CheckedHeader header, check_local_header(*piece_.source, member));
    if (!header.contradiction.empty()) scan.add(inner, 0, Verdict::Dangerous, header.contradiction);
    return look_at_zip_member(scan, piece_, std::move(inner),
                              {member.name, header.begin, member.compressed_size, member.size, member.method});
  }

  std::unique_ptr<ZipArchive> archive_;
  StoragePlaces storages_;
  std::uint64_t first_ = UINT64_MAX;
  bool told_prefix_ = false;
  std::size_t next_ = 0;
  std::uint64_t at_ = 0;
};

class TarFrame final : public Frame {
 public:
  explicit TarFrame(Piece piece) : Frame(std::move(piece)) {}
  std::uint64_t position() const override { return at_; }

  base::Result<bool> step(Scan& scan, const base::Budget& budget) override {
    const std::size_t frames = scan.frames.size();
    const std::uint64_t end = piece_.source->size();
    while (end - at_ >= kTarBlock) {
      std::array<std::byte, kTarBlock> block{};
      NNS_TRY(piece_.source->read(at_, block));
      const std::string_view head(reinterpret_cast<const char*>(block.data()), block.size());
      if (head.find_first_not_of('\0') == std::string_view::npos) return true;
      std::uint64_t size = 0;
      if (!is_tar_header(head) || !read_size(head.substr(124, 12), size) || size > end - at_ - kTarBlock) {
        scan.add(piece_, at_, Verdict::Dangerous, "a tar archive that breaks here");
        return true;
      }
      const std::uint64_t data = at_ + kTarBlock;
      at_ = std::min(end, data + (size + kTarBlock - 1) / kTarBlock * kTarBlock);
      const char type = head[156];
      const std::string_view name = head.substr(0, std::min<std::size_t>(head.find('\0'), 100));
      if (size != 0 && type != 'L' && type != 'K' && type != 'x' && type != 'g') {
        NNS_TRY_ASSIGN(Source bytes, base::make_part_source(fmt::format("{}!{}", piece_.source->name(), name),
                                                            piece_.source, data, size));
        NNS_TRY(scan.look(
            {std::move(bytes), name_inside(piece_.member, name), piece_.depth + 1, false, std::nullopt, false}));
        if (scan.frames.size() != frames) return false;
      }
      if (scan.report.findings.size() > ScanReport::kMostFindings) return true;
      if (budget.spent()) return false;
    }
    return true;
  }

 private:
  /// Octal digits, or with the first bit set a big-endian number.
  static bool read_size(std::string_view text, std::uint64_t& size) {
    const bool is_binary = (static_cast<unsigned char>(text[0]) & 0x80U) != 0;
    for (std::size_t at = is_binary ? 4 : 0; at < text.size(); ++at) {
      const char c = text[at];
      if (is_binary) {
        size = size * 256 + static_cast<unsigned char>(c);
      } else if (c >= '0' && c <= '7') {
        size = size * 8 + static_cast<std::uint64_t>(c - '0');
      } else if (c != ' ' && c != '\0') {
        return false;
      }
    }
    return true;
  }

  std::uint64_t at_ = 0;
};

/// A gzip or zlib stream: joblib and others pickle into such.
class UnpackFrame final : public Frame {
 public:
  UnpackFrame(Piece piece, bool is_sure) : Frame(std::move(piece)), is_sure_(is_sure) {}
  ~UnpackFrame() override {
    if (is_open_) inflateEnd(&stream_);
  }
  UnpackFrame(const UnpackFrame&) = delete;
  UnpackFrame& operator=(const UnpackFrame&) = delete;
  std::uint64_t position() const override { return at_; }

  base::Result<bool> step(Scan& scan, const base::Budget& budget) override {
    constexpr int kEither = MAX_WBITS + 32;  // gzip or zlib, by its header
    if (!is_open_ && inflateInit2(&stream_, kEither) != Z_OK)
      return base::Error{"no memory to unpack this", "32 KB of it", piece_.source->name(), 0};
    is_open_ = true;
    while (true) {
      if (stream_.avail_in == 0 && at_ < piece_.source->size()) {
        const auto count =
            static_cast<std::size_t>(std::min<std::uint64_t>(input_.size(), piece_.source->size() - at_));
        NNS_TRY(piece_.source->read(at_, std::span(input_).first(count)));
        at_ += count;
        stream_.next_in = reinterpret_cast<unsigned char*>(input_.data());
        stream_.avail_in = static_cast<unsigned>(count);
      }
      const std::size_t begin = bytes_.size();
      bytes_.resize(begin + kStep / 4);
      stream_.next_out = reinterpret_cast<unsigned char*>(bytes_.data() + begin);
      stream_.avail_out = kStep / 4;
      const unsigned before = stream_.avail_in;
      const int status = inflate(&stream_, Z_NO_FLUSH);
      bytes_.resize(bytes_.size() - stream_.avail_out);
      scan.unpacked += bytes_.size() - begin;
      if (bytes_.size() > ScanTask::kMostUnpacked || scan.unpacked > ScanTask::kMostUnpackedTogether) {
        scan.add(piece_, 0, Verdict::Dangerous, "unpacks to more bytes than a scan looks into");
        return true;
      }
      if (status == Z_STREAM_END) {
        // gzip streams may follow each other.
        if ((stream_.avail_in == 0 && at_ == piece_.source->size()) || !is_sure_) break;
        if (stream_.avail_in != 0 && stream_.next_in[0] != 0x1f) break;
        inflateReset(&stream_);
      } else if (status != Z_OK && status != Z_BUF_ERROR) {
        if (!is_sure_) return true;
        scan.add(piece_, at_ - stream_.avail_in, broken(), "a gzip stream that breaks here");
        break;
      } else if (bytes_.size() == begin && stream_.avail_in == before && at_ == piece_.source->size()) {
        if (!is_sure_) return true;
        scan.add(piece_, at_, broken(), "a gzip stream without an end");
        break;
      }
      if (budget.spent()) return false;
    }
    if (bytes_.empty()) return true;
    NNS_TRY(scan.look({base::make_memory_source(piece_.source->name(), std::move(bytes_)),
                       name_inside(piece_.member, "unpacked"), piece_.depth + 1, false, std::nullopt, false}));
    return true;
  }

 private:
  /// A file may have been cut short on its way; inside an archive nothing is by chance. What is there is looked at.
  Verdict broken() const { return piece_.depth == 0 ? Verdict::Unknown : Verdict::Dangerous; }

  bool is_sure_;
  bool is_open_ = false;
  z_stream stream_{};
  std::uint64_t at_ = 0;
  std::array<std::byte, 65536> input_{};
  std::vector<std::byte> bytes_;
};

}  // namespace

bool is_tar_header(std::string_view head) {
  if (head.size() < kTarBlock || head[0] == '\0') return false;
  std::uint64_t sum = 0;
  std::uint64_t told = 0;
  bool has_digits = false;
  for (std::size_t at = 0; at < kTarBlock; ++at) {
    const bool is_sum = at >= 148 && at < 156;
    sum += is_sum ? 0x20U : static_cast<unsigned char>(head[at]);
    if (is_sum && head[at] >= '0' && head[at] <= '7') {
      told = told * 8 + static_cast<std::uint64_t>(head[at] - '0');
      has_digits = true;
    }
  }
  return has_digits && told == sum;
}

bool is_called_pickle(std::string_view name) { return name.ends_with(".pkl") || name.ends_with(".pickle"); }

std::string name_inside(const std::string& outer, std::string_view name) {
  const std::string shown = base::escape_invalid_utf8(std::string(name));
  return outer.empty() ? shown : fmt::format("{}!{}", outer, shown);
}

base::Result<void> look_at_zip_member(Scan& scan, const Piece& archive, Piece inner, const ZipMemberBytes& member) {
  if (member.method != 0 && member.method != 8) {
    scan.add(inner, 0, Verdict::Dangerous,
             fmt::format("packed with method {}, which hides what is in it", member.method));
    return {};
  }
  const std::uint64_t end = archive.source->size();
  if (member.begin > end || member.compressed_size > end - member.begin) {
    scan.add(inner, 0, Verdict::Dangerous, "reaches beyond the end of the file");
    return {};
  }
  NNS_TRY_ASSIGN(inner.source, base::make_part_source(fmt::format("{}!{}", archive.source->name(), member.name),
                                                      archive.source, member.begin, member.compressed_size));
  if (member.method != 0) {
    if (member.size / kMaxDeflateRatio > member.compressed_size) {
      scan.add(inner, 0, Verdict::Dangerous, "claims to unpack to more than deflate can make");
      return {};
    }
    inner.source = make_inflating_source(std::move(inner.source), member.size);
  }
  return scan.look(std::move(inner));
}

std::unique_ptr<Frame> make_check_frame(Piece piece) { return std::make_unique<CheckFrame>(std::move(piece)); }

std::unique_ptr<Frame> make_zip_frame(Piece piece, std::unique_ptr<ZipArchive> archive) {
  return std::make_unique<ZipFrame>(std::move(piece), std::move(archive));
}

std::unique_ptr<Frame> make_tar_frame(Piece piece) { return std::make_unique<TarFrame>(std::move(piece)); }

std::unique_ptr<Frame> make_unpack_frame(Piece piece, bool is_sure) {
  return std::make_unique<UnpackFrame>(std::move(piece), is_sure);
}

}  // namespace nns::checkpoint
