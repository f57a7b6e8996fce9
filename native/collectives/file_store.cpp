#include "native/collectives/file_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <functional>
#include <thread>

namespace nns::collectives {
namespace {

using parallel::Store;

class FileStore final : public Store {
 public:
  explicit FileStore(std::string path) : path_(std::move(path)) {}

  base::Result<void> set(const std::string& key, const std::string& value) override {
    return change([&](Store& known) -> base::Result<Entry> {
      NNS_TRY(known.set(key, value));
      return Entry{'=', key, value};
    });
  }
  base::Result<std::string> get(const std::string& key, Timeout timeout) override {
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    constexpr std::chrono::milliseconds kPause(10);
    while (true) {
      NNS_TRY_ASSIGN(const std::shared_ptr<Store> known, read());
      if (known->check({key}).value()) return known->get(key, Timeout(0));
      if (std::chrono::steady_clock::now() >= deadline) {
        return base::Error{fmt::format("wait timeout after {}ms, keys: /{}", timeout.count(), key), {}, {}, {}};
      }
      std::this_thread::sleep_for(kPause);
    }
  }
  base::Result<std::int64_t> add(const std::string& key, std::int64_t amount) override {
    std::int64_t sum = 0;
    NNS_TRY(change([&](Store& known) -> base::Result<Entry> {
      NNS_TRY_ASSIGN(sum, known.add(key, amount));
      return Entry{'=', key, fmt::to_string(sum)};
    }));
    return sum;
  }
  base::Result<std::string> compare_set(const std::string& key, const std::string& expected,
                                        const std::string& desired) override {
    std::string now;
    NNS_TRY(change([&](Store& known) -> base::Result<Entry> {
      NNS_TRY_ASSIGN(now, known.compare_set(key, expected, desired));
      if (!known.check({key}).value()) return Entry{'-', key, ""};
      return Entry{'=', key, known.get(key, Timeout(0)).value()};
    }));
    return now;
  }
  base::Result<bool> check(const std::vector<std::string>& keys) override {
    NNS_TRY_ASSIGN(const std::shared_ptr<Store> known, read());
    return known->check(keys);
  }
  base::Result<bool> remove(const std::string& key) override {
    bool was_there = false;
    NNS_TRY(change([&](Store& known) -> base::Result<Entry> {
      NNS_TRY_ASSIGN(was_there, known.remove(key));
      return Entry{'-', key, ""};
    }));
    return was_there;
  }
  base::Result<std::int64_t> key_count() override {
    NNS_TRY_ASSIGN(const std::shared_ptr<Store> known, read());
    return known->key_count();
  }

 private:
  // One line of the log: '=' sets, '-' removes; then the lengths of key and value, and both.
  struct Entry {
    char what;
    std::string key, value;
  };

  // The open file, locked for as long as it lives.
  class Locked {
   public:
    explicit Locked(const std::string& path)
        : file_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)) {
      if (file_ >= 0 && ::flock(file_, LOCK_EX) != 0) {
        ::close(file_);
        file_ = -1;
      }
    }
    ~Locked() {
      if (file_ >= 0) ::close(file_);
    }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;
    int file() const { return file_; }

   private:
    int file_;
  };

  base::Error trouble(std::string what) const { return {std::move(what), {}, path_, {}}; }

  base::Result<std::shared_ptr<Store>> parse(int file) const {
    std::string text;
    std::array<char, 65536> piece{};
    for (ssize_t count = 0;
         (count = ::pread(file, piece.data(), piece.size(), static_cast<off_t>(text.size()))) != 0;) {
      if (count < 0) return trouble(fmt::format("cannot be read: {}", std::strerror(errno)));
      text.append(piece.data(), static_cast<std::size_t>(count));
    }
    const std::shared_ptr<Store> known = parallel::make_hash_store();
    std::string_view rest = text;
    while (!rest.empty()) {
      std::array<std::uint32_t, 2> sizes{};
      const std::size_t head = 1 + sizeof(sizes);
      if (rest.size() < head) return trouble("is no store: an entry is cut off");
      std::memcpy(sizes.data(), rest.data() + 1, sizeof(sizes));
      const char what = rest[0];
      rest.remove_prefix(head);
      const std::uint64_t both = std::uint64_t{sizes[0]} + sizes[1];
      if ((what != '=' && what != '-') || rest.size() < both) return trouble("is no store: an entry is damaged");
      const std::string key(rest.substr(0, sizes[0]));
      if (what == '=') {
        NNS_TRY(known->set(key, std::string(rest.substr(sizes[0], sizes[1]))));
      } else {
        NNS_TRY(known->remove(key));
      }
      rest.remove_prefix(static_cast<std::size_t>(both));
    }
    return known;
  }

  base::Result<std::shared_ptr<Store>> read() const {
    const Locked locked(path_);
    if (locked.file() < 0) return trouble(fmt::format("cannot be opened: {}", std::strerror(errno)));
    return parse(locked.file());
  }

  base::Result<void> change(const std::function<base::Result<Entry>(Store&)>& use) {
    const Locked locked(path_);
    if (locked.file() < 0) return trouble(fmt::format("cannot be opened: {}", std::strerror(errno)));
    NNS_TRY_ASSIGN(const std::shared_ptr<Store> known, parse(locked.file()));
    NNS_TRY_ASSIGN(const Entry entry, use(*known));
    const std::array<std::uint32_t, 2> sizes = {static_cast<std::uint32_t>(entry.key.size()),
                                                static_cast<std::uint32_t>(entry.value.size())};
    std::string line(1, entry.what);
    line.append(reinterpret_cast<const char*>(sizes.data()), sizeof(sizes));
    line += entry.key + entry.value;
    ::lseek(locked.file(), 0, SEEK_END);
    if (::write(locked.file(), line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
      return trouble(fmt::format("cannot be written: {}", std::strerror(errno)));
    }
    return {};
  }

  std::string path_;
};

}  // namespace

base::Result<std::shared_ptr<Store>> open_file_store(const std::string& path) {
  auto store = std::make_shared<FileStore>(path);
  NNS_TRY(store->key_count());
  return std::shared_ptr<Store>(std::move(store));
}

}  // namespace nns::collectives
