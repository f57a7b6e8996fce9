// Functions of torch that the tracer answers itself, or that it never takes into a graph.
// Behaviour: torch/_dynamo/variables/torch.py, the handlers; functions.py, SkipFunctionVariable.
#include <fmt/format.h>

#include <algorithm>

#include "core/dynamo/engine.h"
#include "core/dynamo/hints.h"
#include "core/object/operations.h"
#include "core/ops/op.h"
#include "core/ops/python_function.h"

namespace nns::dynamo {

namespace {

/// What such a function says while a frame is traced.
struct Answer {
  std::string_view target;
  bool value;
};
constexpr Answer kAnswers[] = {{"torch._dynamo.is_compiling", true},
                               {"torch._utils.is_compiling", true},
                               {"torch.compiler.is_compiling", true},
                               {"torch.compiler.is_dynamo_compiling", true},
                               {"torch.compiler.is_exporting", false},
                               {"torch.jit.is_scripting", false},
                               {"torch.jit.is_tracing", false},
                               {"torch.onnx.is_in_onnx_export", false},
                               {"torch.fx._symbolic_trace.is_fx_tracing", false}};

// Generators of random numbers: a graph has no place for their state.
constexpr std::string_view kOfGenerators[] = {"get_rng_state", "set_rng_state", "seed", "initial_seed"};

constexpr std::string_view kTestsOfTensors[] = {"torch.is_conj", "torch.is_neg", "torch.is_signed",
                                                "torch.is_same_size", "torch.is_distributed"};

// What gives the same for the same arguments, and is asked while a frame is traced.
// Behaviour: torch/_dynamo/variables/torch.py, constant_fold_functions.
constexpr std::string_view kFolded[] = {"torch.promote_types",
                                        "torch.can_cast",
                                        "torch._core_names._get_privateuse1_backend_name",
                                        "torch._core_names._is_any_autocast_enabled",
                                        "torch.distributed.is_available",
                                        "torch.distributed._groups.is_initialized",
                                        "torch.distributed._groups.get_rank",
                                        "torch.distributed._groups.get_world_size",
                                        "torch._settings.is_deterministic_algorithms_warn_only_enabled",
                                        "packaging.version.parse"};

// Operators of torch that are Python here.
bool is_operator_file(std::string_view file) {
  return file == "<torch._more>" || file == "<torch._composites>" || file == "<torch._special>" ||
         file == "<torch._foreach>" || file == "<torch.nn._functional_names>" || file == "<torch._outputs>" ||
         file == "<torch._view_copies>" || file == "<torch._segments>";
}

}  // namespace

Variable* Translator::returned_no_tensor(std::string_view type, std::string_view target) {
  return unsupported("torch.* op returned non-Tensor",
                     fmt::format("example_value type: {}; op: call_function; target: {}", type, target),
                     "torch.* ops that return a non-Tensor cannot be traced into the Dynamo FX graph output", {});
}

// NOLINTNEXTLINE(readability-function-size): one case a function.
Variable* Translator::answered_by_tracer(std::string_view target, Arguments args, Keywords keywords, bool& is_known) {
  if (Variable* made = call_higher_order(target, args, keywords, is_known); is_known || has_failed()) return made;
  is_known = true;
  for (const Answer& answer : kAnswers) {
    if (answer.target == target) return constant(Value(answer.value));
  }
  const std::string_view name = target.substr(target.rfind('.') + 1);
  const auto shown = [&](Variable* argument) {
    Variable* value = real(argument);
    return value == nullptr       ? std::string()
           : value->is_constant() ? fmt::format("ConstantVariable({}: {})", type_of(*value).name(),
                                                value->value.as<object::Str>() != nullptr
                                                    ? fmt::format("'{}'", value->value.as<object::Str>()->view())
                                                    : repr_of(in_, value->value))
                                  : std::string(type_of(*value).name());
  };
  const auto called_with = [&](std::string_view function) {
    std::string positional, named;
    for (Variable* arg : args) positional += (positional.empty() ? "" : ", ") + shown(arg);
    for (const KeywordArgument& one : keywords)
      named += fmt::format("{}'{}': {}", named.empty() ? "" : ", ", one.name.view(), shown(one.value));
    return fmt::format("Called `{}()` with args `[{}]`, kwargs `{{{}}}`", function, positional, named);
  };
  // Only a message by its name is seen.
  const auto message = [&] {
    for (const KeywordArgument& one : keywords) {
      const Value text = one.name.view() == "msg" ? constant_value(one.value) : Value();
      if (const auto* str = text.as<object::Str>(); str != nullptr && !str->view().empty())
        return std::string(str->view());
    }
    return std::string("None");
  };
  if (target == "torch.is_grad_enabled") return constant(Value(grad_mode_));
  if (target == "torch._C._set_grad_enabled" && args.size() == 1 && keywords.empty()) {
    const Value mode = constant_value(args[0]);
    if (has_failed()) return nullptr;
    if (mode.is_bool()) {
      add_grad_mode(mode.as_bool());
      return constant(Value());
    }
  }
  if (target == "torch.is_tensor" && args.size() == 1) {
    NNS_VARIABLE(arg, real(args[0]));
    return constant(Value(arg->kind == VariableKind::Tensor));
  }
  if (target == "torch.overrides.is_tensor_like" && args.size() == 1) {
    NNS_VARIABLE(arg, real(args[0]));
    return constant(Value((arg->kind == VariableKind::Tensor && !arg->is_ndarray) ||
                          type_of(*arg).lookup(in_.intern("__torch_function__")) != nullptr));
  }
  if (target == "torch.jit.annotate" && args.size() == 2) return real(args[1]);
  if (target == "torch._checks._check" && args.size() == 1 && keywords.empty()) {
    // What only values tell is asked when the graph runs.
    const int is_true = truth(args[0]);
    if (is_true < 0) return nullptr;
    if (is_true == 2) {
      Argument condition;
      if (!as_argument(args[0], condition)) return nullptr;
      Node& node = add_node(Node::Op::CallFunction, "torch._check", "_check");
      node.callee = engine_.library_value("torch._checks", name);
      node.args.push_back(std::move(condition));
      return constant(Value());
    }
  }
  if (std::find(std::begin(kFolded), std::end(kFolded), target) != std::end(kFolded))
    return call_constant(engine_.library_value(target.substr(0, target.rfind('.')), name), args, keywords);
  if ((target == "torch.numel" || target == "torch.is_floating_point" || target == "torch.is_complex") &&
      args.size() + keywords.size() == 1)
    return call_method(args.empty() ? keywords[0].value : args[0], in_.intern(name), {}, {});
  if (target == "torch.is_inference_mode_enabled") {
    return unsupported("Encountered torch.is_inference_mode_enabled during tracing", "",
                       "torch.is_inference_mode_enabled() is not supported",
                       {hints::kFundamental, hints::kInferenceMode});
  }
  if (target == "torch.is_inference" && args.size() == 1) return call_method(args[0], in_.intern(name), {}, {});
  if (std::find(std::begin(kTestsOfTensors), std::end(kTestsOfTensors), target) != std::end(kTestsOfTensors))
    return returned_no_tensor("bool", target);
  if (target == "torch._settings.are_deterministic_algorithms_enabled")
    return call_constant(engine_.library_value("torch", name), {}, {});
  if (target == "torch.get_device" && args.size() == 1) return call_method(args[0], in_.intern(name), {}, {});
  if (target == "torch.compile") {
    // It does nothing here: what it is called with is traced anyway.
    if (args.size() == 1) return real(args[0]);
    return unsupported("torch.compile call with > 1 args", "",
                       "Attempted to call `torch.compile` with > 1 args. Dynamo does not support this.",
                       {"Remove the torch.compile call or its additional args.", hints::kSupportable});
  }
  if (target == "torch._dynamo.graph_break") {
    return unsupported("Call to `torch._dynamo.graph_break()`", called_with(target),
                       fmt::format("User-inserted graph break. Message: {}", message()),
                       {"Remove the `torch._dynamo.graph_break()` call."});
  }
  if (target == "torch._dynamo.mark_static" && !args.empty() && keywords.empty()) {
    NNS_VARIABLE(marked, real(args[0]));
    const Value index = args.size() > 1 ? constant_value(args[1]) : Value();
    if (has_failed()) return nullptr;
    if (marked->kind == VariableKind::Tensor && (index.is_none() || index.is_int())) {
      const auto count = static_cast<std::int64_t>(marked->node->example->ndim());
      for (std::int64_t dim = 0; dim < count; ++dim) {
        if (index.is_int() && index.as_int() != dim) continue;
        NNS_VARIABLE(size, size_of(marked, static_cast<std::size_t>(dim)));
        // A size that is asked for is a constant from then on.
        if (constant_value(size).is_absent()) return nullptr;
      }
      return constant(Value());
    }
  }
  if (target == "torch._dynamo.step_unsupported") {
    if (errors_on_break_ || engine_.is_fullgraph()) {
      return unsupported("cannot resume from torch._dynamo.step_unsupported()", "",
                         "traced torch._dynamo.step_unsupported(), but Dynamo is instructed to error on graph break. "
                         "This graph break is used for debugging only.",
                         {"Remove the torch._dynamo.step_unsupported() call.",
                          "Make sure fullgraph=False and error_on_graph_break=False.", hints::kDynamoBug});
    }
    return unsupported("Call to `torch._dynamo.step_unsupported()`", "", "User-inserted step_unsupported.",
                       {"Remove the `torch._dynamo.step_unsupported()` call."});
  }
  if (target == "torch._dynamo.skip_frame") {
    failure_.kind = Failure::Kind::Skip;
    return nullptr;
  }
  if (target == "torch._dynamo.disable") {
    return unsupported(
        "Call to `torch.compiler.disable()`", called_with("torch.compiler.disable"),
        "`torch.compiler.disable()` was called inside a compiled region. This API disables compilation when used as a "
        "decorator or wrapper outside the compiled region.",
        {"Move the `torch.compiler.disable()` call outside the compiled function and apply it to the function that "
         "should run eagerly.",
         "Use `torch._dynamo.graph_break()` to intentionally insert a graph break at this point."});
  }
  const bool is_of_torch = target.substr(0, target.rfind('.')) == "torch";
  if (is_of_torch && std::find(std::begin(kOfGenerators), std::end(kOfGenerators), name) != std::end(kOfGenerators))
    return engine_.skipped_call(*this, "torch.random", name);
  is_known = false;
  return nullptr;
}

bool Translator::is_op_of_torch(const Class& cls) {
  const std::string_view name = cls.name();
  return cls.module() == "torch._ops" && (name == "OpOverload" || name == "OpOverloadPacket" || name == "CustomOpDef");
}

// torch.ops.aten.sin(x) and its like: the graph calls the op itself.
Variable* Translator::call_op(Variable* op, Arguments args, Keywords keywords) {
  if (op->source != nullptr) guard_id(GuardKind::IdMatch, op->source, op->value);
  Value called = op->value;
  if (type_of(*op).name() == "CustomOpDef") {
    PyResult<Value> overload = object::getattr(in_, called, in_.intern("_opoverload"));
    if (!overload.ok()) return raise(overload.error());
    called = overload.value();
  }
  const PyResult<std::string> shown_op = object::str(in_, called);
  if (!shown_op.ok()) return raise(shown_op.error());
  std::string name = engine_.name_of(called);
  std::replace(name.begin(), name.end(), '.', '_');
  return call_torch(called, "torch.ops." + shown_op.value(), std::move(name), args, keywords);
}

const Engine::TorchFunction* Engine::python_operator(const Value& value) {
  if (const TorchFunction* known = torch_function(value)) return known;
  const Function* const function = python::as_function(value);
  const std::string_view file = function == nullptr ? std::string_view() : function->code().tree->source().name();
  if (!is_operator_file(file)) return nullptr;
  const std::string_view module = file == "<torch._special>"               ? "torch.special"
                                  : file == "<torch.nn._functional_names>" ? "torch.nn.functional"
                                                                           : "torch";
  const std::string name(function->qualified_name());
  const Value* const shown = ops::python_module(in_, module).find(in_.intern(name));
  if (shown == nullptr || !shown->is(value)) return nullptr;
  kept_.push_back(value);
  return &functions_.try_emplace(value.object(), TorchFunction{fmt::format("{}.{}", module, name), name}).first->second;
}

Value Engine::stand_in(const Value& function) {
  // Those of torch.nn; what a program writes is none.
  if (function.as<object::NativeFunction>() == nullptr && python::as_function(function) != nullptr)
    return Value::absent();
  const Value finder = library_value("torch._dynamo._library", "stand_in");
  PyResult<Value> found = in_.call(finder, {function});
  return !found.ok() || found.value().is_none() ? Value::absent() : std::move(found).value();
}

Value Engine::library_value(std::string_view from, std::string_view name) {
  PyResult<Value> module = machine_.import_module(from, 0, nullptr);
  // An import of a.b gives a.
  if (const Value* found = machine_.modules().find(from); module.ok() && found != nullptr) module = *found;
  Dict* const names = module.ok() ? module.value().object()->instance_dict(false) : nullptr;
  const Value* const found = names == nullptr ? nullptr : names->find(in_.intern(name));
  return found == nullptr ? Value() : *found;
}

}  // namespace nns::dynamo
