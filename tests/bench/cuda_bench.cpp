// Ops and a training step on the GPU: the same work as cuda_beside_torch.py does with PyTorch. Prints a line for each:
// its name and the microseconds of one call, a median.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <iostream>

#include "core/autograd/engine.h"
#include "core/nn/layers.h"
#include "core/optim/optimizer.h"
#include "native/cuda/gpu.h"

namespace nns::tests {
namespace {

using object::PyResult;
using object::Ref;
using object::Value;
using ops::OpId;
using tensor::Device;
using tensor::Dims;
using tensor::DType;
using tensor::Tensor;
using Arguments = std::vector<Value>;

class Bench {
 public:
  explicit Bench(object::Interpreter& interpreter, cuda::Gpu& gpu) : in(interpreter), gpu_(gpu) {}

  /// Normal numbers on the GPU.
  Value random(const Dims& shape, DType dtype) {
    // A part is drawn and repeated: drawing takes longer than what is measured.
    const std::int64_t count = tensor::element_count(shape);
    const std::int64_t part = std::min<std::int64_t>(count, 1 << 20);
    const Ref<Tensor> drawn = tensor::empty(in, {part}, DType::Float32);
    tensor::normal_(*drawn, tensor::TensorLibrary::of(in).generator, 0, 1);
    const Ref<Tensor> moved = tensor::to(*drawn, dtype, Device::Cuda).value();
    const Ref<Tensor> made = tensor::empty(in, {count}, dtype, Device::Cuda);
    for (std::int64_t done = 0; done < count; done += part) {
      const std::int64_t length = std::min(part, count - done);
      static_cast<void>(tensor::copy_items(*tensor::as_strided(*made, {length}, {1}, done),
                                           *tensor::as_strided(*moved, {length}, {1}, 0))
                            .ok());
    }
    return Value(tensor::view_as_shape(*made, shape));
  }
  Value classes(std::int64_t count, std::int64_t most) {
    std::vector<double> values;
    for (std::int64_t i = 0; i < count; ++i) values.push_back(static_cast<double>(i * 7919 % most));
    return Value(
        tensor::to(*tensor::from_values(in, {count}, values, DType::Int64), DType::Int64, Device::Cuda).value());
  }
  Value ints(const Dims& dims) { return ops::dims_value(in, dims); }

  /// Prints the median of 15 rounds, each of so many calls that it takes some 20 ms.
  void run(const std::string& name, const std::function<PyResult<void>()>& body) {
    using Clock = std::chrono::steady_clock;
    const auto round = [&](int calls) -> double {
      const auto start = Clock::now();
      for (int i = 0; i < calls; ++i) {
        if (const auto done = body(); !done.ok()) {
          std::cout << name << " failed: " << done.error().message() << std::endl;
          return -1;
        }
      }
      if (const auto done = gpu_.synchronize(); !done.ok()) {
        std::cout << name << " failed: " << done.error().message() << std::endl;
        return -1;
      }
      return std::chrono::duration<double>(Clock::now() - start).count() / calls;
    };
    double once = 0;
    for (int i = 0; i < 3; ++i) {
      once = round(3);
      if (once < 0) return;
    }
    const int calls = std::clamp(static_cast<int>(0.02 / once), 1, 2000);
    std::vector<double> times;
    for (int i = 0; i < 15; ++i) times.push_back(round(calls));
    std::sort(times.begin(), times.end());
    std::cout << fmt::format("{} {:.2f}", name, times[times.size() / 2] * 1e6) << std::endl;
  }
  void op(const std::string& name, OpId id, const std::vector<Value>& args) {
    run(name, [&]() -> PyResult<void> {
      NNS_TRY(ops::call_op(in, id, args));
      return {};
    });
  }

  object::Interpreter& in;

 private:
  cuda::Gpu& gpu_;
};

void run_ops(Bench& bench, cuda::Gpu& gpu) {
  constexpr auto kHalf = DType::BFloat16;
  for (const std::int64_t size : {1024, 4096, 8192}) {
    bench.op(fmt::format("gemm/bf16/{}", size), OpId::mm,
             {bench.random({size, size}, kHalf), bench.random({size, size}, kHalf)});
  }
  const std::vector<Value> wide = {bench.random({4096, 4096}, DType::Float32),
                                   bench.random({4096, 4096}, DType::Float32)};
  bench.op("gemm/f32/4096", OpId::mm, wide);
  gpu.allow_tf32(true);
  bench.op("gemm/tf32/4096", OpId::mm, wide);
  gpu.allow_tf32(false);
  bench.op("addmm/bf16/8192x4096x4096", OpId::addmm,
           {bench.random({4096}, kHalf), bench.random({8192, 4096}, kHalf), bench.random({4096, 4096}, kHalf)});
  const Value a = bench.random({16384, 4096}, kHalf), b = bench.random({16384, 4096}, kHalf);
  const Value row = bench.random({4096}, kHalf);
  bench.op("add/bf16/64Mi", OpId::add, {a, b});
  bench.op("add_row/bf16/64Mi", OpId::add, {a, row});
  bench.op("gelu/bf16/64Mi", OpId::gelu, {a});
  bench.op("exp/bf16/64Mi", OpId::exp, {a});
  const Value c = bench.random({16384, 4096}, DType::Float32);
  bench.op("mul/f32/64Mi", OpId::mul, {c, Value(1.5)});
  bench.op("add_transposed/f32/64Mi", OpId::clone, {Value(tensor::transpose(*c.as<Tensor>(), 0, 1))});
  bench.op("to_bf16/f32/64Mi", OpId::to_dtype, {c, tensor::TensorLibrary::of(bench.in).dtype_value(kHalf)});
  bench.op("sum/f32/64Mi", OpId::sum, {c});
  bench.op("sum_rows/f32/16384x4096", OpId::sum_dim, {c, bench.ints({1})});
  bench.op("sum_columns/f32/16384x4096", OpId::sum_dim, {c, bench.ints({0})});
  bench.op("sum_columns/bf16/16384x4096", OpId::sum_dim, {a, bench.ints({0})});
  bench.op("softmax/bf16/16384x4096", OpId::softmax_same, {a, Value(-1)});
  bench.op("softmax/f32/16384x4096", OpId::softmax_same, {c, Value(-1)});
  bench.op("softmax/bf16/4096x50257", OpId::softmax_same, {bench.random({4096, 50257}, kHalf), Value(-1)});
  bench.op("layer_norm/bf16/16384x4096", OpId::native_layer_norm, {a, bench.ints({4096}), row, row, Value(1e-5)});
  bench.op("layer_norm/bf16/65536x768", OpId::native_layer_norm,
           {bench.random({65536, 768}, kHalf), bench.ints({768}), bench.random({768}, kHalf),
            bench.random({768}, kHalf), Value(1e-5)});
  bench.op("cross_entropy/f32/4096x50257", OpId::cross_entropy_fused,
           {bench.random({4096, 50257}, DType::Float32), bench.classes(4096, 50257), Value(), Value(1), Value(-100),
            Value(0.0)});
  bench.op("embedding/bf16/16384x768", OpId::embedding,
           {bench.random({50257, 768}, kHalf), bench.classes(16384, 50257)});
  bench.op("embedding_backward/bf16/16384x768", OpId::embedding_dense_backward,
           {bench.random({16384, 768}, kHalf), bench.classes(16384, 50257), Value(50257), Value(-1), Value(false)});
  // What training of a transformer of 768 channels does besides.
  for (const DType dtype : {kHalf, DType::Float32}) {
    const char* const type = dtype == kHalf ? "bf16" : "f32";
    const Value rows = bench.random({16384, 768}, dtype), weight = bench.random({768}, dtype);
    const Value mean = bench.random({16384, 1}, dtype);
    bench.op(fmt::format("layer_norm/{}/16384x768", type), OpId::native_layer_norm,
             {rows, bench.ints({768}), weight, weight, Value(1e-5)});
    bench.op(fmt::format("layer_norm_backward/{}/16384x768", type), OpId::native_layer_norm_backward,
             {rows, rows, bench.ints({768}), mean, mean, weight});
    bench.op(fmt::format("sum_columns/{}/16384x768", type), OpId::sum_dim, {rows, bench.ints({0})});
  }
  const Value heads = bench.random({16, 1024, 12, 64}, kHalf);
  const Ref<Tensor> of_heads = tensor::transpose(*heads.as<Tensor>(), 1, 2);
  const Ref<Tensor> room = tensor::empty(bench.in, of_heads->shape(), kHalf, Device::Cuda);
  bench.run("copy_heads/bf16/16x1024x12x64", [&] { return tensor::copy_items(*room, *of_heads); });
  bench.op("softmax/bf16/196608x1024", OpId::softmax_same, {bench.random({196608, 1024}, kHalf), Value(-1)});
  const Value logits = bench.random({4096, 50257}, DType::Float32), target = bench.classes(4096, 50257);
  bench.op("cross_entropy_backward/f32/4096x50257", OpId::cross_entropy_backward,
           {bench.random({}, DType::Float32), logits, bench.random({4096, 2}, DType::Float32), target, Value(),
            Value(1), Value(-100), Value(0.0)});
}

void run_layers(Bench& bench) {
  constexpr auto kHalf = DType::BFloat16;
  // As cuda_beside_torch.py sets torch.backends.cudnn.
  ops::CudnnSwitches& switches = ops::OpLibrary::of(bench.in).cudnn;
  switches.benchmarks = true;
  switches.allows_tf32 = false;
  const auto convolution = [&](const std::string& name, DType dtype, const Dims& input, const Dims& weight,
                               std::int64_t padding, std::int64_t groups) {
    const Value x = bench.random(input, dtype), w = bench.random(weight, dtype);
    const Value one = bench.ints({1}), sides = bench.ints({padding}), none = bench.ints({0});
    bench.op("conv2d/" + name, OpId::convolution, {x, w, Value(), one, sides, one, Value(false), none, Value(groups)});
    bench.op("conv2d_weight/" + name, OpId::convolution_weight_gradient,
             {x, x, bench.ints(weight), one, sides, one, Value(false), Value(groups)});
    bench.op("conv2d_input/" + name, OpId::convolution,
             {x, w, Value(), one, sides, one, Value(true), none, Value(groups)});
  };
  // As many channels on both sides, so that one tensor stands for input and result.
  convolution("bf16/64x64x56x56_3x3", kHalf, {64, 64, 56, 56}, {64, 64, 3, 3}, 1, 1);
  convolution("f32/64x64x56x56_3x3", DType::Float32, {64, 64, 56, 56}, {64, 64, 3, 3}, 1, 1);
  convolution("bf16/64x256x28x28_1x1", kHalf, {64, 256, 28, 28}, {256, 256, 1, 1}, 0, 1);
  convolution("bf16/64x256x28x28_depthwise", kHalf, {64, 256, 28, 28}, {256, 1, 3, 3}, 1, 256);
  const Value images = bench.random({64, 64, 112, 112}, kHalf);
  bench.op("max_pool2d/bf16/64x64x112x112", OpId::max_pool2d_with_indices, {images, Value(3), Value(2), Value(1)});
  bench.op("avg_pool2d/bf16/64x64x112x112", OpId::avg_pool2d, {images, Value(2)});
  const auto of_channels = [&] { return bench.random({64}, DType::Float32); };
  const Value weight = of_channels(), mean = of_channels(),
              spread = Value(tensor::full(bench.in, {64}, 1.0, DType::Float32, Device::Cuda));
  bench.op("batch_norm/bf16/64x64x112x112", OpId::native_batch_norm,
           {images, weight, mean, mean, spread, Value(true), Value(0.1), Value(1e-5)});
  bench.op("batch_norm_backward/bf16/64x64x112x112", OpId::native_batch_norm_backward,
           {images, images, weight, mean, spread, mean, spread, Value(true), Value(1e-5)});
  const Value rows = bench.random({16384, 4096}, kHalf);
  bench.op("rms_norm/bf16/16384x4096", OpId::fused_rms_norm,
           {rows, bench.ints({4096}), bench.random({4096}, kHalf), Value(1e-5)});
  for (const std::int64_t width : {64, 128}) {
    const Dims heads({8, 768 / width, 1024, width});
    const Value q = bench.random(heads, kHalf), k = bench.random(heads, kHalf), v = bench.random(heads, kHalf);
    const Arguments args = {q, k, v, Value(0.0), Value(true), Value(), Value()};
    bench.op(fmt::format("sdpa_causal/bf16/8x{}x1024x{}", 768 / width, width), OpId::flash_attention, args);
    const auto made = ops::call_op(bench.in, OpId::flash_attention, args);
    if (!made.ok()) continue;
    const object::Tuple& both = *made.value().as<object::Tuple>();
    bench.op(fmt::format("sdpa_causal_backward/bf16/8x{}x1024x{}", 768 / width, width), OpId::flash_attention_backward,
             {q, q, k, v, both[0], both[1], Value(0.0), Value(true), Value(), Value()});
  }
  bench.op("cumsum/f32/16384x4096", OpId::cumsum, {bench.random({16384, 4096}, DType::Float32), Value(-1)});
}

void run_choices(Bench& bench) {
  constexpr auto kHalf = DType::BFloat16;
  const auto line = [&](std::int64_t length) { return bench.random({length}, DType::Float32); };
  constexpr std::int64_t kMi = 1 << 20;
  const Value rows = bench.random({16384, 4096}, DType::Float32),
              short_rows = bench.random({16384, 1024}, DType::Float32);
  bench.op("sort/f32/16Mi", OpId::sort, {line(16 * kMi), Value(-1), Value(false)});
  bench.op("sort/f32/16384x1024", OpId::sort, {short_rows, Value(-1), Value(false)});
  bench.op("topk50/f32/16384x4096", OpId::topk, {rows, Value(50), Value(-1)});
  const Value all = line(64 * kMi);
  bench.op("topk100/f32/64Mi", OpId::topk, {all, Value(100), Value(-1)});
  bench.op("median/f32/64Mi", OpId::median, {all});
  bench.op("nonzero/f32/64Mi", OpId::nonzero, {ops::call_op(bench.in, OpId::relu, {all}).value()});
  bench.op("cummax/f32/16384x4096", OpId::cummax, {rows, Value(-1)});
  bench.op("searchsorted/f32/16Mi_in_1Mi", OpId::searchsorted,
           {(*ops::call_op(bench.in, OpId::sort, {line(kMi)}).value().as<object::Tuple>())[0], line(16 * kMi)});
  bench.op("scatter_add/f32/16Mi_to_1Mi", OpId::scatter_add,
           {line(kMi), Value(0), bench.classes(16 * kMi, kMi), line(16 * kMi)});
  const Value images = bench.random({64, 64, 112, 112}, kHalf), small = bench.random({64, 64, 56, 56}, kHalf);
  bench.op("reflection_pad2d/bf16/64x64x112x112", OpId::reflection_pad2d, {images, bench.ints({1, 1, 1, 1})});
  bench.op("upsample_bilinear2d/bf16/64x64x56x56", OpId::upsample_bilinear2d,
           {small, bench.ints({112, 112}), Value(false)});
  const Value sampled = bench.random({64, 64, 56, 56}, DType::Float32),
              grid = bench.random({64, 56, 56, 2}, DType::Float32);
  bench.op("grid_sample/f32/64x64x56x56", OpId::grid_sampler_2d, {sampled, grid, Value(0), Value(0), Value(false)});
  bench.op("grid_sample_backward/f32/64x64x56x56", OpId::grid_sampler_backward,
           {sampled, sampled, grid, Value(0), Value(0), Value(false)});
}

// The parameters of GPT-2 124M, in one tensor for each kind and layer.
void run_steps(Bench& bench) {
  object::Interpreter& in = bench.in;
  std::vector<Dims> shapes = {{50257, 768}, {1024, 768}, {768}, {768}};
  for (int layer = 0; layer < 12; ++layer) {
    for (const Dims& shape :
         {Dims({2304, 768}), Dims({2304}), Dims({768, 768}), Dims({768}), Dims({3072, 768}), Dims({3072}),
          Dims({768, 3072}), Dims({768}), Dims({768}), Dims({768}), Dims({768}), Dims({768})}) {
      shapes.push_back(shape);
    }
  }
  std::vector<Value> params;
  for (const Dims& shape : shapes) {
    params.push_back(bench.random(shape, DType::Float32));
    Tensor& param = *params.back().as<Tensor>();
    static_cast<void>(param.set_requires_grad(true).ok());
    param.set_grad(Ref<Tensor>(bench.random(shape, DType::Float32).as<Tensor>()));
  }
  for (const std::string_view name : {"SGD", "AdamW", "RMSprop", "NAdam"}) {
    const auto made = optim::make_optimizer(in, name, Value(in.list(params)), {{"lr", Value(1e-5)}});
    bench.run(fmt::format("step/f32/{}/gpt2", name), [&]() -> PyResult<void> {
      NNS_TRY(made.value()->step());
      return {};
    });
  }
}

void run_training(Bench& bench, std::string_view optimizer, std::int64_t batch, std::int64_t width) {
  object::Interpreter& in = bench.in;
  std::vector<Value> layers;
  const std::vector<std::int64_t> sizes = {width, width, width, 10};
  for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
    layers.emplace_back(nn::make_layer(in, "Linear", {Value(sizes[i]), Value(sizes[i + 1])}).value());
    if (i + 2 < sizes.size()) layers.emplace_back(nn::make_layer(in, "ReLU").value());
  }
  const Value model(nn::make_layer(in, "Sequential", std::move(layers)).value());
  static_cast<void>(in.call_method(model, in.intern("cuda")).ok());
  const Value x = bench.random({batch, width}, DType::Float32), target = bench.classes(batch, 10);
  const auto step_of = [&](bool with_step) {
    const auto made = optim::make_optimizer(in, optimizer, in.call_method(model, in.intern("parameters")).value(),
                                            {{"lr", Value(0.001)}});
    bench.run(fmt::format("mlp_{}/f32/{}/{}x{}", with_step ? "step" : "backward", optimizer, batch, width),
              [&]() -> PyResult<void> {
                NNS_TRY(made.value()->zero_grad());
                NNS_TRY_ASSIGN(const Value out, in.call(model, {x}));
                NNS_TRY_ASSIGN(const Value loss, ops::call_op(in, OpId::cross_entropy_loss, {out, target}));
                NNS_TRY(autograd::backward(in, std::array{Ref<Tensor>(loss.as<Tensor>())}, std::array{Ref<Tensor>()}));
                if (with_step) NNS_TRY(made.value()->step());
                return {};
              });
  };
  step_of(false);
  step_of(true);
}

}  // namespace
}  // namespace nns::tests

int main() {
  nns::object::Interpreter in;
  const auto gpu = nns::cuda::install(in);
  if (!gpu.ok()) {
    std::cerr << "no GPU: " << gpu.error().message() << "\n";
    return 2;
  }
  std::cout << "# " << gpu.value()->name() << std::endl;
  nns::tests::Bench bench(in, *gpu.value());
  nns::tests::run_ops(bench, *gpu.value());
  nns::tests::run_layers(bench);
  nns::tests::run_choices(bench);
  nns::tests::run_steps(bench);
  nns::tests::run_training(bench, "SGD", 256, 512);
  nns::tests::run_training(bench, "SGD", 4096, 2048);
  return 0;
}
