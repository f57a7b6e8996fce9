#include "core/checkpoint/npy_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "core/base/utf8.h"

namespace nns::checkpoint {

namespace {

using tensor::DType;

constexpr std::string_view kNpyMagic = "\x93NUMPY";
/// NumPy reads headers of at most 10,000 bytes unless it is told to trust the file.
constexpr std::uint64_t kMaxHeader = std::uint64_t{1} << 20U;
constexpr std::size_t kMaxNpyRank = 64;
constexpr int kMaxNpyDepth = 16;

struct NumpyCode {
  char kind;
  std::uint64_t size;
  DType dtype;
};
constexpr NumpyCode kCodes[] = {
    {'b', 1, DType::Bool},      {'i', 1, DType::Int8},        {'i', 2, DType::Int16},   {'i', 4, DType::Int32},
    {'i', 8, DType::Int64},     {'u', 1, DType::UInt8},       {'u', 2, DType::UInt16},  {'u', 4, DType::UInt32},
    {'u', 8, DType::UInt64},    {'f', 2, DType::Float16},     {'f', 4, DType::Float32}, {'f', 8, DType::Float64},
    {'c', 8, DType::Complex64}, {'c', 16, DType::Complex128}, {'M', 8, DType::Int64},   {'m', 8, DType::Int64},
};

/// What a descr is.
struct Descr {
  std::uint64_t item_bytes = 0;
  bool has_objects = false;
  bool is_code = false;  // one string
  char order = '|';
  char kind = 0;
};

bool is_npy_digit(char c) { return c >= '0' && c <= '9'; }

/// Reads Python literals, exactly those that NumPy writes.
class Literal {
 public:
  Literal(std::string_view text, std::uint64_t begin, const std::string& where)
      : text_(text), begin_(begin), where_(where) {}

  base::Result<void> header(NpyHeader& header, Descr& descr) {
    constexpr unsigned kDescr = 1;
    constexpr unsigned kOrder = 2;
    constexpr unsigned kShape = 4;
    unsigned seen = 0;
    NNS_TRY(expect('{', "a dict"));
    while (!accept('}')) {
      if (seen != 0) {
        NNS_TRY(expect(',', "',' or '}'"));
        if (accept('}')) break;
      }
      skip_space();
      const std::size_t at = at_;
      NNS_TRY_ASSIGN(const std::string key, string());
      const unsigned bit = key == "descr" ? kDescr : key == "fortran_order" ? kOrder : key == "shape" ? kShape : 0;
      if (bit == 0 || (seen & bit) != 0) {
        return error(at,
                     fmt::format("the key \"{}\" {}", base::escape_invalid_utf8(std::string_view(key).substr(0, 40)),
                                 bit == 0 ? "in the header" : "twice"),
                     "descr, fortran_order and shape, each once");
      }
      seen |= bit;
      NNS_TRY(expect(':', "':'"));
      if (bit == kDescr) {
        skip_space();
        const std::size_t from = at_;
        NNS_TRY_ASSIGN(descr, read_descr(0));
        header.descr = descr.is_code ? code_ : std::string(text_.substr(from, at_ - from));
      } else if (bit == kOrder) {
        NNS_TRY_ASSIGN(header.fortran_order, boolean());
      } else {
        NNS_TRY_ASSIGN(header.shape, sizes());
      }
    }
    if (seen != (kDescr | kOrder | kShape)) {
      const std::string_view missing = (seen & kDescr) == 0   ? "descr"
                                       : (seen & kOrder) == 0 ? "fortran_order"
                                                              : "shape";
      return error(0, fmt::format("the header has no {}", missing), "descr, fortran_order and shape");
    }
    skip_space();
    if (at_ != text_.size()) return error(at_, "the header goes on after its last '}'", "only spaces");
    return {};
  }

  base::Error error(std::size_t at, std::string found, std::string expected) const {
    return {std::move(found), std::move(expected), where_, begin_ + at};
  }

 private:
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
      ++at_;
  }
  char peek() {
    skip_space();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c || at_ == text_.size()) return false;
    ++at_;
    return true;
  }
  base::Result<void> expect(char c, std::string_view expected) {
    if (accept(c)) return {};
    return unexpected(expected);
  }
  base::Error unexpected(std::string_view expected) {
    skip_space();
    if (at_ == text_.size()) return error(at_, "the header ends", std::string(expected));
    const auto c = static_cast<unsigned char>(text_[at_]);
    return error(at_,
                 c >= 0x20 && c < 0x7F ? fmt::format("the header holds '{}'", text_[at_])
                                       : fmt::format("the header holds byte 0x{:02x}", static_cast<unsigned>(c)),
                 std::string(expected));
  }

  base::Result<bool> boolean() {
    skip_space();
    for (const std::string_view word : {std::string_view("True"), std::string_view("False")}) {
      if (text_.substr(at_, word.size()) == word) {
        at_ += word.size();
        return word == "True";
      }
    }
    return unexpected("True or False");
  }

  /// A whole number, perhaps with the L of Python 2.
  base::Result<std::int64_t> integer() {
    skip_space();
    const std::size_t from = at_;
    std::int64_t value = 0;
    while (at_ < text_.size() && is_npy_digit(text_[at_])) {
      if (__builtin_mul_overflow(value, std::int64_t{10}, &value) ||
          __builtin_add_overflow(value, std::int64_t{text_[at_] - '0'}, &value)) {
        return error(from, "a number that needs more than 63 bits", "at most 2^63 - 1");
      }
      ++at_;
    }
    if (at_ == from) return unexpected("a size, which is a number from 0 on");
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;
    return value;
  }

  /// A tuple of sizes.
  base::Result<std::vector<std::int64_t>> sizes() {
    std::vector<std::int64_t> values;
    NNS_TRY(expect('(', "a tuple of sizes"));
    while (!accept(')')) {
      if (!values.empty()) {
        NNS_TRY(expect(',', "',' or ')'"));
        if (accept(')')) break;
      }
      if (values.size() == kMaxNpyRank) return error(at_, "more than 64 dimensions", "at most 64");
      NNS_TRY_ASSIGN(const std::int64_t value, integer());
      values.push_back(value);
    }
    return values;
  }

  /// A string in single or double quotes.
  base::Result<std::string> string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') return unexpected("a string");
    const std::size_t from = at_++;
    std::string value;
    while (at_ < text_.size() && text_[at_] != quote) {
      if (text_[at_] == '\n') return unexpected("the end of a string");
      if (text_[at_] != '\\') {
        value += text_[at_++];
        continue;
      }
      const std::size_t escape_at = at_++;
      const char c = at_ < text_.size() ? text_[at_++] : '\0';
      const std::size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
      constexpr std::string_view kEscapes = R"(\'"ntr)";
      constexpr std::string_view kMeanings = "\\'\"\n\t\r";
      if (digits != 0) {
        char32_t point = 0;
        for (std::size_t i = 0; i < digits; ++i, ++at_) {
          const char digit = at_ < text_.size() ? text_[at_] : '\0';
          const int number = is_npy_digit(digit)            ? digit - '0'
                             : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10
                             : digit >= 'A' && digit <= 'F' ? digit - 'A' + 10
                                                            : -1;
          if (number < 0 || point > 0x10FFFF) return error(escape_at, "a broken escape in a string", "\\xHH, \\uHHHH");
          point = point * 16 + static_cast<char32_t>(number);
        }
        if (point > 0x10FFFF) return error(escape_at, "a broken escape in a string", "at most \\U0010ffff");
        base::append_utf8(point, value);
      } else if (const std::size_t known = kEscapes.find(c); known != std::string_view::npos && c != '\0') {
        value += kMeanings[known];
      } else {
        return error(escape_at, "an unknown escape in a string", "one that Python writes");
      }
    }
    if (at_ == text_.size()) return error(from, "a string without end", "a closing quote");
    ++at_;
    return value;
  }

  base::Result<Descr> read_descr(int depth) {
    const char first = peek();
    const std::size_t at = at_;
    if (depth == kMaxNpyDepth) return error(at, "dtypes in each other, 16 deep", "fewer");
    // 1. A string: one number, text or object.
    if (first == '\'' || first == '"') {
      NNS_TRY_ASSIGN(code_, string());
      return read_code(code_, at);
    }
    // 2. A list of fields: (name, descr) or (name, descr, shape), where name may be (title, name).
    Descr whole;
    if (accept('[')) {
      for (bool is_first = true; !accept(']'); is_first = false) {
        if (!is_first) {
          NNS_TRY(expect(',', "',' or ']'"));
          if (accept(']')) break;
        }
        NNS_TRY(expect('(', "a field, which is a tuple"));
        if (accept('(')) {
          NNS_TRY(string());
          NNS_TRY(expect(',', "','"));
          NNS_TRY(string());
          accept(',');
          NNS_TRY(expect(')', "')'"));
        } else {
          NNS_TRY(string());
        }
        NNS_TRY(expect(',', "','"));
        NNS_TRY_ASSIGN(Descr field, read_descr(depth + 1));
        if (accept(',') && peek() != ')') {
          NNS_TRY(repeat(field, at));
          accept(',');
        }
        NNS_TRY(expect(')', "')'"));
        whole.has_objects = whole.has_objects || field.has_objects;
        if (__builtin_add_overflow(whole.item_bytes, field.item_bytes, &whole.item_bytes)) return too_large(at);
      }
      return whole;
    }
    // 3. A tuple: (descr, shape).
    if (accept('(')) {
      NNS_TRY_ASSIGN(whole, read_descr(depth + 1));
      NNS_TRY(expect(',', "','"));
      NNS_TRY(repeat(whole, at));
      accept(',');
      NNS_TRY(expect(')', "')'"));
      whole.is_code = false;
      return whole;
    }
    return unexpected("a dtype: a string, a list of fields, or a tuple of dtype and shape");
  }

  /// As many items as the shape that follows says.
  base::Result<void> repeat(Descr& item, std::size_t at) {
    std::vector<std::int64_t> shape;
    if (peek() == '(') {
      NNS_TRY_ASSIGN(shape, sizes());
    } else {
      NNS_TRY_ASSIGN(const std::int64_t count, integer());
      shape.push_back(count);
    }
    for (const std::int64_t size : shape) {
      if (__builtin_mul_overflow(item.item_bytes, static_cast<std::uint64_t>(size), &item.item_bytes))
        return too_large(at);
    }
    return {};
  }

  base::Error too_large(std::size_t at) const {
    return error(at, "an item of more bytes than can be counted", "a smaller dtype");
  }

  base::Result<Descr> read_code(std::string_view code, std::size_t at) const {
    const auto refuse = [&] {
      return error(at, fmt::format("unknown dtype \"{}\"", base::escape_invalid_utf8(code.substr(0, 40))),
                   "a byte order (<, >, | or =), one of b i u f c m M S a U V O, and a number of bytes");
    };
    Descr descr;
    descr.is_code = true;
    std::string_view rest = code;
    if (!rest.empty() && std::string_view("<>|=").find(rest.front()) != std::string_view::npos) {
      descr.order = rest.front();
      rest.remove_prefix(1);
    }
    if (rest.empty()) return refuse();
    descr.kind = rest.front();
    rest.remove_prefix(1);
    std::uint64_t number = 0;
    std::size_t digits = 0;
    for (; digits < rest.size() && is_npy_digit(rest[digits]); ++digits) {
      if (digits == 12) return refuse();
      number = number * 10 + static_cast<std::uint64_t>(rest[digits] - '0');
    }
    rest.remove_prefix(digits);
    if (descr.kind == '?' && digits == 0) {
      descr.kind = 'b';
      number = 1;
    } else if (descr.kind == 'O') {
      descr.has_objects = true;
      number = 8;
    } else if (digits == 0 || std::string_view("biufcmMSaUV").find(descr.kind) == std::string_view::npos) {
      return refuse();
    }
    // Only times have more behind the number: their unit.
    const bool has_unit =
        (descr.kind == 'm' || descr.kind == 'M') && rest.size() >= 2 && rest.front() == '[' && rest.back() == ']';
    if (!rest.empty() && !has_unit) return refuse();
    descr.item_bytes = descr.kind == 'U' ? number * 4 : number;
    const bool is_number = std::string_view("biufcmM").find(descr.kind) != std::string_view::npos;
    if (is_number && (number == 0 || number > 32)) return refuse();
    return descr;
  }

  std::string_view text_;
  std::uint64_t begin_;
  const std::string& where_;
  std::size_t at_ = 0;
  std::string code_;  // of the last string that was a dtype
};

}  // namespace

base::Result<NpyHeader> read_npy_header(base::ByteSource& source) {
  const auto error = [&](std::uint64_t at, std::string found, std::string expected) {
    return base::Error{std::move(found), std::move(expected), source.name(), at};
  };
  // 1. The magic, the version, the length of the header.
  std::array<std::byte, 12> bytes{};
  const auto known = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), source.size()));
  NNS_TRY(source.read(0, std::span(bytes).first(known)));
  const std::string_view beginning(reinterpret_cast<const char*>(bytes.data()), known);
  if (beginning.substr(0, kNpyMagic.size()) != kNpyMagic.substr(0, std::min(known, kNpyMagic.size())) || known < 10) {
    return error(0, known < 10 ? fmt::format("the file has {} bytes", source.size()) : "the file begins otherwise",
                 "a .npy file, which begins with \\x93NUMPY, a version and a length");
  }
  const auto major = static_cast<unsigned>(bytes[6]);
  const auto minor = static_cast<unsigned>(bytes[7]);
  if (major < 1 || major > 3 || minor != 0) {
    return error(6, fmt::format("version {}.{} of the .npy format", major, minor), "1.0, 2.0 or 3.0");
  }
  const auto byte = [&](std::size_t at) { return static_cast<std::uint64_t>(bytes[at]); };
  std::uint64_t begin = 10;
  std::uint64_t length = byte(8) | byte(9) << 8U;
  if (major > 1) {
    begin = 12;
    length |= byte(10) << 16U | byte(11) << 24U;
    if (known < 12) return error(8, "the file ends inside the length of its header", "four bytes");
  }
  if (length > kMaxHeader || length > source.size() - begin) {
    return error(8, fmt::format("a header of {} bytes", length),
                 fmt::format("at most {}", std::min(kMaxHeader, source.size() - begin)));
  }
  // 2. The dict.
  std::string text(static_cast<std::size_t>(length), '\0');
  if (length != 0) NNS_TRY(source.read(begin, std::as_writable_bytes(std::span(text))));
  NpyHeader header;
  Descr descr;
  Literal literal(text, begin, source.name());
  NNS_TRY(literal.header(header, descr));
  if (major < 3) {
    // Latin-1 until version 3.
    std::string shown;
    for (const char c : header.descr) base::append_utf8(static_cast<unsigned char>(c), shown);
    if (!descr.is_code) header.descr = std::move(shown);
  }
  if (base::find_invalid_utf8(header.descr)) header.descr = base::escape_invalid_utf8(header.descr);
  header.data_begin = begin + length;

  // 3. What items are.
  header.is_object = descr.has_objects;
  if (descr.is_code) {
    for (const NumpyCode& row : kCodes) {
      if (row.kind != descr.kind || row.size != descr.item_bytes) continue;
      header.dtype = row.dtype;
      header.is_readable = true;
      const std::uint64_t width = tensor::is_complex(row.dtype) ? row.size / 2 : row.size;
      if (descr.order == '>') header.swap_bytes = static_cast<std::uint8_t>(width);
    }
  }

  // 4. The data.
  bool fits = true;
  bool is_empty = false;
  for (const std::int64_t size : header.shape) is_empty = is_empty || size == 0;
  header.numel = is_empty ? 0 : 1;
  for (const std::int64_t size : header.shape) {
    if (is_empty) break;
    fits = fits && !__builtin_mul_overflow(header.numel, static_cast<std::uint64_t>(size), &header.numel);
  }
  const std::uint64_t left = source.size() - header.data_begin;
  if (header.is_object) {
    // How many objects the pickle really holds is not known; their number must fit all the same.
    header.nbytes = left;
    if (!fits || header.numel > INT64_MAX) return error(begin, "a shape of more elements than can be counted", "fewer");
    return header;
  }
  fits = fits && !__builtin_mul_overflow(header.numel, descr.item_bytes, &header.nbytes);
  if (!fits) return error(begin, "a shape of more bytes than can be counted", "a smaller shape");
  if (header.nbytes > left) {
    return error(header.data_begin, fmt::format("the file has {} bytes of data", left),
                 fmt::format("{} for its shape and dtype {}", header.nbytes, header.descr.substr(0, 80)));
  }
  return header;
}

}  // namespace nns::checkpoint
