// What torch.save wrote before PyTorch 1.6: five pickles one after the other (a magic number, the protocol version, the
// machine, the object, the keys of its storages), then each storage in that order: 8 bytes with the count of its
// elements, and the elements. Numbers are little-endian on every machine.
// Behaviour: torch/serialization.py (_legacy_save, _legacy_load), torch/csrc/generic/serialization.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "core/checkpoint/format.h"
#include "core/checkpoint/pickle_preview.h"
#include "core/checkpoint/pickled_checkpoint.h"
#include "core/checkpoint/torch_objects.h"
#include "core/checkpoint/torch_tree.h"
#include "core/checkpoint/tree_builder.h"

namespace nns::checkpoint {

namespace {

/// The number 0x1950a86a20f9469cfc6c: as an opcode LONG1 with its argument, and in decimals.
constexpr std::string_view kLegacyMagic("\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", 13);
constexpr std::string_view kMagicText = "L119547037146038801333356L\n.";
constexpr std::int64_t kProtocolVersion = 1001;
/// How much of the file is read first; four times as much each time that the pickles go on.
constexpr std::size_t kFirstPiece = 64U << 10U;
constexpr std::size_t kLegacyReadStep = 4U << 20U;
constexpr std::uint32_t kValuesPerLook = 1U << 16U;

class TorchLegacyTask final : public OpenTask {
 public:
  explicit TorchLegacyTask(std::shared_ptr<base::ByteSource> source)
      : document_(std::make_unique<PickledCheckpoint>()), builder_(document_->tree.strings) {
    name_document(*document_, "torch legacy", source);
    most_ = std::min(source->size(), kMaxPickle);
    piece_ = std::min<std::uint64_t>(most_, kFirstPiece);
    document_->source = std::move(source);
  }

  base::Result<OpenState> step(const base::Budget& budget) override {
    if (phase_ == Phase::Pickles) {
      auto done = read_pickles(budget);
      if (!done.ok()) {
        if (document_->machine == nullptr) return std::move(done).error();
        NNS_TRY(list_globals_only(*document_, builder_, done.error()));
        return OpenState::Done;
      }
      if (!*done) return OpenState::Working;
      document_->globals = document_->machine->globals();
      phase_ = Phase::Ids;
    }
    if (phase_ == Phase::Ids) {
      if (!find_ids(budget)) return OpenState::Working;
      NNS_TRY(place_storages());
      objects_ = std::make_unique<TorchObjects>(*document_, "", false);
      objects_->use_raw_storages(storages_);
      tree_ = std::make_unique<TorchTree>(*document_, builder_, *objects_);
      NNS_TRY(tree_->start(object_, 0, {}));
      phase_ = Phase::Tree;
    }
    NNS_TRY_ASSIGN(const bool complete, tree_->step(budget));
    if (!complete) return OpenState::Working;
    NNS_TRY(lay_out(*document_, builder_, tree_.get()));
    return OpenState::Done;
  }

  Progress progress() const override {
    if (document_ == nullptr || document_->machine == nullptr) return {};
    // Half for reading the pickles, half for the rows; how many there will be is not known.
    const std::uint64_t size = document_->machine->size();
    const std::uint64_t rows = tree_ == nullptr ? 0 : std::min<std::uint64_t>(size, tree_->steps() * 64);
    return {document_->machine->position() + rows, 2 * size};
  }
  std::unique_ptr<Checkpoint> take() override { return std::move(document_); }

 private:
  enum class Phase : std::uint8_t { Pickles, Ids, Tree };

  base::Error error(std::uint64_t offset, std::string found, std::string expected) const {
    return {std::move(found), std::move(expected), document_->source->name(), offset};
  }

  /// The first `piece_` bytes of the file.
  base::Result<bool> read_piece(const base::Budget& budget) {
    ZipBytes& pickle = document_->pickle;
    if (const auto view = pickle.owned.empty() ? document_->source->view(0, piece_) : std::nullopt) {
      pickle.bytes = *view;
      return true;
    }
    const auto size = static_cast<std::size_t>(piece_);
    while (pickle.owned.size() < size) {
      const std::size_t done = pickle.owned.size();
      pickle.owned.resize(std::min(size, done + kLegacyReadStep));
      NNS_TRY(document_->source->read(done, std::span(pickle.owned).subspan(done)));
      if (pickle.owned.size() < size && budget.spent()) return false;
    }
    pickle.bytes = pickle.owned;
    return true;
  }

  /// How long the pickles are is not known: if a piece of the file ends inside them, a longer piece is read from the
  /// beginning, as texts lie in the piece. Cost: a third more than one look.
  base::Result<bool> read_pickles(const base::Budget& budget) {
    while (true) {
      if (document_->machine == nullptr) {
        NNS_TRY_ASSIGN(const bool complete, read_piece(budget));
        if (!complete) return false;
        const auto bytes = document_->pickle.bytes;
        document_->machine = std::make_unique<PickleMachine>(
            std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()), document_->source->name(), "");
        number_ = 0;
        document_->metadata.clear();
      }
      PickleMachine& machine = *document_->machine;
      auto done = machine.step(budget);
      if (!done.ok()) {
        const std::uint64_t needed = machine.needed();
        if (needed == 0 || needed > most_ || piece_ == most_) return done;
        piece_ = std::min(most_, std::max(needed, 4 * piece_));
        document_->machine = nullptr;
        continue;
      }
      if (!*done) return false;
      NNS_TRY(take_pickle(machine.result()));
      if (++number_ == 5) return true;
      pickle_begin_ = machine.position();
      machine.restart();
    }
  }

  base::Result<void> take_pickle(PickleId value) {
    const PickleHeap& heap = document_->heap();
    switch (number_) {
      case 1:
        if (heap.kind(value) != PickleKind::Int || heap.as_int(value) != kProtocolVersion) {
          return error(pickle_begin_, fmt::format("protocol version {}", preview(heap, value, 40)),
                       fmt::format("{}, the only one there is", kProtocolVersion));
        }
        return {};
      case 2:
        if (heap.kind(value) == PickleKind::Dict) read_machine(heap.chain(value));
        return {};
      case 3:
        object_ = value;
        return {};
      case 4:
        if (heap.kind(value) != PickleKind::List)
          return error(pickle_begin_, fmt::format("a {} of storages", type_name(heap, value)), "a list of their keys");
        keys_ = value;
        return {};
      default:
        return {};
    }
  }

  /// What the writing machine was like; nothing of it matters for reading.
  void read_machine(const PickleChain& items) {
    const PickleHeap& heap = document_->heap();
    for (const std::string_view name : {"protocol_version", "little_endian", "type_sizes"}) {
      const PickleId value = heap.find(items, name);
      if (value != kNone) document_->metadata.push_back({std::string(name), preview(heap, value)});
    }
  }

  /// All persistent ids of storages, those too that no tensor uses: their sizes say where the others lie.
  bool find_ids(const base::Budget& budget) {
    const PickleHeap& heap = document_->heap();
    for (; next_value_ < heap.size(); ++next_value_) {
      if (next_value_ % kValuesPerLook == kValuesPerLook - 1 && budget.spent()) {
        ++next_value_;
        return false;
      }
      const PickleId value = next_value_;
      if (heap.kind(value) != PickleKind::Persistent) continue;
      std::array<PickleId, 5> id{};
      const PickleId tuple = heap.persistent_id(value);
      if (heap.kind(tuple) != PickleKind::Tuple || heap.first_items(tuple, id) < 5 || !heap.is_text(id[0]) ||
          heap.text(id[0]) != "storage" || heap.kind(id[1]) != PickleKind::Global || !heap.is_text(id[2]) ||
          heap.kind(id[4]) != PickleKind::Int || heap.as_int(id[4]) < 0) {
        continue;
      }
      const std::string_view type = heap.name(id[1]).name;
      const auto dtype = tensor::dtype_from_storage_class(type);
      if (!dtype && type != "UntypedStorage" && type != "_UntypedStorage") continue;
      RawStorage storage;
      storage.numel = static_cast<std::uint64_t>(heap.as_int(id[4]));
      storage.item_bytes = dtype ? tensor::item_bytes(*dtype) : 1;
      sizes_.emplace(heap.text(id[2]), storage);
    }
    return true;
  }

  base::Result<void> place_storages() {
    const PickleHeap& heap = document_->heap();
    const std::uint64_t file_size = document_->source->size();
    std::uint64_t at = document_->machine->position();
    std::optional<base::Error> problem;
    const RawStorage* first = nullptr;
    const RawStorage* last = nullptr;
    heap.each(heap.chain(keys_), [&](PickleId key) {
      if (!heap.is_text(key)) {
        problem = error(pickle_begin_, fmt::format("a key of a storage that is a {}", type_name(heap, key)), "a str");
        return false;
      }
      const auto size = sizes_.find(heap.text(key));
      if (size == sizes_.end()) {
        problem =
            error(pickle_begin_, fmt::format("storage {} is in the list, but nothing uses it", preview(heap, key)),
                  "a storage of the object");
        return false;
      }
      RawStorage storage = size->second;
      if (file_size - at < 8 || storage.numel > (file_size - at - 8) / storage.item_bytes) {
        problem = error(at,
                        fmt::format("{} bytes are left for storage {} of {} elements", file_size - at,
                                    preview(heap, key), storage.numel),
                        fmt::format("8 + {} x {} bytes", storage.numel, storage.item_bytes));
        return false;
      }
      storage.offset = at + 8;
      at = storage.offset + storage.numel * storage.item_bytes;
      const auto [place, is_new] = storages_.emplace(size->first, storage);
      if (!is_new) {
        problem = error(pickle_begin_, fmt::format("storage {} twice", preview(heap, key)), "each storage once");
        return false;
      }
      if (first == nullptr) first = &place->second;
      last = &place->second;
      return true;
    });
    if (problem) return *problem;
    // If the first and the last count are where they should be, so are the others; each is checked when it is used.
    if (first != nullptr) {
      NNS_TRY(document_->check_count(*first));
      NNS_TRY(document_->check_count(*last));
    }
    if (at < file_size) document_->notes.push_back(fmt::format("{} bytes follow the last storage.", file_size - at));
    return {};
  }

  std::unique_ptr<PickledCheckpoint> document_;
  TreeBuilder builder_;
  Phase phase_ = Phase::Pickles;
  std::uint64_t most_ = 0;
  std::uint64_t piece_ = 0;
  int number_ = 0;
  std::uint64_t pickle_begin_ = 0;
  PickleId object_ = 0;
  PickleId keys_ = 0;
  PickleId next_value_ = 0;
  RawStorages sizes_;
  RawStorages storages_;
  std::unique_ptr<TorchObjects> objects_;
  std::unique_ptr<TorchTree> tree_;
};

}  // namespace

bool recognises_torch_legacy(const Beginning& beginning) {
  std::string_view text = beginning.text();
  if (text.substr(0, kMagicText.size()) == kMagicText) return true;
  if (text.size() < 2 || text[0] != '\x80' || text[1] < 2 || text[1] > 5) return false;
  text.remove_prefix(2);
  // Protocols 4 and 5 put a frame around it: an opcode and 8 bytes.
  if (!text.empty() && text[0] == '\x95') text.remove_prefix(std::min<std::size_t>(text.size(), 9));
  return text.substr(0, kLegacyMagic.size()) == kLegacyMagic;
}

base::Result<std::unique_ptr<OpenTask>> open_torch_legacy(std::shared_ptr<base::ByteSource> source,
                                                          std::shared_ptr<FileSet>) {
  return std::unique_ptr<OpenTask>(std::make_unique<TorchLegacyTask>(std::move(source)));
}

bool recognises_tar(const Beginning& beginning) {
  constexpr std::size_t kPlace = 257;
  return beginning.bytes.size() > kPlace && beginning.text().substr(kPlace, 5) == "ustar";
}

base::Result<std::unique_ptr<OpenTask>> open_tar(std::shared_ptr<base::ByteSource> source, std::shared_ptr<FileSet>) {
  return base::Error{
      "a tar archive; the first versions of torch.save (2016) wrote such, with members called pickle, storages and "
      "tensors, and no reader for them is here",
      "a file that torch.save wrote since 2017, or one taken out of the archive", source->name(), 257};
}

}  // namespace nns::checkpoint
