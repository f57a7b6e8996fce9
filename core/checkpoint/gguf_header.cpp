#include "core/checkpoint/gguf_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "core/base/utf8.h"

namespace nns::checkpoint {

namespace {

constexpr std::uint32_t kNewestVersion = 3;
constexpr std::uint64_t kDefaultAlignment = 32;
/// Longer keys and names are refused; the format allows keys of 65,535 bytes and names of 64.
constexpr std::uint64_t kMaxName = 65'535;
constexpr std::uint32_t kMaxRank = 64;
/// More is read over, not kept.
constexpr std::size_t kMaxKeys = 100'000;
constexpr std::size_t kMaxMetadata = std::size_t{16} << 20U;
constexpr int kTensorsPerLook = 64;

std::string quoted(std::string_view name) {
  constexpr std::size_t kShown = 80;
  return name.size() <= kShown ? fmt::format("\"{}\"", name)
                               : fmt::format("\"{}...\"", base::escape_invalid_utf8(name.substr(0, kShown)));
}

}  // namespace

GgufHeader::GgufHeader(std::shared_ptr<base::ByteSource> source, Checkpoint& document, TreeBuilder& builder)
    : cursor_(std::move(source)), document_(document), builder_(builder) {}

base::Error GgufHeader::error(std::uint64_t at, std::string found, std::string expected) const {
  return {std::move(found), std::move(expected), cursor_.source().name(), at};
}

base::Result<bool> GgufHeader::step(const base::Budget& budget) {
  if (phase_ == Phase::Begin) {
    NNS_TRY(read_beginning());
    phase_ = Phase::Keys;
  }
  if (phase_ == Phase::Keys) {
    NNS_TRY_ASSIGN(const bool complete, read_keys(budget));
    if (!complete) return false;
    phase_ = Phase::Tensors;
  }
  if (phase_ == Phase::Tensors) {
    NNS_TRY_ASSIGN(const bool complete, read_tensors(budget));
    if (!complete) return false;
    phase_ = Phase::Layout;
    if (budget.spent()) return false;
  }
  NNS_TRY(check_layout());
  add_notes();
  return true;
}

base::Result<std::uint64_t> GgufHeader::read_length(std::string_view what) {
  NNS_TRY_ASSIGN(const std::byte* bytes, cursor_.take(length_bytes(), what));
  return version_ == 1 ? cursor_.number<std::uint32_t>(bytes) : cursor_.number<std::uint64_t>(bytes);
}

base::Result<void> GgufHeader::read_beginning() {
  // 1. "GGUF" and the version, whose low half is zero where the bytes are in the other order.
  NNS_TRY_ASSIGN(const std::byte* bytes, cursor_.take(8, "the beginning of a GGUF file"));
  if (std::string_view(reinterpret_cast<const char*>(bytes), 4) != "GGUF") {
    return error(0, "the file begins with other letters", "GGUF");
  }
  version_ = cursor_.number<std::uint32_t>(bytes + 4);
  if ((version_ & 0xFFFFU) == 0 && version_ != 0) {
    cursor_.big_endian = true;
    version_ = cursor_.number<std::uint32_t>(bytes + 4);
  }
  if (version_ == 0 || version_ > kNewestVersion) {
    return error(4, fmt::format("version {} of GGUF", version_), fmt::format("1 to {}", kNewestVersion));
  }
  // 2. The counts: the rest of the file must have room for so many of the smallest keys and tensors.
  const std::uint64_t counts_at = cursor_.at();
  NNS_TRY_ASSIGN(tensor_count_, read_length("the number of tensors"));
  NNS_TRY_ASSIGN(key_count_, read_length("the number of metadata keys"));
  const std::uint64_t key_bytes = length_bytes() + 4 + 1;
  const std::uint64_t tensor_bytes = length_bytes() + 4 + 4 + 8;
  if (key_count_ > cursor_.left() / key_bytes) {
    return error(counts_at + length_bytes(),
                 fmt::format("{} metadata keys, but the file has {} bytes after this", key_count_, cursor_.left()),
                 fmt::format("at most {}", cursor_.left() / key_bytes));
  }
  if (tensor_count_ > (cursor_.left() - key_count_ * key_bytes) / tensor_bytes) {
    return error(counts_at,
                 fmt::format("{} tensors, but the file has {} bytes after this", tensor_count_, cursor_.left()),
                 fmt::format("at most {}", (cursor_.left() - key_count_ * key_bytes) / tensor_bytes));
  }
  if (version_ == 1 && key_count_ == 0 && tensor_count_ == 0) {
    return error(counts_at, "version 1 of GGUF, with neither metadata nor tensors",
                 "at least the key general.architecture");
  }
  document_.metadata.push_back({"GGUF.version", fmt::format("{}", version_)});
  value_ = std::make_unique<GgufValueReader>(cursor_, version_ != 1);
  // Room for what usual files have; a hostile count shall not make us take memory before its bytes are read.
  constexpr std::uint64_t kMostReserved = 200'000;
  const auto count = static_cast<std::size_t>(std::min(tensor_count_, kMostReserved));
  document_.tensors.reserve(count);
  document_.storages.reserve(count);
  document_.dims.reserve(count * 4);
  types_.reserve(count);
  info_at_.reserve(count);
  builder_.reserve(count + count / 2 + 16);
  return {};
}

base::Result<std::string> GgufHeader::read_name(std::string_view what) {
  const std::uint64_t at = cursor_.at();
  NNS_TRY_ASSIGN(const std::uint64_t length, read_length(what));
  if (length > kMaxName) {
    return error(at, fmt::format("{} has {} bytes", what, length), fmt::format("at most {}", kMaxName));
  }
  NNS_TRY_ASSIGN(const std::byte* bytes, cursor_.take(length, what));
  std::string name(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(length));
  if (const auto bad = base::find_invalid_utf8(name)) {
    return error(cursor_.at() - length + *bad,
                 fmt::format("{} holds byte 0x{:02x}, which is not UTF-8 here", what,
                             static_cast<unsigned>(static_cast<unsigned char>(name[*bad]))),
                 "UTF-8");
  }
  return name;
}

base::Result<bool> GgufHeader::read_keys(const base::Budget& budget) {
  while (keys_read_ < key_count_) {
    if (!in_value_) NNS_TRY(start_key());
    in_value_ = true;
    NNS_TRY_ASSIGN(const bool complete, value_->step(budget));
    if (!complete) return false;
    in_value_ = false;
    ++keys_read_;
    NNS_TRY(finish_key());
    if (keys_read_ % 64 == 0 && budget.spent()) return false;
  }
  return true;
}

base::Result<void> GgufHeader::start_key() {
  key_at_ = cursor_.at();
  NNS_TRY_ASSIGN(key_, read_name("a metadata key"));
  return value_->start(fmt::format("the value of {}", quoted(key_)));
}

base::Result<void> GgufHeader::finish_key() {
  if (key_ == "general.alignment") {
    const std::uint64_t value = value_->unsigned_value();
    if (value_->type() != GgufType::UInt32) {
      return error(key_at_, fmt::format("general.alignment is of type {}", gguf_type_name(value_->type())), "UINT32");
    }
    if (value == 0 || (value & (value - 1)) != 0) {
      return error(key_at_, fmt::format("general.alignment is {}", value), "a power of two");
    }
    if (alignment_ != 0 && alignment_ != value) {
      return error(key_at_, fmt::format("general.alignment is {} and then {}", alignment_, value), "one alignment");
    }
    alignment_ = value;
  }
  was_escaped_ = was_escaped_ || value_->was_escaped();
  MetadataEntry entry{std::move(key_), value_->take_text()};
  metadata_bytes_ += entry.key.size() + entry.value.size();
  if (document_.metadata.size() > kMaxKeys || metadata_bytes_ > kMaxMetadata) {
    ++left_out_;
  } else {
    document_.metadata.push_back(std::move(entry));
  }
  return {};
}

base::Result<bool> GgufHeader::read_tensors(const base::Budget& budget) {
  for (int since_look = 0; document_.tensors.size() < tensor_count_; ++since_look) {
    if (since_look == kTensorsPerLook) {
      if (budget.spent()) return false;
      since_look = 0;
    }
    NNS_TRY(read_tensor());
  }
  return true;
}

base::Result<void> GgufHeader::read_tensor() {
  // 1. Name, and number of dimensions.
  const std::uint64_t at = cursor_.at();
  NNS_TRY_ASSIGN(name_, read_name("the name of a tensor"));
  const std::uint64_t rank_at = cursor_.at();
  NNS_TRY_ASSIGN(const std::byte* rank_bytes, cursor_.take(4, "the description of a tensor"));
  const auto rank = cursor_.number<std::uint32_t>(rank_bytes);
  if (rank > kMaxRank) {
    return error(rank_at, fmt::format("tensor {} has {} dimensions", quoted(name_), rank),
                 fmt::format("at most {}", kMaxRank));
  }
  // 2. Dimensions, type, offset.
  const std::uint64_t sizes_bytes = rank * length_bytes();
  NNS_TRY_ASSIGN(const std::byte* bytes, cursor_.take(sizes_bytes + 12, "the description of a tensor"));
  const std::size_t dims = document_.dims.size();
  document_.dims.resize(dims + 2 * std::size_t{rank}, 1);
  for (std::uint32_t i = 0; i < rank; ++i) {
    const std::byte* const place = bytes + i * length_bytes();
    const std::uint64_t size =
        version_ == 1 ? cursor_.number<std::uint32_t>(place) : cursor_.number<std::uint64_t>(place);
    if (size > INT64_MAX) {
      return error(rank_at + 4 + i * length_bytes(),
                   fmt::format("tensor {} has a dimension of {}", quoted(name_), size), "at most 2^63 - 1");
    }
    document_.dims[dims + rank - 1 - i] = static_cast<std::int64_t>(size);
  }
  const auto id = cursor_.number<std::uint32_t>(bytes + sizes_bytes);
  const auto offset = cursor_.number<std::uint64_t>(bytes + sizes_bytes + 4);
  const GgmlType* const type = find_ggml_type(id);
  if (type == nullptr) {
    return error(rank_at + 4 + sizes_bytes, fmt::format("tensor {} is of {}", quoted(name_), unknown_ggml_type(id)),
                 "a type of ggml");
  }
  TensorEntry entry;
  entry.rank = static_cast<std::uint8_t>(rank);
  entry.dims = static_cast<std::uint32_t>(dims);
  document_.tensors.push_back(entry);
  return add_tensor(at, *type, offset);
}

/// Checks and adds what belongs to the last of the document's tensors.
base::Result<void> GgufHeader::add_tensor(std::uint64_t at, const GgmlType& type, std::uint64_t offset) {
  TensorEntry& entry = document_.tensors.back();
  const auto index = static_cast<std::uint32_t>(document_.tensors.size() - 1);
  // 1. The number of elements and of bytes, without overflow; rows are whole blocks.
  const std::size_t rank = entry.rank;
  std::int64_t* const sizes = document_.dims.data() + entry.dims;
  const std::uint64_t row = rank == 0 ? 1 : static_cast<std::uint64_t>(sizes[rank - 1]);
  if (row % type.block_values != 0) {
    return error(at, fmt::format("tensor {} of {} has rows of {} elements", quoted(name_), type.name, row),
                 fmt::format("rows of whole blocks of {}", type.block_values));
  }
  const bool is_empty = std::find(sizes, sizes + rank, 0) != sizes + rank;
  std::uint64_t numel = is_empty ? 0 : 1;
  bool fits = true;
  for (std::size_t i = 0; i < rank && !is_empty; ++i) {
    const auto size = static_cast<std::uint64_t>(sizes[i]);
    // What a decoder makes of a value has at most eight bytes.
    fits = fits && numel <= UINT64_MAX / 8 / size;
    if (fits) numel *= size;
  }
  std::uint64_t nbytes = 0;
  fits = fits && !__builtin_mul_overflow(numel / type.block_values, std::uint64_t{type.block_bytes}, &nbytes);
  if (!fits) {
    return error(at, fmt::format("the shape of tensor {} holds more elements than can be counted", quoted(name_)),
                 "a smaller shape");
  }
  // 2. Strides.
  std::int64_t stride = 1;
  for (std::size_t i = rank; i-- > 0;) {
    sizes[rank + i] = stride;
    if (__builtin_mul_overflow(stride, std::max<std::int64_t>(sizes[i], 1), &stride)) stride = INT64_MAX;
  }
  // 3. The entry, its storage (its place is counted from the data, whose begin is not known yet), its row.
  if (!has_room(document_.names, name_.size()) || !has_room(document_.tree.strings, name_.size() + 64) ||
      builder_.is_full()) {
    return error(at, "names that need more than 4 GB of memory, or more rows than a tree can have", "fewer tensors");
  }
  entry.name = document_.names.append(name_);
  entry.dtype = type.dtype;
  entry.dtype_text = document_.tree.strings.intern(type.name);
  entry.numel = numel;
  entry.nbytes = nbytes;
  entry.storage = static_cast<std::uint32_t>(document_.storages.size());
  Storage& storage = document_.storages.emplace_back();
  storage.offset = offset;
  storage.nbytes = nbytes;
  types_.push_back(&type);
  info_at_.push_back(at);
  if (builder_.add_dotted(0, name_, index) == kNone) {
    return error(at, fmt::format("tensor {} appears twice", quoted(name_)), "each name once");
  }
  return {};
}

base::Result<void> GgufHeader::check_layout() {
  if (document_.tensors.empty()) return {};
  const std::uint64_t alignment = alignment_ == 0 ? kDefaultAlignment : alignment_;
  const std::uint64_t padding = (alignment - cursor_.at() % alignment) % alignment;
  const std::uint64_t size = cursor_.source().size();
  const auto called = [&](std::size_t tensor) { return quoted(document_.name(document_.tensors[tensor])); };
  // 1. Each inside the file.
  const std::uint64_t data = cursor_.at() + padding;
  const std::uint64_t room = data <= size ? size - data : 0;
  bool is_in_order = true;
  std::uint64_t last_end = 0;
  for (std::size_t tensor = 0; tensor < document_.tensors.size(); ++tensor) {
    Storage& storage = document_.storages[tensor];
    if (storage.offset % alignment != 0) {
      return error(info_at_[tensor],
                   fmt::format("tensor {} begins at byte {} of the data", called(tensor), storage.offset),
                   fmt::format("a multiple of the alignment {}", alignment));
    }
    if (storage.offset > room || storage.nbytes > room - storage.offset) {
      return error(info_at_[tensor],
                   fmt::format("tensor {} has {} bytes from byte {} of the data on, which has {} bytes", called(tensor),
                               storage.nbytes, storage.offset, room),
                   "data inside the file");
    }
    is_in_order = is_in_order && storage.offset >= last_end;
    last_end = storage.offset + storage.nbytes;
  }
  // 2. None over another.
  if (!is_in_order) {
    std::vector<std::uint32_t> order(document_.storages.size());
    std::iota(order.begin(), order.end(), 0);
    const auto& storages = document_.storages;
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return storages[a].offset != storages[b].offset ? storages[a].offset < storages[b].offset
                                                      : storages[a].nbytes < storages[b].nbytes;
    });
    last_end = 0;
    for (const std::uint32_t tensor : order) {
      if (storages[tensor].offset < last_end && storages[tensor].nbytes != 0) {
        return error(info_at_[tensor],
                     fmt::format("tensor {} begins at byte {} of the data, which overlaps the tensor before it",
                                 called(tensor), storages[tensor].offset),
                     fmt::format("at least {}", last_end));
      }
      last_end = std::max(last_end, storages[tensor].offset + storages[tensor].nbytes);
    }
  }
  for (Storage& storage : document_.storages) storage.offset += data;
  return {};
}

void GgufHeader::add_notes() {
  auto& notes = document_.notes;
  if (version_ == 1) notes.emplace_back("Version 1 of GGUF, which ggml itself no longer opens.");
  if (cursor_.big_endian) notes.emplace_back("All numbers of this file are big-endian.");
  if (was_escaped_) notes.emplace_back("Bytes of the metadata that are not UTF-8 are shown as \\xHH.");
  if (left_out_ != 0) {
    notes.push_back(fmt::format("{} metadata keys are not shown: there are more than {}, or more than {} MiB of them.",
                                left_out_, kMaxKeys, kMaxMetadata >> 20U));
  }
  std::unordered_map<std::string, int> seen;
  bool has_twins = false;
  for (MetadataEntry& entry : document_.metadata) {
    const int times = ++seen[entry.key];
    if (times == 1) continue;
    if (!has_twins) {
      notes.push_back(fmt::format("The metadata key {} appears more than once; ggml refuses this.", quoted(entry.key)));
    }
    has_twins = true;
    entry.key += fmt::format(" ({})", times);
  }
}

}  // namespace nns::checkpoint
