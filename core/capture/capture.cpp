#include "core/capture/capture.h"

#include <array>

namespace nns::capture {

std::string_view op_name(Op op) {
  constexpr std::array<std::string_view, 6> kNames = {"placeholder", "get_attr",    "call_function",
                                                      "call_method", "call_module", "output"};
  return kNames[static_cast<std::size_t>(op)];
}

std::string inner_stage(std::string_view outer, std::string_view target) {
  return std::string(outer).append(1, ' ').append(target);
}

std::string_view break_action_text(BreakAction action) {
  constexpr std::array<std::string_view, 4> kTexts = {"the frame is split", "the rest runs plainly",
                                                      "the frame runs plainly", "the frame is traced again"};
  return kTexts[static_cast<std::size_t>(action)];
}

std::uint32_t FileTable::number(std::string_view name) {
  const auto found = numbers_.find(name);
  if (found != numbers_.end()) return found->second;
  const auto number = static_cast<std::uint32_t>(files_.size());
  numbers_.emplace(name, number);
  files_.emplace_back().name = name;
  lines_.emplace_back();
  return number;
}

void FileTable::add_line(Place place, std::string_view text) {
  if (place.file >= lines_.size() || place.line == 0) return;
  lines_[place.file].try_emplace(place.line, text);
}

std::vector<File> FileTable::take() {
  for (std::size_t file = 0; file < files_.size(); ++file) {
    for (const auto& [line, text] : lines_[file]) {
      if (!files_[file].numbers.empty()) files_[file].text += '\n';
      files_[file].numbers.push_back(line);
      files_[file].text += text;
    }
  }
  return std::move(files_);
}

}  // namespace nns::capture
