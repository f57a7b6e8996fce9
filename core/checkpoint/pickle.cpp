#include "core/checkpoint/pickle.h"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "core/base/utf8.h"
#include "core/checkpoint/pickle_globals.h"

namespace nns::checkpoint {

namespace {

constexpr int kOpcodesPerLook = 4096;
constexpr std::size_t kMaxGlobals = 100'000;

}  // namespace

PickleMachine::PickleMachine(std::string_view pickle, std::string where, std::string member)
    : whole_(pickle), pickle_(pickle), where_(std::move(where)), member_(std::move(member)), heap_(pickle) {}

base::Error PickleMachine::error(std::string found, std::string expected) const {
  return {std::move(found), std::move(expected), where_, op_at_ - base_};
}

base::Error PickleMachine::unknown_opcode(PickleOp op) const {
  return error(fmt::format("byte 0x{:02x} is no pickle opcode", static_cast<unsigned>(op)),
               "an opcode of protocols 0 to 5");
}

base::Error PickleMachine::ends() const {
  need(pickle_.size() - at_ + 1);
  return error(fmt::format("the pickle ends inside an opcode; {} bytes are left", pickle_.size() - at_),
               "a STOP opcode");
}

void PickleMachine::restart() {
  stack_.clear();
  marks_.clear();
  memo_.clear();
  far_memo_.clear();
  memo_count_ = 0;
}

void PickleMachine::restart(std::size_t begin, std::size_t end, std::string where, std::string member) {
  restart();
  pickle_ = whole_.substr(0, end);
  base_ = at_ = begin;
  where_ = std::move(where);
  member_ = std::move(member);
}

base::Result<bool> PickleMachine::step(const base::Budget& budget) {
  for (int since_look = 0;; ++since_look) {
    if (since_look == kOpcodesPerLook) {
      if (budget.spent()) return false;
      since_look = 0;
    }
    op_at_ = at_;
    if (at_ == pickle_.size()) {
      need(1);
      return error("the pickle ends", "a STOP opcode");
    }
    const auto op = static_cast<PickleOp>(static_cast<unsigned char>(pickle_[at_++]));
    if (run_usual(op)) continue;
    NNS_TRY_ASSIGN(const bool stopped, run(op));
    if (stopped) return true;
  }
}

/// The opcodes that most of a checkpoint consists of, where nothing is wrong with them: true if it was one. False, with
/// nothing taken, for everything else; run() then does the same or says what is wrong.
bool PickleMachine::run_usual(PickleOp op) {
  const auto* const at = reinterpret_cast<const unsigned char*>(pickle_.data()) + at_;
  const std::size_t left = pickle_.size() - at_;
  const std::size_t depth = stack_.size() - fence();
  const auto u32 = [&] {
    std::uint32_t value = 0;
    std::memcpy(&value, at, sizeof value);
    return value;
  };
  const auto put_known = [&](std::size_t index, std::size_t argument) {
    if (depth == 0 || index > memo_.size() || index >= pickle_.size()) return false;
    if (index == memo_.size()) {
      memo_.push_back(stack_.back());
      ++memo_count_;
    } else if (memo_[index] != kNone) {
      memo_[index] = stack_.back();
    } else {
      return false;
    }
    at_ += argument;
    return true;
  };
  const auto get_known = [&](std::size_t index, std::size_t argument) {
    if (index >= memo_.size() || memo_[index] == kNone) return false;
    stack_.push_back(memo_[index]);
    at_ += argument;
    return true;
  };
  const auto text = [&](std::size_t size, std::size_t argument) {
    if (left - argument < size) return false;
    const std::string_view bytes = pickle_.substr(at_ + argument, size);
    if (base::find_invalid_utf8(bytes)) return false;
    push(heap_.make_text(PickleKind::Text, static_cast<std::uint32_t>(at_ + argument),
                         static_cast<std::uint32_t>(size)));
    at_ += argument + size;
    return true;
  };
  const auto tuple = [&](std::size_t count) {
    if (depth < count) return false;
    const PickleId made = heap_.make_container(PickleKind::Tuple, std::span(stack_).last(count));
    stack_.resize(stack_.size() - count);
    push(made);
    return true;
  };
  switch (op) {
    case PickleOp::BinPut:
      return left >= 1 && put_known(*at, 1);
    case PickleOp::LongBinPut:
      return left >= 4 && put_known(u32(), 4);
    case PickleOp::BinGet:
      return left >= 1 && get_known(*at, 1);
    case PickleOp::LongBinGet:
      return left >= 4 && get_known(u32(), 4);
    case PickleOp::Mark:
      marks_.push_back(stack_.size());
      return true;
    case PickleOp::BinInt1:
      if (left < 1) return false;
      push(heap_.make_int(*at));
      at_ += 1;
      return true;
    case PickleOp::BinUnicode:
      return left >= 4 && text(u32(), 4);
    case PickleOp::ShortBinUnicode:
      return left >= 1 && text(*at, 1);
    case PickleOp::NewFalse:
      push(PickleHeap::kFalse);
      return true;
    case PickleOp::EmptyTuple:
      push(PickleHeap::kEmptyTuple);
      return true;
    case PickleOp::Tuple1:
      return tuple(1);
    case PickleOp::Tuple2:
      return tuple(2);
    case PickleOp::Tuple3:
      return tuple(3);
    case PickleOp::Tuple:
      if (marks_.empty()) return false;
      marks_.pop_back();
      return tuple(depth);  // all that was above the MARK
    case PickleOp::Reduce: {
      if (depth < 2 || heap_.kind(stack_.back()) != PickleKind::Tuple) return false;
      PickleObject object;
      object.offset = static_cast<std::uint32_t>(op_at_);
      object.args = stack_.back();
      object.callable = stack_[stack_.size() - 2];
      object.is_call = true;
      expand_pairs(object);
      stack_.pop_back();
      stack_.back() = heap_.make_object(object);
      return true;
    }
    case PickleOp::BinPersId:
      if (depth == 0) return false;
      stack_.back() = heap_.make_persistent(stack_.back());
      return true;
    default:
      return false;
  }
}

// All opcodes but those of run_text, run_stack and run_object.
base::Result<bool> PickleMachine::run(PickleOp op) {
  switch (op) {
    case PickleOp::Stop: {
      NNS_TRY_ASSIGN(result_, pop());
      return true;
    }
    case PickleOp::Mark:
      marks_.push_back(stack_.size());
      return false;
    case PickleOp::None:
      push(PickleHeap::kNoneValue);
      return false;
    case PickleOp::NewTrue:
      push(PickleHeap::kTrue);
      return false;
    case PickleOp::NewFalse:
      push(PickleHeap::kFalse);
      return false;
    case PickleOp::BinInt1: {
      NNS_TRY_ASSIGN(const auto value, number<std::uint8_t>());
      push(heap_.make_int(value));
      return false;
    }
    case PickleOp::BinInt2: {
      NNS_TRY_ASSIGN(const auto value, number<std::uint16_t>());
      push(heap_.make_int(value));
      return false;
    }
    case PickleOp::BinInt: {
      NNS_TRY_ASSIGN(const auto value, number<std::int32_t>());
      push(heap_.make_int(value));
      return false;
    }
    case PickleOp::BinFloat: {
      NNS_TRY_ASSIGN(auto bits, number<std::uint64_t>());
      bits = __builtin_bswap64(bits);
      double value = 0;
      std::memcpy(&value, &bits, sizeof value);
      push(heap_.make_float(value));
      return false;
    }
    case PickleOp::BinUnicode: {
      NNS_TRY_ASSIGN(const auto size, number<std::uint32_t>());
      NNS_TRY(push_text(PickleKind::Text, size));
      return false;
    }
    case PickleOp::ShortBinUnicode: {
      NNS_TRY_ASSIGN(const auto size, number<std::uint8_t>());
      NNS_TRY(push_text(PickleKind::Text, size));
      return false;
    }
    case PickleOp::BinGet: {
      NNS_TRY_ASSIGN(const auto index, number<std::uint8_t>());
      NNS_TRY(get(index));
      return false;
    }
    case PickleOp::LongBinGet: {
      NNS_TRY_ASSIGN(const auto index, number<std::uint32_t>());
      NNS_TRY(get(index));
      return false;
    }
    case PickleOp::BinPut: {
      NNS_TRY_ASSIGN(const auto index, number<std::uint8_t>());
      NNS_TRY(put(index));
      return false;
    }
    case PickleOp::LongBinPut: {
      NNS_TRY_ASSIGN(const auto index, number<std::uint32_t>());
      NNS_TRY(put(index));
      return false;
    }
    case PickleOp::Memoize:
      NNS_TRY(put(memo_count_));
      return false;
    case PickleOp::EmptyTuple:
      push(PickleHeap::kEmptyTuple);
      return false;
    case PickleOp::Tuple1:
      NNS_TRY(push_tuple(1));
      return false;
    case PickleOp::Tuple2:
      NNS_TRY(push_tuple(2));
      return false;
    case PickleOp::Tuple3:
      NNS_TRY(push_tuple(3));
      return false;
    case PickleOp::Tuple: {
      NNS_TRY_ASSIGN(const std::size_t mark, take_mark());
      NNS_TRY(push_tuple(stack_.size() - mark));
      return false;
    }
    case PickleOp::EmptyDict:
      push(heap_.make_container(PickleKind::Dict, {}));
      return false;
    case PickleOp::EmptyList:
      push(heap_.make_container(PickleKind::List, {}));
      return false;
    case PickleOp::EmptySet:
      push(heap_.make_container(PickleKind::Set, {}));
      return false;
    case PickleOp::Reduce:
    case PickleOp::Build:
    case PickleOp::BinPersId:
    case PickleOp::PersId:
    case PickleOp::Global:
    case PickleOp::StackGlobal:
    case PickleOp::Inst:
    case PickleOp::Obj:
    case PickleOp::NewObj:
    case PickleOp::NewObjEx:
    case PickleOp::Ext1:
    case PickleOp::Ext2:
    case PickleOp::Ext4:
      NNS_TRY(run_object(op));
      return false;
    case PickleOp::Pop:
    case PickleOp::PopMark:
    case PickleOp::Dup:
    case PickleOp::Append:
    case PickleOp::Appends:
    case PickleOp::SetItem:
    case PickleOp::SetItems:
    case PickleOp::AddItems:
    case PickleOp::List:
    case PickleOp::Dict:
    case PickleOp::FrozenSet:
      NNS_TRY(run_stack(op));
      return false;
    default:
      NNS_TRY(run_text(op));
      return false;
  }
}

base::Result<PickleId> PickleMachine::pop() {
  if (stack_.size() <= fence()) return error("the stack is empty", "a value for this opcode");
  const PickleId value = stack_.back();
  stack_.pop_back();
  return value;
}

base::Result<PickleId> PickleMachine::top() const {
  if (stack_.size() <= fence()) return error("the stack is empty", "a value for this opcode");
  return stack_.back();
}

base::Result<std::size_t> PickleMachine::take_mark() {
  if (marks_.empty()) return error("no MARK on the stack", "one for this opcode");
  const std::size_t mark = marks_.back();
  marks_.pop_back();
  return mark;
}

base::Result<void> PickleMachine::push_tuple(std::size_t count) {
  if (stack_.size() - fence() < count)
    return error("too few values on the stack", fmt::format("{} for this tuple", count));
  const std::span<const PickleId> items = std::span(stack_).last(count);
  const PickleId tuple = heap_.make_container(PickleKind::Tuple, items);
  stack_.resize(stack_.size() - count);
  push(tuple);
  return {};
}

base::Result<void> PickleMachine::put(std::uint64_t index) {
  NNS_TRY_ASSIGN(const PickleId value, top());
  bool is_new = false;
  if (index < pickle_.size()) {
    if (index >= memo_.size()) memo_.resize(static_cast<std::size_t>(index) + 1, kNone);
    is_new = memo_[static_cast<std::size_t>(index)] == kNone;
    memo_[static_cast<std::size_t>(index)] = value;
  } else {
    is_new = far_memo_.insert_or_assign(index, value).second;
  }
  if (is_new) ++memo_count_;
  return {};
}

base::Result<void> PickleMachine::get(std::uint64_t index) {
  PickleId value = kNone;
  if (index < memo_.size()) {
    value = memo_[static_cast<std::size_t>(index)];
  } else if (const auto found = far_memo_.find(index); found != far_memo_.end()) {
    value = found->second;
  }
  if (value == kNone) return error(fmt::format("memo entry {} does not exist", index), "an entry that was put before");
  push(value);
  return {};
}

base::Result<void> PickleMachine::run_stack(PickleOp op) {
  switch (op) {
    case PickleOp::Pop:
      if (!marks_.empty() && stack_.size() == marks_.back()) {
        marks_.pop_back();
        return {};
      }
      NNS_TRY(pop());
      return {};
    case PickleOp::Dup: {
      NNS_TRY_ASSIGN(const PickleId value, top());
      push(value);
      return {};
    }
    case PickleOp::Append: {
      NNS_TRY_ASSIGN(const PickleId item, pop());
      return append_items({&item, 1});
    }
    case PickleOp::SetItem: {
      NNS_TRY_ASSIGN(const PickleId value, pop());
      NNS_TRY_ASSIGN(const PickleId key, pop());
      const PickleId pair[] = {key, value};
      return set_items(pair);
    }
    default:
      break;
  }
  // The others take what is above a MARK.
  NNS_TRY_ASSIGN(const std::size_t mark, take_mark());
  const std::vector<PickleId> items(stack_.begin() + static_cast<std::ptrdiff_t>(mark), stack_.end());
  stack_.resize(mark);
  switch (op) {
    case PickleOp::PopMark:
      return {};
    case PickleOp::Appends:
      return append_items(items);
    case PickleOp::SetItems:
      return set_items(items);
    case PickleOp::AddItems:
      return add_items(items);
    case PickleOp::List:
      push(heap_.make_container(PickleKind::List, items));
      return {};
    case PickleOp::FrozenSet:
      push(heap_.make_container(PickleKind::FrozenSet, items));
      return {};
    default: {
      push(heap_.make_container(PickleKind::Dict, {}));
      return set_items(items);
    }
  }
}

base::Result<void> PickleMachine::append_items(std::span<const PickleId> items) {
  NNS_TRY_ASSIGN(const PickleId target, top());
  if (heap_.kind(target) == PickleKind::List) {
    heap_.append_to(target, items);
  } else if (heap_.kind(target) == PickleKind::Object) {
    heap_.append(heap_.object(target).appended, items);
  } else {
    return error("an item is appended to something else", "a list or an object");
  }
  return {};
}

base::Result<void> PickleMachine::set_items(std::span<const PickleId> items) {
  if (items.size() % 2 != 0) return error("a key without value", "pairs of key and value");
  NNS_TRY_ASSIGN(const PickleId target, top());
  if (heap_.kind(target) == PickleKind::Dict) {
    heap_.append_to(target, items);
  } else if (heap_.kind(target) == PickleKind::Object) {
    heap_.append(heap_.object(target).items, items);
  } else {
    return error("an item is set on something else", "a dict or an object");
  }
  return {};
}

base::Result<void> PickleMachine::add_items(std::span<const PickleId> items) {
  NNS_TRY_ASSIGN(const PickleId target, top());
  if (heap_.kind(target) == PickleKind::Set) {
    heap_.append_to(target, items);
  } else if (heap_.kind(target) == PickleKind::Object) {
    heap_.append(heap_.object(target).appended, items);
  } else {
    return error("items are added to something else", "a set or an object");
  }
  return {};
}

base::Result<PickleId> PickleMachine::make_global(std::string module, std::string name, std::string_view opcode) {
  std::string whole = fmt::format("{}.{}", module, name);
  // Dots may be in both halves: "a.b" + "c" and "a" + "b.c" are told apart by the key.
  std::string key = fmt::format("{}\n{}", module, name);
  if (const auto known = global_values_.find(key); known != global_values_.end()) return known->second;
  if (globals_.size() == kMaxGlobals) return error(fmt::format("more than {} globals", kMaxGlobals), "fewer");
  Global global;
  global.name = std::move(whole);
  global.member = member_;
  global.opcode = opcode;
  global.offset = op_at_ - base_;
  global.verdict = judge_global(module, name);
  globals_.push_back(std::move(global));
  const PickleId value =
      heap_.make_name(std::move(module), std::move(name), static_cast<std::uint32_t>(globals_.size() - 1));
  global_values_.emplace(std::move(key), value);
  return value;
}

void PickleMachine::expand_pairs(PickleObject& object) {
  if (heap_.kind(object.callable) != PickleKind::Global || heap_.chain(object.args).count != 1) return;
  const PickleName& name = heap_.name(object.callable);
  if (name.module != "collections" || name.name != "OrderedDict") return;
  PickleId list = kNone;
  heap_.first_items(object.args, {&list, 1});
  // One list may be named by many calls: then the copies are no longer paid for by bytes of the pickle.
  const std::uint32_t count = heap_.chain(list).count;
  if (heap_.kind(list) != PickleKind::List || unrolled_ + count > pickle_.size()) return;
  unrolled_ += count;
  std::vector<PickleId> items;
  bool all_pairs = true;
  heap_.each(heap_.chain(list), [&](PickleId pair) {
    std::array<PickleId, 2> both{};
    const PickleKind kind = heap_.kind(pair);
    all_pairs = (kind == PickleKind::List || kind == PickleKind::Tuple) && heap_.chain(pair).count == 2 &&
                heap_.first_items(pair, both) == 2;
    items.insert(items.end(), both.begin(), both.end());
    return all_pairs;
  });
  if (!all_pairs) return;
  heap_.append(object.items, items);
  object.args = PickleHeap::kEmptyTuple;
}

base::Result<void> PickleMachine::run_object(PickleOp op) {
  PickleObject object;
  object.offset = static_cast<std::uint32_t>(op_at_);
  switch (op) {
    case PickleOp::Reduce:
    case PickleOp::NewObj: {
      NNS_TRY_ASSIGN(object.args, pop());
      NNS_TRY_ASSIGN(object.callable, pop());
      if (heap_.kind(object.args) != PickleKind::Tuple) return error("arguments that are no tuple", "a tuple");
      object.is_call = op == PickleOp::Reduce;
      if (object.is_call) expand_pairs(object);
      push(heap_.make_object(object));
      return {};
    }
    case PickleOp::NewObjEx: {
      NNS_TRY_ASSIGN(object.kwargs, pop());
      NNS_TRY_ASSIGN(object.args, pop());
      NNS_TRY_ASSIGN(object.callable, pop());
      if (heap_.kind(object.args) != PickleKind::Tuple) return error("arguments that are no tuple", "a tuple");
      push(heap_.make_object(object));
      return {};
    }
    case PickleOp::Build: {
      NNS_TRY_ASSIGN(const PickleId state, pop());
      NNS_TRY_ASSIGN(const PickleId target, top());
      const PickleKind kind = heap_.kind(target);
      if (kind == PickleKind::Object) {
        heap_.object(target).state = state;
      } else if (kind != PickleKind::Global && kind != PickleKind::Persistent) {
        return error("a state is set on a plain value", "an object");
      }
      return {};
    }
    case PickleOp::PersId: {
      NNS_TRY_ASSIGN(const std::string_view text, utf8_line());
      push_unicode(text);
      NNS_TRY_ASSIGN(const PickleId id, pop());
      push(heap_.make_persistent(id));
      return {};
    }
    case PickleOp::BinPersId: {
      NNS_TRY_ASSIGN(const PickleId id, pop());
      push(heap_.make_persistent(id));
      return {};
    }
    case PickleOp::Global: {
      NNS_TRY_ASSIGN(const std::string_view module, utf8_line());
      NNS_TRY_ASSIGN(const std::string_view name, utf8_line());
      NNS_TRY_ASSIGN(const PickleId value, make_global(std::string(module), std::string(name), "GLOBAL"));
      push(value);
      return {};
    }
    case PickleOp::StackGlobal: {
      NNS_TRY_ASSIGN(const PickleId name, pop());
      NNS_TRY_ASSIGN(const PickleId module, pop());
      if (!heap_.is_text(name) || !heap_.is_text(module))
        return error("a global whose names are no strings", "two strings");
      NNS_TRY_ASSIGN(const PickleId value,
                     make_global(std::string(heap_.text(module)), std::string(heap_.text(name)), "STACK_GLOBAL"));
      push(value);
      return {};
    }
    case PickleOp::Inst: {
      NNS_TRY_ASSIGN(const std::string_view module, utf8_line());
      NNS_TRY_ASSIGN(const std::string_view name, utf8_line());
      NNS_TRY_ASSIGN(object.callable, make_global(std::string(module), std::string(name), "INST"));
      NNS_TRY_ASSIGN(const std::size_t mark, take_mark());
      NNS_TRY(push_tuple(stack_.size() - mark));
      NNS_TRY_ASSIGN(object.args, pop());
      push(heap_.make_object(object));
      return {};
    }
    case PickleOp::Obj: {
      NNS_TRY_ASSIGN(const std::size_t mark, take_mark());
      if (stack_.size() == mark) return error("no class above the MARK", "a class, then its arguments");
      NNS_TRY(push_tuple(stack_.size() - mark - 1));
      NNS_TRY_ASSIGN(object.args, pop());
      NNS_TRY_ASSIGN(object.callable, pop());
      push(heap_.make_object(object));
      return {};
    }
    default: {
      std::uint64_t code = 0;
      std::string_view opcode = "EXT1";
      if (op == PickleOp::Ext1) {
        NNS_TRY_ASSIGN(code, number<std::uint8_t>());
      } else if (op == PickleOp::Ext2) {
        NNS_TRY_ASSIGN(code, number<std::uint16_t>());
        opcode = "EXT2";
      } else {
        NNS_TRY_ASSIGN(code, number<std::uint32_t>());
        opcode = "EXT4";
      }
      NNS_TRY_ASSIGN(const PickleId value, make_global("copyreg.extension", fmt::format("{}", code), opcode));
      push(value);
      return {};
    }
  }
}

}  // namespace nns::checkpoint
