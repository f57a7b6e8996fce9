#pragma once

#include <cstring>
#include <memory>

#include "core/ops/element_loop.h"
#include "core/ops/op.h"
#include "core/tensor/cuda_contents.h"
#include "core/tensor/tensor.h"
#include "native/cuda/failure.h"

namespace nns::tests {

/// A device "cuda:0" in memory of the CPU: what tensors and ops do with devices, tested on any machine.
class FakeDevice final : public tensor::CudaDevice {
 public:
  explicit FakeDevice(object::Interpreter& interpreter) : in_(interpreter) {}

  base::Result<std::shared_ptr<std::byte>> allocate(std::uint64_t bytes) override {
    if (bytes > room) return cuda::failure(std::string(tensor::kOutOfMemory) + "Tried to allocate too much.");
    return std::shared_ptr<std::byte>(static_cast<std::byte*>(::operator new(bytes)),
                                      [](std::byte* at) { ::operator delete(at); });
  }
  base::Result<void> upload(std::byte* to, const std::byte* from, std::uint64_t bytes) override {
    ++uploads;
    return copy(to, from, bytes);
  }
  base::Result<void> download(std::byte* to, const std::byte* from, std::uint64_t bytes) override {
    ++downloads;
    return copy(to, from, bytes);
  }
  base::Result<void> copy_items(const tensor::StridedItems& to, const tensor::StridedItems& from,
                                const tensor::Dims& shape) override {
    if (!tensor::copy_items(*on_cpu(to, shape), *on_cpu(from, shape)).ok()) return failure();
    return {};
  }
  base::Result<void> fill_items(const tensor::StridedItems& to, const tensor::Dims& shape,
                                const std::byte* item) override {
    const auto target = on_cpu(to, shape);
    tensor::for_each_place(*target, [&](std::int64_t place) {
      const auto bytes = tensor::item_bytes(to.dtype);
      std::memcpy(to.data + place * bytes, item, bytes);
    });
    return {};
  }
  // Numbers of the CPU: those of the kernels are tested where there are kernels.
  base::Result<void> draw_items(const tensor::StridedItems& to, const tensor::Dims& shape, const tensor::RandomLaw& law,
                                tensor::PhiloxState& state) override {
    using Kind = tensor::RandomLaw::Kind;
    const auto target = on_cpu(to, shape);
    tensor::Generator numbers(state.seed + state.offset);
    state.offset += 4;
    if (law.kind == Kind::Uniform) {
      tensor::uniform_(*target, numbers, law.first, law.second);
    } else if (law.kind == Kind::Normal) {
      tensor::normal_(*target, numbers, law.first, law.second);
    } else if (law.kind == Kind::Bernoulli) {
      tensor::bernoulli_(*target, numbers, law.first);
    } else {
      return cuda::failure("CUDA error: the device does not draw such numbers");
    }
    return {};
  }
  base::Result<void> synchronize() override { return {}; }

  std::uint64_t room = std::uint64_t{1} << 30U;
  int uploads = 0, downloads = 0;
  bool fails = false;

 private:
  base::Error failure() const { return cuda::failure("CUDA error: the device is gone"); }
  base::Result<void> copy(std::byte* to, const std::byte* from, std::uint64_t bytes) const {
    if (fails) return failure();
    std::memcpy(to, from, bytes);
    return {};
  }
  object::Ref<tensor::Tensor> on_cpu(const tensor::StridedItems& items, const tensor::Dims& shape) const {
    auto storage = tensor::Storage::wrap(in_, items.data, 0, nullptr);
    return tensor::make_tensor(in_, {std::move(storage), shape, items.strides, 0, items.dtype});
  }
  object::Interpreter& in_;
};

/// Computes what the CPU's bodies do by copies alone, and elementwise kernels on dense tensors; nothing else.
class FakeOps final : public ops::CudaOps {
 public:
  void begin(const char* name) override { operation = name; }
  object::PyResult<void> run(ops::OpCall& call) override {
    using ops::OpId;
    const OpId id = call.op.id;
    if (id == OpId::to_device || id == OpId::copy || id == OpId::fill || id == OpId::add || id == OpId::exp) {
      return call.op.bodies.cpu(call);
    }
    return object::error<object::ErrorKind::NotImplementedError>(
        call.interpreter, "Could not run '{}' on cuda:0: this op has no body for CUDA yet.", call.op.name);
  }
  object::PyResult<void> run_elements(const ops::ElementCall& call) override {
    ++kernels;
    std::array<ops::ElementInput, 3> inputs;
    std::vector<object::Ref<tensor::Tensor>> held;
    for (std::size_t i = 0; i < call.inputs.size(); ++i) {
      inputs[i] = call.inputs[i];
      if (inputs[i].tensor == nullptr) continue;
      NNS_TRY_ASSIGN(auto host, tensor::on_host(*inputs[i].tensor));
      inputs[i].tensor = held.emplace_back(std::move(host)).get();
    }
    const auto out = tensor::empty(call.out.interpreter(), call.out.shape(), call.out.dtype());
    NNS_TRY(ops::run_elements(*out, std::span(inputs.data(), call.inputs.size()), call.in, call.written, call.kernel,
                              call.settings));
    return tensor::copy_items(call.out, *out);
  }
  std::string operation;
  int kernels = 0;
};

}  // namespace nns::tests
