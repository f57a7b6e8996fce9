// What is written down and told of a compilation: its graph, its breaks, its guards.
#include <fmt/format.h>

#include <algorithm>

#include "core/dynamo/engine.h"
#include "core/dynamo/hints.h"
#include "core/object/operations.h"

namespace nns::dynamo {

// Locals by name, and what is pending on the stack, as guards and sources see them.
Engine::Locals Engine::visible(const FrameStart& start) const {
  Locals names;
  const Code& code = *start.code;
  const std::size_t locals = code.locals.size();
  for (std::size_t i = 0; i < start.slots.size(); ++i) {
    if (i < locals) {
      if (!start.slots[i].is_absent()) names.emplace_back(code.locals[i], start.slots[i]);
      continue;
    }
    const std::size_t at = i - locals;
    const Name name = at < code.cells.size() ? code.cells[at] : code.free[at - code.cells.size()];
    const Value& held = static_cast<python::Cell*>(start.slots[i].object())->value;
    if (!held.is_absent()) names.emplace_back(name, held);
  }
  std::size_t number = 0;
  for (const Value& value : start.stack) {
    if (value.is_absent()) continue;
    const Value mode = context_class(value);
    names.emplace_back(in_.intern("___stack" + std::to_string(number++)), mode.is_absent() ? value : mode);
  }
  return names;
}

void Engine::record_guards(const FrameStart& start, const CompiledFrame& compiled) {
  GuardRecord guards{start.name, start.compile_id, {}, {}};
  std::vector<const Guard*> sorted;
  for (const Guard& guard : compiled.guards.all()) {
    if (guard.kind != GuardKind::ShapeEnv) sorted.push_back(&guard);
  }
  std::sort(sorted.begin(), sorted.end(), [this](const Guard* a, const Guard* b) {
    const auto key = [this](const Guard& one) { return std::make_pair(one.source->name(), one.kind_text(in_)); };
    return key(*a) < key(*b);
  });
  for (const Guard* guard : sorted) {
    guards.installed.push_back({guard->kind_text(in_), guard->source->name(), std::string(guard->source->class_name()),
                                guard->source->guard_source()});
    guards.asked_by.push_back(
        {guard->asked_by ? std::string(guard->asked_by->tree->source().name()) : std::string(), guard->line});
  }
  report_.guards.push_back(std::move(guards));
}

void Engine::record(const FrameStart& start, CompiledFrame& compiled, const Speculation& speculation) {
  ++report_.frames_ok;
  if (compiled.claims.needs_check()) {
    const Locals names = visible(start);
    note_claims_of_now(compiled, {&names, start.globals.get()});
  }
  const std::uint32_t resumes = start.resumes_line();
  const bool is_broken = compiled.ending != Ending::Return;
  if (compiled.graph->call_count() > 0) {
    report_.graphs.push_back({start.name, start.compile_id, is_broken, {}, resumes, compiled.graph, compiled.sources});
  }
  const auto add_break = [&](BreakAction action, const BreakReason& reason, std::vector<BreakReason> then) {
    report_.breaks.push_back({start.name, start.compile_id, action, reason, std::move(then)});
  };
  if (compiled.ending == Ending::Stop) add_break(BreakAction::Stop, speculation.stop_reason, speculation.stop_then);
  if (compiled.reason != nullptr) add_break(BreakAction::Split, *compiled.reason, {});
  if (is_recording_) record_guards(start, compiled);
  if (log_.wants(Told::Guards)) {
    const Locals names = visible(start);
    log_.tell_guards(compiled.guards, {&names, start.globals.get()}, compiled.sources->size());
  }
  report_.frames.push_back({start.name, start.compile_id, "compiled", {}});
}

void Engine::record_skip(const FrameStart& start, BreakReason reason, Translator& translator) {
  BreakRecord made{start.name, start.compile_id, BreakAction::SkipFrame, std::move(reason), {}};
  const TracedFrame& root = translator.root_;
  if (made.reason.type != "Observed exception") {
    if (translator.is_in_loop(*root.code, root.running)) {
      BreakReason loop;
      loop.type = "graph break in loop";
      loop.explanation =
          "torch.compile detected a graph break in a for/while loop. Skipping the frame and falling back to eager, as "
          "graph breaks in loops are not supported.";
      loop.context = fmt::format("frame skipped: {} ({} line {})", start.name, root.code->tree->source().name(),
                                 start.code->first_line());
      loop.hints = {hints::kCausedByEarlier};
      made.then.push_back(std::move(loop));
    } else if (std::optional<BreakReason> contexts = translator.break_in_contexts()) {
      made.then.push_back(*std::move(contexts));
    }
  }
  log_.tell_break(made.action, made.reason, made.then);
  report_.breaks.push_back(std::move(made));
  report_.frames.push_back({start.name, start.compile_id, "failed", {}});
}

// Behaviour: torch/_dynamo/output_graph.py, compile_and_call_fx_graph.
void Engine::tell_graph(const CompiledFrame& compiled) {
  if (compiled.graph->call_count() == 0) return;
  if (log_.wants(Told::Graph)) {
    if (const PyResult<Value> made = graph_module_of(*compiled.graph); made.ok()) log_.tell_graph(made.value());
  }
  log_.tell_backend(settings_.empty() ? Value() : settings_.back().backend, false);
}

}  // namespace nns::dynamo
