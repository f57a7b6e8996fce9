#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/dynamo/guard.h"
#include "core/dynamo/report.h"
#include "core/python/eval/machine.h"

namespace nns::dynamo {

/// What of a compilation is told while it happens. NNS_TOLD(C++ name, name in torch._logging._relay).
enum class Told : std::uint8_t {
#define NNS_TOLD(id, name) id,
#include "core/dynamo/told.def"
#undef NNS_TOLD
};

/// Tells a function of the program what happens while frames are compiled: the messages of TORCH_LOGS and
/// torch._logging.set_logs(). Costs a comparison where nobody asked.
/// Behaviour: the loggers of torch/_dynamo (symbolic_convert.py, output_graph.py, guards.py, convert_frame.py).
class CompileLog {
 public:
  explicit CompileLog(python::Machine& machine) : machine_(machine) {}

  /// `listener(kind, trace id, ...)` is called for the kinds of that list of names. None: nobody listens.
  PyResult<void> listen(Value listener, const Value& kinds);
  bool wants(Told kind) const { return (wanted_ >> static_cast<unsigned>(kind) & 1U) != 0; }

  /// An attempt to compile a frame begins: what follows is about it.
  void begin(std::string_view compile_id, int attempt, const python::Code& code);
  /// function, file, line.
  void tell_start(const std::string& function, std::string_view file, std::uint32_t line);
  /// The end of a graph, as PyTorch names it: "RETURN_VALUE".
  void tell_done(const std::string& function, std::string_view how);
  /// A line is begun, `depth` calls below the frame that is compiled.
  void tell_line(const python::Code& code, std::uint32_t line, std::size_t depth);
  /// A node was made by what stands at an instruction of `code`.
  void tell_call(const std::string& node, const python::Code& code, std::uint32_t instruction, std::size_t depth);
  /// What the graph broke for and how it went on; `then`: what followed from it.
  void tell_break(BreakAction action, const BreakReason& reason, const std::vector<BreakReason>& then);
  void tell_graph(const Value& graph_module);
  void tell_backend(const Value& backend, bool is_done);
  void tell_guards(const GuardSet& guards, Scope scope, std::size_t source_count);
  void tell_recompile(std::string_view compile_id, const std::string& function, std::string_view file,
                      std::uint32_t line, const std::vector<RecompileRecord::Reason>& reasons);
  /// Told even where nobody asked, as PyTorch warns of it.
  void tell_limit(std::string_view compile_id, const std::string& function, std::string_view file, std::uint32_t line,
                  std::int64_t limit, const RecompileRecord::Reason& last);

 private:
  /// What a listener raises is dropped: a log never ends a compilation.
  void tell(Told kind, std::vector<Value> what);
  Value text(std::string_view text) const;
  /// Rows (file, line, function, text of the line) of the frames that the machine is in, outermost first.
  Value frames_above() const;

  python::Machine& machine_;
  Value listener_;
  std::uint32_t wanted_ = 0;
  std::string trace_id_;
  /// What is compiled: its own frame is not above it.
  const python::Code* code_ = nullptr;
};

}  // namespace nns::dynamo
