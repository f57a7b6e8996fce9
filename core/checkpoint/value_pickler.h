#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/result.h"
#include "core/tensor/tensor.h"

namespace nns::checkpoint {

/// Writes values of the object model as a pickle of protocol 2, as torch.save does: what weights_only loading takes.
/// None, bool, int, float, str, tuple, list, dict, OrderedDict (with its attributes), set, tensors, parameters,
/// dtypes, devices, torch.Size. An object that is met twice is written once.
/// Behaviour: CPython Lib/pickle.py; torch/_tensor.py, _reduce_ex_internal; torch/serialization.py, persistent_id.
class ValuePickler {
 public:
  /// `keeps_meta_storages`: tensors on meta are written as if their storages had bytes, for a caller that has them
  /// elsewhere; else as torch does, without a storage.
  explicit ValuePickler(object::Interpreter& interpreter, bool keeps_meta_storages = false)
      : interpreter_(interpreter), keeps_meta_storages_(keeps_meta_storages) {}

  /// The whole pickle. Errors: a value of a class that cannot be written, with the way to it; nesting of more than
  /// kMostDepth.
  base::Result<std::string> pickle(const object::Value& value);

  /// The storages that were met: the index is the key in the archive ("data/0").
  const std::vector<object::Ref<tensor::Storage>>& storages() const { return storages_; }

  static constexpr int kMostDepth = 500;

 private:
  using Value = object::Value;
  base::Result<void> save(const Value& value, int depth);
  base::Result<void> save_object(object::Object& object, const Value& value, int depth);
  base::Result<void> save_list(object::List& list, int depth);
  base::Result<void> save_dict(object::Dict& dict, int depth);
  base::Result<void> save_set(object::Set& set, int depth);
  base::Result<void> save_tuple(std::span<const Value> items, const object::Object* identity, int depth);
  base::Result<void> save_tensor(tensor::Tensor& tensor);
  void save_plain_tensor(const tensor::Tensor& tensor);
  void save_meta_tensor(const tensor::Tensor& tensor);
  void save_int(std::int64_t value);
  void save_float(double value);
  void save_text(std::string_view text);
  void save_global(std::string_view module, std::string_view name);
  void save_dims(const tensor::Dims& dims);
  void save_empty_ordered_dict();
  void put(char code) { out_ += code; }
  void memoize(const object::Object* object);
  std::uint32_t next_memo();
  void get(std::uint32_t index);
  base::Error refused(const Value& value) const;

  object::Interpreter& interpreter_;
  bool keeps_meta_storages_;
  std::string out_;
  std::uint32_t memo_ = 0;
  std::unordered_map<const object::Object*, std::uint32_t> objects_;
  std::unordered_map<std::string, std::uint32_t> texts_;
  std::unordered_map<std::string, std::uint32_t> globals_;
  std::unordered_map<const tensor::Storage*, std::size_t> storage_keys_;
  std::vector<object::Ref<tensor::Storage>> storages_;
  std::vector<std::string> path_;
};

}  // namespace nns::checkpoint
