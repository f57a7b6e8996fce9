#include "native/collectives/nccl_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace nns::collectives {
namespace {

base::Result<NcclLibrary> load() {
  constexpr const char* kName = "libnccl.so.2";
  void* const handle = dlopen(kName, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return base::Error{fmt::format("{} cannot be loaded ({})", kName, dlerror()),
                       "NCCL where the loader finds it (LD_LIBRARY_PATH, ldconfig)",
                       {},
                       {}};
  }
  NcclLibrary made;
  const char* missing = nullptr;
#define NNS_NCCL(name)                                                            \
  made.name = reinterpret_cast<decltype(made.name)>(dlsym(handle, "nccl" #name)); \
  if (made.name == nullptr) missing = "nccl" #name;
  NNS_NCCL_ALL(NNS_NCCL)
#undef NNS_NCCL
  if (missing != nullptr) return base::Error{fmt::format("{} has no {}", kName, missing), "NCCL 2.14 or newer", {}, {}};
  return made;
}

}  // namespace

base::Result<const NcclLibrary*> NcclLibrary::open() {
  static const base::Result<NcclLibrary> opened = load();
  if (!opened.ok()) return opened.error();
  return &opened.value();
}

}  // namespace nns::collectives
