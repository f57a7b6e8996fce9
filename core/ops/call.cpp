#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "core/object/instance.h"
#include "core/object/operations.h"
#include "core/ops/argument_list.h"
#include "core/ops/dispatch.h"
#include "core/ops/layouts.h"
#include "core/ops/memory_overlap.h"
#include "core/ops/node.h"
#include "core/ops/op_recorder.h"
#include "core/ops/python_function.h"
#include "core/ops/result_moments.h"
#include "core/ops/saved_hooks.h"
#include "core/tensor/capture.h"
#include "core/tensor/order.h"

namespace nns::ops {
namespace {

// The arguments with the defaults behind them; `room` holds them where defaults are needed.
PyResult<std::span<const Value>> complete(Interpreter& interpreter, const OpInfo& info, std::span<const Value> given,
                                          ArgumentList& room) {
  if (given.size() >= info.parameters.size()) return given;
  for (const Value& value : given) room.add(value);
  while (room.size() < info.parameters.size()) {
    const OpParameter& parameter = info.parameters[room.size()];
    if (parameter.default_value.is_absent()) {
      return object::type_error(interpreter, "{}() missing 1 required positional arguments: \"{}\"", info.name,
                                parameter.name);
    }
    room.add(parameter.default_value);
  }
  return room.span();
}

Value outputs_value(OpCall& call) {
  // unbind, split and their like give a tuple however many parts there are.
  const bool is_list = call.op.bodies.differentiable_outputs == 255;
  if (call.outputs.size() == 1 && !is_list) return Value(call.outputs[0]);
  std::vector<Value> items(call.outputs.begin(), call.outputs.end());
  if (!call.op.bodies.result_fields.empty()) {
    return named_result(call.interpreter, call.op.name, call.op.bodies.result_fields, std::move(items));
  }
  return Value(call.interpreter.tuple(std::move(items)));
}

// Calls use(tensor, name of its parameter) for every tensor among the arguments.
template <class Use>
void for_each_tensor(const OpCall& call, Use use) {
  for (std::size_t i = 0; i < call.args.size(); ++i) {
    const std::string& name = call.op.parameters[i].name;
    if (const Tensor* one = call.args[i].as<Tensor>()) {
      use(*one, name);
    } else if (const object::Tuple* tuple = call.args[i].as<object::Tuple>()) {
      for (const Value& item : tuple->items()) {
        if (const Tensor* part = item.as<Tensor>()) use(*part, name);
      }
    }
  }
}

bool goes_by_items(const OpCall& call) { return call.op.bodies.is_elementwise || call.op.id == OpId::where; }

object::PyError of_two_devices(const OpCall& call, Device first, Device other) {
  return object::runtime_error(
      call.interpreter, "Expected all tensors to be on the same device, but found at least two devices, {} and {}!",
      tensor::device_name(first), tensor::device_name(other));
}

// While a program is traced, meta tensors stand for those of another device.
bool stands_for_others(const OpCall& call) {
  return !OpLibrary::of(call.interpreter).autocast.meta_device_type.empty();
}

// Must hold: the output is of device meta. A tensor without dimensions on the CPU is a number.
PyResult<void> check_all_are_meta(const OpCall& call) {
  if (stands_for_others(call)) return {};
  const Tensor* other = nullptr;
  for_each_tensor(call, [&](const Tensor& tensor, const std::string&) {
    if (!tensor.is_meta() && (tensor.ndim() > 0 || tensor.device() != Device::Cpu)) other = &tensor;
  });
  if (other == nullptr) return {};
  return of_two_devices(call, Device::Meta, other->device());
}

// Behaviour: TensorIteratorBase::compute_types for ops that go item by item, for which a tensor without dimensions on
// the CPU is a number; common_device_check_failure for the others.
PyResult<void> check_devices(const OpCall& call) {
  if (call.op.bodies.crosses_devices) return {};
  const bool by_items = goes_by_items(call);
  const Tensor* first = nullptr;
  const Tensor* other = nullptr;
  const std::string* name = nullptr;
  for_each_tensor(call, [&](const Tensor& tensor, const std::string& parameter) {
    if (tensor.is_meta() || (by_items && tensor.ndim() == 0 && tensor.device() == Device::Cpu)) return;
    if (first == nullptr) first = &tensor;
    if (other == nullptr && tensor.device() != first->device()) {
      other = &tensor;
      name = &parameter;
    }
  });
  if (other == nullptr) return {};
  if (by_items || !(first->is_cuda() || other->is_cuda())) {
    // The CPU without a number is told last.
    if (first->device() == Device::Cpu) std::swap(first, other);
    return of_two_devices(call, first->device(), other->device());
  }
  return object::runtime_error(call.interpreter,
                               "Expected all tensors to be on the same device, but got {} is on {}, different from "
                               "other tensors on {} (when checking argument in method wrapper_CUDA_{})",
                               *name == "input" ? std::string_view("self") : std::string_view(*name),
                               tensor::device_name(other->device()), tensor::device_name(first->device()),
                               call.op.name);
}

// A call whose outputs are made, kept to be carried out again.
class CapturedCall {
 public:
  CapturedCall(tensor::Capture& capture, const OpCall& call)
      : arguments_(aliases(capture, call.interpreter, call.args)), call_(call.interpreter, call.op, arguments_) {
    for (const Ref<Tensor>& output : call.outputs) outputs_.push_back(capture.alias(*output));
    if (call.target) call_.target = outputs_[0];
    call_.common = call.common;
  }

  PyResult<void> run() {
    call_.outputs = outputs_;
    return call_.op.bodies.cpu(call_);
  }

 private:
  static std::vector<Value> aliases(tensor::Capture& capture, Interpreter& interpreter, std::span<const Value> values) {
    std::vector<Value> made;
    for (const Value& value : values) {
      if (const Tensor* one = value.as<Tensor>()) {
        made.emplace_back(capture.alias(*one));
      } else if (const object::Tuple* tuple = value.as<object::Tuple>()) {
        made.emplace_back(interpreter.tuple(aliases(capture, interpreter, tuple->items())));
      } else {
        made.push_back(value);
      }
    }
    return made;
  }

  std::vector<Value> arguments_;
  std::vector<Ref<Tensor>> outputs_;
  OpCall call_;
};

// The body of an op as an action of the capture that is under way.
PyResult<void> run_captured(tensor::Capture& capture, OpCall& call) {
  std::vector<const Tensor*> inputs, outputs;
  for_each_tensor(call, [&inputs](const Tensor& one, const std::string&) { inputs.push_back(&one); });
  for (const Ref<Tensor>& one : call.outputs) outputs.push_back(one.get());
  if (call.target) inputs.push_back(call.target.get());
  const bool is_nested = capture.is_inside();
  capture.begin(outputs, inputs);
  const std::vector<Ref<Tensor>> made = call.outputs;
  PyResult<void> done = call.op.bodies.cpu(call);
  if (!is_nested && !done.ok()) capture.refuse(fmt::format("{}() failed", call.op.name));
  if (!is_nested && call.outputs != made) {
    capture.refuse(fmt::format("what {}() gives has a shape that depends on values", call.op.name));
  }
  capture.end([&] {
    auto kept = std::make_shared<CapturedCall>(capture, call);
    return [kept] { return kept->run(); };
  });
  return done;
}

PyResult<void> run_body(OpCall& call, CudaOps* cuda) {
  if (cuda != nullptr && (call.device() == Device::Cuda || call.output().is_cuda())) return cuda->run(call);
  if (tensor::Capture* const capture = tensor::Capture::current()) [[unlikely]]
    return run_captured(*capture, call);
  return call.op.bodies.cpu(call);
}

// The outputs that the body wrote in order, as the inputs lie.
PyResult<void> put_in_order(OpCall& call) {
  for (Ref<Tensor>& output : call.outputs) {
    if (output == call.target || !output->is_contiguous()) continue;
    const std::optional<Dims> strides = output_strides(call, output->shape());
    if (!strides) continue;
    NNS_TRY_ASSIGN(const Ref<Tensor> made, tensor::try_empty_strided(call.interpreter, output->shape(), *strides,
                                                                     output->dtype(), output->device()));
    NNS_TRY(tensor::copy_items(*made, *output));
    if (output->is_inference()) made->mark_inference();
    output = made;
  }
  return {};
}

PyResult<void> carry_out(OpCall& call) {
  if (call.op.bodies.shape == nullptr) {
    return object::error<object::ErrorKind::NotImplementedError>(
        call.interpreter, "{}(): nothing computes in this program", call.op.name);
  }
  if (tensor::TensorLibrary::of(call.interpreter).any_sparse) [[unlikely]] {
    bool has_sparse = false;
    for_each_tensor(call, [&](const Tensor& one, const std::string&) { has_sparse |= one.sparse() != nullptr; });
    if (has_sparse) return tensor::no_sparse_kernel(call.interpreter, call.op.name);
    if (is_dispatched(call)) return dispatch(call);
  }
  CudaOps* const cuda = OpLibrary::of(call.interpreter).cuda.get();
  if (cuda != nullptr) {
    cuda->begin(call.op.name.c_str());
    NNS_TRY(check_devices(call));
  } else if (tensor::TensorLibrary::of(call.interpreter).virtual_devices > 0) {
    NNS_TRY(check_devices(call));
  }
  NNS_TRY(call.op.bodies.shape(call));
  if (call.op.bodies.cpu == nullptr) return {};
  if (call.is_meta()) {
    if (goes_by_items(call) && !call.op.bodies.crosses_devices) NNS_TRY(check_all_are_meta(call));
  } else {
    // Nothing can be read from a tensor without items. Behaviour: as TensorIterator tells of several devices.
    if (call.target && !call.op.bodies.crosses_devices && call.device() == Device::Meta) {
      if (stands_for_others(call)) return {};
      return of_two_devices(call, Device::Meta, call.output().device());
    }
    if (ResultMoments* const moments = OpLibrary::of(call.interpreter).result_moments; moments != nullptr) [[unlikely]]
      moments->op_begins(call.op.bodies.is_elementwise);
    NNS_TRY(run_body(call, cuda));
  }
  if (call.op.bodies.order != OutputOrder::Contiguous) return put_in_order(call);
  return {};
}

PyResult<void> run(OpCall& call) {
  OpObserver*& observer = OpLibrary::of(call.interpreter).observer;
  if (observer == nullptr) [[likely]]
    return carry_out(call);
  // What an op calls is part of it.
  OpObserver* const watching = std::exchange(observer, nullptr);
  watching->begins(call);
  PyResult<void> done = carry_out(call);
  observer = watching;
  if (done.ok()) watching->ran(call);
  return done;
}

}  // namespace

// Behaviour: c10/core/ScalarType.h, canCast.
bool can_cast(DType result, DType target) {
  if (tensor::is_complex(result) && !tensor::is_complex(target)) return false;
  if (tensor::is_floating(result) && tensor::is_integral(target)) return false;
  return result == DType::Bool || target != DType::Bool;
}

Dims dims_of(const Value& value) {
  const object::Tuple* const tuple = value.as<object::Tuple>();
  if (tuple == nullptr) return Dims({value.as_int()});
  Dims made(tuple->size(), 0);
  for (std::size_t i = 0; i < tuple->size(); ++i) made[i] = (*tuple)[i].as_int();
  return made;
}

std::vector<Tensor*> OpCall::tensors(std::size_t i) const {
  std::vector<Tensor*> made;
  if (const object::Tuple* tuple = args[i].as<object::Tuple>()) {
    for (const Value& item : tuple->items()) made.push_back(item.as<Tensor>());
  }
  return made;
}

DType OpCall::dtype(std::size_t i, DType otherwise) const {
  if (args[i].is_none()) return otherwise;
  return tensor::dtype_of(interpreter, args[i]).value();
}

Device OpCall::device() const {
  Device found = Device::Cpu;
  for_each_tensor(*this, [&](const Tensor& tensor, const std::string&) {
    if (tensor.is_meta() || found == Device::Cpu) found = tensor.device();
  });
  return found;
}

namespace {

// Whether a result of this shape and dtype may be written into `target`.
PyResult<void> check_fits(Interpreter& interpreter, const Tensor& target, const Dims& shape, DType dtype) {
  if (!(target.shape() == shape)) {
    return object::runtime_error(interpreter, "output with shape [{}] doesn't match the broadcast shape [{}]",
                                 fmt::join(target.shape().span(), ", "), fmt::join(shape.span(), ", "));
  }
  if (can_cast(dtype, target.dtype())) return {};
  return object::runtime_error(interpreter, "result type {} can't be cast to the desired output type {}",
                               tensor::info(dtype).scalar_name, tensor::info(target.dtype()).scalar_name);
}

}  // namespace

PyResult<void> OpCall::give(const Dims& shape, DType dtype) {
  if (target && outputs.empty()) {
    NNS_TRY(check_fits(interpreter, *target, shape, dtype));
    outputs.push_back(target);
    return {};
  }
  NNS_TRY_ASSIGN(Ref<Tensor> made, tensor::try_empty(interpreter, shape, dtype, device()));
  if (op.bodies.is_elementwise && outputs.empty()) {
    if (const std::optional<Dims> strides = output_strides(*this, shape)) [[unlikely]]
      made = tensor::make_tensor(interpreter, {made->storage(), shape, *strides, 0, dtype});
  }
  if (OpLibrary::of(interpreter).grad_mode.is_inference) made->mark_inference();
  outputs.push_back(std::move(made));
  return {};
}

PyResult<void> OpCall::give_strided(const Dims& shape, const Dims& strides, DType dtype, Device device) {
  NNS_TRY_ASSIGN(Ref<Tensor> made, tensor::try_empty_strided(interpreter, shape, strides, dtype, device));
  if (OpLibrary::of(interpreter).grad_mode.is_inference) made->mark_inference();
  outputs.push_back(std::move(made));
  return {};
}

PyResult<void> OpCall::give_view(const Tensor& base, const Dims& shape, const Dims& strides, std::int64_t offset) {
  NNS_TRY(tensor::check_sizes(interpreter, shape));
  outputs.push_back(tensor::make_tensor(interpreter, {base.storage(), shape, strides, offset, base.dtype()}));
  if (base.is_inference()) outputs.back()->mark_inference();
  return {};
}

PyResult<std::size_t> checked_dimension(Interpreter& interpreter, std::int64_t dim, std::size_t ndim) {
  const auto count = static_cast<std::int64_t>(ndim == 0 ? 1 : ndim);
  if (dim < -count || dim >= count) {
    return object::error<object::ErrorKind::IndexError>(
        interpreter, "Dimension out of range (expected to be in range of [{}, {}], but got {})", -count, count - 1,
        dim);
  }
  return wrapped(dim, static_cast<std::size_t>(count));
}

PyResult<std::vector<bool>> OpCall::dimensions(const Value& dims, std::size_t ndim) const {
  std::vector<bool> chosen(ndim, false);
  std::vector<std::int64_t> wanted;
  if (const object::Tuple* tuple = dims.as<object::Tuple>()) {
    for (const Value& item : tuple->items()) wanted.push_back(item.as_int());
  } else if (!dims.is_none()) {
    wanted.push_back(dims.as_int());
  }
  if (wanted.empty()) chosen.assign(ndim, true);
  if (!wanted.empty() && ndim > 64) {
    return object::runtime_error(interpreter, "only tensors with up to 64 dims are supported");
  }
  for (const std::int64_t dim : wanted) {
    NNS_TRY_ASSIGN(const std::size_t place, dimension(dim, ndim));
    if (ndim == 0) continue;
    if (chosen[place])
      return object::runtime_error(interpreter, "dim {} appears multiple times in the list of dims", place);
    chosen[place] = true;
  }
  return chosen;
}

namespace {

// A recorder takes ops that are made of others where it knows them; all others always.
OpRecorder* taken_by(Interpreter& interpreter, const OpInfo& info) {
  OpRecorder* const recorder = OpRecorder::of(interpreter);
  if (recorder == nullptr || (info.bodies.composite != nullptr && !recorder->takes("", info.name))) return nullptr;
  return recorder;
}

RecordedCall recorded_call(const OpInfo& info, std::span<const Value> args, bool is_in_place) {
  RecordedCall call{.place = "", .name = info.name, .is_in_place = is_in_place, .arguments = {}};
  for (std::size_t i = 0; i < args.size(); ++i) {
    call.add(info.parameters[i].name, args[i], info.parameters[i].default_value);
  }
  return call;
}

}  // namespace

namespace {

// What a derivative or a composite op calls with a sparse tensor is answered as a call of a program is.
PyResult<Value> answer_for_sparse(const OpCall& call, std::size_t given, std::string_view name) {
  bool has_sparse = false;
  for_each_tensor(call, [&](const Tensor& one, const std::string&) { has_sparse |= one.sparse() != nullptr; });
  if (!has_sparse) return Value::absent();
  std::vector<Value> positional;
  std::vector<object::Keyword> keywords;
  for (std::size_t i = 0; i < given; ++i) {
    const OpParameter& parameter = call.op.parameters[i];
    if (parameter.is_keyword_only) {
      keywords.push_back({call.interpreter.intern(parameter.name), call.args[i]});
    } else {
      positional.push_back(call.args[i]);
    }
  }
  return tensor::sparse_answer(call.interpreter, name, {positional, keywords});
}

}  // namespace

PyResult<Value> call_op(Interpreter& interpreter, OpId id, std::span<const Value> args) {
  OpLibrary& library = OpLibrary::of(interpreter);
  const OpInfo& info = library.info(id);
  if (library.autocast.is_active()) [[unlikely]] {
    if (const Autocast::Casting casting = library.autocast.casting_of(id, args)) {
      NNS_TRY_ASSIGN(const std::vector<Value> cast, library.autocast.cast(interpreter, casting, &info, args));
      const Autocast::Suspended suspended(library.autocast);
      return call_op(interpreter, id, cast);
    }
  }
  if (library.observer != nullptr) [[unlikely]] {
    if (OpRecorder* const recorder = taken_by(interpreter, info)) {
      return record_call(interpreter, *recorder, recorded_call(info, args, false),
                         [&] { return call_op(interpreter, id, args); });
    }
  }
  ArgumentList room;
  NNS_TRY_ASSIGN(const std::span<const Value> all, complete(interpreter, info, args, room));
  OpCall call(interpreter, info, all);
  if (tensor::TensorLibrary::of(interpreter).any_sparse) [[unlikely]] {
    NNS_TRY_ASSIGN(Value of_sparse, answer_for_sparse(call, args.size(), info.name));
    if (!of_sparse.is_absent()) return of_sparse;
  }
  if (info.bodies.composite != nullptr) return info.bodies.composite(call);
  NNS_TRY(run(call));
  if (is_recording(call)) NNS_TRY(record(call, nullptr));
  // What a class gives for a view may be no view of ours.
  if (info.bodies.is_view && (call.outputs.empty() || call.output().storage() == call.required(0).storage())) {
    note_view(call);
  }
  if (library.forward != nullptr && library.forward->concerns(call)) [[unlikely]]
    NNS_TRY(library.forward->push(call, nullptr));
  return outputs_value(call);
}

PyResult<Ref<Tensor>> call_tensor_op(Interpreter& interpreter, OpId id, std::span<const Value> args) {
  NNS_TRY_ASSIGN(const Value made, call_op(interpreter, id, args));
  return Ref<Tensor>(made.as<Tensor>());
}

// What may not be written in place, or not from these arguments.
// Behaviour: aten/src/ATen/TensorIterator.cpp, compute_mem_overlaps; those that go by indices warn or raise by
// themselves.
static PyResult<void> check_overlaps(const OpCall& call, const Tensor& target) {
  switch (call.op.id) {
    // What writes the same twice does no harm.
    case OpId::fill:
    case OpId::threshold:
      return {};
    case OpId::masked_fill:
    case OpId::index_put:
      if (has_places_twice(target)) {
        const bool is_masked = call.op.id == OpId::masked_fill;
        call.interpreter.warn(
            object::ErrorKind::UserWarning,
            fmt::format(
                "Use of {}_ on expanded tensors is deprecated. Please clone() the tensor before performing this "
                "operation. This also applies to advanced indexing e.g. tensor[{}",
                is_masked ? "masked_fill" : "index_put", is_masked ? "mask] = scalar" : "indices] = tensor"));
        return {};
      }
      if (call.op.id == OpId::masked_fill) return check_overlap(call.interpreter, target, call.args.subspan(1, 1));
      return check_disjoint(call.interpreter, target, call.args.subspan(1));
    case OpId::scatter:
    case OpId::scatter_add:
    case OpId::scatter_reduce:
    case OpId::index_add:
    case OpId::index_reduce:
      return check_disjoint(call.interpreter, target, call.args.subspan(1));
    default:
      break;
  }
  if (!call.op.bodies.is_elementwise) return check_places_differ(call.interpreter, target);
  return check_overlap(call.interpreter, target, call.args.subspan(1));
}

// Whether the body writes only the items that an index names, of values that lie elsewhere, when it is given the tensor
// itself: then nothing else of it is touched. All places were checked before the first is written.
static bool writes_named_items(const OpCall& call) {
  switch (call.op.id) {
    case OpId::index_put:
    case OpId::scatter:
    case OpId::scatter_add:
    case OpId::index_add:
      return call.device() == Device::Cpu;
    default:
      return false;
  }
}

// The same where a class or a mode carries out the op.
static PyResult<Ref<Tensor>> dispatch_in_place(OpCall& call, const Ref<Tensor>& target, bool recording) {
  if (recording) NNS_TRY(check_recorded_write(*target));
  Value original(target);
  if (recording && reads_first_argument(call)) {
    NNS_TRY_ASSIGN(original, call_op(call.interpreter, OpId::clone, std::array{original}));
  }
  call.target = target;
  NNS_TRY(run(call));
  target->bump_version();
  if (recording) NNS_TRY(record(call, Ref<Tensor>(original.as<Tensor>())));
  return target;
}

PyResult<Ref<Tensor>> call_in_place(Interpreter& interpreter, OpId id, std::span<const Value> args) {
  OpLibrary& library = OpLibrary::of(interpreter);
  const OpInfo& info = library.info(id);
  if (library.observer != nullptr) [[unlikely]] {
    if (OpRecorder* const recorder = OpRecorder::of(interpreter)) {
      NNS_TRY_ASSIGN(const Value made,
                     record_call(interpreter, *recorder, recorded_call(info, args, true), [&]() -> PyResult<Value> {
                       NNS_TRY_ASSIGN(Ref<Tensor> written, call_in_place(interpreter, id, args));
                       return Value(std::move(written));
                     }));
      return Ref<Tensor>(made.as<Tensor>());
    }
  }
  ArgumentList room;
  NNS_TRY_ASSIGN(const std::span<const Value> all, complete(interpreter, info, args, room));
  OpCall call(interpreter, info, all);
  Ref<Tensor> target(all[0].as<Tensor>());
  if (tensor::TensorLibrary::of(interpreter).any_sparse) [[unlikely]] {
    NNS_TRY_ASSIGN(const Value of_sparse, answer_for_sparse(call, args.size(), info.name + "_"));
    if (!of_sparse.is_absent()) return target;
  }
  if (info.bodies.composite != nullptr) {
    // The ops that it is made of are recorded, and so is the copy of what they give. What they keep of the target is
    // what stood there before.
    std::vector<Value> before(all.begin(), all.end());
    if (is_recording(call)) {
      NNS_TRY_ASSIGN(before[0], call_op(interpreter, OpId::clone, {all[0]}));
    }
    OpCall beside(interpreter, info, before);
    NNS_TRY_ASSIGN(const Value made, info.bodies.composite(beside));
    NNS_TRY(check_fits(interpreter, *target, made.as<Tensor>()->shape(), made.as<Tensor>()->dtype()));
    return call_in_place(interpreter, OpId::copy, std::array{all[0], made});
  }
  const bool recording = is_recording(call);
  if (tensor::TensorLibrary::of(interpreter).any_sparse && is_dispatched(call)) [[unlikely]] {
    return dispatch_in_place(call, target, recording);
  }
  NNS_TRY(check_overlaps(call, *target));
  if (library.grad_mode.is_enabled || target->is_inference()) NNS_TRY(check_writable(*target));
  if (recording) NNS_TRY(check_recorded_write(*target));
  NNS_TRY(SavedTensorHooks::tell_write(interpreter, all[0]));
  // The value before, where the gradient asks for it.
  Ref<Tensor> original;
  const bool is_pushed = library.forward != nullptr && library.forward->concerns(call);
  if ((recording && reads_first_argument(call)) || is_pushed) {
    original = tensor::clone(*target);
    // Gradients of gradients flow back through it.
    NNS_TRY_ASSIGN(Ref<Node> before, grad_node(*target));
    if (before) original->set_grad_fn(Ref<object::Object>(before.get()), target->output_number());
  }
  if (!info.bodies.is_elementwise && !writes_named_items(call)) {
    // Whatever reads items again after it wrote others is computed beside, then copied.
    Value made;
    {
      GradModeGuard no_grad(interpreter, false);
      NNS_TRY_ASSIGN(made, call_op(interpreter, id, all));
    }
    const Tensor& result = *made.as<Tensor>();
    NNS_TRY(check_fits(interpreter, *target, result.shape(), target->dtype()));
    NNS_TRY(tensor::copy_items(*target, result));
    call.outputs.push_back(target);
  } else {
    call.target = target;
    NNS_TRY(run(call));
  }
  target->bump_version();
  if (library.result_moments != nullptr && info.bodies.is_elementwise) [[unlikely]]
    library.result_moments->wrote_in_place(*target);
  if (tensor::Capture* const capture = tensor::Capture::current()) [[unlikely]]
    capture->note_write(*target);
  if (recording) NNS_TRY(record(call, original ? original : target));
  if (is_pushed) [[unlikely]]
    NNS_TRY(library.forward->push(call, original));
  return target;
}

}  // namespace nns::ops
