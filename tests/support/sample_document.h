#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/live/document_view.h"

namespace nns::tests {

/// Builds Document messages row by row, without a file.
class DocumentBuilder {
 public:
  explicit DocumentBuilder(std::string title = "sample", std::uint32_t id = 1, std::uint32_t version = 1);

  /// Opens a row that stays the parent of what follows until end().
  DocumentBuilder& begin(const std::string& name, const std::string& class_name = "Module",
                         live::RowKind kind = live::RowKind::Module);
  DocumentBuilder& end();
  /// A tensor of float32 with that shape.
  DocumentBuilder& tensor(const std::string& name, const std::vector<std::int64_t>& shape,
                          live::RowKind kind = live::RowKind::Parameter);
  /// The element type of the tensor that was added last (its bytes stay those of float32).
  DocumentBuilder& dtype(const std::string& name);
  /// Puts the tensor that was added last on the storage of tensor number `tensor`.
  DocumentBuilder& storage_of(std::uint32_t tensor);
  /// Sets bits (live::RowFlag) of the row that was added last.
  DocumentBuilder& flags(std::uint8_t bits);
  DocumentBuilder& value(const std::string& name, const std::string& preview);
  /// A file that is not there; `size` is that of what stands in its place.
  DocumentBuilder& missing_file(std::string name, std::uint64_t size);
  DocumentBuilder& global(std::string name, live::wire::Verdict verdict);

  /// Closes what is open and gives the message.
  live::Bytes message();

 private:
  struct Row {
    std::uint32_t parent, end, name, class_name, preview, tensor, structure;
    std::uint64_t parameters, bytes;
    std::uint8_t kind;
    std::uint8_t flags = 0;
    std::string shape_of_subtree;
  };
  std::uint32_t intern(const std::string& text);
  std::uint32_t add_row(const std::string& name, const std::string& class_name, live::RowKind kind);

  std::string title_;
  std::uint32_t id_;
  std::uint32_t version_;
  std::vector<Row> rows_;
  std::vector<std::uint32_t> open_;
  std::vector<std::string> strings_ = {""};
  std::vector<std::uint32_t> tensor_nodes_;
  std::vector<std::int64_t> dims_;
  std::vector<std::uint32_t> dims_begin_;
  std::vector<std::uint8_t> ranks_;
  std::vector<std::uint64_t> numels_;
  std::vector<std::uint8_t> dtypes_;
  std::vector<std::string> dtype_names_ = {"float32"};
  std::vector<std::pair<std::uint32_t, std::uint32_t>> storages_;
  std::vector<std::pair<std::string, std::uint64_t>> missing_;
  std::vector<std::pair<std::string, live::wire::Verdict>> globals_;
};

/// A transformer: embed, `layers` equal blocks of `linears` linear layers with weight and bias, norm.
live::Bytes transformer_document(std::uint32_t layers, std::uint32_t linears);

}  // namespace nns::tests
