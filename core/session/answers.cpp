#include "core/session/answers.h"

#include <fmt/format.h>

namespace nns::session {

namespace {

namespace wire = live::wire;
using checkpoint::Checkpoint;
using checkpoint::kNone;
using checkpoint::TensorEntry;
using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

static_assert(static_cast<int>(OutputKind::Typed) == static_cast<int>(wire::OutputKind::Typed));
static_assert(static_cast<int>(checkpoint::AttributePlace::Item) == static_cast<int>(wire::AttributePlace::Item));

live::Bytes job(std::uint64_t request, wire::JobState state, std::string_view text, std::uint64_t done,
                std::uint64_t total, bool is_held = false) {
  FlatBufferBuilder builder(128);
  const auto string = builder.CreateString(text.data(), text.size());
  return live::finish_message(builder, wire::CreateJob(builder, request, state, string, done, total, 0, is_held));
}

}  // namespace

live::Bytes hello(std::span<const Sample> samples) {
  FlatBufferBuilder builder;
  std::vector<Offset<wire::SampleModel>> models;
  for (const Sample& sample : samples) {
    const auto name = builder.CreateString(sample.name);
    const auto title = builder.CreateString(sample.title);
    const auto about = builder.CreateString(sample.about);
    models.push_back(wire::CreateSampleModel(builder, name, title, about, sample.kind));
  }
  const auto version = builder.CreateString(NNSCOPE_VERSION);
  const auto column = builder.CreateVector(models);
  return live::finish_message(builder, wire::CreateHello(builder, version, column));
}

live::Bytes job_progress(std::uint64_t request, std::string_view text, std::uint64_t done, std::uint64_t total,
                         bool is_held) {
  return job(request, wire::JobState::Running, text, done, total, is_held);
}
live::Bytes job_finished(std::uint64_t request) { return job(request, wire::JobState::Finished, "", 0, 0); }
live::Bytes job_cancelled(std::uint64_t request) { return job(request, wire::JobState::Cancelled, "", 0, 0); }

live::Bytes job_failed(std::uint64_t request, const base::Error& error) {
  FlatBufferBuilder builder;
  const auto text = builder.CreateString("");
  const auto problem = live::create_problem(builder, error);
  return live::finish_message(builder, wire::CreateJob(builder, request, wire::JobState::Failed, text, 0, 0, problem));
}

live::Bytes document_closed(std::uint32_t document) {
  FlatBufferBuilder builder(64);
  return live::finish_message(builder, wire::CreateDocumentClosed(builder, document));
}

live::Bytes program_output(std::uint32_t document, const ProgramOutput& output) {
  FlatBufferBuilder builder(output.text.size() + 64);
  const auto text = builder.CreateString(output.text);
  return live::finish_message(
      builder, wire::CreateProgramOutput(builder, document, static_cast<wire::OutputKind>(output.kind), text));
}

live::Bytes source_looks(std::uint64_t request, const SourceFindings& findings, std::string_view code) {
  FlatBufferBuilder builder(findings.tokens.size() * sizeof(wire::SourceToken) + 256);
  std::vector<wire::SourceToken> made;
  made.reserve(findings.tokens.size());
  for (const SourceFindings::Token& token : findings.tokens) {
    made.emplace_back(token.line, token.begin, token.end, static_cast<wire::TokenKind>(token.kind));
  }
  const auto tokens = builder.CreateVectorOfStructs(made);
  std::vector<flatbuffers::Offset<wire::SourceProblem>> told;
  for (const SourceFindings::Problem& problem : findings.problems) {
    const auto message = builder.CreateString(problem.message);
    told.push_back(
        wire::CreateSourceProblem(builder, problem.line, problem.begin, problem.end_line, problem.end, false, message));
  }
  const auto problems = builder.CreateVector(told);
  const auto packed = builder.CreateString(code.data(), code.size());
  return live::finish_message(builder, wire::CreateSourceLooks(builder, request, tokens, problems, packed));
}

live::Bytes program_source(std::uint32_t document, std::string_view name, std::string_view text) {
  FlatBufferBuilder builder(text.size() + 256);
  const auto called = builder.CreateString(name.data(), name.size());
  const auto source = builder.CreateString(text.data(), text.size());
  return live::finish_message(builder, wire::CreateProgramSource(builder, document, called, source));
}

live::Bytes lesson_message(std::uint32_t document, const lesson::Lesson& lesson) {
  FlatBufferBuilder builder;
  std::vector<Offset<wire::LessonStop>> stops;
  for (const lesson::Stop& stop : lesson.stops) {
    const auto title = builder.CreateString(stop.title);
    const auto text = builder.CreateString(stop.text);
    const auto name = builder.CreateString(stop.name);
    const auto question = builder.CreateString(stop.question);
    const auto answer = builder.CreateString(stop.answer);
    stops.push_back(wire::CreateLessonStop(builder, title, text, static_cast<wire::LessonPlace>(stop.place), stop.line,
                                           stop.count, static_cast<wire::LessonView>(stop.view), name, question,
                                           answer));
  }
  const auto title = builder.CreateString(lesson.title);
  const auto told = builder.CreateVector(stops);
  return live::finish_message(builder, wire::CreateLesson(builder, document, title, lesson.hides, told));
}

live::Bytes completions(std::uint64_t request, std::uint32_t document, const RunningProgram::Completions& found) {
  FlatBufferBuilder builder;
  const auto names = builder.CreateVectorOfStrings(found.names);
  return live::finish_message(builder, wire::CreateCompletions(builder, request, document, found.from, names));
}

live::Bytes tensor_file_piece(const AnswerKey& key, const checkpoint::TensorPiece& piece) {
  FlatBufferBuilder builder(piece.bytes.size() + 128);
  const auto bytes =
      builder.CreateVector(reinterpret_cast<const std::uint8_t*>(piece.bytes.data()), piece.bytes.size());
  return live::finish_message(builder, wire::CreateTensorFilePiece(builder, key.request, key.document, key.subject,
                                                                   piece.next, piece.total, bytes));
}

live::Bytes object_details(const AnswerKey& key, const checkpoint::ObjectDescription& description) {
  FlatBufferBuilder builder;
  std::vector<Offset<wire::Attribute>> attributes;
  for (const checkpoint::AttributeRow& row : description.attributes) {
    const auto name = builder.CreateString(row.name);
    const auto type = builder.CreateString(row.type);
    const auto text = builder.CreateString(row.text);
    const auto why = builder.CreateString(row.why);
    attributes.push_back(wire::CreateAttribute(builder, row.depth, static_cast<wire::AttributePlace>(row.place), name,
                                               type, text, why, row.node));
  }
  std::vector<Offset<wire::Hook>> hooks;
  for (const checkpoint::HookRow& row : description.hooks) {
    const auto dictionary = builder.CreateString(row.dictionary);
    const auto kind = builder.CreateString(row.kind);
    const auto callable = builder.CreateString(row.callable);
    hooks.push_back(wire::CreateHook(builder, dictionary, kind, row.id, callable, row.with_kwargs, row.always_call));
  }
  std::vector<Offset<flatbuffers::String>> mro;
  for (const std::string& name : description.mro) mro.push_back(builder.CreateString(name));
  const auto class_name = builder.CreateString(description.class_name);
  const auto repr = builder.CreateString(description.repr);
  const auto mro_column = builder.CreateVector(mro);
  const auto attribute_column = builder.CreateVector(attributes);
  const auto hook_column = builder.CreateVector(hooks);
  const auto also_at = builder.CreateVector(description.also_at);
  return live::finish_message(
      builder, wire::CreateObjectDetails(builder, key.request, key.document, key.subject, class_name,
                                         description.inferred, description.is_module, description.training, repr,
                                         mro_column, attribute_column, hook_column, also_at));
}

namespace {

Offset<wire::TensorStatistics> create_statistics(FlatBufferBuilder& builder, const AnswerKey& key,
                                                 const checkpoint::TensorStatistics& found) {
  const auto histogram = builder.CreateVector(found.histogram);
  const auto quantile_at = builder.CreateVector(found.quantile_at);
  const auto quantiles = builder.CreateVector(found.quantiles);
  return wire::CreateTensorStatistics(builder, key.request, key.document, key.subject, found.count, found.nan,
                                      found.pos_inf, found.neg_inf, found.zeros, found.sum, found.is_integer,
                                      found.sum_integer, found.min, found.max, found.mean, found.std, found.absmax,
                                      found.first_nan, found.first_inf, found.histogram_low, found.histogram_high,
                                      histogram, quantile_at, quantiles, found.quantile_error, found.sum_imaginary,
                                      found.rows, found.columns, found.dead_rows, found.dead_columns, found.outliers);
}

}  // namespace

live::Bytes tensor_statistics(const AnswerKey& key, const checkpoint::TensorStatistics& found) {
  FlatBufferBuilder builder(4096);
  return live::finish_message(builder, create_statistics(builder, key, found));
}

live::Bytes view_statistics(const AnswerKey& key, const checkpoint::TensorStatistics& found) {
  FlatBufferBuilder builder(4096);
  return live::finish_message(builder,
                              wire::CreateViewStatistics(builder, key.request, create_statistics(builder, key, found)));
}

live::Bytes value_found(const AnswerKey& key, std::optional<std::uint64_t> at) {
  FlatBufferBuilder builder(64);
  return live::finish_message(
      builder, wire::CreateValueFound(builder, key.request, key.document, key.subject, at.has_value(), at.value_or(0)));
}

live::Bytes values(const AnswerKey& key, const checkpoint::HeatRegion& region, std::string_view text,
                   std::span<const std::uint32_t> offsets) {
  FlatBufferBuilder builder(text.size() + offsets.size() * 4 + 256);
  const auto bytes = builder.CreateVector(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  const auto column = builder.CreateVector(offsets.data(), offsets.size());
  return live::finish_message(
      builder, wire::CreateValues(builder, key.request, key.document, key.subject, region.row_begin, region.row_end,
                                  region.column_begin, region.column_end, bytes, column));
}

live::Bytes model_statistics(const AnswerKey& key, std::span<const wire::TensorNumbers> tensors) {
  FlatBufferBuilder builder(tensors.size_bytes() + 256);
  const auto rows = builder.CreateVectorOfStructs(tensors.data(), tensors.size());
  return live::finish_message(builder, wire::CreateModelStatistics(builder, key.request, key.document, rows));
}

live::Bytes heat_tile(const AnswerKey& key, const checkpoint::HeatTile& tile, const checkpoint::MatrixSize& size,
                      bool for_file) {
  FlatBufferBuilder builder(tile.mean.size() * (for_file ? 4 : 12) + 256);
  const std::vector<float> none;
  const auto mean = builder.CreateVector(tile.mean);
  const auto low = builder.CreateVector(for_file ? none : tile.low);
  const auto high = builder.CreateVector(for_file ? none : tile.high);
  const checkpoint::HeatRegion& region = tile.region;
  return live::finish_message(
      builder, wire::CreateHeatTile(builder, key.request, key.document, key.subject, region.row_begin, region.row_end,
                                    region.column_begin, region.column_end, region.width, region.height, size.rows,
                                    size.columns, tile.sampled, mean, low, high, for_file));
}

live::Bytes tensor_facts(const AnswerKey& key, Checkpoint& document) {
  const TensorEntry& entry = document.tensors[key.subject];
  FlatBufferBuilder builder;
  const std::string_view full_name = document.name(entry);
  const std::string_view dtype_name = document.dtype_name(entry);
  checkpoint::Storage storage;
  storage.located = false;
  std::string file;
  std::vector<std::uint32_t> shares_with;
  if (entry.storage != kNone) {
    storage = document.storages[entry.storage];
    if (has_values(document, entry)) {
      // A member whose place cannot be told (it is compressed) still has values.
      if (auto located = document.locate(entry.storage); located.ok()) {
        storage = std::move(located).value();
      } else {
        storage.located = false;
      }
    }
    if (storage.file < document.files.size()) file = document.files[storage.file].name;
    for (std::uint32_t other = 0; other < document.tensors.size(); ++other) {
      if (other != key.subject && document.tensors[other].storage == entry.storage) shares_with.push_back(other);
    }
  }
  const auto name = builder.CreateString(full_name.data(), full_name.size());
  const auto dtype = builder.CreateString(dtype_name.data(), dtype_name.size());
  const auto sizes = document.shape(entry);
  const auto strides = document.stride(entry);
  const auto shape = builder.CreateVector(sizes.data(), sizes.size());
  const auto stride = builder.CreateVector(strides.data(), strides.size());
  const auto device = builder.CreateString(storage.device);
  const auto file_name = builder.CreateString(file);
  const auto shares = builder.CreateVector(shares_with);
  return live::finish_message(
      builder, wire::CreateTensorFacts(builder, key.request, key.document, key.subject, name, dtype, shape, stride,
                                       entry.storage_offset, entry.numel, entry.nbytes, entry.is_parameter,
                                       entry.requires_grad, device, has_values(document, entry), file_name,
                                       storage.located, storage.offset, storage.nbytes, entry.storage, shares));
}

}  // namespace nns::session
