#include "core/unicode/inflated.h"

#include <zlib.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace nns::unicode {

std::string inflated(std::string_view packed) {
  std::uint32_t size = 0;
  std::memcpy(&size, packed.data(), sizeof size);
  std::string text(size, '\0');
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) std::abort();
  // zlib reads through a pointer that is not const, and writes nothing there.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + sizeof size));
  stream.avail_in = static_cast<uInt>(packed.size() - sizeof size);
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = size;
  const int status = inflate(&stream, Z_FINISH);
  inflateEnd(&stream);
  if (status != Z_STREAM_END || stream.avail_out != 0) std::abort();
  return text;
}

}  // namespace nns::unicode
