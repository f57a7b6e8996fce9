// Modules of a program's own, in its folder and those that sys.path names.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <memory>

#include "core/python/eval/files.h"
#include "core/python/eval/machine.h"
#include "core/python/eval/run.h"

namespace nns::python {
namespace {

using object::Str;

// How far down a folder is looked through for sources.
constexpr int kMostDepth = 4;

// Names of modules, not paths: nothing outside of a folder can be meant.
bool is_module_name(std::string_view name) {
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || (c & 0x80) != 0;
  };
  return !name.empty() && name.front() != '.' && name.find("..") == std::string_view::npos &&
         std::all_of(name.begin(), name.end(), is_part);
}

bool has_sources_below(const Files& files, const std::string& path, int depth) {
  FileInfo info;
  std::vector<std::string> names;
  if (files.info(path, info) != 0 || !info.is_folder || files.list(path, names) != 0) return false;
  if (std::any_of(names.begin(), names.end(), [](const std::string& name) { return name.ends_with(".py"); }))
    return true;
  return depth > 0 && std::any_of(names.begin(), names.end(), [&](const std::string& name) {
           return !name.starts_with('.') && has_sources_below(files, fmt::format("{}/{}", path, name), depth - 1);
         });
}

class SourceFolders {
 public:
  SourceFolders(Machine& machine, SourceFolder folder) : machine_(machine), folder_(std::move(folder)) {}

  PyResult<Value> find(std::string_view name) {
    std::optional<Source> source = find_source(name);
    if (!source) return Value::absent();
    return load_module(machine_, {name, source->is_package, std::move(source->file), std::move(source->text)});
  }

  std::optional<Machine::ModulePlace> locate(std::string_view name) {
    if (const std::optional<Source> source = find_source(name)) {
      Machine::ModulePlace place{source->file, {}, source->is_package};
      if (place.is_package) place.folders.push_back(place.file.substr(0, place.file.rfind('/')));
      return place;
    }
    std::vector<std::string> folders = namespace_folders(name);
    if (folders.empty()) return std::nullopt;
    return Machine::ModulePlace{"", std::move(folders), true};
  }

  // Behaviour: importlib._bootstrap_external, PathFinder.find_spec: folders without __init__.py, of all roots together.
  // Differs: one without sources is none, so that a folder of data does not hide that a package is missing.
  PyResult<Value> find_namespace(std::string_view name) {
    const std::vector<std::string> found = namespace_folders(name);
    if (found.empty()) return Value::absent();
    Interpreter& in = machine_.interpreter();
    std::vector<Value> folders;
    for (const std::string& folder : found) folders.push_back(in.text(folder));
    const Ref<ModuleObject> module = machine_.new_module(name);
    module->dict().set(machine_.names.dunder_path, Value(in.list(std::move(folders))));
    module->dict().set(machine_.names.dunder_file, Value());
    module->dict().set(machine_.names.dunder_package, in.text(name));
    return Value(module);
  }

 private:
  struct Source {
    std::string file, text;
    bool is_package;
  };

  std::optional<Source> find_source(std::string_view name) const {
    if (!is_module_name(name)) return std::nullopt;
    for (const std::string& folder : folders_of(name)) {
      const std::string path = folder + std::string(last_part(name));
      for (const bool is_package : {true, false}) {
        std::string file = path + (is_package ? "/__init__.py" : ".py");
        std::optional<std::string> text = read(file);
        if (text) return Source{std::move(file), *std::move(text), is_package};
      }
    }
    return std::nullopt;
  }

  std::vector<std::string> namespace_folders(std::string_view name) const {
    std::vector<std::string> found;
    if (!is_module_name(name)) return found;
    for (const std::string& folder : folders_of(name)) {
      std::string path = folder + std::string(last_part(name));
      if (has_sources(path)) found.push_back(std::move(path));
    }
    return found;
  }

  static std::string_view last_part(std::string_view name) { return name.substr(name.rfind('.') + 1); }

  // The folders to look in: of a part of a package those in its __path__, which the program may have changed; else
  // those of sys.path. Each with a slash at its end; empty: the program's own.
  std::vector<std::string> folders_of(std::string_view name) const {
    const std::size_t dot = name.rfind('.');
    const bool is_part = dot != std::string_view::npos;
    std::vector<std::string> folders;
    const std::string own = machine_.files == nullptr ? "." : machine_.files->folder();
    bool has_own = is_part;
    const Value folders_given = is_part ? attribute_of(name.substr(0, dot), "__path__") : attribute_of("sys", "path");
    if (const auto* const list = folders_given.as<object::List>()) {
      for (const Value& item : list->items()) {
        const Str* const text = item.as<Str>();
        if (text == nullptr) continue;
        std::string folder(text->view());
        while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
        const bool is_own = folder.empty() || folder == "." || folder == own;
        has_own = has_own || is_own;
        if (is_own)
          folder.clear();
        else if (folder != "/")
          folder += '/';
        if (std::find(folders.begin(), folders.end(), folder) == folders.end()) folders.push_back(std::move(folder));
      }
    }
    if (!has_own) folders.insert(folders.begin(), "");
    return folders;
  }

  Value attribute_of(std::string_view module, std::string_view attribute) const {
    Interpreter& in = machine_.interpreter();
    const Value* const known = machine_.modules().find(in.intern(module));
    if (known == nullptr || !known->is_object()) return Value::absent();
    const Value* const found = known->object()->instance_dict(true)->find(in.intern(attribute));
    return found == nullptr ? Value::absent() : *found;
  }

  // A path that is not absolute may be of the program's folder, which need not be the working folder or one on a disk.
  std::optional<std::string> read(const std::string& file) const {
    if (!file.starts_with('/')) {
      if (std::optional<std::string> own = folder_.read(file)) return own;
    }
    if (!machine_.streams.open_file || machine_.files == nullptr) return std::nullopt;
    FileInfo info;
    if (machine_.files->info(file, info) != 0 || info.is_folder) return std::nullopt;
    const OpenedFile<base::ByteSource> opened = machine_.streams.open_file(file);
    const auto* const source = std::get_if<std::shared_ptr<base::ByteSource>>(&opened);
    if (source == nullptr) return std::nullopt;
    std::string text(static_cast<std::size_t>((*source)->size()), '\0');
    if (!(*source)->read(0, {reinterpret_cast<std::byte*>(text.data()), text.size()}).ok()) return std::nullopt;
    return text;
  }

  bool has_sources(const std::string& path) const {
    if (!path.starts_with('/') && folder_.has_sources && folder_.has_sources(path)) return true;
    return machine_.files != nullptr && has_sources_below(*machine_.files, path, kMostDepth);
  }

  Machine& machine_;
  SourceFolder folder_;
};

}  // namespace

void add_source_folder(Machine& machine, SourceFolder folder) {
  const auto folders = std::make_shared<SourceFolders>(machine, std::move(folder));
  machine.add_finder(Machine::FinderOrder::ProgramFolder,
                     [folders](std::string_view name) { return folders->find(name); });
  machine.add_finder(Machine::FinderOrder::Namespaces,
                     [folders](std::string_view name) { return folders->find_namespace(name); });
  machine.locate_module = [folders](std::string_view name) { return folders->locate(name); };
}

}  // namespace nns::python
