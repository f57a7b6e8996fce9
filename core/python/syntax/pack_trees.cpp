// pack_trees HEADER NAMESPACE OUTPUT NAME=FILE...
// parses Python modules and writes OUTPUT.h and OUTPUT.cpp, which hold each one's packed tree as a std::string_view
// constant NAME of that namespace. HEADER is how the header is included. Run when nnscope is built.
#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "core/python/syntax/packed_tree.h"
#include "core/python/syntax/parser.h"

namespace {

// The bytes as a literal: octal escapes, which end after three digits whatever follows.
std::string as_literal(std::string_view bytes) {
  std::string literal;
  literal.reserve(bytes.size() * 3);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i % 64 == 0) literal += "\"\n    \"";
    const auto byte = static_cast<unsigned char>(bytes[i]);
    const bool plain = byte >= 0x20 && byte < 0x7F && byte != '"' && byte != '\\' && byte != '?';
    if (plain) {
      literal += static_cast<char>(byte);
    } else {
      literal += fmt::format("\\{:03o}", byte);
    }
  }
  return literal;
}

bool write(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) fmt::print(stderr, "pack_trees: {} cannot be written\n", path);
  return !file.fail();
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 4) {
    fmt::print(stderr, "usage: pack_trees HEADER NAMESPACE OUTPUT NAME=FILE...\n");
    return 2;
  }
  const std::string_view header = arguments[1], space = arguments[2];
  const std::string output = arguments[3];
  std::string declarations, definitions;
  for (int i = 4; i < count; ++i) {
    const std::string_view pair = arguments[i];
    const std::size_t equals = pair.find('=');
    const std::string path(pair.substr(equals == std::string_view::npos ? pair.size() : equals + 1));
    std::ifstream file(path, std::ios::binary);
    if (!file) {
      fmt::print(stderr, "pack_trees: {} cannot be read\n", path);
      return 1;
    }
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const nns::python::Parsed parsed = nns::python::parse(path, text);
    if (parsed.error) {
      fmt::print(stderr, "{}:{}: {}\n", path, parsed.tree->source().line_of(parsed.error->span.begin),
                 parsed.error->message);
      return 1;
    }
    const std::string packed = nns::python::pack_tree(*parsed.tree);
    const std::string_view name = pair.substr(0, equals);
    declarations += fmt::format("extern const std::string_view {};\n", name);
    definitions += fmt::format("constinit const std::string_view {}{{\n    \"{}\", {}}};\n", name, as_literal(packed),
                               packed.size());
  }
  const std::string head = fmt::format("#pragma once\n#include <string_view>\n\nnamespace {} {{\n", space);
  return write(output + ".h", fmt::format("{}{}}}  // namespace {}\n", head, declarations, space)) &&
                 write(output + ".cpp", fmt::format("#include \"{}\"\n\nnamespace {} {{\n{}}}  // namespace {}\n",
                                                    header, space, definitions, space))
             ? 0
             : 1;
}
