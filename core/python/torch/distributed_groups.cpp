// torch.distributed.ProcessGroup and Work. Behaviour: torch/csrc/distributed/c10d/init.cpp.
#include <fmt/format.h>

#include "core/object/operations.h"
#include "core/ops/python_function.h"
#include "core/parallel/reducer.h"
#include "core/python/torch/distributed.h"
#include "core/python/torch/parts.h"

namespace nns::python {
namespace {

using Args = DistributedArgs;
using parallel::Collective;
using parallel::CollectiveKind;
using tensor::Tensor;

constexpr std::string_view kModule = "torch._C._distributed_c10d";

class Call {
 public:
  /// `group`: tensors that lie where it reaches are communicated from there; null: from the CPU.
  Call(Interpreter& in, const parallel::ProcessGroup* group) : in_(in), group_(group) {}

  PyResult<void> add_inputs(const Value& list) {
    NNS_TRY_ASSIGN(const std::vector<Ref<Tensor>> given, tensor_list(in_, list));
    for (const Ref<Tensor>& one : given) {
      NNS_TRY(note_dtype(*one));
      NNS_TRY_ASSIGN(Ref<Tensor> own, plain(one));
      collective.inputs.emplace_back(parallel::bytes_of(*own));
      kept_.push_back(std::move(own));
    }
    return {};
  }
  PyResult<void> add_outputs(const Value& list) {
    NNS_TRY_ASSIGN(results_, tensor_list(in_, list));
    for (const Ref<Tensor>& one : results_) {
      NNS_TRY(note_dtype(*one));
      NNS_TRY_ASSIGN(Ref<Tensor> own, plain(one));
      if (!(own == one)) to_copy_.emplace_back(one, own);
      one->bump_version();
      collective.outputs.push_back(parallel::bytes_of(*own));
      kept_.push_back(std::move(own));
    }
    return {};
  }

  std::shared_ptr<const void> keeper() const { return std::make_shared<std::vector<Ref<Tensor>>>(kept_); }
  PyResult<Value> started(parallel::WorkHandle work) {
    const auto made = object::make<WorkObject>(distributed_class(in_, "Work"), std::move(work));
    made->results = results_;
    made->to_copy = std::move(to_copy_);
    return Value(made);
  }

  Collective collective;

 private:
  // A tensor whose bytes can be communicated: itself, or a copy that stands in for it.
  PyResult<Ref<Tensor>> plain(const Ref<Tensor>& given) {
    if (given->is_meta()) return object::runtime_error(in_, "tensors on meta have nothing to communicate");
    Ref<Tensor> own = given;
    if (given->device() != collective.device) {
      NNS_TRY_ASSIGN(own, tensor::on_host(*given));
    }
    if (own->is_contiguous()) return own;
    return tensor::clone(*tensor::detach(*own));
  }
  PyResult<void> note_dtype(const Tensor& one) {
    if (kept_.empty()) {
      collective.dtype = one.dtype();
      if (one.is_cuda() && group_ != nullptr && group_->reaches(one.device())) collective.device = one.device();
    }
    if (collective.device == tensor::Device::Cuda && !one.is_cuda()) {
      return object::runtime_error(in_, "Expected all tensors of a collective on cuda, but found one on {}",
                                   tensor::device_name(one.device()));
    }
    if (one.dtype() == collective.dtype) return {};
    return object::runtime_error(in_, "Invalid usage of tensors with different dtypes Found {} and  {}",
                                 tensor::torch_dtype_text(collective.dtype), tensor::torch_dtype_text(one.dtype()));
  }

  Interpreter& in_;
  const parallel::ProcessGroup* group_;
  std::vector<Ref<Tensor>> kept_, results_;
  std::vector<std::pair<Ref<Tensor>, Ref<Tensor>>> to_copy_;
};

// _start(self, kind, op, root, inputs, outputs, timeout, subject)
PyResult<Value> start(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(GroupObject* const self, group_argument(in, a[0]));
  Call call(in, self->group.get());
  NNS_TRY_ASSIGN(const std::string kind, text_argument(in, a[1]));
  bool is_known = false;
  for (int i = 0; i <= static_cast<int>(CollectiveKind::Barrier); ++i) {
    if (kind != collective_name(static_cast<CollectiveKind>(i))) continue;
    call.collective.kind = static_cast<CollectiveKind>(i);
    is_known = true;
  }
  NNS_TRY_ASSIGN(const std::int64_t op, object::index(in, a[2]));
  if (!is_known || op < 0 || op > static_cast<int>(parallel::ReduceOp::PremulSum)) {
    return object::value_error(in, "there is no collective {} with operation {}", kind, op);
  }
  call.collective.op = static_cast<parallel::ReduceOp>(op);
  NNS_TRY_ASSIGN(const std::int64_t root, object::index(in, a[3]));
  call.collective.root = root < 0 || root >= self->group->size() ? -1 : static_cast<int>(root);
  NNS_TRY(call.add_inputs(a[4]));
  NNS_TRY(call.add_outputs(a[5]));
  NNS_TRY_ASSIGN(call.collective.timeout, time_argument(in, a[6], self->timeout));
  NNS_TRY_ASSIGN(call.collective.subject, text_argument(in, a[7]));
  call.collective.keeper = call.keeper();
  // What is wrong with the call itself is told before anything starts.
  const base::Result<void> checked = check_collective(call.collective, self->group->rank(), self->group->size());
  if (!checked.ok()) return object::runtime_error(in, "{}", checked.error().message());
  return call.started(self->group->start(std::move(call.collective)));
}

PyResult<Value> point_to_point(Interpreter& in, Args a, bool is_send) {
  NNS_TRY_ASSIGN(GroupObject* const self, group_argument(in, a[0]));
  parallel::PointToPoint how;
  NNS_TRY_ASSIGN(const std::int64_t peer, object::index(in, a[2]));
  if (peer >= self->group->size() || peer < (is_send ? 0 : -1)) {
    return object::value_error(in, "rank {} is not in a group of {} ranks", peer, self->group->size());
  }
  if (peer == self->group->rank()) {
    return object::value_error(in,
                               "Invalid {} rank: {} rank should not be the same as the rank of the current process.",
                               is_send ? "destination" : "source", is_send ? "destination" : "source");
  }
  how.peer = static_cast<int>(peer);
  NNS_TRY_ASSIGN(how.tag, object::index(in, a[3]));
  NNS_TRY_ASSIGN(how.timeout, time_argument(in, a[4], self->timeout));
  // From rank to rank bytes go by the CPU.
  Call call(in, nullptr);
  const Value list(in.list({a[1]}));
  if (is_send) {
    NNS_TRY(call.add_inputs(list));
  } else {
    NNS_TRY(call.add_outputs(list));
  }
  how.dtype = call.collective.dtype;
  how.keeper = call.keeper();
  return call.started(is_send ? self->group->send(call.collective.inputs[0], how)
                              : self->group->receive(call.collective.outputs[0], how));
}

PyResult<WorkObject*> work_of(Interpreter& in, const Value& value) {
  auto* work = value.as<WorkObject>();
  if (work == nullptr) return object::type_error(in, "expected Work, not {}", in.type_of(value).name());
  return work;
}

PyResult<Value> wait(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(WorkObject* const self, work_of(in, a[0]));
  const Ref<WorkObject> keep(self);
  std::optional<std::chrono::milliseconds> timeout;
  if (!a[1].is_none()) {
    NNS_TRY_ASSIGN(timeout, time_argument(in, a[1], std::chrono::milliseconds(0)));
    // Behaviour: kNoTimeout.
    if (*timeout <= std::chrono::milliseconds(0)) timeout.reset();
  }
  NNS_TRY(parallel::wait_for_work(in, *self->work, timeout));
  NNS_TRY(self->finish());
  return Value(true);
}

void add_work(Interpreter& interpreter) {
  Class& cls = add_distributed_class(interpreter, "Work");
  cls.def("_wait(self, seconds=None)", wait);
  cls.def("is_completed(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(WorkObject* const self, work_of(in, a[0]));
    if (!self->work->is_completed()) return Value(false);
    if (self->work->result().ok()) NNS_TRY(self->finish());
    return Value(true);
  });
  cls.def("is_success(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(WorkObject* const self, work_of(in, a[0]));
    return Value(self->work->is_completed() && self->work->result().ok());
  });
  cls.def("exception(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(WorkObject* const self, work_of(in, a[0]));
    if (!self->work->is_completed()) return Value();
    const base::Result<void> result = self->work->result();
    if (result.ok()) return Value();
    const PyError error = object::runtime_error(in, "{}", result.error().message());
    return Value(static_cast<object::Object*>(&error.exception()));
  });
  cls.def("result(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(WorkObject* const self, work_of(in, a[0]));
    std::vector<Value> tensors(self->results.begin(), self->results.end());
    return Value(in.list(std::move(tensors)));
  });
  cls.def("_source_rank(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(WorkObject* const self, work_of(in, a[0]));
    return Value(std::int64_t{self->work->source_rank()});
  });
}

}  // namespace

PyResult<void> WorkObject::finish() {
  for (const auto& [target, copy] : std::exchange(to_copy, {})) NNS_TRY(tensor::copy_items(*target, *copy));
  return {};
}

void WorkObject::traverse(object::Visitor& visitor) const {
  for (const Ref<Tensor>& one : results) visitor.visit(one);
  for (const auto& [target, copy] : to_copy) {
    visitor.visit(target);
    visitor.visit(copy);
  }
}

void WorkObject::clear_references() {
  results.clear();
  to_copy.clear();
}

Class& distributed_class(Interpreter& interpreter, std::string_view name) {
  return *ops::python_module(interpreter, kModule).find(interpreter.intern(name))->as<Class>();
}

Class& add_distributed_class(Interpreter& interpreter, std::string_view name) {
  Class& cls = interpreter.define_class({.name = name, .module = kModule});
  ops::python_module(interpreter, kModule).set(interpreter.intern(name), Value(static_cast<object::Object*>(&cls)));
  return cls;
}

void add_distributed_function(Interpreter& interpreter, std::string_view signature, object::NativeBody body) {
  add_module_function(interpreter, kModule, signature, std::move(body));
}

PyResult<std::vector<Ref<Tensor>>> tensor_list(Interpreter& interpreter, const Value& list) {
  std::vector<Ref<Tensor>> tensors;
  NNS_TRY(object::for_each(interpreter, list, [&](const Value& one) -> PyResult<void> {
    Tensor* const tensor = one.as<Tensor>();
    if (tensor == nullptr) {
      return object::type_error(interpreter, "expected torch.Tensor, not {}", interpreter.type_of(one).name());
    }
    tensors.emplace_back(tensor);
    return {};
  }));
  return tensors;
}

PyResult<std::string> text_argument(Interpreter& interpreter, const Value& value) {
  if (const auto* text = value.as<object::Str>()) return std::string(text->view());
  return object::type_error(interpreter, "expected str, not {}", interpreter.type_of(value).name());
}

PyResult<std::chrono::milliseconds> time_argument(Interpreter& interpreter, const Value& seconds,
                                                  std::chrono::milliseconds otherwise) {
  if (seconds.is_none()) return otherwise;
  if (!seconds.is_float() && !seconds.is_int()) {
    return object::type_error(interpreter, "expected seconds, not {}", interpreter.type_of(seconds).name());
  }
  const double given = seconds.is_float() ? seconds.as_float() : static_cast<double>(seconds.as_int());
  // Longer than any program runs.
  constexpr double kMostSeconds = 1e9;
  if (!(given > 0)) return std::chrono::milliseconds(0);
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::min(given, kMostSeconds) * 1000));
}

PyResult<GroupObject*> group_argument(Interpreter& interpreter, const Value& value) {
  auto* group = value.as<GroupObject>();
  if (group == nullptr || !group->group) {
    return object::type_error(interpreter, "expected ProcessGroup, not {}", interpreter.type_of(value).name());
  }
  return group;
}

void add_process_groups(Interpreter& interpreter) {
  add_work(interpreter);
  Class& cls = add_distributed_class(interpreter, "ProcessGroup");
  cls.def("rank(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(GroupObject* const self, group_argument(in, a[0]));
    return Value(std::int64_t{self->group->rank()});
  });
  cls.def("size(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(GroupObject* const self, group_argument(in, a[0]));
    return Value(std::int64_t{self->group->size()});
  });
  cls.property("group_name", [](Interpreter& in, const Value& self) -> PyResult<Value> {
    NNS_TRY_ASSIGN(GroupObject* const group, group_argument(in, self));
    return in.text(group->name);
  });
  cls.def("_get_sequence_number_for_group(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(GroupObject* const self, group_argument(in, a[0]));
    return Value(static_cast<std::int64_t>(self->group->sequence_number()));
  });
  cls.def("_set_default_timeout(self, seconds)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(GroupObject* const self, group_argument(in, a[0]));
    NNS_TRY_ASSIGN(self->timeout, time_argument(in, a[1], self->timeout));
    return Value();
  });
  cls.def("_start(self, kind, op, root, inputs, outputs, timeout, subject)", start);
  cls.def("_send(self, tensor, peer, tag, timeout)",
          [](Interpreter& in, Args a) { return point_to_point(in, a, true); });
  cls.def("_receive(self, tensor, peer, tag, timeout)",
          [](Interpreter& in, Args a) { return point_to_point(in, a, false); });
}

}  // namespace nns::python
