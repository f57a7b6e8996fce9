#include "native/host/folder_files.h"

#include <fmt/format.h>

#include <algorithm>
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
    return OpenedFile{nullptr, make_folder_files(path)};
  }
  NNS_TRY_ASSIGN(auto source, open_file(path));
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  return OpenedFile{std::move(source), make_folder_files(folder)};
}

}  // namespace nns::host
