// torch.dtype: what it says of itself.
#include "core/tensor/dtype_class.h"

#include "core/object/operations.h"
#include "core/tensor/device_class.h"
#include "core/tensor/promotion.h"

namespace nns::tensor {
namespace {

using Args = std::span<const Value>;

DType dtype_self(const Value& self) { return static_cast<DType>(self.as<Named>()->which()); }

}  // namespace

// What a dtype tells. Behaviour: torch/csrc/Dtype.cpp, c10/core/ScalarType.h.
void add_dtype_answers(TensorLibrary& library) {
  object::Class& dtype = *library.dtype;
  dtype.property("is_floating_point", [](Interpreter&, const Value& self) -> PyResult<Value> {
    return Value(is_floating(dtype_self(self)));
  });
  dtype.property("is_complex", [](Interpreter&, const Value& self) -> PyResult<Value> {
    return Value(is_complex(dtype_self(self)));
  });
  dtype.property("is_signed", [](Interpreter&, const Value& self) -> PyResult<Value> {
    const DTypeKind kind = info(dtype_self(self)).kind;
    return Value(kind == DTypeKind::Floating || kind == DTypeKind::Complex || kind == DTypeKind::Signed);
  });
  dtype.property("itemsize", [](Interpreter&, const Value& self) -> PyResult<Value> {
    return Value(std::int64_t{item_bytes(dtype_self(self))});
  });
  dtype.def("__repr__(self)",
            [](Interpreter& in, Args a) -> PyResult<Value> { return in.text(torch_dtype_text(dtype_self(a[0]))); });
  dtype.def("to_real(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    return TensorLibrary::of(in).dtype_value(real_of(dtype_self(a[0])));
  });
  dtype.def("to_complex(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const DType self = dtype_self(a[0]);
    if (!is_floating(self) && !is_complex(self)) {
      return object::runtime_error(in, "Unknown Complex ScalarType for {}", info(self).scalar_name);
    }
    return TensorLibrary::of(in).dtype_value(complex_of(self));
  });
}

}  // namespace nns::tensor
