#include <fmt/format.h>

#include "core/nn/layers.h"
#include "core/object/operations.h"
#include "core/session/sample_models.h"

namespace nns::session {
namespace {

using nn::Module;
using nn::PyResult;
using nn::Ref;
using nn::Value;

constexpr std::string_view kPythonModule = "transformers.models.gpt2.modeling_gpt2";
constexpr int kWidth = 768;
constexpr int kHeads = 12;
constexpr int kBlocks = 12;
constexpr int kPositions = 1024;
constexpr int kVocabulary = 50257;

/// The classes of the model, made once for all its blocks.
class Gpt2 {
 public:
  explicit Gpt2(object::Interpreter& in) : in_(in), meta_(in.text("meta")) {
    object::Class* module = nn::NnLibrary::of(in).module;
    conv1d_ = &in.define_class({.name = "Conv1D", .module = "transformers.pytorch_utils", .bases = {module}});
    conv1d_->def("extra_repr(self)", [](object::Interpreter& interpreter, std::span<const Value> a) -> PyResult<Value> {
      Module& self = *a[0].as<Module>();
      NNS_TRY_ASSIGN(const Value nf, self.getattr("nf"));
      NNS_TRY_ASSIGN(const Value nx, self.getattr("nx"));
      NNS_TRY_ASSIGN(const std::string outputs, object::str(interpreter, nf));
      NNS_TRY_ASSIGN(const std::string inputs, object::str(interpreter, nx));
      return interpreter.text(fmt::format("nf={}, nx={}", outputs, inputs));
    });
    activation_ =
        &in.define_class({.name = "NewGELUActivation", .module = "transformers.activations", .bases = {module}});
    attention_ = &in.define_class({.name = "GPT2Attention", .module = kPythonModule, .bases = {module}});
    mlp_ = &in.define_class({.name = "GPT2MLP", .module = kPythonModule, .bases = {module}});
    block_ = &in.define_class({.name = "GPT2Block", .module = kPythonModule, .bases = {module}});
    object::Class& pretrained =
        in.define_class({.name = "PreTrainedModel", .module = "transformers.modeling_utils", .bases = {module}});
    object::Class& base =
        in.define_class({.name = "GPT2PreTrainedModel", .module = kPythonModule, .bases = {&pretrained}});
    model_ = &in.define_class({.name = "GPT2Model", .module = kPythonModule, .bases = {&base}});
    lm_head_model_ = &in.define_class({.name = "GPT2LMHeadModel", .module = kPythonModule, .bases = {&base}});
  }

  PyResult<Ref<Module>> language_model() {
    const auto self = Module::make(in_, lm_head_model_);
    NNS_TRY_ASSIGN(const auto transformer, model());
    NNS_TRY(self->setattr("transformer", transformer));
    NNS_TRY_ASSIGN(const auto lm_head,
                   nn::make_layer(in_, "Linear", {kWidth, kVocabulary}, {{"bias", false}, {"device", meta_}}));
    NNS_TRY(self->setattr("lm_head", lm_head));
    // tie_weights(): the output layer uses the embedding's parameter.
    NNS_TRY_ASSIGN(const auto tied, transformer->get_parameter("wte.weight"));
    NNS_TRY(lm_head->setattr("weight", tied));
    return self;
  }

 private:
  PyResult<Ref<Module>> model() {
    const auto self = Module::make(in_, model_);
    NNS_TRY(self->setattr("embed_dim", kWidth));
    NNS_TRY(set(*self, "wte", "Embedding", {kVocabulary, kWidth}, {{"device", meta_}}));
    NNS_TRY(set(*self, "wpe", "Embedding", {kPositions, kWidth}, {{"device", meta_}}));
    NNS_TRY(set(*self, "drop", "Dropout", {0.1}));
    std::vector<Value> blocks;
    for (int i = 0; i < kBlocks; ++i) {
      NNS_TRY_ASSIGN(const auto made, block(i));
      blocks.emplace_back(made);
    }
    NNS_TRY(set(*self, "h", "ModuleList", {in_.list(std::move(blocks))}));
    NNS_TRY(set_norm(*self, "ln_f"));
    NNS_TRY(self->setattr("gradient_checkpointing", false));
    return self;
  }

  PyResult<Ref<Module>> block(int index) {
    const auto self = Module::make(in_, block_);
    NNS_TRY(set_norm(*self, "ln_1"));
    NNS_TRY_ASSIGN(const auto attn, attention(index));
    NNS_TRY(self->setattr("attn", attn));
    NNS_TRY(set_norm(*self, "ln_2"));
    const auto mlp = Module::make(in_, mlp_);
    NNS_TRY_ASSIGN(const auto c_fc, conv1d(4 * kWidth, kWidth));
    NNS_TRY(mlp->setattr("c_fc", c_fc));
    NNS_TRY_ASSIGN(const auto c_proj, conv1d(kWidth, 4 * kWidth));
    NNS_TRY(mlp->setattr("c_proj", c_proj));
    NNS_TRY(mlp->setattr("act", Module::make(in_, activation_)));
    NNS_TRY(set(*mlp, "dropout", "Dropout", {0.1}));
    NNS_TRY(self->setattr("mlp", mlp));
    return self;
  }

  PyResult<Ref<Module>> attention(int index) {
    const auto self = Module::make(in_, attention_);
    // The causal mask and its number are buffers that no checkpoint holds.
    const tensor::Dims mask_shape{1, 1, kPositions, kPositions};
    NNS_TRY(self->register_buffer(std::string_view("bias"),
                                  tensor::ones(in_, mask_shape, tensor::DType::Bool, tensor::Device::Meta), false));
    NNS_TRY(self->register_buffer(std::string_view("masked_bias"),
                                  tensor::full(in_, {}, -1e4, tensor::DType::Float32, tensor::Device::Meta), false));
    const std::pair<std::string_view, Value> settings[] = {{"embed_dim", kWidth},
                                                           {"num_heads", kHeads},
                                                           {"head_dim", kWidth / kHeads},
                                                           {"split_size", kWidth},
                                                           {"scale_attn_weights", true},
                                                           {"is_cross_attention", false},
                                                           {"scale_attn_by_inverse_layer_idx", false},
                                                           {"layer_idx", index},
                                                           {"reorder_and_upcast_attn", false}};
    for (const auto& [name, value] : settings) NNS_TRY(self->setattr(name, value));
    NNS_TRY_ASSIGN(const auto c_attn, conv1d(3 * kWidth, kWidth));
    NNS_TRY(self->setattr("c_attn", c_attn));
    NNS_TRY_ASSIGN(const auto c_proj, conv1d(kWidth, kWidth));
    NNS_TRY(self->setattr("c_proj", c_proj));
    NNS_TRY(set(*self, "attn_dropout", "Dropout", {0.1}));
    NNS_TRY(set(*self, "resid_dropout", "Dropout", {0.1}));
    NNS_TRY(self->setattr("is_causal", true));
    return self;
  }

  // A linear layer whose weight is stored transposed.
  PyResult<Ref<Module>> conv1d(int outputs, int inputs) {
    const auto self = Module::make(in_, conv1d_);
    NNS_TRY(self->setattr("nf", outputs));
    NNS_TRY(self->setattr("nx", inputs));
    const auto parameter = [this](const tensor::Dims& shape) {
      return tensor::make_parameter(in_, *tensor::empty(in_, shape, tensor::DType::Float32, tensor::Device::Meta));
    };
    NNS_TRY_ASSIGN(const auto weight, parameter({inputs, outputs}));
    NNS_TRY(self->setattr("weight", weight));
    NNS_TRY_ASSIGN(const auto bias, parameter({outputs}));
    NNS_TRY(self->setattr("bias", bias));
    return self;
  }

  PyResult<void> set(Module& self, std::string_view name, std::string_view layer, std::vector<Value> positional,
                     const std::vector<std::pair<std::string_view, Value>>& keywords = {}) {
    NNS_TRY_ASSIGN(const auto made, nn::make_layer(in_, layer, std::move(positional), keywords));
    return self.setattr(name, made);
  }
  PyResult<void> set_norm(Module& self, std::string_view name) {
    return set(self, name, "LayerNorm", {kWidth}, {{"eps", 1e-5}, {"device", meta_}});
  }

  object::Interpreter& in_;
  Value meta_;
  object::Class *conv1d_, *activation_, *attention_, *mlp_, *block_, *model_, *lm_head_model_;
};

}  // namespace

PyResult<Ref<Module>> make_gpt2(object::Interpreter& in) { return Gpt2(in).language_model(); }

}  // namespace nns::session
