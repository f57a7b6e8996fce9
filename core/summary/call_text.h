#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nns::summary {

/// What a module is called with, as a person writes it.
struct CallInput {
  std::string keyword;     ///< empty: by position
  std::string expression;  ///< of Python
};

/// Reads one input: an expression, with `keyword=` before it or without, or the sizes of a tensor of zeros as in
/// "1,3,32,32", "(2,)", "8:long", "2,4:torch.bfloat16". A single number is a number.
CallInput read_input(std::string_view text);

/// Inputs that are written in one line, with ";" between them: texts in quotes may hold one. Empty ones are left out.
std::vector<std::string> split_inputs(std::string_view line);

}  // namespace nns::summary
