// The archives that torch.save writes. Behaviour: caffe2/serialize/inline_container.cc; torch/csrc/jit/python/init.cpp,
// PyTorchFileReader and PyTorchFileWriter.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/hash.h"
#include "core/checkpoint/zip_archive.h"
#include "core/checkpoint/zip_writer.h"
#include "core/object/bytes.h"
#include "core/object/operations.h"
#include "core/ops/python_function.h"
#include "core/python/stdlib/files.h"
#include "core/python/torch/parts.h"
#include "core/tensor/tensor.h"

namespace nns::python {
namespace {

using Args = std::span<const Value>;
using checkpoint::ZipArchive;
using checkpoint::ZipWriter;
using object::Bytes;
using object::Str;
using tensor::Storage;

class ReaderObject final : public object::Object {
 public:
  ReaderObject(Class& cls, std::unique_ptr<ZipArchive> of, std::string folder)
      : Object(cls), archive(std::move(of)), root(std::move(folder)) {}
  std::unique_ptr<ZipArchive> archive;
  /// The folder that all records lie in, with a slash.
  std::string root;
};

class WriterObject final : public object::Object {
 public:
  WriterObject(Class& cls, std::shared_ptr<base::ByteSink> into, std::string folder)
      : Object(cls), sink(std::move(into)), zip(*sink), root(std::move(folder)) {}
  std::shared_ptr<base::ByteSink> sink;
  ZipWriter zip;
  std::string root;
  std::set<std::string> names;
  /// Of what was written: tells one archive from another.
  std::uint64_t contents_hash = 0;
  std::uint64_t written = 0;
  bool is_finished = false;
};

PyResult<std::string> text_of(Interpreter& in, const Value& value) {
  if (const Str* text = value.as<Str>()) return std::string(text->view());
  return object::type_error(in, "expected str, not {}", in.type_of(value).name());
}

object::PyError reader_error(Interpreter& in, const base::Error& error) {
  return object::runtime_error(in, "PytorchStreamReader failed reading zip archive: {}", error.message());
}

PyResult<Value> open_reader(Interpreter& in, Class& cls, const Value& given) {
  std::shared_ptr<base::ByteSource> source;
  if (const auto* file = dynamic_cast<SourceObject*>(given.object())) {
    source = file->source;
  } else if (const auto* bytes = given.as<Bytes>()) {
    const auto view = std::as_bytes(std::span(bytes->view().data(), bytes->view().size()));
    source = base::make_memory_source("archive", std::vector<std::byte>(view.begin(), view.end()));
  } else {
    return object::type_error(in, "expected a file or bytes, not {}", in.type_of(given).name());
  }
  const auto has_directory = ZipArchive::ends_with_directory(*source);
  if (has_directory.ok() && !has_directory.value()) {
    return object::runtime_error(in,
                                 "PytorchStreamReader failed reading zip archive: failed finding central directory");
  }
  auto archive = ZipArchive::open(source);
  if (!archive.ok()) return reader_error(in, archive.error());
  // The folder is that of the first record. Behaviour: PyTorchStreamReader::init.
  const auto members = archive.value()->members();
  if (members.empty()) return object::runtime_error(in, "archive does not contain any files");
  const std::string_view first = members[0].name;
  const std::size_t slash = first.find('/');
  if (slash == std::string_view::npos) {
    return object::runtime_error(in, "file in archive is not in a subdirectory: {}", first);
  }
  std::string root(first.substr(0, slash + 1));
  return Value(object::make<ReaderObject>(cls, std::move(archive).value(), std::move(root)));
}

ReaderObject& reader_of(Args a) { return static_cast<ReaderObject&>(*a[0].object()); }

PyResult<std::uint32_t> member_of(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const std::string name, text_of(in, a[1]));
  const ReaderObject& self = reader_of(a);
  const std::uint32_t found = self.archive->find(self.root + name);
  if (found != UINT32_MAX) return found;
  return object::runtime_error(in, "PytorchStreamReader failed locating file {}: file not found", name);
}

// A record's bytes in `into`, which is as large as the directory says.
PyResult<void> read_member(Interpreter& in, const ReaderObject& self, std::uint32_t member, std::span<std::byte> into) {
  auto source = self.archive->open_member(member);
  if (!source.ok()) return reader_error(in, source.error());
  const base::Result<void> done = source.value()->read(0, into);
  if (!done.ok()) return reader_error(in, done.error());
  return {};
}

void add_reader_methods(Class& cls) {
  cls.def_static("__new__(cls, file)",
                 [](Interpreter& in, Args a) { return open_reader(in, *a[0].as<Class>(), a[1]); });
  cls.def("__init__(self, *args)", [](Interpreter&, Args) -> PyResult<Value> { return Value(); });
  cls.def("get_all_records(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    std::vector<Value> names;
    const ReaderObject& self = reader_of(a);
    for (const checkpoint::ZipMember& member : self.archive->members()) {
      if (member.name.starts_with(self.root)) names.push_back(in.text(member.name.substr(self.root.size())));
    }
    return Value(in.list(std::move(names)));
  });
  cls.def("has_record(self, name)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::string name, text_of(in, a[1]));
    return Value(reader_of(a).archive->find(reader_of(a).root + name) != UINT32_MAX);
  });
  cls.def("get_record_size(self, name)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::uint32_t member, member_of(in, a));
    return Value(static_cast<std::int64_t>(reader_of(a).archive->members()[member].size));
  });
  // Where the record's bytes begin in the file.
  cls.def("get_record_offset(self, name)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::uint32_t member, member_of(in, a));
    const auto offset = reader_of(a).archive->stored_offset(member);
    if (!offset.ok()) return reader_error(in, offset.error());
    return Value(static_cast<std::int64_t>(offset.value()));
  });
  cls.def("get_record(self, name)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::uint32_t member, member_of(in, a));
    // Also in a damaged file no more memory is taken than a pickle may have.
    constexpr std::uint64_t kMost = std::uint64_t{1} << 30U;
    const auto read = reader_of(a).archive->read(member, kMost);
    if (!read.ok()) return reader_error(in, read.error());
    const auto bytes = read.value().bytes;
    return Value(object::make_bytes(in, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
  });
  // A record as a storage, read where its tensors will look at it. Errors: RuntimeError  it has another size.
  cls.def("get_storage(self, name, nbytes)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::uint32_t member, member_of(in, a));
    NNS_TRY_ASSIGN(const std::int64_t wanted, object::index(in, a[2]));
    const ReaderObject& self = reader_of(a);
    const std::uint64_t size = self.archive->members()[member].size;
    if (wanted < 0 || static_cast<std::uint64_t>(wanted) > size) {
      return object::runtime_error(in, "record '{}' has {} bytes, and the pickle says {}", a[1].as<Str>()->view(), size,
                                   wanted);
    }
    NNS_TRY_ASSIGN(const Ref<Storage> made,
                   Storage::try_allocate(in, static_cast<std::uint64_t>(wanted), tensor::Device::Cpu));
    if (wanted > 0) NNS_TRY(read_member(in, self, member, {made->data(), static_cast<std::size_t>(wanted)}));
    return Value(made);
  });
}

WriterObject& writer_of(Args a) { return static_cast<WriterObject&>(*a[0].object()); }

object::PyError writer_error(Interpreter& in, const base::Error& error) {
  return object::runtime_error(in, "PytorchStreamWriter failed writing file: {}", error.message());
}

// A sink whose bytes a method of a program takes: write(bytes) of a file.
class MethodSink final : public base::ByteSink {
 public:
  MethodSink(Interpreter& in, Value write) : in_(in), write_(std::move(write)) {}
  base::Result<void> write(std::span<const std::byte> bytes) override {
    const Value given(object::make_bytes(in_, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
    PyResult<Value> done = in_.call(write_, {given});
    if (done.ok()) return {};
    raised = done.error();
    return base::Error{done.error().message(), {}, {}, {}};
  }
  /// What the method raised.
  std::optional<object::PyError> raised;

 private:
  Interpreter& in_;
  Value write_;
};

PyResult<Value> finished(Interpreter& in, WriterObject& self, const base::Result<void>& done) {
  if (done.ok()) return Value();
  if (auto* method = dynamic_cast<MethodSink*>(self.sink.get()); method != nullptr && method->raised) {
    return *method->raised;
  }
  return writer_error(in, done.error());
}

PyResult<Value> write_record(Interpreter& in, Args a) {
  WriterObject& self = writer_of(a);
  NNS_TRY_ASSIGN(const std::string name, text_of(in, a[1]));
  if (self.is_finished) return object::runtime_error(in, "the archive is complete already");
  // Storages of one key are written once. Behaviour: PyTorchStreamWriter::writeRecord.
  if (!self.names.insert(name).second) return Value();
  const auto* const bytes = a[2].as<Bytes>();
  const auto* const text = a[2].as<Str>();
  if (bytes != nullptr || text != nullptr) {
    std::string_view view = bytes != nullptr ? bytes->view() : text->view();
    if (!a[3].is_none()) {
      NNS_TRY_ASSIGN(const std::int64_t size, object::index(in, a[3]));
      if (size < 0 || static_cast<std::uint64_t>(size) > view.size()) {
        return object::runtime_error(in, "record '{}' has {} bytes, not {}", name, view.size(), size);
      }
      view = view.substr(0, static_cast<std::size_t>(size));
    }
    self.contents_hash = self.contents_hash * 31 + base::hash_text(view);
    self.written += view.size();
    return finished(in, self, self.zip.add(self.root + name, view));
  }
  auto* storage = dynamic_cast<Storage*>(a[2].object());
  if (storage == nullptr) {
    return object::type_error(in, "expected bytes or UntypedStorage, not {}", in.type_of(a[2]).name());
  }
  self.written += storage->bytes();
  base::Result<void> done = self.zip.begin(self.root + name, storage->bytes());
  if (done.ok() && storage->bytes() > 0) {
    const auto size = static_cast<std::int64_t>(storage->bytes());
    NNS_TRY_ASSIGN(const Ref<tensor::Tensor> host,
                   tensor::on_host(*tensor::make_tensor(
                       in, {Ref<Storage>(storage), tensor::Dims({size}), tensor::Dims({1}), 0, tensor::DType::UInt8})));
    done = self.zip.write(std::span<const std::byte>(host->data(), static_cast<std::size_t>(size)));
  }
  if (done.ok()) done = self.zip.end();
  return finished(in, self, done);
}

// Room for `size` bytes that are written later, at get_record_offset() of a reader. They are zero until then.
PyResult<Value> write_record_metadata(Interpreter& in, Args a) {
  WriterObject& self = writer_of(a);
  NNS_TRY_ASSIGN(const std::string name, text_of(in, a[1]));
  NNS_TRY_ASSIGN(const std::int64_t size, object::index(in, a[2]));
  if (self.is_finished) return object::runtime_error(in, "the archive is complete already");
  if (size < 0) return object::runtime_error(in, "record '{}' of {} bytes", name, size);
  if (!self.names.insert(name).second) return Value();
  const std::vector<std::byte> zeros(std::size_t{1} << 16U);
  auto left = static_cast<std::uint64_t>(size);
  base::Result<void> done = self.zip.begin(self.root + name, left);
  while (done.ok() && left > 0) {
    const std::size_t some = static_cast<std::size_t>(std::min<std::uint64_t>(left, zeros.size()));
    done = self.zip.write(std::span(zeros).first(some));
    left -= some;
  }
  if (done.ok()) done = self.zip.end();
  return finished(in, self, done);
}

void add_writer_methods(Class& cls) {
  // `target`: an open sink of files, or a callable that takes bytes.
  cls.def_static("__new__(cls, target, archive_name)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::string name, text_of(in, a[2]));
    std::shared_ptr<base::ByteSink> sink;
    if (const auto* file = dynamic_cast<SinkObject*>(a[1].object())) {
      sink = file->sink;
    } else {
      sink = std::make_shared<MethodSink>(in, a[1]);
    }
    if (!sink) return object::value_error(in, "write to closed file");
    return Value(object::make<WriterObject>(*a[0].as<Class>(), std::move(sink), name + "/"));
  });
  cls.def("__init__(self, *args)", [](Interpreter&, Args) -> PyResult<Value> { return Value(); });
  cls.def("write_record(self, name, data, size=None)", write_record);
  cls.def("write_record_metadata(self, name, size)", write_record_metadata);
  cls.def("serialization_id(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    return in.text(fmt::format("{:020d}{:020d}", writer_of(a).contents_hash, writer_of(a).written));
  });
  cls.def("write_end_of_file(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    WriterObject& self = writer_of(a);
    if (self.is_finished) return Value();
    self.is_finished = true;
    const base::Result<void> done = self.zip.finish();
    NNS_TRY(finished(in, self, done));
    return Value();
  });
}

}  // namespace

void fill_archives(Interpreter& interpreter) {
  Class& reader = interpreter.define_class({.name = "PyTorchFileReader", .module = "torch._C"});
  add_reader_methods(reader);
  Class& writer = interpreter.define_class({.name = "PyTorchFileWriter", .module = "torch._C"});
  add_writer_methods(writer);
  Dict& names = ops::python_module(interpreter, "torch._C");
  for (Class* cls : {&reader, &writer}) {
    names.set(interpreter.intern(cls->name()), Value(static_cast<object::Object*>(cls)));
  }
}

}  // namespace nns::python
