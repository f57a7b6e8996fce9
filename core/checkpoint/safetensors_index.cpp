#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <unordered_map>

#include "core/base/utf8.h"
#include "core/checkpoint/describe_inferred.h"
#include "core/checkpoint/format.h"
#include "core/checkpoint/json_cursor.h"
#include "core/checkpoint/safetensors_header.h"

namespace nns::checkpoint {

namespace {

constexpr std::size_t kReadStep = 4U << 20U;
constexpr std::size_t kNamesPerLook = 1024;
constexpr std::size_t kMaxShards = 65'536;

class ShardedCheckpoint final : public Checkpoint {
 public:
  ObjectDescription describe(std::uint32_t node) const override { return describe_inferred(*this, node); }
};

/// Whether a shard's name stays in the folder of the index.
bool stays_in_folder(std::string_view name) {
  if (name.empty() || name.front() == '/' || name.find('\\') != std::string_view::npos ||
      name.find(':') != std::string_view::npos || name.find('\0') != std::string_view::npos) {
    return false;
  }
  while (!name.empty()) {
    const std::string_view part = name.substr(0, name.find('/'));
    if (part == "..") return false;
    name.remove_prefix(std::min(name.size(), part.size() + 1));
  }
  return true;
}

/// An index.json with its shards, or the shards of a folder without one.
class ShardedTask final : public OpenTask {
 public:
  /// `index` is null for a folder: then `shards` are its files.
  ShardedTask(std::shared_ptr<base::ByteSource> index, std::shared_ptr<FileSet> siblings,
              std::vector<std::string> shards, std::string title)
      : document_(std::make_unique<ShardedCheckpoint>()),
        builder_(document_->tree.strings),
        index_(std::move(index)),
        siblings_(std::move(siblings)),
        shards_(std::move(shards)) {
    document_->format = index_ != nullptr ? "safetensors index" : "safetensors folder";
    document_->title = std::move(title);
    if (index_ != nullptr) document_->files.push_back({index_->name(), index_->size(), index_});
    phase_ = index_ != nullptr ? Phase::Bytes : Phase::Shards;
  }

  base::Result<OpenState> step(const base::Budget& budget) override {
    if (phase_ == Phase::Bytes) {
      NNS_TRY_ASSIGN(const bool complete, read_bytes(budget));
      if (!complete) return OpenState::Working;
      phase_ = Phase::Index;
    }
    if (phase_ == Phase::Index) {
      NNS_TRY_ASSIGN(const bool complete, read_index(budget));
      if (!complete) return OpenState::Working;
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
    NNS_TRY(builder_.finish(SiblingOrder::Natural, *document_));
    return OpenState::Done;
  }
  Progress progress() const override {
    if (phase_ == Phase::Bytes || phase_ == Phase::Index) return {cursor_.at(), 2 * text_.size()};
    return {shard_ + 1, shards_.size() + 1};
  }
  std::unique_ptr<Checkpoint> take() override { return std::move(document_); }

 private:
  enum class Phase : std::uint8_t { Bytes, Index, Shards, Missing };
  struct Mapping {
    std::uint32_t name;   // string id
    std::uint32_t shard;  // index into shards_
  };

  base::Error error(std::size_t at, std::string found, std::string expected) const {
    return {std::move(found), std::move(expected), index_->name(), at};
  }
  base::Error json_error() const {
    const JsonCursor::Failure& failure = cursor_.failure();
    return error(failure.at, fmt::format("the JSON text holds {}", failure.found), std::string(failure.expected));
  }

  base::Result<bool> read_bytes(const base::Budget& budget) {
    if (index_->size() > kMaxSafetensorsHeader) {
      return error(0, fmt::format("an index of {} bytes", index_->size()),
                   fmt::format("at most {}", kMaxSafetensorsHeader));
    }
    const auto size = static_cast<std::size_t>(index_->size());
    while (text_.size() < size) {
      const std::size_t done = text_.size();
      text_.resize(std::min(size, done + kReadStep));
      NNS_TRY(index_->read(done, std::as_writable_bytes(std::span(text_)).subspan(done)));
      if (text_.size() < size && budget.spent()) return false;
    }
    if (const auto bad = base::find_invalid_utf8(text_)) {
      return error(*bad, fmt::format("byte 0x{:02x}, which is not UTF-8 here", static_cast<unsigned char>(text_[*bad])),
                   "UTF-8");
    }
    cursor_ = JsonCursor(text_);
    if (!cursor_.expect('{')) return json_error();
    return true;
  }

  base::Result<bool> read_index(const base::Budget& budget) {
    while (true) {
      if (in_map_) {
        NNS_TRY_ASSIGN(const bool complete, read_weight_map(budget));
        if (!complete) return false;
        in_map_ = false;
      }
      if (cursor_.accept('}')) break;
      if (!first_key_ && !cursor_.expect(',')) return json_error();
      first_key_ = false;
      cursor_.skip_space();
      const std::size_t at = cursor_.at();
      std::string_view key;
      if (!cursor_.string(key)) return json_error();
      if (key == "weight_map") {
        if (saw_map_) return error(at, "weight_map appears twice", "one");
        saw_map_ = true;
        if (!cursor_.expect(':') || !cursor_.expect('{')) return json_error();
        in_map_ = true;
      } else if (key == "metadata") {
        if (!cursor_.expect(':')) return json_error();
        NNS_TRY(read_metadata());
      } else if (!cursor_.expect(':') || !cursor_.skip_value()) {
        return json_error();
      }
    }
    cursor_.skip_space();
    if (!cursor_.at_end()) return error(cursor_.at(), "the text goes on after its last '}'", "only spaces");
    if (!saw_map_) return error(0, "JSON without a weight_map", "an index of safetensors shards");
    return true;
  }

  base::Result<void> read_metadata() {
    cursor_.skip_space();
    if (cursor_.at() < text_.size() && text_[cursor_.at()] != '{') {
      if (!cursor_.skip_value()) return json_error();
      return {};
    }
    if (!cursor_.expect('{')) return json_error();
    for (bool is_first = true; !cursor_.accept('}'); is_first = false) {
      if (!is_first && !cursor_.expect(',')) return json_error();
      std::string_view text;
      MetadataEntry entry;
      if (!cursor_.string(text)) return json_error();
      entry.key = text;
      if (!cursor_.expect(':')) return json_error();
      cursor_.skip_space();
      const bool is_string = cursor_.at() < text_.size() && text_[cursor_.at()] == '"';
      if (!(is_string ? cursor_.string(text) : cursor_.skip_value(&text))) return json_error();
      entry.value = text;
      document_->metadata.push_back(std::move(entry));
    }
    return {};
  }

  base::Result<bool> read_weight_map(const base::Budget& budget) {
    for (std::size_t since_look = 0; !cursor_.accept('}'); ++since_look) {
      if (since_look == kNamesPerLook) {
        if (budget.spent()) return false;
        since_look = 0;
      }
      if (!mappings_.empty() && !cursor_.expect(',')) return json_error();
      cursor_.skip_space();
      std::string_view text;
      if (!cursor_.string(text)) return json_error();
      Mapping mapping{};
      mapping.name = document_->names.append(text);
      if (!cursor_.expect(':')) return json_error();
      cursor_.skip_space();
      const std::size_t at = cursor_.at();
      if (!cursor_.string(text)) return json_error();
      const auto known = shard_numbers_.find(std::string(text));
      if (known != shard_numbers_.end()) {
        mapping.shard = known->second;
      } else {
        if (!stays_in_folder(text)) {
          return error(at, fmt::format("shard \"{}\" lies outside the folder of the index", text.substr(0, 200)),
                       "a plain file name");
        }
        if (shards_.size() == kMaxShards) return error(at, fmt::format("more than {} shards", kMaxShards), "fewer");
        mapping.shard = static_cast<std::uint32_t>(shards_.size());
        shard_numbers_.emplace(text, mapping.shard);
        shards_.emplace_back(text);
      }
      mappings_.push_back(mapping);
    }
    return true;
  }

  /// Reads the headers of the shards, one after the other; one that is not there or not whole is noted.
  base::Result<OpenState> read_shards(const base::Budget& budget) {
    while (shard_ < shards_.size()) {
      if (header_ == nullptr) {
        auto opened = siblings_ != nullptr ? siblings_->open(shards_[shard_])
                                           : std::optional(base::Result<std::shared_ptr<base::ByteSource>>(base::Error{
                                                 "only the index was opened", {}, shards_[shard_], std::nullopt}));
        if (!opened) return OpenState::WaitingForFiles;
        file_of_shard_.push_back(static_cast<std::uint32_t>(document_->files.size()));
        if (!opened->ok()) {
          document_->files.push_back({shards_[shard_], 0, nullptr});
          missing_.push_back(shards_[shard_]);
          ++shard_;
          continue;
        }
        NNS_TRY(begin_shard(std::move(*opened).value()));
        continue;
      }
      const auto read = header_->step(budget);
      if (!read.ok()) return read.error();
      if (!*read) return OpenState::Working;
      header_.reset();
      ++shard_;
      if (budget.spent()) return OpenState::Working;
    }
    return OpenState::Done;
  }

  base::Result<void> begin_shard(std::shared_ptr<base::ByteSource> source) {
    std::array<std::byte, 512> bytes{};
    Beginning beginning;
    beginning.file_size = source->size();
    const auto head =
        std::span(bytes).first(static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), source->size())));
    NNS_TRY(source->read(0, head));
    beginning.bytes = head;
    if (recognises_git_lfs(beginning)) {
      document_->files.push_back({shards_[shard_], source->size(), nullptr});
      document_->notes.push_back(
          fmt::format("{} is {}. Run \"git lfs pull\".", shards_[shard_], git_lfs_explanation(beginning.text())));
      ++shard_;
      return {};
    }
    const auto file = static_cast<std::uint32_t>(document_->files.size());
    document_->files.push_back({shards_[shard_], source->size(), source});
    header_ = std::make_unique<SafetensorsHeader>(std::move(source), file, *document_, builder_);
    return {};
  }

  /// Tensors that the index names and no shard has: rows without shape.
  base::Result<bool> add_missing(const base::Budget& budget) {
    if (mapped_ == 0) {
      note_missing();
      in_shards_ = document_->tensors.size();
      document_->tensors.reserve(in_shards_ + mappings_.size());
    }
    for (std::size_t since_look = 0; mapped_ < mappings_.size(); ++mapped_, ++since_look) {
      if (since_look == kNamesPerLook) {
        if (budget.spent()) return false;
        since_look = 0;
      }
      if (builder_.is_full()) break;
      const Mapping& mapping = mappings_[mapped_];
      TensorEntry entry;
      entry.name = mapping.name;
      entry.has_shape = false;
      entry.readable = false;
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
    if (index_ != nullptr && in_shards_ > found_) {
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
                                           missing_.size(), shards_.size(), missing_.size() == 1 ? "is" : "are",
                                           names));
  }

  std::unique_ptr<ShardedCheckpoint> document_;
  TreeBuilder builder_;
  std::shared_ptr<base::ByteSource> index_;
  std::shared_ptr<FileSet> siblings_;
  std::vector<std::string> shards_;
  Phase phase_ = Phase::Bytes;

  std::string text_;
  JsonCursor cursor_{{}};
  bool first_key_ = true;
  bool in_map_ = false;
  bool saw_map_ = false;
  std::vector<Mapping> mappings_;
  std::unordered_map<std::string, std::uint32_t> shard_numbers_;

  std::size_t shard_ = 0;
  std::unique_ptr<SafetensorsHeader> header_;
  std::vector<std::uint32_t> file_of_shard_;
  std::vector<std::string> missing_;
  std::size_t mapped_ = 0;
  std::size_t in_shards_ = 0;
  std::size_t found_ = 0;
  std::size_t absent_ = 0;
};

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

}  // namespace

bool recognises_json(const Beginning& beginning) {
  const std::size_t at = beginning.text().find_first_not_of(" \t\r\n");
  return at != std::string_view::npos && beginning.text()[at] == '{';
}

base::Result<std::unique_ptr<OpenTask>> open_safetensors_index(std::shared_ptr<base::ByteSource> source,
                                                               std::shared_ptr<FileSet> siblings) {
  std::string title = title_of(source->name());
  return std::unique_ptr<OpenTask>(std::make_unique<ShardedTask>(std::move(source), std::move(siblings),
                                                                 std::vector<std::string>(), std::move(title)));
}

std::unique_ptr<OpenTask> open_safetensors_folder(std::shared_ptr<FileSet> files, std::vector<std::string> shards,
                                                  std::string title) {
  return std::make_unique<ShardedTask>(nullptr, std::move(files), std::move(shards), std::move(title));
}

base::Result<FolderChoice> choose_in_folder(std::vector<std::string> names, std::string_view folder) {
  std::sort(names.begin(), names.end(), natural_less);
  const auto all_with = [&](std::initializer_list<std::string_view> ends) {
    std::vector<std::string> found;
    for (const std::string& name : names) {
      if (std::any_of(ends.begin(), ends.end(), [&](std::string_view end) { return ends_with(name, end); }))
        found.push_back(name);
    }
    return found;
  };
  // 1. An index names the shards that belong together; the plain one is the model's own.
  const std::vector<std::string> indexes = all_with({".safetensors.index.json"});
  const auto plain = std::find(indexes.begin(), indexes.end(), "model.safetensors.index.json");
  if (plain != indexes.end()) return FolderChoice{*plain, {}};
  if (!indexes.empty()) return FolderChoice{indexes.front(), {}};
  // 2. Shards without an index. 3. One file of another format.
  const std::vector<std::string> shards = all_with({".safetensors"});
  if (shards.size() == 1) return FolderChoice{shards.front(), {}};
  if (!shards.empty()) return FolderChoice{{}, shards};
  const std::vector<std::string> others = all_with({".pt", ".pth", ".ckpt", ".bin", ".pkl", ".gguf", ".npz", ".npy"});
  if (others.size() == 1) return FolderChoice{others.front(), {}};
  return base::Error{
      others.empty() ? "no checkpoint in this folder" : fmt::format("{} checkpoints in this folder", others.size()),
      others.empty() ? "an index, .safetensors files, or one .pt, .pth, .ckpt, .bin, .pkl, .gguf, .npz or .npy file"
                     : "one of them: open it by name",
      std::string(folder), std::nullopt};
}

}  // namespace nns::checkpoint
