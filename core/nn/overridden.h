#pragma once

#include <optional>
#include <vector>

#include "core/nn/module.h"

/// What methods of Module ask of methods that a class, or a program for all modules, may have replaced: where nobody
/// has, the registries are walked at once.
namespace nns::nn {

/// What `children()` gives.
PyResult<std::vector<Ref<Module>>> children_by_class(Module& self);

/// What `parameters()` gives.
PyResult<std::vector<Ref<Tensor>>> parameters_by_class(Module& self);

/// `_apply(fn)`, with `recurse=` where that is given.
PyResult<void> apply_by_class(Module& self, const Module::Conversion& fn, std::optional<bool> recurse = std::nullopt);

/// A walk that a class replaced: `modules()` by its named_modules(), `parameters()` by its named_parameters(), and so
/// on. The second items of what `method` gives; Absent: it is Module's own.
PyResult<Value> seconds_of_own(Module& self, std::string_view method, std::span<const object::Keyword> keywords);

/// named_parameters() or named_buffers() of a class with its own named_modules(); Absent: it is Module's.
PyResult<Value> members_of_own_modules(Module& self, Registry registry, std::string_view prefix, bool remove_duplicate);

/// A walk over the second items of what `pairs` gives. Errors, of its steps: ValueError  an item that is no pair.
PyResult<Value> seconds_of(Interpreter& interpreter, const Value& pairs);

/// `fn` as a program's own _apply is given it.
Value as_function(Interpreter& interpreter, const Module::Conversion& fn);

}  // namespace nns::nn
