#pragma once

#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace nns::object {

class Class;
class Dict;
class Interpreter;
class Name;
class Value;
struct Arguments;
template <class T>
class PyResult;

/// The C++ types that are told apart without a dynamic_cast. A C++ class derived from one of them keeps its kind.
enum class ObjectKind : std::uint8_t {
  Other,
  Str,
  Tuple,
  List,
  Dict,
  Set,
  Class,
  NativeFunction,
  Tensor,
  Module,
  BigInt,
  Number,
  Complex,
  Bytes,
  Range,
  Iterator,
};

/// What a class attribute does when it is read through an instance.
enum class DescriptorKind : std::uint8_t {
  /// Nothing: it is the value.
  None,
  /// It becomes a method, which calls it with the instance in front.
  Method,
  /// It computes a value; an entry of the instance's __dict__ hides it.
  NonData,
  /// It computes a value and takes assignments; it hides entries of the instance's __dict__.
  Data,
};

/// What every object of the modelled language has: a class and a count of references.
/// Lifetime: an object dies when its last reference goes, at once, or once it is finalized (finalizers.h). Its
/// Interpreter outlives it.
/// Threads: one, that of its interpreter; the count is not atomic.
class Object {
 public:
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  /// Python's type(self).
  Class& type() const { return *class_; }
  Interpreter& interpreter() const;

  void retain() const noexcept { ++references_; }
  void release() const noexcept {
    if (--references_ == 0) destroy();
  }
  std::uint32_t reference_count() const { return references_; }

  ObjectKind kind() const { return object_kind_; }

  /// The instance's __dict__, or null where instances of this kind have none. `create`: make it if it is not there yet.
  virtual Dict* instance_dict(bool create);

  /// Calls the object. Errors: TypeError  its class has no __call__.
  virtual PyResult<Value> call(const Arguments& arguments);

  /// How this object behaves as a class attribute that is read through an instance.
  virtual DescriptorKind descriptor_kind() const;
  /// Its value for `self` (Absent: read through the class `owner`): what __get__ gives.
  virtual PyResult<Value> bind(const Value& self, Class& owner);
  /// What an assignment to attribute `name` of `self` does where the class has this data descriptor under that name;
  /// Absent deletes. Errors: AttributeError  it takes no assignments or no deletions.
  virtual PyResult<void> assign(const Value& self, Name name, const Value& value);

  /// Whether it has something to do before it dies, where its class has_finalizer().
  virtual bool needs_finalizer() const { return true; }
  /// Does that: calls __del__. It may bring the object back; it is called once. Exceptions are told, as unraisable
  /// ones.
  virtual void finalize();

  /// Changes the class, as `self.__class__ = cls` does. Must hold: instances of both have one layout.
  void set_type(Class& cls);

 protected:
  /// Takes a reference to `cls`.
  explicit Object(Class& cls, ObjectKind kind = ObjectKind::Other) noexcept;
  /// For the class objects that an interpreter starts with: their class is set later.
  explicit Object(ObjectKind kind) noexcept : object_kind_(kind) {}
  virtual ~Object();

 private:
  friend class Interpreter;
  friend class Class;
  friend class Collector;
  friend class Container;
  friend class Finalizers;
  friend class WeakRegistry;
  friend class WeakReference;
  void destroy() const noexcept;

  Class* class_ = nullptr;
  mutable std::uint32_t references_ = 0;
  /// Something outside is keyed by this object's address: weak references, or the id of what is no container.
  mutable bool has_registrations_ = false;
  bool is_container_ = false;
  ObjectKind object_kind_ = ObjectKind::Other;
  /// finalize() was called.
  mutable bool finalized_ : 1 = false;

 protected:
  /// A Str that stands in the table of interned names.
  mutable bool interned_ : 1 = false;
};

/// A counted reference to an Object of type T, or none.
template <class T>
class Ref {
 public:
  Ref() noexcept = default;
  Ref(std::nullptr_t) noexcept {}
  explicit Ref(T* object) noexcept : object_(object) {
    if (object_ != nullptr) object_->retain();
  }
  Ref(const Ref& other) noexcept : Ref(other.object_) {}
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  template <class U>
  requires std::convertible_to<U*, T*> Ref(const Ref<U>& other)
  noexcept : Ref(static_cast<T*>(other.get())) {}
  template <class U>
  requires std::convertible_to<U*, T*> Ref(Ref<U>&& other)
  noexcept : object_(other.detach()) {}
  ~Ref() {
    if (object_ != nullptr) object_->release();
  }
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }

  T* get() const { return object_; }
  T& operator*() const {
    assert(object_ != nullptr);
    return *object_;
  }
  T* operator->() const {
    assert(object_ != nullptr);
    return object_;
  }
  explicit operator bool() const { return object_ != nullptr; }
  friend bool operator==(const Ref& a, const Ref& b) { return a.object_ == b.object_; }

  /// Gives the reference away without dropping it.
  T* detach() noexcept { return std::exchange(object_, nullptr); }

 private:
  T* object_ = nullptr;
};

/// Makes an object of C++ type T and owns it.
template <class T, class... Args>
Ref<T> make(Args&&... args) {
  return Ref<T>(new T(std::forward<Args>(args)...));
}

/// Which kind of empty container a Value stands for.
enum class EmptyKind : std::uint8_t { Dict, OrderedDict, Set };

/// One value of the modelled language: None, bool, int and float in place, everything else by counted reference.
/// An int that does not fit into 64 bits is an Object: BigInt.
class Value {
 public:
  enum class Kind : std::uint8_t {
    /// No value at all: an argument that was not given, a name that was not found.
    Absent,
    None,
    Bool,
    Int,
    Float,
    /// An empty container that nobody has looked at yet. Only inside a Dict, which makes it real when it is read.
    Empty,
    Object,
  };

  /// None.
  Value() noexcept : kind_(Kind::None) { payload_.integer = 0; }
  static Value absent() noexcept { return Value(Kind::Absent); }
  static Value empty(EmptyKind kind) noexcept {
    Value value(Kind::Empty);
    value.payload_.integer = static_cast<std::int64_t>(kind);
    return value;
  }

  template <std::same_as<bool> B>
  Value(B boolean) noexcept : kind_(Kind::Bool) {
    payload_.integer = boolean ? 1 : 0;
  }
  template <std::integral I>
  requires(!std::same_as<I, bool>) Value(I integer)
  noexcept : kind_(Kind::Int) { payload_.integer = static_cast<std::int64_t>(integer); }
  template <std::floating_point F>
  Value(F number) noexcept : kind_(Kind::Float) {
    payload_.number = static_cast<double>(number);
  }
  template <class T>
  requires std::derived_from<T, Object> Value(Ref<T> object)
  noexcept : kind_(object ? Kind::Object : Kind::None) {
    payload_.integer = 0;
    payload_.object = object.detach();
  }
  explicit Value(Object* object) noexcept : kind_(object != nullptr ? Kind::Object : Kind::None) {
    payload_.integer = 0;
    payload_.object = object;
    if (object != nullptr) object->retain();
  }
  explicit Value(const void*) = delete;

  Value(const Value& other) noexcept : kind_(other.kind_), payload_(other.payload_) {
    if (kind_ == Kind::Object) payload_.object->retain();
  }
  Value(Value&& other) noexcept : kind_(other.kind_), payload_(other.payload_) { other.kind_ = Kind::None; }
  Value& operator=(const Value& other) noexcept {
    Value copy(other);
    swap(copy);
    return *this;
  }
  Value& operator=(Value&& other) noexcept {
    Value taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~Value() {
    if (kind_ == Kind::Object) payload_.object->release();
  }
  void swap(Value& other) noexcept {
    std::swap(kind_, other.kind_);
    std::swap(payload_, other.payload_);
  }

  Kind kind() const { return kind_; }
  bool is_absent() const { return kind_ == Kind::Absent; }
  bool is_none() const { return kind_ == Kind::None; }
  bool is_bool() const { return kind_ == Kind::Bool; }
  bool is_int() const { return kind_ == Kind::Int; }
  bool is_float() const { return kind_ == Kind::Float; }
  bool is_empty_container() const { return kind_ == Kind::Empty; }
  bool is_object() const { return kind_ == Kind::Object; }

  /// Must hold: the value has that kind; as_int also takes a bool.
  bool as_bool() const {
    assert(is_bool());
    return payload_.integer != 0;
  }
  std::int64_t as_int() const {
    assert(is_int() || is_bool());
    return payload_.integer;
  }
  double as_float() const {
    assert(is_float());
    return payload_.number;
  }
  EmptyKind as_empty_kind() const {
    assert(is_empty_container());
    return static_cast<EmptyKind>(payload_.integer);
  }
  /// The object, or null if the value is none.
  Object* object() const { return kind_ == Kind::Object ? payload_.object : nullptr; }
  /// The object if it is a T of C++, else null.
  template <class T>
  T* as() const {
    if (kind_ != Kind::Object) return nullptr;
    if constexpr (requires { T::kKind; }) {
      return payload_.object->kind() == T::kKind ? static_cast<T*>(payload_.object) : nullptr;
    } else {
      return dynamic_cast<T*>(payload_.object);
    }
  }

  /// Python's `a is b`, for values in place also equality of kind and content.
  bool is(const Value& other) const { return kind_ == other.kind_ && payload_.integer == other.payload_.integer; }

 private:
  explicit Value(Kind kind) noexcept : kind_(kind) { payload_.integer = 0; }

  Kind kind_;
  union Payload {
    std::int64_t integer;
    double number;
    Object* object;
  } payload_;
};

static_assert(sizeof(Value) == 16);

}  // namespace nns::object
