#include "core/live/commands.h"

#include "core/live/message.h"

namespace nns::live {

using flatbuffers::FlatBufferBuilder;

Bytes open_source(std::uint64_t request, std::uint64_t source, std::string_view name, std::string_view url) {
  FlatBufferBuilder builder(256);
  const auto name_text = builder.CreateString(name.data(), name.size());
  const auto url_text = builder.CreateString(url.data(), url.size());
  return finish_message(builder, wire::CreateOpenSource(builder, request, source, name_text, url_text));
}

Bytes open_sample(std::uint64_t request, std::string_view name) {
  FlatBufferBuilder builder(128);
  const auto text = builder.CreateString(name.data(), name.size());
  return finish_message(builder, wire::CreateOpenSample(builder, request, text));
}

Bytes close_document(std::uint32_t document) {
  FlatBufferBuilder builder(64);
  return finish_message(builder, wire::CreateCloseDocument(builder, document));
}

Bytes inspect(std::uint64_t request, std::uint32_t document, std::uint32_t node) {
  FlatBufferBuilder builder(64);
  return finish_message(builder, wire::CreateInspect(builder, request, document, node));
}

Bytes inspect_tensor(std::uint64_t request, std::uint32_t document, std::uint32_t tensor, bool with_values) {
  FlatBufferBuilder builder(64);
  return finish_message(builder, wire::CreateInspectTensor(builder, request, document, tensor, with_values));
}

Bytes cancel(std::uint64_t request) {
  FlatBufferBuilder builder(64);
  return finish_message(builder, wire::CreateCancel(builder, request));
}

Bytes hold_job(std::uint64_t request, bool held) {
  FlatBufferBuilder builder(64);
  return finish_message(builder, wire::CreateHoldJob(builder, request, held));
}

namespace {

flatbuffers::Offset<wire::TensorSlice> create_slice(FlatBufferBuilder& builder, const base::TensorSlice& slice) {
  std::vector<std::uint64_t> start;
  std::vector<std::uint64_t> count;
  std::vector<std::uint64_t> step;
  for (const base::AxisRange& range : slice.axes) {
    start.push_back(range.start);
    count.push_back(range.count);
    step.push_back(range.step);
  }
  const auto starts = builder.CreateVector(start);
  const auto counts = builder.CreateVector(count);
  const auto steps = builder.CreateVector(step);
  return wire::CreateTensorSlice(builder, starts, counts, steps, builder.CreateVector(slice.order));
}

}  // namespace

Bytes request_tile(std::uint64_t request, std::uint32_t document, std::uint32_t tensor, const base::TensorSlice& slice,
                   const TileRequest& tile) {
  FlatBufferBuilder builder(256);
  const auto part = create_slice(builder, slice);
  return finish_message(builder, wire::CreateRequestTile(builder, request, document, tensor, tile.row_begin,
                                                         tile.row_end, tile.column_begin, tile.column_end, tile.width,
                                                         tile.height, part, tile.for_file));
}

Bytes request_values(std::uint64_t request, std::uint32_t document, std::uint32_t tensor,
                     const base::TensorSlice& slice, const TileRequest& part) {
  FlatBufferBuilder builder(256);
  const auto of = create_slice(builder, slice);
  return finish_message(builder, wire::CreateRequestValues(builder, request, document, tensor, of, part.row_begin,
                                                           part.row_end, part.column_begin, part.column_end));
}

Bytes inspect_view(std::uint64_t request, std::uint32_t document, std::uint32_t tensor,
                   const base::TensorSlice& slice) {
  FlatBufferBuilder builder(256);
  const auto part = create_slice(builder, slice);
  return finish_message(builder, wire::CreateInspectView(builder, request, document, tensor, part));
}

Bytes find_value(std::uint64_t request, std::uint32_t document, std::uint32_t tensor, const base::TensorSlice& slice,
                 wire::FindWhat what, std::uint64_t from) {
  FlatBufferBuilder builder(256);
  const auto part = create_slice(builder, slice);
  return finish_message(builder, wire::CreateFindValue(builder, request, document, tensor, part, what, from));
}

Bytes request_model_statistics(std::uint64_t request, std::uint32_t document, std::uint32_t first) {
  FlatBufferBuilder builder(64);
  return finish_message(builder, wire::CreateRequestModelStatistics(builder, request, document, first));
}

Bytes request_diff(std::uint64_t request, const DiffRequest& diff) {
  FlatBufferBuilder builder(128);
  return finish_message(builder,
                        wire::CreateRequestDiff(builder, request, diff.a, diff.b, diff.with_rows, diff.with_values,
                                                diff.first_row, diff.last_row, diff.part_a, diff.part_b));
}

Bytes request_diff_tile(std::uint64_t request, const DiffTensors& tensors, const TileRequest& tile) {
  FlatBufferBuilder builder(128);
  return finish_message(
      builder, wire::CreateRequestDiffTile(builder, request, tensors.a, tensors.a_tensor, tensors.b, tensors.b_tensor,
                                           tile.row_begin, tile.row_end, tile.column_begin, tile.column_end, tile.width,
                                           tile.height, tile.for_file));
}

Bytes scan_document(std::uint64_t request, std::uint32_t document) {
  FlatBufferBuilder builder(64);
  return finish_message(builder, wire::CreateScanDocument(builder, request, document));
}

Bytes read_tensor_file(std::uint64_t request, std::uint32_t document, std::uint32_t tensor,
                       const base::TensorSlice& slice, bool as_text, std::uint64_t first, std::uint64_t count) {
  FlatBufferBuilder builder(256);
  const auto part = create_slice(builder, slice);
  const auto format = as_text ? wire::ValueFormat::Csv : wire::ValueFormat::Npy;
  return finish_message(builder,
                        wire::CreateReadTensorFile(builder, request, document, tensor, format, first, count, part));
}

Bytes run_text(std::uint64_t request, std::uint32_t document, std::string_view text) {
  FlatBufferBuilder builder(text.size() + 64);
  const auto typed = builder.CreateString(text.data(), text.size());
  return finish_message(builder, wire::CreateRunText(builder, request, document, typed));
}

Bytes inspect_call(std::uint64_t request, std::uint32_t document, std::string_view model,
                   const std::vector<std::string>& inputs, bool with_values) {
  FlatBufferBuilder builder;
  const auto called = builder.CreateString(model.data(), model.size());
  const auto given = builder.CreateVectorOfStrings(inputs);
  return finish_message(builder, wire::CreateInspectCall(builder, request, document, called, given, with_values));
}

Bytes capture_program(std::uint64_t request, std::uint32_t document, const CaptureRequest& asked) {
  FlatBufferBuilder builder;
  const auto text = builder.CreateString(asked.text == nullptr ? std::string() : *asked.text);
  const auto called = builder.CreateString(asked.call);
  const auto given = builder.CreateVectorOfStrings(asked.inputs);
  const auto name = builder.CreateString("inline_inbuilt_nn_modules");
  const auto value = builder.CreateString(asked.by_instance ? "false" : "true");
  const auto setting = wire::CreateSetting(builder, name, value);
  const auto settings = builder.CreateVector(&setting, 1);
  return finish_message(builder, wire::CreateCaptureProgram(builder, request, document, asked.text != nullptr, text,
                                                            called, given, settings));
}

Bytes read_package(std::uint64_t request, std::uint32_t document, std::uint64_t source, std::string_view name,
                   std::string_view url) {
  FlatBufferBuilder builder;
  const auto called = builder.CreateString(name.data(), name.size());
  const auto address = builder.CreateString(url.data(), url.size());
  return finish_message(builder, wire::CreateReadPackage(builder, request, document, source, called, address));
}

Bytes check_source(std::uint64_t request, std::string_view text, std::string_view name) {
  FlatBufferBuilder builder(text.size() + 128);
  const auto source = builder.CreateString(text.data(), text.size());
  const auto called = builder.CreateString(name.data(), name.size());
  return finish_message(builder, wire::CreateCheckSource(builder, request, source, called));
}

Bytes open_shared(std::uint64_t request, std::string_view code) {
  FlatBufferBuilder builder(code.size() + 128);
  const auto packed = builder.CreateString(code.data(), code.size());
  return finish_message(builder, wire::CreateOpenShared(builder, request, packed));
}

Bytes run_source(std::uint64_t request, std::uint32_t document, std::string_view name, std::string_view text) {
  FlatBufferBuilder builder(text.size() + 256);
  const auto called = builder.CreateString(name.data(), name.size());
  const auto source = builder.CreateString(text.data(), text.size());
  return finish_message(builder, wire::CreateRunSource(builder, request, document, called, source));
}

Bytes complete_text(std::uint64_t request, std::uint32_t document, std::string_view text) {
  FlatBufferBuilder builder(text.size() + 64);
  const auto typed = builder.CreateString(text.data(), text.size());
  return finish_message(builder, wire::CreateCompleteText(builder, request, document, typed));
}

Bytes record_program(std::uint64_t request, std::uint32_t document, const std::string* text) {
  FlatBufferBuilder builder(64 + (text == nullptr ? 0 : text->size()));
  const auto source = builder.CreateString(text == nullptr ? std::string() : *text);
  return finish_message(builder, wire::CreateRecordProgram(builder, request, document, text != nullptr, source));
}

Bytes move_in_trace(std::uint64_t request, std::uint32_t document, const TraceMoveRequest& move) {
  FlatBufferBuilder builder;
  const auto lines = builder.CreateVectorOfStructs(move.lines);
  const auto expanded = builder.CreateVector(move.expanded);
  return finish_message(builder, wire::CreateMoveInTrace(builder, request, document, move.move, move.back, move.event,
                                                         lines, move.registry_changes, move.hook_fires, move.exceptions,
                                                         move.module_calls, move.attribute_changes, move.object,
                                                         move.since, move.selected, expanded, move.count));
}

namespace {

std::string_view path_of(std::string_view name, std::string_view url) {
  const std::string_view path = url.empty() ? name : url;
  return path.substr(0, path.find_first_of(url.empty() ? "" : "?#"));
}

}  // namespace

bool is_program(std::string_view name, std::string_view url) {
  const std::string_view path = path_of(name, url);
  // A lesson (core/lesson) has one in it.
  return path.ends_with(".py") || path.ends_with(".md");
}

bool is_trace_log(std::string_view name, std::string_view url) { return path_of(name, url).ends_with(".log"); }

Bytes seek_recording(std::uint64_t request, std::uint32_t recording, std::uint64_t event) {
  flatbuffers::FlatBufferBuilder builder;
  const auto told = wire::CreateSeekRecording(builder, request, recording, event);
  return finish_message(builder, told);
}

}  // namespace nns::live
