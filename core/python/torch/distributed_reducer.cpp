// What DistributedDataParallel has of C++. Behaviour: torch/csrc/distributed/c10d/init.cpp, reducer.hpp, logger.cpp.
#include <fmt/format.h>

#include "core/object/operations.h"
#include "core/ops/python_function.h"
#include "core/parallel/module_sync.h"
#include "core/python/torch/distributed.h"
#include "core/python/torch/parts.h"

namespace nns::python {
namespace {

using Args = DistributedArgs;
using parallel::GradBucket;
using parallel::Reducer;
using tensor::Tensor;

PyResult<Reducer*> reducer_of(Interpreter& in, const Value& value) {
  auto* reducer = value.as<Reducer>();
  if (reducer == nullptr) return object::type_error(in, "expected Reducer, not {}", in.type_of(value).name());
  return reducer;
}
PyResult<GradBucket*> bucket_of(Interpreter& in, const Value& value) {
  auto* bucket = value.as<GradBucket>();
  if (bucket == nullptr) return object::type_error(in, "expected GradBucket, not {}", in.type_of(value).name());
  return bucket;
}

PyResult<std::vector<std::int64_t>> numbers_argument(Interpreter& in, const Value& list) {
  std::vector<std::int64_t> numbers;
  NNS_TRY(object::for_each(in, list, [&](const Value& one) -> PyResult<void> {
    NNS_TRY_ASSIGN(const std::int64_t number, object::index(in, one));
    numbers.push_back(number);
    return {};
  }));
  return numbers;
}
PyResult<std::vector<bool>> flags_argument(Interpreter& in, const Value& list) {
  std::vector<bool> flags;
  NNS_TRY(object::for_each(in, list, [&](const Value& one) -> PyResult<void> {
    NNS_TRY_ASSIGN(const bool flag, object::truth(in, one));
    flags.push_back(flag);
    return {};
  }));
  return flags;
}

template <class Numbers>
Value list_of(Interpreter& in, const Numbers& numbers) {
  std::vector<Value> items;
  for (const auto number : numbers) items.emplace_back(static_cast<std::int64_t>(number));
  return Value(in.list(std::move(items)));
}
Value tensors_value(Interpreter& in, const std::vector<Ref<Tensor>>& tensors) {
  return Value(in.list(std::vector<Value>(tensors.begin(), tensors.end())));
}

PyResult<Value> assign(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const std::vector<Ref<Tensor>> tensors, tensor_list(in, a[0]));
  NNS_TRY_ASSIGN(const std::vector<std::int64_t> limits, numbers_argument(in, a[1]));
  NNS_TRY_ASSIGN(const std::vector<bool> sparse, flags_argument(in, a[2]));
  NNS_TRY_ASSIGN(const std::vector<std::int64_t> given, numbers_argument(in, a[3]));
  const std::vector<std::size_t> indices(given.begin(), given.end());
  // Behaviour: the checks of compute_bucket_assignment_by_size.
  if (limits.empty()) return object::runtime_error(in, "bucket_size_limits must not be empty.");
  if (tensors.empty()) return object::runtime_error(in, "tensors must not be empty.");
  if (!indices.empty() && indices.size() != tensors.size()) {
    return object::runtime_error(in, "expected one index a tensor, got {} for {}", indices.size(), tensors.size());
  }
  const parallel::BucketAssignment made = parallel::assign_buckets(tensors, limits, sparse, indices);
  std::vector<Value> buckets;
  for (const auto& bucket : made.buckets) buckets.push_back(list_of(in, bucket));
  return Value(in.tuple({Value(in.list(std::move(buckets))), list_of(in, made.limits)}));
}

// Reducer(parameters, buckets, group, expects_sparse, limits, find_unused, as_view, names, shows_names)
PyResult<Value> make_reducer(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(std::vector<Ref<Tensor>> parameters, tensor_list(in, a[1]));
  std::vector<std::vector<std::size_t>> buckets;
  std::vector<bool> seen(parameters.size(), false);
  std::size_t placed = 0;
  NNS_TRY(object::for_each(in, a[2], [&](const Value& one) -> PyResult<void> {
    NNS_TRY_ASSIGN(const std::vector<std::int64_t> indices, numbers_argument(in, one));
    std::vector<std::size_t> bucket;
    for (const std::int64_t index : indices) {
      const auto at = static_cast<std::size_t>(index);
      if (index < 0 || at >= seen.size() || seen[at] || parameters[at]->is_meta() ||
          parameters[at]->dtype() != parameters[static_cast<std::size_t>(indices[0])]->dtype()) {
        return object::runtime_error(in, "parameter {} cannot be in this bucket", index);
      }
      seen[at] = true;
      ++placed;
      bucket.push_back(at);
    }
    if (!bucket.empty()) buckets.push_back(std::move(bucket));
    return {};
  }));
  if (placed != parameters.size()) return object::runtime_error(in, "every parameter must be in one bucket");
  NNS_TRY_ASSIGN(GroupObject* const group, group_argument(in, a[3]));
  parallel::ReducerOptions options;
  NNS_TRY_ASSIGN(options.expects_sparse, flags_argument(in, a[4]));
  NNS_TRY_ASSIGN(options.bucket_limits, numbers_argument(in, a[5]));
  if (options.bucket_limits.empty()) return object::runtime_error(in, "bucket_size_limits must not be empty.");
  NNS_TRY_ASSIGN(options.find_unused_parameters, object::truth(in, a[6]));
  NNS_TRY_ASSIGN(options.gradient_as_bucket_view, object::truth(in, a[7]));
  NNS_TRY(object::for_each(in, a[8], [&](const Value& one) -> PyResult<void> {
    NNS_TRY_ASSIGN(std::string name, text_argument(in, one));
    options.names.push_back(std::move(name));
    return {};
  }));
  NNS_TRY_ASSIGN(options.shows_names, object::truth(in, a[9]));
  options.timeout = group->timeout;
  return Value(object::make<Reducer>(distributed_class(in, "Reducer"), group->group, std::move(parameters),
                                     std::move(buckets), std::move(options)));
}

void add_steps(Class& cls) {
  cls.def("prepare_for_forward(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Reducer* const self, reducer_of(in, a[0]));
    self->prepare_for_forward();
    return Value();
  });
  cls.def("prepare_for_backward(self, tensors)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Reducer* const self, reducer_of(in, a[0]));
    NNS_TRY_ASSIGN(const std::vector<Ref<Tensor>> outputs, tensor_list(in, a[1]));
    NNS_TRY(self->prepare_for_backward(outputs));
    return Value();
  });
  cls.def("_rebuild_buckets(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Reducer* const self, reducer_of(in, a[0]));
    NNS_TRY_ASSIGN(const bool did, self->rebuild_buckets());
    return Value(bool{did});
  });
  cls.def("_push_all_rebuilt_params(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Reducer* const self, reducer_of(in, a[0]));
    self->push_all_parameters();
    return Value();
  });
  cls.def("_should_rebuild_buckets(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Reducer* const self, reducer_of(in, a[0]));
    return Value(self->should_rebuild_buckets());
  });
  cls.def("_register_comm_hook(self, state, hook)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Reducer* const self, reducer_of(in, a[0]));
    NNS_TRY(self->register_comm_hook(a[1], a[2]));
    return Value();
  });
  cls.def("_set_static_graph(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Reducer* const self, reducer_of(in, a[0]));
    self->set_static_graph();
    return Value();
  });
  cls.def("_set_forward_pass_work_handle(self, work, use_static_world_size)",
          [](Interpreter& in, Args a) -> PyResult<Value> {
            NNS_TRY_ASSIGN(Reducer* const self, reducer_of(in, a[0]));
            NNS_TRY_ASSIGN(const bool is_static, object::truth(in, a[2]));
            const auto* work = a[1].as<WorkObject>();
            if (work == nullptr || work->results.empty()) return object::type_error(in, "expected Work of a tensor");
            self->set_forward_pass_work(work->work, is_static ? nullptr : work->results[0]);
            return Value();
          });
  cls.def("_get_zeros_like_grad_buckets(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Reducer* const self, reducer_of(in, a[0]));
    return self->shadow_buckets();
  });
  cls.def("_all_reduce_used_parameters_as_none(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Reducer* const self, reducer_of(in, a[0]));
    NNS_TRY(self->all_reduce_used_parameters_as_none());
    return Value();
  });
}

void add_facts(Class& cls) {
  cls.def("_iterations(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Reducer* const self, reducer_of(in, a[0]));
    return Value(self->iterations());
  });
  cls.def("_has_rebuilt_buckets(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Reducer* const self, reducer_of(in, a[0]));
    return Value(self->has_rebuilt_buckets());
  });
  cls.def("_grad_ready_order(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Reducer* const self, reducer_of(in, a[0]));
    return list_of(in, self->grad_ready_order());
  });
  // [(bytes, parameters), ...]
  cls.def("_buckets(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Reducer* const self, reducer_of(in, a[0]));
    std::vector<Value> buckets;
    for (const Reducer::BucketFacts& one : self->bucket_facts()) {
      buckets.emplace_back(in.tuple({Value(static_cast<std::int64_t>(one.bytes)), list_of(in, one.parameters)}));
    }
    return Value(in.list(std::move(buckets)));
  });
}

// Views of the buffer, also of one that a hook has put in the place of the first: it may have another dtype.
PyResult<Value> gradients_of(Interpreter& in, const GradBucket& bucket) {
  if (!bucket.has_other_buffer) return tensors_value(in, bucket.gradients);
  std::vector<Value> views;
  std::int64_t at = 0;
  for (const Ref<Tensor>& gradient : bucket.gradients) {
    const std::int64_t count = gradient->numel();
    NNS_TRY_ASSIGN(const Value part,
                   in.call_method(Value(bucket.buffer), in.intern("narrow"), {Value(0), Value(at), Value(count)}));
    NNS_TRY_ASSIGN(Value view, in.call_method(part, in.intern("view_as"), {Value(gradient)}));
    views.push_back(std::move(view));
    at += count;
  }
  return Value(in.list(std::move(views)));
}

void add_bucket(Interpreter& interpreter) {
  Class& cls = add_distributed_class(interpreter, "GradBucket");
  cls.def("index(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(GradBucket* const self, bucket_of(in, a[0]));
    return Value(static_cast<std::int64_t>(self->index));
  });
  cls.def("is_last(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(GradBucket* const self, bucket_of(in, a[0]));
    return Value(bool{self->is_last});
  });
  cls.def("buffer(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(GradBucket* const self, bucket_of(in, a[0]));
    return Value(self->buffer);
  });
  cls.def("gradients(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(GradBucket* const self, bucket_of(in, a[0]));
    return gradients_of(in, *self);
  });
  cls.def("parameters(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(GradBucket* const self, bucket_of(in, a[0]));
    return tensors_value(in, self->parameters);
  });
  cls.def("set_buffer(self, buffer)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(GradBucket* const self, bucket_of(in, a[0]));
    Tensor* const given = a[1].as<Tensor>();
    if (given == nullptr) return object::type_error(in, "expected torch.Tensor, not {}", in.type_of(a[1]).name());
    self->buffer = Ref<Tensor>(given);
    self->has_other_buffer = true;
    return Value();
  });
  Class& reducer = distributed_class(interpreter, "Reducer");
  reducer.attribute("_grad_bucket", Value(static_cast<object::Object*>(&cls)));
}

}  // namespace

void add_reducer(Interpreter& interpreter) {
  Class& cls = add_distributed_class(interpreter, "Reducer");
  cls.def_static(
      "__new__(cls, parameters, buckets, group, expects_sparse, limits, find_unused, as_view, names, shows_names)",
      make_reducer);
  cls.def("__init__(self, *args)", [](Interpreter&, Args) -> PyResult<Value> { return Value(); });
  add_steps(cls);
  add_facts(cls);
  add_bucket(interpreter);
  add_distributed_function(
      interpreter,
      "_compute_bucket_assignment_by_size(tensors, bucket_size, expect_sparse_gradient=(), tensor_indices=())", assign);
  add_distributed_function(interpreter, "_broadcast_coalesced(process_group, tensors, buffer_size, src=0)",
                           [](Interpreter& in, Args a) -> PyResult<Value> {
                             NNS_TRY_ASSIGN(GroupObject* const group, group_argument(in, a[0]));
                             NNS_TRY_ASSIGN(const std::vector<Ref<Tensor>> tensors, tensor_list(in, a[1]));
                             NNS_TRY_ASSIGN(const std::int64_t most, object::index(in, a[2]));
                             NNS_TRY_ASSIGN(const std::int64_t root, object::index(in, a[3]));
                             if (root < 0 || root >= group->group->size()) {
                               return object::value_error(in, "rank {} is not in the group", root);
                             }
                             const ops::GradModeGuard no_grad(in, false);
                             NNS_TRY(parallel::broadcast_coalesced(in, *group->group, tensors, most,
                                                                   static_cast<int>(root), group->timeout));
                             return Value();
                           });
  add_distributed_function(interpreter, "_verify_params_across_processes(process_group, params, logger=None)",
                           [](Interpreter& in, Args a) -> PyResult<Value> {
                             NNS_TRY_ASSIGN(GroupObject* const group, group_argument(in, a[0]));
                             NNS_TRY_ASSIGN(const std::vector<Ref<Tensor>> tensors, tensor_list(in, a[1]));
                             NNS_TRY(parallel::verify_parameters(in, *group->group, tensors, group->timeout));
                             return Value();
                           });
  // The same in two halves: gives a function that does the second.
  add_distributed_function(
      interpreter, "_begin_verifying_params(process_group, params)", [](Interpreter& in, Args a) -> PyResult<Value> {
        NNS_TRY_ASSIGN(GroupObject* const group, group_argument(in, a[0]));
        NNS_TRY_ASSIGN(const std::vector<Ref<Tensor>> tensors, tensor_list(in, a[1]));
        NNS_TRY_ASSIGN(parallel::FinishCheck finish,
                       parallel::begin_verifying_parameters(in, *group->group, tensors, group->timeout));
        return Value(in.function("finish()",
                                 [finish = std::move(finish)](Interpreter&, std::span<const Value>) -> PyResult<Value> {
                                   NNS_TRY(finish());
                                   return Value();
                                 }));
      });
  ops::python_module(interpreter, "torch._C._distributed_c10d")
      .set(interpreter.intern("_DEFAULT_FIRST_BUCKET_BYTES"), Value(parallel::kDefaultFirstBucketBytes));
}

void fill_distributed(Machine& machine) {
  Interpreter& interpreter = machine.interpreter();
  add_process_groups(interpreter);
  add_stores(interpreter);
  add_reducer(interpreter);
  add_distributed_tensors(interpreter);
  parallel::ParallelLibrary::of(interpreter).take_interrupt = [&machine] { return machine.take_interrupt(); };
}

}  // namespace nns::python
