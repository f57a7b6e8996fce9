#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace nns::checkpoint {

/// `def name(...)` of a class, as text.
struct ScriptMethod {
  std::string_view name;
  std::string_view text;  ///< with its signature and body
};

/// `name : type` of a class.
struct ScriptAttribute {
  std::string_view name;
  std::string_view type;
};

/// One class of a TorchScript archive. All texts lie in the ScriptCode.
struct ScriptClass {
  std::string_view file;                     ///< member of the archive
  std::string_view base;                     ///< "Module"; empty for a plain class
  std::string_view text;                     ///< the whole class
  std::vector<std::string_view> parameters;  ///< `__parameters__`, sorted, as are the next two
  std::vector<std::string_view> buffers;     ///< `__buffers__`
  bool lists_buffers = false;                ///< archives before 1.5 do not say which attributes are buffers
  std::vector<ScriptAttribute> attributes;
  std::vector<ScriptMethod> methods;

  bool is_module() const { return base == "Module"; }
  bool is_parameter(std::string_view name) const;
  bool is_buffer(std::string_view name) const;
  /// The declared type; empty if there is none of that name.
  std::string_view type_of(std::string_view name) const;
  const ScriptMethod* find_method(std::string_view name) const;
  /// What `__setstate__` does with entry `index` of a tuple: the attribute's name, "weight" or "bias" for the arguments
  /// of set_weight_bias(); empty if it does not say.
  std::string_view name_of_state(std::size_t index) const;
};

/// The classes that the code of a TorchScript archive declares. Only declarations are looked at; nothing is run.
/// Behaviour: torch/csrc/jit/serialization/python_print.cpp: what is written, one statement a line, two blanks a level.
class ScriptCode {
 public:
  /// The largest amount of code that is kept. Units: bytes.
  static constexpr std::uint64_t kMaxText = 64U << 20U;

  /// Adds what `file` declares ("archive/code/__torch__/a/b.py" for the module "__torch__.a.b").
  void add(std::string file, std::string_view module, std::string text);
  /// Null if no file declares the class of that whole name ("__torch__.a.b.C").
  const ScriptClass* find(const std::string& name) const;

  std::uint64_t size() const { return size_; }

 private:
  struct File {
    std::string name;
    std::string text;
  };
  void read_class(const File& file, std::string_view module, std::string_view text);

  std::vector<std::unique_ptr<File>> files_;
  std::unordered_map<std::string, ScriptClass> classes_;
  std::uint64_t size_ = 0;
};

/// "a.b.C" for "__torch__.a.b.___torch_mangle_3.C": the name that the class had in Python.
std::string python_class_name(std::string_view name);

}  // namespace nns::checkpoint
