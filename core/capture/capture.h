#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What a compiler made of modules, as data: the same whether nnscope's own tracer told of it or a log of PyTorch.
namespace nns::capture {

inline constexpr std::uint32_t kNone = UINT32_MAX;

/// A line of a file of the capture; kNone and 0: not known.
struct Place {
  std::uint32_t file = kNone;
  std::uint32_t line = 0;
};

enum class Op : std::uint8_t { Placeholder, GetAttr, CallFunction, CallMethod, CallModule, Output };
std::string_view op_name(Op op);

/// One node of an FX graph. Behaviour: torch/fx/node.py.
struct Node {
  Op op = Op::CallFunction;
  std::string name;
  std::string target;
  std::string arguments;  ///< as a call is written, without its brackets; of a placeholder its source
  std::string example;    ///< "f32[2, 8]": type and shape of the value
  Place place;
  std::string code;                   ///< that line
  std::uint32_t stack = kNone;        ///< the innermost module around it
  std::vector<std::uint32_t> inputs;  ///< nodes before it that it takes
};
struct StackEntry {
  std::uint32_t parent = kNone;
  std::string name;
  std::string class_name;
};
struct Graph {
  /// "dynamo_output_graph"; of a graph that a node of another runs: inner_stage() of that one's.
  std::string stage;
  std::vector<Node> nodes;
  std::vector<StackEntry> stacks;  ///< each behind its parent
  std::uint32_t left_out = 0;      ///< nodes that were too many
};

/// The stage of the graph that a get_attr node with this target stands for, in a graph of `outer`.
std::string inner_stage(std::string_view outer, std::string_view target);

struct Guard {
  std::string kind;
  std::string of;
  std::string origin;
  std::string text;
  Place place;  ///< what asked for it
};
struct StackLine {
  Place place;
  std::string function;
};
enum class BreakAction : std::uint8_t { Split, Stop, SkipFrame, Unknown };
std::string_view break_action_text(BreakAction action);
struct Break {
  BreakAction action = BreakAction::Unknown;
  std::string type;
  std::string context;
  std::string explanation;
  std::vector<std::string> hints;
  std::string code;
  std::vector<StackLine> stack;  ///< the innermost last
  std::vector<std::string> then;
};
struct Reason {
  std::string of;
  std::string guard;
};
struct Module {
  std::string variable;
  std::string of;
  std::string source;
  std::string class_name;
};
struct Timing {
  std::string name;
  double seconds = 0;
};

/// One compilation of one frame.
struct Frame {
  std::string compile_id;
  std::string name;
  Place place;
  std::string outcome;
  std::string why;
  std::uint32_t resumes_line = 0;
  std::vector<Graph> graphs;
  std::vector<Break> breaks;
  std::vector<Guard> guards;
  std::vector<Reason> reasons;
  std::vector<Module> modules;
  std::vector<Timing> timings;
  std::vector<std::pair<std::string, std::string>> facts;
  std::uint32_t guards_left_out = 0;
};
/// Source, as far as it is known: of `numbers` the lines in order, from 1; all where it is empty.
struct File {
  std::string name;
  std::string text;
  std::vector<std::uint32_t> numbers;
};

struct Capture {
  bool is_log = false;
  std::string call;
  std::string inputs;
  std::uint32_t first_new = 0;
  std::vector<Frame> frames;  ///< in the order in which they were begun
  std::vector<File> files;
  std::vector<std::pair<std::string, std::string>> records;
  std::vector<std::string> notes;
  std::string error;
  std::uint64_t lines = 0;  ///< of a log
};

/// The files of a capture by their names, and lines of them that become known.
class FileTable {
 public:
  std::uint32_t number(std::string_view name);
  void add_line(Place place, std::string_view text);
  /// The files; `numbers` and `text` hold the lines that were added.
  std::vector<File> take();

 private:
  std::map<std::string, std::uint32_t, std::less<>> numbers_;
  std::vector<File> files_;
  std::vector<std::map<std::uint32_t, std::string>> lines_;
};

}  // namespace nns::capture
