#include "native/host/folder_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <system_error>

#include "native/host/file_source.h"
#include "native/host/relative_name.h"

namespace nns::host {

namespace {

namespace fs = std::filesystem;
using base::Error;
using base::Result;

class FolderFiles final : public checkpoint::FileSet {
 public:
  explicit FolderFiles(fs::path folder) : folder_(std::move(folder)) {}

  std::optional<Result<std::shared_ptr<base::ByteSource>>> open(std::string_view name) override {
    if (auto checked = check_relative_name(name, folder_.string()); !checked.ok()) return std::move(checked).error();
    return open_file(folder_ / fs::path(name));
  }

  std::vector<std::string> names() override {
    std::vector<std::string> found;
    std::error_code error;
    for (fs::directory_iterator entry(folder_, error), last; !error && entry != last; entry.increment(error)) {
      std::error_code ignored;
      if (entry->is_regular_file(ignored)) found.push_back(entry->path().filename().string());
    }
    std::sort(found.begin(), found.end(), checkpoint::natural_less);
    return found;
  }

 private:
  fs::path folder_;
};

/// File names of a folder's checkpoint, best first: an index tells where everything lies; safetensors can be read
/// without running anything, so it goes before a pickle of the same model.
constexpr std::array<std::string_view, 11> kMainFiles = {"model.safetensors.index.json",
                                                         "*.safetensors.index.json",
                                                         "model.safetensors",
                                                         "*.safetensors",
                                                         "pytorch_model.bin.index.json",
                                                         "*.bin.index.json",
                                                         "pytorch_model.bin",
                                                         "*.pt",
                                                         "*.pth",
                                                         "*.ckpt",
                                                         "*.bin"};

bool matches(std::string_view name, std::string_view pattern) {
  if (pattern.front() != '*') return name == pattern;
  return name.size() > pattern.size() - 1 && name.ends_with(pattern.substr(1));
}

Result<std::string> main_file(const fs::path& folder, const std::vector<std::string>& names) {
  for (const std::string_view pattern : kMainFiles) {
    std::vector<std::string_view> found;
    for (const std::string& name : names) {
      if (matches(name, pattern)) found.push_back(name);
    }
    if (found.size() == 1) return std::string(found.front());
    if (found.empty()) continue;
    const std::size_t shown = std::min<std::size_t>(found.size(), 5);
    return Error{.found = fmt::format(
                     "the folder has {} files that match {} and no index of shards ({}{})", found.size(), pattern,
                     fmt::join(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                     found.size() > shown ? ", ..." : ""),
                 .expected = "one of them by name",
                 .where = folder.string(),
                 .offset = {}};
  }
  return Error{.found = "the folder has no checkpoint",
               .expected = fmt::format("one of {}", fmt::join(kMainFiles, ", ")),
               .where = folder.string(),
               .offset = {}};
}

}  // namespace

std::shared_ptr<checkpoint::FileSet> make_folder_files(fs::path folder) {
  return std::make_shared<FolderFiles>(std::move(folder));
}

Result<OpenedFile> open_path(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    // Listing must not fail silently: an unreadable folder is not an empty one.
    fs::directory_iterator probe(path, error);
    if (error) {
      return Error{.found = fmt::format("the folder cannot be listed: {}", error.message()),
                   .expected = {},
                   .where = path.string(),
                   .offset = {}};
    }
    auto siblings = make_folder_files(path);
    NNS_TRY_ASSIGN(const std::string name, main_file(path, siblings->names()));
    NNS_TRY_ASSIGN(auto source, open_file(path / name));
    return OpenedFile{std::move(source), std::move(siblings)};
  }
  NNS_TRY_ASSIGN(auto source, open_file(path));
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  return OpenedFile{std::move(source), make_folder_files(folder)};
}

}  // namespace nns::host
