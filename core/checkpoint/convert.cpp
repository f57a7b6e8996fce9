#include "core/checkpoint/convert.h"

#include <fmt/format.h>

#include <map>
#include <tuple>

#include "core/checkpoint/elements.h"
#include "core/checkpoint/pickled_checkpoint.h"
#include "core/checkpoint/write_safetensors.h"
#include "core/checkpoint/write_torch.h"
#include "core/object/interpreter.h"

namespace nns::checkpoint {
namespace {

using object::Interpreter;
using object::Ref;
using object::Value;
using tensor::Tensor;

base::Error refusal(const Checkpoint& document, const TensorEntry& entry, std::string expected) {
  return base::Error{fmt::format("tensor '{}' of {}", document.name(entry), document.dtype_name(entry)),
                     std::move(expected),
                     document.title,
                     {}};
}

base::Result<void> check_readable(const Checkpoint& document, const TensorEntry& entry) {
  if (entry.has_shape && entry.readable && entry.storage != kNone) return {};
  return refusal(document, entry, "a tensor whose values can be read");
}

// Writes the items of tensor `at` in row-major order.
base::Result<void> write_items(Checkpoint& document, std::uint32_t at, base::ByteSink& sink) {
  const TensorEntry& entry = document.tensors[at];
  if (entry.numel == 0) return {};
  NNS_TRY_ASSIGN(auto bytes, document.value_bytes(at));
  const auto shape = document.shape(entry);
  const auto stride = document.stride(entry);
  ElementSource source{std::move(bytes),
                       entry.dtype,
                       {shape.begin(), shape.end()},
                       {stride.begin(), stride.end()},
                       entry.storage_offset};
  NNS_TRY(source.check());
  const std::uint32_t width = tensor::item_bytes(entry.dtype);
  const std::uint64_t piece = OrderedItems::kPiece / width;
  OrderedItems items(std::move(source));
  for (std::uint64_t first = 0; first < entry.numel; first += piece) {
    const auto count = static_cast<std::size_t>(std::min(piece, entry.numel - first));
    NNS_TRY_ASSIGN(const std::byte* const read, items.read(first, count));
    NNS_TRY(sink.write(std::span<const std::byte>(read, count * width)));
  }
  return {};
}

base::Result<void> convert_to_safetensors(Checkpoint& document, base::ByteSink& sink) {
  const std::string_view prefix = shared_prefix(document);
  std::vector<NamedBytes> tensors;
  for (std::uint32_t at = 0; at < document.tensors.size(); ++at) {
    const TensorEntry& entry = document.tensors[at];
    NNS_TRY(check_readable(document, entry));
    const std::string_view dtype = tensor::info(entry.dtype).safetensors_name;
    if (dtype.empty()) return refusal(document, entry, "a dtype that safetensors has");
    NNS_TRY_ASSIGN(std::vector<std::int64_t> shape, safetensors_shape(entry.dtype, document.shape(entry)));
    tensors.push_back({std::string(document.name(entry).substr(prefix.size())), std::string(dtype), std::move(shape),
                       entry.numel * tensor::item_bytes(entry.dtype),
                       [&document, at](base::ByteSink& out) { return write_items(document, at, out); }});
  }
  SafetensorsMetadata metadata;
  if (document.format == "safetensors") {
    for (const MetadataEntry& entry : document.metadata) metadata.emplace_back(entry.key, entry.value);
  }
  return write_safetensors(sink, std::move(tensors), metadata);
}

// The dict under this key, made where there is none.
object::Dict& dict_in(Interpreter& interpreter, object::Dict& outer, std::string_view key) {
  const Value name = interpreter.text(key);
  const Value* found = outer.find(name);
  if (found == nullptr || found->as<object::Dict>() == nullptr) outer.set(name, Value(interpreter.ordered_dict()));
  return *outer.find(name)->as<object::Dict>();
}

base::Result<void> convert_to_torch(Checkpoint& document, base::ByteSink& sink, std::string_view archive) {
  const bool is_pickled = dynamic_cast<const PickledCheckpoint*>(&document) != nullptr;
  Interpreter interpreter;
  const Ref<object::Dict> state_dict = interpreter.ordered_dict();
  // Tensors without bytes, and which tensor of the document each of their storages holds.
  std::map<const tensor::Storage*, std::uint32_t> contents;
  using Place = std::tuple<std::uint32_t, std::uint64_t, tensor::DType, std::vector<std::int64_t>>;
  std::map<Place, Ref<Tensor>> known;
  for (std::uint32_t at = 0; at < document.tensors.size(); ++at) {
    const TensorEntry& entry = document.tensors[at];
    NNS_TRY(check_readable(document, entry));
    const auto dims = std::span(document.dims).subspan(entry.dims, std::size_t{2} * entry.rank);
    Ref<Tensor>& tensor = known[{entry.storage, entry.storage_offset, entry.dtype, {dims.begin(), dims.end()}}];
    if (!tensor) {
      tensor = tensor::empty(interpreter, tensor::Dims(document.shape(entry)), entry.dtype, tensor::Device::Meta);
      contents[tensor->storage().get()] = at;
    }
    std::string_view name = document.name(entry);
    object::Dict* place = state_dict.get();
    while (is_pickled && name.find('/') != std::string_view::npos) {
      place = &dict_in(interpreter, *place, name.substr(0, name.find('/')));
      name.remove_prefix(name.find('/') + 1);
    }
    place->set(interpreter.text(name), Value(tensor));
  }
  const StorageWriter write_storage = [&](const tensor::Storage& storage, base::ByteSink& out) {
    return write_items(document, contents.at(&storage), out);
  };
  return write_torch(sink, interpreter, Value(state_dict), archive, write_storage);
}

}  // namespace

std::string_view shared_prefix(const Checkpoint& document) {
  if (document.tensors.empty() || dynamic_cast<const PickledCheckpoint*>(&document) == nullptr) return {};
  const std::string_view first = document.name(document.tensors[0]);
  std::string_view prefix = first.substr(0, first.rfind('/') == std::string_view::npos ? 0 : first.rfind('/') + 1);
  for (const TensorEntry& entry : document.tensors) {
    while (!prefix.empty() && document.name(entry).substr(0, prefix.size()) != prefix) {
      const std::size_t slash = prefix.substr(0, prefix.size() - 1).rfind('/');
      prefix = prefix.substr(0, slash == std::string_view::npos ? 0 : slash + 1);
    }
  }
  return prefix;
}

base::Result<void> convert(Checkpoint& document, WrittenFormat format, base::ByteSink& sink, std::string_view archive) {
  if (format == WrittenFormat::Safetensors) return convert_to_safetensors(document, sink);
  return convert_to_torch(document, sink, archive);
}

}  // namespace nns::checkpoint
