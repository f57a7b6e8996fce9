#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/object/copy.h"
#include "core/object/instance.h"
#include "core/object/interpreter.h"

namespace nns::autograd {

/// What registering a hook returns. Dropping it does not remove the hook; remove() does.
/// Behaviour: torch/utils/hooks.py, class RemovableHandle. It knows the tables weakly.
class RemovableHandle final : public object::Instance, public object::DeepCopyable {
 public:
  RemovableHandle(object::Interpreter& interpreter, std::int64_t id, std::string_view table_name, object::Dict& table,
                  const std::vector<object::Dict*>& side_tables);

  /// One without a table, until set_state() gives it what another had.
  explicit RemovableHandle(object::Class& cls) : Instance(cls), id_(0) {}

  std::int64_t id() const { return id_; }
  /// Takes the hook out of its tables; doing it again, or after the table died, is harmless.
  void remove();

  /// What RemovableHandle(table, extra_dict=...) does: a new id, whose hook others enter into the tables.
  /// Errors: TypeError  no dict can be weakly known.
  object::PyResult<void> begin(const object::Value& table, const object::Value& extra);

  /// What tells each table, or None once it died: the table of the hooks, then the side tables.
  object::Value table_reference() const;
  object::Value side_references() const;

  /// A handle of the same id, of the copied tables. Behaviour: RemovableHandle.__getstate__ and __setstate__.
  object::PyResult<object::Value> deep_copied(const Copier& copy) const override;

  /// (table or None, id, side tables), and back from such a tuple. Behaviour: RemovableHandle.__getstate__ and
  /// __setstate__. Errors: TypeError  another value; RuntimeError  an id that no program comes to.
  object::Value state() const;
  object::PyResult<void> set_state(const object::Value& state);

  void traverse(object::Visitor& visitor) const override;
  void clear_references() override;

 private:
  std::int64_t id_;
  std::string table_name_;
  object::Ref<object::WeakReference> table_;
  std::vector<object::Ref<object::WeakReference>> side_tables_;
};

/// torch.utils.hooks.RemovableHandle.
object::Class& removable_handle_class(object::Interpreter& interpreter);

/// Enters `hook` into a table under a new id.
object::Ref<RemovableHandle> add_hook(object::Interpreter& interpreter, std::string_view table_name,
                                      object::Dict& table, object::Value hook,
                                      const std::vector<object::Dict*>& side_tables = {});

/// Tells whoever watches the program that a hook entered a table of `owner`, a tensor, a node or an optimizer.
void tell_hook_entered(object::Interpreter& interpreter, object::Object& owner, std::string_view table_name,
                       std::int64_t id);
/// Tells whoever watches the program that a hook of such a table is about to run.
void tell_hook_fires(object::Interpreter& interpreter, object::Object& owner, std::string_view table_name,
                     std::int64_t id);

/// The hooks of a table at one moment: what is removed or added while they run has no effect on it.
class HookSnapshot {
 public:
  struct Entry {
    /// -1: the key is no id.
    std::int64_t id = 0;
    object::Value hook;
  };
  explicit HookSnapshot(object::Dict& table);

  const Entry* begin() const { return many_.empty() ? few_.data() : many_.data(); }
  const Entry* end() const { return many_.empty() ? few_.data() + count_ : many_.data() + many_.size(); }

 private:
  /// So many take no memory of their own.
  static constexpr std::size_t kFew = 6;
  std::array<Entry, kFew> few_;
  std::size_t count_ = 0;
  std::vector<Entry> many_;
};
inline HookSnapshot snapshot(object::Dict& table) { return HookSnapshot(table); }

}  // namespace nns::autograd
