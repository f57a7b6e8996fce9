#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/live/message.h"

namespace nns::live {

/// "No such row, tensor or string": checkpoint::kNone on the wire.
inline constexpr std::uint32_t kNone = UINT32_MAX;

/// What a row of a document is: checkpoint::NodeKind on the wire, with the same numbers.
enum class RowKind : std::uint8_t { Module, Parameter, Buffer, Tensor, Container, Value };

/// Bits of DocumentView::flags(): checkpoint::NodeFlag on the wire.
enum RowFlag : std::uint8_t {
  kClassInferred = 1,
  kKindInferred = 2,
  kShared = 4,
  kSuspicious = 8,
  kRepeatedParameter = 16,
  kRepeatedBytes = 32,
};

/// A document as the stream last told it; keeps the message and reads its columns in place.
/// Rows are in pre-order: row 0 is the root, the children of `i` are i + 1, end(i + 1), end(end(i + 1)), ... while
/// below end(i). Threads: any (immutable).
class DocumentView {
 public:
  /// Every index of every column lies inside what it points to, the rows are in pre-order, and the nesting is at most
  /// 65,535 deep; called once on receipt, so that the getters need no checks.
  /// Errors: names the first column that does not hold.
  static base::Result<std::shared_ptr<const DocumentView>> check(Message message);

  const wire::Document& get() const { return *document_; }
  std::uint32_t id() const { return document_->id(); }
  std::uint32_t version() const { return document_->version(); }
  std::string_view title() const { return text_of(document_->title()); }
  std::string_view format() const { return text_of(document_->format()); }

  std::uint32_t row_count() const { return row_count_; }
  /// kNone for the root.
  std::uint32_t parent(std::uint32_t row) const { return parent_[row]; }
  /// One past the last row of the subtree.
  std::uint32_t end(std::uint32_t row) const { return end_[row]; }
  std::string_view name(std::uint32_t row) const { return text(name_[row]); }
  std::string_view class_name(std::uint32_t row) const { return text(class_name_[row]); }
  std::string_view preview(std::uint32_t row) const { return text(preview_[row]); }
  std::uint32_t preview_id(std::uint32_t row) const { return preview_[row]; }
  RowKind kind(std::uint32_t row) const { return static_cast<RowKind>(kind_[row]); }
  std::uint8_t flags(std::uint32_t row) const { return flags_[row]; }  ///< RowFlag bits
  /// kNone if the row is no tensor.
  std::uint32_t tensor(std::uint32_t row) const { return tensor_[row]; }
  std::uint64_t parameters(std::uint32_t row) const { return parameters_[row]; }
  std::uint64_t bytes(std::uint32_t row) const { return bytes_[row]; }
  std::uint32_t structure(std::uint32_t row) const { return structure_[row]; }
  bool has_children(std::uint32_t row) const { return end_[row] > row + 1; }

  /// Distinct strings, by the numbers that name_id() and class_id() give.
  std::uint32_t string_count() const { return string_count_; }
  std::string_view text(std::uint32_t string) const {
    return all_text().substr(text_offsets_[string], text_offsets_[string + 1] - text_offsets_[string]);
  }
  /// All strings in one block; string `i` is at text_offset(i) up to text_offset(i + 1).
  std::string_view all_text() const { return {text_, text_size_}; }
  std::uint32_t text_offset(std::uint32_t string) const { return text_offsets_[string]; }
  std::uint32_t name_id(std::uint32_t row) const { return name_[row]; }
  std::uint32_t class_id(std::uint32_t row) const { return class_name_[row]; }

  std::uint32_t tensor_count() const { return tensor_count_; }
  std::string_view dtype_name(std::uint32_t tensor) const;
  /// False of a tensor that only an index names: the file with its type and shape is not there.
  bool has_shape(std::uint32_t tensor) const { return dtype_name(tensor) != "unknown"; }
  /// The number of its element type in this document.
  std::uint8_t dtype(std::uint32_t tensor) const;
  std::span<const std::int64_t> shape(std::uint32_t tensor) const;
  /// Units: elements.
  std::span<const std::int64_t> stride(std::uint32_t tensor) const;
  std::uint64_t numel(std::uint32_t tensor) const;
  std::uint64_t nbytes(std::uint32_t tensor) const;
  /// The first row that shows the tensor, or kNone.
  std::uint32_t node(std::uint32_t tensor) const;
  std::uint32_t storage(std::uint32_t tensor) const;

  /// "model.layers.0.weight": names from below the root down to `row`, joined by dots ("/" below a Container). The
  /// root's path is empty.
  std::string path(std::uint32_t row) const;

  explicit DocumentView(Message message);

 private:
  base::Result<void> check_columns() const;
  base::Result<void> check_rows() const;
  base::Result<void> check_tensors() const;

  Message message_;
  const wire::Document* document_;
  std::uint32_t row_count_ = 0;
  std::uint32_t tensor_count_ = 0;
  std::uint32_t string_count_ = 0;
  const char* text_ = nullptr;
  std::size_t text_size_ = 0;
  const std::uint32_t* text_offsets_ = nullptr;
  const std::uint32_t* parent_ = nullptr;
  const std::uint32_t* end_ = nullptr;
  const std::uint32_t* name_ = nullptr;
  const std::uint32_t* class_name_ = nullptr;
  const std::uint32_t* preview_ = nullptr;
  const std::uint8_t* kind_ = nullptr;
  const std::uint8_t* flags_ = nullptr;
  const std::uint32_t* tensor_ = nullptr;
  const std::uint64_t* parameters_ = nullptr;
  const std::uint64_t* bytes_ = nullptr;
  const std::uint32_t* structure_ = nullptr;
};

}  // namespace nns::live
