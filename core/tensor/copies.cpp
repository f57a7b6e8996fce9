#include "core/tensor/copies.h"

#include "core/object/instance.h"
#include "core/tensor/order.h"

namespace nns::tensor {
namespace {

using Args = std::span<const Value>;

Value address_of(const object::Object& object) {
  return Value(static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(&object)));
}

// Whether nothing but the tensor looks at its storage, and it looks at all of it: then the items are all there is.
bool holds_all(const Tensor& self) {
  return self.storage()->reference_count() == 1 && self.offset() == 0 && self.storage()->bytes() == self.nbytes();
}

PyResult<Ref<Tensor>> copied_items(Interpreter& in, const Tensor& self, const object::CopyMemo& memo) {
  if (self.sparse() != nullptr) return clone(self);
  if (self.is_parameter() || holds_all(self)) {
    NNS_TRY_ASSIGN(Ref<Tensor> copy, try_empty_like(self, self.dtype(), self.device()));
    NNS_TRY(copy_items(*copy, self));
    return copy;
  }
  TensorView view = self.view();
  NNS_TRY_ASSIGN(view.storage, deep_copied_storage(view.storage, memo));
  return make_tensor(in, std::move(view));
}

PyResult<Value> deep_copied(Interpreter& in, Args a) {
  const Tensor& self = *a[0].as<Tensor>();
  if (!self.is_leaf()) {
    return object::runtime_error(
        in,
        "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  If "
        "you were attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, see "
        "https://github.com/pytorch/pytorch/pull/103001");
  }
  const object::CopyMemo memo(in, a[1]);
  if (const Value* const known = memo.find(a[0])) return *known;
  NNS_TRY_ASSIGN(const Ref<Tensor> copy, copied_items(in, self, memo));
  copy->set_type(self.type());
  const bool is_plain_parameter = self.type().is_subclass_of(*TensorLibrary::of(in).parameter);
  // A parameter of a class of its own.
  if (self.is_parameter() && !is_plain_parameter) copy->instance_dict(true)->set(in.intern("_is_param"), Value(true));
  NNS_TRY(copy->set_requires_grad(self.requires_grad()));
  if (self.is_buffer()) copy->mark_buffer(self.is_persistent_buffer());
  if (!is_plain_parameter) {
    if (self.grad()) {
      NNS_TRY_ASSIGN(const Value grad, memo.copy(Value(self.grad())));
      copy->set_grad(Ref<Tensor>(grad.as<Tensor>()));
    }
    if (object::Dict* const own = a[0].as<Tensor>()->instance_dict(false); own != nullptr && own->size() > 0) {
      NNS_TRY_ASSIGN(const Value attributes, memo.copy(Value(Ref<object::Dict>(own))));
      copy->instance_dict(true)->copy_from(*attributes.as<object::Dict>());
    }
  }
  memo.remember(a[0], Value(copy));
  return Value(copy);
}

}  // namespace

Ref<Tensor> bytes_of(const Ref<Storage>& storage) {
  return make_tensor(storage->interpreter(),
                     {storage, Dims({static_cast<std::int64_t>(storage->bytes())}), Dims({1}), 0, DType::UInt8});
}

PyResult<Ref<Storage>> clone_storage(const Ref<Storage>& storage) {
  NNS_TRY_ASSIGN(Ref<Storage> made, Storage::try_allocate(storage->interpreter(), storage->bytes(), storage->device()));
  if (made->bytes() > 0) NNS_TRY(copy_items(*bytes_of(made), *bytes_of(storage)));
  return made;
}

PyResult<Ref<Storage>> deep_copied_storage(const Ref<Storage>& storage, const object::CopyMemo& memo) {
  Interpreter& in = storage->interpreter();
  const Value name = in.text("torch");
  const Value* const known = memo.dict().find(name);
  Ref<object::Dict> copies(known == nullptr ? nullptr : known->as<object::Dict>());
  if (!copies) {
    copies = in.dict();
    memo.dict().set(name, Value(copies));
  }
  if (const Value* const made = copies->find(address_of(*storage))) {
    if (Storage* const copy = made->as<Storage>()) return Ref<Storage>(copy);
  }
  NNS_TRY_ASSIGN(Ref<Storage> copy, clone_storage(storage));
  copies->set(address_of(*storage), Value(copy));
  return copy;
}

void add_copies(object::Class& tensor_class) {
  // copy.copy(): another tensor on the same items.
  tensor_class.def("__copy__(self)", [](Interpreter&, Args a) -> PyResult<Value> {
    Tensor& self = *a[0].as<Tensor>();
    const Ref<Tensor> copy = detach(self);
    copy->set_type(self.type());
    NNS_TRY(copy->set_requires_grad(self.requires_grad()));
    if (self.is_buffer()) copy->mark_buffer(self.is_persistent_buffer());
    if (object::Dict* own = self.instance_dict(false)) copy->instance_dict(true)->copy_from(*own);
    return Value(copy);
  });
  tensor_class.def("__deepcopy__(self, memo)", deep_copied);
}

}  // namespace nns::tensor
