// Instructions, constants, names and the depth of the value stack.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "core/python/eval/compiler.h"

namespace nns::python {
namespace {

struct Effect {
  int next;    ///< change of the stack's depth where the next instruction follows
  int target;  ///< and at the target of a jump
};

Effect effect_of(const Instruction& in) {
  const int arg = static_cast<int>(in.arg);
  const int extra = in.extra;
  switch (in.op) {
    case Opcode::LoadConst:
    case Opcode::LoadFast:
    case Opcode::LoadDeref:
    case Opcode::LoadClosure:
    case Opcode::LoadName:
    case Opcode::LoadClassDeref:
    case Opcode::LoadGlobal:
    case Opcode::Copy:
    case Opcode::PushNull:
    case Opcode::LoadMethod:
    case Opcode::BuildClass:
    case Opcode::PushException:
    case Opcode::WithEnter:
    case Opcode::WithExit:
    case Opcode::GetAsyncNext:
    case Opcode::AsyncWithEnter:
    case Opcode::ImportFrom:
    case Opcode::MatchSequence:
    case Opcode::MatchMapping:
    case Opcode::MatchKeys:
    case Opcode::GetLength:
      return {1, 1};
    case Opcode::StoreFast:
    case Opcode::StoreDeref:
    case Opcode::StoreName:
    case Opcode::StoreGlobal:
    case Opcode::Pop:
    case Opcode::DeleteAttr:
    case Opcode::LoadSubscript:
    case Opcode::Binary:
    case Opcode::InPlace:
    case Opcode::Compare:
    case Opcode::PopJumpIfFalse:
    case Opcode::PopJumpIfTrue:
    case Opcode::ListAppend:
    case Opcode::SetAdd:
    case Opcode::ListExtend:
    case Opcode::SetUpdate:
    case Opcode::DictUpdate:
    case Opcode::DictMerge:
    case Opcode::Return:
    case Opcode::YieldFrom:
    case Opcode::PopException:
    case Opcode::Reraise:
    case Opcode::ImportStar:
    case Opcode::SetAnnotations:
    case Opcode::SetTypeParameters:
    case Opcode::TypeAlias:
    case Opcode::DisplayValue:
    case Opcode::MappingRest:
      return {-1, -1};
    case Opcode::StoreAttr:
    case Opcode::DeleteSubscript:
    case Opcode::BuildSlice:
    case Opcode::MapAdd:
    case Opcode::CompareJumpIfFalse:
    case Opcode::MatchClass:
    case Opcode::EndAsyncFor:
      return {-2, -2};
    case Opcode::StoreSubscript:
      return {-3, -3};
    case Opcode::JumpIfFalseOrPop:
    case Opcode::JumpIfTrueOrPop:
      return {-1, 0};
    case Opcode::BuildTuple:
    case Opcode::BuildList:
    case Opcode::BuildSet:
    case Opcode::BuildString:
      return {1 - arg, 1 - arg};
    case Opcode::BuildMap:
      return {1 - 2 * arg, 1 - 2 * arg};
    case Opcode::FormatValue:
      return {-extra, -extra};
    case Opcode::Call:
    case Opcode::CallKeywords:
      return {-1 - arg, -1 - arg};
    case Opcode::CallUnpacked:
      return {-2 - arg, -2 - arg};
    case Opcode::MakeFunction: {
      int parts = 0;
      for (std::uint32_t bit = 1; bit <= kHasClosure; bit *= 2) parts += (in.arg & bit) != 0 ? 1 : 0;
      return {-parts, -parts};
    }
    case Opcode::ForIter:
      return {1, -1};
    case Opcode::UnpackSequence:
      return {arg - 1, arg - 1};
    case Opcode::UnpackStar:
      return {arg + extra, arg + extra};
    case Opcode::SetupHandler:
      return {0, 1 - extra};
    case Opcode::Raise:
    case Opcode::RaiseAssertion:
      return {-arg, -arg};
    default:
      return {0, 0};
  }
}

}  // namespace

bool jumps(Opcode op) {
  switch (op) {
    case Opcode::Jump:
    case Opcode::JumpBack:
    case Opcode::PopJumpIfFalse:
    case Opcode::PopJumpIfTrue:
    case Opcode::JumpIfFalseOrPop:
    case Opcode::JumpIfTrueOrPop:
    case Opcode::CompareJumpIfFalse:
    case Opcode::ForIter:
    case Opcode::SetupHandler:
      return true;
    default:
      return false;
  }
}

bool ends(Opcode op) {
  return op == Opcode::Jump || op == Opcode::JumpBack || op == Opcode::Return || op == Opcode::Reraise ||
         op == Opcode::Raise || op == Opcode::RaiseAssertion;
}

std::uint32_t Compiler::emit(Opcode op, std::uint32_t arg, std::uint32_t extra) {
  if (extra > UINT16_MAX && !error_) error_ = SyntaxError{"too many items in one construct", span_};
  code_->instructions.push_back({.op = op, .extra = static_cast<std::uint16_t>(extra), .arg = arg});
  code_->spans.push_back(span_);
  return static_cast<std::uint32_t>(code_->instructions.size() - 1);
}

void Compiler::jump(Opcode op, Label& label, std::uint32_t extra) {
  if (label.at != Label::kUnset) {
    emit(op == Opcode::Jump ? Opcode::JumpBack : op, label.at, extra);
  } else {
    label.jumps.push_back(emit(op, 0, extra));
  }
}

void Compiler::place(Label& label) {
  label.at = static_cast<std::uint32_t>(code_->instructions.size());
  for (const std::uint32_t from : label.jumps) code_->instructions[from].arg = label.at;
  label.jumps.clear();
}

std::uint32_t Compiler::constant(Value value) {
  // Equal constants of one type share a place.
  const int kind = static_cast<int>(value.kind());
  std::optional<std::pair<int, std::string>> key;
  if (value.is_none()) {
    key = {kind, ""};
  } else if (value.is_int() || value.is_bool()) {
    key = {kind, std::to_string(value.as_int())};
  } else if (const auto* text = value.as<object::Str>()) {
    key = {kind, std::string(text->view())};
  }
  if (key) {
    if (const auto known = constant_indices_.find(*key); known != constant_indices_.end()) return known->second;
  }
  const auto index = static_cast<std::uint32_t>(code_->constants.size());
  code_->constants.push_back(std::move(value));
  if (key) constant_indices_.emplace(*key, index);
  return index;
}

std::uint32_t Compiler::name_index(std::string_view name) {
  const auto [at, is_new] =
      name_indices_.try_emplace(std::string(name), static_cast<std::uint32_t>(code_->names.size()));
  if (is_new) code_->names.push_back(interpreter_.intern(name));
  return at->second;
}

void Compiler::load_name(std::string_view written) {
  const std::string name = mangled(scope_->class_name, written);
  const Scope::Symbol* symbol = scope_->find(name);
  switch (symbol != nullptr ? symbol->place : Place::Global) {
    case Place::Local:
      emit(Opcode::LoadFast, local_indices_.at(name));
      return;
    case Place::Cell:
      emit(Opcode::LoadDeref, cell_indices_.at(name));
      return;
    case Place::Free:
      emit(scope_->kind == Scope::Kind::Class ? Opcode::LoadClassDeref : Opcode::LoadDeref, cell_indices_.at(name));
      return;
    case Place::Global:
      emit(Opcode::LoadGlobal, name_index(name));
      return;
    case Place::Name:
      emit(Opcode::LoadName, name_index(name));
      return;
  }
}

void Compiler::store_name(std::string_view written) {
  const std::string name = mangled(scope_->class_name, written);
  const Scope::Symbol* symbol = scope_->find(name);
  switch (symbol != nullptr ? symbol->place : Place::Global) {
    case Place::Local:
      emit(Opcode::StoreFast, local_indices_.at(name));
      return;
    case Place::Cell:
    case Place::Free:
      emit(Opcode::StoreDeref, cell_indices_.at(name));
      return;
    case Place::Global:
      emit(Opcode::StoreGlobal, name_index(name));
      return;
    case Place::Name:
      emit(Opcode::StoreName, name_index(name));
      return;
  }
}

void Compiler::delete_name(std::string_view written) {
  const std::string name = mangled(scope_->class_name, written);
  const Scope::Symbol* symbol = scope_->find(name);
  switch (symbol != nullptr ? symbol->place : Place::Global) {
    case Place::Local:
      emit(Opcode::DeleteFast, local_indices_.at(name));
      return;
    case Place::Cell:
    case Place::Free:
      emit(Opcode::DeleteDeref, cell_indices_.at(name));
      return;
    case Place::Global:
      emit(Opcode::DeleteGlobal, name_index(name));
      return;
    case Place::Name:
      emit(Opcode::DeleteName, name_index(name));
      return;
  }
}

void Compiler::find_stack_size() {
  std::vector<int> depth_at(code_->instructions.size() + 1, -1);
  std::vector<std::uint32_t> waiting{0};
  depth_at[0] = 0;
  int deepest = 0;
  // No instruction adds more than its arguments: a deeper stack means that code of ours is not balanced.
  const auto most = static_cast<int>(std::min<std::size_t>(code_->instructions.size() * 64 + 1024, INT32_MAX));
  while (!waiting.empty()) {
    if (deepest > most) return fail(code_->node, "the instructions of this are not balanced (a defect of nnscope)");
    std::uint32_t at = waiting.back();
    waiting.pop_back();
    int depth = depth_at[at];
    while (at < code_->instructions.size()) {
      const Instruction& instruction = code_->instructions[at];
      const Effect effect = effect_of(instruction);
      if (jumps(instruction.op)) {
        const int there = depth + effect.target;
        deepest = std::max(deepest, there);
        if (depth_at[instruction.arg] < there) {
          depth_at[instruction.arg] = there;
          waiting.push_back(instruction.arg);
        }
      }
      if (ends(instruction.op)) break;
      depth += effect.next;
      deepest = std::max(deepest, depth);
      ++at;
      if (depth_at[at] >= depth) break;
      depth_at[at] = depth;
    }
  }
  // Instructions that push before they pop use a little more.
  code_->stack_size = static_cast<std::uint32_t>(deepest + 4);
}

}  // namespace nns::python
