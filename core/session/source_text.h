#pragma once

#include <string>

#include "core/base/byte_source.h"
#include "core/base/result.h"

namespace nns::session {

/// The text of a program's file. Errors: it is larger than anything that somebody wrote (16 MiB); it cannot be read.
base::Result<std::string> read_source_text(base::ByteSource& file);

}  // namespace nns::session
