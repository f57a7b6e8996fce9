#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/live/document_view.h"
#include "core/live/protocol_generated.h"

/// What one call of a module shows: the tree of modules with what went through each.
namespace nns::model {

enum class CallColumn : std::uint8_t { Input, Output, Parameters, Flops, Time, OutputBytes, Bytes };
inline constexpr std::size_t kCallColumns = 7;

struct CallTitle {
  std::string_view title;
  std::string_view about;  ///< what it is, for a tooltip
  bool is_number;
};
const CallTitle& call_title(CallColumn column);

/// As the table shows it; "" for nothing.
std::string call_text(const live::wire::CallRow& row, CallColumn column);
/// Of the columns that are a part of the whole call: the number; else nothing.
std::optional<std::uint64_t> call_number(const live::wire::CallRow& row, CallColumn column);
/// "124,439,808 parameters · 292 G FLOPs · 1.24 GB of outputs · shapes only": the whole call.
std::string call_totals(const live::wire::CallSummary& call);
/// "transformer.h.0" of a row; of the module that was called "".
std::string call_path(const live::wire::CallSummary& call, std::uint32_t row);

/// The rows that are unfolded.
class CallTable {
 public:
  struct Line {
    std::uint32_t row = 0;
    std::uint16_t depth = 0;
    bool is_expandable = false;
    bool is_expanded = false;
  };

  /// Takes over another call; what is unfolded stays where the modules are those of before. Null: none.
  /// Must hold: `call` stays until the next show().
  void show(const live::wire::CallSummary* call);
  const live::wire::CallSummary* call() const { return call_; }
  std::span<const Line> lines() const { return lines_; }
  /// "called 3 times", "not called", "same as encoder" of a row; "" where there is nothing to be said.
  std::string note(std::uint32_t row) const;
  void expand(std::uint32_t line, bool is_open);
  void expand_all();
  /// The line of the module above, or `line` itself.
  std::uint32_t parent_line(std::uint32_t line) const;

 private:
  void rebuild();
  bool is_alike(const live::wire::CallSummary& other) const;

  const live::wire::CallSummary* call_ = nullptr;
  std::vector<std::string> names_;  ///< of the rows of `call_`
  std::vector<std::uint32_t> end_;  ///< of each row, behind all that is below it
  std::vector<std::uint8_t> used_;  ///< of each row: it was called, or something below it
  std::vector<std::uint8_t> open_;  ///< of each row
  std::vector<Line> lines_;
};

/// What to call a row of a program's document: an expression of Python ("model.get_submodule(\"h.0\")").
std::string call_expression(const live::DocumentView& document, std::uint32_t row);
/// The path in the document of the module that such an expression names; other expressions are their own path.
std::string path_of_expression(std::string_view expression);
/// The row that is called if nobody says it: the chosen one, if it is a module, else the program's first module.
std::optional<std::uint32_t> default_module(const live::DocumentView& document, std::uint32_t selected);
/// Inputs that the first layer below a row would take, by its class and the shape of its weight; "" if that says
/// nothing.
std::string guess_inputs(const live::DocumentView& document, std::uint32_t row);

}  // namespace nns::model
