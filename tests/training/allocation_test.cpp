// A captured step asks for no memory.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "tests/training/workload.h"

namespace {

// How often the program asked for memory while it is counted.
thread_local constinit bool is_counting = false;
thread_local constinit std::uint64_t requests = 0;

void* counted(std::size_t bytes, std::size_t alignment) {
  if (is_counting) ++requests;
  return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

}  // namespace

void* operator new(std::size_t bytes) { return counted(bytes, alignof(std::max_align_t)); }
void* operator new[](std::size_t bytes) { return counted(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return counted(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return counted(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return counted(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* data) noexcept { std::free(data); }
void operator delete[](void* data) noexcept { std::free(data); }
void operator delete(void* data, std::size_t) noexcept { std::free(data); }
void operator delete[](void* data, std::size_t) noexcept { std::free(data); }
void operator delete(void* data, std::align_val_t) noexcept { std::free(data); }
void operator delete[](void* data, std::align_val_t) noexcept { std::free(data); }
void operator delete(void* data, std::size_t, std::align_val_t) noexcept { std::free(data); }
void operator delete[](void* data, std::size_t, std::align_val_t) noexcept { std::free(data); }
void operator delete(void* data, std::align_val_t, const std::nothrow_t&) noexcept { std::free(data); }

namespace nns::tests {
namespace {

std::uint64_t requests_of(Workload& workload, nn::PyResult<nn::Ref<nn::Tensor>> (Workload::*step)()) {
  requests = 0;
  is_counting = true;
  const bool done = (workload.*step)().ok();
  is_counting = false;
  EXPECT_TRUE(done);
  return requests;
}

TEST(CapturedTraining, AsksForNoMemory) {
  nn::Interpreter in;
  Workload workload(in, "tinymlp", true);
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(workload.captured_step().ok());
  EXPECT_EQ(requests_of(workload, &Workload::captured_step), 0U);
  EXPECT_EQ(workload.captured().reason(), "");
  EXPECT_GT(requests_of(workload, &Workload::step), 50U);
}

}  // namespace
}  // namespace nns::tests
