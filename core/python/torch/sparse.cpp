// Tensors of layout torch.sparse_coo: their parts, and who answers for them; the functions are in torch/sparse.
#include <algorithm>

#include "core/nn/layer_definition.h"
#include "core/object/operations.h"
#include "core/ops/python_function.h"
#include "core/ops/sparse_items.h"
#include "core/python/torch/parts.h"
#include "core/tensor/tensor.h"

namespace nns::python {
namespace {

using Args = std::span<const Value>;
using tensor::Dims;
using tensor::SparseParts;
using tensor::Tensor;
using tensor::TensorLibrary;

PyResult<Value> sparse_module(Interpreter& in) {
  return Machine::of(in).import_module("torch.sparse._tensors", 0, nullptr);
}

struct Given {
  Dims shape;
  SparseParts parts;
};

// (indices, values, size, is_coalesced) of functions that only modules of torch call.
PyResult<Given> parts_of(Interpreter& in, Args a) {
  Tensor* const indices = a[0].as<Tensor>();
  Tensor* const values = a[1].as<Tensor>();
  const auto* const size = a[2].as<object::Tuple>();
  if (indices == nullptr || values == nullptr || size == nullptr || indices->sparse() != nullptr ||
      values->sparse() != nullptr) {
    return object::type_error(in, "a sparse tensor is made of indices, values and a size");
  }
  std::vector<std::int64_t> sizes;
  for (const Value& one : size->items()) {
    NNS_TRY_ASSIGN(const std::int64_t extent, object::index(in, one));
    if (extent < 0) return object::runtime_error(in, "Trying to create tensor with negative dimension {}", extent);
    sizes.push_back(extent);
  }
  const bool fits = indices->dtype() == tensor::DType::Int64 && indices->ndim() == 2 && values->ndim() > 0 &&
                    indices->shape()[1] == values->shape()[0] &&
                    static_cast<std::size_t>(indices->shape()[0]) + values->ndim() - 1 == sizes.size();
  if (!fits) return object::runtime_error(in, "indices, values and size of a sparse tensor do not fit");
  NNS_TRY_ASSIGN(const bool is_coalesced, object::truth(in, a[3]));
  return Given{Dims(sizes), {tensor::detach(*indices), Ref<Tensor>(values), is_coalesced}};
}

PyResult<Value> make(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(Given given, parts_of(in, a));
  return Value(tensor::make_sparse(in, given.shape, std::move(given.parts)));
}

PyResult<Value> replace(Interpreter& in, Args a) {
  Tensor* const self = a[0].as<Tensor>();
  if (self == nullptr || self->sparse() == nullptr) return object::type_error(in, "this is no sparse tensor");
  NNS_TRY_ASSIGN(Given given, parts_of(in, a.subspan(1)));
  self->set_data(*tensor::make_sparse(in, given.shape, std::move(given.parts)));
  return Value(self);
}

PyResult<Value> parts(Interpreter& in, Args a) {
  const Tensor* const self = a[0].as<Tensor>();
  if (self == nullptr || self->sparse() == nullptr) return object::type_error(in, "this is no sparse tensor");
  const SparseParts& held = *self->sparse();
  return Value(in.tuple({Value(held.indices), Value(held.values), Value(held.is_coalesced)}));
}

// self + alpha * other, of which the second is sparse.
PyResult<Value> sum(Interpreter& in, Args a) {
  Tensor* const self = a[0].as<Tensor>();
  Tensor* const other = a[1].as<Tensor>();
  if (self == nullptr || other == nullptr || other->sparse() == nullptr) {
    return object::type_error(in, "a sum by items is that of a tensor and a sparse one");
  }
  NNS_TRY_ASSIGN(const double alpha, nn::number(in, a[2]));
  NNS_TRY_ASSIGN(Ref<Tensor> made, self->sparse() != nullptr ? ops::sparse_sum(*self, *other, alpha)
                                                             : ops::dense_sum(*self, *other, alpha));
  return Value(std::move(made));
}

PyResult<Value> add_in_place(Interpreter& in, Args a) {
  Tensor* const self = a[0].as<Tensor>();
  Tensor* const other = a[1].as<Tensor>();
  if (self == nullptr || other == nullptr || other->sparse() == nullptr) {
    return object::type_error(in, "a sum by items is that of a tensor and a sparse one");
  }
  NNS_TRY_ASSIGN(const double alpha, nn::number(in, a[2]));
  NNS_TRY(ops::add_sparse(*self, *other, alpha));
  return a[0];
}

PyResult<Value> coalesced(Interpreter& in, Args a) {
  Tensor* const self = a[0].as<Tensor>();
  if (self == nullptr || self->sparse() == nullptr) return object::type_error(in, "this is no sparse tensor");
  NNS_TRY_ASSIGN(Ref<Tensor> made, ops::coalesced(*self));
  return Value(std::move(made));
}

// Tensor.<signature> is torch.sparse._tensors.<its name>.
void add_method(Interpreter& in, std::string_view signature) {
  Class& cls = *TensorLibrary::of(in).tensor;
  const std::string name(signature.substr(0, signature.find('(')));
  const bool takes_rest = signature.find("**") != std::string_view::npos;
  cls.def(signature, [name, takes_rest](Interpreter& i, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Value module, sparse_module(i));
    NNS_TRY_ASSIGN(const Value function, object::getattr(i, module, i.intern(name)));
    if (!takes_rest) return i.call(function, a);
    std::vector<Value> positional{a[0]};
    const auto& rest = *a[1].as<object::Tuple>();
    positional.insert(positional.end(), rest.items().begin(), rest.items().end());
    return i.call(function, positional, object::keywords_of(i, *a[2].as<Dict>()));
  });
}

}  // namespace

void fill_sparse(Interpreter& interpreter) {
  Dict& module = ops::python_module(interpreter, "torch._C");
  const auto add = [&](std::string_view signature, object::NativeBody body) {
    const Ref<object::NativeFunction> function = interpreter.function(signature, std::move(body));
    module.set(interpreter.intern(function->name()), Value(function));
  };
  add("_sparse(indices, values, size, is_coalesced)", make);
  add("_set_sparse(self, indices, values, size, is_coalesced)", replace);
  add("_sparse_parts(self)", parts);
  add("_sparse_coalesced(self)", coalesced);
  add("_sparse_sum(self, other, alpha)", sum);
  add("_add_sparse_(self, other, alpha)", add_in_place);
  for (const std::string_view signature :
       {"coalesce(self)", "is_coalesced(self)", "indices(self)", "values(self)", "_indices(self)", "_values(self)",
        "_nnz(self)", "_coalesced_(self, coalesced)", "sparse_dim(self)", "dense_dim(self)", "sparse_mask(self, mask)",
        "to_sparse_coo(self)"}) {
    add_method(interpreter, signature);
  }
  for (const std::string_view signature :
       {"to_sparse(self, *args, **kwargs)", "to_dense(self, *args, **kwargs)", "to_sparse_csr(self, *args, **kwargs)",
        "to_sparse_csc(self, *args, **kwargs)", "to_sparse_bsr(self, *args, **kwargs)",
        "to_sparse_bsc(self, *args, **kwargs)", "crow_indices(self, *args, **kwargs)",
        "col_indices(self, *args, **kwargs)"}) {
    add_method(interpreter, signature);
  }
  TensorLibrary& library = TensorLibrary::of(interpreter);
  library.sparse_call = [&interpreter](std::string_view name, const object::Arguments& given) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Value functions, sparse_module(interpreter));
    const Ref<Dict> keywords = interpreter.dict();
    for (const object::Keyword& one : given.keywords) keywords->set(one.name, one.value);
    const Value positional(interpreter.tuple({given.positional.begin(), given.positional.end()}));
    NNS_TRY_ASSIGN(Value made, interpreter.call_method(functions, interpreter.intern("call"),
                                                       {interpreter.text(name), positional, Value(keywords)}));
    return made.is(interpreter.not_implemented()) ? Value::absent() : made;
  };
  library.tensor->def("new(self, *args, **kwargs)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Value legacy, Machine::of(in).import_module("torch._legacy_tensors", 0, nullptr));
    NNS_TRY_ASSIGN(const Value function, object::getattr(in, legacy, in.intern("new")));
    std::vector<Value> positional{a[0]};
    const auto& rest = *a[1].as<object::Tuple>();
    positional.insert(positional.end(), rest.items().begin(), rest.items().end());
    return in.call(function, positional, object::keywords_of(in, *a[2].as<Dict>()));
  });
  // Names of layouts.
  Dict& torch = ops::python_module(interpreter, "torch");
  torch.set(interpreter.intern("layout"), Value(static_cast<object::Object*>(library.layout)));
  for (std::size_t i = 0; i < tensor::kLayouts; ++i) {
    const auto layout = static_cast<tensor::Layout>(i);
    torch.set(interpreter.intern(tensor::layout_text(layout).substr(6)), library.layout_value(layout));
  }
}

}  // namespace nns::python
