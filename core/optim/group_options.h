#pragma once

#include <utility>

#include "core/optim/library.h"

// Not for callers of optim.
namespace nns::optim {

/// A number of a program as a double: int, float, bool, or a tensor with one item.
/// Errors: TypeError  it is none; RuntimeError  a tensor with more items.
PyResult<double> number_of(Interpreter& interpreter, const Value& value);

/// Of the numbers that optimisers keep as tensors: float64 where that is the default, else float32.
tensor::DType scalar_dtype(Interpreter& interpreter);

/// Reads the options of one parameter group.
class GroupOptions {
 public:
  GroupOptions(Interpreter& interpreter, Dict& group) : in_(interpreter), group_(group) {}

  /// Errors: KeyError  there is none of this name; TypeError  it is no number.
  PyResult<double> number(Name name);
  PyResult<bool> flag(Name name);
  /// Two numbers: betas. Errors: ValueError  not two.
  PyResult<std::pair<double, double>> pair(Name name);
  PyResult<Value> value(Name name);
  /// Reads several numbers and flags into members of `options`.
  template <class Options>
  PyResult<void> read(Options& options, std::initializer_list<std::pair<double Options::*, Name>> numbers,
                      std::initializer_list<std::pair<bool Options::*, Name>> flags) {
    for (const auto& [member, name] : numbers) {
      NNS_TRY_ASSIGN(options.*member, number(name));
    }
    for (const auto& [member, name] : flags) {
      NNS_TRY_ASSIGN(options.*member, flag(name));
    }
    return {};
  }
  Interpreter& interpreter() { return in_; }

  /// What every optimiser refuses in a step: capturable=True needs an accelerator, and differentiable=True is not
  /// there. Errors: AssertionError, NotImplementedError.
  PyResult<void> refuse_unsupported();

 private:
  Interpreter& in_;
  Dict& group_;
};

/// Checks arguments of a constructor, in PyTorch's words.
class ArgumentChecks {
 public:
  explicit ArgumentChecks(Interpreter& interpreter) : in_(interpreter) {}

  /// Errors: ValueError  "{what}: {value}" unless value >= 0.
  PyResult<void> not_negative(const Value& value, std::string_view what);
  /// "Tensor lr must be 1-element", then "Invalid learning rate: {lr}" unless lr >= 0.
  PyResult<void> learning_rate(const Value& lr);
  /// Both of `betas` lie in [0, 1).
  PyResult<void> betas(const Value& betas);
  /// ValueError with `text` and str(value) where {} stands.
  PyResult<void> require(bool holds, std::string_view what, const Value& value);

 private:
  Interpreter& in_;
};

/// fused=True excludes differentiable=True and foreach=True.
PyResult<void> check_fused(Interpreter& interpreter, const Value& fused, const Value& differentiable,
                           const Value& foreach);

/// A dict with these entries: the defaults of an optimiser.
Ref<Dict> make_defaults(Interpreter& interpreter, std::initializer_list<std::pair<Name, Value>> entries);

class Optimizer;
/// group.setdefault(name, value) in each group of an optimiser whose state was replaced.
PyResult<void> set_group_defaults(Optimizer& self, std::initializer_list<std::pair<Name, Value>> entries);
/// Makes numbers of states that old files hold into tensors.
PyResult<void> numbers_to_tensors(Optimizer& self, std::initializer_list<Name> names);
/// Optimizer.__setstate__(self, state), then both of these: what files of older versions lack.
PyResult<Value> restore_optimizer(Optimizer& self, const Value& state,
                                  std::initializer_list<std::pair<Name, Value>> defaults,
                                  std::initializer_list<Name> numbers);
/// The same where the options that came later are foreach, maximize, differentiable and capturable.
PyResult<Value> restore_capturable(Optimizer& self, const Value& state, std::initializer_list<Name> numbers);

}  // namespace nns::optim
