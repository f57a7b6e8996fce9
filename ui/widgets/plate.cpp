#include "ui/widgets/plate.h"

#include <GLES3/gl3.h>

#include <algorithm>
#include <cmath>

namespace nns::widgets {

namespace {

struct Plate {
  Rect rect;
  Colour colour = 0;
};

void clear_plate(const ImDrawList*, const ImDrawCmd* command) {
  const auto& plate = *static_cast<const Plate*>(command->UserCallbackData);
  const ImDrawData& data = *ImGui::GetDrawData();
  const ImVec4& clip = command->ClipRect;
  const auto pixel = [](float place, float origin, float scale) {
    return static_cast<GLint>(std::lround((place - origin) * scale));
  };
  const ImVec2 origin = data.DisplayPos, scale = data.FramebufferScale;
  const GLint left = pixel(std::max(plate.rect.x, clip.x), origin.x, scale.x);
  const GLint right = pixel(std::min(plate.rect.right(), clip.z), origin.x, scale.x);
  const GLint top = pixel(std::max(plate.rect.y, clip.y), origin.y, scale.y);
  const GLint bottom = pixel(std::min(plate.rect.bottom(), clip.w), origin.y, scale.y);
  if (right <= left || bottom <= top) return;
  const GLint height = pixel(data.DisplaySize.y, 0, scale.y);
  const ImVec4 colour = ImGui::ColorConvertU32ToFloat4(plate.colour);
  // The backend sets the scissor anew for each of its own commands.
  glScissor(left, height - bottom, right - left, bottom - top);
  glClearColor(colour.x, colour.y, colour.z, 1);
  glClear(GL_COLOR_BUFFER_BIT);
}

}  // namespace

void draw_plate(const Ui& ui, const Rect& rect, Colour colour) {
  Plate plate{rect, colour};
  ui.draw().AddCallback(&clear_plate, &plate, sizeof plate);
}

}  // namespace nns::widgets
