#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ui/widgets/colour_map.h"
#include "ui/widgets/rect.h"
#include "ui/widgets/ui.h"

namespace nns::widgets {

/// Draws tiles of numbers with a shader (shaders/heat_map.frag). Values are taken while a frame is made; the GL work
/// happens when the platform renders the draw list, so that frames can be made (and tested) without GL.
/// Lifetime: outlives the rendering of the frames that used it; destroyed while the GL context is current, or lost.
class HeatMapRenderer {
 public:
  static constexpr std::uint32_t kSlots = 2;

  HeatMapRenderer() = default;
  ~HeatMapRenderer();
  HeatMapRenderer(const HeatMapRenderer&) = delete;
  HeatMapRenderer& operator=(const HeatMapRenderer&) = delete;

  /// The GL context is gone, and everything in it: forgets the names, draws tiles anew once they are set again.
  void graphics_lost();

  /// Keeps a copy of `values` for `slot` unless `version` says that it is there already.
  void set_tile(std::uint32_t slot, std::uint64_t version, std::uint32_t width, std::uint32_t height,
                std::span<const float> values);

  /// Every byte of it is of a field (`unused`, too): drawn pictures are compared byte by byte.
  struct Look {
    ColourMap map = ColourMap::Sequential;
    bool is_dark = true;
    std::uint16_t unused = 0;
    float low = 0;
    float high = 1;
    Colour nan = 0;
    Colour infinite = 0;
    Colour grid = 0;
  };
  /// Puts the part `cells` (in cells of the tile) of `slot` on `rect`.
  void paint(const Ui& ui, std::uint32_t slot, const Rect& rect, const Rect& cells, const Look& look);

 private:
  struct Tile {
    std::uint64_t version = 0;
    std::uint32_t revision = 0;  ///< counts the values that it had
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    std::vector<float> texels;  ///< value and class, two floats a cell; kept for when the GPU loses it
    unsigned int texture = 0;
    bool is_dirty = false;
  };
  struct Command {
    HeatMapRenderer* renderer = nullptr;
    std::uint32_t slot = 0;
    std::uint32_t revision = 0;  ///< of the tile's values
    Rect rect;
    Rect cells;
    Look look;
  };
  static_assert(sizeof(Look) == 4 + 2 * sizeof(float) + 3 * sizeof(Colour));
  static_assert(sizeof(Command) == sizeof(void*) + 8 + 2 * sizeof(Rect) + sizeof(Look));
  enum Uniform : std::size_t { kRect, kCells, kRange, kCellPx, kNan, kInfinite, kGrid, kTile, kMap, kUniformCount };
  static void on_draw(const ImDrawList* list, const ImDrawCmd* command);
  void draw(const Command& command, const ImDrawCmd& draw_command);
  bool make_program();
  void upload(Tile& tile);
  void upload_map(const Look& look);

  std::array<Tile, kSlots> tiles_;
  void set_colour(Uniform uniform, Colour colour) const;
  unsigned int program_ = 0;
  std::array<int, kUniformCount> uniforms_{};
  unsigned int vertex_array_ = 0;
  unsigned int map_texture_ = 0;
  int map_uploaded_ = -1;
  bool failed_ = false;
};

}  // namespace nns::widgets
