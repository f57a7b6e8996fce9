#pragma once

#include <string_view>

namespace nns::widgets {

/// Compiles and links two shaders (GLSL ES 3.00); 0 if the driver refuses them. Must hold: a GL context is current.
unsigned int make_gl_program(std::string_view vertex, std::string_view fragment);

}  // namespace nns::widgets
