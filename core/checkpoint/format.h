#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/byte_source.h"
#include "core/base/result.h"
#include "core/checkpoint/checkpoint.h"

namespace nns::checkpoint {

/// What a reader is told of a file before it is chosen: its first bytes.
struct Beginning {
  std::span<const std::byte> bytes;  ///< at most 512
  std::uint64_t file_size = 0;

  std::string_view text() const { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
  bool starts_with(std::string_view magic) const { return text().substr(0, magic.size()) == magic; }
};

/// The bytes behind a Beginning.
class FirstBytes {
 public:
  /// Errors: they cannot be read.
  static base::Result<FirstBytes> read(base::ByteSource& source);
  /// Must not outlive this.
  Beginning beginning() const { return {std::span(bytes_).first(size_), file_size_}; }

 private:
  std::array<std::byte, 512> bytes_{};
  std::size_t size_ = 0;
  std::uint64_t file_size_ = 0;
};

/// One row of the list of formats. Adding a format is one file with its two functions and one row in formats.cpp.
struct Format {
  /// What a message calls it.
  std::string_view name;
  /// Whether the bytes look like it; the first row that says so gets the file.
  bool (*recognises)(const Beginning& beginning);
  /// Starts to open it. Errors that need more than the beginning come from the task.
  base::Result<std::unique_ptr<OpenTask>> (*open)(std::shared_ptr<base::ByteSource> source,
                                                  std::shared_ptr<FileSet> siblings);
};

/// All formats, in the order in which they are asked.
std::span<const Format> formats();

/// The last part of a path or URL, without query.
std::string title_of(std::string_view name);
/// What every reader of one file says first: its format, its title, and that this is its file.
void name_document(Checkpoint& document, std::string_view format, const std::shared_ptr<base::ByteSource>& source);

// The rows' functions, each in the file of its format.
bool recognises_git_lfs(const Beginning& beginning);
base::Result<std::unique_ptr<OpenTask>> open_git_lfs(std::shared_ptr<base::ByteSource>, std::shared_ptr<FileSet>);
/// What a pointer with this text stands for, in words.
std::string git_lfs_explanation(std::string_view text);
bool recognises_safetensors(const Beginning& beginning);
base::Result<std::unique_ptr<OpenTask>> open_safetensors(std::shared_ptr<base::ByteSource>, std::shared_ptr<FileSet>);
bool recognises_gguf(const Beginning& beginning);
base::Result<std::unique_ptr<OpenTask>> open_gguf(std::shared_ptr<base::ByteSource>, std::shared_ptr<FileSet>);
bool recognises_npy(const Beginning& beginning);
base::Result<std::unique_ptr<OpenTask>> open_npy(std::shared_ptr<base::ByteSource>, std::shared_ptr<FileSet>);
bool recognises_json(const Beginning& beginning);
/// An index of shards, or a model's configuration.
base::Result<std::unique_ptr<OpenTask>> open_json(std::shared_ptr<base::ByteSource>, std::shared_ptr<FileSet>);
bool recognises_zip(const Beginning& beginning);
base::Result<std::unique_ptr<OpenTask>> open_zip(std::shared_ptr<base::ByteSource>, std::shared_ptr<FileSet>);
bool recognises_torch_legacy(const Beginning& beginning);
base::Result<std::unique_ptr<OpenTask>> open_torch_legacy(std::shared_ptr<base::ByteSource>, std::shared_ptr<FileSet>);
/// What torch.save wrote in 2016: always refused.
bool recognises_tar(const Beginning& beginning);
base::Result<std::unique_ptr<OpenTask>> open_tar(std::shared_ptr<base::ByteSource>, std::shared_ptr<FileSet>);
bool recognises_pickle(const Beginning& beginning);
base::Result<std::unique_ptr<OpenTask>> open_pickle(std::shared_ptr<base::ByteSource>, std::shared_ptr<FileSet>);

}  // namespace nns::checkpoint
