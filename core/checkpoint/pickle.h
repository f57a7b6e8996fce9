#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/budget.h"
#include "core/base/result.h"
#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/pickle_heap.h"
#include "core/checkpoint/pickle_opcodes.h"

namespace nns::checkpoint {

/// The largest pickle that is read. Units: bytes.
inline constexpr std::uint64_t kMaxPickle = 1U << 30U;

/// Reads pickles of protocols 0 to 5 as data: no name is looked up, nothing is called. What a callable would make is a
/// PickleObject with callable, arguments and state.
/// Behaviour: Python's Lib/pickletools.py (opcodes), Lib/pickle.py (_Unpickler).
/// Cost: one look at each byte; memory at most a few dozen times the pickle. No recursion.
class PickleMachine {
 public:
  /// `pickle` must outlive the machine and be at most kMaxPickle; `where` names it in errors, `member` in globals().
  PickleMachine(std::string_view pickle, std::string where, std::string member);

  /// True at STOP: result() is the value. Errors: anything that is no pickle, with the offset of its opcode.
  base::Result<bool> step(const base::Budget& budget);
  PickleId result() const { return result_; }
  /// Goes on with the pickle that follows the STOP, with an empty stack and memo and the same heap.
  void restart();
  /// The same for a pickle at [begin, end) of the bytes; its offsets are counted from its own beginning.
  void restart(std::size_t begin, std::size_t end, std::string where, std::string member);
  /// After an error: how many bytes the opcode would need, counted from the pickle's first, if it failed because the
  /// bytes end; else 0. A longer piece of the same file may then do, with a new machine.
  std::uint64_t needed() const { return needed_; }

  std::size_t position() const { return at_; }
  std::size_t size() const { return pickle_.size(); }
  PickleHeap& heap() { return heap_; }
  const std::vector<Global>& globals() const { return globals_; }

 private:
  bool run_usual(PickleOp op);
  base::Result<bool> run(PickleOp op);
  base::Result<void> run_text(PickleOp op);
  base::Result<void> run_stack(PickleOp op);
  base::Result<void> run_object(PickleOp op);
  base::Error error(std::string found, std::string expected) const;
  base::Error unknown_opcode(PickleOp op) const;
  base::Error ends() const;
  void need(std::uint64_t more) const { needed_ = more > UINT64_MAX - at_ ? UINT64_MAX : at_ + more; }

  // Arguments of opcodes, from the bytes.
  bool has(std::uint64_t count) const { return count <= pickle_.size() - at_; }
  template <class T>
  base::Result<T> number();
  base::Result<std::string_view> line();
  base::Result<std::string_view> utf8_line();
  base::Result<void> push_text(PickleKind kind, std::uint64_t size);
  base::Result<void> push_long(std::uint64_t size);
  base::Result<void> push_decimal(std::string_view text);
  base::Result<void> push_float(std::string_view text);
  base::Result<void> push_string(std::string_view text);
  void push_unicode(std::string_view text);

  // The stack.
  std::size_t fence() const { return marks_.empty() ? 0 : marks_.back(); }
  void push(PickleId value) { stack_.push_back(value); }
  base::Result<PickleId> pop();
  base::Result<PickleId> top() const;
  /// Takes the mark away; what is above it is stack_[mark ..].
  base::Result<std::size_t> take_mark();
  base::Result<void> push_tuple(std::size_t count);
  base::Result<void> append_items(std::span<const PickleId> items);
  base::Result<void> set_items(std::span<const PickleId> items);
  base::Result<void> add_items(std::span<const PickleId> items);

  // The memo.
  base::Result<void> put(std::uint64_t index);
  base::Result<void> get(std::uint64_t index);

  /// OrderedDict([[key, value], ...]), as Python 2 pickles it: the pairs become items.
  void expand_pairs(PickleObject& object);

  base::Result<PickleId> make_global(std::string module, std::string name, std::string_view opcode);

  std::string_view whole_;
  std::string_view pickle_;  // up to the end of the pickle that is being read
  std::size_t base_ = 0;     // where it begins
  std::string where_;
  std::string member_;
  std::size_t at_ = 0;
  std::size_t op_at_ = 0;
  PickleHeap heap_;
  std::vector<PickleId> stack_;
  std::vector<std::size_t> marks_;
  std::vector<PickleId> memo_;
  std::unordered_map<std::uint64_t, PickleId> far_memo_;  // indexes that no honest pickle of this size has
  std::uint64_t memo_count_ = 0;
  std::vector<Global> globals_;
  std::unordered_map<std::string, PickleId> global_values_;
  mutable std::uint64_t needed_ = 0;
  std::uint64_t unrolled_ = 0;  // pairs that expand_pairs() copied
  PickleId result_ = 0;
};

template <class T>
base::Result<T> PickleMachine::number() {
  if (!has(sizeof(T))) return ends();
  T value{};
  std::memcpy(&value, pickle_.data() + at_, sizeof(T));
  at_ += sizeof(T);
  return value;
}

}  // namespace nns::checkpoint
