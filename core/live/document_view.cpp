#include "core/live/document_view.h"

#include <fmt/format.h>

#include <vector>

namespace nns::live {

namespace {

base::Error bad_document(std::string found, std::string expected) {
  return {.found = std::move(found), .expected = std::move(expected), .where = "stream", .offset = std::nullopt};
}

// Both must hold: every column of a table is as long as the first one.
template <class Column>
base::Result<void> check_size(std::string_view name, const Column* column, std::uint32_t expected) {
  if (column->size() == expected) return {};
  return bad_document(fmt::format("column {} of a document has {} entries", name, column->size()),
                      fmt::format("{}", expected));
}

constexpr std::uint32_t kDeepest = 65'535;

}  // namespace

DocumentView::DocumentView(Message message) : message_(std::move(message)), document_(message_.as<wire::Document>()) {
  const wire::Tree& tree = *document_->tree();
  row_count_ = tree.parent()->size();
  tensor_count_ = document_->tensors()->dtype()->size();
  string_count_ = tree.text_offsets()->size() == 0 ? 0 : tree.text_offsets()->size() - 1;
  text_ = reinterpret_cast<const char*>(tree.text()->data());
  text_size_ = tree.text()->size();
  text_offsets_ = tree.text_offsets()->data();
  parent_ = tree.parent()->data();
  end_ = tree.end()->data();
  name_ = tree.name()->data();
  class_name_ = tree.class_name()->data();
  preview_ = tree.preview()->data();
  kind_ = tree.kind()->data();
  flags_ = tree.flags()->data();
  tensor_ = tree.tensor()->data();
  parameters_ = tree.parameters()->data();
  bytes_ = tree.bytes()->data();
  structure_ = tree.structure()->data();
}

base::Result<std::shared_ptr<const DocumentView>> DocumentView::check(Message message) {
  if (message.as<wire::Document>() == nullptr) return bad_document("a message of another kind", "a Document");
  auto view = std::make_shared<const DocumentView>(std::move(message));
  NNS_TRY(view->check_columns());
  NNS_TRY(view->check_rows());
  NNS_TRY(view->check_tensors());
  return view;
}

base::Result<void> DocumentView::check_columns() const {
  const wire::Tree& tree = *document_->tree();
  if (row_count_ == 0 || row_count_ == kNone) {
    return bad_document(fmt::format("a document of {} rows", row_count_), "at least the root");
  }
  NNS_TRY(check_size("end", tree.end(), row_count_));
  NNS_TRY(check_size("name", tree.name(), row_count_));
  NNS_TRY(check_size("class_name", tree.class_name(), row_count_));
  NNS_TRY(check_size("preview", tree.preview(), row_count_));
  NNS_TRY(check_size("kind", tree.kind(), row_count_));
  NNS_TRY(check_size("flags", tree.flags(), row_count_));
  NNS_TRY(check_size("tensor", tree.tensor(), row_count_));
  NNS_TRY(check_size("parameters", tree.parameters(), row_count_));
  NNS_TRY(check_size("bytes", tree.bytes(), row_count_));
  NNS_TRY(check_size("structure", tree.structure(), row_count_));
  if (string_count_ == 0) return bad_document("a document without strings", "at least the empty one");
  for (std::uint32_t i = 0; i < string_count_; ++i) {
    if (text_offsets_[i] > text_offsets_[i + 1]) {
      return bad_document(fmt::format("string {} of a document ends before it begins", i), "growing text_offsets");
    }
  }
  if (text_offsets_[string_count_] > text_size_) {
    return bad_document(fmt::format("strings of a document end at byte {}", text_offsets_[string_count_]),
                        fmt::format("at most {}", text_size_));
  }
  return {};
}

base::Result<void> DocumentView::check_rows() const {
  // The rows whose subtree is still open form the chain of parents from `open` up to the root.
  std::uint32_t open = 0;
  std::uint32_t depth = 0;
  for (std::uint32_t row = 0; row < row_count_; ++row) {
    if (row == 0) {
      if (parent_[0] != kNone || end_[0] != row_count_) {
        return bad_document(fmt::format("the root of a document ends at row {}", end_[0]),
                            fmt::format("{}, and no parent", row_count_));
      }
    } else {
      while (end_[open] <= row) {
        open = parent_[open];
        --depth;
      }
      if (parent_[row] != open || end_[row] <= row || end_[row] > end_[open]) {
        return bad_document(
            fmt::format("row {} of a document has parent {} and ends at {}", row, parent_[row], end_[row]),
            fmt::format("parent {} and an end from {} to {}", open, row + 1, end_[open]));
      }
      open = row;
      if (++depth > kDeepest) return bad_document("a document nested too deep", fmt::format("at most {}", kDeepest));
    }
    if (name_[row] >= string_count_ || class_name_[row] >= string_count_ || preview_[row] >= string_count_) {
      return bad_document(fmt::format("row {} of a document names a string that is not there", row),
                          fmt::format("below {}", string_count_));
    }
    if (kind_[row] > static_cast<std::uint8_t>(RowKind::Value)) {
      return bad_document(fmt::format("row {} of a document is of kind {}", row, kind_[row]), "at most 5");
    }
    if (tensor_[row] != kNone && tensor_[row] >= tensor_count_) {
      return bad_document(fmt::format("row {} of a document names tensor {}", row, tensor_[row]),
                          fmt::format("below {}", tensor_count_));
    }
  }
  return {};
}

base::Result<void> DocumentView::check_tensors() const {
  const wire::Tensors& tensors = *document_->tensors();
  NNS_TRY(check_size("node", tensors.node(), tensor_count_));
  NNS_TRY(check_size("rank", tensors.rank(), tensor_count_));
  NNS_TRY(check_size("dims_begin", tensors.dims_begin(), tensor_count_));
  NNS_TRY(check_size("numel", tensors.numel(), tensor_count_));
  NNS_TRY(check_size("storage", tensors.storage(), tensor_count_));
  NNS_TRY(check_size("nbytes", tensors.nbytes(), tensor_count_));
  const std::uint64_t dims = tensors.dims()->size();
  const std::uint32_t* begin = tensors.dims_begin()->data();
  const std::uint8_t* rank = tensors.rank()->data();
  const std::uint8_t* dtype = tensors.dtype()->data();
  const std::uint32_t* node = tensors.node()->data();
  const std::uint32_t dtypes = document_->dtype_names()->size();
  for (std::uint32_t i = 0; i < tensor_count_; ++i) {
    if (std::uint64_t{begin[i]} + 2 * std::uint64_t{rank[i]} > dims) {
      return bad_document(fmt::format("the shape of tensor {} lies outside the column dims", i),
                          fmt::format("at most {} entries", dims));
    }
    if (dtype[i] >= dtypes) {
      return bad_document(fmt::format("tensor {} is of dtype {}", i, dtype[i]), fmt::format("below {}", dtypes));
    }
    if (node[i] != kNone && node[i] >= row_count_) {
      return bad_document(fmt::format("tensor {} is shown by row {}", i, node[i]), fmt::format("below {}", row_count_));
    }
  }
  return {};
}

std::uint8_t DocumentView::dtype(std::uint32_t tensor) const { return document_->tensors()->dtype()->Get(tensor); }

std::string_view DocumentView::dtype_name(std::uint32_t tensor) const {
  return text_of(document_->dtype_names()->Get(dtype(tensor)));
}

std::span<const std::int64_t> DocumentView::shape(std::uint32_t tensor) const {
  const wire::Tensors& tensors = *document_->tensors();
  return std::span(tensors.dims()->data(), tensors.dims()->size())
      .subspan(tensors.dims_begin()->Get(tensor), tensors.rank()->Get(tensor));
}

std::span<const std::int64_t> DocumentView::stride(std::uint32_t tensor) const {
  const wire::Tensors& tensors = *document_->tensors();
  const std::uint8_t rank = tensors.rank()->Get(tensor);
  return std::span(tensors.dims()->data(), tensors.dims()->size())
      .subspan(tensors.dims_begin()->Get(tensor) + rank, rank);
}

std::uint64_t DocumentView::numel(std::uint32_t tensor) const { return document_->tensors()->numel()->Get(tensor); }
std::uint64_t DocumentView::nbytes(std::uint32_t tensor) const { return document_->tensors()->nbytes()->Get(tensor); }
std::uint32_t DocumentView::node(std::uint32_t tensor) const { return document_->tensors()->node()->Get(tensor); }
std::uint32_t DocumentView::storage(std::uint32_t tensor) const { return document_->tensors()->storage()->Get(tensor); }

std::string DocumentView::path(std::uint32_t row) const {
  std::vector<std::uint32_t> chain;
  for (std::uint32_t at = row; at != 0; at = parent_[at]) chain.push_back(at);
  std::string path;
  for (auto at = chain.rbegin(); at != chain.rend(); ++at) {
    if (at != chain.rbegin()) path += kind(parent_[*at]) == RowKind::Container ? '/' : '.';
    path += name(*at);
  }
  return path;
}

}  // namespace nns::live
