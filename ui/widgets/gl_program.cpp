#include "ui/widgets/gl_program.h"

#include <GLES3/gl3.h>

namespace nns::widgets {

namespace {

GLuint compile(GLenum kind, std::string_view source) {
  const GLuint shader = glCreateShader(kind);
  const char* text = source.data();
  const auto length = static_cast<GLint>(source.size());
  glShaderSource(shader, 1, &text, &length);
  glCompileShader(shader);
  GLint done = GL_FALSE;
  glGetShaderiv(shader, GL_COMPILE_STATUS, &done);
  if (done == GL_TRUE) return shader;
  glDeleteShader(shader);
  return 0;
}

}  // namespace

unsigned int make_gl_program(std::string_view vertex, std::string_view fragment) {
  const GLuint vertex_shader = compile(GL_VERTEX_SHADER, vertex);
  const GLuint fragment_shader = compile(GL_FRAGMENT_SHADER, fragment);
  GLuint program = 0;
  if (vertex_shader != 0 && fragment_shader != 0) {
    program = glCreateProgram();
    glAttachShader(program, vertex_shader);
    glAttachShader(program, fragment_shader);
    glLinkProgram(program);
    GLint done = GL_FALSE;
    glGetProgramiv(program, GL_LINK_STATUS, &done);
    if (done != GL_TRUE) {
      glDeleteProgram(program);
      program = 0;
    }
  }
  // Nothing happens for 0; what is attached lives as long as the program.
  glDeleteShader(vertex_shader);
  glDeleteShader(fragment_shader);
  return program;
}

}  // namespace nns::widgets
