// What the app writes to files: begun by a command, carried on frame by frame.
#include <fmt/format.h>
#include <imgui.h>

#include <chrono>
#include <utility>

#include "ui/app/app.h"
#include "ui/app/checkpoint_export.h"
#include "ui/app/tensor_exports.h"
#include "ui/exports/picture.h"

namespace nns::app {

namespace {

constexpr std::chrono::milliseconds kSlice{6};
/// Where the page or the disk is slower, it is asked again after so long. Units: seconds.
constexpr double kPause = 0.02;

/// "model" of "model.safetensors", with nothing in it that a file's name must not have.
std::string stem_of(std::string_view title) {
  std::string stem(title.substr(0, title.find_last_of('.') == 0 ? title.size() : title.find_last_of('.')));
  for (char& c : stem) {
    if (std::string_view("/\\:*?\"<>|").find(c) != std::string_view::npos || static_cast<unsigned char>(c) < 0x20)
      c = '_';
  }
  return stem.empty() ? "model" : stem;
}

/// ".h.0.attn.weight[:,3]" of the part of a tensor, as part of a file's name.
std::string name_of(const live::DocumentView& document, std::uint32_t row, const base::TensorSlice& slice) {
  std::string name = fmt::format(".{}", document.path(row));
  const auto shape = document.shape(document.tensor(row));
  if (slice != base::whole_slice(shape)) name += base::slice_text(slice, shape);
  std::erase(name, ' ');
  return stem_of(name + ".");
}

/// A text that is given whole.
class TextFile final : public exports::Export {
 public:
  explicit TextFile(std::string text) : text_(std::move(text)) {}
  base::Result<bool> step(host::SaveFile& file, const base::Budget& /*budget*/) override {
    file.write(text_);
    return true;
  }
  double progress() const override { return 1; }

 private:
  std::string text_;
};

bool saves_picture(Command command) {
  return command == Command::SavePng || command == Command::SaveSvg || command == Command::SavePdf;
}

const char* picture_ending(Command command) {
  return command == Command::SavePng ? ".png" : command == Command::SavePdf ? ".pdf" : ".svg";
}

std::unique_ptr<exports::Export> picture_file(Command command, std::unique_ptr<exports::Picture> picture,
                                              const exports::PictureLook& look) {
  if (command == Command::SavePng) return exports::make_png(std::move(picture));
  if (command == Command::SavePdf) return exports::make_pdf(std::move(picture));
  return exports::make_svg(std::move(picture), look.fonts.strong);
}

}  // namespace

exports::PictureLook App::picture_look() const {
  exports::PictureLook look;
  look.theme = &theme();
  look.fonts = ui_.fonts();
  return look;
}

void App::save_difference(Command command) {
  const ComparisonScreen& shown = *comparison();
  if (command == Command::Save) command = Command::SavePng;
  if (!saves_picture(command)) {
    toast_ = panels::Toast{"Of a comparison the chosen heat map can be saved, as PNG, SVG or PDF", ImGui::GetTime()};
    return;
  }
  auto subject = shown.heat_subject();
  if (!subject.ok()) {
    toast_ = panels::Toast{subject.error().found, ImGui::GetTime()};
    return;
  }
  const exports::PictureLook look = picture_look();
  Saving saving;
  saving.name = fmt::format("{}-{}{}{}", stem_of(subject->minus->title()), stem_of(subject->document->title()),
                            name_of(*subject->document, subject->document->node(subject->tensor), subject->slice),
                            picture_ending(command));
  saving.work = picture_file(command, export_heat_map(requests_, mirror_, std::move(*subject), look), look);
  begin_saving(std::move(saving));
}

void App::save(Command command) {
  DocumentScreen* const shown = screen();
  if (shown == nullptr && comparison() == nullptr) return;
  if (saving_) {
    toast_ = panels::Toast{fmt::format("{} is still being saved", saving_->name), ImGui::GetTime()};
    return;
  }
  if (shown == nullptr) return save_difference(command);
  const auto document = mirror_.document(chosen_);
  if (document == nullptr) return;
  const std::uint32_t row = shown->selected();
  const std::uint32_t tensor = row < document->row_count() ? document->tensor(row) : live::kNone;
  const bool is_studio = shown->studio() != nullptr && shown->shows_studio();
  if (is_studio && command != Command::Save) {
    toast_ = panels::Toast{"In the studio Ctrl+S saves the source; Alt+T leads back to what pictures are made of",
                           ImGui::GetTime()};
    return;
  }
  if (EditorScreen* const editor = shown->editor();
      command == Command::Save && editor != nullptr && (is_studio || shown->tab() == panels::InspectorTab::Source)) {
    Saving source;
    source.work = std::make_unique<TextFile>(editor->source());
    source.name = stem_of(editor->model().name) + ".py";
    return begin_saving(std::move(source));
  }
  if (command == Command::Save) command = tensor != live::kNone ? Command::SaveNpy : Command::SaveText;

  const bool sees_tensor = tensor != live::kNone && shown->tab() == panels::InspectorTab::Tensor;
  Saving saving;
  std::string ending;
  if (command == Command::SaveNpy || command == Command::SaveValues) {
    if (tensor == live::kNone) {
      toast_ = panels::Toast{"Choose a tensor first", ImGui::GetTime()};
      return;
    }
    const bool as_text = command == Command::SaveValues;
    const base::TensorSlice slice = sees_tensor ? shown->tensor().slice() : base::whole_slice(document->shape(tensor));
    saving.work = export_values(requests_, mirror_, chosen_, tensor, slice, as_text);
    ending = fmt::format("{}.{}", name_of(*document, row, slice), as_text ? "csv" : "npy");
  } else if (saves_picture(command)) {
    const exports::PictureLook look = picture_look();
    const bool is_map = shown->tab() == panels::InspectorTab::Map;
    std::unique_ptr<exports::Picture> picture;
    if (sees_tensor) {
      auto subject = shown->tensor().heat_subject();
      if (!subject.ok()) {
        toast_ = panels::Toast{subject.error().found, ImGui::GetTime()};
        return;
      }
      ending = name_of(*document, row, subject->slice);
      picture = export_heat_map(requests_, mirror_, std::move(*subject), look);
    } else {
      ending = is_map ? ".map" : "";
      picture = is_map ? exports::make_map_picture(document, shown->map_look(look))
                       : exports::make_tree_picture(document, look);
    }
    saving.work = picture_file(command, std::move(picture), look);
    ending += picture_ending(command);
  } else {
    const auto [format, name] = command == Command::SaveJson       ? std::pair(exports::TextFormat::Json, ".json")
                                : command == Command::SaveCsv      ? std::pair(exports::TextFormat::Csv, ".csv")
                                : command == Command::SaveMarkdown ? std::pair(exports::TextFormat::Markdown, ".md")
                                                                   : std::pair(exports::TextFormat::Text, ".txt");
    saving.work = exports::make_document_text(document, format);
    ending = name;
  }
  saving.name = stem_of(document->title()) + ending;
  begin_saving(std::move(saving));
}

void App::save_checkpoint(std::uint32_t training) {
  if (saving_) {
    toast_ = panels::Toast{fmt::format("{} is still being saved", saving_->name), ImGui::GetTime()};
    return;
  }
  const live::wire::Training& told = *mirror_.training(training)->state();
  if (told.state() == live::wire::TrainingState::Paused)
    toast_ = panels::Toast{"The checkpoint is taken once the run goes on", ImGui::GetTime()};
  // Where to is asked now: later the browser would not let the page ask.
  Saving saving;
  saving.name = stem_of(live::text_of(told.title())) + ".pt";
  saving.work = export_checkpoint(requests_, mirror_, training);
  begin_saving(std::move(saving));
}

void App::begin_saving(Saving saving) {
  saving_ = std::move(saving);
  const std::uint64_t number = ++saving_number_;
  host::save_file(saving_->name,
                  [this, number, alive = std::weak_ptr(alive_)](base::Result<std::unique_ptr<host::SaveFile>> file) {
                    const std::shared_ptr<bool> still = alive.lock();
                    if (!still || !saving_ || saving_number_ != number) return;
                    if (!file.ok()) show_error(file.error());
                    if (!file.ok() || *file == nullptr) {
                      saving_.reset();
                    } else {
                      saving_->file = std::move(*file);
                    }
                    host::request_frame();
                  });
}

void App::follow_saving() {
  if (!saving_ || saving_->file == nullptr) return;
  host::SaveFile& file = *saving_->file;
  if (file.is_cancelled()) return stop_saving("Saving was cancelled");
  if (!saving_->is_given) {
    const double before = saving_->work->progress();
    const auto done = saving_->work->step(file, base::Budget(kSlice));
    if (!done.ok()) {
      show_error(done.error());
      saving_.reset();
      return;
    }
    if (*done) file.finish();
    saving_->is_given = *done;
    host::request_frame(*done || saving_->work->progress() != before || file.pending() == 0 ? 0 : kPause);
  } else {
    host::request_frame(kPause);
  }
  const auto ended = file.ended();
  if (!ended.ok()) {
    show_error(ended.error());
    saving_.reset();
  } else if (*ended && saving_->is_given) {
    stop_saving("Saved " + saving_->name);
  }
}

void App::stop_saving(std::string_view told) {
  saving_.reset();
  toast_ = panels::Toast{std::string(told), ImGui::GetTime()};
  host::request_frame();
}

}  // namespace nns::app
