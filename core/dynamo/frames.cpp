// Frames: which are compiled, the cache, running what was compiled, going on after a break.
// Behaviour: torch/_dynamo/convert_frame.py, eval_frame.py, resume_execution.py.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "core/dynamo/engine.h"
#include "core/dynamo/hints.h"
#include "core/dynamo/rebuild.h"
#include "core/nn/module.h"
#include "core/object/operations.h"
#include "core/object/same.h"
#include "core/ops/op.h"

namespace nns::dynamo {

namespace {

constexpr int kMostAttempts = 200;

bool holds_tensor(const Value& value, int depth) {
  if (value.as<tensor::Tensor>() != nullptr || value.as<nn::Module>() != nullptr) return true;
  if (depth > 4 || !value.is_object()) return false;
  if (const std::string_view cls = value.object()->type().name(); cls == "ndarray") return true;
  if (const auto* list = value.as<object::List>()) {
    return std::any_of(list->items().begin(), list->items().end(),
                       [&](const Value& one) { return holds_tensor(one, depth + 1); });
  }
  if (const auto* tuple = value.as<object::Tuple>()) {
    return std::any_of(tuple->items().begin(), tuple->items().end(),
                       [&](const Value& one) { return holds_tensor(one, depth + 1); });
  }
  if (auto* dict = value.as<Dict>()) {
    for (const Value& key : dict->keys()) {
      if (holds_tensor(*dict->find(key), depth + 1)) return true;
    }
  }
  return false;
}

// What a frame is written in, so that the machine or the next resume function goes on.
void put(python::Frame& frame, const FrameStart& start) {
  Value* slot = frame.slots;
  for (const Value& value : start.slots) *slot++ = value;
  Value* top = frame.stack();
  for (const Value& value : start.stack) *top++ = value;
  for (Value* old = top; old < frame.top; ++old) *old = Value();
  frame.top = top;
  frame.handlers.clear();
  for (const TracedFrame::Handler& handler : start.handlers) {
    frame.handlers.push_back({handler.target, static_cast<std::uint32_t>(handler.depth)});
  }
  frame.next = frame.code->instructions.data() + start.pc;
}

}  // namespace

// Behaviour: torch/_dynamo/convert_frame.py, has_tensor_in_frame.
bool Engine::is_worth_trying(const FrameStart& start) const {
  if (asked_for_.contains(start.code.get())) return true;
  for (const auto& [name, value] : visible(start)) {
    if (holds_tensor(value, 0)) return true;
  }
  for (const Name& name : start.code->names) {
    const Value* found = start.globals->find(name);
    const auto* module = found == nullptr ? nullptr : found->as<python::ModuleObject>();
    if (module == nullptr) continue;
    const Value* full = const_cast<python::ModuleObject*>(module)->dict().find(in_.intern("__name__"));
    const auto* text = full == nullptr ? nullptr : full->as<object::Str>();
    if (text == nullptr) continue;
    if (text->view() == "torch" || text->view().starts_with("torch.") || text->view() == "numpy") return true;
  }
  return false;
}

namespace {

// Behaviour: torch/_dynamo/guards.py, get_guard_fail_reason_helper.
constexpr const char* kOtherBackend =
    "BACKEND_MATCH failure: torch.compile detected different backend callables. If this is unexpected, wrap your "
    "backend in functools.partial (or reuse the same cached backend) to avoid creating a new backend function each "
    "time. More details: https://github.com/pytorch/pytorch/issues/168373";

}  // namespace

std::shared_ptr<CompiledFrame> Engine::find_entry(CodeCache& cache, const FrameStart& start,
                                                  std::vector<RecompileRecord::Reason>& reasons) {
  const auto names = visible(start);
  const Scope scope{&names, start.globals.get()};
  const Value backend = settings_.empty() ? Value() : settings_.back().backend;
  for (std::size_t i = cache.entries.size(); i-- > 0;) {
    const std::shared_ptr<CompiledFrame> entry = cache.entries[i];
    if (entry->is_stale()) {
      cache.entries.erase(cache.entries.begin() + static_cast<std::ptrdiff_t>(i));
      continue;
    }
    std::optional<std::string> failure = entry->guards.failure(scope, entry->sources->size());
    // None: what was compiled is used, whoever compiled it.
    if (!failure && !backend.is_none() && !object::is_same_text_or_object(entry->backend, backend))
      failure = kOtherBackend;
    if (!failure && !claims_hold(*entry, scope)) {
      failure = "sizes for which shapes follow another rule than the one that was found";
      cache.seen.are_sizes_constant = true;
    }
    if (!failure) {
      // The one that was used last is asked first.
      cache.entries.erase(cache.entries.begin() + static_cast<std::ptrdiff_t>(i));
      cache.entries.push_back(entry);
      return entry;
    }
    // Another instance of a module is no recompilation: each has an entry of its own.
    if (!entry->guards.is_of_other_instance(scope)) reasons.push_back({entry->compile_id, *std::move(failure)});
  }
  return nullptr;
}

std::shared_ptr<CompiledFrame> Engine::compile(CodeCache& cache, FrameStart& start, std::optional<PyError>& error) {
  if (cache.frame_number < 0) cache.frame_number = next_frame_++;
  start.compile_id = fmt::format("{}/{}", cache.frame_number, cache.attempts++);
  start.seen = &cache.seen;
  ++report_.frames_total;
  report_.compilations.push_back({start.name, start.compile_id, std::string(start.code->tree->source().name()),
                                  start.code->first_line(), start.resumes_line(), 0});
  const std::size_t compilation = report_.compilations.size() - 1;
  const auto begun_at = std::chrono::steady_clock::now();
  add_targets();
  // While a frame is traced nothing else is compiled, and random numbers are left alone.
  python::FrameCompiler* const compiler = std::exchange(machine_.frame_compiler, nullptr);
  const tensor::Generator generator = tensor::TensorLibrary::of(in_).generator;
  is_tracing_ = true;
  Speculation speculation;
  std::shared_ptr<CompiledFrame> result;
  bool is_plain = false;
  for (int attempt = 0; attempt < kMostAttempts && !result && !is_plain && !error; ++attempt) {
    log_.begin(start.compile_id, attempt, *start.code);
    if (attempt == 0) log_.tell_start(start.name, start.code->tree->source().name(), start.code->first_line());
    Translator translator(*this, start, speculation);
    result = translator.run();
    if (result) {
      if (result->ending == Ending::Return) log_.tell_done(start.name, "RETURN_VALUE");
      const bool is_empty = result->graph->call_count() == 0;
      if (result->ending == Ending::Return && is_empty && !is_fullgraph()) {
        report_.frames.push_back({start.name, start.compile_id, "skipped", "No ops traced"});
        result = nullptr;
        is_plain = true;
        cache.is_skipped = true;
        break;
      }
      if (result->ending == Ending::Break && !speculation.breaks.empty())
        result->reason = std::make_shared<BreakReason>(speculation.breaks.rbegin()->second);
      if (result->ending == Ending::Jump)
        result->reason = std::make_shared<BreakReason>(speculation.breaks[static_cast<std::size_t>(-1)]);
      break;
    }
    Failure& failure = translator.failure();
    switch (failure.kind) {
      case Failure::Kind::Restart:
        continue;
      case Failure::Kind::RestartUnspecialized:
        report_.restarts.push_back({"UnspecializeRestartAnalysis", start.compile_id});
        speculation = {};
        continue;
      case Failure::Kind::Error:
        error = failure.error;
        break;
      case Failure::Kind::Observed: {
        // Nobody in the frame catches it: the program raises it itself.
        BreakReason reason = failure.reason;
        reason.type = "Observed exception";
        reason.context = fmt::format("raised exception {}(", failure.exception->value.as<Class>()->name());
        for (std::size_t i = 0; i < failure.exception->items.size(); ++i) {
          const Value argument =
              failure.exception->items[i] == nullptr ? Value() : translator.constant_value(failure.exception->items[i]);
          reason.context += (i > 0 ? ", " : "") + (argument.is_absent() ? std::string("...") : repr_of(in_, argument));
        }
        reason.context += ")";
        reason.explanation =
            "Dynamo found no exception handler at the top-level compiled function when encountering an exception. "
            "Exception will propagate outside the compiled region.";
        reason.hints = {hints::kUserError, hints::kSupportable};
        failure.reason = std::move(reason);
        failure.kind = Failure::Kind::Unsupported;
        [[fallthrough]];
      }
      case Failure::Kind::Unsupported: {
        if (is_fullgraph() || translator.errors_on_break_) {
          if (!is_fullgraph()) record_skip(start, failure.reason, translator);
          error = unsupported_error(failure.reason);
          report_.frames.push_back({start.name, start.compile_id, "failed", failure.reason.type});
          break;
        }
        const bool is_exception = failure.reason.type == "Observed exception";
        const bool in_loop = translator.is_in_loop(*start.code, translator.root_.running);
        if (translator.checkpoint_ && !in_loop && !is_exception && !speculation.stop_at) {
          speculation.stop_at = translator.checkpoint_;
          speculation.stop_reason = failure.reason;
          speculation.stop_then.clear();
          if (std::optional<BreakReason> contexts = translator.break_in_contexts())
            speculation.stop_then.push_back(*std::move(contexts));
          log_.tell_break(BreakAction::Stop, failure.reason, speculation.stop_then);
          continue;
        }
        // It broke before: what goes on behind the break could not be made.
        if (failure.reason.type == "Reconstruction failure" && !speculation.breaks.empty()) {
          report_.breaks.push_back(
              {start.name, start.compile_id, BreakAction::Split, speculation.breaks.rbegin()->second, {}});
        }
        record_skip(start, failure.reason, translator);
        is_plain = true;
        break;
      }
      default:
        if (!speculation.breaks.empty()) record_skip(start, speculation.breaks.rbegin()->second, translator);
        is_plain = true;
        break;
    }
  }
  is_tracing_ = false;
  report_.compilations[compilation].seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_at).count();
  tensor::TensorLibrary::of(in_).generator = generator;
  if (result) {
    result->forget_values();
    if (is_export()) result->graph->make_exported(settings_.back().leaves);
    tell_graph(*result);
    if (!settings_.empty() && !settings_.back().runs_as_captured() &&
        (result->graph->call_count() > 0 || is_export())) {
      if (settings_.back().backend.as<object::Str>() != nullptr) {
        auto record = std::make_shared<PlanRecord>();
        record->frame = start.name;
        record->compile_id = start.compile_id;
        report_.plans.push_back(record);
        result->plan = std::make_shared<Plan>(in_, result->graph, std::move(record));
      } else if (PyResult<void> made = call_backend(*result); !made.ok()) {
        if (!config_.suppress_errors) error = made.error();
        result = nullptr;
      }
    }
    if (result && !settings_.empty()) result->backend = settings_.back().backend;
    if (result && result->graph->call_count() > 0) log_.tell_backend(result->backend, true);
    if (result && is_export())
      exported_ = result->graph;
    else if (result)
      result->graph->forget_inputs(in_);
    if (result) record(start, *result, speculation);
  }
  machine_.frame_compiler = compiler;
  return result;
}

PyResult<void> Engine::draw(const CompiledFrame& compiled, Locals& names) {
  for (const RandomCall& one : compiled.random_calls) {
    NNS_TRY_ASSIGN(Value drawn, in_.call(one.function, one.positional, one.keywords));
    names.emplace_back(one.source->text, std::move(drawn));
  }
  return {};
}

PyResult<std::vector<Value>> Engine::run_graph(const CompiledFrame& compiled, const FrameStart& start,
                                               const Locals& names) {
  if (compiled.graph->call_count() == 0 && compiled.outputs.empty()) return std::vector<Value>();
  SourceReader reader(in_, {&names, start.globals.get()}, compiled.sources->size());
  std::vector<Value> inputs;
  for (const Node* node : compiled.graph->ordered()) {
    if (node->op != Node::Op::Placeholder) continue;
    Value input = reader.read(*node->source);
    if (node->is_wrapped_number) {
      const Ref<tensor::Tensor> wrapped = tensor::empty(in_, {}, tensor::DType::Float64);
      const double number = input.as_float();
      std::memcpy(wrapped->data(), &number, sizeof number);
      input = Value(wrapped);
    }
    inputs.push_back(std::move(input));
  }
  // torch._dynamo.export only traces: what the graph writes to is put back.
  struct Before {
    Ref<tensor::Tensor> tensor, copy;
    std::uint64_t version;
  };
  std::vector<Before> befores;
  for (const Node* node : compiled.graph->ordered()) {
    auto* held = is_export() ? node->callee.as<tensor::Tensor>() : nullptr;
    if (held == nullptr) continue;
    const ops::GradModeGuard no_grad(in_, false);
    NNS_TRY_ASSIGN(const Value copy, in_.call_method(node->callee, in_.intern("clone")));
    befores.push_back({Ref<tensor::Tensor>(held), Ref<tensor::Tensor>(copy.as<tensor::Tensor>()), held->version()});
  }
  python::FrameCompiler* const compiler = std::exchange(machine_.frame_compiler, nullptr);
  PyResult<std::vector<Value>> results = [&]() -> PyResult<std::vector<Value>> {
    if (compiled.plan) return compiled.plan->run(inputs);
    if (compiled.runner.is_absent()) return compiled.graph->run(in_, inputs);
    NNS_TRY_ASSIGN(const Value made, in_.call(compiled.runner, inputs));
    return object::to_vector(in_, made);
  }();
  machine_.frame_compiler = compiler;
  for (const Before& one : befores) {
    if (one.tensor->version() == one.version) continue;
    const ops::GradModeGuard no_grad(in_, false);
    NNS_TRY(in_.call_method(Value(one.tensor), in_.intern("copy_"), {Value(one.copy)}));
  }
  return results;
}

namespace {

/// Calls of programs that are made while it lives are not offered to the compiler.
class Uncompiled {
 public:
  explicit Uncompiled(Machine& machine) : machine_(machine), before_(std::exchange(machine.frame_compiler, nullptr)) {}
  ~Uncompiled() { machine_.frame_compiler = before_; }
  Uncompiled(const Uncompiled&) = delete;
  Uncompiled& operator=(const Uncompiled&) = delete;
  void allow() { machine_.frame_compiler = before_; }
  void forbid() { machine_.frame_compiler = nullptr; }

 private:
  Machine& machine_;
  python::FrameCompiler* before_;
};

}  // namespace

std::optional<PyResult<Value>> Engine::offer(python::Frame& frame) {
  const Code& code = *frame.code;
  const std::string_view file = code.tree->source().name();
  if (file.starts_with("<") && file != "<stdin>" && !file.starts_with("<torch._dynamo._library") &&
      file != "<string>" && !file.starts_with("<eval_with_key>"))
    return std::nullopt;
  if (code.name.starts_with("<") && code.name != "<lambda>") return std::nullopt;
  if (frame.function != nullptr && !disabled_reason(*frame.function).is_absent()) return std::nullopt;
  Uncompiled uncompiled(machine_);
  FrameStart start;
  start.code = Ref<Code>(frame.code);
  start.function = frame.function.get();
  start.globals = Ref<Dict>(frame.globals);
  const std::size_t count = code.locals.size() + code.cells.size() + code.free.size();
  start.slots.assign(frame.slots, frame.slots + count);
  start.name = code.name;
  // *args and **kwargs stand behind keyword-only parameters here too.
  for (std::uint32_t i = 0; i < code.parameter_count(); ++i) start.assigned.push_back(i);
  const auto finish = [&](PyResult<Value> result) -> std::optional<PyResult<Value>> {
    machine_.drop_frame();
    return result;
  };
  const auto leave_modes = [&](bool enters) -> PyResult<void> {
    for (const Value& value : start.stack) {
      if (context_class(value).is_absent()) continue;
      const Value& context = value.as<object::BoundMethod>()->self();
      if (enters) {
        NNS_TRY(in_.call_method(context, in_.intern("__enter__")));
      } else {
        NNS_TRY(in_.call_method(context, in_.intern("__exit__"), {Value(), Value(), Value()}));
      }
    }
    return {};
  };
  while (true) {
    CodeCache& cache = caches_[{&code, start.pc, modes_of(start.stack)}];
    cache.code = start.code;
    if (cache.is_skipped || !is_worth_trying(start)) {
      put(frame, start);
      return std::nullopt;
    }
    if (PyResult<void> left = leave_modes(false); !left.ok()) return finish(left.error());
    std::vector<RecompileRecord::Reason> reasons;
    std::shared_ptr<CompiledFrame> entry = find_entry(cache, start, reasons);
    if (!entry) {
      if (stance_ == Stance::EagerOnRecompile) {
        if (PyResult<void> entered = leave_modes(true); !entered.ok()) return finish(entered.error());
        put(frame, start);
        return std::nullopt;
      }
      if (stance_ == Stance::FailOnRecompile) return finish(recompile_refused(start, reasons));
      for (const auto& reason : reasons) {
        if (settings_.empty() || settings_.back().guard_fail_fn.is_none()) break;
        const Value told[] = {in_.text(reason.guard), Value(Ref<Code>(start.code))};
        if (PyResult<Value> done = in_.call(settings_.back().guard_fail_fn, told); !done.ok())
          return finish(done.error());
      }
      if (!reasons.empty()) {
        if (static_cast<std::int64_t>(cache.entries.size()) >= config_.recompile_limit) {
          if (is_fullgraph())
            return finish(exception("FailOnRecompileLimitHit", "recompile_limit reached with fullgraph=True."));
          if (errors_on_break_) return finish(recompile_limit_error());
          cache.is_skipped = true;
          log_.tell_limit(fmt::format("{}/{}", cache.frame_number, cache.attempts), start.name,
                          code.tree->source().name(), code.first_line(), config_.recompile_limit, reasons.front());
          if (PyResult<void> entered = leave_modes(true); !entered.ok()) return finish(entered.error());
          continue;
        }
        if (config_.error_on_recompile) {
          std::string text = fmt::format(
              "Recompiling function {} in {}:{}\n    triggered by the following guard failure(s):", start.name,
              code.tree->source().name(), code.first_line());
          for (const auto& reason : reasons) text += fmt::format("\n    - {}: {}", reason.of, reason.guard);
          return finish(exception("RecompileError", text));
        }
        RecompileRecord record{start.name, fmt::format("{}/{}", cache.frame_number, cache.attempts), reasons};
        log_.tell_recompile(record.compile_id, start.name, code.tree->source().name(), code.first_line(), reasons);
        report_.recompiles.push_back(std::move(record));
      }
      std::optional<PyError> error;
      entry = compile(cache, start, error);
      if (error) return finish(*std::move(error));
      if (!entry) {
        cache.is_skipped = cache.is_skipped || cache.entries.empty();
        if (PyResult<void> entered = leave_modes(true); !entered.ok()) return finish(entered.error());
        put(frame, start);
        return std::nullopt;
      }
      cache.entries.push_back(entry);
    }
    Locals names = visible(start);
    if (PyResult<void> drawn = draw(*entry, names); !drawn.ok()) return finish(std::move(drawn).error());
    PyResult<std::vector<Value>> results = run_graph(*entry, start, names);
    if (!results.ok()) return finish(std::move(results).error());
    std::vector<std::pair<Name, Value>> cells;
    for (std::size_t i = code.locals.size(); i < start.slots.size(); ++i) {
      const std::size_t at = i - code.locals.size();
      const Name name = at < code.cells.size() ? code.cells[at] : code.free[at - code.cells.size()];
      cells.emplace_back(name, start.slots[i]);
    }
    // Who looks at the frame from now on sees it at its beginning.
    frame.next = code.instructions.data() + std::min<std::size_t>(start.pc + 1, code.instructions.size());
    Rebuilder rebuilder(*this, *entry, {&names, start.globals.get()}, std::move(results).value(), cells);
    if (entry->ending == Ending::Return) {
      PyResult<Value> value = rebuilder.value(entry->result);
      if (!value.ok()) return finish(std::move(value).error());
      if (PyResult<void> written = rebuilder.write_back(); !written.ok()) return finish(written.error());
      for (const GlobalWrite& write : entry->global_writes) {
        PyResult<Value> now = rebuilder.value(write.value);
        if (now.ok()) write.globals->set(write.name, now.value());
      }
      return finish(std::move(value).value());
    }
    // The frame's state behind the graph.
    FrameStart next = start;
    next.is_resume = true;
    next.assigned = entry->state.assigned;
    next.handlers = entry->state.handlers;
    next.pc = entry->state.pc;
    next.name = fmt::format("torch_dynamo_resume_in_{}_at_{}", code.name, next.resumes_line());
    next.stack.clear();
    std::optional<PyError> failure;
    for (std::size_t i = 0; i < next.slots.size(); ++i) {
      PyResult<Value> value = rebuilder.value(entry->state.slots[i]);
      if (!value.ok()) return finish(std::move(value).error());
      next.slots[i] = std::move(value).value();
    }
    for (Variable* variable : entry->state.stack) {
      PyResult<Value> value = rebuilder.value(variable);
      if (!value.ok()) return finish(std::move(value).error());
      next.stack.push_back(std::move(value).value());
    }
    if (PyResult<void> written = rebuilder.write_back(); !written.ok()) return finish(written.error());
    for (const GlobalWrite& write : entry->global_writes) {
      PyResult<Value> now = rebuilder.value(write.value);
      if (now.ok()) write.globals->set(write.name, now.value());
    }
    start = std::move(next);
    if (PyResult<void> entered = leave_modes(true); !entered.ok()) return finish(entered.error());
    if (entry->ending == Ending::Stop) {
      put(frame, start);
      return std::nullopt;
    }
    if (entry->ending == Ending::Jump) {
      const Value condition = start.stack.back();
      start.stack.pop_back();
      PyResult<bool> is_true = object::truth(in_, condition);
      if (!is_true.ok()) return finish(is_true.error());
      const bool jumps = is_true.value() == entry->jumps_if;
      if (jumps) start.pc = entry->jump_target;
      if (jumps && entry->jump_keeps) start.stack.push_back(condition);
      continue;
    }
    // The instruction that could not be traced runs plainly.
    put(frame, start);
    const Instruction& instruction = code.instructions[start.pc];
    frame.next = &instruction + 1;
    const bool is_call = instruction.op == Opcode::Call && start.stack.size() >= instruction.arg + 2;
    const Value callee = is_call ? start.stack[start.stack.size() - instruction.arg - 2] : Value();
    uncompiled.allow();
    PyResult<void> done = run_instruction(instruction, code, start);
    if (!done.ok()) {
      put(frame, start);
      frame.next = &instruction + 1;
      const PyError& error = done.error();
      return machine_.run_frame(&error);
    }
    uncompiled.forbid();
    ++start.pc;
    // A comprehension is cut out with the assignment of what it gives.
    const auto* cut = callee.as<python::Function>();
    const Instruction& following = code.instructions[start.pc];
    if (cut != nullptr && cut->code().name.ends_with("comp>") && following.op == Opcode::StoreFast) {
      start.slots[following.arg] = start.stack.back();
      start.stack.pop_back();
      ++start.pc;
    }
    if (code.instructions[start.pc].op == Opcode::Return && start.handlers.empty()) return finish(start.stack.back());
  }
}

}  // namespace nns::dynamo
