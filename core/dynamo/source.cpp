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
  while (at->kind == SourceKind::NNModule || at->kind == SourceKind::UnspecializedNNModule ||
         at->kind == SourceKind::UnspecializedBuiltinNNModule || at->kind == SourceKind::FSDPNNModule) {
    at = at->base;
  }
  return *at;
}

const Source* SourceTable::add(Source source) {
  source.number = sources_.size();
  if (source.base != nullptr) {
    source.is_global = source.base->is_global;
    source.origin = wrapped_origin(source.kind, source.base->origin);
  }
  sources_.push_back(std::move(source));
  return &sources_.back();
}

const Source* SourceTable::local(std::string_view name) {
  return add({.kind = SourceKind::Local, .text = std::string(name), .name = fmt::format("L['{}']", name)});
}

const Source* SourceTable::global(std::string_view name) {
  return add(
      {.kind = SourceKind::Global, .text = std::string(name), .is_global = true, .name = fmt::format("G['{}']", name)});
}

const Source* SourceTable::foreign_global(std::string_view module, std::string_view name, Value globals) {
  return add({.kind = SourceKind::Global,
              .text = std::string(name),
              .key = std::move(globals),
              .is_global = true,
              .name = fmt::format("G['{}'].{}", module, name)});
}

const Source* SourceTable::attr(const Source* base, std::string_view name, bool is_in_dict) {
  const bool is_param_buffer = name == "_parameters" || name == "_buffers";
  const bool is_module =
      is_param_buffer && (base->is_from_unspecialized() || base->kind == SourceKind::UnspecializedNNModule ||
                          base->kind == SourceKind::UnspecializedBuiltinNNModule);
  std::string text = is_identifier(name) ? fmt::format("{}.{}", base->name, name)
                                         : fmt::format("getattr({}, {})", base->name, object::str_repr(name));
  return add({.kind = is_module ? SourceKind::ParamBuffer : SourceKind::Attr,
              .base = base,
              .text = std::string(name),
              .is_in_dict = is_in_dict,
              .name = std::move(text)});
}

const Source* SourceTable::generic_attr(const Source* base, std::string_view name) {
  return add({.kind = SourceKind::GenericAttr,
              .base = base,
              .text = std::string(name),
              .is_in_dict = true,
              .name = fmt::format("object.__getattribute__({}, {})", base->name, object::str_repr(name))});
}

const Source* SourceTable::item(const Source* base, Value key) {
  std::string text = fmt::format("{}[{}]", base->name, repr_of(interpreter_, key));
  return add({.kind = SourceKind::GetItem, .base = base, .key = std::move(key), .name = std::move(text)});
}

const Source* SourceTable::dict_item(const Source* base, Value key) {
  std::string text = fmt::format("{}[{}]", base->name, repr_of(interpreter_, key));
  return add({.kind = SourceKind::DictGetItem, .base = base, .key = std::move(key), .name = std::move(text)});
}

const Source* SourceTable::dict_value_at(const Source* base, std::int64_t position) {
  std::string text = fmt::format("{}[list(dict.keys({}))[{}]]", base->name, base->name, position);
  return add({.kind = SourceKind::DictValueAt, .base = base, .index = position, .name = std::move(text)});
}

const Source* SourceTable::default_of(const Source* function, std::int64_t index) {
  return add({.kind = SourceKind::Default,
              .base = function,
              .index = index,
              .name = fmt::format("{}.__defaults__[{}]", function->name, index)});
}

const Source* SourceTable::keyword_default_of(const Source* function, std::string_view name) {
  return add({.kind = SourceKind::KeywordDefault,
              .base = function,
              .text = std::string(name),
              .name = fmt::format("{}.__kwdefaults__['{}']", function->name, name)});
}

const Source* SourceTable::cell(const Source* function, std::int64_t index) {
  return add({.kind = SourceKind::Cell,
              .base = function,
              .index = index,
              .name = fmt::format("{}.__closure__[{}].cell_contents", function->name, index)});
}

const Source* SourceTable::type(const Source* base) {
  return add({.kind = SourceKind::Type, .base = base, .name = fmt::format("type({})", base->name)});
}

const Source* SourceTable::random_value(std::size_t index) {
  // No local has such a name.
  return add({.kind = SourceKind::RandomValue,
              .text = fmt::format("<random value {}>", index),
              .name = fmt::format("random_value_{}", index)});
}

const Source* SourceTable::tensor_size(const Source* tensor, std::size_t dimension) {
  return add({.kind = SourceKind::TensorSize,
              .base = tensor,
              .index = static_cast<std::int64_t>(dimension),
              .name = fmt::format("{}.size()[{}]", tensor->name, dimension)});
}

const Source* SourceTable::tensor_stride(const Source* tensor, std::size_t dimension) {
  return add({.kind = SourceKind::TensorStride,
              .base = tensor,
              .index = static_cast<std::int64_t>(dimension),
              .name = fmt::format("{}.stride()[{}]", tensor->name, dimension)});
}

const Source* SourceTable::class_attr(const Source* base, std::string_view name, std::int64_t depth) {
  std::string text = depth == 0 ? fmt::format("dict(type({}).__dict__)['{}']", base->name, name)
                                : fmt::format("dict(type({}).__mro__[{}].__dict__)['{}']", base->name, depth, name);
  return add({.kind = SourceKind::ClassAttr,
              .base = base,
              .text = std::string(name),
              .index = depth,
              .name = std::move(text)});
}

const Source* SourceTable::wrap(SourceKind kind, const Source* base) {
  return add({.kind = kind, .base = base, .name = base->name});
}

Value SourceReader::read(const Source& source) {
  Value& known = known_[source.number];
  if (known.is_absent()) known = compute(source);
  if (known.is_absent() && missing_ == nullptr) missing_ = &source;
  return known;
}

Value SourceReader::compute(const Source& source) {
  Interpreter& in = interpreter_;
  if (source.kind == SourceKind::Local || source.kind == SourceKind::RandomValue) {
    for (const auto& [name, value] : *scope_.locals) {
      if (name == source.text) return value;
    }
    return Value::absent();
  }
  if (source.kind == SourceKind::Global) {
    if (auto* foreign = source.key.as<Dict>()) {
      const Value* found = foreign->find(std::string_view(source.text));
      return found == nullptr ? Value::absent() : *found;
    }
    const Value* found = scope_.globals == nullptr ? nullptr : scope_.globals->find(std::string_view(source.text));
    return found == nullptr ? Value::absent() : *found;
  }
  if (source.kind == SourceKind::Constant) return source.key;
  const Value base = read(*source.base);
  if (base.is_absent()) return Value::absent();
  const auto or_absent = [](PyResult<Value> value) { return value.ok() ? std::move(value).value() : Value::absent(); };
  switch (source.kind) {
    case SourceKind::Attr:
    case SourceKind::GenericAttr:
    case SourceKind::ParamBuffer:
      if (source.is_in_dict) {
        Dict* const own = base.is_object() ? base.object()->instance_dict(false) : nullptr;
        const Value* const found = own == nullptr ? nullptr : own->find(in.intern(source.text));
        return found == nullptr ? Value::absent() : *found;
      }
      return own_attribute(in, base, in.intern(source.text));
    case SourceKind::GetItem:
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
      const Value* found = defaults == nullptr ? nullptr : defaults->find(std::string_view(source.text));
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
      const Value* found = owner.attributes_for_reading().find(in.intern(source.text));
      return found == nullptr ? Value::absent() : *found;
    }
    default:
      return base;
  }
}

}  // namespace nns::dynamo
