#include "core/nn/functional.h"
#include "core/nn/init.h"
#include "core/nn/layer_definition.h"

// Behaviour: torch/nn/modules/batchnorm.py and instancenorm.py.
namespace nns::nn {
namespace {

constexpr std::string_view kLoadSignature =
    "_load_from_state_dict(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, "
    "error_msgs)";

// super()._load_from_state_dict(...), seen from `cls`.
PyResult<Value> load_as_base(Interpreter& in, const Class& cls, std::span<const Value> args) {
  const Value* base = args[0].object()->type().lookup_after(in.intern("_load_from_state_dict"), cls);
  const Value function = *base;
  return in.call(function, args);
}

// local_metadata["version"], or None.
Value version_of(Interpreter& in, const Value& local_metadata) {
  object::Dict* metadata = local_metadata.as<object::Dict>();
  const Value* version = metadata == nullptr ? nullptr : metadata->find(in.intern("version"));
  return version == nullptr ? Value() : *version;
}

Value key_below(Interpreter& in, const Value& prefix, std::string_view name) {
  const object::Str* text = prefix.as<object::Str>();
  return in.text(fmt::format("{}{}", text == nullptr ? std::string_view() : text->view(), name));
}

PyResult<void> init_norm_base(LayerInit& self) {
  Interpreter& in = self.interpreter;
  NNS_TRY_ASSIGN(const Factory factory, self.factory(self[5], self[6]));
  NNS_TRY(self.set("num_features", self[0]));
  NNS_TRY(self.set("eps", self[1]));
  NNS_TRY(self.set("momentum", self[2]));
  NNS_TRY(self.set("affine", self[3]));
  NNS_TRY(self.set("track_running_stats", self[4]));
  NNS_TRY_ASSIGN(const std::int64_t count, self.int_argument(0));
  NNS_TRY_ASSIGN(const bool affine, self.bool_argument(3));
  NNS_TRY_ASSIGN(const bool tracks, self.bool_argument(4));
  NNS_TRY_ASSIGN(const bool has_bias, self.bool_argument(7));
  NNS_TRY(tensor::check_not_negative(in, {count}));
  NNS_TRY(self.add_parameter_if(affine, "weight", {count}, factory));
  NNS_TRY(self.add_parameter_if(affine && has_bias, "bias", {count}, factory));
  for (const auto& [name, start] : {std::pair("running_mean", 0.0), std::pair("running_var", 1.0)}) {
    Value statistics;
    if (tracks) {
      NNS_TRY_ASSIGN(statistics, tensor::try_full(in, {count}, start, factory.dtype, factory.device));
    }
    NNS_TRY(self.add_buffer(name, statistics));
  }
  NNS_TRY(self.add_buffer("num_batches_tracked",
                          tracks ? Value(tensor::zeros(in, {}, tensor::DType::Int64, factory.device)) : Value()));
  NNS_TRY(self.call("reset_parameters"));
  return {};
}

PyResult<Value> reset_running_stats(LayerSelf& self) {
  NNS_TRY_ASSIGN(const bool tracks, self.is_true("track_running_stats"));
  if (!tracks) return Value();
  const std::pair<std::string_view, double> starts[] = {
      {"running_mean", 0}, {"running_var", 1}, {"num_batches_tracked", 0}};
  for (const auto& [name, value] : starts) {
    NNS_TRY_ASSIGN(Tensor* const buffer, self.get_tensor(name));
    if (buffer != nullptr) tensor::fill_(*buffer, value);
  }
  return Value();
}

PyResult<Value> reset_parameters(LayerSelf& self) {
  NNS_TRY(self.call("reset_running_stats"));
  NNS_TRY_ASSIGN(const bool affine, self.is_true("affine"));
  if (!affine) return Value();
  NNS_TRY_ASSIGN(Tensor* const weight, self.get_tensor("weight"));
  NNS_TRY_ASSIGN(Tensor* const bias, self.get_tensor("bias"));
  if (weight != nullptr) init::constant_(*weight, 1);
  if (bias != nullptr) init::constant_(*bias, 0);
  return Value();
}

// Behaviour: _NormBase._load_from_state_dict: before version 2 there was no counter, so a missing one is no error.
void define_counter_loading(LayerDefinition& layer) {
  layer.cls.def(kLoadSignature, [cls = &layer.cls](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
    LayerSelf self(in, a[0]);
    const Value version = version_of(in, a[3]);
    NNS_TRY_ASSIGN(const bool tracks, self.is_true("track_running_stats"));
    if (tracks && (version.is_none() || (version.is_int() && version.as_int() < 2))) {
      const Value key = key_below(in, a[2], "num_batches_tracked");
      object::Dict* state = a[1].as<object::Dict>();
      if (state != nullptr && !state->contains(key)) {
        NNS_TRY_ASSIGN(Tensor* const counter, self.get_tensor("num_batches_tracked"));
        const bool keep = counter != nullptr && !counter->is_meta();
        state->set(key, keep ? Value(counter) : Value(tensor::zeros(in, {}, tensor::DType::Int64)));
      }
    }
    return load_as_base(in, *cls, a);
  });
}

// Behaviour: _InstanceNorm._load_from_state_dict: before versions were written, statistics were always tracked.
void define_statistics_refusal(LayerDefinition& layer) {
  layer.cls.def(kLoadSignature, [cls = &layer.cls](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
    LayerSelf self(in, a[0]);
    NNS_TRY_ASSIGN(const bool tracks, self.is_true("track_running_stats"));
    object::Dict* state = a[1].as<object::Dict>();
    object::List* errors = a[7].as<object::List>();
    if (version_of(in, a[3]).is_none() && !tracks && state != nullptr && errors != nullptr) {
      std::vector<Value> found;
      std::string names;
      for (const char* name : {"running_mean", "running_var"}) {
        const Value key = key_below(in, a[2], name);
        if (!state->contains(key)) continue;
        names += fmt::format("{}\"{}\"", found.empty() ? "" : " and ", key.as<object::Str>()->view());
        found.push_back(key);
      }
      if (!found.empty()) {
        errors->append(in.text(fmt::format(
            "Unexpected running stats buffer(s) {0} for {1} with track_running_stats=False. If state_dict is a "
            "checkpoint saved before 0.4.0, this may be expected because {1} does not track running stats by default "
            "since 0.4.0. Please remove these keys from state_dict. If the running stats are actually needed, instead "
            "set track_running_stats=True in {1} to enable them. See the documentation of {1} for details.",
            names, in.type_of(a[0]).name())));
        for (const Value& key : found) state->erase(key);
      }
    }
    return load_as_base(in, *cls, a);
  });
}

// How many dimensions an input may have, the smallest first; "2D or 3D" is made of them.
struct InputDims {
  std::size_t least, most;
};

PyResult<const Tensor*> checked_input(Interpreter& in, const Value& input, InputDims dims) {
  const Tensor* const tensor = input.as<Tensor>();
  if (tensor == nullptr) {
    return object::attribute_error(in, "'{}' object has no attribute 'dim'", in.type_of(input).name());
  }
  if (tensor->ndim() >= dims.least && tensor->ndim() <= dims.most) return tensor;
  const std::string wanted =
      dims.least == dims.most ? fmt::format("{}D", dims.least) : fmt::format("{}D or {}D", dims.least, dims.most);
  return object::value_error(in, "expected {} input (got {}D input)", wanted, tensor->ndim());
}

// Behaviour: _BatchNorm.forward: statistics of the batch in training, and where none are kept.
PyResult<Value> batch_norm(LayerSelf& self, const Value& input) {
  Interpreter& in = self.interpreter;
  NNS_TRY_ASSIGN(const Value momentum, self.get("momentum"));
  NNS_TRY_ASSIGN(const bool training, self.is_true("training"));
  NNS_TRY_ASSIGN(const bool tracks, self.is_true("track_running_stats"));
  Value factor = momentum.is_none() ? Value(0.0) : momentum;
  if (training && tracks) {
    NNS_TRY_ASSIGN(const Value counter, self.get("num_batches_tracked"));
    if (!counter.is_none()) {
      NNS_TRY(ops::call_in_place(in, ops::OpId::add, std::array{counter, Value(1)}));
      // Without a momentum the average is that of all batches.
      const Tensor& count = *counter.as<Tensor>();
      if (momentum.is_none() && !count.is_meta()) factor = Value(1 / tensor::read_double(count, count.offset()));
    }
  }
  NNS_TRY_ASSIGN(const Value mean, self.get("running_mean"));
  NNS_TRY_ASSIGN(const Value variance, self.get("running_var"));
  NNS_TRY_ASSIGN(const Value weight, self.get("weight"));
  NNS_TRY_ASSIGN(const Value bias, self.get("bias"));
  NNS_TRY_ASSIGN(const Value eps, self.get("eps"));
  const bool uses_batch = training || (mean.is_none() && variance.is_none());
  const bool passes = !training || tracks;
  return call_functional(
      in, "batch_norm",
      {input, passes ? mean : Value(), passes ? variance : Value(), weight, bias, Value(uses_batch), factor, eps});
}

void define_batch_norm_forward(LayerDefinition& layer, InputDims dims) {
  layer.cls.def("forward(self, input)", [dims](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
    NNS_TRY(checked_input(in, a[1], dims));
    LayerSelf self(in, a[0]);
    return batch_norm(self, a[1]);
  });
}

PyResult<Value> instance_norm(LayerSelf& self, const Value& input) {
  NNS_TRY_ASSIGN(const Value mean, self.get("running_mean"));
  NNS_TRY_ASSIGN(const Value variance, self.get("running_var"));
  NNS_TRY_ASSIGN(const Value weight, self.get("weight"));
  NNS_TRY_ASSIGN(const Value bias, self.get("bias"));
  NNS_TRY_ASSIGN(const bool training, self.is_true("training"));
  NNS_TRY_ASSIGN(const bool tracks, self.is_true("track_running_stats"));
  NNS_TRY_ASSIGN(const Value momentum, self.get("momentum"));
  NNS_TRY_ASSIGN(const Value eps, self.get("eps"));
  return call_functional(self.interpreter, "instance_norm",
                         {input, mean, variance, weight, bias, Value(training || !tracks),
                          momentum.is_none() ? Value(0.0) : momentum, eps});
}

// Behaviour: _InstanceNorm.forward; an input of `dims.least` dimensions has no batch and gets one for the time being.
void define_instance_norm_forward(LayerDefinition& layer, InputDims dims) {
  layer.cls.def("forward(self, input)", [dims](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Tensor* const input, checked_input(in, a[1], dims));
    LayerSelf self(in, a[0]);
    const std::size_t place = input->ndim() - dims.least;
    const std::int64_t channels = input->shape()[place];
    NNS_TRY_ASSIGN(const std::int64_t wanted, self.get_int("num_features"));
    if (channels != wanted) {
      NNS_TRY_ASSIGN(const bool affine, self.is_true("affine"));
      if (affine) {
        return object::value_error(in, "expected input's size at dim={} to match num_features ({}), but got: {}.",
                                   place, wanted, channels);
      }
      in.warn(object::ErrorKind::UserWarning,
              fmt::format("input's size at dim={} does not match num_features. You can silence this warning by not "
                          "passing in num_features, which is not used because affine=False",
                          place));
    }
    if (place > 0) return instance_norm(self, a[1]);
    NNS_TRY_ASSIGN(const Value batch, ops::call_op(in, ops::OpId::unsqueeze, {a[1], Value(0)}));
    NNS_TRY_ASSIGN(const Value made, instance_norm(self, batch));
    return ops::call_op(in, ops::OpId::squeeze, {made, ops::dims_value(in, tensor::Dims({0}))});
  });
}

PyResult<void> pass_on(LayerInit& self) {
  const object::Keyword bias{self.interpreter.intern("bias"), self[7]};
  const Value positional[] = {self[0], self[1], self[2], self[3], self[4], self[5], self[6]};
  return self.init_base(positional, {&bias, 1});
}

}  // namespace

template <>
void define<LayerId::NormBase>(LayerDefinition& layer) {
  layer
      .init(
          "num_features, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None, *, "
          "bias=True",
          init_norm_base)
      .method("reset_running_stats", reset_running_stats)
      .method("reset_parameters", reset_parameters)
      .shows([](LayerSelf& self) -> PyResult<std::string> {
        NNS_TRY_ASSIGN(const bool no_bias, self.is_none("bias"));
        NNS_TRY_ASSIGN(const std::string front,
                       self.format("{num_features}, eps={eps}, momentum={momentum}, affine={affine}, bias="));
        NNS_TRY_ASSIGN(const std::string back, self.format(", track_running_stats={track_running_stats}"));
        return front + (no_bias ? "False" : "True") + back;
      });
  layer.cls.attribute("_version", Value(2));
  define_counter_loading(layer);
}
template <>
void define<LayerId::BatchNorm>(LayerDefinition& layer) {
  layer.init_alone(
      "num_features, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None, *, "
      "bias=True",
      pass_on);
}
template <>
void define<LayerId::BatchNorm1d>(LayerDefinition& layer) {
  define_batch_norm_forward(layer, {2, 3});
}
template <>
void define<LayerId::BatchNorm2d>(LayerDefinition& layer) {
  define_batch_norm_forward(layer, {4, 4});
}
template <>
void define<LayerId::BatchNorm3d>(LayerDefinition& layer) {
  define_batch_norm_forward(layer, {5, 5});
}
// Behaviour: SyncBatchNorm.convert_sync_batchnorm: each batch norm below `module`, itself included, becomes one that
// synchronises and holds the same tensors.
PyResult<Value> convert_sync_batchnorm(Interpreter& in, const Value& cls, const Value& module, const Value& group) {
  const Class& sync = *cls.as<Class>();
  const Class* const batch_norm = sync.mro().size() > 1 ? sync.mro()[1] : &sync;
  Value converted = module;
  const auto read = [&](std::string_view name) { return object::getattr(in, module, in.intern(name)); };
  if (object::isinstance(in, module, *batch_norm)) {
    std::vector<object::Keyword> options;
    const auto add_option = [&](std::string_view name, const Value& value) {
      const object::Keyword option{in.intern(name), value};
      options.push_back(option);
    };
    for (const std::string_view name : {"num_features", "eps", "momentum", "affine", "track_running_stats"}) {
      NNS_TRY_ASSIGN(const Value value, read(name));
      add_option(name, value);
    }
    add_option("process_group", group);
    NNS_TRY_ASSIGN(const Value bias, read("bias"));
    NNS_TRY_ASSIGN(const bool is_affine, object::truth(in, options[3].value));
    if (is_affine) add_option("bias", Value(!bias.is_none()));
    NNS_TRY_ASSIGN(converted, in.call(cls, std::span<const Value>(), options));
    for (const std::string_view name :
         {"weight", "bias", "running_mean", "running_var", "num_batches_tracked", "training"}) {
      if (!is_affine && (name == "weight" || name == "bias")) continue;
      NNS_TRY_ASSIGN(const Value value, read(name));
      NNS_TRY(object::setattr(in, converted, in.intern(name), value));
    }
  }
  NNS_TRY_ASSIGN(const Value children, in.call_method(module, in.intern("named_children"), std::span<const Value>()));
  NNS_TRY_ASSIGN(const std::vector<Value> pairs, object::to_vector(in, children));
  for (const Value& pair : pairs) {
    const auto& child = *pair.as<object::Tuple>();
    const object::Interpreter::Depth depth(in);
    if (depth.too_deep()) return in.recursion_error();
    NNS_TRY_ASSIGN(const Value made, convert_sync_batchnorm(in, cls, child[1], group));
    NNS_TRY(in.call_method(converted, in.intern("add_module"), {child[0], made}));
  }
  return converted;
}

template <>
void define<LayerId::SyncBatchNorm>(LayerDefinition& layer) {
  layer.cls.def_class(
      "convert_sync_batchnorm(cls, module, process_group=None)",
      [](Interpreter& in, std::span<const Value> a) { return convert_sync_batchnorm(in, a[0], a[1], a[2]); });
  layer.cls.def("forward(self, input)", [](Interpreter& in, std::span<const Value> a) -> PyResult<Value> {
    const Tensor* const input = a[1].as<Tensor>();
    const std::size_t ndim = input == nullptr ? 0 : input->ndim();
    if (ndim < 2) return object::value_error(in, "expected at least 2D input (got {}D input)", ndim);
    if (input->shape()[1] == 0) {
      return object::value_error(in, "SyncBatchNorm number of input channels should be non-zero");
    }
    LayerSelf self(in, a[0]);
    return batch_norm(self, a[1]);
  });
  layer.init_alone(
      "num_features, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, process_group=None, device=None, "
      "dtype=None, *, bias=True",
      [](LayerInit& self) -> PyResult<void> {
        const object::Keyword bias{self.interpreter.intern("bias"), self[8]};
        const Value positional[] = {self[0], self[1], self[2], self[3], self[4], self[6], self[7]};
        NNS_TRY(self.init_base(positional, {&bias, 1}));
        return self.set("process_group", self[5]);
      });
}

template <>
void define<LayerId::InstanceNorm>(LayerDefinition& layer) {
  layer.init_alone(
      "num_features, eps=1e-05, momentum=0.1, affine=False, track_running_stats=False, device=None, dtype=None, *, "
      "bias=True",
      pass_on);
  define_statistics_refusal(layer);
}
template <>
void define<LayerId::InstanceNorm1d>(LayerDefinition& layer) {
  define_instance_norm_forward(layer, {2, 3});
}
template <>
void define<LayerId::InstanceNorm2d>(LayerDefinition& layer) {
  define_instance_norm_forward(layer, {3, 4});
}
template <>
void define<LayerId::InstanceNorm3d>(LayerDefinition& layer) {
  define_instance_norm_forward(layer, {4, 5});
}

}  // namespace nns::nn
