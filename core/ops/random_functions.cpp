#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/object/instance.h"
#include "core/object/operations.h"
#include "core/ops/errors.h"
#include "core/ops/generator_object.h"
#include "core/ops/memory_overlap.h"
#include "core/ops/promotion.h"
#include "core/ops/python_function.h"
#include "core/ops/random_bounds.h"
#include "core/ops/term.h"
#include "core/tensor/cuda_contents.h"
#include "core/tensor/promotion.h"

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
  NNS_TRY_ASSIGN(Ref<Tensor> made, tensor::try_empty(in, shape, dtype, device));
  if (OpLibrary::of(in).grad_mode.is_inference) made->mark_inference();
  return made;
}

PyResult<Value> finished(Ref<Tensor> made, const Value& requires_grad) {
  // That it was drawn is no write in place.
  made->set_version(0);
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

// The generator that fills `target`.
PyResult<Generator*> generator_for(Interpreter& in, const Value& given, const Tensor& target) {
  NNS_TRY(check_places_differ(in, target));
  return generator_of(in, given, target.device());
}

PyResult<void> require_floating(Interpreter& in, const Tensor& self, std::string_view name) {
  if (tensor::is_differentiable(self.dtype())) return {};
  return not_implemented_for(in, name, self.dtype());
}

PyResult<Value> draw_uniform(Interpreter& in, const Value& source, const Ref<Tensor>& self, double from, double to) {
  NNS_TRY(require_floating(in, *self, "check_uniform_bounds"));
  const RandomBounds bounds = random_bounds(tensor::real_of(self->dtype()));
  NNS_TRY(check_bound(in, "from", from, bounds));
  NNS_TRY(check_bound(in, "to", to, bounds));
  if (from > to) {
    return object::runtime_error(in, "uniform_ expects to return a [from, to) range, but found from={} > to={}", from,
                                 to);
  }
  if (to - from > bounds.most) {
    return object::runtime_error(in,
                                 "uniform_ expects to-from <= std::numeric_limits<{}>::max(), but found to={} and "
                                 "from={} which result in to-from to exceed the limit",
                                 tensor::info(self->dtype()).scalar_name, to, from);
  }
  NNS_TRY_ASSIGN(Generator* const generator, generator_for(in, source, *self));
  tensor::uniform_(*self, *generator, from, to);
  return Value(self);
}
PyResult<Value> draw_normal(Interpreter& in, const Value& source, const Ref<Tensor>& self, double mean,
                            double deviation) {
  NNS_TRY(require_floating(in, *self, "normal_kernel_cpu"));
  if (!(deviation >= 0)) {
    return object::runtime_error(in, "normal expects std >= 0.0, but found std {}", deviation);
  }
  NNS_TRY_ASSIGN(Generator* const generator, generator_for(in, source, *self));
  tensor::normal_(*self, *generator, mean, deviation);
  return Value(self);
}

// Whole numbers of a law from the device's own stream.
PyResult<Value> draw_integers_on_device(const Ref<Tensor>& self, Generator& generator, tensor::RandomLaw law) {
  law.kind = tensor::RandomLaw::Kind::Integers;
  NNS_TRY(tensor::draw_cuda_items(*self, law, generator.philox));
  self->bump_version();
  return Value(self);
}

// `range` integers from `base` on; 0: all of 64 bits.
PyResult<Value> draw_range(const Ref<Tensor>& self, Generator& generator, std::int64_t base, std::uint64_t range) {
  if (self->is_cuda()) {
    // Behaviour: cuda/DistributionTemplates.h, random_from_to_kernel.
    constexpr std::uint64_t kWide = std::uint64_t{1} << 28U;
    return draw_integers_on_device(self, generator,
                                   {.is_wide = range == 0 || range >= kWide, .base = base, .range = range});
  }
  const bool is_wide = range == 0 || range >= (std::uint64_t{1} << 32U);
  fill_with(*self, [&]() -> std::int64_t {
    const std::uint64_t bits = is_wide ? generator.random64() : generator.random32();
    return static_cast<std::int64_t>(range == 0 ? bits : bits % range + static_cast<std::uint64_t>(base));
  });
  self->bump_version();
  return Value(self);
}

// Integers in [from, to).
PyResult<Value> draw_integers(Interpreter& in, const Value& source, const Ref<Tensor>& self, std::int64_t from,
                              std::int64_t to) {
  if (from >= to) {
    return object::runtime_error(in, "random_ expects 'from' to be less than 'to', but got from={} >= to={}", from, to);
  }
  NNS_TRY(check_integer_bounds(in, self->dtype(), from, to - 1));
  NNS_TRY_ASSIGN(Generator* const generator, generator_for(in, source, *self));
  return draw_range(self, *generator, from, static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from));
}

// random_(from, None): up to the greatest number of the dtype; from the least int64 on, 64 bits as they come.
// Behaviour: aten/src/ATen/native/DistributionTemplates.h, random_from_to_impl.
PyResult<Value> draw_integers_from(Interpreter& in, const Value& source, const Ref<Tensor>& self, std::int64_t from) {
  const bool is_whole = from == std::numeric_limits<std::int64_t>::min();
  if (is_whole || self->dtype() == DType::Int64) {
    NNS_TRY_ASSIGN(Generator* const generator, generator_for(in, source, *self));
    const std::uint64_t range =
        static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) - static_cast<std::uint64_t>(from) + 1;
    return draw_range(self, *generator, is_whole ? 0 : from, is_whole ? 0 : range);
  }
  const RandomBounds bounds = random_bounds(self->dtype());
  // Of the widest integers the most is no double that an int64 holds.
  const bool is_widest = bounds.most >= static_cast<double>(std::numeric_limits<std::int64_t>::max());
  const std::int64_t last = bounds.digits ? std::int64_t{1} << *bounds.digits
                            : is_widest   ? std::numeric_limits<std::int64_t>::max()
                                          : static_cast<std::int64_t>(bounds.most);
  if (bounds.digits && from >= last) {
    return object::runtime_error(
        in,
        "random_ expects 'from' casted to dtype to be less than or equal to 'to_inc' casted to "
        "dtype, but got from={} > to_inc={}",
        from, last);
  }
  NNS_TRY(check_integer_bounds(in, self->dtype(), from, last));
  NNS_TRY_ASSIGN(Generator* const generator, generator_for(in, source, *self));
  return draw_range(self, *generator, from, static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(from) + 1);
}

// random_() without bounds: all numbers that the dtype holds exactly.
PyResult<Value> draw_whole_range(Interpreter& in, const Value& source, const Ref<Tensor>& self) {
  NNS_TRY_ASSIGN(Generator* const generator, generator_for(in, source, *self));
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
  const std::uint64_t count = is_float ? (std::uint64_t{1} << digits) + 1 : std::uint64_t{1} << digits;
  if (self->is_cuda()) return draw_integers_on_device(self, *generator, {.is_wide = is_wide, .range = count});
  fill_with(*self, [&]() -> std::int64_t {
    return static_cast<std::int64_t>((is_wide ? generator->random64() : generator->random32()) % count);
  });
  self->bump_version();
  return Value(self);
}

PyResult<Value> draw_exponential(Interpreter& in, const Value& source, const Ref<Tensor>& self, double rate) {
  NNS_TRY(require_floating(in, *self, "exponential_kernel_cpu"));
  if (!(rate > 0)) return object::runtime_error(in, "exponential_ expects lambda > 0.0, but found lambda={}", rate);
  NNS_TRY_ASSIGN(Generator* const generator, generator_for(in, source, *self));
  if (self->is_cuda()) {
    tensor::exponential_(*self, *generator, rate);
    return Value(self);
  }
  fill_with(*self, [&] { return -1.0 / rate * std::log1p(-generator->uniform_double()); });
  self->bump_version();
  return Value(self);
}

PyResult<Value> draw_bernoulli(Interpreter& in, const Value& source, const Ref<Tensor>& self, double p) {
  if (!(p >= 0 && p <= 1)) return object::runtime_error(in, "bernoulli_ expects p to be in [0, 1], but got p={}", p);
  NNS_TRY_ASSIGN(Generator* const generator, generator_for(in, source, *self));
  tensor::bernoulli_(*self, *generator, p);
  return Value(self);
}

// Behaviour: cuda/DistributionTemplates.h, bernoulli_tensor_cuda_kernel: a thread has four neighbours. Differs: beyond
// some million items torch's threads draw the same numbers again.
PyResult<Value> draw_bernoulli_on_device(Interpreter& in, const Ref<Tensor>& self, Generator& generator,
                                         const Ref<Tensor>& probabilities) {
  const Ref<Tensor> drawn = tensor::empty(in, self->shape(), DType::Float32, Device::Cuda);
  const std::uint64_t offset = generator.philox.offset;
  NNS_TRY(tensor::draw_cuda_items(*drawn, {.neighbours = 4, .first = 0, .second = 1}, generator.philox));
  generator.philox.offset = std::max(generator.philox.offset, offset + 12);
  NNS_TRY_ASSIGN(const Value kept, call_op(in, OpId::le, {Value(drawn), Value(probabilities)}));
  NNS_TRY(tensor::copy_items(*self, *kept.as<Tensor>()));
  self->bump_version();
  return Value(self);
}

// Whether all items are of [least, most]: the smallest and the largest are read.
PyResult<bool> lies_within(Interpreter& in, const Tensor& tensor, double least, double most) {
  if (tensor.numel() == 0 || tensor.is_meta()) return true;
  const auto is_fine = [&](OpId extreme) -> PyResult<bool> {
    NNS_TRY_ASSIGN(const Ref<Tensor> found, call_tensor_op(in, extreme, std::array{Value(tensor::detach(tensor))}));
    const double number = tensor::read_double(*found, found->offset());
    return number >= least && number <= most;
  };
  NNS_TRY_ASSIGN(const bool is_above, is_fine(OpId::min));
  return is_above ? is_fine(OpId::max) : PyResult<bool>(false);
}

// One draw an item, each with a probability of its own.
PyResult<Value> draw_bernoulli_of(Interpreter& in, const Value& source, const Ref<Tensor>& self,
                                  const Tensor& probabilities) {
  const Ref<Tensor> spread = tensor::empty(in, self->shape(), probabilities.dtype(), self->device());
  NNS_TRY(tensor::copy_items(*spread, probabilities));
  if (self->is_meta()) return Value(self);
  NNS_TRY_ASSIGN(Generator* const generator, generator_for(in, source, *self));
  std::vector<double> wanted;
  bool are_probabilities = true;
  if (self->is_cuda()) {
    NNS_TRY_ASSIGN(are_probabilities, lies_within(in, *spread, 0, 1));
  } else {
    tensor::for_each_place(*spread, [&](std::int64_t place) {
      wanted.push_back(tensor::read_double(*spread, place));
      are_probabilities = are_probabilities && wanted.back() >= 0 && wanted.back() <= 1;
    });
  }
  if (!are_probabilities)
    return object::runtime_error(in, "Expected p_in >= 0 && p_in <= 1 to be true, but got false.");
  if (self->is_cuda()) return draw_bernoulli_on_device(in, self, *generator, spread);
  const bool is_double = probabilities.dtype() == DType::Float64;
  std::size_t at = 0;
  fill_with(*self, [&] {
    const double drawn = is_double ? generator->uniform_double() : static_cast<double>(generator->uniform_float());
    return drawn < wanted[at++] ? 1.0 : 0.0;
  });
  self->bump_version();
  return Value(self);
}

// The keys by which a permutation sorts: `bits` of each count. Behaviour: cuda/Randperm.cu.
int key_bits(std::int64_t count) {
  const double n = static_cast<double>(count), threshold = std::log(0.9) * 12;
  return std::min(64, static_cast<int>(std::ceil(std::log2(n - (6 * n * n + 1) / threshold))));
}

// Items in the order of random keys; those of one key are shuffled among themselves.
// Behaviour: cuda/Randperm.cu, randperm_out_cuda, and Randperm.cuh, randperm_handle_duplicate_keys_kernel.
PyResult<std::vector<std::int64_t>> permutation_by_keys(Interpreter& in, std::int64_t count, Generator& generator) {
  const int bits = key_bits(count);
  const bool is_short = bits <= 32;
  const Ref<Tensor> drawn = tensor::empty(in, Dims({count}), is_short ? DType::Int32 : DType::Int64, Device::Cuda);
  const std::int64_t least =
      is_short ? std::numeric_limits<std::int32_t>::min() : std::numeric_limits<std::int64_t>::min();
  const std::uint64_t range =
      is_short ? std::numeric_limits<std::uint32_t>::max() : std::numeric_limits<std::uint64_t>::max();
  NNS_TRY(draw_range(drawn, generator, least, range));
  NNS_TRY_ASSIGN(const Ref<Tensor> here, tensor::on_host(*drawn));
  const std::uint64_t mask = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  std::vector<std::uint64_t> keys;
  tensor::for_each_place(*here, [&](std::int64_t place) {
    keys.push_back(static_cast<std::uint64_t>(tensor::read_int64(*here, place)) & mask);
  });
  std::vector<std::int64_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key_of = [&](std::size_t at) { return keys[static_cast<std::size_t>(order[at])]; };
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return keys[static_cast<std::size_t>(a)] < keys[static_cast<std::size_t>(b)];
  });
  for (std::size_t first = 0, end = 0; first < order.size(); first = end) {
    for (end = first + 1; end < order.size() && key_of(end) == key_of(first);) ++end;
    // The thread of an island's first item draws, one number of 32 bits after the other.
    std::uint64_t used = 0;
    for (std::size_t i = end - first - 1; i > 0; --i, ++used) {
      const auto numbers = tensor::philox_numbers(generator.philox.seed, first, generator.philox.offset / 4 + used / 4);
      std::swap(order[first + i], order[first + numbers.of[used % 4] % (i + 1)]);
    }
  }
  generator.philox.offset += (static_cast<std::uint64_t>(count) + 3) / 4 * 4;
  return order;
}

PyResult<Value> permutation(Interpreter& in, std::int64_t count, Args given) {
  if (count < 0) return object::runtime_error(in, "n must be non-negative, got {}", count);
  NNS_TRY_ASSIGN(Ref<Tensor> made, empty_of(in, Dims({count}), given, DType::Int64));
  NNS_TRY(check_count(in, made->dtype(), count));
  if (made->is_meta()) return Value(made);
  NNS_TRY_ASSIGN(Generator* const generator, generator_of(in, given[0], made->device()));
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  if (made->is_cuda() && count > 0) {
    NNS_TRY_ASSIGN(order, permutation_by_keys(in, count, *generator));
  } else {
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
      std::swap(order[i], order[i + static_cast<std::size_t>(generator->random32() % (order.size() - i))]);
    }
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
  const std::int64_t rows = weights.ndim() == 2 ? weights.shape()[0] : 1;
  const Dims shape = weights.ndim() == 2 ? Dims({rows, count}) : Dims({count});
  if (weights.is_meta()) {
    NNS_TRY_ASSIGN(Ref<Tensor> made, tensor::try_empty(in, shape, DType::Int64, weights.device()));
    return Value(std::move(made));
  }
  const bool draws_waits = !replacement || count == 1;
  std::vector<double> numbers;
  bool is_distribution = true;
  if (draws_waits && weights.is_cuda()) {
    NNS_TRY_ASSIGN(is_distribution, lies_within(in, weights, 0, std::numeric_limits<double>::max()));
  } else {
    NNS_TRY_ASSIGN(const Ref<Tensor> here, tensor::on_host(weights));
    tensor::for_each_place(*here, [&](std::int64_t place) {
      numbers.push_back(tensor::read_double(*here, place));
      is_distribution = is_distribution && std::isfinite(numbers.back()) && numbers.back() >= 0;
    });
  }
  if (!is_distribution) {
    return object::runtime_error(in, "probability tensor contains either `inf`, `nan` or element < 0");
  }
  if (draws_waits) {
    // The largest quotients of the weights and exponential numbers, all drawn first, in the dtype of the weights.
    const Ref<Tensor> waits = tensor::empty(in, weights.shape(), weights.dtype(), weights.device());
    NNS_TRY(draw_exponential(in, source, waits, 1));
    NNS_TRY_ASSIGN(const Ref<Tensor> quotients,
                   call_tensor_op(in, OpId::div, std::array{Value(tensor::detach(weights)), Value(waits)}));
    NNS_TRY_ASSIGN(const Value best, call_op(in, OpId::topk, {Value(quotients), Value(count), Value(-1)}));
    return (*best.as<object::Tuple>())[1];
  }
  NNS_TRY_ASSIGN(Generator* const generator, generator_of(in, source, weights.device()));
  NNS_TRY_ASSIGN(Ref<Tensor> made, tensor::try_empty(in, shape, DType::Int64, Device::Cpu));
  auto* out = reinterpret_cast<std::int64_t*>(made->data());
  // Differs: on a GPU the numbers are those of its stream, but not in the order of torch's kernel.
  Ref<Tensor> uniform;
  if (weights.is_cuda()) {
    NNS_TRY_ASSIGN(const Ref<Tensor> there, tensor::try_empty(in, shape, DType::Float64, Device::Cuda));
    tensor::uniform_(*there, *generator, 0, 1);
    NNS_TRY_ASSIGN(uniform, tensor::on_host(*there));
  }
  const auto* next = uniform ? reinterpret_cast<const double*>(uniform->data()) : nullptr;
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
      const double drawn = next != nullptr ? *next++ : generator->uniform_double();
      const auto found = std::lower_bound(cumulative.begin(), cumulative.end(), drawn);
      *out++ = found - cumulative.begin();
    }
  }
  NNS_TRY_ASSIGN(Ref<Tensor> moved, tensor::to(*made, DType::Int64, weights.device()));
  return Value(std::move(moved));
}

// torch.normal(mean, std) with a deviation of each item.
PyResult<Value> normal_of_each(Interpreter& in, Args a) {
  const Tensor& deviations = *a[1].as<Tensor>();
  if (tensor::is_complex(deviations.dtype())) {
    return object::runtime_error(in, "normal expects standard deviation to be non-complex");
  }
  NNS_TRY_ASSIGN(const bool is_fine, lies_within(in, deviations, 0, std::numeric_limits<double>::infinity()));
  if (!is_fine) return object::runtime_error(in, "normal expects all elements of std >= 0.0");
  const Tensor* const means = a[0].as<Tensor>();
  const Tensor& like = means == nullptr ? deviations : *means;
  NNS_TRY_ASSIGN(const Dims shape, broadcast_shapes(in, like.shape(), deviations.shape()));
  const Ref<Tensor> made = tensor::empty(in, shape, like.dtype(), like.device());
  NNS_TRY(draw_normal(in, a.back(), made, 0, 1));
  NNS_TRY_ASSIGN(const Value spread, call_op(in, OpId::mul, {Value(made), a[1]}));
  return call_op(in, OpId::add, {spread, a[0]});
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
  for (const std::string_view type : {"Tensor", "float"}) {
    add_function(interpreter, "torch", fmt::format("normal({} mean, Tensor std, *, Generator? generator=None)", type),
                 normal_of_each);
  }
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
  add_generator_class(interpreter);
}

}  // namespace nns::ops
