#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/dynamo/source.h"
#include "core/tensor/tensor.h"

namespace nns::dynamo {

/// What a guard holds a value to. Behaviour: torch/_dynamo/guards.py, GuardBuilder.
/// NNS_GUARD(C++ name, recorded name).
enum class GuardKind : std::uint8_t {
#define NNS_GUARD(id, name) id,
#include "core/dynamo/guards.def"
#undef NNS_GUARD
};
std::string_view guard_kind_name(GuardKind kind);

/// What a tensor must stay. Behaviour: torch/csrc/dynamo/guards.cpp, TensorCheck.
struct TensorFacts {
  const Class* cls = nullptr;
  tensor::DType dtype = tensor::DType::Float32;
  tensor::Device device = tensor::Device::Cpu;
  bool requires_grad = false;
  tensor::Dims shape = {}, strides = {};
  /// Sizes that may be anything: those of dimensions that were marked so.
  std::vector<bool> is_free = {};
};

/// How a number follows from numbers that the frame is given. Behaviour: sympy expressions of SymInt and SymFloat.
struct Expression {
  /// Where it is read; null: it is computed, or a constant.
  const Source* source = nullptr;
  /// What computes it of its operands.
  Value function = {};
  std::vector<std::shared_ptr<const Expression>> operands = {};
  Value constant = {};
  std::string text = {};
};

/// One condition on one source under which compiled code may run.
struct Guard {
  GuardKind kind;
  const Source* source;
  /// Of guards that depend on a name or key: "[attr='forward']".
  std::string detail = {};
  /// The constant, key or name that is compared.
  Value value = {};
  std::uint64_t id = 0;
  const Class* type = nullptr;
  std::size_t length = 0;
  std::vector<Value> keys = {};
  const Source* other = nullptr;
  TensorFacts tensor = {};
  /// ShapeEnv: what must have the value `value`.
  std::shared_ptr<const Expression> expression = {};
  /// Whether what `value` names must be there (HASATTR).
  bool expects = true;
  /// The line of the program that asked for it: of which file, 0 is not known.
  std::string file = {};
  std::uint32_t line = 0;
  /// Whether it was installed only to be told of: never checked.
  bool is_silent = false;

  /// "CONSTANT_MATCH", "NOT_PRESENT_IN_GENERIC_DICT[attr='forward']".
  std::string kind_text() const;
};

/// Guards of one compiled frame, none twice.
class GuardSet {
 public:
  explicit GuardSet(Interpreter& interpreter) : interpreter_(interpreter) {}
  void add(Guard guard);
  const std::vector<Guard>& all() const { return guards_; }
  /// The class that a TYPE_MATCH of this source expects: of a module whose class changed while it was traced.
  void retarget(const Source& source, const Class& cls);
  /// Into the order in which they are checked. Behaviour: torch/_guards.py, Guard.sort_key.
  void sort();
  /// Why the guards do not hold; none: they do. `parameters`: sources that are parameters get a remark.
  std::optional<std::string> failure(Scope scope, std::size_t source_count) const;

  /// Whether a local that was compiled as one module is another one now.
  bool is_of_other_instance(Scope scope) const;

  /// Modes that the frame was compiled under.
  bool grad_mode = true;

 private:
  std::optional<std::string> failure_of(const Guard& guard, SourceReader& reader) const;
  std::optional<std::string> tensor_failure(const Guard& guard, const Value& value) const;
  Interpreter& interpreter_;
  std::vector<Guard> guards_;
  std::set<std::string, std::less<>> seen_;
};

/// "L['self'].k" as reasons write it: "self.k".
std::string without_locals(std::string_view name);
bool grad_is_enabled(Interpreter& interpreter);

}  // namespace nns::dynamo
