#pragma once

#include "core/python/eval/machine.h"

/// How frames of functions begin and end: as parts of the evaluator's loop, which does little else.
namespace nns::python {

inline Frame* Machine::push_frame(Code& code, std::size_t filled) {
  Frame* frame = free_frames_;
  if (frame != nullptr) [[likely]]
    free_frames_ = frame->back;
  else
    frame = new_frame();
  frame->code = &code;
  frame->slots = stack_.allocate(code.slot_count());
  const std::size_t locals = code.locals.size();
  for (std::size_t i = filled; i < locals; ++i) std::construct_at(&frame->slots[i], Value::absent());
  frame->top = frame->stack();
  frame->next = code.instructions.data();
  frame->exit = FrameExit::Push;
  frame->back = frame_;
  frame_ = frame;
  ++depth_;
  return frame;
}

inline Frame* Machine::push_frame(Ref<Function> function, std::size_t filled) {
  Frame* const frame = push_frame(*function->code_reference(), filled);
  frame->globals = &function->globals();
  if (function->names) [[unlikely]]
    frame->names = function->names;
  frame->function = std::move(function);
  return frame;
}

inline Frame* Machine::enter(Ref<Function> function, std::size_t filled, Ref<Dict> name_dict) {
  Frame* const frame = push_frame(std::move(function), filled);
  if (name_dict) [[unlikely]]
    frame->names = std::move(name_dict);
  if (observer_ != nullptr) [[unlikely]]
    observer_->on_enter(*frame);
  return frame;
}

inline bool Machine::takes_quickly(const Function& function, std::size_t count) {
  const Code& code = function.code();
  if (!code.is_plain_call) return false;
  if (count == code.positional_count) [[likely]]
    return true;
  const auto* const defaults = function.defaults().as<object::Tuple>();
  return count < code.positional_count && defaults != nullptr && defaults->size() >= code.positional_count - count;
}

inline Frame* Machine::enter_quickly(Ref<Function> function, Value* arguments, std::size_t count) {
  const Code& code = function->code();
  const std::size_t wanted = code.positional_count;
  const auto* const defaults = count < wanted ? function->defaults().as<object::Tuple>() : nullptr;
  Frame* const frame = enter(std::move(function), wanted);
  Value* const slots = frame->slots;
  for (std::size_t i = 0; i < count; ++i) std::construct_at(&slots[i], std::move(arguments[i]));
  for (std::size_t i = count; i < wanted; ++i) {
    std::construct_at(&slots[i], (*defaults)[defaults->size() + i - wanted]);
  }
  if (code.has_cells) make_cells(*frame);
  return frame;
}

inline void Machine::drop_quietly(Frame* frame) {
  frame_ = frame->back;
  --depth_;
  stack_.release(frame->slots, frame->top);
  frame->handlers.clear();
  frame->function = nullptr;
  if (frame->names) [[unlikely]]
    frame->names = nullptr;
  if (frame->own_code) [[unlikely]] {
    frame->own_code = nullptr;
    frame->own_globals = nullptr;
  }
  frame->back = std::exchange(free_frames_, frame);
}

inline void Machine::leave() {
  Frame* const frame = frame_;
  if (observer_ != nullptr) [[unlikely]]
    observer_->on_leave(*frame);
  if (frame->generator != nullptr) [[unlikely]]
    return leave_generator();
  drop_quietly(frame);
}

}  // namespace nns::python
