#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nns::python {

/// Where a group matched, in bytes of the text; `kNowhere`: it took no part.
struct RegexSpan {
  static constexpr std::size_t kNowhere = SIZE_MAX;
  std::size_t begin = kNowhere;
  std::size_t end = kNowhere;
  bool is_set() const { return begin != kNowhere; }
};

/// One match: the whole first, then the groups by number.
struct RegexFound {
  std::vector<RegexSpan> groups;
  /// The group that was closed last; 0: none was.
  std::uint32_t last_group = 0;
};

/// A pattern of PCRE2, compiled. Its texts are UTF-8 where surrogates may stand for themselves, or bytes.
/// Limits: one attempt takes at most kMostSteps steps and kMostMemoryKib, one search at most kMostSeconds; what needs
/// more ends with a status that says so, so that a hostile pattern can neither hang nor exhaust the machine. Threads:
/// one at a time.
class RegexProgram {
 public:
  static constexpr std::uint32_t kMostSteps = 20'000'000;
  static constexpr std::uint32_t kMostMemoryKib = 256 * 1024;
  static constexpr double kMostSeconds = 10;

  struct Options {
    bool is_text = true;
    bool ignores_case = false;
    /// As the pattern was counted when it was translated.
    std::uint32_t group_count = 0;
  };
  /// Errors: null, and `problem` has the library's words.
  static std::unique_ptr<RegexProgram> compile(std::string_view pattern, const Options& options, std::string& problem);
  ~RegexProgram();
  RegexProgram(const RegexProgram&) = delete;
  RegexProgram& operator=(const RegexProgram&) = delete;

  enum class Mode : std::uint8_t {
    /// The match begins anywhere from `start` on.
    Search,
    /// At `start`.
    Match,
    /// At `start`, and it ends with the text.
    FullMatch,
  };
  enum class Status : std::uint8_t { Found, NotFound, TooManySteps, TooMuchMemory, TooSlow };
  /// Must hold: start <= text.size(), at a character's begin. `not_empty`: no empty match at `start`.
  Status match(std::string_view text, std::size_t start, Mode mode, bool not_empty, RegexFound& found);

  /// Equal programs of equal options are one.
  const std::string& text() const { return text_; }

 private:
  struct Parts;
  RegexProgram(std::string text, const Options& options);
  std::unique_ptr<Parts> parts_;
  std::string text_;
  Options options_;
};

}  // namespace nns::python
