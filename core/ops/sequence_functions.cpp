#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/ops/errors.h"
#include "core/ops/function_arguments.h"
#include "core/ops/node_names.h"
#include "core/ops/python_function.h"
#include "core/ops/term.h"

// Functions that take or give several tensors, and short names of what other ops do.
// Behaviour: aten/src/ATen/native/{TensorShape,TensorTransformations,TensorCompare,Itertools}.cpp; torch/functional.py.
namespace nns::ops {
namespace {

using Args = std::span<const Value>;
using Ints = std::vector<std::int64_t>;

PyResult<Value> flat(Interpreter& in, const Value& x) {
  return call_op(in, OpId::reshape, {x, dims_value(in, Dims({-1}))});
}

// The parts between these places, each of which may count from the end.
PyResult<Value> split_at(Interpreter& in, const Value& self, const Ints& places, std::size_t dim) {
  std::vector<Value> parts;
  std::int64_t start = 0;
  for (std::size_t i = 0; i <= places.size(); ++i) {
    const Value end = i < places.size() ? Value(places[i]) : Value();
    NNS_TRY_ASSIGN(Value part,
                   call_op(in, OpId::slice, {self, Value(static_cast<std::int64_t>(dim)), Value(start), end}));
    parts.push_back(std::move(part));
    if (i < places.size()) start = places[i];
  }
  return Value(in.tuple(std::move(parts)));
}
// So many parts, the first ones larger by one where they cannot be equal.
PyResult<Value> split_evenly(Interpreter& in, const Value& self, std::int64_t sections, std::size_t dim) {
  if (sections <= 0) return object::runtime_error(in, "number of sections must be larger than 0, got {}", sections);
  const std::int64_t size = self.as<Tensor>()->shape()[dim];
  Ints places;
  std::int64_t place = 0;
  for (std::int64_t i = 0; i + 1 < sections; ++i) places.push_back(place += size / sections + (i < size % sections));
  return split_at(in, self, places, dim);
}

PyResult<Value> tensor_split(Interpreter& in, const Value& self, const Value& how, const Value& given_dim) {
  const Tensor& x = *self.as<Tensor>();
  if (x.ndim() == 0) {
    return object::runtime_error(in,
                                 "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims");
  }
  NNS_TRY_ASSIGN(const std::size_t dim, checked_dimension(in, given_dim.as_int(), x.ndim()));
  if (how.is_int()) return split_evenly(in, self, how.as_int(), dim);
  Ints places;
  if (const Tensor* const given = how.as<Tensor>()) {
    if (given->ndim() > 1) {
      return object::runtime_error(in,
                                   "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or "
                                   "one-dimensional tensor, but got a tensor with {} dims",
                                   given->ndim());
    }
    if (given->dtype() != DType::Int64) {
      return object::runtime_error(in,
                                   "tensor_split expected tensor_indices_or_sections to have dtype of long, but got {}",
                                   tensor::info(given->dtype()).scalar_name);
    }
    if (given->device() != Device::Cpu) {
      return object::runtime_error(in, "tensor_split expected tensor_indices_or_sections to be on cpu, but it's on {}",
                                   tensor::device_name(given->device()));
    }
    tensor::for_each_place(*given, [&](std::int64_t place) { places.push_back(tensor::read_int64(*given, place)); });
    if (given->ndim() == 0) return split_evenly(in, self, places[0], dim);
  } else {
    const Dims dims = dims_of(how);
    places.assign(dims.begin(), dims.end());
  }
  return split_at(in, self, places, dim);
}

// hsplit, vsplit and dsplit: tensor_split that must come out even, along a dimension that they choose.
PyResult<Value> even_split(Interpreter& in, Args a, std::string_view name, std::size_t least_dims, std::size_t dim) {
  const Tensor& x = self_of(a);
  if (x.ndim() < least_dims) {
    return object::runtime_error(in,
                                 "torch.{0} requires a tensor with at least {1} dimension{2}, but got a tensor with "
                                 "{3} dimensions!",
                                 name, least_dims, least_dims == 1 ? "" : "s", x.ndim());
  }
  if (name == "hsplit" && x.ndim() == 1) dim = 0;
  if (a[1].is_int() && (a[1].as_int() == 0 || x.shape()[dim] % a[1].as_int() != 0)) {
    return object::runtime_error(in,
                                 "torch.{} attempted to split along dimension {}, but the size of the dimension {} "
                                 "is not divisible by the split_size {}!",
                                 name, dim, x.shape()[dim], a[1].as_int());
  }
  return tensor_split(in, a[0], a[1], Value(static_cast<std::int64_t>(dim)));
}

PyResult<Value> cartesian_prod(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(std::vector<Value> items, loose_tensors(in, a[0], "cartesian_prod"));
  if (items.empty()) return object::runtime_error(in, "meshgrid expects a non-empty TensorList");
  Ints shape;
  for (const Value& item : items) {
    const Tensor& one = *item.as<Tensor>();
    if (one.ndim() != 1) {
      return object::runtime_error(in, "Expect a 1D vector, but got shape [{}]", fmt::join(one.shape().span(), ", "));
    }
    shape.push_back(one.numel());
  }
  if (items.size() == 1) return items[0];
  for (std::size_t i = 0; i < items.size(); ++i) {
    Ints own(items.size(), 1);
    own[i] = shape[i];
    NNS_TRY_ASSIGN(const Value column, call_op(in, OpId::view, {items[i], dims_value(in, Dims(own))}));
    NNS_TRY_ASSIGN(const Value grid, call_op(in, OpId::expand, {column, dims_value(in, Dims(shape))}));
    NNS_TRY_ASSIGN(items[i], flat(in, grid));
  }
  return call_op(in, OpId::stack, {Value(in.tuple(std::move(items))), Value(1)});
}

// At least so many dimensions; of a vector: a row, of a matrix: one channel.
PyResult<Value> at_least(Interpreter& in, const Value& x, std::size_t dims) {
  const Dims& shape = x.as<Tensor>()->shape();
  if (shape.size() >= dims) return x;
  Ints wanted(shape.begin(), shape.end());
  if (wanted.empty()) wanted.push_back(1);
  if (dims >= 2 && wanted.size() == 1) wanted.insert(wanted.begin(), 1);
  if (dims == 3 && wanted.size() == 2) wanted.push_back(1);
  return call_op(in, OpId::reshape, {x, dims_value(in, Dims(wanted))});
}
void add_at_least(Interpreter& interpreter, std::size_t dims) {
  const auto name = fmt::format("atleast_{}d", dims);
  add_function(interpreter, "torch", name + "(Tensor input)",
               [dims](Interpreter& in, Args a) { return at_least(in, a[0], dims); });
  add_function(interpreter, "torch", name + "(Tensor[] tensors)", [dims](Interpreter& in, Args a) -> PyResult<Value> {
    std::vector<Value> made;
    for (const Value& item : a[0].as<object::Tuple>()->items()) {
      NNS_TRY_ASSIGN(Value one, at_least(in, item, dims));
      made.push_back(std::move(one));
    }
    return Value(in.tuple(std::move(made)));
  });
  // Behaviour: torch/functional.py: one tensor, one sequence of them, or several tensors.
  object::Dict& torch = python_module(interpreter, "torch");
  const Value of_one = *torch.find(interpreter.intern(name));
  torch.set(interpreter.intern(name),
            Value(interpreter.function(name + "(*tensors)", [of_one](Interpreter& in, Args a) -> PyResult<Value> {
              const auto given = a[0].as<object::Tuple>()->items();
              return in.call(of_one, {given.size() == 1 ? given[0] : a[0]});
            })));
}

PyResult<Value> column_stack(Interpreter& in, Args a) {
  std::vector<Value> columns;
  for (const Value& item : a[0].as<object::Tuple>()->items()) {
    const Tensor& one = *item.as<Tensor>();
    Value column = item;
    if (one.ndim() < 2) {
      NNS_TRY_ASSIGN(column, call_op(in, OpId::reshape, {item, dims_value(in, Dims({one.numel(), 1}))}));
    }
    columns.push_back(std::move(column));
  }
  return call_op(in, OpId::cat, {Value(in.tuple(std::move(columns))), Value(1)});
}

// Which items are among others.
PyResult<Value> is_in(Interpreter& in, Args a) {
  const GradModeGuard no_grad(in, false);
  Value items = a[0], others = a[1];
  if (others.as<Tensor>() == nullptr) {
    NNS_TRY_ASSIGN(const Value found, call_op(in, OpId::eq, {items, others}));
    return a[3].as_bool() ? call_op(in, OpId::logical_not, {found}) : PyResult<Value>(found);
  }
  NNS_TRY_ASSIGN(others, flat(in, others));
  Term found;
  if (items.as<Tensor>() == nullptr) {
    found = apply(OpId::any, {eq(Term(Ref<Tensor>(others.as<Tensor>())), TermArgument(items))});
  } else {
    NNS_TRY_ASSIGN(items, call_op(in, OpId::unsqueeze, {items, Value(-1)}));
    const Term same = eq(Term(Ref<Tensor>(items.as<Tensor>())), Term(Ref<Tensor>(others.as<Tensor>())));
    found = apply(OpId::any, {same, TermArgument(dims_value(in, Dims({-1})))});
  }
  return value_of(a[3].as_bool() ? logical_not(found) : found);
}

// The sum over what broadcasting to the shape of the tensor would have added.
PyResult<Value> sum_to_size(Interpreter& in, Args a) {
  const Dims wanted = dims_of(a[1]);
  const Dims& shape = self_of(a).shape();
  bool fits = wanted.size() <= shape.size();
  for (std::size_t i = 0; fits && i < wanted.size(); ++i) {
    const std::int64_t own = shape[shape.size() - wanted.size() + i];
    fits = wanted[i] == own || wanted[i] == 1;
  }
  if (!fits) {
    return object::runtime_error(in, "size {{[{}]}} is not expandable to size {{[{}]}}.",
                                 fmt::join(wanted.span(), ", "), fmt::join(shape.span(), ", "));
  }
  return value_of(sum_to(Term(Ref<Tensor>(a[0].as<Tensor>())), wanted));
}

// The logarithm of the gamma function of p dimensions: a sum over shifted arguments.
PyResult<Value> mvlgamma(Interpreter& in, Args a) {
  const std::int64_t p = a[1].as_int();
  if (p < 1) return object::runtime_error(in, "p has to be greater than or equal to 1");
  constexpr double kLogPi = 1.14472988584940017414;
  Term sum;
  for (std::int64_t i = 0; i < p; ++i) {
    const Term part = apply(OpId::lgamma, {Term(Ref<Tensor>(a[0].as<Tensor>())) - static_cast<double>(i) / 2});
    sum = i == 0 ? part : sum + part;
  }
  return value_of(sum + static_cast<double>(p * (p - 1)) * kLogPi / 4);
}

// round(x, decimals). Behaviour: aten/src/ATen/native/cpu/UnaryOpsKernel.cpp, round_decimals_kernel.
// Behaviour: torch/functional.py, cdist.
PyResult<Value> distances(Interpreter& in, Args a) {
  constexpr std::string_view kModes[] = {"use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist",
                                         "donot_use_mm_for_euclid_dist"};
  const auto* const mode = std::find(std::begin(kModes), std::end(kModes), a[3].as<object::Str>()->view());
  if (mode == std::end(kModes)) {
    return object::value_error(in, "{} is not a valid value for compute_mode", a[3].as<object::Str>()->view());
  }
  const std::int64_t place = mode - std::begin(kModes);
  return call_op(in, OpId::cdist, {a[0], a[1], a[2], place == 0 ? Value() : Value(place)});
}

PyResult<Value> round_to_decimals(Interpreter& in, Args a) {
  const Ref<Tensor> input(a[0].as<Tensor>());
  const std::int64_t decimals = a[1].as_int();
  if (decimals == 0) return call_op(in, OpId::round, {a[0]});
  if (tensor::is_integral(input->dtype())) {
    return not_implemented_for(in, "round_cpu", input->dtype());
  }
  const double unit = std::pow(10.0, static_cast<double>(decimals < 0 ? -decimals : decimals));
  if (decimals < 0) return value_of(apply(OpId::round, {Term(input) / unit}) * unit);
  return value_of(apply(OpId::round, {Term(input) * unit}) / unit);
}

// x.fill_diagonal_(value): of a matrix; with `wrap` a tall one begins again below.
PyResult<Value> fill_diagonal(Interpreter& in, Args a) {
  const Tensor& self = self_of(a);
  if (self.ndim() < 2) return object::runtime_error(in, "dimensions must larger than 1");
  std::int64_t size = self.shape()[0], step = 0;
  for (std::size_t i = 0; i < self.ndim(); ++i) {
    if (self.ndim() > 2 && self.shape()[i] != self.shape()[0]) {
      return object::runtime_error(in, "all dimensions of input must be of equal length");
    }
    size = std::min(size, self.shape()[i]);
    step += self.strides()[i];
  }
  const auto fill = [&](std::int64_t count, std::int64_t offset) -> PyResult<void> {
    NNS_TRY_ASSIGN(const Value line,
                   call_op(in, OpId::as_strided,
                           {a[0], dims_value(in, Dims({count})), dims_value(in, Dims({step})), Value(offset)}));
    NNS_TRY(call_in_place(in, OpId::fill, std::array{line, a[1]}));
    return {};
  };
  NNS_TRY(fill(size, self.offset()));
  const std::int64_t rows = self.shape()[0], columns = self.shape()[1];
  if (!a[2].as_bool() || self.ndim() != 2 || rows <= columns + 1) return a[0];
  for (std::int64_t row = columns + 1; row < rows; row += columns + 1) {
    NNS_TRY(fill(std::min(columns, rows - row), self.offset() + row * self.strides()[0]));
  }
  return a[0];
}

}  // namespace

void add_sequence_functions(Interpreter& interpreter) {
  const auto both = [&interpreter](std::string_view signature, const OverloadBody& body) {
    add_method(interpreter, signature, body);
    add_function(interpreter, "torch", signature, body);
  };
  const auto split = [](Interpreter& in, Args a) { return tensor_split(in, a[0], a[1], a[2]); };
  both("tensor_split(Tensor input, Tensor tensor_indices_or_sections, int dim=0)", split);
  both("tensor_split(Tensor input, int sections, int dim=0)", split);
  both("tensor_split(Tensor input, int[] indices, int dim=0)", split);
  struct EvenSplit {
    std::string_view name;
    std::size_t least_dims, dim;
  };
  for (const EvenSplit& row : {EvenSplit{"hsplit", 1, 1}, EvenSplit{"vsplit", 2, 0}, EvenSplit{"dsplit", 3, 2}}) {
    const auto body = [row](Interpreter& in, Args a) { return even_split(in, a, row.name, row.least_dims, row.dim); };
    both(fmt::format("{}(Tensor input, int sections)", row.name), body);
    both(fmt::format("{}(Tensor input, int[] indices)", row.name), body);
  }
  // Names of parameters that these have in Python's part of PyTorch. Source: torch/_tensor.py, torch/functional.py.
  const auto split_by_size = [](Interpreter& in, Args a) { return call_op(in, OpId::split, a); };
  add_method(interpreter, "split(Tensor input, int[1] split_size, int dim=0)", split_by_size);
  add_function(interpreter, "torch", "split(Tensor tensor, int[1] split_size_or_sections, int dim=0)", split_by_size);
  both("split_with_sizes(Tensor input, int[] split_sizes, int dim=0)", split_by_size);
  python_module(interpreter, "torch")
      .set(interpreter.intern("cartesian_prod"),
           Value(interpreter.function("cartesian_prod(*tensors)", cartesian_prod)));
  python_module(interpreter, "torch")
      .set(interpreter.intern("block_diag"),
           Value(interpreter.function("block_diag(*tensors)", [](Interpreter& in, Args a) -> PyResult<Value> {
             NNS_TRY_ASSIGN(std::vector<Value> items, loose_tensors(in, a[0], "block_diag"));
             return call_op(in, OpId::block_diag, {Value(in.tuple(std::move(items)))});
           })));
  for (const std::size_t dims : {1U, 2U, 3U}) add_at_least(interpreter, dims);
  add_function(interpreter, "torch", "column_stack(Tensor[] tensors)", column_stack);
  constexpr std::string_view kIsIn = ", *, bool assume_unique=False, bool invert=False)";
  for (const std::string_view operands :
       {"Tensor elements, Tensor test_elements", "Number element, Tensor test_elements",
        "Tensor elements, Number test_element"}) {
    add_function(interpreter, "torch", fmt::format("isin({}{}", operands, kIsIn), is_in);
  }
  add_function(interpreter, "torch",
               "cdist(Tensor x1, Tensor x2, float p=2.0, str compute_mode='use_mm_for_euclid_dist_if_necessary')",
               distances);
  add_method(interpreter, "sum_to_size(Tensor input, int[] size)", sum_to_size);
  both("mvlgamma(Tensor input, int p)", mvlgamma);
  add_function(interpreter, "torch", "_weight_norm(Tensor v, Tensor g, int dim=0)",
               [](Interpreter& in, Args a) { return call_op(in, OpId::weight_norm, a); });
  both("round(Tensor input, *, int decimals)", round_to_decimals);
  add_method(interpreter, "round_(Tensor input, *, int decimals)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Value rounded, round_to_decimals(in, a));
    NNS_TRY_ASSIGN(Ref<Tensor> target, call_in_place(in, OpId::copy, std::array{a[0], rounded}));
    return Value(std::move(target));
  });
  add_function(interpreter, "torch.special", "round(Tensor input, *, int decimals)", round_to_decimals);
  add_function(interpreter, "torch.special", "multigammaln(Tensor input, int p)", mvlgamma);
  for (const std::string_view module : {"torch", "torch.special"}) {
    add_function(interpreter, module, "polygamma(int n, Tensor input)", [](Interpreter& in, Args a) {
      return call_op(in, OpId::polygamma, {a[1], a[0]});
    });
  }
  add_method(interpreter, "fill_diagonal_(Tensor input, Number fill_value, bool wrap=False)", fill_diagonal);
  // One bound of clamp alone.
  struct OneBound {
    std::string_view name;
    bool is_low;
  };
  for (const OneBound& row : {OneBound{"clamp_min", true}, OneBound{"clamp_max", false}}) {
    for (const std::string_view type : {"Tensor", "Number"}) {
      const std::string parameters = fmt::format("(Tensor input, {} {})", type, row.is_low ? "min" : "max");
      both(fmt::format("{}{}", row.name, parameters), [is_low = row.is_low](Interpreter& in, Args a) {
        const bool is_number = a[1].as<Tensor>() == nullptr;
        return with_node_name(call_op(in, OpId::clamp, {a[0], is_low ? a[1] : Value(), is_low ? Value() : a[1]}),
                              is_low ? (is_number ? "ClampMinBackward0" : "ClampMinBackward1")
                                     : (is_number ? "ClampMaxBackward0" : "ClampMaxBackward1"));
      });
      add_method(interpreter, fmt::format("{}_{}", row.name, parameters),
                 [is_low = row.is_low](Interpreter& in, Args a) -> PyResult<Value> {
                   const std::array args = {a[0], is_low ? a[1] : Value(), is_low ? Value() : a[1]};
                   NNS_TRY_ASSIGN(Ref<Tensor> target, call_in_place(in, OpId::clamp, args));
                   return Value(std::move(target));
                 });
    }
  }
  both("narrow_copy(Tensor input, int dim, int start, int length)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Value part, call_op(in, OpId::narrow, a));
    return call_op(in, OpId::clone, {part});
  });
  both("isreal(Tensor input)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const GradModeGuard no_grad(in, false);
    if (!tensor::is_complex(self_of(a).dtype())) {
      return Value(tensor::full(in, self_of(a).shape(), 1, DType::Bool, self_of(a).device()));
    }
    NNS_TRY_ASSIGN(const Value part, call_op(in, OpId::imag, {a[0]}));
    return call_op(in, OpId::eq, {part, Value(0)});
  });
  both("positive(Tensor input)", [](Interpreter& in, Args a) -> PyResult<Value> {
    if (self_of(a).dtype() != DType::Bool) return a[0];
    return object::runtime_error(in, "The `+` operator, on a bool tensor is not supported.");
  });
  // Conjugates and negatives are computed at once here: there is nothing left to resolve.
  for (const std::string_view name : {"resolve_conj", "resolve_neg"}) {
    both(fmt::format("{}(Tensor input)", name), [](Interpreter&, Args a) -> PyResult<Value> { return a[0]; });
  }
}

}  // namespace nns::ops
