#include "core/checkpoint/plain_zip.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/utf8.h"
#include "core/checkpoint/format.h"
#include "core/checkpoint/inner_documents.h"
#include "core/checkpoint/json_cursor.h"
#include "core/checkpoint/json_rows.h"
#include "core/checkpoint/tree_builder.h"

namespace nns::checkpoint {

namespace {

/// Compressed members are unpacked into memory before they are opened, all together at most so much. Units: bytes.
constexpr std::uint64_t kMaxUnpacked = 256U << 20U;
/// Texts and JSON are looked at up to this size.
constexpr std::uint64_t kMaxText = 1U << 20U;
constexpr std::size_t kMaxPlainMetadata = 256;
constexpr std::size_t kWidth = 96;

class ZipDocument final : public Checkpoint {
 public:
  std::shared_ptr<base::ByteSource> source;
  std::unique_ptr<ZipArchive> archive;
  InnerDocuments parts;  // by row, too

  base::Result<Storage> locate(std::uint32_t index) override {
    Storage& storage = storages[index];
    if (storage.located) return storage;
    NNS_TRY_ASSIGN(storage.offset, parts.offset(*archive, index));
    storage.located = true;
    return storage;
  }

  base::Result<std::shared_ptr<base::ByteSource>> storage_bytes(std::uint32_t index) override {
    return parts.bytes(index);
  }

  base::Result<std::shared_ptr<base::ByteSource>> value_bytes(std::uint32_t tensor) override {
    if (auto inside = parts.value_bytes(tensor)) return std::move(*inside);
    return Checkpoint::value_bytes(tensor);
  }

  ObjectDescription describe(std::uint32_t node) const override {
    for (const InnerDocument& part : parts.all()) {
      if (node < part.row || node - part.row >= part.document->tree.size()) continue;
      ObjectDescription description = part.document->describe(node - part.row);
      for (AttributeRow& row : description.attributes) {
        if (row.node != kNone) row.node += part.row;
      }
      return description;
    }
    ObjectDescription description;
    description.class_name = tree.strings.view(tree.class_name[node]);
    description.repr = tree.strings.view(tree.preview[node]);
    for (std::uint32_t child = node + 1; child < tree.end[node]; child = tree.end[child]) {
      AttributeRow row;
      row.place = AttributePlace::Item;
      row.name = tree.strings.view(tree.name[child]);
      row.type = tree.strings.view(tree.class_name[child]);
      row.text = tree.strings.view(tree.preview[child]);
      row.node = child;
      description.attributes.push_back(std::move(row));
    }
    return description;
  }
};

class PlainZipTask final : public OpenTask {
 public:
  PlainZipTask(std::shared_ptr<base::ByteSource> source, std::unique_ptr<ZipArchive> archive)
      : document_(std::make_unique<ZipDocument>()), builder_(document_->tree.strings, NodeKind::Container) {
    name_document(*document_, "plain zip", source);
    document_->source = std::move(source);
    document_->archive = std::move(archive);
    count_ = static_cast<std::uint32_t>(document_->archive->members().size());
    builder_.set_class(0, "zip");
  }

  base::Result<OpenState> step(const base::Budget& budget) override {
    while (next_ < count_) {
      if (inner_ == nullptr) {
        NNS_TRY(begin_member());
        if (inner_ == nullptr) {
          ++next_;
          if (budget.spent()) return OpenState::Working;
          continue;
        }
      }
      auto state = inner_->step(budget);
      if (state.ok() && *state == OpenState::Working) return OpenState::Working;
      if (state.ok() && *state == OpenState::Done) {
        graft(inner_->take());
      } else {
        add_file(state.ok() ? std::string("needs other files") : state.error().message());
      }
      inner_ = nullptr;
      ++next_;
      if (budget.spent()) return OpenState::Working;
    }
    if (document_->parts.all().empty()) {
      return base::Error{"a zip file that is a plain zip: no member is called data.pkl, and none is a checkpoint",
                         "a torch checkpoint, or an archive with one inside", document_->source->name(), std::nullopt};
    }
    std::vector<std::uint32_t> rows;
    NNS_TRY(builder_.finish(SiblingOrder::AsAdded, *document_, &rows));
    for (InnerDocument& part : document_->parts.all()) part.row = rows[part.row];
    return OpenState::Done;
  }

  Progress progress() const override { return {next_, count_}; }
  std::unique_ptr<Checkpoint> take() override { return std::move(document_); }

 private:
  const ZipMember& member() const { return document_->archive->members()[next_]; }

  /// Starts to open the next member, or adds its row if it is no checkpoint.
  base::Result<void> begin_member() {
    const ZipMember& entry = member();
    name_ = shown_name(entry.name);
    if (!entry.name.empty() && entry.name.back() == '/') return {};
    if (entry.is_encrypted()) {
      add_file("encrypted");
      return {};
    }
    auto source = member_source();
    if (!source.ok()) {
      add_file(source.error().message());
      return {};
    }
    const auto first = FirstBytes::read(**source);
    if (!first.ok()) {
      add_file(first.error().message());
      return {};
    }
    const Beginning beginning = first->beginning();
    if (recognises_zip(beginning)) {
      inner_ = open_zip_in_zip(std::move(*source));
      return {};
    }
    const auto format = std::find_if(formats().begin(), formats().end(),
                                     [&](const Format& known) { return known.recognises(beginning); });
    if (beginning.bytes.empty() || format == formats().end() || is_text(*format, beginning)) {
      add_text(**source);
      return {};
    }
    auto task = format->open(std::move(*source), nullptr);
    if (task.ok()) {
      inner_ = std::move(*task);
    } else {
      add_file(task.error().message());
    }
    return {};
  }

  /// Texts and JSON are shown as such, and any text may begin as a pickle of protocol 0 does.
  static bool is_text(const Format& format, const Beginning& beginning) {
    return format.recognises == recognises_json || format.recognises == recognises_git_lfs ||
           (format.recognises == recognises_pickle && beginning.bytes[0] != std::byte{0x80});
  }

  /// The name of a member; bytes that are no UTF-8 are spelled.
  static std::string shown_name(std::string_view name) {
    if (!base::find_invalid_utf8(name)) return std::string(name);
    std::string shown;
    for (const char c : name) {
      const auto byte = static_cast<unsigned>(static_cast<unsigned char>(c));
      shown += byte >= 0x20 && byte < 0x7F ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
    }
    return shown;
  }

  /// Stored members are a part of the file; others are unpacked.
  base::Result<std::shared_ptr<base::ByteSource>> member_source() {
    const ZipMember& entry = member();
    if (entry.is_stored()) return document_->archive->open_member(next_);
    if (entry.size > kMaxUnpacked - unpacked_) {
      return base::Error{fmt::format("{} bytes, compressed", entry.size),
                         fmt::format("at most {} bytes of compressed members in one file", kMaxUnpacked),
                         document_->source->name(), entry.header_offset};
    }
    NNS_TRY_ASSIGN(ZipBytes bytes, document_->archive->read(next_, kMaxUnpacked - unpacked_));
    unpacked_ += bytes.bytes.size();
    if (bytes.owned.empty()) bytes.owned.assign(bytes.bytes.begin(), bytes.bytes.end());
    return base::make_memory_source(fmt::format("{}!{}", document_->source->name(), entry.name),
                                    std::move(bytes.owned));
  }

  std::uint32_t add_row(NodeKind kind, std::string_view class_name, std::string_view preview) {
    const std::uint32_t row = builder_.add(0, name_, kind);
    builder_.set_class(row, class_name);
    builder_.set_preview(row, preview);
    return row;
  }

  /// A member that is not opened, and why.
  void add_file(const std::string& why) { add_row(NodeKind::Value, "file", cut(why, 3 * kWidth)); }

  void add_text(base::ByteSource& source) {
    const std::string plain = fmt::format("{} bytes", source.size());
    std::string text(static_cast<std::size_t>(std::min(source.size(), kMaxText + 1)), '\0');
    const bool is_read = source.read(0, std::as_writable_bytes(std::span(text))).ok();
    if (!is_read || text.empty() || text.size() > kMaxText || base::find_invalid_utf8(text) ||
        text.find('\0') != std::string::npos) {
      add_row(NodeKind::Value, "file", plain);
      return;
    }
    if (const std::size_t at = text.find_first_not_of(" \n\r\t");
        at != std::string::npos && text[at] == '{' && add_json(text)) {
      return;
    }
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
    add_row(NodeKind::Value, "text", cut(text, kWidth));
    if (text.size() <= kMaxPlainMetadata && text.find('\n') == std::string::npos)
      document_->metadata.push_back({std::string(name_), text});
  }

  /// The entries of a JSON object. False if the text is none.
  bool add_json(std::string_view text) {
    JsonCursor json(text);
    if (!json.skip_value()) return false;
    json.skip_space();
    if (!json.at_end()) return false;
    const std::uint32_t row = add_row(NodeKind::Container, "dict", "");
    // Only a tree that is full stops it; then finish() says so.
    (void)JsonRows(text, name_, builder_, row).step(base::Budget::unlimited());
    return true;
  }

  /// On one line, with runs of blanks as one, cut to about `width`.
  static std::string cut(std::string_view text, std::size_t width) {
    std::string line;
    bool is_space = false;
    for (const char c : text) {
      if (static_cast<unsigned char>(c) <= ' ') {
        is_space = !line.empty();
        continue;
      }
      const bool is_whole = (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
      if (is_whole && line.size() >= width) return line + "\xE2\x80\xA6";
      if (is_space) line += ' ';
      is_space = false;
      line += c;
    }
    return line;
  }

  /// Puts the rows and tensors of a member below its row.
  void graft(std::unique_ptr<Checkpoint> inner) {
    const ModuleTree& from = inner->tree;
    if (!has_room(document_->tree.strings, from.strings.text().size()) ||
        !has_room(document_->names, inner->names.text().size() + inner->tensors.size() * (name_.size() + 1)) ||
        document_->dims.size() + inner->dims.size() > kNone || builder_.size() + from.size() > TreeBuilder::kMaxRows) {
      add_file("too many rows for one document");
      return;
    }
    const auto first_tensor = static_cast<std::uint32_t>(document_->tensors.size());
    std::vector<std::uint32_t> rows(from.size());
    for (std::uint32_t at = 0; at < from.size(); ++at) {
      const std::uint32_t row =
          at == 0 ? builder_.add(0, name_, from.kind[0])
                  : builder_.add(rows[from.parent[at]], from.strings.view(from.name[at]), from.kind[at]);
      rows[at] = row;
      builder_.set_class(row, from.strings.view(from.class_name[at]));
      builder_.set_preview(row, from.strings.view(from.preview[at]));
      for (const NodeFlag flag : {kClassInferred, kKindInferred, kSuspicious}) {
        if ((from.flags[at] & flag) != 0) builder_.set_flag(row, flag);
      }
      if (from.tensor[at] != kNone) builder_.set_tensor(row, first_tensor + from.tensor[at]);
    }
    document_->metadata.push_back({std::string(name_), inner->format});
    std::string name;
    InnerDocument& part =
        document_->parts.add(*document_, next_, name_, std::move(inner), [&](TensorEntry entry, std::string_view own) {
          name.assign(name_).append("/").append(own);
          if (name.back() == '/') name.pop_back();
          entry.name = document_->names.append(name);
          document_->tensors.push_back(entry);
        });
    part.row = rows[0];
  }

  std::unique_ptr<ZipDocument> document_;
  TreeBuilder builder_;
  std::uint32_t next_ = 0;
  std::uint32_t count_ = 0;
  std::string name_;  // of the member, for rows
  std::uint64_t unpacked_ = 0;
  std::unique_ptr<OpenTask> inner_;
};

}  // namespace

std::unique_ptr<OpenTask> open_plain_zip(std::shared_ptr<base::ByteSource> source,
                                         std::unique_ptr<ZipArchive> archive) {
  return std::make_unique<PlainZipTask>(std::move(source), std::move(archive));
}

}  // namespace nns::checkpoint
