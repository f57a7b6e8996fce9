#include <algorithm>

#include "core/object/operations.h"
#include "core/ops/function_arguments.h"
#include "core/ops/op_recorder.h"
#include "core/ops/promotion.h"
#include "core/ops/python_function.h"
#include "core/ops/term.h"

// Shapes by other names: made of the views of views.cpp. Behaviour: aten/src/ATen/native/TensorShape.cpp.
namespace nns::ops {
namespace {

using Args = std::span<const Value>;
using Ints = std::vector<std::int64_t>;

PyResult<Value> move_dims(Interpreter& in, Args a) {
  const Tensor& self = *a[0].as<Tensor>();
  const Dims from = dims_of(a[1]), to = dims_of(a[2]);
  if (from.size() != to.size()) {
    return object::runtime_error(in,
                                 "movedim: Invalid source or destination dims: source ([{}] dims) should contain the "
                                 "same number of dims as destination ([{}] dims)",
                                 fmt::join(from.span(), ", "), fmt::join(to.span(), ", "));
  }
  Ints order(self.ndim(), -1);
  std::vector<bool> taken(self.ndim(), false);
  for (std::size_t i = 0; i < from.size(); ++i) {
    NNS_TRY_ASSIGN(const std::int64_t source, dimension(in, from[i], self.ndim()));
    NNS_TRY_ASSIGN(const std::int64_t target, dimension(in, to[i], self.ndim()));
    if (taken[static_cast<std::size_t>(source)]) {
      return object::runtime_error(in, "movedim: repeated dim in `source` ([{}])", fmt::join(from.span(), ", "));
    }
    if (order[static_cast<std::size_t>(target)] != -1) {
      return object::runtime_error(in, "movedim: repeated dim in `destination` ([{}])", fmt::join(to.span(), ", "));
    }
    order[static_cast<std::size_t>(target)] = source;
    taken[static_cast<std::size_t>(source)] = true;
  }
  std::int64_t next = 0;
  for (std::int64_t& one : order) {
    if (one != -1) continue;
    while (taken[static_cast<std::size_t>(next)]) ++next;
    one = next++;
  }
  return call_op(in, OpId::permute, {a[0], dims_value(in, Dims(order))});
}

PyResult<Value> broadcast_tensors(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const std::vector<Value> items, loose_tensors(in, a[0], "broadcast_tensors"));
  Dims shape;
  for (const Value& item : items) {
    NNS_TRY_ASSIGN(shape, broadcast_shapes(in, shape, item.as<Tensor>()->shape()));
  }
  std::vector<Value> made;
  for (const Value& item : items) {
    NNS_TRY_ASSIGN(Value one, call_op(in, OpId::expand, {item, dims_value(in, shape)}));
    made.push_back(std::move(one));
  }
  return Value(in.tuple(std::move(made)));
}

PyResult<Value> meshgrid(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(std::vector<Value> items, loose_tensors(in, a[0], "meshgrid"));
  if (items.empty()) return object::runtime_error(in, "meshgrid expects a non-empty TensorList");
  std::string_view indexing = "ij";
  if (const auto* text = a[1].as<object::Str>()) {
    indexing = text->view();
  } else {
    in.warn(object::ErrorKind::UserWarning,
            "torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument.");
  }
  if (indexing != "ij" && indexing != "xy") {
    return object::runtime_error(in, "torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: {}",
                                 indexing);
  }
  const bool is_swapped = indexing == "xy" && items.size() >= 2;
  if (is_swapped) std::swap(items[0], items[1]);
  Ints shape;
  for (const Value& item : items) {
    const Tensor& one = *item.as<Tensor>();
    const bool has_dtype = one.dtype() == items[0].as<Tensor>()->dtype();
    if (!has_dtype || one.device() != items[0].as<Tensor>()->device()) {
      return object::runtime_error(in, "torch.meshgrid expects all tensors to have the same {}",
                                   has_dtype ? "device" : "dtype");
    }
    if (one.ndim() > 1) {
      return object::runtime_error(in, "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {}-D",
                                   one.ndim());
    }
    shape.push_back(one.numel());
  }
  std::vector<Value> made;
  for (std::size_t i = 0; i < items.size(); ++i) {
    Ints own(items.size(), 1);
    own[i] = shape[i];
    NNS_TRY_ASSIGN(const Value column, call_op(in, OpId::view, {items[i], dims_value(in, Dims(own))}));
    NNS_TRY_ASSIGN(Value grid, call_op(in, OpId::expand, {column, dims_value(in, Dims(shape))}));
    made.push_back(std::move(grid));
  }
  if (is_swapped) std::swap(made[0], made[1]);
  return Value(in.tuple(std::move(made)));
}

PyResult<Value> tile(Interpreter& in, Args a) {
  const Tensor& self = *a[0].as<Tensor>();
  const Dims given = dims_of(a[1]);
  Ints repeats(given.begin(), given.end());
  while (repeats.size() < self.ndim()) repeats.insert(repeats.begin(), 1);
  return call_op(in, OpId::repeat, {a[0], dims_value(in, Dims(repeats))});
}

// hstack, vstack, dstack: tensors of too few dimensions get more, then they are joined.
PyResult<Value> join(Interpreter& in, std::string_view name, const Value& tensors, std::size_t least,
                     std::int64_t dim) {
  if (tensors.as<object::Tuple>()->size() == 0) {
    return object::runtime_error(in, "{} expects a non-empty TensorList", name);
  }
  std::vector<Value> items;
  bool is_flat = false;
  for (const Value& item : tensors.as<object::Tuple>()->items()) {
    Value one = item;
    const std::size_t ndim = item.as<Tensor>()->ndim();
    is_flat = is_flat || ndim <= 1;
    for (std::size_t have = ndim; have < least; ++have) {
      // A row before it is a column of depth.
      NNS_TRY_ASSIGN(one, call_op(in, OpId::unsqueeze, {one, Value(have == 2 ? std::int64_t{2} : std::int64_t{0})}));
    }
    items.push_back(std::move(one));
  }
  return call_op(in, OpId::cat,
                 {Value(in.tuple(std::move(items))), Value(is_flat && least == 1 ? std::int64_t{0} : dim)});
}

// Adds the same as a method and as a function.
void add_both(Interpreter& in, std::string_view signature, const OverloadBody& body) {
  add_method(in, signature, body);
  add_function(in, "torch", signature, body);
}

}  // namespace

PyResult<std::vector<Value>> loose_tensors(Interpreter& in, const Value& given, std::string_view name) {
  const auto* tuple = given.as<object::Tuple>();
  std::vector<Value> items(tuple->items().begin(), tuple->items().end());
  if (items.size() == 1 && items[0].as<Tensor>() == nullptr) {
    NNS_TRY_ASSIGN(items, object::to_vector(in, Value(items[0])));
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].as<Tensor>() != nullptr) continue;
    return object::type_error(in,
                              "{}(): argument 'tensors' (position 1) must be tuple of Tensors, but found element of "
                              "type {} at pos {}",
                              name, python_type_name(in, items[i]), i);
  }
  return items;
}

namespace {

PyResult<Value> recorded_broadcast(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const std::vector<Value> items, loose_tensors(in, a[0], "broadcast_tensors"));
  return one_step(in, "broadcast_tensors", {{"tensors", Value(in.tuple(items))}},
                  [&] { return broadcast_tensors(in, a); });
}

PyResult<Value> recorded_meshgrid(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const std::vector<Value> items, loose_tensors(in, a[0], "meshgrid"));
  return one_step(in, "meshgrid",
                  {{"tensors", Value(in.tuple(items))}, {"indexing", a[1].is_none() ? in.text("ij") : a[1]}},
                  [&] { return meshgrid(in, a); });
}

}  // namespace

void add_shape_functions(Interpreter& interpreter) {
  const auto both = [&interpreter](std::string_view signature, const OverloadBody& body) {
    add_both(interpreter, signature, body);
  };
  both("movedim(Tensor input, int source, int destination)", move_dims);
  both("movedim(Tensor input, int[] source, int[] destination)", move_dims);
  both("moveaxis(Tensor input, int source, int destination)", move_dims);
  both("moveaxis(Tensor input, int[] source, int[] destination)", move_dims);
  both("broadcast_to(Tensor input, int[] size)", [](Interpreter& in, Args a) {
    return call_op(in, OpId::expand, {a[0], a[1]});
  });
  both("tile(Tensor input, int[] dims)", tile);
  both("ravel(Tensor input)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Value flat, call_op(in, OpId::reshape, {a[0], dims_value(in, Dims({-1}))}));
    return call_op(in, OpId::contiguous, {flat});
  });
  both("numel(Tensor input)",
       [](Interpreter&, Args a) -> PyResult<Value> { return Value(a[0].as<Tensor>()->numel()); });
  both("fliplr(Tensor input)", [](Interpreter& in, Args a) -> PyResult<Value> {
    if (a[0].as<Tensor>()->ndim() < 2) return object::runtime_error(in, "Input must be >= 2-d.");
    return call_op(in, OpId::flip, {a[0], dims_value(in, Dims({1}))});
  });
  both("flipud(Tensor input)", [](Interpreter& in, Args a) -> PyResult<Value> {
    if (a[0].as<Tensor>()->ndim() < 1) return object::runtime_error(in, "Input must be >= 1-d.");
    return call_op(in, OpId::flip, {a[0], dims_value(in, Dims({0}))});
  });
  add_method(interpreter, "view_as(Tensor input, Tensor other)", [](Interpreter& in, Args a) {
    return call_op(in, OpId::view, {a[0], dims_value(in, a[1].as<Tensor>()->shape())});
  });
  add_method(interpreter, "reshape_as(Tensor input, Tensor other)", [](Interpreter& in, Args a) {
    return call_op(in, OpId::reshape, {a[0], dims_value(in, a[1].as<Tensor>()->shape())});
  });
  add_method(interpreter, "expand_as(Tensor input, Tensor other)", [](Interpreter& in, Args a) {
    return call_op(in, OpId::expand, {a[0], dims_value(in, a[1].as<Tensor>()->shape())});
  });
  add_function(interpreter, "torch", "hstack(Tensor[] tensors)",
               [](Interpreter& in, Args a) { return join(in, "hstack", a[0], 1, 1); });
  add_function(interpreter, "torch", "vstack(Tensor[] tensors)",
               [](Interpreter& in, Args a) { return join(in, "vstack", a[0], 2, 0); });
  add_function(interpreter, "torch", "dstack(Tensor[] tensors)",
               [](Interpreter& in, Args a) { return join(in, "dstack", a[0], 3, 2); });
  object::Dict& torch = python_module(interpreter, "torch");
  torch.set(interpreter.intern("broadcast_tensors"),
            Value(interpreter.function("broadcast_tensors(*tensors)", recorded_broadcast)));
  torch.set(interpreter.intern("meshgrid"),
            Value(interpreter.function("meshgrid(*tensors, indexing=None)", recorded_meshgrid)));
  object::Class& cls = *tensor::TensorLibrary::of(interpreter).tensor;
  cls.property("T", [](Interpreter& in, const Value& self) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Value of_sparse, tensor::sparse_answer(in, "t", {{&self, 1}, {}}));
    if (!of_sparse.is_absent()) return of_sparse;
    Ints order;
    for (std::size_t dim = self.as<Tensor>()->ndim(); dim-- > 0;) order.push_back(static_cast<std::int64_t>(dim));
    return one_step(in, "numpy_T", {{"input", self}}, [&] {
      return call_op(in, OpId::permute, {self, dims_value(in, Dims(order))});
    });
  });
  cls.property("mT", [](Interpreter& in, const Value& self) -> PyResult<Value> {
    if (self.as<Tensor>()->ndim() < 2) {
      return object::runtime_error(in,
                                   "tensor.mT is only supported on matrices or batches of matrices. Got {}-D tensor.",
                                   self.as<Tensor>()->ndim());
    }
    return one_step(in, "mT", {{"input", self}}, [&] {
      return call_op(in, OpId::transpose, {self, Value(-2), Value(-1)});
    });
  });
}

}  // namespace nns::ops
