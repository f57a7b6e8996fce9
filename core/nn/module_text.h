#pragma once

#include <string>
#include <vector>

#include "core/nn/module.h"

namespace nns::nn {

/// The pieces that the texts of modules are made of.
std::vector<std::string> split_lines(std::string_view text);
/// Indents all lines but the first by two. Blank ones become empty, unless they are to be indented too.
std::string add_indent(std::string_view text, bool indent_blank_lines);
/// "Name(" and the lines, each indented by two, and ")".
std::string framed(std::string_view name, const std::vector<std::string>& lines);
/// module._get_name().
PyResult<std::string> shown_name(Module& module);
/// What Module.__repr__ gives, whatever the class says.
PyResult<std::string> module_text(Module& module);

}  // namespace nns::nn
