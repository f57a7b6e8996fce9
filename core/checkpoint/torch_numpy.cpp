// NumPy arrays inside a pickle.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/utf8.h"
#include "core/checkpoint/torch_objects.h"

namespace nns::checkpoint {

namespace {

struct NumpyType {
  std::string_view code;  // kind and bytes, as in array interfaces
  std::string_view name;
  tensor::DType dtype;
};

constexpr NumpyType kNumpyTypes[] = {
    {"b1", "numpy.bool", tensor::DType::Bool},           {"i1", "numpy.int8", tensor::DType::Int8},
    {"i2", "numpy.int16", tensor::DType::Int16},         {"i4", "numpy.int32", tensor::DType::Int32},
    {"i8", "numpy.int64", tensor::DType::Int64},         {"u1", "numpy.uint8", tensor::DType::UInt8},
    {"u2", "numpy.uint16", tensor::DType::UInt16},       {"u4", "numpy.uint32", tensor::DType::UInt32},
    {"u8", "numpy.uint64", tensor::DType::UInt64},       {"f2", "numpy.float16", tensor::DType::Float16},
    {"f4", "numpy.float32", tensor::DType::Float32},     {"f8", "numpy.float64", tensor::DType::Float64},
    {"c8", "numpy.complex64", tensor::DType::Complex64}, {"c16", "numpy.complex128", tensor::DType::Complex128},
};

/// How many bytes a Text in Latin-1 encodes to; UINT64_MAX if it holds other characters.
std::uint64_t latin1_size(std::string_view text) {
  std::uint64_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++at, ++count) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte < 0x80) continue;
    if (byte > 0xC3) return UINT64_MAX;
    ++at;
  }
  return count;
}

}  // namespace

base::Result<bool> TorchObjects::read_numpy(PickleId value, TensorEntry& entry) {
  const Call call = call_of(value);
  PickleId shape = 0;
  PickleId dtype = 0;
  PickleId data = 0;
  bool is_fortran = false;
  if (call.maker == Maker::NumpyArray) {
    // __setstate__((version, shape, dtype, is_fortran, data))
    std::array<PickleId, 5> state{};
    const PickleId tuple = heap_.object(value).state;
    if (heap_.kind(tuple) != PickleKind::Tuple || heap_.first_items(tuple, state) < 5) return false;
    shape = state[1];
    dtype = state[2];
    is_fortran =
        state[3] == PickleHeap::kTrue || (heap_.kind(state[3]) == PickleKind::Int && heap_.as_int(state[3]) != 0);
    data = state[4];
  } else if (call.maker == Maker::NumpyBuffer) {
    // _frombuffer(data, dtype, shape, order)
    std::array<PickleId, 4> args{};
    if (heap_.first_items(call.args, args) < 4) return false;
    data = args[0];
    dtype = args[1];
    shape = args[2];
    is_fortran = heap_.is_text(args[3]) && heap_.text(args[3]) == "F";
  } else {
    return false;
  }

  // numpy.dtype("f8", align, copy), with the byte order in its state: (version, "<", ...)
  if (maker(dtype) != Maker::NumpyDType) return false;
  std::array<PickleId, 1> code{};
  heap_.first_items(heap_.object(dtype).args, code);
  if (!heap_.is_text(code[0])) return false;
  std::array<PickleId, 2> order{};
  const PickleId dtype_state = heap_.object(dtype).state;
  if (heap_.kind(dtype_state) == PickleKind::Tuple) heap_.first_items(dtype_state, order);
  const bool is_big = heap_.is_text(order[1]) && heap_.text(order[1]) == ">";
  const NumpyType* type = nullptr;
  for (const NumpyType& row : kNumpyTypes) {
    if (row.code == heap_.text(code[0])) type = &row;
  }
  if (type == nullptr) return false;
  if (!read_sizes(shape, shape_)) return error(call.offset, "an array without a shape", "a tuple of sizes");

  // The bytes: as they are, or as a str in Latin-1 (protocols below 3).
  if (maker(data) == Maker::Encode) {
    std::array<PickleId, 2> args{};
    heap_.first_items(heap_.object(data).args, args);
    data = args[0];
  }
  const PickleKind kind = heap_.kind(data);
  if (kind != PickleKind::Bytes && kind != PickleKind::Text) return false;
  const std::uint64_t held = kind == PickleKind::Bytes ? heap_.text(data).size() : latin1_size(heap_.text(data));
  entry.dtype = type->dtype;
  const std::uint64_t item = tensor::item_bytes(type->dtype);
  entry.numel = 1;
  for (const std::int64_t size : shape_) {
    if (size < 0 || (size != 0 && entry.numel > UINT64_MAX / 16 / static_cast<std::uint64_t>(size))) {
      return error(call.offset, fmt::format("an array with a dimension of {}", size), "a shape that fits 64 bits");
    }
    entry.numel *= static_cast<std::uint64_t>(size);
  }
  entry.nbytes = entry.numel * item;
  if (held != entry.nbytes) {
    return error(call.offset, fmt::format("an array of {} bytes with data of {}", entry.nbytes, held),
                 "data for its shape and dtype");
  }
  stride_.assign(shape_.size(), 1);
  std::int64_t step = 1;
  for (std::size_t count = 0; count < shape_.size(); ++count) {
    const std::size_t at = is_fortran ? count : shape_.size() - 1 - count;
    stride_[at] = step;
    if (__builtin_mul_overflow(step, std::max<std::int64_t>(shape_[at], 1), &step)) step = INT64_MAX;
  }
  entry.dtype_text = document_.tree.strings.intern(type->name);
  set_dims(entry, shape_, stride_);

  if (const auto known = arrays_.find(value); known != arrays_.end()) {
    entry.storage = known->second;
    return true;
  }
  Storage storage;
  storage.nbytes = entry.nbytes;
  storage.located = false;
  StorageOrigin origin;
  origin.inline_bytes = data;
  if (is_big) origin.swap_bytes = static_cast<std::uint8_t>(tensor::is_complex(type->dtype) ? item / 2 : item);
  entry.storage = static_cast<std::uint32_t>(document_.storages.size());
  document_.storages.push_back(storage);
  document_.origins.push_back(origin);
  arrays_.emplace(value, entry.storage);
  return true;
}

}  // namespace nns::checkpoint
