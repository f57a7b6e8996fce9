#pragma once

#include "core/parallel/connector.h"
#include "core/python/eval/machine.h"
#include "core/tensor/tensor.h"

namespace nns::python {

/// What torch._C._distributed_c10d is made of; the rest of torch.distributed is written in Python.

/// torch.distributed.ProcessGroup as a program holds it.
class GroupObject final : public object::Instance {
 public:
  GroupObject(Class& cls, std::shared_ptr<parallel::ProcessGroup> shown, std::string called)
      : Instance(cls), group(std::move(shown)), name(std::move(called)) {}
  std::shared_ptr<parallel::ProcessGroup> group;
  std::string name;
  std::chrono::milliseconds timeout{std::chrono::minutes(30)};
};

/// torch.distributed.Work.
class WorkObject final : public object::Container {
 public:
  WorkObject(Class& cls, parallel::WorkHandle shown) : Container(cls), work(std::move(shown)) {}
  parallel::WorkHandle work;
  /// What result() gives.
  std::vector<Ref<tensor::Tensor>> results;
  /// Tensors that do not lie on the CPU in order without gaps, and what was communicated in their place.
  std::vector<std::pair<Ref<tensor::Tensor>, Ref<tensor::Tensor>>> to_copy;

  /// Copies back what stood in for others; once.
  PyResult<void> finish();
  void traverse(object::Visitor& visitor) const override;
  void clear_references() override;
};

using DistributedArgs = std::span<const Value>;

/// The class of that name in torch._C._distributed_c10d. Must hold: it was added.
Class& distributed_class(Interpreter& interpreter, std::string_view name);
/// Adds a class there, whose instances no program makes by calling it.
Class& add_distributed_class(Interpreter& interpreter, std::string_view name);
void add_distributed_function(Interpreter& interpreter, std::string_view signature, object::NativeBody body);

/// The tensors of a list. Errors: TypeError  something else.
PyResult<std::vector<Ref<tensor::Tensor>>> tensor_list(Interpreter& interpreter, const Value& list);
PyResult<std::string> text_argument(Interpreter& interpreter, const Value& value);
/// Seconds as a number; None: `otherwise`.
PyResult<std::chrono::milliseconds> time_argument(Interpreter& interpreter, const Value& seconds,
                                                  std::chrono::milliseconds otherwise);
/// Errors: TypeError  no group.
PyResult<GroupObject*> group_argument(Interpreter& interpreter, const Value& value);

/// The parts.
void add_process_groups(Interpreter& interpreter);
void add_stores(Interpreter& interpreter);
void add_reducer(Interpreter& interpreter);
void add_distributed_tensors(Interpreter& interpreter);

}  // namespace nns::python
