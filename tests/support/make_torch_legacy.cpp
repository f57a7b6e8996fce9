#include "tests/support/make_torch_legacy.h"

#include <cstring>

#include "tests/support/make_torch_zip.h"

namespace nns::tests {

std::string make_torch_legacy(std::string_view pickle, const std::vector<LegacyStorage>& storages) {
  std::string file("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", 15);
  file += PickleWriter().integer(1001).stop();
  PickleWriter machine;
  machine.empty_dict().mark().text("protocol_version").integer(1001).text("little_endian").boolean(true).set_items();
  file += machine.stop();
  file += pickle;
  PickleWriter keys;
  keys.empty_list().mark();
  for (const LegacyStorage& storage : storages) keys.text(storage.key);
  file += keys.appends().stop();
  for (const LegacyStorage& storage : storages) {
    std::string count(sizeof storage.count, '\0');
    std::memcpy(count.data(), &storage.count, sizeof storage.count);
    file += count + storage.bytes;
  }
  return file;
}

}  // namespace nns::tests
