#include "core/recorder/objects.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <typeinfo>

#include "core/nn/module.h"
#include "core/object/bytes.h"
#include "core/object/function.h"
#include "core/object/instance.h"
#include "core/object/numbers.h"
#include "core/object/operations.h"
#include "core/ops/node.h"
#include "core/python/eval/machine.h"

namespace nns::recorder {

namespace {

using object::Class;
using object::Dict;
using object::Object;
using object::Value;
using trace::kNone;
using trace::ObjectId;
using trace::ObjectKind;
using trace::Shown;

/// Values of a tensor that are kept with each of its versions.
constexpr std::int64_t kTensorValues = 16;
/// What one look may find that was never seen: what hangs deeper waits for another look.
constexpr std::size_t kMostNewObjects = 20'000;
/// A bytes object is shown up to here.
constexpr std::size_t kMostBytes = 200;

// Whether it is an Instance and nothing that derives from it, as most objects of programs are: told without a cast.
bool is_plain_instance(const Object& one) { return &typeid(one) == &typeid(object::Instance); }

}  // namespace

Objects::Objects(object::Interpreter& interpreter, trace::Trace& trace) : in_(interpreter), trace_(trace) {}

Objects::~Objects() = default;

Shown Objects::literal(std::string_view text) { return Shown::of(Shown::Kind::Literal, trace_.add_value_text(text)); }

ObjectKind Objects::kind_of(const Object& one) const {
  switch (one.kind()) {
    case object::ObjectKind::List:
      return ObjectKind::List;
    case object::ObjectKind::Tuple:
      return ObjectKind::Tuple;
    case object::ObjectKind::Dict:
      return ObjectKind::Dict;
    case object::ObjectKind::Set:
      return ObjectKind::Set;
    case object::ObjectKind::Class:
      return ObjectKind::Class;
    case object::ObjectKind::Tensor:
      return ObjectKind::Tensor;
    case object::ObjectKind::Module:
      return ObjectKind::Module;
    default:
      break;
  }
  if (is_plain_instance(one)) return ObjectKind::Instance;
  const python::Machine::Classes& classes = python::Machine::of(in_).classes;
  const Class* const cls = &one.type();
  if (cls == in_.builtins().function) return ObjectKind::Function;
  if (cls == in_.builtins().method) return ObjectKind::Method;
  if (cls == classes.module) return ObjectKind::PythonModule;
  if (dynamic_cast<const object::Instance*>(&one) != nullptr) return ObjectKind::Instance;
  return ObjectKind::Other;
}

Shown Objects::shown_slowly(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::Absent:
      return {};
    case Value::Kind::None:
      return Shown::of(Shown::Kind::None);
    case Value::Kind::Bool:
      return Shown::of(Shown::Kind::Bool, value.as_bool() ? 1 : 0);
    case Value::Kind::Int:
      return Shown::fits(value.as_int()) ? Shown::integer(value.as_int()) : literal(fmt::format("{}", value.as_int()));
    case Value::Kind::Float:
      return Shown::number(value.as_float());
    case Value::Kind::Empty:
      return Shown::of(value.as_empty_kind() == object::EmptyKind::Dict          ? Shown::Kind::EmptyDict
                       : value.as_empty_kind() == object::EmptyKind::OrderedDict ? Shown::Kind::EmptyOrderedDict
                                                                                 : Shown::Kind::EmptySet);
    case Value::Kind::Object:
      break;
  }
  Object& one = *value.object();
  switch (one.kind()) {
    case object::ObjectKind::Str: {
      const auto& text = static_cast<const object::Str&>(one);
      const bool is_long = text.view().size() > trace_.limits().text_bytes;
      return Shown::of(Shown::Kind::Text,
                       is_long ? trace_.add_value_text(text.view()) : trace_.add_value_text(text.view(), text.hash()));
    }
    case object::ObjectKind::Number:
      return shown(static_cast<const object::Number&>(one).plain());
    case object::ObjectKind::NativeFunction:
      return literal(fmt::format("<built-in {}>", static_cast<const object::NativeFunction&>(one).qualified_name()));
    case object::ObjectKind::Bytes:
      if (static_cast<const object::Bytes&>(one).view().size() > kMostBytes) {
        return literal(fmt::format("<{} bytes>", static_cast<const object::Bytes&>(one).view().size()));
      }
      [[fallthrough]];
    case object::ObjectKind::BigInt:
    case object::ObjectKind::Complex:
    case object::ObjectKind::Range: {
      // These print themselves without the program's help; an int may be too long to be printed.
      const auto text = object::repr(in_, value);
      return literal(text.ok() ? text.value() : "<a large int>");
    }
    default:
      break;
  }
  if (const Shown known = quickly_shown(value); !(known == Shown())) return known;
  const tensor::TensorLibrary* const tensors = in_.extension<tensor::TensorLibrary>();
  const Class* const cls = &one.type();
  const bool prints_itself = value.is(in_.ellipsis()) || value.is(in_.not_implemented()) ||
                             (tensors != nullptr && (cls == tensors->dtype || cls == tensors->device));
  if (prints_itself) {
    const auto text = object::repr(in_, value);
    return literal(text.ok() ? text.value() : std::string(cls->name()));
  }
  return Shown::of(Shown::Kind::Object, number(one));
}

ObjectId Objects::of_event(const events::Subject& subject) {
  const std::uint64_t id = subject.id;
  if (id == 0) return kNone;
  if (numbers_.size() <= id) numbers_.resize(static_cast<std::size_t>(id) + 1, kNone);
  ObjectId& known = numbers_[static_cast<std::size_t>(id)];
  if (known == kNone) {
    trace::Object object;
    object.kind = subject.is_module ? ObjectKind::Module : ObjectKind::Other;
    object.class_name = trace_.add_text(subject.class_name);
    known = trace_.add_object(object);
  }
  return known;
}

ObjectId Objects::number(Object& one) {
  const std::uint64_t id = in_.id_of(one);
  if (numbers_.size() <= id) numbers_.resize(static_cast<std::size_t>(id) + 1 + numbers_.size() / 2, kNone);
  ObjectId& known = numbers_[static_cast<std::size_t>(id)];
  const bool is_known = known != kNone;
  if (is_known && trace_.object(known).head != 0) return known;
  if (!is_known) {
    trace::Object object;
    object.kind = kind_of(one);
    object.class_name = trace_.add_text(one.kind() == object::ObjectKind::Class ? static_cast<const Class&>(one).name()
                                                                                : one.type().name());
    known = trace_.add_object(object);
  } else if (trace_.object(known).kind == ObjectKind::Other) {
    trace_.object_to_change(known).kind = kind_of(one);
  }
  const ObjectId result = known;
  // Also one that an event named before anybody saw it; once, although what waits may be reached by many ways.
  if (is_waiting_.size() <= result) is_waiting_.resize(static_cast<std::size_t>(result) + 1 + is_waiting_.size() / 2);
  if (pending_.size() < kMostNewObjects && !is_waiting_[result]) {
    pending_.push_back({&one, result});
    is_waiting_[result] = true;
  }
  if (!is_looking_) {
    since_ = trace_.next();
    look_into_pending();
  }
  return result;
}

void Objects::look_into_pending() {
  is_looking_ = true;
  // The list grows while it is worked on.
  for (std::size_t at = 0; at < pending_.size(); ++at) {
    const Pending now = pending_[at];
    look_into(*now.one, now.id, since_);
    is_waiting_[now.id] = false;
  }
  pending_.clear();
  is_looking_ = false;
}

void Objects::look_into(Object& one, ObjectId id, trace::EventId since) {
  const ObjectKind kind = trace_.object(id).kind;
  read(one, kind);
  trace_.write_content(id, fields_, total_, since);
  // An object is first seen as `self` of its __init__, before it has attributes: its dict is made all the same.
  if (Dict* const own = is_its_dict(one, kind) ? one.instance_dict(kind == ObjectKind::Instance) : nullptr) {
    remember_owner(*own, id);
  }
  if (trace_.object(id).cls == kNone && (kind == ObjectKind::Instance || kind == ObjectKind::Module)) {
    const ObjectId cls = number(one.type());
    trace_.object_to_change(id).cls = cls;
  }
  if (kind == ObjectKind::Tensor && static_cast<const tensor::Tensor&>(one).is_parameter()) {
    const auto& parameter = static_cast<const tensor::Tensor&>(one);
    watched_.push_back({object::make<object::WeakReference>(one, Value()), parameter.version(), parameter.grad().get(),
                        parameter.grad() ? parameter.grad()->version() : 0});
  }
}

void Objects::look_again(const Value& value, trace::EventId since) {
  if (!value.is_object()) return;
  Object& one = *value.object();
  const object::ObjectKind kind = one.kind();
  if (kind == object::ObjectKind::Str || kind == object::ObjectKind::NativeFunction ||
      kind == object::ObjectKind::Tuple || kind == object::ObjectKind::Range) {
    return;
  }
  // What nobody has seen is looked into when it is.
  const ObjectId number = known(one);
  if (number == kNone) return;
  const auto look = [this, since](Object& at, ObjectId which) {
    since_ = since;
    is_looking_ = true;
    read(at, trace_.object(which).kind);
    trace_.write_content(which, fields_, total_, since);
    look_into_pending();
  };
  look(one, number);
  const ObjectKind seen_kind = trace_.object(number).kind;
  if (seen_kind != ObjectKind::Module && seen_kind != ObjectKind::Instance) return;
  // What an object holds in containers of its own is mostly changed through it: the registries of a module.
  Dict* const own = one.instance_dict(false);
  if (own == nullptr) return;
  if (is_its_dict(one, seen_kind)) remember_owner(*own, number);
  std::vector<Object*> inside;
  if (seen_kind == ObjectKind::Module) {
    for (const Value& key : own->keys()) {
      const Value* const found = own->find_raw(key);
      if (found != nullptr && found->as<Dict>() != nullptr) inside.push_back(found->object());
    }
  } else {
    std::size_t at = 0;
    while (const Dict::Entry* entry = own->next(at)) {
      const Object* const item = entry->value.object();
      if (item != nullptr && (item->kind() == object::ObjectKind::Dict || item->kind() == object::ObjectKind::List)) {
        inside.push_back(entry->value.object());
      }
    }
  }
  for (Object* const item : inside) {
    if (const ObjectId inner = known(*item); inner != kNone) look(*item, inner);
  }
}

Shown Objects::shown_key(const Value& key) {
  const auto* const text = key.as<object::Str>();
  if (text == nullptr || text->view().size() > trace_.limits().text_bytes) return shown(key);
  trace::TextId& known = known_keys_[text->hash() % kKnownNames];
  if (trace_.text(known) != text->view()) known = trace_.add_text(text->view());
  return Shown::of(Shown::Kind::Text, known);
}

Shown Objects::shown_since(const Value& value, trace::EventId since) {
  if (const Shown quick = quickly_shown(value); !(quick == Shown())) return quick;
  since_ = since;
  is_looking_ = true;
  const Shown result = shown(value);
  look_into_pending();
  return result;
}

void Objects::look_at_attribute(const Value& holder, object::Name name, std::size_t slot, trace::EventId since) {
  if (!holder.is_object()) return;
  Object& one = *holder.object();
  const ObjectId id = known(one);
  if (id == kNone) return;
  Dict* const own = one.instance_dict(false);
  const bool is_plain = trace_.object(id).kind == ObjectKind::Instance && one.type().slot_count() == 0;
  if (!is_plain || own == nullptr || own->size() > trace_.limits().attributes) return look_again(holder, since);
  const Value* value = own->raw_at(slot, name);
  // A new one lies at the end.
  if (value == nullptr) value = own->raw_at(own->slot_count() - 1, name);
  if (value == nullptr) value = own->find_raw(name);
  if (value == nullptr) return look_again(holder, since);
  const Shown now = shown_since(*value, since);
  if (!trace_.write_entry(id, Shown::of(Shown::Kind::Text, text(name)), now, own->size(), since, slot)) {
    look_again(holder, since);
  }
}

void Objects::write_item(object::List& list, ObjectId id, std::size_t at, trace::EventId since) {
  // Beyond what is kept only the length can be news.
  const bool is_written = at < trace_.limits().entries
                              ? trace_.write_item(id, at, shown_since(list.items()[at], since), list.size(), since)
                              : trace_.write_length(id, list.size(), since);
  if (!is_written) look_again(Value(&list), since);
}

void Objects::look_at_item(const Value& holder, const Value& key, trace::EventId since) {
  if (!holder.is_object()) return;
  const ObjectId id = known(*holder.object());
  if (id == kNone) return;
  if (auto* const list = holder.as<object::List>(); list != nullptr && key.is_int()) {
    const auto size = static_cast<std::int64_t>(list->size());
    const std::int64_t at = key.as_int() < 0 ? key.as_int() + size : key.as_int();
    if (at >= 0 && at < size) return write_item(*list, id, static_cast<std::size_t>(at), since);
  }
  if (auto* const dict = holder.as<Dict>(); dict != nullptr && object::is_plain_key(key)) {
    const Value* const value = dict->find_raw(key);
    // Which entries of a large dict are kept depends on its order.
    if (value != nullptr && dict->size() <= trace_.limits().entries) {
      const Shown now = shown_since(*value, since);
      if (trace_.write_entry(id, shown_key(key), now, dict->size(), since)) return;
    }
  }
  look_again(holder, since);
}

void Objects::look_at_end(const Value& value, trace::EventId since) {
  auto* const list = value.as<object::List>();
  if (list == nullptr || list->size() == 0) return;
  const ObjectId id = known(*list);
  if (id != kNone) write_item(*list, id, list->size() - 1, since);
}

bool Objects::look_at_removed(const Value& value, std::span<const Value> arguments, trace::EventId since) {
  const auto* const list = value.as<object::List>();
  if (list == nullptr || arguments.size() > 1 || (arguments.size() == 1 && !arguments[0].is_int())) return false;
  const ObjectId id = known(*list);
  if (id == kNone) return true;
  const auto size = static_cast<std::int64_t>(list->size()) + 1;
  std::int64_t at = arguments.empty() ? -1 : arguments[0].as_int();
  if (at < 0) at += size;
  // A list that raised IndexError is as long as it was, which write_removed() sees.
  return at >= 0 && at < size && trace_.write_removed(id, static_cast<std::size_t>(at), list->size(), since);
}

bool Objects::look_at_inserted(const Value& value, std::span<const Value> arguments, trace::EventId since) {
  auto* const list = value.as<object::List>();
  if (list == nullptr || list->size() == 0 || arguments.size() != 2 || !arguments[0].is_int()) return false;
  const ObjectId id = known(*list);
  if (id == kNone) return true;
  const auto size = static_cast<std::int64_t>(list->size()) - 1;
  const std::int64_t given = arguments[0].as_int() < 0 ? arguments[0].as_int() + size : arguments[0].as_int();
  const auto at = static_cast<std::size_t>(std::clamp<std::int64_t>(given, 0, size));
  const Shown inserted = at < trace_.limits().entries ? shown_since(list->items()[at], since) : Shown();
  return trace_.write_inserted(id, at, inserted, list->size(), since);
}

bool Objects::is_its_dict(const Object& one, ObjectKind kind) {
  return kind == ObjectKind::Module || (is_plain_instance(one) && one.type().slot_count() == 0);
}

void Objects::remember_owner(const Dict& own, ObjectId owner) {
  const std::uint64_t id = in_.id_of(own);
  if (owners_.size() <= id) owners_.resize(static_cast<std::size_t>(id) + 1 + owners_.size() / 2, kNone);
  if (own_dicts_.size() <= owner) own_dicts_.resize(static_cast<std::size_t>(owner) + 1 + own_dicts_.size() / 2);
  owners_[static_cast<std::size_t>(id)] = owner;
  own_dicts_[owner] = id;
}

void Objects::look_at_owner(Dict& dict, trace::EventId since) {
  const std::uint64_t id = in_.id_of(dict);
  if (id >= owners_.size()) return;
  const ObjectId owner = owners_[static_cast<std::size_t>(id)];
  // An object may have got another dict since.
  if (owner == kNone || own_dicts_[owner] != id) return;
  since_ = since;
  is_looking_ = true;
  fields_.clear();
  read_attributes(dict, trace_.object(owner).kind);
  trace_.write_content(owner, fields_, total_, since);
  look_into_pending();
}

void Objects::look_at_parameters() {
  for (std::size_t at = 0; at < watched_.size();) {
    Watched& watched = watched_[at];
    const object::Ref<Object> alive = watched.reference->get();
    if (!alive) {
      std::swap(watched, watched_.back());
      watched_.pop_back();
      continue;
    }
    ++at;
    const auto& parameter = static_cast<const tensor::Tensor&>(*alive);
    const tensor::Tensor* const grad = parameter.grad().get();
    const std::uint64_t grad_version = grad == nullptr ? 0 : grad->version();
    const bool has_new_grad = grad != watched.grad || grad_version != watched.grad_version;
    if (parameter.version() == watched.version && !has_new_grad) continue;
    watched.version = parameter.version();
    watched.grad = grad;
    watched.grad_version = grad_version;
    look_again(Value(alive), trace_.next());
    if (grad != nullptr) look_again(Value(parameter.grad()), trace_.next());
  }
}

void Objects::add_field(std::string_view key, Shown value) {
  fields_.push_back(Shown::of(Shown::Kind::Text, trace_.add_text(key)));
  fields_.push_back(value);
  ++total_;
}

void Objects::read(Object& one, ObjectKind kind) {
  fields_.clear();
  total_ = 0;
  switch (kind) {
    case ObjectKind::List:
      return read_items(static_cast<object::List&>(one).items());
    case ObjectKind::Tuple:
      return read_items(static_cast<object::Tuple&>(one).items());
    case ObjectKind::Dict:
      return read_dict(static_cast<Dict&>(one), trace_.limits().entries);
    case ObjectKind::Set: {
      Dict& keys = static_cast<object::Set&>(one).keys();
      total_ = keys.size();
      std::size_t at = 0;
      while (const Dict::Entry* entry = keys.next(at)) {
        if (fields_.size() == trace_.limits().entries) return;
        fields_.push_back(shown(entry->key));
      }
      return;
    }
    case ObjectKind::Instance:
    case ObjectKind::Module:
      return read_attributes(one, kind);
    case ObjectKind::Tensor:
      return read_tensor(static_cast<const tensor::Tensor&>(one));
    case ObjectKind::Class:
      return read_class(static_cast<Class&>(one));
    case ObjectKind::Function: {
      const auto& function = static_cast<const python::Function&>(one);
      const python::Code& code = function.code();
      add_field("__qualname__", literal(function.qualified_name()));
      add_field("defined at", literal(fmt::format("{}:{}", code.tree->source().name(), code.first_line())));
      for (std::size_t i = 0; i < code.free.size(); ++i) {
        add_field(code.free[i].view(), shown(function.closure[i]->value));
      }
      return;
    }
    case ObjectKind::Method: {
      const auto& method = static_cast<const object::BoundMethod&>(one);
      add_field("__self__", shown(method.self()));
      add_field("__func__", shown(method.function()));
      return;
    }
    case ObjectKind::PythonModule: {
      // A module's names are many and rarely what a program is about: they are seen where a frame of it runs.
      const Value* const name = one.instance_dict(true)->find(in_.intern("__name__"));
      if (name != nullptr) add_field("__name__", shown(*name));
      return;
    }
    case ObjectKind::Other:
      return;
  }
}

void Objects::read_items(std::span<const Value> items) {
  total_ = items.size();
  const std::size_t count = std::min(items.size(), trace_.limits().entries);
  fields_.resize(count);
  for (std::size_t i = 0; i < count; ++i) fields_[i] = shown(items[i]);
}

void Objects::read_dict(Dict& dict, std::size_t most) {
  total_ = dict.size();
  std::size_t at = 0;
  while (const Dict::Entry* entry = dict.next(at)) {
    if (fields_.size() / 2 >= most) return;
    fields_.push_back(shown_key(entry->key));
    fields_.push_back(shown(entry->value));
  }
}

void Objects::read_attributes(Dict& own, ObjectKind kind) {
  if (kind != ObjectKind::Module) return read_dict(own, trace_.limits().attributes);
  // Registries that were never filled stay unmade.
  total_ = own.size();
  for (const Value& key : own.keys()) {
    if (fields_.size() / 2 >= trace_.limits().attributes) return;
    fields_.push_back(shown_key(key));
    fields_.push_back(shown(*own.find_raw(key)));
  }
}

void Objects::read_attributes(Object& one, ObjectKind kind) {
  Dict* const own = one.instance_dict(false);
  if (own != nullptr) read_attributes(*own, kind);
  if (kind == ObjectKind::Module) return;
  auto* const exception = is_plain_instance(one) ? nullptr : dynamic_cast<object::Exception*>(&one);
  if (exception != nullptr && exception->arguments()) add_field("args", shown(Value(exception->arguments())));
  if (one.type().slot_count() == 0) return;
  for (Class* const cls : one.type().mro()) {
    std::size_t at = 0;
    while (const Dict::Entry* entry = cls->attributes_for_reading().next(at)) {
      auto* const member = dynamic_cast<object::Member*>(entry->value.object());
      if (member == nullptr) continue;
      const object::PyResult<Value> held = member->bind(Value(&one), *cls);
      if (held.ok()) add_field(member->name().view(), shown(held.value()));
    }
  }
}

void Objects::read_class(Class& cls) {
  // The order in which attributes are looked up comes first, under a name that no attribute has.
  std::vector<Shown> order;
  for (Class* const above : cls.mro()) order.push_back(Shown::of(Shown::Kind::Object, number(*above)));
  add_field("", Shown::integer(static_cast<std::int64_t>(order.size())));
  for (const Shown& above : order) add_field("", above);
  std::size_t at = 0;
  while (const Dict::Entry* entry = cls.attributes_for_reading().next(at)) {
    if (fields_.size() / 2 >= trace_.limits().attributes) {
      ++total_;
      continue;
    }
    const auto* const key = entry->key.as<object::Str>();
    if (key != nullptr) add_field(key->view(), shown(entry->value));
  }
}

void Objects::read_tensor(const tensor::Tensor& one) {
  const auto flag = [](bool is_set) { return Shown::of(Shown::Kind::Bool, is_set ? 1 : 0); };
  fields_.resize(static_cast<std::size_t>(trace::TensorField::Count));
  const auto set = [this](trace::TensorField field, Shown value) { fields_[static_cast<std::size_t>(field)] = value; };
  set(trace::TensorField::Dtype, literal(tensor::info(one.dtype()).torch_name));
  set(trace::TensorField::Shape, literal(fmt::format("[{}]", fmt::join(one.shape().span(), ", "))));
  set(trace::TensorField::Device, literal(tensor::device_name(one.device())));
  set(trace::TensorField::RequiresGrad, flag(one.requires_grad()));
  set(trace::TensorField::IsParameter, flag(one.is_parameter()));
  // Objects that are met here are counted after this one's fields are whole: number() may grow what `set` writes to.
  const Shown grad = one.grad() ? shown(Value(one.grad())) : Shown::of(Shown::Kind::None);
  set(trace::TensorField::Grad, grad);
  set(trace::TensorField::GradFunction,
      one.grad_fn() ? literal(one.grad_fn()->type().name()) : Shown::of(Shown::Kind::None));
  set(trace::TensorField::Version, Shown::integer(static_cast<std::int64_t>(one.version())));
  set(trace::TensorField::Storage, Shown::integer(static_cast<std::int64_t>(in_.id_of(*one.storage()))));
  set(trace::TensorField::Offset, Shown::integer(one.offset()));
  total_ = one.is_uninitialized() ? 0 : static_cast<std::uint64_t>(one.numel());
  if (!tensor::is_cpu(one.device()) || one.is_uninitialized()) return;
  const tensor::DTypeKind kind = tensor::info(one.dtype()).kind;
  if (kind == tensor::DTypeKind::Quantized || kind == tensor::DTypeKind::Complex) return;
  const std::int64_t count = std::min<std::int64_t>(one.numel(), kTensorValues);
  const std::size_t ndim = one.ndim();
  std::vector<std::int64_t> index(ndim, 0);
  std::int64_t place = one.offset();
  for (std::int64_t i = 0; i < count; ++i) {
    fields_.push_back(Shown::number(tensor::read_double(one, place)));
    for (std::size_t axis = ndim; axis-- > 0;) {
      place += one.strides()[axis];
      if (++index[axis] < one.shape()[axis]) break;
      place -= one.strides()[axis] * one.shape()[axis];
      index[axis] = 0;
    }
  }
}

}  // namespace nns::recorder
