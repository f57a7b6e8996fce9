#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace nns::checkpoint {

/// "No such node, tensor or string."
inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// Each distinct string once, in one block of memory that travels to a viewer as it is. Id 0 is the empty string.
class StringTable {
 public:
  StringTable();
  /// The id of `text`, new or known. Cost: one hash and, for a new string, one copy.
  std::uint32_t intern(std::string_view text);
  /// A new id for `text` without looking for an equal string: for texts that are known to differ from all others.
  /// intern() does not find it later.
  std::uint32_t append(std::string_view text);
  void reserve(std::size_t strings, std::size_t bytes);
  /// Must hold: `id` came from intern(). The view is valid until the next intern().
  std::string_view view(std::uint32_t id) const {
    return {text_.data() + offsets_[id], offsets_[id + 1] - offsets_[id]};
  }
  std::size_t size() const { return offsets_.size() - 1; }

  /// The block, and where each string begins; string `id` is text()[offsets()[id] .. offsets()[id + 1]).
  const std::string& text() const { return text_; }
  const std::vector<std::uint32_t>& offsets() const { return offsets_; }

 private:
  std::string text_;
  std::vector<std::uint32_t> offsets_;
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t id = kNone;  // kNone: free
  };
  void grow();
  std::vector<Slot> slots_;  // open addressing, a power of two
  std::size_t used_ = 0;
};

/// What a row of the tree is.
enum class NodeKind : std::uint8_t {
  Module,     ///< an nn.Module, real (pickled) or reconstructed from the dots in tensor names
  Parameter,  ///< a tensor known to be a parameter, or taken for one by its name
  Buffer,     ///< a tensor known to be a buffer, or taken for one by its name (running_mean, num_batches_tracked, ...)
  Tensor,     ///< a tensor that is neither: an entry of an optimiser state, of a plain dict or list
  Container,  ///< a dict, list, tuple or foreign object that holds further entries
  Value,      ///< anything else that is a leaf: number, string, None, opaque object
};

/// Bits of ModuleTree::flags.
enum NodeFlag : std::uint8_t {
  kClassInferred = 1,       ///< class_name was worked out from names and shapes, the file does not say it
  kKindInferred = 2,        ///< Parameter or Buffer was worked out from the name
  kShared = 4,              ///< the tensor's storage is also shown under another name (tied weights)
  kSuspicious = 8,          ///< the entry comes from a global outside the allow-list
  kRepeatedParameter = 16,  ///< an earlier row shows the same parameter: counted there
  kRepeatedBytes = 32,      ///< an earlier row shows the same bytes: counted there
};

/// The rows of a model, in pre-order, one column a property (struct of arrays), so that 100,000 rows cost one
/// allocation a column and travel to the viewer as they are. Row 0 is the root.
/// The children of `i` are i + 1, end[i + 1], end[end[i + 1]], ... while below end[i].
struct ModuleTree {
  std::vector<std::uint32_t> parent;  ///< kNone for the root
  std::vector<std::uint32_t> end;     ///< one past the last row of the subtree
  std::vector<std::uint32_t> name;    ///< string id of the last part of the name ("weight", "0")
  std::vector<std::uint32_t>
      class_name;  ///< string id; "" if there is none ("Linear", "dict", "torch.optim.adam.Adam")
  std::vector<std::uint32_t>
      preview;  ///< string id; the repr of a Value, cut to one line; what a packed weight stands for; "" otherwise
  std::vector<NodeKind> kind;
  std::vector<std::uint8_t> flags;        ///< NodeFlag bits
  std::vector<std::uint32_t> tensor;      ///< index into the document's tensors, kNone if it is none
  std::vector<std::uint64_t> parameters;  ///< elements of distinct parameters in the subtree (tied ones once, buffers
                                          ///< and Tensor rows not, packed ones unpacked)
  std::vector<std::uint64_t> bytes;       ///< bytes of distinct tensors in the subtree (shared storage once)
  std::vector<std::uint32_t>
      structure;  ///< rows with equal numbers have equal subtrees: classes, names below, dtypes, shapes
  StringTable strings;

  std::uint32_t size() const { return static_cast<std::uint32_t>(parent.size()); }
};

/// Whether the block that `strings` needs still fits its 32-bit offsets with `more` bytes added.
inline bool has_room(const StringTable& strings, std::uint64_t more) { return strings.text().size() + more < kNone; }

/// "layers.10" after "layers.2": runs of digits compare as numbers, the rest byte by byte.
bool natural_less(std::string_view a, std::string_view b);

}  // namespace nns::checkpoint
