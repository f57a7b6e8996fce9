#version 300 es
// One rectangle as two triangles, made from the number of the vertex alone: six of them a rectangle. (As instances of four
// vertices they would be as many small draws, which software rasterisers and some GPUs carry out one by one.) Edges lie on
// whole pixels, so that neighbours neither overlap nor leave a seam; what is less than a pixel becomes one.
precision highp float;
precision highp int;
precision highp sampler2D;
uniform vec4 u_view;          // scale x, y and offset x, y: units of the layout to pixels of the framebuffer
uniform vec2 u_screen;        // size of the framebuffer in pixels
uniform sampler2D u_rects;    // left, top, width, height; rectangle i is texel (i % width, i / width)
uniform sampler2D u_colours;
flat out vec4 v_colour;

const int kCorners[6] = int[6](0, 1, 2, 2, 1, 3);

void main() {
  int number = gl_VertexID / 6;
  int wide = textureSize(u_rects, 0).x;
  ivec2 at = ivec2(number % wide, number / wide);
  vec4 rect = texelFetch(u_rects, at, 0);
  vec2 from = floor(rect.xy * u_view.xy + u_view.zw + 0.5);
  vec2 to = floor((rect.xy + rect.zw) * u_view.xy + u_view.zw + 0.5);
  // A line between tiles that are large enough to be told apart.
  to -= step(vec2(4.0), to - from);
  to = max(to, from + 1.0);
  int corner = kCorners[gl_VertexID % 6];
  vec2 place = mix(from, to, vec2(float(corner & 1), float(corner >> 1))) / u_screen * 2.0 - 1.0;
  gl_Position = vec4(place.x, -place.y, 0.0, 1.0);
  v_colour = texelFetch(u_colours, at, 0);
}
