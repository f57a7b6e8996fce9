#include "ui/app/capture_screen.h"

#include <chrono>
#include <utility>

#include "core/live/commands.h"
#include "ui/model/call_table.h"

namespace nns::app {

using model::CapturePart;
using CaptureWhat = panels::CaptureAsk::What;

namespace {

// Of a frame at 60 a second.
constexpr auto kLayoutSlice = std::chrono::milliseconds(6);

std::uint32_t& line_of(panels::CapturePanelState& state, CapturePart part) {
  return state.lines[static_cast<std::size_t>(part)];
}
widgets::RowListState& list_of(panels::CapturePanelState& state, CapturePart part) {
  return state.lists[static_cast<std::size_t>(part)];
}

// The line where the frame breaks, else where its function begins; 0: not known.
std::uint32_t beginning_of(const model::CaptureView& view) {
  const live::wire::CaptureFrame* const frame = view.frame();
  if (frame == nullptr) return 0;
  std::uint32_t line = frame->line();
  for (const live::wire::CaptureBreak* cut : *frame->breaks()) {
    const std::uint32_t lines = cut->stack()->size();
    if (lines > 0 && cut->stack()->Get(lines - 1)->file() == view.file()) line = cut->stack()->Get(lines - 1)->line();
  }
  return line;
}

}  // namespace

void CaptureScreen::follow(const live::DocumentView& document, std::uint32_t selected, bool is_shown) {
  is_shown_ = is_shown;
  const live::wire::Capture* const capture = mirror_.capture(document_);
  if (capture != view_.capture()) {
    view_.show(capture);
    state_.laid_out = 0;
    state_.lines = {};
    for (widgets::RowListState& list : state_.lists) list.show_from(0);
    show_line(beginning_of(view_));
  }
  if (!is_shown) return;
  if (of_ == panels::CaptureOf::Package && !was_asked_) run(nullptr);
  if (can_run()) fill(document, selected);
  const bool is_module = selected < document.row_count() && document.kind(selected) == live::RowKind::Module;
  view_.mark_module(is_module ? document.path(selected) : std::string());
  if (!view_.drawing().is_done()) {
    const auto end = std::chrono::steady_clock::now() + kLayoutSlice;
    view_.drawing().step([&] { return std::chrono::steady_clock::now() >= end; });
  }
  follow_source();
}

// With the chosen module, as long as the program compiles nothing itself and nobody typed.
void CaptureScreen::fill(const live::DocumentView& document, std::uint32_t selected) {
  if (is_typed_ || (is_filled_ && selected == filled_selected_ && document.version() == filled_version_)) return;
  is_filled_ = true;
  filled_selected_ = selected;
  filled_version_ = document.version();
  const live::wire::ProgramSource* const source = mirror_.source(document_);
  const bool compiles = source != nullptr && live::text_of(source->text()).find("compile(") != std::string_view::npos;
  const std::optional<std::uint32_t> row = model::default_module(document, selected);
  if (!row || (compiles && (selected == 0 || row != selected))) return;
  state_.call = model::call_expression(document, *row);
  if (state_.inputs == guessed_) state_.inputs = guessed_ = model::guess_inputs(document, *row);
  state_.fields_changed = true;
}

void CaptureScreen::follow_source() {
  const live::wire::Capture* const capture = view_.capture();
  const std::uint32_t file = view_.file();
  if (file != source_of_ || capture != source_in_) {
    source_of_ = file;
    source_in_ = capture;
    source_.reset();
    // Of logs only single lines are known, which are no program.
    if (file != UINT32_MAX && capture->files()->Get(file)->numbers()->size() == 0) {
      source_ = std::make_unique<Shown>(
          Shown{text::TextBuffer(live::text_of(capture->files()->Get(file)->text())), SourceCheck(requests_, mirror_)});
    }
  }
  if (source_ != nullptr) source_->check.follow(source_->buffer, live::text_of(capture->files()->Get(file)->name()));
}

panels::CapturePanelModel CaptureScreen::model(bool is_running) const {
  return {&view_, of_, request_, &error_, is_running, source_ == nullptr ? nullptr : &source_->check.looks()};
}

void CaptureScreen::take_focus() {
  if (can_run()) {
    state_.take_focus = true;
  } else {
    state_.focus_content = true;
  }
}

void CaptureScreen::write_link(model::Link& link) const {
  if (view_.capture() == nullptr) return;
  link.set("capture", std::string(model::capture_part_name(state_.part)));
  if (!can_run() || view_.capture()->call()->size() == 0) return;
  link.set("call", std::string(live::text_of(view_.capture()->call())));
  link.set("inputs", std::string(live::text_of(view_.capture()->inputs())));
}

void CaptureScreen::read_link(const model::Link& link) {
  if (link.get("capture").empty()) return;
  for (std::size_t i = 0; i < model::kCaptureParts; ++i) {
    const auto part = static_cast<CapturePart>(i);
    if (model::capture_part_name(part) == link.get("capture")) state_.part = part;
  }
  // Going back to what is there runs nothing; a package is read when it is looked at.
  if (!can_run() || view_.capture() != nullptr || request_ != 0) return;
  state_.call = link.get("call");
  state_.inputs = link.get("inputs");
  is_typed_ = wants_run_ = true;
}

void CaptureScreen::run(const std::string* text) {
  if (request_ != 0 || of_ == panels::CaptureOf::Log) return;
  error_.clear();
  if (of_ == panels::CaptureOf::Package) {
    was_asked_ = true;
    request_ = requests_.read_package(document_, package_.source, package_.name, package_.url);
    return;
  }
  live::CaptureRequest asked;
  asked.text = text;
  asked.call = state_.call;
  if (asked.call.find_first_not_of(' ') == std::string::npos) asked.call.clear();
  if (!asked.call.empty()) asked.inputs = {state_.inputs};
  asked.by_instance = state_.by_instance;
  request_ = requests_.capture_program(document_, asked);
}

void CaptureScreen::job_ended(std::uint64_t request) {
  if (source_ != nullptr) source_->check.job_failed(request);
  if (request_ != request) return;
  request_ = 0;
  const auto job = mirror_.jobs().find(request);
  if (job != mirror_.jobs().end() && job->second.error) error_ = job->second.error->found;
}

void CaptureScreen::show_line(std::uint32_t line) {
  const std::uint32_t index = view_.index_of_line(line);
  if (line == 0 || index == UINT32_MAX) return;
  line_of(state_, CapturePart::Source) = index;
  list_of(state_, CapturePart::Source).reveal_cursor = true;
}

void CaptureScreen::show_node(std::uint32_t node) {
  view_.choose_node(node);
  show_line(view_.line_of_node(node));
  line_of(state_, CapturePart::Nodes) = node;
  list_of(state_, CapturePart::Nodes).reveal_cursor = true;
}

std::optional<std::string> CaptureScreen::carry_out(const panels::CaptureAsk& asked) {
  const auto begin_graph = [&] {
    state_.laid_out = 0;
    for (const CapturePart part :
         {CapturePart::Nodes, CapturePart::Source, CapturePart::Guards, CapturePart::Modules}) {
      line_of(state_, part) = 0;
      list_of(state_, part).show_from(0);
    }
    show_line(beginning_of(view_));
  };
  switch (asked.what) {
    case CaptureWhat::Run:
      break;  // the document's screen knows the text
    case CaptureWhat::EditCall:
      // An empty field is the whole program.
      is_typed_ = true;
      break;
    case CaptureWhat::ChooseFrame: {
      view_.choose_frame(asked.number);
      begin_graph();
      // The list of frames follows, unless it is where the choice was made.
      auto& line = line_of(state_, CapturePart::Frames);
      const auto lines = view_.lines(CapturePart::Frames);
      if (line < lines.size() && lines[line].frame == view_.frame_number()) break;
      for (line = 0; line < lines.size() && lines[line].frame != view_.frame_number(); ++line) {
      }
      list_of(state_, CapturePart::Frames).reveal_cursor = true;
      break;
    }
    case CaptureWhat::ChooseGraph: {
      const auto around = view_.around();
      view_.choose_graph(asked.number);
      begin_graph();
      // From an inner graph the way leads back to the node that stands for it.
      if (around && around->graph == asked.number) show_node(around->node);
      break;
    }
    case CaptureWhat::ChooseLine:
      show_line(asked.number);
      if (const auto node = view_.node_of_line(asked.number)) show_node(*node);
      break;
    case CaptureWhat::ChooseNode:
      show_node(asked.number);
      break;
    case CaptureWhat::FoldGroup:
      view_.drawing().fold(asked.number);
      break;
    case CaptureWhat::UnfoldAll:
      view_.drawing().set_all_open(true);
      break;
    case CaptureWhat::OpenModuleOfNode:
    case CaptureWhat::OpenModuleOfRow: {
      if (view_.graph() == nullptr && asked.what == CaptureWhat::OpenModuleOfNode) break;
      std::string path = asked.what == CaptureWhat::OpenModuleOfNode
                             ? view_.module_path(asked.number)
                             : view_.module_path(model::CaptureLine{
                                   model::CaptureLine::Kind::Plain, view_.frame_number(), asked.number, {}});
      const std::string call(live::text_of(view_.capture()->call()));
      if (!call.empty()) {
        const std::string whole = model::path_of_expression(call);
        path = path.empty() ? whole : whole + "." + path;
      }
      if (!path.empty()) return path;
      break;
    }
  }
  return std::nullopt;
}

}  // namespace nns::app
