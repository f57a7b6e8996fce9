#include "tests/python/program.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <optional>
#include <sstream>

#include "core/python/eval/run.h"
#include "core/python/stdlib/folder_files.h"
#include "core/python/stdlib/stdlib.h"
#include "core/tensor/tensor.h"

namespace nns::tests {

namespace {

using python::FileRefusal;

// A folder that is removed again. Its name is drawn: as WebAssembly, all processes have the same number.
class OwnFolder {
 public:
  OwnFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "nnscope_program_XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) std::abort();
    path_ = pattern;
  }
  ~OwnFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::optional<std::string> read(const std::filesystem::path& path) {
  std::error_code error;
  if (path.empty() || !std::filesystem::is_regular_file(path, error)) return std::nullopt;
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return std::move(text).str();
}

class StreamSink final : public base::ByteSink {
 public:
  StreamSink(const std::filesystem::path& path, std::ios::openmode mode) : stream_(path, mode) {}
  base::Result<void> write(std::span<const std::byte> bytes) override {
    stream_.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (stream_) return {};
    return base::Error{"cannot write", {}, {}, {}};
  }

 private:
  std::ofstream stream_;
};

// The files of one folder, read whole; written where the program may.
void give_files(python::Machine& machine, const std::filesystem::path& folder, bool is_writable) {
  const auto files =
      std::make_shared<python::FolderFiles>(folder, std::vector<std::filesystem::path>(),
                                            is_writable ? std::vector{folder} : std::vector<std::filesystem::path>());
  machine.files = files;
  machine.streams.open_file = [files](const std::string& name) -> python::OpenedFile<base::ByteSource> {
    const std::filesystem::path path = files->resolved(name, false);
    if (path.empty()) return FileRefusal{13, "not for this program"};
    const std::optional<std::string> text = read(path);
    if (!text) {
      if (std::filesystem::is_directory(path)) {
        return FileRefusal{21, "Is a directory"};
      }
      return FileRefusal{2, "No such file or directory"};
    }
    const auto* const bytes = reinterpret_cast<const std::byte*>(text->data());
    return base::make_memory_source(name, {bytes, bytes + text->size()});
  };
  machine.streams.create_file = [files](const std::string& name,
                                        python::WriteMode mode) -> python::OpenedFile<base::ByteSink> {
    const std::filesystem::path path = files->resolved(name, true);
    if (path.empty()) return FileRefusal{13, "not for this program"};
    if (mode == python::WriteMode::New && std::filesystem::exists(path)) {
      return FileRefusal{17, "File exists"};
    }
    if (!std::filesystem::is_directory(path.parent_path())) {
      return FileRefusal{2, "No such file or directory"};
    }
    const auto how = mode == python::WriteMode::Append ? std::ios::app : std::ios::trunc;
    return std::make_shared<StreamSink>(path, std::ios::binary | how);
  };
  machine.process_id = ::getpid();
}

}  // namespace

ProgramResult run_python(const std::string& source, const ProgramWorld& world) {
  ProgramResult result;
  const OwnFolder own;
  object::Interpreter in;
  python::Machine& machine = python::Machine::of(in);
  machine.streams.out = [&](std::string_view text) { result.out += text; };
  machine.streams.error = [&](std::string_view text) { result.err += text; };
  machine.limits.steps = 200'000'000;
  python::add_python(machine);
  tensor::TensorLibrary::of(machine.interpreter()).virtual_devices = world.virtual_devices;
  const std::filesystem::path folder = world.folder.empty() ? own.path() : world.folder;
  give_files(machine, folder, world.folder.empty());
  python::add_source_folder(machine, {[&folder](const std::string& name) { return read(folder / name); }});
  if (world.uses_stand_ins) machine.use_stand_ins();
  if (!world.environment.empty()) {
    EXPECT_TRUE(python::set_environment(machine, world.environment).ok());
  }
  object::PyResult<object::Value> done = python::run_program(machine, world.name, source);
  if (!done.ok()) {
    result.error_type = done.error().type();
    result.error_message = done.error().message();
    result.traceback = python::traceback_text(machine, done.error());
  }
  python::end_program(machine);
  done = object::Value();
  python::drop_program(machine);
  return result;
}

}  // namespace nns::tests
