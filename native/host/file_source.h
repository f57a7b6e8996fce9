#pragma once

#include <filesystem>
#include <memory>

#include "core/base/byte_source.h"
#include "core/base/result.h"

namespace nns::host {

/// Opens a file of any size for random reads; its name is `path` as given.
/// Errors: there is no such file, it may not be read (with the system's words), or it is no regular file.
/// Behaviour: pread(2), never mmap. A mapped page of a file that another program cuts short raises SIGBUS and would end
/// the program with everything else that is open; pread gives a short read, which becomes an Error. It also needs no
/// address space (810 GB would be refused under `ulimit -v`), and for the ranges that readers ask for it is no slower:
/// both copy from the page cache, one by a call, the other by page faults. So view() gives nothing here.
base::Result<std::shared_ptr<base::ByteSource>> open_file(const std::filesystem::path& path);

}  // namespace nns::host
