#include "core/session/source_check.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>

#include "core/object/interpreter.h"
#include "core/python/eval/compiler.h"
#include "core/python/syntax/highlight.h"
#include "core/python/syntax/parser.h"

namespace nns::session {

namespace {

/// A mark of byte order is no part of the first line to Python; here it is.
constexpr std::string_view kByteOrder = "\xEF\xBB\xBF";

SourceFindings::Problem problem_of(const python::Source& source, const python::SyntaxError& error, std::uint32_t mark) {
  const auto size = static_cast<std::uint32_t>(source.text().size());
  const std::uint32_t begin = std::min(error.span.begin, size);
  const std::uint32_t end = std::clamp(error.span.end, begin, size);
  SourceFindings::Problem problem;
  problem.line = source.line_of(begin) - 1;
  problem.begin = source.column_of(begin) + (problem.line == 0 ? mark : 0);
  problem.end_line = source.line_of(end) - 1;
  problem.end = source.column_of(end) + (problem.end_line == 0 ? mark : 0);
  const bool is_indentation = error.message.starts_with("expected an indented block");
  problem.message = (is_indentation ? "IndentationError: " : "SyntaxError: ") + error.message;
  return problem;
}

}  // namespace

SourceFindings check_python_source(const std::string& text) {
  SourceFindings findings;
  std::uint32_t line = 0;
  std::uint32_t line_begin = 0;
  std::size_t line_end = text.find('\n');
  for (const python::Token& token : python::highlight(text)) {
    for (; line_end < token.span.begin; line_end = text.find('\n', line_begin)) {
      line_begin = static_cast<std::uint32_t>(line_end) + 1;
      ++line;
    }
    findings.tokens.push_back(
        {line, token.span.begin - line_begin, token.span.end - line_begin, static_cast<std::uint8_t>(token.kind)});
  }
  const auto mark = static_cast<std::uint32_t>(text.starts_with(kByteOrder) ? kByteOrder.size() : 0);
  const python::Parsed parsed = python::parse("<editor>", text);
  if (parsed.error) {
    findings.problems.push_back(problem_of(parsed.tree->source(), *parsed.error, mark));
    return findings;
  }
  // What only the compiler refuses: 'return' outside function, names that are global too late.
  object::Interpreter interpreter;
  const python::Compiled compiled = python::compile(interpreter, parsed.tree);
  if (const auto* error = std::get_if<python::SyntaxError>(&compiled)) {
    findings.problems.push_back(problem_of(parsed.tree->source(), *error, mark));
  }
  return findings;
}

}  // namespace nns::session
