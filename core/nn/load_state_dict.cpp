#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "core/nn/module_events.h"
#include "core/nn/state_dict.h"
#include "core/object/operations.h"
#include "core/ops/training_observer.h"
#include "core/tensor/distributed.h"
#include "core/tensor/uninitialized.h"

namespace nns::nn {
namespace {

using object::List;

void say(Interpreter& in, const LoadReport& report, const std::string& text) {
  report.error_messages->append(in.text(text));
}

// What module_load() made of the value takes the place of what the target holds.
// Behaviour: Module._load_from_state_dict with torch.__future__.get_swap_module_params_on_conversion().
PyResult<void> swap_in(Tensor& target, const Ref<Tensor>& source, bool assign) {
  Interpreter& in = target.interpreter();
  const ops::GradModeGuard no_grad(in, false);
  NNS_TRY_ASSIGN(const Value method, object::getattr(in, Value(&target), in.intern("module_load")));
  NNS_TRY_ASSIGN(const Value made, in.call(method, std::array{Value(source)},
                                           std::array{object::Keyword{in.intern("assign"), Value(assign)}}));
  Ref<Tensor> fresh(made.as<Tensor>());
  if (!fresh) {
    return object::type_error(in, "module_load() must return a Tensor, not {}", in.type_of(made).name());
  }
  if (fresh == source || fresh.get() == &target) {
    return object::runtime_error(in,
                                 "module_load returned one of self or other, please .detach() the result if returning "
                                 "one of the inputs in module_load");
  }
  if (target.is_parameter()) {
    if (!fresh->is_parameter()) {
      NNS_TRY_ASSIGN(fresh, tensor::make_parameter(in, *fresh, target.requires_grad()));
    } else {
      NNS_TRY(fresh->set_requires_grad(target.requires_grad()));
    }
  }
  target.swap(*fresh);
  return {};
}

// Copies or assigns one entry; what is wrong with it goes into the report.
PyResult<void> load_one(Module& module, Name name, Tensor& target, const Value& given, std::string_view key,
                        bool assign, const LoadReport& report) {
  Interpreter& in = module.interpreter();
  NnLibrary& library = NnLibrary::of(in);
  Ref<Tensor> source(given.as<Tensor>());
  if (!source) {
    say(in, report,
        fmt::format("While copying the parameter named \"{}\", expected torch.Tensor or Tensor-like object from "
                    "checkpoint but received {}",
                    key, object::class_repr(in.type_of(given))));
    return {};
  }
  // Behaviour: DTensor's dispatch of copy_.
  if (!assign && tensor::is_distributed(target) != tensor::is_distributed(*source)) {
    NNS_TRY_ASSIGN(const Value in_model, object::getattr(in, Value(&target), in.intern("shape")));
    NNS_TRY_ASSIGN(const Value in_file, object::getattr(in, given, in.intern("shape")));
    NNS_TRY_ASSIGN(const std::string model_shape, object::repr(in, in_model));
    NNS_TRY_ASSIGN(const std::string file_shape, object::repr(in, in_file));
    say(in, report,
        fmt::format(
            "While copying the parameter named \"{}\", whose dimensions in the model are {} and whose dimensions "
            "in the checkpoint are {}, an exception occurred : ('aten.copy_.default: got mixed torch.Tensor "
            "and DTensor, need to convert all torch.Tensor to DTensor before calling distributed operators!',).",
            key, model_shape, file_shape));
    return {};
  }
  // 1. A 0-dim target takes a 1-element 1-dim value; otherwise the shapes are equal. A target without a shape takes
  // any.
  if (source->is_uninitialized() && !target.is_uninitialized()) return tensor::no_shape_yet(in);
  if (target.ndim() == 0 && source->ndim() == 1 && source->shape()[0] == 1) source = tensor::select(*source, 0, 0);
  if (!target.is_uninitialized() && !(source->shape() == target.shape())) {
    say(in, report,
        fmt::format("size mismatch for {}: copying a param with shape {} from checkpoint, the shape in current model "
                    "is {}.",
                    key, tensor::size_text(source->shape()), tensor::size_text(target.shape())));
    return {};
  }
  if (target.is_meta() && !source->is_meta() && !assign) {
    in.warn(object::ErrorKind::UserWarning,
            fmt::format("for {}: copying from a non-meta parameter in the checkpoint to a meta parameter in the "
                        "current model, which is a no-op. (Did you mean to pass `assign=True` to assign items in the "
                        "state dictionary to their corresponding key in the module instead of copying them in place?)",
                        key));
  }
  // 2. The tensor itself, or its values.
  const bool swaps = library.swap_params_on_conversion;
  const auto store = [&]() -> PyResult<void> {
    if (swaps) return swap_in(target, source, assign);
    if (!assign) return tensor::copy_(target, *source);
    if (target.is_parameter()) {
      if (!source->is_parameter()) {
        NNS_TRY_ASSIGN(source, tensor::make_parameter(in, *source, target.requires_grad()));
      } else {
        NNS_TRY(source->set_requires_grad(target.requires_grad()));
      }
    }
    return module.setattr(name, Value(source));
  };
  const Ref<Tensor> alive(&target);
  const PyResult<void> stored = store();
  if (!stored.ok()) {
    const auto& arguments = stored.error().exception().arguments();
    NNS_TRY_ASSIGN(const std::string shown, object::repr(in, arguments ? Value(arguments) : Value(in.tuple())));
    say(in, report,
        fmt::format("While {} the parameter named \"{}\", whose dimensions in the model are {} and whose dimensions in "
                    "the checkpoint are {}, an exception occurred : {}.",
                    swaps ? "swapping" : "copying", key, tensor::size_text(target.shape()),
                    tensor::size_text(source->shape()), shown));
  } else {
    ops::tell_touched(target, ops::Touch::Loaded);
  }
  return {};
}

// A key of a state dict, and where it stood when the keys were noted.
struct KeyAt {
  const object::Str* key;
  std::size_t slot;
};
// The keys that begin with a module's prefix, in order.
using Keys = std::span<const KeyAt>;

std::vector<KeyAt> keys_of(Dict& dict) {
  std::vector<KeyAt> keys;
  keys.reserve(dict.size());
  for (std::size_t at = 0; Dict::Entry* entry = dict.next(at);) {
    if (const object::Str* key = entry->key.as<object::Str>()) keys.push_back({key, at - 1});
  }
  return keys;
}

// The value of prefix + name, or null. Most modules have few keys of their own: then it is one of `local`.
const Value* value_of(Dict& values, Keys local, std::string_view prefix, std::string_view name,
                      const std::string& key) {
  constexpr std::size_t kFew = 16;
  if (local.size() <= kFew) {
    for (const KeyAt& one : local) {
      const std::string_view view = one.key->view();
      if (view.size() != prefix.size() + name.size() || !view.ends_with(name) || !view.starts_with(prefix)) continue;
      const Value* const found = values.raw_at(one.slot, *one.key);
      if (found != nullptr && !found->is_empty_container()) return found;
      break;
    }
  }
  return values.find(std::string_view(key));
}

// A module's own tensors, before they are loaded: assigning may change the registries.
struct Target {
  Name name;
  Ref<Tensor> tensor;
};

PyResult<void> note_targets(Module& module, Registry registry, const object::Set* left_out,
                            std::vector<Target>& targets) {
  if (!module.has_registry(registry)) NNS_TRY(module.required_registry(registry));
  Dict* entries = module.filled_registry(registry);
  if (entries == nullptr) return {};
  for (std::size_t at = 0; Dict::Entry* entry = entries->next(at);) {
    Tensor* tensor = entry->value.as<Tensor>();
    object::Str* name = entry->key.as<object::Str>();
    if (tensor == nullptr || name == nullptr || (left_out != nullptr && left_out->contains(entry->key))) continue;
    targets.push_back({module.interpreter().intern(*name), Ref<Tensor>(tensor)});
  }
  return {};
}

// The keys below a prefix that lead nowhere. Neighbours below one child are asked about once.
void report_unexpected(Module& module, Keys local, std::string_view prefix, std::string_view extra_key,
                       const std::vector<Target>& targets, const LoadReport& report) {
  Dict* const children = module.filled_registry(Registry::Modules);
  std::string_view asked_part;
  bool is_part_known = false;
  for (const KeyAt& one : local) {
    const std::string_view view = one.key->view();
    if (!view.starts_with(prefix) || view == extra_key) continue;
    const std::string_view rest = view.substr(prefix.size());
    const std::size_t dot = rest.find('.');
    bool is_known = false;
    if (dot != std::string_view::npos) {
      const std::string_view part = rest.substr(0, dot);
      if (part != asked_part || asked_part.empty()) {
        asked_part = part;
        is_part_known = children != nullptr && children->find(part) != nullptr;
      }
      is_known = is_part_known;
    } else {
      is_known = std::any_of(targets.begin(), targets.end(),
                             [rest](const Target& target) { return target.name.view() == rest; });
    }
    if (!is_known) report.unexpected_keys->append(Value(const_cast<object::Str*>(one.key)));
  }
}

// _load_from_state_dict where `local` has the keys below the prefix and `values` leads from key to value.
PyResult<void> load_own(Module& module, Dict& values, Keys local, const std::string& prefix, bool assign, bool strict,
                        const LoadReport& report) {
  Interpreter& in = module.interpreter();
  const NnLibrary& library = NnLibrary::of(in);
  // 1. Parameters and persistent buffers.
  std::vector<Target> targets;
  NNS_TRY(note_targets(module, Registry::Parameters, nullptr, targets));
  if (module.filled_registry(Registry::Buffers) != nullptr) {
    NNS_TRY_ASSIGN(const Value set, module.getattr(library.key(Registry::NonPersistentBuffersSet)));
    NNS_TRY(note_targets(module, Registry::Buffers, set.as<object::Set>(), targets));
  } else if (!module.has_registry(Registry::Buffers)) {
    NNS_TRY(module.required_registry(Registry::Buffers));
  }
  std::string key(prefix);
  for (const Target& target : targets) {
    key.resize(prefix.size());
    key += target.name.view();
    if (const Value* given = value_of(values, local, prefix, target.name.view(), key)) {
      const Value keep = *given;
      NNS_TRY(load_one(module, target.name, *target.tensor, keep, key, assign, report));
    } else if (strict) {
      report.missing_keys->append(in.text(key));
    }
  }
  // 2. Extra state. 3. Keys below the prefix that lead nowhere.
  key.resize(prefix.size());
  key += "_extra_state";
  const bool has_own_state = !library.leaves_to_module(module.type(), NnLibrary::Way::SetExtraState);
  const Value* const extra =
      !has_own_state && local.empty() ? nullptr : value_of(values, local, prefix, "_extra_state", key);
  if (has_own_state) {
    if (extra != nullptr) {
      NNS_TRY(in.call_method(Value(&module), library.names.set_extra_state, {Value(*extra)}));
    } else if (strict) {
      report.missing_keys->append(in.text(key));
    }
  } else if (strict && extra != nullptr) {
    report.unexpected_keys->append(in.text(key));
  }
  if (strict) report_unexpected(module, local, prefix, key, targets, report);
  return {};
}

// The keys of each child of a module, by the first part of what follows the prefix. Keys mostly stand together, in the
// order of the children, as state_dict() wrote them; else they are sorted into lists.
class KeysOfChildren {
 public:
  KeysOfChildren(Dict& children, Keys local, std::size_t prefix_size) : local_(local), prefix_size_(prefix_size) {
    for (std::size_t at = 0; at < local.size();) {
      const std::string_view part = part_of(local[at]);
      std::size_t end = at + 1;
      while (end < local.size() && part_of(local[end]) == part) ++end;
      if (!part.empty()) runs_.push_back({part, local.subspan(at, end - at)});
      at = end;
    }
    if (are_in_order(children)) return;
    is_sorted_ = true;
    for (const Run& run : runs_) {
      std::vector<KeyAt>& keys = sorted_[run.part];
      keys.insert(keys.end(), run.keys.begin(), run.keys.end());
    }
  }

  // Asked for in the order of the children.
  Keys of(std::string_view name) {
    if (is_sorted_) {
      const auto found = sorted_.find(name);
      return found == sorted_.end() ? Keys() : Keys(found->second);
    }
    if (next_ == runs_.size() || runs_[next_].part != name) return {};
    return runs_[next_++].keys;
  }
  // What begins with a name that has dots in it, as PyTorch matches it.
  std::vector<KeyAt> beginning_with(std::string_view prefix) const {
    std::vector<KeyAt> matching;
    std::copy_if(local_.begin(), local_.end(), std::back_inserter(matching),
                 [&](const KeyAt& one) { return one.key->view().starts_with(prefix); });
    return matching;
  }

 private:
  struct Run {
    std::string_view part;
    Keys keys;
  };
  // The first part; empty: it is the module's own.
  std::string_view part_of(const KeyAt& one) const {
    const std::string_view view = one.key->view();
    if (view.size() < prefix_size_) return {};
    const std::string_view rest = view.substr(prefix_size_);
    const std::size_t dot = rest.find('.');
    return dot == std::string_view::npos ? std::string_view() : rest.substr(0, dot);
  }
  bool are_in_order(Dict& children) const {
    std::size_t at = 0;
    for (const Run& run : runs_) {
      const object::Str* name = nullptr;
      do {
        const Dict::Entry* const entry = children.next(at);
        if (entry == nullptr) return false;
        name = entry->key.as<object::Str>();
      } while (name == nullptr || name->view() != run.part);
    }
    return true;
  }

  Keys local_;
  std::size_t prefix_size_;
  std::vector<Run> runs_;
  std::size_t next_ = 0;
  std::map<std::string_view, std::vector<KeyAt>> sorted_;
  bool is_sorted_ = false;
};

// One load_state_dict. A module gets a dict of its own only if code of the program would see it.
class Loading {
 public:
  Loading(Interpreter& in, Dict* metadata, bool assign, LoadReport report, Value incompatible)
      : in_(in),
        library_(NnLibrary::of(in)),
        metadata_(metadata),
        assign_(assign),
        report_(std::move(report)),
        incompatible_(std::move(incompatible)) {}

  // `values` leads from keys to values; `local` are those below `prefix`.
  PyResult<void> load(Module& module, const Ref<Dict>& values, Keys local, const std::string& prefix) {
    const Interpreter::Depth depth(in_);
    if (depth.too_deep()) return in_.recursion_error();
    const Ref<Module> alive(&module);
    if (!module.has_registry(Registry::LoadStateDictPreHooks)) {
      NNS_TRY(module.required_registry(Registry::LoadStateDictPreHooks));
    }
    const bool seen_by_program = module.filled_registry(Registry::LoadStateDictPreHooks) != nullptr ||
                                 !library_.leaves_to_module(module.type(), NnLibrary::Way::LoadFromStateDict);
    if (!seen_by_program) {
      NNS_TRY(load_own(module, *values, local, prefix, assign_, true, report_));
      NNS_TRY(load_children(module, values, local, prefix));
    } else {
      // Only the root may change the copy itself; a child gets the part below its prefix.
      const Ref<Dict> own = prefix.empty() ? values : own_dict(*values, local);
      const Ref<Dict> local_metadata = metadata_of(prefix);
      NNS_TRY(in_.call_method(Value(&module), library_.names.load_from_state_dict,
                              std::vector<Value>{Value(own), in_.text(prefix), Value(local_metadata), Value(true),
                                                 Value(report_.missing_keys), Value(report_.unexpected_keys),
                                                 Value(report_.error_messages)}));
      const std::vector<KeyAt> keys = keys_of(*own);
      NNS_TRY(load_children(module, own, keys, prefix));
    }
    return run_post_hooks(module);
  }

 private:
  PyResult<void> load_children(Module& module, const Ref<Dict>& values, Keys local, const std::string& prefix) {
    Dict* children = module.filled_registry(Registry::Modules);
    if (children == nullptr) return {};
    // A program may have put keys there that do not begin with the prefix.
    std::vector<KeyAt> below;
    const auto begins = [&](const KeyAt& one) { return one.key->view().starts_with(prefix); };
    if (!std::all_of(local.begin(), local.end(), begins)) {
      std::copy_if(local.begin(), local.end(), std::back_inserter(below), begins);
      local = below;
    }
    KeysOfChildren keys(*children, local, prefix.size());
    std::string child_prefix(prefix);
    for (std::size_t at = 0; Dict::Entry* entry = children->next(at);) {
      Module* child = as_module(entry->value);
      const object::Str* name = entry->key.as<object::Str>();
      if (name == nullptr) continue;
      if (child == nullptr) {
        // The keys of what is None go by.
        static_cast<void>(keys.of(name->view()));
        continue;
      }
      child_prefix.resize(prefix.size());
      child_prefix += name->view();
      child_prefix += '.';
      if (name->view().find('.') != std::string_view::npos) {
        NNS_TRY(load(*child, values, keys.beginning_with(child_prefix), child_prefix));
      } else {
        NNS_TRY(load(*child, values, keys.of(name->view()), child_prefix));
      }
    }
    return {};
  }

  Ref<Dict> own_dict(Dict& values, Keys local) {
    Ref<Dict> own = in_.dict();
    for (const KeyAt& one : local) {
      own->set(Value(const_cast<object::Str*>(one.key)), *values.find(one.key->view()));
    }
    return own;
  }

  Ref<Dict> metadata_of(std::string_view prefix) {
    Ref<Dict> local;
    if (metadata_ != nullptr) {
      if (const Value* found = metadata_->find(prefix.substr(0, prefix.empty() ? 0 : prefix.size() - 1))) {
        local = Ref<Dict>(found->as<Dict>());
      }
    }
    if (!local) local = in_.dict();
    if (assign_) local->set(library_.names.assign_to_params_buffers, Value(true));
    return local;
  }

  PyResult<void> run_post_hooks(Module& module) {
    if (!module.has_registry(Registry::LoadStateDictPostHooks)) {
      NNS_TRY(module.required_registry(Registry::LoadStateDictPostHooks));
    }
    Dict* hooks = module.filled_registry(Registry::LoadStateDictPostHooks);
    if (hooks == nullptr) return {};
    for (const auto& [id, hook] : snapshot(*hooks)) {
      tell_hook_fires(module, registry_key(Registry::LoadStateDictPostHooks), id);
      NNS_TRY_ASSIGN(const Value answer, in_.call(hook, {Value(&module), incompatible_}));
      if (!answer.is_none()) {
        return object::make_error(
            in_, object::ErrorKind::AssertionError,
            "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new values, if "
            "incompatible_keys need to be modified, it should be done inplace.");
      }
    }
    return {};
  }

  Interpreter& in_;
  NnLibrary& library_;
  Dict* metadata_;
  bool assign_;
  LoadReport report_;
  Value incompatible_;
};

std::string quoted_list(const List& keys) {
  std::string text;
  for (const Value& key : keys.items()) {
    const object::Str* name = key.as<object::Str>();
    text += fmt::format("{}\"{}\"", text.empty() ? "" : ", ", name == nullptr ? "" : name->view());
  }
  return text;
}

}  // namespace

PyResult<void> load_from_state_dict(Module& module, Dict& state_dict, std::string_view prefix, Dict& local_metadata,
                                    bool strict, const LoadReport& report) {
  Interpreter& in = module.interpreter();
  NnLibrary& library = NnLibrary::of(in);
  if (Dict* hooks = module.filled_registry(Registry::LoadStateDictPreHooks)) {
    for (const auto& [id, hook] : snapshot(*hooks)) {
      const Value arguments[] = {Value(&state_dict),          in.text(prefix),
                                 Value(&local_metadata),      Value(strict),
                                 Value(report.missing_keys),  Value(report.unexpected_keys),
                                 Value(report.error_messages)};
      tell_hook_fires(module, registry_key(Registry::LoadStateDictPreHooks), id);
      NNS_TRY(in.call(hook, arguments));
    }
  }
  bool assign = false;
  if (const Value* flag = local_metadata.find(library.names.assign_to_params_buffers)) {
    NNS_TRY_ASSIGN(assign, object::truth(in, *flag));
  }
  return load_own(module, state_dict, keys_of(state_dict), std::string(prefix), assign, strict, report);
}

// Behaviour: Module.load_state_dict.
PyResult<Value> load_state_dict_value(Module& module, const Value& state_dict, bool strict, bool assign) {
  Interpreter& in = module.interpreter();
  NnLibrary& library = NnLibrary::of(in);
  Dict* given = state_dict.as<Dict>();
  if (given == nullptr) {
    return object::type_error(in, "Expected state_dict to be dict-like, got {}.",
                              object::class_repr(in.type_of(state_dict)));
  }
  NNS_TRY_ASSIGN(const Value metadata, object::getattr_or_absent(in, state_dict, library.names.metadata));
  // 1. A copy of our own: hooks change it, the caller's stays as it is.
  const Ref<Dict> values = in.ordered_dict();
  for (std::size_t at = 0; Dict::Entry* entry = given->next(at);) values->set(entry->key, entry->value);
  if (!metadata.is_absent()) values->instance_dict(true)->set(library.names.metadata, metadata);
  const LoadReport report{in.list(), in.list(), in.list()};
  const Value incompatible = object::make<object::Tuple>(
      *library.incompatible_keys, std::vector<Value>{Value(report.missing_keys), Value(report.unexpected_keys)});
  // 2. Depth first.
  Loading loading(in, metadata.as<Dict>(), assign, report, incompatible);
  const std::vector<KeyAt> keys = keys_of(*values);
  NNS_TRY(loading.load(module, values, keys, ""));
  // 3. What did not match.
  std::vector<Value>& messages = report.error_messages->items();
  if (strict && report.unexpected_keys->size() > 0) {
    messages.insert(messages.begin(), in.text(fmt::format("Unexpected key(s) in state_dict: {}. ",
                                                          quoted_list(*report.unexpected_keys))));
  }
  if (strict && report.missing_keys->size() > 0) {
    messages.insert(messages.begin(),
                    in.text(fmt::format("Missing key(s) in state_dict: {}. ", quoted_list(*report.missing_keys))));
  }
  if (!messages.empty()) {
    std::string all;
    for (const Value& message : messages) {
      NNS_TRY_ASSIGN(const std::string text, object::str(in, message));
      all += "\n\t" + text;
    }
    return object::runtime_error(in, "Error(s) in loading state_dict for {}:{}", module.type().name(), all);
  }
  return incompatible;
}

PyResult<IncompatibleKeys> Module::load_state_dict(const Value& state_dict, bool strict, bool assign) {
  NNS_TRY_ASSIGN(const Value found, load_state_dict_value(*this, state_dict, strict, assign));
  const auto texts = [](const Value& list) {
    std::vector<std::string> all;
    for (const Value& key : list.as<List>()->items()) {
      if (const object::Str* text = key.as<object::Str>()) all.emplace_back(text->view());
    }
    return all;
  };
  const auto& pair = *found.as<object::Tuple>();
  return IncompatibleKeys{texts(pair[0]), texts(pair[1])};
}

}  // namespace nns::nn
