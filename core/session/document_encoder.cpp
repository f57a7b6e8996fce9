#include "core/session/document_encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>

#include "core/base/hash.h"

namespace nns::session {

namespace {

namespace wire = live::wire;
using checkpoint::Checkpoint;
using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

static_assert(static_cast<int>(checkpoint::Verdict::Dangerous) == static_cast<int>(wire::Verdict::Dangerous));
static_assert(sizeof(checkpoint::NodeKind) == 1);

// About what the message will take; texts of globals and metadata count with their tables.
std::uint64_t estimated_bytes(const Checkpoint& document) {
  constexpr std::uint64_t kBytesARow = 7 * 4 + 2 * 8 + 2;
  constexpr std::uint64_t kBytesATensor = 3 * 4 + 2 * 8 + 2;
  constexpr std::uint64_t kTable = 64;
  std::uint64_t bytes = 4096 + document.tree.size() * kBytesARow + document.tensors.size() * kBytesATensor +
                        document.dims.size() * 8 + document.tree.strings.text().size() +
                        document.tree.strings.offsets().size() * 4;
  for (const auto& entry : document.metadata) bytes += entry.key.size() + entry.value.size() + kTable;
  for (const auto& global : document.globals) {
    bytes += global.name.size() + global.member.size() + global.opcode.size() + 2 * kTable;
  }
  for (const auto& file : document.files) bytes += file.name.size() + kTable;
  for (const auto& note : document.notes) bytes += note.size() + kTable;
  return bytes;
}

Offset<wire::Tree> encode_tree(FlatBufferBuilder& builder, const checkpoint::ModuleTree& tree) {
  const auto parent = builder.CreateVector(tree.parent);
  const auto end = builder.CreateVector(tree.end);
  const auto name = builder.CreateVector(tree.name);
  const auto class_name = builder.CreateVector(tree.class_name);
  const auto preview = builder.CreateVector(tree.preview);
  const auto kind = builder.CreateVector(reinterpret_cast<const std::uint8_t*>(tree.kind.data()), tree.kind.size());
  const auto flags = builder.CreateVector(tree.flags);
  const auto tensor = builder.CreateVector(tree.tensor);
  const auto parameters = builder.CreateVector(tree.parameters);
  const auto bytes = builder.CreateVector(tree.bytes);
  const auto structure = builder.CreateVector(tree.structure);
  const std::string& text = tree.strings.text();
  const auto letters = builder.CreateVector(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  const auto offsets = builder.CreateVector(tree.strings.offsets());
  return wire::CreateTree(builder, parent, end, name, class_name, preview, kind, flags, tensor, parameters, bytes,
                          structure, letters, offsets);
}

/// The names of dtypes by the numbers that tensors carry: torch's, then those that only this document has ("Q4_K").
struct DtypeNames {
  std::vector<std::string_view> names;
  std::vector<std::uint32_t> texts;  // string id of each name behind torch's

  explicit DtypeNames(const Checkpoint& document) {
    for (const tensor::DTypeInfo& row : tensor::kDTypes) names.push_back(row.torch_name);
    for (const checkpoint::TensorEntry& entry : document.tensors) {
      if (entry.dtype_text == 0 || (!texts.empty() && texts.back() == entry.dtype_text)) continue;
      if (std::find(texts.begin(), texts.end(), entry.dtype_text) != texts.end()) continue;
      if (names.size() > UINT8_MAX) return;  // the rest goes by torch's names
      texts.push_back(entry.dtype_text);
      names.push_back(document.tree.strings.view(entry.dtype_text));
    }
  }
  std::uint8_t number(const checkpoint::TensorEntry& entry) const {
    if (entry.dtype_text == 0) return static_cast<std::uint8_t>(entry.dtype);
    const auto found = std::find(texts.begin(), texts.end(), entry.dtype_text);
    if (found == texts.end()) return static_cast<std::uint8_t>(entry.dtype);
    return static_cast<std::uint8_t>(tensor::kDTypes.size() + static_cast<std::size_t>(found - texts.begin()));
  }
};

Offset<wire::Tensors> encode_tensors(FlatBufferBuilder& builder, const Checkpoint& document,
                                     const DtypeNames& dtype_names) {
  const std::size_t count = document.tensors.size();
  std::uint32_t* node = nullptr;
  std::uint8_t* dtype = nullptr;
  std::uint8_t* rank = nullptr;
  std::uint32_t* dims_begin = nullptr;
  std::uint64_t* numel = nullptr;
  std::uint32_t* storage = nullptr;
  std::uint64_t* nbytes = nullptr;
  // Each column is filled before the next is begun: growing moves the buffer.
  const auto column = [&](auto*& place, auto&& value_of) {
    const auto offset = builder.CreateUninitializedVector(count, &place);
    for (std::size_t i = 0; i < count; ++i) place[i] = value_of(document.tensors[i]);
    return offset;
  };
  using Entry = checkpoint::TensorEntry;
  const Offset<flatbuffers::Vector<std::uint32_t>> nodes = column(node, [](const Entry& entry) { return entry.node; });
  const Offset<flatbuffers::Vector<std::uint8_t>> dtypes =
      column(dtype, [&](const Entry& entry) { return dtype_names.number(entry); });
  const Offset<flatbuffers::Vector<std::uint8_t>> ranks = column(rank, [](const Entry& entry) { return entry.rank; });
  const Offset<flatbuffers::Vector<std::uint32_t>> begins =
      column(dims_begin, [](const Entry& entry) { return entry.dims; });
  const auto dims = builder.CreateVector(document.dims);
  const Offset<flatbuffers::Vector<std::uint64_t>> numels =
      column(numel, [](const Entry& entry) { return entry.numel; });
  const Offset<flatbuffers::Vector<std::uint32_t>> storages =
      column(storage, [](const Entry& entry) { return entry.storage; });
  const Offset<flatbuffers::Vector<std::uint64_t>> sizes =
      column(nbytes, [](const Entry& entry) { return entry.nbytes; });
  return wire::CreateTensors(builder, nodes, dtypes, ranks, begins, dims, numels, storages, sizes);
}

}  // namespace

std::uint64_t hash_of_head(const Checkpoint& document) {
  constexpr std::uint64_t kHead_bytes = 64 << 10;
  if (document.files.empty() || document.files[0].source == nullptr) return 0;
  base::ByteSource& source = *document.files[0].source;
  std::string bytes(static_cast<std::size_t>(std::min(kHead_bytes, source.size())), '\0');
  if (!source.read(0, std::as_writable_bytes(std::span(bytes))).ok()) return 0;
  return std::max<std::uint64_t>(1, base::hash_text(bytes));
}

base::Result<live::Bytes> encode_document(const Checkpoint& document, const DocumentHeader& header) {
  const std::uint64_t estimate = estimated_bytes(document);
  constexpr std::uint64_t kMost = std::uint64_t{2'000} << 20U;
  if (estimate > kMost) {
    return base::Error{
        .found = fmt::format("a document of {} rows needs about {} bytes", document.tree.size(), estimate),
        .expected = fmt::format("at most {}", kMost),
        .where = document.title,
        .offset = std::nullopt};
  }
  FlatBufferBuilder builder(static_cast<std::size_t>(estimate + estimate / 64));
  const auto tree = encode_tree(builder, document.tree);
  const DtypeNames dtype_names(document);
  const auto tensors = encode_tensors(builder, document, dtype_names);
  std::vector<Offset<wire::SourceFile>> files;
  for (const auto& file : document.files) {
    const auto name = builder.CreateString(file.name);
    files.push_back(wire::CreateSourceFile(builder, name, file.size, file.source != nullptr));
  }
  std::vector<Offset<wire::MetadataEntry>> metadata;
  for (const auto& entry : document.metadata) {
    const auto key = builder.CreateString(entry.key);
    const auto value = builder.CreateString(entry.value);
    metadata.push_back(wire::CreateMetadataEntry(builder, key, value));
  }
  std::vector<Offset<wire::Global>> globals;
  for (const auto& global : document.globals) {
    const auto name = builder.CreateString(global.name);
    const auto member = builder.CreateString(global.member);
    const auto opcode = builder.CreateString(global.opcode);
    globals.push_back(
        wire::CreateGlobal(builder, name, member, opcode, global.offset, static_cast<wire::Verdict>(global.verdict)));
  }
  std::vector<Offset<flatbuffers::String>> notes;
  for (const auto& note : document.notes) notes.push_back(builder.CreateString(note));
  std::vector<Offset<flatbuffers::String>> dtypes;
  for (const std::string_view name : dtype_names.names) {
    dtypes.push_back(builder.CreateString(name.data(), name.size()));
  }
  const auto title = builder.CreateString(document.title);
  const auto format = builder.CreateString(document.format);
  const auto file_column = builder.CreateVector(files);
  const auto metadata_column = builder.CreateVector(metadata);
  const auto global_column = builder.CreateVector(globals);
  const auto note_column = builder.CreateVector(notes);
  const auto dtype_column = builder.CreateVector(dtypes);
  const bool has_rows = document.tree.size() != 0;
  const auto root = wire::CreateDocument(builder, header.id, header.version, header.request, header.kind, title, format,
                                         file_column, metadata_column, global_column, note_column, dtype_column, tree,
                                         tensors, has_rows ? document.tree.parameters[0] : 0,
                                         has_rows ? document.tree.bytes[0] : 0, header.head, header.has_console);
  return live::finish_message(builder, root);
}

}  // namespace nns::session
