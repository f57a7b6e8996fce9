#include "core/ops/generator_object.h"

#include <cstring>
#include <limits>
#include <optional>
#include <random>

#include "core/object/big_int.h"
#include "core/object/operations.h"
#include "core/ops/errors.h"
#include "core/ops/python_function.h"

namespace nns::ops {
namespace {

using Args = std::span<const Value>;
using tensor::Device;
using tensor::Generator;
using tensor::PhiloxState;

GeneratorObject& self_of(Args a) { return static_cast<GeneratorObject&>(*a[0].object()); }

std::string_view kind_of(Device device) { return device == Device::Cuda ? "cuda" : "cpu"; }

// Seed and offset of a stream on a GPU, one behind the other. Behaviour: CUDAGeneratorImpl::get_state.
constexpr std::size_t kPhiloxBytes = 16;

Value bytes_value(Interpreter& in, std::span<const std::uint8_t> bytes) {
  const Ref<Tensor> made = tensor::empty(in, Dims({static_cast<std::int64_t>(bytes.size())}), DType::UInt8);
  std::memcpy(made->data(), bytes.data(), bytes.size());
  return Value(made);
}

// The state of a stream as a tensor of bytes, and back.
Value state_of(Interpreter& in, const Generator& generator, Device device) {
  if (device != Device::Cuda) return bytes_value(in, generator.state_bytes());
  std::array<std::uint8_t, kPhiloxBytes> bytes{};
  std::memcpy(bytes.data(), &generator.philox.seed, 8);
  std::memcpy(bytes.data() + 8, &generator.philox.offset, 8);
  return bytes_value(in, bytes);
}

PyResult<void> set_philox_offset(Interpreter& in, PhiloxState& state, std::uint64_t offset) {
  if (offset % 4 != 0) return object::runtime_error(in, "offset must be a multiple of 4");
  state.offset = offset;
  return {};
}

PyResult<void> set_state(Interpreter& in, Generator& generator, Device device, const Tensor& state) {
  if (state.dtype() != DType::UInt8 || state.is_meta() || state.is_cuda() || !state.is_contiguous()) {
    return object::type_error(in, "RNG state must be a torch.ByteTensor");
  }
  const auto count = static_cast<std::size_t>(state.numel());
  if (device == Device::Cuda) {
    // Of the seed alone, the stream begins anew.
    if (count != kPhiloxBytes && count != 8) return object::runtime_error(in, "RNG state is wrong size");
    PhiloxState told;
    std::memcpy(&told.seed, state.data(), 8);
    std::uint64_t offset = 0;
    if (count == kPhiloxBytes) std::memcpy(&offset, state.data() + 8, 8);
    NNS_TRY(set_philox_offset(in, told, offset));
    generator.philox = told;
    return {};
  }
  if (count != Generator::kStateBytes && count != Generator::kLegacyStateBytes) {
    return object::runtime_error(in,
                                 "Expected either a CPUGeneratorImplStateLegacy of size {} or a CPUGeneratorImplState "
                                 "of size {} but found the input RNG state size to be {}",
                                 Generator::kLegacyStateBytes, Generator::kStateBytes, count);
  }
  if (!generator.set_state_bytes({reinterpret_cast<const std::uint8_t*>(state.data()), count})) {
    return object::runtime_error(in, "Invalid mt19937 state");
  }
  return {};
}

void seed(Generator& generator, Device device, std::uint64_t number) {
  if (device == Device::Cuda) {
    generator.philox = {.seed = number, .offset = 0};
  } else {
    generator.seed_with(number);
  }
}
// That of the interpreter, for both devices.
void seed_all(Interpreter& in, std::uint64_t number) {
  for (const Device device : {Device::Cpu, Device::Cuda}) {
    seed(tensor::TensorLibrary::of(in).generator, device, number);
  }
}

// A seed of 64 bits, with a sign or without. Behaviour: torch/csrc/Generator.cpp, THPGenerator_manualSeed.
PyResult<std::uint64_t> seed_of(Interpreter& in, const Value& given) {
  if (given.as<object::BigInt>() == nullptr) {
    NNS_TRY_ASSIGN(const std::int64_t number, object::index(in, given));
    return static_cast<std::uint64_t>(number);
  }
  const std::optional<std::vector<std::uint8_t>> bytes = object::integer_to_bytes(given, sizeof(std::uint64_t), false);
  if (!bytes || object::integer_sign(given) < 0) {
    return object::runtime_error(in, "Overflow when unpacking long long");
  }
  std::uint64_t number = 0;
  std::memcpy(&number, bytes->data(), sizeof number);
  return number;
}
Value seed_value(Interpreter& in, std::uint64_t seed) {
  const bool fits = seed <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return fits ? Value(static_cast<std::int64_t>(seed)) : object::integer_of_unsigned(in, seed);
}

// A number that nobody knows before. Behaviour: c10/core/GeneratorImpl.cpp, getNonDeterministicRandom.
std::uint64_t drawn_seed() {
  std::random_device source;
  return ((std::uint64_t{source()} << 32U) | source()) & 0x1FFFFFFFFFFFFFU;
}

PyResult<PhiloxState*> philox_of(Interpreter& in, Args a, std::string_view what) {
  if (self_of(a).device == Device::Cuda) return &self_of(a).generator().philox;
  return object::runtime_error(in, "{} only supports torch.cuda.Generator", what);
}

void add_methods(object::Class& cls) {
  cls.def("__init__(self, device='cpu')", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Device device, tensor::device_of(in, a[1]));
    if (device == Device::Meta) {
      return object::runtime_error(in, "Device type meta is not supported for torch.Generator() api.");
    }
    self_of(a).device = device;
    return Value();
  });
  cls.def("manual_seed(self, seed)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::uint64_t number, seed_of(in, a[1]));
    seed(self_of(a).generator(), self_of(a).device, number);
    return a[0];
  });
  cls.def("get_state(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    return state_of(in, self_of(a).generator(), self_of(a).device);
  });
  cls.def("set_state(self, new_state)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const Tensor* const state = a[1].as<Tensor>();
    if (state == nullptr) {
      return object::type_error(in, "expected a torch.ByteTensor, but got {}", in.type_of(a[1]).name());
    }
    NNS_TRY(set_state(in, self_of(a).generator(), self_of(a).device, *state));
    return a[0];
  });
  cls.def("initial_seed(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    GeneratorObject& self = self_of(a);
    const bool is_cuda = self.device == Device::Cuda;
    return seed_value(in, is_cuda ? self.generator().philox.seed : self.generator().initial_seed());
  });
  cls.def("seed(self)", [](Interpreter&, Args a) -> PyResult<Value> {
    const std::uint64_t number = drawn_seed();
    seed(self_of(a).generator(), self_of(a).device, number);
    return Value(static_cast<std::int64_t>(number));
  });
  cls.def("get_offset(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const PhiloxState* const state, philox_of(in, a, "get_offset"));
    return Value(static_cast<std::int64_t>(state->offset));
  });
  cls.def("set_offset(self, offset)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::int64_t offset, object::index(in, a[1]));
    NNS_TRY_ASSIGN(PhiloxState* const state, philox_of(in, a, "set_offset"));
    NNS_TRY(set_philox_offset(in, *state, static_cast<std::uint64_t>(offset)));
    return a[0];
  });
  cls.property("device", [](Interpreter& in, const Value& self) -> PyResult<Value> {
    return tensor::TensorLibrary::of(in).device_value(static_cast<GeneratorObject&>(*self.object()).device);
  });
}

Ref<GeneratorObject> default_of(object::Class& cls, Device device) {
  Ref<GeneratorObject> made = object::make<GeneratorObject>(cls);
  made->is_default = true;
  made->device = device;
  return made;
}

}  // namespace

PyResult<Generator*> generator_of(Interpreter& interpreter, const Value& given, Device device) {
  if (given.is_none()) return &tensor::TensorLibrary::of(interpreter).generator;
  auto& object = static_cast<GeneratorObject&>(*given.object());
  // What lies on meta is not drawn.
  if (device != Device::Meta && object.device != device) {
    return object::runtime_error(interpreter, "Expected a '{}' device type for generator but found '{}'",
                                 kind_of(device), kind_of(object.device));
  }
  return &object.generator();
}

void add_generator_class(Interpreter& interpreter) {
  object::Class& cls = interpreter.define_class(
      {.name = "Generator", .module = "torch._C", .make_instance = [](object::Class& made) -> Ref<object::Object> {
         return object::make<GeneratorObject>(made);
       }});
  add_methods(cls);
  object::Dict& torch = python_module(interpreter, "torch");
  torch.set(interpreter.intern("Generator"), Value(static_cast<object::Object*>(&cls)));
  const Ref<GeneratorObject> shared = default_of(cls, Device::Cpu), on_gpu = default_of(cls, Device::Cuda);
  for (const std::string_view module : {"torch", "torch._C"}) {
    python_module(interpreter, module).set(interpreter.intern("default_generator"), Value(shared));
  }
  // torch.cuda has it as default_generators[0].
  python_module(interpreter, "torch._C").set(interpreter.intern("_cuda_default_generator"), Value(on_gpu));
  const auto add = [&](std::string_view signature, std::function<PyResult<Value>(Interpreter&, Args)> body) {
    const auto function = interpreter.function(signature, std::move(body));
    torch.set(interpreter.intern(signature.substr(0, signature.find('('))), Value(function));
  };
  add("seed()", [](Interpreter& in, Args) -> PyResult<Value> {
    const std::uint64_t number = drawn_seed();
    seed_all(in, number);
    return Value(static_cast<std::int64_t>(number));
  });
  add("manual_seed(seed)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::uint64_t number, seed_of(in, a[0]));
    seed_all(in, number);
    const Value* const shared_one = python_module(in, "torch._C").find(in.intern("default_generator"));
    return shared_one == nullptr ? Value() : *shared_one;
  });
  add_function(interpreter, "torch", "initial_seed()", [](Interpreter& in, Args) -> PyResult<Value> {
    return seed_value(in, tensor::TensorLibrary::of(in).generator.initial_seed());
  });
  add_function(interpreter, "torch", "get_rng_state()", [](Interpreter& in, Args) -> PyResult<Value> {
    return state_of(in, tensor::TensorLibrary::of(in).generator, Device::Cpu);
  });
  add_function(interpreter, "torch", "set_rng_state(Tensor new_state)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY(set_state(in, tensor::TensorLibrary::of(in).generator, Device::Cpu, *a[0].as<Tensor>()));
    return Value();
  });
}

}  // namespace nns::ops
