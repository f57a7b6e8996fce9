#version 300 es
// One cell of a tile a texel: red is the value, green its class (0 finite, 1 NaN, 2 +inf, 3 -inf; NaN itself is not
// trusted to arrive: drivers may assume that there is none). The colour comes from a table of 256.
precision highp float;
uniform highp sampler2D u_tile;
uniform sampler2D u_map;
uniform vec2 u_range;        // low, high
uniform vec2 u_cell_px;      // pixels of one cell
uniform vec4 u_nan;
uniform vec4 u_infinite;
uniform vec4 u_grid;         // colour of the lines between large cells
in highp vec2 v_cell;
out vec4 o_colour;

void main() {
  ivec2 size = textureSize(u_tile, 0);
  ivec2 cell = clamp(ivec2(floor(v_cell)), ivec2(0), size - 1);
  vec2 texel = texelFetch(u_tile, cell, 0).rg;
  vec2 inside = fract(v_cell);
  vec4 colour;
  if (texel.g > 0.5) {
    // Not a number: stripes, so that it is seen without colour, too.
    colour = texel.g < 1.5 ? u_nan : u_infinite;
    float stripe = mod(floor((gl_FragCoord.x + (texel.g < 2.5 ? 1.0 : -1.0) * gl_FragCoord.y) / 3.0), 2.0);
    colour.rgb *= 0.72 + 0.28 * stripe;
  } else {
    // Halves: the whole span of float32 is no float32.
    float span = max(u_range.y * 0.5 - u_range.x * 0.5, 1e-37);
    float at = clamp((texel.r * 0.5 - u_range.x * 0.5) / span, 0.0, 1.0);
    colour = texture(u_map, vec2((at * 255.0 + 0.5) / 256.0, 0.5));
  }
  vec2 edge = inside * u_cell_px;
  float line = (u_cell_px.x > 8.0 && edge.x < 1.0) || (u_cell_px.y > 8.0 && edge.y < 1.0) ? u_grid.a : 0.0;
  o_colour = vec4(mix(colour.rgb, u_grid.rgb, line), 1.0);
}
