#include <algorithm>
#include <array>

#include "core/checkpoint/format.h"

namespace nns::checkpoint {

namespace {

constexpr std::array kFormats = {
    Format{"Git LFS pointer", recognises_git_lfs, open_git_lfs},
    Format{"gguf", recognises_gguf, open_gguf},
    Format{"npy", recognises_npy, open_npy},
    Format{"torch zip, npz", recognises_zip, open_zip},
    Format{"torch legacy", recognises_torch_legacy, open_torch_legacy},
    Format{"tar", recognises_tar, open_tar},
    Format{"safetensors", recognises_safetensors, open_safetensors},
    Format{"index of shards, config.json", recognises_json, open_json},
    Format{"pickle or unknown", recognises_pickle, open_pickle},
};

}  // namespace

base::Result<FirstBytes> FirstBytes::read(base::ByteSource& source) {
  FirstBytes first;
  first.file_size_ = source.size();
  first.size_ = static_cast<std::size_t>(std::min<std::uint64_t>(first.bytes_.size(), source.size()));
  NNS_TRY(source.read(0, std::span(first.bytes_).first(first.size_)));
  return first;
}

std::span<const Format> formats() { return kFormats; }

std::string title_of(std::string_view name) {
  if (name.find("://") != std::string_view::npos) name = name.substr(0, name.find_first_of("?#"));
  while (!name.empty() && (name.back() == '/' || name.back() == '\\')) name.remove_suffix(1);
  return std::string(name.substr(name.find_last_of("/\\") + 1));
}

void name_document(Checkpoint& document, std::string_view format, const std::shared_ptr<base::ByteSource>& source) {
  document.format = format;
  document.title = title_of(source->name());
  document.files.push_back({source->name(), source->size(), source});
}

}  // namespace nns::checkpoint
