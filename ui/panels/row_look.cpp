#include "ui/panels/row_look.h"

#include "ui/model/format.h"

namespace nns::panels {

using live::RowKind;
using widgets::Icon;

Icon kind_icon(RowKind kind) {
  switch (kind) {
    case RowKind::Module:
      return Icon::Module;
    case RowKind::Parameter:
      return Icon::Parameter;
    case RowKind::Buffer:
      return Icon::Buffer;
    case RowKind::Tensor:
      return Icon::Tensor;
    case RowKind::Container:
      return Icon::Container;
    case RowKind::Value:
      return Icon::Value;
  }
  return Icon::Value;
}

widgets::Colour kind_colour(const widgets::Theme& theme, RowKind kind) {
  switch (kind) {
    case RowKind::Module:
      return theme.module;
    case RowKind::Parameter:
      return theme.parameter;
    case RowKind::Buffer:
      return theme.buffer;
    case RowKind::Tensor:
      return theme.text;
    case RowKind::Container:
    case RowKind::Value:
      return theme.muted;
  }
  return theme.muted;
}

const char* kind_text(RowKind kind) {
  switch (kind) {
    case RowKind::Module:
      return "module";
    case RowKind::Parameter:
      return "parameter";
    case RowKind::Buffer:
      return "buffer";
    case RowKind::Tensor:
      return "tensor";
    case RowKind::Container:
      return "container";
    case RowKind::Value:
      return "value";
  }
  return "value";
}

std::string type_text(const live::DocumentView& document, std::uint32_t row) {
  const std::uint32_t tensor = document.tensor(row);
  if (tensor != live::kNone) {
    if (!document.has_shape(tensor)) return "in a missing file";
    // What a packed weight stands for says more than what it is stored as.
    if (const std::string_view packing = document.preview(row); !packing.empty()) return std::string(packing);
    return std::string(document.dtype_name(tensor)).append("  ").append(model::shape_text(document.shape(tensor)));
  }
  if (document.kind(row) == RowKind::Value) return std::string(document.preview(row));
  std::string text;
  const std::string_view name = document.class_name(row);
  if (!name.empty() && (document.flags(row) & live::kClassInferred) != 0) text = "\xE2\x89\x88 ";
  // The last part says what it is; the inspector has the whole name.
  const std::size_t dot = name.rfind('.');
  return text.append(dot == std::string_view::npos ? name : name.substr(dot + 1));
}

}  // namespace nns::panels
