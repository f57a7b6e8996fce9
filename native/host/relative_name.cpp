#include "native/host/relative_name.h"

#include <fmt/format.h>

namespace nns::host {

base::Result<void> check_relative_name(std::string_view name, std::string_view where) {
  const auto refuse = [&](std::string_view why) {
    return base::Error{.found = fmt::format("the name \"{}\" of a file beside this one {}", name.substr(0, 200), why),
                       .expected = "a name inside the same folder",
                       .where = std::string(where),
                       .offset = {}};
  };
  if (name.empty()) return refuse("is empty");
  if (name.size() > 4096) return refuse("is longer than 4096 bytes");
  if (name.front() == '/') return refuse("is absolute");
  if (name.find('\0') != std::string_view::npos) return refuse("has a NUL byte");
  if (name.find('\\') != std::string_view::npos) return refuse("has a backslash");
  if (name.find(':') < name.find('/') && name.find(':') != std::string_view::npos)
    return refuse("has a drive or scheme");
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    const std::string_view part = name.substr(begin, end - begin);
    if (part == "..") return refuse("leaves the folder");
    if (part.empty() || part == ".") return refuse("has an empty part");
    begin = end + 1;
  }
  return {};
}

}  // namespace nns::host
