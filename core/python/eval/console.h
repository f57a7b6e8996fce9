#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/python/eval/machine.h"

namespace nns::python {

/// Python line by line, in one module __main__, as an interactive session has it: what a statement gives is shown, an
/// exception is told and the session goes on. Behaviour: CPython Lib/code.py, InteractiveConsole.
class Console {
 public:
  /// `name`: what stands in tracebacks. Must hold: the machine has its builtins and finders.
  Console(Machine& machine, std::string name);

  enum class Outcome : std::uint8_t {
    /// More lines belong to what was typed.
    Incomplete,
    Done,
    /// The program asked to leave: status() says how.
    Exit,
  };
  /// One more line, without its end. A statement that is complete is run: a block ends with an empty line.
  Outcome push(std::string_view line);
  /// Drops what is incomplete.
  void reset() { typed_.clear(); }
  /// The argument of sys.exit(), once push() gave Exit.
  const std::optional<PyError>& leaving() const { return leaving_; }

  /// The names of __main__.
  const Ref<Dict>& globals() const { return globals_; }
  /// Everything that the dotted name at the end of `text` may become, sorted: "torch.nn.Lin" gives "torch.nn.Linear".
  /// Attributes are read, functions are not called.
  std::vector<std::string> completions(std::string_view text);

 private:
  Machine& machine_;
  std::string name_;
  Ref<Dict> globals_;
  std::string typed_;
  std::optional<PyError> leaving_;
};

/// Where the dotted name at the end of a line begins.
std::size_t completed_from(std::string_view text);

}  // namespace nns::python
