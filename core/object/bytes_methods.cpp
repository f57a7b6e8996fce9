#include "core/object/builtin_methods.h"
#include "core/object/builtin_operators.h"
#include "core/object/bytes.h"
#include "core/object/numbers.h"
#include "core/object/operations.h"
#include "core/object/text_codec.h"
#include "core/object/text_units.h"

namespace nns::object {
namespace {

using Args = std::span<const Value>;
using Op = BinaryOperator;

std::string_view view_of(const Value& value) { return value.as<Bytes>()->view(); }

// Behaviour: CPython Objects/bytesobject.c, bytes_new_impl.
PyResult<std::string> contents_of(Interpreter& in, Args a, std::string_view cls) {
  const Value &source = a[1], &encoding = a[2], &errors = a[3];
  if (const Str* text = source.as<Str>()) {
    if (encoding.is_absent()) return type_error(in, "string argument without an encoding");
    return encode_text(in, text->view(), encoding, errors);
  }
  if (!encoding.is_absent()) return type_error(in, "encoding without a string argument");
  if (!errors.is_absent()) return type_error(in, "errors without a string argument");
  if (source.is_absent()) return std::string();
  if (const Bytes* bytes = source.as<Bytes>()) return std::string(bytes->view());
  if (own_special(in, source, in.names().dunder_bytes) != nullptr) {
    NNS_TRY_ASSIGN(const Value made, in.call_special(source, in.names().dunder_bytes));
    if (const Bytes* bytes = made.as<Bytes>()) return std::string(bytes->view());
    return type_error(in, "__bytes__ returned non-bytes (type {})", in.type_of(made).name());
  }
  if (is_integer(plain_number(source)) ||
      (!can_iterate(in, source) && own_special(in, source, in.names().dunder_index) != nullptr)) {
    NNS_TRY_ASSIGN(const std::int64_t size, index(in, source));
    if (size < 0) return value_error(in, "negative count");
    if (is_too_much(size, 1)) return make_error(in, ErrorKind::MemoryError, "");
    return std::string(static_cast<std::size_t>(size), '\0');
  }
  if (!can_iterate(in, source))
    return type_error(in, "cannot convert '{}' object to {}", in.type_of(source).name(), cls);
  NNS_TRY_ASSIGN(const std::vector<Value> items, to_vector(in, source));
  std::string bytes;
  for (const Value& item : items) {
    NNS_TRY_ASSIGN(const std::uint8_t byte, to_byte(in, item, cls == "bytes" ? "bytes" : "byte"));
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

PyResult<Value> from_hex(Interpreter& in, Args a) {
  const Str* text = a[1].as<Str>();
  if (text == nullptr)
    return type_error(in, "fromhex() argument must be str or bytes-like, not {}", in.type_of(a[1]).name());
  const auto digit = [](char c) {
    const char low = static_cast<char>(c | 0x20);
    return c >= '0' && c <= '9' ? c - '0' : low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
  };
  const std::string_view all = text->view();
  std::string bytes;
  for (std::size_t at = 0; at < all.size(); ++at) {
    if (std::string_view(" \t\n\r\f\v").find(all[at]) != std::string_view::npos) continue;
    if (digit(all[at]) < 0 || at + 1 >= all.size() || digit(all[at + 1]) < 0) {
      if (digit(all[at]) >= 0 && at + 1 >= all.size()) {
        return value_error(in, "fromhex() arg must contain an even number of hexadecimal digits");
      }
      return value_error(in, "non-hexadecimal number found in fromhex() arg at position {}",
                         digit(all[at]) < 0 ? at : at + 1);
    }
    bytes += static_cast<char>(digit(all[at]) * 16 + digit(all[at + 1]));
    ++at;
  }
  Class& cls = *a[0].as<Class>();
  return Value(make_bytes(cls, std::move(bytes)));
}

bool is_ascii_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_ascii_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_ascii_letter(char c) { return is_ascii_lower(c) || is_ascii_upper(c); }
bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }

// Methods that see bytes as ASCII characters; others are left as they are.
void add_case_methods(Class& cls) {
  const auto mapping = [&cls](std::string_view name, char (*map)(char c, bool in_word)) {
    cls.def(fmt::format("{}(self, /)", name), [map](Interpreter& in, Args a) -> PyResult<Value> {
      std::string out(view_of(a[0]));
      bool in_word = false;
      for (char& c : out) {
        const bool is_letter = is_ascii_letter(c);
        c = map(c, in_word);
        in_word = is_letter;
      }
      return RawBytes::make(in, a[0], out);
    });
  };
  mapping("lower", [](char c, bool) { return is_ascii_upper(c) ? static_cast<char>(c + 32) : c; });
  mapping("upper", [](char c, bool) { return is_ascii_lower(c) ? static_cast<char>(c - 32) : c; });
  mapping("swapcase", [](char c, bool) { return is_ascii_letter(c) ? static_cast<char>(c ^ 0x20) : c; });
  mapping("title", [](char c, bool in_word) {
    return is_ascii_letter(c) ? static_cast<char>(in_word ? c | 0x20 : c & ~0x20) : c;
  });
  cls.def("capitalize(self, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    std::string made(view_of(a[0]));
    for (std::size_t i = 0; i < made.size(); ++i) {
      if (is_ascii_letter(made[i])) made[i] = static_cast<char>(i == 0 ? made[i] & ~0x20 : made[i] | 0x20);
    }
    return RawBytes::make(in, a[0], made);
  });
  cls.def("istitle(self, /)", [](Interpreter&, Args a) -> PyResult<Value> {
    bool in_word = false, any = false;
    for (const char c : view_of(a[0])) {
      if (is_ascii_letter(c) && is_ascii_lower(c) != in_word) return Value(false);
      any = any || is_ascii_letter(c);
      in_word = is_ascii_letter(c);
    }
    return Value(any);
  });
  cls.def("translate(self, table, /, delete=absent)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const Bytes* const table = a[1].as<Bytes>();
    const Bytes* const gone = a[2].as<Bytes>();
    const bool has_table = table != nullptr || a[1].is_none();
    if (!has_table || (gone == nullptr && !a[2].is_absent())) {
      return type_error(in, "a bytes-like object is required, not '{}'", in.type_of(has_table ? a[2] : a[1]).name());
    }
    if (table != nullptr && table->view().size() != 256) {
      return value_error(in, "translation table must be 256 characters long");
    }
    std::string made;
    for (const char c : view_of(a[0])) {
      if (gone != nullptr && gone->view().find(c) != std::string_view::npos) continue;
      made += table == nullptr ? c : table->view()[static_cast<unsigned char>(c)];
    }
    return RawBytes::make(in, a[0], made);
  });
  cls.def_static("maketrans(frm, to, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const Bytes* const from = a[0].as<Bytes>();
    const Bytes* const to = a[1].as<Bytes>();
    if (from == nullptr || to == nullptr) {
      return type_error(in, "a bytes-like object is required, not '{}'",
                        in.type_of(from == nullptr ? a[0] : a[1]).name());
    }
    if (from->view().size() != to->view().size()) {
      return value_error(in, "maketrans arguments must have same length");
    }
    std::string table;
    for (int i = 0; i < 256; ++i) table += static_cast<char>(i);
    for (std::size_t i = 0; i < from->view().size(); ++i) {
      table[static_cast<unsigned char>(from->view()[i])] = to->view()[i];
    }
    return Value(make_bytes(*in.builtins().bytes, std::move(table)));
  });
  const auto test = [&cls](std::string_view name, bool (*holds)(char c)) {
    cls.def(fmt::format("{}(self, /)", name), [holds](Interpreter&, Args a) -> PyResult<Value> {
      const std::string_view bytes = view_of(a[0]);
      return Value(!bytes.empty() && std::all_of(bytes.begin(), bytes.end(), holds));
    });
  };
  test("isalpha", is_ascii_letter);
  test("isdigit", is_ascii_digit);
  test("isalnum", [](char c) { return is_ascii_letter(c) || is_ascii_digit(c); });
  test("isspace", [](char c) { return std::string_view(" \t\n\r\f\v").find(c) != std::string_view::npos; });
  cls.def("isascii(self, /)", [](Interpreter&, Args a) -> PyResult<Value> {
    const std::string_view bytes = view_of(a[0]);
    return Value(std::all_of(bytes.begin(), bytes.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
  });
  cls.def("islower(self, /)", [](Interpreter&, Args a) -> PyResult<Value> {
    const std::string_view bytes = view_of(a[0]);
    return Value(std::any_of(bytes.begin(), bytes.end(), is_ascii_lower) &&
                 std::none_of(bytes.begin(), bytes.end(), is_ascii_upper));
  });
  cls.def("isupper(self, /)", [](Interpreter&, Args a) -> PyResult<Value> {
    const std::string_view bytes = view_of(a[0]);
    return Value(std::any_of(bytes.begin(), bytes.end(), is_ascii_upper) &&
                 std::none_of(bytes.begin(), bytes.end(), is_ascii_lower));
  });
}

// What only a bytearray has: it changes.
void add_array_methods(Class& array) {
  const auto contents = [](Args a) -> std::string& { return a[0].as<Bytes>()->contents(); };
  array.def("append(self, item, /)", [contents](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::uint8_t byte, to_byte(in, a[1], "byte"));
    contents(a) += static_cast<char>(byte);
    return Value();
  });
  const auto extend = [contents](Interpreter& in, Args a) -> PyResult<void> {
    const Value given[] = {a[0], a[1], Value::absent(), Value::absent()};
    if (is_integer(plain_number(a[1]))) return type_error(in, "'{}' object is not iterable", in.type_of(a[1]).name());
    if (a[1].as<Str>() != nullptr) return type_error(in, "expected iterable of integers; got: 'str'");
    NNS_TRY_ASSIGN(const std::string more, contents_of(in, given, "bytearray"));
    contents(a) += more;
    return {};
  };
  array.def("extend(self, iterable_of_ints, /)", [extend](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY(extend(in, a));
    return Value();
  });
  array.def("__iadd__(self, value, /)", [extend](Interpreter& in, Args a) -> PyResult<Value> {
    if (a[1].as<Bytes>() == nullptr) return in.not_implemented();
    NNS_TRY(extend(in, a));
    return a[0];
  });
  array.def("insert(self, index, item, /)", [contents](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(std::int64_t at, index(in, a[1]));
    NNS_TRY_ASSIGN(const std::uint8_t byte, to_byte(in, a[2], "byte"));
    const auto size = static_cast<std::int64_t>(contents(a).size());
    at = std::clamp<std::int64_t>(at < 0 ? at + size : at, 0, size);
    contents(a).insert(static_cast<std::size_t>(at), 1, static_cast<char>(byte));
    return Value();
  });
  array.def("pop(self, index=-1, /)", [contents](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(std::int64_t at, index(in, a[1]));
    const auto size = static_cast<std::int64_t>(contents(a).size());
    if (size == 0) return error<ErrorKind::IndexError>(in, "pop from empty bytearray");
    if (at < 0) at += size;
    if (at < 0 || at >= size) return error<ErrorKind::IndexError>(in, "pop index out of range");
    const auto byte = static_cast<unsigned char>(contents(a)[static_cast<std::size_t>(at)]);
    contents(a).erase(static_cast<std::size_t>(at), 1);
    return Value(byte);
  });
  array.def("remove(self, value, /)", [contents](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::uint8_t byte, to_byte(in, a[1], "byte"));
    const std::size_t found = contents(a).find(static_cast<char>(byte));
    if (found == std::string::npos) return value_error(in, "value not found in bytearray");
    contents(a).erase(found, 1);
    return Value();
  });
  array.def("clear(self, /)", [contents](Interpreter&, Args a) -> PyResult<Value> {
    contents(a).clear();
    return Value();
  });
  array.def("reverse(self, /)", [contents](Interpreter&, Args a) -> PyResult<Value> {
    std::reverse(contents(a).begin(), contents(a).end());
    return Value();
  });
  array.def("copy(self, /)",
            [contents](Interpreter& in, Args a) -> PyResult<Value> { return RawBytes::make(in, a[0], contents(a)); });
}

void add_shared_methods(Class& cls) {
  add_container_methods(cls, &cls == cls.interpreter().builtins().bytes);
  add_operator_methods(cls, {Op::Add, Op::Mul, Op::Mod}, false);
  add_comparison_methods(cls);
  add_bytes_search_methods(cls);
  add_case_methods(cls);
  cls.def("decode(self, /, encoding='utf-8', errors='strict')", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::string text, decode_bytes(in, view_of(a[0]), a[1], a[2]));
    return in.text(text);
  });
  cls.def("hex(self, sep=absent, bytes_per_sep=1)", [](Interpreter& in, Args a) -> PyResult<Value> {
    std::string_view separator;
    if (!a[1].is_absent()) {
      const auto* text = a[1].as<Str>();
      const auto* bytes = a[1].as<Bytes>();
      if (text == nullptr && bytes == nullptr) return type_error(in, "sep must be str or bytes.");
      separator = text != nullptr ? text->view() : bytes->view();
      if (separator.size() != 1) return value_error(in, "sep must be length 1.");
    }
    NNS_TRY_ASSIGN(const std::int64_t group, index(in, a[2]));
    // Groups are counted from the end, those of a negative number from the beginning.
    const auto each = static_cast<std::size_t>(group < 0 ? -group : group);
    const std::string_view given = view_of(a[0]);
    std::string text;
    for (std::size_t i = 0; i < given.size(); ++i) {
      const bool begins = each != 0 && i != 0 && (group < 0 ? i : given.size() - i) % each == 0;
      if (begins) text += separator;
      text += fmt::format("{:02x}", static_cast<unsigned char>(given[i]));
    }
    return in.text(text);
  });
  cls.def_class("fromhex(cls, string, /)", from_hex);
}

}  // namespace

void add_bytes_methods(Interpreter& interpreter) {
  add_codec_error_methods(interpreter);
  Class& bytes = *interpreter.builtins().bytes;
  add_shared_methods(bytes);
  add_item_methods(bytes, false);
  bytes.def_static("__new__(cls, /, source=absent, encoding=absent, errors=absent)",
                   [](Interpreter& in, Args a) -> PyResult<Value> {
                     NNS_TRY_ASSIGN(std::string contents, contents_of(in, a, "bytes"));
                     return Value(make_bytes(*a[0].as<Class>(), std::move(contents)));
                   });
  Class& array = *interpreter.builtins().byte_array;
  add_shared_methods(array);
  add_item_methods(array, true);
  array.def_static("__new__(cls, /, source=absent, encoding=absent, errors=absent)",
                   [](Interpreter& in, Args a) -> PyResult<Value> {
                     NNS_TRY_ASSIGN(std::string contents, contents_of(in, a, "bytearray"));
                     return Value(make_bytes(*a[0].as<Class>(), std::move(contents)));
                   });
  add_array_methods(array);
}

}  // namespace nns::object
