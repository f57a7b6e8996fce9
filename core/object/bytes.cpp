#include "core/object/bytes.h"

#include <fmt/format.h>

#include "core/object/numbers.h"
#include "core/object/operations.h"

namespace nns::object {

bool Bytes::is_array() const { return type().is_subclass_of(*interpreter().builtins().byte_array); }

namespace {

// Its __dict__ is not seen by the collector: bytes themselves refer to nothing.
class BytesWithAttributes final : public Bytes {
 public:
  using Bytes::Bytes;
  Dict* instance_dict(bool create) override {
    if (!type().instances_have_dict()) return nullptr;
    if (!attributes_ && create) attributes_ = interpreter().dict();
    return attributes_.get();
  }

 private:
  Ref<Dict> attributes_;
};

}  // namespace

Ref<Bytes> make_bytes(Class& cls, std::string bytes) {
  const Builtins& b = cls.interpreter().builtins();
  if (&cls == b.bytes || &cls == b.byte_array) return make<Bytes>(cls, std::move(bytes));
  return make<BytesWithAttributes>(cls, std::move(bytes));
}

Ref<Bytes> make_bytes(Interpreter& interpreter, std::string_view bytes) {
  return make<Bytes>(*interpreter.builtins().bytes, std::string(bytes));
}

std::string bytes_repr(std::string_view bytes) {
  const bool has_single = bytes.find('\'') != std::string_view::npos;
  const char quote = has_single && bytes.find('"') == std::string_view::npos ? '"' : '\'';
  std::string out = std::string("b") + quote;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == quote || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte >= 0x7F) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out + quote;
}

PyResult<std::uint8_t> to_byte(Interpreter& in, const Value& value, std::string_view what) {
  NNS_TRY_ASSIGN(const Value number, index_value(in, value));
  if (number.is_int() && number.as_int() >= 0 && number.as_int() <= 255) {
    return static_cast<std::uint8_t>(number.as_int());
  }
  return value_error(in, "{} must be in range(0, 256)", what);
}

}  // namespace nns::object
