#include "core/checkpoint/scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "core/checkpoint/format.h"
#include "core/checkpoint/npy_header.h"
#include "core/checkpoint/pickle_globals.h"
#include "core/checkpoint/scan_frame.h"
#include "core/checkpoint/scan_pickle.h"
#include "core/checkpoint/zip_archive.h"

namespace nns::checkpoint {

namespace {

using Source = std::shared_ptr<base::ByteSource>;

constexpr std::size_t kHead = 512;
/// Behind the place where a pickle breaks so many bytes are searched for names in lines. Units: bytes.
constexpr std::uint64_t kSearched = 16U << 20U;
constexpr std::size_t kPieceSearched = 60U << 10U;
constexpr std::size_t kLongestLine = 128;

enum class Kind : std::uint8_t { Other, Plain, Json, Zip, Tar, Gzip, Zlib, Npy, Pickle, Hidden, Native };

struct Content {
  Kind kind = Kind::Other;
  std::string_view name;
  std::string_view extension;  // of what cannot be looked into
};

struct Magic {
  std::string_view bytes;
  Content content;
};
constexpr Magic kMagics[] = {
    {{"PK\x03\x04", 4}, {Kind::Zip, "zip", {}}},
    {{"PK\x05\x06", 4}, {Kind::Zip, "zip", {}}},
    {{"\x1f\x8b", 2}, {Kind::Gzip, "gzip", {}}},
    {{"\x93NUMPY", 6}, {Kind::Npy, "npy", {}}},
    {{"GGUF", 4}, {Kind::Plain, "gguf", {}}},
    {{"7z\xbc\xaf\x27\x1c", 6}, {Kind::Hidden, "7z", ".7z"}},
    {{"Rar!\x1a\x07", 6}, {Kind::Hidden, "rar", ".rar"}},
    {{"\xfd"
      "7zXZ\0",
      6},
     {Kind::Hidden, "xz", ".xz"}},
    {{"BZh", 3}, {Kind::Hidden, "bzip2", ".bz2"}},
    {{"\x28\xb5\x2f\xfd", 4}, {Kind::Hidden, "zstd", ".zst"}},
    {{"\x04\x22\x4d\x18", 4}, {Kind::Hidden, "lz4", ".lz4"}},
    {{"\x5d\x00\x00\x80\x00\xff", 6}, {Kind::Hidden, "lzma", ".lzma"}},
    {{"MSCF\0\0\0\0", 8}, {Kind::Hidden, "cab", ".cab"}},
    {{"\x7f"
      "ELF",
      4},
     {Kind::Native, "ELF", {}}},
    {{"\xcf\xfa\xed\xfe", 4}, {Kind::Native, "Mach-O", {}}},
    {{"MZ\x90\0", 4}, {Kind::Native, "PE", {}}},
};

Content classify(std::string_view head, const Beginning& beginning) {
  for (const Magic& magic : kMagics) {
    if (head.substr(0, magic.bytes.size()) == magic.bytes) return magic.content;
  }
  if (recognises_tar(beginning) || is_tar_header(head)) return {Kind::Tar, "tar", {}};
  if (recognises_safetensors(beginning)) return {Kind::Plain, "safetensors", {}};
  if (head.size() >= 2 && head[0] == '\x80' && head[1] >= 0 && head[1] <= 5) return {Kind::Pickle, "pickle", {}};
  if (recognises_json(beginning)) return {Kind::Json, "json", {}};
  const auto byte = [&](std::size_t at) { return static_cast<unsigned>(static_cast<unsigned char>(head[at])); };
  if (head.size() >= 2 && head[0] == '\x78' && (byte(0) * 256 + byte(1)) % 31 == 0) return {Kind::Zlib, "zlib", {}};
  return {};
}

/// Identifiers with dots between them.
bool is_plain_name(std::string_view name) {
  bool is_start = true;
  for (const char c : name) {
    const bool is_letter = c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!is_letter && (is_start || (c != '.' && (c < '0' || c > '9')))) return false;
    is_start = c == '.';
  }
  return !is_start;
}

}  // namespace

Verdict ScanReport::verdict() const {
  Verdict worst = Verdict::Safe;
  for (const Finding& finding : findings) worst = std::max(worst, finding.verdict);
  return worst;
}

void ScanReport::add(Finding finding) {
  if (findings.size() > kMostFindings) return;
  if (findings.size() == kMostFindings) {
    finding = {Verdict::Dangerous,
               {},
               {},
               std::move(finding.member),
               finding.offset,
               fmt::format("more than {} findings: the others are not listed", kMostFindings)};
  }
  findings.push_back(std::move(finding));
}

namespace {

class PickleFrame final : public Frame {
 public:
  PickleFrame(Piece piece, std::uint64_t begin, bool is_sure, bool is_legacy_torch)
      : Frame(std::move(piece)),
        pickle_(piece_.source, piece_.member, own_),
        is_sure_(is_sure),
        is_legacy_torch_(is_legacy_torch) {
    if (piece_.expects_functions) pickle_.expect_functions();
    pickle_.restart(begin);
  }
  std::uint64_t position() const override { return std::max(pickle_.position(), searched_); }

  base::Result<bool> step(Scan& scan, const base::Budget& budget) override {
    while (searched_ == 0) {
      auto state = pickle_.step(budget);
      if (!state.ok()) {
        // What unpacks wrongly is told where the archive is checked.
        if (!piece_.is_packed) return std::move(state).error();
        state = PickleScan::State::Broken;
      }
      if (*state == PickleScan::State::Working) {
        const auto inner = pickle_.take_inner();
        if (inner.size == 0) return false;
        if (piece_.is_packed) continue;
        const std::size_t frames = scan.frames.size();
        NNS_TRY_ASSIGN(Source bytes,
                       base::make_part_source(piece_.source->name(), piece_.source, inner.offset, inner.size));
        NNS_TRY(scan.look({std::move(bytes), name_inside(piece_.member, fmt::format("bytes at {}", inner.offset)),
                           piece_.depth + 1, false, std::nullopt, true}));
        if (scan.frames.size() != frames) return false;
        continue;
      }
      if (*state == PickleScan::State::Stopped) {
        // A text may end as a pickle does, too; one with nothing behind it, or with globals, is taken for one.
        if (!is_sure_ && count_ == 0 && own_.findings.empty() && pickle_.position() != pickle_.size()) return true;
        ++scan.report.pickles;
        ++count_;
        if (scan.report.format.empty()) scan.report.format = "pickle";
        take_findings(scan, true);
        if (pickle_.position() == pickle_.size() || (is_legacy_torch_ && count_ == 5)) return true;
        begin_ = pickle_.position();
        pickle_.restart(begin_);
        if (scan.report.findings.size() > ScanReport::kMostFindings) return true;
        if (budget.spent()) return false;
        continue;
      }
      // Broken.
      const bool is_first = count_ == 0;
      take_findings(scan, is_sure_ && is_first);
      if (!is_sure_ && is_first) return true;
      scan.add(piece_, is_first ? pickle_.opcode_position() : begin_, Verdict::Unknown,
               is_first ? fmt::format("breaks here: {}", pickle_.fault())
                        : fmt::format("{} bytes behind the last pickle are no pickle", pickle_.size() - begin_));
      if (!is_sure_) return true;
      searched_ = is_first ? pickle_.opcode_position() + 1 : begin_ + 1;
      search_end_ = std::min(pickle_.size(), searched_ + kSearched);
    }
    return search(scan, budget);
  }

 private:
  /// All findings of the pickle that was followed, or only the dangerous globals.
  void take_findings(Scan& scan, bool all) {
    for (Finding& finding : own_.findings) {
      if (all || (finding.verdict == Verdict::Dangerous && is_plain_name(finding.name)))
        scan.report.add(std::move(finding));
    }
    own_.findings.clear();
  }

  /// Behind a break: dangerous names in two lines, as GLOBAL and INST spell them. Whoever breaks a pickle on purpose
  /// trusts that some loader goes on.
  base::Result<bool> search(Scan& scan, const base::Budget& budget) {
    while (searched_ < search_end_) {
      NNS_TRY_ASSIGN(const std::string_view text, pickle_.window().at(searched_, kPieceSearched + 2 * kLongestLine));
      const std::size_t most = std::min(text.size(), kPieceSearched);
      for (std::size_t at = 0; at < most; ++at) {
        if (text[at] != 'c' && text[at] != 'i') continue;
        const std::string_view rest = text.substr(at + 1, 2 * kLongestLine);
        const std::size_t first = rest.find('\n');
        if (first == std::string_view::npos || !is_plain_name(rest.substr(0, first))) continue;
        const std::size_t second = rest.find('\n', first + 1);
        if (second == std::string_view::npos) continue;
        const std::string_view module = rest.substr(0, first);
        const std::string_view name = rest.substr(first + 1, second - first - 1);
        if (!is_plain_name(name)) continue;
        const Judgement judgement = judge(module, name);
        if (judgement.verdict != Verdict::Dangerous) continue;
        scan.report.add({Verdict::Dangerous, fmt::format("{}.{}", module, name), text[at] == 'c' ? "GLOBAL" : "INST",
                         piece_.member, searched_ + at, std::string(judgement.why)});
        if (scan.report.findings.size() > ScanReport::kMostFindings) return true;
      }
      searched_ += most;
      if (budget.spent()) return false;
    }
    return true;
  }

  ScanReport own_;
  PickleScan pickle_;
  bool is_sure_;
  bool is_legacy_torch_;
  std::uint32_t count_ = 0;
  std::uint64_t begin_ = 0;
  std::uint64_t searched_ = 0;  // 0: nothing broke yet
  std::uint64_t search_end_ = 0;
};

}  // namespace

std::unique_ptr<Frame> make_pickle_frame(Piece piece, std::uint64_t begin, bool is_sure, bool is_legacy_torch) {
  return std::make_unique<PickleFrame>(std::move(piece), begin, is_sure, is_legacy_torch);
}

base::Result<void> Scan::look(Piece piece) {
  if (piece.depth > ScanTask::kMostDepth) {
    add(piece, 0, Verdict::Dangerous, "an archive inside so many archives that a scan stops looking");
    return {};
  }
  // 1. What its bytes say that it is.
  std::array<std::byte, kHead> bytes{};
  Beginning beginning;
  beginning.file_size = piece.source->size();
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(kHead, piece.source->size()));
  if (auto got = piece.source->read(0, std::span(bytes).first(size)); !got.ok()) {
    if (!piece.is_packed) return std::move(got).error();
    add(piece, 0, Verdict::Dangerous, "cannot be unpacked as its archive says: " + got.error().message());
    return {};
  }
  beginning.bytes = std::span<const std::byte>(bytes).first(size);
  const std::string_view head = beginning.text();
  const Content content = classify(head, beginning);
  if (piece.depth == 0) {
    if (recognises_git_lfs(beginning))
      return base::Error{git_lfs_explanation(head), "the file itself", piece.source->name(), 0};
    if (report.format.empty() && content.kind != Kind::Zlib && content.kind != Kind::Native)
      report.format = content.name;
  }
  // 2. Archives and pickles of archives must be what the archive says, and in memory.
  const bool is_archive = content.kind == Kind::Zip || content.kind == Kind::Tar || content.kind == Kind::Gzip;
  const bool is_pickle =
      content.kind == Kind::Pickle || (is_called_pickle(piece.member) && content.kind == Kind::Other);
  std::uint64_t objects = 0;
  if (content.kind == Kind::Npy) {
    const auto header = read_npy_header(*piece.source);
    if (!header.ok()) {
      add(piece, header.error().offset.value_or(0), Verdict::Unknown, "a broken .npy file: " + header.error().found);
      return {};
    }
    if (!header->is_object) return {};
    objects = header->data_begin;
  }
  const bool is_json = content.kind == Kind::Json;
  if ((is_archive || is_pickle || is_json || objects != 0) && (piece.is_packed || piece.crc)) {
    frames.push_back(make_check_frame(std::move(piece)));
    return {};
  }
  // 3. A pickle, surely or perhaps; beside what else the file is.
  const auto push_pickle = [&](std::uint64_t begin, bool is_sure) {
    frames.push_back(
        make_pickle_frame(piece, begin, is_sure && !piece.is_guess, begin == 0 && recognises_torch_legacy(beginning)));
  };
  if (is_pickle) {
    push_pickle(0, true);
  } else if (objects != 0) {
    push_pickle(objects, true);
  } else if (!piece.is_guess && size != 0 && content.kind != Kind::Zip) {
    push_pickle(0, false);
  }
  // 4. What else it is.
  bool is_zip = content.kind == Kind::Zip;
  if (piece.depth == 0 && !is_zip && content.kind != Kind::Plain && content.kind != Kind::Json) {
    NNS_TRY_ASSIGN(is_zip, ZipArchive::ends_with_directory(*piece.source));
  }
  if (is_zip) {
    auto archive = ZipArchive::open(piece.source);
    if (archive.ok()) {
      frames.push_back(make_zip_frame(piece, std::move(*archive)));
      return {};
    }
    const auto ends = ZipArchive::ends_with_directory(*piece.source);
    // A file may have been cut short on its way, and some readers go by the headers of its members; inside an archive,
    // nothing is cut short by chance.
    if (piece.depth == 0 && (!ends.ok() || !*ends)) {
      add(piece, archive.error().offset.value_or(0), Verdict::Unknown,
          "a zip archive without its directory: " + archive.error().found);
      frames.push_back(make_cut_zip_frame(std::move(piece)));
      return {};
    }
    add(piece, archive.error().offset.value_or(0), Verdict::Dangerous,
        "a zip archive that contradicts itself: " + archive.error().found);
    return {};
  }
  switch (content.kind) {
    case Kind::Tar:
      frames.push_back(make_tar_frame(std::move(piece)));
      return {};
    case Kind::Gzip:
    case Kind::Zlib:
      if (!piece.is_packed) frames.push_back(make_unpack_frame(piece, content.kind == Kind::Gzip));
      return {};
    case Kind::Hidden: {
      const std::string_view name = piece.source->name();
      const bool says_so = piece.depth == 0 && name.size() > content.extension.size() &&
                           name.substr(name.size() - content.extension.size()) == content.extension;
      add(piece, 0, says_so ? Verdict::Unknown : Verdict::Dangerous,
          fmt::format("{} hides what is in it", content.name));
      return {};
    }
    case Kind::Native:
      if (piece.depth == 0) return {};
      add(piece, 0, Verdict::Unknown, fmt::format("{}: code of the machine, which a loader may run", content.name));
      return {};
    case Kind::Json:
      frames.push_back(make_json_frame(std::move(piece)));
      return {};
    default:
      return {};
  }
}

struct ScanTask::State {
  Source source;
  Scan scan;
  bool started = false;
};

ScanTask::ScanTask(Source source) : state_(std::make_unique<State>()) { state_->source = std::move(source); }
ScanTask::~ScanTask() = default;

base::Result<bool> ScanTask::step(const base::Budget& budget) {
  Scan& scan = state_->scan;
  if (!state_->started) {
    state_->started = true;
    NNS_TRY(scan.look({state_->source, {}, 0, false, std::nullopt, false}));
  }
  while (!scan.frames.empty()) {
    Frame* top = scan.frames.back().get();
    const std::size_t depth = scan.frames.size();
    NNS_TRY_ASSIGN(const bool is_done, top->step(scan, budget));
    if (is_done) scan.frames.erase(scan.frames.begin() + static_cast<std::ptrdiff_t>(depth) - 1);
    if (budget.spent()) return scan.frames.empty();
  }
  return true;
}

std::uint64_t ScanTask::done() const {
  return state_->scan.frames.empty() ? 0 : std::min(total(), state_->scan.frames.front()->position());
}
std::uint64_t ScanTask::total() const { return state_->source->size(); }
const ScanReport& ScanTask::report() const { return state_->scan.report; }

}  // namespace nns::checkpoint
