#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nns::tests {

/// Writes a pickle of protocol 2 as Python's pickler does, with a memo entry for whatever it memoizes.
class PickleWriter {
 public:
  PickleWriter() : bytes_("\x80\x02") {}

  PickleWriter& raw(std::string_view bytes);
  PickleWriter& none() { return raw("N"); }
  PickleWriter& boolean(bool value) { return raw(value ? "\x88" : "\x89"); }
  PickleWriter& integer(std::int64_t value);
  PickleWriter& real(double value);
  /// A string; one that was written before is fetched from the memo.
  PickleWriter& text(std::string_view value);
  PickleWriter& global(std::string_view module, std::string_view name);
  PickleWriter& mark() { return raw("("); }
  /// Ends a tuple begun with mark().
  PickleWriter& tuple() { return raw("t").put(); }
  PickleWriter& empty_tuple() { return raw(")"); }
  PickleWriter& numbers(const std::vector<std::int64_t>& values);
  PickleWriter& empty_dict() { return raw("}").put(); }
  PickleWriter& empty_list() { return raw("]").put(); }
  PickleWriter& reduce() { return raw("R").put(); }
  PickleWriter& new_object() { return raw("\x81").put(); }
  /// OrderedDict()
  PickleWriter& ordered_dict() { return global("collections", "OrderedDict").empty_tuple().reduce(); }
  PickleWriter& set_items() { return raw("u"); }
  PickleWriter& appends() { return raw("e"); }
  PickleWriter& build() { return raw("b"); }
  /// torch._utils._rebuild_tensor_v2 on storage `key`.
  struct Tensor {
    std::string key = "0";
    std::string storage_class = "FloatStorage";
    std::int64_t storage_numel = 0;
    std::int64_t offset = 0;
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> stride;
    bool requires_grad = false;
  };
  PickleWriter& tensor(const Tensor& tensor);
  PickleWriter& parameter(const Tensor& tensor);
  /// How many memo entries there are: the index of the last one is this less 1.
  std::uint32_t memo_size() const { return memo_; }
  PickleWriter& get(std::uint32_t index);
  std::string stop() { return bytes_ + "."; }

 private:
  PickleWriter& put();
  std::string bytes_;
  std::uint32_t memo_ = 0;
  std::map<std::string, std::uint32_t, std::less<>> known_;
};

/// Writes a zip file piece by piece. Members that are holes take no memory: they are for sparse files.
class ZipWriter {
 public:
  struct Options {
    bool deflated = false;
    bool zip64 = false;           ///< 64-bit fields also where they are not needed
    std::uint64_t alignment = 0;  ///< of the data, with an extra field of Z's as torch does
  };
  void add(std::string_view name, std::string_view bytes, Options options);
  void add(std::string_view name, std::string_view bytes) { add(name, bytes, Options()); }
  void add_hole(std::string_view name, std::uint64_t size);
  /// Writes the directory. After it: whole() or write_sparse().
  void finish(bool zip64 = false);

  std::uint64_t size() const { return at_; }
  /// Where the directory begins.
  std::uint64_t directory() const { return directory_; }
  /// Must hold: no hole above a few megabytes.
  std::string whole() const;
  void write_sparse(const std::filesystem::path& path) const;

 private:
  struct Record {
    std::string name;
    std::uint64_t offset, size, compressed;
    std::uint32_t crc;
    std::uint16_t method;
    bool zip64;
  };
  void write(std::string_view bytes);
  void begin(const Record& record, std::uint64_t alignment);
  std::vector<std::pair<std::uint64_t, std::string>> pieces_;
  std::vector<Record> records_;
  std::uint64_t at_ = 0;
  std::uint64_t directory_ = 0;
};

/// A zip archive of these members: name and bytes.
std::string zip_of(const std::vector<std::pair<std::string, std::string>>& members, bool deflated = false);

/// A torch checkpoint of this pickle and these storages by key, under the folder "archive".
std::string make_torch_zip(std::string_view pickle, const std::map<std::string, std::string>& storages);

/// What torch.save writes for a state dict of 10,000 small tensors, names as in GPT-2's blocks.
std::string torch_zip_of_10000();

}  // namespace nns::tests
