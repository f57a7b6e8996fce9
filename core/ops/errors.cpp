#include "core/ops/errors.h"

namespace nns::ops {

object::PyError not_implemented_for(Interpreter& interpreter, std::string_view kernel, DType dtype) {
  return object::error<object::ErrorKind::NotImplementedError>(interpreter, "\"{}\" not implemented for '{}'", kernel,
                                                               tensor::info(dtype).scalar_name);
}

}  // namespace nns::ops
