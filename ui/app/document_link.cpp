// Where a person is in a document, as parts of a link, and going there.
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/tensor_slice.h"
#include "ui/app/document_screen.h"
#include "ui/app/seen_part.h"

namespace nns::app {

using panels::InspectorTab;

namespace {

struct TabName {
  InspectorTab tab;
  std::string_view name;
};
constexpr std::array kTabNames = {
    TabName{InspectorTab::Summary, "summary"}, TabName{InspectorTab::Registries, "registries"},
    TabName{InspectorTab::Hooks, "hooks"},     TabName{InspectorTab::Tensor, "tensor"},
    TabName{InspectorTab::Repr, "repr"},       TabName{InspectorTab::Safety, "safety"},
    TabName{InspectorTab::Map, "map"},         TabName{InspectorTab::Statistics, "statistics"},
    TabName{InspectorTab::Source, "source"},   TabName{InspectorTab::Call, "call"},
    TabName{InspectorTab::Capture, "capture"}};
constexpr std::array<std::string_view, 6> kColourNames = {"kind", "dtype", "class", "std", "zeros", "absmax"};

std::optional<std::uint32_t> whole_number(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// The parts of a text between commas.
std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

}  // namespace

/// Where a program is to stop: lines of its file from 1, and what happens.
void DocumentScreen::write_stops(model::Link& link) const {
  if (!editor_ || !studio_ || has_lesson()) return;
  std::string lines;
  for (const std::uint32_t line : editor_->breakpoints().lines())
    lines += (lines.empty() ? "" : ",") + std::to_string(line + 1);
  link.set("break", lines);
  std::string names;
  for (const panels::StudioStopRow& stop : panels::kStudioStops) {
    if (studio_->stops().*(stop.is_on)) (names += names.empty() ? "" : ",") += stop.name;
  }
  link.set("stops", names);
}

void DocumentScreen::read_stops(const model::Link& link) {
  if (!editor_ || !studio_ || has_lesson()) return;
  const std::string_view lines = link.get("break");
  if (!lines.empty()) {
    text::LineSet set;
    for (const std::string_view part : parts_of(lines)) {
      if (const std::uint32_t line = whole_number(part).value_or(0); line > 0) set.toggle(line - 1);
    }
    if (const live::wire::ProgramSource* source = mirror_.source(document().id()))
      studio_->set_breakpoints(std::string(live::text_of(source->name())), set);
    editor_->set_breakpoints(std::move(set));
  }
  panels::StudioStops stops = studio_->stops();
  for (const std::string_view part : parts_of(link.get("stops"))) {
    for (const panels::StudioStopRow& stop : panels::kStudioStops) {
      if (stop.name == part) stops.*(stop.is_on) = true;
    }
  }
  studio_->set_stops(stops);
}

void DocumentScreen::write_link(model::Link& link) const {
  if (selected() < document().row_count()) link.set("select", document().path(selected()));
  for (const TabName& row : kTabNames) {
    // Without a name the tab is the one that the choice brings.
    if (row.tab == tab_ && tab_ != InspectorTab::Tensor && tab_ != InspectorTab::Summary) link.set("tab", row.name);
  }
  link.set("filter", tree_.state().filter);
  write_stops(link);
  if (shows_studio() && has_lesson()) {
    link.set("stop", std::to_string(lesson_->stop() + 1));
  } else if (shows_studio()) {
    link.set("step", std::to_string(studio_->event() + std::uint64_t{1}));
  }
  if (tab_ == InspectorTab::Tensor && tensor_.tensor() != live::kNone) {
    const std::span<const std::int64_t> shape = document().shape(tensor_.tensor());
    if (tensor_.slice() != base::whole_slice(shape)) link.set("tensor", base::slice_text(tensor_.slice(), shape));
    write_seen(link, inspector_state_.tensor.view);
  }
  if (tab_ == InspectorTab::Capture && capture_) capture_->write_link(link);
  if (tab_ != InspectorTab::Map) return;
  if (map_.document() != nullptr && map_.root() != 0) link.set("map", document().path(map_.root()));
  if (map_.metric() == model::TreemapMetric::Bytes) link.set("metric", "bytes");
  const auto colour = static_cast<std::size_t>(map_colour_);
  if (colour != 0 && colour < kColourNames.size()) link.set("colour", kColourNames[colour]);
}

base::Result<void> DocumentScreen::read_link(const model::Link& link) {
  base::Result<void> result;
  set_filter(std::string(link.get("filter")));
  const std::string_view path = link.get("select");
  const std::optional<std::uint32_t> row = path.empty() ? 0 : find_path(path);
  if (row) {
    select_row(*row);
  } else {
    result = base::Error{.found = "no module or tensor has this name",
                         .expected = "a path as the tree shows it",
                         .where = std::string(path),
                         .offset = {}};
  }
  for (const TabName& known : kTabNames) {
    if (known.name == link.get("tab")) choose_tab(known.tab);
  }
  const auto number_of = [&](std::string_view text, const char* what) -> std::optional<std::uint32_t> {
    if (const auto number = whole_number(text)) return number;
    result = base::Error{.found = what, .expected = "a whole number", .where = std::string(text), .offset = {}};
    return std::nullopt;
  };
  read_stops(link);
  if (const std::string_view stop = link.get("stop"); !stop.empty() && lesson_) {
    // The lesson itself shows the studio when it comes.
    if (const auto number = number_of(stop, "no stop of a lesson")) lesson_->go_to(std::max(*number, 1U) - 1);
    show_studio(true);
  } else if (const std::string_view step = link.get("step"); !step.empty() && studio_) {
    if (const auto event = number_of(step, "no step of a recording")) open_studio(std::max(*event, 1U) - 1);
  } else if (!has_lesson()) {
    show_studio(false);
  }
  if (tensor_.tensor() != live::kNone) {
    const std::string_view slice = link.get("tensor");
    const std::span<const std::int64_t> shape = document().shape(tensor_.tensor());
    auto read =
        slice.empty() ? base::Result<base::TensorSlice>(base::whole_slice(shape)) : base::parse_slice(slice, shape);
    if (read.ok()) {
      tensor_.set_slice(std::move(read).value());
    } else {
      result = read.error();
    }
    read_seen(link, inspector_state_.tensor.view);
  }
  if (tab_ == InspectorTab::Capture && capture_) capture_->read_link(link);
  if (tab_ == InspectorTab::Map) {
    if (map_.document() != tree_.document()) map_.show(tree_.shared_document());
    set_map_metric(link.get("metric") == "bytes" ? model::TreemapMetric::Bytes : model::TreemapMetric::Parameters);
    const auto* colour = std::find(kColourNames.begin(), kColourNames.end(), link.get("colour"));
    set_map_colour(static_cast<model::TreemapColour>(colour == kColourNames.end() ? 0 : colour - kColourNames.begin()));
    if (!link.get("map").empty()) show_on_map(find_path(link.get("map")).value_or(0));
  }
  return result;
}

}  // namespace nns::app
