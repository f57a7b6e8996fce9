#include "core/summary/isolated_copy.h"

#include "core/object/copy.h"
#include "core/object/operations.h"

namespace nns::summary {
namespace {

using object::PyResult;
using object::Ref;
using object::Value;
using tensor::Tensor;

PyResult<Value> on_meta_device(object::Interpreter& in, Tensor& one) {
  NNS_TRY_ASSIGN(Ref<Tensor> made, tensor::to(*tensor::detach(one), one.dtype(), tensor::Device::Meta));
  if (one.is_parameter()) {
    NNS_TRY_ASSIGN(made, tensor::make_parameter(in, *made, one.requires_grad()));
    made->set_type(one.type());
  } else {
    NNS_TRY(made->set_requires_grad(one.requires_grad()));
    if (one.is_buffer()) made->mark_buffer(one.is_persistent_buffer());
  }
  return Value(made);
}

}  // namespace

PyResult<Ref<nn::Module>> isolated_copy(object::Interpreter& interpreter, nn::Module& model, bool on_meta) {
  const auto replace = [&](const Value& part) -> std::optional<PyResult<Value>> {
    auto* const one = part.as<Tensor>();
    // What is uninitialised yet has no shape to keep.
    if (one == nullptr || one->is_uninitialized()) return std::nullopt;
    if (!on_meta) return one->is_parameter() ? std::optional<PyResult<Value>>(part) : std::nullopt;
    return on_meta_device(interpreter, *one);
  };
  NNS_TRY_ASSIGN(const Value copy, object::deep_copy(interpreter, Value(&model), replace));
  auto* const made = copy.as<nn::Module>();
  if (made != nullptr) return Ref<nn::Module>(made);
  return object::type_error(interpreter, "copy.deepcopy() of the module gave {}, which is no torch.nn.Module",
                            interpreter.type_of(copy).name());
}

}  // namespace nns::summary
