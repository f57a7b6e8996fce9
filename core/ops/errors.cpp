#include "core/ops/errors.h"

namespace nns::ops {

object::PyError not_implemented_for(Interpreter& interpreter, std::string_view kernel, DType dtype) {
  return object::error<object::ErrorKind::NotImplementedError>(interpreter, "\"{}\" not implemented for '{}'", kernel,
                                                               tensor::info(dtype).scalar_name);
}

object::PyError no_conversion(Interpreter& interpreter, DType dtype) {
  std::string_view name = tensor::info(dtype).torch_name;
  switch (dtype) {
    case DType::Float32:
      name = "float";
      break;
    case DType::Float64:
      name = "double";
      break;
    case DType::Float16:
      name = "at::Half";
      break;
    case DType::BFloat16:
      name = "at::BFloat16";
      break;
    case DType::Int8:
      name = "int8_t";
      break;
    case DType::UInt8:
      name = "uint8_t";
      break;
    case DType::Int16:
      name = "int16_t";
      break;
    case DType::Int32:
      name = "int";
      break;
    case DType::Int64:
      name = "int64_t";
      break;
    default:
      break;
  }
  return object::runtime_error(interpreter, "value cannot be converted to type {} without overflow", name);
}

object::PyError no_item_of_meta(Interpreter& interpreter) {
  return object::runtime_error(interpreter, "Tensor.item() cannot be called on meta tensors");
}

object::PyError no_meta_kernel(Interpreter& interpreter, std::string_view op) {
  return object::error<object::ErrorKind::NotImplementedError>(
      interpreter,
      "aten::{}: attempted to run this operator with Meta tensors, but there was no fake impl or Meta kernel "
      "registered for this operator. You may have run into this message while using an operator with PT2 compilation "
      "APIs (torch.compile/torch.export); in order to use this operator with those APIs you'll need to add a fake "
      "impl. Please see the following for next steps:  "
      "https://pytorch.org/tutorials/advanced/custom_ops_landing_page.html",
      op);
}

}  // namespace nns::ops
