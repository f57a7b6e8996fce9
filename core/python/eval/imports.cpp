// Modules and the import statements.
#include <fmt/format.h>

#include <algorithm>

#include "core/object/operations.h"
#include "core/python/eval/machine.h"

namespace nns::python {

using object::ErrorKind;
using object::Str;
using object::Tuple;

Ref<ModuleObject> Machine::new_module(std::string_view name) {
  auto module = object::make<ModuleObject>(*classes.module);
  Dict& dict = module->dict();
  dict.set(interpreter_.names().dunder_name, interpreter_.intern(name).value());
  dict.set(interpreter_.names().dunder_doc, Value());
  dict.set(names.dunder_package, Value());
  dict.set(names.dunder_spec, Value());
  return module;
}

void Machine::add_finder(FinderOrder order, Finder finder) {
  const auto behind = std::upper_bound(finders_.begin(), finders_.end(), order,
                                       [](FinderOrder wanted, const auto& one) { return wanted < one.first; });
  finders_.insert(behind, {order, std::move(finder)});
}

// The name without leading dots.
PyResult<std::string> Machine::absolute_name(std::string_view given, int level, Dict* globals) const {
  std::string name(given);
  if (level == 0) return name;
  const Value* package = globals == nullptr ? nullptr : globals->find(names.dunder_package);
  const Str* text = package == nullptr ? nullptr : package->as<Str>();
  std::string base = text == nullptr ? "" : std::string(text->view());
  if (base.empty()) {
    // One file of a package, opened by itself: what lies beside it is its package.
    if (uses_stand_ins_ && !name.empty()) return name;
    return object::error<ErrorKind::ImportError>(interpreter_,
                                                 "attempted relative import with no known parent package");
  }
  for (int i = 1; i < level; ++i) {
    const std::size_t dot = base.rfind('.');
    if (dot == std::string::npos) {
      return object::error<ErrorKind::ImportError>(interpreter_, "attempted relative import beyond top-level package");
    }
    base.resize(dot);
  }
  return name.empty() ? base : base + "." + name;
}

// Whether a module that runs is prepared for an import that fails: it, or one that imports it, is inside of `try`.
bool Machine::is_import_guarded() const {
  const Frame* frame = frame_;
  do {
    if (frame == nullptr) return true;  // C++ asks
    if (!frame->handlers.empty()) return true;
    frame = frame->back;
  } while (frame != nullptr && !frame->code->is_function);
  return false;
}

PyResult<Value> Machine::make_stand_in(const std::string& name, const Value& parent) {
  Interpreter& in = interpreter_;
  NNS_TRY_ASSIGN(const Value module, import_absolute("_stand_in", Missing::Raises));
  NNS_TRY_ASSIGN(const Value cls, object::getattr(in, module, in.intern("StandIn")));
  const bool is_told = is_stand_in(parent);
  if (!is_told && frame_ != nullptr) {
    const Code& code = *frame_->code;
    streams.error(fmt::format("{}:{}: no module {}: what comes from it stands in and raises where it is used\n",
                              code.tree->source().name(), code.line_of(frame_->instruction()), name));
  }
  return in.call(cls, {in.text(name)});
}

PyResult<Value> Machine::ask_finders(const std::string& name) {
  for (const auto& [order, finder] : finders_) {
    NNS_TRY_ASSIGN(Value module, finder(name));
    if (!module.is_absent()) return module;
  }
  return Value::absent();
}

// Behaviour: importlib._bootstrap, _find_spec.
PyResult<Value> Machine::ask_meta_path(const std::string& name, const Value& parent) {
  Interpreter& in = interpreter_;
  const Value* const sys = modules_->find("sys");
  Dict* const attributes = sys == nullptr || !sys->is_object() ? nullptr : sys->object()->instance_dict(true);
  const Value* const found = attributes == nullptr ? nullptr : attributes->find("meta_path");
  const auto* const list = found == nullptr ? nullptr : found->as<object::List>();
  const auto is_ours = [&](const Value& entry) { return entry.is(path_finder); };
  if (list == nullptr || (list->items().size() == 1 && is_ours(list->items()[0]))) return ask_finders(name);
  // What tells us how to ask must be found without asking.
  if (name == "importlib" || name == "importlib._bootstrap") return ask_finders(name);
  const std::vector<Value> entries(list->items().begin(), list->items().end());
  for (const Value& entry : entries) {
    if (is_ours(entry)) {
      NNS_TRY_ASSIGN(Value module, ask_finders(name));
      if (!module.is_absent()) return module;
      continue;
    }
    NNS_TRY_ASSIGN(const Value bootstrap, import_absolute("importlib._bootstrap", Missing::Raises));
    NNS_TRY_ASSIGN(const Value load, object::getattr(in, bootstrap, in.intern("_load_from")));
    const Value* const path =
        parent.is_object() ? parent.object()->instance_dict(true)->find(names.dunder_path) : nullptr;
    NNS_TRY_ASSIGN(Value module, in.call(load, {entry, in.text(name), path == nullptr ? Value() : *path}));
    if (!module.is_none()) return module;
  }
  return Value::absent();
}

PyResult<Value> Machine::find_module(const std::string& name, const Value& parent, Missing missing) {
  Interpreter& in = interpreter_;
  NNS_TRY_ASSIGN(Value module, ask_meta_path(name, parent));
  if (!module.is_absent()) return module;
  bool is_programs = false;
  if (parent.is_object()) {
    Dict* const attributes = parent.object()->instance_dict(true);
    if (attributes->find(names.dunder_path) == nullptr) {
      return with_name(object::error<ErrorKind::ModuleNotFoundError>(in, "No module named '{}'; '{}' is not a package",
                                                                     name, name.substr(0, name.rfind('.'))),
                       in, name);
    }
    // A package of the program's own that lacks a module is a mistake of the program.
    const Value* const own = attributes->find(names.dunder_file);
    const Str* const file = own == nullptr ? nullptr : own->as<Str>();
    const auto* const folders = attributes->find(names.dunder_path)->as<object::List>();
    is_programs = file != nullptr ? !file->view().starts_with('<') : folders != nullptr && !folders->items().empty();
  }
  if (missing == Missing::StandsIn && uses_stand_ins_ && !is_programs && !is_import_guarded()) {
    return make_stand_in(name, parent);
  }
  return with_name(object::error<ErrorKind::ModuleNotFoundError>(in, "No module named '{}'", name), in, name);
}

PyResult<Value> Machine::import_module(std::string_view given, int level, Dict* globals) {
  NNS_TRY_ASSIGN(const std::string name, absolute_name(given, level, globals));
  return import_absolute(name, Missing::Raises);
}

// The module as an attribute of its package; of one that comes with nnscope what it names instead (its `__bound__`), as
// torch.autograd.gradcheck is a function that is called like its module.
PyResult<void> Machine::bind_in_parent(const Value& parent, const std::string& name, const Value& module) {
  Value bound = module;
  if (auto* const loaded = module.as<ModuleObject>()) {
    const Value* const file = loaded->dict().find(names.dunder_file);
    const Str* const path = file == nullptr ? nullptr : file->as<Str>();
    const Value* const other = loaded->dict().find("__bound__");
    if (other != nullptr && path != nullptr && path->view().starts_with('<')) bound = *other;
  }
  return object::setattr(interpreter_, parent, interpreter_.intern(name), bound);
}

// Behaviour: importlib._bootstrap, _find_and_load: parents first, each bound in its parent.
PyResult<Value> Machine::import_absolute(const std::string& name, Missing missing) {
  Interpreter& in = interpreter_;
  Value module;
  Value parent;
  for (std::size_t end = 0; end != std::string::npos;) {
    end = name.find('.', end == 0 ? 0 : end + 1);
    const std::string part = name.substr(0, end);
    if (const Value* known = modules_->find(part)) {
      module = *known;
      if (module.is_none()) {
        return object::error<ErrorKind::ModuleNotFoundError>(in, "import of {} halted; None in sys.modules", part);
      }
    } else {
      NNS_TRY_ASSIGN(module, find_module(part, parent, missing));
      // The module may have put something else in its place.
      if (const Value* placed = modules_->find(part))
        module = *placed;
      else
        modules_->set(in.intern(part), module);
      if (part == "_stand_in") {
        NNS_TRY_ASSIGN(const Value cls, object::getattr(in, module, in.intern("StandIn")));
        stand_in_class_ = cls.as<Class>();
      }
      if (parent.is_object()) NNS_TRY(bind_in_parent(parent, part.substr(part.rfind('.') + 1), module));
    }
    parent = module;
  }
  return module;
}

namespace {

// Behaviour: `import a.b as c` reads a's attribute b, which may be something else than the module a.b.
PyResult<Value> attribute_path(Machine& machine, std::string_view path) {
  Interpreter& in = machine.interpreter();
  std::size_t end = path.find('.');
  Value found = *machine.modules().find(path.substr(0, end));
  while (end != std::string_view::npos) {
    const std::size_t begin = end + 1;
    end = path.find('.', begin);
    const std::string_view name = path.substr(begin, end - begin);
    NNS_TRY_ASSIGN(Value next, object::getattr_or_absent(in, found, in.intern(name)));
    if (next.is_absent()) {
      // A module that is being imported is no attribute yet.
      const Value* const known = machine.modules().find(path.substr(0, end));
      if (known == nullptr) {
        return object::error<ErrorKind::ImportError>(in, "cannot import name '{}' from '{}' (unknown location)", name,
                                                     path.substr(0, begin - 1));
      }
      next = *known;
    }
    found = std::move(next);
  }
  return found;
}

}  // namespace

PyResult<Value> Machine::import_name(Frame& frame, Name name, std::uint32_t level, const Value& from) {
  NNS_TRY_ASSIGN(const std::string absolute, absolute_name(name.view(), static_cast<int>(level), frame.globals));
  NNS_TRY_ASSIGN(const Value innermost, import_absolute(absolute, Missing::StandsIn));
  // `import a.b` binds a; with a list of names (or `as`) the innermost is meant.
  const auto* wanted = from.as<Tuple>();
  if (wanted == nullptr) return *modules_->find(absolute.substr(0, absolute.find('.')));
  if (wanted->size() == 0) return is_stand_in(innermost) ? innermost : attribute_path(*this, absolute);
  // `from package import module`: the module may not have been imported yet.
  Dict* const attributes = innermost.object()->instance_dict(true);
  if (!is_stand_in(innermost) && attributes->find(names.dunder_path) != nullptr) {
    // A copy: importing changes the module's dict.
    const Value full = *attributes->find(interpreter_.names().dunder_name);
    for (const Value& one : wanted->items()) {
      Str* text = one.as<Str>();
      if (text->view() == "*" || attributes->find(text->view()) != nullptr) continue;
      const std::string path = fmt::format("{}.{}", full.as<Str>()->view(), text->view());
      PyResult<Value> found = import_absolute(path, Missing::Raises);
      if (!found.ok() && !(found.error().is(ErrorKind::ModuleNotFoundError) &&
                           found.error().message() == fmt::format("No module named '{}'", path))) {
        return found;
      }
    }
  }
  return innermost;
}

PyResult<Value> Machine::import_from(const Value& module, Name name) {
  NNS_TRY_ASSIGN(Value found, object::getattr_or_absent(interpreter_, module, name));
  if (!found.is_absent()) return found;
  const auto text_of = [&](Name attribute) -> std::string {
    const PyResult<Value> value = object::getattr_or_absent(interpreter_, module, attribute);
    const Str* text = value.ok() ? value.value().as<Str>() : nullptr;
    return text == nullptr ? std::string() : std::string(text->view());
  };
  const std::string full = text_of(interpreter_.names().dunder_name);
  const std::string file = text_of(names.dunder_file);
  return with_name(object::error<ErrorKind::ImportError>(interpreter_, "cannot import name '{}' from '{}' ({})",
                                                         name.view(), full.empty() ? "<unknown module name>" : full,
                                                         file.empty() ? "unknown location" : file),
                   interpreter_, full);
}

PyResult<void> Machine::import_star(Frame& frame, const Value& module) {
  Interpreter& in = interpreter_;
  NNS_TRY_ASSIGN(const Value all, object::getattr_or_absent(in, module, names.dunder_all));
  if (!all.is_absent()) {
    return object::for_each(in, all, [&](const Value& name) -> PyResult<void> {
      Str* text = name.as<Str>();
      if (text == nullptr)
        return object::type_error(in, "Item in __all__ must be str, not {}", in.type_of(name).name());
      NNS_TRY_ASSIGN(Value value, object::getattr(in, module, in.intern(*text)));
      frame.names->set(in.intern(*text), std::move(value));
      return {};
    });
  }
  Dict* dict = module.is_object() ? module.object()->instance_dict(true) : nullptr;
  if (dict == nullptr) return {};
  for (const Value& key : dict->keys()) {
    Str* text = key.as<Str>();
    if (text == nullptr || text->view().starts_with('_')) continue;
    frame.names->set(in.intern(*text), *dict->find(in.intern(*text)));
  }
  return {};
}

}  // namespace nns::python
