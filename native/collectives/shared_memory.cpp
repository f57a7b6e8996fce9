#include "native/collectives/shared_memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <random>
#include <string>

#include "core/base/hash.h"
#include "native/collectives/error.h"

namespace nns::collectives {
namespace {

// In front of the bytes: the token by which who opens it knows that it is the right memory.
constexpr std::uint64_t kFrontBytes = 4096;

std::uint64_t random_token() {
  std::random_device random;
  return (static_cast<std::uint64_t>(random()) << 32U) | random() | 1U;
}

}  // namespace

MachineIdentity machine_identity() {
  std::ifstream stream("/proc/sys/kernel/random/boot_id");
  std::string boot;
  std::getline(stream, boot);
  struct stat numbers {};
  if (boot.empty() || ::stat("/proc/self/ns/pid", &numbers) != 0) return {};
  return {base::hash_text(boot) | 1U, numbers.st_ino, ::geteuid()};
}

base::Result<std::unique_ptr<SharedMemory>> SharedMemory::make(std::uint64_t size_bytes) {
  const std::uint64_t all = size_bytes + kFrontBytes;
  const int file = ::memfd_create("nnscope-ranks", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0) return error(fmt::format("no shared memory: {}", std::strerror(errno)));
  void* begin = MAP_FAILED;
  // Sealed, so that nobody can take pages away from under who reads them.
  const bool has_room = ::ftruncate(file, static_cast<off_t>(all)) == 0 &&
                        ::fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0;
  if (has_room) begin = ::mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  if (begin == MAP_FAILED) {
    const std::string why = std::strerror(errno);
    ::close(file);
    return error(fmt::format("no shared memory of {} bytes: {}", size_bytes, why));
  }
  SharedMemoryPlace place;
  place.process = ::getpid();
  place.file = file;
  place.token = random_token();
  place.size = size_bytes;
  std::memcpy(begin, &place.token, sizeof place.token);
  return std::unique_ptr<SharedMemory>(new SharedMemory(file, begin, place));
}

base::Result<std::unique_ptr<SharedMemory>> SharedMemory::open(const SharedMemoryPlace& place) {
  const std::string path = fmt::format("/proc/{}/fd/{}", place.process, place.file);
  const std::uint64_t all = place.size + kFrontBytes;
  struct stat facts {};
  // What stands under that number is looked at before it is opened: opening a device may do something.
  if (::stat(path.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode) ||
      static_cast<std::uint64_t>(facts.st_size) != all) {
    return error(fmt::format("{} is not the shared memory of {} bytes that it should be", path, place.size));
  }
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return error(fmt::format("cannot open {}: {}", path, std::strerror(errno)));
  void* const begin = ::mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  const std::string why = std::strerror(errno);
  ::close(file);
  if (begin == MAP_FAILED) return error(fmt::format("cannot map {}: {}", path, why));
  std::unique_ptr<SharedMemory> made(new SharedMemory(-1, begin, place));
  std::uint64_t token = 0;
  std::memcpy(&token, begin, sizeof token);
  if (token != place.token) return error(fmt::format("{} is another process's memory", path));
  return made;
}

SharedMemory::~SharedMemory() {
  ::munmap(begin_, place_.size + kFrontBytes);
  if (file_ >= 0) ::close(file_);
}

std::span<std::byte> SharedMemory::bytes() const {
  return {static_cast<std::byte*>(begin_) + kFrontBytes, static_cast<std::size_t>(place_.size)};
}

}  // namespace nns::collectives
