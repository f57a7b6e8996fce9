#include "ui/panels/error_cards.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ui/model/format.h"
#include "ui/widgets/button.h"
#include "ui/widgets/flow.h"

namespace nns::panels {

using widgets::Flow;
using widgets::Icon;
using widgets::Rect;
using widgets::Type;
using widgets::Ui;

namespace {

constexpr double kToastSeconds = 2.5;

/// Opens a window of its own above the rest, so that what lies below does not get its clicks.
void begin_layer(const char* name, const Rect& rect) {
  ImGui::SetNextWindowPos(ImVec2(rect.x, rect.y));
  ImGui::SetNextWindowSize(ImVec2(std::max(1.0F, rect.width), std::max(1.0F, rect.height)));
  ImGui::Begin(name, nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoFocusOnAppearing |
                   ImGuiWindowFlags_NoScrollWithMouse);
}

/// "model.pt, byte 1,024"
std::string where_of(const base::Error& error) {
  if (!error.offset) return error.where;
  return fmt::format("{}{}byte {}", error.where, error.where.empty() ? "" : ", ", model::thousands(*error.offset));
}

float draw_card(Ui& ui, const Rect& place, const ErrorCard& card, std::optional<Intent>& intent, bool paint) {
  const widgets::Theme& theme = ui.theme();
  Rect inside = place.inset(ui.px(16), 0);
  inside.cut_left(ui.px(28));
  Flow flow(ui, inside);
  flow.space(12);
  if (!paint) {
    // Measured with the same text, so that the card fits whatever is in it.
    const auto lines = [&](std::string_view text, Type type) {
      if (text.empty()) return 0.0F;
      const float height =
          ui.font(type)
              ->CalcTextSizeA(ui.font_size(type), FLT_MAX, inside.width, text.data(), text.data() + text.size())
              .y;
      return std::round(height / ui.font_size(type)) * ui.line_height(type);
    };
    const float body = lines(card.error.found, Type::Body) + lines(where_of(card.error), Type::CodeSmall) +
                       (card.error.expected.empty() ? 0 : lines("Expected: " + card.error.expected, Type::Small));
    return ui.px(12) + lines(card.title, Type::Strong) + ui.px(8) + body + ui.px(8) + ui.px(32) + ui.px(12);
  }
  ui.draw().AddRectFilled(ImVec2(place.x, place.y), ImVec2(place.right(), place.bottom()), theme.overlay, ui.px(10));
  ui.draw().AddRect(ImVec2(place.x, place.y), ImVec2(place.right(), place.bottom()), theme.border, ui.px(10));
  paint_icon(ui, Icon::Danger, {place.x + ui.px(14), place.y + ui.px(12), ui.px(20), ui.px(20)}, theme.danger, 16);
  flow.heading(card.title, Type::Strong);
  flow.space(4);
  flow.paragraph(card.error.found);
  if (!card.error.expected.empty()) flow.paragraph("Expected: " + card.error.expected, Type::Small, true);
  flow.space(4);
  flow.paragraph(where_of(card.error), Type::CodeSmall, true);
  Rect row{inside.x, place.bottom() - ui.px(44), inside.width, ui.px(32)};
  if (widgets::button(ui, row.cut_left(widgets::button_width(ui, "Dismiss", false)), "Dismiss")) {
    intent = DismissError{card.number};
  }
  row.cut_left(ui.px(8));
  if (widgets::button(ui, row.cut_left(widgets::button_width(ui, "Copy", false)), "Copy",
                      widgets::ButtonStyle::Ghost)) {
    intent = CopyText{card.title + "\n" + card.error.message(), "Error"};
  }
  return place.height;
}

}  // namespace

std::optional<Intent> draw_error_cards(Ui& ui, const Rect& area, std::span<const ErrorCard> cards) {
  std::optional<Intent> intent;
  const float width = std::min(ui.px(440), area.width - ui.px(32));
  float bottom = area.bottom() - ui.px(44);
  // The newest is lowest; older ones that do not fit wait until it is put away.
  for (auto card = cards.rbegin(); card != cards.rend(); ++card) {
    Rect place{area.right() - width - ui.px(16), 0, width, 0};
    place.height = draw_card(ui, place, *card, intent, false);
    place.y = bottom - place.height;
    if (place.y < area.y && card != cards.rbegin()) break;
    begin_layer(fmt::format("##error{}", card->number).c_str(), place);
    ui.open_group(ui.id("##card"), place, host::Role::Alert, card->title);
    draw_card(ui, place, *card, intent, true);
    ui.close_group();
    ImGui::End();
    bottom = place.y - ui.px(8);
  }
  return intent;
}

bool draw_toast(Ui& ui, const Rect& area, const Toast& toast) {
  const double age = ImGui::GetTime() - toast.shown_at;
  if (age > kToastSeconds) return false;
  ui.request_frame();
  const float width = ui.text_width(Type::Body, toast.text) + ui.px(32);
  const Rect box{std::round(area.centre_x() - width / 2), area.bottom() - ui.px(84), width, ui.px(36)};
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  const widgets::Theme& theme = ui.theme();
  list.AddRectFilled(ImVec2(box.x, box.y), ImVec2(box.right(), box.bottom()), theme.overlay, ui.px(18));
  list.AddRect(ImVec2(box.x, box.y), ImVec2(box.right(), box.bottom()), theme.border, ui.px(18));
  list.AddText(ui.font(Type::Body), ui.font_size(Type::Body),
               ImVec2(box.x + ui.px(16), box.y + std::round((box.height - ui.font_size(Type::Body)) / 2)), theme.text,
               toast.text.data(), toast.text.data() + toast.text.size());
  host::AccessNode node;
  node.role = host::Role::Status;
  node.name = toast.text;
  ui.describe(ui.id("##toast"), box, std::move(node));
  return true;
}

}  // namespace nns::panels
