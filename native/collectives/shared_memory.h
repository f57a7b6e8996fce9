#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "core/base/result.h"

namespace nns::collectives {

/// Where processes of the same machine find each other's memory. Plain bytes: it travels as a message.
struct SharedMemoryPlace {
  std::int64_t process = 0;
  std::int32_t file = -1;
  std::int32_t unused = 0;
  std::uint64_t token = 0;
  /// Units: bytes.
  std::uint64_t size = 0;
};

/// Which processes can see each other's memory: those of one start of one machine, of one namespace of process numbers
/// and of one user. Plain bytes.
struct MachineIdentity {
  std::uint64_t boot = 0;
  std::uint64_t process_namespace = 0;
  std::uint64_t user = 0;
  friend bool operator==(const MachineIdentity&, const MachineIdentity&) = default;
};
/// Of this process; all zeros if the system does not tell, and then nobody shares memory with it.
MachineIdentity machine_identity();

/// Memory that several processes see. It has no name in any folder, so nothing is left behind when they are killed:
/// it goes with the last process that has it.
/// Lifetime: others can open it while the object of who made it lives; who has opened it keeps it.
class SharedMemory {
 public:
  /// New memory of zeros, which takes room only where it is written. Errors: the system has none.
  static base::Result<std::unique_ptr<SharedMemory>> make(std::uint64_t size_bytes);
  /// That of another process (or of this one). Errors: it cannot be reached, or is not what `place` says.
  static base::Result<std::unique_ptr<SharedMemory>> open(const SharedMemoryPlace& place);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  /// Begins at a page. Threads and processes: any; who writes what is agreed upon elsewhere.
  std::span<std::byte> bytes() const;
  const SharedMemoryPlace& place() const { return place_; }

 private:
  SharedMemory(int file, void* begin, SharedMemoryPlace place) : file_(file), begin_(begin), place_(place) {}
  int file_;
  void* begin_;
  SharedMemoryPlace place_;
};

}  // namespace nns::collectives
