// try statements: except, except* and finally.
#include <algorithm>

#include "core/python/eval/compiler.h"

namespace nns::python {

void Compiler::try_statement(NodeId id) {
  const NodeId finally_body = tree_.child(id, 2);
  if (finally_body == kNoNode) return try_except(id);
  Label handler, cleanup, end;
  jump(Opcode::SetupHandler, handler);
  blocks_.push_back({.kind = Block::Kind::Finally, .finally_body = finally_body});
  if (tree_.children(id).size() > 3)
    try_except(id);
  else
    body(tree_.child(id, 0));
  blocks_.pop_back();
  emit(Opcode::PopHandler);
  body(finally_body);
  jump(Opcode::Jump, end);
  place(handler);
  emit(Opcode::PushException);
  jump(Opcode::SetupHandler, cleanup);
  blocks_.push_back({.kind = Block::Kind::ExceptBody});
  body(finally_body);
  blocks_.pop_back();
  emit(Opcode::PopHandler);
  emit(Opcode::Swap, 2);
  emit(Opcode::PopException);
  emit(Opcode::Reraise);
  place(cleanup);
  reraise_newer();
  place(end);
}

void Compiler::reraise_newer() {
  emit(Opcode::Swap, 2);
  emit(Opcode::Pop);
  emit(Opcode::Swap, 2);
  emit(Opcode::PopException);
  emit(Opcode::Reraise);
}

void Compiler::try_except(NodeId id) {
  Label handler, cleanup, end;
  jump(Opcode::SetupHandler, handler);
  blocks_.push_back({.kind = Block::Kind::Handler});
  body(tree_.child(id, 0));
  blocks_.pop_back();
  emit(Opcode::PopHandler);
  if (tree_.child(id, 1) != kNoNode) body(tree_.child(id, 1));
  jump(Opcode::Jump, end);
  place(handler);
  emit(Opcode::PushException);
  jump(Opcode::SetupHandler, cleanup);
  if (tree_.node(id).detail == 1) {
    group_handlers(id, end);
  } else {
    for (std::size_t i = 3; i < tree_.children(id).size(); ++i) except_handler(tree_.child(id, i), end);
    emit(Opcode::Reraise);
  }
  place(cleanup);
  reraise_newer();
  place(end);
}

void Compiler::unbind_name(std::string_view name) {
  if (name.empty()) return;
  load_none();
  store_name(name);
  delete_name(name);
}

void Compiler::group_handlers(NodeId id, Label& end) {
  // What the clauses do is written in Python: _exception_groups.Handling.
  load_constant(interpreter_.tuple({interpreter_.intern("Handling").value()}));
  emit(Opcode::ImportName, name_index("_exception_groups"));
  emit(Opcode::LoadAttr, name_index("Handling"));
  emit(Opcode::PushNull);
  emit(Opcode::Copy, 3);
  emit(Opcode::Call, 1);
  for (std::size_t i = 3; i < tree_.children(id).size(); ++i) group_handler(tree_.child(id, i));
  emit(Opcode::LoadMethod, name_index("left"));
  emit(Opcode::Call, 0);
  // previous exception what-is-raised-or-None
  Label handled;
  emit(Opcode::Copy, 1);
  load_none();
  emit(Opcode::Compare, static_cast<std::uint32_t>(CompareOp::Is));
  jump(Opcode::PopJumpIfTrue, handled);
  emit(Opcode::PopHandler);
  emit(Opcode::Swap, 3);
  emit(Opcode::PopException);
  emit(Opcode::Pop);
  emit(Opcode::Reraise);
  place(handled);
  emit(Opcode::Pop);
  emit(Opcode::PopHandler);
  emit(Opcode::Swap, 2);
  emit(Opcode::PopException);
  emit(Opcode::Pop);
  jump(Opcode::Jump, end);
}

void Compiler::group_handler(NodeId id) {
  const At at(*this, id);
  Label failed, other, next;
  const std::string_view name = tree_.text(id);
  // handling
  emit(Opcode::Copy, 1);
  emit(Opcode::LoadMethod, name_index("match"));
  expression(tree_.child(id, 0));
  emit(Opcode::Call, 1);
  emit(Opcode::Copy, 1);
  load_none();
  emit(Opcode::Compare, static_cast<std::uint32_t>(CompareOp::Is));
  jump(Opcode::PopJumpIfTrue, other);
  // handling group
  if (!name.empty()) {
    emit(Opcode::Copy, 1);
    store_name(name);
  }
  emit(Opcode::PushException);
  jump(Opcode::SetupHandler, failed);
  blocks_.push_back({.kind = Block::Kind::GroupBody});
  body(tree_.child(id, 1));
  blocks_.pop_back();
  emit(Opcode::PopHandler);
  // handling previous group
  emit(Opcode::Swap, 2);
  emit(Opcode::PopException);
  emit(Opcode::Pop);
  unbind_name(name);
  jump(Opcode::Jump, next);
  place(failed);
  // handling previous group exception
  emit(Opcode::Copy, 4);
  emit(Opcode::LoadMethod, name_index("failed"));
  emit(Opcode::Copy, 3);
  emit(Opcode::Call, 1);
  emit(Opcode::Pop);
  emit(Opcode::Pop);
  emit(Opcode::Swap, 2);
  emit(Opcode::PopException);
  emit(Opcode::Pop);
  unbind_name(name);
  jump(Opcode::Jump, next);
  place(other);
  emit(Opcode::Pop);
  place(next);
}

bool Compiler::leaves_group_handler(std::size_t depth) const {
  return std::any_of(blocks_.begin() + static_cast<std::ptrdiff_t>(depth), blocks_.end(),
                     [](const Block& block) { return block.kind == Block::Kind::GroupBody; });
}

void Compiler::except_handler(NodeId id, Label& end) {
  const At at(*this, id);
  Label next;
  // previous exception
  if (tree_.child(id, 0) != kNoNode) {
    const At type_at(*this, tree_.child(id, 0));
    expression(tree_.child(id, 0));
    emit(Opcode::CheckException);
    jump(Opcode::PopJumpIfFalse, next);
  }
  const std::string_view name = tree_.text(id);
  Label unbind;
  if (!name.empty()) {
    emit(Opcode::Copy, 1);
    store_name(name);
    jump(Opcode::SetupHandler, unbind);
  }
  blocks_.push_back({.kind = Block::Kind::ExceptBody, .bound_name = name});
  body(tree_.child(id, 1));
  const Block block = blocks_.back();
  blocks_.pop_back();
  leave_block(block, false);
  jump(Opcode::Jump, end);
  if (!name.empty()) {
    place(unbind);
    unbind_name(name);
    emit(Opcode::Reraise);
  }
  place(next);
}

}  // namespace nns::python
