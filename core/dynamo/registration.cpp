// The graph's own table of modules and tensors, and installing guards.
#include <fmt/format.h>
#include <algorithm>
#include "core/dynamo/engine.h"
#include "core/dynamo/hints.h"
#include "core/nn/module.h"
#include "core/object/operations.h"
#include "core/object/range.h"
#include "core/ops/op.h"
#include "core/tensor/tensor.h"

namespace nns::dynamo {

// A name for something in the graph's own table. Behaviour: torch/_dynamo/output_graph.py, register_attr_or_module.
std::string Translator::table_key(const std::string& name) {
  std::string text = name;
  // ._modules['k'] is .k, getattr(a, 'b') is a.b.
  for (const std::string_view registry : {"._modules['", "._parameters['", "._buffers['"}) {
    for (std::size_t at = 0; (at = text.find(registry, at)) != std::string::npos;) {
      const std::size_t begin = at + registry.size();
      const std::size_t end = text.find("']", begin);
      if (end == std::string::npos) break;
      text = text.substr(0, at) + "." + text.substr(begin, end - begin) + text.substr(end + 2);
    }
  }
  while (true) {
    const std::size_t at = text.rfind("getattr(");
    if (at == std::string::npos) break;
    const std::size_t comma = text.find(", '", at);
    const std::size_t end = comma == std::string::npos ? comma : text.find("')", comma);
    if (end == std::string::npos) break;
    text = text.substr(0, at) + text.substr(at + 8, comma - at - 8) + "." + text.substr(comma + 3, end - comma - 3) +
           text.substr(end + 2);
  }
  if ((text.starts_with("L[") || text.starts_with("G[")) && text.ends_with("]")) {
    text = text.substr(2, text.size() - 3);
    if (text.starts_with("'")) text.erase(0, 1);
    if (text.ends_with("'")) text.pop_back();
  }
  std::string key;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool is_fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    // [3] is _3.
    if (c == '[' && i + 1 < text.size() && text[i + 1] >= '0' && text[i + 1] <= '9') {
      const std::size_t end = text.find(']', i);
      if (end != std::string::npos) {
        key += '_';
        key += text.substr(i + 1, end - i - 1);
        i = end;
        continue;
      }
    }
    key += is_fine ? c : '_';
  }
  const bool is_letter = !key.empty() && ((key[0] >= 'a' && key[0] <= 'z') || (key[0] >= 'A' && key[0] <= 'Z'));
  if (!is_letter) key = fmt::format("sub{}", key);
  const auto is_used = [&](const std::string& one) {
    return module_table_.contains(one) || start_.globals->find(std::string_view(one)) != nullptr;
  };
  const std::string base = key;
  for (int i = 0; is_used(key); ++i) key = fmt::format("{}_{}", base, i);
  return key;
}

Variable* Translator::register_attribute(const Value& value, const std::string& key_base, const std::string& key,
                                         const Source* source) {
  if (value.as<nn::Module>() == nullptr) {
    table_name_ = key.empty() ? key_base : key_base + "_" + key;
    Variable* made = build(value, source);
    table_name_.clear();
    return made;
  }
  if (const auto found = known_.find(value.object());
      found != known_.end() && found->second->kind != VariableKind::NNModule)
    return duplicate(found->second, source);
  if (is_dynamic(value) || engine_.is_compiled_module(value)) return build_module(value, source);
  guard_id(GuardKind::NNModule, source, value);
  compiled_->instances.push_back(object::make<object::WeakReference>(*value.object()));
  std::string name;
  for (const auto& [known, module] : module_table_) {
    if (module.is(value)) name = known;
  }
  if (name.empty()) name = table_key(key.empty() ? key_base : key_base + "_" + key);
  module_table_[name] = value;
  Variable& made = arena_->make(VariableKind::NNModule);
  made.value = value;
  made.source = source;
  made.stack_source = source;
  made.module_key = name;
  note_module("NNModuleVariable", made);
  return track(value, &made);
}

// What torch.compile or torch.compiler.disable gave for a module.
Variable* Translator::build_compiled_module(const Value& value, const Source* source) {
  const Class& cls = in_.type_of(value);
  Dict* own = value.object()->instance_dict(true);
  if (source != nullptr) guard_type(source, value);
  if (engine_.is_disabled_module(value)) {
    Variable& made = arena_->make(VariableKind::Object);
    made.value = value;
    made.source = source;
    made.cls = &in_.type_of(value);
    return track(value, &made);
  }
  const Value* children = own->find(in_.intern("_modules"));
  const Value* original = children == nullptr || children->as<Dict>() == nullptr
                              ? nullptr
                              : children->as<Dict>()->find(in_.intern("_orig_mod"));
  if (original == nullptr)
    return unsupported("Uninitialized nn.Module", std::string(cls.name()), "The compiled module holds none.", {});
  const Value inner = *original;
  if (source == nullptr) return build(inner, nullptr);
  const Source* inner_source = sources_->attr(source, "_orig_mod");
  if (is_dynamic(inner) || known_.contains(inner.object())) return build(inner, inner_source);
  // The graph's table and stacks name it as what wraps it.
  NNS_VARIABLE(made, register_attribute(inner, source->name(), "", inner_source));
  made->stack_source = source;
  return made;
}

void Translator::note_module(std::string_view kind, const Variable& variable) {
  if (!engine_.is_recording()) return;
  std::array<std::string, 5> row = {std::string(kind), variable.source == nullptr ? "" : variable.source->name(),
                                    variable.source == nullptr ? "" : std::string(variable.source->class_name()),
                                    std::string(in_.type_of(variable.value).name()), start_.compile_id};
  engine_.note_module(std::move(row));
}

// Guards.
bool Translator::skips_guards_of(const Source* source) const { return source == nullptr; }
void Translator::guard(Guard made) {
  if (skips_guards_of(made.source)) return;
  if (!config_.guard_nn_modules && made.source->origin == Origin::Specialized &&
      made.source->kind != SourceKind::Default)
    return;
  const bool is_told = engine_.is_recording() || engine_.log().wants(Told::Guards);
  const TracedFrame* const frame = is_told ? program_frame() : nullptr;
  if (frame != nullptr) {
    made.asked_by = frame->code;
    made.line = frame->line();
  }
  compiled_->guards.add(std::move(made));
}
void Translator::guard(GuardKind kind, const Source* source) { guard(Guard{.kind = kind, .source = source}); }
void Translator::guard_type(const Source* source, const Value& value) {
  Guard made{.kind = GuardKind::TypeMatch, .source = source};
  made.type = &in_.type_of(value);
  guard(std::move(made));
}
void Translator::guard_id(GuardKind kind, const Source* source, const Value& value) {
  Guard made{.kind = kind, .source = source};
  if (value.is_object())
    made.id = in_.id_of(*value.object());
  else
    made.value = value;
  made.type = &in_.type_of(value);
  guard(std::move(made));
}
void Translator::guard_constant(GuardKind kind, const Source* source, const Value& value) {
  Guard made{.kind = kind, .source = source};
  made.value = value;
  // A set is kept as it is now.
  if (auto* set = value.as<object::Set>()) {
    const Ref<object::Set> copy = in_.set();
    for (const Value& key : set->keys().keys()) copy->add(key);
    made.value = Value(copy);
  }
  guard(std::move(made));
}
void Translator::guard_length(const Source* source, std::size_t length, const Value& value) {
  Guard made{.kind = GuardKind::SequenceLength, .source = source};
  made.length = length;
  if (value.as<nn::Module>() == nullptr && !value.is_none()) made.type = &in_.type_of(value);
  guard(std::move(made));
}
void Translator::guard_key(GuardKind kind, const Source* source, const Value& key) {
  Guard made{.kind = kind, .source = source};
  made.value = key;
  guard(std::move(made));
}
void Translator::guard_absent(const Source* source, std::string_view attribute) {
  Guard made{.kind = GuardKind::NotPresent, .source = source};
  made.value = in_.intern(attribute).value();
  guard(std::move(made));
}
void Translator::guard_keys(Variable& dict) {
  if (dict.source == nullptr || dict.is_hooks_dict || dict.is_new || dict.has_guarded_keys) return;
  dict.has_guarded_keys = true;
  const auto* value = dict.value.as<Dict>();
  if (value == nullptr) return;
  Guard made{.kind = GuardKind::DictKeysMatch, .source = dict.source};
  made.keys = const_cast<Dict*>(value)->keys();
  guard(std::move(made));
}

}  // namespace nns::dynamo
