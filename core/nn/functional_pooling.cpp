#include <fmt/ranges.h>

#include <cmath>

#include "core/nn/functional.h"
#include "core/object/operations.h"

// Behaviour: torch/nn/functional.py, fractional_max_pool2d to adaptive_avg_pool3d.
namespace nns::nn {
namespace {

using ops::OpId;
using ops::Term;
using tensor::Dims;

// The arguments of a pooling op are the first six (of avg_pool all); whether indices are wanted, the last one says.
template <OpId values, OpId with_indices>
PyResult<Value> max_pool(FunctionCall& call) {
  return ops::call_op(call.interpreter, call.flag(6) ? with_indices : values, call.args.first(6));
}

// The first of the two results if `wants_both` is false.
PyResult<Value> values_or_both(PyResult<Value> both, bool wants_both) {
  NNS_TRY_ASSIGN(const Value made, std::move(both));
  return wants_both ? made : (*made.as<object::Tuple>())[0];
}

// ---------------------------------------------------------------- unpooling

// One int for each of `dims` dimensions.
std::vector<std::int64_t> ntuple_of(const Value& given, std::size_t dims) {
  const Dims sizes = ops::dims_of(given);
  if (sizes.size() == 1) return std::vector<std::int64_t>(dims, sizes[0]);
  return {sizes.begin(), sizes.end()};
}

// Behaviour: _unpool_output_size.
PyResult<std::vector<std::int64_t>> unpooled_size(FunctionCall& call, const std::vector<std::int64_t>& kernel,
                                                  const std::vector<std::int64_t>& stride,
                                                  const std::vector<std::int64_t>& padding) {
  Interpreter& in = call.interpreter;
  const Dims& input = call.required(0).shape();
  std::vector<std::int64_t> usual;
  if (input.size() < kernel.size() || stride.size() < kernel.size() || padding.size() < kernel.size()) {
    return object::error<object::ErrorKind::IndexError>(in, "tuple index out of range");
  }
  for (std::size_t d = 0; d < kernel.size(); ++d) {
    usual.push_back((input[input.size() - kernel.size() + d] - 1) * stride[d] + kernel[d] - 2 * padding[d]);
  }
  if (call.is_none(5)) return usual;
  NNS_TRY_ASSIGN(std::vector<Value> given, object::to_vector(in, call.args[5]));
  if (given.size() == kernel.size() + 2) given.erase(given.begin(), given.begin() + 2);
  if (given.size() != kernel.size()) {
    return object::value_error(
        in, "output_size should be a sequence containing {} or {} elements, but it has a length of '{}'", kernel.size(),
        kernel.size() + 2, given.size());
  }
  std::vector<std::int64_t> wanted;
  for (const Value& one : given) {
    NNS_TRY_ASSIGN(const std::int64_t size, object::index(in, one));
    wanted.push_back(size);
  }
  const bool is_list = call.args[5].as<object::List>() != nullptr;
  for (std::size_t d = 0; d < kernel.size(); ++d) {
    if (usual[d] - stride[d] < wanted[d] && wanted[d] < usual[d] + stride[d]) continue;
    std::vector<Value> shown(given);
    NNS_TRY_ASSIGN(const std::string text,
                   object::repr(in, is_list ? Value(in.list(std::move(shown))) : Value(in.tuple(std::move(shown)))));
    return object::value_error(in, "invalid output_size \"{}\" (dim {} must be between {} and {})", text, d,
                               usual[d] - stride[d], usual[d] + stride[d]);
  }
  return wanted;
}

template <std::size_t dims>
PyResult<Value> max_unpool(FunctionCall& call) {
  Interpreter& in = call.interpreter;
  const std::vector<std::int64_t> kernel = ntuple_of(call.args[2], dims);
  const std::vector<std::int64_t> stride = call.is_none(3) ? kernel : ntuple_of(call.args[3], dims);
  const std::vector<std::int64_t> padding = ntuple_of(call.args[4], dims);
  NNS_TRY_ASSIGN(std::vector<std::int64_t> size, unpooled_size(call, kernel, stride, padding));
  if constexpr (dims == 3) {
    return ops::call_op(in, OpId::max_unpool3d,
                        {call.args[0], call.args[1], ops::dims_value(in, Dims(size)), ops::dims_value(in, Dims(stride)),
                         ops::dims_value(in, Dims(padding))});
  }
  if constexpr (dims == 2) {
    return ops::call_op(in, OpId::max_unpool2d, {call.args[0], call.args[1], ops::dims_value(in, Dims(size))});
  }
  // A line is a plane of width 1.
  size.push_back(1);
  const Term plane = ops::apply(OpId::max_unpool2d,
                                {ops::apply(OpId::unsqueeze, {call.term(0), -1}),
                                 ops::apply(OpId::unsqueeze, {call.term(1), -1}), ops::dims_value(in, Dims(size))});
  return ops::value_of(ops::apply(OpId::squeeze, {plane, -1}));
}

// ---------------------------------------------------------------- other maxima

// Arguments: input, kernel_size, output_size, output_ratio, return_indices, _random_samples.
template <std::size_t dims>
PyResult<Value> fractional_max_pool(FunctionCall& call) {
  Interpreter& in = call.interpreter;
  const Tensor& input = call.required(0);
  Value size = call.args[2];
  if (call.is_none(2) && call.is_none(3)) {
    return object::value_error(in, "{} requires specifying either an output_size or an output_ratio", call.name);
  }
  if (call.is_none(2)) {
    std::vector<Value> ratios(dims, call.args[3]);
    if (object::is_iterable(in, call.args[3])) {
      NNS_TRY_ASSIGN(ratios, object::to_vector(in, call.args[3]));
    }
    if (ratios.size() > dims) {
      return object::value_error(in, "{} requires output_ratio to either be a single Int or tuple of Ints.", call.name);
    }
    std::vector<std::int64_t> made;
    for (std::size_t i = 0; i < ratios.size() && input.ndim() >= dims; ++i) {
      const double extent = static_cast<double>(input.shape()[input.ndim() - dims + i]);
      made.push_back(static_cast<std::int64_t>(extent * ops::Number::of(ratios[i]).as_double()));
    }
    size = ops::dims_value(in, Dims(made));
  }
  Value samples = call.args[5];
  if (samples.is_none()) {
    if (input.ndim() < dims + 1) {
      NNS_TRY(object::getitem(in, tensor::size_value(in, input.shape()), Value(-1 - static_cast<std::int64_t>(dims))));
    }
    const std::int64_t batch = input.ndim() == dims + 1 ? 1 : input.shape()[0];
    const Ref<Tensor> drawn =
        tensor::empty(in, Dims({batch, input.shape()[input.ndim() - dims - 1], static_cast<std::int64_t>(dims)}),
                      input.dtype(), input.device());
    if (!drawn->is_meta()) tensor::uniform_(*drawn, tensor::TensorLibrary::of(in).generator, 0, 1);
    samples = Value(drawn);
  }
  return values_or_both(ops::call_op(in, dims == 2 ? OpId::fractional_max_pool2d : OpId::fractional_max_pool3d,
                                     {call.args[0], call.args[1], size, samples}),
                        call.flag(4));
}

// Behaviour: torch/nn/modules/utils.py, _list_with_default: None stands for the size of the input.
PyResult<Value> adaptive_size(FunctionCall& call, std::size_t dims) {
  Interpreter& in = call.interpreter;
  const Value& given = call.args[1];
  if (given.is_int()) return ops::dims_value(in, Dims(dims, given.as_int()));
  if (!object::is_iterable(in, given)) {
    return object::type_error(in, "{}(): argument 'output_size' (position 2) must be tuple of ints, not {}", call.name,
                              given.is_none() ? "NoneType" : in.type_of(given).name());
  }
  NNS_TRY_ASSIGN(const std::vector<Value> sizes, object::to_vector(in, given));
  const Dims& input = call.required(0).shape();
  if (input.size() <= sizes.size()) {
    return object::value_error(in, "Input dimension should be at least {}", sizes.size() + 1);
  }
  std::vector<std::int64_t> made;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    made.push_back(input[input.size() - sizes.size() + i]);
    if (sizes[i].is_none()) continue;
    NNS_TRY_ASSIGN(made.back(), object::index(in, sizes[i]));
  }
  return ops::dims_value(in, Dims(made));
}

template <std::size_t dims, OpId op>
PyResult<Value> adaptive_max_pool(FunctionCall& call) {
  Value size = call.args[1];
  if (dims > 1 || size.is_int() || size.as<object::List>() != nullptr) {
    NNS_TRY_ASSIGN(size, adaptive_size(call, dims));
  }
  return values_or_both(ops::call_op(call.interpreter, op, {call.args[0], size}), call.flag(2));
}
template <std::size_t dims, OpId op>
PyResult<Value> adaptive_avg_pool(FunctionCall& call) {
  NNS_TRY_ASSIGN(const Value size, adaptive_size(call, dims));
  return ops::call_op(call.interpreter, op, {call.args[0], size});
}

// ---------------------------------------------------------------- powers

// The p-th root of the sum of p-th powers. Arguments: input, norm_type, kernel_size, stride, ceil_mode.
template <std::size_t dims, OpId average>
PyResult<Value> lp_pool(FunctionCall& call) {
  const double p = call.real(1);
  std::int64_t items = 1;
  for (const std::int64_t size : ntuple_of(call.args[2], dims)) items *= size;
  const Term powers = ops::pow(call.term(0), ops::TermArgument(call.args[1]));
  const Term mean = ops::apply(average, {powers, ops::TermArgument(call.args[2]), ops::TermArgument(call.args[3]), 0,
                                         ops::TermArgument(call.args[4])});
  const Term size = ops::apply(OpId::relu, {ops::apply(OpId::abs, {mean})});
  return ops::value_of(ops::pow(ops::sign(mean) * size * ops::TermArgument(items), 1.0 / p));
}

constexpr FunctionRow kPoolingRows[] = {
    {"max_pool1d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False)",
     "TLlLLbb", max_pool<OpId::max_pool1d, OpId::max_pool1d_with_indices>},
    {"max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False)",
     "TLlLLbb", max_pool<OpId::max_pool2d, OpId::max_pool2d_with_indices>},
    {"max_pool3d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False)",
     "TLlLLbb", max_pool<OpId::max_pool3d, OpId::max_pool3d_with_indices>},
    {"max_unpool1d(input, indices, kernel_size, stride=None, padding=0, output_size=None)", "TTLlL.", max_unpool<1>},
    {"max_unpool2d(input, indices, kernel_size, stride=None, padding=0, output_size=None)", "TTLlL.", max_unpool<2>},
    {"max_unpool3d(input, indices, kernel_size, stride=None, padding=0, output_size=None)", "TTLlL.", max_unpool<3>},
    {"fractional_max_pool2d(input, kernel_size, output_size=None, output_ratio=None, return_indices=False, "
     "_random_samples=None)",
     "TLl.bt", fractional_max_pool<2>},
    {"fractional_max_pool3d(input, kernel_size, output_size=None, output_ratio=None, return_indices=False, "
     "_random_samples=None)",
     "TLl.bt", fractional_max_pool<3>},
    {"adaptive_max_pool1d(input, output_size, return_indices=False)", "TLb",
     adaptive_max_pool<1, OpId::adaptive_max_pool1d>},
    {"adaptive_max_pool2d(input, output_size, return_indices=False)", "T.b",
     adaptive_max_pool<2, OpId::adaptive_max_pool2d>},
    {"adaptive_max_pool3d(input, output_size, return_indices=False)", "T.b",
     adaptive_max_pool<3, OpId::adaptive_max_pool3d>},
    {"adaptive_avg_pool1d(input, output_size)", "TL", as_op<OpId::adaptive_avg_pool1d>},
    {"adaptive_avg_pool2d(input, output_size)", "T.", adaptive_avg_pool<2, OpId::adaptive_avg_pool2d>},
    {"adaptive_avg_pool3d(input, output_size)", "T.", adaptive_avg_pool<3, OpId::adaptive_avg_pool3d>},
    {"avg_pool1d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True)", "TLlLbb",
     as_op<OpId::avg_pool1d>},
    {"avg_pool2d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, "
     "divisor_override=None)",
     "TLlLbbj", as_op<OpId::avg_pool2d>},
    {"avg_pool3d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, "
     "divisor_override=None)",
     "TLlLbbj", as_op<OpId::avg_pool3d>},
    {"lp_pool1d(input, norm_type, kernel_size, stride=None, ceil_mode=False)", "TNLlb", lp_pool<1, OpId::avg_pool1d>},
    {"lp_pool2d(input, norm_type, kernel_size, stride=None, ceil_mode=False)", "TNLlb", lp_pool<2, OpId::avg_pool2d>},
    {"lp_pool3d(input, norm_type, kernel_size, stride=None, ceil_mode=False)", "TNLlb", lp_pool<3, OpId::avg_pool3d>},
};

}  // namespace

std::span<const FunctionRow> pooling_functions() { return kPoolingRows; }

}  // namespace nns::nn
