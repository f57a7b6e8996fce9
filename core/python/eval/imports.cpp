// Modules and the import statements.
#include <fmt/format.h>

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

// Behaviour: importlib._bootstrap, _find_and_load: parents first, each bound in its parent.
PyResult<Value> Machine::import_module(std::string_view given, int level, Dict* globals) {
  Interpreter& in = interpreter_;
  std::string name(given);
  if (level > 0) {
    const Value* package = globals == nullptr ? nullptr : globals->find(names.dunder_package);
    const Str* text = package == nullptr ? nullptr : package->as<Str>();
    std::string base = text == nullptr ? "" : std::string(text->view());
    if (base.empty()) {
      return object::error<ErrorKind::ImportError>(in, "attempted relative import with no known parent package");
    }
    for (int i = 1; i < level; ++i) {
      const std::size_t dot = base.rfind('.');
      if (dot == std::string::npos) {
        return object::error<ErrorKind::ImportError>(in, "attempted relative import beyond top-level package");
      }
      base.resize(dot);
    }
    name = name.empty() ? base : base + "." + name;
  }
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
      module = Value::absent();
      for (const Finder& finder : finders_) {
        NNS_TRY_ASSIGN(module, finder(part));
        if (!module.is_absent()) break;
      }
      if (module.is_absent()) {
        const bool in_package = parent.is_object();
        if (in_package) {
          const Value* path = parent.object()->instance_dict(true)->find(names.dunder_path);
          if (path == nullptr) {
            return object::error<ErrorKind::ModuleNotFoundError>(in, "No module named '{}'; '{}' is not a package",
                                                                 part, part.substr(0, part.rfind('.')));
          }
        }
        return object::error<ErrorKind::ModuleNotFoundError>(in, "No module named '{}'", part);
      }
      // The module may have put something else in its place.
      if (const Value* placed = modules_->find(part))
        module = *placed;
      else
        modules_->set(in.intern(part), module);
      if (parent.is_object()) {
        NNS_TRY(object::setattr(in, parent, in.intern(part.substr(part.rfind('.') + 1)), module));
      }
    }
    parent = module;
  }
  return module;
}

PyResult<Value> Machine::import_name(Frame& frame, Name name, std::uint32_t level, const Value& from) {
  NNS_TRY_ASSIGN(const Value innermost, import_module(name.view(), static_cast<int>(level), frame.globals.get()));
  // `import a.b` binds a; with a list of names (or `as`) the innermost is meant.
  const auto* wanted = from.as<Tuple>();
  if (wanted == nullptr) {
    const std::string_view full = name.view();
    const std::size_t dot = full.find('.');
    if (dot == std::string_view::npos) return innermost;
    return *modules_->find(full.substr(0, dot));
  }
  // `from package import module`: the module may not have been imported yet.
  const Value* own = innermost.object()->instance_dict(true)->find(names.dunder_path);
  if (own != nullptr) {
    // A copy: importing changes the module's dict.
    const Value full = *innermost.object()->instance_dict(true)->find(interpreter_.names().dunder_name);
    for (const Value& one : wanted->items()) {
      Str* text = one.as<Str>();
      if (text->view() == "*" || innermost.object()->instance_dict(true)->find(text->view()) != nullptr) continue;
      const std::string path = fmt::format("{}.{}", full.as<Str>()->view(), text->view());
      PyResult<Value> found = import_module(path, 0, nullptr);
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
  return object::error<ErrorKind::ImportError>(interpreter_, "cannot import name '{}' from '{}' ({})", name.view(),
                                               full.empty() ? "<unknown module name>" : full,
                                               file.empty() ? "unknown location" : file);
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
