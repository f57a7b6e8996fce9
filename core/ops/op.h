#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/ops/autocast.h"
#include "core/ops/cudnn_switches.h"
#include "core/ops/number.h"
#include "core/tensor/tensor.h"

namespace nns::ops {

using object::Interpreter;
using object::PyResult;
using object::Ref;
using object::Value;
using tensor::Device;
using tensor::Dims;
using tensor::DType;
using tensor::Tensor;

/// The ops of ops.def.
enum class OpId : std::uint16_t {
#define NNS_OP(id, schema) id,
#include "core/ops/ops.def"
#undef NNS_OP
};
inline constexpr std::size_t kOps = 0
#define NNS_OP(id, schema) +1
#include "core/ops/ops.def"
#undef NNS_OP
    ;

struct OpInfo;
class Backward;
class ResultMoments;
class TrainingObserver;
struct ElementCall;
class Term;

/// A tuple of ints, or one int alone, that was checked.
Dims dims_of(const Value& value);
/// A dimension that was checked, counted from the start: -1 is the last one.
constexpr std::size_t wrapped(std::int64_t dim, std::size_t ndim) {
  return static_cast<std::size_t>(dim < 0 ? dim + static_cast<std::int64_t>(ndim) : dim);
}

/// A dimension that may count from the end, counted from the start.
/// Errors: IndexError  "Dimension out of range (expected to be in range of [-2, 1], but got 2)".
PyResult<std::size_t> checked_dimension(Interpreter& interpreter, std::int64_t dim, std::size_t ndim);

/// One call of an op while it is carried out.
class OpCall {
 public:
  OpCall(Interpreter& in, const OpInfo& info, std::span<const Value> arguments)
      : interpreter(in), op(info), args(arguments) {}

  Interpreter& interpreter;
  const OpInfo& op;
  /// One value a parameter of the schema; what was not given has its default.
  std::span<const Value> args;
  /// Of an in-place call: the tensor that is to be written.
  Ref<Tensor> target;
  /// What the op gives, made by its shape rule.
  std::vector<Ref<Tensor>> outputs;
  /// The dtype that the shape rule chose to compute in.
  DType common = DType::Float32;

  /// The tensor that was given for parameter `i`, or null.
  Tensor* tensor(std::size_t i) const { return args[i].as<Tensor>(); }
  Tensor& required(std::size_t i) const { return *args[i].as<Tensor>(); }
  bool is_none(std::size_t i) const { return args[i].is_none(); }
  bool flag(std::size_t i) const { return args[i].as_bool(); }
  std::int64_t integer(std::size_t i) const { return args[i].as_int(); }
  double real(std::size_t i) const { return Number::of(args[i]).as_double(); }
  Dims dims(std::size_t i) const { return dims_of(args[i]); }
  /// The tensors of a tuple.
  std::vector<Tensor*> tensors(std::size_t i) const;
  DType dtype(std::size_t i, DType otherwise) const;

  /// Where the result lies: meta if any tensor does, else cuda if any does.
  Device device() const;
  /// Whether there are no bytes to work on.
  bool is_meta() const { return !outputs.empty() && outputs[0]->is_meta(); }
  Tensor& output(std::size_t i = 0) const { return *outputs[i]; }

  /// Makes the next output. Of an in-place call it is the target, which must have this shape and take this dtype.
  /// Errors: RuntimeError  it does not; the sizes overflow; there is not so much memory.
  PyResult<void> give(const Dims& shape, DType dtype);
  /// Makes the next output, whose items lie without gaps at these strides. Errors: as give().
  PyResult<void> give_strided(const Dims& shape, const Dims& strides, DType dtype, Device device);
  /// The next output looks at the bytes of `base`.
  PyResult<void> give_view(const Tensor& base, const Dims& shape, const Dims& strides, std::int64_t offset);
  void give(Ref<Tensor> made) { outputs.push_back(std::move(made)); }

  /// checked_dimension() in the interpreter of the call.
  PyResult<std::size_t> dimension(std::int64_t dim, std::size_t ndim) const {
    return checked_dimension(interpreter, dim, ndim);
  }
  /// Several of them, none twice; all of them where the value is None or empty.
  PyResult<std::vector<bool>> dimensions(const Value& dims, std::size_t ndim) const;
};

/// Is told of each op that is carried out, on meta tensors too; of ops that others are made of only the parts.
/// Threads: that of the interpreter.
class OpObserver {
 public:
  virtual ~OpObserver() = default;
  /// Its outputs are not there yet; it may fail.
  virtual void begins(const OpCall&) {}
  virtual void ran(const OpCall& call) = 0;
};

/// Decides shape and dtype of the outputs, and makes them.
using ShapeRule = PyResult<void> (*)(OpCall& call);
/// Fills the outputs that the shape rule made. Must hold: not meta.
using CpuBody = PyResult<void> (*)(OpCall& call);
/// An op that is made of others.
using CompositeBody = PyResult<Value> (*)(OpCall& call);
/// The gradient for one input.
using GradientFormula = Term (*)(Backward& backward);

/// The gradient for input `input`, and which arguments (bit i: argument i) and results (result(i)) it reads.
struct Gradient {
  std::uint8_t input = 0;
  std::uint32_t reads = 0;
  GradientFormula formula = nullptr;
};
constexpr std::uint32_t argument(unsigned i) { return 1U << i; }
constexpr std::uint32_t result(unsigned i = 0) { return 1U << (16U + i); }

/// How the items of new outputs lie.
enum class OutputOrder : std::uint8_t {
  Contiguous,
  /// As in the inputs, where these agree. Behaviour: aten/src/ATen/TensorIterator.cpp, compute_fast_setup_type,
  /// reorder_dimensions.
  OfInputs,
  /// Channels last where those of an input do. Behaviour: c10/core/TensorImpl.h, suggest_memory_format.
  ChannelsLast
};

/// What an op is made of. Either `composite` alone, or a shape rule with a body (a view has none) and, where it is
/// differentiable, gradients.
struct OpBodies {
  CompositeBody composite = nullptr;
  ShapeRule shape = nullptr;
  CpuBody cpu = nullptr;
  std::array<Gradient, 4> gradients{};
  /// In place of `gradients` where inputs are lists or gradients are computed together; reads what `joint_reads` says.
  PyResult<void> (*joint)(Backward& backward) = nullptr;
  std::uint32_t joint_reads = 0;
  /// The formulas of gradients of fp16 and bf16 run in float32, as one kernel of PyTorch's would.
  bool widens_gradients = false;
  /// The output is a view of the first argument (of split and its like: all outputs are).
  bool is_view = false;
  /// Each item of the output is read of the same item of the inputs: the body may write over its first input.
  bool is_elementwise = false;
  /// Outputs from this one on have no gradient (indices of max).
  std::uint8_t differentiable_outputs = 8;
  /// The name of the node in Python where it is not made of the op's: "MaxBackward1".
  std::string_view node_name = {};
  /// torch.return_types.<name> with these fields for several outputs; empty: a plain tuple.
  std::string_view result_fields = {};
  /// Arguments may lie on other devices than the output.
  bool crosses_devices = false;
  /// What is not contiguous the body writes as if it were, and it is put in order behind it; an op that goes item by
  /// item writes where the items lie, and is always OfInputs.
  OutputOrder order = OutputOrder::Contiguous;
};

/// The bodies of one row of ops.def. Each row has its specialisation in the file of its family.
template <OpId id>
OpBodies bodies();
#define NNS_OP(id, schema) \
  template <>              \
  OpBodies bodies<OpId::id>();
#include "core/ops/ops.def"
#undef NNS_OP

/// What a parameter takes, read from the schema.
enum class ParameterType : std::uint8_t {
  Tensor,
  Tensors,
  Number,
  TensorOrNumber,
  Int,
  Ints,
  Float,
  Bool,
  DType,
  Device,
  Layout,
  MemoryFormat,
  Generator,
  Text,
  Any
};

struct OpParameter {
  std::string name;
  ParameterType type = ParameterType::Any;
  bool is_optional = false;
  bool is_keyword_only = false;
  /// Of int[]: one int alone will do.
  bool takes_one_int = false;
  /// Absent: it must be given.
  Value default_value = Value::absent();
  /// The default as the schema writes it.
  std::string default_text = {};
};

/// Reads "Tensor input, int[1]? dim=None, *, bool keepdim=False".
std::vector<OpParameter> read_parameters(Interpreter& interpreter, std::string_view text);

/// Where Python finds an op.
struct OpPlaces {
  bool is_method = true;
  /// torch.<name>
  bool is_torch = true;
  /// "special" of special_i1, which is torch.special.i1; empty: there is none.
  std::string_view module = {};
};

/// One op: its row, read.
struct OpInfo {
  OpId id{};
  /// The function in Python: "max" of "max.dim".
  std::string name;
  /// "dim", or empty.
  std::string overload;
  std::vector<OpParameter> parameters;
  OpPlaces places;
  OpBodies bodies;
  std::string node_name;
  /// The class of its nodes, made when the first one is.
  mutable object::Class* node_class = nullptr;
  bool is_differentiable() const { return bodies.joint != nullptr || bodies.gradients[0].formula != nullptr; }
};

/// Whether operations are recorded: torch.no_grad, torch.inference_mode.
struct GradMode {
  bool is_enabled = true;
  bool is_inference = false;
  bool detects_anomalies = false;
  /// With anomaly detection: whether NaN in a gradient is an error.
  bool checks_nan = true;
};

/// What computes on the tensors of a CudaDevice. `native/cuda` has it and gives it to an interpreter with the device.
class CudaOps {
 public:
  virtual ~CudaOps() = default;
  /// An op begins: what is allocated until the next call is on its account. `name` must stay.
  virtual void begin(const char* name) = 0;
  /// Fills the outputs that the shape rule made.
  /// Errors: NotImplementedError  the op has no body for cuda; AcceleratorError  a launch failed, with the op's name.
  virtual PyResult<void> run(OpCall& call) = 0;
  /// run_elements() for an output on cuda.
  virtual PyResult<void> run_elements(const ElementCall& call) = 0;
};

/// Forward mode: gives the results of ops the tangents that those of their arguments come to.
class ForwardMode {
 public:
  virtual ~ForwardMode() = default;
  /// Whether an argument has a tangent.
  virtual bool concerns(const OpCall& call) = 0;
  /// `original`: of an in-place call, the target as it was before. Errors: those of the op's derivative.
  virtual PyResult<void> push(OpCall& call, const Ref<Tensor>& original) = 0;
};

/// What ops need of an interpreter.
class OpLibrary final : public Interpreter::Extension {
 public:
  static constexpr Interpreter::ExtensionSlot kSlot = Interpreter::ExtensionSlot::Ops;
  static OpLibrary& of(Interpreter& interpreter);
  explicit OpLibrary(Interpreter& interpreter);

  const OpInfo& info(OpId id) const { return infos_[static_cast<std::size_t>(id)]; }
  std::span<const OpInfo> all() const { return infos_; }
  GradMode grad_mode;
  Autocast autocast;
  /// With anomaly detection: the modules whose forward runs, the outermost first: "encoder (Linear)".
  std::vector<std::string> running_modules;
  /// The number of the next node: nodes made later are visited earlier.
  std::uint64_t next_node = 0;
  /// Takes the moments of results while they are written, or null: nobody wants them.
  ResultMoments* result_moments = nullptr;
  /// Who watches what ops compute, or null.
  OpObserver* observer = nullptr;
  /// Who watches a training (training_observer.h), or null.
  TrainingObserver* training = nullptr;
  /// Who pushes tangents forward (core/autograd/forward_mode.h), or null: no level is at work.
  ForwardMode* forward = nullptr;
  std::shared_ptr<ForwardMode> forward_mode;
  /// There where TensorLibrary::cuda is.
  std::shared_ptr<CudaOps> cuda;
  CudnnSwitches cudnn;

 private:
  std::vector<OpInfo> infos_;
};

/// Sets the grad mode for as long as it lives.
class GradModeGuard {
 public:
  GradModeGuard(Interpreter& interpreter, bool enabled) : mode_(OpLibrary::of(interpreter).grad_mode), before_(mode_) {
    mode_.is_enabled = enabled;
  }
  ~GradModeGuard() { mode_ = before_; }
  GradModeGuard(const GradModeGuard&) = delete;
  GradModeGuard& operator=(const GradModeGuard&) = delete;

 private:
  GradMode& mode_;
  GradMode before_;
};

/// Whether a result of dtype `result` may be written into a tensor of dtype `target`.
bool can_cast(DType result, DType target);

/// Calls an op: `args` are its first arguments, the rest have their defaults. Records it where a gradient may be asked.
/// Errors: TypeError, RuntimeError, IndexError in PyTorch's words.
PyResult<Value> call_op(Interpreter& interpreter, OpId id, std::span<const Value> args);
inline PyResult<Value> call_op(Interpreter& interpreter, OpId id, std::initializer_list<Value> args) {
  return call_op(interpreter, id, std::span<const Value>(args.begin(), args.size()));
}
/// The same for ops with one output.
PyResult<Ref<Tensor>> call_tensor_op(Interpreter& interpreter, OpId id, std::span<const Value> args);
/// self.op_(rest): writes the result into the first argument.
/// Errors: RuntimeError  a leaf that requires grad; the result does not fit.
PyResult<Ref<Tensor>> call_in_place(Interpreter& interpreter, OpId id, std::span<const Value> args);
/// A tensor full of a number, which may be complex. Errors: RuntimeError  it is, and `dtype` is not.
PyResult<Ref<Tensor>> full_of(Interpreter& interpreter, const Dims& shape, const Value& number, DType dtype,
                              Device device);

}  // namespace nns::ops
