#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/nn/module.h"

namespace nns::summary {

/// Shape and type of a tensor that went into a module or came out of it.
struct TensorSpec {
  std::vector<std::int64_t> shape;
  tensor::DType dtype = tensor::DType::Float32;
  std::uint64_t bytes() const;
};

/// No row.
inline constexpr std::uint32_t kNone = UINT32_MAX;

/// One place in the tree of modules.
struct ModuleRow {
  /// "transformer.h.0"; of the model itself empty.
  std::string path;
  /// Its last part.
  std::string name;
  std::string class_name;
  std::uint32_t parent = kNone;
  std::uint32_t depth = 0;
  /// The row where this module stands first, if that is another one: what is below it and what it holds counts there.
  std::uint32_t same_as = kNone;
  /// How often it was called.
  std::uint32_t calls = 0;
  /// The tensors of the first call, in order, those in lists, tuples and dicts included.
  std::vector<TensorSpec> inputs, outputs;
  /// Items of the parameters that are registered here, and of those here and below; a tensor that stands in several
  /// places counts once in each sum, in `own_parameters` at its first place.
  std::uint64_t own_parameters = 0, parameters = 0;
  /// Of those the ones that ask for gradients.
  std::uint64_t trainable = 0;
  /// Items of the buffers here and below.
  std::uint64_t buffers = 0;
  std::uint64_t parameter_bytes = 0, buffer_bytes = 0;
  /// Of all its calls.
  std::uint64_t output_bytes = 0;
  /// While its calls ran, those of the modules that it called included (ops::flops_of).
  std::uint64_t flops = 0;
  /// Of all its calls, those of the modules that it called included; of one that calls itself the outer ones.
  std::uint64_t nanoseconds = 0;
};

struct Summary {
  /// Depth first, a parent before its children; the first is the model.
  std::vector<ModuleRow> rows;
  /// What the model was called with.
  std::vector<TensorSpec> inputs;
  /// Of all calls of modules that have none below them: about what training keeps for the backward pass.
  std::uint64_t leaf_output_bytes = 0;
};

/// Calls `model` once and tells what went through each module. On meta tensors nothing is computed.
/// It is called as it is: grad mode and training flag are the caller's. Hooks of the program run.
/// Errors: what the call raises.
object::PyResult<Summary> summarize(object::Interpreter& interpreter, nn::Module& model,
                                    const object::Arguments& arguments);

}  // namespace nns::summary
