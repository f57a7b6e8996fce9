#include "core/nn/layers.h"
#include "core/session/sample_models.h"

namespace nns::session {
namespace {

using nn::Module;
using nn::PyResult;
using nn::Ref;
using nn::Value;

// A hook that watches and changes nothing: it returns None.
Value watcher(object::Interpreter& in, std::string_view signature) {
  return in.function(signature,
                     [](object::Interpreter&, std::span<const Value>) -> PyResult<Value> { return Value(); });
}

PyResult<void> add_layers(object::Interpreter& in, Module& self) {
  const auto set = [&](std::string_view name, std::string_view layer, std::vector<Value> positional,
                       const std::vector<std::pair<std::string_view, Value>>& keywords = {}) -> PyResult<void> {
    NNS_TRY_ASSIGN(const auto made, nn::make_layer(in, layer, std::move(positional), keywords));
    return self.setattr(name, made);
  };
  NNS_TRY(set("conv1", "Conv2d", {1, 8, 3}, {{"padding", 1}}));
  NNS_TRY(set("bn1", "BatchNorm2d", {8}));
  NNS_TRY(set("act", "ReLU", {}));
  NNS_TRY(set("pool", "MaxPool2d", {2}));
  // bias=False leaves the name registered, with None.
  NNS_TRY(set("conv2", "Conv2d", {8, 16, 3}, {{"padding", 1}, {"bias", false}}));
  // The same activation under a second name: one module, two paths.
  NNS_TRY_ASSIGN(const Value act, self.getattr("act"));
  NNS_TRY(self.setattr("act2", act));
  NNS_TRY(set("flatten", "Flatten", {}));
  NNS_TRY(set("fc", "Linear", {16 * 7 * 7, 32}));
  NNS_TRY(set("drop", "Dropout", {0.25}));
  NNS_TRY(set("head", "Linear", {32, 10}, {{"bias", false}}));
  // A tied weight: the prototypes of the classes are the rows of the head's weight.
  NNS_TRY(set("prototypes", "Embedding", {10, 32}));
  NNS_TRY_ASSIGN(const auto prototypes, self.get_submodule("prototypes"));
  NNS_TRY_ASSIGN(const auto tied, self.get_parameter("head.weight"));
  NNS_TRY(prototypes->setattr("weight", tied));
  return {};
}

PyResult<void> add_tensors(object::Interpreter& in, Module& self) {
  const double mean[] = {0.1307}, deviation[] = {0.3081};
  NNS_TRY(self.register_buffer(std::string_view("pixel_mean"), tensor::from_values(in, {1}, mean), false));
  NNS_TRY(self.register_buffer(std::string_view("pixel_std"), tensor::from_values(in, {1}, deviation), false));
  NNS_TRY(self.register_buffer(std::string_view("images_seen"), tensor::zeros(in, {}, tensor::DType::Int64)));
  NNS_TRY(self.register_parameter(std::string_view("temperature"), Value()));
  // Neither a Parameter nor a registered buffer.
  return self.setattr("class_prior", tensor::full(in, {10}, 0.1));
}

PyResult<void> add_hooks(object::Interpreter& in, Module& self) {
  NNS_TRY(self.register_forward_pre_hook(watcher(in, "count_images(module, args)")));
  NNS_TRY(self.register_forward_pre_hook(watcher(in, "normalise_pixels(module, args, kwargs)"), {.with_kwargs = true}));
  NNS_TRY(self.register_forward_hook(watcher(in, "record_logits(module, args, output)")));
  NNS_TRY(self.register_forward_hook(watcher(in, "check_for_nan(module, args, output)"), {.prepend = true}));
  NNS_TRY(self.register_forward_hook(watcher(in, "stop_timer(module, args, output)"), {.always_call = true}));
  NNS_TRY(self.register_full_backward_pre_hook(watcher(in, "start_gradient_timer(module, grad_output)")));
  NNS_TRY(self.register_full_backward_hook(watcher(in, "log_gradient_norm(module, grad_input, grad_output)")));
  NNS_TRY(self.register_state_dict_pre_hook(watcher(in, "flush_statistics(module, prefix, keep_vars)")));
  NNS_TRY(self.register_state_dict_post_hook(
      watcher(in, "note_what_was_saved(module, state_dict, prefix, local_metadata)")));
  NNS_TRY(self.register_load_state_dict_pre_hook(
      watcher(in,
              "look_for_old_names(module, state_dict, prefix, local_metadata, strict, missing_keys, "
              "unexpected_keys, error_msgs)")));
  NNS_TRY(self.register_load_state_dict_post_hook(watcher(in, "report_missing_keys(module, incompatible_keys)")));
  NNS_TRY_ASSIGN(const auto conv1, self.get_submodule("conv1"));
  NNS_TRY(conv1->register_forward_hook(watcher(in, "capture_feature_maps(module, args, kwargs, output)"),
                                       {.with_kwargs = true}));
  NNS_TRY_ASSIGN(const auto fc, self.get_submodule("fc"));
  NNS_TRY(fc->register_full_backward_hook(watcher(in, "watch_saturation(module, grad_input, grad_output)")));
  return {};
}

}  // namespace

PyResult<Ref<Module>> make_small_cnn(object::Interpreter& in) {
  object::Class& cls = in.define_class({.name = "SmallCNN", .bases = {nn::NnLibrary::of(in).module}});
  tensor::TensorLibrary::of(in).generator.seed_with(0);
  const auto self = Module::make(in, &cls);
  NNS_TRY(add_layers(in, *self));
  NNS_TRY(add_tensors(in, *self));
  NNS_TRY(add_hooks(in, *self));
  return self;
}

}  // namespace nns::session
