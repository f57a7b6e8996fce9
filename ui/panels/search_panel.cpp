#include "ui/panels/search_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <utility>
#include <vector>

#include "ui/model/format.h"
#include "ui/panels/row_look.h"
#include "ui/widgets/flow.h"
#include "ui/widgets/text_field.h"

namespace nns::panels {

using host::AccessNode;
using host::Role;
using widgets::Icon;
using widgets::Rect;
using widgets::Type;
using widgets::Ui;
using Entered = SearchState::Entered;

namespace {

constexpr float kSearchRow = 32;  // design units

struct Example {
  std::string_view query;
  std::string_view about;
};
constexpr std::array<Example, 9> kExamples = {{{"attn weight", "both words in names or classes"},
                                               {"bf16 >1M", "an element type, a size: elements, or >1MB"},
                                               {"shape:4096,*", "a shape; ... for any number of extents"},
                                               {"attn -bias", "without a word"},
                                               {"h.0.attn", "a part of a path"},
                                               {"class:Linear", "also name: kind: dtype: rank: bytes: is: meta:"},
                                               {"/(q|k)_proj\\.weight$/", "a pattern over whole paths"},
                                               {"meta:format", "the metadata of the file"},
                                               {">", "commands"}}};

char lower(char character) { return static_cast<char>(std::tolower(static_cast<unsigned char>(character))); }

/// The lines of the box: whichever they are, they are drawn one way.
struct SearchLine {
  std::optional<Icon> icon;
  widgets::Colour icon_colour = 0;
  std::string before;  ///< quiet, in front of the title
  std::string title;
  std::string right;
  std::string right_short;  ///< where that has no room; may be empty
  Type right_type = Type::CodeSmall;
  std::string spoken;  ///< behind the title, for those who hear it
  std::optional<Intent> intent;
};

SearchLine answer_line(const widgets::Theme& theme, const SearchModel& model, std::uint32_t index) {
  SearchLine line;
  const model::SearchLine answer = model.answers->at(index);
  if (answer.index == nullptr) return line;
  const live::DocumentView& document = answer.index->document();
  if (answer.metadata != live::kNone) {
    const auto* entry = document.get().metadata()->Get(answer.metadata);
    line.icon = Icon::Info;
    line.icon_colour = theme.muted;
    line.title = live::text_of(entry->key());
    // One line of it: the whole is in the summary.
    line.right = std::string(live::text_of(entry->value()).substr(0, 200));
    line.right.resize(std::min(line.right.size(), line.right.find('\n')));
    line.spoken = fmt::format("metadata, {}", line.right);
    line.intent = ShowHit{document.id(), 0, true};
  } else {
    const live::RowKind kind = document.kind(answer.row);
    line.icon = kind_icon(kind);
    line.icon_colour = kind_colour(theme, kind);
    line.title = document.path(answer.row);
    if (line.title.empty()) line.title = document.title();
    const std::size_t cut = line.title.size() - std::min(line.title.size(), document.name(answer.row).size());
    if (answer.row != 0 && cut > 0) {
      line.before = line.title.substr(0, cut);
      line.title.erase(0, cut);
    }
    line.right = type_text(document, answer.row);
    line.spoken = line.right;
    const std::uint32_t tensor = document.tensor(answer.row);
    if (tensor != live::kNone && document.has_shape(tensor))
      line.right_short = model::shape_text(document.shape(tensor));
    const std::uint64_t parameters = document.parameters(answer.row);
    if (parameters > 0 && tensor == live::kNone) {
      line.right += fmt::format("  {}", model::short_count(parameters));
      line.spoken += fmt::format(", {} parameters", model::thousands(parameters));
    }
    line.intent = ShowHit{document.id(), answer.row, false};
  }
  if (model.documents > 1) line.spoken += fmt::format(", in {}", document.title());
  return line;
}

SearchLine command_line(const CommandLine& command) {
  SearchLine line;
  line.title = command.title;
  line.right = command.keys;
  line.intent = RunCommand{command.number};
  return line;
}

SearchLine example_line(const Example& example) {
  SearchLine line;
  line.title = example.query;
  line.right = example.about;
  line.right_type = Type::Small;
  line.spoken = example.about;
  return line;
}

void paint_line(Ui& ui, Rect row, const SearchLine& line) {
  const widgets::Theme& theme = ui.theme();
  row = row.inset(ui.px(16), 0);
  if (line.icon) {
    paint_icon(ui, *line.icon, row.cut_left(ui.px(16)), line.icon_colour, 14);
    row.cut_left(ui.px(8));
  }
  const float left = ui.text_width(Type::Body, line.before) + ui.text_width(Type::Strong, line.title);
  const float gap = ui.px(16);
  // What stands right gives way down to a third.
  const float room = std::max(row.width / 3, row.width - left - gap);
  const bool is_short = !line.right_short.empty() && ui.text_width(line.right_type, line.right) > room;
  const std::string& told = is_short ? line.right_short : line.right;
  const float right = ui.text_width(line.right_type, told);
  if (!told.empty() && (room >= ui.px(64) || right <= room)) {
    ui.paint_line(row.cut_right(std::min(right, room)), line.right_type, theme.muted, told, 1);
    row.cut_right(gap);
  }
  const Type type = line.icon ? Type::Strong : Type::Body;
  const float title = std::min(row.width, ui.text_width(type, line.title));
  if (!line.before.empty() && row.width - title > ui.px(24)) {
    // The title follows at once, also where what stands before it is cut.
    const float most = row.width - title;
    const std::string before =
        ui.text_width(Type::Body, line.before) <= most ? line.before : ui.elide_middle(Type::Body, line.before, most);
    ui.paint_line(row.cut_left(ui.text_width(Type::Body, before)), Type::Body, theme.muted, before);
  }
  ui.paint_line(row, type, theme.text, line.title);
}

/// Up, Down and a page of them while the field has the keyboard.
void move_cursor(Ui& ui, SearchState& state, std::uint32_t count, std::uint32_t page) {
  if (count == 0) return;
  const std::int64_t last = std::int64_t{count} - 1;
  std::int64_t cursor = std::clamp<std::int64_t>(state.cursor, 0, last);
  if (ui.is_typing()) {
    if (ui.take_key(ImGuiKey_DownArrow)) ++cursor;
    if (ui.take_key(ImGuiKey_UpArrow)) --cursor;
    if (ui.take_key(ImGuiKey_PageDown)) cursor += page;
    if (ui.take_key(ImGuiKey_PageUp)) cursor -= page;
  }
  cursor = std::clamp<std::int64_t>(cursor, 0, last);
  if (cursor != static_cast<std::int64_t>(state.cursor)) state.list.reveal_cursor = true;
  state.cursor = static_cast<std::uint32_t>(cursor);
}

void say(Ui& ui, const char* id, const Rect& rect, std::string text, Role role = Role::Status) {
  AccessNode node;
  node.role = role;
  node.name = std::move(text);
  ui.describe(ui.id(id), rect, std::move(node));
}

/// What is wrong, with a line under the letters that it is about.
void draw_error(Ui& ui, Rect area, const model::TextError& error, const std::string& text) {
  const widgets::Theme& theme = ui.theme();
  const std::string said = fmt::format("{}: expected {}", error.found, error.expected);
  const std::size_t end = std::min(error.end, text.size());
  const std::size_t begin = std::min(error.begin, end);
  say(ui, "##error", area, fmt::format("At letter {}: {}", begin + 1, said), Role::Alert);
  area = area.inset(ui.px(16), 0);
  Rect line = area.cut_top(ui.px(24));
  const std::string before = text.substr(0, begin);
  const std::string wrong = text.substr(begin, end - begin);
  ui.paint_line(line, Type::Code, theme.text, text);
  const float from = line.x + ui.text_width(Type::Code, before);
  const float width = std::max(ui.px(6), ui.text_width(Type::Code, wrong));
  if (from + width <= line.right()) {
    ui.draw().AddRectFilled(ImVec2(from, line.bottom() - ui.px(3)), ImVec2(from + width, line.bottom() - ui.px(1)),
                            theme.danger);
  }
  widgets::Flow flow(ui, area);
  flow.paragraph(said);
}

}  // namespace

bool matches_fuzzily(std::string_view title, std::string_view text) {
  std::size_t at = 0;
  for (const char character : text) {
    if (character == ' ') continue;
    while (at < title.size() && lower(title[at]) != lower(character)) ++at;
    if (at == title.size()) return false;
    ++at;
  }
  return true;
}

namespace {

/// Whether the title has every word of the text whole.
bool has_words(std::string_view title, std::string_view text) {
  while (true) {
    text.remove_prefix(std::min(text.size(), text.find_first_not_of(' ')));
    if (text.empty()) return true;
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(word.size());
    const auto found = std::search(title.begin(), title.end(), word.begin(), word.end(),
                                   [](char a, char b) { return lower(a) == lower(b); });
    if (found == title.end()) return false;
  }
}

/// What is most likely meant comes first: what begins with the text, then what has its words, then the rest.
void sort_commands(std::vector<CommandLine>& commands, std::string_view text) {
  const auto rest = std::stable_partition(commands.begin(), commands.end(), [&](const CommandLine& line) {
    return matches_fuzzily(line.title.substr(0, text.size()), text);
  });
  std::stable_partition(rest, commands.end(), [&](const CommandLine& line) { return has_words(line.title, text); });
}

}  // namespace

std::optional<Intent> draw_search(Ui& ui, const Rect& area, const SearchModel& model, SearchState& state) {
  std::optional<Intent> intent;
  const widgets::Theme& theme = ui.theme();
  ImGui::SetNextWindowPos(ImVec2(area.x, area.y));
  ImGui::SetNextWindowSize(ImVec2(area.width, area.height));
  ImGui::Begin("##search", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoScrollWithMouse);
  ui.draw().AddRectFilled(ImVec2(area.x, area.y), ImVec2(area.right(), area.bottom()),
                          widgets::with_alpha(theme.shadow, 0.6F));
  const std::optional<std::string_view> wanted = model::command_text(state.text);
  std::vector<CommandLine> commands;
  if (wanted) {
    for (const CommandLine& line : model.commands) {
      if (matches_fuzzily(line.title, *wanted)) commands.push_back(line);
    }
    sort_commands(commands, *wanted);
  }
  const bool shows_examples = state.text.empty();
  const bool is_wrong = !wanted && model.answers->error().has_value();
  const std::uint32_t count = wanted           ? static_cast<std::uint32_t>(commands.size())
                              : shows_examples ? static_cast<std::uint32_t>(kExamples.size())
                                               : model.answers->size();
  const auto line_at = [&](std::uint32_t index) {
    return wanted           ? command_line(commands[index])
           : shows_examples ? example_line(kExamples[std::min<std::size_t>(index, kExamples.size() - 1)])
                            : answer_line(theme, model, index);
  };
  const float width = std::min(ui.px(wanted ? 520 : 760), area.width - ui.px(32));
  const float height = std::min(area.height - ui.px(32), ui.px(480));
  Rect box{std::round(area.centre_x() - width / 2), std::round(area.y + std::min(ui.px(96), area.height * 0.1F)), width,
           std::min(height, area.height * 0.9F - ui.px(8))};
  const std::uint32_t dialog = ui.open_group(ui.id("dialog"), box, Role::Dialog, wanted ? "Commands" : "Search");
  ui.access().set_modal(dialog);
  ui.draw().AddRectFilled(ImVec2(box.x, box.y), ImVec2(box.right(), box.bottom()), theme.overlay, ui.px(12));
  ui.draw().AddRect(ImVec2(box.x, box.y), ImVec2(box.right(), box.bottom()), theme.border, ui.px(12));
  Rect inside = box.inset(0, ui.px(12));
  Rect field = inside.cut_top(ui.px(36)).inset(ui.px(12), 0);
  inside.cut_top(ui.px(8));
  const Rect foot = inside.cut_bottom(ui.px(24));
  const auto page = static_cast<std::uint32_t>(std::max(1.0F, inside.height / ui.px(kSearchRow) - 1));
  move_cursor(ui, state, count, page);

  widgets::TextFieldSpec spec;
  spec.name = "Search";
  spec.placeholder = "Names, classes, bf16, >1M, shape:768,*, /pattern/, or > for commands";
  spec.icon = wanted ? Icon::ChevronRight : Icon::Search;
  spec.role = Role::Searchbox;
  spec.take_focus = std::exchange(state.focus_text, false);
  spec.escape_leaves = true;
  const bool ctrl = ImGui::GetIO().KeyCtrl;
  ImGui::PushID(state.number);
  const widgets::TextFieldResult typed = widgets::text_field(ui, field, state.text, spec);
  ImGui::PopID();
  if (typed.changed) {
    state.cursor = 0;
    state.list.top = 0;
    state.entered = Entered::No;
  }
  if (typed.escaped) intent = HideSearch{};
  const auto choose = [&](std::uint32_t index) {
    if (shows_examples) {
      state.text = line_at(index).title;
      state.focus_text = true;
      state.cursor = 0;
      state.list.top = 0;
      ui.request_frame();
    } else if (index < count) {
      intent = line_at(index).intent;
    }
  };
  // The text may have changed in this very frame, and what it finds may take some more.
  if (typed.entered) state.entered = ctrl ? Entered::Filter : Entered::Go;
  if (state.entered != Entered::No) {
    const bool is_filter = state.entered == Entered::Filter && !wanted && !shows_examples;
    const bool is_known = is_filter || is_wrong || wanted || shows_examples || model.answers->knows_first();
    if (typed.changed || !is_known) {
      ui.request_frame();
    } else {
      state.entered = Entered::No;
      if (is_filter && !is_wrong) {
        intent = FilterByQuery{state.text};
      } else if (!is_wrong) {
        choose(state.cursor);
      }
    }
  }

  if (is_wrong) {
    draw_error(ui, inside, *model.answers->error(), state.text);
  } else if (count > 0 && !typed.changed) {
    widgets::RowListSpec list_spec;
    list_spec.name = wanted ? "Commands" : shows_examples ? "Examples" : "Answers";
    list_spec.role = Role::Listbox;
    list_spec.row_height = kSearchRow;
    list_spec.count = count;
    list_spec.cursor = state.cursor;
    list_spec.key = [](std::uint32_t index) { return index; };
    widgets::RowList list(ui, state.list, inside, std::move(list_spec));
    if (list.moved_to()) state.cursor = *list.moved_to();
    for (std::uint32_t index = list.first(); index < list.end(); ++index) {
      const SearchLine line = line_at(index);
      AccessNode node;
      node.role = Role::Option;
      node.name = line.before + line.title;
      if (!line.spoken.empty()) node.name.append(", ").append(line.spoken);
      if (wanted) node.description = line.right;
      node.position = static_cast<std::int32_t>(index + 1);
      node.set_size = static_cast<std::int32_t>(count);
      Rect row;
      const widgets::RowEvents events = list.open_row(index, std::move(node), row);
      paint_line(ui, row, line);
      list.close_row();
      if (events.clicked) choose(index);
    }
  }
  const bool finds_nothing = !wanted && !shows_examples && !is_wrong && count == 0 && model.answers->is_done();
  if (finds_nothing && !typed.changed && model.documents > 0) {
    widgets::Flow flow(ui, inside.inset(ui.px(16), 0));
    flow.empty_state(
        Icon::Search, "Nothing matches",
        "No name, class, value or metadata of what is open answers to all of it. With fewer words, or with "
        "a part of a name, more is found.");
  }
  std::string said = wanted           ? (count == 0 ? "No command has these letters" : "")
                     : shows_examples ? "Examples of what can be asked"
                     : is_wrong       ? ""
                                      : model.answers->summary();
  if (!wanted && model.documents == 0) said = "No document is open: only commands can be found";
  Rect line = foot.inset(ui.px(16), 0);
  const bool has_hits = !wanted && !shows_examples && count > 0 && !is_wrong;
  if (has_hits && line.width > ui.px(480)) {
    constexpr std::string_view kHint = "Enter: go there    Ctrl+Enter: show all in the tree";
    ui.paint_line(line.cut_right(ui.text_width(Type::Small, kHint)), Type::Small, theme.muted, kHint, 1);
    line.cut_right(ui.px(16));
  }
  ui.paint_line(line, Type::Small, theme.muted, said);
  if (!said.empty()) say(ui, "##summary", line, said);
  // The field keeps the keyboard: who hears the page is told where the cursor of the list is.
  if (ui.is_typing() && state.cursor < count && !is_wrong && !typed.changed) {
    const SearchLine chosen = line_at(state.cursor);
    say(ui, "##chosen", {line.x, line.y, 1, 1},
        fmt::format("{} of {}: {}{}", model::thousands(state.cursor + 1), model::thousands(count), chosen.before,
                    chosen.title));
  }
  ui.close_group();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !box.contains(mouse.x, mouse.y) && ImGui::IsWindowHovered()) {
    intent = HideSearch{};
  }
  ImGui::End();
  return intent;
}

}  // namespace nns::panels
