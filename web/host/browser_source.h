#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/byte_source.h"

namespace nns::web {

/// A File of the browser (read with FileReaderSync) or an address (read with synchronous range requests), by its handle
/// in web/page/sources.mjs. Small reads are served from a window that was read ahead, because each trip costs far more
/// than its bytes. The first window of the file is kept: who recognises a format, reads its header and takes its hash
/// begins there each time.
class BrowserSource final : public base::ByteSource {
 public:
  /// Must hold: the handle is ready. Closes it at the end.
  BrowserSource(int handle, std::uint64_t window);
  ~BrowserSource() override;

  const std::string& name() const override { return name_; }
  std::uint64_t size() const override { return size_; }
  int handle() const { return handle_; }

 private:
  base::Result<void> do_read(std::uint64_t offset, std::span<std::byte> into) override;
  /// Fills `window` with what the file holds from `offset` on.
  base::Result<void> fill(std::vector<std::byte>& window, std::uint64_t offset);
  base::Result<void> fetch(std::uint64_t offset, std::span<std::byte> into);

  int handle_;
  std::string name_;
  std::uint64_t size_;
  std::uint64_t window_size_;
  std::uint64_t window_begin_ = 0;
  std::vector<std::byte> head_, window_;
};

/// The error behind a handle that failed, or the one that worker_text() holds ("found\nexpected").
base::Error source_error(const std::string& where);

}  // namespace nns::web
