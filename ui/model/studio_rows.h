#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/live/protocol_generated.h"

/// What the studio's lists show of one moment of a recording.
namespace nns::model {

inline constexpr std::uint32_t kNoObject = UINT32_MAX;

/// A line of a list of names and values.
struct StudioRow {
  enum class Kind : std::uint8_t {
    Frame,    ///< a call; its names follow
    Section,  ///< a place where names live: `__dict__`, `_modules`, a class
    Name,
    Note,  ///< what is to be said of the lines above: what was left out, what a place is for
  };
  Kind kind = Kind::Name;
  std::string name;
  std::string value;
  std::uint32_t object = kNoObject;  ///< that a click chooses
  bool has_changed = false;
  std::uint32_t depth = 0;           ///< of a module in its tree
  bool is_lit = false;               ///< the hook that runs, the frame that is looked at
  std::uint32_t frame = UINT32_MAX;  ///< of a Frame: its number from the innermost
};

/// The call stack, the innermost call first, each with its names.
std::vector<StudioRow> stack_rows(const live::wire::TraceMoment& moment, std::uint32_t shown_frame);

/// The chosen object: of a module its `__dict__` beside the registries and hook tables that are not empty, of a tensor
/// what it knows and its first values, of anything else its entries. Empty: nothing is chosen.
std::vector<StudioRow> object_rows(const live::wire::TraceMoment& moment);

/// Where each attribute of the chosen object is found, in the order in which Python looks: its own `__dict__`, its
/// class and those behind it, each with the names that it has of its own; of a module then what Module.__getattr__
/// asks, the registries of parameters, buffers and children. A name that an earlier place has, too, says so. Behaviour:
/// object.__getattribute__ (a property or another data descriptor of a class comes before `__dict__`);
/// torch/nn/modules/module.py, Module.__getattr__.
std::vector<StudioRow> lookup_rows(const live::wire::TraceMoment& moment);

/// The modules that the names of the moment lead to, as a tree.
std::vector<StudioRow> module_rows(const live::wire::TraceMoment& moment);

/// What the replicas have that a running DataParallel has made, module by module: of each name the value of the
/// original, then what each replica has under it and what becomes of that. Empty: none runs.
std::vector<StudioRow> replica_rows(const live::wire::TraceMoment& moment);

}  // namespace nns::model
