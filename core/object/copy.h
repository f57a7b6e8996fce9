#pragma once

#include <functional>
#include <optional>
#include <unordered_map>

#include "core/object/interpreter.h"

namespace nns::object {

/// What an object of C++ is besides its __dict__, for those whose classes make no empty instance.
class DeepCopyable {
 public:
  virtual ~DeepCopyable() = default;
  using Copier = std::function<PyResult<Value>(const Value& part)>;
  /// The copy of this object; `copy` gives those of its parts.
  virtual PyResult<Value> deep_copied(const Copier& copy) const = 0;
};

/// copy.copy(value): a new object with the same contents. Classes, functions, texts and numbers stay what they are.
PyResult<Value> shallow_copy(Interpreter& interpreter, const Value& value);

/// What stands in the place of an object that is reached, asked for once each; nothing: it is copied.
using CopyReplacement = std::function<std::optional<PyResult<Value>>(const Value& part)>;

/// copy.deepcopy(value): copies all that is reached, each object once.
/// Behaviour: Lib/copy.py; __deepcopy__, __reduce_ex__ and its relatives, and __setstate__ of a class are obeyed.
/// `memo`: what was copied before, by id, and gets what is copied now; null: an empty one.
PyResult<Value> deep_copy(Interpreter& interpreter, const Value& value, CopyReplacement replacement = nullptr,
                          Dict* memo = nullptr);

class DeepCopy;

/// For a `__deepcopy__(self, memo)` of ours: what was copied so far.
class CopyMemo {
 public:
  /// `memo`: what the method was given: a dict of the program's, None, or what deep_copy() hands to methods of ours,
  /// which fills no dict before one is asked for.
  CopyMemo(Interpreter& interpreter, const Value& memo);

  /// copy.deepcopy(part, memo).
  PyResult<Value> copy(const Value& part) const;
  /// The copy that there is of an object already; null: none, or deep_copy() has looked itself.
  const Value* find(const Value& original) const;
  void remember(const Value& original, const Value& made) const;
  /// As programs see it: copies by id().
  Dict& dict() const;

 private:
  Interpreter& interpreter_;
  // What hands the memo to methods of ours; null: a program.
  DeepCopy* running_ = nullptr;
  mutable Ref<Dict> dict_;
};

}  // namespace nns::object
