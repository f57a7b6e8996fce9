#include "ui/widgets/dialog.h"

#include <utility>

namespace nns::widgets {

Dialog::Dialog(Ui& ui, const Rect& area, const char* window, const Rect& box, std::string name) : ui_(ui), box_(box) {
  ImGui::SetNextWindowPos(ImVec2(area.x, area.y));
  ImGui::SetNextWindowSize(ImVec2(area.width, area.height));
  ImGui::Begin(window, nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoScrollWithMouse);
  const Theme& theme = ui.theme();
  ui.draw().AddRectFilled(ImVec2(area.x, area.y), ImVec2(area.right(), area.bottom()), with_alpha(theme.shadow, 0.7F));
  ui.access().set_modal(ui.open_group(ui.id("dialog"), box, host::Role::Dialog, std::move(name)));
  ui.draw().AddRectFilled(ImVec2(box.x, box.y), ImVec2(box.right(), box.bottom()), theme.overlay, ui.px(12));
  ui.draw().AddRect(ImVec2(box.x, box.y), ImVec2(box.right(), box.bottom()), theme.border, ui.px(12));
}

Dialog::~Dialog() {
  ui_.close_group();
  ImGui::End();
}

bool Dialog::is_pressed_outside() const {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  return ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !box_.contains(mouse.x, mouse.y) && ImGui::IsWindowHovered();
}

}  // namespace nns::widgets
