// find, split, strip, replace, center and their kin, once for str and once for bytes.
#include "core/object/builtin_operators.h"
#include "core/object/numbers.h"
#include "core/object/text_units.h"

namespace nns::object {
namespace {

using Args = std::span<const Value>;

// "find() argument 1 must be str, not int"; "a bytes-like object is required, not 'str'".
template <class U>
PyError wrong_argument(Interpreter& in, std::string_view method, int place, const Value& given) {
  if constexpr (std::is_same_v<U, RawBytes>) {
    return type_error(in, "a bytes-like object is required, not '{}'", in.type_of(given).name());
  } else {
    if (method == "partition" || method == "rpartition")
      return type_error(in, "must be str, not {}", in.type_of(given).name());
    if (method == "split" || method == "rsplit")
      return type_error(in, "must be str or None, not {}", in.type_of(given).name());
    const std::string_view shown = method == "removeprefix" || method == "removesuffix" ? "" : place == 1 ? " 1" : " 2";
    return type_error(in, "{}() argument{} must be str, not {}", method, shown, in.type_of(given).name());
  }
}

// The part of the text between two indices of a method, and how many units come before it.
struct Window {
  std::string_view part;
  std::size_t first = 0;
  bool is_possible = true;
};

template <class U>
PyResult<Window> window_of(Interpreter& in, std::string_view text, const Value& start, const Value& stop) {
  if (start.is_none() && stop.is_none()) return Window{text, 0, true};
  const auto size = static_cast<std::int64_t>(U::length(text));
  const auto bound = [&in, size](const Value& value, std::int64_t otherwise) -> PyResult<std::int64_t> {
    if (value.is_none()) return otherwise;
    if (!is_integer(plain_number(value)) && own_special(in, value, in.names().dunder_index) == nullptr) {
      return type_error(in, "slice indices must be integers or None or have an __index__ method");
    }
    NNS_TRY_ASSIGN(const Value whole, index_value(in, value));
    if (!whole.is_int()) return integer_sign(whole) < 0 ? std::int64_t{0} : size + 1;
    const std::int64_t at = whole.as_int();
    return at < 0 ? std::max<std::int64_t>(at + size, 0) : at;
  };
  NNS_TRY_ASSIGN(const std::int64_t from, bound(start, 0));
  NNS_TRY_ASSIGN(const std::int64_t to, bound(stop, size));
  if (from > size || to < from) return Window{{}, 0, false};
  const std::size_t begin = U::offset(text, static_cast<std::size_t>(from));
  const std::size_t end = U::offset(text, static_cast<std::size_t>(std::min(to, size)));
  return Window{text.substr(begin, end - begin), static_cast<std::size_t>(from), true};
}

// What is looked for: a text, of bytes also one byte as a number.
template <class U>
PyResult<std::string> wanted_of(Interpreter& in, std::string_view method, const Value& value) {
  if (U::is_text(value)) return std::string(U::view_of(value));
  if constexpr (std::is_same_v<U, RawBytes>) {
    if (!is_integer(plain_number(value)) && own_special(in, value, in.names().dunder_index) == nullptr) {
      return type_error(in, "argument should be integer or bytes-like object, not '{}'", in.type_of(value).name());
    }
    NNS_TRY_ASSIGN(const std::uint8_t byte, to_byte(in, value, "byte"));
    return std::string(1, static_cast<char>(byte));
  }
  return wrong_argument<U>(in, method, 1, value);
}

template <class U>
PyResult<std::int64_t> place_of(Interpreter& in, Args a, std::string_view method, bool last) {
  NNS_TRY_ASSIGN(const std::string wanted, wanted_of<U>(in, method, a[1]));
  NNS_TRY_ASSIGN(const Window window, window_of<U>(in, U::view_of(a[0]), a[2], a[3]));
  if (!window.is_possible) return -1;
  const std::size_t found = last ? window.part.rfind(wanted) : window.part.find(wanted);
  if (found == std::string_view::npos) return -1;
  return static_cast<std::int64_t>(window.first + U::index(window.part, found));
}

template <class U>
PyResult<Value> count(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const std::string wanted, wanted_of<U>(in, "count", a[1]));
  NNS_TRY_ASSIGN(const Window window, window_of<U>(in, U::view_of(a[0]), a[2], a[3]));
  if (!window.is_possible) return Value(0);
  if (wanted.empty()) return Value(U::length(window.part) + 1);
  std::int64_t times = 0;
  for (std::size_t at = 0; (at = window.part.find(wanted, at)) != std::string_view::npos; at += wanted.size()) ++times;
  return Value(times);
}

// startswith and endswith take one text or a tuple of them.
template <class U>
PyResult<Value> begins(Interpreter& in, Args a, std::string_view method, bool at_end) {
  const Tuple* several = a[1].as<Tuple>();
  if (several == nullptr && !U::is_text(a[1])) {
    return type_error(in, "{} first arg must be {} or a tuple of {}, not {}", method, U::kKind, U::kKind,
                      in.type_of(a[1]).name());
  }
  NNS_TRY_ASSIGN(const Window window, window_of<U>(in, U::view_of(a[0]), a[2], a[3]));
  for (const Value& one : several != nullptr ? several->items() : std::span<const Value>(&a[1], 1)) {
    if (!U::is_text(one)) {
      if constexpr (std::is_same_v<U, RawBytes>) return wrong_argument<U>(in, method, 1, one);
      return type_error(in, "tuple for {} must only contain str, not {}", method, in.type_of(one).name());
    }
    const std::string_view wanted = U::view_of(one);
    if (window.is_possible && (at_end ? window.part.ends_with(wanted) : window.part.starts_with(wanted)))
      return Value(true);
  }
  return Value(false);
}

// Cuts at white space, at most `limit` times; -1: as often as there is some.
template <class U>
std::vector<std::string_view> split_space(std::string_view text, std::int64_t limit, bool from_right) {
  std::vector<std::string_view> parts;
  if (!from_right) {
    std::size_t at = 0;
    while (true) {
      while (at < text.size() && U::is_space_at(text, at)) at += U::size_at(text, at);
      if (at >= text.size()) return parts;
      if (limit == 0) break;
      const std::size_t begin = at;
      while (at < text.size() && !U::is_space_at(text, at)) at += U::size_at(text, at);
      parts.push_back(text.substr(begin, at - begin));
      --limit;
    }
    // Python keeps what stands behind the last part, white space too, when it counts from the left.
    parts.push_back(text.substr(at));
    return parts;
  }
  std::size_t end = text.size();
  while (true) {
    while (end > 0 && U::is_space_at(text, U::before(text, end))) end = U::before(text, end);
    if (end == 0) break;
    if (limit == 0) {
      parts.push_back(text.substr(0, end));
      break;
    }
    const std::size_t stop = end;
    while (end > 0 && !U::is_space_at(text, U::before(text, end))) end = U::before(text, end);
    parts.push_back(text.substr(end, stop - end));
    --limit;
  }
  std::reverse(parts.begin(), parts.end());
  return parts;
}

std::vector<std::string_view> split_at(std::string_view text, std::string_view separator, std::int64_t limit,
                                       bool from_right) {
  std::vector<std::string_view> parts;
  if (!from_right) {
    std::size_t at = 0;
    for (std::size_t found; limit != 0 && (found = text.find(separator, at)) != std::string_view::npos; --limit) {
      parts.push_back(text.substr(at, found - at));
      at = found + separator.size();
    }
    parts.push_back(text.substr(at));
    return parts;
  }
  for (std::size_t found; limit != 0 && (found = text.rfind(separator)) != std::string_view::npos; --limit) {
    parts.push_back(text.substr(found + separator.size()));
    text = text.substr(0, found);
  }
  parts.push_back(text);
  std::reverse(parts.begin(), parts.end());
  return parts;
}

template <class U>
Value list_of(Interpreter& in, const Value& like, const std::vector<std::string_view>& parts) {
  std::vector<Value> items;
  items.reserve(parts.size());
  for (const std::string_view part : parts) items.push_back(U::make(in, like, part));
  return in.list(std::move(items));
}

template <class U>
PyResult<Value> split(Interpreter& in, Args a, bool from_right) {
  NNS_TRY_ASSIGN(const std::int64_t limit, index(in, a[2]));
  const std::string_view text = U::view_of(a[0]);
  if (a[1].is_none()) return list_of<U>(in, a[0], split_space<U>(text, limit, from_right));
  if (!U::is_text(a[1])) return wrong_argument<U>(in, "split", 1, a[1]);
  if (U::view_of(a[1]).empty()) return value_error(in, "empty separator");
  return list_of<U>(in, a[0], split_at(text, U::view_of(a[1]), limit, from_right));
}

template <class U>
PyResult<Value> split_lines(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const bool keep, truth(in, a[1]));
  const std::string_view text = U::view_of(a[0]);
  std::vector<std::string_view> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    while (at < text.size() && !U::is_line_end_at(text, at)) at += U::size_at(text, at);
    const std::size_t end = at;
    if (at < text.size()) at += text.substr(at).starts_with("\r\n") ? 2 : U::size_at(text, at);
    lines.push_back(text.substr(begin, (keep ? at : end) - begin));
  }
  return list_of<U>(in, a[0], lines);
}

template <class U>
PyResult<Value> partition(Interpreter& in, Args a, bool last) {
  if (!U::is_text(a[1])) return wrong_argument<U>(in, "partition", 1, a[1]);
  const std::string_view text = U::view_of(a[0]), mark = U::view_of(a[1]);
  if (mark.empty()) return value_error(in, "empty separator");
  const std::size_t found = last ? text.rfind(mark) : text.find(mark);
  const auto made = [&in, &a](std::string_view part) { return U::make(in, a[0], part); };
  if (found == std::string_view::npos) {
    return last ? Value(in.tuple({made(""), made(""), made(text)})) : Value(in.tuple({made(text), made(""), made("")}));
  }
  return Value(in.tuple({made(text.substr(0, found)), made(mark), made(text.substr(found + mark.size()))}));
}

template <class U>
PyResult<Value> strip(Interpreter& in, Args a, std::string_view method, bool left, bool right) {
  std::string_view text = U::view_of(a[0]), set;
  if (!a[1].is_none()) {
    if (!U::is_text(a[1])) {
      if constexpr (std::is_same_v<U, RawBytes>) return wrong_argument<U>(in, method, 1, a[1]);
      return type_error(in, "{} arg must be None or str", method);
    }
    set = U::view_of(a[1]);
  }
  const auto goes = [&](std::size_t at) {
    if (a[1].is_none()) return U::is_space_at(text, at);
    return set.find(text.substr(at, U::size_at(text, at))) != std::string_view::npos;
  };
  while (left && !text.empty() && goes(0)) text.remove_prefix(U::size_at(text, 0));
  while (right && !text.empty() && goes(U::before(text, text.size())))
    text = text.substr(0, U::before(text, text.size()));
  if (text.size() == U::view_of(a[0]).size() && is_exact(a[0]) && std::is_same_v<U, CodePoints>) return a[0];
  return U::make(in, a[0], text);
}

template <class U>
PyResult<Value> replace(Interpreter& in, Args a) {
  for (const int place : {1, 2}) {
    const Value& given = a[static_cast<std::size_t>(place)];
    if (!U::is_text(given)) return wrong_argument<U>(in, "replace", place, given);
  }
  NNS_TRY_ASSIGN(std::int64_t limit, index(in, a[3]));
  const std::string_view text = U::view_of(a[0]), old = U::view_of(a[1]), fresh = U::view_of(a[2]);
  std::string out;
  std::size_t at = 0;
  if (old.empty()) {
    // Before every unit, and at the end.
    for (; limit != 0; --limit) {
      out += fresh;
      if (at >= text.size()) return U::make(in, a[0], out);
      const std::size_t size = U::size_at(text, at);
      out += text.substr(at, size);
      at += size;
    }
    return U::make(in, a[0], out.append(text.substr(at)));
  }
  for (std::size_t found; limit != 0 && (found = text.find(old, at)) != std::string_view::npos; --limit) {
    out += text.substr(at, found - at);
    out += fresh;
    at = found + old.size();
  }
  return U::make(in, a[0], out.append(text.substr(at)));
}

template <class U>
PyResult<Value> remove_affix(Interpreter& in, Args a, std::string_view method, bool at_end) {
  if (!U::is_text(a[1])) return wrong_argument<U>(in, method, 1, a[1]);
  std::string_view text = U::view_of(a[0]);
  const std::string_view affix = U::view_of(a[1]);
  if (at_end ? text.ends_with(affix) : text.starts_with(affix)) {
    text = text.substr(at_end ? 0 : affix.size(), text.size() - affix.size());
  }
  return U::make(in, a[0], text);
}

enum class Side : std::uint8_t { Left, Right, Center };

template <class U>
PyResult<Value> justify(Interpreter& in, Args a, std::string_view method, Side side) {
  NNS_TRY_ASSIGN(const std::int64_t width, index(in, a[1]));
  if constexpr (std::is_same_v<U, RawBytes>) {
    if (!U::is_text(a[2]) || U::length(U::view_of(a[2])) != 1) {
      return type_error(in, "{}() argument 2 must be a byte string of length 1, not {}", method,
                        in.type_of(a[2]).name());
    }
  } else {
    if (!U::is_text(a[2]))
      return type_error(in, "The fill character must be a unicode character, not {}", in.type_of(a[2]).name());
    if (U::length(U::view_of(a[2])) != 1)
      return type_error(in, "The fill character must be exactly one character long");
  }
  const std::string_view text = U::view_of(a[0]), fill = U::view_of(a[2]);
  const auto size = static_cast<std::int64_t>(U::length(text));
  if (width <= size) return U::make(in, a[0], text);
  if (is_too_much(width, fill.size())) return make_error(in, ErrorKind::MemoryError, "");
  const std::int64_t missing = width - size;
  // Of an odd number the larger part stands left where the width is odd too.
  const std::int64_t left = side == Side::Left    ? 0
                            : side == Side::Right ? missing
                                                  : missing / 2 + (missing & width & 1);
  std::string out;
  for (std::int64_t i = 0; i < left; ++i) out += fill;
  out += text;
  for (std::int64_t i = left; i < missing; ++i) out += fill;
  return U::make(in, a[0], out);
}

template <class U>
PyResult<Value> zero_fill(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const std::int64_t width, index(in, a[1]));
  const std::string_view text = U::view_of(a[0]);
  const auto size = static_cast<std::int64_t>(U::length(text));
  if (width <= size) return U::make(in, a[0], text);
  if (is_too_much(width, 1)) return make_error(in, ErrorKind::MemoryError, "");
  const bool has_sign = text.starts_with('-') || text.starts_with('+');
  std::string out(text.substr(0, has_sign ? 1 : 0));
  out.append(static_cast<std::size_t>(width - size), '0');
  return U::make(in, a[0], out.append(text.substr(has_sign ? 1 : 0)));
}

template <class U>
PyResult<Value> expand_tabs(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const std::int64_t size, index(in, a[1]));
  if (size > 1'000'000) return error<ErrorKind::OverflowError>(in, "new string is too long");
  const std::string_view text = U::view_of(a[0]);
  std::string out;
  std::int64_t column = 0;
  for (std::size_t at = 0; at < text.size(); at += U::size_at(text, at)) {
    if (text[at] == '\t') {
      const std::int64_t missing = size > 0 ? size - column % size : 0;
      out.append(static_cast<std::size_t>(missing), ' ');
      column += missing;
      continue;
    }
    out += text.substr(at, U::size_at(text, at));
    column = text[at] == '\n' || text[at] == '\r' ? 0 : column + 1;
  }
  return U::make(in, a[0], out);
}

// Bytes, and those that an object with __buffer__ (PEP 688) shows; whatever else as it is.
PyResult<Value> bytes_shown(Interpreter& in, const Value& value) {
  const Name shows = in.intern("__buffer__");
  if (value.as<Bytes>() != nullptr || own_special(in, value, shows) == nullptr) return value;
  NNS_TRY_ASSIGN(const Value buffer, in.call_special(value, shows, {Value(std::int64_t{0})}));
  return in.call_special(buffer, in.names().dunder_bytes);
}

template <class U>
PyResult<Value> join(Interpreter& in, Args a) {
  if (!can_iterate(in, a[1])) {
    return type_error(in, "can only join an iterable");
  }
  NNS_TRY_ASSIGN(std::vector<Value> items, to_vector(in, a[1]));
  std::string out;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if constexpr (std::is_same_v<U, RawBytes>) {
      NNS_TRY_ASSIGN(items[i], bytes_shown(in, items[i]));
    }
    if (!U::is_text(items[i])) {
      return type_error(in, "sequence item {}: expected {}, {} found", i,
                        std::is_same_v<U, RawBytes> ? "a bytes-like object" : "str instance",
                        in.type_of(items[i]).name());
    }
    if (i > 0) out += U::view_of(a[0]);
    out += U::view_of(items[i]);
  }
  return U::make(in, a[0], out);
}

template <class U>
void add_finding(Class& cls) {
  cls.def("find(self, sub, start=None, end=None, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::int64_t at, place_of<U>(in, a, "find", false));
    return Value(at);
  });
  cls.def("rfind(self, sub, start=None, end=None, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::int64_t at, place_of<U>(in, a, "rfind", true));
    return Value(at);
  });
  cls.def("index(self, sub, start=None, end=None, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::int64_t at, place_of<U>(in, a, "index", false));
    return at < 0 ? PyResult<Value>(value_error(in, "{} not found", U::kPart)) : Value(at);
  });
  cls.def("rindex(self, sub, start=None, end=None, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::int64_t at, place_of<U>(in, a, "rindex", true));
    return at < 0 ? PyResult<Value>(value_error(in, "{} not found", U::kPart)) : Value(at);
  });
  cls.def("count(self, sub, start=None, end=None, /)", count<U>);
  cls.def("startswith(self, prefix, start=None, end=None, /)",
          [](Interpreter& in, Args a) { return begins<U>(in, a, "startswith", false); });
  cls.def("endswith(self, suffix, start=None, end=None, /)",
          [](Interpreter& in, Args a) { return begins<U>(in, a, "endswith", true); });
}

template <class U>
void add_methods(Class& cls) {
  add_finding<U>(cls);
  cls.def("split(self, /, sep=None, maxsplit=-1)", [](Interpreter& in, Args a) { return split<U>(in, a, false); });
  cls.def("rsplit(self, /, sep=None, maxsplit=-1)", [](Interpreter& in, Args a) { return split<U>(in, a, true); });
  cls.def("splitlines(self, /, keepends=False)", split_lines<U>);
  cls.def("partition(self, sep, /)", [](Interpreter& in, Args a) { return partition<U>(in, a, false); });
  cls.def("rpartition(self, sep, /)", [](Interpreter& in, Args a) { return partition<U>(in, a, true); });
  cls.def("strip(self, chars=None, /)", [](Interpreter& in, Args a) { return strip<U>(in, a, "strip", true, true); });
  cls.def("lstrip(self, chars=None, /)",
          [](Interpreter& in, Args a) { return strip<U>(in, a, "lstrip", true, false); });
  cls.def("rstrip(self, chars=None, /)",
          [](Interpreter& in, Args a) { return strip<U>(in, a, "rstrip", false, true); });
  cls.def("replace(self, old, new, /, count=-1)", replace<U>);
  cls.def("removeprefix(self, prefix, /)",
          [](Interpreter& in, Args a) { return remove_affix<U>(in, a, "removeprefix", false); });
  cls.def("removesuffix(self, suffix, /)",
          [](Interpreter& in, Args a) { return remove_affix<U>(in, a, "removesuffix", true); });
  const auto padding = [&cls](std::string_view name, Side side) {
    cls.def(fmt::format("{}(self, width, fillchar=absent, /)", name),
            [name = std::string(name), side](Interpreter& in, Args a) -> PyResult<Value> {
              const Value space = std::is_same_v<U, CodePoints> ? in.text(" ") : Value(make_bytes(in, " "));
              const Value given[] = {a[0], a[1], a[2].is_absent() ? space : a[2]};
              return justify<U>(in, given, name, side);
            });
  };
  padding("ljust", Side::Left);
  padding("rjust", Side::Right);
  padding("center", Side::Center);
  cls.def("zfill(self, width, /)", zero_fill<U>);
  cls.def("expandtabs(self, /, tabsize=8)", expand_tabs<U>);
  cls.def("join(self, iterable, /)", join<U>);
}

}  // namespace

void add_text_search_methods(Class& str) { add_methods<CodePoints>(str); }
void add_bytes_search_methods(Class& bytes) { add_methods<RawBytes>(bytes); }

}  // namespace nns::object
