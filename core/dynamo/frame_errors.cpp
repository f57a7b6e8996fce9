// The errors that a frame ends with where it is not compiled. Behaviour: torch/_dynamo/exc.py, convert_frame.py.
#include <fmt/format.h>

#include "core/dynamo/engine.h"
#include "core/dynamo/hints.h"
#include "core/object/operations.h"

namespace nns::dynamo {

namespace {

// A tensor as a fake is shown. Behaviour: torch/_tensor_str.py, _str_intern.
std::string fake_text(const tensor::Tensor& fake, const std::string& shape) {
  std::string text = "FakeTensor(..., ";
  if (fake.device() == tensor::Device::Cuda) text += "device='cuda:0', ";
  text += fmt::format("size={}", shape);
  if (fake.dtype() != tensor::DType::Float32 && fake.dtype() != tensor::DType::Int64 &&
      fake.dtype() != tensor::DType::Bool)
    text += fmt::format(", dtype=torch.{}", tensor::kDTypes[static_cast<std::size_t>(fake.dtype())].torch_name);
  if (fake.requires_grad()) text += ", requires_grad=True";
  text += ")";
  return fake.type().name() == "Parameter" ? fmt::format("Parameter({})", text) : text;
}

std::string on_fakes(Interpreter& in, const Argument& argument) {
  if (argument.kind == Argument::Kind::Node) {
    const Node& node = *argument.node;
    if (!node.example) return node.hint.is_absent() ? node.name : repr_of(in, node.hint);
    std::string shape;
    for (const std::int64_t size : node.example->shape().span())
      shape += fmt::format("{}{}", shape.empty() ? "" : ", ", size);
    return fake_text(*node.example, "(" + shape + (node.example->ndim() == 1 ? ",)" : ")"));
  }
  if (argument.kind != Argument::Kind::Tuple && argument.kind != Argument::Kind::List)
    return argument_text(in, argument);
  std::string text;
  for (const Argument& item : argument.items) text += (text.empty() ? "" : ", ") + on_fakes(in, item);
  if (argument.kind == Argument::Kind::List) return fmt::format("[{}]", text);
  return "(" + text + (argument.items.size() == 1 ? ",)" : ")");
}

}  // namespace

std::string call_on_fakes(Interpreter& in, std::string_view kind, std::string_view callee,
                          const std::vector<Argument>& positional,
                          const std::vector<std::pair<std::string, Argument>>& named) {
  const Argument all{.kind = Argument::Kind::Tuple, .node = nullptr, .constant = {}, .items = positional, .keys = {}};
  std::string keywords;
  for (const auto& [name, value] : named)
    keywords += fmt::format("{}'{}': {}", keywords.empty() ? "" : ", ", name, on_fakes(in, value));
  return fmt::format("{} {}(*{}, **{{{}}})", kind, callee, on_fakes(in, all), keywords);
}

PyError Engine::exception(std::string_view cls, const std::string& text) {
  PyResult<Value> module = machine_.import_module("torch._dynamo.exc", 0, nullptr);
  const Value* found = nullptr;
  // import a.b.c gives the innermost.
  if (module.ok()) found = module.value().object()->instance_dict(true)->find(in_.intern(cls));
  if (found != nullptr) {
    PyResult<Value> made = in_.call(*found, {in_.text(text)});
    if (made.ok()) {
      if (auto* exception = dynamic_cast<object::Exception*>(made.value().object()))
        return PyError{Ref<object::Exception>(exception)};
    }
  }
  return object::make_error(in_, object::ErrorKind::RuntimeError, text);
}

// Behaviour: torch/fx/experimental/symbolic_shapes.py, ShapeEnv.produce_guards, ConstraintViolationError.
PyError Engine::constraint_violation(const Symbol& symbol) {
  const std::string& name = symbol.source->name();
  return exception(
      "ConstraintViolationError",
      fmt::format(
          "Constraints violated ({0})! For more information, run with TORCH_LOGS=\"+dynamic\".\n"
          "  - You marked {0} as dynamic but your code specialized it to be a constant ({1}). Either remove the "
          "mark_dynamic or use a less strict API such as maybe_mark_dynamic or Dim.AUTO.",
          name, repr_of(in_, symbol.hint)));
}

PyError Engine::unsupported_error(const BreakReason& reason) {
  PyError error = exception("Unsupported", break_text(reason) + from_user_code(reason, config_.verbose));
  Dict& own = *error.exception().instance_dict(true);
  own.set(in_.intern("gb_type"), in_.text(reason.type));
  return error;
}

// Behaviour: torch/_dynamo/convert_frame.py, _compile.
PyError Engine::recompile_limit_error() {
  BreakReason reason;
  reason.type = "Dynamo recompile limit exceeded";
  reason.context = "Limit type: recompile_limit";
  reason.explanation = fmt::format(
      "Dynamo attempted to recompile the code object too many times, exceeding the recompile_limit cache size limit "
      "(currently set to {}). Excessive recompilations can degrade performance due to the compilation overhead of each "
      "recompilation.",
      config_.recompile_limit);
  reason.hints = {
      "To monitor recompilations, enable TORCH_LOGS=recompiles. If recompilations are expected, consider increasing "
      "torch._dynamo.config.recompile_limit to an appropriate value.",
      "See "
      "https://docs.pytorch.org/docs/main/user_guide/torch_compiler/compile/programming_model.recompilation.html for "
      "tips on dealing with recompilations."};
  return unsupported_error(reason);
}

Variable* Engine::fake_error(Translator& translator, const PyError& error, const std::string& target,
                             const std::string& call) {
  // The op wants to know an item.
  if (error.message().find("cannot be called on meta tensors") != std::string::npos)
    return translator.data_dependent("aten._local_scalar_dense.default");
  if (error.is(object::ErrorKind::NotImplementedError) && target.starts_with("torch.ops.")) {
    const std::string message = error.message();
    return translator.unsupported(
        "NotImplementedError/UnsupportedFakeTensorException when running FX node", "",
        fmt::format("Dynamo failed to run FX node with fake tensors: {}: got NotImplementedError({})", call,
                    message.empty() ? message : repr_of(in_, in_.text(message))),
        {hints::kUserError,
         "If the op is a custom op, did you implement a fake tensor implementation? (e.g. with "
         "`@my_custom_op.register_fake`)",
         "If the op is a PyTorch op, please file an issue to PyTorch."});
  }
  if (error.is(object::ErrorKind::NotImplementedError)) {
    return translator.unsupported("Operator without a rule for shapes", target,
                                  fmt::format("No shape is known for what `{}` gives without running it.", target),
                                  {hints::kSupportable});
  }
  if (error.is(object::ErrorKind::RuntimeError) || error.is(object::ErrorKind::ValueError) ||
      error.is(object::ErrorKind::IndexError)) {
    BreakReason reason;
    reason.type = "RuntimeError when making fake tensor call";
    reason.explanation = fmt::format("Dynamo failed to run FX node with fake tensors: {}: got {}({})", call,
                                     error.exception().type().name(), repr_of(in_, in_.text(error.message())));
    reason.hints = {hints::kUserError};
    reason = translator.located(std::move(reason));
    translator.failure().kind = Failure::Kind::Error;
    translator.failure().error =
        exception("TorchRuntimeError", break_text(reason) + from_user_code(reason, config_.verbose));
    return nullptr;
  }
  return translator.raise(error);
}

// Behaviour: torch/_dynamo/eval_frame.py, fail_callback.
PyError Engine::recompile_refused(const FrameStart& start, const std::vector<RecompileRecord::Reason>& reasons) {
  std::string text = fmt::format(
      "Detected recompile when torch.compile stance is 'fail_on_recompile'. filename: '{}', function name: '{}', line "
      "number: {}",
      start.code->tree->source().name(), start.name, start.code->first_line());
  if (!reasons.empty()) text += "\n    triggered by the following guard failure(s):";
  for (const auto& reason : reasons) text += fmt::format("\n    - {}: {}", reason.of, reason.guard);
  return object::runtime_error(in_, "{}", text);
}

}  // namespace nns::dynamo
