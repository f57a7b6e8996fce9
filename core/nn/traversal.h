#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "core/nn/module.h"

namespace nns::nn {

/// A walk over a module and those below it, in the order of named_modules, that can stop between two of them.
/// What changes meanwhile is noticed as Python notices it: a registry that grows or shrinks is an error.
class ModuleWalk {
 public:
  ModuleWalk(Module& root, std::string_view prefix, bool remove_duplicate);

  /// The next module, or none at the end. path() is its name.
  /// Errors: AttributeError  a module lacks _modules. RuntimeError  a registry changed its size.
  PyResult<Module*> next();
  const std::string& path() const { return path_; }

 private:
  struct Frame {
    Ref<Module> module;
    std::size_t path_length;
    std::size_t at = 0;
    std::uint64_t shape_version = 0;
    bool entered = false;
  };
  std::vector<Frame> frames_;
  std::unordered_set<const Module*> seen_;
  std::string path_;
  Ref<Module> start_;
  bool remove_duplicate_;
};

/// The parameters or buffers below a module, in the order of named_parameters; stops between two of them.
class MemberWalk {
 public:
  MemberWalk(Module& root, Registry registry, std::string_view prefix, bool recurse, bool remove_duplicate);

  /// The next entry's value, or Absent at the end. name() is its path.
  PyResult<Value> next();
  const std::string& name() const { return name_; }

 private:
  ModuleWalk modules_;
  Registry registry_;
  bool recurse_;
  bool remove_duplicate_;
  bool started_ = false;
  Ref<Module> current_;
  std::size_t at_ = 0;
  std::uint64_t shape_version_ = 0;
  std::unordered_set<const object::Object*> seen_;
  std::string name_;
};

}  // namespace nns::nn
