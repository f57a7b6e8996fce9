#include "core/checkpoint/shards.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <optional>

#include "core/checkpoint/describe_inferred.h"
#include "core/checkpoint/format.h"
#include "core/checkpoint/inner_documents.h"
#include "core/checkpoint/safetensors_header.h"
#include "core/checkpoint/shard_index.h"

namespace nns::checkpoint {

namespace {

constexpr std::size_t kShardNamesPerLook = 1024;
/// How many files are on their way at once: over a network each takes a trip.
constexpr std::size_t kAskedAhead = 6;

class ShardedCheckpoint final : public Checkpoint {
 public:
  InnerDocuments parts;  ///< the shards that torch.save wrote

  ObjectDescription describe(std::uint32_t node) const override { return describe_inferred(*this, node); }

  base::Result<Storage> locate(std::uint32_t index) override {
    const InnerDocument* part = parts.find(index);
    if (part == nullptr) return Checkpoint::locate(index);
    Storage& storage = storages[index];
    if (!storage.located) {
      NNS_TRY_ASSIGN(const Storage inside, part->document->locate(index - part->storage));
      storage.offset = inside.offset;
      storage.located = true;
    }
    return storage;
  }

  base::Result<std::shared_ptr<base::ByteSource>> storage_bytes(std::uint32_t index) override {
    return parts.find(index) != nullptr ? parts.bytes(index) : Checkpoint::storage_bytes(index);
  }

  base::Result<std::shared_ptr<base::ByteSource>> value_bytes(std::uint32_t tensor) override {
    if (auto inside = parts.value_bytes(tensor)) return std::move(*inside);
    return safetensors_values(*this, tensor, Checkpoint::value_bytes(tensor));
  }
};

using Opened = base::Result<std::shared_ptr<base::ByteSource>>;

class ShardedTask final : public OpenTask {
 public:
  /// `index` is empty for a folder: then `shards` are its files.
  ShardedTask(std::optional<JsonText> index, std::shared_ptr<FileSet> siblings, std::vector<std::string> shards,
              std::string title)
      : document_(std::make_unique<ShardedCheckpoint>()),
        builder_(document_->tree.strings),
        index_text_(std::move(index)),
        siblings_(std::move(siblings)) {
    index_.shards = std::move(shards);
    document_->title = std::move(title);
    if (!index_text_) return;
    const auto& source = index_text_->source();
    document_->files.push_back({source->name(), source->size(), source});
    reader_ = std::make_unique<ShardIndexReader>(index_text_->text(), source->name(), *document_);
  }

  base::Result<OpenState> step(const base::Budget& budget) override {
    if (phase_ == Phase::Index) {
      if (reader_ != nullptr) {
        NNS_TRY_ASSIGN(const bool complete, reader_->step(budget));
        if (!complete) return OpenState::Working;
        index_ = reader_->take();
      }
      phase_ = Phase::Shards;
    }
    if (phase_ == Phase::Shards) {
      NNS_TRY_ASSIGN(const OpenState state, read_shards(budget));
      if (state != OpenState::Done) return state;
      phase_ = Phase::Missing;
    }
    if (phase_ == Phase::Missing) {
      NNS_TRY_ASSIGN(const bool complete, add_missing(budget));
      if (!complete) return OpenState::Working;
    }
    name_format();
    NNS_TRY(builder_.finish(SiblingOrder::Natural, *document_));
    return OpenState::Done;
  }
  Progress progress() const override {
    if (phase_ == Phase::Index && reader_ != nullptr) return {reader_->done(), 2 * index_text_->text().size()};
    return {shard_ + 1, index_.shards.size() + 1};
  }
  std::unique_ptr<Checkpoint> take() override { return std::move(document_); }

 private:
  enum class Phase : std::uint8_t { Index, Shards, Missing };

  const std::string& shard_name() const { return index_.shards[shard_]; }

  /// The next shard, asked for along with those that come after it; nothing while it is on its way.
  std::optional<Opened> open_next() {
    if (siblings_ == nullptr) return Opened(base::Error{"only the index was opened", {}, shard_name(), std::nullopt});
    while (asked_.size() < kAskedAhead && shard_ + asked_.size() < index_.shards.size()) {
      asked_.push_back(siblings_->open(index_.shards[shard_ + asked_.size()]));
      if (asked_.back()) break;  // it was there at once: a folder, where nothing is gained by asking ahead
    }
    if (!asked_.front()) asked_.front() = siblings_->open(shard_name());
    if (!asked_.front()) return std::nullopt;
    std::optional<Opened> opened = std::move(asked_.front());
    asked_.pop_front();
    return opened;
  }

  /// Reads what the shards hold, one after the other; one that is not there is noted.
  base::Result<OpenState> read_shards(const base::Budget& budget) {
    while (shard_ < index_.shards.size()) {
      if (header_ == nullptr && inner_ == nullptr) {
        auto opened = open_next();
        if (!opened) return OpenState::WaitingForFiles;
        file_of_shard_.push_back(static_cast<std::uint32_t>(document_->files.size()));
        if (!opened->ok()) {
          document_->files.push_back({shard_name(), 0, nullptr});
          missing_.push_back(shard_name());
          ++shard_;
          continue;
        }
        NNS_TRY(begin_shard(std::move(*opened).value()));
        continue;
      }
      NNS_TRY_ASSIGN(const bool complete, header_ != nullptr ? header_->step(budget) : read_inner(budget));
      if (!complete) return OpenState::Working;
      header_ = nullptr;
      inner_ = nullptr;
      ++shard_;
      if (budget.spent()) return OpenState::Working;
    }
    return OpenState::Done;
  }

  base::Result<void> begin_shard(std::shared_ptr<base::ByteSource> source) {
    NNS_TRY_ASSIGN(const FirstBytes first, FirstBytes::read(*source));
    const Beginning beginning = first.beginning();
    if (recognises_git_lfs(beginning)) {
      document_->files.push_back({shard_name(), source->size(), nullptr});
      document_->notes.push_back(
          fmt::format("{} is {}. Run \"git lfs pull\".", shard_name(), git_lfs_explanation(beginning.text())));
      ++shard_;
      return {};
    }
    const auto file = static_cast<std::uint32_t>(document_->files.size());
    document_->files.push_back({shard_name(), source->size(), source});
    if (recognises_zip(beginning)) {
      NNS_TRY_ASSIGN(inner_, open_zip(std::move(source), nullptr));
    } else if (recognises_torch_legacy(beginning)) {
      NNS_TRY_ASSIGN(inner_, open_torch_legacy(std::move(source), nullptr));
    } else {
      header_ = std::make_unique<SafetensorsHeader>(std::move(source), file, *document_, builder_);
    }
    return {};
  }

  /// Goes on with a shard that torch.save wrote, and takes over its tensors in the end.
  base::Result<bool> read_inner(const base::Budget& budget) {
    NNS_TRY_ASSIGN(const OpenState state, inner_->step(budget));
    if (state != OpenState::Done) return false;
    std::unique_ptr<Checkpoint> shard = inner_->take();
    const std::string& name = shard_name();
    if (shard->format != "torch zip" && shard->format != "torch legacy") {
      return base::Error{fmt::format("this shard is a {}", shard->format),
                         "a safetensors file, or one that torch.save wrote", name, 0};
    }
    if (!has_room(document_->tree.strings, shard->tree.strings.text().size() + shard->names.text().size()) ||
        !has_room(document_->names, shard->names.text().size()) ||
        document_->dims.size() + shard->dims.size() > kNone) {
      return base::Error{"names that need more than 4 GB of memory", "fewer tensors", name, std::nullopt};
    }
    const auto others = std::count(shard->tree.kind.begin(), shard->tree.kind.end(), NodeKind::Value);
    if (others != 0) {
      document_->notes.push_back(fmt::format("{} holds {} {} no tensor: open it by itself to see {}.", name, others,
                                             others == 1 ? "value that is" : "values that are",
                                             others == 1 ? "it" : "them"));
    }
    std::optional<std::string> twice;
    document_->parts.add(
        *document_, kNone, name, std::move(shard),
        [&](TensorEntry entry, std::string_view own) {
          const auto tensor = static_cast<std::uint32_t>(document_->tensors.size());
          entry.name = document_->names.append(own);
          if (!builder_.is_full() && builder_.add_dotted(0, own, tensor) == kNone && !twice) twice = own;
          document_->tensors.push_back(entry);
        },
        static_cast<std::uint32_t>(document_->files.size() - 1));
    if (twice) {
      return base::Error{fmt::format("tensor \"{}\" appears a second time", *twice), "each tensor in one shard", name,
                         std::nullopt};
    }
    return true;
  }

  /// Tensors that the index names and no shard has: rows without shape.
  base::Result<bool> add_missing(const base::Budget& budget) {
    if (mapped_ == 0) {
      note_missing();
      unknown_ = document_->tree.strings.intern(kUnknownDtype);
      in_shards_ = document_->tensors.size();
      document_->tensors.reserve(in_shards_ + index_.entries.size());
    }
    for (std::size_t since_look = 0; mapped_ < index_.entries.size(); ++mapped_, ++since_look) {
      if (since_look == kShardNamesPerLook) {
        if (budget.spent()) return false;
        since_look = 0;
      }
      if (builder_.is_full()) break;
      const ShardIndex::Entry& mapping = index_.entries[mapped_];
      TensorEntry entry;
      entry.name = mapping.name;
      entry.has_shape = false;
      entry.readable = false;
      entry.dtype_text = unknown_;
      entry.dims = static_cast<std::uint32_t>(document_->dims.size());
      const auto tensor = static_cast<std::uint32_t>(document_->tensors.size());
      if (builder_.add_dotted(0, document_->names.view(mapping.name), tensor) == kNone) {
        ++found_;
        continue;
      }
      document_->tensors.push_back(entry);
      if (document_->files[file_of_shard_[mapping.shard]].source != nullptr) ++absent_;
    }
    if (absent_ > 0) {
      document_->notes.push_back(fmt::format("{} {} in the index {} not in the shard that it names.", absent_,
                                             absent_ == 1 ? "tensor" : "tensors", absent_ == 1 ? "is" : "are"));
    }
    if (index_text_ && in_shards_ > found_) {
      document_->notes.push_back(fmt::format("{} {} of the shards {} not in the index.", in_shards_ - found_,
                                             in_shards_ - found_ == 1 ? "tensor" : "tensors",
                                             in_shards_ - found_ == 1 ? "is" : "are"));
    }
    return true;
  }

  void note_missing() {
    if (missing_.empty()) return;
    constexpr std::size_t kNamed = 8;
    std::string names;
    for (std::size_t at = 0; at < std::min(kNamed, missing_.size()); ++at)
      names += fmt::format("{}{}", at == 0 ? "" : ", ", missing_[at]);
    if (missing_.size() > kNamed) names += fmt::format(" and {} more", missing_.size() - kNamed);
    document_->notes.push_back(fmt::format("{} of {} shards {} not there ({}): their tensors are listed by name only.",
                                           missing_.size(), index_.shards.size(), missing_.size() == 1 ? "is" : "are",
                                           names));
  }

  /// What the shards are says what the whole is; where none is there, their names.
  void name_format() {
    const auto is_torch = [](std::string_view name) { return name.ends_with(".bin") || name.ends_with(".pt"); };
    const bool all_missing = missing_.size() == index_.shards.size() && !missing_.empty();
    const bool torch = !document_->parts.all().empty() || (all_missing && is_torch(missing_.front()));
    document_->format = fmt::format("{} {}", torch ? "torch" : "safetensors", index_text_ ? "index" : "folder");
  }

  std::unique_ptr<ShardedCheckpoint> document_;
  TreeBuilder builder_;
  std::optional<JsonText> index_text_;
  std::shared_ptr<FileSet> siblings_;
  std::unique_ptr<ShardIndexReader> reader_;
  ShardIndex index_;
  Phase phase_ = Phase::Index;

  std::size_t shard_ = 0;
  std::deque<std::optional<Opened>> asked_;  // the next shards
  std::unique_ptr<SafetensorsHeader> header_;
  std::unique_ptr<OpenTask> inner_;
  std::vector<std::uint32_t> file_of_shard_;
  std::vector<std::string> missing_;
  std::size_t mapped_ = 0;
  std::size_t in_shards_ = 0;
  std::size_t found_ = 0;
  std::size_t absent_ = 0;
  std::uint32_t unknown_ = 0;  // string id of kUnknownDtype
};

}  // namespace

std::unique_ptr<OpenTask> open_sharded_index(JsonText index, std::shared_ptr<FileSet> siblings) {
  std::string title = title_of(index.source()->name());
  return std::make_unique<ShardedTask>(std::move(index), std::move(siblings), std::vector<std::string>(),
                                       std::move(title));
}

std::unique_ptr<OpenTask> open_shards(std::shared_ptr<FileSet> files, std::vector<std::string> shards,
                                      std::string title) {
  return std::make_unique<ShardedTask>(std::nullopt, std::move(files), std::move(shards), std::move(title));
}

}  // namespace nns::checkpoint
