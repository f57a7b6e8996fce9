// _files: what modules os and io need from C++.
#include <cerrno>

#include "core/object/bytes.h"
#include "core/object/operations.h"
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

PyResult<std::string> path_of(Interpreter& in, const Value& value) {
  if (const Str* text = value.as<Str>()) return std::string(text->view());
  return object::type_error(in, "a path must be str, not {}", in.type_of(value).name());
}

// The number of an error, or 0.
PyResult<Value> change(Interpreter& in, const Value& path, int (*act)(Files& files, const std::string& path)) {
  NNS_TRY_ASSIGN(const std::string name, path_of(in, path));
  Files* files = Machine::of(in).files.get();
  return Value(files == nullptr ? kNotPermitted : number_of(act(*files, name)));
}

PyResult<Value> info(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const std::string path, path_of(in, a[0]));
  const Machine& machine = Machine::of(in);
  FileInfo found;
  if (machine.files == nullptr) {
    const std::optional<std::string> bytes = machine.streams.read_file(path);
    if (!bytes) return Value(kNoEntry);
    found.size_bytes = bytes->size();
  } else if (const int error = machine.files->info(path, found); error != 0) {
    return Value(number_of(error));
  }
  return Value(in.tuple({Value(found.is_folder), Value(found.size_bytes), Value(found.modified),
                         Value(static_cast<std::int64_t>(found.id >> 1))}));
}

PyResult<Value> write(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const std::string path, path_of(in, a[0]));
  const auto* bytes = a[1].as<object::Bytes>();
  const Str* mode = a[2].as<Str>();
  if (bytes == nullptr || mode == nullptr) return object::type_error(in, "write() takes a path, bytes and a mode");
  Files* files = Machine::of(in).files.get();
  if (files == nullptr) return Value(kNotPermitted);
  const Files::WriteMode how = mode->view() == "a"   ? Files::WriteMode::Append
                               : mode->view() == "x" ? Files::WriteMode::Create
                                                     : Files::WriteMode::Replace;
  return Value(number_of(files->write(path, bytes->view(), how)));
}

}  // namespace

void fill_files(Machine& machine, Dict& attributes) {
  add_native(machine, attributes, "process_id()",
             [](Interpreter& i, Args) -> PyResult<Value> { return Value(Machine::of(i).process_id); });
  add_native(machine, attributes, "folder()", [](Interpreter& i, Args) -> PyResult<Value> {
    const Files* files = Machine::of(i).files.get();
    return i.text(files == nullptr ? "/" : files->folder());
  });
  // The bytes of a file, or None.
  add_native(machine, attributes, "read(path)", [](Interpreter& i, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::string path, path_of(i, a[0]));
    const std::optional<std::string> bytes = Machine::of(i).streams.read_file(path);
    return bytes ? Value(object::make_bytes(i, *bytes)) : Value();
  });
  // (whether it is a folder, bytes, seconds since 1970, id), or the number of an error.
  add_native(machine, attributes, "info(path)", info);
  // The names in a folder, or the number of an error.
  add_native(machine, attributes, "list(path)", [](Interpreter& i, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::string path, path_of(i, a[0]));
    const Files* files = Machine::of(i).files.get();
    std::vector<std::string> names;
    if (const int error = files == nullptr ? EPERM : files->list(path, names); error != 0) {
      return Value(number_of(error));
    }
    std::vector<Value> texts;
    for (const std::string& name : names) texts.push_back(i.text(name));
    return Value(i.list(std::move(texts)));
  });
  add_native(machine, attributes, "write(path, bytes, mode)", write);
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
    NNS_TRY_ASSIGN(const std::string source, path_of(i, a[0]));
    NNS_TRY_ASSIGN(const std::string target, path_of(i, a[1]));
    Files* files = Machine::of(i).files.get();
    return Value(files == nullptr ? kNotPermitted : number_of(files->rename(source, target)));
  });
}

}  // namespace nns::python
