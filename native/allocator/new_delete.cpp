// operator new and delete of the native programs, by mimalloc. Trees of modules, values of programs and nodes of
// gradients are many small blocks that live for a short time, of one thread each: what it is made for.
// They stand here, not in its own library, because that one is C: where no memory is left it ends the program, and
// ours go on after std::bad_alloc. Source: C++20 [new.delete].
#include <mimalloc.h>

#include <new>

namespace {

// What `allocate` gives, after the handler that a program may have set has made room; null if it could not.
template <class Allocate>
void* allocated(Allocate allocate) {
  while (true) {
    if (void* const memory = allocate()) [[likely]]
      return memory;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) return nullptr;
    handler();
  }
}

void* allocated_or_thrown(std::size_t bytes) {
  if (void* const memory = mi_malloc(bytes)) [[likely]]
    return memory;
  void* const memory = allocated([bytes] { return mi_malloc(bytes); });
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void* allocated_or_thrown(std::size_t bytes, std::align_val_t alignment) {
  void* const memory =
      allocated([bytes, alignment] { return mi_malloc_aligned(bytes, static_cast<std::size_t>(alignment)); });
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

template <class... Arguments>
void* allocated_or_null(Arguments... arguments) noexcept {
  try {
    return allocated_or_thrown(arguments...);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

}  // namespace

void* operator new(std::size_t bytes) { return allocated_or_thrown(bytes); }
void* operator new[](std::size_t bytes) { return allocated_or_thrown(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return allocated_or_null(bytes); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return allocated_or_null(bytes); }
void* operator new(std::size_t bytes, std::align_val_t alignment) { return allocated_or_thrown(bytes, alignment); }
void* operator new[](std::size_t bytes, std::align_val_t alignment) { return allocated_or_thrown(bytes, alignment); }
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocated_or_null(bytes, alignment);
}
void* operator new[](std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocated_or_null(bytes, alignment);
}

void operator delete(void* memory) noexcept { mi_free(memory); }
void operator delete[](void* memory) noexcept { mi_free(memory); }
void operator delete(void* memory, std::size_t) noexcept { mi_free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { mi_free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { mi_free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { mi_free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { mi_free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { mi_free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { mi_free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { mi_free(memory); }
void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept { mi_free(memory); }
void operator delete[](void* memory, std::align_val_t, const std::nothrow_t&) noexcept { mi_free(memory); }
