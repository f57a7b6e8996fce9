#pragma once

#include <cstdint>

#include "core/object/error.h"

namespace nns::object {

/// What a table indexes by, from what hash() gives: the bits spread over all places. Can be undone.
std::uint64_t scramble_hash(std::int64_t hash);
/// hash() of a key whose hash runs no code of a program.
std::int64_t plain_hash(const Value& key);
/// hash() as the built-in classes define it, whatever a class derived from them says.
PyResult<std::int64_t> builtin_hash(Interpreter& interpreter, const Value& value);

}  // namespace nns::object
