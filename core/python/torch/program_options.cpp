#include "core/python/torch/program_options.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string>

#include "core/tensor/storage.h"

namespace nns::python {

namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

/// What is behind the option's name, and a blank or "="; none: it is another option.
std::optional<std::string_view> value_of(std::string_view text, std::string_view option) {
  if (!text.starts_with(option)) return std::nullopt;
  text.remove_prefix(option.size());
  if (text.empty() || (text.front() != ' ' && text.front() != '\t' && text.front() != '=')) return std::nullopt;
  return trim(text.substr(1));
}

bool read(std::string_view text, std::size_t line, ProgramOptions& options) {
  if (const auto value = value_of(text, "--virtual-devices")) {
    int count = 0;
    const auto [stop, failure] = std::from_chars(value->data(), value->data() + value->size(), count);
    options.virtual_devices = count;
    return failure == std::errc() && stop == value->data() + value->size() && count >= 1 &&
           count <= tensor::kDeviceIndices;
  }
  const auto value = value_of(text, "--config");
  const std::size_t equals = value ? value->find('=') : std::string_view::npos;
  if (equals == std::string_view::npos || equals == 0) return false;
  options.config.push_back({std::string(value->substr(0, equals)), std::string(value->substr(equals + 1)), line});
  return true;
}

}  // namespace

base::Result<ProgramOptions> program_options_of(std::string_view program, std::string_view file) {
  constexpr std::string_view kMark = "nnscope:";
  ProgramOptions options;
  for (std::size_t number = 1; !program.empty(); ++number) {
    const std::size_t end = program.find('\n');
    std::string_view line = trim(program.substr(0, end));
    program.remove_prefix(end == std::string_view::npos ? program.size() : end + 1);
    if (line.empty()) continue;
    if (line.front() != '#') break;
    line = trim(line.substr(1));
    if (!line.starts_with(kMark) || read(trim(line.substr(kMark.size())), number, options)) continue;
    return base::Error{
        .found = fmt::format("\"# {}\"", line),
        .expected = fmt::format("{0} --virtual-devices N, with N from 1 to {1}, or {0} --config NAME=VALUE", kMark,
                                tensor::kDeviceIndices),
        .where = fmt::format("{}, line {}", file, number),
        .offset = std::nullopt};
  }
  return options;
}

}  // namespace nns::python
