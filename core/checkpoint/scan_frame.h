#pragma once

// The parts of a scan, for the files that carry it out.
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/checkpoint/scan.h"
#include "core/checkpoint/zip_archive.h"

namespace nns::checkpoint {

/// Something to look at.
struct Piece {
  std::shared_ptr<base::ByteSource> source;
  std::string member;
  int depth = 0;
  bool is_packed = false;            ///< reading back means unpacking again from the beginning
  std::optional<std::uint32_t> crc;  ///< what a directory promises
  bool is_guess = false;             ///< bytes that only may be what they look like
  bool expects_functions = false;    ///< see PickleScan::expect_functions()
};

struct Scan;

/// One thing that takes more than a moment; what it finds inside itself is put on top of it and done first.
class Frame {
 public:
  explicit Frame(Piece piece) : piece_(std::move(piece)) {}
  virtual ~Frame() = default;
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;
  /// True when it is done.
  virtual base::Result<bool> step(Scan& scan, const base::Budget& budget) = 0;
  virtual std::uint64_t position() const = 0;

 protected:
  Piece piece_;
};

struct Scan {
  ScanReport report;
  std::vector<std::unique_ptr<Frame>> frames;
  std::uint64_t unpacked = 0;

  void add(const Piece& piece, std::uint64_t offset, Verdict verdict, std::string why) {
    report.add({verdict, {}, {}, piece.member, offset, std::move(why)});
  }
  base::Result<void> look(Piece piece);
};

/// Which members of an archive of torch.save are storages: what lies in data/ beside data.pkl no loader unpickles; the
/// same for constants.pkl.
class StoragePlaces {
 public:
  void note(std::string_view name);
  bool has(std::string_view name) const;

 private:
  std::vector<std::string> folders_;
};

/// One pickle or several, one behind the other. `is_sure`: its first bytes, its name or its place say that it is one.
/// Otherwise only what reaches STOP, or names what is dangerous, counts: any text may begin as a pickle of protocol 0.
std::unique_ptr<Frame> make_pickle_frame(Piece piece, std::uint64_t begin, bool is_sure, bool is_legacy_torch);
/// Pickles in Base64 that are values of JSON.
std::unique_ptr<Frame> make_json_frame(Piece piece);
/// Unpacks a member into memory, holds its checksum against what the directory says, and looks at it.
std::unique_ptr<Frame> make_check_frame(Piece piece);
/// Where the bytes of a member of a zip file lie, and how they are packed.
struct ZipMemberBytes {
  std::string_view name;
  std::uint64_t begin = 0, compressed_size = 0, size = 0;
  std::uint16_t method = 0;
};
/// Looks at what is in a member of `archive`, as `inner`; tells of one that cannot be unpacked.
base::Result<void> look_at_zip_member(Scan& scan, const Piece& archive, Piece inner, const ZipMemberBytes& member);
/// Members, and whether the directory and their own headers say the same.
std::unique_ptr<Frame> make_zip_frame(Piece piece, std::unique_ptr<ZipArchive> archive);
/// Members by their own headers, of a file that was cut before its directory.
std::unique_ptr<Frame> make_cut_zip_frame(Piece piece);
std::unique_ptr<Frame> make_tar_frame(Piece piece);
/// A gzip or zlib stream: joblib and others pickle into such. `is_sure`: not only by two bytes.
std::unique_ptr<Frame> make_unpack_frame(Piece piece, bool is_sure);

/// Whether the 512 bytes hold their own sum: tar files older than "ustar" have no other mark.
bool is_tar_header(std::string_view head);
/// By its name: ".pkl", ".pickle".
bool is_called_pickle(std::string_view name);
/// "outer!name"
std::string name_inside(const std::string& outer, std::string_view name);

}  // namespace nns::checkpoint
