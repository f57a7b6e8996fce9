#include "core/checkpoint/value_pickler.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/bits.h"
#include "core/checkpoint/pickle_opcodes.h"
#include "core/checkpoint/put_number.h"
#include "core/object/default_dict.h"
#include "core/tensor/device_class.h"

namespace nns::checkpoint {
namespace {

using object::Dict;
using object::List;
using object::Object;
using object::Set;
using object::Str;
using object::Tuple;
using object::Value;
using tensor::DType;
using tensor::Tensor;

constexpr std::size_t kBatch = 1000;

constexpr char code(PickleOp op) { return static_cast<char>(op); }

// Dtypes that came after typed storages: their tensors look at an untyped one and name their dtype themselves.
// Behaviour: torch/storage.py, _new_dtypes.
bool is_new_dtype(DType dtype) {
  switch (dtype) {
    case DType::Float8E4M3FN:
    case DType::Float8E5M2:
    case DType::Float8E4M3FNUZ:
    case DType::Float8E5M2FNUZ:
    case DType::Float8E8M0FNU:
    case DType::Float4E2M1FNX2:
    case DType::Complex32:
    case DType::UInt16:
    case DType::UInt32:
    case DType::UInt64:
      return true;
    default:
      return false;
  }
}

}  // namespace

base::Result<std::string> ValuePickler::pickle(const Value& value) {
  out_ = "\x80\x02";
  NNS_TRY(save(value, 0));
  put(code(PickleOp::Stop));
  return std::move(out_);
}

base::Error ValuePickler::refused(const Value& value) const {
  return base::Error{fmt::format("an object of class '{}'{}{}", interpreter_.type_of(value).full_name(),
                                 path_.empty() ? "" : " at ", fmt::join(path_, "")),
                     "numbers, texts, lists, tuples, dicts and tensors of these",
                     {},
                     {}};
}

std::uint32_t ValuePickler::next_memo() {
  if (memo_ < 256) {
    put(code(PickleOp::BinPut));
    put_number(out_, memo_, 1);
  } else {
    put(code(PickleOp::LongBinPut));
    put_number(out_, memo_, 4);
  }
  return memo_++;
}

void ValuePickler::memoize(const Object* object) {
  const std::uint32_t index = next_memo();
  if (object != nullptr) objects_[object] = index;
}

void ValuePickler::get(std::uint32_t index) {
  if (index < 256) {
    put(code(PickleOp::BinGet));
    put_number(out_, index, 1);
  } else {
    put(code(PickleOp::LongBinGet));
    put_number(out_, index, 4);
  }
}

void ValuePickler::save_int(std::int64_t value) {
  if (value >= 0 && value < 0x100) {
    put(code(PickleOp::BinInt1));
    put_number(out_, static_cast<std::uint64_t>(value), 1);
  } else if (value >= 0 && value < 0x10000) {
    put(code(PickleOp::BinInt2));
    put_number(out_, static_cast<std::uint64_t>(value), 2);
  } else if (value >= -0x80000000LL && value < 0x80000000LL) {
    put(code(PickleOp::BinInt));
    put_number(out_, static_cast<std::uint64_t>(value), 4);
  } else {
    // As few bytes as show the number with its sign.
    unsigned bytes = 5;
    while (bytes < 8 && (value >> (8 * bytes - 1)) != 0 && (value >> (8 * bytes - 1)) != -1) ++bytes;
    put(code(PickleOp::Long1));
    put_number(out_, bytes, 1);
    put_number(out_, static_cast<std::uint64_t>(value), bytes);
  }
}

void ValuePickler::save_float(double value) {
  put(code(PickleOp::BinFloat));
  const auto bits = base::bit_cast<std::uint64_t>(value);
  for (unsigned i = 8; i-- > 0;) put_number(out_, bits >> (8 * i), 1);
}

void ValuePickler::save_text(std::string_view text) {
  const auto found = texts_.find(std::string(text));
  if (found != texts_.end()) {
    get(found->second);
    return;
  }
  put(code(PickleOp::BinUnicode));
  put_number(out_, text.size(), 4);
  out_ += text;
  texts_[std::string(text)] = next_memo();
}

void ValuePickler::save_global(std::string_view module, std::string_view name) {
  const std::string key = fmt::format("{}\n{}\n", module, name);
  const auto found = globals_.find(key);
  if (found != globals_.end()) {
    get(found->second);
    return;
  }
  put(code(PickleOp::Global));
  out_ += key;
  globals_[key] = next_memo();
}

void ValuePickler::save_dims(const tensor::Dims& dims) {
  const std::size_t count = dims.size();
  if (count > 3) put(code(PickleOp::Mark));
  for (const std::int64_t size : dims) save_int(size);
  constexpr PickleOp kFew[] = {PickleOp::EmptyTuple, PickleOp::Tuple1, PickleOp::Tuple2, PickleOp::Tuple3};
  put(code(count > 3 ? PickleOp::Tuple : kFew[count]));
  if (count > 0) memoize(nullptr);
}

void ValuePickler::save_empty_ordered_dict() {
  save_global("collections", "OrderedDict");
  put(code(PickleOp::EmptyTuple));
  put(code(PickleOp::Reduce));
  memoize(nullptr);
}

base::Result<void> ValuePickler::save(const Value& value, int depth) {
  if (depth > kMostDepth) {
    return base::Error{fmt::format("containers in containers, more than {} deep", kMostDepth), "fewer levels", {}, {}};
  }
  switch (value.kind()) {
    case Value::Kind::Absent:
    case Value::Kind::None:
      put(code(PickleOp::None));
      return {};
    case Value::Kind::Bool:
      put(code(value.as_bool() ? PickleOp::NewTrue : PickleOp::NewFalse));
      return {};
    case Value::Kind::Int:
      save_int(value.as_int());
      return {};
    case Value::Kind::Float:
      save_float(value.as_float());
      return {};
    case Value::Kind::Empty:
      return save(interpreter_.make_empty(value.as_empty_kind()), depth);
    case Value::Kind::Object:
      break;
  }
  return save_object(*value.object(), value, depth);
}

base::Result<void> ValuePickler::save_object(Object& object, const Value& value, int depth) {
  if (const Str* text = value.as<Str>()) {
    if (text->view().size() > 0xFFFFFFFFULL) return refused(value);
    save_text(text->view());
    return {};
  }
  if (const auto found = objects_.find(&object); found != objects_.end()) {
    get(found->second);
    return {};
  }
  const tensor::TensorLibrary& tensors = tensor::TensorLibrary::of(interpreter_);
  if (Tensor* tensor = value.as<Tensor>()) return save_tensor(*tensor);
  if (const Tuple* tuple = value.as<Tuple>()) {
    const bool is_size = &tuple->type() == tensors.size;
    if (!is_size && &tuple->type() != interpreter_.builtins().tuple) return refused(value);
    if (!is_size) return save_tuple(tuple->items(), &object, depth);
    save_global("torch", "Size");
    NNS_TRY(save_tuple(tuple->items(), nullptr, depth));
    put(code(PickleOp::Tuple1));
    memoize(nullptr);
    put(code(PickleOp::Reduce));
    memoize(&object);
    return {};
  }
  if (List* list = value.as<List>()) {
    if (&list->type() != interpreter_.builtins().list) return refused(value);
    return save_list(*list, depth);
  }
  if (Dict* dict = value.as<Dict>()) return save_dict(*dict, depth);
  if (Set* set = value.as<Set>()) return save_set(*set, depth);
  for (const tensor::DTypeInfo& row : tensor::kDTypes) {
    if (!value.is(tensors.dtype_value(row.dtype))) continue;
    save_global("torch", row.torch_name);
    return {};
  }
  if (const auto* const device = value.as<tensor::DeviceObject>()) {
    save_global("torch", "device");
    save_text(tensor::text_of(device->name()));
    put(code(PickleOp::Tuple1));
    memoize(nullptr);
    put(code(PickleOp::Reduce));
    memoize(&object);
    return {};
  }
  return refused(value);
}

base::Result<void> ValuePickler::save_tuple(std::span<const Value> items, const Object* identity, int depth) {
  if (items.empty()) {
    put(code(PickleOp::EmptyTuple));
    return {};
  }
  if (items.size() > 3) put(code(PickleOp::Mark));
  for (std::size_t i = 0; i < items.size(); ++i) {
    path_.push_back(fmt::format("[{}]", i));
    NNS_TRY(save(items[i], depth + 1));
    path_.pop_back();
  }
  constexpr PickleOp kFew[] = {PickleOp::EmptyTuple, PickleOp::Tuple1, PickleOp::Tuple2, PickleOp::Tuple3};
  put(code(items.size() > 3 ? PickleOp::Tuple : kFew[items.size()]));
  memoize(identity);
  return {};
}

base::Result<void> ValuePickler::save_list(List& list, int depth) {
  put(code(PickleOp::EmptyList));
  memoize(&list);
  const std::vector<Value> items = list.items();
  for (std::size_t at = 0; at < items.size(); at += kBatch) {
    const std::size_t count = std::min(kBatch, items.size() - at);
    if (count > 1) put(code(PickleOp::Mark));
    for (std::size_t i = 0; i < count; ++i) {
      path_.push_back(fmt::format("[{}]", at + i));
      NNS_TRY(save(items[at + i], depth + 1));
      path_.pop_back();
    }
    put(code(count > 1 ? PickleOp::Appends : PickleOp::Append));
  }
  return {};
}

base::Result<void> ValuePickler::save_dict(Dict& dict, int depth) {
  const object::Builtins& builtins = interpreter_.builtins();
  const bool is_ordered = &dict.type() == builtins.ordered_dict;
  // A defaultdict of dicts is what an optimiser's own state is.
  const auto* defaults = dynamic_cast<object::DefaultDict*>(&dict);
  if (!is_ordered && defaults == nullptr && &dict.type() != builtins.dict) return refused(Value(&dict));
  if (is_ordered) {
    save_empty_ordered_dict();
    objects_[&dict] = memo_ - 1;
  } else if (defaults != nullptr) {
    save_global("collections", "defaultdict");
    if (defaults->factory().is_none()) {
      put(code(PickleOp::EmptyTuple));
    } else {
      const auto* factory = defaults->factory().as<object::Class>();
      if (factory == nullptr || factory->module() != "builtins") return refused(defaults->factory());
      // Protocol 2 is read by Python 2 as well, where this module has another name.
      save_global("__builtin__", factory->name());
      put(code(PickleOp::Tuple1));
      memoize(nullptr);
    }
    put(code(PickleOp::Reduce));
    memoize(&dict);
  } else {
    put(code(PickleOp::EmptyDict));
    memoize(&dict);
  }
  const std::vector<Value> keys = dict.keys();
  for (std::size_t at = 0; at < keys.size(); at += kBatch) {
    const std::size_t count = std::min(kBatch, keys.size() - at);
    if (count > 1) put(code(PickleOp::Mark));
    for (std::size_t i = 0; i < count; ++i) {
      const Value& key = keys[at + i];
      const Str* name = key.as<Str>();
      path_.push_back(name == nullptr ? "[...]" : fmt::format("['{}']", name->view()));
      NNS_TRY(save(key, depth + 1));
      NNS_TRY(save(*dict.find(key), depth + 1));
      path_.pop_back();
    }
    put(code(count > 1 ? PickleOp::SetItems : PickleOp::SetItem));
  }
  // Attributes of an OrderedDict: a state_dict's _metadata.
  Dict* const attributes = is_ordered ? dict.instance_dict(false) : nullptr;
  if (attributes == nullptr || attributes->empty()) return {};
  NNS_TRY(save_dict(*attributes, depth + 1));
  put(code(PickleOp::Build));
  return {};
}

base::Result<void> ValuePickler::save_set(Set& set, int depth) {
  if (&set.type() != interpreter_.builtins().set) return refused(Value(&set));
  save_global("__builtin__", "set");
  put(code(PickleOp::EmptyList));
  memoize(nullptr);
  const std::vector<Value> keys = set.keys().keys();
  if (!keys.empty()) {
    put(code(PickleOp::Mark));
    for (const Value& key : keys) NNS_TRY(save(key, depth + 1));
    put(code(PickleOp::Appends));
  }
  put(code(PickleOp::Tuple1));
  memoize(nullptr);
  put(code(PickleOp::Reduce));
  memoize(&set);
  return {};
}

void ValuePickler::save_plain_tensor(const Tensor& tensor) {
  const bool is_new = is_new_dtype(tensor.dtype());
  const tensor::DTypeInfo& dtype = tensor::info(tensor.dtype());
  const tensor::Storage* const storage = tensor.storage().get();
  const auto [found, is_first] = storage_keys_.try_emplace(storage, storages_.size());
  if (is_first) storages_.push_back(tensor.storage());
  save_global("torch._utils", is_new ? "_rebuild_tensor_v3" : "_rebuild_tensor_v2");
  put(code(PickleOp::Mark));
  // The storage, by its key.
  put(code(PickleOp::Mark));
  save_text("storage");
  if (is_new) {
    save_global("torch.storage", "UntypedStorage");
  } else {
    save_global("torch", fmt::format("{}Storage", dtype.scalar_name));
  }
  save_text(fmt::format("{}", found->second));
  save_text("cpu");
  save_int(static_cast<std::int64_t>(is_new ? storage->bytes() : storage->bytes() / dtype.item_bytes));
  put(code(PickleOp::Tuple));
  memoize(nullptr);
  put(code(PickleOp::BinPersId));
  save_int(tensor.offset());
  save_dims(tensor.shape());
  save_dims(tensor.strides());
  put(code(!tensor.is_parameter() && tensor.requires_grad() ? PickleOp::NewTrue : PickleOp::NewFalse));
  save_empty_ordered_dict();
  if (is_new) save_global("torch", dtype.torch_name);
  put(code(PickleOp::Tuple));
  memoize(nullptr);
  put(code(PickleOp::Reduce));
}

void ValuePickler::save_meta_tensor(const Tensor& tensor) {
  save_global("torch._utils", "_rebuild_meta_tensor_no_storage");
  put(code(PickleOp::Mark));
  save_global("torch", tensor::info(tensor.dtype()).torch_name);
  save_dims(tensor.shape());
  save_dims(tensor.strides());
  put(code(!tensor.is_parameter() && tensor.requires_grad() ? PickleOp::NewTrue : PickleOp::NewFalse));
  put(code(PickleOp::Tuple));
  memoize(nullptr);
  put(code(PickleOp::Reduce));
}

base::Result<void> ValuePickler::save_tensor(Tensor& tensor) {
  const tensor::TensorLibrary& tensors = tensor::TensorLibrary::of(interpreter_);
  const bool is_parameter = &tensor.type() == tensors.parameter;
  if (!is_parameter && &tensor.type() != tensors.tensor && &tensor.type() != tensors.buffer) {
    return refused(Value(&tensor));
  }
  if (tensor::info(tensor.dtype()).kind == tensor::DTypeKind::Quantized) return refused(Value(&tensor));
  if (is_parameter) {
    save_global("torch._utils", "_rebuild_parameter");
  }
  if (tensor.is_meta() && !keeps_meta_storages_) {
    save_meta_tensor(tensor);
  } else {
    save_plain_tensor(tensor);
  }
  if (!is_parameter) {
    memoize(&tensor);
    return {};
  }
  memoize(nullptr);
  put(code(tensor.requires_grad() ? PickleOp::NewTrue : PickleOp::NewFalse));
  save_empty_ordered_dict();
  put(code(PickleOp::Tuple3));
  memoize(nullptr);
  put(code(PickleOp::Reduce));
  memoize(&tensor);
  return {};
}

}  // namespace nns::checkpoint
