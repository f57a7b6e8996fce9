#include "core/object/operators.h"

#include <cmath>

#include "core/object/big_int.h"
#include "core/object/operations.h"
#include "core/ops/errors.h"
#include "core/ops/python_function.h"
#include "core/tensor/stand_ins.h"

// x + y and its like on tensors: what is no tensor and no number is left to the other operand.
// Behaviour: torch/csrc/autograd/python_variable_methods.cpp (TypeError_to_NotImplemented_), torch/_tensor.py.
namespace nns::ops {
namespace {

using Args = std::span<const Value>;

bool is_operand(Interpreter& in, const Value& value) {
  return value.as<Tensor>() != nullptr || Number::is_number(value) || tensor::stands_for_number(in, value);
}

template <OpId id, bool reflected>
PyResult<Value> operate(Interpreter& in, Args a) {
  if (!is_operand(in, a[1])) return in.not_implemented();
  NNS_TRY_ASSIGN(const Value other, tensor::plain_operand(in, a[1]));
  if constexpr (reflected) return call_op(in, id, {other, a[0]});
  return call_op(in, id, {a[0], other});
}
template <OpId id>
PyResult<Value> operate_in_place(Interpreter& in, Args a) {
  if (!is_operand(in, a[1])) return in.not_implemented();
  NNS_TRY_ASSIGN(const Value other, tensor::plain_operand(in, a[1]));
  NNS_TRY_ASSIGN(Ref<Tensor> target, call_in_place(in, id, std::array{a[0], other}));
  return Value(std::move(target));
}
template <OpId id>
PyResult<Value> operate_alone(Interpreter& in, Args a) {
  return call_op(in, id, {a[0]});
}

struct Row {
  const char* signature;
  PyResult<Value> (*body)(Interpreter&, Args);
};
constexpr Row kRows[] = {
    {"__add__(self, other)", operate<OpId::add, false>},
    {"__radd__(self, other)", operate<OpId::add, false>},
    {"__iadd__(self, other)", operate_in_place<OpId::add>},
    {"__sub__(self, other)", operate<OpId::sub, false>},
    {"__rsub__(self, other)", operate<OpId::sub, true>},
    {"__isub__(self, other)", operate_in_place<OpId::sub>},
    {"__mul__(self, other)", operate<OpId::mul, false>},
    {"__rmul__(self, other)", operate<OpId::mul, false>},
    {"__imul__(self, other)", operate_in_place<OpId::mul>},
    {"__truediv__(self, other)", operate<OpId::div, false>},
    {"__div__(self, other)", operate<OpId::div, false>},
    {"__itruediv__(self, other)", operate_in_place<OpId::div>},
    {"__floordiv__(self, other)", operate<OpId::floor_divide, false>},
    {"__rfloordiv__(self, other)", operate<OpId::floor_divide, true>},
    {"__ifloordiv__(self, other)", operate_in_place<OpId::floor_divide>},
    {"__mod__(self, other)", operate<OpId::remainder, false>},
    {"__rmod__(self, other)", operate<OpId::remainder, true>},
    {"__imod__(self, other)", operate_in_place<OpId::remainder>},
    {"__pow__(self, other)", operate<OpId::pow, false>},
    {"__rpow__(self, other)", operate<OpId::pow, true>},
    {"__ipow__(self, other)", operate_in_place<OpId::pow>},
    {"__and__(self, other)", operate<OpId::bitwise_and, false>},
    {"__rand__(self, other)", operate<OpId::bitwise_and, true>},
    {"__iand__(self, other)", operate_in_place<OpId::bitwise_and>},
    {"__or__(self, other)", operate<OpId::bitwise_or, false>},
    {"__ror__(self, other)", operate<OpId::bitwise_or, true>},
    {"__ior__(self, other)", operate_in_place<OpId::bitwise_or>},
    {"__xor__(self, other)", operate<OpId::bitwise_xor, false>},
    {"__rxor__(self, other)", operate<OpId::bitwise_xor, true>},
    {"__ixor__(self, other)", operate_in_place<OpId::bitwise_xor>},
    {"__lshift__(self, other)", operate<OpId::bitwise_left_shift, false>},
    {"__rlshift__(self, other)", operate<OpId::bitwise_left_shift, true>},
    {"__ilshift__(self, other)", operate_in_place<OpId::bitwise_left_shift>},
    {"__rshift__(self, other)", operate<OpId::bitwise_right_shift, false>},
    {"__rrshift__(self, other)", operate<OpId::bitwise_right_shift, true>},
    {"__irshift__(self, other)", operate_in_place<OpId::bitwise_right_shift>},
    {"__eq__(self, other)", operate<OpId::eq, false>},
    {"__ne__(self, other)", operate<OpId::ne, false>},
    {"__lt__(self, other)", operate<OpId::lt, false>},
    {"__le__(self, other)", operate<OpId::le, false>},
    {"__gt__(self, other)", operate<OpId::gt, false>},
    {"__ge__(self, other)", operate<OpId::ge, false>},
    {"__neg__(self)", operate_alone<OpId::neg>},
    {"__abs__(self)", operate_alone<OpId::abs>},
};

PyResult<Value> multiply_matrices(Interpreter& in, const Value& a, const Value& b) {
  if (a.as<Tensor>() == nullptr || b.as<Tensor>() == nullptr) return in.not_implemented();
  const std::array operands{a, b};
  NNS_TRY_ASSIGN(Value of_sparse, tensor::sparse_answer(in, "matmul", {operands, {}}));
  return of_sparse.is_absent() ? call_op(in, OpId::matmul, {a, b}) : of_sparse;
}

// float(x), int(x): one item as a number of Python.
PyResult<Value> only_item(Interpreter& in, const Value& self) {
  const Tensor& tensor = *self.as<Tensor>();
  if (tensor.numel() != 1) {
    return object::value_error(in, "only one element tensors can be converted to Python scalars");
  }
  if (tensor.is_meta()) return no_item_of_meta(in);
  return tensor::read_value(tensor, tensor.offset());
}

}  // namespace

void add_tensor_operators(Interpreter& interpreter) {
  object::Class& cls = *tensor::TensorLibrary::of(interpreter).tensor;
  for (const Row& row : kRows) {
    const std::string_view signature = row.signature;
    cls.def(signature, [name = signature.substr(0, signature.find('(')), body = row.body](Interpreter& in, Args a) {
      PyResult<Value> of_sparse = tensor::sparse_answer(in, name, {a, {}});
      return of_sparse.ok() && of_sparse->is_absent() ? body(in, a) : of_sparse;
    });
  }
  cls.def("__matmul__(self, other)",
          [](Interpreter& in, Args a) -> PyResult<Value> { return multiply_matrices(in, a[0], a[1]); });
  cls.def("__rmatmul__(self, other)",
          [](Interpreter& in, Args a) -> PyResult<Value> { return multiply_matrices(in, a[1], a[0]); });
  cls.def("__imatmul__(self, other)",
          [](Interpreter& in, Args a) -> PyResult<Value> { return multiply_matrices(in, a[0], a[1]); });
  // torch/_tensor.py: 1 / x is x.reciprocal() * 1.
  for (const std::string_view signature : {"__rtruediv__(self, other)", "__rdiv__(self, other)"}) {
    cls.def(signature, [](Interpreter& in, Args a) -> PyResult<Value> {
      if (!is_operand(in, a[1])) return in.not_implemented();
      NNS_TRY_ASSIGN(const Value other, tensor::plain_operand(in, a[1]));
      NNS_TRY_ASSIGN(const Value inverse, call_op(in, OpId::reciprocal, {a[0]}));
      return call_op(in, OpId::mul, {inverse, other});
    });
  }
  cls.def("__pos__(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    if (a[0].as<Tensor>()->dtype() == DType::Bool) {
      return object::runtime_error(in, "The `+` operator, on a bool tensor is not supported.");
    }
    return a[0];
  });
  cls.def("__invert__(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const DType dtype = a[0].as<Tensor>()->dtype();
    if (!tensor::is_integral(dtype)) {
      return object::type_error(in, "~ (operator.invert) is only implemented on integer and Boolean-type tensors");
    }
    return call_op(in, OpId::bitwise_not, {a[0]});
  });
  cls.def("__hash__(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    return Value(static_cast<std::int64_t>(in.id_of(*a[0].object())));
  });
  cls.property("_version",
               [](Interpreter&, const Value& self) -> PyResult<Value> { return Value(self.as<Tensor>()->version()); });
  cls.def("__float__(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Value item, only_item(in, a[0]));
    if (Number::of(item).is_complex()) return no_conversion(in, DType::Float64);
    return Value(Number::of(item).as_double());
  });
  cls.def("__complex__(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Value item, only_item(in, a[0]));
    return Value(object::make<object::Complex>(in, Number::of(item).as_complex()));
  });
  // torch/_tensor.py: one number is written as the number.
  cls.def("__format__(self, format_spec)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const Tensor& tensor = *a[0].as<Tensor>();
    if (tensor.ndim() == 0 && !tensor.is_meta() && &tensor.type() == tensor::TensorLibrary::of(in).tensor) {
      NNS_TRY_ASSIGN(const Value item, only_item(in, a[0]));
      return in.call_method(item, in.intern("__format__"), {a[1]});
    }
    const auto* spec = a[1].as<object::Str>();
    if (spec == nullptr || !spec->view().empty()) {
      return object::type_error(in, "unsupported format string passed to {}.__format__", in.type_of(a[0]).name());
    }
    NNS_TRY_ASSIGN(const std::string text, object::str(in, a[0]));
    return in.text(text);
  });
  cls.def("__int__(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Value item, only_item(in, a[0]));
    if (Number::of(item).is_complex()) return no_conversion(in, DType::Int64);
    if (!item.is_float()) return Value(item.as_int());
    const double number = item.as_float();
    if (std::isnan(number)) return object::value_error(in, "cannot convert float NaN to integer");
    if (std::isinf(number)) {
      return object::error<object::ErrorKind::OverflowError>(in, "cannot convert float infinity to integer");
    }
    return object::integer_of_float(in, number);
  });
}

}  // namespace nns::ops
