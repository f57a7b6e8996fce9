#include <fmt/format.h>

#include <cstdlib>

#include "core/python/eval/compiler.h"
#include "core/python/eval/literals.h"

namespace nns::python {

void Compiler::constant_expression(NodeId id) {
  PyResult<Value> value = literal(interpreter_, static_cast<ConstantKind>(tree_.node(id).detail), tree_.text(id));
  if (!value.ok()) {
    fail(id, value.error().message());
    return;
  }
  load_constant(std::move(value).value());
}

void Compiler::expression(NodeId id) {
  if (error_) return;
  const At at(*this, id);
  switch (tree_.kind(id)) {
    case NodeKind::Constant:
      constant_expression(id);
      return;
    case NodeKind::Name:
      load_name(tree_.text(id));
      return;
    case NodeKind::Attribute:
      expression(tree_.child(id, 0));
      emit(Opcode::LoadAttr, name_index(mangled(scope_->class_name, tree_.text(id))));
      return;
    case NodeKind::Subscript:
      expression(tree_.child(id, 0));
      expression(tree_.child(id, 1));
      emit(Opcode::LoadSubscript);
      return;
    case NodeKind::Slice:
      for (std::size_t i = 0; i < 3; ++i) {
        if (tree_.child(id, i) == kNoNode)
          load_none();
        else
          expression(tree_.child(id, i));
      }
      emit(Opcode::BuildSlice);
      return;
    case NodeKind::Call:
      call(id);
      return;
    case NodeKind::BinOp:
      expression(tree_.child(id, 0));
      expression(tree_.child(id, 1));
      emit(Opcode::Binary, tree_.node(id).detail);
      return;
    case NodeKind::UnaryOp: {
      const NodeId operand = tree_.child(id, 0);
      const auto op = static_cast<UnaryOp>(tree_.node(id).detail);
      if (op == UnaryOp::Neg && tree_.kind(operand) == NodeKind::Constant) {
        const auto kind = static_cast<ConstantKind>(tree_.node(operand).detail);
        PyResult<Value> value = kind == ConstantKind::Int || kind == ConstantKind::Float
                                    ? literal(interpreter_, kind, tree_.text(operand))
                                    : PyResult<Value>(Value());
        if (value.ok() && value->is_int()) return load_constant(Value(-value->as_int()));
        if (value.ok() && value->is_float()) return load_constant(Value(-value->as_float()));
      }
      expression(operand);
      emit(Opcode::Unary, tree_.node(id).detail);
      return;
    }
    case NodeKind::BoolOp:
      boolean(id);
      return;
    case NodeKind::Compare:
      compare(id);
      return;
    case NodeKind::IfExp: {
      Label otherwise, end;
      jump_if(tree_.child(id, 0), otherwise, false);
      expression(tree_.child(id, 1));
      jump(Opcode::Jump, end);
      place(otherwise);
      expression(tree_.child(id, 2));
      place(end);
      return;
    }
    case NodeKind::Lambda:
      lambda(id);
      return;
    case NodeKind::NamedExpr:
      expression(tree_.child(id, 1));
      emit(Opcode::Copy, 1);
      store(tree_.child(id, 0));
      return;
    case NodeKind::Tuple:
      sequence(id, Opcode::BuildTuple, Opcode::ListAppend, Opcode::ListExtend);
      return;
    case NodeKind::List:
      sequence(id, Opcode::BuildList, Opcode::ListAppend, Opcode::ListExtend);
      return;
    case NodeKind::Set:
      sequence(id, Opcode::BuildSet, Opcode::SetAdd, Opcode::SetUpdate);
      return;
    case NodeKind::Dict:
      dict(id);
      return;
    case NodeKind::ListComp:
    case NodeKind::SetComp:
    case NodeKind::DictComp:
    case NodeKind::GeneratorExp:
      comprehension(id);
      return;
    case NodeKind::JoinedStr:
      joined_string(id);
      return;
    case NodeKind::FormattedValue:
      formatted_value(id);
      return;
    case NodeKind::Yield:
      if (tree_.child(id, 0) == kNoNode)
        load_none();
      else
        expression(tree_.child(id, 0));
      emit(Opcode::Yield, 0, code_->is_async ? 1 : 0);
      return;
    case NodeKind::Await:
      expression(tree_.child(id, 0));
      await();
      return;
    case NodeKind::YieldFrom:
      expression(tree_.child(id, 0));
      emit(Opcode::GetYieldFromIter);
      load_none();
      emit(Opcode::YieldFrom);
      return;
    case NodeKind::Starred:
      fail(id, "can't use starred expression here");
      return;
    default:
      fail(id, "invalid syntax");
      return;
  }
}

void Compiler::store(NodeId id) {
  if (error_) return;
  const At at(*this, id);
  switch (tree_.kind(id)) {
    case NodeKind::Name:
      store_name(tree_.text(id));
      return;
    case NodeKind::Attribute:
      expression(tree_.child(id, 0));
      emit(Opcode::StoreAttr, name_index(mangled(scope_->class_name, tree_.text(id))));
      return;
    case NodeKind::Subscript:
      expression(tree_.child(id, 0));
      expression(tree_.child(id, 1));
      emit(Opcode::StoreSubscript);
      return;
    case NodeKind::Tuple:
    case NodeKind::List: {
      const std::size_t count = tree_.children(id).size();
      std::size_t star = count;
      for (std::size_t i = 0; i < count; ++i) {
        if (tree_.kind(tree_.child(id, i)) == NodeKind::Starred) star = i;
      }
      if (star == count)
        emit(Opcode::UnpackSequence, static_cast<std::uint32_t>(count));
      else
        emit(Opcode::UnpackStar, static_cast<std::uint32_t>(star), static_cast<std::uint32_t>(count - star - 1));
      for (std::size_t i = 0; i < count; ++i) {
        const NodeId item = tree_.child(id, i);
        store(i == star ? tree_.child(item, 0) : item);
      }
      return;
    }
    default:
      fail(id, "cannot assign to this");
      return;
  }
}

bool Compiler::is_plain_call(NodeId id, std::size_t from) const {
  const std::size_t count = tree_.children(id).size();
  for (std::size_t i = from; i < count; ++i) {
    const NodeKind kind = tree_.kind(tree_.child(id, i));
    if (kind == NodeKind::Starred || kind == NodeKind::DoubleStarred) return false;
  }
  return count - from < 200;
}

void Compiler::call(NodeId id) {
  const NodeId function = tree_.child(id, 0);
  const bool is_plain = is_plain_call(id, 1);
  if (is_plain && tree_.kind(function) == NodeKind::Attribute) {
    const At at(*this, function);
    expression(tree_.child(function, 0));
    emit(Opcode::LoadMethod, name_index(mangled(scope_->class_name, tree_.text(function))));
  } else {
    expression(function);
    emit(Opcode::PushNull);
  }
  call_arguments(id, 1, 0);
}

void Compiler::call_arguments(NodeId id, std::size_t from, std::size_t given_before) {
  if (!is_plain_call(id, from)) return unpacked_arguments(id, from, given_before);
  std::vector<Value> keywords;
  std::size_t count = given_before;
  for (std::size_t i = from; i < tree_.children(id).size(); ++i) {
    const NodeId argument = tree_.child(id, i);
    if (tree_.kind(argument) == NodeKind::Keyword) {
      expression(tree_.child(argument, 0));
      keywords.push_back(interpreter_.intern(mangled(scope_->class_name, tree_.text(argument))).value());
    } else {
      expression(argument);
    }
    ++count;
  }
  if (keywords.empty()) {
    emit(Opcode::Call, static_cast<std::uint32_t>(count));
  } else {
    const std::uint32_t names = constant(interpreter_.tuple(std::move(keywords)));
    emit(Opcode::CallKeywords, static_cast<std::uint32_t>(count), names);
  }
}

void Compiler::unpacked_arguments(NodeId id, std::size_t from, std::size_t given_before) {
  const std::size_t count = tree_.children(id).size();
  // 1. One list of all positional ones, made a tuple.
  emit(Opcode::BuildList, static_cast<std::uint32_t>(given_before));
  bool has_keywords = false;
  for (std::size_t i = from; i < count; ++i) {
    const NodeId argument = tree_.child(id, i);
    switch (tree_.kind(argument)) {
      case NodeKind::Keyword:
      case NodeKind::DoubleStarred:
        has_keywords = true;
        break;
      case NodeKind::Starred:
        expression(tree_.child(argument, 0));
        // 1 in `extra`: an error of it is an error of the call.
        emit(Opcode::ListExtend, 1, 1);
        break;
      default:
        expression(argument);
        emit(Opcode::ListAppend, 1);
    }
  }
  emit(Opcode::ListToTuple);
  // 2. One dict of the others.
  if (has_keywords) {
    emit(Opcode::BuildMap, 0);
    for (std::size_t i = from; i < count; ++i) {
      const NodeId argument = tree_.child(id, i);
      if (tree_.kind(argument) == NodeKind::Keyword) {
        load_constant(interpreter_.intern(mangled(scope_->class_name, tree_.text(argument))).value());
        expression(tree_.child(argument, 0));
        emit(Opcode::BuildMap, 1);
        emit(Opcode::DictMerge, 1, 4);
      } else if (tree_.kind(argument) == NodeKind::DoubleStarred) {
        expression(tree_.child(argument, 0));
        emit(Opcode::DictMerge, 1, 4);
      }
    }
  }
  emit(Opcode::CallUnpacked, has_keywords ? 1 : 0);
}

void Compiler::compare(NodeId id) {
  const std::string_view operators = tree_.text(id);
  const auto op = [&](std::size_t i) { return static_cast<std::uint32_t>(operators[i]) - 1; };
  expression(tree_.child(id, 0));
  if (operators.size() == 1) {
    expression(tree_.child(id, 1));
    emit(Opcode::Compare, op(0));
    return;
  }
  Label cleanup, end;
  for (std::size_t i = 0; i < operators.size(); ++i) {
    expression(tree_.child(id, i + 1));
    if (i + 1 == operators.size()) {
      emit(Opcode::Compare, op(i));
      break;
    }
    emit(Opcode::Swap, 2);
    emit(Opcode::Copy, 2);
    emit(Opcode::Compare, op(i));
    jump(Opcode::JumpIfFalseOrPop, cleanup);
  }
  jump(Opcode::Jump, end);
  place(cleanup);
  emit(Opcode::Swap, 2);
  emit(Opcode::Pop);
  place(end);
}

void Compiler::boolean(NodeId id) {
  Label end;
  const Opcode leave = tree_.node(id).detail == 1 ? Opcode::JumpIfTrueOrPop : Opcode::JumpIfFalseOrPop;
  const std::size_t count = tree_.children(id).size();
  for (std::size_t i = 0; i < count; ++i) {
    expression(tree_.child(id, i));
    if (i + 1 < count) jump(leave, end);
  }
  place(end);
}

void Compiler::jump_if(NodeId id, Label& label, bool when) {
  if (error_) return;
  const At at(*this, id);
  if (tree_.kind(id) == NodeKind::UnaryOp && static_cast<UnaryOp>(tree_.node(id).detail) == UnaryOp::Not) {
    return jump_if(tree_.child(id, 0), label, !when);
  }
  if (tree_.kind(id) == NodeKind::BoolOp) {
    // `or` is decided by the first true value, `and` by the first false one.
    const bool decides = tree_.node(id).detail == 1;
    const std::size_t count = tree_.children(id).size();
    Label past;
    for (std::size_t i = 0; i + 1 < count; ++i) jump_if(tree_.child(id, i), decides == when ? label : past, decides);
    jump_if(tree_.child(id, count - 1), label, when);
    place(past);
    return;
  }
  if (tree_.kind(id) == NodeKind::Compare && tree_.text(id).size() == 1 && !when) {
    expression(tree_.child(id, 0));
    expression(tree_.child(id, 1));
    jump(Opcode::CompareJumpIfFalse, label, static_cast<std::uint32_t>(tree_.text(id)[0]) - 1);
    return;
  }
  expression(id);
  jump(when ? Opcode::PopJumpIfTrue : Opcode::PopJumpIfFalse, label);
}

void Compiler::sequence(NodeId id, Opcode build, Opcode append, Opcode extend) {
  const std::size_t count = tree_.children(id).size();
  bool has_star = false;
  bool is_constant = build == Opcode::BuildTuple && count > 0;
  for (std::size_t i = 0; i < count; ++i) {
    has_star |= tree_.kind(tree_.child(id, i)) == NodeKind::Starred;
    is_constant &= tree_.kind(tree_.child(id, i)) == NodeKind::Constant;
  }
  if (is_constant) {
    std::vector<Value> items;
    for (std::size_t i = 0; i < count; ++i) {
      const NodeId item = tree_.child(id, i);
      PyResult<Value> value =
          literal(interpreter_, static_cast<ConstantKind>(tree_.node(item).detail), tree_.text(item));
      if (!value.ok()) return fail(item, value.error().message());
      items.push_back(std::move(value).value());
    }
    load_constant(interpreter_.tuple(std::move(items)));
    return;
  }
  constexpr std::size_t kMostOnStack = 30;
  if (!has_star && count <= kMostOnStack) {
    for (std::size_t i = 0; i < count; ++i) expression(tree_.child(id, i));
    emit(build, static_cast<std::uint32_t>(count));
    return;
  }
  emit(build == Opcode::BuildTuple ? Opcode::BuildList : build, 0);
  for (std::size_t i = 0; i < count; ++i) {
    const NodeId item = tree_.child(id, i);
    const bool is_star = tree_.kind(item) == NodeKind::Starred;
    expression(is_star ? tree_.child(item, 0) : item);
    emit(is_star ? extend : append, 1);
  }
  if (build == Opcode::BuildTuple) emit(Opcode::ListToTuple);
}

void Compiler::dict(NodeId id) {
  const std::size_t count = tree_.children(id).size();
  bool has_unpacked = false;
  for (std::size_t i = 0; i < count; i += 2) has_unpacked |= tree_.child(id, i) == kNoNode;
  constexpr std::size_t kMostOnStack = 30;
  if (!has_unpacked && count <= kMostOnStack) {
    for (std::size_t i = 0; i < count; ++i) expression(tree_.child(id, i));
    emit(Opcode::BuildMap, static_cast<std::uint32_t>(count / 2));
    return;
  }
  emit(Opcode::BuildMap, 0);
  for (std::size_t i = 0; i < count; i += 2) {
    if (tree_.child(id, i) == kNoNode) {
      expression(tree_.child(id, i + 1));
      emit(Opcode::DictUpdate, 1);
    } else {
      expression(tree_.child(id, i));
      expression(tree_.child(id, i + 1));
      emit(Opcode::MapAdd, 1);
    }
  }
}

void Compiler::joined_string(NodeId id) {
  const std::size_t count = tree_.children(id).size();
  for (std::size_t i = 0; i < count; ++i) expression(tree_.child(id, i));
  emit(Opcode::BuildString, static_cast<std::uint32_t>(count));
}

void Compiler::formatted_value(NodeId id) {
  expression(tree_.child(id, 0));
  const NodeId specification = tree_.child(id, 1);
  if (specification != kNoNode) expression(specification);
  emit(Opcode::FormatValue, tree_.node(id).detail, specification != kNoNode ? 1 : 0);
}

}  // namespace nns::python
