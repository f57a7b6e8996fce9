#include "core/object/hash.h"

#include <bit>

#include "core/object/builtin_operators.h"
#include "core/object/bytes.h"
#include "core/object/iterator.h"
#include "core/object/numbers.h"
#include "core/object/operations.h"
#include "core/object/range.h"

namespace nns::object {
namespace {

constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15U;

// The inverse of an odd number modulo 2**64, by Newton's steps.
constexpr std::uint64_t inverse_of(std::uint64_t odd) {
  std::uint64_t inverse = odd;
  for (int step = 0; step < 6; ++step) inverse *= 2 - odd * inverse;
  return inverse;
}

// A text is indexed by its own hash; hash() of it is what scramble_hash makes that of.
std::int64_t text_hash(std::uint64_t own) {
  const std::uint64_t bits = (own ^ (own >> 32U)) * inverse_of(kMultiplier);
  return static_cast<std::int64_t>(bits);
}

std::int64_t identity_hash(const Object* object) {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(object) >> 4U);
}

// Behaviour: CPython Objects/tupleobject.c, tuple_hash (xxHash's rounds over the items' hashes).
class TupleHash {
 public:
  void add(std::int64_t item) {
    accumulated_ += static_cast<std::uint64_t>(item) * 14029467366897019727U;
    accumulated_ = std::rotl(accumulated_, 31) * 11400714785074694791U;
    ++count_;
  }
  std::int64_t result() const {
    const std::uint64_t hash = accumulated_ + (count_ ^ (kStart ^ 3527539U));
    return hash == ~std::uint64_t{0} ? 1546275796 : static_cast<std::int64_t>(hash);
  }

 private:
  static constexpr std::uint64_t kStart = 2870177450012600261U;
  std::uint64_t accumulated_ = kStart;
  std::uint64_t count_ = 0;
};

// Behaviour: CPython Objects/setobject.c, frozenset_hash: no matter in which order.
class SetHash {
 public:
  explicit SetHash(std::size_t size) : size_(size) {}
  void add(std::int64_t item) {
    const auto bits = static_cast<std::uint64_t>(item);
    mixed_ ^= ((bits ^ 89869747U) ^ (bits << 16U)) * 3644798167U;
  }
  std::int64_t result() const {
    std::uint64_t hash = mixed_ ^ ((static_cast<std::uint64_t>(size_) + 1) * 1927868237U);
    hash ^= (hash >> 11U) ^ (hash >> 25U);
    hash = hash * 69069U + 907133923U;
    return hash == ~std::uint64_t{0} ? 590923713 : static_cast<std::int64_t>(hash);
  }

 private:
  std::size_t size_;
  std::uint64_t mixed_ = 0;
};

std::int64_t range_hash(const Range& range) {
  TupleHash hash;
  hash.add(static_cast<std::int64_t>(range.size()));
  hash.add(range.size() == 0 ? plain_hash(Value()) : plain_hash(Value(range.start())));
  hash.add(range.size() <= 1 ? plain_hash(Value()) : plain_hash(Value(range.step())));
  return hash.result();
}

bool is_frozen(const Set& set) { return set.type().is_subclass_of(*set.interpreter().builtins().frozen_set); }

PyError unhashable(Interpreter& in, const Value& value) {
  return type_error(in, "unhashable type: '{}'", in.type_of(value).name());
}

}  // namespace

std::uint64_t scramble_hash(std::int64_t hash) {
  const std::uint64_t bits = static_cast<std::uint64_t>(hash) * kMultiplier;
  return bits ^ (bits >> 32U);
}

namespace {

// Keys that are nested deeper go the way of those whose methods are asked, which counts the levels.
constexpr int kPlainLevels = 64;

bool is_plain_within(const Value& key, int levels) {
  if (!key.is_object()) return true;
  const Object& object = *key.object();
  switch (object.kind()) {
    case ObjectKind::Tensor:
    case ObjectKind::BigInt:
    case ObjectKind::NativeFunction:
      return true;
    case ObjectKind::List:
    case ObjectKind::Dict:
      return false;
    case ObjectKind::Bytes:
      return !key.as<Bytes>()->is_array();
    case ObjectKind::Tuple:
      if (levels == 0 || object.type().has_own_equality()) return false;
      for (const Value& item : key.as<Tuple>()->items()) {
        if (!is_plain_within(item, levels - 1)) return false;
      }
      return true;
    case ObjectKind::Set:
      if (levels == 0 || object.type().has_own_equality() || !is_frozen(*key.as<Set>())) return false;
      for (std::size_t at = 0; Dict::Entry* entry = key.as<Set>()->keys().next(at);) {
        if (!is_plain_within(entry->key, levels - 1)) return false;
      }
      return true;
    case ObjectKind::Other:
      // Python's own that are compared by their parts, or not hashable at all.
      if (object.type().has_own_equality()) return false;
      // Instances of a program's classes are none of these, and asking for them takes long.
      if (!object.type().is_immutable()) return true;
      return key.as<Slice>() == nullptr && key.as<DictView>() == nullptr && key.as<BoundMethod>() == nullptr;
    default:
      return !object.type().has_own_equality();
  }
}

}  // namespace

bool is_plain_key(const Value& key) {
  if (!key.is_object()) return true;
  if (key.object()->kind() == ObjectKind::Str) return !key.object()->type().has_own_equality();
  return is_plain_within(key, kPlainLevels);
}

std::int64_t plain_hash(const Value& key) {
  constexpr std::int64_t kNone = 0xFCA86420;
  if (!key.is_object()) {
    return key.is_int() || key.is_bool() || key.is_float() ? number_hash(key) : kNone;
  }
  switch (key.object()->kind()) {
    case ObjectKind::Str:
      return text_hash(key.as<Str>()->hash());
    case ObjectKind::BigInt:
    case ObjectKind::Complex:
    case ObjectKind::Number:
      return number_hash(plain_number(key));
    case ObjectKind::Bytes:
      return text_hash(hash_bytes(key.as<Bytes>()->view()));
    case ObjectKind::Range:
      return range_hash(*key.as<Range>());
    case ObjectKind::Tuple: {
      TupleHash hash;
      for (const Value& item : key.as<Tuple>()->items()) hash.add(plain_hash(item));
      return hash.result();
    }
    case ObjectKind::Set: {
      if (!is_frozen(*key.as<Set>())) return identity_hash(key.object());
      SetHash hash(key.as<Set>()->size());
      for (std::size_t at = 0; Dict::Entry* entry = key.as<Set>()->keys().next(at);) hash.add(plain_hash(entry->key));
      return hash.result();
    }
    default:
      return identity_hash(key.object());
  }
}

std::uint64_t hash_key(const Value& key) {
  if (const Str* text = key.as<Str>()) return text->hash();
  // Below the modulus of integer_hash a number is its own hash.
  constexpr std::int64_t kOwnHash = std::int64_t{1} << 60U;
  if (key.is_int() && key.as_int() > -1 && key.as_int() < kOwnHash) return scramble_hash(key.as_int());
  return scramble_hash(plain_hash(key));
}

bool equal_keys(const Value& a, const Value& b) {
  if (a.is(b)) return true;
  if (const Str* text = a.as<Str>()) {
    const Str* other = b.as<Str>();
    return other != nullptr && text->view() == other->view();
  }
  const Value &x = plain_number(a), &y = plain_number(b);
  if (is_plain_number(x)) return is_plain_number(y) && numbers_equal(x, y);
  if (!a.is_object() || !b.is_object() || a.object()->kind() != b.object()->kind()) return false;
  if (const Tuple* tuple = a.as<Tuple>()) {
    const Tuple* other = b.as<Tuple>();
    if (other->size() != tuple->size()) return false;
    for (std::size_t i = 0; i < tuple->size(); ++i) {
      if (!equal_keys((*tuple)[i], (*other)[i])) return false;
    }
    return true;
  }
  if (const Bytes* bytes = a.as<Bytes>()) return bytes->view() == b.as<Bytes>()->view();
  if (const Range* range = a.as<Range>()) return *range == *b.as<Range>();
  if (Set* set = a.as<Set>()) {
    const Set* other = b.as<Set>();
    if (set->size() != other->size()) return false;
    for (std::size_t at = 0; Dict::Entry* entry = set->keys().next(at);) {
      if (!other->contains(entry->key)) return false;
    }
    return true;
  }
  return false;
}

// Behaviour: CPython Objects/object.c, PyObject_Hash.
PyResult<std::int64_t> hash(Interpreter& in, const Value& value) {
  if (is_plain_key(value)) return plain_hash(value);
  const Interpreter::Depth depth(in);
  if (depth.too_deep()) return in.recursion_error();
  Class& cls = in.type_of(value);
  const Value* method = cls.lookup(in.names().dunder_hash);
  if (method == nullptr || method->is_none()) return unhashable(in, value);
  if (!cls.is_immutable() || &cls == in.builtins().weak_reference) {
    NNS_TRY_ASSIGN(const Value answer, in.call_special(value, in.names().dunder_hash));
    const Value& number = plain_number(answer);
    if (!is_integer(number)) return type_error(in, "__hash__ method should return an integer");
    if (number.as<BigInt>() != nullptr) return integer_hash(number);
    return number.as_int() == -1 ? -2 : number.as_int();
  }
  return builtin_hash(in, value);
}

PyResult<std::int64_t> builtin_hash(Interpreter& in, const Value& value) {
  if (!value.is_object()) return plain_hash(value);
  switch (value.object()->kind()) {
    case ObjectKind::List:
    case ObjectKind::Dict:
      return unhashable(in, value);
    case ObjectKind::Bytes:
      if (value.as<Bytes>()->is_array()) return unhashable(in, value);
      return plain_hash(value);
    case ObjectKind::Tuple: {
      TupleHash hash;
      for (const Value& item : value.as<Tuple>()->items()) {
        NNS_TRY_ASSIGN(const std::int64_t one, object::hash(in, item));
        hash.add(one);
      }
      return hash.result();
    }
    case ObjectKind::Set: {
      if (!is_frozen(*value.as<Set>())) return unhashable(in, value);
      SetHash hash(value.as<Set>()->size());
      for (const Value& item : value.as<Set>()->keys().keys()) {
        NNS_TRY_ASSIGN(const std::int64_t one, object::hash(in, item));
        hash.add(one);
      }
      return hash.result();
    }
    case ObjectKind::Other:
      if (const DictView* view = value.as<DictView>(); view != nullptr && view->what() != DictView::What::Values) {
        return unhashable(in, value);
      }
      if (const Slice* slice = value.as<Slice>()) {
        return object::hash(in, in.tuple({slice->start(), slice->stop(), slice->step()}));
      }
      if (const BoundMethod* method = value.as<BoundMethod>()) {
        return plain_hash(method->function()) ^ identity_hash(method->self().object());
      }
      return identity_hash(value.object());
    default:
      return plain_hash(value);
  }
}

PyResult<void> require_hashable(Interpreter& interpreter, const Value& value) {
  if (is_plain_key(value)) return {};
  NNS_TRY(hash(interpreter, value));
  return {};
}

}  // namespace nns::object
