// What module zlib stands on: RFC 1950 to 1952, and the bytes of floating-point numbers that module struct packs.
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/base/bits.h"
#include "core/object/bytes.h"
#include "core/object/numbers.h"
#include "core/object/operations.h"
#include "core/python/stdlib/stdlib.h"

namespace nns::python {
namespace {

using Args = std::span<const Value>;

// So much is written between two looks at the memory that the program may hold.
constexpr std::size_t kUnpackStep = 256U << 10U;
// zlib counts in unsigned int.
constexpr std::size_t kMostAtOnce = 1U << 30U;

// A stream that is being unpacked: it keeps what it has not read yet.
class Inflater final : public object::Object {
 public:
  explicit Inflater(Class& cls) : Object(cls) {}
  ~Inflater() override {
    if (is_open) inflateEnd(&stream);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  z_stream stream{};
  bool is_open = false;
  bool has_ended = false;
  int bits = 0;
  std::string dictionary;
};

PyResult<std::string_view> bytes_of(Interpreter& in, const Value& value) {
  const auto* bytes = value.as<object::Bytes>();
  if (bytes == nullptr) {
    return object::type_error(in, "a bytes-like object is required, not '{}'", in.type_of(value).name());
  }
  return bytes->view();
}

// zlib does not write there, and says so nowhere.
Bytef* input(std::string_view bytes) { return reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data())); }

PyResult<Value> checksum(Interpreter& in, Args a, uLong (*update)(uLong, const Bytef*, uInt)) {
  NNS_TRY_ASSIGN(std::string_view bytes, bytes_of(in, a[0]));
  NNS_TRY_ASSIGN(const std::int64_t start, object::index(in, a[1]));
  auto sum = static_cast<uLong>(static_cast<std::uint64_t>(start) & 0xFFFFFFFFU);
  while (!bytes.empty()) {
    const std::string_view part = bytes.substr(0, kMostAtOnce);
    sum = update(sum, input(part), static_cast<uInt>(part.size()));
    bytes.remove_prefix(part.size());
  }
  return Value(static_cast<std::int64_t>(sum & 0xFFFFFFFFU));
}

PyResult<Value> zlib_error(Interpreter& in, const z_stream& stream, int code, std::string_view doing) {
  // Behaviour: CPython Modules/zlibmodule.c, zlib_error(): which words follow the number.
  std::string_view why = stream.msg == nullptr ? std::string_view() : std::string_view(stream.msg);
  if (code == Z_BUF_ERROR) why = "incomplete or truncated stream";
  if (code == Z_STREAM_ERROR) why = "inconsistent stream state";
  if (code == Z_DATA_ERROR && stream.msg == nullptr) why = "invalid input data";
  return object::value_error(in, "Error {} {}{}{}", code, doing, why.empty() ? "" : ": ", why);
}

// CRC-32C, of the reversed polynomial 0x82F63B78, which TensorBoard's files have.
PyResult<Value> crc32c(Interpreter& in, Args a) {
  static const auto kTable = [] {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t crc = i;
      for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0x82F63B78U : 0U);
      table[i] = crc;
    }
    return table;
  }();
  NNS_TRY_ASSIGN(const std::string_view bytes, bytes_of(in, a[0]));
  std::uint32_t crc = 0xFFFFFFFFU;
  for (const char c : bytes) crc = kTable[(crc ^ static_cast<unsigned char>(c)) & 0xFFU] ^ (crc >> 8U);
  return Value(static_cast<std::int64_t>(crc ^ 0xFFFFFFFFU));
}

// deflate(data, level, wbits, memlevel, strategy, dictionary): the whole of it.
PyResult<Value> deflate_all(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(std::string_view bytes, bytes_of(in, a[0]));
  int settings[4] = {};
  for (std::size_t i = 0; i < 4; ++i) {
    NNS_TRY_ASSIGN(const std::int64_t setting, object::index(in, a[i + 1]));
    if (setting < -100 || setting > 100) return object::value_error(in, "Invalid initialization option");
    settings[i] = static_cast<int>(setting);
  }
  z_stream stream{};
  if (deflateInit2(&stream, settings[0], Z_DEFLATED, settings[1], settings[2], settings[3]) != Z_OK) {
    return object::value_error(in, "Invalid initialization option");
  }
  const std::unique_ptr<z_stream, int (*)(z_stream*)> closed(&stream, [](z_stream* of) { return deflateEnd(of); });
  if (!a[5].is_none()) {
    NNS_TRY_ASSIGN(const std::string_view dictionary, bytes_of(in, a[5]));
    if (deflateSetDictionary(&stream, input(dictionary), static_cast<uInt>(dictionary.size())) != Z_OK) {
      return object::value_error(in, "Invalid dictionary");
    }
  }
  std::string packed;
  int code = Z_OK;
  while (code != Z_STREAM_END) {
    if (stream.avail_in == 0 && !bytes.empty()) {
      const std::string_view part = bytes.substr(0, kMostAtOnce);
      stream.next_in = input(part);
      stream.avail_in = static_cast<uInt>(part.size());
      bytes.remove_prefix(part.size());
    }
    const std::size_t before = packed.size();
    packed.resize(before + kUnpackStep);
    stream.next_out = reinterpret_cast<Bytef*>(packed.data() + before);
    stream.avail_out = static_cast<uInt>(kUnpackStep);
    code = ::deflate(&stream, bytes.empty() ? Z_FINISH : Z_NO_FLUSH);
    packed.resize(before + kUnpackStep - stream.avail_out);
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
      return zlib_error(in, stream, code, "while compressing data");
    }
  }
  return Value(object::make_bytes(in, packed));
}

// unpack(inflater, data, most): the bytes that data gives, of which there are at most `most` if that is not 0, and how
// many bytes of data were not read. Behaviour: CPython Modules/zlibmodule.c, zlib_Decompress_decompress.
PyResult<Value> unpack(Interpreter& in, Args a) {
  auto* self = dynamic_cast<Inflater*>(a[0].is_object() ? a[0].object() : nullptr);
  if (self == nullptr) return object::type_error(in, "an Inflater is wanted");
  NNS_TRY_ASSIGN(std::string_view bytes, bytes_of(in, a[1]));
  NNS_TRY_ASSIGN(const std::int64_t most, object::index(in, a[2]));
  const std::size_t limit = most <= 0 || static_cast<std::uint64_t>(most) > std::numeric_limits<std::size_t>::max() / 2
                                ? std::numeric_limits<std::size_t>::max() / 2
                                : static_cast<std::size_t>(most);
  Machine& machine = Machine::of(in);
  std::string unpacked;
  z_stream& stream = self->stream;
  stream.avail_in = 0;
  while (!self->has_ended && unpacked.size() < limit) {
    if (stream.avail_in == 0 && !bytes.empty()) {
      const std::string_view part = bytes.substr(0, kMostAtOnce);
      stream.next_in = input(part);
      stream.avail_in = static_cast<uInt>(part.size());
      bytes.remove_prefix(part.size());
    }
    const std::size_t before = unpacked.size();
    const std::size_t step = std::min(kUnpackStep, limit - before);
    unpacked.resize(before + step);
    stream.next_out = reinterpret_cast<Bytef*>(unpacked.data() + before);
    stream.avail_out = static_cast<uInt>(step);
    int code = ::inflate(&stream, Z_SYNC_FLUSH);
    unpacked.resize(before + step - stream.avail_out);
    if (code == Z_NEED_DICT && !self->dictionary.empty()) {
      code = inflateSetDictionary(&stream, input(self->dictionary), static_cast<uInt>(self->dictionary.size()));
      if (code != Z_OK) return zlib_error(in, stream, code, "while setting zdict");
      continue;
    }
    if (code == Z_STREAM_END) self->has_ended = true;
    if (code == Z_BUF_ERROR) break;
    if (code != Z_OK && code != Z_STREAM_END) return zlib_error(in, stream, code, "while decompressing data");
    if (stream.avail_in == 0 && bytes.empty() && stream.avail_out != 0) break;
    NNS_TRY(machine.check_memory());
  }
  const auto rest = static_cast<std::int64_t>(bytes.size() + stream.avail_in);
  return Value(in.tuple({Value(object::make_bytes(in, unpacked)), Value(rest), Value(self->has_ended)}));
}

void add_inflater(Machine& machine, Dict& attributes) {
  Interpreter& in = machine.interpreter();
  Class& cls =
      in.define_class({.name = "Inflater", .module = "_zlib", .make_instance = [](Class& of) -> Ref<object::Object> {
                         return object::make<Inflater>(of);
                       }});
  cls.def("__init__(self, wbits, dictionary)", [](Interpreter& i, Args a) -> PyResult<Value> {
    auto& self = static_cast<Inflater&>(*a[0].object());
    if (self.is_open) return object::value_error(i, "an Inflater begins once");
    NNS_TRY_ASSIGN(const std::int64_t bits, object::index(i, a[1]));
    NNS_TRY_ASSIGN(const std::string_view dictionary, bytes_of(i, a[2]));
    self.dictionary = dictionary;
    self.bits = static_cast<int>(std::clamp<std::int64_t>(bits, -1000, 1000));
    if (inflateInit2(&self.stream, self.bits) != Z_OK) {
      return object::value_error(i, "Invalid initialization option");
    }
    self.is_open = true;
    // A stream without a head has no place that asks for the dictionary.
    if (self.bits < 0 && !self.dictionary.empty()) {
      inflateSetDictionary(&self.stream, input(self.dictionary), static_cast<uInt>(self.dictionary.size()));
    }
    return Value();
  });
  attributes.set(in.intern("Inflater"), Value(&cls));
}

// IEEE 754's binary16 from and to a double; rounds to nearest, ties to even. None: too large.
// Behaviour: CPython Objects/floatobject.c, PyFloat_Pack2 and PyFloat_Unpack2.
std::optional<std::uint16_t> half_bits(double number) {
  const std::uint16_t sign = std::signbit(number) ? 0x8000 : 0;
  if (std::isnan(number)) return static_cast<std::uint16_t>(sign | 0x7E00);
  const double size = std::fabs(number);
  if (std::isinf(number)) return static_cast<std::uint16_t>(sign | 0x7C00);
  if (size == 0) return sign;
  int exponent = std::max(std::ilogb(size), -14);
  auto units = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(size, 10 - exponent)));
  if (units == 2048) {
    units = 1024;
    ++exponent;
  }
  if (exponent > 15) return std::nullopt;
  const std::uint32_t shown = units >= 1024 ? static_cast<std::uint32_t>(exponent + 15) << 10U | (units - 1024) : units;
  return static_cast<std::uint16_t>(sign | shown);
}

double half_number(std::uint16_t bits) {
  const double sign = (bits & 0x8000U) != 0 ? -1 : 1;
  const int exponent = (bits >> 10U) & 0x1F;
  const auto units = static_cast<double>(bits & 0x3FFU);
  if (exponent == 0x1F) {
    if (units == 0) return sign * std::numeric_limits<double>::infinity();
    return std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
  }
  return sign * (exponent == 0 ? std::ldexp(units, -24) : std::ldexp(units + 1024, exponent - 25));
}

// float_bytes(number, size): little-endian, of 2, 4 or 8 bytes.
PyResult<Value> pack_float(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const double number, object::to_float(in, a[0]));
  NNS_TRY_ASSIGN(const std::int64_t size, object::index(in, a[1]));
  std::uint64_t bits = 0;
  if (size == 8) {
    bits = base::bit_cast<std::uint64_t>(number);
  } else if (size == 4) {
    const auto rounded = static_cast<float>(number);
    if (std::isinf(rounded) && !std::isinf(number)) {
      return object::make_error(in, object::ErrorKind::OverflowError, "float too large to pack with f format");
    }
    bits = base::bit_cast<std::uint32_t>(rounded);
  } else {
    const std::optional<std::uint16_t> half = half_bits(number);
    if (!half) return object::make_error(in, object::ErrorKind::OverflowError, "float too large to pack with e format");
    bits = *half;
  }
  std::string bytes;
  for (std::int64_t i = 0; i < size; ++i) bytes += static_cast<char>((bits >> (8 * static_cast<unsigned>(i))) & 0xFFU);
  return Value(object::make_bytes(in, bytes));
}

PyResult<Value> unpack_float(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const std::string_view bytes, bytes_of(in, a[0]));
  std::uint64_t bits = 0;
  for (std::size_t i = std::min<std::size_t>(bytes.size(), 8); i-- > 0;)
    bits = bits << 8U | static_cast<unsigned char>(bytes[i]);
  switch (bytes.size()) {
    case 2:
      return Value(half_number(static_cast<std::uint16_t>(bits)));
    case 4:
      return Value(static_cast<double>(base::bit_cast<float>(static_cast<std::uint32_t>(bits))));
    case 8:
      return Value(base::bit_cast<double>(bits));
    default:
      return object::value_error(in, "a float has 2, 4 or 8 bytes");
  }
}

}  // namespace

void fill_zlib(Machine& machine, Dict& attributes) {
  add_native(machine, attributes, "crc32(data, value=0, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    return checksum(in, a, [](uLong sum, const Bytef* at, uInt count) { return ::crc32(sum, at, count); });
  });
  add_native(machine, attributes, "adler32(data, value=1, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    return checksum(in, a, [](uLong sum, const Bytef* at, uInt count) { return ::adler32(sum, at, count); });
  });
  add_native(machine, attributes, "crc32c(data, /)", crc32c);
  add_native(machine, attributes, "deflate(data, level, wbits, memlevel, strategy, dictionary, /)", deflate_all);
  add_native(machine, attributes, "unpack(inflater, data, most, /)", unpack);
  add_native(machine, attributes, "float_bytes(number, size, /)", pack_float);
  add_native(machine, attributes, "bytes_float(bytes, /)", unpack_float);
  add_inflater(machine, attributes);
}

// Threads of a program: their frames, by number. Module threading makes Python's of them.
void fill_turns(Machine& machine, Dict& attributes) {
  add_native(machine, attributes, "begin(function, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    auto* const function = dynamic_cast<Function*>(a[0].is_object() ? a[0].object() : nullptr);
    if (function == nullptr) return object::type_error(in, "a thread begins with a function of Python");
    NNS_TRY_ASSIGN(const std::int64_t number, Machine::of(in).begin_thread(*function));
    return Value(number);
  });
  add_native(machine, attributes, "run(number, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::int64_t number, object::index(in, a[0]));
    NNS_TRY_ASSIGN(const bool has_ended, Machine::of(in).run_turn(number));
    return Value(has_ended);
  });
  add_native(machine, attributes, "pause()",
             [](Interpreter& in, Args) -> PyResult<Value> { return Value(Machine::of(in).pause_turn()); });
}

}  // namespace nns::python
