#include "native/cli/recorded_text.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>

namespace nns::cli {

namespace {

// Puts `by` for the digits that follow each `before`.
void put_for_digits(std::string& text, std::string_view before, std::string_view by, bool is_hexadecimal = false) {
  const auto is_digit = [&](char c) {
    return is_hexadecimal ? std::isxdigit(static_cast<unsigned char>(c)) != 0 : c >= '0' && c <= '9';
  };
  for (std::size_t at = 0; (at = text.find(before, at)) != std::string::npos;) {
    at += before.size();
    std::size_t end = at;
    while (end < text.size() && is_digit(text[end])) ++end;
    if (end == at) continue;
    text.replace(at, end - at, by);
    at += by.size();
  }
}

}  // namespace

std::string RecordedText::operator()(std::string_view given) const {
  constexpr std::string_view kProgram = "program.py";
  std::string text(given);
  if (!file_.empty() && file_ != kProgram) {
    for (std::size_t at = 0; (at = text.find(file_, at)) != std::string::npos; at += kProgram.size())
      text.replace(at, file_.size(), kProgram);
  }
  for (const std::string_view place : {"program.py\", line ", "program.py line ", "program.py:"})
    put_for_digits(text, place, "<L>");
  put_for_digits(text, " at 0x", "<addr>", true);
  for (std::size_t at = 0; (at = text.find(" at 0x<addr>", at)) != std::string::npos;) text.erase(at + 4, 2);
  // Functions that go on behind a break have the line in their names.
  constexpr std::string_view kResumes = "torch_dynamo_resume_in_";
  for (std::size_t at = 0; (at = text.find(kResumes, at)) != std::string::npos;) {
    at += kResumes.size();
    std::size_t end = at;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_')) ++end;
    const std::size_t line = text.rfind("_at_", end);
    if (line == std::string::npos || line < at || line + 4 == end ||
        !std::all_of(text.begin() + static_cast<std::ptrdiff_t>(line) + 4,
                     text.begin() + static_cast<std::ptrdiff_t>(end), [](char c) { return c >= '0' && c <= '9'; }))
      continue;
    text.replace(line + 4, end - line - 4, "<L>");
  }
  return text;
}

}  // namespace nns::cli
