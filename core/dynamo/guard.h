#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/dynamo/expression.h"
#include "core/dynamo/guard_program.h"
#include "core/dynamo/source.h"
#include "core/ops/autocast.h"
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
  /// Sizes and strides that are not held to these: other guards tell what they may be. Empty: none.
  std::vector<bool> is_free_size = {}, is_free_stride = {};
  /// The sizes that mark_dynamic() named, as a set; Absent: none was.
  Value marks = Value::absent();
};

/// One condition on one source under which compiled code may run.
struct Guard {
  GuardKind kind;
  const Source* source;
  /// The constant, key or name that is compared.
  Value value = {};
  std::uint64_t id = 0;
  const Class* type = nullptr;
  std::size_t length = 0;
  std::vector<Value> keys = {};
  const Source* other = nullptr;
  std::shared_ptr<const TensorFacts> tensor = {};
  /// ShapeEnv: what must have the value `value`; where that is absent: what must lie between these.
  std::shared_ptr<const Expression> expression = {};
  std::int64_t lower = 0, upper = 0;
  /// Whether what `value` names must be there (HASATTR).
  bool expects = true;
  /// Where guards are recorded: the code that asked for it and its line; null: it is not known.
  Ref<python::Code> asked_by = {};
  std::uint32_t line = 0;
  /// Whether it was installed only to be told of: never checked.
  bool is_silent = false;
  /// The next one in the same place of the set's index.
  const Guard* next = nullptr;

  /// "CONSTANT_MATCH", "NOT_PRESENT_IN_GENERIC_DICT[attr='forward']".
  std::string kind_text(Interpreter& interpreter) const;
  /// Whether one of them tells all that the other does: of one kind, on one name, about one attribute or key.
  bool is_like(const Guard& other) const;
};

/// Guards of one compiled frame, none twice.
class GuardSet {
 public:
  explicit GuardSet(Interpreter& interpreter) : interpreter_(interpreter) {}
  void add(Guard guard);
  const std::deque<Guard>& all() const { return guards_; }
  /// The class that a TYPE_MATCH of this source expects: of a module whose class changed while it was traced.
  void retarget(const Source& source, const Class& cls);
  /// Why the guards do not hold; none: they do. `parameters`: sources that are parameters get a remark.
  std::optional<std::string> failure(Scope scope, std::size_t source_count) const;

  /// Whether a local that was compiled as one module is another one now.
  bool is_of_other_instance(Scope scope) const;

  /// Notes the modes that now are, as those under which the frame is compiled.
  void note_modes();

 private:
  /// Behaviour: torch/csrc/dynamo/guards.cpp, GlobalStateGuard.
  struct Modes {
    bool grad = true, autocast_caches = true;
    ops::Autocast::Modes autocast;
    tensor::DType default_dtype = tensor::DType::Float32;
  };
  Modes modes_now() const;
  /// "GLOBAL_STATE changed: grad_mode"; none: all are as they were.
  std::optional<std::string> modes_failure() const;
  /// The first of the guards, in the order in which they tell of failures, that does not hold.
  std::optional<std::string> first_failure(Scope scope, std::size_t source_count) const;
  Interpreter& interpreter_;
  std::deque<Guard> guards_;
  /// Chains of guards by their source's name and kind; as many as a power of two.
  std::vector<const Guard*> index_;
  /// Made at the first question, when all guards are there.
  mutable std::unique_ptr<const GuardProgram> program_;
  Modes modes_;
};

/// What a guard reads besides its own source.
using ReadSource = std::function<Value(const Source&)>;
/// Whether a guard holds for the value of its source, which is there.
bool holds(Interpreter& interpreter, const Guard& guard, const Value& value, const ReadSource& read);
/// Why it does not.
std::string failure_text(Interpreter& interpreter, const Guard& guard, const Value& value);
/// What it holds its source to, as PyTorch writes the code of a guard; `value`: that of the source, where it is there.
std::string condition_text(Interpreter& interpreter, const Guard& guard, const Value& value);

/// "2 <= x.size()[0] <= 5"; an upper end that is the largest number is none.
std::string range_text(std::int64_t lower, std::string_view name, std::int64_t upper);
/// "L['self'].k" as reasons write it: "self.k".
std::string without_locals(std::string_view name);
/// The number that an expression has now; Absent: it cannot be computed.
Value number_now(Interpreter& interpreter, const Expression& expression, const ReadSource& read);
bool grad_is_enabled(Interpreter& interpreter);

}  // namespace nns::dynamo
