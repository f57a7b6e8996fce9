#include "core/checkpoint/safetensors_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "core/base/utf8.h"
#include "core/checkpoint/small_floats.h"

namespace nns::checkpoint {

namespace {

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::size_t kMaxSafetensorsRank = 64;
constexpr std::size_t kHeaderReadStep = 4U << 20U;
/// Entries between two looks at the budget.
constexpr int kHeaderEntriesPerLook = 256;

/// The types that no dtype of torch stands for: an item is a part of a byte. Their values are decoded to this one
/// (small_floats.h), but for pairs of F4, which torch has.
struct SmallType {
  std::string_view name;
  tensor::DType dtype;
  std::uint32_t bits;
};
constexpr SmallType kSmallTypes[] = {
    {"F4", tensor::DType::Float4E2M1FNX2, 4},
    {"F6_E2M3", tensor::DType::Float32, 6},
    {"F6_E3M2", tensor::DType::Float32, 6},
};

constexpr std::string_view kKnownTypes =
    "one of BOOL F4 F6_E2M3 F6_E3M2 U8 I8 F8_E5M2 F8_E4M3 F8_E8M0 F8_E4M3FNUZ F8_E5M2FNUZ I16 U16 F16 BF16 I32 U32 F32 "
    "C64 F64 I64 U64";

std::string quoted_key(std::string_view name) {
  constexpr std::size_t kShown = 80;
  return name.size() <= kShown ? fmt::format("\"{}\"", name) : fmt::format("\"{}...\"", name.substr(0, kShown));
}

}  // namespace

base::Result<std::shared_ptr<base::ByteSource>> safetensors_values(
    const Checkpoint& document, std::uint32_t tensor, base::Result<std::shared_ptr<base::ByteSource>> bytes) {
  const std::string_view type = document.dtype_name(document.tensors[tensor]);
  if (!bytes.ok() || !is_small_float(type)) return bytes;
  return make_small_float_source(std::move(bytes).value(), type);
}

SafetensorsHeader::SafetensorsHeader(std::shared_ptr<base::ByteSource> source, std::uint32_t file, Checkpoint& document,
                                     TreeBuilder& builder)
    : source_(std::move(source)),
      file_(file),
      document_(document),
      builder_(builder),
      first_tensor_(static_cast<std::uint32_t>(document.tensors.size())) {}

base::Error SafetensorsHeader::error(std::uint64_t header_at, std::string found, std::string expected) const {
  return {std::move(found), std::move(expected), source_->name(), kLengthBytes + header_at};
}

base::Error SafetensorsHeader::json_error() const {
  const JsonCursor::Failure& failure = cursor_.failure();
  return error(failure.at, fmt::format("the header holds {}", failure.found), std::string(failure.expected));
}

base::Result<bool> SafetensorsHeader::step(const base::Budget& budget) {
  if (phase_ == Phase::Length) {
    NNS_TRY(read_length());
    phase_ = Phase::Bytes;
  }
  if (phase_ == Phase::Bytes) {
    NNS_TRY_ASSIGN(const bool complete, read_bytes(budget));
    if (!complete) return false;
    phase_ = Phase::Entries;
  }
  if (phase_ == Phase::Entries) {
    NNS_TRY_ASSIGN(const bool complete, read_entries(budget));
    if (!complete) return false;
    phase_ = Phase::Layout;
  }
  NNS_TRY(check_layout());
  return true;
}

base::Result<void> SafetensorsHeader::read_length() {
  if (source_->size() < kLengthBytes) {
    return base::Error{fmt::format("the file has {} bytes", source_->size()),
                       "at least the 8 bytes of the header length", source_->name(), 0};
  }
  std::array<std::byte, kLengthBytes> bytes{};
  NNS_TRY(source_->read(0, bytes));
  std::memcpy(&length_, bytes.data(), sizeof length_);
  if (length_ > kMaxSafetensorsHeader) {
    return base::Error{fmt::format("header length {}", length_), fmt::format("at most {}", kMaxSafetensorsHeader),
                       source_->name(), 0};
  }
  if (length_ > source_->size() - kLengthBytes) {
    return base::Error{
        fmt::format("header length {}, but the file has {} bytes after it", length_, source_->size() - kLengthBytes),
        "a header inside the file", source_->name(), 0};
  }
  if (length_ < 2)
    return base::Error{fmt::format("header length {}", length_), "at least 2 for \"{}\"", source_->name(), 0};
  return {};
}

base::Result<bool> SafetensorsHeader::read_bytes(const base::Budget& budget) {
  const auto length = static_cast<std::size_t>(length_);
  std::span<const std::byte> bytes;
  if (buffer_ == nullptr) {
    if (const auto view = source_->view(kLengthBytes, length_)) bytes = *view;
  }
  if (bytes.empty()) {
    if (buffer_ == nullptr) buffer_.reset(new std::byte[length]);  // not set to zero first
    while (buffered_ < length) {
      const std::size_t count = std::min(length - buffered_, kHeaderReadStep);
      NNS_TRY(source_->read(kLengthBytes + buffered_, {buffer_.get() + buffered_, count}));
      buffered_ += count;
      if (buffered_ < length && budget.spent()) return false;
    }
    bytes = {buffer_.get(), length};
  }
  header_ = {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  if (header_.front() != '{') return error(0, "the header begins with another character", "'{'");
  if (const auto bad = base::find_invalid_utf8(header_)) {
    return error(*bad,
                 fmt::format("the header holds byte 0x{:02x}, which is not UTF-8 here",
                             static_cast<unsigned char>(header_[*bad])),
                 "UTF-8");
  }
  cursor_ = JsonCursor(header_);
  cursor_.expect('{');
  reserve();
  return true;
}

/// Room for as many tensors as a header of this length usually has, so that arrays do not move while they grow.
void SafetensorsHeader::reserve() {
  constexpr std::size_t kTypicalEntry = 112;
  const std::size_t count = header_.size() / kTypicalEntry + 16;
  const std::size_t before = document_.tensors.size();
  document_.tensors.reserve(before + count);
  document_.storages.reserve(document_.storages.size() + count);
  document_.dims.reserve(document_.dims.size() + count * 4);
  document_.names.reserve(document_.names.size() + count, document_.names.text().size() + header_.size() / 2 + 4096);
  builder_.reserve(builder_.size() + count + count / 2);
}

base::Result<bool> SafetensorsHeader::read_entries(const base::Budget& budget) {
  for (int since_look = 0;; ++since_look) {
    if (since_look == kHeaderEntriesPerLook) {
      if (budget.spent()) return false;
      since_look = 0;
    }
    if (cursor_.accept('}')) break;
    if (!first_entry_ && !cursor_.expect(',')) return json_error();
    first_entry_ = false;
    cursor_.skip_space();
    const std::size_t name_at = cursor_.at();
    std::string_view name;
    if (!cursor_.string(name)) return json_error();
    if (name == "__metadata__") {
      if (saw_metadata_) return error(name_at, "__metadata__ appears twice", "each name once");
      saw_metadata_ = true;
      NNS_TRY(read_metadata());
      continue;
    }
    if (!has_room(document_.names, name.size()) || !has_room(document_.tree.strings, name.size() + 64) ||
        builder_.is_full()) {
      return error(name_at, "names that need more than 4 GB of memory, or more rows than a tree can have",
                   "fewer tensors");
    }
    const std::uint32_t name_id = document_.names.append(name);
    Entry entry;
    entry.at = name_at;
    entry.dims = document_.dims.size();
    if (!read_usual(entry)) NNS_TRY(read_fields(name_id, entry));
    NNS_TRY(add_tensor(name_id, type_, entry));
  }
  cursor_.skip_space();
  if (!cursor_.at_end()) return error(cursor_.at(), "the header goes on after its last '}'", "only spaces");
  return true;
}

base::Result<void> SafetensorsHeader::read_metadata() {
  if (!cursor_.expect(':')) return json_error();
  cursor_.skip_space();
  if (header_.substr(cursor_.at(), 4) == "null") {
    cursor_.skip_value();
    return {};
  }
  if (!cursor_.expect('{')) return json_error();
  const std::size_t first = document_.metadata.size();
  for (bool is_first = true; !cursor_.accept('}'); is_first = false) {
    if (!is_first && !cursor_.expect(',')) return json_error();
    cursor_.skip_space();
    const std::size_t at = cursor_.at();
    MetadataEntry entry;
    std::string_view text;
    if (!cursor_.string(text)) return json_error();
    entry.key = text;
    if (!cursor_.expect(':')) return json_error();
    cursor_.skip_space();
    if (cursor_.at() < header_.size() && header_[cursor_.at()] != '"') {
      return error(cursor_.at(), fmt::format("the value of {} in __metadata__ is not a string", quoted_key(entry.key)),
                   "a string");
    }
    if (!cursor_.string(text)) return json_error();
    entry.value = text;
    // Few entries are usual; looking at the last ones keeps a hostile list from costing a square.
    const std::size_t from = document_.metadata.size() - std::min<std::size_t>(document_.metadata.size() - first, 64);
    for (std::size_t other = from; other < document_.metadata.size(); ++other) {
      if (document_.metadata[other].key == entry.key) {
        return error(at, fmt::format("{} appears twice in __metadata__", quoted_key(entry.key)), "each key once");
      }
    }
    document_.metadata.push_back(std::move(entry));
  }
  return {};
}

bool SafetensorsHeader::find_type(std::string_view name) {
  if (name.empty()) return false;
  if (name == type_.name) return true;
  for (const SmallType& small : kSmallTypes) {
    if (small.name == name) {
      type_ = {small.name, small.dtype, small.bits, false};
      return true;
    }
  }
  const auto dtype = tensor::dtype_from_safetensors_name(name);
  if (!dtype) return false;
  type_ = {tensor::info(*dtype).safetensors_name, *dtype, tensor::item_bytes(*dtype) * 8, true};
  return true;
}

/// The usual spelling: {"dtype":"F32","shape":[1,2],"data_offsets":[0,8]} after the colon, without spaces. False, with
/// nothing taken, for everything else; then read_fields() reads or refuses it.
bool SafetensorsHeader::read_usual(Entry& entry) {
  constexpr std::string_view kType = R"(:{"dtype":")";
  constexpr std::string_view kShape = R"(","shape":[)";
  constexpr std::string_view kOffsets = R"(],"data_offsets":[)";
  constexpr std::string_view kEnd = "]}";
  const char* at = header_.data() + cursor_.at();
  const char* const end = header_.data() + header_.size();
  const auto take = [&](std::string_view text) {
    if (static_cast<std::size_t>(end - at) < text.size() || std::memcmp(at, text.data(), text.size()) != 0)
      return false;
    at += text.size();
    return true;
  };
  // At most 18 digits, so that nothing overflows.
  const auto number = [&](std::uint64_t& value) {
    const char* const first = at;
    const char* const most = end - at > 18 ? at + 18 : end;
    value = 0;
    while (at < most && static_cast<unsigned char>(*at - '0') < 10)
      value = value * 10 + static_cast<std::uint64_t>(*at++ - '0');
    return at != first && (*first != '0' || at - first == 1);
  };
  const auto give_up = [&] {
    document_.dims.resize(entry.dims);
    return false;
  };
  if (!take(kType)) return false;
  const std::size_t left = std::min<std::size_t>(static_cast<std::size_t>(end - at), 16);
  const auto* const quote = static_cast<const char*>(std::memchr(at, '"', left));
  if (quote == nullptr || !find_type({at, static_cast<std::size_t>(quote - at)})) return false;
  at = quote;
  if (!take(kShape)) return false;
  if (at < end && *at != ']') {
    do {
      std::uint64_t size = 0;
      if (!number(size) || document_.dims.size() - entry.dims == kMaxSafetensorsRank) return give_up();
      document_.dims.push_back(static_cast<std::int64_t>(size));
    } while (take(","));
  }
  if (!take(kOffsets) || !number(entry.begin) || !take(",") || !number(entry.end) || !take(kEnd)) return give_up();
  cursor_.move_to(static_cast<std::size_t>(at - header_.data()));
  return true;
}

base::Result<void> SafetensorsHeader::read_fields(std::uint32_t name_id, Entry& entry) {
  const std::size_t name_at = entry.at;
  const std::size_t dims = entry.dims;
  constexpr unsigned kDtype = 1;
  constexpr unsigned kShape = 2;
  constexpr unsigned kOffsets = 4;
  unsigned seen = 0;
  if (!cursor_.expect(':') || !cursor_.expect('{')) return json_error();
  for (bool is_first = true; !cursor_.accept('}'); is_first = false) {
    if (!is_first && !cursor_.expect(',')) return json_error();
    const std::size_t key_at = cursor_.at();
    std::string_view key;
    if (!cursor_.string(key)) return json_error();
    const unsigned field = key == "dtype" ? kDtype : key == "shape" ? kShape : key == "data_offsets" ? kOffsets : 0;
    if ((seen & field) != 0)
      return error(key_at, fmt::format("{} appears twice in one tensor", quoted_key(key)), "each field once");
    seen |= field;
    if (!cursor_.expect(':')) return json_error();
    if (field == kDtype) {
      cursor_.skip_space();
      const std::size_t at = cursor_.at();
      std::string_view word;
      if (!cursor_.string(word)) return json_error();
      if (!find_type(word))
        return error(at, fmt::format("unknown dtype {}", quoted_key(word)), std::string(kKnownTypes));
    } else if (field == kShape) {
      if (!cursor_.expect('[')) return json_error();
      for (bool first_size = true; !cursor_.accept(']'); first_size = false) {
        if (!first_size && !cursor_.expect(',')) return json_error();
        std::uint64_t size = 0;
        const std::size_t at = cursor_.at();
        if (!cursor_.number(size)) return json_error();
        if (size > INT64_MAX) return error(at, fmt::format("a dimension of {}", size), "at most 2^63 - 1");
        if (document_.dims.size() - dims == kMaxSafetensorsRank)
          return error(at, "more than 64 dimensions", "at most 64");
        document_.dims.push_back(static_cast<std::int64_t>(size));
      }
    } else if (field == kOffsets) {
      if (!cursor_.expect('[') || !cursor_.number(entry.begin) || !cursor_.expect(',') || !cursor_.number(entry.end) ||
          !cursor_.expect(']')) {
        return json_error();
      }
    } else if (!cursor_.skip_value()) {
      return json_error();
    }
  }
  if (seen != (kDtype | kShape | kOffsets)) {
    const std::string_view missing = (seen & kDtype) == 0 ? "dtype" : (seen & kShape) == 0 ? "shape" : "data_offsets";
    return error(name_at, fmt::format("tensor {} has no {}", quoted_key(document_.names.view(name_id)), missing),
                 "dtype, shape and data_offsets");
  }
  return {};
}

base::Result<void> SafetensorsHeader::add_tensor(std::uint32_t name, const Type& type, const Entry& entry) {
  const std::size_t dims = entry.dims;
  const auto called = [&] { return quoted_key(document_.names.view(name)); };
  const std::size_t rank = document_.dims.size() - dims;
  // 1. Shape x dtype, without overflow, is the length of the data.
  std::uint64_t numel = 1;
  for (std::size_t at = 0; at < rank; ++at) {
    const auto size = static_cast<std::uint64_t>(document_.dims[dims + at]);
    if (size != 0 && numel > UINT64_MAX / type.bits / size) {
      return error(entry.at, fmt::format("the shape of tensor {} holds more than 2^64 bits", called()),
                   "a smaller shape");
    }
    numel *= size;
  }
  const std::uint64_t bits = numel * type.bits;
  if (bits % 8 != 0) {
    return error(entry.at, fmt::format("tensor {} of {} has {} bits", called(), type.name, bits), "whole bytes");
  }
  if (entry.end < entry.begin || entry.end - entry.begin != bits / 8) {
    return error(entry.at, fmt::format("tensor {} has data_offsets [{}, {}]", called(), entry.begin, entry.end),
                 fmt::format("{} bytes for its shape and dtype {}", bits / 8, type.name));
  }
  const std::uint64_t data = kLengthBytes + length_;
  if (entry.end > source_->size() - data) {
    return error(entry.at,
                 fmt::format("tensor {} ends at byte {} of the data, but the file has {}", called(), entry.end,
                             source_->size() - data),
                 "data inside the file");
  }

  // 2. A pair of F4 items is one item of torch's type, if the last dimension has whole pairs.
  TensorEntry tensor;
  tensor.dtype = type.dtype;
  tensor.nbytes = bits / 8;
  if (!type.is_torch) {
    const bool pairs = type.bits == 4 && rank > 0 && document_.dims.back() % 2 == 0;
    if (pairs) {
      document_.dims.back() /= 2;
      numel /= 2;
    } else {
      tensor.dtype_text = document_.tree.strings.intern(type.name);
      tensor.dtype = tensor::DType::Float32;
    }
  }

  // 3. The entry, its strides, its storage, its row.
  tensor.name = name;
  tensor.rank = static_cast<std::uint8_t>(rank);
  tensor.dims = static_cast<std::uint32_t>(dims);
  tensor.numel = numel;
  tensor.storage = static_cast<std::uint32_t>(document_.storages.size());
  for (std::size_t at = 0; at < rank; ++at) document_.dims.push_back(1);
  std::int64_t stride = 1;
  for (std::size_t at = rank == 1 ? 0 : rank; at-- > 0;) {
    document_.dims[dims + rank + at] = stride;
    const std::int64_t size = std::max<std::int64_t>(document_.dims[dims + at], 1);
    // Beside a dimension of zero the others may be anything; nothing is read with such strides.
    if (__builtin_mul_overflow(stride, size, &stride)) stride = INT64_MAX;
  }
  Storage& storage = document_.storages.emplace_back();
  storage.file = file_;
  storage.offset = data + entry.begin;
  storage.nbytes = tensor.nbytes;
  const auto index = static_cast<std::uint32_t>(document_.tensors.size());
  document_.tensors.push_back(tensor);
  is_in_order_ = is_in_order_ && entry.begin == data_end_;
  data_end_ = entry.end;
  if (builder_.add_dotted(0, document_.names.view(name), index) == kNone) {
    return error(entry.at, fmt::format("tensor {} appears twice", called()), "each name once");
  }
  return {};
}

/// Where the name of a tensor is in the header. Only messages need it, so it is not kept but looked for.
std::size_t SafetensorsHeader::position_of(std::uint32_t tensor) const {
  JsonCursor cursor(header_);
  cursor.expect('{');
  for (std::uint32_t at = first_tensor_; !cursor.accept('}') && cursor.ok();) {
    cursor.accept(',');
    cursor.skip_space();
    const std::size_t name_at = cursor.at();
    std::string_view name;
    cursor.string(name);
    if (name != "__metadata__" && at++ == tensor) return name_at;
    cursor.expect(':');
    cursor.skip_value();
  }
  return 0;
}

base::Result<void> SafetensorsHeader::check_layout() {
  const std::uint64_t data = kLengthBytes + length_;
  std::uint64_t expected = data_end_;
  if (!is_in_order_) {
    std::vector<std::uint32_t> order(document_.tensors.size() - first_tensor_);
    std::iota(order.begin(), order.end(), first_tensor_);
    const auto storage_of = [&](std::uint32_t tensor) -> const Storage& {
      return document_.storages[document_.tensors[tensor].storage];
    };
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      const Storage& first = storage_of(a);
      const Storage& second = storage_of(b);
      return first.offset != second.offset ? first.offset < second.offset : first.nbytes < second.nbytes;
    });
    expected = 0;
    for (const std::uint32_t tensor : order) {
      const Storage& storage = storage_of(tensor);
      const std::uint64_t begin = storage.offset - data;
      if (begin != expected) {
        return error(position_of(tensor),
                     fmt::format("tensor {} begins at byte {} of the data, which {}",
                                 quoted_key(document_.name(document_.tensors[tensor])), begin,
                                 begin < expected ? "overlaps the tensor before it" : "leaves a hole before it"),
                     fmt::format("{}", expected));
      }
      expected += storage.nbytes;
    }
  }
  if (expected != source_->size() - data) {
    return base::Error{fmt::format("{} bytes follow the last tensor", source_->size() - data - expected),
                       "the end of the file", source_->name(), data + expected};
  }
  return {};
}

}  // namespace nns::checkpoint
