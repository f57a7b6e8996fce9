#include "native/cli/export_command.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <thread>
#include <utility>

#include "core/live/endpoint.h"
#include "core/live/mirror.h"
#include "core/session/host.h"
#include "native/cli/document.h"
#include "native/cli/exit_status.h"
#include "native/cli/progress.h"
#include "native/cli/stop_on_signal.h"
#include "native/cli/tensor_option.h"
#include "native/host/file_save.h"
#include "ui/app/fonts_setup.h"
#include "ui/app/requests.h"
#include "ui/app/tensor_exports.h"
#include "ui/exports/picture.h"
#include "ui/panels/comparison_panel.h"
#include "ui/panels/matrix_map.h"

namespace nns::cli {

namespace {

namespace fs = std::filesystem;
using exports::Export;

/// What is opened by its name.
class NamedSources final : public session::SourceProvider {
 public:
  std::optional<base::Result<Opened>> open(std::uint64_t, const std::string& input, const std::string&) override {
    auto file = open_input(input, client_);
    if (!file.ok()) return std::move(file).error();
    return Opened{std::move(file->source), std::move(file->siblings)};
  }

 private:
  std::shared_ptr<host::HttpClient> client_ = std::make_shared<host::HttpClient>();
};

/// A Host and what it told, in this thread.
class Session {
 public:
  Session() {
    auto [viewer, host] = live::make_queue({}, {});
    requests_ = std::make_unique<app::Requests>(std::move(viewer));
    host_ = std::make_unique<session::Host>(std::move(host), std::make_shared<NamedSources>(), session::Abilities{});
  }

  base::Result<void> run() {
    const bool has_more = host_->run(base::Budget(kSlice));
    while (auto message = requests_->receive()) NNS_TRY(mirror.apply(std::move(*message)));
    if (!has_more && host_->waiting()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return {};
  }

  base::Result<std::shared_ptr<const live::DocumentView>> open(const std::string& input, const Terminal& terminal) {
    const std::uint64_t request = requests_->open_source(++sources_, input, {});
    ProgressLine line(terminal, "reading", input);
    const std::size_t before = mirror.documents().size();
    while (mirror.documents().size() == before) {
      if (StopOnSignal::stopped()) return base::Error{"stopped", {}, input, std::nullopt};
      NNS_TRY(run());
      const auto job = mirror.jobs().find(request);
      if (job == mirror.jobs().end()) continue;
      if (job->second.error) return *job->second.error;
      line.show(job->second.done, job->second.total);
    }
    return mirror.documents().back();
  }

  /// Of the part; nothing after Ctrl+C.
  base::Result<const live::wire::TensorStatistics*> statistics(std::uint32_t document, std::uint32_t tensor,
                                                               const base::TensorSlice& slice, const std::string& name,
                                                               const Terminal& terminal) {
    const std::uint64_t request = requests_->inspect_view(document, tensor, slice);
    ProgressLine line(terminal, "reading", name);
    while (!StopOnSignal::stopped()) {
      NNS_TRY(run());
      if (const auto job = mirror.jobs().find(request); job != mirror.jobs().end()) {
        if (job->second.error) return *job->second.error;
        line.show(job->second.done, job->second.total);
      }
      if (const auto* told = mirror.view_statistics(request); told != nullptr) return told;
    }
    return nullptr;
  }

  /// Of B minus A, whose tensors `compared.part_a` and `part_b` are. Nothing after Ctrl+C. Errors: shapes that differ,
  /// values that cannot be read.
  base::Result<const live::wire::Difference*> difference(const live::Compared& compared, const std::string& name,
                                                         const Terminal& terminal) {
    const std::uint64_t request = requests_->diff(
        {.a = compared.a, .b = compared.b, .with_values = true, .part_a = compared.part_a, .part_b = compared.part_b});
    ProgressLine line(terminal, "comparing", name);
    while (!StopOnSignal::stopped()) {
      NNS_TRY(run());
      const auto view = mirror.comparison(compared);
      if (view != nullptr && view->row_count() > 0 && view->state(0) == live::ValueState::Unreadable)
        return base::Error{std::string(view->problem(0)), "tensors whose values can be subtracted", name, std::nullopt};
      if (view != nullptr && view->row_count() > 0 && view->values(0) != nullptr) return view->values(0);
      const auto job = mirror.jobs().find(request);
      if (job == mirror.jobs().end()) continue;
      if (job->second.error) return *job->second.error;
      if (job->second.state == live::wire::JobState::Finished)
        return base::Error{"tensors that are not compared value by value", "two of one shape, with values", name,
                           std::nullopt};
      line.show(job->second.done, job->second.total);
    }
    return nullptr;
  }

  /// Of every tensor, into the mirror; those that were computed before Ctrl+C.
  base::Result<void> numbers(const live::DocumentView& document, const Terminal& terminal) {
    const std::uint64_t request = requests_->model_statistics(document.id(), 0);
    ProgressLine line(terminal, "reading", std::string(document.title()));
    while (!StopOnSignal::stopped() && mirror.numbers(document.id()).size() < document.tensor_count()) {
      NNS_TRY(run());
      const auto job = mirror.jobs().find(request);
      if (job == mirror.jobs().end()) continue;
      if (job->second.error) return *job->second.error;
      if (job->second.state == live::wire::JobState::Finished) break;
      line.show(job->second.done, job->second.total);
    }
    return {};
  }

  app::Requests& requests() { return *requests_; }
  live::Mirror mirror;

 private:
  std::uint64_t sources_ = 0;
  std::unique_ptr<app::Requests> requests_;
  std::unique_ptr<session::Host> host_;
};

/// The typefaces of pictures, without a window.
class Typefaces {
 public:
  Typefaces() {
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
    io.DisplaySize = ImVec2(64, 64);
    io.DeltaTime = 1;
    fonts = app::add_fonts();
    ImGui::NewFrame();
  }
  ~Typefaces() {
    ImGui::EndFrame();
    for (ImTextureData* texture : ImGui::GetPlatformIO().Textures) texture->SetStatus(ImTextureStatus_Destroyed);
    ImGui::DestroyContext();
  }
  Typefaces(const Typefaces&) = delete;
  Typefaces& operator=(const Typefaces&) = delete;
  widgets::Fonts fonts;
};

base::Result<std::uint32_t> find_tensor(const live::DocumentView& document, const std::string& name) {
  for (std::uint32_t tensor = 0; tensor < document.tensor_count(); ++tensor) {
    const std::uint32_t row = document.node(tensor);
    if (row != live::kNone && is_called(document.path(row), name)) return tensor;
  }
  // A further name of a tensor that two modules share is a row without being its first.
  for (std::uint32_t row = 0; row < document.row_count(); ++row) {
    if (document.tensor(row) != live::kNone && is_called(document.path(row), name)) return document.tensor(row);
  }
  return base::Error{fmt::format("no tensor is called \"{}\"", name), "a name as `nnscope inspect --json` prints it",
                     std::string(document.title()), std::nullopt};
}

exports::PictureLook picture_look(const ExportOptions& options, std::optional<Typefaces>& typefaces) {
  typefaces.emplace();
  exports::PictureLook look;
  look.theme = options.is_dark ? &widgets::dark_theme() : &widgets::light_theme();
  look.fonts = typefaces->fonts;
  look.width = options.width;
  look.height = options.height;
  if (options.metric == "bytes") look.metric = model::TreemapMetric::Bytes;
  if (options.colour == "dtype") look.colour = model::TreemapColour::Dtype;
  if (options.colour == "class") look.colour = model::TreemapColour::Class;
  if (options.colour == "std") look.colour = model::TreemapColour::Std;
  if (options.colour == "zeros") look.colour = model::TreemapColour::Zeros;
  if (options.colour == "absmax") look.colour = model::TreemapColour::AbsMax;
  return look;
}

std::unique_ptr<Export> make_picture_file(const std::string& format, std::unique_ptr<exports::Picture> picture,
                                          const exports::PictureLook& look) {
  if (format == "pdf") return exports::make_pdf(std::move(picture));
  return format == "svg" ? exports::make_svg(std::move(picture), look.fonts.strong)
                         : exports::make_png(std::move(picture));
}

/// "-0.5:0.5" into its ends.
std::optional<model::TypedRange> typed_range(const std::string& text) {
  const std::size_t colon = text.find(':');
  const auto number = [](const std::string& digits) -> std::optional<double> {
    char* end = nullptr;
    const double value = std::strtod(digits.c_str(), &end);
    if (digits.empty() || *end != 0 || !std::isfinite(value)) return std::nullopt;
    return value;
  };
  if (colon == std::string::npos) return std::nullopt;
  const model::TypedRange range{number(text.substr(0, colon)), number(text.substr(colon + 1))};
  if (!range.low || !range.high || *range.low >= *range.high) return std::nullopt;
  return range;
}

/// With the range of its colours.
base::Result<exports::HeatSubject> describe_part(const ExportOptions& options, Session& session,
                                                 exports::HeatSubject subject, const Terminal& terminal) {
  const live::DocumentView& document = *subject.document;
  for (const std::int64_t size : base::slice_shape(subject.slice)) {
    if (size == 0)
      return base::Error{"a part without values", "a picture has at least one", options.tensor, std::nullopt};
  }
  const auto typed = typed_range(options.range);
  const auto mode = typed                          ? model::RangeMode::Typed
                    : options.range == "symmetric" ? model::RangeMode::Symmetric
                    : options.range == "full"      ? model::RangeMode::Full
                                                   : model::RangeMode::Percentile;
  if (!typed && mode == model::RangeMode::Percentile && options.range != "1-99") {
    return base::Error{fmt::format("--range {}", options.range), "symmetric, full, 1-99 or LOW:HIGH", {}, std::nullopt};
  }
  const live::wire::TensorStatistics* numbers = nullptr;
  if (!typed) {
    NNS_TRY_ASSIGN(numbers, session.statistics(document.id(), subject.tensor, subject.slice, options.tensor, terminal));
  }
  if (numbers != nullptr) {
    subject.marks = panels::quantile_marks(*numbers);
    subject.has_non_finite = numbers->nan() + numbers->pos_inf() + numbers->neg_inf() != 0;
  }
  subject.range =
      model::colour_range(mode, model::value_extent(numbers, nullptr), numbers, typed.value_or(model::TypedRange()));
  return subject;
}

/// The same of its difference from the tensor of another file.
base::Result<exports::HeatSubject> describe_difference(const ExportOptions& options, Session& session,
                                                       exports::HeatSubject subject, const Terminal& terminal) {
  const auto typed = typed_range(options.range);
  if (!typed && options.range != "symmetric")
    return base::Error{
        fmt::format("--range {} with --against", options.range), "symmetric or LOW:HIGH", {}, std::nullopt};
  NNS_TRY_ASSIGN(subject.minus, session.open(options.against, terminal));
  const std::string& name = options.against_tensor.empty() ? options.tensor : options.against_tensor;
  NNS_TRY_ASSIGN(subject.minus_tensor, find_tensor(*subject.minus, name));
  const live::Compared compared{subject.minus->id(), subject.document->id(), subject.minus->node(subject.minus_tensor),
                                subject.document->node(subject.tensor)};
  NNS_TRY_ASSIGN(const live::wire::Difference* found, session.difference(compared, options.tensor, terminal));
  if (found != nullptr) {
    const double reach = static_cast<double>(panels::difference_reach({}, found));
    subject.range = typed ? model::ValueRange{*typed->low, *typed->high} : model::ValueRange{-reach, reach};
    subject.has_non_finite = panels::has_non_finite(*found);
  }
  return subject;
}

/// Null if nothing matches the filter.
base::Result<std::unique_ptr<Export>> make_export(const ExportOptions& options, Session& session,
                                                  const std::shared_ptr<const live::DocumentView>& document,
                                                  const Terminal& terminal, std::optional<Typefaces>& typefaces) {
  const std::string& format = options.format;
  const bool is_picture = is_picture_format(format);
  if (!options.tensor.empty()) {
    NNS_TRY_ASSIGN(const std::uint32_t tensor, find_tensor(*document, options.tensor));
    NNS_TRY_ASSIGN(base::TensorSlice slice, read_slice(options.slice, document->shape(tensor)));
    if (is_picture) {
      exports::HeatSubject part{document, tensor, std::move(slice), {}, {}};
      NNS_TRY_ASSIGN(exports::HeatSubject subject,
                     options.against.empty() ? describe_part(options, session, std::move(part), terminal)
                                             : describe_difference(options, session, std::move(part), terminal));
      const exports::PictureLook look = picture_look(options, typefaces);
      return make_picture_file(
          format, app::export_heat_map(session.requests(), session.mirror, std::move(subject), look), look);
    }
    return app::export_values(session.requests(), session.mirror, document->id(), tensor, std::move(slice),
                              format == "csv");
  }
  if (is_picture) {
    exports::PictureLook look = picture_look(options, typefaces);
    if (options.view == "map" && model::is_statistic(look.colour)) {
      NNS_TRY(session.numbers(*document, terminal));
      const auto numbers = session.mirror.numbers(document->id());
      look.numbers.assign(numbers.begin(), numbers.end());
    }
    return make_picture_file(
        format,
        options.view == "map" ? exports::make_map_picture(document, look) : exports::make_tree_picture(document, look),
        look);
  }
  const auto text_format = format == "json"       ? exports::TextFormat::Json
                           : format == "csv"      ? exports::TextFormat::Csv
                           : format == "markdown" ? exports::TextFormat::Markdown
                                                  : exports::TextFormat::Text;
  if (options.filter.empty()) return exports::make_document_text(document, text_format);
  NNS_TRY_ASSIGN(model::FilteredRows rows, model::filter_rows(document, options.filter));
  if (rows.match_count == 0) return std::unique_ptr<Export>();
  return exports::make_document_text(document, text_format, {std::move(rows), options.filter});
}

/// "model.svg", or "model.layers.0.weight[0,:].npy".
std::string default_output(const ExportOptions& options, const live::DocumentView& document) {
  const bool is_text = options.tensor.empty() && !is_picture_format(options.format);
  if (is_text || options.format == "csv") return "-";
  std::string stem = fs::path(std::string(document.title())).stem().string();
  if (!options.against.empty()) stem = fmt::format("{}-{}", fs::path(options.against).stem().string(), stem);
  if (!options.tensor.empty()) stem += "." + options.tensor;
  if (!options.slice.empty()) stem += options.slice.front() == '[' ? options.slice : fmt::format("[{}]", options.slice);
  std::erase(stem, ' ');
  std::replace(stem.begin(), stem.end(), '/', '_');
  return fmt::format("{}.{}", stem, options.format);
}

}  // namespace

bool is_picture_format(std::string_view format) { return format == "svg" || format == "png" || format == "pdf"; }

int run_export(const ExportOptions& options, const Terminal& terminal) {
  const auto refuse = [](const base::Error& error) {
    print_error(error.message());
    return kBadInput;
  };
  const StopOnSignal stop;
  Session session;
  auto document = session.open(options.input, terminal);
  if (StopOnSignal::stopped()) return kStopped;
  if (!document.ok()) return refuse(document.error());
  std::optional<Typefaces> typefaces;
  auto made = make_export(options, session, *document, terminal, typefaces);
  if (!made.ok()) return refuse(made.error());
  if (*made == nullptr) {
    print_error(fmt::format("{}: nothing matches \"{}\"", options.input, options.filter));
    return kFound;
  }
  if (StopOnSignal::stopped()) return kStopped;
  const std::string output = options.output.empty() ? default_output(options, **document) : options.output;
  auto file = host::open_file_save(output, options.force);
  if (!file.ok()) return refuse(file.error());
  {
    ProgressLine line(terminal, "writing", output);
    while (true) {
      if (StopOnSignal::stopped()) return kStopped;
      const auto done = (*made)->step(**file, base::Budget(kSlice));
      if (!done.ok()) return refuse(done.error());
      if (*done) break;
      if (const auto ended = (*file)->ended(); !ended.ok()) break;
      line.show(static_cast<std::uint64_t>((*made)->progress() * 1000), 1000);
      if (const auto told = session.run(); !told.ok()) return refuse(told.error());
    }
  }
  (*file)->finish();
  const auto ended = (*file)->ended();
  if (!ended.ok()) {
    print_error(ended.error().message());
    return kFound;
  }
  if (output != "-") fmt::print("{}\n", output);
  return kFine;
}

}  // namespace nns::cli
