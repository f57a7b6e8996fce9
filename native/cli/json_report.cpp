#include "native/cli/json_report.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

namespace nns::cli {

namespace {

using checkpoint::Checkpoint;
using checkpoint::kNone;
using checkpoint::ModuleTree;
using checkpoint::NodeKind;
using checkpoint::TensorEntry;
using checkpoint::TensorStatistics;
using checkpoint::Verdict;

constexpr std::size_t kMostSharersListed = 1000;

const char* kind_name(NodeKind kind) {
  switch (kind) {
    case NodeKind::Module:
      return "module";
    case NodeKind::Parameter:
      return "parameter";
    case NodeKind::Buffer:
      return "buffer";
    case NodeKind::Tensor:
      return "tensor";
    case NodeKind::Container:
      return "container";
    case NodeKind::Value:
      return "value";
  }
  return "value";
}

void write_place(JsonWriter& json, Checkpoint& file, const TensorEntry& tensor) {
  json.key("file");
  const bool has_file = tensor.storage != kNone && file.storages[tensor.storage].file < file.files.size();
  if (has_file) {
    json.text(file.files[file.storages[tensor.storage].file].name);
  } else {
    json.null();
  }
  json.key("offset");
  std::optional<std::uint64_t> offset;
  if (has_file) {
    const auto storage = file.locate(tensor.storage);
    if (storage.ok()) offset = storage->offset + tensor.storage_offset * tensor::item_bytes(tensor.dtype);
  }
  if (offset) {
    json.number(*offset);
  } else {
    json.null();
  }
}

void write_sharers(JsonWriter& json, const Document& document, const TensorEntry& tensor, std::uint32_t index) {
  const Checkpoint& file = *document.checkpoint;
  json.key("shares_storage_with");
  json.begin_list();
  if (tensor.storage != kNone) {
    const auto& sharers = document.storage_tensors[tensor.storage];
    const std::size_t listed = sharers.size() > kMostSharersListed ? 1 : sharers.size();
    for (std::size_t i = 0; i < listed; ++i) {
      if (sharers[i] != index) json.text(file.name(file.tensors[sharers[i]]));
    }
  }
  json.end_list();
}

/// A number of the tensor's own kind: an integer for integer tensors, true or false for bool.
void write_value(JsonWriter& json, const char* name, double value, tensor::DType dtype, bool is_integer) {
  json.key(name);
  if (dtype == tensor::DType::Bool) {
    json.boolean(value != 0);
  } else if (is_integer && std::abs(value) < 9.0e18) {
    json.number(static_cast<std::int64_t>(value));
  } else {
    json.number(value);
  }
}

}  // namespace

const char* verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::Safe:
      return "safe";
    case Verdict::Unknown:
      return "unknown";
    case Verdict::Dangerous:
      return "dangerous";
  }
  return "unknown";
}

void write_statistics(JsonWriter& json, const std::optional<TensorStatistics>& maybe, tensor::DType dtype) {
  if (!maybe || maybe->count == 0) {
    json.key("sum");
    if (maybe) {
      json.number(std::uint64_t{0});
    } else {
      json.null();
    }
    for (const char* name : {"min", "max", "mean", "std"}) {
      json.key(name);
      json.null();
    }
    for (const char* name :
         {"nan", "inf", "absmax", "zeros", "rows", "columns", "dead_rows", "dead_columns", "outliers"}) {
      json.key(name);
      if (maybe) {
        json.number(std::uint64_t{0});
      } else {
        json.null();
      }
    }
    return;
  }
  const TensorStatistics& statistics = *maybe;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const std::uint64_t infinite = statistics.pos_inf + statistics.neg_inf;
  double low = statistics.min;
  double high = statistics.max;
  if (statistics.neg_inf > 0) low = -kInfinity;
  if (statistics.pos_inf > 0) high = kInfinity;
  if (statistics.pos_inf == statistics.count) low = kInfinity;
  if (statistics.neg_inf == statistics.count) high = -kInfinity;
  if (statistics.nan > 0) low = high = kNan;
  json.key("sum");
  if (statistics.is_integer) {
    json.number(statistics.sum_integer);
  } else {
    json.number(statistics.sum);
  }
  if (tensor::is_complex(dtype)) {
    json.key("sum_imaginary");
    json.number(statistics.sum_imaginary);
  }
  write_value(json, "min", low, dtype, statistics.is_integer);
  write_value(json, "max", high, dtype, statistics.is_integer);
  json.key("mean");
  json.number(statistics.nan + infinite > 0 ? statistics.sum / static_cast<double>(statistics.count) : statistics.mean);
  json.key("std");
  json.number(statistics.nan + infinite > 0 ? kNan : statistics.std);
  json.key("nan");
  json.number(statistics.nan);
  json.key("inf");
  json.number(infinite);
  // Finite values only, as the explorer's table has them.
  json.key("absmax");
  json.number(statistics.absmax);
  const std::pair<const char*, std::uint64_t> counts[] = {{"zeros", statistics.zeros},
                                                          {"rows", statistics.rows},
                                                          {"columns", statistics.columns},
                                                          {"dead_rows", statistics.dead_rows},
                                                          {"dead_columns", statistics.dead_columns},
                                                          {"outliers", statistics.outliers}};
  for (const auto& [name, count] : counts) {
    json.key(name);
    json.number(count);
  }
}

namespace {

void write_numbers(JsonWriter& json, const char* name, std::span<const std::int64_t> numbers) {
  json.key(name);
  json.begin_list();
  for (const std::int64_t number : numbers) json.number(number);
  json.end_list();
}

void write_packing(JsonWriter& json, const checkpoint::Packing& packing) {
  json.key("packed");
  json.begin_object();
  json.key("as");
  json.text(packing.scheme);
  json.key("bits");
  json.number(static_cast<std::uint64_t>(packing.bits));
  json.key("parameters");
  json.number(packing.numel);
  if (!packing.shape.empty()) write_numbers(json, "shape", packing.shape);
  if (!packing.dtype.empty()) {
    json.key("dtype");
    json.text(packing.dtype);
  }
  if (packing.group != 0) {
    json.key("group");
    json.number(packing.group);
  }
  json.end_object();
}

void write_tensor(JsonWriter& json, Document& document, std::uint32_t index) {
  Checkpoint& file = *document.checkpoint;
  const TensorEntry& tensor = file.tensors[index];
  json.begin_object();
  json.key("name");
  json.text(file.name(tensor));
  json.key("dtype");
  if (tensor.has_shape) {
    json.text(file.dtype_name(tensor));
    write_numbers(json, "shape", file.shape(tensor));
    write_numbers(json, "stride", file.stride(tensor));
    json.key("nbytes");
    json.number(tensor.nbytes);
  } else {
    json.null();
    for (const char* name : {"shape", "stride", "nbytes"}) {
      json.key(name);
      json.null();
    }
  }
  if (tensor.packing != kNone) write_packing(json, file.packings[tensor.packing]);
  write_place(json, file, tensor);
  write_sharers(json, document, tensor, index);
  if (!document.statistics.empty()) write_statistics(json, document.statistics[index], tensor.dtype);
  json.end_object();
}

/// `number`: of the row's tensor in the list of tensors.
void begin_node(JsonWriter& json, const Document& document, std::uint32_t row, std::uint32_t number) {
  const ModuleTree& tree = document.checkpoint->tree;
  json.begin_object();
  json.key("name");
  json.text(tree.strings.view(tree.name[row]));
  json.key("kind");
  json.text(kind_name(tree.kind[row]));
  if (tree.class_name[row] != 0) {
    json.key("class");
    json.text(tree.strings.view(tree.class_name[row]));
    json.key("inferred");
    json.boolean((tree.flags[row] & checkpoint::kClassInferred) != 0);
  }
  if (tree.preview[row] != 0) {
    json.key("value");
    json.text(tree.strings.view(tree.preview[row]));
  }
  if (number != kNone) {
    json.key("tensor");
    json.number(static_cast<std::uint64_t>(number));
  }
  json.key("parameters");
  json.number(document.parameters(row));
  json.key("bytes");
  json.number(document.bytes(row));
  if (document.filter) {
    json.key("match");
    json.boolean(document.filter->is_match(row));
  }
}

void write_filter(JsonWriter& json, const model::FilteredRows& filter, const std::string& query) {
  json.key("filter");
  json.begin_object();
  json.key("query");
  json.text(query);
  const std::pair<const char*, std::uint64_t> counts[] = {{"matches", filter.match_count},
                                                          {"metadata_matches", filter.metadata.size()},
                                                          {"tensors", filter.totals.tensors},
                                                          {"parameters", filter.totals.parameters},
                                                          {"bytes", filter.totals.bytes}};
  for (const auto& [name, count] : counts) {
    json.key(name);
    json.number(count);
  }
  json.end_object();
}

/// The tree by a stack of its own: the depth of the nesting is the file's choice.
void write_tree(JsonWriter& json, const Document& document, std::span<const std::uint32_t> tensors,
                std::optional<std::uint32_t> depth) {
  const ModuleTree& tree = document.checkpoint->tree;
  if (tree.size() == 0 || !document.is_shown(0)) {
    json.null();
    return;
  }
  const auto number_of = [&](std::uint32_t row) {
    const auto at = std::lower_bound(tensors.begin(), tensors.end(), tree.tensor[row]);
    const bool is_listed = tree.tensor[row] != kNone && at != tensors.end() && *at == tree.tensor[row];
    return is_listed ? static_cast<std::uint32_t>(at - tensors.begin()) : kNone;
  };
  const auto has_shown_child = [&](std::uint32_t row) {
    std::uint32_t child = row + 1;
    while (child < tree.end[row] && !document.is_shown(child)) child = tree.end[child];
    return child < tree.end[row];
  };
  std::vector<std::uint32_t> open_ends;  // of the nodes whose list of children is open
  const auto close_until = [&](std::uint32_t row) {
    while (!open_ends.empty() && open_ends.back() <= row) {
      json.end_list();
      json.end_object();
      open_ends.pop_back();
    }
  };
  for (std::uint32_t row = 0; row < tree.size();) {
    close_until(row);
    if (!document.is_shown(row)) {
      row = tree.end[row];
      continue;
    }
    begin_node(json, document, row, number_of(row));
    const bool has_children = has_shown_child(row);
    const bool is_cut = depth && open_ends.size() >= *depth;
    if (has_children && !is_cut) {
      json.key("children");
      json.begin_list(true);
      open_ends.push_back(tree.end[row]);
      ++row;
    } else {
      json.end_object();
      row = tree.end[row];
    }
  }
  close_until(tree.size());
}

}  // namespace

void write_json(JsonWriter& json, Document& document, std::optional<std::uint32_t> depth) {
  const Checkpoint& file = *document.checkpoint;
  json.begin_object();
  json.key("format");
  json.text(file.format);
  if (document.filter) write_filter(json, *document.filter, document.query);
  json.key("tensors");
  json.begin_list(true);
  const std::vector<std::uint32_t> tensors = document.shown_tensors();
  for (const std::uint32_t tensor : tensors) write_tensor(json, document, tensor);
  json.end_list();
  json.key("metadata");
  json.begin_object();
  for (const std::uint32_t entry : document.shown_metadata()) {
    json.key(file.metadata[entry].key);
    json.text(file.metadata[entry].value);
  }
  json.end_object();
  json.key("globals");
  json.begin_list(true);
  for (const auto& global : file.globals) {
    json.begin_object();
    json.key("name");
    json.text(global.name);
    json.key("offset");
    json.number(global.offset);
    json.key("verdict");
    json.text(verdict_name(global.verdict));
    json.end_object();
  }
  json.end_list();
  json.key("tree");
  write_tree(json, document, tensors, depth);
  json.key("notes");
  json.begin_list();
  for (const std::string& note : file.notes) json.text(note);
  json.end_list();
  json.end_object();
}

}  // namespace nns::cli
