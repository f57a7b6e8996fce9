#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/events/channel.h"
#include "core/object/class.h"
#include "core/object/collector.h"
#include "core/object/finalizers.h"
#include "core/object/sequence.h"

namespace nns::object {

/// The names of names.def, interned.
struct Names {
#define NNS_NAME(id, text) Name id;
#include "core/object/names.def"
#undef NNS_NAME

  /// The methods of one operator; in_place is none for comparisons.
  struct Operator {
    Name method, reflected, in_place;
  };
  /// By BinaryOperator.
  std::array<Operator, 19> operators;
};

/// The classes that every program starts with.
struct Builtins {
  Class *object, *type, *none, *boolean, *integer, *floating, *str, *tuple, *list, *dict, *ordered_dict, *set,
      *function, *builtin_function, *method, *property, *static_method, *class_method, *getset, *weak_reference,
      *iterator, *dict_keys, *odict_keys, *dict_values, *odict_values, *dict_items, *odict_items, *generator, *slice,
      *complex_number, *bytes, *byte_array, *frozen_set, *range, *member;
  std::array<Class*, 96> exceptions;
  Class& exception(ErrorKind kind) const { return *exceptions[static_cast<std::size_t>(kind)]; }
};

/// One world of objects: its classes, its interned names, and what Python keeps in globals.
/// Several live side by side in one process and share nothing.
/// Lifetime: outlives its objects. Threads: one.
class Interpreter {
 public:
  Interpreter();
  ~Interpreter();
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  const Names& names() const { return names_; }
  const Builtins& builtins() const { return builtins_; }
  events::Channel& events() { return events_; }
  Collector& collector() { return collector_; }
  Finalizers& finalizers() { return finalizers_; }
  /// Tells of an exception that nobody can catch (Finalizers::on_unraisable).
  void tell_unraisable(const PyError& error, std::string_view doing, const Value& subject) {
    if (finalizers_.on_unraisable) finalizers_.on_unraisable(error, doing, subject);
  }
  /// The id of `object` for events and streams; never 0, never used twice.
  std::uint64_t id_of(const Object& object) { return weak_registry_.id_of(object); }

  /// The name with this text.
  Name intern(std::string_view text);
  /// The name with this text if anybody interned it: what was never a name is no attribute.
  Name find_name(std::string_view text) const;
  Name intern(Str& text) { return text.is_interned() ? Name(&text) : intern(text.view()); }

  /// New values.
  Ref<Str> str(std::string_view text);
  Value text(std::string_view text) { return str(text); }
  Ref<Tuple> tuple(std::vector<Value> items = {});
  Ref<List> list(std::vector<Value> items = {});
  Ref<Dict> dict();
  Ref<Dict> ordered_dict();
  Ref<Set> set();
  /// The real container for a Value of kind Empty.
  Value make_empty(EmptyKind kind);
  Ref<NativeFunction> function(std::string_view signature, NativeBody body);

  /// Python's NotImplemented: what a method of an operator returns when it does not know the other operand.
  const Value& not_implemented() const { return not_implemented_; }
  /// Python's `...`.
  const Value& ellipsis() const { return ellipsis_; }

  /// Makes a class that the interpreter owns until its end.
  Class& define_class(const ClassSpec& spec);

  /// type(value).
  Class& type_of(const Value& value) const;

  /// callable(*positional, **keywords).
  PyResult<Value> call(const Value& callable, std::span<const Value> positional,
                       std::span<const Keyword> keywords = {});
  PyResult<Value> call(const Value& callable, std::initializer_list<Value> positional) {
    return call(callable, std::span<const Value>(positional.begin(), positional.size()));
  }
  /// self.name(*rest), without making a bound method where that can be avoided.
  PyResult<Value> call_method(const Value& self, Name name, std::span<const Value> rest = {},
                              std::span<const Keyword> keywords = {});
  PyResult<Value> call_method(const Value& self, Name name, std::initializer_list<Value> rest) {
    return call_method(self, name, std::span<const Value>(rest.begin(), rest.size()));
  }

  /// type(self).name(self, *rest): what the language does for names with two underscores.
  /// Errors: AttributeError  the class has none.
  PyResult<Value> call_special(const Value& self, Name name, std::span<const Value> rest = {},
                               std::span<const Keyword> keywords = {});
  PyResult<Value> call_special(const Value& self, Name name, std::initializer_list<Value> rest) {
    return call_special(self, name, std::span<const Value>(rest.begin(), rest.size()));
  }

  /// Calls nested deeper than this raise RecursionError.
  static constexpr int kRecursionLimit = 1000;
  /// Counts one level of nesting for as long as it lives.
  class Depth {
   public:
    explicit Depth(Interpreter& interpreter) : interpreter_(interpreter) { ++interpreter_.depth_; }
    ~Depth() { --interpreter_.depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;
    bool too_deep() const { return interpreter_.depth_ > kRecursionLimit; }

   private:
    Interpreter& interpreter_;
  };
  PyError recursion_error();

  /// The containers whose texts are being made: one that holds itself is shown as "[...]" the second time.
  std::vector<const Object*>& shown_now() { return shown_now_; }

  /// The next id of a hook: one counter for all kinds of hooks, from 0.
  std::int64_t next_hook_id() { return hook_ids_++; }

  /// A warning that the program caused. Kept in order until somebody takes them.
  struct Warning {
    ErrorKind category;
    std::string text;
    /// Where the program was; empty and 0 where none ran.
    std::string file = {};
    std::string module = {};
    std::uint32_t line = 0;
  };
  /// Called with each warning before it is kept: who runs programs writes the place into it, and passes it on soon.
  std::function<void(Warning& warning)> on_warning;
  void warn(ErrorKind category, std::string text);
  bool has_warnings() const { return !warnings_.empty(); }
  std::vector<Warning> take_warnings() { return std::exchange(warnings_, {}); }

  /// What another folder keeps for each interpreter.
  class Extension {
   public:
    virtual ~Extension() = default;
  };
  enum class ExtensionSlot : std::uint8_t {
    Tensor,
    Ops,
    Modules,
    Autograd,
    Nn,
    Layers,
    Optim,
    Parallel,
    Python,
    Count
  };
  template <class T>
  T* extension() const {
    return static_cast<T*>(extensions_[static_cast<std::size_t>(T::kSlot)].get());
  }
  template <class T>
  T& extend(std::unique_ptr<T> extension) {
    T& made = *extension;
    extensions_[static_cast<std::size_t>(T::kSlot)] = std::move(extension);
    return made;
  }

 private:
  friend class Class;
  friend class Object;
  friend class Collector;
  friend class WeakReference;
  void make_builtin_classes();
  void insert_interned(Str& str);

  events::Channel events_;
  Collector collector_;
  Finalizers finalizers_;
  WeakRegistry weak_registry_;
  std::vector<Str*> interned_;
  std::size_t interned_count_ = 0;
  Names names_;
  Builtins builtins_{};
  Value not_implemented_;
  Value ellipsis_;
  /// Owned; they outlive all other objects.
  std::vector<Class*> owned_classes_;
  std::array<std::unique_ptr<Extension>, static_cast<std::size_t>(ExtensionSlot::Count)> extensions_;
  std::int64_t hook_ids_ = 0;
  int depth_ = 0;
  std::vector<const Object*> shown_now_;
  std::vector<Warning> warnings_;
};

inline Interpreter& Object::interpreter() const { return class_->interpreter(); }

}  // namespace nns::object
