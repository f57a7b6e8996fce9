#include "tests/training/gpt.h"

#include "core/nn/functional.h"
#include "core/nn/layers.h"
#include "core/ops/op.h"

namespace nns::tests {
namespace {

using nn::Args;
using nn::Interpreter;
using nn::Module;
using nn::PyResult;
using nn::Ref;
using nn::Value;
using ops::call_op;
using ops::OpId;
using tensor::Dims;
using tensor::Tensor;

Value shape(Interpreter& in, std::initializer_list<std::int64_t> sizes) {
  std::vector<Value> items(sizes.begin(), sizes.end());
  return in.tuple(std::move(items));
}

// self.name(x).
PyResult<Value> run(Module& self, std::string_view name, const Value& x) {
  NNS_TRY_ASSIGN(const Value layer, self.getattr(name));
  return self.interpreter().call(layer, {x});
}

PyResult<Value> attend(Interpreter& in, Module& self, const Value& x) {
  const Dims size = x.as<Tensor>()->shape();
  NNS_TRY_ASSIGN(const Value heads, self.getattr("heads"));
  NNS_TRY_ASSIGN(const Value all, run(self, "c_attn", x));
  NNS_TRY_ASSIGN(const Value parts, call_op(in, OpId::split, {all, Value(size[2]), Value(2)}));
  std::vector<Value> split;
  for (const Value& part : parts.as<object::Tuple>()->items()) {
    NNS_TRY_ASSIGN(
        const Value wide,
        call_op(in, OpId::view, {part, shape(in, {size[0], size[1], heads.as_int(), size[2] / heads.as_int()})}));
    NNS_TRY_ASSIGN(Value turned, call_op(in, OpId::transpose, {wide, Value(1), Value(2)}));
    split.push_back(std::move(turned));
  }
  NNS_TRY_ASSIGN(const Value mixed, call_op(in, OpId::scaled_dot_product_attention,
                                            {split[0], split[1], split[2], Value(), Value(0.0), Value(true)}));
  NNS_TRY_ASSIGN(const Value back, call_op(in, OpId::transpose, {mixed, Value(1), Value(2)}));
  NNS_TRY_ASSIGN(const Value ordered, call_op(in, OpId::contiguous, {back}));
  NNS_TRY_ASSIGN(const Value joined, call_op(in, OpId::view, {ordered, shape(in, {size[0], size[1], size[2]})}));
  return run(self, "c_proj", joined);
}

PyResult<Value> block_forward(Interpreter& in, Args a) {
  Module& self = *a[0].as<Module>();
  NNS_TRY_ASSIGN(const Value first, run(self, "ln_1", a[1]));
  NNS_TRY_ASSIGN(const Value attended, attend(in, self, first));
  NNS_TRY_ASSIGN(const Value x, call_op(in, OpId::add, {a[1], attended}));
  NNS_TRY_ASSIGN(const Value second, run(self, "ln_2", x));
  NNS_TRY_ASSIGN(const Value wide, run(self, "c_fc", second));
  NNS_TRY_ASSIGN(const Value bent, nn::call_functional(in, "gelu", {wide}));
  NNS_TRY_ASSIGN(const Value narrow, run(self, "c_out", bent));
  return call_op(in, OpId::add, {x, narrow});
}

PyResult<Value> gpt_forward(Interpreter& in, Args a) {
  Module& self = *a[0].as<Module>();
  NNS_TRY_ASSIGN(const Value places, self.getattr("pos"));
  NNS_TRY_ASSIGN(const Value tokens, run(self, "wte", a[1]));
  NNS_TRY_ASSIGN(const Value of_place, run(self, "wpe", places));
  NNS_TRY_ASSIGN(Value x, call_op(in, OpId::add, {tokens, of_place}));
  NNS_TRY_ASSIGN(const Value blocks, self.getattr("h"));
  NNS_TRY_ASSIGN(const auto all, blocks.as<Module>()->named_children());
  for (const nn::NamedModule& block : all) {
    NNS_TRY_ASSIGN(x, in.call(Value(block.module), {x}));
  }
  NNS_TRY_ASSIGN(const Value last, run(self, "ln_f", x));
  return run(self, "lm_head", last);
}

PyResult<void> set(Module& self, std::string_view name, std::string_view layer, std::vector<Value> positional,
                   bool without_bias) {
  Interpreter& in = self.interpreter();
  std::vector<std::pair<std::string_view, Value>> keywords;
  if (without_bias) keywords.emplace_back("bias", Value(false));
  NNS_TRY_ASSIGN(const Ref<Module> made, nn::make_layer(in, layer, std::move(positional), keywords));
  return self.setattr(name, Value(made));
}

PyResult<Ref<Module>> make_block(Interpreter& in, object::Class& cls, const GptSizes& sizes) {
  const int width = sizes.width;
  Ref<Module> self = Module::make(in, &cls);
  NNS_TRY(self->setattr("heads", Value(sizes.heads)));
  NNS_TRY(set(*self, "ln_1", "LayerNorm", {width}, true));
  NNS_TRY(set(*self, "ln_2", "LayerNorm", {width}, true));
  NNS_TRY(set(*self, "c_attn", "Linear", {width, 3 * width}, true));
  NNS_TRY(set(*self, "c_proj", "Linear", {width, width}, true));
  NNS_TRY(set(*self, "c_fc", "Linear", {width, 4 * width}, true));
  NNS_TRY(set(*self, "c_out", "Linear", {4 * width, width}, true));
  return self;
}

}  // namespace

PyResult<Ref<Module>> make_gpt(Interpreter& in, const GptSizes& sizes) {
  object::Class* const module = nn::NnLibrary::of(in).module;
  object::Class& block_class = in.define_class({.name = "Block", .bases = {module}});
  block_class.def("forward(self, x)", block_forward);
  object::Class& gpt_class = in.define_class({.name = "GPT", .bases = {module}});
  gpt_class.def("forward(self, i)", gpt_forward);

  Ref<Module> self = Module::make(in, &gpt_class);
  NNS_TRY(set(*self, "wte", "Embedding", {sizes.vocabulary, sizes.width}, false));
  NNS_TRY(set(*self, "wpe", "Embedding", {sizes.block, sizes.width}, false));
  std::vector<Value> blocks;
  for (int i = 0; i < sizes.layers; ++i) {
    NNS_TRY_ASSIGN(Ref<Module> block, make_block(in, block_class, sizes));
    blocks.emplace_back(std::move(block));
  }
  NNS_TRY(set(*self, "h", "ModuleList", {in.list(std::move(blocks))}, false));
  NNS_TRY(set(*self, "ln_f", "LayerNorm", {sizes.width}, true));
  NNS_TRY(set(*self, "lm_head", "Linear", {sizes.width, sizes.vocabulary}, true));
  NNS_TRY_ASSIGN(const Ref<Tensor> tied, self->get_parameter("wte.weight"));
  NNS_TRY_ASSIGN(const Ref<Module> head, self->get_submodule("lm_head"));
  NNS_TRY(head->setattr("weight", Value(tied)));

  NNS_TRY_ASSIGN(const auto parameters, self->parameters());
  for (const Ref<Tensor>& one : parameters) {
    if (one->ndim() > 1) tensor::normal_(*one, tensor::TensorLibrary::of(in).generator, 0, 0.02);
  }
  std::vector<double> places;
  for (int i = 0; i < sizes.block; ++i) places.push_back(i);
  NNS_TRY(self->register_buffer(std::string_view("pos"),
                                Value(tensor::from_values(in, Dims({sizes.block}), places, tensor::DType::Int64)),
                                false));
  return self;
}

}  // namespace nns::tests
