#include "core/checkpoint/safetensors_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "core/base/utf8.h"

namespace nns::checkpoint {

namespace {

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::size_t kMaxRank = 64;
constexpr std::size_t kReadStep = 4U << 20U;
/// Entries between two looks at the budget.
constexpr int kEntriesPerLook = 256;

/// The types that no dtype of torch stands for: an item is a part of a byte.
struct SmallType {
  std::string_view name;
  tensor::DType dtype;
  std::uint32_t bits;
};
constexpr SmallType kSmallTypes[] = {
    {"F4", tensor::DType::Float4E2M1FNX2, 4},
    {"F6_E2M3", tensor::DType::UInt8, 6},
    {"F6_E3M2", tensor::DType::UInt8, 6},
};

constexpr std::string_view kKnownTypes =
    "one of BOOL F4 F6_E2M3 F6_E3M2 U8 I8 F8_E5M2 F8_E4M3 F8_E8M0 F8_E4M3FNUZ F8_E5M2FNUZ I16 U16 F16 BF16 I32 U32 F32 "
    "C64 F64 I64 U64";

std::string quoted(std::string_view name) {
  constexpr std::size_t kShown = 80;
  return name.size() <= kShown ? fmt::format("\"{}\"", name) : fmt::format("\"{}...\"", name.substr(0, kShown));
}

}  // namespace

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
  if (buffer_.empty()) {
    if (const auto view = source_->view(kLengthBytes, length_)) bytes = *view;
  }
  if (bytes.empty()) {
    buffer_.reserve(length);
    while (buffer_.size() < length) {
      const std::size_t done = buffer_.size();
      buffer_.resize(std::min(length, done + kReadStep));
      NNS_TRY(source_->read(kLengthBytes + done, std::span(buffer_).subspan(done)));
      if (buffer_.size() < length && budget.spent()) return false;
    }
    bytes = buffer_;
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
  document_.tree.strings.reserve(document_.tree.strings.size() + count + count / 64 + 64,
                                 document_.tree.strings.text().size() + header_.size() / 2 + 4096);
  entries_.reserve(count);
  builder_.reserve(builder_.size() + count + count / 2);
}

base::Result<bool> SafetensorsHeader::read_entries(const base::Budget& budget) {
  for (int since_look = 0;; ++since_look) {
    if (since_look == kEntriesPerLook) {
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
    NNS_TRY(read_tensor(name, static_cast<std::uint32_t>(name_at)));
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
      return error(cursor_.at(), fmt::format("the value of {} in __metadata__ is not a string", quoted(entry.key)),
                   "a string");
    }
    if (!cursor_.string(text)) return json_error();
    entry.value = text;
    // Few entries are usual; looking at the last ones keeps a hostile list from costing a square.
    const std::size_t from = document_.metadata.size() - std::min<std::size_t>(document_.metadata.size() - first, 64);
    for (std::size_t other = from; other < document_.metadata.size(); ++other) {
      if (document_.metadata[other].key == entry.key) {
        return error(at, fmt::format("{} appears twice in __metadata__", quoted(entry.key)), "each key once");
      }
    }
    document_.metadata.push_back(std::move(entry));
  }
  return {};
}

bool SafetensorsHeader::find_type(std::string_view name) {
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

base::Result<void> SafetensorsHeader::read_tensor(std::string_view name, std::uint32_t name_at) {
  if (!has_room(document_.tree.strings, 2 * name.size() + 64) || builder_.is_full()) {
    return error(name_at, "the names of this file need more than 4 GB of memory", "fewer tensors");
  }
  const std::uint32_t name_id = document_.tree.strings.append(name);
  constexpr unsigned kDtype = 1;
  constexpr unsigned kShape = 2;
  constexpr unsigned kOffsets = 4;
  unsigned seen = 0;
  Entry entry;
  entry.at = name_at;
  const std::size_t dims = document_.dims.size();
  if (!cursor_.expect(':') || !cursor_.expect('{')) return json_error();
  for (bool is_first = true; !cursor_.accept('}'); is_first = false) {
    if (!is_first && !cursor_.expect(',')) return json_error();
    const std::size_t key_at = cursor_.at();
    std::string_view key;
    if (!cursor_.string(key)) return json_error();
    const unsigned field = key == "dtype" ? kDtype : key == "shape" ? kShape : key == "data_offsets" ? kOffsets : 0;
    if ((seen & field) != 0)
      return error(key_at, fmt::format("{} appears twice in one tensor", quoted(key)), "each field once");
    seen |= field;
    if (!cursor_.expect(':')) return json_error();
    if (field == kDtype) {
      cursor_.skip_space();
      const std::size_t at = cursor_.at();
      std::string_view word;
      if (!cursor_.string(word)) return json_error();
      if (!find_type(word)) return error(at, fmt::format("unknown dtype {}", quoted(word)), std::string(kKnownTypes));
    } else if (field == kShape) {
      if (!cursor_.expect('[')) return json_error();
      for (bool first_size = true; !cursor_.accept(']'); first_size = false) {
        if (!first_size && !cursor_.expect(',')) return json_error();
        std::uint64_t size = 0;
        const std::size_t at = cursor_.at();
        if (!cursor_.number(size)) return json_error();
        if (size > INT64_MAX) return error(at, fmt::format("a dimension of {}", size), "at most 2^63 - 1");
        if (document_.dims.size() - dims == kMaxRank) return error(at, "more than 64 dimensions", "at most 64");
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
    return error(name_at, fmt::format("tensor {} has no {}", quoted(document_.tree.strings.view(name_id)), missing),
                 "dtype, shape and data_offsets");
  }
  return add_tensor(name_id, type_, entry, dims);
}

base::Result<void> SafetensorsHeader::add_tensor(std::uint32_t name, const Type& type, const Entry& entry,
                                                 std::size_t dims) {
  const auto called = [&] { return quoted(document_.tree.strings.view(name)); };
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
      tensor.readable = false;
    }
  }

  // 3. The entry, its strides, its storage, its row.
  tensor.name = name;
  tensor.rank = static_cast<std::uint8_t>(rank);
  tensor.dims = static_cast<std::uint32_t>(dims);
  tensor.numel = numel;
  tensor.storage = static_cast<std::uint32_t>(document_.storages.size());
  document_.dims.resize(dims + 2 * rank);
  std::int64_t stride = 1;
  for (std::size_t at = rank; at-- > 0;) {
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
  entries_.push_back(entry);
  if (builder_.add_dotted(0, document_.tree.strings.view(name), index) == kNone) {
    return error(entry.at, fmt::format("tensor {} appears twice", called()), "each name once");
  }
  return {};
}

base::Result<void> SafetensorsHeader::check_layout() {
  const auto before = [](const Entry& a, const Entry& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  };
  const auto name_of = [&](const Entry& entry) {
    JsonCursor cursor(header_.substr(entry.at));
    std::string_view name;
    cursor.string(name);
    return quoted(name);
  };
  if (!std::is_sorted(entries_.begin(), entries_.end(), before)) std::sort(entries_.begin(), entries_.end(), before);
  std::uint64_t expected = 0;
  for (const Entry& entry : entries_) {
    if (entry.begin != expected) {
      return error(entry.at,
                   fmt::format("tensor {} begins at byte {} of the data, which {}", name_of(entry), entry.begin,
                               entry.begin < expected ? "overlaps the tensor before it" : "leaves a hole before it"),
                   fmt::format("{}", expected));
    }
    expected = entry.end;
  }
  const std::uint64_t data = kLengthBytes + length_;
  if (expected != source_->size() - data) {
    return base::Error{fmt::format("{} bytes follow the last tensor", source_->size() - data - expected),
                       "the end of the file", source_->name(), data + expected};
  }
  return {};
}

}  // namespace nns::checkpoint
