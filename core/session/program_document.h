#pragma once

#include <memory>
#include <string>

#include "core/checkpoint/checkpoint.h"
#include "core/nn/module.h"

namespace nns::session {

/// A model that lives in an interpreter of its own.
struct LiveModel {
  // The order matters: the model goes before its interpreter.
  std::unique_ptr<object::Interpreter> interpreter;
  nn::Ref<nn::Module> root;
};

/// Tells a living model as a document: a row for each module and for each of its parameters, buffers, None slots and
/// plain tensor attributes, in the order of the registries; the values of tensors on cpu are copied. describe() reads
/// the objects themselves: __dict__, registries and hooks.
/// A module that is reached by two names has a row under each; a module inside itself is shown once and not followed.
/// Errors: a module lacks its registries; there are more rows than a document may have.
base::Result<std::unique_ptr<checkpoint::Checkpoint>> tell_program(LiveModel model, std::string title);

}  // namespace nns::session
