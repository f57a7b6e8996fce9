#include <fmt/format.h>

#include <algorithm>

#include "core/checkpoint/format.h"
#include "core/checkpoint/pickled_checkpoint.h"
#include "core/checkpoint/torch_objects.h"
#include "core/checkpoint/torch_tree.h"
#include "core/checkpoint/tree_builder.h"

namespace nns::checkpoint {

namespace {

constexpr std::uint64_t kMaxNoteMember = 4096;

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/// What a zip file is, by the names of its members.
struct Contents {
  std::string_view format;
  std::uint32_t pickle = kNone;  // of a torch zip
  std::string root;              // "archive/"
};

Contents look_at(const ZipArchive& archive) {
  Contents contents;
  bool all_npy = true;
  bool has_code = false;
  bool has_constants = false;
  bool is_pt2 = false;
  for (std::uint32_t at = 0; at < archive.members().size(); ++at) {
    const std::string_view name = archive.members()[at].name;
    all_npy = all_npy && ends_with(name, ".npy");
    const std::string_view in_root = name.substr(name.find('/') == std::string_view::npos ? 0 : name.find('/') + 1);
    has_code = has_code || in_root.substr(0, 5) == "code/";
    has_constants = has_constants || in_root == "constants.pkl";
    is_pt2 = is_pt2 || in_root == "archive_format" || in_root == "models/model.json" ||
             in_root == "serialized_exported_program.json";
    if (in_root == "data.pkl" && contents.pickle == kNone) {
      contents.pickle = at;
      contents.root = std::string(name.substr(0, name.size() - 8));
    }
  }
  if (contents.pickle != kNone && (has_code || has_constants)) {
    contents.format = "torchscript zip";
  } else if (is_pt2) {
    contents.format = "pt2 zip";
  } else if (contents.pickle != kNone) {
    contents.format = "torch zip";
  } else if (!archive.members().empty() && all_npy) {
    contents.format = "npz";
  } else {
    contents.format = "plain zip";
  }
  return contents;
}

class TorchZipTask final : public OpenTask {
 public:
  explicit TorchZipTask(std::shared_ptr<base::ByteSource> source)
      : document_(std::make_unique<PickledCheckpoint>()), builder_(document_->tree.strings) {
    document_->title = title_of(source->name());
    document_->files.push_back({source->name(), source->size(), source});
    document_->source = std::move(source);
  }

  base::Result<OpenState> step(const base::Budget& budget) override {
    if (phase_ == Phase::Directory) {
      NNS_TRY(read_directory());
      phase_ = Phase::Pickle;
      if (budget.spent()) return OpenState::Working;
    }
    if (phase_ == Phase::Pickle) {
      auto done = document_->machine->step(budget);
      if (!done.ok()) {
        NNS_TRY(list_globals_only(*document_, builder_, done.error()));
        return OpenState::Done;
      }
      if (!*done) return OpenState::Working;
      document_->globals = document_->machine->globals();
      objects_ = std::make_unique<TorchObjects>(*document_, root_, big_endian_);
      tree_ = std::make_unique<TorchTree>(*document_, builder_, *objects_);
      NNS_TRY(tree_->start(document_->machine->result(), 0, {}));
      phase_ = Phase::Tree;
    }
    if (phase_ == Phase::Tree) {
      NNS_TRY_ASSIGN(const bool complete, tree_->step(budget));
      if (!complete) return OpenState::Working;
      phase_ = Phase::Layout;
      if (budget.spent()) return OpenState::Working;
    }
    NNS_TRY(lay_out(*document_, builder_, tree_.get()));
    return OpenState::Done;
  }

  Progress progress() const override {
    if (document_ == nullptr || document_->machine == nullptr) return {};
    // Half for reading the pickle, half for the rows; how many there will be is not known.
    const std::uint64_t size = document_->machine->size();
    const std::uint64_t rows = tree_ == nullptr ? 0 : std::min<std::uint64_t>(size, tree_->steps() * 64);
    return {document_->machine->position() + rows, 2 * size};
  }
  std::unique_ptr<Checkpoint> take() override { return std::move(document_); }

 private:
  enum class Phase : std::uint8_t { Directory, Pickle, Tree, Layout };

  base::Result<void> read_directory() {
    NNS_TRY_ASSIGN(document_->archive, ZipArchive::open(document_->source));
    const ZipArchive& archive = *document_->archive;
    const Contents contents = look_at(archive);
    if (contents.format != "torch zip") {
      return base::Error{fmt::format("a zip file that is a {}", explain(contents.format)),
                         "a torch checkpoint with a data.pkl", document_->source->name(), std::nullopt};
    }
    document_->format = contents.format;
    root_ = contents.root;
    document_->pickle_member = contents.pickle;
    if (root_.empty())
      document_->notes.push_back("PyTorch refuses this file: data.pkl is not in a subdirectory of the archive.");
    NNS_TRY_ASSIGN(document_->pickle, archive.read(contents.pickle, kMaxPickle));
    if (!document_->pickle.crc_matches) {
      document_->notes.push_back(
          "The checksum of data.pkl does not match the directory: the file may be damaged or changed.");
    }
    NNS_TRY(read_notes(archive));
    const auto bytes = document_->pickle.bytes;
    document_->machine = std::make_unique<PickleMachine>(
        std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
        fmt::format("{}!{}", document_->source->name(), archive.members()[contents.pickle].name),
        std::string(archive.members()[contents.pickle].name));
    return {};
  }

  static std::string explain(std::string_view format) {
    if (format == "torchscript zip") return "TorchScript archive (torchscript zip); no reader for it is here yet";
    if (format == "pt2 zip") return "torch.export or AOTInductor package (pt2 zip); no reader for it is here yet";
    if (format == "npz") return "NumPy archive (npz); no reader for it is here yet";
    return "plain zip: no member is called data.pkl";
  }

  /// The small members that say how the file was written.
  base::Result<void> read_notes(const ZipArchive& archive) {
    for (const std::string_view name :
         {"version", "byteorder", ".format_version", ".storage_alignment", ".data/serialization_id"}) {
      const std::uint32_t member = archive.find(root_ + std::string(name));
      if (member == kNone) continue;
      NNS_TRY_ASSIGN(const ZipBytes bytes, archive.read(member, kMaxNoteMember));
      std::string text(reinterpret_cast<const char*>(bytes.bytes.data()), bytes.bytes.size());
      while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
      if (name == "byteorder") {
        if (text != "little" && text != "big") {
          return base::Error{fmt::format("byteorder \"{}\"", text.substr(0, 40)), "little or big",
                             document_->source->name(), archive.members()[member].header_offset};
        }
        big_endian_ = text == "big";
      }
      if (std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7F; })) {
        document_->metadata.push_back({std::string(name), std::move(text)});
      }
    }
    return {};
  }

  std::unique_ptr<PickledCheckpoint> document_;
  TreeBuilder builder_;
  Phase phase_ = Phase::Directory;
  std::string root_;
  bool big_endian_ = false;
  std::unique_ptr<TorchObjects> objects_;
  std::unique_ptr<TorchTree> tree_;
};

}  // namespace

bool recognises_zip(const Beginning& beginning) {
  return beginning.starts_with("PK\x03\x04") || beginning.starts_with("PK\x05\x06");
}

base::Result<std::unique_ptr<OpenTask>> open_zip(std::shared_ptr<base::ByteSource> source, std::shared_ptr<FileSet>) {
  return std::unique_ptr<OpenTask>(std::make_unique<TorchZipTask>(std::move(source)));
}

}  // namespace nns::checkpoint
