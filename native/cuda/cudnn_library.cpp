#include "native/cuda/cudnn_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "native/cuda/failure.h"

namespace nns::cuda::cudnn {
namespace {

base::Result<Library> load() {
  constexpr const char* kName = "libcudnn.so.9";
  const char* const wanted = std::getenv("NNSCOPE_CUDNN");
  if (wanted != nullptr && std::string_view(wanted) == "0") {
    return failure("left out, because NNSCOPE_CUDNN=0", "NNSCOPE_CUDNN not to be 0");
  }
  void* const handle = dlopen(kName, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return failure(fmt::format("{} cannot be loaded ({})", kName, dlerror()),
                   "cuDNN 9 where the loader finds it (LD_LIBRARY_PATH, ldconfig)");
  }
  Library made;
  const char* missing = nullptr;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
    if (function == nullptr) missing = name;
  };
  find(made.GetVersion, "cudnnGetVersion");
  find(made.Create, "cudnnCreate");
  find(made.Destroy, "cudnnDestroy");
  find(made.SetStream, "cudnnSetStream");
  find(made.BackendCreateDescriptor, "cudnnBackendCreateDescriptor");
  find(made.BackendDestroyDescriptor, "cudnnBackendDestroyDescriptor");
  find(made.BackendFinalize, "cudnnBackendFinalize");
  find(made.BackendSetAttribute, "cudnnBackendSetAttribute");
  find(made.BackendGetAttribute, "cudnnBackendGetAttribute");
  find(made.BackendExecute, "cudnnBackendExecute");
  if (missing != nullptr) return failure(fmt::format("{} has no {}", kName, missing), "cuDNN 9");
  return made;
}

}  // namespace

base::Result<const Library*> Library::open() {
  static const base::Result<Library> opened = load();
  if (!opened.ok()) return opened.error();
  return &opened.value();
}

}  // namespace nns::cuda::cudnn
