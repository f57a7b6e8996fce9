#include "tests/support/sample_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

namespace nns::tests {

namespace wire = live::wire;

DocumentBuilder::DocumentBuilder(std::string title, std::uint32_t id, std::uint32_t version)
    : title_(std::move(title)), id_(id), version_(version) {
  begin("", "Model");
}

std::uint32_t DocumentBuilder::intern(const std::string& text) {
  // The last strings are the likeliest; a sample has few distinct ones.
  for (std::size_t i = strings_.size(); i-- > 0;) {
    if (strings_[i] == text) return static_cast<std::uint32_t>(i);
  }
  strings_.push_back(text);
  return static_cast<std::uint32_t>(strings_.size() - 1);
}

std::uint32_t DocumentBuilder::add_row(const std::string& name, const std::string& class_name, live::RowKind kind) {
  const auto row = static_cast<std::uint32_t>(rows_.size());
  rows_.push_back({.parent = open_.empty() ? live::kNone : open_.back(),
                   .end = row + 1,
                   .name = intern(name),
                   .class_name = intern(class_name),
                   .preview = 0,
                   .tensor = live::kNone,
                   .structure = 0,
                   .parameters = 0,
                   .bytes = 0,
                   .kind = static_cast<std::uint8_t>(kind),
                   .shape_of_subtree = class_name});
  return row;
}

DocumentBuilder& DocumentBuilder::begin(const std::string& name, const std::string& class_name, live::RowKind kind) {
  open_.push_back(add_row(name, class_name, kind));
  return *this;
}

DocumentBuilder& DocumentBuilder::end() {
  const std::uint32_t row = open_.back();
  open_.pop_back();
  rows_[row].end = static_cast<std::uint32_t>(rows_.size());
  if (open_.empty()) return *this;
  Row& parent = rows_[open_.back()];
  parent.parameters += rows_[row].parameters;
  parent.bytes += rows_[row].bytes;
  parent.shape_of_subtree += fmt::format("({}:{})", rows_[row].name, rows_[row].shape_of_subtree);
  return *this;
}

DocumentBuilder& DocumentBuilder::tensor(const std::string& name, const std::vector<std::int64_t>& shape,
                                         live::RowKind kind) {
  const std::uint32_t row = add_row(name, "", kind);
  Row& added = rows_[row];
  added.tensor = static_cast<std::uint32_t>(tensor_nodes_.size());
  added.shape_of_subtree = fmt::format("{}", fmt::join(shape, "x"));
  tensor_nodes_.push_back(row);
  dims_begin_.push_back(static_cast<std::uint32_t>(dims_.size()));
  ranks_.push_back(static_cast<std::uint8_t>(shape.size()));
  std::uint64_t numel = 1;
  for (const std::int64_t size : shape) numel *= static_cast<std::uint64_t>(size);
  numels_.push_back(numel);
  added.parameters = kind == live::RowKind::Parameter ? numel : 0;
  added.bytes = numel * 4;
  dims_.insert(dims_.end(), shape.begin(), shape.end());
  std::int64_t stride = 1;
  std::vector<std::int64_t> strides(shape.size());
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= shape[i];
  }
  dims_.insert(dims_.end(), strides.begin(), strides.end());
  open_.push_back(row);
  return end();
}

DocumentBuilder& DocumentBuilder::dtype(const std::string& name) {
  const auto known = std::find(dtype_names_.begin(), dtype_names_.end(), name);
  dtypes_.resize(tensor_nodes_.size(), 0);
  dtypes_.back() = static_cast<std::uint8_t>(known - dtype_names_.begin());
  if (known == dtype_names_.end()) dtype_names_.push_back(name);
  return *this;
}

DocumentBuilder& DocumentBuilder::storage_of(std::uint32_t tensor) {
  storages_.emplace_back(static_cast<std::uint32_t>(tensor_nodes_.size() - 1), tensor);
  return *this;
}

DocumentBuilder& DocumentBuilder::missing_file(std::string name, std::uint64_t size) {
  missing_.emplace_back(std::move(name), size);
  return *this;
}

DocumentBuilder& DocumentBuilder::flags(std::uint8_t bits) {
  rows_.back().flags |= bits;
  return *this;
}

DocumentBuilder& DocumentBuilder::value(const std::string& name, const std::string& preview) {
  const std::uint32_t row = add_row(name, "int", live::RowKind::Value);
  rows_[row].preview = intern(preview);
  open_.push_back(row);
  return end();
}

DocumentBuilder& DocumentBuilder::global(std::string name, wire::Verdict verdict) {
  globals_.emplace_back(std::move(name), verdict);
  return *this;
}

live::Bytes DocumentBuilder::message() {
  while (!open_.empty()) end();
  std::unordered_map<std::string, std::uint32_t> structures;
  std::vector<std::uint32_t> parent, end, name, class_name, preview, tensor, structure, offsets;
  std::vector<std::uint8_t> kind, flags;
  std::vector<std::uint64_t> parameters, bytes;
  for (const Row& row : rows_) {
    parent.push_back(row.parent);
    end.push_back(row.end);
    name.push_back(row.name);
    class_name.push_back(row.class_name);
    preview.push_back(row.preview);
    tensor.push_back(row.tensor);
    structure.push_back(
        structures.emplace(row.shape_of_subtree, static_cast<std::uint32_t>(structures.size())).first->second);
    kind.push_back(row.kind);
    flags.push_back(row.flags);
    parameters.push_back(row.parameters);
    bytes.push_back(row.bytes);
  }
  std::vector<std::uint8_t> text;
  for (const std::string& string : strings_) {
    offsets.push_back(static_cast<std::uint32_t>(text.size()));
    text.insert(text.end(), string.begin(), string.end());
  }
  offsets.push_back(static_cast<std::uint32_t>(text.size()));

  flatbuffers::FlatBufferBuilder builder;
  const auto tree = wire::CreateTreeDirect(builder, &parent, &end, &name, &class_name, &preview, &kind, &flags, &tensor,
                                           &parameters, &bytes, &structure, &text, &offsets);
  dtypes_.resize(tensor_nodes_.size(), 0);
  std::vector<std::uint32_t> storages;
  std::vector<std::uint64_t> nbytes;
  for (std::size_t i = 0; i < tensor_nodes_.size(); ++i) {
    storages.push_back(static_cast<std::uint32_t>(i));
    nbytes.push_back(numels_[i] * 4);
  }
  for (const auto& [user, other] : storages_) storages[user] = other;
  const auto tensors = wire::CreateTensorsDirect(builder, &tensor_nodes_, &dtypes_, &ranks_, &dims_begin_, &dims_,
                                                 &numels_, &storages, &nbytes);
  std::vector<flatbuffers::Offset<wire::SourceFile>> files = {
      wire::CreateSourceFileDirect(builder, "sample.safetensors", 1234, true)};
  for (const auto& [missing, size] : missing_)
    files.push_back(wire::CreateSourceFileDirect(builder, missing.c_str(), size, false));
  std::vector<flatbuffers::Offset<wire::MetadataEntry>> metadata = {
      wire::CreateMetadataEntryDirect(builder, "format", "pt")};
  std::vector<flatbuffers::Offset<wire::Global>> globals;
  for (const auto& [global, verdict] : globals_) {
    globals.push_back(wire::CreateGlobalDirect(builder, global.c_str(), "data.pkl", "GLOBAL", 7, verdict));
  }
  std::vector<flatbuffers::Offset<flatbuffers::String>> notes;
  std::vector<flatbuffers::Offset<flatbuffers::String>> dtype_names;
  for (const std::string& dtype : dtype_names_) dtype_names.push_back(builder.CreateString(dtype));
  const auto document = wire::CreateDocumentDirect(builder, id_, version_, 1, wire::DocumentKind::Checkpoint,
                                                   title_.c_str(), "safetensors", &files, &metadata, &globals, &notes,
                                                   &dtype_names, tree, tensors, rows_[0].parameters, rows_[0].bytes);
  return live::finish_message(builder, document);
}

live::Bytes transformer_document(std::uint32_t layers, std::uint32_t linears) {
  DocumentBuilder builder("transformer");
  builder.begin("embed", "Embedding").tensor("weight", {1000, 64}).end();
  builder.begin("layers", "ModuleList");
  for (std::uint32_t layer = 0; layer < layers; ++layer) {
    builder.begin(fmt::format("{}", layer), "Block");
    for (std::uint32_t linear = 0; linear < linears; ++linear) {
      builder.begin(fmt::format("proj_{}", linear), "Linear").tensor("weight", {64, 64 + linear}).tensor("bias", {64});
      builder.end();
    }
    builder.end();
  }
  builder.end();
  builder.begin("norm", "LayerNorm").tensor("weight", {64}).end();
  return builder.message();
}

}  // namespace nns::tests
