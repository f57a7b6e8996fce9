#version 300 es
// A rectangle of the screen, two triangles from the number of the vertex alone.
// u_rect: left, top, right, bottom in clip space. v_cell: place in the tile, in cells.
uniform vec4 u_rect;
uniform vec4 u_cells;  // the part of the tile that the rectangle shows: left, top, right, bottom, in cells
out highp vec2 v_cell;

void main() {
  vec2 corner = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1));
  v_cell = mix(u_cells.xy, u_cells.zw, corner);
  gl_Position = vec4(mix(u_rect.xy, u_rect.zw, corner), 0.0, 1.0);
}
