// What the Python of torch._dynamo asks of the engine: the module torch._C._dynamo.
#include <fmt/format.h>

#include <algorithm>

#include "core/dynamo/engine.h"
#include "core/dynamo/sources.h"
#include "core/dynamo/trees.h"
#include "core/nn/library.h"
#include "core/object/operations.h"
#include "core/ops/python_function.h"
#include "core/python/eval/plain_parameters.h"
#include "core/python/eval/run.h"

namespace nns::dynamo {

namespace {

using Args = std::span<const Value>;

void add(Interpreter& in, std::string_view signature, object::NativeBody body) {
  const Ref<object::NativeFunction> function = in.function(signature, std::move(body));
  ops::python_module(in, "torch._C._dynamo").set(in.intern(function->name()), Value(function));
}

Value config_value(const Config& config, std::string_view name) {
  if (name == "inline_inbuilt_nn_modules") return Value(bool{config.inline_inbuilt_nn_modules});
  return Value();
}

void set_config(Config& config, std::string_view name, const Value& value) {
  // A program does not choose how the modules of torch are followed: that is asked for from outside.
  if (value.is_bool() && name != "inline_inbuilt_nn_modules") set_flag(config, name, value.as_bool());
  if (name == "recompile_limit" && value.is_int()) config.recompile_limit = value.as_int();
}

Value break_row(Interpreter& in, const BreakRecord& record) {
  std::vector<Value> stack;
  for (std::size_t i = 0; i < record.reason.stack.size(); ++i) {
    const auto& [name, line] = record.reason.stack[i];
    stack.emplace_back(in.tuple({in.text(record.reason.files[i]), Value(static_cast<std::int64_t>(line)), in.text(name),
                                 in.text(record.reason.lines[i])}));
  }
  const std::string text = record.action == BreakAction::Stop ? "step_unsupported" : break_text(record.reason);
  return Value(in.tuple({in.text(text), Value(in.list(std::move(stack)))}));
}

}  // namespace

bool set_flag(Config& config, std::string_view name, bool value) {
  bool* place = nullptr;
  if (name == "inline_inbuilt_nn_modules") place = &config.inline_inbuilt_nn_modules;
  if (name == "capture_scalar_outputs") place = &config.capture_scalar_outputs;
  if (name == "capture_dynamic_output_shape_ops") place = &config.capture_dynamic_output_shape_ops;
  if (name == "skip_nnmodule_hook_guards") place = &config.skip_nnmodule_hook_guards;
  if (name == "guard_nn_modules") place = &config.guard_nn_modules;
  if (name == "skip_fsdp_guards") place = &config.skip_fsdp_guards;
  if (name == "error_on_recompile") place = &config.error_on_recompile;
  if (name == "automatic_dynamic_shapes") place = &config.automatic_dynamic_shapes;
  if (name == "allow_unspec_int_on_nn_module") place = &config.allow_unspec_int_on_nn_module;
  if (name == "verbose") place = &config.verbose;
  if (name == "suppress_errors") place = &config.suppress_errors;
  if (name == "assume_static_by_default") place = &config.assume_static_by_default;
  if (place != nullptr) *place = value;
  return place != nullptr;
}

bool set_flag_as_text(Config& config, std::string_view name, std::string_view value) {
  const bool is_true = value == "true" || value == "True" || value == "1";
  if (!is_true && value != "false" && value != "False" && value != "0") return false;
  return set_flag(config, name, is_true);
}

base::Result<void> set_flags(Config& config, const python::ProgramOptions& options, std::string_view file) {
  for (const auto& [name, value, line] : options.config) {
    if (set_flag_as_text(config, name, value)) continue;
    return base::Error{.found = fmt::format("--config {}={}", name, value),
                       .expected = "name=true or name=false of a setting that decides how frames are traced",
                       .where = fmt::format("{}, line {}", file, line),
                       .offset = std::nullopt};
  }
  return {};
}

void add_dynamo(Machine& machine) {
  Interpreter& in = machine.interpreter();
  Engine& engine = Engine::of(machine);
  const auto run = [&engine](Interpreter& i, Args a, bool is_compiled) -> PyResult<Value> {
    const auto* positional = a[1].as<object::Tuple>();
    auto* named = a[2].as<Dict>();
    if (positional == nullptr || named == nullptr) return object::type_error(i, "arguments are a tuple and a dict");
    const std::vector<object::Keyword> keywords = object::keywords_of(i, *named);
    const object::Arguments arguments{positional->items(), keywords};
    if (!is_compiled || engine.stance() == Engine::Stance::ForceEager) return engine.run_plain(a[0], arguments);
    NNS_TRY_ASSIGN(const bool is_fullgraph, object::truth(i, a[3]));
    CompileSettings settings{.is_fullgraph = is_fullgraph, .backend = a[4]};
    if (a[5].is_bool()) settings.dynamic = a[5].as_bool();
    settings.guard_fail_fn = a[6];
    return engine.run_compiled(a[0], arguments, std::move(settings));
  };
  add(in, "run(callable, args, kwargs, fullgraph, backend, dynamic=None, guard_fail_fn=None)",
      [run](Interpreter& i, Args a) { return run(i, a, true); });
  add(in, "run_plain(callable, args, kwargs)", [run](Interpreter& i, Args a) { return run(i, a, false); });
  add(in, "export(callable, args, kwargs, backend, leaves)", [&engine](Interpreter& i, Args a) -> PyResult<Value> {
    const auto* positional = a[1].as<object::Tuple>();
    auto* named = a[2].as<Dict>();
    if (positional == nullptr || named == nullptr) return object::type_error(i, "arguments are a tuple and a dict");
    const std::vector<object::Keyword> keywords = object::keywords_of(i, *named);
    CompileSettings settings{.is_fullgraph = true, .backend = a[3], .is_export = true};
    NNS_TRY_ASSIGN(settings.leaves, object::to_vector(i, a[4]));
    return engine.run_compiled(a[0], {positional->items(), keywords}, std::move(settings));
  });
  // The program that export() found last, with its own signature: Graph::take_signature. `results`: pairs of a place,
  // or None, and a constant. None: nothing was found.
  add(in, "exported_graph(leaves, results)", [&engine](Interpreter& i, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::int64_t leaves, object::index(i, a[0]));
    NNS_TRY_ASSIGN(const std::vector<Value> pairs, object::to_vector(i, a[1]));
    std::vector<Graph::ExportedResult> results;
    for (const Value& pair : pairs) {
      NNS_TRY_ASSIGN(const std::vector<Value> parts, object::to_vector(i, pair));
      Graph::ExportedResult& one = results.emplace_back();
      if (parts[0].is_int()) one.place = static_cast<std::size_t>(parts[0].as_int());
      one.constant = parts[1];
    }
    return engine.take_exported(static_cast<std::size_t>(leaves), results);
  });
  // Breaks graphs: what is no function of Python's and none of torch's cannot be followed.
  add(in, "unsupported(obj1, obj2)", [](Interpreter&, Args a) -> PyResult<Value> { return a[1]; });
  add(in, "reset()", [&engine](Interpreter&, Args) -> PyResult<Value> {
    engine.reset();
    return Value();
  });
  add(in, "set_trace_listener(listener, kinds)", [&engine](Interpreter&, Args a) -> PyResult<Value> {
    NNS_TRY(engine.log().listen(a[0], a[1]));
    return Value();
  });
  add(in, "set_config(name, value)", [&engine](Interpreter&, Args a) -> PyResult<Value> {
    if (const auto* name = a[0].as<object::Str>()) set_config(engine.config(), name->view(), a[1]);
    return Value();
  });
  add(in, "get_config(name)", [&engine](Interpreter&, Args a) -> PyResult<Value> {
    const auto* name = a[0].as<object::Str>();
    return name == nullptr ? Value() : config_value(engine.config(), name->view());
  });
  add(in, "set_error_on_graph_break(mode)", [&engine](Interpreter& i, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const bool mode, object::truth(i, a[0]));
    return Value(engine.set_errors_on_break(mode));
  });
  add(in, "set_stance(stance)", [&engine](Interpreter& i, Args a) -> PyResult<Value> {
    const auto* name = a[0].as<object::Str>();
    constexpr std::string_view kNames[] = {"default", "force_eager", "eager_on_recompile", "fail_on_recompile"};
    const auto* const found = std::find(std::begin(kNames), std::end(kNames), name == nullptr ? "" : name->view());
    if (found == std::end(kNames)) {
      NNS_TRY_ASSIGN(const std::string shown, object::str(i, a[0]));
      return object::runtime_error(i, "invalid torch.compile stance '{}'", shown);
    }
    const auto before = static_cast<std::size_t>(engine.stance());
    engine.set_stance(static_cast<Engine::Stance>(found - std::begin(kNames)));
    return i.text(kNames[before]);
  });
  add(in, "global_hooks(which)", [](Interpreter& i, Args a) -> PyResult<Value> {
    const auto* which = a[0].as<object::Str>();
    auto& library = nn::NnLibrary::of(i);
    const std::string_view name = which == nullptr ? std::string_view() : which->view();
    const auto hooks = name == "forward_pre"    ? nn::GlobalHooks::ForwardPre
                       : name == "backward_pre" ? nn::GlobalHooks::BackwardPre
                       : name == "backward"     ? nn::GlobalHooks::Backward
                                                : nn::GlobalHooks::Forward;
    return Value(static_cast<object::Object*>(&library.hooks(hooks)));
  });
  add(in, "allow_in_graph(function)", [&engine](Interpreter&, Args a) -> PyResult<Value> {
    engine.allow_in_graph(a[0]);
    return Value();
  });
  add(in, "disallow_in_graph(function)",
      [&engine](Interpreter&, Args a) -> PyResult<Value> { return Value(engine.disallow_in_graph(a[0])); });
  add(in, "counters()", [&engine](Interpreter& i, Args) -> PyResult<Value> {
    const Report& report = engine.report();
    std::size_t calls = 0;
    const Ref<Dict> breaks = i.dict();
    for (const GraphRecord& graph : report.graphs) calls += graph.graph->call_count();
    for (const BreakRecord& record : report.breaks) {
      const Value key = i.text(break_text(record.reason));
      const Value* before = breaks->find(key);
      breaks->set(key, Value(before == nullptr ? std::int64_t{1} : before->as_int() + 1));
    }
    return Value(
        i.tuple({Value(static_cast<std::int64_t>(report.graphs.size())), Value(static_cast<std::int64_t>(calls)),
                 Value(static_cast<std::int64_t>(report.frames_total)),
                 Value(static_cast<std::int64_t>(report.frames_ok)), Value(breaks)}));
  });
  add(in, "plans()", [&engine](Interpreter& i, Args) -> PyResult<Value> {
    std::int64_t chains = 0, fused = 0, used = 0;
    for (const auto& plan : engine.report().plans) {
      chains += static_cast<std::int64_t>(plan->chains);
      fused += static_cast<std::int64_t>(plan->fused_ops);
      used += plan->state == PlanRecord::State::Used ? 1 : 0;
    }
    const Ref<Dict> counts = i.dict();
    counts->set(i.intern("plans"), Value(static_cast<std::int64_t>(engine.report().plans.size())));
    counts->set(i.intern("plans_used"), Value(used));
    counts->set(i.intern("chains"), Value(chains));
    counts->set(i.intern("fused_ops"), Value(fused));
    return Value(counts);
  });
  add(in, "target_text(function)", [&engine](Interpreter& i, Args a) -> PyResult<Value> {
    engine.add_targets();
    if (const Engine::TorchFunction* known = engine.torch_function(a[0])) return i.text(known->target);
    const std::string module = a[0].is_object() && python::as_function(a[0]) == nullptr ? engine.module_of(a[0]) : "";
    return module.starts_with("torch") ? i.text(fmt::format("{}.{}", module, engine.name_of(a[0]))) : Value();
  });
  // Behaviour: dis shows CPython's UNPACK_SEQUENCE at the caller's place.
  add(in, "unpacked_count()", [&machine](Interpreter&, Args) -> PyResult<Value> {
    const python::Frame* const frame = machine.frame();
    const python::Frame* const caller = frame == nullptr ? nullptr : frame->back;
    if (caller == nullptr) return Value();
    const python::Instruction& at = caller->code->instructions[caller->instruction()];
    return at.op == python::Opcode::UnpackSequence ? Value(static_cast<std::int64_t>(at.arg)) : Value();
  });
  // Behaviour: torch/fx/_symbolic_trace.py, _patch_function.
  add(in, "with_plain_parameters(function)", [](Interpreter& i, Args a) -> PyResult<Value> {
    const python::Function* const given = python::as_function(a[0]);
    if (given == nullptr) return object::type_error(i, "a function of a program is needed");
    return Value(python::with_plain_parameters(i, *given));
  });
  add(in, "exported(program)", [&engine](Interpreter&, Args a) -> PyResult<Value> {
    if (engine.is_recording()) engine.report().exported.push_back(a[0]);
    return Value();
  });
  add(in, "mark()", [&engine](Interpreter& i, Args) -> PyResult<Value> {
    engine.record_all();
    const Report& report = engine.report();
    return Value(i.tuple({Value(static_cast<std::int64_t>(report.breaks.size())),
                          Value(static_cast<std::int64_t>(report.guards.size()))}));
  });
  add(in, "since(mark)", [&engine](Interpreter& i, Args a) -> PyResult<Value> {
    const Report& report = engine.report();
    const auto& mark = *a[0].as<object::Tuple>();
    std::vector<Value> breaks, guards;
    for (std::size_t n = static_cast<std::size_t>(mark[0].as_int()); n < report.breaks.size(); ++n) {
      // Of a frame that is skipped no graph tells why it ended.
      if (report.breaks[n].action != BreakAction::SkipFrame) breaks.push_back(break_row(i, report.breaks[n]));
    }
    for (std::size_t n = static_cast<std::size_t>(mark[1].as_int()); n < report.guards.size(); ++n) {
      for (const auto& row : report.guards[n].installed)
        guards.emplace_back(i.tuple({i.text(row[0].substr(0, row[0].find('['))), i.text(row[1]), i.text(row[3])}));
    }
    const Ref<Dict> found = i.dict();
    found->set(i.intern("breaks"), Value(i.list(std::move(breaks))));
    found->set(i.intern("guards"), Value(i.list(std::move(guards))));
    return Value(found);
  });
  // Behaviour: aten::_assert_async on the CPU; what has no contents asserts nothing.
  const Ref<object::NativeFunction> assert_async =
      in.function("_assert_async(input, assert_msg='')", [](Interpreter& i, Args a) -> PyResult<Value> {
        const auto* tensor = a[0].as<tensor::Tensor>();
        if (tensor != nullptr && tensor->is_meta()) return Value();
        NNS_TRY_ASSIGN(const bool is_true, object::truth(i, a[0]));
        if (is_true) return Value();
        const auto* message = a[1].as<object::Str>();
        const bool is_told = message != nullptr && !message->view().empty();
        return object::runtime_error(
            i, "{}", is_told ? message->view() : "Expected Tensor with single nonzero value, but got zero");
      });
  ops::python_module(in, "torch").set(in.intern("_assert_async"), Value(assert_async));
  const Ref<object::NativeFunction> compile = in.function(
      "compile(model=None, *, fullgraph=False, dynamic=None, backend='inductor', mode=None, options=None, "
      "disable=False)",
      [&machine](Interpreter& i, Args a) -> PyResult<Value> {
        NNS_TRY_ASSIGN(const Value module, machine.import_module("torch._dynamo", 0, nullptr));
        const Value made = *module.object()->instance_dict(true)->find(std::string_view("_compile"));
        const object::Keyword keywords[] = {{i.intern("fullgraph"), a[1]}, {i.intern("dynamic"), a[2]},
                                            {i.intern("backend"), a[3]},   {i.intern("mode"), a[4]},
                                            {i.intern("options"), a[5]},   {i.intern("disable"), a[6]}};
        return i.call(made, {&a[0], 1}, keywords);
      });
  ops::python_module(in, "torch").set(in.intern("compile"), Value(compile));
  python::add_embedded_modules(machine, Machine::FinderOrder::Torch,
                               {
#define NNS_SOURCE(name, is_package, text) \
  {"torch." name, is_package, python::dynamo_sources::text, python::dynamo_sources::text##Tree},
#include "core/dynamo/sources.def"
#undef NNS_SOURCE
                               });
  for (const char* name : {"_dynamo", "_logging", "compiler", "export", "fx"})
    machine.late_names.push_back({"torch", name, std::string("torch.") + name});
}

}  // namespace nns::dynamo
