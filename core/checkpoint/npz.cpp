#include "core/checkpoint/npz.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/utf8.h"
#include "core/checkpoint/describe_inferred.h"
#include "core/checkpoint/format.h"
#include "core/checkpoint/npy_header.h"
#include "core/checkpoint/pickle.h"
#include "core/checkpoint/swapped_source.h"
#include "core/checkpoint/tree_builder.h"

namespace nns::checkpoint {

namespace {

constexpr std::string_view kEnding = ".npy";
/// Pickles of objects that are longer are not looked into. Units: bytes.
constexpr std::uint64_t kMaxObjects = std::uint64_t{64} << 20U;
constexpr std::size_t kNpzReadStep = std::size_t{1} << 20U;
/// Notes of one sort, so that a file of many odd arrays does not bury the rest.
constexpr int kMostNotes = 10;

class NumpyCheckpoint final : public Checkpoint {
 public:
  struct Array {
    std::uint64_t data_begin = 0;  // in its .npy file
    std::uint8_t swap_bytes = 1;
    bool is_object = false;
  };
  std::unique_ptr<ZipArchive> archive;  // null for a single .npy file
  std::vector<Array> arrays;            // one a storage, which is one a tensor

  ObjectDescription describe(std::uint32_t node) const override { return describe_inferred(*this, node); }

  base::Result<Storage> locate(std::uint32_t index) override {
    Storage& storage = storages[index];
    if (storage.located) return storage;
    NNS_TRY_ASSIGN(storage.offset, archive->stored_offset(storage.member));
    storage.offset += arrays[index].data_begin;
    storage.located = true;
    return storage;
  }

  base::Result<std::shared_ptr<base::ByteSource>> storage_bytes(std::uint32_t index) override {
    const Storage& storage = storages[index];
    auto file = files[0].source;
    if (archive != nullptr) {
      NNS_TRY_ASSIGN(file, archive->open_member(storage.member));
    }
    std::string name = file->name();
    return base::make_part_source(std::move(name), std::move(file), arrays[index].data_begin, storage.nbytes);
  }

  base::Result<std::shared_ptr<base::ByteSource>> value_bytes(std::uint32_t tensor) override {
    const TensorEntry& entry = tensors[tensor];
    const Array& array = arrays[entry.storage];
    if (!entry.readable) {
      return base::Error{fmt::format("{} is an array of {}{}", name(entry), dtype_name(entry),
                                     array.is_object ? "s: a pickle holds them, which is not loaded" : ""),
                         "an array of numbers that torch has a dtype for", files[0].name, std::nullopt};
    }
    NNS_TRY_ASSIGN(auto bytes, storage_bytes(entry.storage));
    return array.swap_bytes > 1 ? make_swapped_source(std::move(bytes), array.swap_bytes) : std::move(bytes);
  }
};

/// Reads the pickle of an array of objects for the globals that it names.
class ObjectListing {
 public:
  /// `bytes` is all of the .npy file, of which the pickle is the end.
  ObjectListing(std::shared_ptr<base::ByteSource> bytes, std::uint64_t begin, std::string member)
      : bytes_(std::move(bytes)), at_(begin), member_(std::move(member)) {}

  /// True when done; a pickle that breaks is a note, its globals count all the same.
  base::Result<bool> step(const base::Budget& budget, Checkpoint& document) {
    if (machine_ == nullptr) {
      while (at_ < bytes_->size()) {
        const std::size_t done = pickle_.size();
        pickle_.resize(done + static_cast<std::size_t>(std::min<std::uint64_t>(bytes_->size() - at_, kNpzReadStep)));
        const auto piece = std::as_writable_bytes(std::span(pickle_)).subspan(done);
        NNS_TRY(bytes_->read(at_, piece));
        at_ += piece.size();
        if (budget.spent()) return false;
      }
      machine_ = std::make_unique<PickleMachine>(pickle_, bytes_->name(), member_);
    }
    auto done = machine_->step(budget);
    if (done.ok() && !*done) return false;
    if (!done.ok()) note_ = "The pickle of an array of objects is broken: " + done.error().message();
    for (const Global& global : machine_->globals()) {
      const bool is_known = std::any_of(document.globals.begin(), document.globals.end(),
                                        [&](const Global& other) { return other.name == global.name; });
      if (!is_known && document.globals.size() < kMostGlobals) document.globals.push_back(global);
    }
    return true;
  }
  const std::string& note() const { return note_; }

 private:
  static constexpr std::size_t kMostGlobals = 10'000;
  std::shared_ptr<base::ByteSource> bytes_;
  std::uint64_t at_;
  std::string member_;
  std::string pickle_;
  std::unique_ptr<PickleMachine> machine_;
  std::string note_;
};

/// One .npy file, or an archive of them.
class NumpyTask final : public OpenTask {
 public:
  NumpyTask(std::shared_ptr<base::ByteSource> source, std::unique_ptr<ZipArchive> archive)
      : document_(std::make_unique<NumpyCheckpoint>()), builder_(document_->tree.strings, NodeKind::Container) {
    name_document(*document_, archive == nullptr ? "npy" : "npz", source);
    count_ = archive == nullptr ? 1 : static_cast<std::uint32_t>(archive->members().size());
    document_->archive = std::move(archive);
    if (document_->archive != nullptr) {
      // Names with dots are those of a state dict; else the arrays are entries of a dict.
      for (const ZipMember& member : document_->archive->members()) {
        const std::string_view name = member.name.substr(0, member.name.size() - kEnding.size());
        is_module_ = is_module_ || name.find('.') != std::string_view::npos;
      }
      if (is_module_) builder_.set_kind(0, NodeKind::Module);
    }
  }

  base::Result<OpenState> step(const base::Budget& budget) override {
    while (next_ < count_) {
      if (listing_ == nullptr) {
        NNS_TRY(read_array());
      }
      if (listing_ != nullptr) {
        auto done = listing_->step(budget, *document_);
        if (!done.ok()) return done.error();
        if (!*done) return OpenState::Working;
        if (!listing_->note().empty()) add_note(listing_->note());
        listing_ = nullptr;
      }
      ++next_;
      if (next_ % 16 == 0 && budget.spent()) return OpenState::Working;
    }
    add_notes();
    NNS_TRY(builder_.finish(is_module_ ? SiblingOrder::Natural : SiblingOrder::AsAdded, *document_));
    return OpenState::Done;
  }
  Progress progress() const override { return {next_, count_}; }
  std::unique_ptr<Checkpoint> take() override { return std::move(document_); }

 private:
  base::Result<void> read_array() {
    NumpyCheckpoint& document = *document_;
    // 1. The .npy file, and what the array is called.
    std::shared_ptr<base::ByteSource> file = document.files[0].source;
    std::string_view name = document.title;
    Storage storage;
    if (document.archive != nullptr) {
      const ZipMember& member = document.archive->members()[next_];
      NNS_TRY_ASSIGN(file, document.archive->open_member(next_));
      name = member.name;
      storage.member = next_;
      storage.located = false;
    }
    if (name.size() > kEnding.size() && name.substr(name.size() - kEnding.size()) == kEnding) {
      name.remove_suffix(kEnding.size());
    }
    const std::string shown = base::escape_invalid_utf8(name);
    NNS_TRY_ASSIGN(const NpyHeader header, read_npy_header(*file));
    // 2. Dimensions and strides.
    TensorEntry entry;
    entry.rank = static_cast<std::uint8_t>(header.shape.size());
    entry.dims = static_cast<std::uint32_t>(document.dims.size());
    document.dims.insert(document.dims.end(), header.shape.begin(), header.shape.end());
    document.dims.resize(document.dims.size() + header.shape.size(), 1);
    std::int64_t stride = 1;
    for (std::size_t count = 0; count < header.shape.size(); ++count) {
      const std::size_t at = header.fortran_order ? count : header.shape.size() - 1 - count;
      document.dims[entry.dims + entry.rank + at] = stride;
      if (__builtin_mul_overflow(stride, std::max<std::int64_t>(header.shape[at], 1), &stride)) stride = INT64_MAX;
    }
    // 3. The entry, its storage, its row.
    if (!has_room(document.names, shown.size()) || builder_.is_full() ||
        !has_room(document.tree.strings, shown.size() + header.descr.size() + 64)) {
      return base::Error{"names that need more than 4 GB of memory, or more rows than a tree can have", "fewer arrays",
                         document.files[0].name, std::nullopt};
    }
    entry.name = document.names.append(shown);
    entry.dtype = header.is_readable ? header.dtype : tensor::DType::UInt8;
    entry.readable = header.is_readable;
    if (!header.is_readable || header.descr.find_first_of("mM") != std::string::npos) {
      entry.dtype_text = document.tree.strings.intern(header.is_object && header.descr.find('[') == std::string::npos
                                                          ? std::string_view("object")
                                                          : std::string_view(header.descr));
    }
    entry.numel = header.numel;
    entry.nbytes = header.nbytes;
    entry.storage = static_cast<std::uint32_t>(document.storages.size());
    storage.nbytes = header.nbytes;
    storage.offset = header.data_begin;
    document.storages.push_back(storage);
    document.arrays.push_back({header.data_begin, header.swap_bytes, header.is_object});
    const auto index = static_cast<std::uint32_t>(document.tensors.size());
    document.tensors.push_back(entry);
    if (!is_module_) {
      builder_.set_tensor(builder_.add(0, shown, NodeKind::Tensor), index);
    } else if (builder_.add_dotted(0, shown, index) == kNone) {
      return base::Error{fmt::format("array \"{}\" appears twice", shown.substr(0, 80)), "each name once",
                         document.files[0].name, std::nullopt};
    }
    // 4. What a person should know.
    big_endian_ += header.swap_bytes > 1 ? 1 : 0;
    const std::uint64_t behind = file->size() - header.data_begin - header.nbytes;
    if (behind != 0) {
      add_note(fmt::format("{} bytes follow the data of array \"{}\"; NumPy does not read them.", behind,
                           shown.substr(0, 80)));
    }
    if (!header.is_object) return {};
    ++objects_;
    if (header.nbytes > kMaxObjects) {
      add_note(fmt::format("The pickle of array \"{}\" has {} bytes; its globals are not listed.", shown.substr(0, 80),
                           header.nbytes));
      return {};
    }
    listing_ = std::make_unique<ObjectListing>(std::move(file), header.data_begin, fmt::format("{}{}", shown, kEnding));
    return {};
  }

  void add_note(std::string note) {
    if (++notes_ <= kMostNotes) document_->notes.push_back(std::move(note));
  }

  void add_notes() {
    auto& notes = document_->notes;
    if (notes_ > kMostNotes) notes.push_back(fmt::format("{} more notes of this sort.", notes_ - kMostNotes));
    if (big_endian_ != 0) notes.push_back(fmt::format("Big-endian arrays: {}.", big_endian_));
    if (objects_ != 0) {
      notes.push_back(
          fmt::format("Arrays of Python objects: {}. Pickles hold them; they are not loaded, only the "
                      "globals that they name are listed.",
                      objects_));
    }
  }

  std::unique_ptr<NumpyCheckpoint> document_;
  TreeBuilder builder_;
  bool is_module_ = false;
  std::uint32_t count_ = 0;
  std::uint32_t next_ = 0;
  std::unique_ptr<ObjectListing> listing_;
  int notes_ = 0;
  std::uint64_t big_endian_ = 0;
  std::uint64_t objects_ = 0;
};

}  // namespace

std::unique_ptr<OpenTask> open_npz(std::shared_ptr<base::ByteSource> source, std::unique_ptr<ZipArchive> archive) {
  return std::make_unique<NumpyTask>(std::move(source), std::move(archive));
}

bool recognises_npy(const Beginning& beginning) { return beginning.starts_with("\x93NUMPY"); }

base::Result<std::unique_ptr<OpenTask>> open_npy(std::shared_ptr<base::ByteSource> source, std::shared_ptr<FileSet>) {
  return std::unique_ptr<OpenTask>(std::make_unique<NumpyTask>(std::move(source), nullptr));
}

}  // namespace nns::checkpoint
