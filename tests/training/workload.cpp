#include "tests/training/workload.h"

#include "core/autograd/engine.h"
#include "core/nn/functional.h"
#include "core/nn/layers.h"
#include "tests/training/gpt.h"

namespace nns::tests {
namespace {

using nn::Interpreter;
using nn::Module;
using nn::PyResult;
using nn::Ref;
using nn::Value;
using tensor::Dims;
using tensor::DType;
using tensor::Tensor;

constexpr int kBatches = 8;

tensor::Generator& generator_of(Interpreter& in) { return tensor::TensorLibrary::of(in).generator; }

Value random_numbers(Interpreter& in, const Dims& shape) {
  const Ref<Tensor> made = tensor::empty(in, shape, DType::Float32);
  tensor::normal_(*made, generator_of(in), 0, 1);
  return Value(made);
}
Value random_classes(Interpreter& in, const Dims& shape, std::uint32_t count) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < tensor::element_count(shape); ++i) {
    values.push_back(static_cast<double>(generator_of(in).random32() % count));
  }
  return Value(tensor::from_values(in, shape, values, DType::Int64));
}

struct LayerRow {
  std::string_view name;
  std::vector<Value> positional;
  std::vector<std::pair<std::string_view, Value>> keywords = {};
};
PyResult<Ref<Module>> sequential(Interpreter& in, const std::vector<LayerRow>& rows) {
  std::vector<Value> layers;
  for (const LayerRow& row : rows) {
    NNS_TRY_ASSIGN(Ref<Module> made, nn::make_layer(in, row.name, row.positional, row.keywords));
    layers.emplace_back(std::move(made));
  }
  return nn::make_layer(in, "Sequential", std::move(layers));
}

PyResult<Ref<Module>> make_mlp(Interpreter& in, std::initializer_list<int> sizes) {
  std::vector<LayerRow> rows;
  const std::vector<int> all(sizes);
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    rows.push_back({"Linear", {all[i], all[i + 1]}});
    if (i + 2 < all.size()) rows.push_back({"ReLU", {}});
  }
  return sequential(in, rows);
}
PyResult<Ref<Module>> make_cnn(Interpreter& in) {
  return sequential(in, {{"Conv2d", {1, 6, 5}, {{"padding", Value(2)}}},
                         {"ReLU", {}},
                         {"MaxPool2d", {2}},
                         {"Conv2d", {6, 16, 5}},
                         {"ReLU", {}},
                         {"MaxPool2d", {2}},
                         {"Flatten", {}},
                         {"Linear", {400, 120}},
                         {"ReLU", {}},
                         {"Linear", {120, 84}},
                         {"ReLU", {}},
                         {"Linear", {84, 10}}});
}

}  // namespace

Workload::Workload(Interpreter& interpreter, std::string_view name, bool reduced) : interpreter_(interpreter) {
  static_cast<void>(make(name, reduced).ok());
}

PyResult<void> Workload::make(std::string_view name, bool reduced) {
  Interpreter& in = interpreter_;
  nn::NnLibrary::of(in);
  generator_of(in).seed_with(0);
  std::string_view optimizer = "SGD";
  optim::Keywords options;
  Dims input({128, 784}), target({128});
  std::uint32_t classes = 10;
  if (name == "mlp") {
    NNS_TRY_ASSIGN(model_, make_mlp(in, {784, 512, 256, 10}));
    optimizer = "Adam";
    options = {{"lr", Value(1e-3)}};
    giga_flops_ = 0.308;
  } else if (name == "cnn") {
    NNS_TRY_ASSIGN(model_, make_cnn(in));
    options = {{"lr", Value(1e-2)}, {"momentum", Value(0.9)}};
    input = Dims({64, 1, 28, 28});
    target = Dims({64});
    giga_flops_ = 0.145;
  } else if (name == "tinymlp") {
    NNS_TRY_ASSIGN(model_, make_mlp(in, {2, 16, 16, 1}));
    options = {{"lr", Value(1e-2)}};
    input = Dims({32, 2});
    target = Dims({32, 1});
    is_regression_ = true;
    giga_flops_ = 0.000056;
  } else {
    const bool is_tiny = name == "tinygpt";
    const GptSizes sizes = is_tiny ? GptSizes{4, 4, 64, 64} : GptSizes{reduced ? 1 : 6, 6, 384, 256};
    NNS_TRY_ASSIGN(model_, make_gpt(in, sizes));
    optimizer = "AdamW";
    options = {{"lr", Value(1e-3)}};
    input = Dims({is_tiny ? 16 : reduced ? 1 : 8, sizes.block});
    target = input;
    classes = 65;
    giga_flops_ = is_tiny ? 1.234 : 130.8;
  }
  for (int i = 0; i < kBatches; ++i) {
    Batch& batch = batches_.emplace_back();
    batch.input = classes == 65 ? random_classes(in, input, classes) : random_numbers(in, input);
    batch.target = is_regression_ ? random_numbers(in, target) : random_classes(in, target, classes);
  }
  NNS_TRY_ASSIGN(const auto parameters, model_->parameters());
  std::vector<Value> params(parameters.begin(), parameters.end());
  NNS_TRY_ASSIGN(optimizer_, optim::make_optimizer(in, optimizer, Value(in.list(std::move(params))), options));
  return {};
}

PyResult<Value> Workload::loss_of(const Value& output, const Value& target) {
  Interpreter& in = interpreter_;
  if (is_regression_) return nn::call_functional(in, "mse_loss", {output, target});
  if (output.as<Tensor>()->ndim() == 2) return nn::call_functional(in, "cross_entropy", {output, target});
  const std::int64_t classes = output.as<Tensor>()->shape()[2];
  const auto flat = [&](const Value& tensor, std::vector<Value> shape) {
    return ops::call_op(in, ops::OpId::view, {tensor, Value(in.tuple(std::move(shape)))});
  };
  NNS_TRY_ASSIGN(const Value scores, flat(output, {Value(-1), Value(classes)}));
  NNS_TRY_ASSIGN(const Value classes_wanted, flat(target, {Value(-1)}));
  return nn::call_functional(in, "cross_entropy", {scores, classes_wanted});
}

const Workload::Batch& Workload::next_batch() {
  const Batch& batch = batches_[next_];
  next_ = (next_ + 1) % batches_.size();
  return batch;
}

PyResult<Ref<Tensor>> Workload::step() {
  const Batch& batch = next_batch();
  return train_on(batch.input, batch.target);
}

PyResult<Ref<Tensor>> Workload::captured_step() {
  if (!captured_) {
    captured_ = std::make_unique<optim::CapturedStep>(
        interpreter_, std::vector{model_},
        [this](std::span<const Ref<Tensor>> inputs) -> PyResult<std::vector<Ref<Tensor>>> {
          NNS_TRY_ASSIGN(Ref<Tensor> loss, train_on(Value(inputs[0]), Value(inputs[1])));
          return std::vector{std::move(loss)};
        });
  }
  const Batch& batch = next_batch();
  const Ref<Tensor> inputs[] = {Ref<Tensor>(batch.input.as<Tensor>()), Ref<Tensor>(batch.target.as<Tensor>())};
  NNS_TRY_ASSIGN(const std::span<const Ref<Tensor>> made, captured_->run(inputs));
  return made[0];
}

PyResult<Ref<Tensor>> Workload::train_on(const Value& input, const Value& target) {
  NNS_TRY(optimizer_->zero_grad());
  NNS_TRY_ASSIGN(const Value output, (*model_)({input}));
  NNS_TRY_ASSIGN(const Value loss, loss_of(output, target));
  const Ref<Tensor> root(loss.as<Tensor>());
  NNS_TRY(autograd::backward(interpreter_, {&root, 1}, {}));
  NNS_TRY(optimizer_->step());
  return root;
}

}  // namespace nns::tests
