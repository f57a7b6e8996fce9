// match statements. The subject and its parts wait in slots of the frame, so a pattern that fails only has to jump.
#include <fmt/format.h>

#include <algorithm>

#include "core/python/eval/compiler.h"

namespace nns::python {

std::uint32_t Compiler::temporary() {
  if (temporaries_in_use_ == temporaries_.size()) {
    temporaries_.push_back(static_cast<std::uint32_t>(code_->locals.size()));
    code_->locals.push_back(interpreter_.intern(fmt::format(".{}", temporaries_.size())));
  }
  return temporaries_[temporaries_in_use_++];
}

void Compiler::release_temporaries(std::size_t from) { temporaries_in_use_ = from; }

void Compiler::match_statement(NodeId id) {
  const std::size_t before = temporaries_in_use_;
  const std::uint32_t subject = temporary();
  expression(tree_.child(id, 0));
  emit(Opcode::StoreFast, subject);
  Label end;
  for (std::size_t i = 1; i < tree_.children(id).size(); ++i) {
    const NodeId match_case = tree_.child(id, i);
    const At at(*this, match_case);
    Label next;
    Attempt attempt{&next, {}};
    const std::size_t parts = temporaries_in_use_;
    pattern(tree_.child(match_case, 0), subject, attempt);
    // Names are bound when the whole pattern matched, before the guard.
    for (const auto& [name, slot] : attempt.captures) {
      emit(Opcode::LoadFast, slot);
      store_name(name);
    }
    release_temporaries(parts);
    if (tree_.child(match_case, 1) != kNoNode) jump_if(tree_.child(match_case, 1), next, false);
    body(tree_.child(match_case, 2));
    jump(Opcode::Jump, end);
    place(next);
  }
  place(end);
  load_none();
  emit(Opcode::StoreFast, subject);
  release_temporaries(before);
}

void Compiler::capture(NodeId where, std::string_view name, std::uint32_t subject, Attempt& attempt) {
  for (const auto& [known, slot] : attempt.captures) {
    if (known == name) return fail(where, fmt::format("multiple assignments to name '{}' in pattern", name));
  }
  attempt.captures.emplace_back(name, subject);
}

void Compiler::pattern(NodeId id, std::uint32_t subject, Attempt& attempt) {
  if (error_) return;
  const At at(*this, id);
  switch (tree_.kind(id)) {
    case NodeKind::MatchValue:
      emit(Opcode::LoadFast, subject);
      expression(tree_.child(id, 0));
      jump(Opcode::CompareJumpIfFalse, *attempt.on_failure, static_cast<std::uint32_t>(CompareOp::Eq));
      return;
    case NodeKind::MatchSingleton:
      emit(Opcode::LoadFast, subject);
      expression(tree_.child(id, 0));
      jump(Opcode::CompareJumpIfFalse, *attempt.on_failure, static_cast<std::uint32_t>(CompareOp::Is));
      return;
    case NodeKind::MatchAs:
      if (tree_.child(id, 0) != kNoNode) pattern(tree_.child(id, 0), subject, attempt);
      if (!tree_.text(id).empty()) capture(id, tree_.text(id), subject, attempt);
      return;
    case NodeKind::MatchSequence:
      sequence_pattern(id, subject, attempt);
      return;
    case NodeKind::MatchMapping:
      mapping_pattern(id, subject, attempt);
      return;
    case NodeKind::MatchClass:
      class_pattern(id, subject, attempt);
      return;
    case NodeKind::MatchOr:
      or_pattern(id, subject, attempt);
      return;
    default:
      fail(id, "invalid syntax");
      return;
  }
}

void Compiler::sequence_pattern(NodeId id, std::uint32_t subject, Attempt& attempt) {
  const std::size_t count = tree_.children(id).size();
  std::size_t star = count;
  for (std::size_t i = 0; i < count; ++i) {
    if (tree_.kind(tree_.child(id, i)) != NodeKind::MatchStar) continue;
    if (star != count) return fail(id, "multiple starred expressions in sequence pattern");
    star = i;
  }
  // 1. A sequence? 2. Of the right length? 3. Its items into slots. 4. Each item.
  Label past;
  emit(Opcode::LoadFast, subject);
  emit(Opcode::MatchSequence);
  Label not_sequence;
  jump(Opcode::PopJumpIfFalse, not_sequence);
  emit(Opcode::GetLength);
  load_constant(Value(static_cast<std::int64_t>(star == count ? count : count - 1)));
  jump(Opcode::CompareJumpIfFalse, not_sequence,
       static_cast<std::uint32_t>(star == count ? CompareOp::Eq : CompareOp::Ge));
  if (star == count)
    emit(Opcode::UnpackSequence, static_cast<std::uint32_t>(count));
  else
    emit(Opcode::UnpackStar, static_cast<std::uint32_t>(star), static_cast<std::uint32_t>(count - star - 1));
  std::vector<std::uint32_t> slots;
  for (std::size_t i = 0; i < count; ++i) {
    slots.push_back(temporary());
    emit(Opcode::StoreFast, slots.back());
  }
  jump(Opcode::Jump, past);
  place(not_sequence);
  emit(Opcode::Pop);
  jump(Opcode::Jump, *attempt.on_failure);
  place(past);
  for (std::size_t i = 0; i < count; ++i) {
    const NodeId item = tree_.child(id, i);
    if (i != star)
      pattern(item, slots[i], attempt);
    else if (!tree_.text(item).empty())
      capture(item, tree_.text(item), slots[i], attempt);
  }
}

void Compiler::mapping_pattern(NodeId id, std::uint32_t subject, Attempt& attempt) {
  const std::size_t count = tree_.children(id).size() / 2;
  Label not_mapping, missing, past;
  emit(Opcode::LoadFast, subject);
  emit(Opcode::MatchMapping);
  jump(Opcode::PopJumpIfFalse, not_mapping);
  for (std::size_t i = 0; i < count; ++i) expression(tree_.child(id, 2 * i));
  emit(Opcode::BuildTuple, static_cast<std::uint32_t>(count));
  emit(Opcode::MatchKeys);
  // subject keys values
  const std::uint32_t values = temporary();
  emit(Opcode::StoreFast, values);
  emit(Opcode::LoadFast, values);
  load_none();
  emit(Opcode::Compare, static_cast<std::uint32_t>(CompareOp::Is));
  jump(Opcode::PopJumpIfTrue, missing);
  const std::uint32_t rest = temporary();
  if (!tree_.text(id).empty()) {
    emit(Opcode::MappingRest);
    emit(Opcode::StoreFast, rest);
  } else {
    emit(Opcode::Pop);
    emit(Opcode::Pop);
  }
  std::vector<std::uint32_t> slots;
  emit(Opcode::LoadFast, values);
  emit(Opcode::UnpackSequence, static_cast<std::uint32_t>(count));
  for (std::size_t i = 0; i < count; ++i) {
    slots.push_back(temporary());
    emit(Opcode::StoreFast, slots.back());
  }
  jump(Opcode::Jump, past);
  place(missing);
  emit(Opcode::Pop);
  place(not_mapping);
  emit(Opcode::Pop);
  jump(Opcode::Jump, *attempt.on_failure);
  place(past);
  for (std::size_t i = 0; i < count; ++i) pattern(tree_.child(id, 2 * i + 1), slots[i], attempt);
  if (!tree_.text(id).empty()) capture(id, tree_.text(id), rest, attempt);
}

void Compiler::class_pattern(NodeId id, std::uint32_t subject, Attempt& attempt) {
  std::vector<NodeId> parts;
  std::vector<Value> names;
  for (std::size_t i = 1; i < tree_.children(id).size(); ++i) {
    const NodeId part = tree_.child(id, i);
    if (tree_.kind(part) == NodeKind::MatchKeyword) {
      names.push_back(interpreter_.intern(tree_.text(part)).value());
      parts.push_back(tree_.child(part, 0));
    } else {
      if (!names.empty()) return fail(part, "positional patterns follow keyword patterns");
      parts.push_back(part);
    }
  }
  const auto positional = static_cast<std::uint32_t>(parts.size() - names.size());
  emit(Opcode::LoadFast, subject);
  expression(tree_.child(id, 0));
  load_constant(interpreter_.tuple(std::move(names)));
  emit(Opcode::MatchClass, positional);
  const std::uint32_t attributes = temporary();
  emit(Opcode::StoreFast, attributes);
  emit(Opcode::LoadFast, attributes);
  load_none();
  emit(Opcode::Compare, static_cast<std::uint32_t>(CompareOp::Is));
  jump(Opcode::PopJumpIfTrue, *attempt.on_failure);
  emit(Opcode::LoadFast, attributes);
  emit(Opcode::UnpackSequence, static_cast<std::uint32_t>(parts.size()));
  std::vector<std::uint32_t> slots;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    slots.push_back(temporary());
    emit(Opcode::StoreFast, slots.back());
  }
  for (std::size_t i = 0; i < parts.size(); ++i) pattern(parts[i], slots[i], attempt);
}

void Compiler::or_pattern(NodeId id, std::uint32_t subject, Attempt& attempt) {
  const std::size_t count = tree_.children(id).size();
  Label matched;
  std::vector<std::pair<std::string, std::uint32_t>> bound;
  for (std::size_t i = 0; i < count; ++i) {
    Label next;
    Attempt one{i + 1 < count ? &next : attempt.on_failure, {}};
    pattern(tree_.child(id, i), subject, one);
    std::sort(one.captures.begin(), one.captures.end());
    if (i == 0) {
      // Each alternative leaves the same names in the same slots.
      for (const auto& [name, slot] : one.captures) bound.emplace_back(name, temporary());
    }
    const bool same = one.captures.size() == bound.size() &&
                      std::equal(bound.begin(), bound.end(), one.captures.begin(),
                                 [](const auto& a, const auto& b) { return a.first == b.first; });
    if (!same) return fail(id, "alternative patterns bind different names");
    for (std::size_t k = 0; k < bound.size(); ++k) {
      emit(Opcode::LoadFast, one.captures[k].second);
      emit(Opcode::StoreFast, bound[k].second);
    }
    if (i + 1 < count) jump(Opcode::Jump, matched);
    place(next);
  }
  place(matched);
  for (const auto& [name, slot] : bound) capture(id, name, slot, attempt);
}

}  // namespace nns::python
