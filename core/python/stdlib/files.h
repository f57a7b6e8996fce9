#pragma once

#include <memory>

#include "core/base/byte_sink.h"
#include "core/base/byte_source.h"
#include "core/python/eval/machine.h"

namespace nns::python {

/// A file that a program reads: the module io makes files of it, and readers of archives take it as it is.
class SourceObject final : public object::Object {
 public:
  SourceObject(Class& cls, std::shared_ptr<base::ByteSource> of) : Object(cls), source(std::move(of)) {}
  std::shared_ptr<base::ByteSource> source;
};

/// A file that a program writes, until it is closed.
class SinkObject final : public object::Object {
 public:
  SinkObject(Class& cls, std::shared_ptr<base::ByteSink> of) : Object(cls), sink(std::move(of)) {}
  std::shared_ptr<base::ByteSink> sink;
};

/// OSError with what a reader or writer of files says.
object::PyError file_error(Interpreter& interpreter, const base::Error& error);

/// The module _files: source(path) and sink(path, mode), with what Machine::streams lets the program have, and what
/// fill_folders() adds.
void fill_files(Machine& machine, Dict& attributes);
/// Folders, sizes, names; with what Machine::files lets the program see and change.
void fill_folders(Machine& machine, Dict& attributes);

}  // namespace nns::python
