// The instructions of the evaluator on trackers.
// Behaviour: torch/_dynamo/symbolic_convert.py over our own instructions (core/python/eval/opcodes.def).
#include <fmt/format.h>

#include <algorithm>

#include "core/dynamo/engine.h"
#include "core/dynamo/hints.h"
#include "core/dynamo/step.h"
#include "core/nn/module.h"
#include "core/object/new_class.h"
#include "core/object/operations.h"

namespace nns::dynamo {

Translator::Step Translator::run_frame(TracedFrame& frame) {
  frame.back = frame_;
  frame_ = &frame;
  Step result = Step::Next;
  while (result == Step::Next) {
    result = step(frame);
    if (result == Step::Failed && failure_.kind == Failure::Kind::Observed && handle_exception(frame))
      result = Step::Next;
  }
  frame_ = frame.back;
  return result;
}

// Sends an exception to the frame's innermost handler.
bool Translator::handle_exception(TracedFrame& frame) {
  if (frame.handlers.empty()) return false;
  const TracedFrame::Handler handler = frame.handlers.back();
  frame.handlers.pop_back();
  frame.stack.resize(handler.depth, nullptr);
  frame.stack.push_back(failure_.exception);
  frame.pc = handler.target;
  failure_ = {};
  return true;
}

void Translator::tell_line(TracedFrame& frame) {
  if (frame.is_library) return;
  // CPython begins a function at its `def`; what goes on behind a break does not.
  const bool is_first = frame.told_line == 0 && !(frame.is_root && start_.is_resume);
  for (const std::uint32_t line : {is_first ? frame.code->first_line() : frame.line(), frame.line()}) {
    if (line == frame.told_line) continue;
    frame.told_line = line;
    engine_.log().tell_line(*frame.code, line, frame.depth());
  }
}

namespace {

// What an instruction is called where it breaks a graph. Behaviour: torch/_dynamo/symbolic_convert.py, the texts of
// break_graph_if_unsupported.
std::string_view instruction_text(Opcode op) {
  switch (op) {
    case Opcode::Call:
      return "CALL: a function call, e.g. f(x, y)";
    case Opcode::CallKeywords:
      return "CALL_KW: a function call with keyword arguments, e.g. f(x=True)";
    case Opcode::CallUnpacked:
      return "CALL_FUNCTION_EX: a variadic function call, e.g. f(*args)";
    case Opcode::StoreAttr:
      return "STORE_ATTR: storing an object's attribute, e.g. x.attr = y";
    case Opcode::DeleteAttr:
      return "DELETE_ATTR: deleting an object's attribute, e.g. del x.attr";
    case Opcode::StoreSubscript:
      return "STORE_SUBSCR: trying to store subscript, e.g. x[key] = y";
    case Opcode::DeleteSubscript:
      return "DELETE_SUBSCR: trying to delete a subscript, e.g. del x[key]";
    case Opcode::LoadSubscript:
      return "BINARY_SUBSCR: a binary subscript, e.g. x[attr]";
    case Opcode::Compare:
      return "COMPARE_OP: a comparison, e.g. x < y";
    default:
      return "BINARY_OP: a binary operation, e.g. x + y";
  }
}

}  // namespace

Translator::Step Translator::step(TracedFrame& frame) {
  const Instruction& instruction = frame.code->instructions[frame.pc];
  frame.running = frame.pc;
  if (engine_.log().wants(Told::Line)) tell_line(frame);
  if ((++steps_ & 0xFFFU) == 0 && steps_ > engine_.step_limit()) {
    failure_.kind = Failure::Kind::Skip;
    return Step::Failed;
  }
  const bool may_break =
      frame.is_root &&
      (instruction.op == Opcode::LoadSubscript || instruction.op == Opcode::Call ||
       instruction.op == Opcode::CallKeywords || instruction.op == Opcode::CallUnpacked ||
       instruction.op == Opcode::StoreAttr || instruction.op == Opcode::StoreSubscript ||
       instruction.op == Opcode::DeleteAttr || instruction.op == Opcode::Binary || instruction.op == Opcode::InPlace ||
       instruction.op == Opcode::Compare || instruction.op == Opcode::DeleteSubscript);
  if (frame.is_root && instruction.op == Opcode::Statement) {
    ++speculated_;
    const bool is_safe = frame.stack.empty() && frame.handlers.empty() && frame.handled.empty() && captured_calls_ >= 2;
    if (is_safe) checkpoint_ = speculated_;
    if (speculation_.stop_at == speculated_) {
      ended_ = finish(Ending::Stop, frame, nullptr);
      return ended_ == nullptr ? Step::Failed : Step::Returned;
    }
  }
  if (!may_break) {
    ++frame.pc;
    return step_flow(frame, instruction);
  }
  const std::size_t number = ++speculated_;
  if (speculation_.breaks.contains(number)) {
    ended_ = finish(Ending::Break, frame, nullptr);
    return ended_ == nullptr ? Step::Failed : Step::Returned;
  }
  ++frame.pc;
  const Step result = step_flow(frame, instruction);
  if (result == Step::Failed && failure_.kind == Failure::Kind::Unsupported) {
    const bool can_resume = instruction.op == Opcode::Call || instruction.op == Opcode::CallKeywords ||
                            instruction.op == Opcode::CallUnpacked || instruction.op == Opcode::StoreAttr ||
                            instruction.op == Opcode::StoreSubscript || instruction.op == Opcode::DeleteAttr ||
                            instruction.op == Opcode::DeleteSubscript || instruction.op == Opcode::LoadSubscript ||
                            instruction.op == Opcode::Binary || instruction.op == Opcode::InPlace ||
                            instruction.op == Opcode::Compare;
    if (can_resume && root_may_break(frame) && failure_.reason.type != "Call to `torch._dynamo.step_unsupported()`") {
      failure_.reason.instruction = instruction_text(instruction.op);
      speculation_.breaks[number] = failure_.reason;
      engine_.log().tell_break(BreakAction::Split, failure_.reason, {});
      failure_.kind = Failure::Kind::Restart;
    }
  }
  return result;
}

// Behaviour: torch/_dynamo/symbolic_convert.py, should_compile_partial_graph; variables/ctx_manager.py,
// GenericContextWrappingVariable.
std::optional<BreakReason> Translator::break_in_contexts() {
  std::string names;
  for (const TracedFrame::Handler& handler : root_.handlers) {
    Variable* const exit =
        handler.depth == 0 || handler.depth > root_.stack.size() ? nullptr : root_.stack[handler.depth - 1];
    if (exit == nullptr || exit->kind != VariableKind::Method || exit->self == nullptr) continue;
    names +=
        fmt::format("{}GenericContextWrappingVariable({})", names.empty() ? "" : ", ", type_of(*exit->self).name());
  }
  if (names.empty()) return std::nullopt;
  BreakReason reason;
  reason.type = "Graph break under GenericContextWrappingVariable";
  reason.context = fmt::format("Active generic context managers: [{}]", names);
  reason.explanation = "Attempted to graph break in an active context manager(s) that doesn't support graph breaking.";
  reason.hints = {"Move the offending context manager(s) to outside the compiled region.", hints::kCausedByEarlier};
  return reason;
}

// Whether the frame can be cut here: inside of nothing but modes that are left and entered again.
bool Translator::root_may_break(const TracedFrame& root) const {
  if (engine_.is_fullgraph() || errors_on_break_ || !root.handled.empty() || is_in_loop(*root.code, root.running))
    return false;
  std::size_t depth = 0;
  for (const TracedFrame::Handler& handler : root.handlers) {
    if (handler.depth <= depth || handler.depth > root.stack.size()) return false;
    depth = handler.depth;
    if (root.stack[depth - 1]->kind != VariableKind::Context) return false;
  }
  return true;
}

bool Translator::is_in_loop(const Code& code, std::uint32_t pc) const {
  for (std::size_t i = pc; i < code.instructions.size(); ++i) {
    const Instruction& one = code.instructions[i];
    if (one.op == Opcode::JumpBack && one.arg <= pc) return true;
  }
  return false;
}

// Behaviour: symbolic_convert.py, generic_jump: an assert whose message is a constant.
bool Translator::traces_assert(TracedFrame& frame, Variable* condition, Step& result) {
  const auto& instructions = frame.code->instructions;
  const bool has_message = instructions[frame.pc].op == Opcode::LoadConst;
  const Instruction& raises = instructions[frame.pc + (has_message ? 1 : 0)];
  if (raises.op != Opcode::RaiseAssertion || (raises.arg == 1) != has_message) return false;
  Variable* value = real(condition);
  if (value == nullptr || value->kind != VariableKind::Tensor) return false;
  const Value message = has_message ? frame.code->constants[instructions[frame.pc].arg] : in_.text("assertion error");
  if (message.as<object::Str>() == nullptr) return false;
  Variable* args[] = {value, constant(message)};
  const Value function = engine_.operator_function("torch._assert_async");
  result =
      call_torch(function, "torch._assert_async", "_assert_async", args, {}) == nullptr ? Step::Failed : Step::Next;
  return true;
}

Translator::Step Translator::jump_on(TracedFrame& frame, Variable* condition, bool jumps_if, std::uint32_t target,
                                     bool keeps) {
  if (Step result = Step::Next; jumps_if && !keeps && traces_assert(frame, condition, result)) {
    frame.pc = target;
    return result;
  }
  const int answer = truth(condition);
  if (answer < 0) return Step::Failed;
  if (answer == 2) {
    Variable* value = real(condition);
    BreakReason reason;
    reason.type = "Data-dependent branching";
    reason.context = "attempted to jump with TensorVariable()";
    reason.explanation =
        "Detected data-dependent branching (e.g. `if my_tensor.sum() > 0:`). Dynamo does not support tracing dynamic "
        "control flow." +
        engine_.branch_origin(*value);
    reason.hints = {
        "For the common pattern `if tensor_cond: x = transform(x)` (e.g. clamping inf/nan values), consider making the "
        "code branchless by always applying the transform. Operations like torch.clamp, torch.nan_to_num, and "
        "torch.where are typically no-ops on well-behaved inputs and compile without graph breaks.",
        hints::kFundamental, "Use `torch.cond` to express dynamic control flow."};
    if (value->node->op == Node::Op::CallMethod && (value->node->target == "any" || value->node->target == "all")) {
      reason.hints.insert(
          reason.hints.begin() + 1,
          "Note: Python `or`/`and` between tensor expressions (e.g. `tensor.any() or other_tensor.any()`) triggers "
          "implicit bool conversion. Use `torch.logical_or`/`torch.logical_and` or the `|`/`&` operators instead.");
    }
    if (frame.is_root && root_may_break(frame) && !engine_.is_fullgraph()) {
      BreakReason& noted = speculation_.breaks[static_cast<std::size_t>(-1)] = located(reason);
      engine_.log().tell_break(BreakAction::Split, noted, {});
      push(frame, value);
      ended_ = finish(Ending::Jump, frame, nullptr);
      if (ended_ == nullptr) return Step::Failed;
      ended_->jumps_if = jumps_if;
      ended_->jump_target = target;
      ended_->jump_keeps = keeps;
      return Step::Returned;
    }
    unsupported(std::move(reason));
    return Step::Failed;
  }
  const bool jumps = (answer == 1) == jumps_if;
  if (jumps) frame.pc = target;
  if (keeps && jumps) push(frame, condition);
  return Step::Next;
}

Translator::Step Translator::step_flow(TracedFrame& frame, const Instruction& instruction) {
  const std::uint32_t arg = instruction.arg;
  switch (instruction.op) {
    case Opcode::Statement:
    case Opcode::Nop:
    case Opcode::MakesDecorator:
    case Opcode::ReturnGenerator:
      return Step::Next;
    case Opcode::Jump:
    case Opcode::JumpBack:
      frame.pc = arg;
      return Step::Next;
    case Opcode::PopJumpIfFalse:
      return jump_on(frame, pop(frame), false, arg, false);
    case Opcode::PopJumpIfTrue:
      return jump_on(frame, pop(frame), true, arg, false);
    case Opcode::JumpIfFalseOrPop:
      return jump_on(frame, pop(frame), false, arg, true);
    case Opcode::JumpIfTrueOrPop:
      return jump_on(frame, pop(frame), true, arg, true);
    case Opcode::CompareJumpIfFalse: {
      Variable* b = pop(frame);
      Variable* a = pop(frame);
      Variable* answer = compare(instruction.extra, a, b);
      if (answer == nullptr) return Step::Failed;
      return jump_on(frame, answer, false, arg, false);
    }
    case Opcode::GetIter: {
      NNS_STEP(iterate(pop(frame)));
    }
    case Opcode::ForIter: {
      Variable* walker = frame.stack.back();
      Variable* item = next_of(walker);
      if (has_failed()) return Step::Failed;
      if (item == nullptr) {
        pop(frame);
        frame.pc = arg;
      } else {
        push(frame, item);
      }
      return Step::Next;
    }
    case Opcode::Return:
      if (frame.is_root) {
        Variable* value = real(pop(frame));
        if (value == nullptr) return Step::Failed;
        ended_ = finish(Ending::Return, frame, value);
        return has_failed() ? Step::Failed : Step::Returned;
      }
      frame.result = pop(frame);
      frame.is_finished = true;
      return Step::Returned;
    case Opcode::Yield:
      frame.result = pop(frame);
      return Step::Yielded;
    case Opcode::GetYieldFromIter: {
      NNS_STEP(iterate(pop(frame)));
    }
    case Opcode::YieldFrom: {
      Variable* sent = real(pop(frame));
      if (sent == nullptr) return Step::Failed;
      Variable* inner = frame.stack.back();
      Variable* item = nullptr;
      if (inner->kind == VariableKind::Generator) {
        item = resume_generator(inner, sent);
      } else if (sent->is_none()) {
        item = next_of(inner);
      } else {
        Variable* args[] = {sent};
        item = call_method(inner, in_.intern("send"), args);
      }
      if (has_failed()) return Step::Failed;
      if (item == nullptr) {
        frame.stack.back() = inner->kind == VariableKind::Generator && inner->frame->result != nullptr
                                 ? inner->frame->result
                                 : constant(Value());
        return Step::Next;
      }
      --frame.pc;
      frame.result = item;
      return Step::Yielded;
    }
    default:
      return step_stack(frame, instruction);
  }
}

void Translator::store_local(TracedFrame& frame, std::uint32_t slot, Variable* value) {
  if (frame.slots[slot] == nullptr && frame.is_root) {
    frame.assigned.erase(std::remove(frame.assigned.begin(), frame.assigned.end(), slot), frame.assigned.end());
    frame.assigned.push_back(slot);
  }
  if (value->kind == VariableKind::Tensor && !value->is_named && value->node->op != Node::Op::Placeholder) {
    value->node->graph->rename(*value->node, std::string(frame.code->locals[slot].view()));
    value->is_named = true;
  }
  frame.slots[slot] = value;
}

Translator::Step Translator::step_stack(TracedFrame& frame, const Instruction& instruction) {
  const std::uint32_t arg = instruction.arg;
  const Code& code = *frame.code;
  const auto unbound = [&](Name name, bool is_free) {
    if (is_free)
      raise(object::ErrorKind::NameError,
            fmt::format("cannot access free variable '{}' where it is not associated with a value in enclosing scope",
                        name.view()));
    else
      raise(object::ErrorKind::UnboundLocalError,
            fmt::format("cannot access local variable '{}' where it is not associated with a value", name.view()));
    return Step::Failed;
  };
  const auto cell_name = [&] { return arg < code.cells.size() ? code.cells[arg] : code.free[arg - code.cells.size()]; };
  switch (instruction.op) {
    case Opcode::LoadConst: {
      const Value& value = code.constants[arg];
      if (value.as<Code>() != nullptr) {
        Variable& made = arena_->make(VariableKind::Constant);
        made.value = value;
        push(frame, &made);
        return Step::Next;
      }
      NNS_STEP(constant(value));
    }
    case Opcode::LoadFast:
      if (frame.slots[arg] == nullptr) return unbound(code.locals[arg], false);
      push(frame, frame.slots[arg]);
      return Step::Next;
    case Opcode::StoreFast:
      store_local(frame, arg, pop(frame));
      return Step::Next;
    case Opcode::DeleteFast:
      if (frame.slots[arg] == nullptr) return unbound(code.locals[arg], false);
      frame.slots[arg] = nullptr;
      return Step::Next;
    case Opcode::LoadDeref: {
      Variable* cell = frame.slots[code.locals.size() + arg];
      if (cell->function == nullptr) return unbound(cell_name(), arg >= code.cells.size());
      if (arg >= code.cells.size() && cell->function->kind == VariableKind::Tuple && cell->function->is_new) {
        // Arguments that a function around took are looked at where they come through a cell.
        for (Variable* item : cell->function->items) {
          if (real(item) == nullptr) return Step::Failed;
        }
      }
      // What lies in a cell of the frame around is looked at when it is loaded.
      if (cell->is_closure && real(cell->function) == nullptr) return Step::Failed;
      push(frame, cell->function);
      return Step::Next;
    }
    case Opcode::StoreDeref: {
      Variable* cell = frame.slots[code.locals.size() + arg];
      Variable* value = pop(frame);
      if (!frame.is_library && value->kind == VariableKind::Tensor && !value->is_named &&
          value->node->op != Node::Op::Placeholder) {
        value->node->graph->rename(*value->node, std::string(cell_name().view()));
        value->is_named = true;
      }
      if (!bodies_.empty()) note_write(*cell);
      if (!cell->is_new) {
        if (cell->function != nullptr && real(cell->function) == nullptr) return Step::Failed;
        note_mutated(*cell);
      }
      cell->function = value;
      return Step::Next;
    }
    case Opcode::DeleteDeref:
      frame.slots[code.locals.size() + arg]->function = nullptr;
      return Step::Next;
    case Opcode::LoadClosure:
      push(frame, frame.slots[code.locals.size() + arg]);
      return Step::Next;
    case Opcode::LoadGlobal:
    case Opcode::LoadName:
      NNS_STEP(load_global(frame, code.names[arg]));
    case Opcode::StoreGlobal: {
      Variable* value = real(pop(frame));
      if (value == nullptr) return Step::Failed;
      write_global(frame.globals, code.names[arg], value);
      return Step::Next;
    }
    case Opcode::Pop:
      pop(frame);
      return Step::Next;
    case Opcode::Copy:
      push(frame, frame.stack[frame.stack.size() - arg]);
      return Step::Next;
    case Opcode::Swap:
      std::swap(frame.stack.back(), frame.stack[frame.stack.size() - arg]);
      return Step::Next;
    case Opcode::PushNull:
      push(frame, &arena_->make(VariableKind::Null));
      return Step::Next;
    case Opcode::LoadAttr:
      NNS_STEP(load_attribute(pop(frame), code.names[arg]));
    case Opcode::LoadMethod: {
      Variable* value = load_attribute(pop(frame), code.names[arg]);
      if (value == nullptr) return Step::Failed;
      push(frame, value);
      push(frame, &arena_->make(VariableKind::Null));
      return Step::Next;
    }
    case Opcode::StoreAttr: {
      Variable* object = pop(frame);
      Variable* value = pop(frame);
      return store_attribute(object, code.names[arg], value) ? Step::Next : Step::Failed;
    }
    case Opcode::DeleteAttr:
      return store_attribute(pop(frame), code.names[arg], &arena_->make(VariableKind::Deleted)) ? Step::Next
                                                                                                : Step::Failed;
    case Opcode::LoadSubscript: {
      Variable* key = pop(frame);
      NNS_STEP(get_item(pop(frame), key));
    }
    case Opcode::StoreSubscript: {
      Variable* key = pop(frame);
      Variable* container = pop(frame);
      return set_item(container, key, pop(frame)) ? Step::Next : Step::Failed;
    }
    case Opcode::DeleteSubscript: {
      Variable* key = pop(frame);
      return delete_item(pop(frame), key) ? Step::Next : Step::Failed;
    }
    case Opcode::Binary:
    case Opcode::InPlace: {
      Variable* b = pop(frame);
      Variable* a = pop(frame);
      NNS_STEP(binary(static_cast<object::BinaryOperator>(arg), a, b, instruction.op == Opcode::InPlace));
    }
    case Opcode::Compare: {
      Variable* b = pop(frame);
      Variable* a = pop(frame);
      NNS_STEP(compare(arg, a, b));
    }
    case Opcode::Unary: {
      Variable* a = pop(frame);
      if (static_cast<python::UnaryOp>(arg) != python::UnaryOp::Not) NNS_STEP(unary(arg, a));
      const int answer = truth(a);
      if (answer < 0) return Step::Failed;
      if (answer == 2) {
        Variable* args[] = {a};
        NNS_STEP(call_torch(engine_.operator_function("not_"), "operator.not_", "not_", args, {}));
      }
      NNS_STEP(constant(Value(answer == 0)));
    }
    default:
      return step_values(frame, instruction);
  }
}

void Translator::write_global(Ref<Dict> globals, Name name, Variable* value) {
  for (GlobalWrite& write : global_writes_) {
    if (write.globals.get() != globals.get() || !(write.name == name)) continue;
    write.value = value;
    return;
  }
  global_writes_.push_back({std::move(globals), name, value});
}

Variable* Translator::written_global(const Dict& globals, Name name) const {
  for (const GlobalWrite& write : global_writes_) {
    if (write.globals.get() == &globals && write.name == name) return write.value;
  }
  return nullptr;
}

Variable* Translator::load_global(TracedFrame& frame, Name name) {
  if (Variable* const written = written_global(*frame.globals, name)) return written;
  if (const Value* found = frame.globals->find(name)) {
    const Source* source = nullptr;
    const Value keep = *found;
    if (!frame.is_library) source = engine_.global_source(*sources_, *frame.globals, *start_.globals, name);
    if (frame.is_library && keep.as<Dict>() != nullptr) source = engine_.global_hooks_source(*sources_, keep);
    return lazy(keep, source);
  }
  if (const Value* found = machine_.builtins().find(name)) return build(Value(*found), nullptr);
  return raise(object::ErrorKind::NameError, fmt::format("name '{}' is not defined", name.view()));
}

Variable* Translator::make_function(TracedFrame& frame, std::uint32_t parts) {
  Variable* code = pop(frame);
  Variable& made = arena_->make(VariableKind::Function);
  made.is_new = true;
  made.code = Ref<Code>(code->value.as<Code>());
  made.globals = frame.globals;
  made.is_library = frame.is_library;
  if ((parts & python::kHasAnnotations) != 0) pop(frame);
  if ((parts & python::kHasKeywordDefaults) != 0) {
    Variable* defaults = real(pop(frame));
    for (std::size_t i = 0; i < defaults->keys.size(); ++i) {
      made.keyword_defaults.emplace_back(in_.intern(key_of(*defaults->keys[i]).as<object::Str>()->view()),
                                         defaults->items[i]);
    }
  }
  if ((parts & python::kHasDefaults) != 0) {
    Variable* defaults = real(pop(frame));
    if (!items_of(defaults, made.defaults)) return nullptr;
  }
  if ((parts & python::kHasClosure) != 0) made.closure = pop(frame)->items;
  return &made;
}

}  // namespace nns::dynamo
