#include "ui/model/document_title.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace nns::model {

namespace {

/// The folders that the document lies in, the nearest first.
std::vector<std::string_view> folders_of(const live::DocumentView& document) {
  const auto* files = document.get().files();
  if (files->size() == 0) return {};
  std::string_view path = live::text_of(files->Get(0)->name());
  if (path.find("://") != std::string_view::npos) path = path.substr(0, path.find_first_of("?#"));
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const std::size_t slash = path.find_last_of("/\\");
    const std::string_view part = slash == std::string_view::npos ? path : path.substr(slash + 1);
    if (!part.empty()) parts.push_back(part);
    path = path.substr(0, slash == std::string_view::npos ? 0 : slash);
  }
  // The title is the file's name, or that of the folder in which it was found.
  const auto title = std::find(parts.begin(), parts.end(), document.title());
  if (title == parts.end()) return {};
  return {title + 1, parts.end()};
}

}  // namespace

std::string title_among(const live::DocumentView& document, std::span<const live::DocumentView* const> others) {
  std::string title(document.title());
  std::vector<std::vector<std::string_view>> rivals;
  for (const live::DocumentView* other : others) {
    if (other != &document && other->title() == document.title()) rivals.push_back(folders_of(*other));
  }
  if (rivals.empty()) return title;
  const std::vector<std::string_view> own = folders_of(document);
  std::erase(rivals, own);
  for (std::size_t level = 0; level < own.size() && !rivals.empty(); ++level) {
    title = fmt::format("{}/{}", own[level], title);
    std::erase_if(rivals, [&](const std::vector<std::string_view>& folders) {
      return level >= folders.size() || folders[level] != own[level];
    });
  }
  return title;
}

}  // namespace nns::model
