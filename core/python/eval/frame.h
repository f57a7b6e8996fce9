#pragma once

#include <memory>
#include <vector>

#include "core/python/eval/function.h"

namespace nns::python {

/// What happens to the value that a frame returns.
enum class FrameExit : std::uint8_t {
  /// It goes onto the stack of the frame below.
  Push,
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

  Ref<Code> code;
  /// Null for modules and classes.
  Ref<Function> function;
  Ref<Dict> globals;
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

  Value* stack() const { return slots + code->locals.size() + code->cells.size() + code->free.size(); }
  Cell& cell(std::size_t i) const { return static_cast<Cell&>(*slots[code->locals.size() + i].object()); }
  std::uint32_t instruction() const { return static_cast<std::uint32_t>(next - code->instructions.data() - 1); }
};

/// Memory for the slots of frames, last in first out.
class ValueStack {
 public:
  /// `count` values, all Absent.
  Value* allocate(std::size_t count);
  /// Gives back what was allocated last.
  void release(Value* slots, std::size_t count);

 private:
  static constexpr std::size_t kChunk = 1U << 14U;
  struct Chunk {
    std::unique_ptr<Value[]> values;
    std::size_t size = 0;
    std::size_t used = 0;
  };
  std::vector<Chunk> chunks_;
  std::size_t current_ = 0;
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
