#include "core/ops/node_names.h"

#include "core/ops/node.h"

namespace nns::ops {
namespace {

// Of a dimension that may be none, one, or several.
template <class Names>
std::string_view by_dims(const Value& dims, const Names& none_one_several) {
  if (dims.is_none()) return none_one_several[0];
  return none_one_several[dims.as<object::Tuple>() == nullptr ? 1 : 2];
}

// Which of names for a number and a tensor.
std::string_view by_kind(const OpCall& call, std::size_t parameter, std::string_view number, std::string_view tensor) {
  return call.tensor(parameter) == nullptr ? number : tensor;
}

}  // namespace

std::string_view name_of_overload(const OpCall& call) {
  const bool is_in_place = static_cast<bool>(call.target);
  const auto in_place = [is_in_place](std::string_view name) { return is_in_place ? name : std::string_view(); };
  switch (call.op.id) {
    case OpId::clamp:
      return call.tensor(1) == nullptr && call.tensor(2) == nullptr ? "ClampBackward1" : "";
    case OpId::copysign:
      return by_kind(call, 1, "CopysignBackward1", "");
    case OpId::fill:
      return is_in_place ? by_kind(call, 1, "FillBackward2", "FillBackward3") : by_kind(call, 1, "", "FillBackward1");
    case OpId::fmod:
      return by_kind(call, 1, "", "FmodBackward1");
    case OpId::remainder:
      return by_kind(call, 1, "", "RemainderBackward1");
    case OpId::lerp:
      return by_kind(call, 2, "", "LerpBackward1");
    case OpId::masked_fill:
      return by_kind(call, 2, "", "MaskedFillBackward1");
    case OpId::pow:
      return call.tensor(0) == nullptr ? "PowBackward2" : by_kind(call, 1, "", "PowBackward1");
    case OpId::xlogy:
      return call.tensor(0) == nullptr ? "XlogyBackward1" : by_kind(call, 1, "XlogyBackward2", "");
    case OpId::sub:
      // 1 - x
      return call.tensor(0) == nullptr ? "RsubBackward1" : "";
    case OpId::squeeze:
      return by_dims(call.args[1], std::array{"", "SqueezeBackward1", "SqueezeBackward2"});
    case OpId::split:
      return call.args[1].as<object::Tuple>() != nullptr ? "SplitWithSizesBackward0" : "";
    case OpId::acosh:
      return in_place("AcoshBackward1");
    case OpId::asinh:
      return in_place("AsinhBackward1");
    case OpId::atanh:
      return in_place("AtanhBackward1");
    case OpId::celu:
      return in_place("CeluBackward1");
    case OpId::elu:
      return in_place("EluBackward1");
    case OpId::leaky_relu:
      return in_place("LeakyReluBackward1");
    case OpId::threshold:
      return in_place("ThresholdBackward1");
    default:
      return {};
  }
}

PyResult<Value> with_node_name(PyResult<Value> made, std::string_view name) {
  if (!made.ok() || name.empty()) return made;
  Tensor* const tensor = made.value().as<Tensor>();
  const Ref<object::Object> node(tensor == nullptr ? nullptr : tensor->grad_fn());
  if (node) node->set_type(node_class(tensor->interpreter(), name));
  return made;
}

PyResult<Value> as_no_view(PyResult<Value> made, std::string_view name) {
  if (made.ok()) {
    Tensor* const tensor = made.value().as<Tensor>();
    if (tensor != nullptr && tensor->autograd() != nullptr) tensor->autograd_meta().view_base = {};
  }
  return with_node_name(std::move(made), name);
}

std::string_view name_of_view_in_place(OpId id, std::span<const Value> args) {
  switch (id) {
    case OpId::squeeze:
      return by_dims(args[1], std::array{"SqueezeBackward3", "SqueezeBackward4", "SqueezeBackward5"});
    case OpId::unsqueeze:
      return "UnsqueezeBackward1";
    case OpId::transpose:
      return "TransposeBackward1";
    case OpId::t:
      return "TBackward1";
    case OpId::as_strided:
      return "AsStridedBackward1";
    default:
      return {};
  }
}

}  // namespace nns::ops
