#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "core/object/instance.h"
#include "core/object/operations.h"
#include "core/ops/errors.h"
#include "core/ops/python_function.h"
#include "core/ops/term.h"

// Random numbers with PyTorch's streams, from the interpreter's generator; on meta nothing is drawn.
// Behaviour: aten/src/ATen/native/Distributions.cpp, aten/src/ATen/native/cpu/DistributionTemplates.h,
// aten/src/ATen/native/TensorFactories.cpp (randperm).
namespace nns::ops {
namespace {

using Args = std::span<const Value>;
using tensor::Generator;

constexpr std::string_view kOptions =
    "Generator? generator=None, dtype? dtype=None, layout? layout=None, device? device=None, bool? pin_memory=False, "
    "bool? requires_grad=False";

// torch.Generator: a stream of its own, or the interpreter's.
class GeneratorObject final : public object::Instance {
 public:
  explicit GeneratorObject(object::Class& cls) : Instance(cls) {}
  Generator& generator() { return is_default ? tensor::TensorLibrary::of(interpreter()).generator : own_; }
  bool is_default = false;

 private:
  Generator own_;
};

// The generator that was given, or the interpreter's.
Generator& generator_of(Interpreter& in, const Value& given) {
  if (given.is_none()) return tensor::TensorLibrary::of(in).generator;
  return static_cast<GeneratorObject&>(*given.object()).generator();
}

// `given`: generator, dtype, layout, device, pin_memory, requires_grad.
PyResult<Ref<Tensor>> empty_of(Interpreter& in, const Dims& shape, Args given, DType dtype,
                               std::optional<Device> like = std::nullopt) {
  Device device = like.value_or(tensor::TensorLibrary::of(in).default_device);
  NNS_TRY(tensor::check_not_negative(in, shape));
  if (!given[1].is_none()) {
    NNS_TRY_ASSIGN(dtype, tensor::dtype_of(in, given[1]));
  }
  if (!given[3].is_none()) {
    NNS_TRY_ASSIGN(device, tensor::device_of(in, given[3]));
  }
  return tensor::try_empty(in, shape, dtype, device);
}

PyResult<Value> finished(Ref<Tensor> made, const Value& requires_grad) {
  NNS_TRY(made->set_requires_grad(requires_grad.is_bool() && requires_grad.as_bool()));
  return Value(std::move(made));
}

// Writes draw() into each item, in order.
template <class Draw>
void fill_with(const Tensor& self, Draw draw) {
  if (self.is_meta()) return;
  if (self.is_cuda()) {
    const Ref<Tensor> drawn = tensor::empty(self.interpreter(), self.shape(), self.dtype());
    fill_with(*drawn, draw);
    static_cast<void>(tensor::copy_items(self, *drawn).ok());
    return;
  }
  const std::int64_t bytes = tensor::item_bytes(self.dtype());
  tensor::for_each_place(self, [&](std::int64_t place) {
    const auto number = draw();
    constexpr Compute kFrom =
        std::is_same_v<std::decay_t<decltype(number)>, std::int64_t> ? Compute::Int64 : Compute::Double;
    store_items(self.dtype(), self.storage()->data() + place * bytes, 0, 1, kFrom, &number);
  });
}

PyResult<void> require_floating(Interpreter& in, const Tensor& self, std::string_view name) {
  if (tensor::is_differentiable(self.dtype())) return {};
  return not_implemented_for(in, name, self.dtype());
}

PyResult<Value> draw_uniform(Interpreter& in, const Value& source, const Ref<Tensor>& self, double from, double to) {
  NNS_TRY(require_floating(in, *self, "check_uniform_bounds"));
  if (from > to) {
    return object::runtime_error(in, "uniform_ expects to return a [from, to) range, but found from={} > to={}", from,
                                 to);
  }
  tensor::uniform_(*self, generator_of(in, source), from, to);
  return Value(self);
}
PyResult<Value> draw_normal(Interpreter& in, const Value& source, const Ref<Tensor>& self, double mean,
                            double deviation) {
  NNS_TRY(require_floating(in, *self, "normal_kernel_cpu"));
  if (!(deviation >= 0)) {
    return object::runtime_error(in, "normal expects std >= 0.0, but found std {}", deviation);
  }
  tensor::normal_(*self, generator_of(in, source), mean, deviation);
  return Value(self);
}

// Integers in [from, to).
PyResult<Value> draw_integers(Interpreter& in, const Value& source, const Ref<Tensor>& self, std::int64_t from,
                              std::int64_t to) {
  if (from >= to) {
    return object::runtime_error(in, "random_ expects 'from' to be less than 'to', but got from={} >= to={}", from, to);
  }
  Generator& generator = generator_of(in, source);
  const std::uint64_t range = static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
  fill_with(*self, [&]() -> std::int64_t {
    const std::uint64_t bits = range >= (std::uint64_t{1} << 32U) ? generator.random64() : generator.random32();
    return static_cast<std::int64_t>(bits % range + static_cast<std::uint64_t>(from));
  });
  self->bump_version();
  return Value(self);
}

// random_(from, None): up to the greatest number of the dtype; from the least int64 on, 64 bits as they come.
// Behaviour: aten/src/ATen/native/DistributionTemplates.h, random_from_to_impl.
PyResult<Value> draw_integers_from(Interpreter& in, const Value& source, const Ref<Tensor>& self, std::int64_t from) {
  Generator& generator = generator_of(in, source);
  if (from == std::numeric_limits<std::int64_t>::min()) {
    fill_with(*self, [&]() -> std::int64_t { return static_cast<std::int64_t>(generator.random64()); });
    self->bump_version();
    return Value(self);
  }
  if (self->dtype() == DType::Int64) {
    const std::uint64_t range =
        static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) - static_cast<std::uint64_t>(from) + 1;
    fill_with(*self, [&]() -> std::int64_t {
      const std::uint64_t bits = range >= (std::uint64_t{1} << 32U) ? generator.random64() : generator.random32();
      return static_cast<std::int64_t>(bits % range + static_cast<std::uint64_t>(from));
    });
    self->bump_version();
    return Value(self);
  }
  return draw_integers(in, source, self, from, std::numeric_limits<std::int64_t>::max());
}

// random_() without bounds: all numbers that the dtype holds exactly.
PyResult<Value> draw_whole_range(Interpreter& in, const Value& source, const Ref<Tensor>& self) {
  Generator& generator = generator_of(in, source);
  const DType dtype = self->dtype();
  const auto digits = [dtype]() -> unsigned {
    switch (dtype) {
      case DType::Float64:
        return 53;
      case DType::Float32:
        return 24;
      case DType::Float16:
        return 11;
      case DType::BFloat16:
        return 8;
      case DType::Bool:
        return 1;
      case DType::UInt8:
        return 8;
      default:
        return tensor::item_bytes(dtype) * 8 - 1;
    }
  }();
  const bool is_wide = dtype == DType::Int64 || dtype == DType::Float64;
  const bool is_float = !tensor::is_integral(dtype);
  fill_with(*self, [&]() -> std::int64_t {
    const std::uint64_t bits = is_wide ? generator.random64() : generator.random32();
    const std::uint64_t count = is_float ? (std::uint64_t{1} << digits) + 1 : std::uint64_t{1} << digits;
    return static_cast<std::int64_t>(bits % count);
  });
  self->bump_version();
  return Value(self);
}

PyResult<Value> draw_exponential(Interpreter& in, const Value& source, const Ref<Tensor>& self, double rate) {
  NNS_TRY(require_floating(in, *self, "exponential_kernel_cpu"));
  if (!(rate > 0)) return object::runtime_error(in, "exponential_ expects lambda > 0.0, but found lambda={}", rate);
  Generator& generator = generator_of(in, source);
  fill_with(*self, [&] { return -1.0 / rate * std::log1p(-generator.uniform_double()); });
  self->bump_version();
  return Value(self);
}

PyResult<Value> draw_bernoulli(Interpreter& in, const Value& source, const Ref<Tensor>& self, double p) {
  if (!(p >= 0 && p <= 1)) return object::runtime_error(in, "bernoulli_ expects p to be in [0, 1], but got p={}", p);
  Generator& generator = generator_of(in, source);
  fill_with(*self, [&] { return generator.uniform_double() < p ? 1.0 : 0.0; });
  self->bump_version();
  return Value(self);
}

// One draw an item, each with a probability of its own.
PyResult<Value> draw_bernoulli_of(Interpreter& in, const Value& source, const Ref<Tensor>& self,
                                  const Tensor& probabilities) {
  const Ref<Tensor> spread = tensor::empty(in, self->shape(), probabilities.dtype(), self->device());
  NNS_TRY(tensor::copy_items(*spread, probabilities));
  if (self->is_meta()) return Value(self);
  Generator& generator = generator_of(in, source);
  std::vector<double> wanted;
  bool are_probabilities = true;
  tensor::for_each_place(*spread, [&](std::int64_t place) {
    wanted.push_back(tensor::read_double(*spread, place));
    are_probabilities = are_probabilities && wanted.back() >= 0 && wanted.back() <= 1;
  });
  if (!are_probabilities)
    return object::runtime_error(in, "Expected p_in >= 0 && p_in <= 1 to be true, but got false.");
  const bool is_double = probabilities.dtype() == DType::Float64;
  std::size_t at = 0;
  fill_with(*self, [&] {
    const double drawn = is_double ? generator.uniform_double() : static_cast<double>(generator.uniform_float());
    return drawn < wanted[at++] ? 1.0 : 0.0;
  });
  self->bump_version();
  return Value(self);
}

PyResult<Value> permutation(Interpreter& in, std::int64_t count, Args given) {
  if (count < 0) return object::runtime_error(in, "n must be non-negative, got {}", count);
  NNS_TRY_ASSIGN(Ref<Tensor> made, empty_of(in, Dims({count}), given, DType::Int64));
  if (made->is_meta()) return Value(made);
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
  Generator& generator = generator_of(in, given[0]);
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    std::swap(order[i], order[i + static_cast<std::size_t>(generator.random32() % (order.size() - i))]);
  }
  std::size_t at = 0;
  fill_with(*made, [&] { return order[at++]; });
  return finished(std::move(made), given[5]);
}

// Behaviour: Distributions.cpp, multinomial; cpu/MultinomialKernel.cpp for draws with replacement.
PyResult<Value> multinomial(Interpreter& in, const Value& source, const Tensor& weights, std::int64_t count,
                            bool replacement) {
  if (weights.ndim() != 1 && weights.ndim() != 2) {
    return object::runtime_error(in, "prob_dist must be 1 or 2 dim");
  }
  if (!tensor::is_floating(weights.dtype())) {
    return object::runtime_error(in, "multinomial only supports floating-point dtypes for input, got: {}",
                                 tensor::info(weights.dtype()).scalar_name);
  }
  if (count <= 0) return object::runtime_error(in, "cannot sample n_sample <= 0 samples");
  const std::int64_t categories = weights.shape()[weights.ndim() - 1];
  if (!replacement && count > categories) {
    return object::runtime_error(in, "cannot sample n_sample > prob_dist.size(-1) samples without replacement");
  }
  if (weights.is_cuda()) {
    NNS_TRY_ASSIGN(const Ref<Tensor> host, tensor::on_host(weights));
    NNS_TRY_ASSIGN(const Value drawn, multinomial(in, source, *host, count, replacement));
    NNS_TRY_ASSIGN(Ref<Tensor> moved, tensor::to(*drawn.as<Tensor>(), DType::Int64, weights.device()));
    return Value(std::move(moved));
  }
  const std::int64_t rows = weights.ndim() == 2 ? weights.shape()[0] : 1;
  const Dims shape = weights.ndim() == 2 ? Dims({rows, count}) : Dims({count});
  NNS_TRY_ASSIGN(Ref<Tensor> made, tensor::try_empty(in, shape, DType::Int64, weights.device()));
  if (made->is_meta()) return Value(made);
  std::vector<double> numbers;
  bool is_distribution = true;
  tensor::for_each_place(weights, [&](std::int64_t place) {
    numbers.push_back(tensor::read_double(weights, place));
    is_distribution = is_distribution && std::isfinite(numbers.back()) && numbers.back() >= 0;
  });
  if (!is_distribution) {
    return object::runtime_error(in, "probability tensor contains either `inf`, `nan` or element < 0");
  }
  Generator& generator = generator_of(in, source);
  auto* out = reinterpret_cast<std::int64_t*>(made->data());
  if (!replacement || count == 1) {
    // The largest quotients of the weights and exponential numbers, all drawn first, in the dtype of the weights.
    const Ref<Tensor> waits = tensor::empty(in, weights.shape(), weights.dtype());
    NNS_TRY(draw_exponential(in, source, waits, 1));
    NNS_TRY_ASSIGN(const Ref<Tensor> quotients,
                   call_tensor_op(in, OpId::div, std::array{Value(tensor::detach(weights)), Value(waits)}));
    NNS_TRY_ASSIGN(const Value best, call_op(in, OpId::topk, {Value(quotients), Value(count), Value(-1)}));
    return (*best.as<object::Tuple>())[1];
  }
  for (std::int64_t row = 0; row < rows; ++row) {
    const double* const probabilities = numbers.data() + row * categories;
    double sum = 0;
    std::vector<double> cumulative;
    for (std::int64_t i = 0; i < categories; ++i) cumulative.push_back(sum += probabilities[i]);
    if (!(sum > 0)) {
      return object::runtime_error(in, "invalid multinomial distribution (sum of probabilities <= 0)");
    }
    for (double& one : cumulative) one /= sum;
    for (std::int64_t k = 0; k < count; ++k) {
      const double drawn = generator.uniform_double();
      std::int64_t low = 0, high = categories;
      while (high - low > 0) {
        const std::int64_t middle = low + (high - low) / 2;
        if (cumulative[static_cast<std::size_t>(middle)] < drawn)
          low = middle + 1;
        else
          high = middle;
      }
      *out++ = low;
    }
  }
  return Value(made);
}

Ref<Tensor> tensor_of(Args a) { return Ref<Tensor>(a[0].as<Tensor>()); }

void add_methods(Interpreter& in) {
  add_method(in, "uniform_(Tensor input, float from=0.0, float to=1.0, *, Generator? generator=None)",
             [](Interpreter& inner, Args a) {
               return draw_uniform(inner, a.back(), tensor_of(a), a[1].as_float(), a[2].as_float());
             });
  add_method(in, "normal_(Tensor input, float mean=0.0, float std=1.0, *, Generator? generator=None)",
             [](Interpreter& inner, Args a) {
               return draw_normal(inner, a.back(), tensor_of(a), a[1].as_float(), a[2].as_float());
             });
  add_method(
      in, "exponential_(Tensor input, float lambd=1.0, *, Generator? generator=None)",
      [](Interpreter& inner, Args a) { return draw_exponential(inner, a.back(), tensor_of(a), a[1].as_float()); });
  add_method(in, "random_(Tensor input, *, Generator? generator=None)",
             [](Interpreter& inner, Args a) { return draw_whole_range(inner, a.back(), tensor_of(a)); });
  add_method(in, "random_(Tensor input, int from, int? to, *, Generator? generator=None)",
             [](Interpreter& inner, Args a) {
               if (a[2].is_none()) return draw_integers_from(inner, a.back(), tensor_of(a), a[1].as_int());
               return draw_integers(inner, a.back(), tensor_of(a), a[1].as_int(), a[2].as_int());
             });
  add_method(in, "random_(Tensor input, int to, *, Generator? generator=None)",
             [](Interpreter& inner, Args a) { return draw_integers(inner, a.back(), tensor_of(a), 0, a[1].as_int()); });
  add_method(in, "bernoulli_(Tensor input, Tensor p, *, Generator? generator=None)", [](Interpreter& inner, Args a) {
    return draw_bernoulli_of(inner, a.back(), tensor_of(a), *a[1].as<Tensor>());
  });
  add_method(in, "bernoulli_(Tensor input, float p=0.5, *, Generator? generator=None)",
             [](Interpreter& inner, Args a) { return draw_bernoulli(inner, a.back(), tensor_of(a), a[1].as_float()); });
  const auto bernoulli = [](Interpreter& inner, Args a) -> PyResult<Value> {
    const Tensor& p = *a[0].as<Tensor>();
    return draw_bernoulli_of(inner, a.back(), tensor::empty(inner, p.shape(), p.dtype(), p.device()), p);
  };
  add_function(in, "torch", "bernoulli(Tensor input, *, Generator? generator=None)", bernoulli);
  add_method(in, "bernoulli(Tensor input, *, Generator? generator=None)", bernoulli);
  const auto draw = [](Interpreter& inner, Args a) {
    return multinomial(inner, a.back(), *a[0].as<Tensor>(), a[1].as_int(), a[2].as_bool());
  };
  constexpr std::string_view kMultinomial =
      "multinomial(Tensor input, int num_samples, bool replacement=False, *, Generator? generator=None)";
  add_function(in, "torch", kMultinomial, draw);
  add_method(in, kMultinomial, draw);
}

GeneratorObject& generator_self(Args a) { return static_cast<GeneratorObject&>(*a[0].object()); }

// The state of a stream as a tensor of bytes, and back.
Value state_of(Interpreter& in, const Generator& generator) {
  const auto bytes = generator.state_bytes();
  const Ref<Tensor> made = tensor::empty(in, Dims({static_cast<std::int64_t>(bytes.size())}), DType::UInt8);
  std::copy_n(bytes.data(), bytes.size(), reinterpret_cast<std::uint8_t*>(made->data()));
  return Value(made);
}
PyResult<void> set_state(Interpreter& in, Generator& generator, const Tensor& state) {
  if (state.dtype() != DType::UInt8 || state.is_meta() || !state.is_contiguous()) {
    return object::type_error(in, "RNG state must be a torch.ByteTensor");
  }
  const auto count = static_cast<std::size_t>(state.numel());
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
PyResult<Tensor*> state_argument(Interpreter& in, const Value& value) {
  if (Tensor* const state = value.as<Tensor>()) return state;
  return object::type_error(in, "expected a torch.ByteTensor, but got {}", in.type_of(value).name());
}

void add_generator_class(Interpreter& in) {
  object::Class& cls = in.define_class(
      {.name = "Generator", .module = "torch._C", .make_instance = [](object::Class& made) -> Ref<object::Object> {
         return object::make<GeneratorObject>(made);
       }});
  python_module(in, "torch").set(in.intern("Generator"), Value(static_cast<object::Object*>(&cls)));
  cls.def("__init__(self, device='cpu')", [](Interpreter& inner, Args a) -> PyResult<Value> {
    NNS_TRY(tensor::device_of(inner, a[1]));
    return Value();
  });
  cls.def("manual_seed(self, seed)", [](Interpreter& inner, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::int64_t seed, object::index(inner, a[1]));
    generator_self(a).generator().seed_with(static_cast<std::uint64_t>(seed));
    return a[0];
  });
  cls.def("get_state(self)",
          [](Interpreter& inner, Args a) -> PyResult<Value> { return state_of(inner, generator_self(a).generator()); });
  cls.def("set_state(self, new_state)", [](Interpreter& inner, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Tensor* const state, state_argument(inner, a[1]));
    NNS_TRY(set_state(inner, generator_self(a).generator(), *state));
    return a[0];
  });
  cls.def("initial_seed(self)", [](Interpreter&, Args a) -> PyResult<Value> {
    return Value(static_cast<std::int64_t>(generator_self(a).generator().initial_seed()));
  });
  // A number that nobody knows before. Behaviour: c10/core/GeneratorImpl.cpp, getNonDeterministicRandom.
  cls.def("seed(self)", [](Interpreter&, Args a) -> PyResult<Value> {
    std::random_device source;
    const std::uint64_t number = ((std::uint64_t{source()} << 32U) | source()) & 0x1FFFFFFFFFFFFFU;
    generator_self(a).generator().seed_with(number);
    return Value(static_cast<std::int64_t>(number));
  });
  cls.property("device", [](Interpreter& inner, const Value&) -> PyResult<Value> {
    return tensor::TensorLibrary::of(inner).device_value(Device::Cpu);
  });
  const Ref<GeneratorObject> shared = object::make<GeneratorObject>(cls);
  shared->is_default = true;
  for (const std::string_view module : {"torch", "torch._C"}) {
    python_module(in, module).set(in.intern("default_generator"), Value(shared));
  }
  // torch.manual_seed and torch.seed speak to that one.
  const auto default_generator = [](Interpreter& inner) {
    return *python_module(inner, "torch._C").find(inner.intern("default_generator"));
  };
  const auto seed = in.function("seed()", [default_generator](Interpreter& inner, Args) {
    return inner.call_method(default_generator(inner), inner.intern("seed"), {});
  });
  python_module(in, "torch").set(in.intern("seed"), Value(seed));
  const auto manual_seed = in.function("manual_seed(seed)", [default_generator](Interpreter& inner, Args a) {
    return inner.call_method(default_generator(inner), inner.intern("manual_seed"), a);
  });
  python_module(in, "torch").set(in.intern("manual_seed"), Value(manual_seed));
}

}  // namespace

void add_random_functions(Interpreter& interpreter) {
  add_methods(interpreter);
  const auto add = [&interpreter](std::string_view signature, OverloadBody body) {
    add_function(interpreter, "torch", fmt::format(fmt::runtime(signature), kOptions), std::move(body));
  };
  add("rand(int[] size, *, {})", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Ref<Tensor> made,
                   empty_of(in, dims_of(a[0]), a.last(6), tensor::TensorLibrary::of(in).default_dtype));
    NNS_TRY(draw_uniform(in, a[a.size() - 6], made, 0, 1));
    return finished(std::move(made), a.back());
  });
  add("randn(int[] size, *, {})", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Ref<Tensor> made,
                   empty_of(in, dims_of(a[0]), a.last(6), tensor::TensorLibrary::of(in).default_dtype));
    NNS_TRY(draw_normal(in, a[a.size() - 6], made, 0, 1));
    return finished(std::move(made), a.back());
  });
  add("rand_like(Tensor input, *, {})", [](Interpreter& in, Args a) -> PyResult<Value> {
    const Tensor& like = *a[0].as<Tensor>();
    NNS_TRY_ASSIGN(Ref<Tensor> made, empty_of(in, like.shape(), a.last(6), like.dtype(), like.device()));
    NNS_TRY(draw_uniform(in, a[a.size() - 6], made, 0, 1));
    return finished(std::move(made), a.back());
  });
  add("randn_like(Tensor input, *, {})", [](Interpreter& in, Args a) -> PyResult<Value> {
    const Tensor& like = *a[0].as<Tensor>();
    NNS_TRY_ASSIGN(Ref<Tensor> made, empty_of(in, like.shape(), a.last(6), like.dtype(), like.device()));
    NNS_TRY(draw_normal(in, a[a.size() - 6], made, 0, 1));
    return finished(std::move(made), a.back());
  });
  add("randint(int high, int[] size, *, {})", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Ref<Tensor> made, empty_of(in, dims_of(a[1]), a.last(6), DType::Int64));
    NNS_TRY(draw_integers(in, a[a.size() - 6], made, 0, a[0].as_int()));
    return finished(std::move(made), a.back());
  });
  add("randint(int low, int high, int[] size, *, {})", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Ref<Tensor> made, empty_of(in, dims_of(a[2]), a.last(6), DType::Int64));
    NNS_TRY(draw_integers(in, a[a.size() - 6], made, a[0].as_int(), a[1].as_int()));
    return finished(std::move(made), a.back());
  });
  add("randperm(int n, *, {})", [](Interpreter& in, Args a) { return permutation(in, a[0].as_int(), a.last(6)); });
  // Mean and deviation of each item.
  add_function(interpreter, "torch", "normal(Tensor mean, Tensor std, *, Generator? generator=None)",
               [](Interpreter& in, Args a) -> PyResult<Value> {
                 const Tensor& mean = *a[0].as<Tensor>();
                 const Ref<Tensor> made = tensor::empty(in, mean.shape(), mean.dtype(), mean.device());
                 NNS_TRY(draw_normal(in, a.back(), made, 0, 1));
                 NNS_TRY_ASSIGN(const Value spread, call_op(in, OpId::mul, {Value(made), a[1]}));
                 return call_op(in, OpId::add, {spread, a[0]});
               });
  add_function(interpreter, "torch", "normal(Tensor mean, float std=1.0, *, Generator? generator=None)",
               [](Interpreter& in, Args a) -> PyResult<Value> {
                 const Tensor& mean = *a[0].as<Tensor>();
                 const Ref<Tensor> made = tensor::empty(in, mean.shape(), mean.dtype(), mean.device());
                 NNS_TRY(draw_normal(in, a.back(), made, 0, a[1].as_float()));
                 return call_op(in, OpId::add, {Value(made), a[0]});
               });
  add("normal(float mean, float std, int[] size, *, {})", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Ref<Tensor> made,
                   empty_of(in, dims_of(a[2]), a.last(6), tensor::TensorLibrary::of(in).default_dtype));
    NNS_TRY(draw_normal(in, a[a.size() - 6], made, a[0].as_float(), a[1].as_float()));
    return finished(std::move(made), a.back());
  });
  add_function(interpreter, "torch", "initial_seed()", [](Interpreter& in, Args) -> PyResult<Value> {
    return Value(static_cast<std::int64_t>(generator_of(in, Value()).initial_seed()));
  });
  add_function(interpreter, "torch", "get_rng_state()",
               [](Interpreter& in, Args) -> PyResult<Value> { return state_of(in, generator_of(in, Value())); });
  add_function(interpreter, "torch", "set_rng_state(Tensor new_state)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY(set_state(in, generator_of(in, Value()), *a[0].as<Tensor>()));
    return Value();
  });
  add_generator_class(interpreter);
}

}  // namespace nns::ops
