#include "ui/widgets/heat_map_renderer.h"

#include <GLES3/gl3.h>

#include <cmath>

#include "ui/widgets/gl_program.h"
#include "ui/widgets/shaders.h"

namespace nns::widgets {

HeatMapRenderer::~HeatMapRenderer() {
  for (const Tile& tile : tiles_) {
    if (tile.texture != 0) glDeleteTextures(1, &tile.texture);
  }
  if (map_texture_ != 0) glDeleteTextures(1, &map_texture_);
  if (vertex_array_ != 0) glDeleteVertexArrays(1, &vertex_array_);
  if (program_ != 0) glDeleteProgram(program_);
}

void HeatMapRenderer::set_colour(Uniform uniform, Colour colour) const {
  const auto channel = [colour](std::uint32_t shift) { return static_cast<float>((colour >> shift) & 0xFFU) / 255.0F; };
  glUniform4f(uniforms_[uniform], channel(0), channel(8), channel(16), channel(24));
}

void HeatMapRenderer::graphics_lost() {
  for (Tile& tile : tiles_) {
    tile.texture = 0;
    tile.is_dirty = !tile.texels.empty();
  }
  program_ = 0;
  vertex_array_ = 0;
  map_texture_ = 0;
  map_uploaded_ = -1;
  failed_ = false;
}

void HeatMapRenderer::set_tile(std::uint32_t slot, std::uint64_t version, std::uint32_t width, std::uint32_t height,
                               std::span<const float> values) {
  Tile& tile = tiles_[slot];
  if (tile.version == version && tile.width == width && tile.height == height) return;
  tile.version = version;
  ++tile.revision;
  tile.width = width;
  tile.height = height;
  tile.texels.resize(values.size() * 2);
  for (std::size_t cell = 0; cell < values.size(); ++cell) {
    const float value = values[cell];
    float kind = 0;
    if (std::isnan(value)) kind = 1;
    if (std::isinf(value)) kind = value > 0 ? 2 : 3;
    tile.texels[2 * cell] = kind == 0 ? value : 0;
    tile.texels[2 * cell + 1] = kind;
  }
  tile.is_dirty = true;
}

void HeatMapRenderer::paint(const Ui& ui, std::uint32_t slot, const Rect& rect, const Rect& cells, const Look& look) {
  if (rect.width <= 0 || rect.height <= 0) return;
  Command command;
  command.renderer = this;
  command.slot = slot;
  command.revision = tiles_[slot].revision;
  command.rect = rect;
  command.cells = cells;
  command.look = look;
  ui.draw().AddCallback(&HeatMapRenderer::on_draw, &command, sizeof command);
  ui.draw().AddCallback(ImDrawCallback_ResetRenderState, nullptr);
}

void HeatMapRenderer::on_draw(const ImDrawList*, const ImDrawCmd* draw_command) {
  const auto& command = *static_cast<const Command*>(draw_command->UserCallbackData);
  command.renderer->draw(command, *draw_command);
}

bool HeatMapRenderer::make_program() {
  if (program_ != 0) return true;
  if (failed_) return false;
  program_ = make_gl_program(shaders::kHeatMapVert, shaders::kHeatMapFrag);
  failed_ = program_ == 0;
  if (failed_) return false;
  // Asked for once: in a browser each question waits for the graphics process.
  constexpr std::array<const char*, kUniformCount> kNames = {"u_rect",     "u_cells", "u_range", "u_cell_px", "u_nan",
                                                             "u_infinite", "u_grid",  "u_tile",  "u_map"};
  for (std::size_t uniform = 0; uniform < kNames.size(); ++uniform) {
    uniforms_[uniform] = glGetUniformLocation(program_, kNames[uniform]);
  }
  glGenVertexArrays(1, &vertex_array_);
  return true;
}

void HeatMapRenderer::upload(Tile& tile) {
  if (!tile.is_dirty) return;
  if (tile.texture == 0) glGenTextures(1, &tile.texture);
  glBindTexture(GL_TEXTURE_2D, tile.texture);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RG32F, static_cast<GLsizei>(tile.width), static_cast<GLsizei>(tile.height), 0,
               GL_RG, GL_FLOAT, tile.texels.data());
  tile.is_dirty = false;
}

void HeatMapRenderer::upload_map(const Look& look) {
  const int wanted = (look.map == ColourMap::Diverging ? 2 : 0) + (look.is_dark ? 1 : 0);
  if (map_texture_ == 0) glGenTextures(1, &map_texture_);
  glBindTexture(GL_TEXTURE_2D, map_texture_);
  if (map_uploaded_ == wanted) return;
  const auto bytes = colour_map_bytes(look.map, look.is_dark);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 256, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, bytes.data());
  map_uploaded_ = wanted;
}

void HeatMapRenderer::draw(const Command& command, const ImDrawCmd& draw_command) {
  Tile& tile = tiles_[command.slot];
  if (tile.width == 0 || tile.height == 0 || !make_program()) return;
  const ImDrawData& data = *ImGui::GetDrawData();
  const ImVec2 scale = data.FramebufferScale;
  const float height = data.DisplaySize.y * scale.y;
  const ImVec4 clip = draw_command.ClipRect;
  glScissor(static_cast<GLint>(clip.x * scale.x), static_cast<GLint>(height - clip.w * scale.y),
            static_cast<GLsizei>((clip.z - clip.x) * scale.x), static_cast<GLsizei>((clip.w - clip.y) * scale.y));
  glDisable(GL_BLEND);
  glUseProgram(program_);
  glBindVertexArray(vertex_array_);
  glActiveTexture(GL_TEXTURE1);
  upload_map(command.look);
  glActiveTexture(GL_TEXTURE0);
  upload(tile);
  glBindTexture(GL_TEXTURE_2D, tile.texture);
  const auto clip_x = [&](float x) { return (x - data.DisplayPos.x) / data.DisplaySize.x * 2 - 1; };
  const auto clip_y = [&](float y) { return 1 - (y - data.DisplayPos.y) / data.DisplaySize.y * 2; };
  const Rect& rect = command.rect;
  const Rect& cells = command.cells;
  glUniform4f(uniforms_[kRect], clip_x(rect.x), clip_y(rect.y), clip_x(rect.right()), clip_y(rect.bottom()));
  glUniform4f(uniforms_[kCells], cells.x, cells.y, cells.right(), cells.bottom());
  glUniform2f(uniforms_[kRange], command.look.low, command.look.high);
  glUniform2f(uniforms_[kCellPx], rect.width * scale.x / cells.width, rect.height * scale.y / cells.height);
  set_colour(kNan, command.look.nan);
  set_colour(kInfinite, command.look.infinite);
  set_colour(kGrid, command.look.grid);
  glUniform1i(uniforms_[kTile], 0);
  glUniform1i(uniforms_[kMap], 1);
  glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
  glEnable(GL_BLEND);
}

}  // namespace nns::widgets
