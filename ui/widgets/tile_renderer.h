#pragma once

#include <cstdint>
#include <vector>

#include "ui/widgets/rect.h"
#include "ui/widgets/ui.h"

namespace nns::widgets {

/// Draws any number of filled rectangles with one call (shaders/tiles.vert): what does not change costs a frame
/// nothing. Later ones cover earlier ones.
/// Lifetime: outlives the rendering of the frames that used it; destroyed while the GL context is current, or lost.
class TileRenderer {
 public:
  /// One rectangle. Units: the caller's; see View.
  struct Tile {
    float x = 0, y = 0, width = 0, height = 0;
    Colour colour = 0;
  };
  /// Where the tiles' origin is on the screen, and how large their unit is there. Units: pixels of the interface.
  struct View {
    float scale = 1;
    float x = 0;
    float y = 0;
  };

  TileRenderer() = default;
  ~TileRenderer();
  TileRenderer(const TileRenderer&) = delete;
  TileRenderer& operator=(const TileRenderer&) = delete;

  /// The GL context is gone, and everything in it: what was set is sent again.
  void graphics_lost();
  /// Whether tiles of that version are here.
  bool has(std::uint64_t version) const { return version_ == version; }
  void set_tiles(std::uint64_t version, std::vector<Tile> tiles);
  /// Draws what was set, cut at `clip`.
  void paint(const Ui& ui, const Rect& clip, const View& view);

 private:
  struct Command {
    TileRenderer* renderer = nullptr;
    View view;
    std::uint32_t revision = 0;  ///< of the tiles
  };
  static void on_draw(const ImDrawList* list, const ImDrawCmd* command);
  void draw(const View& view, const ImDrawCmd& draw_command);
  bool make_program();
  void send_tiles();

  std::uint64_t version_ = 0;
  std::uint32_t revision_ = 0;  // counts the tiles that it had
  std::vector<Tile> tiles_;     // kept for when the GPU loses them
  bool is_dirty_ = false;
  unsigned int program_ = 0;
  unsigned int vertex_array_ = 0;  // without attributes
  unsigned int textures_[2] = {};  // rectangles, colours
  int view_uniform_ = -1;
  int screen_uniform_ = -1;
  bool failed_ = false;
};

}  // namespace nns::widgets
