#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

namespace nns::events {

/// Identifies an object of one interpreter for as long as it lives; never used twice. 0 is no object.
using ObjectId = std::uint64_t;

/// Who an event is about. The views live as long as the call that reports the event.
struct Subject {
  ObjectId id = 0;
  /// The name of its class: "Linear".
  std::string_view class_name;
  /// Else a tensor, a node of autograd or an optimizer, which have hooks, too.
  bool is_module = true;
};

/// Where a name was put.
enum class Place : std::uint8_t { Attribute, Parameters, Buffers, Modules };

/// `object.name = value` was carried out.
struct AttributeSet {
  Subject subject;
  std::string_view name;
  Place place = Place::Attribute;
  /// The class of the value: "Parameter", "int".
  std::string_view value_class;
};

/// `del object.name` was carried out.
struct AttributeDeleted {
  Subject subject;
  std::string_view name;
  Place place = Place::Attribute;
};

/// A registry gained, lost or replaced an entry.
struct RegistryChanged {
  enum class Change : std::uint8_t { Added, Replaced, Removed };
  Subject subject;
  /// The registry's key in __dict__: "_parameters".
  std::string_view registry;
  std::string_view name;
  Change change = Change::Added;
};

/// A hook entered a table. Global tables have no subject.
struct HookRegistered {
  Subject subject;
  /// The table's key in __dict__: "_forward_hooks". A node's tables are "pre_hooks" and "post_hooks".
  std::string_view table;
  std::int64_t hook_id = 0;
};

/// A hook left a table through its handle.
struct HookRemoved {
  std::string_view table;
  std::int64_t hook_id = 0;
};

/// A hook is about to run. Of a table of all modules or optimizers the subject is the one that it runs for; of a tensor
/// that is no leaf, the node that made it.
struct HookFired {
  Subject subject;
  std::string_view table;
  std::int64_t hook_id = 0;
};

/// A module's __call__ began.
struct CallEntered {
  Subject subject;
};

/// A module's __call__ ended, with a result or with an exception.
struct CallLeft {
  Subject subject;
  bool raised = false;
};

using Event = std::variant<AttributeSet, AttributeDeleted, RegistryChanged, HookRegistered, HookRemoved, HookFired,
                           CallEntered, CallLeft>;

}  // namespace nns::events
