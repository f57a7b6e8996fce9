#include "core/optim/swa_utils.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/object/copy.h"
#include "core/object/operations.h"
#include "core/ops/op.h"
#include "core/ops/term.h"
#include "core/optim/group_options.h"
#include "core/optim/lr_scheduler.h"
#include "core/optim/tensor_steps.h"

// Behaviour: torch/optim/swa_utils.py.
namespace nns::optim {
namespace {

using nn::Module;
using ops::OpId;
using ops::Term;

// averaged = averaged moved towards current by `weight`, in its own dtype.
PyResult<void> move_towards(Interpreter& in, Tensor& averaged, const Tensor& current, double weight) {
  const Ref<Tensor> target = tensor::detach(averaged);
  const Ref<Tensor> source = tensor::detach(current);
  if (tensor::is_differentiable(averaged.dtype())) {
    NNS_TRY_ASSIGN(const Ref<Tensor> same, tensor::to(*source, averaged.dtype(), averaged.device()));
    return write(in, OpId::lerp, {Value(target), Value(same), Value(weight)});
  }
  const Term moved = Term(target) * (1 - weight) + Term(source) * weight;
  if (!moved.ok()) return moved.result().error();
  return tensor::copy_(averaged, moved.tensor());
}

PyResult<double> read_decay(Interpreter& in, const Value& value) {
  NNS_TRY_ASSIGN(const double decay, number_of(in, value));
  if (decay >= 0 && decay <= 1) return decay;
  NNS_TRY_ASSIGN(const std::string shown, object::str(in, value));
  return object::value_error(in, "Invalid decay value {} provided. Please provide a value in [0,1] range.", shown);
}

// A function of two lists of tensors and the count of averages.
Value list_function(Interpreter& in, std::string_view signature, const std::function<double(double)>& weight_of) {
  return Value(in.function(signature, [weight_of](Interpreter& interpreter, Args a) -> PyResult<Value> {
    const ops::GradModeGuard no_grad(interpreter, false);
    NNS_TRY_ASSIGN(const std::vector<Value> averaged, object::to_vector(interpreter, a[0]));
    NNS_TRY_ASSIGN(const std::vector<Value> current, object::to_vector(interpreter, a[1]));
    NNS_TRY_ASSIGN(const double count, number_of(interpreter, a[2]));
    for (std::size_t i = 0; i < averaged.size() && i < current.size(); ++i) {
      Tensor* const to = averaged[i].as<Tensor>();
      const Tensor* const from = current[i].as<Tensor>();
      if (to == nullptr || from == nullptr) return object::type_error(interpreter, "expected Tensors");
      NNS_TRY(move_towards(interpreter, *to, *from, weight_of(count)));
    }
    return Value();
  }));
}

// The same of one tensor, which gives the new average.
Value tensor_function(Interpreter& in, std::string_view signature, const std::function<double(double)>& weight_of) {
  return Value(in.function(signature, [weight_of](Interpreter& interpreter, Args a) -> PyResult<Value> {
    const ops::GradModeGuard no_grad(interpreter, false);
    const Tensor* const averaged = a[0].as<Tensor>();
    const Tensor* const current = a[1].as<Tensor>();
    if (averaged == nullptr || current == nullptr) return object::type_error(interpreter, "expected Tensors");
    NNS_TRY_ASSIGN(const double count, number_of(interpreter, a[2]));
    const Ref<Tensor> made = tensor::clone(*averaged);
    NNS_TRY(move_towards(interpreter, *made, *current, weight_of(count)));
    return Value(made);
  }));
}

double equal_share(double count) { return 1 / (count + 1); }

PyResult<std::vector<Ref<Tensor>>> averaged_tensors(Module& module, bool with_buffers) {
  NNS_TRY_ASSIGN(std::vector<Ref<Tensor>> tensors, module.parameters());
  if (!with_buffers) return tensors;
  NNS_TRY_ASSIGN(const std::vector<Ref<Tensor>> buffers, module.buffers());
  tensors.insert(tensors.end(), buffers.begin(), buffers.end());
  return tensors;
}

PyResult<void> update_average(Interpreter& in, const Value& self_value, const Value& model_value) {
  const ops::GradModeGuard no_grad(in, false);
  Module& self = *nn::as_module(self_value);
  Module* const model = nn::as_module(model_value);
  if (model == nullptr) {
    return object::attribute_error(in, "'{}' object has no attribute 'parameters'", in.type_of(model_value).name());
  }
  NNS_TRY_ASSIGN(const Value own_value, self.getattr("module"));
  Module& own = *nn::as_module(own_value);
  NNS_TRY_ASSIGN(const Value buffers_flag, self.getattr("use_buffers"));
  NNS_TRY_ASSIGN(const bool with_buffers, object::truth(in, buffers_flag));
  NNS_TRY_ASSIGN(const Value count_value, self.getattr("n_averaged"));
  NNS_TRY_ASSIGN(const double count, number_of(in, count_value));
  NNS_TRY_ASSIGN(const Value avg_fn, self.getattr("avg_fn"));
  NNS_TRY_ASSIGN(const Value multi_avg_fn, self.getattr("multi_avg_fn"));
  NNS_TRY_ASSIGN(const std::vector<Ref<Tensor>> mine, averaged_tensors(own, with_buffers));
  NNS_TRY_ASSIGN(const std::vector<Ref<Tensor>> theirs, averaged_tensors(*model, with_buffers));
  const std::size_t both = std::min(mine.size(), theirs.size());
  if (count == 0) {
    for (std::size_t i = 0; i < both; ++i) NNS_TRY(tensor::copy_(*mine[i], *theirs[i]));
  } else if (!multi_avg_fn.is_none()) {
    std::vector<Value> averaged, current;
    for (std::size_t i = 0; i < both; ++i) {
      averaged.emplace_back(tensor::detach(*mine[i]));
      current.emplace_back(tensor::detach(*theirs[i]));
    }
    NNS_TRY(in.call(multi_avg_fn, {Value(in.list(averaged)), Value(in.list(current)), count_value}));
    for (std::size_t i = 0; i < both; ++i) mine[i]->bump_version();
  } else if (!avg_fn.is_none()) {
    for (std::size_t i = 0; i < both; ++i) {
      const Value arguments[] = {Value(tensor::detach(*mine[i])), Value(tensor::detach(*theirs[i])), count_value};
      NNS_TRY_ASSIGN(const Value made, in.call(avg_fn, arguments));
      if (made.as<Tensor>() == nullptr) return object::type_error(in, "avg_fn must return a Tensor");
      NNS_TRY(tensor::copy_(*mine[i], *made.as<Tensor>()));
    }
  } else {
    for (std::size_t i = 0; i < both; ++i) NNS_TRY(move_towards(in, *mine[i], *theirs[i], equal_share(count)));
  }
  if (!with_buffers) {
    NNS_TRY_ASSIGN(const std::vector<Ref<Tensor>> own_buffers, own.buffers());
    NNS_TRY_ASSIGN(const std::vector<Ref<Tensor>> its_buffers, model->buffers());
    for (std::size_t i = 0; i < own_buffers.size() && i < its_buffers.size(); ++i) {
      NNS_TRY(tensor::copy_(*own_buffers[i], *its_buffers[i]));
    }
  }
  return write(in, OpId::add, {count_value, Value(1)});
}

PyResult<Value> init_average(Interpreter& in, Args a) {
  if (!a[3].is_none() && !a[4].is_none()) {
    return object::make_error(in, object::ErrorKind::AssertionError,
                              "Only one of avg_fn and multi_avg_fn should be provided");
  }
  Module& self = *nn::as_module(a[0]);
  self.init();
  NNS_TRY_ASSIGN(const Value copy, object::deep_copy(in, a[1]));
  NNS_TRY(self.setattr("module", copy));
  tensor::Device device = tensor::Device::Cpu;
  if (!a[2].is_none()) {
    NNS_TRY_ASSIGN(device, tensor::device_of(in, a[2]));
    if (nn::as_module(copy) != nullptr) NNS_TRY(nn::as_module(copy)->to(std::nullopt, device));
  }
  NNS_TRY(self.register_buffer("n_averaged", Value(tensor::zeros(in, {}, tensor::DType::Int64, device))));
  NNS_TRY(self.setattr("avg_fn", a[3]));
  NNS_TRY(self.setattr("multi_avg_fn", a[4]));
  NNS_TRY(self.setattr("use_buffers", a[5]));
  return Value();
}

// Runs the loader's batches through the model, so that its batch norms see how their inputs are distributed.
PyResult<Value> update_bn(Interpreter& in, Args a) {
  const ops::GradModeGuard no_grad(in, false);
  Module* const model = nn::as_module(a[1]);
  if (model == nullptr) return object::type_error(in, "model must be a Module, not {}", in.type_of(a[1]).name());
  const Class* const batch_norm = nn::NnLibrary::of(in).find_class("BatchNorm1d")->bases()[0].get();
  NNS_TRY_ASSIGN(const std::vector<nn::NamedModule> all, model->named_modules());
  const Name momentum = in.intern("momentum");
  std::vector<std::pair<Ref<Module>, Value>> momenta;
  for (const nn::NamedModule& one : all) {
    if (!one.module->type().is_subclass_of(*batch_norm)) continue;
    NNS_TRY(in.call_method(Value(one.module), in.intern("reset_running_stats")));
    NNS_TRY_ASSIGN(const Value before, one.module->getattr(momentum));
    momenta.emplace_back(one.module, before);
  }
  if (momenta.empty()) return Value();
  const bool was_training = model->training();
  NNS_TRY(model->train());
  for (const auto& [module, before] : momenta) NNS_TRY(module->setattr(momentum, Value()));
  const auto run = [&](const Value& batch) -> PyResult<void> {
    Value input = batch;
    if (batch.as<List>() != nullptr || batch.as<object::Tuple>() != nullptr) {
      NNS_TRY_ASSIGN(input, object::getitem(in, batch, Value(0)));
    }
    if (!a[2].is_none()) {
      NNS_TRY_ASSIGN(input, in.call_method(input, in.intern("to"), {a[2]}));
    }
    NNS_TRY_ASSIGN(const Value ignored, in.call(a[1], {input}));
    return {};
  };
  NNS_TRY(object::for_each(in, a[0], run));
  for (const auto& [module, before] : momenta) NNS_TRY(module->setattr(momentum, before));
  NNS_TRY(model->train(was_training));
  return Value();
}

double share_of(const std::string& strategy, double t) {
  return strategy == "cos" ? (1 - std::cos(std::numbers::pi * t)) / 2 : t;
}

PyResult<std::vector<Value>> swa_rates(SchedulerSelf& self) {
  NNS_TRY_ASSIGN(std::int64_t step, self.integer("_step_count"));
  NNS_TRY_ASSIGN(const std::int64_t epochs, self.integer("anneal_epochs"));
  NNS_TRY_ASSIGN(const Value strategy_value, self.get("_anneal_strategy"));
  NNS_TRY_ASSIGN(const std::string strategy, object::str(self.interpreter, strategy_value));
  --step;
  if (epochs == 0) step = std::max<std::int64_t>(1, step);
  const auto length = static_cast<double>(std::max<std::int64_t>(1, epochs));
  const double before = share_of(strategy, std::clamp(static_cast<double>(step - 1) / length, 0.0, 1.0));
  const double now = share_of(strategy, std::clamp(static_cast<double>(step) / length, 0.0, 1.0));
  NNS_TRY_ASSIGN(const std::vector<double> rates, self.numbers_of("lr"));
  NNS_TRY_ASSIGN(const std::vector<double> targets, self.numbers_of("swa_lr"));
  std::vector<Value> made;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    // The rate that annealing began with, found back.
    const double start = before == 1 ? targets[i] : (rates[i] - before * targets[i]) / (1 - before);
    made.emplace_back(targets[i] * now + start * (1 - now));
  }
  return made;
}

PyResult<Value> init_swa_lr(Interpreter& in, Args a) {
  const SchedulerSelf self(in, a[0]);
  NNS_TRY_ASSIGN(Optimizer* const optimizer, require_optimizer(in, a[1]));
  NNS_TRY_ASSIGN(List* const groups, optimizer->param_groups());
  NNS_TRY_ASSIGN(const std::vector<Value> rates, one_for_each_group(in, "swa_lr", groups->size(), a[2]));
  for (std::size_t i = 0; i < groups->size(); ++i) {
    if (Dict* group = groups->items()[i].as<Dict>()) group->set(in.intern("swa_lr"), rates[i]);
  }
  NNS_TRY_ASSIGN(const std::string strategy, object::str(in, a[4]));
  if (strategy != "cos" && strategy != "linear") {
    return object::value_error(in, "anneal_strategy must by one of 'cos' or 'linear', instead got {}", strategy);
  }
  if (!a[3].is_int() || a[3].as_int() < 0) {
    NNS_TRY_ASSIGN(const std::string shown, object::str(in, a[3]));
    return object::value_error(in, "anneal_epochs must be equal or greater than 0, got {}", shown);
  }
  self.set("_anneal_strategy", a[4]);
  self.set("anneal_epochs", a[3]);
  NNS_TRY(self.init_base(a[1], a[5]));
  return Value();
}

}  // namespace

template <>
void define_scheduler<SchedulerId::SWALR>(Class& cls) {
  cls.def("__init__(self, optimizer, swa_lr, anneal_epochs=10, anneal_strategy='cos', last_epoch=-1)", init_swa_lr);
  define_get_lr(cls, swa_rates);
}

Value swa_function(Interpreter& interpreter, std::string_view name) {
  const auto maker = [&interpreter](std::string_view signature, object::NativeBody body) {
    return Value(interpreter.function(signature, std::move(body)));
  };
  if (name == "update_bn") return maker("update_bn(loader, model, device=None)", update_bn);
  if (name == "get_ema_multi_avg_fn") {
    return maker("get_ema_multi_avg_fn(decay=0.999)", [](Interpreter& in, Args a) -> PyResult<Value> {
      NNS_TRY_ASSIGN(const double decay, read_decay(in, a[0]));
      return list_function(in, "ema_update(ema_param_list, current_param_list, _)",
                           [decay](double) { return 1 - decay; });
    });
  }
  if (name == "get_swa_multi_avg_fn") {
    return maker("get_swa_multi_avg_fn()", [](Interpreter& in, Args) -> PyResult<Value> {
      return list_function(in, "swa_update(averaged_param_list, current_param_list, num_averaged)", equal_share);
    });
  }
  if (name == "get_ema_avg_fn") {
    return maker("get_ema_avg_fn(decay=0.999)", [](Interpreter& in, Args a) -> PyResult<Value> {
      NNS_TRY_ASSIGN(const double decay, read_decay(in, a[0]));
      return tensor_function(in, "ema_update(ema_param, current_param, num_averaged)",
                             [decay](double) { return 1 - decay; });
    });
  }
  if (name == "get_swa_avg_fn") {
    return maker("get_swa_avg_fn()", [](Interpreter& in, Args) -> PyResult<Value> {
      return tensor_function(in, "swa_update(averaged_param, current_param, num_averaged)", equal_share);
    });
  }
  return Value::absent();
}

PyResult<Ref<Module>> make_averaged_model(Interpreter& interpreter, const Value& model, const Keywords& keywords) {
  Class* const cls = OptimLibrary::of(interpreter).averaged_model;
  NNS_TRY_ASSIGN(const Value made, interpreter.call(Value(static_cast<object::Object*>(cls)), {&model, 1},
                                                    keywords_of(interpreter, keywords)));
  return Ref<Module>(nn::as_module(made));
}

Class& make_averaged_model_class(Interpreter& interpreter) {
  Class& cls = interpreter.define_class(
      {.name = "AveragedModel", .module = "torch.optim.swa_utils", .bases = {nn::NnLibrary::of(interpreter).module}});
  cls.def("__init__(self, model, device=None, avg_fn=None, multi_avg_fn=None, use_buffers=False)", init_average);
  cls.def("forward(self, *args, **kwargs)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Value module, nn::as_module(a[0])->getattr("module"));
    std::vector<object::Keyword> named;
    Dict& more = *a[2].as<Dict>();
    for (std::size_t at = 0; Dict::Entry* entry = more.next(at);) {
      named.push_back({in.intern(*entry->key.as<object::Str>()), entry->value});
    }
    return in.call(module, a[1].as<object::Tuple>()->items(), named);
  });
  cls.def("update_parameters(self, model)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY(update_average(in, a[0], a[1]));
    return Value();
  });
  return cls;
}

}  // namespace nns::optim
