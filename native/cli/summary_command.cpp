#include "native/cli/summary_command.h"

#include <fmt/format.h>

#include <filesystem>

#include "core/object/operations.h"
#include "core/ops/op.h"
#include "core/python/eval/run.h"
#include "core/summary/call_text.h"
#include "core/summary/summary.h"
#include "native/cli/exit_status.h"
#include "native/cli/program_world.h"
#include "native/cli/summary_report.h"

namespace nns::cli {

namespace {

using object::PyResult;
using object::Ref;
using object::Value;

// A program's file, loaded as a module, and Python in its names.
class Loaded {
 public:
  explicit Loaded(const SummaryOptions& options) : machine_(python::Machine::of(interpreter_)) {
    open_world(machine_, options.program);
    machine_.streams.out = [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); };
  }

  object::Interpreter& interpreter() { return interpreter_; }
  python::Machine& machine() { return machine_; }

  PyResult<void> load(const std::string& file, std::string text) {
    const std::string name = std::filesystem::path(file).stem().string();
    NNS_TRY_ASSIGN(const Value module, python::load_module(machine_, {name, false, file, std::move(text)}));
    globals_ = Ref<object::Dict>(module.object()->instance_dict(true));
    NNS_TRY_ASSIGN(const Value torch, machine_.import_module("torch", 0, nullptr));
    if (globals_->find("torch") == nullptr) globals_->set(interpreter_.intern("torch"), torch);
    return {};
  }

  PyResult<Value> evaluate(std::string name, std::string expression) {
    NNS_TRY_ASSIGN(const Ref<python::Code> code, python::compile_text(machine_, std::move(name), std::move(expression),
                                                                      python::CompileMode::Expression));
    return machine_.run_module(code, globals_, globals_);
  }

 private:
  object::Interpreter interpreter_;
  python::Machine& machine_;
  Ref<object::Dict> globals_;
};

PyResult<summary::Summary> summarize(Loaded& loaded, const SummaryOptions& options, std::string text, bool is_meta) {
  object::Interpreter& in = loaded.interpreter();
  NNS_TRY(loaded.load(options.program.file, std::move(text)));
  if (is_meta) tensor::TensorLibrary::of(in).default_device = tensor::Device::Meta;
  NNS_TRY_ASSIGN(const Value made, loaded.evaluate("--call", options.call));
  nn::Module* const model = made.as<nn::Module>();
  if (model == nullptr) {
    return object::type_error(in, "--call must give a torch.nn.Module, not {}", in.type_of(made).name());
  }
  std::vector<Value> positional;
  std::vector<object::Keyword> keywords;
  for (const std::string& one : options.inputs) {
    const summary::CallInput input = summary::read_input(one);
    NNS_TRY_ASSIGN(Value value, loaded.evaluate("--input", input.expression));
    if (input.keyword.empty()) {
      positional.push_back(std::move(value));
    } else {
      keywords.push_back({in.intern(input.keyword), std::move(value)});
    }
  }
  NNS_TRY(in.call_method(made, in.intern("eval"), {}));
  const ops::GradModeGuard no_grad(in, false);
  return summary::summarize(in, *model, {positional, keywords});
}

}  // namespace

int run_summary(const SummaryOptions& options, const Terminal& terminal) {
  const std::optional<std::string> text = read_program(options.program.file);
  if (!text) return kBadInput;
  for (const bool is_meta : {true, false}) {
    if (is_meta && options.computes) continue;
    Loaded loaded(options);
    const PyResult<summary::Summary> made = summarize(loaded, options, *text, is_meta);
    if (made.ok()) {
      const SummaryHeading heading{options.call, is_meta ? "meta" : "cpu"};
      if (options.json) {
        write_summary(stdout, made.value(), heading, options.depth);
      } else {
        print_summary(stdout, made.value(), heading, options.depth, terminal);
      }
      return kFine;
    }
    if (is_meta && !made.error().is(object::ErrorKind::SyntaxError)) {
      print_error(fmt::format("shapes alone do not do ({}: {}), so the model is computed with values",
                              made.error().type(), made.error().message()));
      continue;
    }
    const std::string shown = python::traceback_text(loaded.machine(), made.error());
    std::fwrite(shown.data(), 1, shown.size(), stderr);
    return kFound;
  }
  return kFound;
}

}  // namespace nns::cli
