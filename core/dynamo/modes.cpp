// Modes of torch that a frame enters and leaves: nodes of the graph, and how the tracing itself goes on.
// Behaviour: torch/_dynamo/variables/ctx_manager.py.
#include <array>
#include <optional>

#include "core/dynamo/engine.h"
#include "core/dynamo/mode_context.h"
#include "core/object/operations.h"
#include "core/ops/op.h"

namespace nns::dynamo {

namespace {

/// What an autocast is made of, in the order of its parameters; the older classes say the device themselves.
constexpr std::string_view kGradModes = "torch.autograd.grad_mode";
constexpr std::array<std::string_view, 4> kAutocastParameters = {"device_type", "dtype", "enabled", "cache_enabled"};

}  // namespace

void Translator::set_grad_mode(bool mode) {
  // What is so already is not set again.
  if (grad_mode_ == mode) return;
  add_grad_mode(mode);
  --captured_calls_;
}

void Translator::add_grad_mode(bool mode) {
  Node& node = add_node(Node::Op::CallFunction, "torch._C._set_grad_enabled", "_set_grad_enabled");
  node.callee = engine_.set_grad_function();
  node.args.push_back(constant_argument(Value(mode)));
  grad_mode_ = mode;
  ops::OpLibrary::of(in_).grad_mode.is_enabled = mode;
}

void Translator::set_mode(const Variable& context, bool mode) {
  if (is_mode_of_breaks(*context.value.as<Class>()))
    errors_on_break_ = mode;
  else
    set_grad_mode(mode);
}

// Behaviour: InferenceModeVariable.enter: while it is traced only grad mode changes.
void Translator::enter_inference_mode(Variable& context) {
  Node& node =
      add_node(Node::Op::CallFunction, "torch.autograd.grad_mode._enter_inference_mode", "_enter_inference_mode");
  node.callee = engine_.library_value(kGradModes, "_enter_inference_mode");
  node.args.push_back(constant_argument(Value(context.mode)));
  --captured_calls_;
  context.node = &node;
  context.mode_before = grad_mode_;
  if (context.mode) grad_mode_ = ops::OpLibrary::of(in_).grad_mode.is_enabled = false;
}

void Translator::leave_inference_mode(Variable& context) {
  Node& node =
      add_node(Node::Op::CallFunction, "torch.autograd.grad_mode._exit_inference_mode", "_exit_inference_mode");
  node.callee = engine_.library_value(kGradModes, "_exit_inference_mode");
  node.args.push_back(argument_of(*context.node));
  --captured_calls_;
  grad_mode_ = ops::OpLibrary::of(in_).grad_mode.is_enabled = context.mode_before;
}

bool Translator::enter_mode(Variable& context) {
  const Class& cls = *context.value.as<Class>();
  if (is_null_context(cls)) return true;
  if (is_inference_mode(cls)) return enter_inference_mode(context), true;
  if (!is_autocast(cls)) {
    // set_grad_enabled() acts where it is called, and at the end goes back to what was before that.
    if (!context.has_mode_before) context.mode_before = is_mode_of_breaks(cls) ? errors_on_break_ : grad_mode_;
    set_mode(context, context.mode);
    return true;
  }
  const Value enter = engine_.autocast_function("_enter_autocast");
  std::vector<Value> values;
  for (const Variable* one : context.items) values.push_back(one->value);
  PyResult<Value> entered = in_.call(enter, values);
  if (!entered.ok()) return raise(entered.error()), false;
  context.function = constant(std::move(entered).value());
  Node& node = add_node(Node::Op::CallFunction, "torch.amp.autocast_mode._enter_autocast", "_enter_autocast");
  node.callee = enter;
  for (Value& value : values) node.args.push_back(constant_argument(std::move(value)));
  context.node = &node;
  return true;
}

bool Translator::leave_mode(Variable& context) {
  const Class& cls = *context.value.as<Class>();
  if (is_null_context(cls)) return true;
  if (is_inference_mode(cls)) return leave_inference_mode(context), true;
  if (!is_autocast(cls)) {
    set_mode(context, context.mode_before);
    return true;
  }
  const Value exit = engine_.autocast_function("_exit_autocast");
  const PyResult<Value> left = in_.call(exit, {context.function->value});
  if (!left.ok()) return raise(left.error()), false;
  Node& node = add_node(Node::Op::CallFunction, "torch.amp.autocast_mode._exit_autocast", "_exit_autocast");
  node.callee = exit;
  node.args.push_back(argument_of(*context.node));
  return true;
}

Variable* Translator::context_of(Variable& given, Arguments args, Keywords keywords) {
  const Class& cls = *given.value.as<Class>();
  if (is_autocast(cls)) return autocast_of(given, args, keywords);
  Variable* const first = !args.empty() ? args[0] : !keywords.empty() ? keywords[0].value : nullptr;
  Variable& made = arena_->make(VariableKind::Context);
  made.source = given.source;
  made.value = given.value;
  if (is_null_context(cls)) {
    // A profiler sees nothing of what a graph runs: it is left out.
    made.value = engine_.library_value("contextlib", "nullcontext");
    if (cls.name() == "nullcontext" && first != nullptr) made.items.push_back(first);
    return &made;
  }
  made.mode = cls.name() == "enable_grad" || is_inference_mode(cls);
  if (first == nullptr) return &made;
  NNS_VARIABLE(argument, real(first));
  // torch.no_grad(function) decorates.
  if (argument->kind == VariableKind::Function || argument->kind == VariableKind::Method)
    return decorated(made, argument);
  const Value mode = constant_value(argument);
  if (!has_mode_argument(cls) || !mode.is_bool()) return unsupported_builtin(cls.name(), args, !keywords.empty());
  made.mode = mode.as_bool();
  if (cls.name() == "set_grad_enabled") {
    made.mode_before = grad_mode_;
    made.has_mode_before = true;
    set_grad_mode(made.mode);
  }
  return &made;
}

Variable* Translator::decorated(Variable& context, Variable* function) {
  // What making it did is undone.
  if (context.has_mode_before) set_grad_mode(context.mode_before);
  Variable* args[] = {&context, function};
  return inline_call(library_function("_Contexts", "decorated"), args, {});
}

// What such a context made of a function while nothing was traced.
Variable* Translator::call_decorated(const Value& value, Arguments args, Keywords keywords) {
  const auto part = [&](const char* name) {
    PyResult<Value> found = object::getattr(in_, value, in_.intern(name));
    return found.ok() ? std::move(found).value() : Value();
  };
  const Value kind = part("_context");
  const auto& pair = *kind.as<object::Tuple>();
  Variable& context = arena_->make(VariableKind::Context);
  context.value = engine_.library_value("torch", pair[0].as<object::Str>()->view());
  if (context.value.as<Class>() == nullptr) return unsupported_builtin(engine_.name_of(value), args, !keywords.empty());
  const Class& cls = *context.value.as<Class>();
  context.mode = has_mode_argument(cls) ? pair[1].as_bool() : cls.name() == "enable_grad";
  NNS_VARIABLE(function, build(part("__wrapped__"), nullptr));
  NNS_VARIABLE(wrapped, decorated(context, function));
  return call(wrapped, args, keywords);
}

// Behaviour: AutocastModeVariable.create: the arguments as they were given, not what the class makes of them.
Variable* Translator::autocast_of(Variable& given, Arguments args, Keywords keywords) {
  const Class& cls = *given.value.as<Class>();
  auto& library = tensor::TensorLibrary::of(in_);
  std::array<Value, 4> values = {Value::absent(), Value(), Value(true), Value()};
  std::array<std::size_t, 4> order = {0, 1, 2, 3};
  std::size_t count = order.size();
  const bool is_of_cuda = cls.module() == "torch.cuda.amp.autocast_mode";
  if (is_of_cuda || cls.module() == "torch.cpu.amp.autocast_mode") {
    values = {in_.text(is_of_cuda ? "cuda" : "cpu"),
              library.dtype_value(is_of_cuda ? tensor::DType::Float16 : tensor::DType::BFloat16), Value(true),
              Value(true)};
    order = {2, 1, 3, 0};
    count = 3;
  }
  const auto put = [&](std::size_t at, Variable* argument) {
    values[at] = constant_value(argument);
    if (!values[at].is_absent()) return true;
    if (!has_failed()) unsupported_builtin("autocast", args, !keywords.empty());
    return false;
  };
  if (args.size() > count) return raise(object::ErrorKind::TypeError, "too many positional arguments");
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (!put(order[i], args[i])) return nullptr;
  }
  for (const KeywordArgument& keyword : keywords) {
    std::optional<std::size_t> at;
    for (std::size_t i = 0; i < count; ++i) {
      if (kAutocastParameters[order[i]] == keyword.name.view()) at = i;
    }
    if (!at) return raise(object::type_error(in_, "got an unexpected keyword argument '{}'", keyword.name.view()));
    if (*at < args.size())
      return raise(object::type_error(in_, "multiple values for argument '{}'", keyword.name.view()));
    if (!put(order[*at], keyword.value)) return nullptr;
  }
  if (values[0].is_absent()) return raise(object::ErrorKind::TypeError, "missing a required argument: 'device_type'");
  return autocast_with(values, given.source);
}

Variable* Translator::autocast_with(std::span<const Value> values, const Source* source) {
  Variable& made = arena_->make(VariableKind::Context);
  made.source = source;
  made.value = engine_.autocast_function("autocast");
  for (const Value& value : values) made.items.push_back(constant(value));
  return &made;
}

}  // namespace nns::dynamo
