#pragma once

#include <string>

#include "core/checkpoint/pickle_heap.h"

namespace nns::checkpoint {

/// The repr of a value on one line, cut to about `width` characters; foreign objects as "Name(args)".
std::string preview(const PickleHeap& heap, PickleId value, std::size_t width = 96);

/// "int", "str", "list", ...; for objects the name of their class or callable: "torch.device".
std::string type_name(const PickleHeap& heap, PickleId value);

/// The class or function that a callable is: itself, or the class in the persistent id ("module", class, source file,
/// source) that torch.save wrote before 1.6 for classes of modules.
PickleId class_of(const PickleHeap& heap, PickleId callable);

/// "module.name", without "__builtin__." or "builtins.".
std::string global_text(const PickleName& name);

/// A dict's key as a part of a name: a string as it is, anything else as its preview.
std::string key_text(const PickleHeap& heap, PickleId key);

/// Whether the value is a leaf: neither a container with something in it nor an object.
bool is_scalar(const PickleHeap& heap, PickleId value);

}  // namespace nns::checkpoint
