// Functions that are not followed, and what the break at a call of one says.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/dynamo/engine.h"
#include "core/dynamo/hints.h"

namespace nns::dynamo {

Variable* Engine::skipped_call(Translator& translator, const Function& function) {
  const std::string name(function.qualified_name());
  std::string_view file = function.code().tree->source().name();
  if (file.size() > 2) file = file.substr(1, file.size() - 2);
  if (name == "_break_for_backward_hooks") {
    return translator.unsupported(
        "Module-level backwards hooks require compiled autograd.", "", "",
        {"Enable compiled autograd by setting torch._dynamo.config.compiled_autograd = True."});
  }
  if (file == "warnings" && name == "warn") {
    return translator.unsupported(
        "Attempted to call function marked as skipped",
        "module: _warnings, qualname: warn, skip reason: cannot determine source file for _warnings (likely a C "
        "extension or builtin)",
        "Dynamo does not know how to trace the Python builtin `_warnings.warn`.",
        {"If you are attempting to call a logging function (e.g. `_warnings.warn`), you can try adding it to "
         "`torch._dynamo.config.reorderable_logging_functions`.",
         "Please file an issue on GitHub so the PyTorch team can add support for it."});
  }
  constexpr std::string_view kLogger = "Logger.";
  if (file == "logging" && name.starts_with(kLogger)) return logger_call(translator, name.substr(kLogger.size()));
  return skipped_call(translator, file, name);
}

// Behaviour: torch/_dynamo/variables/misc.py, LoggingLoggerVariable.
Variable* Engine::logger_call(Translator& translator, const std::string& method) {
  return translator.unsupported(
      "logging.Logger method not supported for non-export cases", fmt::format("method: {}", method),
      "For non-export cases, logging.Logger methods are only supported if the logger has a source and the method is "
      "registered as reorderable.",
      {"If you do not need this logging side effect, add the exact method being called to "
       "`torch._dynamo.config.ignore_logging_functions`. Dynamo will skip the call and return `None`.",
       fmt::format("For example, for `logger.{0}(...)`, use "
                   "`torch._dynamo.config.ignore_logging_functions.add(logger.{0})`. If `{0}` is defined on the logger "
                   "class, add the class method `logging.Logger.{0}` to ignore this method for all instances of that "
                   "class.",
                   method),
       fmt::format("Dynamo does not trace into logging.Logger method bodies, so only the method you call directly "
                   "(`{0}`) is checked against the ignore set. Ignoring a method that `{0}` calls internally has no "
                   "effect.",
                   method),
       fmt::format("If you need the log side effect to run, then you can try one of (1) create the logger outside the "
                   "compiled region and add the method to `torch._dynamo.config.reorderable_logging_functions` (e.g. "
                   "`torch._dynamo.config.reorderable_logging_functions.add(logger.{0})`) so that it runs after the "
                   "compiled region, as long as it is called without kwargs and its arguments are tensors, constants, "
                   "or string formatters, (2) `torch._higher_order_ops.print(...)`, (3) wrap the logging call in a "
                   "custom op (marked as mutable), or (4) preserve the logging contents and move the logging call "
                   "outside the compiled region.",
                   method)});
}

Variable* Engine::skipped_call(Translator& translator, std::string_view file, std::string_view name) {
  return translator.unsupported(
      "Attempted to call function marked as skipped",
      fmt::format("module: {}, qualname: {}, skip reason: <missing reason>", file, name),
      fmt::format(
          "Dynamo developers have intentionally marked that the function `{}` in file `{}` should not be traced.", name,
          file),
      {fmt::format("Avoid calling the function `{}`.", name),
       fmt::format("Apply `@torch._dynamo.dont_skip_tracing` to the function `{}` to force tracing into the function. "
                   "More graph breaks may occur as a result of attempting to trace into the function.",
                   name),
       "Please file an issue to PyTorch."});
}

// Behaviour: torch/_dynamo/variables/functions.py, SkipFunctionVariable.
Variable* Translator::skipped_builtin(std::string_view module, std::string_view name) {
  return unsupported(
      "Attempted to call function marked as skipped",
      fmt::format("module: {0}, qualname: {1}, skip reason: cannot determine source file for {0} (likely a C extension "
                  "or builtin)",
                  module, name),
      fmt::format("Dynamo does not know how to trace the builtin `{}.{}.` This function is either a Python builtin "
                  "(e.g. _warnings.warn) or a third-party C/C++ Python extension (perhaps created with pybind).",
                  module, name),
      {"If it is a Python builtin, please file an issue on GitHub so the PyTorch team can add support for it and see "
       "the next case for a workaround.",
       "If it is a third-party C/C++ Python extension, please either wrap it into a PyTorch-understood custom operator "
       "(see https://pytorch.org/tutorials/advanced/custom_ops_landing_page.html for more details) or, if it is "
       "traceable, use `torch.compiler.allow_in_graph`."});
}

// Behaviour: torch/_dynamo/variables/base.py, call_method.
Variable* Translator::unsupported_method(Variable* self, std::string_view name) {
  const std::string cls(type_of(*self).name());
  std::vector<std::string> given = {fmt::format("Avoid calling `{}.{}` in your code.", cls, name),
                                    "Please report an issue to PyTorch."};
  constexpr std::string_view kViews[] = {"dict_keys", "dict_values", "dict_items"};
  if (std::find(std::begin(kViews), std::end(kViews), cls) != std::end(kViews)) {
    given.emplace_back(
        "Consider moving the creation of dict view object (e.g. `dict.keys()`, `dict.items()`,) to the compiled "
        "region, instead of passing it as an input to the compiled region.");
  }
  if (name == "__iter__" || name == "__next__") {
    given.emplace_back(
        "Dynamo does not fully support tracing builtin iterators (e.g. `map`, `zip`, `enumerate`) passed in from "
        "uncompiled to compiled regions (e.g. `torch.compile(fn)(enumerate(...))`). This can happen unintentionally if "
        "a previous graph break happens with a builtin iterator in the local scope.");
    given.emplace_back(
        "List/dict comprehensions in Python <= 3.11 result in implicit function calls, which Dynamo cannot trace as a "
        "top level frame. Possible workarounds are (1) use a loop instead of a comprehension, (2) fix any graph breaks "
        "in the function above the comprehension, (3) wrap the comprehension in a function, or (4) use Python 3.12+.");
  }
  return unsupported("Unsupported method call", fmt::format("call_method {} {} [] {{}}", shown(self), name),
                     fmt::format("Dynamo does not know how to trace method `{}` of class `{}`", name, cls),
                     std::move(given));
}

}  // namespace nns::dynamo
