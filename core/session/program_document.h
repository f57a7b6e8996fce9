#pragma once

#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/checkpoint/checkpoint.h"
#include "core/nn/module.h"

namespace nns::session {

/// What a document shows of an interpreter: a model, or the names of a program.
struct Program {
  std::unique_ptr<object::Interpreter> interpreter;
  object::Ref<nn::Module> root;
  object::Ref<object::Dict> names;  ///< where there is no root

  explicit Program(std::unique_ptr<object::Interpreter> world, object::Ref<nn::Module> model = nullptr)
      : interpreter(std::move(world)), root(std::move(model)) {}
};

/// The document of a model that lives in memory, or of a program: below its first row stand the program's names in the
/// order in which they were bound, but for what it imported or defined (modules of Python, classes, functions) and
/// names that begin with an underscore. The rows are the modules, parameters and buffers as they are now, in the order
/// of the registries; None in a registry is a Value row; plain attributes have no rows, only lines in describe(). A
/// module or tensor that is registered twice is shown twice and counted once. Tensors on the CPU have values, those on
/// meta have none. describe() and values tell what holds when they are asked. Errors: more rows, or longer names, than
/// a document may have. Behaviour: totals are those of parameters(), torch/nn/modules/module.py.
base::Result<std::unique_ptr<checkpoint::Checkpoint>> make_program_document(std::string title,
                                                                            std::shared_ptr<Program> program);

}  // namespace nns::session
