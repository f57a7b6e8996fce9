#include "core/session/training_messages.h"

#include <algorithm>
#include <cmath>

#include "core/live/training_commands.h"
#include "core/object/str.h"
#include "core/train/recipes.h"

namespace nns::session {

namespace wire = live::wire;
using flatbuffers::FlatBufferBuilder;
using live::finish_message;

namespace {

wire::TrainingState state_of(train::Training::State state) { return static_cast<wire::TrainingState>(state); }

template <class T, class Row, class Take>
flatbuffers::Offset<flatbuffers::Vector<T>> column(FlatBufferBuilder& builder, std::span<const Row> rows, Take take) {
  std::vector<T> values;
  values.reserve(rows.size());
  for (const Row& row : rows) values.push_back(static_cast<T>(take(row)));
  return builder.CreateVector(values);
}

wire::Moments moments_of(const train::FoundMoments& found) {
  const ops::Moments& m = found.moments;
  const bool is_empty = m.finite() == 0;
  const double none = std::numeric_limits<double>::quiet_NaN();
  return {m.count,
          m.nan,
          m.infinite,
          m.zeros,
          is_empty ? none : m.mean(),
          m.deviation(),
          is_empty ? none : m.low,
          is_empty ? none : m.high,
          m.absmax(),
          m.norm(),
          found.of,
          found.subject};
}

}  // namespace

base::Error training_refused(std::string found, std::string expected) {
  return {.found = std::move(found), .expected = std::move(expected), .where = "training", .offset = std::nullopt};
}

namespace {

/// What the groups of the last step's learning rates are called, and how many parameters each has.
struct Groups {
  std::vector<std::string> names;
  std::vector<std::uint32_t> sizes;
};
Groups groups_of(train::Training& training) {
  Groups found;
  const auto& optimizers = training.watch().optimizers();
  for (const train::Ref<optim::Optimizer>& optimizer : optimizers) {
    const auto groups = optimizer->param_groups();
    if (!groups.ok()) continue;
    const std::size_t count = groups.value()->items().size();
    for (std::size_t at = 0; at < count; ++at) {
      const train::Value entry = groups.value()->items()[at];
      auto* const group = entry.as<object::Dict>();
      std::string name;
      std::size_t size = 0;
      if (group != nullptr) {
        object::Interpreter& in = optimizer->interpreter();
        const train::Value* const given = group->find(in.intern("name"));
        const auto* const text = given == nullptr ? nullptr : given->as<object::Str>();
        if (text != nullptr) name = std::string(text->view());
        if (const auto params = optim::params_of(in, *group); params.ok()) size = params.value()->items().size();
      }
      if (name.empty() && count > 1) name = fmt::format("group {}", at);
      if (optimizers.size() > 1) name = fmt::format("{}{}{}", optimizer->type().name(), name.empty() ? "" : " ", name);
      found.names.push_back(std::move(name));
      found.sizes.push_back(static_cast<std::uint32_t>(size));
    }
  }
  const std::size_t told = training.last_step().learning_rates.size();
  found.names.resize(told);
  found.sizes.resize(told);
  return found;
}

}  // namespace

live::Bytes training_state(std::uint32_t document, train::Training& training, const TrainingPace& pace,
                           std::uint32_t series_left_out) {
  FlatBufferBuilder builder(512);
  const train::TrainingOptions& options = training.options();
  const train::StepReport& last = training.last_step();
  const bool is_kept = training.files() != nullptr && !training.files()->is_in_memory();
  const auto title = builder.CreateString(options.title);
  const auto recipe = builder.CreateString(options.recipe);
  const auto device = builder.CreateString(options.device);
  const auto folder = builder.CreateString(is_kept ? training.files()->folder() : std::string());
  const auto all_settings = live::create_settings(builder, options.settings);
  const auto rates = builder.CreateVector(last.learning_rates);
  const auto rate_of = builder.CreateVector(last.learning_rate_of);
  const Groups groups = groups_of(training);
  const auto group_names = builder.CreateVectorOfStrings(groups.names);
  const auto group_sizes = builder.CreateVector(groups.sizes);
  flatbuffers::Offset<wire::Problem> problem;
  if (training.problem()) problem = live::create_problem(builder, *training.problem());
  const train::Training::Memory memory = training.memory();
  wire::TrainingBuilder told(builder);
  told.add_document(document);
  told.add_title(title);
  told.add_recipe(recipe);
  told.add_state(state_of(training.state()));
  told.add_device(device);
  told.add_run_folder(folder);
  told.add_settings(all_settings);
  told.add_started(pace.started);
  told.add_seconds(training.seconds());
  told.add_steps(training.watch().steps());
  told.add_epochs(training.watch().epochs());
  told.add_epoch(training.watch().epoch());
  told.add_total_steps(training.total_steps);
  told.add_total_epochs(training.total_epochs);
  told.add_samples(training.samples());
  told.add_steps_per_second(pace.steps_per_second);
  told.add_samples_per_second(pace.samples_per_second);
  told.add_loss(last.loss);
  told.add_learning_rates(rates);
  told.add_learning_rate_of(rate_of);
  told.add_watch_share(static_cast<float>(pace.watch_share));
  told.add_bytes(memory.now);
  told.add_peak_bytes(memory.most);
  told.add_model_bytes(memory.model);
  told.add_gradient_bytes(memory.gradients);
  told.add_optimizer_bytes(memory.optimizers);
  told.add_group_names(group_names);
  told.add_group_sizes(group_sizes);
  told.add_series_left_out(series_left_out);
  told.add_checkpoint_step(training.checkpoints().empty() ? 0 : training.checkpoints().back().step);
  told.add_checkpoint_steps_between(options.checkpoint_every);
  if (training.problem()) told.add_problem(problem);
  return finish_message(builder, told.Finish());
}

live::Bytes training_modules(std::uint32_t document, const train::ModuleTable& table) {
  FlatBufferBuilder builder(4096);
  std::vector<std::uint32_t> parent, tensor_module, tensor_optimizer;
  std::vector<std::string> path, class_name, tensor_path, tensor_shape, devices;
  std::vector<std::uint64_t> numel;
  std::vector<std::uint8_t> trainable;
  for (const train::ModuleTable::Module& row : table.modules()) {
    parent.push_back(row.parent);
    path.push_back(row.path);
    class_name.push_back(row.class_name);
  }
  for (const train::ModuleTable::Parameter& row : table.tensors()) {
    tensor_module.push_back(row.module);
    tensor_path.push_back(row.path);
    std::string shape;
    for (const std::int64_t size : row.tensor->shape()) shape += (shape.empty() ? "" : " × ") + std::to_string(size);
    tensor_shape.push_back(shape);
    numel.push_back(static_cast<std::uint64_t>(row.tensor->numel()));
    trainable.push_back(static_cast<std::uint8_t>(row.tensor->requires_grad()));
    tensor_optimizer.push_back(row.optimizer);
    devices.emplace_back(tensor::device_name(row.tensor->device()));
  }
  const auto parents = builder.CreateVector(parent);
  const auto paths = builder.CreateVectorOfStrings(path);
  const auto classes = builder.CreateVectorOfStrings(class_name);
  const auto modules = builder.CreateVector(tensor_module);
  const auto tensor_paths = builder.CreateVectorOfStrings(tensor_path);
  const auto shapes = builder.CreateVectorOfStrings(tensor_shape);
  const auto numels = builder.CreateVector(numel);
  const auto trainables = builder.CreateVector(trainable);
  const auto optimizers = builder.CreateVector(tensor_optimizer);
  const auto all_devices = builder.CreateVectorOfStrings(devices);
  return finish_message(
      builder, wire::CreateTrainingModules(builder, document, table.version(), parents, paths, classes, modules,
                                           tensor_paths, shapes, numels, trainables, optimizers, all_devices));
}

live::Bytes training_checkpoints(std::uint32_t document, std::span<const train::SavedCheckpoint> checkpoints) {
  FlatBufferBuilder builder(512);
  std::vector<flatbuffers::Offset<wire::TrainingCheckpoint>> told;
  for (const train::SavedCheckpoint& one : checkpoints) {
    const auto name = builder.CreateString(one.name);
    told.push_back(wire::CreateTrainingCheckpoint(builder, one.step, name, one.bytes, one.seconds));
  }
  return finish_message(builder, wire::CreateTrainingCheckpoints(builder, document, builder.CreateVector(told)));
}

live::Bytes training_numbers(std::uint32_t document, const train::StepReport& step) {
  FlatBufferBuilder builder(1024 + step.moments.size() * sizeof(wire::Moments));
  std::vector<wire::ModuleTimes> times;
  for (const train::ModuleTimes& one : step.times) {
    if (one.calls > 0) {
      times.emplace_back(one.forward_ns, one.backward_ns, one.output_bytes, one.module, one.calls);
    }
  }
  std::vector<wire::Moments> moments;
  for (const train::FoundMoments& found : step.moments) moments.push_back(moments_of(found));
  const auto all_times = builder.CreateVectorOfStructs(times);
  const auto all_moments = builder.CreateVectorOfStructs(moments);
  return finish_message(
      builder, wire::CreateTrainingNumbers(builder, document, step.table_version, step.step, all_times, all_moments));
}

live::Bytes training_histogram(std::uint32_t document, const train::StepReport& step,
                               const train::FoundHistogram& found) {
  FlatBufferBuilder builder(512);
  const ops::SampledHistogram& histogram = found.histogram;
  const auto counts = builder.CreateVector(histogram.counts);
  return finish_message(builder, wire::CreateTrainingHistogram(builder, document, step.table_version, step.step,
                                                               found.of, found.subject, histogram.low, histogram.high,
                                                               counts, 0, 0, histogram.sampled, found.count));
}

live::Bytes training_timeline(std::uint32_t document, const train::StepReport& step) {
  FlatBufferBuilder builder(1024 + step.spans.size() * sizeof(wire::Span));
  std::vector<wire::Span> spans;
  for (const train::Span& one : step.spans) {
    wire::SpanKind kind = wire::SpanKind::ModuleBackward;
    if (one.kind == train::Span::Kind::Phase) kind = static_cast<wire::SpanKind>(one.phase);
    if (one.kind == train::Span::Kind::ModuleForward) kind = wire::SpanKind::ModuleForward;
    spans.emplace_back(one.begin_ns, one.end_ns, one.module, kind, one.depth);
  }
  const auto all = builder.CreateVectorOfStructs(spans);
  return finish_message(builder, wire::CreateTrainingTimeline(builder, document, step.table_version, step.step, all,
                                                              step.spans_left_out));
}

live::Bytes training_alert(std::uint32_t document, const train::StepReport& step, const std::string& text,
                           bool is_paused) {
  FlatBufferBuilder builder(256);
  const train::NotFinite& found = step.not_finite;
  const auto path =
      builder.CreateString(found.rank < 0 ? found.path : fmt::format("{} on rank {}", found.path, found.rank));
  const auto op = builder.CreateString(found.op);
  const auto what = builder.CreateString(found.is_nan ? "NaN" : "Inf");
  const auto said = builder.CreateString(text);
  const auto file = builder.CreateString(found.place.file);
  return finish_message(builder, wire::CreateTrainingAlert(builder, document, step.step, found.module, path, op, what,
                                                           static_cast<wire::SpanKind>(found.phase), said, file,
                                                           found.place.line, is_paused, found.is_op_about));
}

live::Bytes training_steps(std::uint32_t document, std::span<const StepRow> rows, bool is_restart,
                           std::uint64_t left_out) {
  FlatBufferBuilder builder(1024);
  const auto phase = [&](train::Phase which) {
    return column<std::uint64_t>(builder, rows,
                                 [&](const StepRow& row) { return row.phase_ns[static_cast<std::size_t>(which)]; });
  };
  const auto step = column<std::uint64_t>(builder, rows, [](const StepRow& row) { return row.step; });
  const auto seconds = column<double>(builder, rows, [](const StepRow& row) { return row.seconds; });
  const auto loss = column<double>(builder, rows, [](const StepRow& row) { return row.loss; });
  const auto rate = column<double>(builder, rows, [](const StepRow& row) { return row.learning_rate; });
  std::size_t most = 0;
  for (const StepRow& row : rows) most = std::max(most, row.more_rates.size());
  std::vector<double> others;
  for (std::size_t group = 0; group < most; ++group) {
    for (const StepRow& row : rows) {
      others.push_back(group < row.more_rates.size() ? row.more_rates[group]
                                                     : std::numeric_limits<double>::quiet_NaN());
    }
  }
  flatbuffers::Offset<flatbuffers::Vector<double>> more_rates;
  if (!others.empty()) more_rates = builder.CreateVector(others);
  const auto samples = column<std::uint32_t>(builder, rows, [](const StepRow& row) { return row.samples; });
  const auto data = phase(train::Phase::Data), forward = phase(train::Phase::Forward);
  const auto backward = phase(train::Phase::Backward), optimizer = phase(train::Phase::Optimizer);
  const auto other = phase(train::Phase::Other), watch = phase(train::Phase::Watch);
  const auto norm = column<double>(builder, rows, [](const StepRow& row) { return row.gradient_norm; });
  return finish_message(
      builder, wire::CreateTrainingSteps(builder, document, is_restart, left_out, step, seconds, loss, rate, samples,
                                         data, forward, backward, optimizer, other, watch, norm, more_rates));
}

live::Bytes training_scalars(std::uint32_t document, const std::string& name, bool is_evaluation,
                             std::span<const ScalarPoint> points, bool is_restart) {
  FlatBufferBuilder builder(512);
  const auto shown = builder.CreateString(name);
  const auto step = column<std::uint64_t>(builder, points, [](const ScalarPoint& point) { return point.step; });
  const auto seconds = column<double>(builder, points, [](const ScalarPoint& point) { return point.seconds; });
  const auto value = column<double>(builder, points, [](const ScalarPoint& point) { return point.value; });
  const auto kind = is_evaluation ? wire::ScalarKind::Evaluation : wire::ScalarKind::Metric;
  return finish_message(builder,
                        wire::CreateTrainingScalars(builder, document, is_restart, shown, kind, step, seconds, value));
}

live::Bytes training_log(std::uint32_t document, std::span<const LogRow> rows, bool is_restart,
                         std::uint64_t left_out) {
  FlatBufferBuilder builder(512);
  std::vector<flatbuffers::Offset<wire::LogLine>> lines;
  for (const LogRow& row : rows) {
    const auto text = builder.CreateString(row.text);
    lines.push_back(wire::CreateLogLine(builder, row.step, row.seconds, static_cast<wire::LogLevel>(row.level), text));
  }
  return finish_message(builder,
                        wire::CreateTrainingLog(builder, document, is_restart, left_out, builder.CreateVector(lines)));
}

namespace {

constexpr std::uint64_t kMostCells = 1U << 18U;

/// Cells of a picture, row by row; of tiles how large each is.
struct Picture {
  std::uint64_t rows = 0, columns = 0;  // of what is shown
  std::uint64_t height = 0, width = 0;
  std::vector<float> cells;
  std::uint64_t tile_rows = 0, tile_columns = 0, tiles = 0, left_out = 0;
};

// The mean of each part of a matrix, to `cells`, whose rows are `stride` apart.
void reduce_matrix(const float* values, std::uint64_t rows, std::uint64_t columns, float* cells, std::uint64_t high,
                   std::uint64_t wide, std::uint64_t stride) {
  for (std::uint64_t y = 0; y < high; ++y) {
    for (std::uint64_t x = 0; x < wide; ++x) {
      double sum = 0;
      const std::uint64_t top = y * rows / high, bottom = (y + 1) * rows / high;
      const std::uint64_t left = x * columns / wide, right = (x + 1) * columns / wide;
      for (std::uint64_t row = top; row < bottom; ++row) {
        for (std::uint64_t at = left; at < right; ++at) sum += static_cast<double>(values[row * columns + at]);
      }
      cells[y * stride + x] = static_cast<float>(sum / static_cast<double>((bottom - top) * (right - left)));
    }
  }
}

Picture matrix_picture(const float* values, std::uint64_t rows, std::uint64_t columns, std::uint64_t width,
                       std::uint64_t height) {
  Picture picture{.rows = rows, .columns = columns, .cells = {}};
  picture.width = std::clamp<std::uint64_t>(width, 1, std::min(columns, kMostCells));
  picture.height =
      std::clamp<std::uint64_t>(height, 1, std::min(rows, std::max<std::uint64_t>(kMostCells / picture.width, 1)));
  picture.cells.resize(static_cast<std::size_t>(picture.width * picture.height));
  reduce_matrix(values, rows, columns, picture.cells.data(), picture.height, picture.width, picture.width);
  return picture;
}

// `lines` lines of `across` matrices with one cell between them; what does not fit is left out. Matrices of more cells
// than a filter has are reduced so that all fit.
Picture tiled_picture(const float* values, std::uint64_t lines, std::uint64_t across, std::uint64_t rows,
                      std::uint64_t columns, std::uint64_t width, std::uint64_t height) {
  constexpr std::uint64_t kSide = 512, kFilter = 16;
  static_assert(kSide * kSide <= kMostCells);
  const std::uint64_t all = lines * across;
  // One line is wrapped to a square.
  if (across == 1) {
    across = static_cast<std::uint64_t>(std::ceil(std::sqrt(static_cast<double>(all))));
    lines = (all + across - 1) / across;
  }
  const auto fitting = [&](std::uint64_t size, std::uint64_t room, std::uint64_t count) {
    return std::clamp<std::uint64_t>(room / count, std::min(size, kFilter), size);
  };
  Picture picture;
  picture.tile_rows = fitting(rows, std::clamp<std::uint64_t>(height, 1, kSide), lines);
  picture.tile_columns = fitting(columns, std::clamp<std::uint64_t>(width, 1, kSide), across);
  const std::uint64_t seen_across = std::min(across, (kSide + 1) / (picture.tile_columns + 1));
  const std::uint64_t seen_lines = std::min(lines, (kSide + 1) / (picture.tile_rows + 1));
  picture.width = picture.columns = seen_across * (picture.tile_columns + 1) - 1;
  picture.height = picture.rows = seen_lines * (picture.tile_rows + 1) - 1;
  picture.cells.assign(static_cast<std::size_t>(picture.width * picture.height),
                       std::numeric_limits<float>::infinity());
  for (std::uint64_t line = 0; line < seen_lines; ++line) {
    for (std::uint64_t column = 0; column < seen_across && line * across + column < all; ++column) {
      float* const corner =
          picture.cells.data() + line * (picture.tile_rows + 1) * picture.width + column * (picture.tile_columns + 1);
      reduce_matrix(values + (line * across + column) * rows * columns, rows, columns, corner, picture.tile_rows,
                    picture.tile_columns, picture.width);
      ++picture.tiles;
    }
  }
  picture.left_out = all - picture.tiles;
  return picture;
}

}  // namespace

std::optional<live::Bytes> training_values(std::uint32_t document, std::uint32_t version, std::uint32_t id,
                                           std::uint64_t step, std::uint32_t of, std::uint32_t subject,
                                           const tensor::Tensor& given, std::uint32_t width, std::uint32_t height) {
  if (given.is_meta() || given.is_uninitialized() || given.numel() == 0 || tensor::is_complex(given.dtype()))
    return std::nullopt;
  const auto here = tensor::on_host(given);
  if (!here.ok()) return std::nullopt;
  const tensor::Ref<tensor::Tensor> floats = tensor::empty(given.interpreter(), given.shape(), tensor::DType::Float32);
  if (!tensor::copy_items(*floats, *here.value()).ok()) return std::nullopt;
  const auto* values = reinterpret_cast<const float*>(floats->data());
  const auto size = [&](std::size_t axis) { return static_cast<std::uint64_t>(given.shape()[axis]); };
  const std::size_t ndim = given.ndim();
  const bool is_attention = subject == train::subject::kAttention && ndim >= 2;
  Picture picture;
  if (is_attention) {
    const std::uint64_t heads = ndim == 2 ? 1 : size(ndim - 3);
    picture = tiled_picture(values, heads, 1, size(ndim - 2), size(ndim - 1), width, height);
  } else if (ndim == 4 && size(2) * size(3) > 1) {
    picture = tiled_picture(values, size(0), size(1), size(2), size(3), width, height);
  } else {
    const std::uint64_t rows = ndim < 2 ? 1 : size(0);
    picture = matrix_picture(values, rows, static_cast<std::uint64_t>(given.numel()) / rows, width, height);
  }
  FlatBufferBuilder builder(256 + picture.cells.size() * sizeof(float));
  const auto all = builder.CreateVector(picture.cells);
  return finish_message(
      builder, wire::CreateTrainingValues(
                   builder, document, version, id, step, of, subject, picture.rows, picture.columns,
                   static_cast<std::uint32_t>(picture.height), static_cast<std::uint32_t>(picture.width), all,
                   static_cast<std::uint32_t>(picture.tile_rows), static_cast<std::uint32_t>(picture.tile_columns),
                   static_cast<std::uint32_t>(picture.tiles), static_cast<std::uint32_t>(picture.left_out)));
}

live::Bytes tensor_history(std::uint32_t document, std::uint32_t version, std::uint32_t id, std::uint32_t tensor,
                           std::span<const TouchRow> touches) {
  FlatBufferBuilder builder(256);
  std::vector<wire::Touch> told;
  const auto kind_of = [](train::FoundTouch::Kind kind) {
    using Kind = train::FoundTouch::Kind;
    switch (kind) {
      case Kind::Cleared:
        return wire::TouchKind::Cleared;
      case Kind::Hook:
        return wire::TouchKind::Hook;
      case Kind::Loaded:
        return wire::TouchKind::Loaded;
      case Kind::Gradient:
        return wire::TouchKind::Gradient;
      case Kind::Write:
        return wire::TouchKind::Write;
    }
    return wire::TouchKind::Write;
  };
  for (const auto& [step, touch] : touches) told.emplace_back(step, touch.norm, touch.absmax, 0, kind_of(touch.kind));
  const auto all = builder.CreateVectorOfStructs(told);
  return finish_message(builder, wire::CreateTensorHistory(builder, document, version, id, tensor, all));
}

live::Bytes training_subscribed(std::uint64_t request, std::uint32_t document, std::uint32_t id, std::size_t modules,
                                std::size_t tensors, std::uint32_t every, float most_per_second, float cost) {
  FlatBufferBuilder builder(64);
  return finish_message(
      builder, wire::CreateTrainingSubscribed(builder, request, document, id, static_cast<std::uint32_t>(modules),
                                              static_cast<std::uint32_t>(tensors), every, most_per_second, cost));
}

live::Bytes recipe_list() {
  FlatBufferBuilder builder(1024);
  std::vector<flatbuffers::Offset<wire::Recipe>> recipes;
  for (const train::Recipe& recipe : train::recipes()) {
    const auto name = builder.CreateString(recipe.name.data(), recipe.name.size());
    const auto title = builder.CreateString(recipe.title.data(), recipe.title.size());
    const auto about = builder.CreateString(recipe.about.data(), recipe.about.size());
    const auto data = builder.CreateString(recipe.data.data(), recipe.data.size());
    std::vector<flatbuffers::Offset<wire::RecipeSetting>> settings;
    for (const train::RecipeSetting& setting : train::recipe_settings(train::recipe_text(recipe)))
      settings.push_back(
          wire::CreateRecipeSettingDirect(builder, setting.key.c_str(), setting.type.c_str(), setting.value.c_str()));
    std::vector<flatbuffers::Offset<flatbuffers::String>> files;
    for (const std::string_view file : recipe.data_files)
      files.push_back(builder.CreateString(file.data(), file.size()));
    const auto all_settings = builder.CreateVector(settings);
    const auto all_files = builder.CreateVector(files);
    recipes.push_back(
        wire::CreateRecipe(builder, name, title, about, data, all_settings, recipe.needs_data, all_files));
  }
  return finish_message(builder, wire::CreateRecipes(builder, builder.CreateVector(recipes)));
}

}  // namespace nns::session
