#pragma once

#include <string_view>

#include "core/base/result.h"

namespace nns::host {

/// Whether `name`, which an index file gave, stays in the folder of that file: "a/b.safetensors" does.
/// Errors: empty, absolute ("/etc/passwd", "C:\x", "https://x"), a part that is "." or "..", a backslash or a NUL byte.
/// `where` names the folder in the message.
base::Result<void> check_relative_name(std::string_view name, std::string_view where);

}  // namespace nns::host
