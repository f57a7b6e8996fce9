// Random bytes of the machine, for secrets: what os.urandom() is made of.
#include <random>
#include <string>

#include "core/object/bytes.h"
#include "core/object/operations.h"
#include "core/python/stdlib/stdlib.h"

namespace nns::python {
namespace {

// The operating system's source, in the page crypto.getRandomValues(): what std::random_device stands on in both.
PyResult<Value> random_bytes(Interpreter& in, std::span<const Value> a) {
  constexpr std::int64_t kMost = std::int64_t{1} << 30;
  NNS_TRY_ASSIGN(const std::int64_t size, object::index(in, a[0]));
  if (size < 0) return object::value_error(in, "negative argument not allowed");
  if (size > kMost) return object::make_error(in, object::ErrorKind::MemoryError, "");
  std::random_device source;
  std::string bytes;
  bytes.reserve(static_cast<std::size_t>(size));
  while (bytes.size() < static_cast<std::size_t>(size)) {
    // It gives 32 bits at a time.
    std::uint32_t word = source();
    for (int i = 0; i < 4 && bytes.size() < static_cast<std::size_t>(size); ++i, word >>= 8U) {
      bytes.push_back(static_cast<char>(word & 0xFFU));
    }
  }
  return Value(object::make_bytes(*in.builtins().bytes, std::move(bytes)));
}

}  // namespace

void fill_entropy(Machine& machine, Dict& attributes) {
  add_native(machine, attributes, "random_bytes(size, /)", random_bytes);
}

}  // namespace nns::python
