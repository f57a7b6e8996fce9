#include "ui/model/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>
#include <unordered_set>
#include <utility>

#include "ui/model/format.h"

namespace nns::model {

namespace {

namespace wire = live::wire;
using live::RowKind;
using live::text_of;

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", thousands(count), count == 1 ? one : many);
}

constexpr std::string_view kUnknown = "unknown";

/// `text` of what is known.
std::string as_far_as_known(const DocumentSummary& summary, std::string text) {
  if (summary.unknown == 0) return text;
  return summary.unknown == summary.tensors ? std::string(kUnknown) : "\xE2\x89\xA5 " + text;
}

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

void add_line(SafetySummary& safety, GlobalLine line, std::string_view opcode, std::uint64_t offset,
              std::string_view member) {
  switch (line.verdict) {
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
  line.place = opcode.empty() ? fmt::format("byte {}", thousands(offset))
                              : fmt::format("{} at byte {}", opcode, thousands(offset));
  line.offset_end = line.place.size();
  if (!member.empty()) line.place += fmt::format(" of {}", member);
  // What is no global is named by what it is.
  if (line.name.empty()) {
    line.name = std::exchange(line.why, {});
  } else if (!line.why.empty()) {
    line.place += ": " + line.why;
  }
  safety.lines.push_back(std::move(line));
}

void sum_up(SafetySummary& safety) {
  std::stable_sort(safety.lines.begin(), safety.lines.end(),
                   [](const GlobalLine& a, const GlobalLine& b) { return a.verdict > b.verdict; });
  const std::string_view one = safety.is_scanned ? "finding" : "global";
  const std::string_view many = safety.is_scanned ? "findings" : "globals";
  if (safety.dangerous != 0) {
    safety.headline = fmt::format("{} would run code or reach the system if Python loaded this file.",
                                  counted(safety.dangerous, one, many));
    if (safety.is_scanned) {
      safety.headline = fmt::format("Dangerous: loading this file in Python could run code ({}).",
                                    counted(safety.dangerous, one, many));
    }
  } else if (safety.unknown != 0) {
    safety.headline = safety.is_scanned
                          ? fmt::format("Unknown: {} outside the allow-list, such as code of other packages.",
                                        counted(safety.unknown, one, many))
                          : fmt::format("{} outside the allow-list: Python would import code of other packages.",
                                        counted(safety.unknown, one, many));
  } else if (safety.safe != 0) {
    safety.headline = safety.is_scanned ? "Safe: every global that the pickles name is on the allow-list."
                                        : "Every global that the pickle names is on the allow-list.";
  }
}

SafetySummary judge(const live::DocumentView& document) {
  SafetySummary safety;
  for (const wire::Global* global : *document.get().globals()) {
    add_line(safety, {.name = std::string(text_of(global->name())), .verdict = global->verdict()},
             text_of(global->opcode()), global->offset(), text_of(global->member()));
  }
  sum_up(safety);
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
    if (!document.has_shape(tensor)) ++summary.unknown;
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
    // Of what is not there the size is that of a pointer in its place.
    summary.files.push_back({.name = std::string(text_of(file->name())),
                             .size = file->present()     ? short_bytes(file->size())
                                     : file->size() != 0 ? "a Git LFS pointer"
                                                         : "missing",
                             .present = file->present()});
  }
  for (const wire::MetadataEntry* entry : *told.metadata()) {
    summary.metadata.emplace_back(text_of(entry->key()), text_of(entry->value()));
    if (text_of(entry->key()) == "total_size" && !summary.told_bytes)
      summary.told_bytes = number(text_of(entry->value()));
  }
  for (const flatbuffers::String* note : *told.notes()) summary.notes.emplace_back(text_of(note));
  summary.safety = judge(document);
  return summary;
}

std::string parameters_text(const DocumentSummary& summary) {
  return as_far_as_known(summary, short_count(summary.parameters));
}

std::string buffers_text(const DocumentSummary& summary) {
  return as_far_as_known(summary, short_count(summary.buffers));
}

std::string size_text(const DocumentSummary& summary) {
  if (summary.unknown != 0 && summary.told_bytes) return short_bytes(*summary.told_bytes);
  return as_far_as_known(summary, short_bytes(summary.bytes));
}

std::string counts_text(const DocumentSummary& summary) {
  const std::string parameters = parameters_text(summary);
  std::string size = size_text(summary);
  if (summary.unknown != 0 && summary.told_bytes) {
    size += " by the index";
  } else if (size == kUnknown) {
    size = "size unknown";
  }
  return fmt::format(
      "{} \xC2\xB7 {} \xC2\xB7 {} \xC2\xB7 {}", summary.format, counted(summary.tensors, "tensor", "tensors"),
      parameters == kUnknown ? "parameters unknown"
                             : fmt::format("{} {}", parameters, parameters == "1" ? "parameter" : "parameters"),
      size);
}

SafetySummary judge_scan(const live::wire::Safety& told) {
  SafetySummary safety;
  safety.is_scanned = true;
  for (const wire::Finding* finding : *told.findings()) {
    add_line(safety,
             {.name = std::string(text_of(finding->name())),
              .verdict = finding->verdict(),
              .why = std::string(text_of(finding->why()))},
             text_of(finding->opcode()), finding->offset(), text_of(finding->member()));
  }
  sum_up(safety);
  return safety;
}

}  // namespace nns::model
