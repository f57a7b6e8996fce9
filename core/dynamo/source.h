#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/dynamo/slab.h"
#include "core/python/eval/frame.h"

namespace nns::dynamo {

using object::Class;
using object::Dict;
using object::Interpreter;
using object::Name;
using object::PyError;
using object::PyResult;
using object::Ref;
using object::Value;

/// How a value is reached from the frame that is compiled.
/// Behaviour: torch/_dynamo/source.py.
enum class SourceKind : std::uint8_t {
  Local,
  Global,
  Attr,
  /// The object's own attribute, whatever its class's __getattribute__ says.
  GenericAttr,
  /// The descriptor `fget` of a class's property, a function's cell and so on: read like an attribute.
  GetItem,
  DictGetItem,
  /// The dict's key at a position; and the value under it.
  DictKey,
  DictValueAt,
  Default,
  KeywordDefault,
  Cell,
  /// type(base), and an attribute as the dict of a class in the order of a class has it.
  Type,
  ClassAttr,
  /// What adds nothing to the name and changes what guards say of the origin.
  NNModule,
  UnspecializedNNModule,
  UnspecializedBuiltinNNModule,
  FSDPNNModule,
  ParamBuffer,
  /// A constant, for what has no place in the frame.
  Constant,
  /// A random number that is drawn before the graph runs.
  RandomValue,
  /// A size or stride of a tensor.
  TensorSize,
  TensorStride,
};

/// Where guards say that a value comes from.
enum class Origin : std::uint8_t { Plain, Specialized, Unspecialized, UnspecializedBuiltin, Fsdp };

/// One step of the way to a value.
/// Lifetime: that of its SourceTable.
struct Source {
  SourceKind kind = SourceKind::Local;
  bool is_global = false;
  /// Of an attribute: it lies in the object's own dict, and is looked for only there.
  bool is_in_dict = false;
  Origin origin = Origin::Plain;
  const Source* base = nullptr;
  /// The name of a local, global or attribute; the key of a KeywordDefault.
  Name text = {};
  /// The key of an item; of a global of another module: its globals.
  Value key = {};
  std::int64_t index = 0;
  /// Number within its table, for caches while guards are checked: a base has a smaller one.
  std::size_t number = 0;
  /// Of the name: sources that differ here have different names.
  std::uint64_t name_hash = 0;
  Interpreter* interpreter = nullptr;
  /// The next one in the same place of the table's index.
  const Source* next = nullptr;

  /// "L['self'].lin". Cost: it is made at the first question.
  const std::string& name() const;
  /// The same without making the names. Keys that are neither texts nor numbers are equal where they are one object.
  bool has_name_of(const Source& other) const;
  /// "LOCAL_UNSPECIALIZED_NN_MODULE".
  std::string guard_source() const;
  /// "AttrSource".
  std::string_view class_name() const;
  /// Whether the way passes through attributes of a module that is compiled for all of its class.
  bool is_from_unspecialized() const {
    return origin == Origin::Unspecialized || origin == Origin::UnspecializedBuiltin;
  }
  bool is_from_module() const { return origin != Origin::Plain; }
  /// Whether it adds nothing to the name.
  bool is_wrapper() const {
    return kind == SourceKind::NNModule || kind == SourceKind::UnspecializedNNModule ||
           kind == SourceKind::UnspecializedBuiltinNNModule || kind == SourceKind::FSDPNNModule;
  }
  /// The step without what only changes the origin.
  const Source& bare() const;

 private:
  std::string made_name() const;
  mutable std::string name_ = {};
};

/// Owns sources; equal ones are one.
class SourceTable {
 public:
  explicit SourceTable(Interpreter& interpreter);
  const Source* local(Name name);
  const Source* global(Name name);
  /// A name of another module's globals, which `globals` holds.
  const Source* foreign_global(Name name, Value globals);
  const Source* attr(const Source* base, Name name, bool is_in_dict = false);
  const Source* attr(const Source* base, std::string_view name, bool is_in_dict = false);
  const Source* generic_attr(const Source* base, std::string_view name);
  const Source* item(const Source* base, Value key);
  const Source* dict_item(const Source* base, Value key);
  const Source* dict_value_at(const Source* base, std::int64_t position);
  const Source* default_of(const Source* function, std::int64_t index);
  const Source* keyword_default_of(const Source* function, Name name);
  const Source* cell(const Source* function, std::int64_t index);
  const Source* type(const Source* base);
  const Source* random_value(std::size_t index);
  /// "L['x'].size()[0]", "L['x'].stride()[0]".
  const Source* tensor_size(const Source* tensor, std::size_t dimension);
  const Source* tensor_stride(const Source* tensor, std::size_t dimension);
  /// The attribute `name` of class number `depth` in the order of classes of the object at `base`.
  const Source* class_attr(const Source* base, Name name, std::int64_t depth);
  /// One of the kinds that only change the origin.
  const Source* wrap(SourceKind kind, const Source* base);
  std::size_t size() const { return sources_.size(); }

 private:
  struct Step {
    SourceKind kind;
    const Source* base = nullptr;
    Name text = {};
    Value key = {};
    std::int64_t index = 0;
    bool is_in_dict = false;
  };
  const Source* add(Step step);
  void grow();
  Interpreter& interpreter_;
  Name parameters_, buffers_;
  Slab<Source> sources_;
  /// Chains of sources by their hash; as many as a power of two.
  std::vector<const Source*> index_;
};

/// What a source is read from: the locals of a frame by name (random numbers, too, under their source's), and its
/// globals.
struct Scope {
  const std::vector<std::pair<Name, Value>>* locals = nullptr;
  Dict* globals = nullptr;
};

/// Reads sources, each once.
class SourceReader {
 public:
  SourceReader(Interpreter& interpreter, Scope scope, std::size_t count)
      : interpreter_(interpreter), scope_(scope), count_(count) {}
  /// Absent: there is nothing any more; missing() tells which step failed.
  Value read(const Source& source);
  const Source* missing() const { return missing_; }

 private:
  Interpreter& interpreter_;
  Scope scope_;
  std::size_t count_;
  /// As many as there are sources, from the first question on.
  std::vector<Value> known_;
  const Source* missing_ = nullptr;
};

/// What a source that begins a way stands for; Absent: there is no such name.
Value value_of_root(const Source& source, Scope scope);
/// One step on from `base`, which is there; Absent: there is nothing.
Value value_behind(Interpreter& interpreter, const Source& source, const Value& base);

/// The text of a constant as programs write it.
std::string repr_of(Interpreter& interpreter, const Value& value);

}  // namespace nns::dynamo
