// The end of an attempt: what the graph gives back, which locals live on, where the frame goes on.
// Behaviour: torch/_dynamo/output_graph.py, compile_subgraph.
#include <fmt/format.h>

#include <algorithm>

#include "core/dynamo/engine.h"
#include "core/dynamo/hints.h"
#include "core/dynamo/mode_context.h"
#include "core/nn/module.h"
#include "core/object/operations.h"
#include "core/ops/op.h"

namespace nns::dynamo {

Translator::Translator(Engine& engine, const FrameStart& start, Speculation& speculation)
    : engine_(engine),
      in_(engine.interpreter()),
      machine_(Machine::of(in_)),
      start_(start),
      speculation_(speculation),
      config_(engine.config()),
      sources_(std::make_shared<SourceTable>(in_)),
      arena_(std::make_shared<Arena>()),
      graph_(std::make_shared<Graph>()),
      compiled_(std::make_shared<CompiledFrame>(in_)) {
  compiled_->sources = sources_;
  compiled_->arena = arena_;
  compiled_->graph = graph_;
  compiled_->compile_id = start.compile_id;
  root_name_ = std::make_shared<const std::string>(start.name);
  grad_mode_ = grad_is_enabled(in_);
  auto& autocast = ops::OpLibrary::of(in_).autocast;
  compiled_->guards.note_modes();
  // What stands for tensors has no device: they are of the CPU until one is seen that is not.
  autocast_before_ = autocast;
  autocast.meta_device_type = "cpu";
  errors_on_break_ = engine.errors_on_break();
}

Translator::~Translator() { ops::OpLibrary::of(in_).autocast = std::move(autocast_before_); }

void CompiledFrame::forget_values() {
  const auto keep = [this](const Class* cls) {
    if (cls != nullptr) classes.try_emplace(cls, const_cast<Class*>(cls));
  };
  for (const Guard& one : guards.all()) {
    keep(one.type);
    if (one.tensor != nullptr) keep(one.tensor->cls);
  }
  for (Variable& variable : arena->all()) {
    keep(variable.cls);
    keep(variable.tensor_class);
    const bool can_be_read =
        variable.source != nullptr && variable.source->kind != SourceKind::Constant && !variable.is_new;
    const bool is_object = variable.kind == VariableKind::Lazy || variable.kind == VariableKind::Object ||
                           variable.kind == VariableKind::NNModule || variable.kind == VariableKind::Tensor ||
                           variable.kind == VariableKind::Cell;
    if (can_be_read && is_object) variable.value = Value();
  }
}

void Translator::begin_root() {
  root_.code = start_.code;
  root_.globals = start_.globals;
  root_.is_root = true;
  root_.pc = start_.pc;
  root_.assigned = start_.assigned;
  root_.handlers = start_.handlers;
  root_.is_library = engine_.is_library_code(*start_.code);
  const Code& code = *start_.code;
  const std::size_t locals = code.locals.size();
  root_.slots.assign(start_.slots.size(), nullptr);
  for (std::size_t i = 0; i < start_.slots.size(); ++i) {
    const Value& value = start_.slots[i];
    if (i < locals) {
      if (!value.is_absent()) root_.slots[i] = lazy(value, sources_->local(code.locals[i]));
      continue;
    }
    const std::size_t at = i - locals;
    const Name name = at < code.cells.size() ? code.cells[at] : code.free[at - code.cells.size()];
    auto* cell = static_cast<python::Cell*>(value.object());
    Variable& made = arena_->make(VariableKind::Cell);
    made.value = value;
    made.source = sources_->local(name);
    made.is_closure = at >= code.cells.size();
    if (!cell->value.is_absent()) made.function = lazy(cell->value, made.source);
    track(value, &made);
    root_.slots[i] = &made;
  }
  for (std::size_t i = 0; engine_.is_export() && i < start_.code->parameter_count(); ++i) {
    if (root_.slots[i] != nullptr) real(root_.slots[i]);
  }
  std::size_t number = 0;
  for (const Value& value : start_.stack) {
    if (value.is_absent()) {
      root_.stack.push_back(&arena_->make(VariableKind::Null));
      continue;
    }
    const Source* source = sources_->local(in_.intern("___stack" + std::to_string(number++)));
    if (const Value cls = engine_.context_class(value); !cls.is_absent()) {
      Variable* made = nullptr;
      if (is_autocast(*cls.as<Class>())) {
        made = autocast_with(engine_.autocast_values(value.as<object::BoundMethod>()->self()), source);
      } else {
        made = &arena_->make(VariableKind::Context);
        made->value = cls;
        made->source = source;
        made->mode = engine_.context_mode(value);
      }
      guard_id(GuardKind::ClassMatch, source, cls);
      made->is_entered = true;
      root_.stack.push_back(made);
      enter_mode(*made);
      continue;
    }
    // What is pending is looked at at once.
    root_.stack.push_back(lazy(value, source));
  }
}

std::shared_ptr<CompiledFrame> Translator::run() {
  const ops::GradModeGuard restore(in_, grad_mode_);
  frame_ = &root_;
  begin_root();
  read_log_settings();
  frame_ = nullptr;
  const Step result = run_frame(root_);
  for (const Symbol& symbol : symbols_.all()) {
    if (symbol.source != nullptr) compiled_->claims.symbols.push_back(symbol.source);
  }
  if (result == Step::Returned && !has_failed()) return ended_;
  return nullptr;
}

std::vector<bool> Translator::live_locals(const Code& code, std::uint32_t pc) const {
  const std::size_t count = code.instructions.size();
  const std::size_t locals = code.locals.size();
  std::vector<std::vector<bool>> live(count + 1, std::vector<bool>(locals, false));
  // super() without arguments reads the first parameter. Behaviour: LOAD_SUPER_ATTR, before which it is loaded.
  const auto reads_self = [&](const Instruction& one) {
    return one.op == Opcode::LoadGlobal && locals > 0 && code.parameter_count() > 0 &&
           code.names[one.arg].view() == "super";
  };
  // The call reads it, too, where the frame is cut at it.
  const auto calls_super = [&](std::size_t at) {
    const Instruction& one = code.instructions[at];
    return one.op == Opcode::Call && one.arg == 0 && at >= 2 &&
           (reads_self(code.instructions[at - 1]) || reads_self(code.instructions[at - 2]));
  };
  bool has_changed = true;
  while (has_changed) {
    has_changed = false;
    for (std::size_t i = count; i-- > 0;) {
      const Instruction& one = code.instructions[i];
      std::vector<bool> now(locals, false);
      const auto join = [&](std::size_t from) {
        if (from >= count) return;
        for (std::size_t k = 0; k < locals; ++k) now[k] = now[k] || live[from][k];
      };
      if (python::jumps(one.op)) join(one.arg);
      if (!python::ends(one.op)) join(i + 1);
      if (one.op == Opcode::StoreFast) now[one.arg] = false;
      if (one.op == Opcode::LoadFast || one.op == Opcode::DeleteFast) now[one.arg] = true;
      if (reads_self(one) || calls_super(i)) now[0] = true;
      if (now != live[i]) {
        live[i] = std::move(now);
        has_changed = true;
      }
    }
  }
  return live[pc];
}

void Translator::collect_outputs(Variable* variable, std::vector<const Node*>& outputs,
                                 std::set<const Variable*>& seen) {
  if (variable == nullptr || !seen.insert(variable).second) return;
  switch (variable->kind) {
    case VariableKind::Lazy:
      collect_outputs(variable->realized, outputs, seen);
      return;
    case VariableKind::Tensor:
      // What the frame finds needs no graph; an exported program gives all that it returns.
      if ((variable->node->op == Node::Op::Placeholder || variable->node->op == Node::Op::GetAttr) &&
          !engine_.is_export())
        return;
      if (std::find(outputs.begin(), outputs.end(), variable->node) == outputs.end()) outputs.push_back(variable->node);
      return;
    case VariableKind::Number:
      if (variable->source != nullptr) return;
      if (std::find(outputs.begin(), outputs.end(), variable->node) == outputs.end()) outputs.push_back(variable->node);
      return;
    case VariableKind::List:
    case VariableKind::Tuple:
    case VariableKind::Dict:
    case VariableKind::Set:
      if (!variable->is_new && !variable->is_mutated && variable->kind != VariableKind::Tuple) return;
      for (Variable* item : variable->items) collect_outputs(item, outputs, seen);
      return;
    case VariableKind::Slice:
    case VariableKind::Exception:
      for (Variable* item : variable->items) collect_outputs(item, outputs, seen);
      for (const AttributeWrite& write : writes_) {
        if (write.object == variable) collect_outputs(write.value, outputs, seen);
      }
      return;
    case VariableKind::Format:
      for (Variable* item : variable->items) collect_outputs(item, outputs, seen);
      for (const auto& [name, value] : variable->keyword_defaults) collect_outputs(value, outputs, seen);
      return;
    case VariableKind::Cell:
      if (variable->is_new || variable->is_mutated) collect_outputs(variable->function, outputs, seen);
      return;
    case VariableKind::Function:
      for (Variable* item : variable->defaults) collect_outputs(item, outputs, seen);
      for (Variable* item : variable->closure) collect_outputs(item, outputs, seen);
      for (const AttributeWrite& write : writes_) {
        if (write.object == variable) collect_outputs(write.value, outputs, seen);
      }
      return;
    case VariableKind::Method:
    case VariableKind::BoundBuiltin:
    case VariableKind::AttributeDict:
    case VariableKind::Iterator:
    case VariableKind::DictView:
    case VariableKind::DataPtr:
    case VariableKind::HookHandle:
      collect_outputs(variable->self, outputs, seen);
      collect_outputs(variable->function, outputs, seen);
      return;
    case VariableKind::Object:
      if (!variable->is_new) return;
      collect_outputs(variable->contents, outputs, seen);
      for (Variable* item : variable->items) collect_outputs(item, outputs, seen);
      for (const AttributeWrite& write : writes_) {
        if (write.object == variable) collect_outputs(write.value, outputs, seen);
      }
      return;
    default:
      return;
  }
}

// Whether a real value can be made of it when the graph has run.
bool Translator::is_rebuildable(Variable* variable, std::set<const Variable*>& seen) {
  if (variable == nullptr || !seen.insert(variable).second) return true;
  if (variable->kind == VariableKind::Lazy) return is_rebuildable(variable->realized, seen);
  if (variable->kind == VariableKind::Generator) return false;
  if (variable->kind == VariableKind::Iterator && variable->given == nullptr) return false;
  const auto all = [&](const std::vector<Variable*>& items) {
    return std::all_of(items.begin(), items.end(), [&](Variable* item) { return is_rebuildable(item, seen); });
  };
  return all(variable->items) && all(variable->keys) && all(variable->defaults) && all(variable->closure) &&
         is_rebuildable(variable->self, seen) && is_rebuildable(variable->function, seen) &&
         is_rebuildable(variable->contents, seen) &&
         (variable->kind != VariableKind::Object || !variable->is_new ||
          std::all_of(writes_.begin(), writes_.end(), [&](const AttributeWrite& write) {
            return write.object != variable || is_rebuildable(write.value, seen);
          }));
}

// Behaviour: torch/_dynamo/variables/lazy.py, LazyVariableTracker.realize_all, which leaves plain constants alone.
bool Translator::realize_all(Variable* variable, std::set<const Variable*>& seen) {
  if (variable == nullptr || !seen.insert(variable).second) return true;
  if (variable->kind == VariableKind::Lazy) {
    const Value& value = variable->value;
    const bool is_constant = !value.is_object() || value.as<object::Str>() != nullptr;
    if (variable->realized == nullptr && is_constant) return true;
    return real(variable) != nullptr && realize_all(variable->realized, seen);
  }
  if (variable->kind != VariableKind::Tuple && variable->kind != VariableKind::List &&
      variable->kind != VariableKind::Dict)
    return true;
  const std::vector<Variable*> items = variable->items;
  return std::all_of(items.begin(), items.end(), [&](Variable* item) { return realize_all(item, seen); });
}

// Attributes of tensors that the frame makes are written if anybody can see them.
void Translator::collect_tensor_attributes(std::vector<const Node*>& outputs, std::set<const Variable*>& seen,
                                           std::set<const Variable*>& checked) {
  bool has_found = true;
  while (has_found) {
    has_found = false;
    for (const AttributeWrite& write : writes_) {
      Variable& object = *write.object;
      const bool is_made = object.kind == VariableKind::Tensor && object.is_new;
      if (!is_made || object.is_mutated || !seen.contains(&object)) continue;
      has_found = object.is_mutated = true;
      for (const AttributeWrite& other : writes_) {
        if (other.object != &object) continue;
        if (!is_rebuildable(other.value, checked)) failure_.kind = Failure::Kind::Skip;
        collect_outputs(other.value, outputs, seen);
      }
    }
  }
}

std::shared_ptr<CompiledFrame> Translator::finish(Ending ending, TracedFrame& root, Variable* result) {
  CompiledFrame& out = *compiled_;
  // What is written back whole is looked at.
  for (std::size_t i = 0; i < mutated_.size(); ++i) {
    if (mutated_[i]->is_hooks_dict) continue;
    const std::vector<Variable*> items = mutated_[i]->items;
    for (Variable* item : items) {
      if (real(item) == nullptr) return nullptr;
    }
  }
  out.ending = ending;
  out.result = result;
  std::vector<const Node*> outputs;
  std::set<const Variable*> seen;
  std::vector<Variable*> kept;
  if (ending == Ending::Return) {
    std::set<const Variable*> looked_at;
    if (!realize_all(result, looked_at)) return nullptr;
    kept.push_back(result);
  } else {
    out.state.pc = root.pc;
    out.state.handlers = root.handlers;
    out.state.stack = root.stack;
    out.state.slots.assign(root.slots.size(), nullptr);
    out.state.assigned = root.assigned;
    // Modes are left before the graph ends, and entered again after it.
    for (std::size_t i = root.stack.size(); i-- > 0;) {
      if (root.stack[i]->kind == VariableKind::Context && !leave_mode(*root.stack[i])) return nullptr;
    }
    std::vector<bool> live = live_locals(*root.code, root.pc);
    if (ending == Ending::Jump) {
      // Both arms may follow; root.pc is the one.
      live = live_locals(*root.code, root.running);
    }
    for (Variable* value : root.stack) {
      // What is pending is looked at.
      if (real(value) == nullptr) return nullptr;
      kept.push_back(value);
    }
    const std::size_t locals = root.code->locals.size();
    std::vector<std::uint32_t> order = root.assigned;
    for (std::uint32_t i = 0; i < locals; ++i) {
      if (std::find(order.begin(), order.end(), i) == order.end()) order.push_back(i);
    }
    for (const std::uint32_t slot : order) {
      if (!live[slot] || root.slots[slot] == nullptr) continue;
      out.state.slots[slot] = root.slots[slot];
      kept.push_back(root.slots[slot]);
    }
    for (std::size_t i = locals; i < root.slots.size(); ++i) {
      out.state.slots[i] = root.slots[i];
      kept.push_back(root.slots[i]);
    }
  }
  std::set<const Variable*> checked;
  for (Variable* value : kept) {
    if (!is_rebuildable(value, checked)) {
      if (real(value)->kind == VariableKind::Generator) {
        failure_.kind = Failure::Kind::Skip;
        return nullptr;
      }
      // Behaviour: torch/_dynamo/codegen.py, PyCodegen.__call__.
      unsupported(
          "Reconstruction failure", shown(value),
          fmt::format("Dynamo has no bytecode reconstruction implemented for sourceless variable {}.", shown(value)),
          {"If Dynamo is attempting to trace a return statement and your code is attempting to return a "
           "variable that Dynamo cannot reconstruct, then remove it from the return statement.",
           hints::kCausedByEarlier,
           "Report an issue to PyTorch if you need reconstrtuction support. Note that objects that don't have "
           "reconstruction rules may be fundamentally unreconstructable."});
      return nullptr;
    }
    collect_outputs(value, outputs, seen);
  }
  for (const AttributeWrite& write : writes_) {
    if (!write.object->is_new) collect_outputs(write.value, outputs, seen);
  }
  collect_tensor_attributes(outputs, seen, checked);
  for (Variable* handle : hooks_) {
    if (!is_rebuildable(handle, checked)) failure_.kind = Failure::Kind::Skip;
    collect_outputs(handle, outputs, seen);
  }
  for (const LoggedCall& one : logs_) {
    for (Variable* arg : one.args) {
      if (!is_rebuildable(arg, checked)) failure_.kind = Failure::Kind::Skip;
      collect_outputs(arg, outputs, seen);
    }
  }
  // A cell of the frame's own that nobody has kept goes with it.
  std::set<const Variable*> looked_at;
  for (std::size_t i = mutated_.size(); i-- > 0;) {
    if (is_rebuildable(mutated_[i], looked_at)) continue;
    const bool is_own_cell = mutated_[i]->kind == VariableKind::Cell && !mutated_[i]->is_closure;
    if (ending != Ending::Return || !is_own_cell || checked.contains(mutated_[i])) {
      failure_.kind = Failure::Kind::Skip;
      return nullptr;
    }
    mutated_.erase(mutated_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  for (Variable* variable : mutated_) {
    seen.erase(variable);
    collect_outputs(variable, outputs, seen);
  }
  for (const GlobalWrite& write : global_writes_) collect_outputs(write.value, outputs, seen);
  for (const AttributeWrite& write : writes_) {
    if (write.object->is_new && !checked.contains(write.object)) continue;
    if (!is_rebuildable(write.value, checked)) failure_.kind = Failure::Kind::Skip;
  }
  if (has_failed() || !keeps_new_leaves(outputs)) return nullptr;
  Node& output = graph_->add(Node::Op::Output, "output", "output");
  Argument all{.kind = Argument::Kind::Tuple, .node = nullptr, .constant = {}, .items = {}, .keys = {}};
  for (const Node* node : outputs) all.items.push_back(node_argument(*node));
  output.args.push_back(std::move(all));
  assert_unknown_sizes();
  guard_ranges();
  graph_->finish();
  body_graphs_.push_back(graph_);
  for (const std::shared_ptr<Graph>& graph : body_graphs_) {
    for (Node& node : graph->all()) {
      if (!node.variants.empty() && node.example && !node.is_erased) node.type_text = type_text(node);
    }
  }
  // The examples of the other worlds have done their part.
  for (const std::shared_ptr<Graph>& graph : body_graphs_) {
    for (Node& node : graph->all()) node.variants.clear();
  }
  out.outputs = std::move(outputs);
  out.writes = writes_;
  out.hooks = hooks_;
  out.logs = logs_;
  out.mutated = mutated_;
  out.global_writes = global_writes_;
  return compiled_;
}

}  // namespace nns::dynamo
