// What a scan does with a zip file whose directory is missing: members are found by their own headers.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/byte_reader.h"
#include "core/checkpoint/scan_frame.h"

namespace nns::checkpoint {

namespace {

constexpr std::uint32_t kLocalSignature = 0x04034b50;
constexpr std::uint32_t kDescriptorSignature = 0x08074b50;

/// A member, as its local header says. Behaviour: APPNOTE.TXT 6.3.10, 4.3.9 and 4.5.3.
struct LocalMember {
  std::string name;
  std::uint64_t begin = 0;  ///< of its bytes
  std::uint64_t packed = 0;
  std::uint64_t size = 0;
  std::uint16_t method = 0;
  bool is_encrypted = false;
  bool is_streamed = false;  ///< checksum and sizes follow the bytes, and are not known here
};

class CutZipFrame final : public Frame {
 public:
  explicit CutZipFrame(Piece piece) : Frame(std::move(piece)) {}
  std::uint64_t position() const override { return at_; }

  base::Result<bool> step(Scan& scan, const base::Budget& budget) override {
    const std::size_t frames = scan.frames.size();
    while (true) {
      if (!member_) {
        NNS_TRY_ASSIGN(member_, read_member());
        if (!member_) return true;
        at_ = member_->begin;
      }
      if (member_->is_streamed) {
        NNS_TRY_ASSIGN(const bool is_found, find_end(budget));
        if (!is_found) return false;
      }
      const LocalMember member = *std::exchange(member_, std::nullopt);
      const std::uint64_t left = piece_.source->size() - member.begin;
      at_ = member.begin + std::min(left, member.packed);
      NNS_TRY(look_at(scan, member));
      if (scan.frames.size() != frames) return false;
      if (scan.report.findings.size() > ScanReport::kMostFindings) return true;
      if (budget.spent()) return false;
    }
  }

 private:
  /// The member whose header stands at at_; none: there is no whole one.
  base::Result<std::optional<LocalMember>> read_member() {
    base::ByteSource& source = *piece_.source;
    std::vector<std::byte> bytes(static_cast<std::size_t>(
        std::min<std::uint64_t>(ZipLocalHeader::kBytes + 2 * UINT16_MAX, source.size() - at_)));
    NNS_TRY(source.read(at_, bytes));
    base::ByteReader in(bytes);
    const ZipLocalHeader header = ZipLocalHeader::take(in);
    if (!header.has_signature) return std::optional<LocalMember>();
    LocalMember member;
    member.name = in.take_text(header.name_size);
    base::ByteReader extra(in.take(header.extra_size));
    if (!in.ok()) return std::optional<LocalMember>();
    const std::uint32_t packed = header.compressed_size;
    member.begin = at_ + in.position();
    member.packed = packed;
    member.size = header.size;
    member.method = header.method;
    member.is_encrypted = header.is_encrypted();
    member.is_streamed = header.is_streamed() && (packed == 0 || packed == UINT32_MAX);
    // Sizes of more than 32 bits.
    constexpr std::uint16_t kZip64 = 1;
    while (!member.is_streamed && packed == UINT32_MAX && extra.ok() && extra.remaining() >= 4) {
      const auto kind = extra.number<std::uint16_t>();
      base::ByteReader field(extra.take(extra.number<std::uint16_t>()));
      if (kind != kZip64) continue;
      member.size = field.number<std::uint64_t>();
      member.packed = field.number<std::uint64_t>();
      break;
    }
    return std::optional(std::move(member));
  }

  /// Looks for the record behind the bytes of a streamed member, which tells how many they are; without one they reach
  /// to the end of the file. False: goes on in the next step.
  base::Result<bool> find_end(const base::Budget& budget) {
    constexpr std::size_t kCutStep = 1U << 20U;
    constexpr std::size_t kRecord = 24;  // with sizes of 64 bits
    base::ByteSource& source = *piece_.source;
    std::vector<std::byte> bytes;
    while (at_ < source.size()) {
      bytes.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kCutStep + kRecord, source.size() - at_)));
      NNS_TRY(source.read(at_, bytes));
      const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      for (std::size_t found = text.find("PK\x07\x08"); found != std::string_view::npos && found < kCutStep;
           found = text.find("PK\x07\x08", found + 1)) {
        const std::uint64_t length = at_ + found - member_->begin;
        base::ByteReader in(std::span<const std::byte>(bytes).subspan(found));
        if (in.number<std::uint32_t>() != kDescriptorSignature) continue;
        in.take(4);
        base::ByteReader wide = in;
        const auto packed = in.number<std::uint32_t>();
        const auto size = in.number<std::uint32_t>();
        const auto wide_packed = wide.number<std::uint64_t>();
        const auto wide_size = wide.number<std::uint64_t>();
        const bool is_narrow = in.ok() && packed == length;
        const bool is_wide = wide.ok() && wide_packed == length;
        if (!is_narrow && !is_wide) continue;
        member_->packed = length;
        // Of both forms of one record only the wider has a length above it.
        member_->size = is_wide ? wide_size : size;
        at_ += found;
        return true;
      }
      at_ += std::min<std::uint64_t>(kCutStep, bytes.size());
      if (budget.spent()) return false;
    }
    member_->packed = member_->size = source.size() - member_->begin;
    return true;
  }

  base::Result<void> look_at(Scan& scan, const LocalMember& member) {
    skip_record();
    storages_.note(member.name);
    const std::uint64_t left = piece_.source->size() - member.begin;
    const std::uint64_t packed = std::min(left, member.packed);
    if (packed == 0 || storages_.has(member.name)) return {};
    Piece inner{nullptr, name_inside(piece_.member, member.name), piece_.depth + 1, member.method != 0, std::nullopt,
                false};
    if (member.is_encrypted) scan.add(inner, 0, Verdict::Dangerous, "marked as encrypted");
    const bool is_cut = packed < member.packed || (member.is_streamed && member.size == member.packed);
    if (member.method == 8 && is_cut) {
      scan.add(inner, 0, Verdict::Dangerous, "packed, and cut off: what is in it cannot be looked at");
      return {};
    }
    return look_at_zip_member(scan, piece_, std::move(inner),
                              {member.name, member.begin, packed, member.size, member.method});
  }

  /// Behind a streamed member stands the record that told its size.
  void skip_record() {
    base::ByteSource& source = *piece_.source;
    for (const std::uint64_t size : {0U, 16U, 24U}) {
      std::array<std::byte, 4> word{};
      if (source.size() - at_ < size + word.size() || !source.read(at_ + size, word).ok()) continue;
      if (base::ByteReader(word).number<std::uint32_t>() != kLocalSignature) continue;
      at_ += size;
      return;
    }
  }

  std::optional<LocalMember> member_;
  StoragePlaces storages_;
  std::uint64_t at_ = 0;
};

}  // namespace

void StoragePlaces::note(std::string_view name) {
  for (const std::string_view pickle : {std::string_view("data.pkl"), std::string_view("constants.pkl")}) {
    const std::size_t root = name.size() - std::min(name.size(), pickle.size());
    if (name.substr(root) == pickle && (root == 0 || name[root - 1] == '/')) {
      folders_.push_back(fmt::format("{}/", name.substr(0, name.size() - 4)));
    }
  }
}

bool StoragePlaces::has(std::string_view name) const {
  return std::any_of(folders_.begin(), folders_.end(), [&](const std::string& folder) {
    return name.size() > folder.size() && name.substr(0, folder.size()) == folder &&
           name.find('/', folder.size()) == std::string_view::npos && !is_called_pickle(name);
  });
}

std::unique_ptr<Frame> make_cut_zip_frame(Piece piece) { return std::make_unique<CutZipFrame>(std::move(piece)); }

}  // namespace nns::checkpoint
