#include "core/checkpoint/scan_pickle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/base/utf8.h"
#include "core/checkpoint/pickle_globals.h"

namespace nns::checkpoint {

namespace {

constexpr int kScannedOpcodesPerLook = 4096;
constexpr std::size_t kScannedPiece = 256U << 10U;
constexpr std::size_t kMostScannedAtOnce = 64U << 10U;
/// Texts up to this length are kept: what is longer is no name that a pickler would write. Units: bytes.
constexpr std::size_t kLongestName = 512;
constexpr std::size_t kMostTexts = 256U << 20U;
constexpr std::size_t kMostValues = 16U << 20U;
constexpr std::size_t kMostMarks = 4U << 20U;
constexpr std::uint64_t kMostMemo = 64U << 20U;
constexpr std::size_t kMostFarMemo = 1U << 20U;
/// How far an index may be ahead of the count of entries and still lie in the array.
constexpr std::uint64_t kMemoSlack = 4096;
constexpr std::uint32_t kNoValue = UINT32_MAX;
constexpr std::uint64_t kSmallestInner = 16;

}  // namespace

ScanWindow::ScanWindow(std::shared_ptr<base::ByteSource> source) : source_(std::move(source)), size_(source_->size()) {
  if (const auto view = source_->view(0, size_)) whole_ = reinterpret_cast<const char*>(view->data());
}

base::Result<std::string_view> ScanWindow::at(std::uint64_t offset, std::size_t count) {
  if (offset >= size_) return std::string_view();
  count = static_cast<std::size_t>(std::min<std::uint64_t>({count, size_ - offset, kMostScannedAtOnce}));
  if (whole_ != nullptr) return std::string_view(whole_ + offset, count);
  if (offset < begin_ || offset - begin_ > piece_.size() || piece_.size() - (offset - begin_) < count) {
    piece_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kScannedPiece, size_ - offset)));
    begin_ = offset;
    if (auto got = source_->read(offset, piece_); !got.ok()) {
      piece_.clear();
      return std::move(got).error();
    }
  }
  return std::string_view(reinterpret_cast<const char*>(piece_.data()) + (offset - begin_), count);
}

PickleScan::PickleScan(std::shared_ptr<base::ByteSource> source, std::string member, ScanReport& report)
    : window_(std::move(source)), member_(std::move(member)), report_(report) {}

void PickleScan::restart(std::uint64_t offset) {
  at_ = offset;
  stack_.clear();
  marks_.clear();
  memo_.clear();
  far_memo_.clear();
  memo_count_ = 0;
  texts_.clear();
  text_begins_.clear();
  fault_.clear();
  makes_functions_ = calls_others_ = false;
}

base::Result<PickleScan::State> PickleScan::step(const base::Budget& budget) {
  for (int since_look = 0;; ++since_look) {
    if (since_look == kScannedOpcodesPerLook) {
      if (budget.spent()) return State::Working;
      since_look = 0;
    }
    op_at_ = at_;
    std::string_view byte;
    const bool has_opcode = read(1, byte);
    if (has_opcode && byte[0] == static_cast<char>(PickleOp::Stop)) {
      Value result = 0;
      if (pop(result)) return State::Stopped;
    } else if (has_opcode && run(static_cast<PickleOp>(static_cast<unsigned char>(byte[0])))) {
      if (inner_.size != 0) return State::Working;
      continue;
    }
    if (!problem_.ok()) return problem_.error();
    return State::Broken;
  }
}

bool PickleScan::fail(std::string_view why) {
  if (fault_.empty()) fault_ = why;
  return false;
}

bool PickleScan::read(std::size_t count, std::string_view& bytes) {
  auto got = window_.at(at_, count);
  if (!got.ok()) {
    problem_ = std::move(got).error();
    return false;
  }
  bytes = *got;
  if (bytes.size() < count) return fail("the pickle ends without STOP");
  at_ += count;
  return true;
}

template <class T>
bool PickleScan::number(T& value) {
  std::string_view bytes;
  if (!read(sizeof(T), bytes)) return false;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return true;
}

bool PickleScan::skip(std::uint64_t count) {
  if (count > window_.size() - at_) return fail("the pickle ends inside a value");
  at_ += count;
  return true;
}

/// The text up to the newline, which is taken, too; of a line beyond 64 KiB its beginning.
bool PickleScan::line(std::string_view& text) {
  for (bool is_long = false;; is_long = true) {
    auto got = window_.at(at_, kMostScannedAtOnce);
    if (!got.ok()) {
      problem_ = std::move(got).error();
      return false;
    }
    if (got->empty()) return fail("the pickle ends inside a line");
    const std::size_t end = got->find('\n');
    if (!is_long) text = *got;
    if (end == std::string_view::npos) {
      if (!is_long) long_line_ = got->substr(0, kLongestName + 1);
      at_ += got->size();
      continue;
    }
    at_ += end + 1;
    text = is_long ? std::string_view(long_line_) : got->substr(0, end);
    return true;
  }
}

bool PickleScan::push(Value value) {
  if (stack_.size() == kMostValues) {
    add(Verdict::Dangerous, {}, {}, "more values at once than a scan follows");
    return fail("too many values on the stack");
  }
  stack_.push_back(value);
  return true;
}

bool PickleScan::push_text(std::uint64_t size) {
  if (size > kLongestName || texts_.size() + size > kMostTexts) return skip(size) && push(make(kMade, 0));
  std::string_view bytes;
  if (!read(static_cast<std::size_t>(size), bytes)) return false;
  text_begins_.push_back(static_cast<std::uint32_t>(texts_.size()));
  texts_ += bytes;
  return push(make(kText, text_begins_.size() - 1));
}

/// A text in a line, spelled with escapes; quoted in protocol 0's strings. What has escapes counts as computed.
bool PickleScan::push_line_text(bool is_quoted) {
  std::string_view text;
  if (!line(text)) return false;
  if (is_quoted) {
    if (text.size() < 2 || text.front() != text.back()) return fail("a string without its quotes");
    text = text.substr(1, text.size() - 2);
  }
  if (text.size() > kLongestName || texts_.size() + text.size() > kMostTexts ||
      text.find('\\') != std::string_view::npos) {
    return push(make(kMade, 0));
  }
  text_begins_.push_back(static_cast<std::uint32_t>(texts_.size()));
  texts_ += text;
  return push(make(kText, text_begins_.size() - 1));
}

bool PickleScan::push_bytes(std::uint64_t size) {
  const std::uint64_t begin = at_;
  if (size >= kSmallestInner && size <= window_.size() - at_) {
    auto got = window_.at(at_, 4);
    if (got.ok() && got->size() == 4) {
      const std::string_view head = *got;
      const bool is_pickle = head[0] == '\x80' && head[1] >= 2 && head[1] <= 5;
      if (is_pickle || head == "PK\x03\x04" || head == "\x93NUM" || head.substr(0, 2) == "\x1f\x8b")
        inner_ = {begin, size};
    }
  }
  return skip(size) && push(make(kPlain, 0));
}

std::string_view PickleScan::text_of(Value value) const {
  const std::size_t index = value / kKinds;
  const std::size_t end = index + 1 < text_begins_.size() ? text_begins_[index + 1] : texts_.size();
  return std::string_view(texts_).substr(text_begins_[index], end - text_begins_[index]);
}

bool PickleScan::pop(Value& value) {
  if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) return fail("an opcode needs a value that is not there");
  value = stack_.back();
  stack_.pop_back();
  return true;
}

bool PickleScan::pop_mark(std::size_t& mark) {
  if (marks_.empty()) return fail("an opcode needs a MARK that is not there");
  mark = marks_.back();
  marks_.pop_back();
  return true;
}

/// `value` in place of the last `count`.
bool PickleScan::replace(std::size_t count, Value value) {
  if (stack_.size() - (marks_.empty() ? 0 : marks_.back()) < count)
    return fail("an opcode needs a value that is not there");
  stack_.resize(stack_.size() - count);
  return push(value);
}

bool PickleScan::put(std::uint64_t index) {
  if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) return fail("an opcode needs a value that is not there");
  bool is_new = false;
  if (index <= 2 * memo_count_ + kMemoSlack) {
    if (index >= memo_.size()) memo_.resize(static_cast<std::size_t>(index) + 1, kNoValue);
    // An index that lay too far ahead before is known by the other table.
    const bool was_far = far_memo_.erase(index) != 0;
    is_new = memo_[static_cast<std::size_t>(index)] == kNoValue && !was_far;
    memo_[static_cast<std::size_t>(index)] = stack_.back();
  } else {
    is_new = far_memo_.insert_or_assign(index, stack_.back()).second;
  }
  if (is_new) ++memo_count_;
  if (memo_count_ > kMostMemo || far_memo_.size() > kMostFarMemo) {
    add(Verdict::Dangerous, {}, "PUT", "a memo as no pickler writes it");
    return fail("a memo as no pickler writes it");
  }
  return true;
}

bool PickleScan::get(std::uint64_t index) {
  if (index < memo_.size() && memo_[static_cast<std::size_t>(index)] != kNoValue)
    return push(memo_[static_cast<std::size_t>(index)]);
  const auto found = far_memo_.find(index);
  return found == far_memo_.end() ? fail("a memo entry that does not exist") : push(found->second);
}

void PickleScan::add(Verdict verdict, std::string name, std::string_view opcode, std::string_view why) {
  if (name.empty() && !told_.emplace(why).second) return;
  report_.add({verdict, std::move(name), std::string(opcode), member_, op_at_, std::string(why)});
}

bool PickleScan::name(std::string_view module, std::string_view name, std::string_view opcode) {
  if (module.size() > kLongestName || name.size() > kLongestName) {
    add(Verdict::Dangerous, {}, opcode, "a global with a name longer than any that is honest");
    return push(make(kMade, 0));
  }
  // Dots may be in both halves: "a.b" + "c" and "a" + "b.c" are told apart.
  bool is_new = false;
  const GlobalRole role = expects_functions_ ? role_of(module, name) : GlobalRole::Ordinary;
  const Value value = name_value(fmt::format("{}\n{}", module, name), role, is_new);
  if (is_new) {
    Judgement judgement = judge(module, name);
    if (role != GlobalRole::Ordinary)
      judgement = {Verdict::Unknown, "makes a function of code in the pickle, for the loading program to call"};
    add(judgement.verdict, base::escape_invalid_utf8(fmt::format("{}.{}", module, name)), opcode, judgement.why);
    if (report_.findings.size() > ScanReport::kMostFindings) return fail("more findings than a scan lists");
  }
  return push(value);
}

PickleScan::Value PickleScan::name_value(std::string key, GlobalRole role, bool& is_new) {
  const auto [place, was_added] = names_.emplace(std::move(key), make(kName, names_.size()));
  if (was_added) roles_.push_back(role);
  is_new = was_added;
  return place->second;
}

/// A call or an instance of `callable`, whose arguments are gone from the stack already. Old torch files put a class
/// and its source text into a persistent id and call that: the class was named as a global before.
bool PickleScan::call(Value callable, std::string_view opcode, Value arguments) {
  // A function that is only made runs when the loading program calls it. Beside calls of others it may run at once.
  const GlobalRole role = kind_of(callable) == kName ? roles_[callable / kKinds] : GlobalRole::Ordinary;
  (role == GlobalRole::Ordinary ? calls_others_ : makes_functions_) = true;
  if (calls_others_ && makes_functions_)
    add(Verdict::Dangerous, {}, opcode, "makes functions of code that it holds, and calls what could run them");
  if (role == GlobalRole::BuiltinType && kind_of(arguments) == kTextTuple && text_of(arguments) == "CodeType") {
    bool is_new = false;
    return push(name_value("\nCodeType", GlobalRole::FunctionMaker, is_new));
  }
  if (role == GlobalRole::BuiltinType)
    add(Verdict::Dangerous, {}, opcode, "reaches a type other than that of code through its name");
  if (kind_of(callable) == kMade) {
    add(Verdict::Dangerous, {}, opcode, "calls what the pickle itself computed, not a global");
  } else if (kind_of(callable) != kName && kind_of(callable) != kPersistent) {
    return fail("a plain value is called");
  }
  return push(make(kMade, 0));
}

bool PickleScan::run(PickleOp op) {
  std::uint8_t u8 = 0;
  std::uint32_t u32 = 0;
  std::uint64_t u64 = 0;
  std::string_view text;
  std::size_t mark = 0;
  Value value = 0;
  Value other = 0;
  const auto decimal = [&](std::uint64_t& index) {
    if (!line(text)) return false;
    const bool is_plain = !text.empty() && text.size() < 19 &&
                          std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!is_plain) {
      add(Verdict::Dangerous, {}, "PUT", "a memo index spelled as no pickler does");
      return fail("a memo index spelled as no pickler does");
    }
    for (const char c : text) index = index * 10 + static_cast<std::uint64_t>(c - '0');
    return true;
  };
  // A change of what is below the values just taken; a global as such is never filled by a pickler.
  const auto change = [&](std::string_view opcode) {
    if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) return fail("an opcode needs a value that is not there");
    if (kind_of(stack_.back()) == kName)
      add(Verdict::Dangerous, {}, opcode, "changes a global itself, not an object made of it");
    return true;
  };
  switch (op) {
    case PickleOp::Mark:
      if (marks_.size() == kMostMarks) {
        add(Verdict::Dangerous, {}, {}, "more values at once than a scan follows");
        return fail("too many MARKs");
      }
      marks_.push_back(stack_.size());
      return true;
    case PickleOp::Pop:
      if (!marks_.empty() && stack_.size() == marks_.back()) {
        marks_.pop_back();
        return true;
      }
      return pop(value);
    case PickleOp::PopMark:
      if (!pop_mark(mark)) return false;
      stack_.resize(mark);
      return true;
    case PickleOp::Dup:
      return pop(value) && push(value) && push(value);
    case PickleOp::None:
    case PickleOp::NewTrue:
    case PickleOp::NewFalse:
    case PickleOp::EmptyTuple:
    case PickleOp::EmptyDict:
    case PickleOp::EmptyList:
    case PickleOp::EmptySet:
    case PickleOp::NextBuffer:
      return push(make(kPlain, 0));
    case PickleOp::ReadOnlyBuffer:
      return pop(value) && push(value);
    case PickleOp::Proto:
      if (!number(u8)) return false;
      return u8 <= 5 || fail("a protocol above 5");
    case PickleOp::Frame:
      return skip(8);
    case PickleOp::Int:
    case PickleOp::Long:
    case PickleOp::Float:
      return line(text) && push(make(kPlain, 0));
    case PickleOp::BinInt1:
      return skip(1) && push(make(kPlain, 0));
    case PickleOp::BinInt2:
      return skip(2) && push(make(kPlain, 0));
    case PickleOp::BinInt:
      return skip(4) && push(make(kPlain, 0));
    case PickleOp::BinFloat:
      return skip(8) && push(make(kPlain, 0));
    case PickleOp::Long1:
      return number(u8) && skip(u8) && push(make(kPlain, 0));
    case PickleOp::Long4:
      return number(u32) && skip(u32) && push(make(kPlain, 0));
    case PickleOp::String:
      return push_line_text(true);
    case PickleOp::Unicode:
      return push_line_text(false);
    case PickleOp::ShortBinString:
    case PickleOp::ShortBinUnicode:
      return number(u8) && push_text(u8);
    case PickleOp::BinString:
      if (!number(u32)) return false;
      return u32 > kLongestName ? push_bytes(u32) : push_text(u32);
    case PickleOp::BinUnicode:
      return number(u32) && push_text(u32);
    case PickleOp::BinUnicode8:
      return number(u64) && push_text(u64);
    case PickleOp::ShortBinBytes:
      return number(u8) && push_bytes(u8);
    case PickleOp::BinBytes:
      return number(u32) && push_bytes(u32);
    case PickleOp::BinBytes8:
    case PickleOp::ByteArray8:
      return number(u64) && push_bytes(u64);
    case PickleOp::Put:
      return decimal(u64) && put(u64);
    case PickleOp::BinPut:
      return number(u8) && put(u8);
    case PickleOp::LongBinPut:
      return number(u32) && put(u32);
    case PickleOp::Memoize:
      return put(memo_count_);
    case PickleOp::Get:
      return decimal(u64) && get(u64);
    case PickleOp::BinGet:
      return number(u8) && get(u8);
    case PickleOp::LongBinGet:
      return number(u32) && get(u32);
    case PickleOp::Tuple1:
      value = stack_.empty() ? make(kPlain, 0) : stack_.back();
      return replace(1, kind_of(value) == kText ? make(kTextTuple, value / kKinds) : make(kPlain, 0));
    case PickleOp::Tuple2:
      return replace(2, make(kPlain, 0));
    case PickleOp::Tuple3:
      return replace(3, make(kPlain, 0));
    case PickleOp::Tuple:
    case PickleOp::List:
    case PickleOp::Dict:
    case PickleOp::FrozenSet:
      if (!pop_mark(mark)) return false;
      stack_.resize(mark);
      return push(make(kPlain, 0));
    case PickleOp::Append:
      return pop(value) && change("APPEND");
    case PickleOp::SetItem:
      return pop(value) && pop(other) && change("SETITEM");
    case PickleOp::Appends:
    case PickleOp::SetItems:
    case PickleOp::AddItems:
      if (!pop_mark(mark)) return false;
      stack_.resize(mark);
      return change(op == PickleOp::SetItems ? "SETITEMS" : "APPENDS");
    case PickleOp::Build:
      return pop(value) && change("BUILD");
    case PickleOp::PersId:
      return line(text) && push(make(kPersistent, 0));
    case PickleOp::BinPersId:
      return replace(1, make(kPersistent, 0));
    case PickleOp::Global:
    case PickleOp::Inst: {
      if (!line(text)) return false;
      const std::string module(text.substr(0, kLongestName + 1));
      if (!line(text) || !name(module, text, op == PickleOp::Global ? "GLOBAL" : "INST")) return false;
      if (op == PickleOp::Global) return true;
      if (!pop(value) || !pop_mark(mark)) return false;
      stack_.resize(mark);
      return call(value, "INST");
    }
    case PickleOp::StackGlobal: {
      if (!pop(value) || !pop(other)) return false;
      if (kind_of(value) == kText && kind_of(other) == kText) {
        return name(std::string(text_of(other)), std::string(text_of(value)), "STACK_GLOBAL");
      }
      if (kind_of(value) != kMade && kind_of(other) != kMade) return fail("a global whose names are no strings");
      add(Verdict::Dangerous, {}, "STACK_GLOBAL", "names a global that the pickle itself computes");
      return push(make(kMade, 0));
    }
    case PickleOp::Reduce:
      return pop(value) && pop(other) && call(other, "REDUCE", value);
    case PickleOp::NewObj:
      return pop(value) && pop(other) && call(other, "NEWOBJ");
    case PickleOp::NewObjEx:
      return pop(value) && pop(value) && pop(other) && call(other, "NEWOBJ_EX");
    case PickleOp::Obj:
      if (!pop_mark(mark)) return false;
      if (stack_.size() == mark) return fail("no class above the MARK");
      value = stack_[mark];
      stack_.resize(mark);
      return call(value, "OBJ");
    case PickleOp::Ext1:
    case PickleOp::Ext2:
    case PickleOp::Ext4:
      if (!skip(op == PickleOp::Ext1 ? 1 : op == PickleOp::Ext2 ? 2 : 4)) return false;
      add(Verdict::Dangerous, {}, "EXT", "names a global by a number that only the loading program can resolve");
      return push(make(kMade, 0));
    default:
      return fail(fmt::format("byte 0x{:02x} is no pickle opcode", static_cast<unsigned>(op)));
  }
}

}  // namespace nns::checkpoint
