#include <fmt/format.h>

#include "core/python/eval/compiler.h"

namespace nns::python {

void Compiler::body(NodeId block) {
  for (std::size_t i = 0; i < tree_.children(block).size(); ++i) {
    statement(tree_.child(block, i));
    if (error_) return;
  }
}

void Compiler::statement(NodeId id) {
  if (error_) return;
  const At at(*this, id);
  const NodeKind kind = tree_.kind(id);
  if (kind != NodeKind::Global && kind != NodeKind::Nonlocal) emit(Opcode::Statement);
  switch (kind) {
    case NodeKind::Expr:
      expression(tree_.child(id, 0));
      emit(mode_ == CompileMode::Interactive && scope_->kind == Scope::Kind::Module ? Opcode::DisplayValue
                                                                                    : Opcode::Pop);
      return;
    case NodeKind::Assign:
      assign(id);
      return;
    case NodeKind::AugAssign:
      augmented_assign(id);
      return;
    case NodeKind::AnnAssign:
      annotated_assign(id);
      return;
    case NodeKind::Return:
      return_statement(id);
      return;
    case NodeKind::If:
      if_statement(id);
      return;
    case NodeKind::While:
      while_statement(id);
      return;
    case NodeKind::For:
      for_statement(id);
      return;
    case NodeKind::FunctionDef:
      function_definition(id);
      return;
    case NodeKind::ClassDef:
      class_definition(id);
      return;
    case NodeKind::TypeAlias:
      type_alias(id);
      return;
    case NodeKind::Try:
      try_statement(id);
      return;
    case NodeKind::With:
      with_statement(id, 1);
      return;
    case NodeKind::Raise:
      raise_statement(id);
      return;
    case NodeKind::Assert:
      assert_statement(id);
      return;
    case NodeKind::Import:
      import_statement(id);
      return;
    case NodeKind::ImportFrom:
      import_from(id);
      return;
    case NodeKind::Delete:
      for (std::size_t i = 0; i < tree_.children(id).size(); ++i) delete_target(tree_.child(id, i));
      return;
    case NodeKind::Match:
      match_statement(id);
      return;
    case NodeKind::Break:
      leave_loop(id, true);
      return;
    case NodeKind::Continue:
      leave_loop(id, false);
      return;
    case NodeKind::Block:
      body(id);
      return;
    case NodeKind::Global:
    case NodeKind::Nonlocal:
    case NodeKind::Pass:
      return;
    default:
      fail(id, "invalid syntax");
      return;
  }
}

void Compiler::assign(NodeId id) {
  expression(tree_.child(id, 0));
  const std::size_t count = tree_.children(id).size();
  for (std::size_t i = 1; i < count; ++i) {
    if (i + 1 < count) emit(Opcode::Copy, 1);
    store(tree_.child(id, i));
  }
}

void Compiler::augmented_assign(NodeId id) {
  const NodeId to = tree_.child(id, 0);
  const NodeId value = tree_.child(id, 1);
  const std::uint32_t op = tree_.node(id).detail;
  switch (tree_.kind(to)) {
    case NodeKind::Name:
      expression(to);
      expression(value);
      emit(Opcode::InPlace, op);
      store(to);
      return;
    case NodeKind::Attribute: {
      const std::uint32_t name = name_index(mangled(scope_->class_name, tree_.text(to)));
      expression(tree_.child(to, 0));
      emit(Opcode::Copy, 1);
      emit(Opcode::LoadAttr, name);
      expression(value);
      emit(Opcode::InPlace, op);
      emit(Opcode::Swap, 2);
      emit(Opcode::StoreAttr, name);
      return;
    }
    default:
      expression(tree_.child(to, 0));
      expression(tree_.child(to, 1));
      emit(Opcode::Copy, 2);
      emit(Opcode::Copy, 2);
      emit(Opcode::LoadSubscript);
      expression(value);
      emit(Opcode::InPlace, op);
      emit(Opcode::Swap, 3);
      emit(Opcode::Swap, 2);
      emit(Opcode::StoreSubscript);
      return;
  }
}

void Compiler::annotated_assign(NodeId id) {
  const NodeId to = tree_.child(id, 0);
  const NodeId annotation = tree_.child(id, 1);
  const NodeId value = tree_.child(id, 2);
  if (value != kNoNode) {
    expression(value);
    store(to);
  } else if (tree_.kind(to) != NodeKind::Name) {
    // The object of the target is evaluated, nothing is stored.
    expression(tree_.child(to, 0));
    emit(Opcode::Pop);
  }
  if (scope_->kind == Scope::Kind::Function || scope_->kind == Scope::Kind::Comprehension) return;
  if (tree_.kind(to) == NodeKind::Name && tree_.node(id).detail == 0) {
    annotations_.emplace_back(mangled(scope_->class_name, tree_.text(to)), annotation);
  }
}

void Compiler::if_statement(NodeId id) {
  Label end;
  NodeId current = id;
  // A chain of elif is a chain of nodes: compiled without recursion.
  while (true) {
    Label next;
    {
      const At at(*this, current);
      jump_if(tree_.child(current, 0), next, false);
    }
    body(tree_.child(current, 1));
    const NodeId rest = tree_.child(current, 2);
    if (rest == kNoNode) {
      place(next);
      break;
    }
    jump(Opcode::Jump, end);
    place(next);
    if (tree_.kind(rest) != NodeKind::If) {
      body(rest);
      break;
    }
    const At at(*this, rest);
    emit(Opcode::Statement);
    current = rest;
  }
  place(end);
}

void Compiler::while_statement(NodeId id) {
  Label begin, otherwise, end;
  place(begin);
  jump_if(tree_.child(id, 0), otherwise, false);
  blocks_.push_back({.kind = Block::Kind::Loop, .on_break = &end, .on_continue = &begin});
  body(tree_.child(id, 1));
  blocks_.pop_back();
  jump(Opcode::Jump, begin);
  place(otherwise);
  if (tree_.child(id, 2) != kNoNode) body(tree_.child(id, 2));
  place(end);
}

void Compiler::for_statement(NodeId id) {
  Label begin, otherwise, end;
  const bool is_async = tree_.node(id).detail == 1;
  expression(tree_.child(id, 1));
  {
    const At at(*this, tree_.child(id, 1));
    emit(is_async ? Opcode::GetAsyncIter : Opcode::GetIter);
  }
  place(begin);
  if (is_async)
    next_awaited(otherwise);
  else
    jump(Opcode::ForIter, otherwise);
  store(tree_.child(id, 0));
  blocks_.push_back({.kind = Block::Kind::Loop, .on_break = &end, .on_continue = &begin, .has_iterator = true});
  body(tree_.child(id, 2));
  blocks_.pop_back();
  jump(Opcode::Jump, begin);
  place(otherwise);
  if (is_async) emit(Opcode::EndAsyncFor);
  if (tree_.child(id, 3) != kNoNode) body(tree_.child(id, 3));
  place(end);
}

void Compiler::await(Awaited awaited) {
  emit(Opcode::GetAwaitable, awaited);
  load_none();
  emit(Opcode::YieldFrom);
}

void Compiler::next_awaited(Label& end) {
  jump(Opcode::SetupHandler, end);
  emit(Opcode::GetAsyncNext);
  load_none();
  emit(Opcode::YieldFrom);
  emit(Opcode::PopHandler);
}

void Compiler::leave_block(const Block& block, bool keeps_value) {
  switch (block.kind) {
    case Block::Kind::Loop:
      if (!block.has_iterator) return;
      if (keeps_value) emit(Opcode::Swap, 2);
      emit(Opcode::Pop);
      return;
    case Block::Kind::Handler:
      emit(Opcode::PopHandler);
      return;
    case Block::Kind::Finally:
      emit(Opcode::PopHandler);
      // What the body leaves on the stack has to go when it jumps out.
      if (keeps_value) blocks_.push_back({.kind = Block::Kind::Value});
      body(block.finally_body);
      if (keeps_value) blocks_.pop_back();
      return;
    case Block::Kind::With: {
      const Span before = std::exchange(span_, block.span);
      emit(Opcode::PopHandler);
      if (keeps_value) emit(Opcode::Swap, 2);
      emit(Opcode::PushNull);
      for (int i = 0; i < 3; ++i) load_none();
      emit(Opcode::Call, 3);
      if (block.is_async) await(kFromAsyncExit);
      emit(Opcode::Pop);
      span_ = before;
      return;
    }
    case Block::Kind::ExceptBody:
      emit(Opcode::PopHandler);
      if (!block.bound_name.empty()) emit(Opcode::PopHandler);
      // previous exception [value]
      emit(Opcode::Swap, keeps_value ? 3 : 2);
      emit(Opcode::PopException);
      emit(Opcode::Pop);
      unbind_name(block.bound_name);
      return;
    case Block::Kind::GroupBody:
      return;
    case Block::Kind::Value:
      if (keeps_value) emit(Opcode::Swap, 2);
      emit(Opcode::Pop);
      return;
  }
}

void Compiler::unwind(std::size_t depth, bool keeps_value) {
  // Each block is left with only those around it in force.
  const std::vector<Block> all = blocks_;
  while (blocks_.size() > depth) {
    const Block block = blocks_.back();
    blocks_.pop_back();
    leave_block(block, keeps_value);
  }
  blocks_ = all;
}

void Compiler::leave_loop(NodeId id, bool is_break) {
  std::size_t depth = blocks_.size();
  while (depth > 0 && blocks_[depth - 1].kind != Block::Kind::Loop) --depth;
  if (depth == 0) return fail(id, is_break ? "'break' outside loop" : "'continue' not properly in loop");
  if (leaves_group_handler(depth)) {
    return fail(id, "'break', 'continue' and 'return' cannot appear in an except* block");
  }
  unwind(depth, false);
  const Block loop = blocks_[depth - 1];
  if (is_break && loop.has_iterator) emit(Opcode::Pop);
  jump(Opcode::Jump, is_break ? *loop.on_break : *loop.on_continue);
}

void Compiler::return_statement(NodeId id) {
  if (scope_->kind != Scope::Kind::Function) return fail(id, "'return' outside function");
  if (leaves_group_handler(0)) {
    return fail(id, "'break', 'continue' and 'return' cannot appear in an except* block");
  }
  if (tree_.child(id, 0) == kNoNode) {
    load_none();
  } else {
    if (scope_->is_async && scope_->has_yield) return fail(id, "'return' with value in async generator");
    expression(tree_.child(id, 0));
  }
  unwind(0, true);
  emit(Opcode::Return);
}

void Compiler::with_statement(NodeId id, std::size_t item_index) {
  if (item_index == tree_.children(id).size()) return body(tree_.child(id, 0));
  const NodeId item = tree_.child(id, item_index);
  const NodeId context = tree_.child(item, 0);
  Label handler, cleanup, suppressed, end;
  expression(context);
  const Span where = tree_.span(context);
  const bool is_async = tree_.node(id).detail == 1;
  {
    const At at(*this, context);
    emit(is_async ? Opcode::AsyncWithEnter : Opcode::WithEnter);
    if (is_async) await(kFromAsyncEnter);
  }
  // exit value
  jump(Opcode::SetupHandler, handler);
  // The value is above the depth that the handler keeps; its storing is covered.
  code_->instructions.back().extra = 1;
  blocks_.push_back({.kind = Block::Kind::With, .is_async = is_async, .span = where});
  if (tree_.child(item, 1) != kNoNode)
    store(tree_.child(item, 1));
  else
    emit(Opcode::Pop);
  with_statement(id, item_index + 1);
  const Block block = blocks_.back();
  blocks_.pop_back();
  leave_block(block, false);
  jump(Opcode::Jump, end);
  place(handler);
  const At at(*this, context);
  emit(Opcode::PushException);
  jump(Opcode::SetupHandler, cleanup);
  emit(Opcode::WithExit);
  if (is_async) await(kFromAsyncExit);
  jump(Opcode::PopJumpIfTrue, suppressed);
  emit(Opcode::Reraise);
  place(suppressed);
  // exit previous exception
  emit(Opcode::PopHandler);
  emit(Opcode::Pop);
  emit(Opcode::PopException);
  emit(Opcode::Pop);
  jump(Opcode::Jump, end);
  place(cleanup);
  reraise_newer();
  place(end);
}

void Compiler::raise_statement(NodeId id) {
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    if (tree_.child(id, i) == kNoNode) continue;
    expression(tree_.child(id, i));
    ++count;
  }
  emit(Opcode::Raise, count);
}

void Compiler::assert_statement(NodeId id) {
  Label holds;
  jump_if(tree_.child(id, 0), holds, true);
  const bool has_message = tree_.child(id, 1) != kNoNode;
  if (has_message) expression(tree_.child(id, 1));
  const At at(*this, tree_.child(id, 0));
  emit(Opcode::RaiseAssertion, has_message ? 1 : 0);
  place(holds);
}

void Compiler::import_statement(NodeId id) {
  for (std::size_t i = 0; i < tree_.children(id).size(); ++i) {
    const NodeId alias = tree_.child(id, i);
    const std::string name(tree_.text(alias));
    if (tree_.node(alias).detail == 0) {
      load_none();
      emit(Opcode::ImportName, name_index(name));
      store_name(name.substr(0, name.find('.')));
      continue;
    }
    // import a.b as c binds a.b itself.
    load_constant(interpreter_.tuple());
    emit(Opcode::ImportName, name_index(name));
    store_name(tree_.text(tree_.child(alias, 0)));
  }
}

void Compiler::import_from(NodeId id) {
  const std::size_t count = tree_.children(id).size();
  std::vector<Value> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(interpreter_.intern(tree_.text(tree_.child(id, i))).value());
  load_constant(interpreter_.tuple(std::move(names)));
  emit(Opcode::ImportName, name_index(tree_.text(id)), tree_.node(id).detail);
  if (tree_.text(tree_.child(id, 0)) == "*") {
    emit(Opcode::ImportStar);
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const NodeId alias = tree_.child(id, i);
    const At at(*this, alias);
    emit(Opcode::ImportFrom, name_index(tree_.text(alias)));
    store_name(tree_.node(alias).detail == 1 ? tree_.text(tree_.child(alias, 0)) : tree_.text(alias));
  }
  emit(Opcode::Pop);
}

void Compiler::delete_target(NodeId id) {
  const At at(*this, id);
  switch (tree_.kind(id)) {
    case NodeKind::Name:
      delete_name(tree_.text(id));
      return;
    case NodeKind::Attribute:
      expression(tree_.child(id, 0));
      emit(Opcode::DeleteAttr, name_index(mangled(scope_->class_name, tree_.text(id))));
      return;
    case NodeKind::Subscript:
      expression(tree_.child(id, 0));
      expression(tree_.child(id, 1));
      emit(Opcode::DeleteSubscript);
      return;
    default:
      for (std::size_t i = 0; i < tree_.children(id).size(); ++i) delete_target(tree_.child(id, i));
      return;
  }
}

}  // namespace nns::python
