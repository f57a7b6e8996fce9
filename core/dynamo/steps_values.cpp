// Instructions that build values and call, on trackers.
#include <fmt/format.h>
#include <algorithm>
#include "core/dynamo/engine.h"
#include "core/dynamo/hints.h"
#include "core/dynamo/step.h"
#include "core/nn/module.h"
#include "core/object/new_class.h"
#include "core/object/operations.h"
#include "core/object/range.h"

namespace nns::dynamo {

Translator::Step Translator::step_values(TracedFrame& frame, const Instruction& instruction) {
  const std::uint32_t arg = instruction.arg;
  const auto take = [&](std::size_t count) {
    std::vector<Variable*> items(frame.stack.end() - static_cast<std::ptrdiff_t>(count), frame.stack.end());
    frame.stack.resize(frame.stack.size() - count);
    return items;
  };
  // The container that is being filled; after a break it is one of the program's.
  const auto below = [&] { return real(frame.stack[frame.stack.size() - arg]); };
  switch (instruction.op) {
    case Opcode::BuildSlice: {
      Variable& made = arena_->make(VariableKind::Slice);
      made.items = take(3);
      for (Variable*& item : made.items) {
        item = real(item);
        // A bound that is a tensor is the number in it.
        if (item != nullptr && item->kind == VariableKind::Tensor) item = tensor_method(item, "item", {}, {});
        if (item == nullptr) return Step::Failed;
      }
      push(frame, &made);
      return Step::Next;
    }
    case Opcode::BuildTuple:
      NNS_STEP(tuple(take(arg)));
    case Opcode::BuildList:
      NNS_STEP(list(take(arg)));
    case Opcode::BuildSet: {
      Variable& made = arena_->make(VariableKind::Set);
      made.is_new = true;
      for (Variable* item : take(arg)) {
        Variable* args[] = {item};
        bool is_known = false;
        if (call_container_method(&made, "add", args, {}, is_known) == nullptr) return Step::Failed;
      }
      push(frame, &made);
      return Step::Next;
    }
    case Opcode::BuildMap: {
      const std::vector<Variable*> parts = take(2 * static_cast<std::size_t>(arg));
      Variable* made = dict();
      for (std::size_t i = 0; i < parts.size(); i += 2) {
        if (!set_item(made, parts[i], parts[i + 1])) return Step::Failed;
      }
      push(frame, made);
      return Step::Next;
    }
    case Opcode::BuildString: {
      const std::vector<Variable*> parts = take(arg);
      const bool is_formatted = std::any_of(parts.begin(), parts.end(),
                                            [](const Variable* one) { return one->kind == VariableKind::Format; });
      std::string made;
      std::vector<Variable*> args;
      for (Variable* part : parts) {
        made += is_formatted ? as_format(*part) : std::string(part->value.as<object::Str>()->view());
        args.insert(args.end(), part->items.begin(), part->items.end());
      }
      push(frame, is_formatted ? format(std::move(made), args, {}) : text(made));
      return Step::Next;
    }
    case Opcode::ListAppend: {
      Variable* item = pop(frame);
      Variable* const filled = below();
      if (filled == nullptr) return Step::Failed;
      mutate(*filled);
      filled->items.push_back(item);
      return Step::Next;
    }
    case Opcode::SetAdd: {
      Variable* args[] = {pop(frame)};
      bool is_known = false;
      return call_container_method(below(), "add", args, {}, is_known) == nullptr ? Step::Failed : Step::Next;
    }
    case Opcode::MapAdd: {
      Variable* value = pop(frame);
      Variable* key = pop(frame);
      return set_item(below(), key, value) ? Step::Next : Step::Failed;
    }
    case Opcode::ListExtend: {
      std::vector<Variable*> more;
      if (!items_of(pop(frame), more)) return Step::Failed;
      Variable* const filled = below();
      if (filled == nullptr) return Step::Failed;
      mutate(*filled);
      filled->items.insert(filled->items.end(), more.begin(), more.end());
      return Step::Next;
    }
    case Opcode::SetUpdate: {
      std::vector<Variable*> more;
      if (!items_of(pop(frame), more)) return Step::Failed;
      for (Variable* item : more) {
        bool is_known = false;
        Variable* args[] = {item};
        if (call_container_method(below(), "add", args, {}, is_known) == nullptr) return Step::Failed;
      }
      return Step::Next;
    }
    case Opcode::DictUpdate:
    case Opcode::DictMerge: {
      Variable* args[] = {pop(frame)};
      bool is_known = false;
      return call_dict_method(below(), "update", args, {}, is_known) == nullptr ? Step::Failed : Step::Next;
    }
    case Opcode::ListToTuple: {
      Variable* const filled = real(frame.stack.back());
      if (filled == nullptr) return Step::Failed;
      frame.stack.back() = tuple(filled->items);
      return Step::Next;
    }
    case Opcode::FormatValue: {
      Variable* specification = instruction.extra != 0 ? real(pop(frame)) : nullptr;
      Variable* value = real(pop(frame));
      if (value == nullptr) return Step::Failed;
      if (arg != 0) {
        value = string_of(value, arg != 's');
        if (value == nullptr) return Step::Failed;
      }
      if (value->kind == VariableKind::Format || holds_tensor(value)) {
        const auto* given = specification == nullptr ? nullptr : specification->value.as<object::Str>();
        NNS_STEP(format(given == nullptr ? "{}" : fmt::format("{{:{}}}", given->view()), {&value, 1}, {}));
      }
      if (has_failed()) return Step::Failed;
      NNS_STEP(format_value(value, specification));
    }
    case Opcode::Call:
    case Opcode::CallKeywords: {
      std::vector<Variable*> args = take(arg);
      std::vector<KeywordArgument> keywords;
      if (instruction.op == Opcode::CallKeywords) {
        const auto& names = *frame.code->constants[instruction.extra].as<object::Tuple>();
        const std::size_t positional = args.size() - names.size();
        for (std::size_t i = 0; i < names.size(); ++i)
          keywords.push_back({in_.intern(*names[i].as<object::Str>()), args[positional + i]});
        args.resize(positional);
      }
      Variable* self = pop(frame);
      if (self->kind != VariableKind::Null) args.insert(args.begin(), self);
      Variable* callee = pop(frame);
      NNS_STEP(call(callee, args, keywords));
    }
    case Opcode::CallUnpacked: {
      std::vector<KeywordArgument> keywords;
      if (arg == 1) {
        Variable* named = real(pop(frame));
        if (named == nullptr) return Step::Failed;
        for (std::size_t i = 0; i < named->keys.size(); ++i) {
          if (named->keys[i] != nullptr)
            keywords.push_back({in_.intern(key_of(*named->keys[i]).as<object::Str>()->view()), named->items[i]});
        }
      }
      std::vector<Variable*> args;
      if (!items_of(pop(frame), args)) return Step::Failed;
      pop(frame);
      NNS_STEP(call(pop(frame), args, keywords));
    }
    case Opcode::MakeFunction:
      NNS_STEP(make_function(frame, arg));
    case Opcode::UnpackSequence: {
      std::vector<Variable*> items;
      Variable* value = real(pop(frame));
      if (value == nullptr) return Step::Failed;
      if (value->kind == VariableKind::Tensor || value->kind == VariableKind::Object) {
        if (!items_of(value, items)) return Step::Failed;
      } else if (!items_of(value, items)) {
        return Step::Failed;
      }
      if (items.size() != arg) {
        raise(object::value_error(in_, "{} values to unpack (expected {}, got {})",
                                  items.size() > arg ? "too many" : "not enough", arg, items.size()));
        return Step::Failed;
      }
      for (std::size_t i = items.size(); i-- > 0;) push(frame, items[i]);
      return Step::Next;
    }
    case Opcode::UnpackStar: {
      std::vector<Variable*> items;
      if (!items_of(pop(frame), items)) return Step::Failed;
      const std::size_t before = arg, after = instruction.extra;
      if (items.size() < before + after) {
        raise(object::value_error(in_, "not enough values to unpack (expected at least {}, got {})", before + after,
                                  items.size()));
        return Step::Failed;
      }
      for (std::size_t i = 0; i < after; ++i) push(frame, items[items.size() - 1 - i]);
      push(frame, list({items.begin() + static_cast<std::ptrdiff_t>(before),
                        items.end() - static_cast<std::ptrdiff_t>(after)}));
      for (std::size_t i = before; i-- > 0;) push(frame, items[i]);
      return Step::Next;
    }
    case Opcode::ImportName: {
      pop(frame);
      // Importing what is there already changes nothing.
      Variable* made = engine_.import_module(*this, frame, instruction);
      NNS_STEP(made);
    }
    case Opcode::ImportFrom: {
      Variable* made = load_attribute(frame.stack.back(), frame.code->names[arg]);
      NNS_STEP(made);
    }
    case Opcode::GetLength: {
      NNS_STEP(length(frame.stack.back()));
    }
    case Opcode::MatchSequence: {
      Variable* subject = real(frame.stack.back());
      if (subject == nullptr) return Step::Failed;
      const bool is_range = subject->is_constant() && subject->value.as<object::Range>() != nullptr;
      const bool is_list = subject->contents != nullptr && (subject->contents->kind == VariableKind::List ||
                                                            subject->contents->kind == VariableKind::Tuple);
      const bool is_tuple = subject->is_constant() && subject->value.as<object::Tuple>() != nullptr;
      NNS_STEP(constant(Value(subject->kind == VariableKind::List || subject->kind == VariableKind::Tuple || is_range ||
                              is_list || is_tuple)));
    }
    case Opcode::MatchMapping: {
      Variable* subject = real(frame.stack.back());
      if (subject == nullptr) return Step::Failed;
      const bool is_mapping = subject->kind == VariableKind::Dict || subject->kind == VariableKind::AttributeDict ||
                              (subject->contents != nullptr && subject->contents->kind == VariableKind::Dict);
      NNS_STEP(constant(Value(is_mapping)));
    }
    case Opcode::MatchKeys: {
      NNS_STEP(match_keys(frame.stack[frame.stack.size() - 2], frame.stack.back()));
    }
    case Opcode::MappingRest: {
      Variable* rest = dict();
      Variable* args[] = {frame.stack[frame.stack.size() - 2]};
      bool is_known = false;
      std::vector<Variable*> keys;
      if (call_dict_method(rest, "update", args, {}, is_known) == nullptr) return Step::Failed;
      if (!items_of(frame.stack.back(), keys)) return Step::Failed;
      for (Variable* key : keys) {
        if (!delete_item(rest, key)) return Step::Failed;
      }
      pop(frame);
      frame.stack.back() = rest;
      return Step::Next;
    }
    case Opcode::MatchClass: {
      Variable* names = real(pop(frame));
      Variable* cls = real(pop(frame));
      Variable* subject = real(pop(frame));
      if (names == nullptr || cls == nullptr || subject == nullptr) return Step::Failed;
      NNS_STEP(match_class(subject, cls, names, arg));
    }
    default:
      return step_exceptions(frame, instruction);
  }
}

}  // namespace nns::dynamo
