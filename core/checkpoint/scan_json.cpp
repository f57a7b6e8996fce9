// What a scan does with JSON: Stable-Baselines keeps Python objects in it as pickles in Base64, under a key of their
// own, and unpickles them on loading.
// Behaviour: stable_baselines3/common/save_util.py, json_to_data; Python's base64.b64decode without validation, which
// passes over characters that are no digits and ends at the padding.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/checkpoint/scan_frame.h"
#include "core/checkpoint/scan_pickle.h"

namespace nns::checkpoint {

namespace {

constexpr std::string_view kSerialized = ":serialized:";
constexpr std::size_t kLongestJsonKey = 64;  // what is longer is told without its end
constexpr std::size_t kMostAtOnce = 32U << 10U;

/// Base64 as Python takes it.
class Base64 {
 public:
  /// False: it has become longer than a scan looks into.
  bool add(char c) {
    if (is_ended_) return true;
    if (c == '=') {
      is_ended_ = digits_ >= 2 && digits_ + ++padding_ >= 4;
      return true;
    }
    const int digit = digit_of(c);
    if (digit < 0) return true;
    padding_ = 0;
    bits_ = (bits_ << 6U) | static_cast<std::uint32_t>(digit);
    digits_ = (digits_ + 1) % 4;
    if (digits_ != 1) bytes_.push_back(static_cast<std::byte>(bits_ >> (digits_ == 2 ? 4U : digits_ == 3 ? 2U : 0U)));
    return bytes_.size() <= ScanTask::kMostUnpacked;
  }
  std::vector<std::byte> take() {
    std::vector<std::byte> bytes = std::move(bytes_);
    *this = {};
    return bytes;
  }

 private:
  static int digit_of(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
  }
  std::vector<std::byte> bytes_;
  std::uint32_t bits_ = 0;
  unsigned digits_ = 0;
  unsigned padding_ = 0;
  bool is_ended_ = false;
};

/// Goes from string to string: what stands between them says which is a key.
class JsonFrame final : public Frame {
 public:
  explicit JsonFrame(Piece piece) : Frame(std::move(piece)), window_(piece_.source) {}
  std::uint64_t position() const override { return at_; }

  base::Result<bool> step(Scan& scan, const base::Budget& budget) override {
    while (at_ < window_.size()) {
      NNS_TRY_ASSIGN(const std::string_view text, window_.at(at_, kMostAtOnce));
      for (const char c : text) {
        ++at_;
        if (!take(c)) {
          scan.add(piece_, value_at_, Verdict::Dangerous, "Base64 of more bytes than a scan looks into");
          return true;
        }
        if (!has_value_) continue;
        has_value_ = false;
        look_at_value(scan);
        return false;
      }
      if (scan.report.findings.size() > ScanReport::kMostFindings) return true;
      if (budget.spent()) return false;
    }
    return true;
  }

 private:
  bool take(char c) {
    switch (state_) {
      case State::Between:
        if (c == '"') {
          state_ = State::String;
          text_.clear();
          is_value_ = is_behind_colon_ && key_ == kSerialized;
          value_at_ = at_ - 1;
        } else if (c == ':') {
          key_ = text_;
          is_behind_colon_ = true;
        } else if (c == '{') {
          if (is_behind_colon_) owner_ = key_;
          is_behind_colon_ = false;
        } else if (c == ',' || c == '}' || c == '[' || c == ']') {
          is_behind_colon_ = false;
        }
        return true;
      case State::String:
        if (c == '\\') {
          state_ = State::Escape;
        } else if (c == '"') {
          state_ = State::Between;
          has_value_ = is_value_;
          is_behind_colon_ = false;
        } else {
          return keep(c);
        }
        return true;
      case State::Escape:
        state_ = c == 'u' ? State::Hex : State::String;
        hex_ = 0;
        hex_digits_ = 0;
        return c == 'u' || keep(c == 'n' || c == 't' || c == 'r' || c == 'b' || c == 'f' ? ' ' : c);
      case State::Hex:
        hex_ = hex_ * 16 + static_cast<unsigned>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10) % 16;
        if (++hex_digits_ < 4) return true;
        state_ = State::String;
        return keep(hex_ >= 0x20 && hex_ < 0x7F ? static_cast<char>(hex_) : '?');
    }
    return true;
  }

  bool keep(char c) {
    if (is_value_) return value_.add(c);
    if (text_.size() < kLongestJsonKey) text_ += c;
    return true;
  }

  void look_at_value(Scan& scan) {
    std::vector<std::byte> bytes = value_.take();
    if (bytes.empty()) return;
    Piece inner{nullptr,
                name_inside(piece_.member, fmt::format("{} (Base64 at {})", owner_, value_at_)),
                piece_.depth + 1,
                false,
                std::nullopt,
                false,
                true};
    scan.unpacked += bytes.size();
    if (inner.depth > ScanTask::kMostDepth || scan.unpacked > ScanTask::kMostUnpackedTogether) {
      scan.add(inner, 0, Verdict::Dangerous, "Base64 inside so much else that a scan stops looking");
      return;
    }
    inner.source = base::make_memory_source(piece_.source->name(), std::move(bytes));
    // Whatever it looks like: its loader takes it for a pickle.
    scan.frames.push_back(make_pickle_frame(std::move(inner), 0, true, false));
  }

  enum class State : std::uint8_t { Between, String, Escape, Hex };

  ScanWindow window_;
  std::uint64_t at_ = 0;
  State state_ = State::Between;
  std::string text_;   // of the last string
  std::string key_;    // before the last colon
  std::string owner_;  // the key of the object that was opened last
  bool is_behind_colon_ = false;
  bool is_value_ = false;   // the string is one that is unpickled
  bool has_value_ = false;  // and is whole
  std::uint64_t value_at_ = 0;
  unsigned hex_ = 0;
  unsigned hex_digits_ = 0;
  Base64 value_;
};

}  // namespace

std::unique_ptr<Frame> make_json_frame(Piece piece) { return std::make_unique<JsonFrame>(std::move(piece)); }

}  // namespace nns::checkpoint
