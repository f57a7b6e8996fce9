// The text of a graph break, as errors and logs show it.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/dynamo/report.h"

namespace nns::dynamo {
namespace {

struct Row {
  std::string_view type;
  int number;
};

// Numbers of the registry of graph breaks. Behaviour: torch/_dynamo/graph_break_registry.json.
constexpr Row kNumbers[] = {
    {"Attempted to call function marked as skipped", 7},
    {"Attempted to inline function marked as skipped", 8},
    {"Attempted to represent unregistered RemovableHandle", 13},
    {"Attempted to wrap RNN, GRU, or LSTM", 14},
    {"Attempted to wrap sparse Tensor", 15},
    {"Call to `torch._dynamo.graph_break()`", 25},
    {"Compilation of intermediate hooks requires compiled autograd", 29},
    {"Data dependent operator", 33},
    {"Data-dependent assertion failed (cannot compile partial graph)", 34},
    {"Dynamic shape operator", 36},
    {"Dynamic shape operator (no meta kernel)", 37},
    {"Dynamo recompile limit exceeded", 39},
    {"Encountered tensor.is_inference() during tracing", 45},
    {"Encountered torch.is_inference_mode_enabled during tracing", 46},
    {"FSDP with use_orig_params=False", 53},
    {"Failed to convert args/kwargs to proxy", 55},
    {"Failed to mutate tensor data attribute", 56},
    {"Failed to set tensor attribute", 58},
    {"Failed to trace builtin operator", 59},
    {"Graph break under GenericContextWrappingVariable", 66},
    {"HOP: Unsafe side effect", 67},
    {"Indexing list with non-scalar tensor", 70},
    {"Inplace op on input tensor", 72},
    {"LOAD_BUILD_CLASS bytecode not supported", 75},
    {"Missing bytecode handler", 82},
    {"Module-level backwards hooks require compiled autograd.", 83},
    {"NotImplementedError/UnsupportedFakeTensorException when running FX node", 87},
    {"Observed exception", 88},
    {"Reconstruction failure", 92},
    {"Skip calling `torch.compiler.disable()`d function", 98},
    {"Skip inlining `torch.compiler.disable()`d function", 99},
    {"Tensor with grad_fn()", 104},
    {"Tensor.random_ op", 107},
    {"Tensor.retain_grad() with AOTDispatcher", 108},
    {"Tensor.tolist() with non-integer tensor", 109},
    {"Tensor.uniform_ op called with `from` keyword", 110},
    {"Uninitialized nn.Module", 119},
    {"UnspecializedNNModuleVariable missing method", 121},
    {"Unsupported Tensor.backward() call", 123},
    {"Unsupported Tensor.item() call with capture_scalar_outputs=False", 124},
    {"Unsupported Tensor.requires_grad_() call", 125},
    {"Unsupported context manager", 142},
    {"Unsupported function call", 147},
    {"Unsupported function call (delayed)", 148},
    {"Unsupported method call", 156},
    {"Unsupported key type for nn.Module.__getitem__", 153},
    {"Unsupported nn.Module attribute type", 161},
    {"Data-dependent branching", 170},
    {"invalid call to builtin op handler", 193},
    {"non-const argument in nn.Module method", 202},
    {"setattr() on Tensor.requires_grad", 206},
    {"sort with non-constant keys", 207},
    {"torch.* op returned non-Tensor", 208},
    {"Backend compiler exception", 219},
    {"Failed to mutate tensor data attribute to different dtype", 220},
    {"Attempted to wrap a set with tensors", 222},
    {"torch.compile call with > 1 args", 223},
    {"Attempted to use tensor creation function with requires_grad=True", 225},
    {"Shape mismatch with out= list of tensor variants", 240},
    {"Attempted to call op with non-contiguous `out=` list of tensors", 241},
    {"Attempted to call op with non-contiguous `out=` tensor", 242},
    {"Attempted to use `torch.nn.functional.one_hot` with data-dependent output shape", 246},
    {"Shape mismatch with out= tensor variant", 247},
    {"Attempted to use `torch.nn.Parameter()` constructor with Dynamo", 264},
    {"Unsupported dict type for fromkeys()", 278},
    {"Invalid or non-const argument in nn.Module __getitem__", 281},
    {"cannot resume from torch._dynamo.step_unsupported()", 284},
    {"logging.Logger method not supported for non-export cases", 291},
    {"Call to `torch.compiler.disable()`", 377},
    {"setattr() on unsupported type", 467},
    {"repr() on tensor", 569},
    {"Unsupported Tensor.share_memory_() call", 4197},
    {"RuntimeError when making fake tensor call", 4315},
    {"missing sq_contains", 4411},
    {"Call to `torch._dynamo.step_unsupported()`", 4636},
    {"Generator", 5526},
    {"list_richcompare_nonconst", 6622},
    {"graph break in loop", 7000},
    {"returning intermediate with requires_grad_()", 7324},
    {"Unsupported argument type in tensor method call", 7489},
    {"copy.deepcopy(tensor)", 7581},
    {"torch.Generator method", 7650},
    {"repr() on non-constant list-like", 7968},
    {"repr() on non-constant dict", 8315},
    {"requires_grad_() intermediate leaked as output", 8985},
    {"using `torch.autograd.grad` with `torch._dynamo.config.trace_autograd_ops=False`", 9186},
    {"Missing richcompare_impl override", 9648},
};

}  // namespace

// Behaviour: torch/_dynamo/symbolic_convert.py, the texts of break_graph_if_unsupported and step_graph_break.
std::string during_text(BreakAction action, const BreakReason& reason) {
  if (action == BreakAction::Stop) {
    return "Encountered graph break that we cannot resume from. Compiling up to the previous resumable state, then "
           "skipping the rest of the function. Graph break encountered";
  }
  if (action == BreakAction::SkipFrame && reason.instruction.empty()) {
    return "Failed to handle graph break gracefully. Skipping the function and falling back to eager. Graph break "
           "encountered";
  }
  if (reason.instruction.empty()) return "jump";
  return fmt::format("Encountered graph break when attempting to trace {}", reason.instruction);
}

std::string break_text(const BreakReason& reason) {
  const auto indented = [](std::string text) {
    for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 5) text.replace(at, 1, "\n    ");
    return text;
  };
  std::string text = reason.type;
  if (!reason.higher_order_operator.empty()) text += "\n  Higher Order Operator: " + reason.higher_order_operator;
  text += "\n  Explanation: " + indented(reason.explanation);
  for (const std::string& hint : reason.hints) text += "\n  Hint: " + indented(hint);
  text += "\n\n  Developer debug context: " + reason.context + "\n";
  const auto* const row =
      std::find_if(std::begin(kNumbers), std::end(kNumbers), [&](const Row& one) { return one.type == reason.type; });
  if (row != std::end(kNumbers)) {
    text += fmt::format(
        "\n For more details about this graph break, please visit: "
        "https://meta-pytorch.github.io/compile-graph-break-site/gb/gb{:04}.html",
        row->number);
  }
  return text;
}

// Behaviour: torch/_dynamo/exc.py, augment_exc_message.
std::string from_user_code(const BreakReason& reason, bool is_verbose) {
  std::string text = "\n";
  for (std::size_t i = 0; i < reason.stack.size(); ++i) {
    const auto& [function, line] = reason.stack[i];
    text += fmt::format("{}  File \"{}\", line {}, in {}\n    {}\n", i == 0 ? "\nfrom user code:\n " : "",
                        reason.files[i], line, function, reason.lines[i]);
  }
  if (!is_verbose) {
    text +=
        "\nSet TORCHDYNAMO_VERBOSE=1 for the internal stack trace (please do this especially if you're reporting a bug "
        "to "
        "PyTorch). For even more developer context, set TORCH_LOGS=\"+dynamo\"\n";
  }
  return text;
}

}  // namespace nns::dynamo
