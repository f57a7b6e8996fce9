#pragma once

#include <memory>

#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/zip_archive.h"

namespace nns::checkpoint {

/// Starts to read a zip of .npy files: what numpy.savez writes. Must hold: all members' names end in ".npy".
/// Behaviour: numpy/lib/npyio.py, NpzFile. Arrays of objects are listed, their pickles are read for the globals that
/// they name and never loaded.
std::unique_ptr<OpenTask> open_npz(std::shared_ptr<base::ByteSource> source, std::unique_ptr<ZipArchive> archive);

}  // namespace nns::checkpoint
