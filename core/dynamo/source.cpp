#include "core/dynamo/source.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/nn/module.h"
#include "core/object/operations.h"
#include "core/python/eval/function.h"
#include "core/tensor/tensor.h"

namespace nns::dynamo {
namespace {

bool is_identifier(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (name.empty() || !is_letter(name[0])) return false;
  return std::all_of(name.begin(), name.end(), [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

// What an object's own dict or a registry of a module holds, without asking any descriptor.
Value own_attribute(Interpreter& in, const Value& holder, Name name) {
  if (!holder.is_object()) return Value::absent();
  if (Dict* own = holder.object()->instance_dict(false)) {
    if (const Value* found = own->find(name)) return *found;
  }
  PyResult<Value> value = object::getattr_or_absent(in, holder, name);
  return value.ok() ? std::move(value).value() : Value::absent();
}

Origin wrapped_origin(SourceKind kind, Origin before) {
  if (before == Origin::Fsdp) return before;
  switch (kind) {
    case SourceKind::NNModule:
      return before == Origin::Plain ? Origin::Specialized : before;
    case SourceKind::UnspecializedNNModule:
      return Origin::Unspecialized;
    case SourceKind::UnspecializedBuiltinNNModule:
      return Origin::UnspecializedBuiltin;
    case SourceKind::FSDPNNModule:
      return Origin::Fsdp;
    default:
      return before;
  }
}

}  // namespace

std::string repr_of(Interpreter& interpreter, const Value& value) {
  PyResult<std::string> text = object::repr(interpreter, value);
  return text.ok() ? std::move(text).value() : fmt::format("<{}>", interpreter.type_of(value).name());
}

std::string Source::guard_source() const {
  const std::string_view place = is_global ? "GLOBAL" : "LOCAL";
  switch (origin) {
    case Origin::Plain:
      if (kind == SourceKind::RandomValue) return "RANDOM_VALUE";
      return kind == SourceKind::Constant ? "CONSTANT" : std::string(place);
    case Origin::Specialized:
      return fmt::format("{}_SPECIALIZED_NN_MODULE", place);
    case Origin::Unspecialized:
      return fmt::format("{}_UNSPECIALIZED_NN_MODULE", place);
    case Origin::UnspecializedBuiltin:
      return fmt::format("{}_UNSPECIALIZED_BUILTIN_NN_MODULE", place);
    case Origin::Fsdp:
      return fmt::format("{}_FSDP_MODULE", place);
  }
  return std::string(place);
}

std::string_view Source::class_name() const {
  switch (kind) {
    case SourceKind::Local:
      return "LocalSource";
    case SourceKind::Global:
      return "GlobalSource";
    case SourceKind::Attr:
      return "AttrSource";
    case SourceKind::GenericAttr:
      return "GenericAttrSource";
    case SourceKind::GetItem:
      return "GetItemSource";
    case SourceKind::DictGetItem:
    case SourceKind::DictValueAt:
    case SourceKind::ClassAttr:
      return "DictGetItemSource";
    case SourceKind::DictKey:
      return "ConstDictKeySource";
    case SourceKind::Default:
    case SourceKind::KeywordDefault:
      return "DefaultsSource";
    case SourceKind::Cell:
      return "CellContentsSource";
    case SourceKind::Type:
      return "TypeSource";
    case SourceKind::NNModule:
      return "NNModuleSource";
    case SourceKind::UnspecializedNNModule:
      return "UnspecializedNNModuleSource";
    case SourceKind::UnspecializedBuiltinNNModule:
      return "UnspecializedBuiltinNNModuleSource";
    case SourceKind::FSDPNNModule:
      return "FSDPNNModuleSource";
    case SourceKind::ParamBuffer:
      return "UnspecializedParamBufferSource";
    case SourceKind::Constant:
      return "ConstantSource";
    case SourceKind::RandomValue:
      return "RandomValueSource";
    case SourceKind::TensorSize:
    case SourceKind::TensorStride:
      return "TensorPropertySource";
  }
  return "Source";
}

const Source& Source::bare() const {
  const Source* at = this;
  while (at->is_wrapper()) at = at->base;
  return *at;
}

const std::string& Source::name() const {
  if (is_wrapper()) return bare().name();
  if (name_.empty()) name_ = made_name();
  return name_;
}

namespace {

std::string joined(std::string_view a, std::string_view b, std::string_view c, std::string_view d) {
  std::string text;
  text.reserve(a.size() + b.size() + c.size() + d.size());
  return text.append(a).append(b).append(c).append(d);
}

}  // namespace

// NOLINTNEXTLINE(readability-function-size): one case a kind.
std::string Source::made_name() const {
  switch (kind) {
    case SourceKind::Local:
      return fmt::format("L['{}']", text.view());
    case SourceKind::Global: {
      auto* foreign = key.as<Dict>();
      if (foreign == nullptr) return fmt::format("G['{}']", text.view());
      const Value* module = foreign->find(std::string_view("__name__"));
      std::string import = "__import_";
      if (module != nullptr && module->as<object::Str>() != nullptr) {
        for (const char c : module->as<object::Str>()->view()) {
          if (c == '.')
            import += "_dot_";
          else
            import += c;
        }
      }
      return fmt::format("G['{}'].{}", import, text.view());
    }
    case SourceKind::Attr:
    case SourceKind::ParamBuffer:
      return is_identifier(text.view()) ? joined(base->name(), ".", text.view(), "")
                                        : fmt::format("getattr({}, {})", base->name(), object::str_repr(text.view()));
    case SourceKind::GenericAttr:
      return fmt::format("object.__getattribute__({}, {})", base->name(), object::str_repr(text.view()));
    case SourceKind::GetItem:
    case SourceKind::DictGetItem:
      if (const auto* item = key.as<object::Str>(); item != nullptr && is_identifier(item->view()))
        return joined(base->name(), "['", item->view(), "']");
      return fmt::format("{}[{}]", base->name(), repr_of(*interpreter, key));
    case SourceKind::DictKey:
    case SourceKind::DictValueAt:
      return fmt::format("{}[list(dict.keys({}))[{}]]", base->name(), base->name(), index);
    case SourceKind::Default:
      return fmt::format("{}.__defaults__[{}]", base->name(), index);
    case SourceKind::KeywordDefault:
      return fmt::format("{}.__kwdefaults__['{}']", base->name(), text.view());
    case SourceKind::Cell:
      return fmt::format("{}.__closure__[{}].cell_contents", base->name(), index);
    case SourceKind::Type:
      return fmt::format("type({})", base->name());
    case SourceKind::RandomValue:
      return fmt::format("random_value_{}", index);
    case SourceKind::TensorSize:
      return fmt::format("{}.size()[{}]", base->name(), index);
    case SourceKind::TensorStride:
      return fmt::format("{}.stride()[{}]", base->name(), index);
    case SourceKind::ClassAttr:
      return index == 0 ? fmt::format("dict(type({}).__dict__)['{}']", base->name(), text.view())
                        : fmt::format("dict(type({}).__mro__[{}].__dict__)['{}']", base->name(), index, text.view());
    default:
      return {};
  }
}

namespace {

// Kinds that write their step in the same way.
SourceKind written_as(SourceKind kind) {
  if (kind == SourceKind::ParamBuffer) return SourceKind::Attr;
  return kind == SourceKind::DictGetItem ? SourceKind::GetItem : kind;
}

std::uint64_t mixed(std::uint64_t hash, std::uint64_t part) {
  hash = (hash ^ part) * 0x9E3779B97F4A7C15U;
  return hash ^ (hash >> 29U);
}

std::uint64_t bits_of(const Value& key) {
  if (key.is_object()) return reinterpret_cast<std::uintptr_t>(key.object());
  return key.is_int() ? static_cast<std::uint64_t>(key.as_int()) : 0;
}

}  // namespace

bool Source::has_name_of(const Source& other) const {
  const Source* a = &bare();
  const Source* b = &other.bare();
  while (a != b) {
    if (a->name_hash != b->name_hash || written_as(a->kind) != written_as(b->kind) || !(a->text == b->text) ||
        a->index != b->index || !a->key.is(b->key))
      return false;
    if (a->base == nullptr || b->base == nullptr) return a->base == b->base;
    a = &a->base->bare();
    b = &b->base->bare();
  }
  return true;
}

SourceTable::SourceTable(Interpreter& interpreter)
    : interpreter_(interpreter),
      parameters_(interpreter.intern("_parameters")),
      buffers_(interpreter.intern("_buffers")),
      index_(1024) {}

const Source* SourceTable::add(Step step) {
  // Equal texts are one object.
  if (const auto* text = step.key.as<object::Str>(); text != nullptr && !text->is_interned())
    step.key = interpreter_.intern(text->view()).value();
  Source probe;
  probe.kind = step.kind;
  std::uint64_t hash = step.base == nullptr ? 1 : step.base->name_hash;
  if (!probe.is_wrapper()) {
    hash = mixed(hash, static_cast<std::uint64_t>(written_as(step.kind)));
    hash = mixed(hash, step.text ? reinterpret_cast<std::uintptr_t>(&step.text.str()) : bits_of(step.key));
    hash = mixed(hash, static_cast<std::uint64_t>(step.index));
  }
  for (const Source* one = index_[hash & (index_.size() - 1)]; one != nullptr; one = one->next) {
    if (one->name_hash == hash && one->kind == step.kind && one->base == step.base && one->text == step.text &&
        one->index == step.index && one->is_in_dict == step.is_in_dict && one->key.is(step.key))
      return one;
  }
  if (sources_.size() == index_.size()) grow();
  const std::size_t number = sources_.size();
  Source& made = sources_.add();
  made.kind = step.kind;
  made.base = step.base;
  made.text = step.text;
  made.key = std::move(step.key);
  made.index = step.index;
  made.is_in_dict = step.is_in_dict;
  made.number = number;
  made.name_hash = hash;
  made.interpreter = &interpreter_;
  if (made.base != nullptr) {
    made.is_global = made.base->is_global;
    made.origin = wrapped_origin(made.kind, made.base->origin);
  } else {
    made.is_global = made.kind == SourceKind::Global;
  }
  const Source*& place = index_[hash & (index_.size() - 1)];
  made.next = place;
  place = &made;
  return &made;
}

void SourceTable::grow() {
  index_.assign(index_.size() * 4, nullptr);
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    const Source*& place = index_[sources_[i].name_hash & (index_.size() - 1)];
    sources_[i].next = place;
    place = &sources_[i];
  }
}

const Source* SourceTable::local(Name name) { return add({.kind = SourceKind::Local, .text = name}); }

const Source* SourceTable::global(Name name) { return add({.kind = SourceKind::Global, .text = name}); }

const Source* SourceTable::foreign_global(Name name, Value globals) {
  return add({.kind = SourceKind::Global, .text = name, .key = std::move(globals)});
}

const Source* SourceTable::attr(const Source* base, Name name, bool is_in_dict) {
  const bool is_param_buffer = name == parameters_ || name == buffers_;
  const bool is_module =
      is_param_buffer && (base->is_from_unspecialized() || base->kind == SourceKind::UnspecializedNNModule ||
                          base->kind == SourceKind::UnspecializedBuiltinNNModule);
  return add({.kind = is_module ? SourceKind::ParamBuffer : SourceKind::Attr,
              .base = base,
              .text = name,
              .is_in_dict = is_in_dict});
}

const Source* SourceTable::attr(const Source* base, std::string_view name, bool is_in_dict) {
  return attr(base, interpreter_.intern(name), is_in_dict);
}

const Source* SourceTable::generic_attr(const Source* base, std::string_view name) {
  return add({.kind = SourceKind::GenericAttr, .base = base, .text = interpreter_.intern(name), .is_in_dict = true});
}

const Source* SourceTable::item(const Source* base, Value key) {
  return add({.kind = SourceKind::GetItem, .base = base, .key = std::move(key)});
}

const Source* SourceTable::dict_item(const Source* base, Value key) {
  return add({.kind = SourceKind::DictGetItem, .base = base, .key = std::move(key)});
}

const Source* SourceTable::dict_value_at(const Source* base, std::int64_t position) {
  return add({.kind = SourceKind::DictValueAt, .base = base, .index = position});
}

const Source* SourceTable::default_of(const Source* function, std::int64_t index) {
  return add({.kind = SourceKind::Default, .base = function, .index = index});
}

const Source* SourceTable::keyword_default_of(const Source* function, Name name) {
  return add({.kind = SourceKind::KeywordDefault, .base = function, .text = name});
}

const Source* SourceTable::cell(const Source* function, std::int64_t index) {
  return add({.kind = SourceKind::Cell, .base = function, .index = index});
}

const Source* SourceTable::type(const Source* base) { return add({.kind = SourceKind::Type, .base = base}); }

const Source* SourceTable::random_value(std::size_t index) {
  // No local has such a name.
  return add({.kind = SourceKind::RandomValue,
              .text = interpreter_.intern(fmt::format("<random value {}>", index)),
              .index = static_cast<std::int64_t>(index)});
}

const Source* SourceTable::tensor_size(const Source* tensor, std::size_t dimension) {
  return add({.kind = SourceKind::TensorSize, .base = tensor, .index = static_cast<std::int64_t>(dimension)});
}

const Source* SourceTable::tensor_stride(const Source* tensor, std::size_t dimension) {
  return add({.kind = SourceKind::TensorStride, .base = tensor, .index = static_cast<std::int64_t>(dimension)});
}

const Source* SourceTable::class_attr(const Source* base, Name name, std::int64_t depth) {
  return add({.kind = SourceKind::ClassAttr, .base = base, .text = name, .index = depth});
}

const Source* SourceTable::wrap(SourceKind kind, const Source* base) { return add({.kind = kind, .base = base}); }

Value SourceReader::read(const Source& source) {
  if (known_.empty()) known_.assign(count_, Value::absent());
  Value& known = known_[source.number];
  if (known.is_absent()) {
    if (source.base == nullptr) {
      known = value_of_root(source, scope_);
    } else {
      const Value base = read(*source.base);
      if (!base.is_absent()) known = value_behind(interpreter_, source, base);
    }
  }
  if (known.is_absent() && missing_ == nullptr) missing_ = &source;
  return known;
}

Value value_of_root(const Source& source, Scope scope) {
  switch (source.kind) {
    case SourceKind::Local:
    case SourceKind::RandomValue:
      for (const auto& [name, value] : *scope.locals) {
        if (name == source.text) return value;
      }
      return Value::absent();
    case SourceKind::Global: {
      auto* foreign = source.key.as<Dict>();
      Dict* const globals = foreign != nullptr ? foreign : scope.globals;
      const Value* found = globals == nullptr ? nullptr : globals->find(source.text);
      return found == nullptr ? Value::absent() : *found;
    }
    default:
      return source.key;
  }
}

Value value_behind(Interpreter& in, const Source& source, const Value& base) {
  const auto or_absent = [](PyResult<Value> value) { return value.ok() ? std::move(value).value() : Value::absent(); };
  switch (source.kind) {
    case SourceKind::Attr:
    case SourceKind::GenericAttr:
    case SourceKind::ParamBuffer:
      if (source.is_in_dict) {
        Dict* const own = base.is_object() ? base.object()->instance_dict(false) : nullptr;
        const Value* const found = own == nullptr ? nullptr : own->find(source.text);
        return found == nullptr ? Value::absent() : *found;
      }
      return own_attribute(in, base, source.text);
    case SourceKind::GetItem:
      // Past a __getitem__ of the program's own.
      if (const auto* list = base.as<object::List>();
          list != nullptr && source.key.is_int() && source.key.as_int() >= 0) {
        const auto at = static_cast<std::size_t>(source.key.as_int());
        return at < list->items().size() ? list->items()[at] : Value::absent();
      }
      return or_absent(object::getitem(in, base, source.key));
    case SourceKind::DictGetItem: {
      auto* dict = base.as<Dict>();
      if (dict == nullptr) return or_absent(object::getitem(in, base, source.key));
      const Value* found = dict->find(source.key);
      return found == nullptr ? Value::absent() : *found;
    }
    case SourceKind::DictKey:
    case SourceKind::DictValueAt: {
      auto* dict = base.as<Dict>();
      if (dict == nullptr) return Value::absent();
      const std::vector<Value> keys = dict->keys();
      if (source.index >= static_cast<std::int64_t>(keys.size())) return Value::absent();
      const Value& key = keys[static_cast<std::size_t>(source.index)];
      return source.kind == SourceKind::DictKey ? key : *dict->find(key);
    }
    case SourceKind::Default: {
      const python::Function* function = python::as_function(base);
      const auto* defaults = function == nullptr ? nullptr : function->defaults().as<object::Tuple>();
      if (defaults == nullptr || source.index >= static_cast<std::int64_t>(defaults->size())) return Value::absent();
      return (*defaults)[static_cast<std::size_t>(source.index)];
    }
    case SourceKind::KeywordDefault: {
      const python::Function* function = python::as_function(base);
      auto* defaults = function == nullptr ? nullptr : function->keyword_defaults().as<Dict>();
      const Value* found = defaults == nullptr ? nullptr : defaults->find(source.text);
      return found == nullptr ? Value::absent() : *found;
    }
    case SourceKind::Cell: {
      const python::Function* function = python::as_function(base);
      if (function == nullptr || source.index >= static_cast<std::int64_t>(function->closure.size()))
        return Value::absent();
      return function->closure[static_cast<std::size_t>(source.index)]->value;
    }
    case SourceKind::TensorSize:
    case SourceKind::TensorStride: {
      const auto* tensor = base.as<tensor::Tensor>();
      const auto at = static_cast<std::size_t>(source.index);
      if (tensor == nullptr || at >= tensor->ndim()) return Value::absent();
      return Value(source.kind == SourceKind::TensorSize ? tensor->shape()[at] : tensor->strides()[at]);
    }
    case SourceKind::Type:
      return Value(static_cast<object::Object*>(&in.type_of(base)));
    case SourceKind::ClassAttr: {
      const Class& cls = in.type_of(base);
      if (source.index >= static_cast<std::int64_t>(cls.mro().size())) return Value::absent();
      Class& owner = *cls.mro()[static_cast<std::size_t>(source.index)];
      const Value* found = owner.attributes_for_reading().find(source.text);
      return found == nullptr ? Value::absent() : *found;
    }
    default:
      return base;
  }
}

}  // namespace nns::dynamo
