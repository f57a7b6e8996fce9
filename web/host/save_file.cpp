#include "ui/host/save_file.h"

#include <string>

#include "web/host/page_state.h"
#include "web/host/viewer_imports.h"

namespace nns::host {

namespace {

/// The states of web/page/save.mjs.
enum State : int { kWaiting, kOpen, kCancelled, kDone, kFailed };

/// Hands over what it is given in larger pieces.
class PageSave final : public SaveFile {
 public:
  explicit PageSave(std::string_view name) : name_(name), handle_(nns_host_save_start(name.data(), name.size())) {}
  ~PageSave() override {
    if (!is_finished_) nns_host_save_end(handle_, false);
  }
  PageSave(const PageSave&) = delete;
  PageSave& operator=(const PageSave&) = delete;

  void write(std::string_view bytes) override { add(bytes, false); }
  void write_packed(std::string_view bytes, bool last) override {
    add(bytes, true);
    if (last) flush(true);
  }
  std::uint64_t pending() const override {
    if (nns_host_save_state(handle_) == kWaiting) return UINT64_MAX;
    return static_cast<std::uint64_t>(nns_host_save_pending(handle_));
  }
  void finish() override {
    flush(false);
    is_finished_ = true;
    nns_host_save_end(handle_, true);
  }
  base::Result<bool> ended() const override {
    const int state = nns_host_save_state(handle_);
    if (state != kFailed) return state == kDone;
    return base::Error{"it cannot be written: " + web::page_state().text, {}, name_, std::nullopt};
  }
  bool is_cancelled() const override { return nns_host_save_state(handle_) == kCancelled; }

 private:
  void add(std::string_view bytes, bool packed) {
    constexpr std::size_t kPiece = 256U << 10U;
    if (packed != is_packed_) flush(false);
    is_packed_ = packed;
    buffer_ += bytes;
    if (buffer_.size() >= kPiece) flush(false);
  }
  void flush(bool last) {
    if (!buffer_.empty() || last)
      nns_host_save_write(handle_, buffer_.data(), buffer_.size(), !is_packed_ ? 0 : last ? 2 : 1);
    buffer_.clear();
  }

  std::string name_;
  int handle_;
  std::string buffer_;
  bool is_packed_ = false;
  bool is_finished_ = false;
};

}  // namespace

void save_file(std::string_view name, const std::function<void(base::Result<std::unique_ptr<SaveFile>>)>& done) {
  done(std::unique_ptr<SaveFile>(std::make_unique<PageSave>(name)));
}

}  // namespace nns::host
