#include <algorithm>
#include <cmath>
#include <complex>

#include "core/object/operations.h"
#include "core/ops/errors.h"
#include "core/ops/layouts.h"
#include "core/ops/python_function.h"
#include "core/ops/term.h"
#include "core/tensor/promotion.h"
#include "core/tensor/stand_ins.h"

// Functions that make tensors of nothing. Behaviour: torch/csrc/autograd/python_torch_functions_manual.cpp,
// aten/src/ATen/native/TensorFactories.cpp, aten/src/ATen/native/RangeFactories.cpp.
namespace nns::ops {
namespace {

using Args = std::span<const Value>;
using tensor::Layout;

// What stands at the end of each of these functions.
constexpr std::string_view kOptions =
    "dtype? dtype=None, layout? layout=None, device? device=None, bool? pin_memory=False, bool? requires_grad=False";

struct Options {
  DType dtype = DType::Float32;
  Device device = Device::Cpu;
  bool requires_grad = false;
  Layout layout = Layout::Strided;
};

// `given`: dtype, layout, device, pin_memory, requires_grad.
// `like`: where the tensor lies that the new one is to be like; none: the default device.
PyResult<Options> options_of(Interpreter& in, Args given, DType dtype, std::optional<Device> like = std::nullopt) {
  Options options{dtype, like.value_or(tensor::TensorLibrary::of(in).default_device),
                  given[4].is_bool() && given[4].as_bool()};
  if (!given[0].is_none()) {
    NNS_TRY_ASSIGN(options.dtype, tensor::dtype_of(in, given[0]));
  }
  if (!given[2].is_none()) {
    NNS_TRY_ASSIGN(options.device, tensor::device_of(in, given[2]));
  }
  if (!given[1].is_none()) {
    NNS_TRY_ASSIGN(options.layout, tensor::layout_of(in, given[1]));
    if (options.layout != Layout::Strided && options.layout != Layout::SparseCoo) {
      return object::error<object::ErrorKind::NotImplementedError>(in, "nnscope has no tensors of layout {}",
                                                                   tensor::layout_text(options.layout));
    }
  }
  return options;
}

PyResult<Value> finished(Interpreter& in, Ref<Tensor> made, const Options& options) {
  if (made->sparse() != nullptr) {
    NNS_TRY(made->sparse()->values->set_requires_grad(options.requires_grad));
    return Value(std::move(made));
  }
  if (options.layout == Layout::SparseCoo) return tensor::no_sparse_kernel(in, "fill_.Scalar");
  if (options.device != made->device()) {
    NNS_TRY_ASSIGN(made, tensor::to(*made, made->dtype(), options.device));
  }
  if (options.requires_grad && !tensor::is_differentiable(made->dtype())) {
    return object::runtime_error(in, "Only Tensors of floating point and complex dtype can require gradients");
  }
  NNS_TRY(made->set_requires_grad(options.requires_grad));
  if (OpLibrary::of(in).grad_mode.is_inference) made->mark_inference();
  return Value(std::move(made));
}

PyResult<Dims> sizes_of(Interpreter& in, const Value& sizes) {
  const Dims dims = dims_of(sizes);
  NNS_TRY(tensor::check_not_negative(in, dims));
  return dims;
}

DType default_dtype(Interpreter& in) { return tensor::TensorLibrary::of(in).default_dtype; }

// The dtype of a number where none was given.
DType dtype_of_number(Interpreter& in, const Value& number) {
  if (number.is_bool()) return DType::Bool;
  if (Number::of(number).is_complex()) {
    return tensor::TensorLibrary::of(in).default_dtype == DType::Float64 ? DType::Complex128 : DType::Complex64;
  }
  return number.is_int() ? DType::Int64 : default_dtype(in);
}

enum class Content : std::uint8_t { Nothing, Zeros, Ones };

PyResult<Ref<Tensor>> filled(Interpreter& in, const Dims& shape, const Options& options, Content content) {
  if (options.layout == Layout::SparseCoo) {
    if (content == Content::Ones) return tensor::no_sparse_kernel(in, "fill_.Scalar");
    const auto dims = static_cast<std::int64_t>(shape.size());
    return tensor::make_sparse(in, shape,
                               {tensor::empty(in, Dims({dims, 0}), DType::Int64, options.device),
                                tensor::empty(in, Dims({0}), options.dtype, options.device), false});
  }
  NNS_TRY_ASSIGN(Ref<Tensor> made, tensor::try_empty(in, shape, options.dtype, options.device));
  // Memory that nobody wrote would show other programs' bytes: empty() gives zeros, too.
  tensor::fill_items(*made, content == Content::Ones ? 1 : 0);
  return made;
}

template <Content content>
PyResult<Value> make_filled(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const Dims shape, sizes_of(in, a[0]));
  NNS_TRY_ASSIGN(const Options options, options_of(in, a.last(5), default_dtype(in)));
  NNS_TRY_ASSIGN(Ref<Tensor> made, filled(in, shape, options, content));
  return finished(in, std::move(made), options);
}

// What is the same in each item, in the order of `like` or of the format that was asked for.
PyResult<Ref<Tensor>> in_order_of(Interpreter& in, const Tensor& like, const Tensor& made, const Value& format) {
  const MemoryFormat wanted = format_of(format);
  NNS_TRY(check_rank(in, wanted, made.ndim()));
  const Dims strides = wanted != MemoryFormat::Preserve ? strides_of(wanted, made.shape())
                       : like.sparse() != nullptr       ? made.strides()
                                                        : preserved_strides(like);
  return tensor::make_tensor(in, {made.storage(), made.shape(), strides, 0, made.dtype()});
}

template <Content content>
PyResult<Value> make_like(Interpreter& in, Args a) {
  const Tensor& like = *a[0].as<Tensor>();
  NNS_TRY_ASSIGN(const Options options, options_of(in, a.subspan(1, 5), like.dtype(), like.device()));
  NNS_TRY_ASSIGN(Ref<Tensor> made, filled(in, like.shape(), options, content));
  if (options.layout == Layout::Strided) {
    NNS_TRY_ASSIGN(made, in_order_of(in, like, *made, a[6]));
  }
  return finished(in, std::move(made), options);
}
template <Content content>
PyResult<Value> make_new(Interpreter& in, Args a) {
  const Tensor& like = *a[0].as<Tensor>();
  NNS_TRY_ASSIGN(const Dims shape, sizes_of(in, a[1]));
  NNS_TRY_ASSIGN(const Options options, options_of(in, a.last(5), like.dtype(), like.device()));
  NNS_TRY_ASSIGN(Ref<Tensor> made, filled(in, shape, options, content));
  return finished(in, std::move(made), options);
}

// Where items are written one by one before they go to `device`.
Device written_on(Device device) { return device == Device::Cuda ? Device::Cpu : device; }

PyResult<Value> make_full(Interpreter& in, const Dims& shape, const Value& value, const Options& options) {
  NNS_TRY_ASSIGN(Ref<Tensor> made, tensor::try_empty(in, shape, options.dtype, options.device));
  constexpr std::int64_t kExactInDouble = std::int64_t{1} << 53;
  const bool is_wide = value.is_int() && (value.as_int() > kExactInDouble || value.as_int() < -kExactInDouble);
  if ((is_wide && tensor::is_integral(options.dtype)) || Number::of(value).is_complex()) {
    GradModeGuard no_grad(in, false);
    NNS_TRY_ASSIGN(made, call_in_place(in, OpId::fill, std::array{Value(made), value}));
  } else {
    tensor::fill_items(*made, Number::of(value).as_double());
  }
  return finished(in, std::move(made), options);
}

// start, start + step, ...: `count` numbers.
PyResult<Value> make_range(Interpreter& in, const Number& start, const Number& step, std::int64_t count,
                           const Options& options) {
  NNS_TRY_ASSIGN(Ref<Tensor> made, tensor::try_empty(in, Dims({count}), options.dtype, written_on(options.device)));
  if (!made->is_meta()) {
    const bool is_whole = tensor::is_integral(options.dtype);
    const std::int64_t bytes = tensor::item_bytes(options.dtype);
    for (std::int64_t i = 0; i < count; ++i) {
      if (is_whole) {
        const std::int64_t number = start.as_int64() + i * step.as_int64();
        store_items(options.dtype, made->data() + i * bytes, 0, 1, Compute::Int64, &number);
      } else {
        const double number = start.as_double() + static_cast<double>(i) * step.as_double();
        store_items(options.dtype, made->data() + i * bytes, 0, 1, Compute::Double, &number);
      }
    }
  }
  return finished(in, std::move(made), options);
}

// The frequencies of a transform of n samples that lie d apart: half of them only, or with the negative ones behind.
// Behaviour: aten/src/ATen/native/SpectralOps.cpp, fft_fftfreq and fft_rfftfreq.
PyResult<Value> frequencies(Interpreter& in, Args a, bool is_half) {
  NNS_TRY_ASSIGN(const Options options, options_of(in, a.last(5), default_dtype(in)));
  if (!tensor::is_differentiable(options.dtype)) {
    return object::runtime_error(in, "{} requires a floating point or complex dtype", is_half ? "rfftfreq" : "fftfreq");
  }
  const std::int64_t n = a[0].as_int(), count = is_half ? n / 2 + 1 : n;
  if (count < 0) return object::runtime_error(in, "upper bound and lower bound inconsistent with step sign");
  const double step = 1 / (static_cast<double>(n) * Number::of(a[1]).as_double());
  NNS_TRY(tensor::check_room(in, count));
  std::vector<double> items;
  for (std::int64_t k = 0; k < count; ++k) {
    items.push_back(static_cast<double>(!is_half && k >= (n + 1) / 2 ? k - n : k) * step);
  }
  return finished(in, tensor::from_values(in, Dims({count}), items, options.dtype), options);
}

PyResult<Value> arange(Interpreter& in, const Value& first, const Value& last, const Value& between,
                       Args options_given) {
  const Number start = Number::of(first), end = Number::of(last), step = Number::of(between);
  if (start.is_complex() || end.is_complex() || step.is_complex()) return no_conversion(in, DType::Float64);
  const bool is_whole = start.is_integral() && end.is_integral() && step.is_integral();
  NNS_TRY_ASSIGN(const Options options, options_of(in, options_given, is_whole ? DType::Int64 : default_dtype(in)));
  if (step.as_double() == 0) return object::runtime_error(in, "step must be nonzero");
  if (!std::isfinite(start.as_double()) || !std::isfinite(end.as_double())) {
    return object::runtime_error(in, "unsupported range: {} -> {}", start.as_double(), end.as_double());
  }
  if ((end.as_double() - start.as_double()) * step.as_double() < 0) {
    return object::runtime_error(in, "upper bound and lower bound inconsistent with step sign");
  }
  if (is_whole) {
    // Exact, also where a double is not.
    const std::int64_t stride = step.as_int64(), towards = stride > 0 ? 1 : -1;
    return make_range(in, start, step, (end.as_int64() - start.as_int64() + stride - towards) / stride, options);
  }
  const double count = std::ceil((end.as_double() - start.as_double()) / step.as_double());
  return make_range(in, start, step, static_cast<std::int64_t>(count), options);
}

// `steps` numbers from start to end, symmetric from both ends; `use` makes the item of each.
template <class Use>
PyResult<Value> spaced(Interpreter& in, Args a, Args options_given, Use use) {
  const double start = Number::of(a[0]).as_double(), end = Number::of(a[1]).as_double();
  const std::int64_t steps = a[2].as_int();
  if (steps < 0) return object::runtime_error(in, "number of steps must be non-negative");
  NNS_TRY_ASSIGN(const Options options, options_of(in, options_given, default_dtype(in)));
  NNS_TRY_ASSIGN(Ref<Tensor> made, tensor::try_empty(in, Dims({steps}), options.dtype, written_on(options.device)));
  if (!made->is_meta()) {
    const bool is_narrow = tensor::item_bytes(options.dtype) <= 4 && !tensor::is_integral(options.dtype);
    const double width = steps > 1 ? (end - start) / static_cast<double>(steps - 1) : 0;
    const std::int64_t bytes = tensor::item_bytes(options.dtype);
    for (std::int64_t i = 0; i < steps; ++i) {
      const double from_start = static_cast<double>(i), from_end = static_cast<double>(steps - i - 1);
      double number = i < steps / 2 || steps == 1 ? start + width * from_start : end - width * from_end;
      if (is_narrow) {
        const auto narrow = static_cast<float>(width);
        number = static_cast<double>(i < steps / 2 || steps == 1
                                         ? static_cast<float>(start) + narrow * static_cast<float>(i)
                                         : static_cast<float>(end) - narrow * static_cast<float>(steps - i - 1));
      }
      const double item = use(number);
      store_items(options.dtype, made->data() + i * bytes, 0, 1, Compute::Double, &item);
    }
  }
  return finished(in, std::move(made), options);
}

// The same of complex bounds; in logspace the items are the powers of `base`.
PyResult<Value> spaced_complex(Interpreter& in, std::string_view name, Args a, Args options_given,
                               std::optional<double> base) {
  const DType inferred = tensor::complex_of(default_dtype(in));
  NNS_TRY_ASSIGN(const Options options, options_of(in, options_given, inferred));
  if (!tensor::is_complex(options.dtype)) {
    return object::runtime_error(in, "torch.{}(): inferred dtype {} can't be safely cast to passed dtype {}", name,
                                 tensor::info(inferred).scalar_name, tensor::info(options.dtype).scalar_name);
  }
  const std::complex<double> start = Number::of(a[0]).as_complex(), end = Number::of(a[1]).as_complex();
  const std::int64_t steps = a[2].as_int();
  if (steps < 0) return object::runtime_error(in, "number of steps must be non-negative");
  NNS_TRY_ASSIGN(Ref<Tensor> made, tensor::try_empty(in, Dims({steps}), options.dtype, written_on(options.device)));
  const std::complex<double> step = steps > 1 ? (end - start) / static_cast<double>(steps - 1) : 0.0;
  const std::int64_t bytes = tensor::item_bytes(options.dtype);
  for (std::int64_t i = 0; i < steps && !made->is_meta(); ++i) {
    const bool is_low = i < steps / 2 || steps == 1;
    const std::complex<double> number =
        is_low ? start + step * static_cast<double>(i) : end - step * static_cast<double>(steps - i - 1);
    const std::complex<double> item = base ? std::pow(std::complex<double>(*base), number) : number;
    store_items(options.dtype, made->data() + i * bytes, 0, 1, Compute::ComplexDouble, &item);
  }
  return finished(in, std::move(made), options);
}

// A bound that is a tensor is its item.
PyResult<std::vector<Value>> plain_bounds(Interpreter& in, std::string_view name, Args a) {
  std::vector<Value> plain(a.begin(), a.end());
  const auto ndim = [&](std::size_t i) { return a[i].as<Tensor>() == nullptr ? 0 : a[i].as<Tensor>()->ndim(); };
  if (ndim(0) + ndim(1) > 0) {
    return object::runtime_error(in,
                                 "{} only supports 0-dimensional start and end tensors, but got start with {} "
                                 "dimension(s) and end with {} dimension(s).",
                                 name, ndim(0), ndim(1));
  }
  for (std::size_t i = 0; i < 2; ++i) {
    const Tensor* const bound = a[i].as<Tensor>();
    if (bound == nullptr) continue;
    if (bound->is_meta()) return no_item_of_meta(in);
    plain[i] = tensor::read_value(*bound, bound->offset());
  }
  return plain;
}

PyResult<Value> linspace(Interpreter& in, Args given) {
  NNS_TRY_ASSIGN(const std::vector<Value> a, plain_bounds(in, "linspace", given));
  if (Number::of(a[0]).is_complex() || Number::of(a[1]).is_complex()) {
    return spaced_complex(in, "linspace", a, given.last(5), std::nullopt);
  }
  return spaced(in, a, given.last(5), [](double number) { return number; });
}

PyResult<Value> logspace(Interpreter& in, Args given) {
  NNS_TRY_ASSIGN(const std::vector<Value> a, plain_bounds(in, "logspace", given));
  const double base = a[3].as_float();
  if (Number::of(a[0]).is_complex() || Number::of(a[1]).is_complex()) {
    return spaced_complex(in, "logspace", a, given.last(5), base);
  }
  return spaced(in, a, given.last(5), [base](double number) { return std::pow(base, number); });
}

PyResult<Value> eye(Interpreter& in, std::int64_t rows, std::int64_t columns, Args options_given) {
  if (rows < 0 || columns < 0) {
    return object::runtime_error(in, "{} must be greater or equal to 0, got {}", rows < 0 ? "n" : "m",
                                 rows < 0 ? rows : columns);
  }
  NNS_TRY_ASSIGN(const Options options, options_of(in, options_given, default_dtype(in)));
  NNS_TRY_ASSIGN(Ref<Tensor> made, filled(in, Dims({rows, columns}), options, Content::Zeros));
  const std::int64_t count = std::min(rows, columns);
  tensor::fill_items(*tensor::as_strided(*made, Dims({count}), Dims({columns + 1}), 0), 1);
  return finished(in, std::move(made), options);
}

// torch.tensor(data) and torch.as_tensor(data), which keeps a tensor that fits.
PyResult<Value> make_of_data(Interpreter& in, const Value& given_data, const Value& dtype, const Value& device,
                             bool requires_grad, bool is_copy) {
  NNS_TRY_ASSIGN(const Value data, tensor::plain_operand(in, given_data));
  const bool is_foreign = data.as<Tensor>() != given_data.as<Tensor>();
  std::optional<DType> wanted;
  if (!dtype.is_none()) {
    NNS_TRY_ASSIGN(wanted, tensor::dtype_of(in, dtype));
  }
  Device place = tensor::TensorLibrary::of(in).default_device;
  if (Tensor* const given = data.as<Tensor>()) {
    if (place == Device::Cpu) place = given->device();
    if (is_copy && !is_foreign) {
      in.warn(object::ErrorKind::UserWarning,
              "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
              "sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor).");
    } else if (!is_copy && (!wanted || *wanted == given->dtype()) && device.is_none() && place == given->device()) {
      return data;
    }
  }
  if (!device.is_none()) {
    NNS_TRY_ASSIGN(place, tensor::device_of(in, device));
  }
  Ref<Tensor> made;
  if (Tensor* const given = data.as<Tensor>()) {
    if (!is_copy && !is_foreign) {
      // Another dtype or place of the same tensor, through which gradients go.
      const auto& library = tensor::TensorLibrary::of(in);
      return call_op(in, OpId::to_device,
                     {data, library.dtype_value(wanted.value_or(given->dtype())), library.device_value(place)});
    }
    made = tensor::clone(*given);
    if (wanted) {
      NNS_TRY_ASSIGN(made, tensor::to(*made, *wanted, made->device()));
    }
  } else {
    NNS_TRY_ASSIGN(made, tensor::from_nested(in, given_data, wanted));
  }
  NNS_TRY_ASSIGN(made, tensor::to(*made, made->dtype(), place));
  const DType of_made = made->dtype();
  return finished(in, std::move(made), {of_made, place, requires_grad});
}

// How many places a triangle has; more than there is memory for are not counted on.
std::int64_t places_in_triangle(std::int64_t rows, std::int64_t columns, std::int64_t offset, bool is_lower) {
  constexpr std::int64_t kTooMany = std::int64_t{1} << 48U;
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < rows && columns > 0 && count < kTooMany; ++i) {
    // Of row i: the columns up to i + offset, or from there on.
    std::int64_t edge = 0;
    if (__builtin_add_overflow(i + (is_lower ? 1 : 0), offset, &edge)) edge = columns;
    const std::int64_t below = std::clamp<std::int64_t>(edge, 0, columns);
    count += is_lower ? below : columns - below;
  }
  return count;
}

// The places of a triangle of a matrix, rows over columns.
PyResult<Value> triangle(Interpreter& in, Args a, bool is_lower) {
  const std::int64_t rows = a[0].as_int(), columns = a[1].as_int(), offset = a[2].as_int();
  NNS_TRY(tensor::check_room(in, places_in_triangle(rows, columns, offset, is_lower)));
  std::vector<double> places[2];
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      if (is_lower ? j - i > offset : j - i < offset) continue;
      places[0].push_back(static_cast<double>(i));
      places[1].push_back(static_cast<double>(j));
    }
  }
  const auto count = static_cast<std::int64_t>(places[0].size());
  places[0].insert(places[0].end(), places[1].begin(), places[1].end());
  NNS_TRY_ASSIGN(const Options options, options_of(in, a.last(5), DType::Int64));
  return finished(in, tensor::from_values(in, Dims({2, count}), places[0], options.dtype), options);
}

PyResult<Value> make_empty(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(Value made, make_filled<Content::Nothing>(in, a));
  const MemoryFormat wanted = format_of(a[1]);
  if (a[1].is_none() || wanted == MemoryFormat::Contiguous) return made;
  Tensor& self = *made.as<Tensor>();
  if (wanted == MemoryFormat::Preserve) return object::runtime_error(in, "Unsupported memory format Preserve");
  NNS_TRY(check_rank(in, wanted, self.ndim()));
  self.set_data(*tensor::as_strided(self, self.shape(), strides_of(wanted, self.shape()), 0));
  return made;
}

void add_filled(Interpreter& in) {
  const auto add = [&in](std::string_view name, auto body, auto like, auto fresh) {
    add_function(in, "torch", fmt::format("{}(int[] size, *, {})", name, kOptions), body);
    add_function(in, "torch",
                 fmt::format("{}_like(Tensor input, *, {}, memory_format? memory_format=None)", name, kOptions), like);
    add_method(in, fmt::format("new_{}(Tensor input, int[] size, *, {})", name, kOptions), fresh);
  };
  add("zeros", make_filled<Content::Zeros>, make_like<Content::Zeros>, make_new<Content::Zeros>);
  add("ones", make_filled<Content::Ones>, make_like<Content::Ones>, make_new<Content::Ones>);
  add_function(in, "torch", fmt::format("empty_like(Tensor input, *, {}, memory_format? memory_format=None)", kOptions),
               make_like<Content::Nothing>);
  add_method(in, fmt::format("new_empty(Tensor input, int[] size, *, {})", kOptions), make_new<Content::Nothing>);
  add_function(in, "torch", fmt::format("empty(int[] size, *, memory_format? memory_format=None, {})", kOptions),
               make_empty);
  add_function(in, "torch", fmt::format("full(int[] size, Number fill_value, *, {})", kOptions),
               [](Interpreter& inner, Args a) -> PyResult<Value> {
                 NNS_TRY_ASSIGN(const Dims shape, sizes_of(inner, a[0]));
                 NNS_TRY_ASSIGN(const Options options, options_of(inner, a.last(5), dtype_of_number(inner, a[1])));
                 return make_full(inner, shape, a[1], options);
               });
  add_function(
      in, "torch",
      fmt::format("full_like(Tensor input, Number fill_value, *, {}, memory_format? memory_format=None)", kOptions),
      [](Interpreter& inner, Args a) -> PyResult<Value> {
        const Tensor& like = *a[0].as<Tensor>();
        NNS_TRY_ASSIGN(const Options options, options_of(inner, a.subspan(2, 5), like.dtype(), like.device()));
        NNS_TRY_ASSIGN(const Value made, make_full(inner, like.shape(), a[1], options));
        const Tensor& full = *made.as<Tensor>();
        NNS_TRY_ASSIGN(Ref<Tensor> ordered, in_order_of(inner, like, full, a[7]));
        NNS_TRY(ordered->set_requires_grad(full.requires_grad()));
        if (full.is_inference()) ordered->mark_inference();
        return Value(std::move(ordered));
      });
  add_method(in, fmt::format("new_full(Tensor input, int[] size, Number fill_value, *, {})", kOptions),
             [](Interpreter& inner, Args a) -> PyResult<Value> {
               const Tensor& like = *a[0].as<Tensor>();
               NNS_TRY_ASSIGN(const Dims shape, sizes_of(inner, a[1]));
               NNS_TRY_ASSIGN(const Options options, options_of(inner, a.last(5), like.dtype(), like.device()));
               return make_full(inner, shape, a[2], options);
             });
}

}  // namespace

PyResult<Ref<Tensor>> full_of(Interpreter& in, const Dims& shape, const Value& number, DType dtype, Device device) {
  const Number given = Number::of(number);
  if (!given.is_complex()) return tensor::try_full(in, shape, given.as_double(), dtype, device);
  NNS_TRY_ASSIGN(const Ref<Tensor> made, tensor::try_empty(in, shape, dtype, device));
  GradModeGuard no_grad(in, false);
  return call_in_place(in, OpId::fill, std::array{Value(made), number});
}

void add_creation_functions(Interpreter& interpreter) {
  add_filled(interpreter);
  const auto add = [&interpreter](std::string_view signature, OverloadBody body) {
    add_function(interpreter, "torch", fmt::format(fmt::runtime(signature), kOptions), std::move(body));
  };
  add("arange(Number end, *, {})",
      [](Interpreter& in, Args a) { return arange(in, Value(0), a[0], Value(1), a.last(5)); });
  add("arange(Number start, Number end, Number step=1, *, {})",
      [](Interpreter& in, Args a) { return arange(in, a[0], a[1], a[2], a.last(5)); });
  for (const std::string_view bounds : {"Number start, Number end", "Tensor start, Tensor end",
                                        "Tensor start, Number end", "Number start, Tensor end"}) {
    add_function(interpreter, "torch", fmt::format("linspace({}, int steps, *, {})", bounds, kOptions), linspace);
    add_function(interpreter, "torch", fmt::format("logspace({}, int steps, float base=10.0, *, {})", bounds, kOptions),
                 logspace);
  }
  add("eye(int n, *, {})", [](Interpreter& in, Args a) { return eye(in, a[0].as_int(), a[0].as_int(), a.last(5)); });
  add("eye(int n, int m, *, {})",
      [](Interpreter& in, Args a) { return eye(in, a[0].as_int(), a[1].as_int(), a.last(5)); });
  for (const bool is_half : {false, true}) {
    add_function(interpreter, "torch.fft",
                 fmt::format("{}(int n, float d=1.0, *, {})", is_half ? "rfftfreq" : "fftfreq", kOptions),
                 [is_half](Interpreter& in, Args a) { return frequencies(in, a, is_half); });
  }
  add("scalar_tensor(Number s, *, {})", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Options options, options_of(in, a.last(5), default_dtype(in)));
    return make_full(in, Dims(), a[0], options);
  });
  add("tril_indices(int row, int col, int offset=0, *, {})",
      [](Interpreter& in, Args a) { return triangle(in, a, true); });
  add("triu_indices(int row, int col, int offset=0, *, {})",
      [](Interpreter& in, Args a) { return triangle(in, a, false); });
  add_function(interpreter, "torch",
               "tensor(any data, *, dtype? dtype=None, device? device=None, bool pin_memory=False, bool "
               "requires_grad=False)",
               [](Interpreter& in, Args a) { return make_of_data(in, a[0], a[1], a[2], a[4].as_bool(), true); });
  add_function(interpreter, "torch", "as_tensor(any data, dtype? dtype=None, device? device=None)",
               [](Interpreter& in, Args a) { return make_of_data(in, a[0], a[1], a[2], false, false); });
  add_method(interpreter,
             "new_tensor(Tensor input, any data, *, dtype? dtype=None, device? device=None, bool "
             "requires_grad=False)",
             [](Interpreter& in, Args a) -> PyResult<Value> {
               const auto& library = tensor::TensorLibrary::of(in);
               const Tensor& like = *a[0].as<Tensor>();
               return make_of_data(in, a[1], a[2].is_none() ? library.dtype_value(like.dtype()) : a[2],
                                   a[3].is_none() ? library.device_value(like.device()) : a[3], a[4].as_bool(), true);
             });
}

}  // namespace nns::ops
