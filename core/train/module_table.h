#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/nn/module.h"
#include "core/optim/optimizer.h"

namespace nns::train {

using object::Interpreter;
using object::PyResult;
using object::Ref;
using object::Value;
using tensor::Tensor;

inline constexpr std::uint32_t kNone = UINT32_MAX;

/// The modules and tensors of a training, by numbers that stay while the models are the same: the models in the order
/// in which they were first called, each with its modules in the order of named_modules(). Lifetime: keeps them alive.
class ModuleTable {
 public:
  struct Module {
    std::uint32_t parent = kNone;  ///< none: a model
    std::string path;
    std::string class_name;
    Ref<nn::Module> module;
  };
  struct Parameter {
    std::uint32_t module = kNone;  ///< none: an optimiser has it and no model
    std::string path;
    Ref<Tensor> tensor;
    std::uint32_t optimizer = kNone;
    std::uint32_t group = kNone;
  };

  /// Names everything anew. Models that lie in others are theirs. Errors: a module that changes while it is walked.
  PyResult<void> build(std::vector<Ref<nn::Module>> models, const std::vector<Ref<optim::Optimizer>>& optimizers);
  void clear();

  /// Grows with each build(); 0: there was none.
  std::uint32_t version() const { return version_; }
  const std::vector<Module>& modules() const { return modules_; }
  const std::vector<Parameter>& tensors() const { return tensors_; }
  /// Their numbers, or kNone.
  std::uint32_t find(const nn::Module* module) const;
  std::uint32_t find(const Tensor* tensor) const;
  /// Whether `path` fits a pattern: `*` is any text, everything else is itself.
  static bool matches(std::string_view pattern, std::string_view path);

 private:
  PyResult<void> add_model(nn::Module& model, const std::string& prefix);

  std::uint32_t version_ = 0;
  std::vector<Module> modules_;
  std::vector<Parameter> tensors_;
  std::unordered_map<const nn::Module*, std::uint32_t> module_numbers_;
  std::unordered_map<const Tensor*, std::uint32_t> tensor_numbers_;
};

}  // namespace nns::train
