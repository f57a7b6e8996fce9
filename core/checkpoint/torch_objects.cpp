#include "core/checkpoint/torch_objects.h"

#include <fmt/format.h>

#include <array>

#include "core/checkpoint/pickle_preview.h"

namespace nns::checkpoint {

namespace {

struct MakerName {
  std::string_view module;
  std::string_view name;
  Maker maker;
};

constexpr MakerName kMakers[] = {
    {"torch._utils", "_rebuild_tensor", Maker::Tensor},
    {"torch._utils", "_rebuild_tensor_v2", Maker::Tensor},
    {"torch._utils", "_rebuild_tensor_v3", Maker::Tensor},
    {"torch._utils", "_rebuild_parameter", Maker::Parameter},
    {"torch._utils", "_rebuild_parameter_with_state", Maker::Parameter},
    {"torch.nn.parameter", "Parameter", Maker::Parameter},
    {"torch._utils", "_rebuild_qtensor", Maker::QuantizedTensor},
    {"torch._utils", "_rebuild_meta_tensor_no_storage", Maker::MetaTensor},
    {"torch._utils", "_rebuild_device_tensor_from_numpy", Maker::TensorFromNumpy},
    {"torch._utils", "_rebuild_xla_tensor", Maker::TensorFromNumpy},
    {"torch._utils", "_rebuild_device_tensor_from_cpu_tensor", Maker::TensorFromCpu},
    {"torch._utils", "_rebuild_sparse_tensor", Maker::SparseTensor},
    {"torch._utils", "_rebuild_sparse_csr_tensor", Maker::SparseCsrTensor},
    {"torch._utils", "_rebuild_nested_tensor", Maker::NestedTensor},
    {"torch._tensor", "_rebuild_from_type_v2", Maker::TensorOfType},
    {"collections", "OrderedDict", Maker::Dict},
    {"collections", "defaultdict", Maker::Dict},
    {"collections", "Counter", Maker::Dict},
    {"builtins", "dict", Maker::Dict},
    {"builtins", "set", Maker::Set},
    {"builtins", "frozenset", Maker::Set},
    {"__builtin__", "set", Maker::Set},
    {"__builtin__", "frozenset", Maker::Set},
    {"_codecs", "encode", Maker::Encode},
    {"numpy.core.multiarray", "_reconstruct", Maker::NumpyArray},
    {"numpy._core.multiarray", "_reconstruct", Maker::NumpyArray},
    {"numpy.core.numeric", "_frombuffer", Maker::NumpyBuffer},
    {"numpy._core.numeric", "_frombuffer", Maker::NumpyBuffer},
    {"numpy.core.multiarray", "scalar", Maker::NumpyScalar},
    {"numpy._core.multiarray", "scalar", Maker::NumpyScalar},
    {"numpy", "dtype", Maker::NumpyDType},
    {"torch.jit._pickle", "build_intlist", Maker::Wrapper},
    {"torch.jit._pickle", "build_doublelist", Maker::Wrapper},
    {"torch.jit._pickle", "build_boollist", Maker::Wrapper},
    {"torch.jit._pickle", "build_tensorlist", Maker::Wrapper},
    {"torch.jit._pickle", "restore_type_tag", Maker::Wrapper},
};

constexpr std::size_t kMaxTensorRank = 64;
constexpr int kMaxWrappers = 8;

}  // namespace

base::Error TorchObjects::error(std::uint32_t offset, std::string found, std::string expected) const {
  std::string where = document_.source->name();
  std::uint64_t at = offset;
  if (const PicklePiece* piece = document_.piece_at(offset)) {
    where += fmt::format("!{}", document_.archive->members()[piece->member].name);
    at -= piece->begin;
  }
  return {std::move(found), std::move(expected), std::move(where), at};
}

Maker TorchObjects::maker_of_global(PickleId callable) const {
  callable = class_of(heap_, callable);
  if (heap_.kind(callable) != PickleKind::Global) return Maker::Other;
  const PickleName& name = heap_.name(callable);
  if (makers_.size() <= name.global) makers_.resize(name.global + 1, 0);
  std::uint8_t& known = makers_[name.global];
  if (known == 0) {
    Maker maker = Maker::Other;
    for (const MakerName& row : kMakers) {
      if (row.module == name.module && row.name == name.name) maker = row.maker;
    }
    known = static_cast<std::uint8_t>(1 + static_cast<std::uint8_t>(maker));
  }
  return static_cast<Maker>(known - 1);
}

Maker TorchObjects::maker(PickleId value) const {
  return heap_.kind(value) == PickleKind::Object ? maker_of_global(heap_.object(value).callable) : Maker::Other;
}

PickleId TorchObjects::quantizer(PickleId value) const {
  for (int wrappers = 0; wrappers < kMaxWrappers; ++wrappers) {
    std::array<PickleId, 5> args{};
    const Maker made = maker(value);
    if (made != Maker::Parameter && made != Maker::QuantizedTensor) return kNone;
    const std::size_t count = heap_.first_items(heap_.object(value).args, args);
    if (made == Maker::QuantizedTensor) return count >= 5 && heap_.kind(args[4]) == PickleKind::Tuple ? args[4] : kNone;
    if (count == 0) return kNone;
    value = args[0];
  }
  return kNone;
}

PickleId TorchObjects::unwrapped(PickleId value) const {
  for (int wrappers = 0; wrappers < kMaxWrappers && maker(value) == Maker::Wrapper; ++wrappers) {
    PickleId inner = kNone;
    heap_.first_items(heap_.object(value).args, {&inner, 1});
    if (inner == kNone) break;
    value = inner;
  }
  return value;
}

bool TorchObjects::is_tensor(PickleId value) const {
  switch (maker(value)) {
    case Maker::Tensor:
    case Maker::Parameter:
    case Maker::QuantizedTensor:
    case Maker::MetaTensor:
    case Maker::TensorFromNumpy:
    case Maker::TensorFromCpu:
      return true;
    case Maker::TensorOfType: {
      std::array<PickleId, 1> function{};
      heap_.first_items(heap_.object(value).args, function);
      const Maker made = maker_of_global(function[0]);
      return made == Maker::Tensor || made == Maker::Parameter || made == Maker::MetaTensor ||
             made == Maker::QuantizedTensor;
    }
    default:
      return false;
  }
}

TorchObjects::Call TorchObjects::call_of(PickleId value) const {
  if (heap_.kind(value) != PickleKind::Object) return {};
  const PickleObject& object = heap_.object(value);
  Call call;
  call.maker = maker_of_global(object.callable);
  call.args = object.args;
  call.offset = object.offset;
  if (heap_.kind(object.callable) == PickleKind::Global) call.name = heap_.name(object.callable).name;
  return call;
}

bool TorchObjects::dict_items(PickleId value, PickleChain& items) const {
  if (heap_.kind(value) == PickleKind::Dict) {
    items = heap_.chain(value);
    return true;
  }
  if (maker(value) != Maker::Dict) return false;
  items = heap_.object(value).items;
  return true;
}

bool TorchObjects::module_state(PickleId value, PickleChain& items) const {
  if (heap_.kind(value) != PickleKind::Object) return false;
  const PickleObject& object = heap_.object(value);
  PickleChain state;
  if (!dict_items(object.state, state)) return false;
  if (heap_.find(state, "_parameters") == kNone || heap_.find(state, "_modules") == kNone) return false;
  items = state;
  return true;
}

bool TorchObjects::read_sizes(PickleId tuple, std::vector<std::int64_t>& out) const {
  out.clear();
  // torch.Size((2, 3)) is a call on a tuple.
  if (heap_.kind(tuple) == PickleKind::Object && heap_.chain(heap_.object(tuple).args).count == 1) {
    std::array<PickleId, 1> inner{};
    heap_.first_items(heap_.object(tuple).args, inner);
    tuple = inner[0];
  }
  const PickleKind kind = heap_.kind(tuple);
  if (kind != PickleKind::Tuple && kind != PickleKind::List) return false;
  bool ok = true;
  heap_.each(heap_.chain(tuple), [&](PickleId size) {
    ok = heap_.kind(size) == PickleKind::Int && out.size() < kMaxTensorRank;
    if (ok) out.push_back(heap_.as_int(size));
    return ok;
  });
  return ok;
}

void TorchObjects::set_dims(TensorEntry& entry, std::span<const std::int64_t> shape,
                            std::span<const std::int64_t> stride) {
  entry.dims = static_cast<std::uint32_t>(document_.dims.size());
  entry.rank = static_cast<std::uint8_t>(shape.size());
  document_.dims.insert(document_.dims.end(), shape.begin(), shape.end());
  document_.dims.insert(document_.dims.end(), stride.begin(), stride.end());
}

base::Result<bool> TorchObjects::read(PickleId value, TensorEntry& entry) {
  Call call = call_of(value);
  for (int wrappers = 0; wrappers < kMaxWrappers; ++wrappers) {
    std::array<PickleId, 4> args{};
    const std::size_t count = heap_.first_items(call.args, args);
    switch (call.maker) {
      case Maker::Tensor:
      case Maker::QuantizedTensor:
        NNS_TRY(read_tensor(call, entry));
        return true;
      case Maker::MetaTensor:
        NNS_TRY(read_meta(call, entry));
        return true;
      case Maker::Parameter:
        if (count < 1)
          return error(call.offset, fmt::format("too few arguments of {}", call.name), "(data, requires_grad, hooks)");
        entry.is_parameter = true;
        entry.requires_grad = count < 2 || args[1] == PickleHeap::kTrue;
        value = args[0];
        call = call_of(value);
        break;
      case Maker::TensorFromCpu:
        if (count < 1)
          return error(call.offset, fmt::format("too few arguments of {}", call.name),
                       "(data, dtype, device, requires_grad)");
        value = args[0];
        call = call_of(value);
        break;
      case Maker::TensorFromNumpy: {
        if (count < 1)
          return error(call.offset, fmt::format("too few arguments of {}", call.name),
                       "(data, dtype, device, requires_grad)");
        NNS_TRY_ASSIGN(const bool is_array, read_numpy(args[0], entry));
        if (!is_array)
          return error(call.offset, fmt::format("arguments of {} without an array", call.name), "a NumPy array");
        entry.dtype_text = 0;
        return true;
      }
      case Maker::TensorOfType: {
        if (count < 3 || heap_.kind(args[2]) != PickleKind::Tuple) {
          return error(call.offset, fmt::format("too few arguments of {}", call.name), "(function, type, args, state)");
        }
        if (heap_.kind(args[1]) == PickleKind::Global && heap_.name(args[1]).name == "Parameter")
          entry.is_parameter = true;
        call.maker = maker_of_global(args[0]);
        call.args = args[2];
        if (heap_.kind(args[0]) == PickleKind::Global) call.name = heap_.name(args[0]).name;
        value = kNone;
        break;
      }
      case Maker::NumpyArray:
      case Maker::NumpyBuffer:
        if (value == kNone || wrappers != 0) return false;
        return read_numpy(value, entry);
      default:
        if (wrappers == 0) return false;
        return error(call.offset, "a tensor made of something else", "a tensor");
    }
  }
  return error(call.offset, "a tensor wrapped more than 8 times", "a tensor");
}

base::Result<void> TorchObjects::read_tensor(const Call& call, TensorEntry& entry) {
  // (storage, storage_offset, size, stride, then for v2 and v3 requires_grad, hooks, and for v3 dtype)
  std::array<PickleId, 7> args{};
  const std::size_t count = heap_.first_items(call.args, args);
  if (count < 4 || heap_.kind(args[1]) != PickleKind::Int || heap_.as_int(args[1]) < 0 ||
      !read_sizes(args[2], shape_) || !read_sizes(args[3], stride_) || shape_.size() != stride_.size()) {
    return error(call.offset, fmt::format("arguments of {} that make no tensor", call.name),
                 "(storage, storage_offset, size, stride, ...)");
  }
  entry.storage_offset = static_cast<std::uint64_t>(heap_.as_int(args[1]));
  NNS_TRY_ASSIGN(entry.storage, read_storage(args[0], call.offset, entry));
  const PickleId grad = args[call.maker == Maker::QuantizedTensor ? 5 : 4];
  if (count > 4 && !entry.is_parameter) entry.requires_grad = grad == PickleHeap::kTrue;
  if (call.name == "_rebuild_tensor_v3" && count > 6) {
    const auto dtype = heap_.kind(args[6]) == PickleKind::Global
                           ? tensor::dtype_from_torch_name(heap_.name(args[6]).name)
                           : std::nullopt;
    if (!dtype) return error(call.offset, "a tensor of an unknown dtype", "a dtype of torch");
    entry.dtype = *dtype;
  }
  entry.numel = 1;
  for (const std::int64_t size : shape_) {
    if (size < 0 || (size != 0 && entry.numel > UINT64_MAX / 16 / static_cast<std::uint64_t>(size))) {
      return error(call.offset, fmt::format("a tensor with a dimension of {}", size), "a shape that fits 64 bits");
    }
    entry.numel *= static_cast<std::uint64_t>(size);
  }
  entry.nbytes = entry.numel * tensor::item_bytes(entry.dtype);
  set_dims(entry, shape_, stride_);
  return check_range(call, entry);
}

/// Behaviour: torch's setStorage: the last element must lie in the storage, strides are not negative.
base::Result<void> TorchObjects::check_range(const Call& call, const TensorEntry& entry) const {
  if (entry.storage == kNone) return {};
  const std::uint64_t item = tensor::item_bytes(entry.dtype);
  const std::uint64_t available = document_.storages[entry.storage].nbytes / item;
  std::uint64_t last = entry.storage_offset;
  bool overflows = false;
  for (std::size_t at = 0; at < shape_.size(); ++at) {
    if (stride_[at] < 0)
      return error(call.offset, fmt::format("a stride of {}", stride_[at]), "strides that are not negative");
    if (entry.numel == 0) continue;
    std::uint64_t reach = 0;
    overflows = overflows || __builtin_mul_overflow(static_cast<std::uint64_t>(shape_[at] - 1),
                                                    static_cast<std::uint64_t>(stride_[at]), &reach);
    overflows = overflows || __builtin_add_overflow(last, reach, &last);
  }
  if (entry.numel == 0) return {};
  if (overflows || last >= available) {
    return error(call.offset,
                 fmt::format("a tensor whose last element is number {} of its storage", overflows ? UINT64_MAX : last),
                 fmt::format("less than {}, the size of the storage", available));
  }
  return {};
}

base::Result<void> TorchObjects::read_meta(const Call& call, TensorEntry& entry) {
  std::array<PickleId, 4> args{};
  const std::size_t count = heap_.first_items(call.args, args);
  const auto dtype = count >= 4 && heap_.kind(args[0]) == PickleKind::Global
                         ? tensor::dtype_from_torch_name(heap_.name(args[0]).name)
                         : std::nullopt;
  if (!dtype || !read_sizes(args[1], shape_) || !read_sizes(args[2], stride_) || shape_.size() != stride_.size()) {
    return error(call.offset, fmt::format("arguments of {} that make no tensor", call.name),
                 "(dtype, size, stride, requires_grad)");
  }
  entry.dtype = *dtype;
  entry.requires_grad = entry.requires_grad || args[3] == PickleHeap::kTrue;
  entry.readable = false;
  entry.numel = 1;
  for (const std::int64_t size : shape_) {
    if (size < 0 || (size != 0 && entry.numel > UINT64_MAX / 16 / static_cast<std::uint64_t>(size))) {
      return error(call.offset, fmt::format("a tensor with a dimension of {}", size), "a shape that fits 64 bits");
    }
    entry.numel *= static_cast<std::uint64_t>(size);
  }
  entry.nbytes = entry.numel * tensor::item_bytes(*dtype);
  set_dims(entry, shape_, stride_);
  return {};
}

/// (key, offset, size): a storage that is a part of another one; None if it is all of it.
base::Result<void> TorchObjects::read_part(PickleId part, std::uint64_t numel, std::uint32_t offset,
                                           TensorEntry& entry) const {
  if (heap_.is_none(part)) return {};
  std::array<PickleId, 3> view{};
  if (heap_.kind(part) != PickleKind::Tuple || heap_.first_items(part, view) < 3 ||
      heap_.kind(view[1]) != PickleKind::Int || heap_.kind(view[2]) != PickleKind::Int || heap_.as_int(view[1]) < 0 ||
      heap_.as_int(view[2]) < 0 || static_cast<std::uint64_t>(heap_.as_int(view[1])) > numel ||
      static_cast<std::uint64_t>(heap_.as_int(view[2])) > numel - static_cast<std::uint64_t>(heap_.as_int(view[1]))) {
    return error(offset, "a part of a storage that does not lie inside it", "(key, offset, size)");
  }
  const auto begin = static_cast<std::uint64_t>(heap_.as_int(view[1]));
  if (entry.storage_offset > numel) {
    return error(offset, fmt::format("an offset of {} elements", entry.storage_offset), "an offset in the storage");
  }
  entry.storage_offset += begin;
  return {};
}

base::Result<std::uint32_t> TorchObjects::read_storage(PickleId value, std::uint32_t offset, TensorEntry& entry) {
  // 1. ("storage", class, key, location, numel), before 1.6 also what part of the storage is meant
  std::array<PickleId, 6> id{};
  constexpr std::string_view kExpected = "a persistent id (\"storage\", class, key, location, numel)";
  if (heap_.kind(value) != PickleKind::Persistent)
    return error(offset, "a tensor without storage", std::string(kExpected));
  const PickleId tuple = heap_.persistent_id(value);
  if (heap_.kind(tuple) != PickleKind::Tuple || heap_.first_items(tuple, id) < 5 || !heap_.is_text(id[0]) ||
      heap_.text(id[0]) != "storage" || heap_.kind(id[1]) != PickleKind::Global || !heap_.is_text(id[2]) ||
      heap_.kind(id[4]) != PickleKind::Int || heap_.as_int(id[4]) < 0) {
    return error(offset, fmt::format("a tensor on another kind of storage"), std::string(kExpected));
  }
  const std::string_view type = heap_.name(id[1]).name;
  auto dtype = tensor::dtype_from_storage_class(type);
  if (!dtype && (type == "UntypedStorage" || type == "_UntypedStorage")) dtype = tensor::DType::UInt8;
  if (!dtype) return error(offset, fmt::format("a storage of class {}", type), "a storage class of torch");
  entry.dtype = *dtype;
  const std::string_view key = heap_.text(id[2]);
  const auto numel = static_cast<std::uint64_t>(heap_.as_int(id[4]));
  if (numel > UINT64_MAX / 16)
    return error(offset, fmt::format("a storage of {} elements", numel), "a size that fits 64 bits");
  const std::uint64_t nbytes = numel * tensor::item_bytes(*dtype);

  // 2. Its member of the archive, or no bytes at all.
  const std::string_view location = heap_.is_text(id[3]) ? heap_.text(id[3]) : std::string_view();
  const std::string_view device = location.size() <= 32 ? location : std::string_view();
  const bool has_bytes = document_.archive != nullptr && device != "meta";
  StorageOrigin origin;
  if (raw_ != nullptr) {
    const auto raw = raw_->find(key);
    if (raw == raw_->end()) {
      return error(offset, fmt::format("storage {} is not in the list of storages", key), "a storage of the file");
    }
    if (raw->second.numel * raw->second.item_bytes < nbytes) {
      return error(offset,
                   fmt::format("storage {} of {} bytes, but elsewhere it has {}", key, nbytes,
                               raw->second.numel * raw->second.item_bytes),
                   "one size for each storage");
    }
    NNS_TRY(read_part(id[5], numel, offset, entry));
    if (const auto known = by_key_.find(key); known != by_key_.end()) return known->second.storage;
    origin.raw = raw->second;
  } else if (!has_bytes) {
    entry.readable = false;
    if (const auto known = by_key_.find(key); known != by_key_.end()) return known->second.storage;
  } else {
    const PicklePiece* piece = document_.piece_at(offset);
    member_name_.assign(root_).append(piece == nullptr ? "data/" : piece->storages).append(key);
    origin.member = document_.archive->find(member_name_);
    if (origin.member == kNone) {
      return error(offset, fmt::format("storage {} is not in the archive", key),
                   fmt::format("a member {}", member_name_));
    }
    const ZipMember& member = document_.archive->members()[origin.member];
    if (member.size < nbytes) {
      return error(offset, fmt::format("storage {} of {} bytes, but its member has {}", key, nbytes, member.size),
                   "a member of that size");
    }
    by_member_.resize(document_.archive->members().size(), Known{kNone});
    if (by_member_[origin.member].storage != kNone) return by_member_[origin.member].storage;
    if (big_endian_) {
      const std::uint32_t item = tensor::item_bytes(*dtype);
      origin.swap_bytes = static_cast<std::uint8_t>(tensor::is_complex(*dtype) ? item / 2 : item);
    }
  }
  Storage storage;
  storage.nbytes = nbytes;
  storage.located = false;
  storage.member = origin.member;
  storage.device = std::string(device);
  const auto index = static_cast<std::uint32_t>(document_.storages.size());
  document_.storages.push_back(std::move(storage));
  document_.origins.push_back(origin);
  if (origin.member != kNone) {
    by_member_[origin.member] = Known{index};
  } else {
    by_key_.emplace(key, Known{index});
  }
  return index;
}

}  // namespace nns::checkpoint
