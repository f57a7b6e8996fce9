#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "core/python/eval/function.h"

namespace nns::python {

/// What happens to the value that a frame returns.
enum class FrameExit : std::uint8_t {
  /// It goes onto the stack of the frame below.
  Push,
  /// The frame is an __init__'s: the instance lies on the stack of the frame below already.
  Init,
  /// The frame was entered from C++, which gets it.
  Leave,
  /// The frame is a generator's that a for loop walks.
  ForLoop,
};

/// One activation of a code object.
/// Lifetime: those of functions lie in a pool of the machine, those of generators belong to them.
class Frame {
 public:
  struct Handler {
    std::uint32_t target;
    std::uint32_t depth;
  };

  // Kept alive by the function, or, where there is none, by the two below.
  Code* code = nullptr;
  Dict* globals = nullptr;
  /// Null for modules.
  Ref<Function> function;
  Ref<Code> own_code;
  Ref<Dict> own_globals;
  /// Where names of a class or module live; null in functions.
  Ref<Dict> names;
  Value* slots = nullptr;
  /// The place behind the top of the value stack.
  Value* top = nullptr;
  const Instruction* next = nullptr;
  Frame* back = nullptr;
  std::vector<Handler> handlers;
  FrameExit exit = FrameExit::Push;
  /// Of a generator that runs: the exception that was handled around it.
  Value outer_handled;
  Generator* generator = nullptr;
  /// Of a generator: its own slots.
  std::unique_ptr<Value[]> own_slots;

  Value* stack() const { return slots + code->stack_begin; }
  Cell& cell(std::size_t i) const { return static_cast<Cell&>(*slots[code->locals.size() + i].object()); }
  std::uint32_t instruction() const { return static_cast<std::uint32_t>(next - code->instructions.data() - 1); }
};

/// Memory for the slots of frames, last in first out.
class ValueStack {
 public:
  /// `count` values without objects.
  Value* allocate(std::size_t count) {
    if (static_cast<std::size_t>(end_ - next_) < count) [[unlikely]]
      return allocate_elsewhere(count);
    return std::exchange(next_, next_ + count);
  }
  /// Gives back what was allocated last, of which nothing but the values up to `top` hold objects.
  void release(Value* slots, const Value* top) {
    for (Value* one = slots; one < top; ++one) {
      // What goes may run code, and finds its place empty.
      const Value gone(std::move(*one));
    }
    next_ = slots;
    if (slots == begin_ && current_ > 0) [[unlikely]]
      go_to(current_ - 1);
  }

 private:
  static constexpr std::size_t kChunk = 1U << 14U;
  struct Chunk {
    std::unique_ptr<Value[]> values;
    std::size_t size = 0;
    std::size_t used = 0;
  };
  Value* allocate_elsewhere(std::size_t count);
  void go_to(std::size_t chunk);

  std::vector<Chunk> chunks_;
  std::size_t current_ = 0;
  // Of the current chunk.
  Value* begin_ = nullptr;
  Value* next_ = nullptr;
  Value* end_ = nullptr;
};

/// A thread of a program while others run: its frames, and what lies on them.
struct ThreadStack {
  ValueStack values;
  /// The frame on top; null: it has ended.
  Frame* top = nullptr;
  Frame* base = nullptr;
  Value handled;
  int depth = 0;
};

}  // namespace nns::python
