#pragma once

#include "core/checkpoint/pickled_checkpoint.h"

namespace nns::checkpoint {

/// Reads the classes that a TorchScript archive's code/ declares into document.code, from member `next` on; true when
/// all are read. Errors: a member is damaged.
base::Result<bool> read_script_code(PickledCheckpoint& document, std::string_view root, std::uint32_t& next,
                                    const base::Budget& budget);

/// What the inspector shows of a module of a TorchScript archive: the attributes that its class declares with the
/// values of the pickle, its methods, and the code of the class. Must hold: the row's value is an object of a class
/// that document.code knows.
ObjectDescription describe_script(const PickledCheckpoint& document, std::uint32_t node, const ScriptClass& script);

}  // namespace nns::checkpoint
