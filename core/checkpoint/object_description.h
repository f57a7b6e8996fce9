#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nns::checkpoint {

/// Where Module.__setattr__ put a name.
enum class AttributePlace : std::uint8_t {
  Dict,        ///< plain attribute in __dict__
  Registry,    ///< one of the registries itself: an entry of __dict__ that holds further entries
  Parameters,  ///< entry of _parameters
  Buffers,     ///< entry of _buffers
  Modules,     ///< entry of _modules
  Hooks,       ///< entry of a hook dictionary
  Item,        ///< entry of a dict, list or other container
};

/// One line of the registries panel; the lines of a registry follow it with a larger depth.
struct AttributeRow {
  std::uint8_t depth = 0;
  AttributePlace place = AttributePlace::Dict;
  std::string name;
  std::string type;  ///< class name of the value ("Parameter", "OrderedDict", "bool")
  std::string text;  ///< its repr or a summary, one line
  std::string why;   ///< the rule of Module.__setattr__ that put it here, one sentence; empty where it is plain
  std::uint32_t node = UINT32_MAX;  ///< row of the tree that shows the value, if any
};

/// One hook, in firing order within its dictionary.
struct HookRow {
  std::string dictionary;  ///< "_forward_pre_hooks"
  std::string kind;        ///< "forward pre-hook, with kwargs"
  std::uint64_t id = 0;    ///< RemovableHandle.id
  std::string callable;    ///< name of the function or class
  bool with_kwargs = false;
  bool always_call = false;
  friend bool operator==(const HookRow&, const HookRow&) = default;
};

/// What the inspector shows of one object.
struct ObjectDescription {
  std::string class_name;  ///< qualified where known: "torch.nn.modules.linear.Linear"
  bool inferred = false;   ///< true: reconstructed from names and shapes; the file holds no such object
  bool is_module = false;
  bool training = true;
  /// What print(module) shows, or the class's source where the file has that; empty if not known.
  std::string repr;
  std::vector<std::string> mro;          ///< class names, first the class itself; empty if not known
  std::vector<AttributeRow> attributes;  ///< __dict__ in order
  std::vector<HookRow> hooks;
  std::vector<std::uint32_t> also_at;  ///< other rows of the tree that show the same object
};

}  // namespace nns::checkpoint
