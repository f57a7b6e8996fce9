#include "ui/widgets/tile_renderer.h"

#include <GLES3/gl3.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "ui/widgets/gl_program.h"
#include "ui/widgets/shaders.h"

namespace nns::widgets {
namespace {

/// Tiles lie in rows of textures. Each GPU takes 2,048 rows, most take 16,384: 4 to 33 million tiles.
constexpr std::size_t kTilesARow = 2048;

}  // namespace

TileRenderer::~TileRenderer() {
  if (textures_[0] != 0) glDeleteTextures(2, textures_);
  if (vertex_array_ != 0) glDeleteVertexArrays(1, &vertex_array_);
  if (program_ != 0) glDeleteProgram(program_);
}

void TileRenderer::graphics_lost() {
  program_ = 0;
  vertex_array_ = 0;
  textures_[0] = textures_[1] = 0;
  is_dirty_ = true;
  failed_ = false;
}

void TileRenderer::set_tiles(std::uint64_t version, std::vector<Tile> tiles) {
  version_ = version;
  ++revision_;
  tiles_ = std::move(tiles);
  is_dirty_ = true;
}

void TileRenderer::paint(const Ui& ui, const Rect& clip, const View& view) {
  if (tiles_.empty() || clip.width <= 0 || clip.height <= 0) return;
  ImDrawList& list = ui.draw();
  list.PushClipRect(ImVec2(clip.x, clip.y), ImVec2(clip.right(), clip.bottom()), true);
  Command command{this, view, revision_};
  list.AddCallback(&TileRenderer::on_draw, &command, sizeof command);
  list.AddCallback(ImDrawCallback_ResetRenderState, nullptr);
  list.PopClipRect();
}

void TileRenderer::on_draw(const ImDrawList*, const ImDrawCmd* draw_command) {
  const auto& command = *static_cast<const Command*>(draw_command->UserCallbackData);
  command.renderer->draw(command.view, *draw_command);
}

bool TileRenderer::make_program() {
  if (program_ != 0) return true;
  if (failed_) return false;
  program_ = make_gl_program(shaders::kTilesVert, shaders::kTilesFrag);
  failed_ = program_ == 0;
  if (failed_) return false;
  view_uniform_ = glGetUniformLocation(program_, "u_view");
  screen_uniform_ = glGetUniformLocation(program_, "u_screen");
  glGenVertexArrays(1, &vertex_array_);
  glUseProgram(program_);
  glUniform1i(glGetUniformLocation(program_, "u_rects"), 0);
  glUniform1i(glGetUniformLocation(program_, "u_colours"), 1);
  glGenTextures(2, textures_);
  for (const unsigned int texture : textures_) {
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  }
  return true;
}

void TileRenderer::send_tiles() {
  const std::size_t rows = (tiles_.size() + kTilesARow - 1) / kTilesARow;
  std::vector<float> rects(rows * kTilesARow * 4);
  std::vector<Colour> colours(rows * kTilesARow);
  for (std::size_t i = 0; i < tiles_.size(); ++i) {
    const Tile& tile = tiles_[i];
    const std::array<float, 4> rect = {tile.x, tile.y, tile.width, tile.height};
    std::copy(rect.begin(), rect.end(), rects.begin() + static_cast<std::ptrdiff_t>(i * 4));
    colours[i] = tile.colour;
  }
  const auto wide = static_cast<GLsizei>(kTilesARow);
  const auto high = static_cast<GLsizei>(rows);
  glBindTexture(GL_TEXTURE_2D, textures_[0]);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA32F, wide, high, 0, GL_RGBA, GL_FLOAT, rects.data());
  glBindTexture(GL_TEXTURE_2D, textures_[1]);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, wide, high, 0, GL_RGBA, GL_UNSIGNED_BYTE, colours.data());
}

void TileRenderer::draw(const View& view, const ImDrawCmd& draw_command) {
  if (!make_program()) return;
  const ImDrawData& data = *ImGui::GetDrawData();
  const ImVec2 scale = data.FramebufferScale;
  const float width = data.DisplaySize.x * scale.x;
  const float height = data.DisplaySize.y * scale.y;
  const ImVec4 clip = draw_command.ClipRect;
  if (clip.z <= clip.x || clip.w <= clip.y) return;
  glScissor(static_cast<GLint>(clip.x * scale.x), static_cast<GLint>(height - clip.w * scale.y),
            static_cast<GLsizei>((clip.z - clip.x) * scale.x), static_cast<GLsizei>((clip.w - clip.y) * scale.y));
  glDisable(GL_BLEND);
  glUseProgram(program_);
  glBindVertexArray(vertex_array_);
  if (std::exchange(is_dirty_, false)) send_tiles();
  for (unsigned int i = 0; i < 2; ++i) {
    glActiveTexture(GL_TEXTURE0 + i);
    glBindTexture(GL_TEXTURE_2D, textures_[i]);
  }
  glActiveTexture(GL_TEXTURE0);
  glUniform4f(view_uniform_, view.scale * scale.x, view.scale * scale.y, (view.x - data.DisplayPos.x) * scale.x,
              (view.y - data.DisplayPos.y) * scale.y);
  glUniform2f(screen_uniform_, width, height);
  glDrawArrays(GL_TRIANGLES, 0, static_cast<GLsizei>(tiles_.size() * 6));
  glEnable(GL_BLEND);
}

}  // namespace nns::widgets
