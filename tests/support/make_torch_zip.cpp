#include "tests/support/make_torch_zip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <cstring>
#include <fstream>

namespace nns::tests {

namespace {

template <class T>
std::string le(T value) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

std::string u16(std::uint64_t value) { return le(static_cast<std::uint16_t>(value)); }
std::string u32(std::uint64_t value) { return le(static_cast<std::uint32_t>(value)); }
std::string u64(std::uint64_t value) { return le(value); }

std::string deflate_raw(std::string_view bytes) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
  std::string input(bytes);
  stream.next_in = reinterpret_cast<unsigned char*>(input.data());
  stream.avail_in = static_cast<unsigned>(input.size());
  stream.next_out = reinterpret_cast<unsigned char*>(packed.data());
  stream.avail_out = static_cast<unsigned>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

}  // namespace

PickleWriter& PickleWriter::raw(std::string_view bytes) {
  bytes_ += bytes;
  return *this;
}

PickleWriter& PickleWriter::put() {
  const std::uint32_t index = memo_++;
  return index < 256 ? raw("q").raw(le(static_cast<std::uint8_t>(index))) : raw("r").raw(u32(index));
}

PickleWriter& PickleWriter::get(std::uint32_t index) {
  return index < 256 ? raw("h").raw(le(static_cast<std::uint8_t>(index))) : raw("j").raw(u32(index));
}

PickleWriter& PickleWriter::integer(std::int64_t value) {
  if (value >= 0 && value < 256) return raw("K").raw(le(static_cast<std::uint8_t>(value)));
  if (value >= 0 && value < 65536) return raw("M").raw(u16(static_cast<std::uint64_t>(value)));
  if (value >= INT32_MIN && value <= INT32_MAX) return raw("J").raw(le(static_cast<std::int32_t>(value)));
  return raw("\x8a\x08").raw(le(value));
}

PickleWriter& PickleWriter::real(double value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, 8);
  return raw("G").raw(le(__builtin_bswap64(bits)));
}

PickleWriter& PickleWriter::text(std::string_view value) {
  const auto known = known_.find(value);
  if (known != known_.end()) return get(known->second);
  known_.emplace(value, memo_);
  return raw("X").raw(u32(value.size())).raw(value).put();
}

PickleWriter& PickleWriter::global(std::string_view module, std::string_view name) {
  const std::string line = fmt::format("{}\n{}\n", module, name);
  const auto known = known_.find(line);
  if (known != known_.end()) return get(known->second);
  known_.emplace(line, memo_);
  return raw("c").raw(line).put();
}

PickleWriter& PickleWriter::numbers(const std::vector<std::int64_t>& values) {
  if (values.empty()) return empty_tuple();
  if (values.size() > 3) mark();
  for (const std::int64_t value : values) integer(value);
  constexpr std::string_view kShort[] = {"\x85", "\x86", "\x87"};
  return values.size() > 3 ? tuple() : raw(kShort[values.size() - 1]).put();
}

PickleWriter& PickleWriter::tensor(const Tensor& tensor) {
  global("torch._utils", "_rebuild_tensor_v2").mark();
  mark().text("storage").global("torch", tensor.storage_class);
  // A key is written anew each time: Python's pickler knows strings by identity.
  raw("X").raw(u32(tensor.key.size())).raw(tensor.key).put();
  text("cpu").integer(tensor.storage_numel).tuple().raw("Q");
  integer(tensor.offset).numbers(tensor.shape).numbers(tensor.stride).boolean(tensor.requires_grad);
  return ordered_dict().tuple().reduce();
}

PickleWriter& PickleWriter::parameter(const Tensor& data) {
  global("torch._utils", "_rebuild_parameter");
  return tensor(data).boolean(true).ordered_dict().raw("\x87").put().reduce();
}

void ZipWriter::write(std::string_view bytes) {
  if (!pieces_.empty() && pieces_.back().first + pieces_.back().second.size() == at_) {
    pieces_.back().second += bytes;
  } else {
    pieces_.emplace_back(at_, bytes);
  }
  at_ += bytes.size();
}

void ZipWriter::begin(const Record& record, std::uint64_t alignment) {
  std::string extra;
  if (record.zip64) extra = u16(1) + u16(16) + u64(record.size) + u64(record.compressed);
  if (alignment > 0) {
    const std::uint64_t data = at_ + 30 + record.name.size() + extra.size() + 4;
    const std::uint64_t padding = (alignment - data % alignment) % alignment;
    extra += "FB" + u16(padding) + std::string(static_cast<std::size_t>(padding), 'Z');
  }
  write("PK\x03\x04" + u16(record.zip64 ? 45 : 20) + u16(0x800) + u16(record.method) + u32(0) + u32(record.crc) +
        u32(record.zip64 ? UINT32_MAX : record.compressed) + u32(record.zip64 ? UINT32_MAX : record.size) +
        u16(record.name.size()) + u16(extra.size()) + record.name + extra);
}

void ZipWriter::add(std::string_view name, std::string_view bytes, Options options) {
  const std::string packed = options.deflated ? deflate_raw(bytes) : std::string(bytes);
  const auto crc = crc32_z(0, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  records_.push_back({std::string(name), at_, bytes.size(), packed.size(), static_cast<std::uint32_t>(crc),
                      static_cast<std::uint16_t>(options.deflated ? 8 : 0), options.zip64});
  begin(records_.back(), options.alignment);
  write(packed);
}

void ZipWriter::add_hole(std::string_view name, std::uint64_t size) {
  records_.push_back({std::string(name), at_, size, size, 0, 0, size >= UINT32_MAX});
  begin(records_.back(), 0);
  at_ += size;
}

void ZipWriter::finish(bool zip64) {
  directory_ = at_;
  for (const Record& record : records_) {
    std::string extra;
    const bool far = record.offset >= UINT32_MAX;
    if (record.zip64) extra += u64(record.size) + u64(record.compressed);
    if (far) extra += u64(record.offset);
    if (!extra.empty()) extra.insert(0, u16(1) + u16(extra.size()));
    write("PK\x01\x02" + u16(45) + u16(45) + u16(0x800) + u16(record.method) + u32(0) + u32(record.crc) +
          u32(record.zip64 ? UINT32_MAX : record.compressed) + u32(record.zip64 ? UINT32_MAX : record.size) +
          u16(record.name.size()) + u16(extra.size()) + u16(0) + u16(0) + u16(0) + u32(0) +
          u32(far ? UINT32_MAX : record.offset) + record.name + extra);
  }
  const std::uint64_t size = at_ - directory_;
  zip64 = zip64 || directory_ >= UINT32_MAX || records_.size() >= UINT16_MAX;
  if (zip64) {
    const std::uint64_t end = at_;
    write("PK\x06\x06" + u64(44) + u16(45) + u16(45) + u32(0) + u32(0) + u64(records_.size()) + u64(records_.size()) +
          u64(size) + u64(directory_));
    write("PK\x06\x07" + u32(0) + u64(end) + u32(1));
  }
  write("PK\x05\x06" + u16(0) + u16(0) + u16(zip64 ? UINT16_MAX : records_.size()) +
        u16(zip64 ? UINT16_MAX : records_.size()) + u32(zip64 ? UINT32_MAX : size) +
        u32(zip64 ? UINT32_MAX : directory_) + u16(0));
}

std::string ZipWriter::whole() const {
  std::string bytes(static_cast<std::size_t>(at_), '\0');
  for (const auto& [offset, piece] : pieces_) std::memcpy(bytes.data() + offset, piece.data(), piece.size());
  return bytes;
}

void ZipWriter::write_sparse(const std::filesystem::path& path) const {
  {
    std::ofstream out(path, std::ios::binary);
    for (const auto& [offset, piece] : pieces_) {
      out.seekp(static_cast<std::streamoff>(offset));
      out.write(piece.data(), static_cast<std::streamsize>(piece.size()));
    }
  }
  std::filesystem::resize_file(path, at_);
}

std::string zip_of(const std::vector<std::pair<std::string, std::string>>& members, bool deflated) {
  ZipWriter zip;
  ZipWriter::Options options;
  options.deflated = deflated;
  for (const auto& [name, bytes] : members) zip.add(name, bytes, options);
  zip.finish();
  return zip.whole();
}

std::string make_torch_zip(std::string_view pickle, const std::map<std::string, std::string>& storages) {
  ZipWriter zip;
  ZipWriter::Options aligned;
  aligned.alignment = 64;
  zip.add("archive/data.pkl", pickle, aligned);
  zip.add("archive/byteorder", "little", aligned);
  for (const auto& [key, bytes] : storages) zip.add("archive/data/" + key, bytes, aligned);
  zip.add("archive/version", "3\n", aligned);
  zip.finish();
  return zip.whole();
}

std::string torch_zip_of_10000() {
  constexpr int kTensors = 10'000;
  PickleWriter pickle;
  pickle.empty_dict();
  ZipWriter zip;
  ZipWriter::Options aligned;
  aligned.alignment = 64;
  std::vector<std::size_t> sizes;
  for (int tensor = 0; tensor < kTensors; ++tensor) {
    if (tensor % 1000 == 0) pickle.raw(tensor == 0 ? "(" : "u(");
    const bool is_weight = tensor % 2 == 0;
    pickle.text(fmt::format("transformer.h.{}.mod{}.{}", tensor / 10, tensor % 10 / 2, is_weight ? "weight" : "bias"));
    PickleWriter::Tensor data;
    data.key = fmt::format("{}", tensor);
    data.storage_numel = is_weight ? 16 : 4;
    data.shape = is_weight ? std::vector<std::int64_t>{4, 4} : std::vector<std::int64_t>{4};
    data.stride = is_weight ? std::vector<std::int64_t>{4, 1} : std::vector<std::int64_t>{1};
    pickle.tensor(data);
    sizes.push_back(is_weight ? 64 : 16);
  }
  pickle.set_items();
  zip.add("gpt_10k/data.pkl", pickle.stop(), aligned);
  zip.add("gpt_10k/byteorder", "little", aligned);
  for (int tensor = 0; tensor < kTensors; ++tensor) {
    zip.add(fmt::format("gpt_10k/data/{}", tensor), std::string(sizes[static_cast<std::size_t>(tensor)], '\0'),
            aligned);
  }
  zip.add("gpt_10k/version", "3\n", aligned);
  zip.finish();
  return zip.whole();
}

}  // namespace nns::tests
