#include <limits>

#include "tests/ops/samples.h"

// What follows for the arguments of an op from their types is made here; the rest is written down.
namespace nns::tests {
namespace {

using ops::OpInfo;
using ops::ParameterType;

// What follows from the types alone: tensors of shape (2, 3), numbers of 0.7, whole ones of 1, False.
Arguments plain_arguments(Interpreter& in, const OpInfo& info) {
  Arguments made;
  for (const ops::OpParameter& parameter : info.parameters) {
    if (!parameter.default_value.is_absent() && parameter.type != ParameterType::Tensor) break;
    switch (parameter.type) {
      case ParameterType::Tensor:
      case ParameterType::TensorOrNumber:
        made.push_back(input(in, Dims({2, 3}), static_cast<int>(made.size()) + 1));
        break;
      case ParameterType::Tensors:
        made.push_back(in.tuple({input(in, Dims({2, 3}), 1), input(in, Dims({2, 3}), 2)}));
        break;
      case ParameterType::Number:
      case ParameterType::Float:
        made.emplace_back(0.7);
        break;
      case ParameterType::Int:
        made.emplace_back(1);
        break;
      case ParameterType::Ints:
        made.push_back(dims(in, {1}));
        break;
      case ParameterType::Bool:
        made.emplace_back(false);
        break;
      default:
        made.emplace_back();
    }
  }
  return made;
}

}  // namespace

std::vector<Arguments> samples_of(Interpreter& in, const OpInfo& info) {
  const Dims plane({2, 3});
  switch (info.id) {
    case OpId::acosh:
      return {{input(in, plane, 1, 1, 1.5)}};
    case OpId::abs:
    case OpId::relu:
    case OpId::leaky_relu:
    case OpId::elu:
    case OpId::selu:
    case OpId::celu:
    case OpId::gelu:
    case OpId::silu:
    case OpId::mish:
    case OpId::logsigmoid:
    case OpId::softplus:
      return {{input(in, plane, 1, 4, -2)}};
    case OpId::hardsigmoid:
    case OpId::hardswish:
      return {{input(in, plane, 1, 12, -6.1)}};
    case OpId::threshold:
      return {{input(in, plane), Value(0.53), Value(0.1)}};
    case OpId::glu:
      return {{input(in, Dims({2, 4}))}, {input(in, Dims({4, 3})), Value(0)}};
    case OpId::prelu_kernel:
      return {{input(in, plane, 1, 4, -2), input(in, Dims({1, 3}), 2)}};
    case OpId::hardshrink:
    case OpId::softshrink:
    case OpId::hardtanh:
      return {{input(in, plane, 1, 4, -2)}};
    case OpId::ctc_loss:
    case OpId::ctc_loss_backward:
      return {};  // torch's gradient holds behind a log_softmax only, and once: ctc_forward_test
    case OpId::conj_physical:
    case OpId::real:
    case OpId::imag:
    case OpId::complex:
    case OpId::polar:
    case OpId::view_as_real:
    case OpId::view_as_complex:
      return {};  // of complex tensors: complex_gradient_test
    case OpId::add:
    case OpId::sub:
      return {{input(in, plane), input(in, Dims({3}), 2), Value(2.5)}, {input(in, plane), Value(3), Value(2)}};
    case OpId::mul:
    case OpId::div:
      return {{input(in, plane), input(in, Dims({2, 1}), 2)},
              {input(in, plane), Value(1.5)},
              {Value(1.5), input(in, plane)}};
    case OpId::pow:
      return {{input(in, plane), input(in, plane, 2)},
              {input(in, plane), Value(3)},
              {input(in, plane), Value(-1.5)},
              {Value(1.7), input(in, plane)}};
    case OpId::remainder:
    case OpId::fmod:
      return {{input(in, plane, 1, 3), input(in, plane, 2)}};
    case OpId::where:
      return {{mask(in, plane), input(in, plane), input(in, Dims({3}), 2)}};
    case OpId::masked_fill:
      return {{input(in, plane), mask(in, plane), Value(0.5)},
              {input(in, plane), mask(in, Dims({3})), input(in, Dims(), 2)}};
    case OpId::clamp:
      return {{input(in, plane), Value(0.4), Value(0.7)},
              {input(in, plane), Value(), Value(0.6)},
              {input(in, plane), input(in, plane, 2), input(in, plane, 3, 1, 0.3)}};
    case OpId::lerp:
      return {{input(in, plane), input(in, plane, 2), Value(0.3)},
              {input(in, plane), input(in, plane, 2), input(in, plane, 3)}};
    case OpId::addcmul:
    case OpId::addcdiv:
      return {{input(in, plane), input(in, Dims({3}), 2), input(in, Dims({2, 1}), 3), Value(1.5)}};
    case OpId::to_dtype:
      return {{input(in, plane), tensor::TensorLibrary::of(in).dtype_value(DType::Float64)}};
    case OpId::to_device:
      return {{input(in, plane), tensor::TensorLibrary::of(in).dtype_value(DType::Float64),
               tensor::TensorLibrary::of(in).device_value(tensor::Device::Cpu)}};
    case OpId::copy:
      return {{input(in, plane), input(in, Dims({3}), 2)}};
    case OpId::fill:
      return {{input(in, plane), input(in, Dims(), 2)}};
    case OpId::view:
      return {{input(in, plane), dims(in, {3, -1})}};
    case OpId::transpose:
      return {{input(in, plane), Value(0), Value(-1)}};
    case OpId::permute:
      return {{input(in, Dims({2, 3, 4})), dims(in, {2, 0, -2})}};
    case OpId::squeeze:
      return {{input(in, Dims({2, 1, 3})), dims(in, {1})}};
    case OpId::expand:
      return {{input(in, Dims({3, 1})), dims(in, {2, 3, 4})}};
    case OpId::select:
      return {{input(in, plane), Value(1), Value(-1)}};
    case OpId::slice:
      return {{input(in, Dims({5, 2})), Value(0), Value(1), Value(5), Value(2)}};
    case OpId::diagonal:
      return {{input(in, Dims({3, 4})), Value(1)}, {input(in, Dims({3, 4})), Value(-1)}};
    case OpId::unfold:
      return {{input(in, Dims({5})), Value(0), Value(3), Value(1)}};
    case OpId::as_strided:
      return {{input(in, plane), dims(in, {2, 2}), dims(in, {1, 2})}};
    case OpId::unfold_backward:
      return {{input(in, Dims({3, 3})), dims(in, {5}), Value(0), Value(3), Value(1)}};
    case OpId::as_strided_backward:
      return {
          {input(in, Dims({2, 3})), dims(in, {2, 2}), dims(in, {2, 1}), dims(in, {2, 3}), dims(in, {1, 1}), Value(0)}};
    case OpId::split:
      return {{input(in, Dims({5, 2})), Value(2)}, {input(in, Dims({5, 2})), dims(in, {1, 4})}};
    case OpId::unbind:
      return {{input(in, plane), Value(1)}};
    case OpId::cat:
      return {{in.tuple({input(in, plane, 1), input(in, Dims({4, 3}), 2)}), Value(0)}};
    case OpId::flip:
      return {{input(in, plane), dims(in, {0, 1})}};
    case OpId::repeat:
      return {{input(in, plane), dims(in, {2, 1, 3})}, {input(in, plane), dims(in, {1, 1})}};
    case OpId::tril:
    case OpId::triu:
      return {{input(in, Dims({3, 3})), Value(0)}, {input(in, Dims({2, 3})), Value(1)}};
    case OpId::gather:
      return {{input(in, plane), Value(1), places(in, Dims({2, 2}), {2, 0, 1, 1})}};
    case OpId::scatter:
      return {{input(in, plane), Value(1), places(in, Dims({2, 2}), {2, 0, 1, 2}), input(in, Dims({2, 2}), 2)}};
    case OpId::scatter_add:
      return {{input(in, plane), Value(1), places(in, Dims({2, 2}), {2, 0, 1, 1}), input(in, Dims({2, 3}), 2)}};
    case OpId::index:
      return {{input(in, plane), in.tuple({places(in, Dims({3}), {2, 0, 2})}), dims(in, {1})},
              {input(in, Dims({2, 3, 2})), in.tuple({places(in, Dims({2, 1}), {1, 0}), places(in, Dims({2}), {1, 0})}),
               dims(in, {0, 2})}};
    case OpId::index_put:
      return {{input(in, plane), in.tuple({places(in, Dims({2}), {2, 0})}), dims(in, {1}), input(in, Dims({2, 2}), 2)},
              {input(in, plane), in.tuple({places(in, Dims({2}), {2, 2})}), dims(in, {1}), input(in, Dims({2}), 2),
               Value(true)}};
    case OpId::sort:
      return {{input(in, plane), Value(0)}, {input(in, plane), Value(-1), Value(true)}};
    case OpId::topk:
      return {{input(in, plane), Value(2)}, {input(in, plane), Value(1), Value(0), Value(false)}};
    case OpId::index_select:
      return {{input(in, plane), Value(1), places(in, Dims({3}), {2, 0, 2})}};
    case OpId::index_add:
      return {{input(in, plane), Value(1), places(in, Dims({2}), {2, 2}), input(in, Dims({2, 2}), 2), Value(1.5)}};
    case OpId::sum_dim:
    case OpId::mean_dim:
    case OpId::amax:
    case OpId::amin:
    case OpId::logsumexp:
      return {{input(in, Dims({2, 3, 2})), dims(in, {0, 2})}, {input(in, plane), dims(in, {-1}), Value(true)}};
    case OpId::prod_dim:
    case OpId::max_dim:
    case OpId::min_dim:
      return {{input(in, plane), Value(1)}, {input(in, plane), Value(0), Value(true)}};
    case OpId::var:
    case OpId::std:
      return {{input(in, plane)}, {input(in, plane), dims(in, {1}), Value(0), Value(true)}};
    case OpId::norm:
      return {{input(in, plane)},
              {input(in, plane), Value(1), dims(in, {1})},
              {input(in, plane), Value(3), dims(in, {0}), Value(true)},
              {input(in, plane), Value(std::numeric_limits<double>::infinity())}};
    case OpId::cumprod:
      return {{input(in, plane), Value(1)}};
    case OpId::mm:
      return {{input(in, plane), input(in, Dims({3, 4}), 2)}};
    case OpId::bmm:
      return {{input(in, Dims({2, 2, 3})), input(in, Dims({2, 3, 2}), 2)}};
    case OpId::dot:
      return {{input(in, Dims({4})), input(in, Dims({4}), 2)}};
    case OpId::addmm:
      return {{input(in, Dims({4})), input(in, plane, 2), input(in, Dims({3, 4}), 3), Value(0.5), Value(2)}};
    default:
      if (is_of_complex_items(info.id)) return {};
      if (std::vector<Arguments> made = linalg_samples(in, info.id); !made.empty()) return made;
      if (std::vector<Arguments> made = layer_samples(in, info.id); !made.empty()) return made;
      if (std::vector<Arguments> made = window_samples(in, info.id); !made.empty()) return made;
      if (std::vector<Arguments> made = rare_samples(in, info.id); !made.empty()) return made;
      if (std::vector<Arguments> made = composite_samples(in, info.id); !made.empty()) return made;
      return {plain_arguments(in, info)};
  }
}

std::span<const OpInfo> all_ops() {
  static auto* const interpreter = new Interpreter;  // lives as long as what is given of it
  return ops::OpLibrary::of(*interpreter).all();
}

std::string name_of_op(const testing::TestParamInfo<std::size_t>& parameter) {
  const OpInfo& one = all_ops()[parameter.param];
  return one.overload.empty() ? one.name : one.name + "_" + one.overload;
}

}  // namespace nns::tests
