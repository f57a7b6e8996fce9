// Modules of a program's own, in its folder and those that sys.path names.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
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
    if (!is_module_name(name)) return Value::absent();
    const std::string path = path_of(name);
    for (const std::string& root : roots_of(name)) {
      for (const bool is_package : {true, false}) {
        std::string file = is_package ? fmt::format("{}/__init__.py", path) : fmt::format("{}.py", path);
        std::optional<std::string> text = read(root, file);
        if (!text) continue;
        if (is_package) found_in_[std::string(name)] = {root};
        return load_module(machine_, {name, is_package, root + file, *std::move(text)});
      }
    }
    return Value::absent();
  }

  // Behaviour: importlib._bootstrap_external, PathFinder.find_spec: folders without __init__.py, of all roots together.
  // Differs: one without sources is none, so that a folder of data does not hide that a package is missing.
  PyResult<Value> find_namespace(std::string_view name) {
    if (!is_module_name(name)) return Value::absent();
    const std::string path = path_of(name);
    std::vector<std::string> roots;
    for (std::string& root : roots_of(name)) {
      if (has_sources(root, path)) roots.push_back(std::move(root));
    }
    if (roots.empty()) return Value::absent();
    Interpreter& in = machine_.interpreter();
    const Ref<ModuleObject> module = machine_.new_module(name);
    std::vector<Value> folders;
    for (const std::string& root : roots) folders.push_back(in.text(root + path));
    module->dict().set(machine_.names.dunder_path, Value(in.list(std::move(folders))));
    module->dict().set(machine_.names.dunder_file, Value());
    module->dict().set(machine_.names.dunder_package, in.text(name));
    found_in_[std::string(name)] = std::move(roots);
    return Value(module);
  }

 private:
  static std::string path_of(std::string_view name) {
    std::string path(name);
    std::replace(path.begin(), path.end(), '.', '/');
    return path;
  }

  // The folders to look in, each with a slash at its end; empty: the program's own.
  std::vector<std::string> roots_of(std::string_view name) const {
    const std::size_t dot = name.rfind('.');
    const auto parent =
        dot == std::string_view::npos ? found_in_.end() : found_in_.find(std::string(name.substr(0, dot)));
    if (parent != found_in_.end()) return parent->second;
    std::vector<std::string> roots;
    const std::string own = machine_.files == nullptr ? "." : machine_.files->folder();
    bool has_own = false;
    Interpreter& in = machine_.interpreter();
    const Value* const sys = machine_.modules().find(in.intern("sys"));
    const Value* const path =
        sys == nullptr || !sys->is_object() ? nullptr : sys->object()->instance_dict(true)->find(in.intern("path"));
    if (const auto* const list = path == nullptr ? nullptr : path->as<object::List>()) {
      for (const Value& item : list->items()) {
        const Str* const text = item.as<Str>();
        if (text == nullptr) continue;
        std::string root(text->view());
        while (root.size() > 1 && root.ends_with('/')) root.pop_back();
        const bool is_own = root.empty() || root == "." || root == own;
        has_own = has_own || is_own;
        root = is_own ? "" : root == "/" ? root : root + "/";
        if (std::find(roots.begin(), roots.end(), root) == roots.end()) roots.push_back(std::move(root));
      }
    }
    if (!has_own) roots.insert(roots.begin(), "");
    return roots;
  }

  std::optional<std::string> read(const std::string& root, const std::string& file) const {
    if (root.empty()) return folder_.read(file);
    if (!machine_.streams.open_file || machine_.files == nullptr) return std::nullopt;
    FileInfo info;
    if (machine_.files->info(root + file, info) != 0 || info.is_folder) return std::nullopt;
    const OpenedFile<base::ByteSource> opened = machine_.streams.open_file(root + file);
    const auto* const source = std::get_if<std::shared_ptr<base::ByteSource>>(&opened);
    if (source == nullptr) return std::nullopt;
    std::string text(static_cast<std::size_t>((*source)->size()), '\0');
    if (!(*source)->read(0, {reinterpret_cast<std::byte*>(text.data()), text.size()}).ok()) return std::nullopt;
    return text;
  }

  bool has_sources(const std::string& root, const std::string& path) const {
    if (root.empty() && folder_.has_sources) return folder_.has_sources(path);
    return machine_.files != nullptr && has_sources_below(*machine_.files, root + path, kMostDepth);
  }

  Machine& machine_;
  SourceFolder folder_;
  // Of each package that was found, in which folders.
  std::map<std::string, std::vector<std::string>> found_in_;
};

}  // namespace

void add_source_folder(Machine& machine, SourceFolder folder) {
  const auto folders = std::make_shared<SourceFolders>(machine, std::move(folder));
  machine.add_finder(Machine::FinderOrder::ProgramFolder,
                     [folders](std::string_view name) { return folders->find(name); });
  machine.add_finder(Machine::FinderOrder::Namespaces,
                     [folders](std::string_view name) { return folders->find_namespace(name); });
}

}  // namespace nns::python
