#pragma once

#include <string>
#include <vector>

#include "native/cli/terminal.h"

namespace nns::cli {

/// Prints a verdict on each file, and on each file in each folder and below it (links to folders are not followed),
/// with what it rests on: global, opcode, byte offset. A file of a folder that holds no pickle and no archive is only
/// counted; named itself, it is unreadable. Nothing is executed. Returns an ExitStatus: kFound if a file is dangerous,
/// else kBadInput if one could not be read, else kFine.
int run_scan(const std::vector<std::string>& inputs, bool as_json, const Terminal& terminal);

}  // namespace nns::cli
