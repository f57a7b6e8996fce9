#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/base/budget.h"
#include "core/base/byte_source.h"
#include "core/checkpoint/pickle_globals.h"
#include "core/checkpoint/pickle_opcodes.h"
#include "core/checkpoint/scan.h"

namespace nns::checkpoint {

/// Bytes of a source near the place that is looked at: the source's own memory if it has one, else a piece of it.
class ScanWindow {
 public:
  explicit ScanWindow(std::shared_ptr<base::ByteSource> source);
  std::uint64_t size() const { return size_; }
  /// At most `count` bytes (at most 64 KiB) from `offset` on; fewer at the end of the file.
  base::Result<std::string_view> at(std::uint64_t offset, std::size_t count);

 private:
  std::shared_ptr<base::ByteSource> source_;
  std::uint64_t size_;
  const char* whole_ = nullptr;
  std::vector<std::byte> piece_;
  std::uint64_t begin_ = 0;
};

/// Follows pickles as an unpickler would, and keeps of all values only what says which globals are named and what is
/// done with them. Laxer than PickleMachine: what Python would take, it takes. Nothing is looked up, nothing is called.
/// Behaviour: Python's Lib/pickle.py and Modules/_pickle.c (opcodes, memo, MARKs), Lib/pickletools.py.
/// Cost: one look at each byte; memory for the stack, the memo and short texts, each with a limit of its own.
class PickleScan {
 public:
  /// What is found is added to `report` under the name `member`, with offsets counted from the source's beginning.
  PickleScan(std::shared_ptr<base::ByteSource> source, std::string member, ScanReport& report);

  enum class State : std::uint8_t { Working, Stopped, Broken };
  /// Stopped at a STOP, Broken where an unpickler would raise. Errors: the source cannot be read.
  base::Result<State> step(const base::Budget& budget);
  /// Functions are ordinary values where the pickle is from: cloudpickle's makers of them are Unknown, as long as
  /// nothing is called that could run what they made.
  void expect_functions() { expects_functions_ = true; }
  /// Goes on with the pickle behind the STOP, or at `offset`.
  void restart(std::uint64_t offset);

  std::uint64_t position() const { return at_; }
  std::uint64_t size() const { return window_.size(); }
  ScanWindow& window() { return window_; }
  /// Why it is Broken.
  const std::string& fault() const { return fault_; }
  /// Where the opcode begins that step() ended with.
  std::uint64_t opcode_position() const { return op_at_; }
  /// Bytes inside the pickle that look like a pickle or an archive themselves, if step() stopped at such: {offset,
  /// size}, size 0 if not. Taking them lets step() go on.
  struct Inner {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
  };
  Inner take_inner() { return std::exchange(inner_, {}); }

 private:
  /// A value: what kind it is in the low bits, an index above them.
  enum Kind : std::uint32_t { kPlain, kText, kTextTuple, kName, kMade, kPersistent, kKinds };
  using Value = std::uint32_t;
  static Kind kind_of(Value value) { return static_cast<Kind>(value % kKinds); }
  static Value make(Kind kind, std::size_t index) { return static_cast<Value>(index) * kKinds + kind; }

  bool run(PickleOp op);
  bool fail(std::string_view why);
  bool read(std::size_t count, std::string_view& bytes);
  template <class T>
  bool number(T& value);
  bool line(std::string_view& text);
  bool skip(std::uint64_t count);
  bool push(Value value);
  bool push_text(std::uint64_t size);
  bool push_bytes(std::uint64_t size);
  bool push_line_text(bool is_quoted);
  bool pop(Value& value);
  bool pop_mark(std::size_t& mark);
  bool replace(std::size_t count, Value value);
  bool put(std::uint64_t index);
  bool get(std::uint64_t index);
  bool name(std::string_view module, std::string_view name, std::string_view opcode);
  bool call(Value callable, std::string_view opcode, Value arguments = make(kPlain, 0));
  Value name_value(std::string key, GlobalRole role, bool& is_new);
  void add(Verdict verdict, std::string name, std::string_view opcode, std::string_view why);
  std::string_view text_of(Value value) const;

  ScanWindow window_;
  std::string member_;
  ScanReport& report_;
  base::Result<void> problem_;
  std::string fault_;
  std::uint64_t at_ = 0;
  std::uint64_t op_at_ = 0;
  Inner inner_;
  std::string long_line_;
  std::vector<Value> stack_;
  std::vector<std::size_t> marks_;
  std::vector<Value> memo_;
  std::unordered_map<std::uint64_t, Value> far_memo_;
  std::uint64_t memo_count_ = 0;
  std::string texts_;
  std::vector<std::uint32_t> text_begins_;
  std::unordered_map<std::string, Value> names_;
  std::vector<GlobalRole> roles_;  // by the index of the name
  bool expects_functions_ = false;
  bool makes_functions_ = false;
  bool calls_others_ = false;
  std::unordered_set<std::string> told_;
};

}  // namespace nns::checkpoint
