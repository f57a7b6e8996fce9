#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/byte_sink.h"
#include "core/base/result.h"

namespace nns::train {

/// The folder of one run, on whatever platform. Names are relative to it ("checkpoints/step-10.pt").
/// Errors: what the system says, with the name.
class RunFiles {
 public:
  virtual ~RunFiles() = default;
  /// The folder as people write it, and as programs open files below it.
  virtual std::string folder() const = 0;
  /// Writes behind what the file holds; what write() has returned from outlives this process.
  virtual base::Result<std::unique_ptr<base::ByteSink>> append(const std::string& name) = 0;
  virtual base::Result<std::string> read(const std::string& name) = 0;
  /// At most so many bytes of it from `first` on; beyond its end none.
  virtual base::Result<std::string> read_part(const std::string& name, std::uint64_t first, std::size_t most) {
    auto whole = read(name);
    if (!whole.ok()) return whole;
    return first < whole.value().size() ? whole.value().substr(static_cast<std::size_t>(first), most) : std::string();
  }
  /// The file is the old one or the whole new one at any moment, also after a power cut.
  virtual base::Result<void> replace(const std::string& name, std::string_view contents) = 0;
  /// The same with a file that was written under another name, which is gone then.
  virtual base::Result<void> commit(const std::string& from, const std::string& to) = 0;
  virtual void remove(const std::string& name) = 0;
  /// The files in a folder below, sorted; none if there is no such folder.
  virtual std::vector<std::string> list(const std::string& folder) = 0;
  virtual std::uint64_t size(const std::string& name) = 0;
  /// Whether it goes when the process ends.
  virtual bool is_in_memory() const { return false; }
};

}  // namespace nns::train
