#include "ui/model/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "ui/model/format.h"

namespace nns::model {

namespace {

namespace wire = live::wire;
using live::RowKind;
using live::text_of;

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", thousands(count), count == 1 ? one : many);
}

SafetySummary judge(const live::DocumentView& document) {
  SafetySummary safety;
  for (const wire::Global* global : *document.get().globals()) {
    GlobalLine line;
    line.name = text_of(global->name());
    line.verdict = global->verdict();
    switch (global->verdict()) {
      case wire::Verdict::Safe:
        line.verdict_text = "safe";
        ++safety.safe;
        break;
      case wire::Verdict::Unknown:
        line.verdict_text = "unknown";
        ++safety.unknown;
        break;
      case wire::Verdict::Dangerous:
        line.verdict_text = "dangerous";
        ++safety.dangerous;
        break;
    }
    line.place = fmt::format("{} at byte {}", text_of(global->opcode()), thousands(global->offset()));
    if (global->member()->size() != 0) line.place += fmt::format(" of {}", text_of(global->member()));
    safety.lines.push_back(std::move(line));
  }
  std::stable_sort(safety.lines.begin(), safety.lines.end(),
                   [](const GlobalLine& a, const GlobalLine& b) { return a.verdict > b.verdict; });
  if (safety.dangerous != 0) {
    safety.headline = fmt::format("{} would run code or reach the system if Python loaded this file.",
                                  counted(safety.dangerous, "global", "globals"));
  } else if (safety.unknown != 0) {
    safety.headline = fmt::format("{} outside the allow-list: Python would import code of other packages.",
                                  counted(safety.unknown, "global", "globals"));
  } else if (safety.safe != 0) {
    safety.headline = "Every global that the pickle names is on the allow-list.";
  }
  return safety;
}

}  // namespace

DocumentSummary summarise(const live::DocumentView& document) {
  const wire::Document& told = document.get();
  DocumentSummary summary;
  summary.title = document.title();
  summary.format = document.format();
  summary.tensors = document.tensor_count();
  summary.parameters = told.total_parameters();
  summary.bytes = told.total_bytes();
  for (std::uint32_t row = 0; row < document.row_count(); ++row) {
    if (document.kind(row) == RowKind::Module) ++summary.modules;
  }
  summary.dtypes.resize(told.dtype_names()->size());
  for (std::uint32_t i = 0; i < told.dtype_names()->size(); ++i) {
    summary.dtypes[i].dtype = text_of(told.dtype_names()->Get(i));
  }
  std::unordered_set<std::uint32_t> seen;
  seen.reserve(document.tensor_count());
  for (std::uint32_t tensor = 0; tensor < document.tensor_count(); ++tensor) {
    if (document.storage(tensor) != live::kNone && !seen.insert(document.storage(tensor)).second) {
      ++summary.shared;
      continue;
    }
    DtypeLine& line = summary.dtypes[told.tensors()->dtype()->Get(tensor)];
    ++line.tensors;
    line.elements += document.numel(tensor);
    line.bytes += document.nbytes(tensor);
    const std::uint32_t row = document.node(tensor);
    const RowKind kind = row == live::kNone ? RowKind::Tensor : document.kind(row);
    if (kind == RowKind::Buffer) summary.buffers += document.numel(tensor);
    if (kind != RowKind::Buffer && kind != RowKind::Parameter) summary.others += document.numel(tensor);
  }
  std::erase_if(summary.dtypes, [](const DtypeLine& line) { return line.tensors == 0; });
  std::stable_sort(summary.dtypes.begin(), summary.dtypes.end(),
                   [](const DtypeLine& a, const DtypeLine& b) { return a.bytes > b.bytes; });
  for (const wire::SourceFile* file : *told.files()) {
    summary.files.push_back({.name = std::string(text_of(file->name())),
                             .size = file->present() ? short_bytes(file->size()) : "missing",
                             .present = file->present()});
  }
  for (const wire::MetadataEntry* entry : *told.metadata()) {
    summary.metadata.emplace_back(text_of(entry->key()), text_of(entry->value()));
  }
  for (const flatbuffers::String* note : *told.notes()) summary.notes.emplace_back(text_of(note));
  summary.safety = judge(document);
  return summary;
}

}  // namespace nns::model
