#include <fmt/format.h>

#include <algorithm>

#include "core/checkpoint/format.h"

namespace nns::checkpoint {

namespace {

constexpr std::string_view kPointerMagic = "version https://git-lfs.github.com/spec/";

/// The rest of the line that begins with `key`, or nothing.
std::string_view line_after(std::string_view text, std::string_view key) {
  std::size_t at = text.find(key);
  if (at == std::string_view::npos) return {};
  at += key.size();
  return text.substr(at, text.find_first_of("\r\n", at) - at);
}

}  // namespace

bool recognises_git_lfs(const Beginning& beginning) { return beginning.starts_with(kPointerMagic); }

std::string git_lfs_explanation(std::string_view text) {
  const std::string_view size = line_after(text, "\nsize ");
  const std::string_view id = line_after(text, "\noid ");
  std::string explanation =
      "a Git LFS pointer: the repository was cloned without its large files, so this is only a note of what belongs "
      "here";
  if (!size.empty()) explanation += fmt::format(" ({} bytes", size);
  if (!id.empty()) explanation += fmt::format("{}{}", size.empty() ? " (" : ", ", id);
  if (!size.empty() || !id.empty()) explanation += ")";
  return explanation;
}

base::Result<std::unique_ptr<OpenTask>> open_git_lfs(std::shared_ptr<base::ByteSource> source,
                                                     std::shared_ptr<FileSet>) {
  std::string text(static_cast<std::size_t>(std::min<std::uint64_t>(source->size(), 512)), '\0');
  NNS_TRY(source->read(0, std::as_writable_bytes(std::span(text))));
  return base::Error{git_lfs_explanation(text), "the file itself: run \"git lfs pull\"", source->name(), 0};
}

}  // namespace nns::checkpoint
