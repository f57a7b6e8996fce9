#pragma once

#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/object/dict.h"
#include "core/object/function.h"

namespace nns::object {

/// Makes an instance of a class, without running __init__: what __new__ does.
using InstanceMaker = Ref<Object> (*)(Class&);

/// What a new class is made of.
struct ClassSpec {
  std::string_view name;
  /// "torch.nn.modules.linear"; "builtins" is not shown in texts.
  std::string_view module = "__main__";
  /// Empty: object.
  std::vector<Class*> bases = {};
  /// Null: that of the base whose instances have the largest layout.
  InstanceMaker make_instance = nullptr;
  /// The class of the class; null: the most derived one of those of the bases.
  Class* metaclass = nullptr;
  /// Whether instances have a __dict__ of their own, beside what bases give: a class with __slots__ has none.
  bool has_dict = true;
};

/// A class: bases, method resolution order, attributes.
/// Behaviour: CPython Objects/typeobject.c.
class Class final : public Container {
 public:
  static constexpr ObjectKind kKind = ObjectKind::Class;

  /// Errors: TypeError  a base twice; no consistent order; bases whose instances have different layouts; a metaclass
  /// that is not derived from those of all bases.
  static PyResult<Ref<Class>> make(Interpreter& interpreter, const ClassSpec& spec);

  Interpreter& interpreter() const { return *interpreter_; }
  std::string_view name() const { return name_; }
  std::string_view module() const { return module_; }
  /// "torch.nn.modules.linear.Linear"; of builtins only the name.
  std::string full_name() const;
  void rename(std::string_view name) { name_ = name; }
  /// __qualname__: "Outer.Inner", "make.<locals>.Inner".
  std::string_view qualified_name() const { return qualified_name_.empty() ? name_ : qualified_name_; }
  void set_qualified_name(std::string_view name) { qualified_name_ = name; }
  void set_module(std::string_view module) { module_ = module; }

  std::span<const Ref<Class>> bases() const { return bases_; }
  /// The class itself, then where its attributes are looked up further.
  std::span<Class* const> mro() const { return mro_; }
  bool is_subclass_of(const Class& other) const;
  /// The classes directly derived from it, oldest first.
  std::span<Class* const> subclasses() const { return subclasses_; }
  /// Whether a program may not change its attributes: int, list, ValueError.
  bool is_immutable() const { return immutable_; }

  /// Whether instances have a __dict__, where their layout has room for one.
  bool instances_have_dict() const { return instances_have_dict_; }
  /// How many places its instances have for __slots__, those of the bases first.
  std::size_t slot_count() const { return slot_count_; }
  /// Adds one more place and gives its number. Must hold: there are no instances yet.
  std::size_t add_slot() { return slot_count_++; }
  /// Whether dict keys of this class are told apart by more than identity: the class has its own __eq__ or __hash__.
  bool has_own_equality() const {
    if (equality_ == Equality::Unknown) find_equality();
    return equality_ == Equality::Own;
  }

  /// Whether its instances may have something to do before they die: a __del__, or what finalizes_instances() says.
  bool has_finalizer() const {
    if (finalizer_ == Finalizer::Unknown) [[unlikely]]
      find_finalizer();
    return finalizer_ == Finalizer::There;
  }
  /// For classes of C++ whose instances have a way of their own: Object::finalize().
  void finalizes_instances() {
    has_own_finalizer_ = true;
    finalizer_ = Finalizer::There;
  }

  /// The attribute as the first class of the order has it, or null. No descriptor is asked.
  /// The pointer is valid until a class is changed. Cost: one probe of a table after the first time.
  const Value* lookup(Name name) const {
    const CacheEntry& entry = cache_[static_cast<std::size_t>(name.str().hash()) & cache_mask_];
    if (entry.name == &name.str()) return entry.found;
    return lookup_slowly(name);
  }
  /// The same, but only in the classes after `after`: what super() does.
  const Value* lookup_after(Name name, const Class& after) const;

  /// The attributes of this class alone. To change them use set_attribute and delete_attribute.
  const Dict& attributes() const { return *attributes_; }
  Dict& attributes_for_reading() { return *attributes_; }
  void set_attribute(Name name, Value value);
  bool delete_attribute(Name name);

  /// Adds a method, e.g. `def("add_module(self, name, module)", body)`: name, parameters and defaults as in Python.
  Class& def(std::string_view signature, NativeBody body);
  /// Adds a property with a getter and, if given, a setter.
  Class& property(std::string_view name, NativeGetter getter, NativeSetter setter = nullptr);
  Class& def_static(std::string_view signature, NativeBody body);
  Class& def_class(std::string_view signature, NativeBody body);
  Class& attribute(std::string_view name, Value value);

  /// Bits that others derive from this class's attributes and want to find again quickly; 0 after every change of the
  /// class or of one that it looks attributes up in.
  std::uint32_t derived_facts() const { return derived_facts_; }
  void remember_facts(std::uint32_t facts) const { derived_facts_ = facts; }

  InstanceMaker make_instance() const { return make_instance_; }
  /// Whether instances obey `class` in isinstance by more than their class (metaclass __instancecheck__).
  using InstanceCheck = bool (*)(const Value&);
  void set_instance_check(InstanceCheck check) { instance_check_ = check; }
  InstanceCheck instance_check() const { return instance_check_; }

  PyResult<Value> call(const Arguments& arguments) override;
  /// An empty instance: what object.__new__ gives.
  /// Errors: TypeError  the class makes none, or it is abstract.
  PyResult<Value> new_instance();
  /// type.__call__: an instance from __new__, then __init__.
  PyResult<Value> construct(const Arguments& arguments);
  void traverse(Visitor& visitor) const override;
  void clear_references() override;

 private:
  friend class Interpreter;
  struct CacheEntry {
    const Str* name = nullptr;
    const Value* found = nullptr;
  };
  Class(Interpreter& interpreter, Collector& collector, std::string_view name, std::string_view module);
  ~Class() override;
  const Value* lookup_slowly(Name name) const;
  PyResult<void> set_bases(std::span<Class* const> bases, InstanceMaker maker);
  void forget_lookups();
  void find_equality() const;
  void find_finalizer() const;
  void leave_bases();

  Interpreter* interpreter_;
  std::string name_;
  std::string qualified_name_;
  std::string module_;
  std::vector<Ref<Class>> bases_;
  /// The entries behind the first are kept alive by bases_.
  std::vector<Class*> mro_;
  std::vector<Class*> subclasses_;
  Ref<Dict> attributes_;
  InstanceMaker make_instance_ = nullptr;
  InstanceCheck instance_check_ = nullptr;
  enum class Equality : std::uint8_t { Unknown, Identity, Own };
  mutable Equality equality_ = Equality::Unknown;
  enum class Finalizer : std::uint8_t { Unknown, None, There };
  mutable Finalizer finalizer_ = Finalizer::Unknown;
  bool has_own_finalizer_ = false;
  bool immutable_ = false;
  bool instances_have_dict_ = true;
  std::size_t slot_count_ = 0;
  mutable std::vector<CacheEntry> cache_;
  mutable std::uint32_t derived_facts_ = 0;
  mutable std::size_t cache_mask_ = 0;
};

/// The most derived one of `given` (null: type) and the classes of the bases.
/// Errors: TypeError  metaclass conflict: none is derived from all others.
PyResult<Class*> derived_metaclass(Interpreter& interpreter, Class* given, std::span<Class* const> bases);

/// The C3 order of a class with these bases, without the class itself.
/// Errors: TypeError with CPython's text when there is none.
PyResult<std::vector<Class*>> merge_mro(Interpreter& interpreter, std::span<Class* const> bases);

}  // namespace nns::object
