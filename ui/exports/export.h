#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/base/budget.h"
#include "core/base/result.h"
#include "core/live/document_view.h"
#include "ui/host/save_file.h"
#include "ui/model/filtered_rows.h"

namespace nns::exports {

/// Something that becomes a file, in slices.
class Export {
 public:
  virtual ~Export() = default;
  Export() = default;
  Export(const Export&) = delete;
  Export& operator=(const Export&) = delete;

  /// Works for about the budget. True when everything was given to `file`. Errors: what is to be saved cannot be read.
  virtual base::Result<bool> step(host::SaveFile& file, const base::Budget& budget) = 0;
  /// 0 to 1.
  virtual double progress() const = 0;
};

/// Rows of a document as a file; nothing is cut, folded or left out.
enum class TextFormat : std::uint8_t {
  Text,      ///< a tree in columns, and totals as PyTorch counts them
  Json,      ///< one object; "rows" in pre-order, each with its level
  Csv,       ///< RFC 4180 with "\n", one line a row
  Markdown,  ///< a table and totals
};
std::unique_ptr<Export> make_document_text(std::shared_ptr<const live::DocumentView> document, TextFormat format);

/// The rows that a search leaves, with what lies in them and what leads to them, and the sums of what matches. Each row
/// says whether it matches where the format has a place for it (JSON, CSV).
struct RowFilter {
  model::FilteredRows rows;
  std::string query;
};
std::unique_ptr<Export> make_document_text(std::shared_ptr<const live::DocumentView> document, TextFormat format,
                                           RowFilter filter);

}  // namespace nns::exports
