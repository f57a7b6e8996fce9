#include "tests/cuda/emulation/cuda_runtime.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "tests/cuda/emulation/device_memory.h"

namespace {

// What the device has, and what of it is in use.
constexpr std::size_t kTotal = std::size_t{1} << 30U;
std::mutex memory_mutex;
std::size_t used = 0;
std::map<void*, std::size_t> sizes;
// How many may touch it.
int accesses = 0;

void protect(void* at, std::size_t bytes) {
  static const bool is_asked = std::getenv("NNSCOPE_GUARD_DEVICE_MEMORY") != nullptr;
  if (!is_asked) return;
  if (::mprotect(at, bytes, accesses > 0 ? PROT_READ | PROT_WRITE : PROT_NONE) != 0) std::abort();
}
void protect_all() {
  for (const auto& [at, bytes] : sizes) protect(at, bytes);
}

}  // namespace

namespace nns::tests {

DeviceAccess::DeviceAccess() {
  const std::lock_guard lock(memory_mutex);
  if (++accesses == 1) protect_all();
}
DeviceAccess::~DeviceAccess() {
  const std::lock_guard lock(memory_mutex);
  if (--accesses == 0) protect_all();
}

}  // namespace nns::tests

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 2;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int) { return cudaSuccess; }
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = {};
  std::strcpy(properties->name, "emulated");
  properties->totalGlobalMem = kTotal;
  properties->sharedMemPerBlockOptin = std::size_t{163} << 10U;
  properties->major = 9;
  // Few, so that reductions are shared by several blocks only where they are long.
  properties->multiProcessorCount = 4;
  properties->maxThreadsPerMultiProcessor = 2048;
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = nullptr;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) { return cudaSuccess; }
cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = nullptr;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaEventQuery(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaMalloc(void** at, std::size_t bytes) {
  const std::lock_guard lock(memory_mutex);
  if (bytes > kTotal - used) return cudaErrorMemoryAllocation;
  *at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (*at == MAP_FAILED) return cudaErrorMemoryAllocation;
  // What nobody writes is not a number.
  std::memset(*at, 0xFF, bytes);
  sizes[*at] = bytes;
  used += bytes;
  protect(*at, bytes);
  return cudaSuccess;
}
cudaError_t cudaFree(void* at) {
  const std::lock_guard lock(memory_mutex);
  const std::size_t bytes = sizes.at(at);
  used -= bytes;
  sizes.erase(at);
  ::munmap(at, bytes);
  return cudaSuccess;
}
cudaError_t cudaMallocHost(void** at, std::size_t bytes) {
  *at = std::malloc(bytes);
  return cudaSuccess;
}
cudaError_t cudaHostAlloc(void** at, std::size_t bytes, unsigned) { return cudaMallocHost(at, bytes); }
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  *device = host;
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* at) {
  std::free(at);
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind, cudaStream_t) {
  const nns::tests::DeviceAccess access;
  std::memmove(to, from, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  const std::lock_guard lock(memory_mutex);
  *free = kTotal - used;
  *total = kTotal;
  return cudaSuccess;
}
cudaError_t cudaGetLastError() { return cudaSuccess; }
const char* cudaGetErrorString(cudaError_t) { return "no error"; }
const char* cudaGetErrorName(cudaError_t) { return "cudaSuccess"; }
