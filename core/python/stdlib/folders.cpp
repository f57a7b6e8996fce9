// What module os asks of _files: folders, sizes, names.
#include <cerrno>

#include "core/object/operations.h"
#include "core/python/stdlib/files.h"
#include "core/python/stdlib/stdlib.h"

namespace nns::python {
namespace {

using object::Str;
using Args = std::span<const Value>;

// Linux's numbers, which programs see everywhere.
constexpr int kNotPermitted = 1, kNoEntry = 2, kInputOutput = 5;
int number_of(int error) {
  switch (error) {
    case 0:
      return 0;
    case EPERM:
      return kNotPermitted;
    case ENOENT:
      return kNoEntry;
    case EACCES:
      return 13;
    case EEXIST:
      return 17;
    case ENOTDIR:
      return 20;
    case EISDIR:
      return 21;
    case EINVAL:
      return 22;
    case ENOSPC:
      return 28;
    case EROFS:
      return 30;
    case ENAMETOOLONG:
      return 36;
    case ENOTEMPTY:
      return 39;
    default:
      return kInputOutput;
  }
}

PyResult<std::string> folder_path(Interpreter& in, const Value& value) {
  if (const Str* text = value.as<Str>()) return std::string(text->view());
  return object::type_error(in, "a path must be str, not {}", in.type_of(value).name());
}

// The number of an error, or 0.
PyResult<Value> change(Interpreter& in, const Value& path, int (*act)(Files& files, const std::string& path)) {
  NNS_TRY_ASSIGN(const std::string name, folder_path(in, path));
  Files* files = Machine::of(in).files.get();
  return Value(files == nullptr ? kNotPermitted : number_of(act(*files, name)));
}

PyResult<Value> info(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const std::string path, folder_path(in, a[0]));
  const Machine& machine = Machine::of(in);
  FileInfo found;
  if (machine.files == nullptr) {
    const auto opened = machine.streams.open_file(path);
    if (std::holds_alternative<FileRefusal>(opened)) return Value(kNoEntry);
    found.size_bytes = std::get<0>(opened)->size();
  } else if (const int error = machine.files->info(path, found); error != 0) {
    return Value(number_of(error));
  }
  return Value(in.tuple({Value(found.is_folder), Value(found.size_bytes), Value(found.modified),
                         Value(static_cast<std::int64_t>(found.id >> 1))}));
}

}  // namespace

void fill_folders(Machine& machine, Dict& attributes) {
  add_native(machine, attributes, "process_id()",
             [](Interpreter& i, Args) -> PyResult<Value> { return Value(Machine::of(i).process_id); });
  add_native(machine, attributes, "folder()", [](Interpreter& i, Args) -> PyResult<Value> {
    const Files* files = Machine::of(i).files.get();
    return i.text(files == nullptr ? "/" : files->folder());
  });
  // (whether it is a folder, bytes, seconds since 1970, id), or the number of an error.
  add_native(machine, attributes, "info(path)", info);
  // The names in a folder, or the number of an error.
  add_native(machine, attributes, "list(path)", [](Interpreter& i, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::string path, folder_path(i, a[0]));
    const Files* files = Machine::of(i).files.get();
    std::vector<std::string> names;
    if (const int error = files == nullptr ? EPERM : files->list(path, names); error != 0) {
      return Value(number_of(error));
    }
    std::vector<Value> texts;
    for (const std::string& name : names) texts.push_back(i.text(name));
    return Value(i.list(std::move(texts)));
  });
  add_native(machine, attributes, "make_folder(path)", [](Interpreter& i, Args a) {
    return change(i, a[0], [](Files& files, const std::string& path) { return files.make_folder(path); });
  });
  add_native(machine, attributes, "remove(path)", [](Interpreter& i, Args a) {
    return change(i, a[0], [](Files& files, const std::string& path) { return files.remove(path, false); });
  });
  add_native(machine, attributes, "remove_folder(path)", [](Interpreter& i, Args a) {
    return change(i, a[0], [](Files& files, const std::string& path) { return files.remove(path, true); });
  });
  add_native(machine, attributes, "rename(source, target)", [](Interpreter& i, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::string source, folder_path(i, a[0]));
    NNS_TRY_ASSIGN(const std::string target, folder_path(i, a[1]));
    Files* files = Machine::of(i).files.get();
    return Value(files == nullptr ? kNotPermitted : number_of(files->rename(source, target)));
  });
}

}  // namespace nns::python
