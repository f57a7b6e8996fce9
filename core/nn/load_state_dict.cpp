#include <fmt/format.h>

#include <algorithm>
#include <map>

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

// The keys of a state dict that begin with a module's prefix, in order.
using Keys = std::vector<const object::Str*>;

// _load_from_state_dict where `local` has the keys below the prefix and `values` leads from key to value.
PyResult<void> load_own(Module& module, Dict& values, const Keys& local, std::string_view prefix, bool assign,
                        bool strict, const LoadReport& report) {
  Interpreter& in = module.interpreter();
  const NnLibrary& library = NnLibrary::of(in);
  std::string key(prefix);
  // 1. Parameters and persistent buffers. They are noted first: assigning may change the registries.
  struct Target {
    Name name;
    Ref<Tensor> tensor;
  };
  std::vector<Target> targets;
  const auto note_all = [&](Registry registry, const object::Set* left_out) -> PyResult<void> {
    if (!module.has_registry(registry)) NNS_TRY(module.required_registry(registry));
    Dict* entries = module.filled_registry(registry);
    if (entries == nullptr) return {};
    for (std::size_t at = 0; Dict::Entry* entry = entries->next(at);) {
      Tensor* tensor = entry->value.as<Tensor>();
      object::Str* name = entry->key.as<object::Str>();
      if (tensor == nullptr || name == nullptr || (left_out != nullptr && left_out->contains(entry->key))) continue;
      targets.push_back({in.intern(*name), Ref<Tensor>(tensor)});
    }
    return {};
  };
  NNS_TRY(note_all(Registry::Parameters, nullptr));
  if (module.filled_registry(Registry::Buffers) != nullptr) {
    NNS_TRY_ASSIGN(const Value set, module.getattr(library.key(Registry::NonPersistentBuffersSet)));
    NNS_TRY(note_all(Registry::Buffers, set.as<object::Set>()));
  }
  for (const Target& target : targets) {
    key.resize(prefix.size());
    key += target.name.view();
    if (const Value* given = values.find(std::string_view(key))) {
      const Value keep = *given;
      NNS_TRY(load_one(module, target.name, *target.tensor, keep, key, assign, report));
    } else if (strict) {
      report.missing_keys->append(in.text(key));
    }
  }
  // 2. Extra state.
  const std::string extra_key = std::string(prefix) + "_extra_state";
  const Value* extra = values.find(std::string_view(extra_key));
  if (!library.is_modules_own(module.type(), library.names.set_extra_state)) {
    if (extra != nullptr) {
      NNS_TRY(in.call_method(Value(&module), library.names.set_extra_state, {Value(*extra)}));
    } else if (strict) {
      report.missing_keys->append(in.text(extra_key));
    }
  } else if (strict && extra != nullptr) {
    report.unexpected_keys->append(in.text(extra_key));
  }
  if (!strict) return {};
  // 3. Keys below the prefix that lead nowhere.
  Dict* children = module.filled_registry(Registry::Modules);
  for (const object::Str* one : local) {
    const std::string_view view = one->view();
    if (!view.starts_with(prefix) || view == extra_key) continue;
    const std::string_view rest = view.substr(prefix.size());
    const std::size_t dot = rest.find('.');
    bool known = false;
    if (dot != std::string_view::npos) {
      known = children != nullptr && children->find(rest.substr(0, dot)) != nullptr;
    } else {
      known = std::any_of(targets.begin(), targets.end(),
                          [rest](const Target& target) { return target.name.view() == rest; });
    }
    if (!known) report.unexpected_keys->append(Value(const_cast<object::Str*>(one)));
  }
  return {};
}

Keys keys_of(Dict& dict) {
  Keys keys;
  keys.reserve(dict.size());
  for (std::size_t at = 0; Dict::Entry* entry = dict.next(at);) {
    if (const object::Str* key = entry->key.as<object::Str>()) keys.push_back(key);
  }
  return keys;
}

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
  PyResult<void> load(Module& module, const Ref<Dict>& values, const Keys& local, const std::string& prefix) {
    const Interpreter::Depth depth(in_);
    if (depth.too_deep()) return in_.recursion_error();
    const Ref<Module> alive(&module);
    if (!module.has_registry(Registry::LoadStateDictPreHooks)) {
      NNS_TRY(module.required_registry(Registry::LoadStateDictPreHooks));
    }
    const bool seen_by_program = module.filled_registry(Registry::LoadStateDictPreHooks) != nullptr ||
                                 !library_.is_modules_own(module.type(), library_.names.load_from_state_dict);
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
      NNS_TRY(load_children(module, own, keys_of(*own), prefix));
    }
    return run_post_hooks(module);
  }

 private:
  PyResult<void> load_children(Module& module, const Ref<Dict>& values, const Keys& local, const std::string& prefix) {
    Dict* children = module.filled_registry(Registry::Modules);
    if (children == nullptr) return {};
    // The keys of each child: by their first part, one pass. Names with dots match by prefix, as PyTorch does.
    std::map<std::string_view, Keys> by_part;
    for (const object::Str* key : local) {
      const std::string_view view = key->view();
      if (!view.starts_with(prefix)) continue;
      const std::string_view rest = view.substr(prefix.size());
      const std::size_t dot = rest.find('.');
      if (dot != std::string_view::npos) by_part[rest.substr(0, dot)].push_back(key);
    }
    static const Keys kNone;
    for (std::size_t at = 0; Dict::Entry* entry = children->next(at);) {
      Module* child = as_module(entry->value);
      const object::Str* name = entry->key.as<object::Str>();
      if (child == nullptr || name == nullptr) continue;
      const std::string child_prefix = fmt::format("{}{}.", prefix, name->view());
      if (name->view().find('.') != std::string_view::npos) {
        Keys matching;
        std::copy_if(local.begin(), local.end(), std::back_inserter(matching),
                     [&](const object::Str* key) { return key->view().starts_with(child_prefix); });
        NNS_TRY(load(*child, values, matching, child_prefix));
        continue;
      }
      const auto found = by_part.find(name->view());
      NNS_TRY(load(*child, values, found == by_part.end() ? kNone : found->second, child_prefix));
    }
    return {};
  }

  Ref<Dict> own_dict(Dict& values, const Keys& local) {
    Ref<Dict> own = in_.dict();
    for (const object::Str* key : local) own->set(Value(const_cast<object::Str*>(key)), *values.find(key->view()));
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
      NNS_TRY(in.call(hook, arguments));
    }
  }
  bool assign = false;
  if (const Value* flag = local_metadata.find(library.names.assign_to_params_buffers)) {
    NNS_TRY_ASSIGN(assign, object::truth(in, *flag));
  }
  return load_own(module, state_dict, keys_of(state_dict), prefix, assign, strict, report);
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
  NNS_TRY(loading.load(module, values, keys_of(*values), ""));
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
