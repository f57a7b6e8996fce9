#include "core/python/stdlib/files.h"

#include <algorithm>

#include "core/object/bytes.h"
#include "core/object/operations.h"
#include "core/python/stdlib/stdlib.h"

namespace nns::python {
namespace {

using object::Str;
using Args = std::span<const Value>;

PyResult<std::string> path_of(Interpreter& in, const Value& value) {
  const Str* text = value.as<Str>();
  if (text == nullptr) {
    return object::type_error(in, "expected str, bytes or os.PathLike object, not {}", in.type_of(value).name());
  }
  if (text->view().find('\0') != std::string_view::npos) return object::value_error(in, "embedded null character");
  return std::string(text->view());
}

// OSError makes itself the class that its number means.
object::PyError refused(Interpreter& in, const FileRefusal& refusal, const std::string& path) {
  Class& cls = in.builtins().exception(object::ErrorKind::OSError);
  const PyResult<Value> made =
      in.call(Value(static_cast<object::Object*>(&cls)), {Value(refusal.number), in.text(refusal.text), in.text(path)});
  if (!made.ok()) return made.error();
  return object::PyError(Ref<object::Exception>(made.value().as<object::Exception>()));
}

void add_source_methods(Class& cls) {
  cls.def("size(self)", [](Interpreter&, Args a) -> PyResult<Value> {
    return Value(static_cast<std::int64_t>(static_cast<SourceObject&>(*a[0].object()).source->size()));
  });
  // As many bytes as there are, at most `count`.
  cls.def("read(self, offset, count)", [](Interpreter& in, Args a) -> PyResult<Value> {
    base::ByteSource& source = *static_cast<SourceObject&>(*a[0].object()).source;
    NNS_TRY_ASSIGN(const std::int64_t offset, object::index(in, a[1]));
    NNS_TRY_ASSIGN(const std::int64_t count, object::index(in, a[2]));
    const auto size = static_cast<std::int64_t>(source.size());
    const std::int64_t from = std::clamp(offset, std::int64_t{0}, size);
    std::string bytes(static_cast<std::size_t>(std::clamp(count, std::int64_t{0}, size - from)), '\0');
    const base::Result<void> done =
        source.read(static_cast<std::uint64_t>(from), std::as_writable_bytes(std::span(bytes.data(), bytes.size())));
    if (!done.ok()) return file_error(in, done.error());
    return Value(object::make<object::Bytes>(*in.builtins().bytes, std::move(bytes)));
  });
}

void add_sink_methods(Class& cls) {
  cls.def("write(self, bytes)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const auto& self = static_cast<SinkObject&>(*a[0].object());
    const auto* bytes = a[1].as<object::Bytes>();
    if (bytes == nullptr) {
      return object::type_error(in, "a bytes-like object is required, not '{}'", in.type_of(a[1]).name());
    }
    if (!self.sink) return object::value_error(in, "write to closed file");
    const base::Result<void> done = self.sink->write(bytes->view());
    if (!done.ok()) return file_error(in, done.error());
    return Value(bytes->view().size());
  });
  cls.def("close(self)", [](Interpreter&, Args a) -> PyResult<Value> {
    static_cast<SinkObject&>(*a[0].object()).sink = nullptr;
    return Value();
  });
}

}  // namespace

object::PyError file_error(Interpreter& interpreter, const base::Error& error) {
  return object::make_error(interpreter, object::ErrorKind::OSError, error.message());
}

void fill_files(Machine& machine, Dict& attributes) {
  Interpreter& in = machine.interpreter();
  Class& source_class = in.define_class({.name = "Source", .module = "_files"});
  add_source_methods(source_class);
  Class& sink_class = in.define_class({.name = "Sink", .module = "_files"});
  add_sink_methods(sink_class);
  add_native(machine, attributes, "source(path)", [&source_class](Interpreter& i, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::string path, path_of(i, a[0]));
    auto opened = Machine::of(i).streams.open_file(path);
    if (const auto* refusal = std::get_if<FileRefusal>(&opened)) return refused(i, *refusal, path);
    return Value(object::make<SourceObject>(source_class, std::get<0>(std::move(opened))));
  });
  add_native(machine, attributes, "sink(path, mode)", [&sink_class](Interpreter& i, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::string path, path_of(i, a[0]));
    const Str* mode = a[1].as<Str>();
    const std::string_view letter = mode == nullptr ? std::string_view() : mode->view();
    const WriteMode how = letter == "a" ? WriteMode::Append : letter == "x" ? WriteMode::New : WriteMode::Replace;
    auto opened = Machine::of(i).streams.create_file(path, how);
    if (const auto* refusal = std::get_if<FileRefusal>(&opened)) return refused(i, *refusal, path);
    return Value(object::make<SinkObject>(sink_class, std::get<0>(std::move(opened))));
  });
  fill_folders(machine, attributes);
}

}  // namespace nns::python
