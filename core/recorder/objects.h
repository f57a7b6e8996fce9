#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/object/interpreter.h"
#include "core/tensor/tensor.h"
#include "core/trace/trace.h"

namespace nns::recorder {

/// Looks into the objects of a program for a Trace: what they hold when they are first seen, and what has changed when
/// something may have changed them. Keeps none of them alive and runs no code of the program.
class Objects {
 public:
  Objects(object::Interpreter& interpreter, trace::Trace& trace);
  ~Objects();
  Objects(const Objects&) = delete;
  Objects& operator=(const Objects&) = delete;

  /// The value as it is kept; an object that was not seen before is looked into, and what hangs on it.
  trace::Shown shown(const object::Value& value) {
    const trace::Shown quick = quickly_shown(value);
    return quick == trace::Shown() ? shown_slowly(value) : quick;
  }
  /// Something may have changed the object, or a container that lies in it: what it holds now holds from `since` on.
  void look_again(const object::Value& value, trace::EventId since);
  /// The same where only that attribute, item or the end of a list was written. `slot`: where in the holder's own dict
  /// the attribute probably lies.
  void look_at_attribute(const object::Value& holder, object::Name name, std::size_t slot, trace::EventId since);
  void look_at_item(const object::Value& holder, const object::Value& key, trace::EventId since);
  void look_at_end(const object::Value& list, trace::EventId since);
  /// The same where list.pop() or list.insert() was called with these arguments behind the list. False: it does not
  /// look so, and the list has to be looked at again.
  bool look_at_removed(const object::Value& list, std::span<const object::Value> arguments, trace::EventId since);
  bool look_at_inserted(const object::Value& list, std::span<const object::Value> arguments, trace::EventId since);
  /// The same where a dict was written: if it is the __dict__ of an object, that one has changed.
  void look_at_owner(object::Dict& dict, trace::EventId since);
  /// Gradients and values of parameters may have changed: those that have are looked into.
  void look_at_parameters();
  /// The number of an object that an event names.
  trace::ObjectId of_event(const events::Subject& subject);
  /// The number of an object that was seen; kNone: it was not.
  trace::ObjectId known(const object::Object& one) const {
    const std::uint64_t id = in_.id_of(one);
    return id < numbers_.size() ? numbers_[static_cast<std::size_t>(id)] : trace::kNone;
  }
  /// Must hold: the name is one of a code that is kept.
  trace::TextId text(object::Name name) {
    const object::Str* const key = &name.str();
    Known& known = known_names_[(reinterpret_cast<std::uintptr_t>(key) >> 5U) % kKnownNames];
    if (known.name != key) known = {key, trace_.add_text(name.view())};
    return known.text;
  }

 private:
  /// Numbers, and objects that were looked into; Absent for others.
  trace::Shown quickly_shown(const object::Value& value) const {
    using object::ObjectKind;
    if (value.is_float()) return trace::Shown::number(value.as_float());
    if (value.is_int()) {
      return trace::Shown::fits(value.as_int()) ? trace::Shown::integer(value.as_int()) : trace::Shown();
    }
    if (!value.is_object()) return {};
    const object::Object& one = *value.object();
    // What has been looked into does not print itself; of the others nobody asks for a number.
    constexpr auto kBit = [](ObjectKind kind) { return 1U << static_cast<std::uint32_t>(kind); };
    constexpr std::uint32_t kNumbered = kBit(ObjectKind::Other) | kBit(ObjectKind::Tuple) | kBit(ObjectKind::List) |
                                        kBit(ObjectKind::Dict) | kBit(ObjectKind::Set) | kBit(ObjectKind::Class) |
                                        kBit(ObjectKind::Tensor) | kBit(ObjectKind::Module);
    if ((kBit(one.kind()) & kNumbered) == 0) return {};
    const trace::ObjectId id = known(one);
    return id != trace::kNone && trace_.object(id).head != 0 ? trace::Shown::of(trace::Shown::Kind::Object, id)
                                                             : trace::Shown();
  }
  trace::Shown shown_slowly(const object::Value& value);
  /// The number of an object; new ones are put on the list of what is to be looked into.
  trace::ObjectId number(object::Object& one);
  void look_into_pending();
  void look_into(object::Object& one, trace::ObjectId id, trace::EventId since);
  /// What the object holds now, into fields_ and total_.
  void read(object::Object& one, trace::ObjectKind kind);
  void read_items(std::span<const object::Value> items);
  void read_dict(object::Dict& dict, std::size_t most);
  void read_attributes(object::Object& one, trace::ObjectKind kind);
  void read_attributes(object::Dict& own, trace::ObjectKind kind);
  void read_class(object::Class& cls);
  void read_tensor(const tensor::Tensor& one);
  void add_field(std::string_view key, trace::Shown value);
  trace::ObjectKind kind_of(const object::Object& one) const;
  trace::Shown literal(std::string_view text);
  /// A key of a dict: equal texts are one.
  trace::Shown shown_key(const object::Value& key);
  /// The value that one entry holds from `since` on; what hangs on it holds from then on, too.
  trace::Shown shown_since(const object::Value& value, trace::EventId since);
  void write_item(object::List& list, trace::ObjectId id, std::size_t at, trace::EventId since);
  /// Whether all that is kept of it lies in its __dict__.
  static bool is_its_dict(const object::Object& one, trace::ObjectKind kind);
  void remember_owner(const object::Dict& own, trace::ObjectId owner);

  object::Interpreter& in_;
  trace::Trace& trace_;
  /// By the interpreter's ids, which are given in order.
  std::vector<trace::ObjectId> numbers_;
  /// Whose __dict__ a dict is, by the interpreter's id of the dict, and the id of that dict by object.
  std::vector<trace::ObjectId> owners_;
  std::vector<std::uint64_t> own_dicts_;
  struct Pending {
    object::Object* one;
    trace::ObjectId id;
  };
  std::vector<Pending> pending_;
  std::vector<bool> is_waiting_;  ///< by object: it is among these
  bool is_looking_ = false;
  struct Known {
    const object::Str* name = nullptr;
    trace::TextId text = 0;
  };
  static constexpr std::size_t kKnownNames = 1024;
  std::vector<Known> known_names_ = std::vector<Known>(kKnownNames);
  /// Keys of dicts, by their hash.
  std::vector<trace::TextId> known_keys_ = std::vector<trace::TextId>(kKnownNames, 0);
  trace::EventId since_ = 0;
  std::vector<trace::Shown> fields_;
  std::uint64_t total_ = 0;
  /// Parameters that were seen, without keeping them.
  struct Watched {
    object::Ref<object::WeakReference> reference;
    std::uint64_t version = 0;
    const tensor::Tensor* grad = nullptr;
    std::uint64_t grad_version = 0;
  };
  std::vector<Watched> watched_;
};

}  // namespace nns::recorder
