#include <fmt/format.h>

#include <algorithm>

#include "core/checkpoint/format.h"
#include "core/checkpoint/npz.h"
#include "core/checkpoint/pickle_preview.h"
#include "core/checkpoint/pickled_checkpoint.h"
#include "core/checkpoint/plain_zip.h"
#include "core/checkpoint/pt2_zip.h"
#include "core/checkpoint/script_json.h"
#include "core/checkpoint/torch_objects.h"
#include "core/checkpoint/torch_script.h"
#include "core/checkpoint/torch_tree.h"
#include "core/checkpoint/tree_builder.h"

namespace nns::checkpoint {

namespace {

constexpr std::uint64_t kMaxTorchNoteMember = 4096;

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
  bool has_model_json = false;
  std::string_view model_root;
  for (std::uint32_t at = 0; at < archive.members().size(); ++at) {
    const std::string_view name = archive.members()[at].name;
    all_npy = all_npy && name.ends_with(".npy");
    const std::string_view in_root = name.substr(name.find('/') == std::string_view::npos ? 0 : name.find('/') + 1);
    has_code = has_code || in_root.substr(0, 5) == "code/";
    has_constants = has_constants || in_root == "constants.pkl";
    if (in_root == "model.json" && !has_model_json) {
      has_model_json = true;
      model_root = name.substr(0, name.size() - in_root.size());
    }
    if (in_root == "archive_format" || in_root == "models/model.json" ||
        in_root == "serialized_exported_program.json") {
      is_pt2 = true;
      if (contents.pickle == kNone) contents.root = std::string(name.substr(0, name.size() - in_root.size()));
    }
    if (in_root == "data.pkl" && contents.pickle == kNone) {
      contents.pickle = at;
      contents.root = std::string(name.substr(0, name.size() - 8));
    }
  }
  if (contents.pickle != kNone && (has_code || has_constants)) {
    contents.format = "torchscript zip";
  } else if (has_code && has_model_json && contents.pickle == kNone) {
    contents.format = "first torchscript";
    contents.root = std::string(model_root);
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
  TorchZipTask(std::shared_ptr<base::ByteSource> source, bool is_inside)
      : is_inside_(is_inside), document_(std::make_unique<PickledCheckpoint>()), builder_(document_->tree.strings) {
    document_->title = title_of(source->name());
    document_->files.push_back({source->name(), source->size(), source});
    document_->source = std::move(source);
  }

  base::Result<OpenState> step(const base::Budget& budget) override {
    if (other_ != nullptr) return other_->step(budget);
    if (phase_ == Phase::Directory) {
      NNS_TRY(read_directory());
      if (other_ != nullptr) return other_->step(budget);
      phase_ = Phase::Pickle;
      if (budget.spent()) return OpenState::Working;
    }
    if (phase_ == Phase::Pickle) {
      auto done = read_pickles(budget);
      if (!done.ok()) {
        NNS_TRY(list_globals_only(*document_, builder_, done.error()));
        return OpenState::Done;
      }
      if (!*done) return OpenState::Working;
      document_->globals = document_->machine->globals();
      phase_ = Phase::Code;
    }
    if (phase_ == Phase::Code) {
      if (document_->code != nullptr) {
        NNS_TRY_ASSIGN(const bool complete, read_script_code(*document_, root_, next_member_, budget));
        if (!complete) return OpenState::Working;
      }
      objects_ = std::make_unique<TorchObjects>(*document_, root_, big_endian_);
      tree_ = std::make_unique<TorchTree>(*document_, builder_, *objects_);
      NNS_TRY(tree_->start(document_->pieces[main_piece_].result, 0, {}));
      phase_ = Phase::Tree;
    }
    if (phase_ == Phase::Tree) {
      while (true) {
        NNS_TRY_ASSIGN(const bool complete, tree_->step(budget));
        if (!complete) return OpenState::Working;
        if (!next_piece()) break;
        const PicklePiece& piece = document_->pieces[shown_piece_];
        const std::string name = title_of(document_->archive->members()[piece.member].name);
        NNS_TRY(tree_->start(piece.result, builder_.add(0, name, NodeKind::Value), name));
      }
      phase_ = Phase::Layout;
      if (budget.spent()) return OpenState::Working;
    }
    NNS_TRY(lay_out(*document_, builder_, tree_.get()));
    return OpenState::Done;
  }

  Progress progress() const override {
    if (other_ != nullptr) return other_->progress();
    if (document_ == nullptr || document_->machine == nullptr) return {};
    // Half for reading the pickle, half for the rows; how many there will be is not known.
    const std::uint64_t size = document_->machine->size();
    const std::uint64_t rows = tree_ == nullptr ? 0 : std::min<std::uint64_t>(size, tree_->steps() * 64);
    return {document_->machine->position() + rows, 2 * size};
  }
  std::unique_ptr<Checkpoint> take() override {
    if (other_ != nullptr) return other_->take();
    return std::move(document_);
  }

 private:
  enum class Phase : std::uint8_t { Directory, Pickle, Code, Tree, Layout };

  base::Result<void> read_directory() {
    NNS_TRY_ASSIGN(document_->archive, ZipArchive::open(document_->source));
    const ZipArchive& archive = *document_->archive;
    const Contents contents = look_at(archive);
    if (contents.format == "npz") {
      other_ = open_npz(document_->source, std::move(document_->archive));
      return {};
    }
    if (contents.format == "pt2 zip") {
      other_ = open_pt2_zip(document_->source, std::move(document_->archive), contents.root);
      return {};
    }
    if (contents.format == "first torchscript") {
      other_ = open_script_json(document_->source, std::move(document_->archive), contents.root);
      return {};
    }
    if (contents.format == "plain zip" && !is_inside_) {
      other_ = open_plain_zip(document_->source, std::move(document_->archive));
      return {};
    }
    if (contents.format != "torch zip" && contents.format != "torchscript zip") {
      return base::Error{"a zip file that is a plain zip: no member is called data.pkl",
                         "a torch checkpoint with a data.pkl", document_->source->name(), std::nullopt};
    }
    document_->format = contents.format;
    root_ = contents.root;
    if (root_.empty())
      document_->notes.push_back("PyTorch refuses this file: data.pkl is not in a subdirectory of the archive.");
    NNS_TRY(read_notes(archive));
    if (contents.format == "torchscript zip") document_->code = std::make_unique<ScriptCode>();
    return read_members(archive, contents.pickle);
  }

  /// The pickles, one after the other, so that one heap can hold their values. TorchScript has constants beside
  /// data.pkl, and for mobile devices the instructions of its methods.
  base::Result<void> read_members(const ZipArchive& archive, std::uint32_t main) {
    ZipBytes& all = document_->pickle;
    for (std::uint32_t member = 0; member < archive.members().size(); ++member) {
      const std::string_view name = archive.members()[member].name;
      if (name.substr(0, root_.size()) != root_) continue;
      const std::string_view in_root = name.substr(root_.size());
      const bool is_constants = in_root == "constants.pkl";
      if (member != main && (document_->code == nullptr || !(is_constants || in_root == "bytecode.pkl"))) continue;
      NNS_TRY_ASSIGN(ZipBytes bytes, archive.read(member, kMaxPickle - all.bytes.size()));
      if (!bytes.crc_matches) {
        document_->notes.push_back(fmt::format(
            "The checksum of {} does not match the directory: the file may be damaged or changed.", in_root));
      }
      if (member == main) main_piece_ = document_->pieces.size();
      const std::uint64_t begin = all.bytes.size();
      document_->pieces.push_back(
          {member, begin, begin + bytes.bytes.size(), is_constants ? "constants/" : "data/", 0});
      if (begin == 0) {
        all = std::move(bytes);
      } else {
        if (all.owned.empty()) all.owned.assign(all.bytes.begin(), all.bytes.end());
        all.owned.insert(all.owned.end(), bytes.bytes.begin(), bytes.bytes.end());
        all.bytes = all.owned;
      }
    }
    const std::string_view text(reinterpret_cast<const char*>(all.bytes.data()), all.bytes.size());
    document_->machine = std::make_unique<PickleMachine>(text, document_->source->name(), "");
    begin_piece();
    return {};
  }

  void begin_piece() {
    const PicklePiece& piece = document_->pieces[read_piece_];
    const std::string member(document_->archive->members()[piece.member].name);
    document_->machine->restart(static_cast<std::size_t>(piece.begin), static_cast<std::size_t>(piece.end),
                                fmt::format("{}!{}", document_->source->name(), member), member);
  }

  base::Result<bool> read_pickles(const base::Budget& budget) {
    while (true) {
      NNS_TRY_ASSIGN(const bool done, document_->machine->step(budget));
      if (!done) return false;
      document_->pieces[read_piece_].result = document_->machine->result();
      if (++read_piece_ == document_->pieces.size()) return true;
      begin_piece();
    }
  }

  /// The next piece beside data.pkl with something in it.
  bool next_piece() {
    const PickleHeap& heap = document_->heap();
    while (++shown_piece_ < document_->pieces.size()) {
      if (shown_piece_ != main_piece_ && !is_scalar(heap, document_->pieces[shown_piece_].result)) return true;
    }
    return false;
  }

  /// The small members that say how the file was written.
  base::Result<void> read_notes(const ZipArchive& archive) {
    for (const std::string_view name :
         {"version", "byteorder", ".format_version", ".storage_alignment", ".data/serialization_id"}) {
      const std::uint32_t member = archive.find(root_ + std::string(name));
      if (member == kNone) continue;
      NNS_TRY_ASSIGN(std::string text, archive.read_line(member, kMaxTorchNoteMember));
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

  bool is_inside_;
  std::unique_ptr<OpenTask> other_;  // an archive that is no checkpoint itself: goes on with it
  std::unique_ptr<PickledCheckpoint> document_;
  TreeBuilder builder_;
  Phase phase_ = Phase::Directory;
  std::string root_;
  bool big_endian_ = false;
  std::size_t main_piece_ = 0;
  std::size_t read_piece_ = 0;
  std::size_t shown_piece_ = SIZE_MAX;
  std::uint32_t next_member_ = 0;
  std::unique_ptr<TorchObjects> objects_;
  std::unique_ptr<TorchTree> tree_;
};

}  // namespace

bool recognises_zip(const Beginning& beginning) {
  return beginning.starts_with("PK\x03\x04") || beginning.starts_with("PK\x05\x06");
}

base::Result<std::unique_ptr<OpenTask>> open_zip(std::shared_ptr<base::ByteSource> source, std::shared_ptr<FileSet>) {
  return std::unique_ptr<OpenTask>(std::make_unique<TorchZipTask>(std::move(source), false));
}

std::unique_ptr<OpenTask> open_zip_in_zip(std::shared_ptr<base::ByteSource> source) {
  return std::make_unique<TorchZipTask>(std::move(source), true);
}

}  // namespace nns::checkpoint
