#include "native/cli/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>

#include "core/base/utf8.h"

namespace nns::cli {

namespace {

/// The code point at the front of well-formed `text`, and its length in bytes.
struct CodePoint {
  char32_t value;
  std::size_t bytes;
};
CodePoint first_code_point(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<char32_t>(static_cast<unsigned char>(text[i])); };
  const char32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  if (lead < 0xE0) return {(lead & 0x1F) << 6 | (byte(1) & 0x3F), 2};
  if (lead < 0xF0) return {(lead & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F), 3};
  return {(lead & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F), 4};
}

/// Control characters of ASCII and Latin-1, line separators, and the marks that turn text around.
bool is_control(char32_t point) {
  return point < 0x20 || (point >= 0x7F && point < 0xA0) || (point >= 0x200B && point <= 0x200F) ||
         (point >= 0x2028 && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069) || point == 0xFEFF;
}

struct Span {
  char32_t first, last;
};
constexpr std::array kCombining = {Span{0x300, 0x36F}, Span{0x1AB0, 0x1AFF}, Span{0x20D0, 0x20FF}, Span{0xFE00, 0xFE0F},
                                   Span{0xFE20, 0xFE2F}};
constexpr std::array kWide = {Span{0x1100, 0x115F},   Span{0x2E80, 0x303E},  Span{0x3041, 0xA4CF},
                              Span{0xAC00, 0xD7A3},   Span{0xF900, 0xFAFF},  Span{0xFE30, 0xFE6F},
                              Span{0xFF00, 0xFF60},   Span{0xFFE0, 0xFFE6},  Span{0x1F300, 0x1F64F},
                              Span{0x1F900, 0x1F9FF}, Span{0x20000, 0x3FFFD}};

template <std::size_t n>
bool is_in(const std::array<Span, n>& spans, char32_t point) {
  for (const Span& span : spans) {
    if (point >= span.first && point <= span.last) return true;
  }
  return false;
}

// Of what paint() puts before and behind a text. Must hold: `text` begins with one.
std::size_t colour_bytes(std::string_view text) { return std::min(text.find('m'), text.size() - 1) + 1; }

// display_width() without what colours take.
std::size_t painted_width(std::string_view text) {
  std::size_t width = 0;
  while (true) {
    const std::size_t colour = text.find("\x1b[");
    width += display_width(text.substr(0, colour));
    if (colour == std::string_view::npos) return width;
    text.remove_prefix(colour);
    text.remove_prefix(colour_bytes(text));
  }
}

}  // namespace

Terminal Terminal::detect() {
  Terminal terminal;
  const char* no_colour = std::getenv("NO_COLOR");
  const char* kind = std::getenv("TERM");
  const bool is_dumb = kind != nullptr && std::string_view(kind) == "dumb";
  terminal.colour = ::isatty(STDOUT_FILENO) == 1 && (no_colour == nullptr || *no_colour == '\0') && !is_dumb;
  terminal.progress = ::isatty(STDERR_FILENO) == 1 && !is_dumb;
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) terminal.columns = size.ws_col;
  if (::isatty(STDOUT_FILENO) == 1 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
    terminal.output_columns = size.ws_col;
  }
  return terminal;
}

std::string Terminal::paint(Style style, std::string_view text) const {
  if (!colour || text.empty()) return std::string(text);
  const char* code = "";
  switch (style) {
    case Style::Plain:
      return std::string(text);
    case Style::Title:
      code = "1";
      break;
    case Style::Dim:
      code = "2";
      break;
    case Style::Module:
      code = "36";
      break;
    case Style::Parameter:
      code = "32";
      break;
    case Style::Buffer:
      code = "35";
      break;
    case Style::Value:
      code = "34";
      break;
    case Style::Warning:
      code = "33";
      break;
    case Style::Danger:
      code = "1;31";
      break;
  }
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const std::size_t good = base::find_invalid_utf8(text).value_or(text.size());
    for (std::string_view rest = text.substr(0, good); !rest.empty();) {
      const CodePoint point = first_code_point(rest);
      if (!is_control(point.value)) {
        shown += rest.substr(0, point.bytes);
      } else if (point.value == '\n') {
        shown += "\\n";
      } else if (point.value == '\t') {
        shown += "\\t";
      } else if (point.value < 0x100) {
        shown += fmt::format("\\x{:02x}", static_cast<std::uint32_t>(point.value));
      } else {
        shown += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(point.value));
      }
      rest.remove_prefix(point.bytes);
    }
    text.remove_prefix(good);
    if (text.empty()) break;
    shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    text.remove_prefix(1);
  }
  return shown;
}

std::string cut_to_width(std::string_view text, std::size_t width) {
  if (painted_width(text) <= width) return std::string(text);
  std::string kept;
  std::size_t used = 0;
  bool is_cut = width == 0;
  while (!text.empty()) {
    std::size_t bytes = 1;
    if (text.starts_with("\x1b[")) {
      // Colours take no place, and those behind the cut are still to be ended.
      bytes = colour_bytes(text);
      kept += text.substr(0, bytes);
    } else {
      if (static_cast<unsigned char>(text.front()) >= 0x80) bytes = first_code_point(text).bytes;
      used += display_width(text.substr(0, bytes));
      if (!is_cut && used > width - 1) {
        is_cut = true;
        kept += "…";
      }
      if (!is_cut) kept += text.substr(0, bytes);
    }
    text.remove_prefix(bytes);
  }
  return kept;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    if (static_cast<unsigned char>(text.front()) < 0x80) {
      ++width;
      text.remove_prefix(1);
      continue;
    }
    const CodePoint point = first_code_point(text);
    if (!is_in(kCombining, point.value)) width += is_in(kWide, point.value) ? std::size_t{2} : std::size_t{1};
    text.remove_prefix(point.bytes);
  }
  return width;
}

void print_error(std::string_view message) { fmt::print(stderr, "nnscope: {}\n", printable(message)); }

}  // namespace nns::cli
