#pragma once

namespace nns::tests {

/// While one lives, this program may touch the device's memory, as a kernel or a copy does. Otherwise touching it ends
/// the program, as touching that of a real device does: where NNSCOPE_GUARD_DEVICE_MEMORY is set before the first is
/// used, because it takes its time. Threads: any.
class DeviceAccess {
 public:
  DeviceAccess();
  ~DeviceAccess();
  DeviceAccess(const DeviceAccess&) = delete;
  DeviceAccess& operator=(const DeviceAccess&) = delete;
};

}  // namespace nns::tests
