#include "core/checkpoint/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/checkpoint/folder_choice.h"
#include "core/checkpoint/format.h"
#include "core/checkpoint/model_config.h"
#include "core/checkpoint/packed_weights.h"
#include "core/checkpoint/shards.h"

namespace nns::checkpoint {

std::string_view Checkpoint::dtype_name(const TensorEntry& entry) const {
  if (entry.dtype_text != 0) return tree.strings.view(entry.dtype_text);
  return entry.has_shape ? tensor::info(entry.dtype).torch_name : kUnknownDtype;
}

base::Result<std::shared_ptr<base::ByteSource>> FileSet::open_now(std::string_view name) {
  auto opened = open(name);
  if (opened) return std::move(*opened);
  return base::Error{.found = "this file is still on its way",
                     .expected = "a file that is here",
                     .where = std::string(name),
                     .offset = std::nullopt};
}

base::Result<Storage> Checkpoint::locate(std::uint32_t storage) {
  const Storage& entry = storages[storage];
  if (files[entry.file].source == nullptr) {
    return base::Error{"this file is not there", "the shard beside its index", files[entry.file].name, std::nullopt};
  }
  return entry;
}

base::Result<std::shared_ptr<base::ByteSource>> Checkpoint::storage_bytes(std::uint32_t storage) {
  NNS_TRY_ASSIGN(const Storage entry, locate(storage));
  const FileEntry& file = files[entry.file];
  return base::make_part_source(file.name, file.source, entry.offset, entry.nbytes);
}

base::Result<std::shared_ptr<base::ByteSource>> Checkpoint::value_bytes(std::uint32_t tensor) {
  return storage_bytes(tensors[tensor].storage);
}

namespace {

/// Opens one file as what it is, without what lies beside it but its shards.
base::Result<std::unique_ptr<OpenTask>> open_file(std::shared_ptr<base::ByteSource> source,
                                                  std::shared_ptr<FileSet> siblings) {
  NNS_TRY_ASSIGN(const FirstBytes first, FirstBytes::read(*source));
  const Beginning beginning = first.beginning();
  const std::span<const std::byte> head = beginning.bytes;

  std::string known;
  for (const Format& format : formats()) {
    if (format.recognises(beginning)) return format.open(std::move(source), std::move(siblings));
    known += fmt::format("{}{}", known.empty() ? "" : ", ", format.name);
  }
  std::string seen;
  for (const std::byte byte : head.first(std::min<std::size_t>(head.size(), 16))) {
    seen += fmt::format("{}{:02x}", seen.empty() ? "" : " ", static_cast<unsigned>(byte));
  }
  return base::Error{
      head.empty() ? "the file is empty" : fmt::format("no reader knows a file that begins with {}", seen),
      "one of: " + known, source->name(), 0};
}

/// Waits for the file that a folder is opened by, then is that file's task; what it opens is called `title`.
class FolderTask final : public OpenTask {
 public:
  FolderTask(std::shared_ptr<FileSet> files, std::string name, std::string title)
      : files_(std::move(files)), name_(std::move(name)), title_(std::move(title)) {}

  base::Result<OpenState> step(const base::Budget& budget) override {
    if (task_ == nullptr) {
      auto source = files_->open(name_);
      if (!source) return OpenState::WaitingForFiles;
      if (!source->ok()) return std::move(*source).error();
      NNS_TRY_ASSIGN(task_, open_file(std::move(*source).value(), files_));
    }
    return task_->step(budget);
  }
  Progress progress() const override { return task_ == nullptr ? Progress{} : task_->progress(); }
  std::unique_ptr<Checkpoint> take() override {
    std::unique_ptr<Checkpoint> document = task_->take();
    // "." names nothing.
    if (title_.find_first_not_of('.') != std::string::npos) document->title = title_;
    return document;
  }

 private:
  std::shared_ptr<FileSet> files_;
  std::string name_;
  std::string title_;
  std::unique_ptr<OpenTask> task_;
};

}  // namespace

base::Result<std::unique_ptr<OpenTask>> open_checkpoint(std::shared_ptr<base::ByteSource> source,
                                                        std::shared_ptr<FileSet> siblings) {
  const bool is_configured = siblings != nullptr && is_hugging_face_name(title_of(source->name()));
  NNS_TRY_ASSIGN(auto task, open_file(std::move(source), siblings));
  if (is_configured) task = with_config(std::move(task), std::move(siblings));
  return with_packed_weights(std::move(task));
}

base::Result<std::unique_ptr<OpenTask>> open_folder(std::shared_ptr<FileSet> files, std::string_view folder) {
  NNS_TRY_ASSIGN(FolderChoice choice, choose_in_folder(files->names(), folder));
  std::unique_ptr<OpenTask> task;
  if (choice.shards.empty()) {
    task = std::make_unique<FolderTask>(files, std::move(choice.file), title_of(folder));
  } else {
    task = open_shards(files, std::move(choice.shards), title_of(folder));
  }
  return with_packed_weights(with_config(std::move(task), std::move(files)));
}

}  // namespace nns::checkpoint
