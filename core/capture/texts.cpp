#include "core/capture/texts.h"

#include <charconv>

namespace nns::capture {

std::string cut(std::string_view text) {
  constexpr std::size_t kMostText = 4096;
  if (text.size() <= kMostText) return std::string(text);
  // Not within a letter.
  std::size_t end = kMostText;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return std::string(text.substr(0, end)) + "\xE2\x80\xA6";
}

std::string_view next_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  return line;
}

std::string_view without_spaces(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

std::vector<TracebackLine> read_traceback(std::string_view text) {
  constexpr std::string_view kFile = "File \"", kLine = "\", line ", kIn = ", in ";
  std::vector<TracebackLine> lines;
  while (!text.empty()) {
    const std::string_view line = without_spaces(next_line(text));
    const std::size_t end = line.find(kLine);
    if (!line.starts_with(kFile) || end == std::string_view::npos) continue;
    TracebackLine& told = lines.emplace_back();
    told.file = line.substr(kFile.size(), end - kFile.size());
    std::from_chars(line.data() + end + kLine.size(), line.data() + line.size(), told.line);
    if (const std::size_t in = line.rfind(kIn); in != std::string_view::npos && in > end) {
      told.function = line.substr(in + kIn.size());
    }
    std::string_view ahead = text;
    const std::string_view code = without_spaces(next_line(ahead));
    if (!code.starts_with(kFile)) told.code = code;
  }
  return lines;
}

}  // namespace nns::capture
