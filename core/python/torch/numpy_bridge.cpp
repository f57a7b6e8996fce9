#include "core/python/torch/numpy_bridge.h"

#include <cstring>

#include "core/object/bytes.h"
#include "core/object/operations.h"
#include "core/ops/python_function.h"
#include "core/tensor/tensor.h"

namespace nns::python {
namespace {

using Args = std::span<const Value>;
using tensor::Dims;
using tensor::DType;
using tensor::Tensor;

constexpr std::string_view kBytesModule = "torch._bytes";

void add(Interpreter& in, std::string_view signature, object::NativeBody body) {
  const Ref<object::NativeFunction> function = in.function(signature, std::move(body));
  ops::python_module(in, kBytesModule).set(in.intern(function->name()), Value(function));
}

PyResult<Ref<Tensor>> host_tensor(Interpreter& in, const Value& value) {
  auto* const found = value.as<Tensor>();
  if (found == nullptr || found->is_meta() || found->is_cuda()) {
    return object::type_error(in, "a tensor on the CPU is needed, not {}", object::type_name_of(in, value));
  }
  return Ref<Tensor>(found);
}

// reinterpret(tensor, dtype): the same bytes read as another dtype; the last dimension takes the change of the size.
PyResult<Value> reinterpret(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const Ref<Tensor> source, host_tensor(in, a[0]));
  NNS_TRY_ASSIGN(const DType dtype, tensor::dtype_of(in, a[1]));
  if (dtype == DType::Bool && source->dtype() != DType::Bool) {
    return object::value_error(in, "bytes that may be neither 0 nor 1 cannot be looked at as bools");
  }
  const auto from = static_cast<std::int64_t>(tensor::item_bytes(source->dtype()));
  const auto to = static_cast<std::int64_t>(tensor::item_bytes(dtype));
  tensor::TensorView view = source->view();
  view.dtype = dtype;
  if (from != to) {
    if (view.shape.size() == 0) return object::runtime_error(in, "a tensor without dimensions keeps its item size");
    std::vector<std::int64_t> shape(view.shape.begin(), view.shape.end());
    std::vector<std::int64_t> strides(view.strides.begin(), view.strides.end());
    bool divides = strides.back() == 1 && shape.back() * from % to == 0 && view.offset * from % to == 0;
    for (std::size_t d = 0; d + 1 < strides.size(); ++d) {
      divides = divides && strides[d] * from % to == 0;
      strides[d] = strides[d] * from / to;
    }
    if (!divides) return object::runtime_error(in, "the bytes are no whole number of items of the other size");
    shape.back() = shape.back() * from / to;
    view.shape = Dims(shape);
    view.strides = Dims(strides);
    view.offset = view.offset * from / to;
  }
  return Value(tensor::make_tensor(in, std::move(view)));
}

// to_bytes(tensor): the bytes of its items in order.
PyResult<Value> to_bytes(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(Ref<Tensor> source, host_tensor(in, a[0]));
  if (!source->is_contiguous()) source = tensor::clone(*source);
  const std::uint64_t size = source->nbytes();
  if (size == 0) return Value(object::make_bytes(in, ""));
  return Value(object::make_bytes(
      in, std::string_view(reinterpret_cast<const char*>(source->data()), static_cast<std::size_t>(size))));
}

// from_bytes(bytes, dtype, offset, count): a tensor of its own with a copy of them.
PyResult<Value> from_bytes(Interpreter& in, Args a) {
  const auto* const bytes = a[0].as<object::Bytes>();
  if (bytes == nullptr) {
    return object::type_error(in, "a bytes-like object is required, not '{}'", object::type_name_of(in, a[0]));
  }
  NNS_TRY_ASSIGN(const DType dtype, tensor::dtype_of(in, a[1]));
  NNS_TRY_ASSIGN(const std::int64_t offset, object::index(in, a[2]));
  NNS_TRY_ASSIGN(const std::int64_t count, object::index(in, a[3]));
  const auto size = static_cast<std::int64_t>(tensor::item_bytes(dtype));
  const auto given = static_cast<std::int64_t>(bytes->view().size());
  if (offset < 0 || offset > given || count < 0 || count > (given - offset) / size) {
    return object::value_error(in, "{} items of {} bytes from byte {} are not in a buffer of {} bytes", count, size,
                               offset, given);
  }
  const Ref<Tensor> made = tensor::empty(in, Dims({count}), dtype);
  if (count > 0) {
    std::memcpy(made->data(), bytes->view().data() + offset, static_cast<std::size_t>(count * size));
    if (dtype == DType::Bool) {
      for (std::byte& one : std::span(made->data(), static_cast<std::size_t>(count))) {
        if (one != std::byte{0}) one = std::byte{1};
      }
    }
  }
  return Value(made);
}

// A method of Tensor that is a function of torch._numpy_bridge.
void add_method(Machine& machine, std::string_view source, std::string_view signature) {
  Interpreter& in = machine.interpreter();
  const std::string name(signature.substr(0, signature.find('(')));
  tensor::TensorLibrary::of(in).tensor->def(
      signature, [&machine, name, path = std::string(source)](Interpreter& i, Args a) -> PyResult<Value> {
        NNS_TRY(machine.import_module(path, 0, nullptr));
        const Value module = *machine.modules().find(path);
        NNS_TRY_ASSIGN(const Value function, object::getattr(i, module, i.intern(name)));
        return i.call(function, a);
      });
}

}  // namespace

void add_numpy_bridge(Machine& machine) {
  Interpreter& in = machine.interpreter();
  add(in, "reinterpret(tensor, dtype)", reinterpret);
  add(in, "to_bytes(tensor)", to_bytes);
  add(in, "from_bytes(bytes, dtype, offset, count)", from_bytes);
  add_method(machine, "torch._numpy_bridge", "numpy(self, *, force=False)");
  add_method(machine, "torch._numpy_bridge", "__array__(self, dtype=None)");
  add_method(machine, "torch._dlpack", "__dlpack__(self, *, stream=-1, max_version=None, dl_device=None, copy=None)");
  add_method(machine, "torch._dlpack", "__dlpack_device__(self)");
}

}  // namespace nns::python
